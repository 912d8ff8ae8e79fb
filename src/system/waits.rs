//! How long the threads of a process have waited for a core while others had it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
        let mut all = HashMap::new();
        for (thread, path) in threads(Path::new(folder)) {
            let text = fs::read_to_string(path).unwrap_or_default();
            if let Some(waits) = parse_waits(&text) {
                all.insert(thread, waits);
            }
        }
        CoreWaits(all)
    }

    /// The waits of all threads since an earlier moment together: what an answer has waited to which each of them adds
    /// in its turn. A thread that is new since then has waited from its beginning on.
    pub fn total_since(&self, earlier: &CoreWaits) -> Duration {
        Duration::from_nanos(self.since(earlier).map(|since| since.nanoseconds).sum())
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

/// The threads of a `task` folder, each with the file that holds its waits.
fn threads(folder: &Path) -> Vec<(u32, PathBuf)> {
    let mut threads = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some(thread) = entry.file_name().to_str().and_then(|name| name.parse().ok()) {
            threads.push((thread, entry.path().join("schedstat")));
        }
    }
    threads
}

/// Age at which a list of threads is made anew.
const LIST_INTERVAL: Duration = Duration::from_millis(100);
/// Bytes of the three numbers of a thread at most.
const MAX_BYTES: usize = 64;

/// Waits that are asked for again and again: the files in which they stand stay open.
#[derive(Debug)]
pub struct WaitGauge {
    /// The folder of all threads of a process, and when it was last looked into; none if the threads were chosen.
    folder: Option<(PathBuf, Option<Instant>)>,
    files: Vec<(u32, File)>,
}

impl WaitGauge {
    /// A gauge of all threads of a process. One that began a moment ago may be missing.
    pub fn of(process: u32) -> WaitGauge {
        WaitGauge { folder: Some((PathBuf::from(format!("/proc/{process}/task")), None)), files: Vec::new() }
    }

    /// A gauge of these threads of this process.
    pub fn of_own(threads: &[u32]) -> WaitGauge {
        let open = |&thread: &u32| Some((thread, File::open(format!("/proc/self/task/{thread}/schedstat")).ok()?));
        WaitGauge { folder: None, files: threads.iter().filter_map(open).collect() }
    }

    /// The waits so far.
    pub fn read(&mut self) -> CoreWaits {
        if let Some((folder, listed)) = &mut self.folder
            && listed.is_none_or(|at| at.elapsed() >= LIST_INTERVAL)
        {
            self.files = threads(folder)
                .into_iter()
                .filter_map(|(thread, path)| Some((thread, File::open(path).ok()?)))
                .collect();
            *listed = Some(Instant::now());
        }
        let mut all = HashMap::new();
        for (thread, file) in &self.files {
            let mut bytes = [0; MAX_BYTES];
            let Ok(length) = read_beginning(file, &mut bytes) else { continue };
            if let Some(waits) = str::from_utf8(&bytes[..length]).ok().and_then(parse_waits) {
                all.insert(*thread, waits);
            }
        }
        CoreWaits(all)
    }
}

#[cfg(unix)]
fn read_beginning(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn read_beginning(_: &File, _: &mut [u8]) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Time for which the present thread has waited for a core so far; none where the system does not tell.
pub fn core_wait() -> Duration {
    if !cfg!(target_os = "linux") {
        return Duration::ZERO;
    }
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(parse_waits(&text).unwrap_or_default().nanoseconds)
}

/// The second and third number of a `schedstat`; before them stands the time on a core.
fn parse_waits(text: &str) -> Option<Waits> {
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
    fn the_waits_of_all_threads_add_up() {
        let earlier = waits(&[(1, 5_000_000), (2, 900_000_000)]);
        let later = waits(&[(1, 45_000_000), (2, 910_000_000), (3, 7_000_000)]);
        assert_eq!(later.total_since(&earlier), Duration::from_millis(57));
        assert_eq!(waits(&[(2, 900_000_000), (3, 7_000_000)]).total_since(&earlier), Duration::from_millis(7));
        assert_eq!(earlier.total_since(&earlier), Duration::ZERO);
        assert_eq!(waits(&[]).total_since(&earlier), Duration::ZERO, "it has ended, or nobody tells");
    }

    #[cfg(target_os = "linux")]
    fn own_thread() -> u32 {
        fs::read_link("/proc/thread-self").unwrap().file_name().unwrap().to_str().unwrap().parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_gauge_tells_what_the_system_does_also_of_threads_that_end_and_begin() {
        let mut gauge = WaitGauge::of(std::process::id());
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || _ = ended.recv());
        let known = gauge.read();
        // Waits only grow, so each lies between what was told before and after.
        let now = CoreWaits::own();
        assert!(
            known.0.iter().all(|(thread, one)| now.0.get(thread).is_none_or(|all| all.nanoseconds >= one.nanoseconds))
        );
        let own = own_thread();
        assert!(known.0.contains_key(&own) || now.0.is_empty());
        let only = WaitGauge::of_own(&[own, u32::MAX]).read();
        assert!(only.0.keys().all(|&thread| thread == own) && only.0.len() == now.0.len().min(1));
        drop(end);
        thread.join().unwrap();
        assert!(gauge.read().0.contains_key(&own) || now.0.is_empty(), "a thread that has ended is left out");
        assert_eq!(WaitGauge::of(u32::MAX).read(), CoreWaits::default());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_that_others_keep_from_its_core_is_seen_to_wait() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let own = own_thread();
        let mut gauge = WaitGauge::of_own(&[own]);
        let before = gauge.read();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 * crate::system::cores() {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        std::hint::spin_loop()
                    }
                });
            }
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(300) {}
            is_over.store(true, Ordering::Relaxed);
        });
        let waited = gauge.read().total_since(&before);
        assert!(waited > Duration::from_millis(20) || before.0.is_empty(), "{waited:?} of 300 ms");
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
        assert_eq!(parse_waits("7219 128 44\n"), Some(Waits { nanoseconds: 128, turns: 44 }));
        assert_eq!([parse_waits(""), parse_waits("7219 128"), parse_waits("a b c")], [None; 3]);
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
