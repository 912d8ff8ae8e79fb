//! Records of Apery and dlshogi: positions alone (`.hcp`), or with score, move and result (`.hcpe`).
//!
//! | offset | bytes | holds |
//! |---|---|---|
//! | 0 | 32 | the position, packed as [`HuffmanPosition`] |
//! | 32 | 2 | score from the side to move's view, in centipawns |
//! | 34 | 2 | the best move as [`Move::apery_bits`]; 0 for none |
//! | 36 | 1 | result: 0 a draw, 1 black wins, 2 white wins; 4, 8 and 16 are added for repetition, declaration, limit of moves |
//! | 37 | 1 | nothing |

use super::Record;
use super::reader::tested;
use crate::training::games::{result_of, winner};
use crate::training::input::{ReadFault, damaged};
use komainu::position::{HuffmanPosition, PackError, Position};
use komainu::types::Move;

/// Length of a record of a position alone.
pub const HCP_BYTES: usize = 32;
/// Length of a record with score, move and result.
pub const HCPE_BYTES: usize = 38;

fn position(bytes: &[u8]) -> Result<Position, ReadFault> {
    HuffmanPosition(bytes.try_into().expect("32 bytes")).unpack().map_err(damaged)
}

/// The record of a position alone: without a move, its score and result 0.
pub(super) fn decode_hcp(bytes: &[u8]) -> Result<(Record, Position), ReadFault> {
    let pos = position(bytes)?;
    Ok((Record { position: pos.pack().map_err(damaged)?, score: 0, best: None, ply: 0, result: 0 }, pos))
}

pub(super) fn decode_hcpe(bytes: &[u8]) -> Result<(Record, Position), ReadFault> {
    let (packed, rest) = bytes.split_at(HCP_BYTES);
    let pos = position(packed)?;
    let best = match u16::from_le_bytes([rest[2], rest[3]]) {
        0 => None,
        bits => Some(Move::from_apery_bits(bits).ok_or_else(|| damaged(format_args!("there is no move {bits:#06x}")))?),
    };
    let winner = winner(rest[4]).ok_or_else(|| damaged(format_args!("there is no result {}", rest[4])))?;
    let result = winner.map_or(0, |winner| if winner == pos.side() { 1 } else { -1 });
    let score = i16::from_le_bytes([rest[0], rest[1]]);
    let record = Record { position: pos.pack().map_err(damaged)?, score, best, ply: 0, result };
    tested(record, pos)
}

impl Record {
    /// The 38 bytes of the record in a file of dlshogi, given its position; the move counter is lost.
    ///
    /// Errors: a position without a king.
    pub fn encode_hcpe(&self, pos: &Position) -> Result<[u8; HCPE_BYTES], PackError> {
        let mut bytes = [0; HCPE_BYTES];
        bytes[..HCP_BYTES].copy_from_slice(&pos.pack_huffman()?.0);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.best.map_or(0, Move::apery_bits).to_le_bytes());
        bytes[36] = result_of(self.winner(pos.side()));
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, RecordFormat, Records, visit_records};
    use super::*;
    use crate::training::games::{Game, Ply};
    use crate::training::input::ReadError;
    use komainu::notation::record::Ending;
    use komainu::types::Color;

    /// A game in which black loses, and its records as cshogi 1.1.0 makes them.
    const GAME: [(&str, i16, &str); 5] = [
        ("7g7f", 30, "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c1e003b1e0200"),
        ("3c3d", -20, "59a449210cd757217e8e4d212caf427814c2ab109e4d112cd75f213e8e49210cecff150a0200"),
        ("8h2b+", 100, "58a449210cd757217e8e8d222caf427814c2ab109e4d112cd75f213e8e49210c64000a630200"),
        ("3a2b", -100, "59a449210cd767217e8e8d222caf427814c2ab109e4d112cd75f211c9342183e9cff0a090200"),
        ("B*4e", 31_990, "58a449210cd756889f0345585e85f0288457213c9b2258aebf42382685307cbef67c9f2a0200"),
    ];

    fn bytes_of(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("digits")).collect()
    }

    fn file() -> Vec<u8> {
        GAME.iter().flat_map(|(.., hex)| bytes_of(hex)).collect()
    }

    fn read(bytes: &[u8], format: RecordFormat) -> Result<Vec<(Record, Position)>, ReadError> {
        Records::new(bytes, "test").in_format(format).collect()
    }

    #[test]
    fn records_are_those_of_other_programs() {
        let plies = GAME.map(|(mv, score, _)| Ply { mv: mv.parse().expect("a move"), score }).to_vec();
        let end = (Ending::Resignation, Some(Color::White));
        let game = Game::new(&Position::startpos(), plies, 0, end).expect("a legal game");
        let mut written = Vec::new();
        let mut positions = Vec::new();
        let visited = visit_records(&game, |record, pos, _| {
            written.extend(record.encode_hcpe(pos)?);
            positions.extend(pos.pack_huffman()?.0);
            Ok::<(), PackError>(())
        });
        assert_eq!((visited, &written), (Ok(()), &file()));
        // Read, they are the same game but for its ending.
        let mut chain = Chain::default();
        for (record, pos) in read(&written, RecordFormat::Hcpe).expect("good records") {
            assert!(chain.push(&record, &pos).is_none());
        }
        let joined = chain.finish().expect("a game");
        assert_eq!((joined.plies(), joined.winner()), (game.plies(), game.winner()));
        let alone = read(&positions, RecordFormat::Hcp).expect("good positions");
        assert!(alone.iter().all(|(record, _)| (record.best, record.score, record.result) == (None, 0, 0)));
        assert_eq!(alone[4].1.to_sfen(), "lnsgkg1nl/1r5s1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b Bb 1");
    }

    #[test]
    fn faults_name_the_file_and_the_byte() {
        let fault = |change: fn(&mut [u8])| {
            let mut bytes = file();
            change(&mut bytes);
            read(&bytes, RecordFormat::Hcpe).expect_err("a bad record").to_string()
        };
        assert_eq!(fault(|bytes| bytes[38 + 36] = 3), "test: byte 38: there is no result 3");
        assert_eq!(fault(|bytes| bytes[38 + 36] = 34), "test: byte 38: there is no result 34");
        assert_eq!(fault(|bytes| bytes[34] = 0), "test: byte 0: 7g1a is not legal");
        assert_eq!(fault(|bytes| bytes[35] = 0xFF), "test: byte 0: there is no move 0xff3b");
        assert_eq!(fault(|bytes| bytes[..32].fill(0xFF)), "test: byte 0: king (b) on square 127, which does not exist");
        let cut = |length: usize, format| read(&file()[..length], format).expect_err("a bad record").to_string();
        assert_eq!(cut(75, RecordFormat::Hcpe), "test: byte 38: the last record has 37 bytes, not 38");
        assert_eq!(cut(31, RecordFormat::Hcp), "test: byte 0: the last record has 31 bytes, not 32");
        // The kind of an end is no fault.
        let mut drawn = file();
        drawn[36] = 4;
        assert_eq!(read(&drawn, RecordFormat::Hcpe).expect("good records")[0].0.result, 0);
    }
}
