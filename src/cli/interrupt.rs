//! Interrupts of long work: SIGINT, SIGTERM, SIGHUP, and Ctrl-C or a closed window on Windows.

use crate::cli::terminal::{Failure, INTERRUPTED, complain};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Calls a function with the number of each interrupt from 1 on; the interrupt of the number `last` ends the program at
/// once, which does no harm to files that are never half written. A program has one such function.
pub(super) fn on_interrupt(last: u32, mut function: impl FnMut(u32) + Send + 'static) -> Result<(), Failure> {
    let mut count = 0;
    let handler = move || {
        count += 1;
        if count >= last {
            process::exit(INTERRUPTED.into());
        }
        function(count);
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Usage(format!("no handler of interrupts: {error}")))
}

/// A flag that the first interrupt sets, with a word on what happens next; the second one ends the program.
pub(super) fn stop_on_interrupt(word: &'static str) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    on_interrupt(2, move |_| {
        flag.store(true, Ordering::Relaxed);
        complain(format_args!("{word}; once more to stop at once"));
    })?;
    Ok(stop)
}
