//! Setting up a position from loose pieces.

use super::{LastMove, Position, StateInfo, zobrist};
use crate::bitboard::Bitboard;
use crate::types::{Color, Hand, Key, Piece, PieceType, Square};
use thiserror::Error;

/// The largest move counter that is kept; larger ones are cut to it.
pub(crate) const MAX_COUNTER: u32 = 1_000_000;

/// Something that makes a position unplayable.
///
/// Two pawns on a file cannot come about in a game either, but published test positions have them and every rule still
/// has a meaning, so they are accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionFault {
    /// More pieces of a kind than the set of 40 has, promoted and held ones included.
    #[error("{} pieces of kind {}, a set has {}", .1, .0, .0.total())]
    TooManyPieces(PieceType, u32),
    /// A side has two kings or more.
    #[error("{} has more than one king", .0.name())]
    TwoKings(Color),
    /// Neither side has a king.
    #[error("neither side has a king")]
    NoKing,
    /// A piece that could never move: a pawn or lance on its last rank, a knight on its last two.
    #[error("{0} on {1} can never move")]
    DeadPiece(Piece, Square),
    /// The side that has just moved is in check: the king of this colour could be captured.
    #[error("{} is in check but it is not its turn", .0.name())]
    KingCanBeCaptured(Color),
}

/// Everything that is wrong with a position; never empty. In one line the faults are separated by `; `.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .faults.iter().map(PositionFault::to_string).collect::<Vec<_>>().join("; "))]
pub struct InvalidPosition {
    faults: Vec<PositionFault>,
}

impl InvalidPosition {
    /// The faults: wrong numbers of pieces first, then those of the board in the order of its squares.
    pub fn faults(&self) -> &[PositionFault] {
        &self.faults
    }

    /// The faults by value.
    pub fn into_faults(self) -> Vec<PositionFault> {
        self.faults
    }
}

/// Collects pieces, hands, turn and counter; [`PositionBuilder::build`] checks them all together.
///
/// It starts from an empty board or from a position:
///
/// ```
/// use komainu::position::{Handicap, Position, PositionBuilder};
/// use komainu::types::{Color, Square};
///
/// let mut builder = PositionBuilder::from(&Position::startpos());
/// let rook_handicap = builder.empty(Square::S8B).side(Color::White).build()?;
/// assert_eq!(rook_handicap.to_string(), Handicap::Rook.sfen());
/// # Ok::<(), komainu::position::InvalidPosition>(())
/// ```
#[derive(Clone, Debug)]
pub struct PositionBuilder {
    board: [Option<Piece>; 81],
    hands: [[u32; 8]; 2],
    side: Color,
    ply: u32,
}

impl Default for PositionBuilder {
    fn default() -> PositionBuilder {
        PositionBuilder::new()
    }
}

/// Everything that the SFEN of the position says; the moves that led there are left out.
impl From<&Position> for PositionBuilder {
    fn from(position: &Position) -> PositionBuilder {
        let mut builder = PositionBuilder::new();
        builder.board(*position.board()).side(position.side()).ply(position.ply());
        for color in Color::ALL {
            for (piece_type, count) in position.hand(color).iter() {
                builder.hand(color, piece_type, count.into());
            }
        }
        builder
    }
}

impl PositionBuilder {
    /// An empty board, empty hands, black to move, counter 1.
    pub fn new() -> PositionBuilder {
        PositionBuilder { board: [None; 81], hands: [[0; 8]; 2], side: Color::Black, ply: 1 }
    }

    /// Sets all 81 squares, by [`Square::index`].
    ///
    /// ```
    /// use komainu::position::{Position, PositionBuilder};
    ///
    /// let start = Position::startpos();
    /// assert_eq!(PositionBuilder::new().board(*start.board()).build(), Ok(start));
    /// ```
    pub fn board(&mut self, board: [Option<Piece>; 81]) -> &mut PositionBuilder {
        self.board = board;
        self
    }

    /// Puts a piece on a square, in place of what stood there.
    pub fn piece(&mut self, square: Square, piece: Piece) -> &mut PositionBuilder {
        self.board[square] = Some(piece);
        self
    }

    /// Takes away what stands on a square.
    pub fn empty(&mut self, square: Square) -> &mut PositionBuilder {
        self.board[square] = None;
        self
    }

    /// The piece put on a square so far.
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square]
    }

    /// Adds pieces to a hand. Kings and promoted pieces cannot be held and are ignored.
    pub fn hand(&mut self, color: Color, piece_type: PieceType, count: u32) -> &mut PositionBuilder {
        if let Some(held) = self.hands[color].get_mut(piece_type.index()) {
            *held = held.saturating_add(count);
        }
        self
    }

    /// Takes all pieces out of a hand.
    pub fn empty_hand(&mut self, color: Color) -> &mut PositionBuilder {
        self.hands[color] = [0; 8];
        self
    }

    /// Adds to a hand all pieces of the set of 40 that stand on no square and are in no hand; kings are left out.
    ///
    /// ```
    /// use komainu::position::PositionBuilder;
    /// use komainu::types::{Color, Piece, PieceType, Square};
    ///
    /// let mut builder = PositionBuilder::new();
    /// builder.piece(Square::S5A, Piece::new(Color::White, PieceType::King)).hand(Color::Black, PieceType::Gold, 1);
    /// assert_eq!(builder.rest(Color::White).build()?.to_string(), "4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1");
    /// # Ok::<(), komainu::position::InvalidPosition>(())
    /// ```
    pub fn rest(&mut self, color: Color) -> &mut PositionBuilder {
        for piece_type in PieceType::HAND {
            let on_board = self.board.iter().flatten().filter(|piece| piece.piece_type().unpromoted() == piece_type);
            let held = self.hands.iter().map(|hand| hand[piece_type.index()]).fold(0, u32::saturating_add);
            let known = held.saturating_add(on_board.count() as u32);
            self.hand(color, piece_type, u32::from(piece_type.total()).saturating_sub(known));
        }
        self
    }

    /// Sets the side to move.
    pub fn side(&mut self, side: Color) -> &mut PositionBuilder {
        self.side = side;
        self
    }

    /// Sets the move counter, held within 1..=1,000,000.
    pub fn ply(&mut self, ply: u32) -> &mut PositionBuilder {
        self.ply = ply.clamp(1, MAX_COUNTER);
        self
    }

    /// The position, or everything that is wrong with it.
    ///
    /// ```
    /// use komainu::position::{PositionBuilder, PositionFault};
    /// use komainu::types::{Color, Piece, PieceType, Square};
    ///
    /// let mut builder = PositionBuilder::new();
    /// builder.piece(Square::S5A, Piece::new(Color::White, PieceType::King)).hand(Color::Black, PieceType::Gold, 5);
    /// let error = builder.build().unwrap_err();
    /// assert_eq!(error.faults().len(), 1);
    /// assert!(builder.empty_hand(Color::Black).build().is_ok());
    /// ```
    pub fn build(&self) -> Result<Position, InvalidPosition> {
        let faults = self.faults();
        if !faults.is_empty() {
            return Err(InvalidPosition { faults });
        }
        let position = self.assemble();
        let waiting = !position.side;
        if let Some(king) = position.kings[waiting]
            && position.is_attacked(position.side, king, position.occupied())
        {
            return Err(InvalidPosition { faults: vec![PositionFault::KingCanBeCaptured(waiting)] });
        }
        Ok(position)
    }

    /// What is wrong with the pieces: their numbers first, then their places.
    fn faults(&self) -> Vec<PositionFault> {
        let mut faults = Vec::new();
        let mut dead = Vec::new();
        let mut on_board = [0u32; Piece::COUNT];
        for square in Square::ALL {
            let Some(piece) = self.board[square] else { continue };
            on_board[piece.index()] += 1;
            if piece.piece_type().is_dead_on(piece.color(), square.rank()) {
                dead.push(PositionFault::DeadPiece(piece, square));
            }
        }
        for piece_type in PieceType::HAND {
            let mut count = 0u32;
            for color in Color::ALL {
                let plain = Piece::new(color, piece_type);
                count = count.saturating_add(on_board[plain.index()]);
                if piece_type.can_promote() {
                    count = count.saturating_add(on_board[plain.promoted().index()]);
                }
                count = count.saturating_add(self.hands[color][piece_type.index()]);
            }
            if count > u32::from(piece_type.total()) {
                faults.push(PositionFault::TooManyPieces(piece_type, count));
            }
        }
        let kings = Color::ALL.map(|color| on_board[Piece::new(color, PieceType::King).index()]);
        for color in Color::ALL {
            if kings[color] > 1 {
                faults.push(PositionFault::TwoKings(color));
            }
        }
        if kings == [0, 0] {
            faults.push(PositionFault::NoKing);
        }
        faults.extend(dead);
        faults
    }

    /// The position without the checks of [`PositionBuilder::build`]: it must not hold more than the set of 40 pieces.
    pub(crate) fn assemble(&self) -> Position {
        let mut key = if self.side == Color::White { zobrist::WHITE_TO_MOVE } else { Key(0) };
        let mut position = Position {
            board: self.board,
            by_color: [Bitboard::EMPTY; 2],
            by_mover: [Bitboard::EMPTY; 9],
            promoted: Bitboard::EMPTY,
            kings: [None; 2],
            side: self.side,
            ply: self.ply,
            state: StateInfo {
                board_key: Key(0),
                hands: [Hand::EMPTY; 2],
                checkers: Bitboard::EMPTY,
                pinned: Bitboard::EMPTY,
                continuous_checks: [0; 2],
                plies_from_null: 0,
                last: LastMove::NONE,
            },
            history: Vec::new(),
            keys: Vec::new(),
        };
        for square in Square::ALL {
            let Some(piece) = self.board[square] else { continue };
            let set = Bitboard::from_square(square);
            position.by_color[piece.color()] |= set;
            position.by_mover[piece.piece_type().mover().index()] |= set;
            if piece.is_promoted() {
                position.promoted |= set;
            }
            if piece.piece_type() == PieceType::King {
                position.kings[piece.color()] = Some(square);
            }
            key ^= zobrist::piece(piece, square);
        }
        for color in Color::ALL {
            for piece_type in PieceType::HAND {
                position.state.hands[color].set(piece_type, self.hands[color][piece_type.index()] as u8);
            }
        }
        position.state.board_key = key;
        (position.state.checkers, position.state.pinned) = position.checkers_and_pinned();
        position
    }
}
