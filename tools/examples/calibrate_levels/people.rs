//! Games of levels against themselves, measured by what people do: openings and castles, bishops, kings and rooks that
//! wander, moves that lose much.

use crate::bounds::{level, report};
use crate::{fast, level_move};
use komainu::formations::{Formation, GameNames};
use komainu::levels::{Level, OpeningPlan};
use komainu::movegen::{All, generate};
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, Ending, GameRecord, RecordMove};
use komainu::position::{GameRules, Position, Repetition};
use komainu::search::{HistorySize, Limits, ThreadPool};
use komainu::types::{Color, Move, PieceType, Square, StopToken};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

/// The levels that are measured unless others are named.
const LEVELS: &str = "15kyu 10kyu 5kyu 1kyu 2dan";
/// A longer game is drawn.
const MAX_PLIES: usize = 300;
/// The ply after which castles are looked at.
const CASTLE_PLY: usize = 40;
/// Bishops that are traded up to this ply are traded early.
const EARLY_TRADE: usize = 8;
/// Games of a level whose moves are judged, and nodes for a position.
const JUDGED_GAMES: u64 = 16;
const JUDGE_NODES: u64 = 6_000;
/// Centipawns up to which a position is undecided.
const UNDECIDED: i32 = 1_000;
/// Squares from a king within which an enemy piece is near.
const NEAR: usize = 3;
/// Own moves within which a piece that is back has gone to and fro.
const TO_AND_FRO: usize = 4;
/// Seeds by which the answer to an open diagonal is looked at.
const DIAGONAL_SEEDS: u64 = 20;

/// The wishes of a run.
pub(crate) struct Wishes {
    games: u64,
    seed: u64,
    /// The folder for records of the games.
    folder: Option<PathBuf>,
    levels: Vec<Level>,
}

impl Wishes {
    /// Reads `GAMES [SEED [FOLDER [LEVEL...]]]`; `-` stands for no folder.
    pub(crate) fn read(mut arguments: impl Iterator<Item = String>) -> Result<Wishes, Box<dyn Error>> {
        let games = arguments.next().unwrap_or("60".to_string()).parse()?;
        let seed = arguments.next().unwrap_or("1".to_string()).parse()?;
        let folder = arguments.next().filter(|name| name != "-").map(PathBuf::from);
        let names: Vec<String> = arguments.collect();
        let names = if names.is_empty() { LEVELS.split(' ').map(str::to_string).collect() } else { names };
        let levels = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
        Ok(Wishes { games, seed, folder, levels })
    }
}

/// Plays the games, prints a row of the table for each level. Returns `true` if every bound holds.
pub(crate) fn check(wishes: &Wishes) -> bool {
    let mut players = Players { pool: ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build() };
    let mut holds = true;
    for &level in &wishes.levels {
        let mut figures = Figures::default();
        for number in 0..wishes.games {
            let seed = wishes.seed.wrapping_mul(1_000_003) + 2 * number;
            let game = players.play(level, seed);
            figures.add(&game);
            if number < JUDGED_GAMES {
                players.judge(&game, &mut figures);
            }
            if let Some(folder) = &wishes.folder {
                let name = folder.join(format!("{level}-{}.kif", number + 1));
                write(&name, &game).unwrap_or_else(|error| eprintln!("{}: {error}", name.display()));
            }
        }
        holds &= figures.report(level);
    }
    let named = |name: &str| wishes.levels.iter().any(|&wished| wished == level(name));
    holds & (!named("1kyu") || players.diagonal(level("1kyu")))
}

fn write(path: &Path, game: &Game) -> std::io::Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    std::fs::write(path, kif::write(&game.record()))
}

/// A game of a level against itself.
struct Game {
    level: Level,
    moves: Vec<Move>,
    /// The plans of Black and White as they stood after [`CASTLE_PLY`].
    plans: [Option<&'static OpeningPlan>; 2],
    ending: Ending,
    winner: Option<Color>,
}

impl Game {
    fn record(&self) -> GameRecord {
        let mut record = GameRecord::new(Position::startpos());
        record.players = self.plans.map(|plan| {
            let plan = plan.map_or(String::new(), |plan| format!(" ({})", plan.names()[0]));
            Some(format!("Komainu {}{plan}", self.level))
        });
        record.moves = self.moves.iter().map(|&mv| RecordMove { mv, spent: None, comments: Vec::new() }).collect();
        record.conclusion = Some(Conclusion { ending: self.ending, winner: self.winner, spent: None });
        record.opening = GameNames::of(&record).header();
        record
    }

    /// Tests whether the castle of a side's plan has this square for its king.
    fn is_home(&self, king: Square, side: Color) -> bool {
        self.plans[side.index()].is_some_and(|plan| plan.is_home(king, side))
    }
}

struct Players {
    pool: ThreadPool,
}

impl Players {
    fn play(&mut self, level: Level, seed: u64) -> Game {
        let mut pos = Position::startpos();
        let mut moves = Vec::new();
        let (ending, winner) = loop {
            let side = pos.side();
            match pos.repetition() {
                Some(Repetition::Draw) => break (Ending::Repetition, None),
                Some(Repetition::Win) => break (Ending::PerpetualCheck, Some(side)),
                Some(Repetition::Loss) => break (Ending::PerpetualCheck, Some(!side)),
                None if moves.len() >= MAX_PLIES => break (Ending::PlyLimit, None),
                None => {}
            }
            if pos.declaration(GameRules::default().entering_king).is_some() {
                break (Ending::Declaration, Some(side));
            }
            let Some(mv) = level_move(&mut self.pool, &pos, &fast(level, seed + side.index() as u64)) else {
                let ending = if pos.in_check() { Ending::Checkmate } else { Ending::NoMoves };
                break (ending, Some(!side));
            };
            moves.push(mv);
            pos.do_move(mv);
        };
        let plans = Color::ALL.map(|side| {
            let plies = moves.len().min(CASTLE_PLY + side.index());
            fast(level, seed + side.index() as u64).plan(&after(&moves[..plies]))
        });
        Game { level, moves, plans, ending, winner }
    }

    /// The score of a position for the side to move.
    fn score(&mut self, pos: &Position) -> Option<i32> {
        self.pool.clear();
        let limits = Limits::to_nodes(JUDGE_NODES);
        let stop = StopToken::new();
        let result = self.pool.search(pos, GameRules::default(), &limits, &stop, &mut |_| ());
        result.ok()?.report.map(|report| report.score.0)
    }

    /// Adds the moves of undecided positions, and which of them lose much.
    fn judge(&mut self, game: &Game, figures: &mut Figures) {
        let mut pos = Position::startpos();
        let mut before = self.score(&pos);
        for &mv in &game.moves {
            pos.do_move(mv);
            let is_over = generate::<All>(&pos).is_empty();
            let after = if is_over { None } else { self.score(&pos) };
            if let (Some(before), Some(after)) = (before.filter(|score| score.abs() <= UNDECIDED), after) {
                let lost = before + after;
                figures.judged += 1;
                figures.lose_500 += usize::from(lost > 500);
                figures.lose_1000 += usize::from(lost > 1_000);
            }
            before = after;
        }
    }

    /// Trades of the bishops as soon as the diagonal is open: at most one of twenty seeds on either side.
    fn diagonal(&mut self, level: Level) -> bool {
        let mut count = |moves: &str, trade: &str| {
            let mut pos = Position::startpos();
            for mv in moves.split(' ') {
                pos.do_move(mv.parse().expect("a move"));
            }
            let trade = trade.parse().ok();
            (0..DIAGONAL_SEEDS).filter(|&seed| level_move(&mut self.pool, &pos, &fast(level, seed)) == trade).count()
        };
        let white = count("7g7f 3c3d 2g2f", "2b8h+");
        let black = count("7g7f 3c3d", "8h2b+");
        report(white <= 1 && black <= 1, format!("{level} trades bishops at once: White {white}, Black {black} of 20"))
    }
}

/// Counts of the games of a level.
#[derive(Default)]
struct Figures {
    games: usize,
    plies: usize,
    /// Games in which the bishops were traded early.
    early_trades: usize,
    /// Sides that were still playing after [`CASTLE_PLY`], and those of them that had built a castle with a name and
    /// whose king was on a square of one of its castles.
    sides: usize,
    castled: usize,
    at_home: usize,
    /// By the name of a plan: sides that had its opening at some time up to then, those that had its castle, and those
    /// with the plan.
    plans: BTreeMap<String, [usize; 3]>,
    /// Games in which a king left its castle and came back.
    strolls: usize,
    /// Games in which a piece went to and fro twice before [`CASTLE_PLY`].
    restless: usize,
    judged: usize,
    lose_500: usize,
    lose_1000: usize,
}

impl Figures {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        self.plies += game.moves.len();
        self.early_trades += usize::from(trades_early(&game.moves));
        self.strolls += usize::from(Color::ALL.into_iter().any(|side| strolls(game, side)));
        self.restless += usize::from(Color::ALL.into_iter().any(|side| is_restless(&game.moves, side)));
        if game.moves.len() < CASTLE_PLY {
            return;
        }
        let mut record = game.record();
        record.moves.truncate(CASTLE_PLY);
        let names = GameNames::of(&record);
        let pos = after(&game.moves[..CASTLE_PLY]);
        for side in Color::ALL {
            self.sides += 1;
            self.castled += usize::from(!names.castles[side.index()].is_empty());
            self.at_home += usize::from(pos.king(side).is_some_and(|king| game.is_home(king, side)));
            let Some(plan) = game.plans[side.index()] else { continue };
            let had = |part: &Formation| (0..=CASTLE_PLY).any(|ply| part.is_had(&after(&game.moves[..ply]), side));
            let reached = [plan.opening().is_none_or(had), plan.castle().is_none_or(had), true].map(usize::from);
            let counts = self.plans.entry(plan.names()[0].clone()).or_default();
            for (count, reached) in counts.iter_mut().zip(reached) {
                *count += reached;
            }
        }
    }

    /// Prints the row of a level. Returns `true` if every bound holds.
    fn report(&self, level: Level) -> bool {
        let share = |count: usize, of: usize| 100.0 * count as f64 / of.max(1) as f64;
        let early = share(self.early_trades, self.games);
        let home = share(self.at_home, self.sides);
        let [opened, built, planned] =
            self.plans.values().fold([0; 3], |sum, counts| [0, 1, 2].map(|at| sum[at] + counts[at]));
        let strolls = share(self.strolls, self.games);
        let restless = share(self.restless, self.games);
        println!(
            "{level}: {} games of {:.0} plies; lose over 500 {:.1} %, over 1000 {:.1} % of {} moves; named castles {:.1} %; \
             of their plans {:.1} % had the opening, {:.1} % the castle",
            self.games,
            self.plies as f64 / self.games.max(1) as f64,
            share(self.lose_500, self.judged),
            share(self.lose_1000, self.judged),
            self.judged,
            share(self.castled, self.sides),
            share(opened, planned),
            share(built, planned),
        );
        for (name, [opened, built, planned]) in &self.plans {
            println!("     {name}: {planned} sides, {opened} had the opening, {built} the castle");
        }
        let holds = [
            report(early <= 20.0, format!("{level} trades bishops by ply {EARLY_TRADE} in {early:.1} % of games")),
            report(home >= 60.0, format!("{level} has its king at home after ply {CASTLE_PLY} in {home:.1} %")),
            report(strolls <= 5.0, format!("{level} leaves its castle and comes back in {strolls:.1} % of games")),
            report(restless <= 5.0, format!("{level} goes to and fro twice in {restless:.1} % of games")),
        ];
        holds.iter().all(|&holds| holds)
    }
}

/// The position after these moves from the start of a game.
fn after(moves: &[Move]) -> Position {
    let mut pos = Position::startpos();
    for &mv in moves {
        pos.do_move(mv);
    }
    pos
}

fn trades_early(moves: &[Move]) -> bool {
    let mut pos = Position::startpos();
    moves.iter().take(EARLY_TRADE).any(|&mv| {
        let is_bishop = |square| pos.piece_on(square).is_some_and(|piece| piece.piece_type() == PieceType::Bishop);
        let trades = mv.from().is_some_and(is_bishop) && is_bishop(mv.to());
        pos.do_move(mv);
        trades
    })
}

/// The moves of a side, each with the position before it.
fn moves_of(moves: &[Move], side: Color) -> Vec<(Position, Move)> {
    let mut pos = Position::startpos();
    let mut own = Vec::new();
    for &mv in moves {
        if pos.side() == side {
            own.push((pos.clone(), mv));
        }
        pos.do_move(mv);
    }
    own
}

/// Tests whether a king leaves its castle though it is not in check and no enemy piece is within three squares, and
/// comes back.
fn strolls(game: &Game, side: Color) -> bool {
    let mut left = None;
    for (pos, mv) in moves_of(&game.moves, side) {
        let king = pos.king(side);
        if mv.from() != king || king.is_none() {
            continue;
        }
        if left == Some(mv.to()) {
            return true;
        }
        let leaves = king.is_some_and(|king| game.is_home(king, side))
            && !game.is_home(mv.to(), side)
            && is_left_alone(&pos, side);
        if leaves {
            left = king;
        }
    }
    false
}

/// Tests whether a king is not in check and no enemy piece is near.
fn is_left_alone(pos: &Position, side: Color) -> bool {
    let Some(king) = pos.king(side).filter(|_| !pos.in_check()) else { return false };
    let is_near = |square: Square| {
        let files = square.file().index().abs_diff(king.file().index());
        files.max(square.rank().index().abs_diff(king.rank().index())) <= NEAR
    };
    !pos.pieces(!side).into_iter().any(is_near)
}

/// Tests whether one piece goes back twice to where it was within the last own moves, before [`CASTLE_PLY`].
fn is_restless(moves: &[Move], side: Color) -> bool {
    let own = moves_of(&moves[..moves.len().min(CASTLE_PLY)], side);
    let is_back = |at: usize| {
        let (pos, mv) = &own[at];
        let quiet = pos.piece_on(mv.to()).is_none() && !pos.in_check();
        let Some(from) = mv.from().filter(|_| quiet) else { return false };
        let before = own[at.saturating_sub(TO_AND_FRO)..at].iter().rev();
        let mut last = before.map(|(_, earlier)| *earlier).skip_while(|earlier| earlier.to() != from);
        last.next().and_then(Move::from) == Some(mv.to())
    };
    (0..own.len()).filter(|&at| is_back(at)).count() >= 2
}
