//! A line of a search, as it is kept in journals.

use komainu::notation::score::ReportedScore;
use komainu::types::Move;
use serde::{Deserialize, Serialize};

/// A line of play with its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchedLine {
    /// The score of its first move.
    #[serde(rename = "s", with = "score_text")]
    pub score: ReportedScore,
    /// Depth in plies.
    #[serde(rename = "d")]
    pub depth: u32,
    /// Nodes of the search that it is from, all lines together.
    #[serde(rename = "n")]
    pub nodes: u64,
    /// The moves, legal one after the other; never empty.
    #[serde(rename = "pv", with = "move_texts")]
    pub pv: Vec<Move>,
}

impl SearchedLine {
    /// First move of the line.
    pub fn first(&self) -> Move {
        self.pv[0]
    }
}

/// A score as `cp 35` or `mate -4`.
mod score_text {
    use super::ReportedScore;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(score: &ReportedScore, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(score)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ReportedScore, D::Error> {
        let text = String::deserialize(deserializer)?;
        let score = text.split_once(' ').and_then(|(kind, number)| ReportedScore::read(kind, number));
        score.ok_or_else(|| D::Error::custom(format!("{text:?} is no score")))
    }
}

/// Moves in USI with blanks between them.
pub(crate) mod move_texts {
    use super::Move;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(moves: &[Move], serializer: S) -> Result<S::Ok, S::Error> {
        let words: Vec<String> = moves.iter().map(Move::to_string).collect();
        serializer.serialize_str(&words.join(" "))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Move>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let read = |word: &str| word.parse().map_err(|_| D::Error::custom(format!("{word:?} is no move")));
        text.split_ascii_whitespace().map(read).collect()
    }
}
