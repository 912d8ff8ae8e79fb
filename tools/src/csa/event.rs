//! Events of the threads of the client: all of them come through one channel.

use crate::client::EngineLine;
use crate::process::OutputLine;
use std::io;
use std::net::TcpStream;

/// Events that wait to be handled; whoever has more waits.
pub(super) const MAX_WAITING: usize = 1_024;

/// A message of a thread. The number tells connections and engines apart, so that what is left over of one is not taken
/// for news of the next.
#[derive(Debug)]
pub(super) enum Event {
    /// A connection was opened, or could not be.
    Connected(u64, io::Result<TcpStream>),
    /// A line of the server.
    Line(u64, OutputLine),
    /// The server sends no more.
    Closed(u64),
    /// A line of the engine that is no `info`.
    Engine(u64, EngineLine),
    /// The engine says no more.
    EngineClosed(u64),
}
