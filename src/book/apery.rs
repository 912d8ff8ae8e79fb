//! Apery's format (`book.bin`): 16-byte records under Zobrist keys of its own, sorted by key.
//!
//! A record is key (8), move (2), count (2), score (4), little-endian. The key comes out of the 64-bit Mersenne
//! twister, so that a position cannot be had back from it.

use super::bytes::{Bytes, lower_bound, tested_records};
use super::entry::{Candidate, MAX_CANDIDATES};
use super::error::BookFault;
use super::write::{BookPositions, OutputFormat, Written};
use super::ybb::u64_at;
use crate::position::Position;
use crate::types::{Color, Move, PieceType, Square};
use once_cell::sync::Lazy;
use std::borrow::Cow;
use std::io::{self, Write};

pub(crate) const RECORD_BYTES: u64 = 16;

/// The 64-bit Mersenne twister (Nishimura and Matsumoto, 2000) with its default seed.
struct Twister {
    state: [u64; 312],
    at: usize,
}

impl Twister {
    fn new() -> Twister {
        let mut state = [0; 312];
        state[0] = 5_489;
        for i in 1..312 {
            let last: u64 = state[i - 1];
            state[i] = (last ^ last >> 62).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i as u64);
        }
        Twister { state, at: 312 }
    }

    fn next(&mut self) -> u64 {
        if self.at == 312 {
            const UPPER: u64 = !0 << 31;
            for i in 0..312 {
                let mixed = self.state[i] & UPPER | self.state[(i + 1) % 312] & !UPPER;
                let odd = if mixed & 1 == 1 { 0xB502_6F5A_A966_19E9 } else { 0 };
                self.state[i] = self.state[(i + 156) % 312] ^ mixed >> 1 ^ odd;
            }
            self.at = 0;
        }
        let mut x = self.state[self.at];
        self.at += 1;
        x ^= x >> 29 & 0x5555_5555_5555_5555;
        x ^= x << 17 & 0x71D6_7FFF_EDA6_0000;
        x ^= x << 37 & 0xFFF7_EEE0_0000_0000;
        x ^ x >> 43
    }
}

/// Random numbers of Apery: `[piece 0..31][square 0..81]`, `[kind 0..7][number 0..19]`, white to move.
struct Numbers {
    pieces: Vec<[u64; 81]>,
    hands: [[u64; 19]; 7],
    white: u64,
}

static NUMBERS: Lazy<Numbers> = Lazy::new(|| {
    let mut twister = Twister::new();
    let pieces = (0..31).map(|_| std::array::from_fn(|_| twister.next())).collect();
    let hands = std::array::from_fn(|_| std::array::from_fn(|_| twister.next()));
    Numbers { pieces, hands, white: twister.next() }
});

/// The key of a position.
pub fn apery_key(position: &Position) -> u64 {
    let mut key = 0;
    for square in Square::ALL {
        let Some(piece) = position.piece_on(square) else { continue };
        let kind = piece.piece_type();
        let number = match PieceType::HAND.iter().position(|&known| known == kind.unpromoted()) {
            Some(index) => index + 1,
            None => 8,
        };
        let promoted = if kind.is_promoted() { 8 } else { 0 };
        let color = if piece.color() == Color::White { 16 } else { 0 };
        key ^= NUMBERS.pieces[number + promoted + color][square];
    }
    for (kind, numbers) in PieceType::HAND_ARRAY.into_iter().zip(&NUMBERS.hands) {
        key ^= numbers[position.hand(position.side()).count(kind) as usize];
    }
    if position.side() == Color::White { key ^ NUMBERS.white } else { key }
}

/// A book of Apery.
#[derive(Debug)]
pub(crate) struct AperyBook {
    pub(crate) bytes: Bytes,
    /// Number of moves.
    pub(crate) records: u64,
}

impl AperyBook {
    pub(crate) fn new(bytes: Bytes) -> Result<AperyBook, BookFault> {
        let records = bytes.length() / RECORD_BYTES;
        let rest = bytes.length() % RECORD_BYTES;
        if rest != 0 {
            let why = format_args!("{rest} bytes are left over behind the last record of {RECORD_BYTES}");
            return Err(BookFault::at(bytes.length() - rest, why));
        }
        Ok(AperyBook { bytes, records })
    }

    /// An error if the order of the records is wrong where it is tested, or if a move there is none.
    pub(crate) fn test_order(&self) -> Result<(), BookFault> {
        let mut last = 0;
        for index in tested_records(self.records) {
            let (key, _) = self.record(index)?;
            if key < last {
                return Err(BookFault::NotSorted(index * RECORD_BYTES));
            }
            last = key;
        }
        Ok(())
    }

    /// Tests whether the bits of every move are those of one.
    pub(crate) fn all_moves_are_moves(&self) -> bool {
        (0..self.records).all(|index| match self.record(index) {
            Ok((_, bytes)) => Move::from_apery_bits(u16::from_le_bytes([bytes[8], bytes[9]])).is_some(),
            Err(_) => false,
        })
    }

    /// Sorts the records in memory; those of one key stay in the order that they had.
    pub(crate) fn sorted(self) -> Result<AperyBook, BookFault> {
        let bytes = self.bytes.into_contents()?;
        let mut records: Vec<[u8; 16]> =
            bytes.chunks_exact(16).map(|record| record.try_into().expect("a chunk of 16 bytes")).collect();
        records.sort_by_key(|record| u64_at(record, 0));
        AperyBook::new(Bytes::in_memory(Cow::Owned(records.concat())))
    }

    fn record(&self, index: u64) -> Result<(u64, [u8; 16]), BookFault> {
        let mut bytes = [0; RECORD_BYTES as usize];
        self.bytes.read_at(index * RECORD_BYTES, &mut bytes)?;
        Ok((u64_at(&bytes, 0), bytes))
    }

    /// The moves of a position.
    pub(crate) fn find(&self, position: &Position) -> Result<Option<Vec<Candidate>>, BookFault> {
        let key = apery_key(position);
        let first = lower_bound(self.records, key, |index| Ok(self.record(index)?.0), |index| index * RECORD_BYTES)?;
        let mut moves = Vec::new();
        for index in (first..self.records).take(MAX_CANDIDATES) {
            let (found, bytes) = self.record(index)?;
            if found != key {
                break;
            }
            let bits = u16::from_le_bytes([bytes[8], bytes[9]]);
            let mv =
                Move::from_apery_bits(bits).ok_or_else(|| BookFault::no_move(index * RECORD_BYTES + 8, bits.into()))?;
            let count = u16::from_le_bytes([bytes[10], bytes[11]]).into();
            let value = i32::from_le_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]);
            moves.push(Candidate { value: Some(value), count, ..Candidate::new(mv) });
        }
        if moves.is_empty() { Ok(None) } else { Ok(Some(moves)) }
    }
}

pub(crate) fn write_apery(source: &dyn BookPositions, out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    source.visit(&mut |mut entry| {
        entry.sort_moves();
        written.count(&entry, OutputFormat::Apery);
        let key = apery_key(&entry.position);
        for candidate in &entry.moves {
            out.write_all(&key.to_le_bytes())?;
            out.write_all(&candidate.mv.apery_bits().to_le_bytes())?;
            out.write_all(&(candidate.count.min(u16::MAX.into()) as u16).to_le_bytes())?;
            out.write_all(&candidate.value_or_zero().to_le_bytes())?;
        }
        Ok(())
    })?;
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi::parse_position;

    #[test]
    fn keys_are_those_of_apery() {
        assert_eq!(Twister::new().next(), 0xc96d_191c_f6f6_aea6);
        assert_eq!(NUMBERS.white, 0x3fa5_1fd0_a8bb_5298);
        let key = |line: &str| apery_key(&parse_position(line).unwrap().position);
        assert_eq!(key("startpos"), 0xeebe_8ee7_e1ad_7e15);
        assert_eq!(key("startpos moves 7g7f"), 0x3e7b_1f82_5672_20d5);
        let sfen = "sfen lnsgk1snl/1r4g2/pppppp1pp/6p2/7P1/2P6/PP1PPPP1P/1+b5R1/LNSGKGSNL b b 7";
        assert_eq!(key(sfen), 0x9a08_ce50_69be_bcda);
    }
}
