//! Komainu for a program that runs WebAssembly: functions to call, and functions that it has to give.
//!
//! | export | does |
//! | --- | --- |
//! | `k_alloc(len) -> ptr`, `k_free(ptr, len)` | memory for a text that goes in |
//! | `k_line(ptr, len)` | takes one line of USI, and does what takes a few milliseconds |
//! | `k_poll(ms) -> i32` | works for about so many milliseconds; 1 while an answer is owed |
//! | `k_quit()` | ends the session: nothing is said after that |
//! | `k_call(ptr, len)` | with the feature `questions`: answers a question in JSON (`komainu_tools::browser`); what is found on the way goes to `part`, the answer to `reply` |
//! | `k_perft(ptr, len, depth) -> f64` | sequences of so many moves from a SFEN; -1 if it is none |
//!
//! | import (`env`) | gives |
//! | --- | --- |
//! | `now() -> f64` | milliseconds of a clock that never goes back |
//! | `seed(ptr, len)` | fills the memory with random bytes |
//! | `out(ptr, len)` | takes a line of the engine, without its end |
//! | `err(ptr, len)` | takes a message about a breakdown |
//! | `part(ptr, len)`, `reply(ptr, len)` | with the feature `questions`: take a part of an answer, and the answer |
//!
//! Texts are UTF-8. The exported functions that run a slice hold no variables in memory: what a suspended search has on its
//! stack lies below (see `host/suspend.rs` of the library).

mod gate;
mod memory;

use komainu::host::{Host, begin_slice, has_task, install, lock, run_slice};
use komainu::movegen::perft;
use komainu::position::Position;
use komainu::usi::DrivenSession;
#[cfg(feature = "questions")]
use komainu_tools::browser::Answerer;
use std::sync::{Mutex, MutexGuard, Once};

/// Milliseconds for which a line is followed by work at once: a `stop` is answered, a small table made, the first iterations
/// of a search done.
const AFTER_LINE: f64 = 4.0;

static SESSION: Mutex<Option<DrivenSession>> = Mutex::new(None);

/// Memory for a text of so many bytes that goes in; the next call of `k_line` or `k_call` may read it. Null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn k_alloc(len: usize) -> *mut u8 {
    memory::alloc(len)
}

/// Gives memory back that `k_alloc` gave for this length.
#[unsafe(no_mangle)]
pub extern "C" fn k_free(ptr: *mut u8, len: usize) {
    memory::free(ptr, len);
}

/// Takes one line of USI, without its end, and works for a few milliseconds.
#[unsafe(no_mangle)]
pub extern "C" fn k_line(ptr: *const u8, len: usize) {
    take_line(ptr, len);
    work(AFTER_LINE);
}

/// Works for about so many milliseconds, less if there is nothing to do. Returns 1 while an answer is owed, else 0.
#[unsafe(no_mangle)]
pub extern "C" fn k_poll(millis: f64) -> i32 {
    work(millis);
    owes_answer()
}

/// Ends the session: nothing is said from now on.
#[unsafe(no_mangle)]
pub extern "C" fn k_quit() {
    if let Some(session) = &mut *session() {
        session.end();
    }
}

/// Answers a question about rules, records or an analysis, and works until it is answered.
#[cfg(feature = "questions")]
#[unsafe(no_mangle)]
pub extern "C" fn k_call(ptr: *const u8, len: usize) {
    static ANSWERER: Mutex<Option<Answerer>> = Mutex::new(None);
    prepare();
    let question = String::from_utf8_lossy(memory::bytes(ptr, len));
    let mut answerer = lock(&ANSWERER);
    let answer = answerer.get_or_insert_default().answer(&question, &mut |part| gate::part(part));
    gate::reply(&answer);
}

/// The number of sequences of `depth` legal moves from a SFEN; -1 if it is none.
#[unsafe(no_mangle)]
pub extern "C" fn k_perft(ptr: *const u8, len: usize, depth: u32) -> f64 {
    let sfen = String::from_utf8_lossy(memory::bytes(ptr, len));
    let Ok(mut position) = Position::from_sfen(&sfen) else { return -1.0 };
    perft(&mut position, depth).map_or(-1.0, |nodes| nodes as f64)
}

/// One slice, and what follows from it.
#[inline(always)]
fn work(millis: f64) {
    begin_slice(millis);
    if has_task() {
        run_slice();
        turn();
    }
}

#[inline(never)]
fn take_line(ptr: *const u8, len: usize) {
    let line = memory::bytes(ptr, len);
    session().get_or_insert_with(start).line(line);
}

#[inline(never)]
fn turn() {
    if let Some(session) = &mut *session() {
        session.turn();
    }
}

#[inline(never)]
fn owes_answer() -> i32 {
    session().as_ref().is_some_and(DrivenSession::owes_answer).into()
}

fn start() -> DrivenSession {
    prepare();
    DrivenSession::new(gate::Lines).expect("tasks need no threads")
}

/// Takes the functions of the host.
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        install(Host { now: gate::now, seed: gate::seed });
        std::panic::set_hook(Box::new(|panic| gate::err(&panic.to_string())));
    });
}

fn session() -> MutexGuard<'static, Option<DrivenSession>> {
    // A breakdown ends the program: nothing is left half done.
    lock(&SESSION)
}
