//! The position: board, hands, side to move, and what follows from them: SFEN, packed positions, repetition, rules.
//!
//! A [`Position`] keeps the game's history, so that repetition is known; [`Position::do_move`] and
//! [`Position::undo`] walk it in place. Pieces are kept twice, as a mailbox and as bitboards by colour and by
//! movement ([`PieceType::mover`]). An [`Observer`] sees every change of board and hands: that is how an evaluation
//! follows along without the position knowing it.

mod builder;
mod checks;
mod declaration;
mod handicap;
mod moves;
mod packed;
mod repetition;
mod rules;
mod see;
mod sfen;
mod validate;
mod zobrist;

pub(crate) use builder::MAX_COUNTER;
pub use builder::{InvalidPosition, PositionBuilder, PositionFault};
pub use checks::CheckInfo;
pub use declaration::{CampCount, Declaration};
pub use handicap::Handicap;
pub use moves::Observer;
pub use packed::{HuffmanPosition, PackError, PackedPosition, UnpackError};
pub use repetition::{Cycle, Repetition};
pub use rules::{EnteringKingRule, GameRules, RuleSet};
pub use sfen::{FaultKinds, START_SFEN, SfenError, SfenFault};
#[cfg(feature = "search")]
pub(crate) use zobrist::piece as piece_key;

use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Key, Move, MoveKind, Piece, PieceType, Square};
use once_cell::sync::Lazy;
use std::fmt;
use std::hash::{Hash, Hasher};

#[cfg(feature = "serde")]
crate::types::serde_as_text!(Position, Handicap, RuleSet, EnteringKingRule);

/// A position with the history that led to it.
///
/// Legal moves are in [`movegen`](crate::movegen); [`referee::judge`](crate::referee::judge) says whether the game is
/// over, and how.
///
/// ```
/// use komainu::position::{GameRules, Position};
/// use komainu::referee::judge;
///
/// let mut position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
/// assert_eq!(judge(&position, &GameRules::default()), None);
/// position.play("G*5b".parse()?)?;
/// let end = judge(&position, &GameRules::default()).ok_or("mate")?;
/// assert_eq!(end.ending.to_string(), "checkmate");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Whatever calls are made, it holds no more pieces of a kind than the set of 40 has and at most one king a side, and
/// board, bitboards and hands agree. The generator relies on that: its lists have room for no more.
#[derive(Clone)]
pub struct Position {
    board: [Option<Piece>; 81],
    by_color: [Bitboard; 2],
    /// Indexed by the number of a [`PieceType::mover`]; entry 0 is not used.
    by_mover: [Bitboard; 9],
    promoted: Bitboard,
    kings: [Option<Square>; 2],
    side: Color,
    /// The SFEN counter: 1 for the first move of an even game.
    ply: u32,
    state: StateInfo,
    /// The states before the moves that were made, oldest first.
    history: Vec<StateInfo>,
    /// The board keys of the same positions: a contiguous copy that the search for repetitions runs over.
    keys: Vec<Key>,
}

/// State that a move changes and that cannot be computed back from the position after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StateInfo {
    /// Zobrist key of board and side to move.
    board_key: Key,
    hands: [Hand; 2],
    /// Pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that stand alone between their king and an enemy slider.
    pinned: Bitboard,
    /// For each side, how many of its latest moves gave check without a break.
    continuous_checks: [u16; 2],
    /// Plies since the start of the history or the last null move: how far back a repetition can lie.
    plies_from_null: u32,
    last: LastMove,
}

/// The move that led to a position. It is replaced as a whole: no part of an earlier move is left over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LastMove {
    /// `None` at the start of the history and after a null move.
    mv: Option<Move>,
    /// Piece that the move moved, as it was before it; `None` for a drop: [`Position::undo`] trusts no promotion flag.
    moved: Option<Piece>,
    /// Piece that the move captured.
    captured: Option<Piece>,
}

impl LastMove {
    const NONE: LastMove = LastMove { mv: None, moved: None, captured: None };
}

// One cache line: it is copied twice a move.
const _: () = assert!(size_of::<StateInfo>() == 64);

/// The even start position.
impl Default for Position {
    fn default() -> Position {
        Position::startpos()
    }
}

impl Position {
    /// The even start position.
    ///
    /// ```
    /// use komainu::position::{Position, START_SFEN};
    /// use komainu::types::Color;
    ///
    /// let position = Position::startpos();
    /// assert_eq!((position.side(), position.ply()), (Color::Black, 1));
    /// assert_eq!(position.to_string(), START_SFEN);
    /// ```
    #[doc(alias = "平手")]
    pub fn startpos() -> Position {
        // Every game of every GUI begins here: read once, copied each time.
        static START: Lazy<Position> =
            Lazy::new(|| Position::from_sfen(START_SFEN).expect("the start position is a valid SFEN"));
        START.clone()
    }

    /// Copies the position without the moves that led to it: nothing can be taken back, and nothing before it can be
    /// repeated. The counter stays.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.do_move("7g7f".parse()?);
    /// let fresh = position.without_history();
    /// assert_eq!(fresh, position);
    /// assert_eq!((fresh.moves_made(), fresh.ply()), (0, 2));
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    #[must_use]
    pub fn without_history(&self) -> Position {
        let state = StateInfo { continuous_checks: [0; 2], plies_from_null: 0, last: LastMove::NONE, ..self.state };
        Position { state, history: Vec::new(), keys: Vec::new(), ..*self }
    }

    /// The position as the other side sees it: the board turned by 180 degrees, the colours exchanged, and the turn with
    /// them. Without the moves that led there.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.do_move("7g7f".parse()?);
    /// let rotated = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 2";
    /// assert_eq!(position.rotate().to_string(), rotated);
    /// assert_eq!(position.rotate().rotate(), position);
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    #[must_use]
    pub fn rotate(&self) -> Position {
        self.transformed(Square::rotate, Color::flip)
    }

    /// The position in a left-right mirror. Without the moves that led there.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let mirrored = Position::startpos().mirror();
    /// assert_eq!(mirrored.to_string(), "lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL b - 1");
    /// ```
    #[must_use]
    pub fn mirror(&self) -> Position {
        self.transformed(Square::mirror, |color| color)
    }

    /// The position with squares and colours exchanged under a symmetry of the rules.
    fn transformed(&self, square_of: fn(Square) -> Square, color_of: fn(Color) -> Color) -> Position {
        let mut builder = PositionBuilder::new();
        for square in self.occupied() {
            if let Some(piece) = self.board[square] {
                builder.piece(square_of(square), Piece::new(color_of(piece.color()), piece.piece_type()));
            }
        }
        for color in Color::ALL {
            for (piece_type, count) in self.hand(color).iter() {
                builder.hand(color_of(color), piece_type, count.into());
            }
        }
        builder.side(color_of(self.side)).ply(self.ply);
        builder.assemble()
    }

    /// Sets the SFEN move counter, held within 1..=1,000,000. The moves that were made have counted from 1 as well, so
    /// it is never less than their number plus 1.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.set_ply(41);
    /// assert!(position.to_string().ends_with(" b - 41"));
    /// ```
    pub fn set_ply(&mut self, ply: u32) {
        let made = u32::try_from(self.history.len()).unwrap_or(u32::MAX);
        self.ply = ply.clamp(1, builder::MAX_COUNTER).max(made.saturating_add(1));
    }

    /// The side to move.
    #[inline]
    pub fn side(&self) -> Color {
        self.side
    }

    /// The SFEN move counter: 1 before the first move of a game.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Number of moves (null moves included) that were made since this position was set up.
    #[inline]
    pub fn moves_made(&self) -> usize {
        self.history.len()
    }

    /// The pieces on all squares, by [`Square::index`].
    #[inline]
    pub fn board(&self) -> &[Option<Piece>; 81] {
        &self.board
    }

    /// The pieces on all squares as numbers: 0 for none, [`Piece::index`] for the others, as arrays of programs have
    /// them.
    pub fn board_numbers(&self) -> [u8; 81] {
        self.board.map(|piece| piece.map_or(0, |piece| piece.index() as u8))
    }

    /// The counts of a hand in the order of [`PieceType::HAND_ARRAY`].
    pub fn hand_counts(&self, color: Color) -> [u8; 7] {
        PieceType::HAND_ARRAY.map(|kind| self.hand(color).count(kind))
    }

    /// The piece on a square.
    ///
    /// ```
    /// use komainu::position::Position;
    /// use komainu::types::{Color, PieceType, Square};
    ///
    /// let position = Position::startpos();
    /// let bishop = position.piece_on(Square::S8H).expect("a bishop");
    /// assert_eq!((bishop.color(), bishop.piece_type()), (Color::Black, PieceType::Bishop));
    /// assert_eq!(position.piece_on(Square::S5E), None);
    /// ```
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square]
    }

    /// The pieces that a side holds.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.state.hands[color]
    }

    /// The king's square; `None` on a tsume board where the side has none.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color]
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The squares that a side's pieces occupy.
    #[inline]
    pub fn pieces(&self, color: Color) -> Bitboard {
        self.by_color[color]
    }

    /// The pieces of both sides with this main movement ([`PieceType::mover`]): `Gold` includes the four promoted
    /// pieces that move as one, `Bishop` the horses, `Rook` the dragons.
    #[inline]
    pub fn movers(&self, mover: PieceType) -> Bitboard {
        debug_assert!(mover == mover.mover());
        self.by_mover[mover.index()]
    }

    /// The pieces of a side with this main movement; see [`Position::movers`].
    #[inline]
    pub fn pieces_moving_as(&self, color: Color, mover: PieceType) -> Bitboard {
        self.by_mover[mover.index()] & self.by_color[color]
    }

    /// The pieces of a side of exactly this type.
    ///
    /// ```
    /// use komainu::position::Position;
    /// use komainu::types::{Color, PieceType, Square};
    ///
    /// let position = Position::startpos();
    /// assert_eq!(position.pieces_of(Color::White, PieceType::Pawn).count(), 9);
    /// assert_eq!(position.king(Color::White), Some(Square::S5A));
    /// assert_eq!(position.occupied().count(), 40);
    /// ```
    pub fn pieces_of(&self, color: Color, piece_type: PieceType) -> Bitboard {
        let movers = self.pieces_moving_as(color, piece_type.mover());
        match piece_type {
            PieceType::Gold | PieceType::Bishop | PieceType::Rook => movers.without(self.promoted),
            PieceType::Horse | PieceType::Dragon => movers & self.promoted,
            _ if piece_type.is_promoted() => {
                let piece = Some(Piece::new(color, piece_type));
                movers.into_iter().filter(|&square| self.board[square] == piece).collect()
            }
            _ => movers,
        }
    }

    /// The promoted pieces of both sides.
    #[inline]
    pub fn promoted(&self) -> Bitboard {
        self.promoted
    }

    /// The pieces that give check to the side to move.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let position = Position::from_sfen("4k4/9/4R4/9/9/9/9/9/4K4 w - 1")?;
    /// assert!(position.in_check());
    /// assert_eq!(position.checkers().into_iter().map(|square| square.to_string()).collect::<Vec<_>>(), ["5c"]);
    /// # Ok::<(), komainu::position::SfenError>(())
    /// ```
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// Tests whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        !self.state.checkers.is_empty()
    }

    /// Pieces of the side to move that may move only along the line to their king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.state.pinned
    }

    /// The move that was made last; none at the start of the history and after a null move.
    #[inline]
    pub fn last_move(&self) -> Option<Move> {
        self.state.last.mv
    }

    /// Piece that the last move captured.
    #[inline]
    pub fn captured(&self) -> Option<Piece> {
        self.state.last.captured
    }

    /// The key of board, hands and side to move.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// // Two orders of the same moves lead to the same key.
    /// let [one, other] = [["7g7f", "3c3d", "2g2f"], ["2g2f", "3c3d", "7g7f"]].map(|moves| {
    ///     let mut position = Position::startpos();
    ///     for mv in moves {
    ///         position.do_move(mv.parse().expect("a move"));
    ///     }
    ///     position.key()
    /// });
    /// assert_eq!(one, other);
    /// assert_ne!(one, Position::startpos().key());
    /// ```
    #[inline]
    pub fn key(&self) -> Key {
        self.state.board_key ^ zobrist::hands(self.state.hands)
    }

    /// The key of the position after a legal move, before it is made: what is stored under it can be fetched meanwhile.
    #[inline(always)]
    pub fn key_after(&self, mv: Move) -> Key {
        let (board_key, hand) = self.board_key_after(mv);
        board_key ^ zobrist::hands_of(self.side, hand, self.state.hands[!self.side])
    }

    /// The key of board and side to move after a legal move, before it is made, and the hand of the side that makes it.
    #[doc(hidden)]
    #[inline]
    pub fn board_key_after(&self, mv: Move) -> (Key, Hand) {
        let mut hand = self.state.hands[self.side];
        let moved = match mv.kind() {
            MoveKind::Drop { piece_type, to } => {
                hand.remove_unchecked(piece_type);
                zobrist::piece(Piece::new(self.side, piece_type), to)
            }
            MoveKind::Board { from, to, promote } => {
                let piece = self.board[from].expect("a legal move starts on a piece");
                let placed = if promote { piece.promoted() } else { piece };
                let mut key = zobrist::piece(piece, from) ^ zobrist::piece(placed, to);
                if let Some(captured) = self.board[to] {
                    hand.add_unchecked(captured.piece_type().unpromoted());
                    key ^= zobrist::piece(captured, to);
                }
                key
            }
        };
        (self.state.board_key ^ zobrist::WHITE_TO_MOVE ^ moved, hand)
    }

    /// The key of board and side to move, hands left out.
    #[inline]
    pub fn board_key(&self) -> Key {
        self.state.board_key
    }
}

/// Positions are equal if their SFENs are: board, hands, side to move and counter. The moves that led there do not
/// matter. To compare without the counter, as the rule of repetition does, compare [`Position::key`].
///
/// ```
/// use komainu::position::Position;
///
/// let mut ways = [["7g7f", "3c3d", "2g2f"], ["2g2f", "3c3d", "7g7f"]].map(|moves| {
///     let mut position = Position::startpos();
///     for text in moves {
///         position.do_move(text.parse().expect("a move"));
///     }
///     position
/// });
/// assert_eq!(ways[0], ways[1]);
/// ways[0].set_ply(100);
/// assert_ne!(ways[0], ways[1]);
/// assert_eq!(ways[0].key(), ways[1].key());
/// ```
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.board == other.board
            && self.state.hands == other.state.hands
            && self.side == other.side
            && self.ply == other.ply
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.key(), self.ply).hash(hasher);
    }
}

/// The board as a diagram, the hands and the SFEN.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use crate::types::{File, Rank};
        writeln!(f, "  9  8  7  6  5  4  3  2  1")?;
        for rank in Rank::ALL {
            for file in File::ALL.iter().rev() {
                match self.board[Square::at(*file, rank)] {
                    Some(piece) => write!(f, "{:>3}", piece.to_string())?,
                    None => f.write_str("  .")?,
                }
            }
            writeln!(f, "  {}", (b'a' + rank as u8) as char)?;
        }
        writeln!(f, "black: {:?}  white: {:?}", self.hand(Color::Black), self.hand(Color::White))?;
        write!(f, "{self}")
    }
}
