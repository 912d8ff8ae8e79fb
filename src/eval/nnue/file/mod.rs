//! Net files (`nn.bin`).
//!
//! A file is a header (version, hash, a text), the feature transformer under a hash, and the dense layers under
//! another; all integers are little-endian. Pairwise nets store the first part as two blocks of signed LEB128; those
//! with king zones are a format of this project's own. Which shape a file has follows from its size and text together:
//! like the classic programs, a reader does not insist on the hashes, which differ from trainer to trainer.
//!
//! | part | classic | pairwise |
//! |---|---|---|
//! | header | u32 version 0x7AF32F16, u32 hash, u32 length, text | the same |
//! | feature transformer | u32 hash, i16 biases, i16 rows, one for each input | u32 hash, LEB128 biases, LEB128 rows, half of their value |
//! | layers | u32 hash, then three times i32 biases and i8 weights by output | the same for each stack of layers: one, or nine (k3k3) |
//!
//! No length that a file states is allocated unchecked: what is read is never larger than twice the file.

mod error;
mod leb128;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{Leb128Fault, NetError, NetFault};

/// The first word of every file.
const VERSION: u32 = 0x7AF3_2F16;
/// Texts in headers are a line or two.
const LONGEST_TEXT: u32 = 1 << 16;
/// How the texts of all pairwise nets begin.
const PAIRWISE_TEXT: &str = "ModelType=SFNN";
