//! The gate: the functions of the host.

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
