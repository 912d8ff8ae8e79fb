//! YANEURAOU-DB2016, the text format (`.db`).
//!
//! A line `sfen BOARD SIDE HANDS [PLY]` begins a position, the lines behind it are its moves:
//! `MOVE REPLY VALUE DEPTH COUNT`, the first one needed only. `#` and `//` begin comments. Writers differ in the ply,
//! in the order of positions and moves and in the number of columns; all of that is read.

mod disk;
mod line;
mod reader;
mod writer;

pub(super) use disk::TextBook;
pub use reader::{Bad, TextReader};
pub use writer::{HEADER, write_entry};
