//! Interrupts of long work.

use crate::cli::terminal::Failure;
use std::io::{Write, stderr};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that an interrupt sets, with a word on what happens next; the second one ends the program at once, which does
/// no harm to files that are never half written.
pub(super) fn stop_on_interrupt(word: &'static str) -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
        _ = writeln!(stderr(), "komainu: {word}; once more to stop at once");
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::Usage(format!("no handler of interrupts: {error}")))?;
    Ok(stop)
}
