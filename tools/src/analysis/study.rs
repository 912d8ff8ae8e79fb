//! A game through the search: from its last position to the first, in blocks that do not depend on one another.
//!
//! From the back, because what the search has learnt about the later positions stays in its table and helps with the
//! earlier ones; neighbours then agree better. Every sixteen positions it forgets everything. So blocks can be searched
//! side by side, and work that was broken off goes on with the same results.
//!
//! A move is judged by one search of the position before it, or if it is not among the best lines, by a second search
//! of that move alone to the same depth: never by two positions seen with two horizons. A short search takes many a
//! small loss for a large one. So wherever a label is not far, the position is searched again with four times the
//! nodes, and the position after the move as well if the label stands. That search then is the one of the position
//! after the move: its score, its lines and the reply that was played are all from it.

use super::chance::WinCurve;
use super::label::{Choice, LabelScheme, Verdict, judge};
use super::result::{PositionResult, ProvenMate, Step};
use crate::analyst::{Analyst, AnalystError, Request, SearchLimit, SearchedLine};
use komainu::book::{Book, Lookup};
use komainu::mate::{MateAnswer, MateLimits, Query, Solver};
use komainu::movegen::{All, Checks, count, generate};
use komainu::notation::score::ReportedScore;
use komainu::notation::usi::legal_part;
use komainu::position::{Declaration, GameRules, Position};
use komainu::types::opaque_debug;
use komainu::types::{Color, Move};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Positions that are searched without forgetting.
pub const BLOCK: usize = 16;

/// Settings of a study.
#[derive(Clone, Copy, Debug)]
pub struct StudySettings {
    /// Limit of the search of a position.
    pub limit: SearchLimit,
    /// Lines of each position, 1 or more.
    pub lines: usize,
    /// The rules of the game.
    pub rules: GameRules,
    /// From scores to winning chances.
    pub curve: WinCurve,
    /// Labels of moves.
    pub scheme: LabelScheme,
    /// Positions that the mate solver may expand; 0 to leave it out.
    pub mate_nodes: u64,
    /// The first and the last move that are studied, from 1.
    pub moves: (usize, usize),
    /// The side whose moves are studied; `None` for both.
    pub side: Option<Color>,
    /// This is a quick pass: one look at each position, and all that is said is provisional.
    pub is_quick: bool,
}

/// Settings of `komainu analyse` without options.
impl Default for StudySettings {
    fn default() -> StudySettings {
        StudySettings {
            limit: SearchLimit::Nodes(1_000_000),
            lines: 3,
            rules: GameRules::default(),
            curve: WinCurve::default(),
            scheme: LabelScheme::KOMAINU,
            mate_nodes: 90_000,
            moves: (1, usize::MAX),
            side: None,
            is_quick: false,
        }
    }
}

/// Nodes of a position in a quick pass: a hundred positions take about five seconds in a browser.
const QUICK_NODES: u64 = 8_000;
const QUICK_MILLIS: u64 = 20;
const QUICK_DEPTH: u32 = 5;
/// Lines of a position in a quick pass.
const QUICK_LINES: usize = 2;
const QUICK_MATE_NODES: u64 = 1_000;
/// A quick pass is worth its time before a search of so many times its limit.
const WORTH_A_QUICK_PASS: u64 = 10;

impl StudySettings {
    /// The quick pass over a game with these settings: a whole graph at once, with provisional labels.
    pub fn quick(&self) -> StudySettings {
        StudySettings {
            limit: match self.limit {
                SearchLimit::Nodes(nodes) => SearchLimit::Nodes(nodes.min(QUICK_NODES)),
                SearchLimit::Millis(millis) => SearchLimit::Millis(millis.min(QUICK_MILLIS)),
                SearchLimit::Depth(depth) => SearchLimit::Depth(depth.min(QUICK_DEPTH)),
            },
            lines: self.lines.min(QUICK_LINES),
            mate_nodes: self.mate_nodes.min(QUICK_MATE_NODES),
            is_quick: true,
            ..*self
        }
    }

    /// Tells whether a quick pass before the search is worth its time.
    pub fn wants_quick_pass(&self) -> bool {
        match self.limit {
            SearchLimit::Nodes(nodes) => nodes >= WORTH_A_QUICK_PASS * QUICK_NODES,
            SearchLimit::Millis(millis) => millis >= WORTH_A_QUICK_PASS * QUICK_MILLIS,
            SearchLimit::Depth(depth) => depth >= 2 * QUICK_DEPTH,
        }
    }
}

/// A game as the study sees it.
#[derive(Clone, Debug)]
pub struct StudyGame {
    /// Where it began.
    pub start: Position,
    /// Moves, all legal.
    pub moves: Vec<Move>,
}

impl StudyGame {
    /// The positions that are searched, by the number of moves made before, in blocks from the back.
    pub fn blocks(&self, settings: &StudySettings) -> Vec<Vec<usize>> {
        let last = self.moves.len();
        let (from, to) = settings.moves;
        let first = self.start.side();
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for ply in (from.saturating_sub(1)..=to.min(last)).rev() {
            let side = if ply.is_multiple_of(2) { first } else { !first };
            if settings.side.is_some_and(|wanted| wanted != side) {
                continue;
            }
            match blocks.last_mut().filter(|block| block[0] / BLOCK == ply / BLOCK) {
                Some(block) => block.push(ply),
                None => blocks.push(vec![ply]),
            }
        }
        blocks
    }

    /// Position after `ply` moves, with the game behind it.
    pub fn position(&self, ply: usize) -> Position {
        let mut pos = self.start.clone();
        for &mv in &self.moves[..ply] {
            pos.do_move(mv);
        }
        pos
    }
}

/// Tells whether a move stands in a book.
pub fn is_in_book(book: &Book, pos: &Position, mv: Move) -> bool {
    let moves = book.find(pos, Lookup::default()).ok().flatten().unwrap_or_default();
    moves.iter().any(|candidate| candidate.mv == mv)
}

/// Analysis of one game: the search, the mate solver, the book.
pub struct Study<'a> {
    analyst: &'a mut dyn Analyst,
    settings: StudySettings,
    book: Option<&'a Book>,
    stop: &'a AtomicBool,
    solver: Option<Solver>,
    /// Mates that were looked for in this block, by ply, each with the nodes that were spent on it.
    mates: HashMap<usize, (u64, Option<ProvenMate>)>,
}

opaque_debug!(Study<'_>, "Study");

/// Megabytes of the mate solver.
const SOLVER_MEGABYTES: usize = 16;
/// Part of the solver's nodes for a position in which nothing speaks for a mate: one in so many.
const SHORT_LOOK: u64 = 10;
/// A side with this chance may have a mate.
const MATE_CHANCE: f64 = 0.97;
/// Part of the smallest loss with a label from which on a position is looked at a second time.
const SECOND_LOOK: f64 = 0.6;

impl<'a> Study<'a> {
    /// A study that ends early once the flag is set.
    pub fn new(
        analyst: &'a mut dyn Analyst,
        settings: StudySettings,
        book: Option<&'a Book>,
        stop: &'a AtomicBool,
    ) -> Study<'a> {
        Study { analyst, settings, book, stop, solver: None, mates: HashMap::new() }
    }

    /// Searches the positions of a block and hands each on; false if it was told to stop.
    pub fn run(
        &mut self,
        game: &StudyGame,
        block: &[usize],
        on_step: &mut dyn FnMut(Step) -> Result<(), AnalystError>,
    ) -> Result<bool, AnalystError> {
        self.analyst.forget()?;
        self.solver = None;
        self.mates.clear();
        for &ply in block {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let step = self.step(game, ply)?;
            on_step(step)?;
        }
        Ok(true)
    }

    fn step(&mut self, game: &StudyGame, ply: usize) -> Result<Step, AnalystError> {
        let pos = game.position(ply);
        let mv = game.moves.get(ply).copied();
        let limit = self.settings.limit;
        let mut step = Step { ply, result: self.look(&pos, mv, limit)?, after: None, kept: None };
        let Some(mv) = mv else { return Ok(step) };
        let after = pos.after(mv);
        let mut verdict = self.verdict(&step, &pos, mv);
        let is_near_label = step.result.legal > 1 && verdict.loss >= SECOND_LOOK * self.settings.scheme.least();
        if is_near_label && !self.settings.is_quick {
            let deeper = limit.deeper();
            step.result = PositionResult { deep: true, ..self.look(&pos, Some(mv), deeper)? };
            verdict = self.verdict(&step, &pos, mv);
            if verdict.label.is_some() {
                // With the reply that was played, so that this search can stand for the one of the next step.
                let reply = game.moves.get(ply + 1).copied();
                step.after = Some(PositionResult { deep: true, ..self.look(&after, reply, deeper)? });
            }
        }
        self.look_for_mates(&mut step, &pos, &after, mv, verdict.label.is_some());
        Ok(step)
    }

    /// The best lines of a position and the line of the move that was played.
    fn look(&mut self, pos: &Position, mv: Option<Move>, limit: SearchLimit) -> Result<PositionResult, AnalystError> {
        let legal = count(pos);
        if legal == 0 {
            return Ok(PositionResult { quick: self.settings.is_quick, ..PositionResult::default() });
        }
        let declares = pos.declaration(self.settings.rules.entering_king) == Some(Declaration::Win);
        let searched =
            self.analyst.search(pos, &Request { limit, lines: self.settings.lines, only: None, depth: None })?;
        let lines: Vec<SearchedLine> = searched.lines.into_iter().filter_map(|line| checked(pos, line)).collect();
        let is_among = mv.is_none_or(|mv| lines.iter().any(|line| line.first() == mv));
        let mut played = None;
        if !is_among {
            let depth = lines.first().map(|line| line.depth);
            let found = self.analyst.search(pos, &Request { limit, lines: 1, only: mv, depth })?;
            played =
                found.lines.into_iter().filter_map(|line| checked(pos, line)).find(|line| Some(line.first()) == mv);
        }
        let quick = self.settings.is_quick;
        let early = searched.early;
        Ok(PositionResult { lines, played, legal, declares, early, quick, ..PositionResult::default() })
    }

    /// Asks the solver wherever there is a check: with all its nodes where a side is winning, and on both sides of a
    /// move with a label, with a part of them elsewhere.
    fn look_for_mates(&mut self, step: &mut Step, pos: &Position, after: &Position, mv: Move, is_labelled: bool) {
        let nodes = self.settings.mate_nodes;
        if nodes == 0 {
            return;
        }
        let short = nodes.div_ceil(SHORT_LOOK);
        let chance = |score: Option<ReportedScore>| score.map_or(0.5, |score| self.settings.curve.chance(score));
        let is_winning = chance(step.result.best()) > MATE_CHANCE;
        let loses = step.played_score(mv).is_some_and(|score| chance(Some(score)) < 1.0 - MATE_CHANCE);
        let ply = step.ply;
        step.result.mate = self.mate(ply, pos, if is_winning || is_labelled { nodes } else { short });
        let is_found = step.result.mate.as_ref().is_none_or(|mate| mate.line.first() == Some(&mv));
        if !is_found {
            step.kept = self.kept(after, short);
        }
        let mate = if loses || is_labelled { self.mate(ply + 1, after, nodes) } else { None };
        if mate.is_some() {
            step.after.get_or_insert_with(PositionResult::default).mate = mate;
        }
    }

    /// Plies from before a check to the mate, if every answer to the check is mated.
    fn kept(&mut self, after: &Position, nodes: u64) -> Option<u32> {
        if !after.in_check() {
            return None;
        }
        let answers = generate::<All>(after);
        if answers.is_empty() {
            return Some(1);
        }
        let mut longest = 0;
        for answer in &answers {
            let pos = after.after(answer);
            longest = longest.max(self.solve(&pos, nodes)?.plies);
        }
        Some(longest + 2)
    }

    /// A mate by the side to move that the solver proves within its limit.
    fn mate(&mut self, ply: usize, pos: &Position, nodes: u64) -> Option<ProvenMate> {
        if let Some((asked, known)) = self.mates.get(&ply)
            && (known.is_some() || *asked >= nodes)
        {
            return known.clone();
        }
        let found = self.solve(pos, nodes);
        self.mates.insert(ply, (nodes, found.clone()));
        found
    }

    /// The shortest mate that the solver proves with so many nodes.
    fn solve(&mut self, pos: &Position, nodes: u64) -> Option<ProvenMate> {
        if generate::<Checks>(pos).is_empty() {
            return None;
        }
        if self.solver.is_none() {
            self.solver = Solver::new(SOLVER_MEGABYTES).ok();
        }
        let limits = MateLimits { time: None, nodes: Some(nodes), stop: None };
        let query = Query { limits, shortest: true, ..Query::default() };
        match self.solver.as_mut()?.solve(&pos.without_history(), &query).answer {
            MateAnswer::Mate(mate) => {
                Some(ProvenMate { plies: mate.length, line: legal_part(pos, mate.line.iter().copied()) })
            }
            _ => None,
        }
    }

    fn verdict(&self, step: &Step, pos: &Position, mv: Move) -> Verdict {
        let in_book = self.book.is_some_and(|book| is_in_book(book, pos, mv));
        verdict(step, mv, step.played_score(mv), in_book, self.settings.curve, self.settings.scheme)
    }
}

/// Verdict on the move that was played in a position, by its score.
pub(super) fn verdict(
    step: &Step,
    mv: Move,
    played: Option<ReportedScore>,
    in_book: bool,
    curve: WinCurve,
    scheme: LabelScheme,
) -> Verdict {
    let (Some(best), Some(played)) = (step.result.best(), played) else { return Verdict::default() };
    let choice =
        Choice { best, played, is_forced: step.result.legal == 1, in_book, could_declare: step.result.declares };
    // The best move costs nothing, whatever a second search of it says.
    let is_best = step.result.best_line().and_then(|line| line.first()) == Some(&mv) && !choice.could_declare;
    if is_best { Verdict::default() } else { judge(&choice, curve, scheme) }
}

/// A line of the search, cut where it is not legal; nothing if no move is left.
fn checked(pos: &Position, line: SearchedLine) -> Option<SearchedLine> {
    let pv = legal_part(pos, line.pv.iter().copied());
    (!pv.is_empty()).then_some(SearchedLine { pv, ..line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{AssessedMove, Assessment, Searched};
    use komainu::notation::record::{GameRecord, RecordMove};

    /// A search that was asked for: the moves before it or the only move, its nodes, its depth.
    type Asked = (String, u64, Option<u32>);

    /// Analyst that answers from a script: the loss of 2g2f against 7g7f by the limit of the search.
    struct Scripted {
        losses: fn(u64) -> i32,
        asked: Vec<Asked>,
    }

    impl Analyst for Scripted {
        fn forget(&mut self) -> Result<(), AnalystError> {
            Ok(())
        }

        fn search(&mut self, pos: &Position, request: &Request) -> Result<Searched, AnalystError> {
            let SearchLimit::Nodes(nodes) = request.limit else { panic!("a limit of nodes") };
            let name = request.only.map_or(format!("{}", pos.moves_made()), |mv| mv.to_string());
            self.asked.push((name, nodes, request.depth));
            let (mv, cp) = match (pos.moves_made(), request.only) {
                (0, None) => ("7g7f", 0),
                (0, Some(_)) => ("2g2f", -(self.losses)(nodes)),
                // Short searches of the reply see less.
                (1, None) => ("3c3d", if nodes > 100 { 700 } else { 200 }),
                (1, Some(_)) => ("8c8d", if nodes > 100 { 690 } else { 190 }),
                _ => ("2f2e", 0),
            };
            let line = SearchedLine {
                score: ReportedScore::Centipawns(cp),
                depth: 11,
                nodes,
                pv: vec![mv.parse().expect("a move")],
            };
            Ok(Searched { lines: vec![line], early: Vec::new() })
        }
    }

    /// Searches that a study of a game asks for, with 100 nodes each and without the mate solver, and its steps.
    fn studied(losses: fn(u64) -> i32, moves: &str) -> (Vec<Asked>, Vec<Step>) {
        let mut analyst = Scripted { losses, asked: Vec::new() };
        let moves: Vec<Move> = moves.split(' ').map(|mv| mv.parse().unwrap()).collect();
        let block: Vec<usize> = (0..moves.len()).rev().collect();
        let game = StudyGame { start: Position::startpos(), moves };
        let stop = AtomicBool::new(false);
        let mut steps = Vec::new();
        let mut keep = |step| {
            steps.push(step);
            Ok(())
        };
        let is_whole = Study::new(&mut analyst, scripted(), None, &stop).run(&game, &block, &mut keep).unwrap();
        assert!(is_whole);
        (analyst.asked, steps)
    }

    fn scripted() -> StudySettings {
        StudySettings { limit: SearchLimit::Nodes(100), mate_nodes: 0, ..StudySettings::default() }
    }

    /// Searches for the one move 2g2f.
    fn asked(losses: fn(u64) -> i32) -> Vec<Asked> {
        studied(losses, "2g2f").0
    }

    #[test]
    fn a_move_is_searched_as_deep_as_the_best_and_again_where_a_label_is_near() {
        let once = [("0".to_string(), 100, None), ("2g2f".to_string(), 100, Some(11))];
        let twice = [("0".to_string(), 400, None), ("2g2f".to_string(), 400, Some(11))];
        let behind = [("1".to_string(), 400, None)];
        assert_eq!(asked(|_| 10), once, "far from a label");
        assert_eq!(
            asked(|nodes| if nodes == 100 { 300 } else { 10 }),
            [once.clone(), twice.clone()].concat(),
            "no label stands"
        );
        assert_eq!(asked(|_| 300), [&once[..], &twice, &behind].concat(), "a label stands");
    }

    /// The second move as an assessment shows it, and the score of the position before it, from the side that made it.
    fn reply(losses: fn(u64) -> i32, moves: &str) -> (AssessedMove, Option<ReportedScore>) {
        let mut record = GameRecord::new(Position::startpos());
        record.moves.extend(moves.split(' ').map(|mv| RecordMove::new(mv.parse().unwrap())));
        let mut assessment = Assessment::of(&record, studied(losses, moves).1, &scripted(), None);
        (assessment.moves.remove(1), assessment.scores[1].map(ReportedScore::turned))
    }

    #[test]
    fn the_score_after_a_labelled_move_and_the_lines_of_the_reply_are_of_one_search() {
        let cp = |cp| Some(ReportedScore::Centipawns(cp));
        let (made, headline) = reply(|_| 700, "2g2f 8c8d");
        let before = made.before.as_ref().unwrap();
        assert_eq!((headline, before.best(), made.best, made.played), (cp(700), cp(700), cp(700), cp(690)));
        assert_eq!((before.deep, made.place, made.verdict.label), (true, None, None));
    }

    #[test]
    fn the_best_reply_to_a_labelled_move_is_in_the_lines_of_its_score() {
        let (made, headline) = reply(|_| 700, "2g2f 3c3d");
        let before = made.before.as_ref().unwrap();
        assert_eq!((headline, before.best(), made.place), (before.best(), made.played, Some(0)));
        assert!(before.deep && before.played.is_none());
    }

    #[test]
    fn the_reply_to_a_move_without_a_label_is_shown_as_it_was_searched() {
        let (made, headline) = reply(|_| 10, "2g2f 8c8d");
        let before = made.before.as_ref().unwrap();
        assert_eq!((headline, before.best()), (before.best(), Some(ReportedScore::Centipawns(200))));
        assert_eq!((before.deep, made.played), (false, Some(ReportedScore::Centipawns(190))));
    }
}
