//! Suspending a task in the middle of its calls, and going on there (Asyncify of Binaryen, Zakai 2019).
//!
//! `wasm-opt --asyncify` gives every function that may lead to [`suspend`] a second way out and in: it unwinds with its
//! variables stored in a buffer, and is rewound from there. The four functions imported from `asyncify` are replaced by
//! that pass. What lies on the stack in memory stays: a slice ends without giving it back, and whatever runs between
//! two slices has its frames below. For that `run_slice` and its callers up to the host must have no such frame
//! themselves: they call functions and keep nothing whose address is taken.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU8, Ordering};

#[link(wasm_import_module = "asyncify")]
unsafe extern "C" {
    fn start_unwind(buffer: *mut Buffer);
    fn stop_unwind();
    fn start_rewind(buffer: *mut Buffer);
    fn stop_rewind();
}

/// Bytes for the variables of the functions of the deepest line.
const BUFFER_BYTES: usize = 1 << 20;

/// The buffer as Asyncify wants it: where the next byte goes, and the end.
#[repr(C)]
struct Buffer {
    next: *mut u8,
    end: *mut u8,
    bytes: [u8; BUFFER_BYTES],
}

/// A buffer that only the running slice uses.
struct Shared(UnsafeCell<Buffer>);

// SAFETY: this target has one thread.
unsafe impl Sync for Shared {}

static BUFFER: Shared =
    Shared(UnsafeCell::new(Buffer { next: std::ptr::null_mut(), end: std::ptr::null_mut(), bytes: [0; BUFFER_BYTES] }));

/// No task runs.
const OUTSIDE: u8 = 0;
/// A task runs.
const RUNNING: u8 = 1;
/// The calls are being unwound, or have been.
const SUSPENDED: u8 = 2;
/// The calls are being rewound.
const REWINDING: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(OUTSIDE);

/// Ends the slice of the running task; returns in the next one. Does nothing outside of a task.
#[inline(never)]
pub(crate) fn suspend() {
    match STATE.load(Ordering::Relaxed) {
        REWINDING => {
            STATE.store(RUNNING, Ordering::Relaxed);
            // SAFETY: the rewinding of `run_slice` has come to its end here, where the unwinding began.
            unsafe { stop_rewind() }
        }
        RUNNING => {
            STATE.store(SUSPENDED, Ordering::Relaxed);
            let buffer = BUFFER.0.get();
            // SAFETY: nobody else uses the buffer; Asyncify keeps to its ends and traps where they do not suffice. All
            // functions between `run_slice` and this one were given their second way out.
            unsafe {
                (*buffer).next = (&raw mut (*buffer).bytes).cast();
                (*buffer).end = (*buffer).next.add(BUFFER_BYTES);
                start_unwind(buffer);
            }
        }
        _ => {}
    }
}

/// Begins a slice: a suspended task is rewound by the calls that follow. Inlined, for Asyncify leaves a function as it
/// is that calls this.
#[inline(always)]
pub(crate) fn enter() {
    if STATE.load(Ordering::Relaxed) == SUSPENDED {
        STATE.store(REWINDING, Ordering::Relaxed);
        // SAFETY: the buffer holds what the last unwinding stored.
        unsafe { start_rewind(BUFFER.0.get()) }
    } else {
        STATE.store(RUNNING, Ordering::Relaxed);
    }
}

/// Ends a slice, in the function that began it.
#[inline(always)]
pub(crate) fn leave() {
    if STATE.load(Ordering::Relaxed) == SUSPENDED {
        // SAFETY: the unwinding that `suspend` began has come to its end here.
        unsafe { stop_unwind() }
    } else {
        STATE.store(OUTSIDE, Ordering::Relaxed);
    }
}
