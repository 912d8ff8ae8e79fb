//! Faults of net files.

use crate::eval::nnue::{Shape, ShapeNameError};
use crate::types::Quoted;
use std::io;
use thiserror::Error;

/// A file that is no net, or none that is supported.
#[derive(Debug, Error)]
#[error("{}: {fault}", Quoted(.file))]
pub struct NetError {
    /// The file.
    pub file: String,
    /// The fault.
    #[source]
    pub fault: NetFault,
}

/// Fault in the bytes of a net.
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
    /// It is a net of another program's own kind.
    #[error("a net that cannot be evaluated: {0}")]
    Foreign(&'static str),
    /// No shape has this size.
    #[error("a net of an unknown shape: {facts} (text {})", Quoted(.text))]
    Unknown {
        /// Facts that the sizes tell.
        facts: String,
        /// The text of its header.
        text: String,
    },
    /// The shape that was asked for is none.
    #[error(transparent)]
    Name(#[from] ShapeNameError),
    /// Several shapes have this size, and the text names none of them.
    #[error("an ambiguous net: {facts}, so it may be {candidates}; EvalShape tells which")]
    Ambiguous {
        /// Facts that the sizes tell.
        facts: String,
        /// The names of the shapes.
        candidates: String,
    },
    /// The sizes are not those of the shape that was asked for.
    #[error("no net {shape}: {facts}")]
    OtherShape {
        /// The shape.
        shape: Shape,
        /// Facts that the sizes tell.
        facts: String,
    },
    /// The header belongs to a shape whose files have another size.
    #[error("a net {shape} with {found} bytes after its header, not {expected}")]
    Size {
        /// The shape.
        shape: Shape,
        /// The bytes after the header.
        found: u64,
        /// Number that there should be.
        expected: u64,
    },
    /// The machine has not this number of bytes of memory left.
    #[error("no memory for a net of {} MB", .0 >> 20)]
    Memory(u64),
    /// The parts of a shape do not fit together.
    #[error("{0} is no shape: its sizes do not fit together")]
    Unsound(Shape),
    /// A number is out of range: part, place, value.
    #[error("the {0} are malformed: number {1} is {2}, which is out of range")]
    Range(&'static str, usize, i32),
    /// A block of LEB128 numbers is malformed.
    #[error("the {part} are malformed: {fault}")]
    Leb128 {
        /// Name of its contents.
        part: &'static str,
        /// The fault.
        #[source]
        fault: Leb128Fault,
    },
    /// A list of numbers has another length than the shape asks for.
    #[error("{found} {part}, not {expected}")]
    Length {
        /// Name of its contents.
        part: &'static str,
        /// Length that it has.
        found: usize,
        /// Length that it should have.
        expected: usize,
    },
}

/// Fault in a block of LEB128 numbers.
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
    /// A number of bytes is left over.
    #[error("{0} bytes are left over in the block")]
    Long(u32),
    /// This number has more bytes than a number of 16 bits needs.
    #[error("number {0} does not end")]
    Overlong(usize),
    /// This number has a value that is out of range.
    #[error("number {0} is {1}, which is out of range")]
    Range(usize, i32),
}
