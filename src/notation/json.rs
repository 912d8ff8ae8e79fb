//! An encoding of a game: one line of JSON, which a match writes for each game and its report reads.
//!
//! The model is [`GameRecord`](super::record::GameRecord); a line adds the place of the game in its match.

use super::record::Ending;
use crate::types::Color;
use serde::{Deserialize, Serialize};

/// One game of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameLine {
    /// Its number in the match, from 0.
    pub game: u64,
    /// The number of its pair: the two games of a pair have the same opening with colours swapped.
    pub pair: u64,
    /// The round of a tournament, from 0.
    pub round: u32,
    /// The names of black and white.
    pub players: [String; 2],
    /// The SFEN of the position in which the game began.
    pub start: String,
    /// Number of moves that belong to the opening and were not played by the engines.
    pub opening_plies: usize,
    /// The moves.
    pub moves: Vec<MoveLine>,
    /// End of the game.
    pub ending: Ending,
    /// `"black"`, `"white"`, or `null` for a draw and for a game without a result.
    #[serde(with = "color")]
    pub winner: Option<Color>,
    /// Milliseconds that the side to move had used at the end, if it did not move any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_millis: Option<u64>,
    /// Detail that the ending does not tell, such as the text of an illegal move; empty if there is nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// When it began: UTC, as in `2026-11-21T12:00:00Z`.
    pub started: String,
    /// Duration of the game in milliseconds.
    pub duration_ms: u64,
}

/// One move of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MoveLine {
    /// The move in USI.
    #[serde(rename = "m")]
    pub mv: String,
    /// Milliseconds that were charged for it; `None` for a move of the opening.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// The engine's score in centipawns, from the view of the side that moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cp: Option<i32>,
    /// Plies to the mate, if the score is one; below zero if the side that moved is mated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<i32>,
    /// The depth that the engine reported.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The nodes that the engine reported.
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The moves that the engine expected next, the reply first: in USI, with blanks between.
    #[serde(rename = "pv", default, skip_serializing_if = "String::is_empty")]
    pub line: String,
}

/// A side by its name.
mod color {
    use crate::types::Color;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(color: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
        match color {
            Some(Color::Black) => serializer.serialize_some("black"),
            Some(Color::White) => serializer.serialize_some("white"),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Color>, D::Error> {
        match Option::<String>::deserialize(deserializer)?.as_deref() {
            Some("black") => Ok(Some(Color::Black)),
            Some("white") => Ok(Some(Color::White)),
            Some(other) => Err(serde::de::Error::custom(format!("\"{other}\" is neither black nor white"))),
            None => Ok(None),
        }
    }
}
