//! The packed position: 256 bits, as training records and binary books hold it.
//!
//! A stream of bits, lowest first: side to move (1), black king's square (7), white king's square (7), then each other
//! square's piece as a prefix code, then codes for the hands and for the pieces that are not in the game, until 256
//! bits are full. The move counter is not part of it. A position with one king does not fit.

use super::{InvalidPosition, Position, PositionBuilder};
use crate::types::{Color, Piece, PieceType, Square};
use std::error::Error;
use std::fmt;

/// The 32 bytes of a packed position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PackedPosition(pub [u8; 32]);

/// Why a position cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// This side has no king.
    MissingKing(Color),
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::MissingKing(color) => write!(f, "a position without a king ({color}) cannot be packed"),
        }
    }
}

impl Error for PackError {}

/// Why 32 bytes are no position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnpackError {
    /// The field of this side's king holds no square.
    BadKing(Color, u8),
    /// Both kings stand on this square.
    KingsOverlap(Square),
    /// The bits end within a piece's code that starts at this bit.
    Truncated(usize),
    /// The stream decodes to a position that cannot be.
    Position(InvalidPosition),
}

impl fmt::Display for UnpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnpackError::BadKing(color, square) => write!(f, "king ({color}) on square {square}, which does not exist"),
            UnpackError::KingsOverlap(square) => write!(f, "both kings on {square}"),
            UnpackError::Truncated(bit) => write!(f, "the 256 bits end within the code at bit {bit}"),
            UnpackError::Position(error) => error.fmt(f),
        }
    }
}

impl Error for UnpackError {}

impl From<InvalidPosition> for UnpackError {
    fn from(error: InvalidPosition) -> UnpackError {
        UnpackError::Position(error)
    }
}

/// `(type, code, bits)` of a piece, the bit that comes first lowest. A promotion bit (not for gold) and a colour bit
/// follow.
pub(super) type TypeCode = (PieceType, u32, u32);

const CODES: [TypeCode; 7] = [
    (PieceType::Pawn, 0x00, 1),
    (PieceType::Lance, 0x01, 3),
    (PieceType::Knight, 0x05, 3),
    (PieceType::Silver, 0x03, 3),
    (PieceType::Gold, 0x07, 4),
    (PieceType::Bishop, 0x0F, 5),
    (PieceType::Rook, 0x1F, 5),
];

/// Codes of pieces on the board, each behind a 1 that tells it from an empty square: at most eight bits.
pub(super) struct BoardCodes {
    /// `(bits, their number)` by [`Piece::index`], none for kings.
    by_piece: [(u32, u32); 32],
    /// The piece with whose code these eight bits begin, and the number of its bits; nothing for even numbers.
    by_bits: [(Piece, u32); 256],
}

impl BoardCodes {
    pub(super) const fn new(codes: &[TypeCode; 7], is_promotion_first: bool) -> BoardCodes {
        let (mut by_piece, mut by_bits) = ([(0, 0); 32], [(Piece::BPawn, 0); 256]);
        let mut i = 0;
        while i < 4 * codes.len() {
            let ((piece_type, code, bits), color, promotion) = (codes[i / 4], i as u32 & 1, i as u32 >> 1 & 1);
            i += 1;
            let is_gold = matches!(piece_type, PieceType::Gold);
            if is_gold && promotion == 1 {
                continue;
            }
            let flags = match (is_gold, is_promotion_first) {
                (true, _) => color,
                (false, true) => promotion | color << 1,
                (false, false) => color | promotion << 1,
            };
            let (value, length) = (1 | code << 1 | flags << (1 + bits), 1 + bits + if is_gold { 1 } else { 2 });
            let piece_type = if promotion == 1 { piece_type.promoted() } else { piece_type };
            let piece = Piece::new(Color::ALL[color as usize], piece_type);
            by_piece[piece.index()] = (value, length);
            let mut begun = value as usize;
            while begun < by_bits.len() {
                by_bits[begun] = (piece, length);
                begun += 1 << length;
            }
        }
        BoardCodes { by_piece, by_bits }
    }
}

const KING_BITS: u32 = 7;

pub(super) struct BitWriter {
    words: [u64; 4],
    at: usize,
}

impl BitWriter {
    /// Appends the low `bits` of `value`, lowest first.
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        let (value, (word, shift)) = (u64::from(value) & ((1 << bits) - 1), (self.at / 64, self.at % 64));
        self.words[word] |= value << shift;
        if shift + bits as usize > 64 {
            self.words[word + 1] |= value >> (64 - shift);
        }
        self.at += bits as usize;
    }

    /// Appends a piece on the board.
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
        bytes.as_chunks_mut().0.iter_mut().zip(self.words).for_each(|(eight, word)| *eight = word.to_le_bytes());
        bytes
    }
}

pub(super) struct BitReader {
    words: [u64; 4],
    at: usize,
}

impl BitReader {
    fn new(bytes: &[u8; 32]) -> BitReader {
        let mut words = [0; 4];
        words.iter_mut().zip(bytes.as_chunks().0).for_each(|(word, &eight)| *word = u64::from_le_bytes(eight));
        BitReader { words, at: 0 }
    }

    pub(super) fn take(&mut self, bits: u32) -> Option<u32> {
        let (end, shift) = (self.at + bits as usize, self.at % 64);
        let mut value = self.words.get(self.at / 64)? >> shift;
        if end > 256 {
            return None;
        }
        if shift + bits as usize > 64 {
            value |= self.words[self.at / 64 + 1] << (64 - shift);
        }
        self.at = end;
        Some((value & ((1 << bits) - 1)) as u32)
    }

    /// Reads a piece whose 1 has been read; `None` if the bits end within it.
    fn take_piece(&mut self, codes: &BoardCodes) -> Option<Piece> {
        let (word, shift) = (self.at / 64, self.at % 64);
        let mut next = self.words.get(word)? >> shift;
        if shift > 64 - 7 {
            next |= self.words.get(word + 1).map_or(0, |word| word << (64 - shift));
        }
        let (piece, bits) = codes.by_bits[(next << 1 | 1) as usize & 0xFF];
        self.at += bits as usize - 1;
        (self.at <= 256).then_some(piece)
    }
}

/// Writes and reads the pieces of a packed position, each in the bits of one format.
pub(super) trait PieceCode {
    /// The pieces on the board.
    const ON_BOARD: &'static BoardCodes;
    /// Writes a piece in hand.
    fn put_held(out: &mut BitWriter, piece: Piece);
    /// Writes a piece that is not in the game.
    fn put_absent(out: &mut BitWriter, piece_type: PieceType);
    /// Reads a piece behind the board: one in hand, or one that is not in the game. `None` if the bits end.
    fn take_held(bits: &mut BitReader) -> Option<Option<Piece>>;
}

/// Code of the packed positions of training records (`.psv`).
struct Training;

impl PieceCode for Training {
    const ON_BOARD: &'static BoardCodes = &BoardCodes::new(&CODES, true);

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
        bits.take_piece(Training::ON_BOARD).map(|piece| Some(piece).filter(|piece| !piece.is_promoted()))
    }
}

/// Packs a position with the pieces in this code.
pub(super) fn pack<C: PieceCode>(pos: &Position) -> Result<[u8; 32], PackError> {
    let mut out = BitWriter { words: [0; 4], at: 0 };
    out.put(pos.side() as u32, 1);
    for color in Color::ALL {
        let king = pos.king(color).ok_or(PackError::MissingKing(color))?;
        out.put(king as u32, KING_BITS);
    }
    let mut counts = [0; 16];
    for square in Square::ALL {
        match pos.piece_on(square) {
            None => out.at += 1,
            Some(piece) if piece.piece_type() == PieceType::King => {}
            Some(piece) => {
                out.put_on_board(C::ON_BOARD, piece);
                counts[piece.piece_type().unpromoted().index()] += 1;
            }
        }
    }
    for color in Color::ALL {
        for (piece_type, ..) in CODES {
            for _ in 0..pos.hand(color).count(piece_type) {
                C::put_held(&mut out, Piece::new(color, piece_type));
            }
        }
    }
    for (piece_type, ..) in CODES {
        let held = pos.hand(Color::Black).count(piece_type) + pos.hand(Color::White).count(piece_type);
        for _ in counts[piece_type.index()] + held..piece_type.total() {
            C::put_absent(&mut out, piece_type);
        }
    }
    debug_assert_eq!(out.at, 256);
    Ok(out.bytes())
}

/// Unpacks a position with the pieces in this code; its move counter is 1.
pub(super) fn unpack<C: PieceCode>(bytes: &[u8; 32]) -> Result<Position, UnpackError> {
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
        let start = bits.at;
        let truncated = || UnpackError::Truncated(start);
        if bits.take(1).ok_or_else(truncated)? == 1 {
            builder.piece(square, bits.take_piece(C::ON_BOARD).ok_or_else(truncated)?);
        }
    }
    while bits.at < 256 {
        let start = bits.at;
        if let Some(piece) = C::take_held(&mut bits).ok_or(UnpackError::Truncated(start))? {
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
}

impl PackedPosition {
    /// Unpacks the position, with move counter 1.
    pub fn unpack(&self) -> Result<Position, UnpackError> {
        unpack::<Training>(&self.0)
    }
}
