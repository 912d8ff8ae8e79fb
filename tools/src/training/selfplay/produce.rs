//! Making games or other items on several threads and writing them in their order.

use super::{Player, SelfPlayFault, SelfPlaySettings};
use crate::training::DataError;
use komainu::search::STACK_BYTES;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Longest time in which the caller hears nothing from a run.
const TICK: Duration = Duration::from_millis(500);

/// Makes an item, such as a game, of each job, on threads with a stack of [`STACK_BYTES`], and writes them in the order
/// of the jobs: until none is left, `write` says that no more is wanted, or a stop is asked for; items that have begun
/// are made to their end. `on_progress` is called with each item that was written, and without one twice a second.
pub(in crate::training) fn produce<J, T: Send>(
    settings: &SelfPlaySettings,
    threads: usize,
    jobs: impl Iterator<Item = Result<J, SelfPlayFault>> + Send,
    make: impl Fn(&mut Player<'_>, J) -> Result<T, SelfPlayFault> + Sync,
    mut write: impl FnMut(&T) -> Result<bool, DataError>,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(Option<&T>),
) -> Result<(), DataError> {
    let jobs = &Mutex::new(jobs.enumerate());
    let make = &make;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for id in 0..threads.max(1) {
            let sender = sender.clone();
            let is_over = &is_over;
            let work = move || {
                let _guard = EndWithMe(is_over);
                let mut player = Player::new(settings);
                if player.is_err() && id > 0 {
                    // Without memory for all, the first goes on with those that have it.
                    return;
                }
                while !stop.load(Ordering::Relaxed) && !is_over.load(Ordering::Relaxed) {
                    let next = jobs.lock().expect("no thread panics while it reads").next();
                    let Some((number, job)) = next else { return };
                    let player = player.as_mut().map_err(|fault| fault.clone());
                    let item = player.and_then(|player| make(player, job?));
                    if sender.send((number, item)).is_err() {
                        return;
                    }
                }
            };
            match thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work) {
                Ok(_) => (),
                Err(error) if id == 0 => return DataError::refused(format_args!("no thread to play on: {error}")),
                // A system that gives no more threads gives fewer items at a time.
                Err(_) => break,
            }
        }
        drop(sender);
        // Items that wait for one before them.
        let mut waiting = BTreeMap::new();
        let mut written = 0;
        let mut is_enough = false;
        let result = 'work: loop {
            let (number, item) = match receiver.recv_timeout(TICK) {
                Ok(made) => made,
                Err(RecvTimeoutError::Timeout) => {
                    on_progress(None);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            };
            match item {
                Ok(item) => waiting.insert(number, item),
                Err(fault) => break DataError::refused(fault),
            };
            while !is_enough && let Some(item) = waiting.remove(&written) {
                match write(&item) {
                    Ok(enough) => is_enough = enough,
                    Err(error) => break 'work Err(error),
                }
                written += 1;
                on_progress(Some(&item));
            }
            if is_enough {
                is_over.store(true, Ordering::Relaxed);
            }
        };
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

/// Ends the run if its thread panics: the item that is then missing would keep all later ones from being written.
struct EndWithMe<'a>(&'a AtomicBool);

impl Drop for EndWithMe<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
