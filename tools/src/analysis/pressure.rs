//! Moves under pressure of time: by the limit that a record names and the times of its moves.

use komainu::notation::record::GameRecord;
use komainu::notation::time_limit::{TimeLimit, time_limits};
use komainu::types::Color;
use serde::Serialize;
use std::time::Duration;

/// Time that was left when a move was thought about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Pressure {
    /// The main time was used up: so many milliseconds for the move. 秒読み
    Byoyomi {
        /// Milliseconds for the move.
        left_ms: u64,
    },
    /// Less than a minute was left of the main time, and less than a tenth of it, with no byoyomi behind it. 切迫
    Short {
        /// Milliseconds for all moves to come.
        left_ms: u64,
    },
}

/// Main time left that is little, if no byoyomi comes after it.
const LITTLE: Duration = Duration::from_secs(60);
/// Part of the main time that is little, too.
const LITTLE_PART: u32 = 10;
/// Byoyomi that is longer puts nobody under pressure.
const LONG_BYOYOMI: Duration = Duration::from_secs(180);
/// Tolerance of a clock: records have whole seconds, and programs count them in different ways.
const TOLERANCE: Duration = Duration::from_secs(2);

/// The moves of a game that were made under pressure. None of a side whose times do not fit the limit of the record, or
/// are not all known; moves at the beginning without a time were set up, as the opening of a match is.
pub(super) fn pressures(record: &GameRecord) -> Vec<Option<Pressure>> {
    let mut found = vec![None; record.moves.len()];
    let limits = time_limits(record);
    for color in Color::ALL {
        let first = usize::from(record.start.side() != color);
        let mut is_opening = true;
        let spent = record.moves.iter().skip(first).step_by(2).map(|made| {
            is_opening &= made.spent.is_none();
            if is_opening { Some(Duration::ZERO) } else { made.spent }
        });
        let spent: Option<Vec<Duration>> = spent.collect();
        let Some((limit, spent)) = limits[color].zip(spent) else { continue };
        for (at, pressure) in of_side(limit, &spent).unwrap_or_default().into_iter().enumerate() {
            found[first + 2 * at] = pressure;
        }
    }
    found
}

/// `None` if a move took more time than there was, which the limit does not explain.
fn of_side(limit: TimeLimit, spent: &[Duration]) -> Option<Vec<Option<Pressure>>> {
    let mut left = limit.main;
    let mut found = Vec::with_capacity(spent.len());
    for &time in spent {
        found.push(pressure(limit, left));
        if time > left + limit.byoyomi + limit.increment + TOLERANCE {
            return None;
        }
        left = (left + limit.increment).saturating_sub(time);
    }
    Some(found)
}

fn pressure(limit: TimeLimit, left: Duration) -> Option<Pressure> {
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    // Where there never was any other time, a mark would say nothing.
    if limit.main.is_zero() || limit.byoyomi > LONG_BYOYOMI {
        return None;
    }
    if !limit.byoyomi.is_zero() {
        return left.is_zero().then(|| Pressure::Byoyomi { left_ms: millis(limit.byoyomi) });
    }
    (left < LITTLE.min(limit.main / LITTLE_PART)).then(|| Pressure::Short { left_ms: millis(left) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::notation::record::RecordMove;
    use komainu::position::Position;

    /// The pressure of a game with these seconds for its moves.
    fn of(limit: &str, spent: &[u64]) -> Vec<Option<Pressure>> {
        let moves = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e", "6i7h", "4a3b"];
        let mut record = GameRecord::new(Position::startpos());
        record.time_limit = Some(limit.to_string());
        for (&seconds, mv) in spent.iter().zip(moves) {
            let spent = Some(Duration::from_secs(seconds));
            record.moves.push(RecordMove { spent, ..RecordMove::new(mv.parse().unwrap()) });
        }
        pressures(&record)
    }

    #[test]
    fn moves_in_byoyomi_are_marked_from_the_one_after_the_last_second() {
        let byoyomi = Some(Pressure::Byoyomi { left_ms: 30_000 });
        assert_eq!(
            of("1分+30秒", &[59, 10, 1, 60, 29, 31, 29, 2]),
            [None, None, None, None, byoyomi, byoyomi, byoyomi, byoyomi]
        );
        assert_eq!(of("初手から1手30秒", &[30, 30, 30, 30]), [None; 4], "no other time");
        assert_eq!(of("1分+600秒", &[60, 60, 60, 60]), [None; 4], "time enough");
    }

    #[test]
    fn little_time_is_marked_where_no_byoyomi_follows() {
        let short = |seconds: u64| Some(Pressure::Short { left_ms: 1_000 * seconds });
        assert_eq!(of("10分切れ負け", &[541, 539, 9, 1, 40, 1]), [None, None, short(59), None, short(50), None]);
        assert_eq!(of("1分切れ負け", &[50, 55, 5, 0, 0, 0]), [None, None, None, short(5), short(5), short(5)]);
        assert_eq!(of("10分切れ負け 1手10秒加算", &[590, 1, 1, 1]), [None, None, short(20), None]);
    }

    #[test]
    fn times_that_do_not_fit_the_limit_mark_nothing() {
        let byoyomi = Some(Pressure::Byoyomi { left_ms: 10_000 });
        assert_eq!(of("1分+10秒", &[60, 60, 13, 10, 1, 1]), [None, None, None, byoyomi, None, byoyomi]);
        assert_eq!(of("不明", &[60, 60, 13, 10]), [None; 4]);
        let mut record = GameRecord::new(Position::startpos());
        record.time_limit = Some("1秒切れ負け".to_string());
        record.moves = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"].map(|mv| RecordMove::new(mv.parse().unwrap())).into();
        assert_eq!(pressures(&record), [None; 5], "no times");
        record.moves[2].spent = Some(Duration::from_secs(1));
        assert_eq!(pressures(&record), [None; 5], "the last time is missing");
        record.moves[4].spent = Some(Duration::ZERO);
        assert_eq!(pressures(&record)[4], Some(Pressure::Short { left_ms: 0 }), "only the opening has none");
    }
}
