//! Interrupts of long work: SIGINT, SIGTERM, SIGHUP, and Ctrl-C or a closed window on Windows; and its stop files.

use crate::settings::StopFile;
use crate::terminal::{Failure, INTERRUPTED, complain};
use komainu::host::lock;
use komainu::storage::exit_without_traces;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What an interrupt does: the function of the command, up to the interrupt of this number.
static ACTION: Mutex<Option<(u32, Box<Action>)>> = Mutex::new(None);

type Action = dyn FnMut(u32) + Send;

/// Sees to it that an interrupt ends every command with the same exit code, and leaves no temporary file.
pub(super) fn heed_interrupts() -> Result<(), Failure> {
    let mut count = 0;
    let handler = move || {
        count += 1;
        match &mut *lock(&ACTION) {
            Some((last, function)) if count < *last => function(count),
            _ => exit_without_traces(INTERRUPTED.into()),
        }
    };
    match ctrlc::set_handler(handler) {
        // A program that runs several commands has it already.
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(Failure::Usage(format!("no handler of interrupts: {error}"))),
    }
}

/// Calls a function with the number of each interrupt from 1 on; the interrupt of the number `last` ends the program at
/// once, which does no harm to files that are never half written. A program has one such function.
pub(super) fn on_interrupt(last: u32, function: impl FnMut(u32) + Send + 'static) {
    *lock(&ACTION) = Some((last, Box::new(function)));
}

/// A flag that the first interrupt sets, with a word on what happens next; the second one ends the program.
pub(super) fn stop_on_interrupt(word: &'static str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    on_interrupt(2, move |_| {
        flag.store(true, Ordering::Relaxed);
        complain(format_args!("{word}; once more to stop at once"));
    });
    stop
}

/// Time between two looks for a stop file.
const LOOK: Duration = Duration::from_millis(250);

/// A request to end long work early.
pub(super) struct Stop {
    /// Set once the work is to end.
    pub(super) flag: Arc<AtomicBool>,
    /// Set if a stop file was the reason.
    by_file: Arc<AtomicBool>,
    file: StopFile,
}

impl Stop {
    /// A request by the first interrupt, as [`stop_on_interrupt`], or by the stop file.
    pub(super) fn on_interrupt_or_file(word: &'static str, file: &StopFile) -> Result<Stop, Failure> {
        let stop = Stop { flag: stop_on_interrupt(word), by_file: Arc::default(), file: file.clone() };
        if !stop.look() && file.path().is_some() {
            let watch = Stop { flag: stop.flag.clone(), by_file: stop.by_file.clone(), file: file.clone() };
            let look = move || {
                while !watch.flag.load(Ordering::Relaxed) && !watch.look() {
                    thread::sleep(LOOK);
                }
            };
            let watching = thread::Builder::new().name("stop file".to_string()).spawn(look);
            watching.map_err(|error| Failure::Usage(format!("no thread that looks for {file}: {error}")))?;
        }
        Ok(stop)
    }

    /// Looks for the file, which ends the work if it is there.
    fn look(&self) -> bool {
        let is_there = self.file.is_there();
        if is_there && !self.flag.swap(true, Ordering::Relaxed) {
            self.by_file.store(true, Ordering::Relaxed);
        }
        is_there
    }

    /// Tests whether work that was ended early is a success: a stop file was meant.
    pub(super) fn is_by_file(&self) -> bool {
        self.by_file.load(Ordering::Relaxed)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_by_file() {
            return write!(f, "stopped by {}", self.file);
        }
        f.write_str("interrupted")
    }
}
