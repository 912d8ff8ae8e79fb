//! Notes that the threads of a search make for each other, besides the tables that they share.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The notes of all threads of a search.
#[derive(Debug)]
pub(super) struct Team {
    /// Threads that search.
    threads: AtomicUsize,
    /// Changes of the helpers' best moves since the first thread asked last.
    changes: AtomicU32,
    /// Threads for which another iteration is not worth its time.
    finished: AtomicUsize,
}

impl Default for Team {
    /// A single thread.
    fn default() -> Team {
        Team { threads: AtomicUsize::new(1), changes: AtomicU32::new(0), finished: AtomicUsize::new(0) }
    }
}

impl Team {
    /// Begins a search with so many threads.
    pub(super) fn assemble(&self, threads: usize) {
        self.threads.store(threads, Ordering::Relaxed);
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.load(Ordering::Relaxed)
    }

    /// A helper's best move has changed.
    pub(super) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes the number of changes of the helpers' best moves since the last call.
    pub(super) fn take_changes(&self) -> u32 {
        self.changes.swap(0, Ordering::Relaxed)
    }

    /// A thread changes its mind on whether another iteration is worth its time.
    pub(super) fn vote(&self, is_finished: bool) {
        if is_finished {
            self.finished.fetch_add(1, Ordering::Relaxed);
        } else {
            self.finished.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Tests whether another iteration is not worth its time for most threads; of half of them the first must be one.
    pub(super) fn is_finished(&self, for_the_first: bool) -> bool {
        2 * self.finished.load(Ordering::Relaxed) + usize::from(for_the_first) > self.threads()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_thread_decides_alone_and_of_two_the_first() {
        let team = Team::default();
        assert!(!team.is_finished(false));
        team.vote(true);
        assert!(team.is_finished(true));
        team.vote(false);
        team.assemble(2);
        team.vote(true);
        assert!(team.is_finished(true) && !team.is_finished(false));
    }

    #[test]
    fn most_threads_decide_and_may_change_their_minds() {
        let team = Team::default();
        team.assemble(5);
        (0..2).for_each(|_| team.vote(true));
        assert!(!team.is_finished(true));
        team.vote(true);
        assert!(team.is_finished(false));
        team.vote(false);
        assert!(!team.is_finished(true));
    }

    #[test]
    fn changes_are_taken_once() {
        let team = Team::default();
        team.note_change();
        team.note_change();
        assert_eq!((team.take_changes(), team.take_changes()), (2, 0));
    }
}
