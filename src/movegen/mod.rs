//! Legal moves: generating them by kind, counting them without building a list, testing one.
//!
//! Only legal moves are ever produced; there is no pseudo-legal pass with a filter behind it. `generator` walks the
//! pieces once and hands sets of destinations to a `Sink`, which builds a list, counts, or stops at the first
//! move. Colour and kind are type parameters, so shifts, zones and tables fold.

mod checks;
mod drops;
mod generator;
mod groups;
mod kind;
mod king;
mod legality;
mod list;
mod perft;
mod play;
mod side;
mod sink;

pub(crate) use groups::{Group, leaves_unpromoted};
pub use kind::{All, Captures, Checks, Evasions, Kind, QuietChecks, Quiets};
pub use legality::is_legal;
pub(crate) use list::CAPACITY;
pub use list::{MAX_MOVES, MoveList};
pub use perft::{Divide, PerftTable, divide, perft};
pub use play::IllegalMove;

use crate::position::Position;
use crate::types::Color;
use checks::OnlyChecks;
use generator::visit;
use groups::Grouped;
use side::{Black, White};
use sink::Sink;

/// All legal moves of a kind, in no particular order.
#[inline]
pub fn generate<K: Kind>(pos: &Position) -> MoveList {
    let mut list = MoveList::new();
    generate_into::<K>(pos, &mut list);
    list
}

/// Puts all legal moves of a kind into a list, in place of what it holds.
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

/// Calls `visit` with all legal moves of a kind, group by group; without `all`, those that leave a pawn, bishop, rook or
/// lance unpromoted for nothing are left out.
#[inline(always)]
pub(crate) fn visit_groups<K: Kind>(pos: &Position, all: bool, visit: impl FnMut(Group)) {
    let mut sink = Grouped::new(pos, all, visit);
    if K::CHECKS {
        visit_side::<K, _>(pos, &mut OnlyChecks::new(pos, &mut sink));
    } else {
        visit_side::<K, _>(pos, &mut sink);
    }
}

#[inline(always)]
fn visit_side<K: Kind, T: Sink>(pos: &Position, sink: &mut T) {
    match pos.side() {
        Color::Black => visit::<Black, K, _>(pos, sink),
        Color::White => visit::<White, K, _>(pos, sink),
    }
}

/// The number of legal moves, found on bitboards without building them.
#[inline]
pub fn count(pos: &Position) -> u32 {
    let mut sink = sink::Counter::default();
    visit_side::<All, _>(pos, &mut sink);
    sink.total()
}

/// Whether the side to move has a legal move. If not it has lost, whether it is in check or not.
#[inline]
pub fn has_legal_move(pos: &Position) -> bool {
    let mut sink = sink::Any::default();
    visit_side::<All, _>(pos, &mut sink);
    sink.found()
}
