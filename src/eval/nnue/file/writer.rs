//! Writing nets.

use super::{NetFault, VERSION, leb128};
use crate::eval::nnue::lines::Words;
use crate::eval::nnue::net::{Net, Parameters, Weights};
use crate::eval::nnue::shape::PROGRESS_HASH;
use std::io::{self, Write};

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
            for (layer, (inputs, outputs)) in shape.layers().into_iter().enumerate() {
                bytes.extend((0..outputs).flat_map(|output| layers.bias(stack, layer, output).to_le_bytes()));
                for output in 0..outputs {
                    bytes.extend((0..inputs).map(|input| layers.weight(stack, layer, output, input) as u8));
                }
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
    let halves = |words: &[Words], bytes: &mut Vec<u8>| {
        bytes.clear();
        words.iter().flat_map(|line| line.0).for_each(|number| leb128::write(number / 2, bytes));
    };
    let mut bytes = Vec::new();
    let mut length = 0;
    for piece in words.chunks(PIECE) {
        halves(piece, &mut bytes);
        length += bytes.len();
    }
    out.write_all(leb128::TAG)?;
    out.write_all(&(length as u32).to_le_bytes())?;
    for piece in words.chunks(PIECE) {
        halves(piece, &mut bytes);
        out.write_all(&bytes)?;
    }
    Ok(())
}
