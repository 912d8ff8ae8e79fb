//! `info`: what an engine says of a search, its score among it.

use crate::notation::number::Number;
use crate::notation::score::{InfoScore, ReportedScore};
use crate::types::{Move, Score};
use std::fmt;
use std::time::Duration;

/// An `info` line about a search. What a line does not say is `None`, and not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// The deepest ply of the search.
    pub seldepth: Option<u32>,
    /// The place of the line among several best ones, from 1.
    pub multi_pv: Option<u32>,
    /// Time since the start of the search, in whole milliseconds.
    pub time: Option<Duration>,
    /// Nodes since the start of the search.
    pub nodes: Option<u64>,
    /// Nodes a second.
    pub nps: Option<u64>,
    /// The part of the transposition table that is in use, 0 to 1,000.
    pub hashfull: Option<u32>,
    /// The score, from the view of the side to move, or a bound of it.
    pub score: Option<InfoScore>,
    /// The principal variation.
    pub pv: Vec<Move>,
}

impl Info {
    /// Reads a line; `None` if it is no `info`. A number that cannot be read is left out, and so is the `string`.
    pub fn read(line: &str) -> Option<Info> {
        let mut words = line.split_ascii_whitespace().peekable();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Info::default();
        while let Some(word) = words.next() {
            match word {
                "depth" => info.depth = number(words.next()),
                "seldepth" => info.seldepth = number(words.next()),
                "multipv" => info.multi_pv = number(words.next()),
                "time" => info.time = number(words.next()).map(Duration::from_millis),
                "nodes" => info.nodes = number(words.next()),
                "nps" => info.nps = number(words.next()),
                "hashfull" => info.hashfull = number(words.next()),
                "score" => {
                    let kind = words.next().unwrap_or_default();
                    let score = ReportedScore::read(kind, words.next().unwrap_or_default());
                    info.score = score.map(InfoScore::Exact);
                }
                "lowerbound" | "upperbound" => {
                    if let Some(InfoScore::Exact(score)) = info.score {
                        let is_lower = word == "lowerbound";
                        info.score = Some(if is_lower { InfoScore::AtLeast(score) } else { InfoScore::AtMost(score) });
                    }
                }
                "pv" => {
                    while let Some(mv) = words.peek().and_then(|word| word.parse().ok()) {
                        info.pv.push(mv);
                        words.next();
                    }
                }
                "string" => break,
                _ => {}
            }
        }
        Some(info)
    }

    /// Reads a line on the best move; `None` if it has neither score nor bound, or is about another line of several.
    pub fn read_best(line: &str) -> Option<Info> {
        Info::read(line).filter(|info| info.score.is_some() && info.multi_pv.unwrap_or(1) == 1)
    }
}

fn number<T: TryFrom<i64>>(word: Option<&str>) -> Option<T> {
    Number::read(word?)?.value.try_into().ok()
}

/// The line of the protocol, with single blanks and none at its end.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("info")?;
        let numbers = [
            ("depth", self.depth.map(u64::from)),
            ("seldepth", self.seldepth.map(u64::from)),
            ("multipv", self.multi_pv.map(u64::from)),
            ("time", self.time.map(|time| time.as_millis() as u64)),
            ("nodes", self.nodes),
            ("nps", self.nps),
            ("hashfull", self.hashfull.map(u64::from)),
        ];
        for (word, number) in numbers {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if let Some(score) = self.score {
            write!(f, " score {score}")?;
        }
        if !self.pv.is_empty() {
            f.write_str(" pv")?;
        }
        for mv in &self.pv {
            write!(f, " {mv}")?;
        }
        Ok(())
    }
}

/// Centipawns that are shown for a superior repetition: a clear lead that fits into the graph of a GUI.
const SUPERIOR_SHOWN: i32 = 2_000;

impl From<Score> for ReportedScore {
    fn from(score: Score) -> ReportedScore {
        match score.mate_plies() {
            Some(plies) => ReportedScore::Mate(plies),
            None if score.is_superior() => ReportedScore::Centipawns(score.0.signum() * SUPERIOR_SHOWN),
            None => ReportedScore::Centipawns(score.0),
        }
    }
}

/// As USI writes it: `cp 35`, `mate 3`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ReportedScore::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> Vec<Move> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    #[test]
    fn a_score_is_read_with_depth_and_nodes() {
        let all = Info {
            score: Some(InfoScore::Exact(ReportedScore::Centipawns(-35))),
            depth: Some(12),
            nodes: Some(34_567),
            pv: moves("7g7f 3c3d"),
            ..Info::default()
        };
        let words = "info depth 12 nodes 34567 score cp -35 pv 7g7f 3c3d";
        assert_eq!(Info::read_best(words), Some(all.clone()));
        assert_eq!(Info::read_best(&format!("{words} resign 2g2f")), Some(all.clone()));
        let at_most = Some(InfoScore::AtMost(ReportedScore::Centipawns(-35)));
        let bound = Info { multi_pv: Some(1), score: at_most, ..all };
        assert_eq!(
            Info::read_best("info depth 12 nodes 34567 multipv 1 score cp -35 upperbound pv 7g7f 3c3d"),
            Some(bound)
        );
        for none in [
            "info depth 12 multipv 2 score cp -35 pv 7g7f",
            "info depth 12 nodes 5",
            "info string score cp 5",
            "info score",
            "info depth x score cp y",
            "infos score cp 5",
        ] {
            assert_eq!(Info::read_best(none), None, "{none}");
        }
        let unknown = |wins| ReportedScore::UnknownMate { wins };
        for (text, mate) in [
            ("3", ReportedScore::Mate(3)),
            ("-2", ReportedScore::Mate(-2)),
            ("0", ReportedScore::Mate(-1)),
            ("0.0", ReportedScore::Mate(-1)),
            ("+", unknown(true)),
            ("-", unknown(false)),
            ("+0", unknown(true)),
            ("-0", unknown(false)),
        ] {
            let score = Info::read(&format!("info score mate {text}")).unwrap().score;
            assert_eq!(score, Some(InfoScore::Exact(mate)), "{text}");
        }
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        for line in [
            "info depth 5 seldepth 9 multipv 2 time 10 nodes 1000 nps 100000 hashfull 3 score cp -35 lowerbound pv 7g7f",
            "info time 2000 nodes 9000 nps 4500",
            "info depth 1 nodes 0 score mate -1",
            "info depth 9 score mate + pv 7g7f",
            "info depth 9 score mate - lowerbound",
            "info depth 2 score mate 3 upperbound pv 7g7f P*5e 8h2b+",
            "info",
        ] {
            assert_eq!(Info::read(line).unwrap().to_string(), line);
        }
    }

    #[test]
    fn a_superior_repetition_is_shown_as_a_lead_that_a_graph_can_hold() {
        for (score, shown) in [
            (Score::SUPERIOR - 14, "cp 2000"),
            (-(Score::SUPERIOR - 3), "cp -2000"),
            (Score::MAX_EVAL, "cp 14000"),
            (Score::REPETITION_WIN - 9, "cp 30990"),
            (Score::mated_in(4), "mate -4"),
        ] {
            assert_eq!(score.to_string(), shown);
        }
    }
}
