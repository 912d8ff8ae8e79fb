//! What can be wrong with a net file.

use crate::eval::nnue::Shape;
use crate::types::Token;
use std::fmt;
use std::io;

/// A file that is no net, or none that is supported.
#[derive(Debug)]
pub struct NetError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub fault: NetFault,
}

/// What is wrong with the bytes of a net.
#[derive(Debug)]
pub enum NetFault {
    /// They cannot be read or written.
    Io(io::Error),
    /// They end in the middle of this part.
    Truncated(&'static str),
    /// They begin with this word, not with the version of net files.
    Version(u32),
    /// The header's text should have so many bytes.
    LongText(u32),
    /// The header belongs to a shape that is not supported.
    Unsupported {
        /// Its hash.
        hash: u32,
        /// Its text.
        text: String,
        /// The size of the whole.
        size: u64,
    },
    /// The header belongs to a shape whose files have another size.
    Size {
        /// The shape.
        shape: Shape,
        /// The bytes after the header.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// A block of LEB128 numbers is malformed.
    Leb128 {
        /// What it holds.
        part: &'static str,
        /// What is wrong with it.
        fault: Leb128Fault,
    },
    /// A list of numbers has another length than the shape asks for.
    Length {
        /// What it holds.
        part: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
}

/// What is wrong with a block of LEB128 numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leb128Fault {
    /// It does not begin with the tag of such blocks.
    Tag,
    /// It says that it has more bytes than are left in the file.
    Length(u32),
    /// It ends before this number, or in the middle of it.
    Short(usize),
    /// So many bytes are left over.
    Long(u32),
    /// This number has more bytes than a number of 16 bits needs.
    Overlong(usize),
    /// This number has a value that is out of range.
    Range(usize, i32),
}

impl From<io::Error> for NetFault {
    fn from(error: io::Error) -> NetFault {
        NetFault::Io(error)
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", Token(&self.file), self.fault)
    }
}

impl std::error::Error for NetError {}

impl fmt::Display for NetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetFault::Io(error) => error.fmt(f),
            NetFault::Truncated(part) => write!(f, "the net ends within its {part}"),
            NetFault::Version(word) => {
                write!(f, "no net: it begins with {word:#010x}, not with {:#010x}", super::VERSION)
            }
            NetFault::LongText(length) => write!(f, "no net: a header with a text of {length} bytes"),
            NetFault::Unsupported { hash, text, size } => {
                write!(f, "a net of an unknown shape ({}, hash {hash:#010x}, {size} bytes); ", Token(text))?;
                let names: Vec<String> = Shape::ALL.iter().map(Shape::to_string).collect();
                write!(f, "supported are {}", names.join(", "))
            }
            NetFault::Size { shape, found, expected } => {
                write!(f, "a net {shape} with {found} bytes after its header, not {expected}")
            }
            NetFault::Leb128 { part, fault } => write!(f, "the {part} are malformed: {fault}"),
            NetFault::Length { part, found, expected } => write!(f, "{found} {part}, not {expected}"),
        }
    }
}

impl fmt::Display for Leb128Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Leb128Fault::Tag => f.write_str("the tag of a LEB128 block is missing"),
            Leb128Fault::Length(bytes) => write!(f, "a block of {bytes} bytes is longer than the file"),
            Leb128Fault::Short(number) => write!(f, "the block ends at number {number}"),
            Leb128Fault::Long(bytes) => write!(f, "{bytes} bytes are left over in the block"),
            Leb128Fault::Overlong(number) => write!(f, "number {number} does not end"),
            Leb128Fault::Range(number, value) => write!(f, "number {number} is {value}, which is out of range"),
        }
    }
}
