//! Positions packed into 256 bits: as training records and binary books hold them, and as Apery and dlshogi do (hcp).
//!
//! A stream of bits, lowest first: side to move (1), black king's square (7), white king's square (7), then each other
//! square's piece as a prefix code, then codes for the hands and for the pieces that are not in the game, until 256
//! bits are full. The move counter is not part of it. A position with one king does not fit. The two formats differ in
//! the codes of the pieces.

use super::{InvalidPosition, Position, PositionBuilder};
use crate::types::{Color, Piece, PieceType, Square};
use thiserror::Error;

/// The 32 bytes of a packed position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedPosition(pub [u8; 32]);

/// Why a position cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PackError {
    /// This side has no king.
    #[error("a position without a king ({0}) cannot be packed")]
    MissingKing(Color),
}

/// Why 32 bytes are no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The field of this side's king holds no square.
    #[error("king ({0}) on square {1}, which does not exist")]
    BadKing(Color, u8),
    /// Both kings stand on this square.
    #[error("both kings on {0}")]
    KingsOverlap(Square),
    /// The bits end within a piece's code that starts at this bit.
    #[error("the 256 bits end within the code at bit {0}")]
    Truncated(usize),
    /// The stream decodes to a position that cannot be.
    #[error(transparent)]
    Position(#[from] InvalidPosition),
}

/// The 32 bytes of a position in the files of Apery and dlshogi (`.hcp`, `.hcpe`, `.hcpe3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HuffmanPosition(pub [u8; 32]);

/// The prefix code of a type: the first bit is the lowest. A promotion bit (not for gold) and a colour bit follow.
#[derive(Clone, Copy)]
struct TypeCode {
    piece_type: PieceType,
    code: u32,
    bits: u32,
}

const fn type_code(piece_type: PieceType, code: u32, bits: u32) -> TypeCode {
    TypeCode { piece_type, code, bits }
}

/// The codes of the pieces on the board, each behind a 1 that tells it from an empty square: at most eight bits.
struct BoardCodes {
    /// `(code, bits)` by [`Piece::index`], none for kings.
    by_piece: [(u32, u32); 32],
    /// By the next eight bits of the stream: the piece with whose code they begin, and the bits of that code. Entries
    /// with an even index are not used.
    by_bits: [(Piece, u32); 256],
}

impl BoardCodes {
    const fn new(codes: &[TypeCode; 7], is_promotion_first: bool) -> BoardCodes {
        let mut by_piece = [(0, 0); 32];
        let mut by_bits = [(Piece::BPawn, 0); 256];
        let mut i = 0;
        while i < 4 * codes.len() {
            let TypeCode { piece_type, code, bits } = codes[i / 4];
            let color = i as u32 & 1;
            let promotion = i as u32 >> 1 & 1;
            i += 1;
            let is_gold = matches!(piece_type, PieceType::Gold);
            if is_gold && promotion == 1 {
                continue;
            }
            let flags = if is_gold {
                color
            } else if is_promotion_first {
                promotion | color << 1
            } else {
                color | promotion << 1
            };
            let value = 1 | code << 1 | flags << (1 + bits);
            let length = 1 + bits + if is_gold { 1 } else { 2 };
            let piece_type = if promotion == 1 { piece_type.promoted() } else { piece_type };
            let piece = Piece::new(Color::ALL[color as usize], piece_type);
            by_piece[piece.index()] = (value, length);
            // Whatever bits follow, this code comes first.
            let mut next_eight = value as usize;
            while next_eight < by_bits.len() {
                by_bits[next_eight] = (piece, length);
                next_eight += 1 << length;
            }
        }
        BoardCodes { by_piece, by_bits }
    }
}

const KING_BITS: u32 = 7;

struct BitWriter {
    words: [u64; 4],
    position: usize,
}

impl BitWriter {
    /// Appends the low `bits` of `value`, lowest first.
    fn put(&mut self, value: u32, bits: u32) {
        let value = u64::from(value) & ((1 << bits) - 1);
        let word = self.position / 64;
        let shift = self.position % 64;
        self.words[word] |= value << shift;
        if shift + bits as usize > 64 {
            self.words[word + 1] |= value >> (64 - shift);
        }
        self.position += bits as usize;
    }

    fn put_on_board(&mut self, codes: &BoardCodes, piece: Piece) {
        let (value, bits) = codes.by_piece[piece.index()];
        self.put(value, bits);
    }

    /// Appends the code of a piece on the board without the 1 before it.
    fn put_code(&mut self, codes: &BoardCodes, piece: Piece) {
        let (value, bits) = codes.by_piece[piece.index()];
        self.put(value >> 1, bits - 1);
    }

    fn bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (eight, word) in bytes.as_chunks_mut().0.iter_mut().zip(self.words) {
            *eight = word.to_le_bytes();
        }
        bytes
    }
}

struct BitReader {
    words: [u64; 4],
    position: usize,
}

impl BitReader {
    fn new(bytes: &[u8; 32]) -> BitReader {
        let mut words = [0; 4];
        for (word, &eight) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(eight);
        }
        BitReader { words, position: 0 }
    }

    fn take(&mut self, bits: u32) -> Option<u32> {
        let word = self.position / 64;
        let shift = self.position % 64;
        let end = self.position + bits as usize;
        if end > 256 {
            return None;
        }
        let mut value = self.words.get(word)? >> shift;
        if shift + bits as usize > 64 {
            value |= self.words[word + 1] << (64 - shift);
        }
        self.position = end;
        Some((value & ((1 << bits) - 1)) as u32)
    }

    /// Reads a piece whose leading 1 has been read; `None` if the bits end within it.
    fn take_piece(&mut self, codes: &BoardCodes) -> Option<Piece> {
        let word = self.position / 64;
        let shift = self.position % 64;
        let mut next = self.words.get(word)? >> shift;
        if shift > 64 - 7 {
            next |= self.words.get(word + 1).map_or(0, |word| word << (64 - shift));
        }
        let (piece, bits) = codes.by_bits[(next << 1 | 1) as usize & 0xFF];
        self.position += bits as usize - 1;
        if self.position <= 256 { Some(piece) } else { None }
    }
}

/// The codes of the pieces in one of the two formats.
trait PieceCode {
    /// The pieces on the board.
    const ON_BOARD: &'static BoardCodes;
    /// Writes a piece in hand.
    fn put_held(out: &mut BitWriter, piece: Piece);
    /// Writes a piece that is not in the game.
    fn put_absent(out: &mut BitWriter, piece_type: PieceType);
    /// Reads a piece behind the board: `Some(None)` for one that is not in the game, `None` if the bits end.
    fn take_held(bits: &mut BitReader) -> Option<Option<Piece>>;
}

/// The code of training records (`.psv`).
struct Training;

const TRAINING_CODES: [TypeCode; 7] = [
    type_code(PieceType::Pawn, 0x00, 1),
    type_code(PieceType::Lance, 0x01, 3),
    type_code(PieceType::Knight, 0x05, 3),
    type_code(PieceType::Silver, 0x03, 3),
    type_code(PieceType::Gold, 0x07, 4),
    type_code(PieceType::Bishop, 0x0F, 5),
    type_code(PieceType::Rook, 0x1F, 5),
];

impl PieceCode for Training {
    const ON_BOARD: &'static BoardCodes = &BoardCodes::new(&TRAINING_CODES, true);

    fn put_held(out: &mut BitWriter, piece: Piece) {
        out.put_code(Training::ON_BOARD, piece);
    }

    /// A piece that is not in the game is written as a promoted piece in hand, which no real hand has; a gold, which
    /// has no promotion bit, as a promoted white silver.
    fn put_absent(out: &mut BitWriter, piece_type: PieceType) {
        let piece = match piece_type {
            PieceType::Gold => Piece::WProSilver,
            other => Piece::new(Color::Black, other.promoted()),
        };
        out.put_code(Training::ON_BOARD, piece);
    }

    fn take_held(bits: &mut BitReader) -> Option<Option<Piece>> {
        let piece = bits.take_piece(Training::ON_BOARD)?;
        Some(if piece.is_promoted() { None } else { Some(piece) })
    }
}

/// The code of Apery and dlshogi.
struct Huffman;

const HUFFMAN_CODES: [TypeCode; 7] = [
    type_code(PieceType::Pawn, 0x00, 1),
    type_code(PieceType::Lance, 0x01, 3),
    type_code(PieceType::Knight, 0x03, 3),
    type_code(PieceType::Silver, 0x05, 3),
    type_code(PieceType::Gold, 0x07, 4),
    type_code(PieceType::Bishop, 0x0F, 5),
    type_code(PieceType::Rook, 0x1F, 5),
];

impl Huffman {
    /// Writes a piece behind the board. A bit says that it is in no hand: with most pieces behind the code; with bishop
    /// and rook, where it is 0, before the last bit of the code. A gold in no hand is such a silver of the other colour.
    fn put_behind_board(out: &mut BitWriter, piece: Piece, is_held: bool) {
        let code = HUFFMAN_CODES.iter().find(|code| code.piece_type == piece.piece_type().unpromoted());
        let &TypeCode { code, bits, .. } = code.expect("every piece but the king has a code");
        match piece.piece_type() {
            PieceType::Bishop | PieceType::Rook => {
                out.put(code & 15, 4);
                out.put(is_held as u32, 1);
                out.put(code >> 4, 1);
            }
            PieceType::Gold => out.put(code, bits),
            _ => {
                out.put(code, bits);
                out.put(!is_held as u32, 1);
            }
        }
        out.put(piece.color() as u32, 1);
    }
}

impl PieceCode for Huffman {
    const ON_BOARD: &'static BoardCodes = &BoardCodes::new(&HUFFMAN_CODES, false);

    fn put_held(out: &mut BitWriter, piece: Piece) {
        Huffman::put_behind_board(out, piece, true);
    }

    fn put_absent(out: &mut BitWriter, piece_type: PieceType) {
        let piece = match piece_type {
            PieceType::Gold => Piece::new(Color::White, PieceType::Silver),
            other => Piece::new(Color::Black, other),
        };
        Huffman::put_behind_board(out, piece, false);
    }

    fn take_held(bits: &mut BitReader) -> Option<Option<Piece>> {
        let is_held;
        let piece_type;
        if bits.take(1)? == 0 {
            piece_type = PieceType::Pawn;
            is_held = bits.take(1)? == 0;
        } else {
            let code = bits.take(2)?;
            let flag = bits.take(1)?;
            if code == 3 && flag == 1 {
                is_held = bits.take(1)? == 1;
                piece_type = if bits.take(1)? == 0 { PieceType::Bishop } else { PieceType::Rook };
            } else {
                is_held = flag == 0;
                piece_type = [PieceType::Lance, PieceType::Knight, PieceType::Silver, PieceType::Gold][code as usize];
            }
        }
        let color = Color::ALL[bits.take(1)? as usize];
        Some(if is_held { Some(Piece::new(color, piece_type)) } else { None })
    }
}

/// Packs a position with the pieces in this code.
fn pack<C: PieceCode>(pos: &Position) -> Result<[u8; 32], PackError> {
    let mut out = BitWriter { words: [0; 4], position: 0 };
    out.put(pos.side() as u32, 1);
    for color in Color::ALL {
        let king = pos.king(color).ok_or(PackError::MissingKing(color))?;
        out.put(king as u32, KING_BITS);
    }
    let mut counts = [0; 16];
    for square in Square::ALL {
        match pos.piece_on(square) {
            None => out.position += 1,
            Some(piece) if piece.piece_type() == PieceType::King => {}
            Some(piece) => {
                out.put_on_board(C::ON_BOARD, piece);
                counts[piece.piece_type().unpromoted().index()] += 1;
            }
        }
    }
    for color in Color::ALL {
        for TypeCode { piece_type, .. } in TRAINING_CODES {
            for _ in 0..pos.hand(color).count(piece_type) {
                C::put_held(&mut out, Piece::new(color, piece_type));
            }
        }
    }
    for TypeCode { piece_type, .. } in TRAINING_CODES {
        let held = pos.hand(Color::Black).count(piece_type) + pos.hand(Color::White).count(piece_type);
        for _ in counts[piece_type.index()] + held..piece_type.total() {
            C::put_absent(&mut out, piece_type);
        }
    }
    debug_assert_eq!(out.position, 256);
    Ok(out.bytes())
}

/// Unpacks a position with the pieces in this code; its move counter is 1.
fn unpack<C: PieceCode>(bytes: &[u8; 32]) -> Result<Position, UnpackError> {
    let mut bits = BitReader::new(bytes);
    let mut builder = PositionBuilder::new();
    let side = bits.take(1).unwrap_or(0);
    builder.side(Color::ALL[side as usize]);
    for color in Color::ALL {
        let value = bits.take(KING_BITS).unwrap_or(u32::MAX);
        let square = Square::new(value as usize).ok_or(UnpackError::BadKing(color, value as u8))?;
        if builder.piece_on(square).is_some() {
            return Err(UnpackError::KingsOverlap(square));
        }
        builder.piece(square, Piece::new(color, PieceType::King));
    }
    for square in Square::ALL {
        if builder.piece_on(square).is_some() {
            continue;
        }
        let truncated = UnpackError::Truncated(bits.position);
        match bits.take(1) {
            Some(0) => {}
            Some(_) => _ = builder.piece(square, bits.take_piece(C::ON_BOARD).ok_or(truncated)?),
            None => return Err(truncated),
        }
    }
    while bits.position < 256 {
        let truncated = UnpackError::Truncated(bits.position);
        if let Some(piece) = C::take_held(&mut bits).ok_or(truncated)? {
            builder.hand(piece.color(), piece.piece_type(), 1);
        }
    }
    Ok(builder.build()?)
}

impl Position {
    /// Packs the position; the move counter is lost.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let position = Position::startpos();
    /// let packed = position.pack()?;
    /// assert_eq!(packed.0.len(), 32);
    /// assert_eq!(packed.unpack()?, position);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pack(&self) -> Result<PackedPosition, PackError> {
        pack::<Training>(self).map(PackedPosition)
    }

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

impl PackedPosition {
    /// Unpacks the position, with move counter 1.
    pub fn unpack(&self) -> Result<Position, UnpackError> {
        unpack::<Training>(&self.0)
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
        let mut random = SplitMix64(1);
        let mut read = 0;
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
