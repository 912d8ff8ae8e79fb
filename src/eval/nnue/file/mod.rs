//! Net files (`nn.bin`).
//!
//! A file is a header (version, hash, a text), the feature transformer under a hash, and the dense layers under
//! another; all integers are little-endian. Nets with products of halves (SFNN) store the first part as two blocks of
//! signed LEB128, and the layers as often as there are stacks.
//!
//! | part | classic | SFNN |
//! |---|---|---|
//! | header | u32 version 0x7AF32F16, u32 hash, u32 length, text | the same |
//! | feature transformer | u32 hash, i16 biases, i16 rows, one for each input | u32 hash, LEB128 biases, LEB128 rows, half of their value |
//! | progress | | u32 0x6F50524F, i32 bias, i32 weights `[81][1548]`, if a stack is chosen by the progress of the game |
//! | layers | u32 hash, then three times i32 biases and i8 weights by output | the same for each stack of layers |
//!
//! Trainers differ in what they write into hashes and texts, and some write the text of another shape. So [`resolve`]
//! goes by the sizes first and asks the text where several shapes have the same size; what stays ambiguous is refused
//! with the shapes between which it is.
//!
//! No length that a file states is allocated unchecked: what is read is never larger than twice the file.

mod error;
mod leb128;
mod reader;
mod resolve;
#[cfg(test)]
mod tests;
mod writer;

pub use error::{Leb128Fault, NetError, NetFault};

/// The first word of every file.
const VERSION: u32 = 0x7AF3_2F16;
/// Texts in headers are a line or two.
const LONGEST_TEXT: u32 = 1 << 16;
/// Beginning of the texts of all nets with products of halves.
const SFNN_TEXT: &str = "ModelType=SFNN";
/// Some trainers fill the last 64 bytes of a file up: fewer bytes than these at its end are passed over.
const PADDING: u64 = 64;
