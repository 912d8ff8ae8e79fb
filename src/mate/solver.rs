//! The solver: from a query with its limits to a verified answer.

use super::context::Context;
use super::length::{ENDLESS, Length, MAX_PLIES};
use super::limit_checker::{LimitChecker, MateLimits, MateProgress, OpenReason};
use super::node_result::{NodeResult, NodeStatus};
use super::one::mate_in_one;
use super::path::{Path, PathTable};
use super::proof::{Proof, Prover, VerifyError, left_over};
use super::search::DfPnSearch;
use super::table::{LookupResult, MateTable};
use crate::host::HAS_THREADS;
use crate::position::Position;
use crate::types::opaque_debug;
use crate::types::{Color, Move, PieceType, Square};
use std::thread;
use thiserror::Error;

/// Stack for the deepest line: nearly four thousand plies.
pub(super) const STACK_BYTES: usize = 128 << 20;

/// Question about a position.
#[derive(Clone, Copy, Default)]
pub struct Query<'a> {
    /// Limits of the solver's work.
    pub limits: MateLimits<'a>,
    /// Search on after the first mate until no shorter one exists.
    pub shortest: bool,
    /// Find the line without futile interpositions (muda-ai), too.
    pub without_futile: bool,
    /// Called from the solver's thread after a tenth of a second and then about once a second.
    pub progress: Option<&'a (dyn Fn(&MateProgress) + Sync)>,
    /// Called from the solver's thread with every mate that was walked through, each shorter than the last.
    pub on_mate: Option<&'a OnMate<'a>>,
}

opaque_debug!(Query<'_>, "Query");

/// Callback with a mate and the progress of the search.
pub type OnMate<'a> = dyn Fn(&Mate, &MateProgress) + Sync + 'a;

/// A mate that was proved and walked through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mate {
    /// The mating moves against the longest resistance, to the mate.
    pub line: Vec<Move>,
    /// Plies that the mate takes at most; the line may be shorter unless this is exact.
    pub length: u32,
    /// No shorter mate exists, and the line is as long as the mate.
    pub is_exact: bool,
    /// The line without futile interpositions, if it was asked for and is another one. It may end where the defender
    /// has no answers but such.
    pub without_futile: Option<Vec<Move>>,
    /// Pieces that the attacker holds at the end of the line, the one without futile interpositions if there is one: a
    /// flaw in a composed problem.
    pub left_over: Vec<(PieceType, u8)>,
}

/// The solver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MateAnswer {
    /// A mate.
    Mate(Mate),
    /// There is none, however long.
    NoMate,
    /// Neither was proved.
    Unknown(OpenReason),
}

/// An answer and the work that it took.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MateReport {
    /// Answer that was found.
    pub answer: MateAnswer,
    /// Positions expanded.
    pub nodes: u64,
    /// The proof of a mate.
    pub proof: Option<Proof>,
}

/// The memory that was asked for cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is not so much memory for the solver")]
pub struct OutOfMemory;

/// A solver with its tables. What it has learned about one position serves the next with the same set of pieces.
pub struct Solver {
    context: Context,
    proof_bytes: usize,
    /// The set of pieces that the entries of the tables belong to.
    piece_set: Option<PieceSet>,
}

opaque_debug!(Solver);

/// Who attacks, and how many pieces of each kind there are: a board and one hand then tell the other hand.
type PieceSet = (Color, [u32; 7]);

/// The attacker and the set of pieces of a position.
fn piece_set(pos: &Position) -> PieceSet {
    let mut counts =
        PieceType::HAND.map(|kind| Color::ALL.map(|color| pos.hand(color).count(kind) as u32).iter().sum());
    for piece in Square::ALL.into_iter().filter_map(|square| pos.piece_on(square)) {
        let kind = piece.piece_type().unpromoted();
        if let Some(at) = PieceType::HAND.iter().position(|&held| held == kind) {
            counts[at] += 1;
        }
    }
    (pos.side(), counts)
}

impl Solver {
    /// A solver that uses at most this many megabytes for its tables, at least one.
    pub fn new(megabytes: usize) -> Result<Solver, OutOfMemory> {
        let bytes = megabytes.max(1).checked_mul(1 << 20).ok_or(OutOfMemory)?;
        let table = MateTable::new(bytes / 8 * 6).ok_or(OutOfMemory)?;
        let path_table = PathTable::new(bytes / 8).ok_or(OutOfMemory)?;
        let context = Context { pos: Position::startpos(), table, path_table, path: Path::new() };
        Ok(Solver { context, proof_bytes: bytes / 8, piece_set: None })
    }

    /// Looks for a mate by the side to move.
    ///
    /// ```
    /// use komainu::mate::{MateAnswer, Query, Solver};
    /// use komainu::position::Position;
    ///
    /// let mut solver = Solver::new(1)?;
    /// // With a gold only, and nothing that protects it, there is no mate.
    /// let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/9 b G 1")?;
    /// let report = solver.solve(&position, &Query::default());
    /// assert!(matches!(report.answer, MateAnswer::NoMate));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(&mut self, pos: &Position, query: &Query) -> MateReport {
        if pos.king(!pos.side()).is_none() {
            return MateReport { answer: MateAnswer::NoMate, nodes: 0, proof: None };
        }
        if !HAS_THREADS {
            return self.solve_here(pos, query);
        }
        thread::scope(|scope| {
            let builder = thread::Builder::new().name("mate".into()).stack_size(STACK_BYTES);
            let handle = builder.spawn_scoped(scope, || self.solve_here(pos, query));
            match handle.map(|handle| handle.join()) {
                Ok(Ok(found)) => found,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => MateReport { answer: MateAnswer::Unknown(OpenReason::Thread), nodes: 0, proof: None },
            }
        })
    }

    fn solve_here(&mut self, pos: &Position, query: &Query) -> MateReport {
        let mut limit_checker = LimitChecker::new(query.limits, query.progress);
        let set = piece_set(pos);
        if self.piece_set != Some(set) || self.context.table.is_broken() {
            self.piece_set = None;
            self.context.table.clear(|| limit_checker.check_now());
            if self.context.table.is_broken() {
                return MateReport {
                    answer: MateAnswer::Unknown(limit_checker.over().unwrap_or(OpenReason::Time)),
                    nodes: 0,
                    proof: None,
                };
            }
            self.piece_set = Some(set);
        }
        let (answer, proof) = self.find(pos, query, &mut limit_checker);
        MateReport { answer, nodes: limit_checker.nodes(), proof }
    }

    /// Searches, shortens, verifies.
    fn find(&mut self, pos: &Position, query: &Query, limit_checker: &mut LimitChecker) -> (MateAnswer, Option<Proof>) {
        let first = self.search(pos, MAX_PLIES, limit_checker);
        let mut len = match first.status {
            NodeStatus::Proven => first.len,
            NodeStatus::Disproven if first.len == ENDLESS => return (MateAnswer::NoMate, None),
            NodeStatus::Open => return (MateAnswer::Unknown(limit_checker.over().unwrap_or(OpenReason::Length)), None),
            _ => return (MateAnswer::Unknown(OpenReason::Length), None),
        };
        let mut proof = Proof::new(self.proof_bytes / 4 * 3);
        match self.verify(pos, &mut proof, len, limit_checker) {
            Ok(walked) => len = walked,
            Err(VerifyError::Over) => {
                return (MateAnswer::Unknown(limit_checker.over().unwrap_or(OpenReason::Time)), None);
            }
            Err(VerifyError::Full | VerifyError::NoMate) => return (MateAnswer::Unknown(OpenReason::Memory), None),
        }
        let mut is_exact = len == 1;
        while query.shortest && !is_exact && !limit_checker.is_over() {
            self.report_mate(pos, query, &proof, len, limit_checker);
            let next = self.search(pos, len - 2, limit_checker);
            match next.status {
                NodeStatus::Disproven => is_exact = true,
                NodeStatus::Proven => {
                    // What was walked through last is announced, even if the limits end this walk.
                    let Ok(walked) = self.verify(pos, &mut proof, next.len, limit_checker) else { break };
                    len = walked;
                    is_exact = len == 1;
                }
                _ => break,
            }
        }
        let exact_line = if is_exact { self.exact_line(pos, &proof, len, limit_checker) } else { None };
        let mut mate = Mate { is_exact: exact_line.is_some(), ..mate(pos, &proof, len, exact_line) };
        if query.without_futile {
            limit_checker.set_subsearch(true);
            mate.without_futile = self.line_without_futile(pos, &proof, limit_checker);
            mate.left_over = left_over(pos, mate.without_futile.as_ref().unwrap_or(&mate.line));
        }
        (MateAnswer::Mate(mate), Some(proof))
    }

    /// Reports a mate while a shorter one is looked for.
    fn report_mate(&self, pos: &Position, query: &Query, proof: &Proof, len: Length, limit_checker: &mut LimitChecker) {
        limit_checker.found_mate(len as u32);
        if let Some(on_mate) = query.on_mate {
            let progress = limit_checker.progress(self.context.table.hashfull(), Vec::new());
            on_mate(&mate(pos, proof, len, None), &progress);
        }
    }

    /// The line of a shortest mate in which the defender, too, plays its best: each of its answers is one after which
    /// no shorter mate exists.
    fn exact_line(
        &mut self,
        pos: &Position,
        proof: &Proof,
        len: Length,
        limit_checker: &mut LimitChecker,
    ) -> Option<Vec<Move>> {
        limit_checker.set_subsearch(true);
        let line = proof.line(pos, |after, answers, left| {
            let mut after = after.clone();
            answers.iter().copied().find(|&answer| {
                after.do_move(answer);
                let holds = left <= 1 || self.search(&after, left - 2, limit_checker).status == NodeStatus::Disproven;
                after.undo();
                holds
            })
        });
        limit_checker.set_subsearch(false);
        (line.len() == len as usize).then_some(line)
    }

    /// Walks through a mate of at most `len` plies.
    fn verify(
        &mut self,
        pos: &Position,
        proof: &mut Proof,
        len: Length,
        limit_checker: &mut LimitChecker,
    ) -> Result<Length, VerifyError> {
        limit_checker.set_subsearch(true);
        let walked = proof.walk(&mut pos.clone(), &mut TableProver { solver: self, limit_checker }, len);
        limit_checker.set_subsearch(false);
        walked
    }

    /// The memory for proofs.
    pub(super) fn proof_bytes(&self) -> usize {
        self.proof_bytes
    }

    fn search(&mut self, pos: &Position, len: Length, limit_checker: &mut LimitChecker) -> NodeResult {
        self.context.pos = pos.clone();
        self.context.path = Path::new();
        DfPnSearch::new(&mut self.context, limit_checker).run(len)
    }
}

/// A mate that was walked through, with this line or that of the longest resistance in the proof.
fn mate(pos: &Position, proof: &Proof, len: Length, line: Option<Vec<Move>>) -> Mate {
    let line = line.unwrap_or_else(|| proof.line(pos, |_, _, _| None));
    Mate { left_over: left_over(pos, &line), line, length: len as u32, is_exact: false, without_futile: None }
}

/// Reads the mating moves from the table; what is no longer there is searched again.
pub(super) struct TableProver<'s, 'w, 'l> {
    pub(super) solver: &'s mut Solver,
    pub(super) limit_checker: &'w mut LimitChecker<'l>,
}

impl Prover for TableProver<'_, '_, '_> {
    fn mating_move(&mut self, pos: &Position, len: Length) -> Option<(Move, Length)> {
        let found = self.solver.context.table.look_up(pos.board_key(), pos.hand(pos.side()), len, 0);
        if let LookupResult::Proven { len, mv: Some(mv), .. } = found {
            return Some((mv, len));
        }
        if let Some(mv) = mate_in_one(pos) {
            return Some((mv, 1));
        }
        let result = self.solver.search(pos, len, self.limit_checker);
        match result.status {
            NodeStatus::Proven => result.mv.map(|mv| (mv, result.len)),
            _ => None,
        }
    }

    fn is_over(&mut self) -> bool {
        self.limit_checker.count_step();
        self.limit_checker.is_over()
    }
}
