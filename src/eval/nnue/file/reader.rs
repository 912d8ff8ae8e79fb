//! Reading nets.

use super::{LONGEST_TEXT, Leb128Fault, NetError, NetFault, PAIRWISE_TEXT, VERSION, leb128};
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::net::{
    Architecture, ClassicLayers, Dense, LayerStacks, Model, Net, PairwiseLayers, WeightRow, transformer_scale,
};
use crate::eval::nnue::{Family, Shape};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

impl Net {
    /// Reads a net file.
    pub fn from_file(path: &Path) -> Result<Net, NetError> {
        let read = || {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            Net::read(BufReader::with_capacity(BUFFER, file), size)
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
        Net::read(bytes, bytes.len() as u64).map_err(|fault| NetError { file: name.to_string(), fault })
    }

    /// Reads a net of `size` bytes.
    pub fn read(input: impl BufRead, size: u64) -> Result<Net, NetFault> {
        let mut source = Source { input, left: size };
        let version = source.u32("header")?;
        if version != VERSION {
            return Err(NetFault::Version(version));
        }
        let hash = source.u32("header")?;
        let length = source.u32("header")?;
        if length > LONGEST_TEXT {
            return Err(NetFault::LongText(length));
        }
        let mut text = vec![0; length as usize];
        source.fill(&mut text, "header")?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let architecture = match shape_of(hash, &text, source.left, size)? {
            Shape::HalfKp => Architecture::HalfKp(Arc::new(source.classic()?)),
            Shape::Kp => Architecture::Kp(Arc::new(source.classic()?)),
            shape @ (Shape::Ka2 | Shape::Ka2K3k3) => Architecture::Ka2(Arc::new(source.pairwise(shape)?)),
            shape @ Shape::Ka2Zones => Architecture::Ka2Zones(Arc::new(source.pairwise(shape)?)),
        };
        Ok(Net { text, hash, architecture })
    }
}

const BUFFER: usize = 1 << 16;

/// The shape of a file with this header and this number of bytes after it.
fn shape_of(hash: u32, text: &str, payload: u64, size: u64) -> Result<Shape, NetFault> {
    let pairwise_hash = Shape::Ka2.file_hash();
    if text.starts_with(PAIRWISE_TEXT) || hash == pairwise_hash {
        // A text that does not say how many stacks there are means one.
        let stacks = text.split_once("LayerStack=").map_or("1", |(_, rest)| rest.split('}').next().unwrap_or(rest));
        let pairwise = Shape::ALL.into_iter().filter(|shape| shape.family() == Family::Pairwise);
        let mut alike = pairwise.filter(|shape| shape.stacks().to_string() == stacks);
        if let Some(shape) = alike.find(|shape| text.contains(shape.inputs_text())) {
            return Ok(shape);
        }
    } else {
        let classic = || Shape::ALL.into_iter().filter(|shape| shape.family() == Family::Classic);
        if let Some(shape) = classic().find(|shape| shape.payload() == Some(payload)) {
            return Ok(shape);
        }
        let is_named = |shape: &Shape| hash == shape.file_hash() || text.contains(shape.inputs_text());
        if let Some(shape) = classic().find(is_named) {
            let expected = shape.payload().unwrap_or_default();
            return Err(NetFault::Size { shape, found: payload, expected });
        }
    }
    Err(NetFault::Unsupported { hash, text: text.to_string(), size })
}

/// The bytes of a net, counted.
struct Source<R> {
    input: R,
    left: u64,
}

impl<R: BufRead> Source<R> {
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

    fn row<const W: usize>(&mut self) -> Result<WeightRow<W>, NetFault> {
        let mut bytes = [[0; 2]; W];
        self.fill(bytes.as_flattened_mut(), "rows")?;
        Ok(WeightRow(bytes.map(i16::from_le_bytes)))
    }

    fn dense<const I: usize, const O: usize, const G: usize>(&mut self) -> Result<Dense<I, O, G>, NetFault> {
        let mut biases = [[0; 4]; O];
        let mut rows = [[0; I]; O];
        self.fill(biases.as_flattened_mut(), "layers")?;
        self.fill(rows.as_flattened_mut(), "layers")?;
        Ok(Dense::new(biases.map(i32::from_le_bytes), rows.map(|row| row.map(|weight| weight as i8))))
    }

    /// Biases, rows and layers of a classic net. The size of the whole is known to be right.
    fn classic<F: FeatureSet, const W: usize>(&mut self) -> Result<Model<F, ClassicLayers, W>, NetFault> {
        self.u32("rows")?;
        let biases = self.row()?;
        let mut rows = Vec::with_capacity(F::INPUTS);
        for _ in 0..F::INPUTS {
            rows.push(self.row()?);
        }
        self.u32("layers")?;
        let layers = ClassicLayers { first: self.dense()?, second: self.dense()?, output: self.dense()? };
        Ok(Model::new(biases, rows, layers))
    }

    /// Biases, rows and stacks of layers of a pairwise net.
    fn pairwise<F: FeatureSet, const W: usize>(&mut self, shape: Shape) -> Result<Model<F, LayerStacks, W>, NetFault> {
        self.u32("rows")?;
        let biases = self.leb128_rows("biases", 1)?[0];
        let rows = self.leb128_rows("rows", F::INPUTS)?;
        let expected = shape.layer_bytes();
        if self.left != expected {
            return Err(NetFault::Size { shape, found: self.left, expected });
        }
        let mut stacks = Vec::with_capacity(shape.stacks());
        for _ in 0..shape.stacks() {
            self.u32("layers")?;
            stacks.push(PairwiseLayers { first: self.dense()?, second: self.dense()?, output: self.dense()? });
        }
        Ok(Model::new(biases, rows, LayerStacks(stacks)))
    }

    /// A block of LEB128 numbers that holds a number of rows, with the values that they have in memory.
    fn leb128_rows<const W: usize>(&mut self, part: &'static str, count: usize) -> Result<Vec<WeightRow<W>>, NetFault> {
        let malformed = |fault| NetFault::Leb128 { part, fault };
        let mut tag = [0; leb128::TAG.len()];
        self.fill(&mut tag, part)?;
        if &tag != leb128::TAG {
            return Err(malformed(Leb128Fault::Tag));
        }
        let length = self.u32(part)?;
        if u64::from(length) > self.left {
            return Err(malformed(Leb128Fault::Length(length)));
        }
        // A number takes a byte at least: no room is made for numbers that are not there.
        if (length as usize) < count * W {
            return Err(malformed(Leb128Fault::Short(length as usize)));
        }
        let scale = transformer_scale(Shape::Ka2);
        let range = i32::from(i16::MIN / scale)..=i32::from(i16::MAX / scale);
        let mut block = vec![0; length as usize];
        self.fill(&mut block, part)?;
        let mut bytes = block.into_iter();
        let mut rows = Vec::with_capacity(count);
        for first in (0..count * W).step_by(W) {
            let mut row = WeightRow([0; W]);
            for (number, sum) in (first..).zip(&mut row.0) {
                let value = leb128::read(number, || bytes.next()).map_err(malformed)?;
                if !range.contains(&value) {
                    return Err(malformed(Leb128Fault::Range(number, value)));
                }
                *sum = value as i16 * scale;
            }
            rows.push(row);
        }
        match bytes.len() {
            0 => Ok(rows),
            rest => Err(malformed(Leb128Fault::Long(rest as u32))),
        }
    }
}
