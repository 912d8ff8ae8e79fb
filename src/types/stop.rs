//! The order to stop, from outside to a running computation.

use crate::host::lock;
#[cfg(all(feature = "search", target_family = "wasm"))]
use crate::host::rest;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
#[cfg(feature = "search")]
use std::time::Duration;

/// An order to stop, given from any thread: to a search, a mate solver, a perft. Clones share one order.
///
/// A computation that meets a token which is stopped already ends at once. [`StopToken::reset`] makes it good for
/// another one.
///
/// ```
/// use komainu::movegen::{Divide, PerftError, divide};
/// use komainu::position::Position;
/// use komainu::types::StopToken;
/// use std::thread;
///
/// let stop = StopToken::new();
/// let how = Divide { stop: Some(&stop), ..Divide::default() };
/// let counts = thread::scope(|scope| {
///     // It would take years.
///     let perft = scope.spawn(|| divide(&Position::startpos(), 12, &how));
///     stop.clone().stop();
///     perft.join().expect("a perft does not panic")
/// });
/// assert_eq!(counts, Err(PerftError::Stopped));
/// stop.reset();
/// assert_eq!(divide(&Position::startpos(), 1, &how).map(|counts| counts.len()), Ok(30));
/// ```
#[derive(Clone, Default)]
pub struct StopToken(Arc<Shared>);

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    /// Guards nothing but the wait for `changed`.
    lock: Mutex<()>,
    changed: Condvar,
}

impl StopToken {
    /// A token that is not stopped.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// Orders whatever runs with this token or a clone of it to stop. Returns at once.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
        self.wake();
    }

    /// Tests whether the order has been given.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    /// Takes the order back. What has met it stops nevertheless.
    pub fn reset(&self) {
        self.0.stopped.store(false, Ordering::Release);
    }
}

/// For those who wait with a token: several things may wake them.
impl StopToken {
    /// Has all waiters look again.
    pub(crate) fn wake(&self) {
        let _guard = lock(&self.0.lock);
        self.0.changed.notify_all();
    }

    /// Waits until a condition holds, which is asked at first and after each [`StopToken::wake`].
    #[cfg(all(feature = "search", not(target_family = "wasm")))]
    pub(crate) fn wait_until(&self, mut holds: impl FnMut() -> bool) {
        let mut guard = lock(&self.0.lock);
        while !holds() {
            guard = self.0.changed.wait(guard).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Waits for a [`StopToken::wake`], but no longer than this. Returns whether none came.
    #[cfg(all(feature = "search", not(target_family = "wasm")))]
    pub(crate) fn nap(&self, time: Duration) -> bool {
        self.0
            .changed
            .wait_timeout(lock(&self.0.lock), time)
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .1
            .timed_out()
    }

    /// Waits until a condition holds, which is asked at first and in each slice.
    #[cfg(all(feature = "search", target_family = "wasm"))]
    pub(crate) fn wait_until(&self, mut holds: impl FnMut() -> bool) {
        while !holds() {
            rest();
        }
    }

    /// Waits until the next slice, in which the caller looks for orders. Returns whether it waited.
    #[cfg(all(feature = "search", target_family = "wasm"))]
    pub(crate) fn nap(&self, _time: Duration) -> bool {
        rest();
        true
    }
}

impl fmt::Debug for StopToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StopToken").field(&self.is_stopped()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_order_and_a_reset_takes_it_back() {
        let stop = StopToken::new();
        let clone = stop.clone();
        assert!(!clone.is_stopped());
        stop.stop();
        assert!(clone.is_stopped());
        clone.reset();
        assert!(!stop.is_stopped());
        assert_eq!(format!("{stop:?}"), "StopToken(false)");
    }

    #[test]
    #[cfg(feature = "search")]
    fn a_waiter_wakes_with_the_order() {
        let stop = StopToken::new();
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| stop.wait_until(|| stop.is_stopped()));
            stop.stop();
            waiter.join().unwrap();
        });
        assert!(stop.nap(Duration::from_millis(1)));
    }
}
