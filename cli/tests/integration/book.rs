//! Opening books: formats, looking up, playing from them, the tools of the command line, damaged files.

mod damage;
mod formats;
mod playing;
mod sample;
mod speed;
mod tools;
