//! Waits for a core during a move: of the engine, and of the thread of this program that speaks to it.
//!
//! Three wait one after the other before an answer is here: the thread that writes `go`, the engine, and that thread
//! again as it reads the answer. On a busy machine each of them may wait for longer than a move has time.

use crate::client::UsiEngine;
use crate::process::own_thread;
use komainu::system::{CoreWaits, WaitGauge};
use std::time::{Duration, Instant};

/// Watch over the waits of an engine's moves.
#[derive(Debug)]
pub(super) struct MoveWaits {
    process: Option<u32>,
    gauges: [Option<WaitGauge>; 2],
    /// The waits of the engine and of this program when the move began, or a little before, and when they were asked
    /// for.
    before: [CoreWaits; 2],
    asked_at: Option<Instant>,
}

/// Part of the time of a move by which the waits that count for it may have begun before it. Asking costs as much as
/// all else between two moves: where they are short, the waits are not asked for before each of them.
const SLACK: u32 = 20;

impl MoveWaits {
    /// A watch by the thread that writes to an engine.
    pub(super) fn of(engine: &UsiEngine) -> MoveWaits {
        let process = engine.process_id();
        let gauges = [process.map(WaitGauge::of), process.map(|_| WaitGauge::of_own(own_thread().as_slice()))];
        MoveWaits { process, gauges, before: Default::default(), asked_at: None }
    }

    /// A move begins that may take so long.
    pub(super) fn begin(&mut self, time: Duration) {
        if self.asked_at.is_none_or(|at| at.elapsed() > time / SLACK) {
            self.before = self.gauges.each_mut().map(|gauge| gauge.as_mut().map(WaitGauge::read).unwrap_or_default());
            self.asked_at = Some(Instant::now());
        }
    }

    /// The waits since the move has begun, one after the other.
    pub(super) fn so_far(&mut self) -> Duration {
        // Without the gauge, which may not know a thread that is new.
        let engine = self.process.map(CoreWaits::of).unwrap_or_default();
        let own = self.gauges[1].as_mut().map(WaitGauge::read).unwrap_or_default();
        engine.total_since(&self.before[0]) + own.total_since(&self.before[1])
    }
}
