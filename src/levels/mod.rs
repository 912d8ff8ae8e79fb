//! Playing levels that people can beat: a small search of its own beside the search of full strength.
//!
//! The levels are those of Japanese amateurs, from 20 kyu to 9 dan; [`Level`] names them, `table` says what each can
//! do. A weak player is not a strong one that throws dice over its moves. Five things make a level weak:
//!
//! 1. a budget of nodes, and 2. a cap on the depth (`search`),
//! 3. an evaluation with an error that belongs to the position and stays the same all game long: an opinion (`noise`),
//! 4. answers that it does not see, the more distant the more often (`blindness`),
//! 5. mates that it sees only up to a length.
//!
//! `plan` opens games with a formation that people know (`plans` lists them), `habit` keeps pieces from wandering
//! about, `chase` brings won games to their end, `guard` takes back gifts that no person would make, `giver` is the
//! style of whoever gives a handicap, `pace` takes a person's time. The search keeps nothing from move to move: what it
//! answers depends on the moves of the game, the handicap, level, style and seed alone, and neither does an analysis
//! read anything of it, nor it of an analysis.

mod blindness;
mod chance;
mod chase;
mod giver;
mod guard;
mod habit;
mod hash;
mod level;
mod noise;
mod pace;
mod plan;
mod plans;
mod search;
mod table;
#[cfg(test)]
mod tests;

pub use giver::draw_value_of_giver;
pub use level::{Level, LevelSettings, LevelStyle, LevelTime, UnknownLevel};
pub use plan::Plan;
