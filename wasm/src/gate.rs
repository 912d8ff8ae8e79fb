//! The gate: the functions of the host, and memory that both sides see.

use std::alloc::{Layout, alloc as allocate, dealloc};
use std::io::{self, Write};

/// What the host has to give.
mod env {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        pub(super) safe fn now() -> f64;
        pub(super) fn seed(ptr: *mut u8, len: usize);
        pub(super) fn out(ptr: *const u8, len: usize);
        pub(super) fn err(ptr: *const u8, len: usize);
        #[cfg(feature = "questions")]
        pub(super) fn part(ptr: *const u8, len: usize);
        #[cfg(feature = "questions")]
        pub(super) fn reply(ptr: *const u8, len: usize);
    }
}

/// Milliseconds of a clock that never goes back.
pub(crate) fn now() -> f64 {
    env::now()
}

/// A random number.
pub(crate) fn seed() -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the host writes into the eight bytes only.
    unsafe { env::seed(bytes.as_mut_ptr(), bytes.len()) };
    u64::from_le_bytes(bytes)
}

/// A message about a breakdown.
pub(crate) fn err(text: &str) {
    // SAFETY: the host reads the text only.
    unsafe { env::err(text.as_ptr(), text.len()) }
}

/// A part of the answer to a question.
#[cfg(feature = "questions")]
pub(crate) fn part(text: &str) {
    // SAFETY: the host reads the text only.
    unsafe { env::part(text.as_ptr(), text.len()) }
}

/// The answer to a question.
#[cfg(feature = "questions")]
pub(crate) fn reply(text: &str) {
    // SAFETY: the host reads the text only.
    unsafe { env::reply(text.as_ptr(), text.len()) }
}

/// The lines of the engine, each handed to the host.
pub(crate) struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n') {
            // SAFETY: the host reads the line only.
            unsafe { env::out(line.as_ptr(), line.len()) }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn layout(len: usize) -> Option<Layout> {
    Layout::from_size_align(len.max(1), 1).ok()
}

/// Memory of so many bytes; null if there is none.
pub(crate) fn alloc(len: usize) -> *mut u8 {
    // SAFETY: the layout is not empty.
    layout(len).map_or(std::ptr::null_mut(), |layout| unsafe { allocate(layout) })
}

/// Gives memory back.
pub(crate) fn free(ptr: *mut u8, len: usize) {
    if let Some(layout) = layout(len).filter(|_| !ptr.is_null()) {
        // SAFETY: the host says with which length it was given this memory.
        unsafe { dealloc(ptr, layout) }
    }
}

/// A text that the host has written.
pub(crate) fn text<'a>(ptr: *const u8, len: usize) -> &'a [u8] {
    if ptr.is_null() {
        return &[];
    }
    // SAFETY: the host has written so many bytes into memory that `alloc` gave it, and frees it after the call.
    unsafe { std::slice::from_raw_parts(ptr, len) }
}
