//! The time control of a game as its summary tells it.

use std::time::Duration;

/// Times of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeControl {
    /// In what the server counts: 1 s unless it says otherwise.
    pub unit: Duration,
    /// Main time; none for a game without a limit.
    pub total: Option<Duration>,
    /// Added to the main time of each move, and lost with it.
    pub byoyomi: Duration,
    /// Added to the main time with each move, and kept.
    pub increment: Duration,
    /// Least charge of a move.
    pub least: Duration,
    /// Only whole periods of byoyomi are charged, and the clock must never be empty: shogi-server's stop-watch.
    pub stop_watch: bool,
    /// A unit that was begun is charged in full, in place of nothing.
    pub rounds_up: bool,
}

/// Times longer than this are cut: ten years, so that sums do not overflow.
const MAX_SECONDS: f64 = 315_360_000.0;

impl Default for TimeControl {
    fn default() -> TimeControl {
        TimeControl {
            unit: Duration::from_secs(1),
            total: None,
            byoyomi: Duration::ZERO,
            increment: Duration::ZERO,
            least: Duration::ZERO,
            stop_watch: false,
            rounds_up: false,
        }
    }
}

impl TimeControl {
    /// Tests whether any of the times bounds a move.
    pub fn is_limited(&self) -> bool {
        self.total.is_some_and(|total| !total.is_zero()) || !self.byoyomi.is_zero() || !self.increment.is_zero()
    }
}

/// The lines of a `BEGIN Time` block, as far as they are known: numbers in units that come with one of the lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TimeLines {
    /// Seconds in a unit, and whether the word was minutes.
    unit: Option<(f64, bool)>,
    total: Option<f64>,
    byoyomi: Option<f64>,
    increment: Option<f64>,
    least: Option<f64>,
    rounds_up: Option<bool>,
}

impl TimeLines {
    /// Reads a line. Returns whether its value makes sense; unknown keys are passed over.
    pub(super) fn read(&mut self, key: &str, value: &str) -> bool {
        let value = value.trim();
        let place = match key {
            "Time_Unit" => {
                self.unit = unit(value);
                return self.unit.is_some();
            }
            "Time_Roundup" => {
                self.rounds_up = Some(value == "YES");
                return ["YES", "NO", ""].contains(&value);
            }
            "Total_Time" => &mut self.total,
            "Byoyomi" => &mut self.byoyomi,
            "Increment" => &mut self.increment,
            "Least_Time_Per_Move" => &mut self.least,
            _ => return true,
        };
        // A key without a value says nothing.
        *place = number(value);
        place.is_some() || value.is_empty()
    }

    /// These lines, and for the rest those of both sides.
    pub(super) fn or(&self, both: &TimeLines) -> TimeLines {
        TimeLines {
            unit: self.unit.or(both.unit),
            total: self.total.or(both.total),
            byoyomi: self.byoyomi.or(both.byoyomi),
            increment: self.increment.or(both.increment),
            least: self.least.or(both.least),
            rounds_up: self.rounds_up.or(both.rounds_up),
        }
    }

    /// The times, and whether they are those of a stop-watch that calls its seconds minutes.
    ///
    /// shogi-server announces its stop-watch with `Time_Unit:1min` and gives all times in seconds all the same. It is
    /// known by times that nobody plays in minutes, or by the name of the game, where a 0 stands before the byoyomi:
    /// `x-10-05`.
    pub(super) fn control(&self, game_id: &str) -> (TimeControl, bool) {
        let (mut seconds, is_minutes) = self.unit.unwrap_or((1.0, false));
        let total = self.total.unwrap_or(0.0);
        let byoyomi = self.byoyomi.unwrap_or(0.0);
        let named = format!("-{total}-0{byoyomi}");
        let is_named = game_id.split('+').any(|part| part.ends_with(&named)) && byoyomi > 0.0;
        let stop_watch = is_minutes && seconds == 60.0 && (total >= 600.0 || byoyomi >= 10.0 || is_named);
        if stop_watch {
            seconds = 1.0;
        }
        let time = |units: Option<f64>| {
            let exact = (units.unwrap_or(0.0) * seconds).clamp(0.0, MAX_SECONDS);
            Duration::from_millis((exact * 1_000.0).round() as u64)
        };
        let control = TimeControl {
            unit: time(Some(1.0)),
            total: self.total.map(|total| time(Some(total))),
            byoyomi: time(self.byoyomi),
            increment: time(self.increment),
            least: time(self.least),
            stop_watch: stop_watch && byoyomi > 0.0,
            rounds_up: self.rounds_up.unwrap_or_default(),
        };
        // A clock with byoyomi or increment alone begins at zero.
        let begins_empty = control.total.is_none() && control.is_limited();
        (TimeControl { total: if begins_empty { Some(Duration::ZERO) } else { control.total }, ..control }, stop_watch)
    }
}

/// Reads a number that is not below zero, with or without decimals.
fn number(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}

/// Reads `1sec`, `sec`, `100msec`, `0.5sec`, `1min`: seconds, and whether the word is minutes.
fn unit(text: &str) -> Option<(f64, bool)> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let count = text[..at].trim();
    let count = if count.is_empty() { 1.0 } else { number(count)? };
    let word = &text[at..];
    let seconds = match word {
        "msec" => 0.001,
        "sec" => 1.0,
        "min" => 60.0,
        _ => return None,
    };
    Some((count * seconds, word == "min")).filter(|(seconds, _)| (0.001..=3_600.0).contains(seconds))
}

/// Reads the time of a move behind its `T`: seconds, whatever the unit of the game is.
pub(super) fn spent(text: &str) -> Option<Duration> {
    number(text.trim()).map(|seconds| Duration::from_millis((seconds.min(MAX_SECONDS) * 1_000.0).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[(&str, &str)], id: &str) -> (TimeControl, bool) {
        let mut read = TimeLines::default();
        assert!(lines.iter().all(|(key, value)| read.read(key, value)), "{lines:?}");
        read.control(id)
    }

    const SECS: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn all_times_are_counted_in_the_unit() {
        for (unit, seconds) in [("1sec", 1.0), ("sec", 1.0), ("10sec", 10.0), ("msec", 0.001), ("0.5sec", 0.5)] {
            let lines = [("Time_Unit", unit), ("Total_Time", "30"), ("Byoyomi", "8"), ("Increment", "2")];
            let (control, is_trap) = read(&lines, "");
            let expected = |units: f64| Duration::from_millis((units * seconds * 1_000.0).round() as u64);
            assert_eq!(control.total, Some(expected(30.0)), "{unit}");
            assert_eq!((control.byoyomi, control.increment), (expected(8.0), expected(2.0)), "{unit}");
            assert!(!is_trap && !control.stop_watch);
        }
    }

    #[test]
    fn what_is_missing_is_nothing_and_no_total_is_no_limit() {
        let (control, _) = read(&[("Least_Time_Per_Move", "1"), ("Byoyomi", "")], "");
        assert_eq!(control, TimeControl { least: SECS(1), ..TimeControl::default() });
        assert!(!control.is_limited());
        assert_eq!(read(&[("Byoyomi", "10")], "").0.total, Some(Duration::ZERO));
    }

    #[test]
    fn a_stop_watch_is_known_by_its_times_or_by_its_name() {
        let game = |total, byoyomi, id| {
            let (control, is_trap) = read(&[("Time_Unit", "1min"), ("Total_Time", total), ("Byoyomi", byoyomi)], id);
            (control.total, control.byoyomi, is_trap && control.stop_watch)
        };
        assert_eq!(game("900", "60", ""), (Some(SECS(900)), SECS(60), true));
        assert_eq!(game("60", "60", ""), (Some(SECS(60)), SECS(60), true));
        assert_eq!(game("10", "5", "ev+x-10-05+a+b+20260101"), (Some(SECS(10)), SECS(5), true));
        assert_eq!(game("25", "1", "ev+x+a+b+1"), (Some(SECS(25 * 60)), SECS(60), false));
    }

    #[test]
    fn nonsense_is_told_from_nothing() {
        let mut lines = TimeLines::default();
        assert!(lines.read("Time_Roundup", "YES") && lines.control("").0.rounds_up);
        for (key, value) in [("Time_Unit", "1day"), ("Time_Unit", ""), ("Total_Time", "-5"), ("Byoyomi", "1e9")] {
            assert!(!lines.read(key, value), "{key}:{value}");
        }
        assert!(lines.read("Remaining_Time+", "nonsense"));
    }

    #[test]
    fn the_time_of_a_move_is_in_seconds_with_or_without_decimals() {
        assert_eq!(spent("12"), Some(SECS(12)));
        assert_eq!(spent("1.25"), Some(Duration::from_millis(1_250)));
        assert_eq!(spent("0"), Some(Duration::ZERO));
        for text in ["", "-1", "x", "1 2"] {
            assert_eq!(spent(text), None, "{text}");
        }
    }
}
