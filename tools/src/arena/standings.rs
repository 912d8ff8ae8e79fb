//! The table of a tournament: places by points and by what tells engines of the same points apart.
//!
//! - *Buchholz*, in a Swiss tournament: the points of all opponents, each as often as it was met. A bye counts like an
//!   opponent of the same points.
//! - *Sonneborn-Berger*: the points of the opponents of all games that were won, and half of those of drawn games. A
//!   bye counts like a pairing that was won against an opponent of the same points.
//! - *Direct result*: the points of the games among those who are equal in all of this, if each has met each.
//!
//! Engines that are equal in everything keep the order of the plan.

use super::pairing::{Pairing, ResultsByGame};
use super::plan::{Plan, Tournament};
use super::stats::{Ledger, ResultTally};
use komainu::notation::json::GameLine;
use komainu::types::Color;
use serde::Serialize;

/// Row of the table. Points are whole and half ones, those of Sonneborn-Berger quarters too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableRow {
    pub engine: usize,
    /// Points of its games, and of rounds in which it had no opponent.
    pub points: f64,
    /// Buchholz; none but in a Swiss tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buchholz: Option<f64>,
    pub sonneborn_berger: f64,
    /// Direct result, among those whom nothing else tells apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct: Option<f64>,
    /// Rounds in which it had no opponent; none but in a Swiss tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byes: Option<u32>,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

/// The table of a tournament, the first place first; `None` for a match that is none: of two engines, of one against
/// all others, on a server. In a round robin the games of the ledger count, in a Swiss tournament all games with a
/// result.
pub fn table<'a>(plan: &Plan, ledger: &Ledger, games: impl Iterator<Item = &'a GameLine>) -> Option<Vec<TableRow>> {
    let engines = plan.engines.len();
    match plan.tournament {
        Tournament::RoundRobin if engines > 2 => {
            let crosses = Crosses::of(engines, |engine, other| ledger.between(engine, other).tally());
            Some(ranked(crosses.rows(), &crosses, 0.0))
        }
        Tournament::Swiss => {
            let games: Vec<&GameLine> = games.collect();
            let results: ResultsByGame = games.iter().map(|line| (line.game, line.result())).collect();
            let crosses = Crosses::of_games(plan, &games);
            let mut rows = crosses.rows();
            for standing in Pairing::new(plan).ok()?.swiss_standings(&results) {
                let row = &mut rows[standing.engine];
                row.points = standing.half_points as f64 / 2.0;
                row.buchholz = Some(standing.buchholz as f64 / 2.0);
                row.byes = Some(standing.byes);
            }
            Some(ranked(rows, &crosses, plan.games as f64))
        }
        _ => None,
    }
}

/// The results of each engine against each other one.
struct Crosses(Vec<Vec<ResultTally>>);

impl Crosses {
    fn of(engines: usize, between: impl Fn(usize, usize) -> ResultTally) -> Crosses {
        let row = |engine| (0..engines).map(|other| between(engine, other)).collect();
        Crosses((0..engines).map(row).collect())
    }

    fn of_games(plan: &Plan, games: &[&GameLine]) -> Crosses {
        let mut crosses = Crosses::of(plan.engines.len(), |_, _| ResultTally::default());
        for line in games {
            let (Some([black, white]), Some(result)) = (plan.players(line), line.result()) else { continue };
            crosses.0[black][white].count(result.of_player(Color::Black));
            crosses.0[white][black].count(result.of_player(Color::White));
        }
        crosses
    }

    /// The rows of the engines in the order of the plan, with the figures of their games.
    fn rows(&self) -> Vec<TableRow> {
        let mut rows = Vec::new();
        for (engine, crosses) in self.0.iter().enumerate() {
            let total = crosses.iter().fold(ResultTally::default(), |sum, tally| sum + *tally);
            rows.push(TableRow {
                engine,
                points: total.points(),
                buchholz: None,
                sonneborn_berger: 0.0,
                direct: None,
                byes: None,
                wins: total.wins,
                draws: total.draws,
                losses: total.losses,
            });
        }
        rows
    }

    /// Tests whether each of these engines has met each other one.
    fn have_all_met(&self, engines: &[usize]) -> bool {
        engines.iter().all(|&one| engines.iter().all(|&other| one == other || self.0[one][other].games() > 0))
    }
}

/// The rows in their order, with what tells equal points apart. A bye is worth so many points.
fn ranked(mut rows: Vec<TableRow>, crosses: &Crosses, bye: f64) -> Vec<TableRow> {
    for engine in 0..rows.len() {
        let mut sum = f64::from(rows[engine].byes.unwrap_or(0)) * bye * rows[engine].points;
        for other in &rows {
            sum += crosses.0[engine][other.engine].points() * other.points;
        }
        rows[engine].sonneborn_berger = sum;
    }
    for engine in 0..rows.len() {
        let mut equal = Vec::new();
        for other in &rows {
            let row = &rows[engine];
            if (row.points, row.buchholz, row.sonneborn_berger)
                == (other.points, other.buchholz, other.sonneborn_berger)
            {
                equal.push(other.engine);
            }
        }
        if equal.len() > 1 && crosses.have_all_met(&equal) {
            rows[engine].direct = Some(equal.iter().map(|&other| crosses.0[engine][other].points()).sum());
        }
    }
    let figures = |row: &TableRow| (row.points, row.buchholz, row.sonneborn_berger, row.direct);
    rows.sort_by(|one, other| figures(other).partial_cmp(&figures(one)).expect("no figure is NaN"));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::EnginePlan;
    use crate::arena::stats::PlayedGame;
    use komainu::notation::record::Ending;

    fn plan(tournament: Tournament, engines: usize, rounds: u32) -> Plan {
        let names = (0..engines).map(|index| EnginePlan { name: index.to_string(), ..EnginePlan::default() });
        Plan { tournament, rounds, ..Plan::new(names.collect(), 1) }
    }

    /// Game of a number; the winner by its index, or a draw.
    fn game(number: u64, [black, white]: [usize; 2], winner: Option<usize>) -> GameLine {
        GameLine {
            game: number,
            pair: number,
            players: [black, white].map(|player| player.to_string()),
            ending: if winner.is_some() { Ending::Checkmate } else { Ending::Repetition },
            winner: winner.map(|index| if index == black { Color::Black } else { Color::White }),
            ..GameLine::default()
        }
    }

    fn ledger(engines: usize, games: &[GameLine]) -> Ledger {
        let mut ledger = Ledger::new(engines);
        for line in games {
            let players = line.players.each_ref().map(|name| name.parse().unwrap());
            let played = PlayedGame::of(line, players).expect("it has a result");
            ledger.add(PlayedGame { fingerprint: Some(line.game), ..played });
        }
        ledger
    }

    fn round_robin(engines: usize, games: &[GameLine]) -> Vec<TableRow> {
        let plan = plan(Tournament::RoundRobin, engines, 0);
        table(&plan, &ledger(engines, games), games.iter()).expect("a tournament")
    }

    fn places(rows: &[TableRow]) -> Vec<usize> {
        rows.iter().map(|row| row.engine).collect()
    }

    #[test]
    fn points_come_first_and_sonneborn_berger_tells_equal_points_apart() {
        // 1 and 2 have a point each: that of 1 was won against the winner.
        let games = [
            game(0, [0, 1], Some(1)),
            game(1, [2, 0], Some(0)),
            game(2, [1, 2], Some(2)),
            game(3, [0, 3], Some(0)),
            game(4, [3, 1], None),
            game(5, [2, 3], None),
        ];
        let rows = round_robin(4, &games);
        assert_eq!(places(&rows), [0, 1, 2, 3]);
        let figures: Vec<(f64, f64)> = rows.iter().map(|row| (row.points, row.sonneborn_berger)).collect();
        assert_eq!(figures, [(2.0, 2.5), (1.5, 2.5), (1.5, 2.0), (1.0, 1.5)]);
        assert!(rows.iter().all(|row| row.buchholz.is_none() && row.byes.is_none()));
        assert_eq!((rows[3].wins, rows[3].draws, rows[3].losses), (0, 2, 1));
    }

    #[test]
    fn the_direct_result_decides_last_and_only_where_all_have_met() {
        // 0 and 1 have equal points and Sonneborn-Berger; 1 has won between them, and stands behind 0 in the plan.
        let games = [
            game(0, [0, 1], Some(1)),
            game(1, [0, 2], Some(0)),
            game(2, [0, 3], Some(0)),
            game(3, [1, 2], Some(2)),
            game(4, [1, 3], Some(1)),
            game(5, [2, 4], Some(2)),
            game(6, [3, 4], Some(4)),
        ];
        let rows = round_robin(5, &games);
        assert_eq!(places(&rows), [2, 1, 0, 4, 3], "{rows:?}");
        assert_eq!((rows[1].direct, rows[2].direct, rows[0].direct), (Some(1.0), Some(0.0), None));
        // Two who are equal in everything, and a direct result of half a point each: the order of the plan.
        let rows = round_robin(3, &[game(0, [0, 1], None), game(1, [1, 2], None), game(2, [2, 0], None)]);
        assert_eq!((places(&rows), rows[0].direct), (vec![0, 1, 2], Some(1.0)));
        // They have not met: nothing tells them apart.
        let rows = round_robin(4, &[game(0, [0, 1], None), game(1, [2, 3], None)]);
        assert_eq!((places(&rows), rows[0].direct), (vec![0, 1, 2, 3], None));
    }

    #[test]
    fn a_swiss_table_counts_byes_and_puts_more_points_above_fewer() {
        let plan = plan(Tournament::Swiss, 3, 2);
        let pairing = Pairing::new(&plan).unwrap();
        let mut games: Vec<GameLine> = Vec::new();
        // The lower index wins each game.
        for number in 0..2 {
            let results = games.iter().map(|line| (line.game, line.result())).collect();
            let crate::arena::pairing::NextGame::Game(next) = pairing.game(number, &results) else { panic!("a game") };
            games.push(game(number, [next.black, next.white], Some(next.black.min(next.white))));
        }
        let rows = table(&plan, &Ledger::new(3), games.iter()).expect("a tournament");
        assert!(rows.windows(2).all(|pair| pair[0].points >= pair[1].points), "{rows:?}");
        assert_eq!(rows.iter().map(|row| row.byes.unwrap()).sum::<u32>(), 2);
        assert_eq!(rows.iter().map(|row| row.points).sum::<f64>(), 4.0, "two games and two byes");
        let winner = &rows[0];
        assert_eq!((winner.engine, winner.points), (0, 2.0), "{rows:?}");
        // Both opponents (or the bye in the place of one) count for Buchholz, and so they do for Sonneborn-Berger.
        assert_eq!(winner.buchholz, Some(winner.sonneborn_berger), "everything was won");
    }

    #[test]
    fn a_match_that_is_no_tournament_has_no_table() {
        for (tournament, engines) in [(Tournament::RoundRobin, 2), (Tournament::Gauntlet, 3), (Tournament::Server, 4)] {
            assert_eq!(table(&plan(tournament, engines, 0), &Ledger::new(engines), [].iter()), None);
        }
    }
}
