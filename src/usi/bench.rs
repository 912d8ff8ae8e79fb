//! `bench` as a line of the input, as test systems send it: the work of `komainu bench`, on a thread of its own.

use super::evaluation::EvalSource;
use super::event::Event;
use super::event_queue::EventQueue;
use super::output::Output;
use crate::search::bench::{self, Searched, Stop};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// A bench that is under way.
pub(super) struct Bench {
    stop: Arc<Stop>,
}

impl Bench {
    /// Starts one. It says its lines itself and reports its end as an [`Event`].
    pub(super) fn start(
        depth: usize,
        eval_source: EvalSource,
        out: Arc<Output>,
        queue: Arc<EventQueue>,
    ) -> io::Result<Bench> {
        let stop = Arc::new(Stop::default());
        let for_thread = Arc::clone(&stop);
        thread::Builder::new().name("bench".into()).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| answer(depth, &eval_source, &for_thread, &out))).is_err() {
                out.info_string("error: bench: the search broke down");
            }
            queue.push_event(Event::BenchEnded);
        })?;
        Ok(Bench { stop })
    }

    /// Ends it without a result.
    pub(super) fn stop(&self) {
        self.stop.stop();
    }
}

/// Says what `komainu bench` prints. Without the net that was asked for there is no number: it would be another net's.
fn answer(depth: usize, eval_source: &EvalSource, stop: &Stop, out: &Output) {
    let loaded = eval_source.load();
    if loaded.has_failed {
        loaded.info_string.into_iter().for_each(|info_string| out.info_string(info_string));
        return out.info_string("error: bench: no number without the net that was chosen");
    }
    match bench::run(depth, loaded.evaluation, stop, |searched: Searched| out.line(searched)) {
        Ok(total) => out.line(total),
        Err(error) => out.info_string(format_args!("error: bench: {error}")),
    }
}
