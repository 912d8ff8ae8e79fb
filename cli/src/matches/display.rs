//! Display of a match while it runs: a live table on a terminal, plain lines in a pipe.

use crate::terminal::{Failure, print_line, progress, screen};
use comfy_table::{CellAlignment, Table, presets};
use indicatif::ProgressBar;
use komainu::notation::json::GameLine;
use komainu::notation::record::{Ending, Outcome};
use komainu::position::GameRules;
use komainu::types::{Color, Counted, Printable};
use komainu_tools::arena::plan::{EnginePlan, Plan};
use komainu_tools::arena::runner::MatchEvent;
use komainu_tools::arena::standings;
use komainu_tools::arena::stats::{Estimate, Ledger, PlayedGame, RatingList, Sprt};
use std::io::IsTerminal;

/// Games after which the standings are printed in a pipe.
const GAMES_BETWEEN_STANDINGS: u64 = 20;

/// Shows a match.
pub(crate) struct Display<'a> {
    plan: &'a Plan,
    /// The last line of the terminal, with the standings above it; `None` in a pipe.
    bar: Option<ProgressBar>,
    finished: u64,
    /// The number of games after which the standings were printed last.
    standings_at: Option<u64>,
}

impl<'a> Display<'a> {
    /// A display of a match of which `done` games have been played already.
    pub(crate) fn new(plan: &'a Plan, done: usize) -> Display<'a> {
        let is_terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
        Display { plan, bar: is_terminal.then(ProgressBar::hidden), finished: done as u64, standings_at: None }
    }

    /// Shows what is about to be played.
    pub(crate) fn begin(&mut self, rules: GameRules, openings: usize, total: u64) -> Result<(), Failure> {
        for line in outline(self.plan, rules, openings, total) {
            print_line(line)?;
        }
        if self.finished > 0 {
            print_line(format_args!("{} played already", Counted(self.finished, "game")))?;
        }
        if self.bar.is_some() {
            let bar = progress::bar_with_message(total, "games", screen::stdout());
            bar.set_position(self.finished);
            bar.reset_eta();
            self.bar = Some(bar);
        }
        Ok(())
    }

    /// Prints a line, above the live table if there is one.
    fn line(&self, text: &str) -> Result<(), Failure> {
        match &self.bar {
            Some(bar) if !bar.is_hidden() => {
                bar.println(Printable(text).to_string());
                Ok(())
            }
            _ => print_line(text),
        }
    }

    pub(crate) fn show(&mut self, event: &MatchEvent) -> Result<(), Failure> {
        match event {
            MatchEvent::Notice(text) => self.line(&format!("note: {text}")),
            MatchEvent::Started(..) => Ok(()),
            MatchEvent::Finished(line, ledger) => {
                self.finished += 1;
                match &self.bar {
                    Some(bar) => {
                        let text = format!("{}\n{}", standings(self.plan, ledger), game(line));
                        bar.set_message(Printable(&text).to_string());
                        bar.set_position(self.finished);
                        Ok(())
                    }
                    None => {
                        print_line(game(line))?;
                        if !self.finished.is_multiple_of(GAMES_BETWEEN_STANDINGS) {
                            return Ok(());
                        }
                        self.standings_at = Some(self.finished);
                        print_line(standings(self.plan, ledger))
                    }
                }
            }
        }
    }

    pub(crate) fn end(self, lines: &[GameLine]) -> Result<(), Failure> {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.standings_at != Some(self.finished) {
            print_line(standings(self.plan, &ledger(self.plan, lines)))?;
        }
        if let Some(table) = tournament(self.plan, lines) {
            print_line(table)?;
        }
        let stalls = lines.iter().filter(|line| line.host_stall_ms.is_some()).count();
        if stalls > 0 {
            let games = Counted(stalls, "game");
            print_line(format_args!("{games} lost on time while the machine stood still: without a result"))?;
        }
        Ok(())
    }
}

/// Outline of a match in two lines: the rules, and games, limit, openings and engines.
pub(crate) fn outline(plan: &Plan, rules: GameRules, openings: usize, total: u64) -> [String; 2] {
    let names: Vec<String> = plan.engines.iter().map(name_with_limit).collect();
    let games = Counted(total, "game");
    let openings = Counted(openings, "opening");
    [format!("rules: {rules}"), format!("{games}, {}, {openings}: {}", plan.limit, names.join(", "))]
}

/// The name of an engine, with the limit that it has for itself.
fn name_with_limit(engine: &EnginePlan) -> String {
    match engine.limit {
        Some(limit) => format!("{} {limit}", engine.name),
        None => engine.name.clone(),
    }
}

/// A game in one line, as in `game 12: new - old 1-0, checkmate, 87 plies`.
fn game(line: &GameLine) -> String {
    let result = match line.result() {
        Some(Outcome::Win(Color::Black)) => "1-0",
        Some(Outcome::Win(Color::White)) => "0-1",
        Some(Outcome::Draw) => "1/2",
        None => "*",
    };
    let [black, white] = &line.players;
    let number = line.game + 1;
    let ending = line.ending;
    let plies = Counted(line.moves.len(), "ply");
    let detail = if line.detail.is_empty() { String::new() } else { format!(" ({})", line.detail) };
    format!("game {number}: {black} - {white} {result}, {ending}{detail}, {plies}")
}

/// All games as statistics count them.
fn ledger(plan: &Plan, lines: &[GameLine]) -> Ledger {
    let mut ledger = Ledger::new(plan.engines.len());
    for line in lines {
        let played = plan.players(line).and_then(|players| PlayedGame::of(line, players));
        if let Some(game) = played {
            ledger.add(game);
        }
    }
    ledger
}

/// The standings: of two engines what the games say of the first, of more a rating list.
fn standings(plan: &Plan, ledger: &Ledger) -> String {
    let mut text = if plan.engines.len() == 2 { duel(plan, ledger) } else { rating_list(plan, ledger) };
    let sprt = plan.sprt.and_then(|sprt| Sprt::new(sprt).ok());
    if let Some(sprt) = sprt {
        let status = sprt.status(ledger.total(0).pentanomial());
        text.push_str(&format!("\n{status}"));
    }
    match ledger.repeated() {
        0 => text,
        repeated => {
            format!("{text}\n{} not counted: equal to earlier ones, or their partners", Counted(repeated, "game"))
        }
    }
}

/// The standings in one line, as far as they fit into one.
pub(crate) fn figures(plan: &Plan, ledger: &Ledger, played: usize, total: u64) -> String {
    let mut parts = vec![format!("{played} of {total} games")];
    if plan.engines.len() == 2 {
        let all = ledger.total(0);
        parts.push(all.tally().to_string());
        parts.extend(Estimate::of(all.sample()).map(|estimate| estimate.to_string()));
    }
    let sprt = plan.sprt.and_then(|sprt| Sprt::new(sprt).ok());
    parts.extend(sprt.map(|sprt| sprt.status(ledger.total(0).pentanomial()).to_string()));
    parts.join(", ")
}

fn duel(plan: &Plan, ledger: &Ledger) -> String {
    let total = ledger.total(0);
    let [black, white] = total.by_color();
    let names = [0, 1].map(|index| &plan.engines[index].name);
    let head = format!("{} - {}: {} (black {black}, white {white})", names[0], names[1], total.tally());
    match Estimate::of(total.sample()) {
        Some(estimate) => format!("{head}\n{estimate}"),
        None => head,
    }
}

fn rating_list(plan: &Plan, ledger: &Ledger) -> String {
    let list = RatingList::of(ledger);
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["", "engine", "Elo", "±", "games", "points", "+", "=", "-"]);
    for (place, rating) in list.ratings.iter().enumerate() {
        let tally = rating.tally;
        table.add_row([
            (place + 1).to_string(),
            plan.engines[rating.engine].name.clone(),
            format!("{:+.0}", rating.elo),
            format!("{:.0}", rating.error),
            tally.games().to_string(),
            format!("{:.1}", tally.points()),
            tally.wins.to_string(),
            tally.draws.to_string(),
            tally.losses.to_string(),
        ]);
    }
    align(&mut table);
    table.trim_fmt()
}

/// The table of a tournament, with each engine's points against each other one if it is a round robin.
fn tournament(plan: &Plan, lines: &[GameLine]) -> Option<String> {
    let ledger = ledger(plan, lines);
    let rows = standings::table(plan, &ledger, lines.iter())?;
    let is_swiss = rows.iter().any(|row| row.buchholz.is_some());
    let mut heads: Vec<String> = ["", "engine", "points"].map(str::to_string).into();
    if is_swiss {
        heads.push("Buchholz".to_string());
    }
    heads.extend(["Sonneborn-Berger", "direct"].map(str::to_string));
    if is_swiss {
        heads.push("byes".to_string());
    }
    heads.extend(["+", "=", "-"].map(str::to_string));
    if !is_swiss {
        heads.extend((1..=rows.len()).map(|place| place.to_string()));
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(heads);
    for (place, row) in rows.iter().enumerate() {
        let mut cells = vec![(place + 1).to_string(), plan.engines[row.engine].name.clone(), points_text(row.points)];
        if is_swiss {
            cells.push(row.buchholz.map_or(String::new(), points_text));
        }
        cells.push(points_text(row.sonneborn_berger));
        cells.push(row.direct.map_or(String::new(), points_text));
        cells.extend(row.byes.map(|byes| byes.to_string()));
        cells.extend([row.wins, row.draws, row.losses].map(|games| games.to_string()));
        if !is_swiss {
            for other in &rows {
                let tally = ledger.between(row.engine, other.engine).tally();
                cells.push(if other.engine == row.engine {
                    "*".to_string()
                } else if tally.games() == 0 {
                    String::new()
                } else {
                    points_text(tally.points())
                });
            }
        }
        table.add_row(cells);
    }
    align(&mut table);
    Some(table.trim_fmt())
}

/// Points with one digit behind the point, quarters with two.
fn points_text(points: f64) -> String {
    if (2.0 * points).fract() == 0.0 { format!("{points:.1}") } else { points.to_string() }
}

/// Puts all columns but the names of the engines to the right.
fn align(table: &mut Table) {
    for (place, column) in table.column_iter_mut().enumerate() {
        if place != 1 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

/// The line that scripts read: about the first engine.
pub(crate) fn last_line(plan: &Plan, lines: &[GameLine]) -> String {
    let total = ledger(plan, lines).total(0);
    let tally = total.tally();
    let name = &plan.engines[0].name;
    let (elo, error) = match Estimate::of(total.sample()) {
        Some(estimate) => (estimate.elo.value, estimate.elo.error()),
        None => (0.0, f64::INFINITY),
    };
    format!(
        "games {} wins {} draws {} losses {} elo {elo:.1} error {error:.1} illegal {} timeouts {} crashes {}",
        tally.games(),
        tally.wins,
        tally.draws,
        tally.losses,
        lost_by(lines, name, &[Ending::IllegalMove, Ending::FalseDeclaration]),
        lost_by(lines, name, &[Ending::TimeUp, Ending::Stall]),
        lost_by(lines, name, &[Ending::Crash]),
    )
}

/// The number of games that an engine has lost in one of these ways.
fn lost_by(lines: &[GameLine], name: &str, endings: &[Ending]) -> usize {
    let mut lost = 0;
    for line in lines {
        if let Some(winner) = line.result().and_then(Outcome::winner)
            && line.players[!winner] == *name
            && endings.contains(&line.ending)
        {
            lost += 1;
        }
    }
    lost
}
