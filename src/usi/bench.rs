//! `bench` as a line of the input, as test systems send it: the work of `komainu bench`, on the table thread.

use super::evaluation::EvalSource;
use super::event::Event;
use super::event_queue::EventQueue;
use super::output::Output;
use super::table_thread::TableThread;
use crate::search::bench::{self, DEFAULT_DEPTH, DEPTHS, Searched};
use crate::types::{Quoted, StopToken};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The depth of a bench, which is all that may follow the word; an error names what is no depth.
pub(super) fn depth(text: &str) -> Result<usize, String> {
    let mut words = text.split_ascii_whitespace();
    let Some(word) = words.next() else { return Ok(DEFAULT_DEPTH) };
    let error = |word| format!("{} is no depth from {} to {}", Quoted(word), DEPTHS.start(), DEPTHS.end());
    let depth = word.parse().ok().filter(|depth| DEPTHS.contains(depth)).ok_or_else(|| error(word))?;
    words.next().map_or(Ok(depth), |more| Err(error(more)))
}

/// A bench that is under way.
pub(super) struct Bench {
    stop: StopToken,
}

impl Bench {
    /// Starts one. It says its lines itself and reports its end as an [`Event`].
    pub(super) fn start(
        depth: usize,
        eval_source: EvalSource,
        table_thread: &TableThread,
        out: Arc<Output>,
        queue: Arc<EventQueue>,
    ) -> Bench {
        let stop = StopToken::new();
        let for_thread = stop.clone();
        table_thread.submit(move || {
            if catch_unwind(AssertUnwindSafe(|| answer(depth, &eval_source, &for_thread, &out))).is_err() {
                out.info_string("error: bench: the search broke down");
            }
            queue.push_event(Event::BenchEnded);
        });
        Bench { stop }
    }

    /// Ends it without a result.
    pub(super) fn stop(&self) {
        self.stop.stop();
    }
}

/// Says what `komainu bench` prints. Without the net that was asked for there is no number: it would be another net's.
fn answer(depth: usize, eval_source: &EvalSource, stop: &StopToken, out: &Output) {
    let loaded = eval_source.load(None);
    if loaded.has_failed {
        loaded.info_strings.into_iter().for_each(|info_string| out.info_string(info_string));
        return out.info_string("error: bench: no number without the net that was chosen");
    }
    match bench::run(depth, loaded.evaluation, stop, |searched: Searched| out.line(searched)) {
        Ok(total) => out.line(total),
        Err(error) => out.info_string(format_args!("error: bench: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_has_a_depth_or_the_usual_one() {
        assert_eq!(depth(""), Ok(DEFAULT_DEPTH));
        assert_eq!(depth("5"), Ok(5));
        for (text, word) in [("0", "0"), ("101", "101"), ("x 5", "x"), ("5 x", "x")] {
            assert_eq!(depth(text), Err(format!("\"{word}\" is no depth from 1 to 100")), "{text}");
        }
    }
}
