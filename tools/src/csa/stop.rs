//! The wishes to stop: interrupts, a file, the time of the day.

use jiff::{ToSpan, ZonedDateTime};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The interrupts so far, which a handler counts.
#[derive(Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicU32>);

impl Interrupts {
    pub fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Tests whether there was one.
    pub fn any(&self) -> bool {
        self.count() > 0
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The urgency of a wish to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wish {
    PlayOn,
    /// No new game; the one under way is played to its end.
    AfterGame,
    /// The game under way is resigned at the own turn.
    Resign,
    /// The connection is closed at once.
    AtOnce,
}

/// The file whose presence in the folder of records is a wish to stop.
pub const STOP_FILE: &str = "stop";
/// Interval at which the file and the time of the day are looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// All that may stop a session.
pub(super) struct Stop {
    interrupts: Interrupts,
    file: PathBuf,
    until: Option<ZonedDateTime>,
    /// The last look at file and time of the day: when, and the wish.
    seen: Option<(Instant, bool)>,
}

impl Stop {
    /// The wishes of a session that begins now.
    pub(super) fn new(interrupts: Interrupts, folder: &Path, until: Option<(u8, u8)>) -> Stop {
        let until = until.and_then(|until| next(&ZonedDateTime::now(), until));
        Stop { interrupts, file: folder.join(STOP_FILE), until, seen: None }
    }

    pub(super) fn wish(&mut self) -> Wish {
        match self.interrupts.count() {
            0 => {}
            1 => return Wish::AfterGame,
            2 => return Wish::Resign,
            _ => return Wish::AtOnce,
        }
        let fresh = self.seen.filter(|(at, _)| at.elapsed() < INTERVAL).map(|(_, is_wished)| is_wished);
        let is_wished = fresh.unwrap_or_else(|| self.why().is_some());
        if fresh.is_none() {
            self.seen = Some((Instant::now(), is_wished));
        }
        if is_wished { Wish::AfterGame } else { Wish::PlayOn }
    }

    /// Why no game is begun, interrupts apart.
    pub(super) fn why(&self) -> Option<String> {
        if self.until.as_ref().is_some_and(|until| ZonedDateTime::now() >= *until) {
            return Some("it is late".to_string());
        }
        self.file.exists().then(|| format!("there is a file {}", self.file.display()))
    }
}

/// The next time that a clock shows this hour and minute.
fn next(now: &ZonedDateTime, (hour, minute): (u8, u8)) -> Option<ZonedDateTime> {
    let at = |day: &ZonedDateTime| {
        day.with().hour(hour as i8).minute(minute as i8).second(0).subsec_nanosecond(0).build().ok()
    };
    let today = at(now)?;
    if today > *now { Some(today) } else { at(&now.checked_add(1.day()).ok()?) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_become_more_urgent() {
        let interrupts = Interrupts::default();
        let mut stop = Stop::new(interrupts.clone(), Path::new("no-such-folder"), None);
        assert_eq!(stop.wish(), Wish::PlayOn);
        for wish in [Wish::AfterGame, Wish::Resign, Wish::AtOnce, Wish::AtOnce] {
            interrupts.add();
            assert_eq!(stop.wish(), wish);
        }
    }

    #[test]
    fn a_file_stops_after_the_game() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(STOP_FILE), "").unwrap();
        assert_eq!(Stop::new(Interrupts::default(), folder.path(), None).wish(), Wish::AfterGame);
    }

    #[test]
    fn a_time_of_the_day_is_the_next_one() {
        let now: ZonedDateTime = "2026-11-24T22:30:15[UTC]".parse().unwrap();
        let next = |hour, minute| next(&now, (hour, minute)).unwrap().to_string();
        assert_eq!(next(23, 0), "2026-11-24T23:00:00+00:00[UTC]");
        assert_eq!(next(22, 30), "2026-11-25T22:30:00+00:00[UTC]");
        assert_eq!(next(6, 5), "2026-11-25T06:05:00+00:00[UTC]");
    }
}
