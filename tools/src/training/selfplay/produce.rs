//! Making games or other items on several threads and writing them in their order.

use super::{Player, SelfPlayFault, SelfPlaySettings};
use crate::training::DataError;
use komainu::search::STACK_BYTES;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Where items come from, one for each place of a file.
pub(in crate::training) trait Source: Sync {
    /// Material of which an item is made.
    type Job;
    /// The items, such as games.
    type Item: Send;

    /// The next place, counted from 0, with what its item is made of, or why that is not to be had; `None` after the
    /// last.
    fn next(&self) -> Option<(u64, Result<Self::Job, SelfPlayFault>)>;

    /// Makes an item. The thread has a stack of [`STACK_BYTES`].
    fn make(&self, player: &mut Player<'_>, job: Self::Job) -> Result<Self::Item, SelfPlayFault>;
}

/// A file that items go to, in the order of their places.
pub(in crate::training) trait Sink {
    /// The items, such as games.
    type Item;

    /// The place that is to be written next, counted from 0.
    fn place(&self) -> u64;

    /// Tests whether no more is wanted.
    fn is_full(&self) -> bool;

    /// Writes the item of the next place.
    fn write(&mut self, item: &Self::Item) -> Result<(), DataError>;
}

/// Longest time in which the caller hears nothing from a run.
const TICK: Duration = Duration::from_millis(500);

/// Makes items until the sink is full or a stop is asked for; those that have begun are made to their end.
/// `on_progress` is called with each item that was written, and without one twice a second.
pub(in crate::training) fn produce<S: Source>(
    source: &S,
    settings: &SelfPlaySettings,
    threads: usize,
    sink: &mut dyn Sink<Item = S::Item>,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(Option<&S::Item>),
) -> Result<(), DataError> {
    let is_over = AtomicBool::new(sink.is_full());
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
                    let Some((place, job)) = source.next() else { return };
                    let player = player.as_mut().map_err(|fault| fault.clone());
                    let item = player.and_then(|player| source.make(player, job?));
                    if sender.send((place, item)).is_err() {
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
        let result = loop {
            let (place, item) = match receiver.recv_timeout(TICK) {
                Ok(made) => made,
                Err(RecvTimeoutError::Timeout) => {
                    on_progress(None);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            };
            match item {
                Ok(item) => waiting.insert(place, item),
                Err(fault) => break DataError::refused(fault),
            };
            if let Err(error) = write_in_order(&mut waiting, sink, on_progress) {
                break Err(error);
            }
            if sink.is_full() {
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

/// Writes the items that are next in order, as long as the sink is not full.
fn write_in_order<I>(
    waiting: &mut BTreeMap<u64, I>,
    sink: &mut dyn Sink<Item = I>,
    on_progress: &mut dyn FnMut(Option<&I>),
) -> Result<(), DataError> {
    while !sink.is_full()
        && let Some(item) = waiting.remove(&sink.place())
    {
        sink.write(&item)?;
        on_progress(Some(&item));
    }
    Ok(())
}
