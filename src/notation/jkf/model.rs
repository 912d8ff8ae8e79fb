//! The objects of the format as JSON has them.

use crate::position::Handicap;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::fmt;

/// An object whose keys keep their order.
#[derive(Debug, Default)]
pub(crate) struct Pairs(pub(crate) Vec<(String, Value)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// A record.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Jkf {
    #[serde(default)]
    pub(crate) header: Pairs,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) initial: Option<Initial>,
    pub(crate) moves: Vec<Entry>,
}

/// The start.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Initial {
    pub(crate) preset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<State>,
}

/// A position: `board[file - 1][rank - 1]`, hands by the CSA names of pieces.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    #[serde(default)]
    pub(crate) color: u8,
    pub(crate) board: Vec<Vec<Cell>>,
    #[serde(default)]
    pub(crate) hands: Vec<Map<String, Value>>,
}

/// A square of the board; nothing if it is empty.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Cell {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
}

/// An entry of the list of moves.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) comments: Vec<String>,
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub(crate) made: Option<Made>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<Times>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) special: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) forks: Vec<Vec<Entry>>,
}

/// A move; `piece` as it was before it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Made {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) to: Option<Place>,
    pub(crate) piece: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) same: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) promote: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) capture: Option<String>,
    /// Words that tell the move from others: L, C, R, then U, M, D; H for a drop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) relative: Option<String>,
}

/// A square: file and rank from 1.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) x: u8,
    pub(crate) y: u8,
}

/// The time of a move and that of its side so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Times {
    pub(crate) now: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) total: Option<Time>,
}

/// Hours, minutes, seconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Time {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) h: Option<u64>,
    #[serde(default)]
    pub(crate) m: u64,
    /// Whole seconds; some programs write fractions.
    #[serde(default, serialize_with = "whole")]
    pub(crate) s: f64,
}

fn whole<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(*seconds as u64)
}

/// The names of starts.
pub(crate) const PRESETS: [(&str, Handicap); 15] = [
    ("HIRATE", Handicap::Even),
    ("KY", Handicap::Lance),
    ("KY_R", Handicap::RightLance),
    ("KA", Handicap::Bishop),
    ("HI", Handicap::Rook),
    ("HIKY", Handicap::RookLance),
    ("2", Handicap::TwoPieces),
    ("3", Handicap::ThreePieces),
    ("4", Handicap::FourPieces),
    ("5", Handicap::FivePieces),
    ("5_L", Handicap::LeftFivePieces),
    ("6", Handicap::SixPieces),
    ("7_L", Handicap::LeftSevenPieces),
    ("8", Handicap::EightPieces),
    ("10", Handicap::TenPieces),
];
