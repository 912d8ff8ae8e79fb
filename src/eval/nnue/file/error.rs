//! What can be wrong with a net file.

use crate::eval::nnue::Shape;
use crate::types::Quoted;
use std::io;
use thiserror::Error;

/// A file that is no net, or none that is supported.
#[derive(Debug, Error)]
#[error("{}: {fault}", Quoted(.file))]
pub struct NetError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    #[source]
    pub fault: NetFault,
}

/// What is wrong with the bytes of a net.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NetFault {
    /// They cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// They end in the middle of this part.
    #[error("the net ends within its {0}")]
    Truncated(&'static str),
    /// They begin with this word, not with the version of net files.
    #[error("no net: it begins with {:#010x}, not with {:#010x}", .0, super::VERSION)]
    Version(u32),
    /// The bytes that the header's text should have.
    #[error("no net: a header with a text of {0} bytes")]
    LongText(u32),
    /// The header belongs to a shape that is not supported.
    #[error(
        "a net of an unknown shape ({}, hash {hash:#010x}, {size} bytes); supported are {}",
        Quoted(.text),
        supported()
    )]
    Unsupported {
        /// Its hash.
        hash: u32,
        /// Its text.
        text: String,
        /// The size of the whole.
        size: u64,
    },
    /// The header belongs to a shape whose files have another size.
    #[error("a net {shape} with {found} bytes after its header, not {expected}")]
    Size {
        /// The shape.
        shape: Shape,
        /// The bytes after the header.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// A block of LEB128 numbers is malformed.
    #[error("the {part} are malformed: {fault}")]
    Leb128 {
        /// What it holds.
        part: &'static str,
        /// What is wrong with it.
        #[source]
        fault: Leb128Fault,
    },
    /// A list of numbers has another length than the shape asks for.
    #[error("{found} {part}, not {expected}")]
    Length {
        /// What it holds.
        part: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
}

/// The names of all shapes.
fn supported() -> String {
    Shape::ALL.map(|shape| shape.to_string()).join(", ")
}

/// What is wrong with a block of LEB128 numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Leb128Fault {
    /// It does not begin with the tag of such blocks.
    #[error("the tag of a LEB128 block is missing")]
    Tag,
    /// It says that it has more bytes than are left in the file.
    #[error("a block of {0} bytes is longer than the file")]
    Length(u32),
    /// It ends before this number, or in the middle of it.
    #[error("the block ends at number {0}")]
    Short(usize),
    /// So many bytes are left over.
    #[error("{0} bytes are left over in the block")]
    Long(u32),
    /// This number has more bytes than a number of 16 bits needs.
    #[error("number {0} does not end")]
    Overlong(usize),
    /// This number has a value that is out of range.
    #[error("number {0} is {1}, which is out of range")]
    Range(usize, i32),
}
