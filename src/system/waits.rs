//! For how long the threads of a process have waited for a core while others had it.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// Waits of the threads of a process so far, by their numbers. Systems that do not tell have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreWaits(HashMap<u32, Waits>);

/// Waits of one thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Waits {
    nanoseconds: u64,
    /// Turns on a core, before each of which it may have waited.
    turns: u64,
}

/// Fewer turns say nothing of the next one.
const FEWEST_TURNS: u64 = 4;

impl CoreWaits {
    /// The waits of a process: what Linux has in the `schedstat` of each thread.
    pub fn of(process: u32) -> CoreWaits {
        CoreWaits::under(&format!("/proc/{process}/task"))
    }

    /// The waits of this process.
    pub fn own() -> CoreWaits {
        if cfg!(target_os = "linux") { CoreWaits::under("/proc/self/task") } else { CoreWaits::default() }
    }

    fn under(folder: &str) -> CoreWaits {
        let threads = fs::read_dir(folder).into_iter().flatten().flatten();
        CoreWaits(
            threads
                .filter_map(|thread| {
                    let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
                    Some((thread.file_name().to_str()?.parse().ok()?, waits(&text)?))
                })
                .collect(),
        )
    }

    /// The wait of the thread that has waited longest since an earlier moment. A thread that is new since then has
    /// waited from its beginning on.
    pub fn longest_since(&self, earlier: &CoreWaits) -> Duration {
        Duration::from_nanos(self.since(earlier).map(|since| since.nanoseconds).max().unwrap_or(0))
    }

    /// The average wait before a turn on a core since an earlier moment, of the thread for which it was longest.
    pub fn longest_turn_since(&self, earlier: &CoreWaits) -> Duration {
        let busy = self.since(earlier).filter(|since| since.turns >= FEWEST_TURNS);
        Duration::from_nanos(busy.map(|since| since.nanoseconds / since.turns).max().unwrap_or(0))
    }

    fn since<'a>(&'a self, earlier: &'a CoreWaits) -> impl Iterator<Item = Waits> + 'a {
        self.0.iter().map(|(thread, now)| {
            let before = earlier.0.get(thread).copied().unwrap_or_default();
            Waits {
                nanoseconds: now.nanoseconds.saturating_sub(before.nanoseconds),
                turns: now.turns.saturating_sub(before.turns),
            }
        })
    }
}

/// Time for which the present thread has waited for a core so far; none where the system does not tell.
pub fn core_wait() -> Duration {
    let text = if cfg!(target_os = "linux") { fs::read_to_string("/proc/thread-self/schedstat").ok() } else { None };
    Duration::from_nanos(text.and_then(|text| waits(&text)).unwrap_or_default().nanoseconds)
}

/// The second and third number of a `schedstat`; before them stands the time on a core.
fn waits(text: &str) -> Option<Waits> {
    let mut numbers = text.split_ascii_whitespace().skip(1).map(str::parse);
    Some(Waits { nanoseconds: numbers.next()?.ok()?, turns: numbers.next()?.ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(of: &[(u32, u64)]) -> CoreWaits {
        turns(&of.iter().map(|&(thread, nanoseconds)| (thread, nanoseconds, 1)).collect::<Vec<_>>())
    }

    fn turns(of: &[(u32, u64, u64)]) -> CoreWaits {
        CoreWaits(of.iter().map(|&(thread, nanoseconds, turns)| (thread, Waits { nanoseconds, turns })).collect())
    }

    #[test]
    fn the_thread_that_waited_longest_counts() {
        let earlier = waits(&[(1, 5_000_000), (2, 900_000_000)]);
        let later = waits(&[(1, 45_000_000), (2, 910_000_000), (3, 7_000_000)]);
        assert_eq!(later.longest_since(&earlier), Duration::from_millis(40));
        assert_eq!(waits(&[(2, 900_000_000), (3, 7_000_000)]).longest_since(&earlier), Duration::from_millis(7));
        assert_eq!(earlier.longest_since(&earlier), Duration::ZERO);
        assert_eq!(waits(&[]).longest_since(&earlier), Duration::ZERO, "it has ended, or nobody tells");
    }

    #[test]
    fn the_thread_counts_that_waits_longest_for_a_turn_and_has_had_some() {
        let earlier = turns(&[(1, 1_000_000, 10), (2, 50_000_000, 9)]);
        let later = turns(&[(1, 5_000_000, 410), (2, 290_000_000, 19), (3, 99_000_000, 3)]);
        assert_eq!(later.longest_turn_since(&earlier), Duration::from_millis(24));
        assert_eq!(later.longest_turn_since(&later), Duration::ZERO, "nothing has run since");
        assert_eq!(turns(&[(3, 100_000_000, 4)]).longest_turn_since(&earlier), Duration::from_millis(25));
        assert_eq!(turns(&[]).longest_turn_since(&earlier), Duration::ZERO, "nobody tells");
    }

    #[test]
    fn the_wait_stands_between_the_time_on_a_core_and_the_number_of_turns() {
        assert_eq!(super::waits("7219 128 44\n"), Some(Waits { nanoseconds: 128, turns: 44 }));
        assert_eq!([super::waits(""), super::waits("7219 128"), super::waits("a b c")], [None; 3]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_thread_of_a_process_is_known() {
        let known = CoreWaits::of(std::process::id());
        let has_schedstat = fs::exists("/proc/self/schedstat").unwrap_or(false);
        assert_eq!(!known.0.is_empty(), has_schedstat);
        assert_eq!(CoreWaits::of(u32::MAX), CoreWaits::default());
        assert!(core_wait() <= core_wait(), "it only grows");
        assert_eq!(CoreWaits::own().0.is_empty(), known.0.is_empty());
    }
}
