//! Short mates: in one, found on bitboards without making a move, and in a few plies by plain recursion over that.
//!
//! For a mate in one every check is looked at as the position that it would lead to: which pieces then give check, which squares around
//! the king are covered, who could capture the checker or step in between. Nearly all checks fail at the first
//! question, whether the squares that no other piece covers are covered by the piece that checks.
//!
//! Left out are only moves that another move makes needless: a pawn drop never mates (uchifuzume), and where a pawn, a
//! bishop or a rook may promote, the promoted piece reaches all that the plain one reaches.

use crate::bitboard::{
    Bitboard, attacks, between, bishop_attacks, bishop_rays, king_attacks, king_vicinity, knight_attacks,
    lance_attacks, lance_rays, line_through, piece_steps, promotion_targets, rook_attacks, rook_rays,
};
use crate::movegen::{Checks, Evasions, generate, has_legal_move, is_legal};
use crate::position::{CheckInfo, Position};
use crate::types::PieceType::{self, Bishop, Gold, King, Knight, Lance, Pawn, Rook, Silver};
use crate::types::{Color, Move, Piece, Square};

/// The result of the quick mate test of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuickMateTest {
    /// This move mates.
    Mate(Move),
    /// There may be checks, none of them mates.
    NoMate,
    /// There is no check at all, but for a drop of a pawn.
    NoChecks,
}

/// A move of the side to move that mates at once, if there is one; its king may be missing or in check.
///
/// ```
/// use komainu::mate::mate_in_one;
/// use komainu::position::Position;
///
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
/// assert_eq!(mate_in_one(&position), Some("G*5b".parse().expect("a move")));
/// assert_eq!(mate_in_one(&Position::startpos()), None);
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[inline]
pub fn mate_in_one(pos: &Position) -> Option<Move> {
    let king = pos.king(!pos.side())?;
    let cover = cover_before(pos, king);
    if is_out_of_reach(pos, king, cover) {
        return None;
    }
    match test_checks(KingView::new(pos, king, cover)) {
        QuickMateTest::Mate(mv) => Some(mv),
        _ => None,
    }
}

/// The quick mate test: a mate in one, and whether there is any check.
pub(crate) fn quick_mate_test(pos: &Position) -> QuickMateTest {
    match pos.king(!pos.side()) {
        Some(king) => test_checks(KingView::new(pos, king, cover_before(pos, king))),
        None => QuickMateTest::NoChecks,
    }
}

fn test_checks(mut view: KingView) -> QuickMateTest {
    let mate = view.drops().or_else(|| view.board_moves()).or_else(|| view.king_moves());
    match mate {
        Some(mv) => QuickMateTest::Mate(mv),
        None if view.has_checks => QuickMateTest::NoMate,
        None => QuickMateTest::NoChecks,
    }
}

/// The squares around the king that the side to move covers.
fn cover_before(pos: &Position, king: Square) -> Bitboard {
    covered(pos, pos.side(), king, pos.occupied() ^ Bitboard::from_square(king), Bitboard::EMPTY)
}

/// Tests whether no check can mate, as in most positions of a game: no square beside the king is covered, so a piece
/// that checks from there can be taken by the king, and one that checks from afar covers only few of its flights.
fn is_out_of_reach(pos: &Position, king: Square, cover: Bitboard) -> bool {
    let us = pos.side();
    let beside = king_attacks(king);
    // On its line a slider covers the squares before and behind the king, a dragon two more from two squares away.
    let most = if (pos.movers(Rook) & pos.pieces(us)).is_empty() { 2 } else { 4 };
    !beside.intersects(cover)
        && beside.without(pos.pieces(!us)).count() > most
        // A piece that uncovers a check may cover flights where it goes.
        && pos.blockers(us, king, us).is_empty()
}

/// The position as seen from the king that is to be mated.
struct KingView<'a> {
    pos: &'a Position,
    us: Color,
    them: Color,
    king: Square,
    info: CheckInfo,
    /// Squares around the king that no piece of its own occupies.
    flights: Bitboard,
    /// Flights that no piece covers before the move.
    open: Bitboard,
    /// Where a piece other than our king may go as far as our king allows it.
    allowed: Bitboard,
    has_checks: bool,
}

/// A check: the piece that has moved, and what it leaves and takes.
#[derive(Clone, Copy)]
struct Check {
    from: Option<Square>,
    to: Square,
    placed: PieceType,
}

impl<'a> KingView<'a> {
    fn new(pos: &'a Position, king: Square, cover: Bitboard) -> KingView<'a> {
        let us = pos.side();
        let mut allowed = !pos.pieces(us);
        if let Some(own) = pos.king(us)
            && let Some(checker) = pos.checkers().first()
        {
            allowed &= if pos.checkers().is_many() {
                Bitboard::EMPTY
            } else {
                between(own, checker) | Bitboard::from_square(checker)
            };
        }
        let flights = king_attacks(king).without(pos.pieces(!us));
        let open = flights.without(cover);
        KingView { pos, us, them: !us, king, info: CheckInfo::new(pos), flights, open, allowed, has_checks: false }
    }

    fn drops(&mut self) -> Option<Move> {
        let empty = self.allowed.without(self.pos.occupied());
        for (placed, _) in self.pos.hand(self.us).iter() {
            if placed == Pawn {
                continue;
            }
            let targets = self.info.squares(placed) & empty;
            if targets.is_empty() {
                continue;
            }
            self.has_checks = true;
            for to in targets & self.covering(placed) {
                if self.is_mate(Check { from: None, to, placed }) {
                    return Some(Move::drop(placed, to));
                }
            }
        }
        None
    }

    /// Where a piece must stand to cover, or to take, every flight that is open: else no check by it mates. For one
    /// that comes from the board and so may open a line, see [`KingView::may_cover`].
    fn covering(&self, placed: PieceType) -> Bitboard {
        let without_king = self.pos.occupied() ^ Bitboard::from_square(self.king);
        let mut squares = Bitboard::ALL;
        for flight in self.open {
            // A piece attacks a square from where the other side's piece on that square would attack.
            squares &= attacks(self.them, placed, flight, without_king) | Bitboard::from_square(flight);
            if squares.is_empty() {
                break;
            }
        }
        squares
    }

    /// Our pieces that could give check by a move, and perhaps others.
    fn checking_pieces(&self) -> Bitboard {
        let pos = self.pos;
        let near = king_vicinity(self.king);
        let steppers = (pos.movers(Pawn) | pos.movers(Silver) | pos.movers(Gold)) & near.steppers;
        let jumps = self.info.squares(Knight).into_iter().map(|to| knight_attacks(self.them, to));
        let knights = pos.movers(Knight) & jumps.fold(near.knights[self.us], |all, from| all | from);
        let sliders = pos.movers(Lance) | pos.movers(Bishop) | pos.movers(Rook);
        (steppers | knights | sliders | self.info.blockers()).without(pos.movers(King)) & pos.pieces(self.us)
    }

    fn board_moves(&mut self) -> Option<Move> {
        let us = self.us;
        let info = self.info.clone();
        let occupied = self.pos.occupied();
        for from in self.checking_pieces() {
            let Some(piece_type) = self.pos.piece_on(from).map(Piece::piece_type) else { continue };
            let promoted = piece_type.promoted();
            let checking = info.squares(piece_type) | info.squares(promoted) | info.uncovering(from);
            let mut to = attacks(us, piece_type, from, occupied) & self.allowed & checking;
            if self.pos.pinned().contains(from)
                && let Some(own) = self.pos.king(us)
            {
                to &= line_through(own, from);
            }
            if to.is_empty() {
                continue;
            }
            let promoting = if piece_type.can_promote() { promotion_targets(us, from) & to } else { Bitboard::EMPTY };
            for to in promoting & (info.squares(promoted) | info.uncovering(from)) {
                self.has_checks = true;
                let check = Check { from: Some(from), to, placed: promoted };
                if self.may_cover(from, check) && self.is_mate(check) {
                    return Some(Move::promotion(from, to));
                }
            }
            // Where it may stay as it is: promotion of these is never worse.
            let plain = match piece_type {
                Pawn | Bishop | Rook => to.without(promoting),
                Lance => to.without(Bitboard::last_ranks(us, 1)),
                Knight => to.without(Bitboard::last_ranks(us, 2)),
                _ => to,
            };
            for to in plain & (info.squares(piece_type) | info.uncovering(from)) {
                self.has_checks = true;
                let check = Check { from: Some(from), to, placed: piece_type };
                if self.may_cover(from, check) && self.is_mate(check) {
                    return Some(Move::board(from, to));
                }
            }
        }
        None
    }

    /// Tests whether the piece that moves covers, or takes, every flight that is open, or leaves the line of a slider
    /// that may cover it then. Only such checks are looked at more closely.
    #[inline(always)]
    fn may_cover(&self, from: Square, check: Check) -> bool {
        let Check { to, placed, .. } = check;
        let occupied = (self.pos.occupied() ^ Bitboard::from_square(self.king)).without(Bitboard::from_square(from));
        let reach = attacks(self.us, placed, to, occupied) | Bitboard::from_square(to);
        self.open.without(reach).is_empty() || self.leaves_line(from)
    }

    /// Tests whether a slider of ours stands behind the piece on this square.
    fn leaves_line(&self, from: Square) -> bool {
        let pos = self.pos;
        let occupied = pos.occupied();
        let sliders = bishop_attacks(from, occupied) & pos.movers(Bishop)
            | rook_attacks(from, occupied) & pos.movers(Rook)
            | lance_attacks(self.them, from, occupied) & pos.movers(Lance);
        sliders.intersects(pos.pieces(self.us))
    }

    /// The king checks by stepping out of a slider's way.
    fn king_moves(&mut self) -> Option<Move> {
        let from = self.pos.king(self.us)?;
        if !self.info.blockers().contains(from) {
            return None;
        }
        let steps = king_attacks(from).without(self.pos.pieces(self.us)) & self.info.uncovering(from);
        for to in steps {
            let mv = Move::board(from, to);
            if is_legal(self.pos, mv) {
                self.has_checks = true;
                if self.is_mate(Check { from: Some(from), to, placed: King }) {
                    return Some(mv);
                }
            }
        }
        None
    }

    /// Tests whether the other side has no answer to a legal check.
    fn is_mate(&self, check: Check) -> bool {
        let Check { from, to, placed } = check;
        let left = from.map_or(Bitboard::EMPTY, Bitboard::from_square);
        let taken = Bitboard::from_square(to);
        let occupied = self.pos.occupied().without(left) | taken;
        let without_king = occupied ^ Bitboard::from_square(self.king);

        let cover = covered(self.pos, self.us, self.king, without_king, left)
            | attacks(self.us, placed, to, without_king).without(taken);
        let flights = self.flights | king_attacks(self.king) & taken;
        if !flights.without(cover).is_empty() {
            return false;
        }
        let uncovered = match from {
            Some(from) if self.info.uncovering(from).contains(to) => self.slider_behind(from, occupied),
            _ => None,
        };
        let direct = self.info.squares(placed).contains(to);
        let checker = match (direct, uncovered) {
            // Against two checks only the king can move.
            (true, Some(_)) => return true,
            (true, None) => to,
            (false, Some(slider)) => slider,
            (false, None) => return false,
        };
        !self.is_answered(check, checker, left, taken, occupied)
    }

    /// Tests whether a piece other than the king captures the one checker or steps in between.
    fn is_answered(&self, check: Check, checker: Square, left: Bitboard, taken: Bitboard, occupied: Bitboard) -> bool {
        let inside = between(self.king, checker);
        let ours = self.pos.pieces(self.us).without(left) | taken;
        let sliders = self.sliders_after(check, left);
        let mut helpers = self.pos.pieces(self.them).without(taken | Bitboard::from_square(self.king));
        // A pinned piece never helps: the check comes from another line.
        for slider in sliders {
            let line = between(self.king, slider) & occupied;
            if !line.is_many() && !line.intersects(ours) {
                helpers = helpers.without(line);
            }
        }
        for square in inside | Bitboard::from_square(checker) {
            if self.pos.attackers(self.them, square, occupied).intersects(helpers) {
                return true;
            }
        }
        !inside.is_empty() && self.is_blocked_by_drop(check, inside)
    }

    /// Our sliders after the move that would attack the king on an empty board.
    fn sliders_after(&self, check: Check, left: Bitboard) -> Bitboard {
        let standing = self.pos.pieces(self.us).without(left);
        let diagonals = bishop_rays(self.king);
        let lines = rook_rays(self.king);
        let file = lance_rays(self.them, self.king);
        let sliders =
            diagonals & self.pos.movers(Bishop) | lines & self.pos.movers(Rook) | file & self.pos.movers(Lance);
        let placed = match check.placed.mover() {
            Bishop => diagonals,
            Rook => lines,
            Lance => file,
            _ => Bitboard::EMPTY,
        };
        sliders & standing | placed & Bitboard::from_square(check.to)
    }

    /// Tests whether the other side can drop a piece between its king and the checker.
    fn is_blocked_by_drop(&self, check: Check, inside: Bitboard) -> bool {
        let hand = self.pos.hand(self.them);
        if hand.has(Gold) || hand.has(Silver) || hand.has(Bishop) || hand.has(Rook) {
            return true;
        }
        let lances = hand.has(Lance) && !inside.without(Bitboard::last_ranks(self.them, 1)).is_empty();
        let knights = hand.has(Knight) && !inside.without(Bitboard::last_ranks(self.them, 2)).is_empty();
        if lances || knights {
            return true;
        }
        // A captured pawn no longer stands in the way of another.
        let taken = Bitboard::from_square(check.to);
        let files = self.pos.pieces_moving_as(self.them, Pawn).without(taken).fill_files();
        hand.has(Pawn)
            && !inside.without(files | Bitboard::last_ranks(self.them, 1)).is_empty()
            && self.has_answer_when_made(check)
    }

    /// The rarest case, played out: a dropped pawn may be the only answer, and it may be illegal because it would mate.
    #[cold]
    fn has_answer_when_made(&self, check: Check) -> bool {
        let mut after = self.pos.clone();
        let mv = match check.from {
            None => Move::drop(check.placed, check.to),
            Some(from) if self.pos.piece_on(from).is_some_and(|piece| piece.piece_type() != check.placed) => {
                Move::promotion(from, check.to)
            }
            Some(from) => Move::board(from, check.to),
        };
        after.do_move(mv);
        has_legal_move(&after)
    }

    /// The slider of ours that checks once the piece on this square has left its line.
    fn slider_behind(&self, from: Square, occupied: Bitboard) -> Option<Square> {
        let line = line_through(self.king, from);
        let left = Bitboard::from_square(from);
        let sliders = bishop_attacks(self.king, occupied) & self.pos.movers(Bishop)
            | rook_attacks(self.king, occupied) & self.pos.movers(Rook)
            | lance_attacks(self.them, self.king, occupied) & self.pos.movers(Lance);
        // Towards the piece, not to the other side of the king.
        let behind = sliders & self.pos.pieces(self.us).without(left) & line;
        behind.into_iter().find(|&slider| between(self.king, slider).intersects(left))
    }
}

/// The squares that a side's pieces, but for those in `left`, attack, complete for the squares around the enemy king.
#[inline(always)]
fn covered(pos: &Position, us: Color, king: Square, occupied: Bitboard, left: Bitboard) -> Bitboard {
    let ours = pos.pieces(us).without(left);
    let near = king_vicinity(king);
    let mut covered = (pos.movers(Pawn) & ours).forward_onto(us, Bitboard::ALL);
    let steppers = (pos.movers(Silver) | pos.movers(Gold) | pos.king_steppers()) & near.steppers
        | pos.movers(Knight) & near.knights[us];
    for square in steppers & ours {
        if let Some(piece) = pos.piece_on(square) {
            covered |= piece_steps(piece, square);
        }
    }
    for square in pos.movers(Bishop) & near.bishops & ours {
        covered |= bishop_attacks(square, occupied);
    }
    for square in pos.movers(Rook) & near.rooks & ours {
        covered |= rook_attacks(square, occupied);
    }
    for square in pos.movers(Lance) & near.lances[us] & ours {
        covered |= lance_attacks(us, square, occupied);
    }
    covered
}

/// A move of the side to move that mates within three plies, if there is one.
///
/// ```
/// use komainu::mate::{mate_in_one, mate_in_three};
/// use komainu::position::Position;
///
/// // A gold drives the king to the edge, the second one mates.
/// let mut position = Position::from_sfen("8k/9/8P/9/9/9/9/9/9 b 2G 1")?;
/// assert!(mate_in_three(&mut position).is_some());
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
pub fn mate_in_three(pos: &mut Position) -> Option<Move> {
    shortest_mate(pos, 3, u32::MAX).map(|line| line[0])
}

/// The line of the shortest mate within `plies` plies against the longest resistance, by plain recursion: every check,
/// every answer. It gives up after `max_moves` moves.
pub(crate) fn shortest_mate(pos: &mut Position, plies: usize, max_moves: u32) -> Option<Vec<Move>> {
    let mut moves_left = max_moves;
    (1..=plies).step_by(2).find_map(|plies| attack(pos, plies, &mut moves_left))
}

/// A mate by the side to move within `plies` plies (odd).
fn attack(pos: &mut Position, plies: usize, moves_left: &mut u32) -> Option<Vec<Move>> {
    if plies == 1 {
        return mate_in_one(pos).map(|mv| vec![mv]);
    }
    for mv in &generate::<Checks>(pos) {
        *moves_left = moves_left.checked_sub(1)?;
        pos.do_move(mv);
        let line = defend(pos, plies - 1, moves_left);
        pos.undo();
        if let Some(line) = line {
            return Some([&[mv], &line[..]].concat());
        }
    }
    None
}

/// The longest line if every answer is followed by a mate within `plies` plies (even), the answer included. A
/// counter-check does not end the attack: the answer to it may mate.
fn defend(pos: &mut Position, plies: usize, moves_left: &mut u32) -> Option<Vec<Move>> {
    let mut longest = Vec::new();
    for mv in &generate::<Evasions>(pos) {
        *moves_left = moves_left.checked_sub(1)?;
        pos.do_move(mv);
        let mut line = mate_in_one(pos).map(|mate| vec![mate]);
        if line.is_none() && plies > 2 {
            line = attack(pos, plies - 1, moves_left);
        }
        pos.undo();
        let line = [&[mv], &line?[..]].concat();
        if line.len() > longest.len() {
            longest = line;
        }
    }
    Some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(sfen: &str, plies: usize) -> Option<usize> {
        let mut pos = Position::from_sfen(sfen).unwrap();
        let line = shortest_mate(&mut pos, plies, 60_000)?;
        for &mv in &line {
            pos.play(mv).unwrap();
        }
        assert!(pos.in_check() && !has_legal_move(&pos));
        Some(line.len())
    }

    #[test]
    fn mates_are_found_up_to_the_length_and_not_beyond() {
        assert_eq!(length("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1), Some(1));
        let three = "+R4Ssnl/3+LB1g2/2sp3p1/2p1ppp1p/5NkP1/3g1PP1P/PPN1P2K1/3P5/6+rNL w b2gsl3p 1";
        assert_eq!((length(three, 1), length(three, 3), length(three, 9)), (None, Some(3), Some(3)));
        assert_eq!(length(crate::position::START_SFEN, 5), None);
    }
}
