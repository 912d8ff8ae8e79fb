//! Playing levels that people can beat: a small search of its own beside the search of full strength.
//!
//! The levels are those of Japanese amateurs, from 20 kyu to 9 dan; [`Level`] names them, `params` says what each can
//! do. A weak player is not a strong one that throws dice over its moves. Five things make a level weak:
//!
//! 1. a budget of nodes, and 2. a cap on the depth (`search`),
//! 3. an evaluation with noise that belongs to the position and stays the same all game long: an opinion (`params`),
//! 4. answers that it overlooks, the more distant the more often (`oversight`),
//! 5. mates that it sees only up to a length.
//!
//! `choice` puts a move together: a short mate, else a move of the opening plan (`opening`, `plans.txt`), else what
//! the search prefers, unless it is a blunder or a move that no person would make (`preferences`). `handicap` is the
//! style of whoever gives a handicap, `thinking_time` takes a person's time. The search keeps nothing from move to move:
//! what it answers depends on the moves of the game, the handicap, level, style and seed alone, and neither does an
//! analysis read anything of it, nor it of an analysis.

mod choice;
mod handicap;
mod level;
mod opening;
mod oversight;
mod params;
mod preferences;
mod search;
#[cfg(test)]
mod tests;
mod thinking_time;

pub use handicap::draw_value_of_giver;
pub use level::{Level, LevelSettings, LevelStyle, LevelTime, UnknownLevel};
pub use opening::OpeningPlan;
