//! A program that has given no clock, for `wasm/test/clock.test.mjs`: searches by time are refused by name, others run.

use komainu::host::{begin_slice, has_clock};
use komainu::position::{GameRules, Position};
use komainu::search::{Clock, HistorySize, Limits, SearchError, ThreadPool};
use komainu::types::StopToken;
use std::time::Duration;

/// Tells what holds, one bit each: no clock, a search by `movetime` refused, one by a game's clock, one by nodes run.
#[unsafe(no_mangle)]
pub extern "C" fn without_clock() -> u32 {
    // Nothing is suspended: there is no Asyncify here.
    begin_slice(f64::INFINITY);
    let mut pool = ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build();
    let mut search = |limits: Limits| {
        let position = Position::startpos();
        let rules = GameRules::default();
        pool.search(&position, rules, &limits, &StopToken::new(), &mut |_| ())
    };
    let is_refused = |answer: Result<_, SearchError>| {
        let told = answer.err().map(|error| (error, error.to_string()));
        told.is_some_and(|(error, text)| error == SearchError::NoClock && text.contains("host::install"))
    };
    let second = Duration::from_secs(1);
    let by_movetime = search(Limits { movetime: Some(second), ..Limits::default() });
    let by_clock = search(Limits { clock: Some(Clock { time: second, ..Clock::default() }), ..Limits::default() });
    let by_nodes = search(Limits::to_nodes(500));
    let holds =
        [!has_clock(), is_refused(by_movetime), is_refused(by_clock), by_nodes.is_ok_and(|it| it.report.is_some())];
    holds.into_iter().enumerate().map(|(bit, holds)| u32::from(holds) << bit).sum()
}
