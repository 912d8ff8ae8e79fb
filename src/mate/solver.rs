//! The solver: from a query with its limits to a verified answer, and other first moves that mate too (cooks), which
//! the composer of a problem wants to know.

use super::hands;
use super::limits::{LimitChecker, MateLimits, MateProgress, OpenReason};
use super::node::{ENDLESS, Length, MAX_PLIES, NodeResult, NodeStatus};
use super::path::{Path, PathTable};
use super::proof::{Proof, Prover, VerifyError, left_over};
use super::search::{Context, DfPnSearch};
use super::short::{mate_in_one, shortest_mate};
use super::table::{LookupResult, MateTable};
use crate::host::{HAS_THREADS, Instant};
use crate::movegen::{Checks, Evasions, generate};
use crate::position::Position;
use crate::types::opaque_debug;
use crate::types::{Color, Hand, Move, PieceType};
use std::cell::Cell;
use std::io;
use std::thread::{self, Scope, ScopedJoinHandle};
use thiserror::Error;

/// Stack for the deepest line: nearly four thousand plies.
pub(crate) const STACK_BYTES: usize = 128 << 20;

thread_local! {
    /// This thread has a stack for the deepest line.
    static IS_DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Spawns a thread on which solvers need no thread of their own.
pub fn spawn_deep<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    let builder = thread::Builder::new().name(name.to_string()).stack_size(STACK_BYTES);
    builder.spawn_scoped(scope, || {
        IS_DEEP.set(true);
        work()
    })
}

/// Plies of the mates that are first looked for move by move: tables would take longer.
const SHORT: usize = 3;

/// The most moves that are made for that.
const SHORT_MOVES: u32 = 1_000;

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

impl MateReport {
    /// The mate, if one was found.
    pub fn mate(&self) -> Option<&Mate> {
        match &self.answer {
            MateAnswer::Mate(mate) => Some(mate),
            _ => None,
        }
    }
}

/// The memory that was asked for cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is not so much memory for the solver")]
pub struct OutOfMemory;

/// A solver with its tables, to be kept: what it has learned about one position serves the next with the same set of
/// pieces, and a position with other pieces costs no new tables.
///
/// ```
/// use komainu::mate::{MateAnswer, Query, Solver};
/// use komainu::position::Position;
///
/// let mut solver = Solver::new(16)?;
/// for (sfen, length) in [("4k4/9/4P4/9/9/9/9/9/9 b G 1", 1), ("5p3/5k3/6R2/3n2R2/9/9/9/9/9 b G2S2NP2b3g2sn4l16p 1", 3)] {
///     let report = solver.solve(&Position::from_sfen(sfen)?, &Query { shortest: true, ..Query::default() });
///     assert_eq!(report.mate().map(|mate| mate.length), Some(length));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver {
    context: Context,
    /// The memory for proofs.
    pub(crate) proof_bytes: usize,
    /// The set of pieces that the entries of the tables belong to.
    piece_set: Option<PieceSet>,
}

opaque_debug!(Solver);

/// Who attacks, and all pieces but the kings as if they were in one hand: a board and one hand then tell the other
/// hand.
type PieceSet = (Color, Hand);

/// The attacker and the set of pieces of a position.
fn piece_set(pos: &Position) -> PieceSet {
    let mut pieces = hands::all_held(pos);
    for square in pos.occupied() {
        let Some(piece) = pos.piece_on(square) else { continue };
        if piece.piece_type() != PieceType::King {
            pieces.add(piece.piece_type().unpromoted());
        }
    }
    (pos.side(), pieces)
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

    /// Looks for a mate by the side to move. What takes few nodes is answered on the caller's stack, of which 128 kB must
    /// be free; all else is searched anew on a thread with a deep stack, unless [`spawn_deep`] has made this one. The
    /// answers are the same.
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
        if !HAS_THREADS || IS_DEEP.get() {
            let mut limit_checker = LimitChecker::new(query.limits, query.progress);
            if let Some(report) = self.solve_short(pos, query, &limit_checker) {
                return report;
            }
            self.context.reserve();
            return self.solve_here(pos, query, &mut limit_checker);
        }
        let left = match self.solve_shallow(pos, query) {
            Ok(report) => return report,
            Err(left) => left,
        };
        // By this thread: an allocator keeps what is given back with the thread that had asked for it.
        self.context.reserve();
        thread::scope(|scope| {
            let work = || self.solve_here(pos, query, &mut LimitChecker::new(left, query.progress));
            let handle = spawn_deep(scope, "mate", work);
            match handle.map(|handle| handle.join()) {
                Ok(Ok(found)) => found,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(_) => MateReport { answer: MateAnswer::Unknown(OpenReason::Thread), nodes: 0, proof: None },
            }
        })
    }

    /// The report on a question that takes few nodes and 128 kB of the stack at most; for any other the limits that are
    /// left for [`Solver::solve`], and the tables as they were.
    pub fn solve_shallow<'a>(&mut self, pos: &Position, query: &Query<'a>) -> Result<MateReport, MateLimits<'a>> {
        let started = Instant::now();
        let mut limit_checker = LimitChecker::new(query.limits, query.progress).shallow();
        if let Some(report) = self.solve_short(pos, query, &limit_checker) {
            return Ok(report);
        }
        // Mates are announced only once.
        if query.on_mate.is_none() {
            self.context.begin_trial();
            let report = self.solve_here(pos, query, &mut limit_checker);
            let is_answered = limit_checker.over() != Some(OpenReason::Thread);
            self.context.end_trial(is_answered);
            if is_answered {
                return Ok(report);
            }
        }
        Err(rest(&query.limits, started, 0))
    }

    /// The report on a mate within `SHORT` plies, which needs no tables; `None` if none was found.
    fn solve_short(&self, pos: &Position, query: &Query, limit_checker: &LimitChecker) -> Option<MateReport> {
        if pos.king(!pos.side()).is_none() {
            return Some(MateReport { answer: MateAnswer::NoMate, nodes: 0, proof: None });
        }
        let plies = if query.without_futile { 1 } else { SHORT };
        let moves = query.limits.nodes.map_or(SHORT_MOVES, |nodes| nodes.min(SHORT_MOVES.into()) as u32);
        let line = shortest_mate(&mut pos.clone(), plies, moves)?;
        let length = line.len() as Length;
        if let Some(reason) = limit_checker.over() {
            return Some(MateReport { answer: MateAnswer::Unknown(reason), nodes: 0, proof: None });
        }
        let mut proof = Proof::new(self.proof_bytes / 4 * 3);
        if proof.walk(&mut pos.clone(), &mut ShortProver { line }, length).is_err() {
            return Some(MateReport { answer: MateAnswer::Unknown(OpenReason::Memory), nodes: 0, proof: None });
        }
        let mate = Mate { is_exact: true, ..mate(pos, &proof, length, None) };
        Some(MateReport { answer: MateAnswer::Mate(mate), nodes: 0, proof: Some(proof) })
    }

    fn solve_here(&mut self, pos: &Position, query: &Query, limit_checker: &mut LimitChecker) -> MateReport {
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
        let (answer, proof) = self.find(pos, query, limit_checker);
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
        // The walk through the mate, and each search for a part of it, goes as deep as the mate is long.
        limit_checker.check_depth(len.into());
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
        if line.len() == len as usize { Some(line) } else { None }
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

/// Finds the mating moves of a short mate move by move, but for the first one, which is known.
struct ShortProver {
    line: Vec<Move>,
}

impl Prover for ShortProver {
    fn mating_move(&mut self, pos: &Position, len: Length) -> Option<(Move, Length)> {
        if usize::from(len) == self.line.len() {
            return Some((self.line[0], len));
        }
        let line = shortest_mate(&mut pos.clone(), len.into(), u32::MAX)?;
        Some((line[0], line.len() as Length))
    }

    fn is_over(&mut self) -> bool {
        false
    }
}

/// Reads the mating moves from the table; what is no longer there is searched again.
pub(crate) struct TableProver<'s, 'w, 'l> {
    pub(crate) solver: &'s mut Solver,
    pub(crate) limit_checker: &'w mut LimitChecker<'l>,
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

/// Outcome of a first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMove {
    /// A mate, and its length in plies, the first move included; the shortest if the query asked for it.
    Mate(u32),
    /// The defender gets away.
    NoMate,
    /// Not found out.
    Unknown(OpenReason),
}

impl Solver {
    /// Every check of a position with what it leads to. The limits are for all of them together.
    ///
    /// ```
    /// use komainu::mate::{FirstMove, Query, Solver};
    /// use komainu::position::Position;
    ///
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
    /// let moves = Solver::new(1)?.first_moves(&position, &Query::default());
    /// let mates: Vec<String> =
    ///     moves.iter().filter(|(_, found)| matches!(found, FirstMove::Mate(1))).map(|(mv, _)| mv.to_string()).collect();
    /// assert_eq!((mates, moves.len()), (vec!["G*5b".to_string()], 7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_moves(&mut self, pos: &Position, query: &Query) -> Vec<(Move, FirstMove)> {
        let started = Instant::now();
        let mut nodes = 0;
        let mut pos = pos.clone();
        let mut found = Vec::new();
        for &mv in generate::<Checks>(&pos).iter() {
            pos.do_move(mv);
            let left = Query { limits: rest(&query.limits, started, nodes), ..*query };
            let (status, used) = self.after_first_move(&mut pos, &left);
            pos.undo();
            nodes += used;
            found.push((mv, status));
        }
        found
    }

    /// Outcome of a check over all answers of the defender, and the nodes that it took.
    fn after_first_move(&mut self, pos: &mut Position, query: &Query) -> (FirstMove, u64) {
        let started = Instant::now();
        let mut longest = 1;
        let mut nodes = 0;
        for &answer in generate::<Evasions>(pos).iter() {
            pos.do_move(answer);
            let report = self.solve(pos, &Query { limits: rest(&query.limits, started, nodes), ..*query });
            pos.undo();
            nodes += report.nodes;
            match report.answer {
                MateAnswer::Mate(mate) => longest = longest.max(mate.length + 2),
                MateAnswer::NoMate => return (FirstMove::NoMate, nodes),
                MateAnswer::Unknown(reason) => return (FirstMove::Unknown(reason), nodes),
            }
        }
        (FirstMove::Mate(longest), nodes)
    }
}

/// Limits less the time and nodes that are used up.
fn rest<'a>(limits: &MateLimits<'a>, started: Instant, nodes: u64) -> MateLimits<'a> {
    MateLimits {
        time: limits.time.map(|time| time.saturating_sub(started.elapsed())),
        nodes: limits.nodes.map(|limit| limit.saturating_sub(nodes)),
        stop: limits.stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::StopToken;

    const MATE_IN_ONE: &str = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
    const MATE_IN_THREE: &str = "8k/9/8P/9/9/9/9/9/9 b 2G 1";
    const NO_MATE: &str = "4k4/9/9/9/9/9/9/9/9 b G 1";

    #[test]
    fn a_kept_solver_answers_as_a_new_one_whatever_it_was_asked_before() {
        let query = Query { shortest: true, without_futile: true, ..Query::default() };
        let mut kept = Solver::new(1).unwrap();
        for sfen in [MATE_IN_ONE, MATE_IN_THREE, NO_MATE, MATE_IN_ONE, NO_MATE, MATE_IN_THREE] {
            let pos = Position::from_sfen(sfen).unwrap();
            let report = kept.solve(&pos, &query);
            assert_eq!(report.answer, Solver::new(1).unwrap().solve(&pos, &query).answer, "{sfen}");
            assert_eq!(report.mate().is_none(), sfen == NO_MATE);
        }
    }

    #[test]
    fn a_mate_in_one_has_its_proof_and_obeys_the_limits() {
        let pos = Position::from_sfen(MATE_IN_ONE).unwrap();
        let mut solver = Solver::new(1).unwrap();
        let report = solver.solve(&pos, &Query::default());
        let mate = report.mate().expect("a mate");
        assert_eq!((mate.line[0].to_string(), mate.length, mate.is_exact), ("G*5b".to_string(), 1, true));
        assert!(mate.left_over.is_empty() && mate.without_futile.is_none());
        assert_eq!(report.proof.map(|proof| proof.positions()), Some(1));
        let stop = StopToken::new();
        stop.stop();
        let limits = MateLimits { stop: Some(&stop), ..MateLimits::default() };
        let report = solver.solve(&pos, &Query { limits, ..Query::default() });
        assert_eq!(report.answer, MateAnswer::Unknown(OpenReason::Stopped));
    }
}
