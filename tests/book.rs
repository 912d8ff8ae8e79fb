//! Opening books: formats, looking up, playing from them, the tools of the command line, damaged files.

mod engine;
mod shell;

#[path = "book/damage.rs"]
mod damage;
#[path = "book/formats.rs"]
mod formats;
#[path = "book/playing.rs"]
mod playing;
#[path = "book/sample.rs"]
mod sample;
#[path = "book/speed.rs"]
mod speed;
#[path = "book/tools.rs"]
mod tools;
