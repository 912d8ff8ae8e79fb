//! The answer to `go`: what was decided, and the lines that were found.

use super::engine::EngineError;
use komainu::notation::usi::{legal_part, parse_move};
use komainu::position::Position;
use komainu::protocol::{BestMove, Info};
use std::time::Duration;

/// The answer to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move, as the engine wrote it.
    pub best: BestMove<String>,
    /// Reports on the search, in the order in which they came.
    pub infos: Vec<Info>,
    /// Time from `go` to the arrival of the answer.
    pub took: Duration,
}

impl Answer {
    /// What the engine does in the position that it was asked about. A move that is not legal there is an error; an
    /// expected reply that is not is left out.
    pub fn decision(&self, pos: &Position) -> Result<BestMove, EngineError> {
        match &self.best {
            BestMove::Win => Ok(BestMove::Win),
            BestMove::Resign => Ok(BestMove::Resign),
            BestMove::Move(text, reply) => {
                let mv = parse_move(pos, text).map_err(|_| EngineError::Illegal(text.clone()))?;
                let after = pos.after(mv);
                let reply = reply.as_ref().and_then(|reply| parse_move(&after, reply).ok());
                Ok(BestMove::Move(mv, reply))
            }
        }
    }

    /// The best lines of a search of the position, each legal to its last move; the first begins with the move that the
    /// engine has decided on.
    ///
    /// They are what was said last of each place. If all that was said of the decided move is a bound, its line has the
    /// bound; if nothing was said, it has the move alone and no score.
    pub fn lines(&self, pos: &Position, decision: &BestMove) -> Vec<Info> {
        let decided = match decision {
            BestMove::Move(mv, _) => Some(*mv),
            BestMove::Resign | BestMove::Win => None,
        };
        let mut places: Vec<Info> = Vec::new();
        let mut bound = None;
        for info in &self.infos {
            let Some(score) = info.score else { continue };
            let place = info.multi_pv.unwrap_or(1);
            let mut line = Info { multi_pv: Some(place), pv: legal_part(pos, info.pv.iter().copied()), ..info.clone() };
            if info.pv.is_empty() && place == 1 {
                // A program that names no moves speaks of the one that it plays.
                line.pv.extend(decided);
            }
            if line.pv.is_empty() {
                continue;
            }
            if score.exact().is_some() {
                places.retain(|other| other.multi_pv != line.multi_pv);
                places.push(line);
            } else if decided == line.pv.first().copied() {
                bound = Some(line);
            }
        }
        places.sort_by_key(|line| line.multi_pv);
        let mut lines: Vec<Info> = Vec::new();
        for line in places {
            // Two lines with one move are of two iterations.
            match lines.iter_mut().find(|other| other.pv[0] == line.pv[0]) {
                Some(other) if other.depth < line.depth => *other = line,
                Some(_) => {}
                None => lines.push(line),
            }
        }
        if let Some(decided) = decided {
            let first = match lines.iter().position(|line| line.pv[0] == decided) {
                Some(at) => lines.remove(at),
                None => bound.unwrap_or_else(|| Info { pv: vec![decided], ..Info::default() }),
            };
            lines.insert(0, first);
        }
        for (place, line) in (1..).zip(&mut lines) {
            line.multi_pv = Some(place);
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of an answer at the start of the game, without what no test looks at.
    fn lines(best: &str, infos: &[&str]) -> Vec<String> {
        let pos = Position::startpos();
        let answer = Answer {
            best: BestMove::read(best).unwrap(),
            infos: infos.iter().map(|info| Info::read(&format!("info {info}")).unwrap()).collect(),
            took: Duration::ZERO,
        };
        let decision = answer.decision(&pos).unwrap();
        answer.lines(&pos, &decision).iter().map(|line| line.to_string().replacen("info ", "", 1)).collect()
    }

    #[test]
    fn the_first_line_is_that_of_the_move_that_was_decided_on() {
        let exact = "depth 8 score cp 30 pv 7g7f 3c3d";
        let first = "depth 8 multipv 1 score cp 30 pv 7g7f 3c3d";
        assert_eq!(lines("bestmove 7g7f", &["depth 7 score cp 9 pv 2g2f", exact]), [first]);
        // The search ended with a bound of another move.
        let bound = "depth 9 score cp 60 lowerbound pv 2g2f 8c8d";
        let second = "depth 8 multipv 2 score cp 30 pv 7g7f 3c3d";
        assert_eq!(
            lines("bestmove 2g2f", &[exact, bound]),
            ["depth 9 multipv 1 score cp 60 lowerbound pv 2g2f 8c8d", second]
        );
        // Of its own move a bound says less than the score before it.
        assert_eq!(lines("bestmove 7g7f", &[exact, "depth 9 score cp 40 lowerbound pv 7g7f"]), [first]);
        // Another place, or nothing at all.
        let other = "depth 8 multipv 2 score cp 10 pv 2g2f";
        assert_eq!(lines("bestmove 2g2f", &[exact, other]), ["depth 8 multipv 1 score cp 10 pv 2g2f", second]);
        assert_eq!(lines("bestmove 6g6f", &[exact]), ["multipv 1 pv 6g6f", second]);
        assert_eq!(lines("bestmove 6g6f", &[]), ["multipv 1 pv 6g6f"]);
        assert_eq!(lines("bestmove resign", &[exact]), [first]);
        assert_eq!(lines("bestmove win", &[]), [""; 0]);
    }

    #[test]
    fn lines_are_read_as_far_as_they_are_legal() {
        let cut = lines("bestmove 7g7f", &["depth 9 score cp -35 pv 7g7f 3c3d 7g7f", "depth 10 score cp 1 pv 7g7e"]);
        assert_eq!(cut, ["depth 9 multipv 1 score cp -35 pv 7g7f 3c3d"]);
        let silent = lines("bestmove 7g7f", &["depth 3 score cp 12", "depth 4 nodes 9", "depth 5 score mate -"]);
        assert_eq!(silent, ["depth 5 multipv 1 score mate - pv 7g7f"], "an engine that names no moves");
    }

    #[test]
    fn of_two_lines_with_one_move_the_deeper_one_counts() {
        let of = |depth: u32, place: u32, mv: &str| format!("depth {depth} multipv {place} score cp {depth} pv {mv}");
        let infos = [of(3, 1, "7g7f"), of(3, 2, "2g2f"), of(4, 1, "2g2f")];
        let found = lines("bestmove 2g2f", &infos.each_ref().map(String::as_str));
        assert_eq!(found, [of(4, 1, "2g2f")], "of an iteration that was broken off");
    }

    #[test]
    fn an_illegal_move_is_an_error_and_an_illegal_reply_is_none() {
        let decision = |best: &str| {
            let answer = Answer { best: BestMove::read(best).unwrap(), infos: Vec::new(), took: Duration::ZERO };
            answer.decision(&Position::startpos()).map_err(|error| error.to_string())
        };
        let mv = "7g7f".parse().unwrap();
        assert_eq!(decision("bestmove 7g7f ponder 3c3d"), Ok(BestMove::Move(mv, "3c3d".parse().ok())));
        assert_eq!(decision("bestmove 7g7f ponder 7g7f"), Ok(BestMove::Move(mv, None)));
        for wrong in ["7g7e", "(none)", "0000", ""] {
            let error = decision(&format!("bestmove {wrong}")).unwrap_err();
            assert!(error.contains(&format!("\"{wrong}\"")), "{error}");
        }
    }
}
