//! The client of CSA servers: rated games on floodgate and tournaments without a screen.
//!
//! Lines of the server are read by values that know no connection: [`message`] makes messages of them, [`summary`] a
//! game of its announcement, [`clock`] keeps the clocks as the server does, [`game`] follows the moves to the end. A
//! [`run`] connects them with a server and an engine: the built-in one, which it speaks to in USI within the process,
//! or a program. All that happens comes through one channel to one thread, which waits for nothing else.
//!
//! Sources of the protocol: version 1.2.1 of the Computer Shogi Association, and what shogi-server, the program behind
//! floodgate, does.

pub mod clock;
pub mod game;
pub mod message;
pub mod secret;
pub mod settings;
pub mod summary;
pub mod time_control;

mod client;
mod connection;
mod engine_options;
mod live;
mod play;
mod records;
mod reporter;
mod session;
mod stop;
mod thinker;
mod unfinished;
mod wire;

pub use client::Tally;
pub use reporter::{Reporter, Style};
pub use session::{SessionError, run};
pub use stop::{Interrupts, STOP_FILE};
pub use wire::Logged;
