//! The host as the standard library knows it.

use std::time::SystemTime;
use std::{io, process, thread};

/// True once there is a clock.
pub fn has_clock() -> bool {
    true
}

/// A number that two games, and two engines that start at the same moment, do not share.
pub fn seed() -> u64 {
    let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos() as u64);
    now ^ u64::from(process::id()) << 40
}

/// Runs this on a thread of its own with this name. An error means that the system has no thread to give.
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.into()).spawn(body).map(drop)
}

/// Lets others run, where there is one thread for all: here the system sees to that.
#[inline(always)]
pub fn give_way() {}
