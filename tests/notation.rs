//! Records of games: what is written is read back in every format, and what other programs write is understood.

mod oracle;

#[path = "notation/csa.rs"]
mod csa;
#[path = "notation/games.rs"]
mod games;
#[path = "notation/ki2.rs"]
mod ki2;
#[path = "notation/kif.rs"]
mod kif;
#[path = "notation/malformed.rs"]
mod malformed;
#[path = "notation/round_trip.rs"]
mod round_trip;
