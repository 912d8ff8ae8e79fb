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
//! Trainers differ in what they write into hashes and texts, and some write the text of another shape. So `resolve`
//! goes by the sizes first and asks the text where several shapes have the same size; what stays ambiguous is refused
//! with the shapes between which it is.
//!
//! No length that a file states is allocated unchecked: what is read is never larger than twice the file.

mod resolve;
#[cfg(test)]
mod tests;

use super::layers::{LayerStacks, LayerWeights, Rows, Transformer, Words, reserve};
use super::net::{Net, Parameters, ProgressWeights, Weights};
use super::shape::{Features, MAX_WIDTH, PROGRESS_HASH, SFNN_HASH, Shape, ShapeNameError};
use super::simd::InstructionSet;
use crate::host::open_file;
use crate::types::Quoted;
use resolve::SfnnFacts;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// The first word of every file.
const VERSION: u32 = 0x7AF3_2F16;
/// Texts in headers are a line or two.
const LONGEST_TEXT: u32 = 1 << 16;
/// Beginning of the texts of all nets with products of halves.
const SFNN_TEXT: &str = "ModelType=SFNN";
/// Some trainers fill the last 64 bytes of a file up: fewer bytes than these at its end are passed over.
const PADDING: u64 = 64;
/// Bytes that are read from a file at once.
const BUFFER: usize = 1 << 18;

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
    #[error("no net: it begins with {:#010x}, not with {:#010x}", .0, VERSION)]
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

impl Net {
    /// Reads a net file. `shape` is that of a file whose contents do not tell it; any other must have it, too.
    pub fn from_file(path: &Path, shape: Option<Shape>) -> Result<Net, NetError> {
        Net::read_file(path, shape).map_err(|fault| NetError { file: path.display().to_string(), fault })
    }

    fn read_file(path: &Path, shape: Option<Shape>) -> Result<Net, NetFault> {
        let file = open_file(path)?;
        let size = file.metadata()?.len();
        Net::read(BufReader::with_capacity(BUFFER, file), size, shape)
    }

    /// Reads a net that lies in memory; a fault names it.
    ///
    /// ```
    /// use komainu::eval::nnue::Net;
    ///
    /// let error = Net::from_bytes("nn.bin", b"no net").unwrap_err();
    /// assert!(error.to_string().starts_with("\"nn.bin\": "));
    /// ```
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Net, NetError> {
        Net::read(Cursor::new(bytes), bytes.len() as u64, None)
            .map_err(|fault| NetError { file: name.to_string(), fault })
    }

    /// A net out of the parameters that a trainer has made.
    pub fn from_weights(weights: &Weights) -> Result<Net, NetFault> {
        weights.check()?;
        let shape = weights.shape;
        let scale = Parameters::scale(shape);
        let transformer = Arc::new(Transformer {
            lines: shape.width() / Words::LEN,
            biases: lines_of(&weights.biases, scale)?,
            rows: Rows::new(lines_of(&weights.rows, scale)?),
        });
        let mut layers = LayerStacks::zeroed(shape, InstructionSet::best().packing())?;
        for (stack, stack_layers) in weights.stacks.iter().enumerate() {
            for (number, layer) in stack_layers.iter().enumerate() {
                layers.set_layer(stack, number, layer);
            }
        }
        let progress = weights.progress.clone().map(Arc::new);
        let parameters = Arc::new(Parameters { shape, transformer, progress, layers });
        Ok(Net { text: shape.text(), hash: shape.file_hash(), parameters })
    }

    /// Reads a net of `size` bytes, with the shape that it must have if one is given.
    pub fn read(input: impl BufRead + Seek, size: u64, shape: Option<Shape>) -> Result<Net, NetFault> {
        let mut source = Source { input, left: size };
        match source.u32("header")? {
            VERSION => {}
            0x7AF3_2F20 => {
                return Err(NetFault::Foreign(
                    "version 0x7af32f20, LayerStacks of rshogi and bullet, with a way of its own to choose a stack",
                ));
            }
            0x7AF3_2F21 => {
                return Err(NetFault::Foreign(
                    "version 0x7af32f21, LayerStacks of rshogi and bullet, with a way of its own to choose a stack",
                ));
            }
            version => return Err(NetFault::Version(version)),
        }
        let hash = source.u32("header")?;
        let length = source.u32("header")?;
        if length > LONGEST_TEXT {
            return Err(NetFault::LongText(length));
        }
        let mut text = vec![0; length as usize];
        source.fill(&mut text, "header")?;
        let text = String::from_utf8_lossy(&text).into_owned();
        refuse_foreign(&text)?;
        let says_sfnn = text.starts_with(SFNN_TEXT) || hash == SFNN_HASH || hash == SFNN_HASH ^ PROGRESS_HASH;
        let parameters = if says_sfnn || source.is_compressed()? {
            source.sfnn(&text, shape)?
        } else {
            source.classic(&text, shape)?
        };
        Ok(Net { text, hash, parameters: Arc::new(parameters) })
    }
}

/// Lines of numbers, each times `scale`.
fn lines_of(numbers: &[i16], scale: i16) -> Result<Vec<Words>, NetFault> {
    let mut lines = reserve(numbers.len() / Words::LEN)?;
    for line in numbers.as_chunks().0 {
        lines.push(Words(line.map(|number| number.wrapping_mul(scale))));
    }
    Ok(lines)
}

/// Refuses nets whose text says that their activations are others.
fn refuse_foreign(text: &str) -> Result<(), NetFault> {
    if text.contains("SCReLU") {
        return Err(NetFault::Foreign("its text says SCReLU, squared activations of another family"));
    }
    if text.contains("-Pairwise") {
        return Err(NetFault::Foreign("its text says Pairwise, products of another family"));
    }
    Ok(())
}

/// The bytes of a net, counted.
struct Source<R> {
    input: R,
    left: u64,
}

/// Sizes of a block of LEB128 numbers.
struct Block {
    bytes: u32,
    numbers: u64,
}

impl<R: BufRead + Seek> Source<R> {
    fn fill(&mut self, bytes: &mut [u8], part: &'static str) -> Result<(), NetFault> {
        let length = bytes.len() as u64;
        if length > self.left {
            return Err(NetFault::Truncated(part));
        }
        self.input.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => NetFault::Truncated(part),
            _ => NetFault::Io(error),
        })?;
        self.left -= length;
        Ok(())
    }

    fn u32(&mut self, part: &'static str) -> Result<u32, NetFault> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes, part)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Goes back by a number of bytes.
    fn rewind(&mut self, bytes: u64) -> Result<(), NetFault> {
        self.input.seek(SeekFrom::Current(-(bytes as i64)))?;
        self.left += bytes;
        Ok(())
    }

    /// Tests whether a block of LEB128 numbers follows the next word.
    fn is_compressed(&mut self) -> Result<bool, NetFault> {
        let mut bytes = [0; 4 + LEB128_TAG.len()];
        if self.left < bytes.len() as u64 {
            return Ok(false);
        }
        self.fill(&mut bytes, "rows")?;
        self.rewind(bytes.len() as u64)?;
        Ok(&bytes[4..] == LEB128_TAG)
    }

    /// Biases, rows and layers of a classic net.
    fn classic(&mut self, text: &str, wanted: Option<Shape>) -> Result<Parameters, NetFault> {
        let shape = resolve::classic(text, self.left, wanted)?;
        self.u32("rows")?;
        let lines = shape.width() / Words::LEN;
        let biases = self.words(lines, "biases")?;
        let rows = Rows::new(self.words(lines * shape.inputs(), "rows")?);
        let transformer = Arc::new(Transformer { lines, biases, rows });
        let layers = self.layers(shape)?;
        Ok(Parameters { shape, transformer, progress: None, layers })
    }

    /// Reads lines of raw numbers.
    fn words(&mut self, lines: usize, part: &'static str) -> Result<Vec<Words>, NetFault> {
        const LINES: usize = 256;
        let mut words = reserve(lines)?;
        let mut bytes = [[[0; 2]; Words::LEN]; LINES];
        while words.len() < lines {
            let piece = &mut bytes[..LINES.min(lines - words.len())];
            self.fill(piece.as_flattened_mut().as_flattened_mut(), part)?;
            words.extend(piece.iter().map(|line| Words(line.map(i16::from_le_bytes))));
        }
        Ok(words)
    }

    /// Biases, rows, progress and stacks of layers of a net with products of halves.
    fn sfnn(&mut self, text: &str, wanted: Option<Shape>) -> Result<Parameters, NetFault> {
        self.u32("rows")?;
        let start = self.left;
        let biases = self.measure("biases")?;
        let rows = self.measure("rows")?;
        let has_progress = self.u32("layers")? == PROGRESS_HASH;
        let rest = if has_progress {
            let progress_bytes = 4 * (1 + ProgressWeights::COUNT as u64);
            self.left.checked_sub(progress_bytes).ok_or(NetFault::Truncated("weights of the progress"))?
        } else {
            // The word that was read belongs to the first stack.
            self.left + 4
        };
        let facts = facts(&biases, &rows, has_progress, rest, text)?;
        let shape = facts.resolve(text, wanted)?;
        self.rewind(start - self.left)?;
        let lines = shape.width() / Words::LEN;
        let transformer = Arc::new(Transformer {
            lines,
            biases: self.leb128_words("biases", lines)?,
            rows: Rows::new(self.leb128_words("rows", lines * shape.inputs())?),
        });
        let progress = if has_progress { Some(Arc::new(self.progress()?)) } else { None };
        let layers = self.layers(shape)?;
        Ok(Parameters { shape, transformer, progress, layers })
    }

    /// Passes over a block of LEB128 numbers and counts them.
    fn measure(&mut self, part: &'static str) -> Result<Block, NetFault> {
        let bytes = self.block_length(part)?;
        let mut left = u64::from(bytes);
        let mut numbers = 0;
        let mut last = 0;
        while left > 0 {
            let buffer = self.input.fill_buf()?;
            let length = left.min(buffer.len() as u64) as usize;
            if length == 0 {
                return Err(NetFault::Truncated(part));
            }
            let piece = &buffer[..length];
            // In groups of which a byte can count the members.
            for group in piece.chunks(255) {
                numbers += u64::from(group.iter().map(|&byte| (byte < 0x80) as u8).sum::<u8>());
            }
            last = piece[length - 1];
            self.input.consume(length);
            left -= length as u64;
            self.left -= length as u64;
        }
        if last >= 0x80 {
            return Err(NetFault::Leb128 { part, fault: Leb128Fault::Short(numbers as usize) });
        }
        Ok(Block { bytes, numbers })
    }

    /// The tag and the length of a block of LEB128 numbers.
    fn block_length(&mut self, part: &'static str) -> Result<u32, NetFault> {
        let mut tag = [0; LEB128_TAG.len()];
        self.fill(&mut tag, part)?;
        if &tag != LEB128_TAG {
            return Err(NetFault::Leb128 { part, fault: Leb128Fault::Tag });
        }
        let length = self.u32(part)?;
        if u64::from(length) > self.left {
            return Err(NetFault::Leb128 { part, fault: Leb128Fault::Length(length) });
        }
        Ok(length)
    }

    /// A block of LEB128 numbers that was measured, with the values that they have in memory.
    fn leb128_words(&mut self, part: &'static str, lines: usize) -> Result<Vec<Words>, NetFault> {
        let length = self.block_length(part)?;
        let mut words = reserve(lines)?;
        let mut block = (&mut self.input).take(length.into());
        for first in (0..lines).map(|line| line * Words::LEN) {
            let buffer = block.fill_buf()?;
            let line = if buffer.len() >= MAX_LEB128_BYTES as usize * Words::LEN {
                // The whole line is at hand.
                let mut bytes = buffer.iter();
                let line = leb128_line(first, || bytes.next().copied());
                let used = buffer.len() - bytes.len();
                block.consume(used);
                line
            } else {
                leb128_line(first, || {
                    let byte = *block.fill_buf().ok()?.first()?;
                    block.consume(1);
                    Some(byte)
                })
            };
            words.push(line.map_err(|fault| NetFault::Leb128 { part, fault })?);
        }
        let rest = block.limit();
        self.left -= u64::from(length);
        if rest > 0 {
            return Err(NetFault::Leb128 { part, fault: Leb128Fault::Long(rest as u32) });
        }
        Ok(words)
    }

    /// The weights of the progress.
    fn progress(&mut self) -> Result<ProgressWeights, NetFault> {
        const PART: &str = "weights of the progress";
        self.u32(PART)?;
        let bias = self.u32(PART)? as i32;
        let mut bytes = vec![0; 4 * ProgressWeights::COUNT];
        self.fill(&mut bytes, PART)?;
        Ok(ProgressWeights {
            bias,
            weights: bytes.as_chunks().0.iter().map(|&word| i32::from_le_bytes(word)).collect(),
        })
    }

    /// All stacks of layers.
    fn layers(&mut self, shape: Shape) -> Result<LayerStacks, NetFault> {
        let mut layers = LayerStacks::zeroed(shape, InstructionSet::best().packing())?;
        let mut bytes = Vec::new();
        for stack in 0..shape.stacks() {
            self.u32("layers")?;
            for (layer, (inputs, outputs)) in shape.layers().into_iter().enumerate() {
                bytes.resize(outputs * (4 + inputs), 0);
                self.fill(&mut bytes, "layers")?;
                let (biases, weights) = bytes.split_at(4 * outputs);
                let biases = biases.as_chunks().0.iter().map(|&bias| i32::from_le_bytes(bias)).collect();
                let weights = weights.iter().map(|&weight| weight as i8).collect();
                layers.set_layer(stack, layer, &LayerWeights { biases, weights });
            }
        }
        Ok(layers)
    }
}

/// Facts that the sizes of the parts of a net with products of halves tell.
fn facts(biases: &Block, rows: &Block, has_progress: bool, rest: u64, text: &str) -> Result<SfnnFacts, NetFault> {
    debug_assert!(u64::from(rows.bytes) >= rows.numbers);
    let features = Features::ALL.into_iter().find(|set| set.inputs() as u64 * biases.numbers == rows.numbers);
    match (features, u16::try_from(biases.numbers)) {
        (Some(features), Ok(width @ 1..=MAX_WIDTH)) => Ok(SfnnFacts { features, width, has_progress, rest }),
        _ => Err(NetFault::Unknown {
            facts: format!("SFNN with {} biases and {} weights in rows", biases.numbers, rows.numbers),
            text: text.to_string(),
        }),
    }
}

/// A line of LEB128 numbers, `first` the place of its first one, doubled as the program that the format is from does
/// it: what does not fit wraps around.
fn leb128_line(first: usize, mut next: impl FnMut() -> Option<u8>) -> Result<Words, Leb128Fault> {
    let mut line = Words::ZERO;
    for (number, place) in (first..).zip(&mut line.0) {
        let value = read_leb128(number, &mut next)?;
        *place = i16::try_from(value).map_err(|_| Leb128Fault::Range(number, value))?.wrapping_mul(2);
    }
    Ok(line)
}

impl Net {
    /// Writes the net as a file of its shape.
    pub fn write(&self, mut out: impl Write) -> Result<(), NetFault> {
        let Parameters { shape, transformer, progress, layers } = &*self.parameters;
        let text = shape.text();
        for word in [VERSION, shape.file_hash(), text.len() as u32] {
            out.write_all(&word.to_le_bytes())?;
        }
        out.write_all(text.as_bytes())?;
        out.write_all(&shape.transformer_hash().to_le_bytes())?;
        for part in [&transformer.biases, &*transformer.rows.words()] {
            if shape.is_pairwise() { write_block(part, &mut out)? } else { write_words(part, &mut out)? }
        }
        let mut bytes = Vec::new();
        if let Some(progress) = progress {
            bytes.extend(PROGRESS_HASH.to_le_bytes());
            let numbers = std::iter::once(&progress.bias).chain(&progress.weights);
            bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
            out.write_all(&bytes)?;
        }
        for stack in 0..shape.stacks() {
            bytes.clear();
            bytes.extend(shape.layers_hash().to_le_bytes());
            for number in 0..3 {
                let layer = layers.layer(stack, number);
                bytes.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
                bytes.extend(layer.weights.iter().map(|&weight| weight as u8));
            }
            out.write_all(&bytes)?;
        }
        Ok(())
    }
}

impl Weights {
    /// Writes the net as a file of its shape.
    pub fn write(&self, out: impl Write) -> Result<(), NetFault> {
        Net::from_weights(self)?.write(out)
    }
}

/// Lines that are turned into bytes at once: the rows of a net may take half a gigabyte.
const PIECE: usize = 1 << 11;

fn write_words(words: &[Words], out: &mut impl Write) -> io::Result<()> {
    for piece in words.chunks(PIECE) {
        let bytes: Vec<u8> = piece.iter().flat_map(|line| line.0).flat_map(i16::to_le_bytes).collect();
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Writes a block of LEB128 numbers, half of those in memory.
fn write_block(words: &[Words], out: &mut impl Write) -> io::Result<()> {
    let length: usize = words.chunks(PIECE).map(|piece| halves(piece).len()).sum();
    out.write_all(LEB128_TAG)?;
    out.write_all(&(length as u32).to_le_bytes())?;
    for piece in words.chunks(PIECE) {
        out.write_all(&halves(piece))?;
    }
    Ok(())
}

/// Half of each number as LEB128.
fn halves(words: &[Words]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in words.iter().flat_map(|line| line.0) {
        write_leb128(number / 2, &mut bytes);
    }
    bytes
}

// Signed LEB128: seven bits a byte, lowest first, the eighth says that more follow, the last seventh is the sign.

/// Beginning of a block, before the number of its bytes.
const LEB128_TAG: &[u8; 17] = b"COMPRESSED_LEB128";

/// The most bytes of a 16-bit number.
const MAX_LEB128_BYTES: u32 = 3;

/// Reads the number with this place in a block, whose bytes `next` hands out one by one, `None` at its end.
fn read_leb128(number: usize, mut next: impl FnMut() -> Option<u8>) -> Result<i32, Leb128Fault> {
    let mut value = 0;
    for byte_number in 0..MAX_LEB128_BYTES {
        let byte = next().ok_or(Leb128Fault::Short(number))?;
        value |= i32::from(byte & 0x7F) << (7 * byte_number);
        if byte & 0x80 == 0 {
            let unused = 32 - 7 * (byte_number + 1);
            return Ok(value << unused >> unused);
        }
    }
    Err(Leb128Fault::Overlong(number))
}

/// Appends a number in as few bytes as it needs.
fn write_leb128(mut value: i16, bytes: &mut Vec<u8>) {
    loop {
        let low = value as u8 & 0x7F;
        value >>= 7;
        let sign = low & 0x40 != 0;
        if value == 0 && !sign || value == -1 && sign {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}
