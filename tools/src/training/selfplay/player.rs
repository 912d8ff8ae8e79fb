//! One game of the engine against itself.
//!
//! A game begins with some plies of chance, without which all games would be alike: random moves from the even start
//! or an opening, or moves drawn from among those that a search holds to be about as good. After these there is no
//! chance: the best move is played to the end, and its score is kept. Most games whose outcome is beyond doubt are
//! broken off, but not all, for a net must also learn how to mate.

use super::{HARD_FACTOR, SelfPlaySettings};
use crate::random::Random;
use crate::training::games::{Game, Ply};
use crate::training::records::Record;
use komainu::host::lock;
use komainu::movegen::{All, generate};
use komainu::notation::record::Conclusion;
use komainu::position::{GameRules, Position};
use komainu::referee::{Adjudication, Adjudicator, declared, judge};
use komainu::search::{Callbacks, Decision, HistorySize, Limits, Report, ThreadPool};
use komainu::system::free_megabytes;
use komainu::types::{Move, Score, StopToken};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use thiserror::Error;

/// Percentage of the games without an opening of the list that begin with random moves; the others are sampled.
const RANDOM_SHARE: usize = 80;
/// Percentage of games that may be adjudicated.
const ADJUDICATED_SHARE: usize = 80;
/// A game is decided when both sides have seen the same side ahead by 2,000 centipawns for 8 plies.
const ADJUDICATION: Adjudication = Adjudication {
    resign_score: 2_000,
    resign_moves: 4,
    resign_one_sided: false,
    draw_score: 0,
    draw_moves: 0,
    draw_from_ply: 0,
};
/// The least number of random moves from the even start, and how many numbers there are to choose from.
const RANDOM_MOVES: (usize, usize) = (6, 4);
/// Least number and spread of random moves after an opening of the list.
const OPENING_MOVES: (usize, usize) = (0, 4);
/// Up to which ply moves are sampled.
const SAMPLED_PLIES: usize = 24;
/// Centipawns that a sampled move may be worse than the best.
const SAMPLED_LOSS: i32 = 60;
/// Number of moves to choose from.
const SAMPLED_MOVES: usize = 8;
/// A random start in which a side is further ahead than this is drawn again.
const MAX_OPENING_SCORE: i32 = 600;
/// Nodes of the search that looks at a random start.
const QUICK_NODES: u64 = 500;
/// Megabytes that a player needs beside its tables.
const GAME_MEGABYTES: usize = 16;
/// Held while a player takes its memory.
static PREPARING: Mutex<()> = Mutex::new(());
/// Random starts that will not do after which the game begins without random moves.
const MAX_DRAWS: usize = 100;

/// Why a game could not be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SelfPlayFault(pub String);

/// A smaller table would make other games.
fn too_little_memory(megabytes: usize) -> SelfPlayFault {
    SelfPlayFault(format!("there are no {megabytes} MB left for a hash table"))
}

fn broken_down(pos: &Position) -> SelfPlayFault {
    SelfPlayFault(format!("the search has broken down at {}", pos.to_sfen()))
}

/// Plays games, one after the other.
#[derive(Debug)]
pub struct Player<'a> {
    settings: &'a SelfPlaySettings,
    rules: GameRules,
    pool: ThreadPool,
}

/// A game that is being played.
struct Running {
    start: Position,
    pos: Position,
    plies: Vec<Ply>,
}

impl Running {
    fn new(start: &Position) -> Running {
        Running { start: start.clone(), pos: start.clone(), plies: Vec::new() }
    }

    fn play(&mut self, ply: Ply) {
        self.pos.do_move(ply.mv);
        self.plies.push(ply);
    }
}

impl<'a> Player<'a> {
    /// A player with a hash table of its own.
    pub fn new(settings: &'a SelfPlaySettings) -> Result<Player<'a>, SelfPlayFault> {
        // What one has found to be free is not taken by another.
        let _alone = lock(&PREPARING);
        let builder = ThreadPool::builder().table_megabytes(settings.hash).history(HistorySize::Small);
        if (builder.bytes() >> 20) + GAME_MEGABYTES > free_megabytes() {
            return Err(too_little_memory(settings.hash));
        }
        let mut pool = builder.build();
        if pool.shrunk().is_some() {
            return Err(too_little_memory(settings.hash));
        }
        pool.set_evaluation(settings.evaluation.clone());
        Ok(Player { settings, rules: settings.rules(), pool })
    }

    /// Plays the game of this number. The thread needs a stack of [`STACK_BYTES`](komainu::search::STACK_BYTES).
    pub fn play(&mut self, number: u64) -> Result<Game, SelfPlayFault> {
        let mut random = Random::new(self.settings.seed, number);
        self.pool.clear();
        let may_adjudicate = random.below(100) < ADJUDICATED_SHARE;
        let mut game = self.begin(&mut random)?;
        let opening = game.plies.len();
        let mut adjudicator = Adjudicator::new(ADJUDICATION);
        let end = loop {
            if let Some(end) = judge_with_declaration(&game.pos, &self.rules) {
                break end;
            }
            let mover = game.pos.side();
            let ply = self.think(&game.pos, self.settings.nodes, 1)?[0];
            game.play(ply);
            let decided = adjudicator.note(mover, Some(ply.score.into()), game.pos.ply() - 1);
            if may_adjudicate && let Some(decided) = decided {
                // The move may have ended the game by itself.
                break judge_with_declaration(&game.pos, &self.rules).unwrap_or(decided);
            }
        };
        Game::new(&game.start, game.plies, opening, (end.ending, end.winner)).map_err(|fault| SelfPlayFault(fault.0))
    }

    /// A game with the scores of this player's searches in place of its own; moves and result stay. The plies of chance
    /// keep their scores, and so do positions in which the game is over by this player's rules. The thread needs a
    /// stack of [`STACK_BYTES`](komainu::search::STACK_BYTES).
    pub fn rescore(&mut self, game: &Game) -> Result<Game, SelfPlayFault> {
        self.pool.clear();
        let mut plies = Vec::with_capacity(game.plies().len());
        game.replay(|number, pos, ply| {
            let is_kept = number < game.opening() || judge_with_declaration(pos, &self.rules).is_some();
            let score = if is_kept { ply.score } else { self.think(pos, self.settings.nodes, 1)?[0].score };
            plies.push(Ply { score, ..ply });
            Ok(())
        })?;
        Game::new(game.start(), plies, game.opening(), (game.ending(), game.winner()))
            .map_err(|fault| SelfPlayFault(fault.0))
    }

    /// Records with the scores and best moves of this player's searches in place of their own; results stay, and so do
    /// records of positions in which the game is over by this player's rules. The hash table is empty at the first and
    /// goes on from each to the next. The thread needs a stack of [`STACK_BYTES`](komainu::search::STACK_BYTES).
    pub fn rescore_records(&mut self, records: &[(Record, Position)]) -> Result<Vec<Record>, SelfPlayFault> {
        self.pool.clear();
        let mut rescored = Vec::with_capacity(records.len());
        for (record, pos) in records {
            let mut record = *record;
            if judge_with_declaration(pos, &self.rules).is_none() {
                let Ply { mv, score } = self.think(pos, self.settings.nodes, 1)?[0];
                record.best = Some(mv);
                record.score = score;
            }
            rescored.push(record);
        }
        Ok(rescored)
    }

    /// A game after its plies of chance.
    fn begin(&mut self, random: &mut Random) -> Result<Running, SelfPlayFault> {
        let openings = self.settings.openings.positions();
        let from_list = self.settings.openings_share.min(100) as usize;
        let random_start = (100 - from_list) * RANDOM_SHARE / 100;
        let share = random.below(100);
        if share >= random_start + from_list {
            return self.sample(random);
        }
        if share < random_start || openings.is_empty() {
            return self.random_opening(&Position::startpos(), RANDOM_MOVES, random);
        }
        let opening = random.pick(openings).clone();
        self.random_opening(&opening, OPENING_MOVES, random)
    }

    /// Plays a random number of random moves that leave the game open.
    fn random_opening(
        &mut self,
        start: &Position,
        moves: (usize, usize),
        random: &mut Random,
    ) -> Result<Running, SelfPlayFault> {
        for _ in 0..MAX_DRAWS {
            let mut game = Running::new(start);
            for _ in 0..moves.0 + random.below(moves.1) {
                let mut legal = generate::<All>(&game.pos).to_vec();
                if judge_with_declaration(&game.pos, &self.rules).is_some() || legal.is_empty() {
                    break;
                }
                // The order in which moves are generated must not matter.
                legal.sort_unstable();
                game.play(Ply::new(*random.pick(&legal), Score::DRAW));
            }
            if judge_with_declaration(&game.pos, &self.rules).is_none()
                && self.think(&game.pos, QUICK_NODES, 1)?[0].score.unsigned_abs() <= MAX_OPENING_SCORE as u16
            {
                return Ok(game);
            }
        }
        Ok(Running::new(start))
    }

    /// Plays from the even start, each move drawn from among the best.
    fn sample(&mut self, random: &mut Random) -> Result<Running, SelfPlayFault> {
        let mut game = Running::new(&Position::startpos());
        while game.plies.len() < SAMPLED_PLIES && judge_with_declaration(&game.pos, &self.rules).is_none() {
            let plies = self.think(&game.pos, self.settings.nodes, SAMPLED_MOVES)?;
            let least = i32::from(plies[0].score) - SAMPLED_LOSS;
            let good: Vec<Ply> = plies.into_iter().filter(|ply| i32::from(ply.score) >= least).collect();
            game.play(*random.pick(&good));
        }
        Ok(game)
    }

    /// The best moves, at least one, best first. The game is not over in the position.
    ///
    /// Once `nodes` nodes are spent, no further iteration begins; what counts is the last iteration that came to its
    /// end, so that all scores are those of a full depth.
    fn think(&mut self, pos: &Position, nodes: u64, moves: usize) -> Result<Vec<Ply>, SelfPlayFault> {
        let limits = Limits { multi_pv: moves, ..Limits::to_nodes(nodes.saturating_mul(HARD_FACTOR)) };
        let stop = StopToken::new();
        let mut best: Vec<Ply> = Vec::new();
        let mut is_enough = false;
        let mut on_block = |block: &[Report]| {
            if !is_enough {
                best = block.iter().map(ply).collect();
                is_enough = block.first().is_some_and(|report| report.nodes >= nodes);
            }
            if is_enough {
                stop.stop();
            }
        };
        let callbacks = Callbacks { chooser: None, on_block: &mut on_block, on_answer: &mut |_| () };
        let result =
            catch_unwind(AssertUnwindSafe(|| self.pool.search_here(pos, self.rules, &limits, &stop, callbacks)));
        let Ok(Ok(result)) = result else { return Err(broken_down(pos)) };
        if best.is_empty()
            && let Decision::Play(..) = result.decision
        {
            // Not even the first iteration was finished; or the move wins at once, and there was no search.
            best = result.report.iter().map(ply).collect();
        }
        if best.is_empty() { Err(broken_down(pos)) } else { Ok(best) }
    }
}

/// Judges whether the game is over before the side to move plays. A side that may declare a win does.
fn judge_with_declaration(pos: &Position, rules: &GameRules) -> Option<Conclusion> {
    judge(pos, rules).or_else(|| declared(pos, rules))
}

fn ply(report: &Report) -> Ply {
    let mv: Move = report.pv[0];
    Ply::new(mv, report.score)
}
