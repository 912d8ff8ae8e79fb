//! One `go`, from the command to its answer.

use super::command::GoPrompt;
use super::fault::{ProtocolFault, Rule};
use super::info::{Info, InfoScore};
use komainu::movegen::{count, is_legal};
use komainu::notation::usi::{MoveError, parse_move};
use komainu::position::Position;
use komainu::types::Move;

/// A search that is not answered: the command and the lines so far decide what may still be said.
#[derive(Debug)]
pub(super) struct PendingSearch {
    position: Position,
    pub(super) is_mate_search: bool,
    /// Why it may not be answered yet.
    hold: Hold,
    /// Set once it was told to end, so that an answer is owed even if `quit` follows.
    pub(super) is_stopped: bool,
    depth_limit: Option<u64>,
    /// The legal moves of `searchmoves`.
    search_moves: Vec<Move>,
    time: u64,
    nodes: u64,
    /// The line of several best moves that came last.
    multi_pv: Option<MultiPv>,
    /// The number of lines was changed, and no new block has begun.
    changes_multi_pv: bool,
    /// The first move of the last line on the best move.
    best: Option<Move>,
    /// Set if the last line of the search has a score and moves.
    has_score_line: bool,
    /// Commands that came meanwhile and to which `info string` may still be the reply.
    pub(super) open_info_strings: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// It may be answered at any time.
    None,
    /// Until `stop`.
    Infinite,
    /// Until `ponderhit` or `stop`.
    Ponder,
}

#[derive(Clone, Copy, Debug)]
struct MultiPv {
    depth: Option<u64>,
    /// Depth of the first line of the block.
    top: Option<u64>,
    place: u64,
    score: Option<InfoScore>,
}

impl PendingSearch {
    /// A search of a position.
    pub(super) fn new(go: &GoPrompt, position: &Position) -> PendingSearch {
        let hold = match () {
            _ if go.is_endless => Hold::Infinite,
            _ if go.ponders => Hold::Ponder,
            _ => Hold::None,
        };
        PendingSearch {
            hold,
            // A depth of 0 is taken for 1.
            depth_limit: go.depth.map(|depth| depth.max(1)),
            search_moves: go.search_moves.iter().copied().filter(|&mv| is_legal(position, mv)).collect(),
            is_mate_search: false,
            ..PendingSearch::mate(position)
        }
    }

    /// A search for a mate.
    pub(super) fn mate(position: &Position) -> PendingSearch {
        PendingSearch {
            position: position.clone(),
            is_mate_search: true,
            hold: Hold::None,
            is_stopped: false,
            depth_limit: None,
            search_moves: Vec::new(),
            time: 0,
            nodes: 0,
            multi_pv: None,
            changes_multi_pv: false,
            best: None,
            has_score_line: false,
            open_info_strings: 0,
        }
    }

    /// `stop`, `gameover`, `quit` or another `go`: it may be answered now.
    pub(super) fn release(&mut self) {
        self.hold = Hold::None;
    }

    /// `ponderhit`
    pub(super) fn ponder_hit(&mut self) {
        if self.hold == Hold::Ponder {
            self.hold = Hold::None;
        }
    }

    /// The number of lines is changed while it runs.
    pub(super) fn change_multi_pv(&mut self) {
        self.changes_multi_pv = true;
    }

    /// Tests whether it may not be answered yet.
    pub(super) fn is_held(&self) -> bool {
        self.hold != Hold::None
    }

    /// A line that says something of the search.
    pub(super) fn observe_info(&mut self, info: &Info, faults: &mut Vec<ProtocolFault>) {
        self.has_score_line = info.score.is_some() && !info.pv.is_empty();
        self.check_numbers(info, faults);
        if let Some(mv) = info.current.filter(|&mv| !is_legal(&self.position, mv)) {
            faults.push(ProtocolFault::new("info currmove", &mv.to_string(), Rule::Legal));
        }
        self.check_line(&info.pv, "info pv", faults);
        if let (Some(&first), Some(_)) = (info.pv.first(), info.score) {
            if !self.may_play(first) {
                faults.push(ProtocolFault::new("info pv", &first.to_string(), Rule::SearchMoves));
            }
            if info.multi_pv.unwrap_or(1) == 1 {
                self.best = Some(first);
            }
        }
        if info.multi_pv.is_some() || info.score.is_some() {
            self.check_multi_pv(info, faults);
        }
    }

    /// An `info string`. It may stand before `bestmove` only in reply to a command.
    pub(super) fn observe_info_string(&mut self) {
        self.has_score_line &= self.open_info_strings > 0;
        self.open_info_strings = self.open_info_strings.saturating_sub(1);
    }

    fn check_numbers(&mut self, info: &Info, faults: &mut Vec<ProtocolFault>) {
        if let (Some(depth), Some(limit)) = (info.depth, self.depth_limit)
            && depth > limit
        {
            faults.push(ProtocolFault::new("info depth", &depth.to_string(), Rule::Depth));
        }
        let numbers = [("info time", info.time, &mut self.time), ("info nodes", info.nodes, &mut self.nodes)];
        for (place, now, before) in numbers {
            match now {
                Some(now) if now < *before => faults.push(ProtocolFault::new(place, &now.to_string(), Rule::Falls)),
                Some(now) => *before = now,
                None => {}
            }
        }
    }

    fn check_multi_pv(&mut self, info: &Info, faults: &mut Vec<ProtocolFault>) {
        let place = info.multi_pv.unwrap_or(1);
        let before = self.multi_pv;
        let top = if place == 1 { info.depth } else { before.and_then(|before| before.top) };
        let line = MultiPv { depth: info.depth, top, place, score: info.score };
        self.multi_pv = Some(line);
        if line.place == 1 {
            self.changes_multi_pv = false;
            return;
        }
        // The block in which the number of lines changes may be in any order.
        if self.changes_multi_pv {
            return;
        }
        let place = line.place.to_string();
        // A line that was not searched yet in this iteration may stand with the depth of the one before.
        let is_block = |before: &MultiPv| {
            before.depth == line.depth
                || before.depth == top && top.zip(line.depth).is_some_and(|(top, depth)| depth + 1 == top)
        };
        match before {
            Some(before) if before.place + 1 == line.place && is_block(&before) => {
                if before.depth == line.depth
                    && let (Some(InfoScore::Exact(before)), Some(InfoScore::Exact(score))) = (before.score, line.score)
                    && score > before
                {
                    faults.push(ProtocolFault::new("info multipv score", &place, Rule::ScoreRises));
                }
            }
            _ => faults.push(ProtocolFault::new("info multipv", &place, Rule::MultiPvOrder)),
        }
        if line.place > u64::from(count(&self.position)) {
            faults.push(ProtocolFault::new("info multipv", &place, Rule::MultiPvCount));
        }
    }

    /// Names the first move of a line that cannot be played.
    pub(super) fn check_line(&mut self, line: &[Move], place: &'static str, faults: &mut Vec<ProtocolFault>) {
        let mut played = 0;
        for &mv in line {
            if !is_legal(&self.position, mv) {
                faults.push(ProtocolFault::new(place, &mv.to_string(), Rule::Legal));
                break;
            }
            self.position.do_move(mv);
            played += 1;
        }
        for _ in 0..played {
            self.position.undo();
        }
    }

    fn may_play(&self, mv: Move) -> bool {
        self.search_moves.is_empty() || self.search_moves.contains(&mv)
    }

    /// Checks the words behind `bestmove`.
    pub(super) fn check_bestmove(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        let mut words = rest.split(' ');
        let best = words.next().unwrap_or_default();
        if !matches!(best, "resign" | "win") {
            if let Some(mv) = read_move(&self.position, best, "bestmove", faults) {
                self.check_best(mv, faults);
                self.check_ponder(mv, &mut words, faults);
            } else if words.next() == Some("ponder") {
                // Nothing can be said of an answer to a move that was not understood.
                words.next();
            }
        }
        if let Some(more) = words.next() {
            faults.push(ProtocolFault::new("bestmove", more, Rule::TrailingText));
        }
    }

    fn check_best(&self, mv: Move, faults: &mut Vec<ProtocolFault>) {
        let mut fault = |rule| faults.push(ProtocolFault::new("bestmove", &mv.to_string(), rule));
        if !self.may_play(mv) {
            fault(Rule::SearchMoves);
        }
        if !self.has_score_line {
            fault(Rule::ScoreLine);
        } else if self.best != Some(mv) {
            fault(Rule::FirstOfPv);
        }
    }

    /// `ponder MOVE`, if it follows: the move is legal after the best move.
    fn check_ponder<'a>(
        &mut self,
        best: Move,
        words: &mut impl Iterator<Item = &'a str>,
        faults: &mut Vec<ProtocolFault>,
    ) {
        match (words.next(), words.next()) {
            (None, _) => {}
            (Some("ponder"), None) => faults.push(ProtocolFault::new("bestmove ponder", "", Rule::Missing)),
            (Some("ponder"), Some(ponder)) => {
                self.position.do_move(best);
                read_move(&self.position, ponder, "bestmove ponder", faults);
                self.position.undo();
            }
            (Some(other), _) => faults.push(ProtocolFault::new("bestmove", other, Rule::TrailingText)),
        }
    }

    /// Checks the words behind `checkmate`.
    pub(super) fn check_checkmate(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        if matches!(rest, "nomate" | "timeout" | "notimplemented") {
            return;
        }
        let mut line = Vec::new();
        for word in rest.split(' ') {
            match word.parse() {
                Ok(mv) => line.push(mv),
                Err(_) => return faults.push(ProtocolFault::new("checkmate", word, Rule::Move)),
            }
        }
        self.check_line(&line, "checkmate", faults);
    }
}

/// A move that must be legal in the position.
fn read_move(position: &Position, text: &str, place: &'static str, faults: &mut Vec<ProtocolFault>) -> Option<Move> {
    parse_move(position, text)
        .map_err(|error| {
            let rule = if matches!(error, MoveError::Illegal(_)) { Rule::Legal } else { Rule::Move };
            faults.push(ProtocolFault::new(place, text, rule));
        })
        .ok()
}
