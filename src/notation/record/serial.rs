//! Records as serde has them: times in seconds, and no illegal move on the way in.

use super::{GameRecord, RecordMove};
use crate::position::Position;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// A record that says nothing, for the fields that a text leaves out.
pub(super) fn empty() -> GameRecord {
    GameRecord::new(Position::startpos())
}

/// Times in seconds.
pub(super) mod seconds {
    use super::{Deserialize, Deserializer, Error, Serialize, Serializer};
    use std::time::Duration;

    pub(in super::super) fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs_f64()).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let read = Option::<f64>::deserialize(from)?;
        let time = |seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| D::Error::custom(format_args!("{seconds} is no time")))
        };
        read.map(time).transpose()
    }
}

impl Serialize for GameRecord {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        GameRecord::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for GameRecord {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GameRecord, D::Error> {
        let record = GameRecord::deserialize(from)?;
        test(&record).map_err(D::Error::custom)?;
        Ok(record)
    }
}

/// Tests that the moves of a record and of its variations are legal and begin where they say.
fn test(record: &GameRecord) -> Result<(), String> {
    let mut pos = record.start.without_history();
    play(&mut pos, &record.moves, 1)?;
    for variation in &record.variations {
        let made = pos.moves_made();
        let back = variation.from.checked_sub(1).and_then(|kept| made.checked_sub(kept));
        let back = back.ok_or_else(|| format!("a variation from move {}, behind {made} moves", variation.from))?;
        (0..back).for_each(|_| pos.undo());
        play(&mut pos, &variation.moves, variation.from)?;
    }
    Ok(())
}

fn play(pos: &mut Position, moves: &[RecordMove], from: usize) -> Result<(), String> {
    moves
        .iter()
        .zip(from..)
        .try_for_each(|(made, number)| pos.play(made.mv).map_err(|it| format!("move {number}: {it}")))
}
