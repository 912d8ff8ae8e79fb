//! The packed position of Apery and dlshogi (hcp): 256 bits as those of [`PackedPosition`](super::PackedPosition), with
//! other codes for the pieces, the colour before the promotion.

use super::packed::{BitReader, BitWriter, BoardCodes, PieceCode, TypeCode, pack, unpack};
use super::{PackError, Position, UnpackError};
use crate::types::{Color, Piece, PieceType};

/// The 32 bytes of a position in the files of Apery and dlshogi (`.hcp`, `.hcpe`, `.hcpe3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HuffmanPosition(pub [u8; 32]);

/// `(type, code, bits)` of a piece on the board behind the 1 that is before it, lowest bit first.
const CODES: [TypeCode; 7] = [
    (PieceType::Pawn, 0x00, 1),
    (PieceType::Lance, 0x01, 3),
    (PieceType::Knight, 0x03, 3),
    (PieceType::Silver, 0x05, 3),
    (PieceType::Gold, 0x07, 4),
    (PieceType::Bishop, 0x0F, 5),
    (PieceType::Rook, 0x1F, 5),
];

struct Huffman;

fn code(piece_type: PieceType) -> (u32, u32) {
    let code = CODES.iter().find(|code| code.0 == piece_type.unpromoted());
    code.map(|&(_, value, bits)| (value, bits)).expect("every piece but the king has a code")
}

/// Writes a piece behind the board. A bit says that it is in no hand: with most pieces behind the code; with bishop and
/// rook, where it is 0, before the last bit of the code. A gold in no hand is such a silver of the other colour.
fn put_behind_board(out: &mut BitWriter, piece: Piece, is_held: bool) {
    let (value, bits) = code(piece.piece_type());
    match piece.piece_type() {
        PieceType::Bishop | PieceType::Rook => {
            out.put(value & 15, 4);
            out.put(is_held as u32, 1);
            out.put(value >> 4, 1);
        }
        PieceType::Gold => out.put(value, bits),
        _ => {
            out.put(value, bits);
            out.put(!is_held as u32, 1);
        }
    }
    out.put(piece.color() as u32, 1);
}

impl PieceCode for Huffman {
    const ON_BOARD: &'static BoardCodes = &BoardCodes::new(&CODES, false);

    fn put_held(out: &mut BitWriter, piece: Piece) {
        put_behind_board(out, piece, true);
    }

    fn put_absent(out: &mut BitWriter, piece_type: PieceType) {
        let piece = match piece_type {
            PieceType::Gold => Piece::new(Color::White, PieceType::Silver),
            other => Piece::new(Color::Black, other),
        };
        put_behind_board(out, piece, false);
    }

    fn take_held(bits: &mut BitReader) -> Option<Option<Piece>> {
        let (piece_type, is_held) = if bits.take(1)? == 0 {
            (PieceType::Pawn, bits.take(1)? == 0)
        } else {
            match (bits.take(2)?, bits.take(1)?) {
                (0, other) => (PieceType::Lance, other == 0),
                (1, other) => (PieceType::Knight, other == 0),
                (2, other) => (PieceType::Silver, other == 0),
                (_, 0) => (PieceType::Gold, true),
                _ => {
                    let is_held = bits.take(1)? == 1;
                    (if bits.take(1)? == 0 { PieceType::Bishop } else { PieceType::Rook }, is_held)
                }
            }
        };
        let color = Color::ALL[bits.take(1)? as usize];
        Some(Some(Piece::new(color, piece_type)).filter(|_| is_held))
    }
}

impl Position {
    /// Packs the position as Apery and dlshogi do (hcp); the move counter is lost.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let position = Position::startpos();
    /// assert_eq!(position.pack_huffman()?.unpack()?, position);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pack_huffman(&self) -> Result<HuffmanPosition, PackError> {
        pack::<Huffman>(self).map(HuffmanPosition)
    }
}

impl HuffmanPosition {
    /// Unpacks the position, with move counter 1.
    pub fn unpack(&self) -> Result<Position, UnpackError> {
        unpack::<Huffman>(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::PackedPosition;
    use crate::random::SplitMix64;

    /// Positions with their bytes as cshogi 1.1.0 packs them.
    const PACKED: [(&str, &str); 5] = [
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        ),
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "59a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        ),
        (
            "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbg2s2n2l3p 1",
            "582400000000000000000000c228e7f32319e39cb5deef5f92244992a4b45aef",
        ),
        (
            "4k4/9/9/+P+L+N+S+B+R3/9/+p+l+n+s+b+r3/9/9/4K4 b - 1",
            "5824000000e0d73ff8f40d563b70ba81d10ca4862449922449524a6bb5d67bef",
        ),
        (
            "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
            "59a449210c9742fc1c9b42585e85f0288457213c9b42582e85f8382685303c5e",
        ),
    ];

    #[test]
    fn positions_have_the_bits_of_other_programs() {
        for (sfen, hex) in PACKED {
            let pos = Position::from_sfen(sfen).expect("a SFEN");
            let packed = pos.pack_huffman().expect("two kings");
            let found: String = packed.0.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, hex, "{sfen}");
            assert_eq!(packed.unpack().expect("it was packed"), pos, "{sfen}");
        }
    }

    #[test]
    fn a_position_without_a_king_is_not_packed() {
        let pos = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1").expect("a SFEN");
        assert_eq!(pos.pack_huffman(), Err(PackError::MissingKing(Color::Black)));
    }

    #[test]
    fn random_bits_are_a_position_that_is_packed_again_or_an_error() {
        let start = Position::startpos().pack_huffman().expect("two kings");
        let (mut random, mut read) = (SplitMix64(1), 0);
        for _ in 0..20_000 {
            let mut bytes = start.0;
            for _ in 0..1 + random.below(3) {
                bytes[random.below(32)] ^= 1 << random.below(8);
            }
            if let Ok(pos) = HuffmanPosition(bytes).unpack() {
                read += 1;
                let again = pos.pack_huffman().expect("two kings").unpack();
                assert_eq!(again.expect("it was packed"), pos, "{bytes:?}");
            }
        }
        assert!(read > 100, "{read}");
    }

    #[test]
    fn the_bits_of_the_other_format_are_told_apart() {
        let start = Position::startpos();
        assert!(HuffmanPosition(start.pack().expect("two kings").0).unpack() != Ok(start.clone()));
        assert!(PackedPosition(start.pack_huffman().expect("two kings").0).unpack() != Ok(start));
    }
}
