//! For how long the threads of a process have waited for a core while others had it.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// Waits of the threads of a process so far, in nanoseconds by their numbers. Systems that do not tell have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoreWaits(HashMap<u32, u64>);

impl CoreWaits {
    /// The waits of a process: what Linux has in the `schedstat` of each thread.
    pub fn of(process: u32) -> CoreWaits {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        CoreWaits(
            threads
                .filter_map(|thread| {
                    let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
                    Some((thread.file_name().to_str()?.parse().ok()?, nanoseconds(&text)?))
                })
                .collect(),
        )
    }

    /// The wait of the thread that has waited longest since an earlier moment. A thread that is new since then has
    /// waited from its beginning on.
    pub fn longest_since(&self, earlier: &CoreWaits) -> Duration {
        let since = |(thread, now): (&u32, &u64)| now.saturating_sub(earlier.0.get(thread).copied().unwrap_or(0));
        Duration::from_nanos(self.0.iter().map(since).max().unwrap_or(0))
    }
}

/// Time for which the present thread has waited for a core so far; none where the system does not tell.
pub fn core_wait() -> Duration {
    let text = if cfg!(target_os = "linux") { fs::read_to_string("/proc/thread-self/schedstat").ok() } else { None };
    Duration::from_nanos(text.and_then(|text| nanoseconds(&text)).unwrap_or(0))
}

/// The second number of a `schedstat`, before it the time on a core, behind it how often it got one.
fn nanoseconds(text: &str) -> Option<u64> {
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(of: &[(u32, u64)]) -> CoreWaits {
        CoreWaits(of.iter().copied().collect())
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
    fn the_wait_stands_between_the_time_on_a_core_and_the_number_of_turns() {
        assert_eq!(nanoseconds("7219 128 44\n"), Some(128));
        assert_eq!([nanoseconds(""), nanoseconds("7219"), nanoseconds("a b c")], [None; 3]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_thread_of_a_process_is_known() {
        let known = CoreWaits::of(std::process::id());
        let has_schedstat = fs::exists("/proc/self/schedstat").unwrap_or(false);
        assert_eq!(!known.0.is_empty(), has_schedstat);
        assert_eq!(CoreWaits::of(u32::MAX), CoreWaits::default());
        assert!(core_wait() <= core_wait(), "it only grows");
    }
}
