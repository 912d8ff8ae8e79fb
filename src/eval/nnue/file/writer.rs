//! Writing nets.

use super::{Leb128Fault, NetFault, VERSION, leb128};
use crate::eval::nnue::net::{Net, Weights, transformer_scale};
use crate::eval::nnue::{Family, Shape};
use std::io::Write;

impl Net {
    /// Writes the net as a file of its shape.
    pub fn write(&self, out: impl Write) -> Result<(), NetFault> {
        self.weights().write(out)
    }

    /// A net out of the parameters that a trainer has made.
    pub fn from_weights(weights: &Weights) -> Result<Net, NetFault> {
        let mut bytes = Vec::new();
        weights.write(&mut bytes)?;
        Net::read(bytes.as_slice(), bytes.len() as u64)
    }
}

impl Weights {
    /// Writes the net as a file of its shape.
    pub fn write(&self, mut out: impl Write) -> Result<(), NetFault> {
        self.check()?;
        let shape = self.shape;
        let mut bytes = Vec::new();
        for word in [VERSION, shape.file_hash(), shape.text().len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(shape.text().as_bytes());
        bytes.extend(shape.transformer_hash().to_le_bytes());
        match shape.family() {
            Family::Classic => {
                bytes.extend(self.biases.iter().flat_map(|bias| bias.to_le_bytes()));
                out.write_all(&bytes)?;
                bytes.clear();
                // In pieces: the rows of HalfKP take 64 MB, once is enough.
                for rows in self.rows.chunks(1 << 16) {
                    bytes.extend(rows.iter().flat_map(|weight| weight.to_le_bytes()));
                    out.write_all(&bytes)?;
                    bytes.clear();
                }
            }
            Family::Pairwise => {
                write_block(&self.biases, &mut bytes);
                write_block(&self.rows, &mut bytes);
            }
        }
        for stack in &self.stacks {
            bytes.extend(shape.layers_hash().to_le_bytes());
            for layer in stack {
                bytes.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
                bytes.extend(layer.weights.iter().map(|&weight| weight as u8));
            }
        }
        Ok(out.write_all(&bytes)?)
    }

    /// Whether every list has the length, and every number the range, that the shape asks for.
    fn check(&self) -> Result<(), NetFault> {
        let length = |part, found, expected| {
            if found == expected { Ok(()) } else { Err(NetFault::Length { part, found, expected }) }
        };
        let shape = self.shape;
        length("biases of sums", self.biases.len(), shape.width())?;
        length("weights of rows", self.rows.len(), shape.inputs() * shape.width())?;
        length("stacks of layers", self.stacks.len(), shape.stacks())?;
        for stack in &self.stacks {
            for (layer, (inputs, outputs)) in stack.iter().zip(shape.layers()) {
                length("biases of a layer", layer.biases.len(), outputs)?;
                length("weights of a layer", layer.weights.len(), inputs * outputs)?;
            }
        }
        check_range(shape, "biases", &self.biases)?;
        check_range(shape, "rows", &self.rows)
    }
}

/// Whether all numbers are still numbers of 16 bits once they are multiplied as they will be in memory.
fn check_range(shape: Shape, part: &'static str, values: &[i16]) -> Result<(), NetFault> {
    let range = i16::MIN / transformer_scale(shape)..=i16::MAX / transformer_scale(shape);
    match values.iter().position(|value| !range.contains(value)) {
        None => Ok(()),
        Some(at) => Err(NetFault::Leb128 { part, fault: Leb128Fault::Range(at, i32::from(values[at])) }),
    }
}

fn write_block(values: &[i16], bytes: &mut Vec<u8>) {
    bytes.extend(leb128::TAG);
    let length_at = bytes.len();
    bytes.extend([0; 4]);
    let start = bytes.len();
    values.iter().for_each(|&value| leb128::write(value, bytes));
    let length = (bytes.len() - start) as u32;
    bytes[length_at..start].copy_from_slice(&length.to_le_bytes());
}
