//! Making games on several threads and writing them in their order.

use super::{GamesOutput, GamesOutputError, SelfPlayError, SelfPlayFault, Target};
use crate::search::STACK_BYTES;
use crate::training::games::Game;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Where games come from, one for each place of a file.
pub(in crate::training) trait GameSource: Sync {
    /// State that a thread keeps from game to game.
    type Worker;
    /// Material of which a game is made.
    type Job;

    /// Makes the state with which a thread begins.
    fn worker(&self) -> Result<Self::Worker, SelfPlayFault>;

    /// The next place, counted from 0, with what its game is made of, or why that is not to be had; `None` after the last.
    fn next(&self) -> Option<(u64, Result<Self::Job, SelfPlayFault>)>;

    /// Makes a game. The thread has a stack of [`STACK_BYTES`].
    fn game(&self, worker: &mut Self::Worker, job: Self::Job) -> Result<Game, SelfPlayFault>;
}

/// Longest time in which the caller hears nothing from a run.
const TICK: Duration = Duration::from_millis(500);

/// Makes games until the target is met or a stop is asked for; those that have begun are made to their end.
pub(in crate::training) fn produce<S: GameSource>(
    source: &S,
    target: Target,
    threads: usize,
    output: &mut GamesOutput,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(Option<&Game>),
) -> Result<(), SelfPlayError> {
    let is_over = AtomicBool::new(target.is_met(output.games(), output.positions()));
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        for id in 0..threads.max(1) {
            let (sender, is_over) = (sender.clone(), &is_over);
            let work = move || {
                let _guard = EndWithMe(is_over);
                let may_begin = || !stop.load(Ordering::Relaxed) && !is_over.load(Ordering::Relaxed);
                let mut worker = source.worker();
                while may_begin() {
                    let Some((place, job)) = source.next() else { return };
                    let worker = worker.as_mut().map_err(|fault| fault.clone());
                    let game = worker.and_then(|worker| source.game(worker, job?));
                    if sender.send((place, game)).is_err() {
                        return;
                    }
                }
            };
            match thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work) {
                Ok(_) => (),
                Err(error) if id == 0 => return Err(SelfPlayError::Thread(error)),
                // A system that gives no more threads gives fewer games at a time.
                Err(_) => break,
            }
        }
        drop(sender);
        // Games that wait for one before them.
        let mut waiting = BTreeMap::new();
        let result = loop {
            let (place, game) = match receiver.recv_timeout(TICK) {
                Ok(played) => played,
                Err(RecvTimeoutError::Timeout) => {
                    on_progress(None);
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
            };
            match game {
                Ok(game) => waiting.insert(place, game),
                Err(fault) => break Err(SelfPlayError::SelfPlayFault(fault)),
            };
            if let Err(error) = write_in_order(&mut waiting, target, output, on_progress) {
                break Err(SelfPlayError::Output(error));
            }
            if target.is_met(output.games(), output.positions()) {
                is_over.store(true, Ordering::Relaxed);
            }
        };
        is_over.store(true, Ordering::Relaxed);
        result
    })
}

/// Ends the run if its thread panics: the game that is then missing would keep all later ones from being written.
struct EndWithMe<'a>(&'a AtomicBool);

impl Drop for EndWithMe<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes the games that are next in order, as long as the target is not met.
fn write_in_order(
    waiting: &mut BTreeMap<u64, Game>,
    target: Target,
    output: &mut GamesOutput,
    on_progress: &mut dyn FnMut(Option<&Game>),
) -> Result<(), GamesOutputError> {
    while !target.is_met(output.games(), output.positions())
        && let Some(game) = waiting.remove(&output.games())
    {
        output.write(&game)?;
        on_progress(Some(&game));
    }
    Ok(())
}
