//! Reading nets.

use super::resolve::{self, SfnnFacts};
use super::{LONGEST_TEXT, Leb128Fault, NetError, NetFault, SFNN_TEXT, VERSION, leb128};
use crate::eval::nnue::InstructionSet;
use crate::eval::nnue::layers::LayerStacks;
use crate::eval::nnue::lines::{Rows, Words, reserve};
use crate::eval::nnue::net::{Net, Parameters, ProgressWeights, Transformer, Weights};
use crate::eval::nnue::shape::{Features, MAX_WIDTH, PROGRESS_HASH, SFNN_HASH, Shape};
use crate::host::open_file;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

impl Net {
    /// Reads a net file. `shape` is that of a file whose contents do not tell it; any other must have it, too.
    pub fn from_file(path: &Path, shape: Option<Shape>) -> Result<Net, NetError> {
        let read = || {
            let file = open_file(path)?;
            let size = file.metadata()?.len();
            Net::read(BufReader::with_capacity(BUFFER, file), size, shape)
        };
        read().map_err(|fault| NetError { file: path.display().to_string(), fault })
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
        let lines = |numbers: &[i16]| -> Result<Vec<Words>, NetFault> {
            let mut lines = reserve(numbers.len() / Words::LEN)?;
            lines.extend(numbers.as_chunks().0.iter().map(|line| Words(line.map(|number| number.wrapping_mul(scale)))));
            Ok(lines)
        };
        let (biases, rows) = (lines(&weights.biases)?, Rows::new(lines(&weights.rows)?));
        let transformer = Arc::new(Transformer { lines: shape.width() / Words::LEN, biases, rows });
        let mut layers = LayerStacks::zeroed(shape, InstructionSet::best().packing())?;
        for (stack, stack_layers) in weights.stacks.iter().enumerate() {
            for (number, layer) in stack_layers.iter().enumerate() {
                let inputs = shape.layers()[number].0;
                let bytes: Vec<u8> = layer.weights.iter().map(|&weight| weight as u8).collect();
                for (output, (&bias, row)) in layer.biases.iter().zip(bytes.chunks_exact(inputs)).enumerate() {
                    layers.set_bias(stack, number, output, bias);
                    layers.set_row(stack, number, output, row);
                }
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
            version @ (0x7AF3_2F20 | 0x7AF3_2F21) => {
                return Err(NetFault::Foreign(if version & 1 == 0 {
                    "version 0x7af32f20, LayerStacks of rshogi and bullet, with a way of its own to choose a stack"
                } else {
                    "version 0x7af32f21, LayerStacks of rshogi and bullet, with a way of its own to choose a stack"
                }));
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

const BUFFER: usize = 1 << 18;

/// Refuses nets whose text says that their activations are others.
fn refuse_foreign(text: &str) -> Result<(), NetFault> {
    for (word, fault) in [
        ("SCReLU", "its text says SCReLU, squared activations of another family"),
        ("-Pairwise", "its text says Pairwise, products of another family"),
    ] {
        if text.contains(word) {
            return Err(NetFault::Foreign(fault));
        }
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
        let mut bytes = [0; 4 + leb128::TAG.len()];
        if self.left < bytes.len() as u64 {
            return Ok(false);
        }
        self.fill(&mut bytes, "rows")?;
        self.rewind(bytes.len() as u64)?;
        Ok(&bytes[4..] == leb128::TAG)
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
        let progress_bytes = if has_progress { 4 * (1 + ProgressWeights::COUNT as u64) } else { 0 };
        // The word that was read belongs to the first stack if there is no progress.
        let rest = if has_progress { self.left.checked_sub(progress_bytes) } else { Some(self.left + 4) };
        let rest = rest.ok_or(NetFault::Truncated("weights of the progress"))?;
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
        let (mut left, mut numbers, mut last) = (u64::from(bytes), 0, 0);
        while left > 0 {
            let buffer = self.input.fill_buf()?;
            let length = left.min(buffer.len() as u64) as usize;
            if length == 0 {
                return Err(NetFault::Truncated(part));
            }
            let piece = &buffer[..length];
            // In groups of which a byte can count the members.
            let ends = |group: &[u8]| u64::from(group.iter().map(|&byte| (byte < 0x80) as u8).sum::<u8>());
            numbers += piece.chunks(255).map(ends).sum::<u64>();
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
        let malformed = |fault| NetFault::Leb128 { part, fault };
        let mut tag = [0; leb128::TAG.len()];
        self.fill(&mut tag, part)?;
        if &tag != leb128::TAG {
            return Err(malformed(Leb128Fault::Tag));
        }
        let length = self.u32(part)?;
        if u64::from(length) > self.left { Err(malformed(Leb128Fault::Length(length))) } else { Ok(length) }
    }

    /// A block of LEB128 numbers that was measured, with the values that they have in memory.
    fn leb128_words(&mut self, part: &'static str, lines: usize) -> Result<Vec<Words>, NetFault> {
        let malformed = |fault| NetFault::Leb128 { part, fault };
        let length = self.block_length(part)?;
        let mut words = reserve(lines)?;
        let mut block = (&mut self.input).take(length.into());
        for first in (0..lines).map(|line| line * Words::LEN) {
            let buffer = block.fill_buf()?;
            let line = if buffer.len() >= leb128::MAX_BYTES as usize * Words::LEN {
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
            words.push(line.map_err(malformed)?);
        }
        let rest = block.limit();
        self.left -= u64::from(length);
        if rest == 0 { Ok(words) } else { Err(malformed(Leb128Fault::Long(rest as u32))) }
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
                let (biases, rows) = bytes.split_at(4 * outputs);
                for (output, (&bias, row)) in biases.as_chunks().0.iter().zip(rows.chunks_exact(inputs)).enumerate() {
                    layers.set_bias(stack, layer, output, i32::from_le_bytes(bias));
                    layers.set_row(stack, layer, output, row);
                }
            }
        }
        Ok(layers)
    }
}

/// Facts that the sizes of the parts of a net with products of halves tell.
fn facts(biases: &Block, rows: &Block, has_progress: bool, rest: u64, text: &str) -> Result<SfnnFacts, NetFault> {
    let unknown = || NetFault::Unknown {
        facts: format!("SFNN with {} biases and {} weights in rows", biases.numbers, rows.numbers),
        text: text.to_string(),
    };
    let width =
        u16::try_from(biases.numbers).ok().filter(|&width| width > 0 && width <= MAX_WIDTH).ok_or_else(unknown)?;
    let is_of = |features: &Features| features.inputs() as u64 * u64::from(width) == rows.numbers;
    let features = Features::ALL.into_iter().find(is_of).ok_or_else(unknown)?;
    debug_assert!(u64::from(rows.bytes) >= rows.numbers);
    Ok(SfnnFacts { features, width, has_progress, rest })
}

/// A line of LEB128 numbers, `first` the place of its first one, doubled as the program that the format is from does
/// it: what does not fit wraps around.
fn leb128_line(first: usize, mut next: impl FnMut() -> Option<u8>) -> Result<Words, Leb128Fault> {
    let mut line = Words::ZERO;
    for (number, place) in (first..).zip(&mut line.0) {
        let value = leb128::read(number, &mut next)?;
        *place = i16::try_from(value).map_err(|_| Leb128Fault::Range(number, value))?.wrapping_mul(2);
    }
    Ok(line)
}
