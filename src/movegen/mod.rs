//! Legal moves: generating them by kind, counting them without building a list, testing one.
//!
//! Only legal moves are ever produced; there is no pseudo-legal pass with a filter behind it. `generator` walks the
//! pieces once and hands sets of destinations to a `Sink`, which builds a list, counts, or stops at the first
//! move. Colour and kind are type parameters, so shifts, zones and tables fold; the groups of the move picker take both
//! as values, so that their code is there once.

mod generator;
#[cfg(feature = "search")]
mod groups;
mod legality;
mod list;
mod perft;
mod sink;

#[cfg(feature = "search")]
#[doc(hidden)]
pub use groups::leaves_unpromoted;
#[cfg(feature = "search")]
pub(crate) use groups::{Group, Groups, add_groups};
pub use legality::{Foul, IllegalMove, foul, is_legal};
#[cfg(feature = "search")]
pub(crate) use list::CAPACITY;
pub use list::{MAX_MOVES, MoveList};
pub use perft::{Divide, MAX_PERFT_DEPTH, PerftError, PerftTable, divide, perft};

use crate::bitboard::COMPUTES;
use crate::position::Position;
use crate::types::Color;
use generator::{Black, KindFlags, White, visit};
use sink::{Any, Counter, OnlyChecks, Sink};

/// A kind of moves, as a type: [`All`], [`Captures`], [`Quiets`], [`Evasions`], [`Checks`], [`QuietChecks`].
pub trait Kind {
    /// Moves onto enemy pieces are wanted.
    const CAPTURES: bool;
    /// Moves onto empty squares and drops are wanted.
    const QUIETS: bool;
    /// Only moves that give check are wanted.
    const CHECKS: bool = false;
    /// The side to move is known to be in check.
    const IN_CHECK: bool = false;
}

/// Every legal move.
#[derive(Debug)]
pub enum All {}
/// Every legal capture.
#[derive(Debug)]
pub enum Captures {}
/// Every legal move that captures nothing, drops and quiet promotions included. With [`Captures`] it makes [`All`].
#[derive(Debug)]
pub enum Quiets {}
/// Every legal move of a side that is in check.
#[derive(Debug)]
pub enum Evasions {}
/// Every legal move that gives check, captures and drops included.
#[derive(Debug)]
pub enum Checks {}
/// Every move of [`Quiets`] that gives check.
#[derive(Debug)]
pub enum QuietChecks {}

impl Kind for All {
    const CAPTURES: bool = true;
    const QUIETS: bool = true;
}

impl Kind for Captures {
    const CAPTURES: bool = true;
    const QUIETS: bool = false;
}

impl Kind for Quiets {
    const CAPTURES: bool = false;
    const QUIETS: bool = true;
}

impl Kind for Evasions {
    const CAPTURES: bool = true;
    const QUIETS: bool = true;
    const IN_CHECK: bool = true;
}

impl Kind for Checks {
    const CAPTURES: bool = true;
    const QUIETS: bool = true;
    const CHECKS: bool = true;
}

impl Kind for QuietChecks {
    const CAPTURES: bool = false;
    const QUIETS: bool = true;
    const CHECKS: bool = true;
}

/// All legal moves of a kind, in no particular order.
///
/// ```
/// use komainu::movegen::{All, Captures, Checks, Quiets, generate};
/// use komainu::position::Position;
///
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")?;
/// let all = generate::<All>(&position).len();
/// assert_eq!(all, generate::<Captures>(&position).len() + generate::<Quiets>(&position).len());
/// // Gold drops on 4b, 5b, 6b, 4a and 6a, the pawn's step with and without promotion.
/// assert_eq!(generate::<Checks>(&position).len(), 7);
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[inline]
pub fn generate<K: Kind>(pos: &Position) -> MoveList {
    let mut list = MoveList::new();
    generate_into::<K>(pos, &mut list);
    list
}

/// Puts all legal moves of a kind into a list, in place of what it holds.
///
/// ```
/// use komainu::movegen::{All, MoveList, generate_into};
/// use komainu::position::Position;
///
/// // One list for many positions.
/// let mut list = MoveList::new();
/// let mut position = Position::startpos();
/// for mv in ["7g7f", "3c3d"] {
///     position.do_move(mv.parse()?);
///     generate_into::<All>(&position, &mut list);
///     assert!(list.len() >= 30);
/// }
/// # Ok::<(), komainu::types::ParseMoveError>(())
/// ```
#[inline]
pub fn generate_into<K: Kind>(pos: &Position, list: &mut MoveList) {
    list.write(|writer| {
        if K::CHECKS {
            visit_side::<K, _>(pos, &mut OnlyChecks::new(pos, writer));
        } else {
            visit_side::<K, _>(pos, writer);
        }
    });
}

fn visit_side<K: Kind, T: Sink>(pos: &Position, sink: &mut T) {
    match pos.side() {
        Color::Black => visit(Black, pos, KindFlags::of::<K>(), sink),
        Color::White => visit(White, pos, KindFlags::of::<K>(), sink),
    }
}

/// The number of legal moves, found on bitboards without building them.
///
/// ```
/// use komainu::movegen::{MAX_MOVES, count};
/// use komainu::position::Position;
///
/// let most = Position::from_sfen("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1")?;
/// assert_eq!(count(&most) as usize, MAX_MOVES);
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[inline]
pub fn count(pos: &Position) -> u32 {
    let mut sink = Counter::default();
    visit_side::<All, _>(pos, &mut sink);
    sink.total()
}

/// Tests whether the side to move has a legal move. If not it has lost, whether it is in check or not.
///
/// ```
/// use komainu::movegen::has_legal_move;
/// use komainu::position::Position;
///
/// // A gold in front of the king, protected by a pawn.
/// let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")?;
/// assert!(mated.in_check() && !has_legal_move(&mated));
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[inline]
pub fn has_legal_move(pos: &Position) -> bool {
    if COMPUTES {
        return !generate::<All>(pos).is_empty();
    }
    let mut sink = Any::default();
    visit_side::<All, _>(pos, &mut sink);
    sink.found()
}
