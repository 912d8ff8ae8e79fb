//! Habits of people: a plan for the opening is followed, pieces are neither moved back nor on without need, the king
//! stays in its castle, and bishops are not traded before a game has begun.

use super::chance::mix;
use super::plan::Plan;
use crate::bitboard::king_attacks;
use crate::movegen::is_legal;
use crate::position::Position;
use crate::types::{Color, Move, PieceType, Square};

/// Cost of a quiet move that takes a piece back to where it was before one of the last own moves, in standard
/// deviations of the level's noise, and at least.
const BACK: f64 = 1.0;
const LEAST_BACK: i32 = 80;
/// Cost of a quiet move on with the piece of the last own move; of another piece that wanders.
const ON: f64 = 0.4;
const WANDERING: f64 = 0.5;
/// Own moves within which a piece remembers where it was.
const MEMORY: usize = 4;
/// Centipawns, without the error of the level, by which a move must be better than what people would play instead:
/// back, or with the king out of its castle; with a piece that wanders; a trade of bishops ...
const BACK_MARGIN: i32 = 150;
const WANDERING_MARGIN: i32 = 60;
const TRADE_MARGIN: i32 = 120;
/// ... before this ply.
const TRADE_PLY: u32 = 16;
/// The first rank of the own camp, counted from the enemy's edge.
const CAMP: usize = 6;
/// Until this ply a king without a plan is on its way to its castle.
const CASTLE_PLY: u32 = 40;
/// Enemy pieces at most this many squares away besiege a king; pawns only from beside it.
const SIEGE: usize = 3;
const PAWN_SIEGE: usize = 2;
/// Centipawns for the most urgent move of a plan, besides the noise of the level; less for each that is less urgent.
const PLAN_BONUS: i32 = 60;
const PLAN_STEP: i32 = 100;
/// Moves of the plan that are thought of, and centipawns by which the seed changes their order.
const PLAN_MOVES: usize = 3;
const PLAN_JITTER: u64 = 20;
/// Centipawns that a move of the plan may lose against another one, and bounds of the bonus: below what a plan's move
/// may cost.
pub(super) const MOST_LOST_BY_PLAN: i32 = 150;
const MOST_FOR_PLAN: i32 = 145;
const LEAST_FOR_PLAN: i32 = 40;

/// Habits of the side to move at the root.
pub(super) struct Habits {
    plan: Option<&'static Plan>,
    /// Moves of the plan, the most urgent first.
    planned: Vec<Move>,
    seed: u64,
    /// The last own moves, the latest first.
    recent: Vec<Move>,
    /// Standard deviation of the level's noise.
    noise: f64,
}

impl Habits {
    /// Habits of the side to move with this plan.
    pub(super) fn new(pos: &Position, plan: Option<&'static Plan>, noise: f64, seed: u64) -> Habits {
        let mut planned = plan.map(|plan| plan.next_moves(pos)).unwrap_or_default();
        planned.retain(|&mv| is_legal(pos, mv));
        planned.truncate(PLAN_MOVES);
        Habits { plan, planned, seed, recent: recent_own_moves(pos), noise }
    }

    /// Moves of the plan for this position, the most urgent first.
    pub(super) fn planned(&self) -> &[Move] {
        &self.planned
    }

    /// Worth of a move because the plan has it, in centipawns: more than noise, less than material.
    pub(super) fn plan_bonus(&self, mv: Move) -> i32 {
        let Some(place) = self.planned.iter().position(|&planned| planned == mv) else { return 0 };
        let first = (PLAN_BONUS + self.noise as i32).min(MOST_FOR_PLAN);
        let jitter = (mix(self.seed ^ u64::from(mv.bits())) % PLAN_JITTER) as i32;
        (first - PLAN_STEP * place as i32 - jitter).max(LEAST_FOR_PLAN)
    }

    /// Cost of a move by habit, in centipawns.
    pub(super) fn reluctance(&self, pos: &Position, mv: Move) -> i32 {
        let Some(from) = mv.from().filter(|_| is_quiet(pos, mv)) else { return 0 };
        if self.planned.contains(&mv) {
            return 0;
        }
        if self.goes_back(mv) {
            return ((self.noise * BACK).round() as i32).max(LEAST_BACK);
        }
        let deviations = match self.recent.first() {
            Some(last) if last.to() == from => ON,
            _ if self.strays(pos, mv) || self.wanders(pos, mv) => WANDERING,
            _ => 0.0,
        };
        (self.noise * deviations).round() as i32
    }

    /// The centipawns by which a move that people would not play must be better than another one; none for ordinary
    /// moves.
    pub(super) fn margin(&self, pos: &Position, mv: Move) -> Option<i32> {
        if self.planned.contains(&mv) {
            return None;
        }
        if trades_bishops(pos, mv) && pos.ply() < TRADE_PLY && !self.plan.is_some_and(Plan::trades_bishops) {
            return Some(TRADE_MARGIN);
        }
        if !is_quiet(pos, mv) {
            return None;
        }
        let is_odd = self.goes_back(mv) || self.strays(pos, mv) || self.plan.is_none() && leaves_guards(pos, mv);
        is_odd.then_some(BACK_MARGIN).or_else(|| self.wanders(pos, mv).then_some(WANDERING_MARGIN))
    }

    /// Tests whether a piece goes back to a square that it left within the last own moves.
    fn goes_back(&self, mv: Move) -> bool {
        let mut square = mv.from();
        self.recent.iter().any(|earlier| {
            let is_same = Some(earlier.to()) == square;
            square = if is_same { earlier.from() } else { square };
            is_same && square == Some(mv.to())
        })
    }

    /// Tests whether a piece moves about in its own camp or back though nothing attacks it: a lance there, a piece of
    /// the plan or the castle, any other but a pawn or a knight that does not go forward.
    fn wanders(&self, pos: &Position, mv: Move) -> bool {
        use PieceType::{King, Knight, Lance, Pawn};
        let side = pos.side();
        let Some(from) = mv.from() else { return false };
        let Some(piece_type) = pos.piece_on(from).map(|piece| piece.piece_type()) else { return false };
        let (before, after) = (rank(from, side), rank(mv.to(), side));
        let in_camp = before >= CAMP && after >= CAMP;
        let is_idle = match piece_type {
            King | Pawn | Knight => false,
            Lance => in_camp,
            _ => after > before || in_camp && after == before,
        };
        let leaves_place = in_camp && piece_type != King && self.plan.is_some_and(|plan| plan.is_undone_by(pos, mv));
        (is_idle || leaves_place) && !pos.is_attacked(!side, from, pos.occupied())
    }

    /// Tests whether the king walks about without need: out of its castle, or anywhere but on its way there.
    fn strays(&self, pos: &Position, mv: Move) -> bool {
        let side = pos.side();
        let Some(king) = pos.king(side).filter(|&king| mv.from() == Some(king)) else { return false };
        let stays = self.plan.is_some_and(|plan| plan.is_home(mv.to(), side));
        // Towards the enemy nobody flees.
        let walks_out = rank(mv.to(), side) < rank(king, side) && rank(mv.to(), side) <= CAMP;
        !stays && (self.plan.is_some() || pos.ply() > CASTLE_PLY) && (walks_out || !is_besieged(pos))
    }
}

/// Tests whether the king goes from its generals to a place without any, though nobody is near.
fn leaves_guards(pos: &Position, mv: Move) -> bool {
    let side = pos.side();
    let Some(king) = pos.king(side).filter(|&king| mv.from() == Some(king)) else { return false };
    let generals = pos.pieces_of(side, PieceType::Gold) | pos.pieces_of(side, PieceType::Silver);
    let guards = |square| (king_attacks(square) & generals).count();
    guards(king) > 0 && guards(mv.to()) == 0 && !is_besieged(pos)
}

/// The last own moves of the side to move that the position knows, the latest first.
fn recent_own_moves(pos: &Position) -> Vec<Move> {
    let mut before = pos.clone();
    let mut recent = Vec::new();
    while recent.len() < MEMORY && before.moves_made() >= 2 {
        before.undo();
        recent.extend(before.last_move());
        before.undo();
    }
    recent
}

/// Tests whether a move is no answer to a check, no capture, promotion or drop.
fn is_quiet(pos: &Position, mv: Move) -> bool {
    !pos.in_check() && mv.from().is_some() && pos.piece_on(mv.to()).is_none() && !mv.is_promotion()
}

/// Tests whether a bishop takes a bishop.
fn trades_bishops(pos: &Position, mv: Move) -> bool {
    let is_bishop = |square| pos.piece_on(square).is_some_and(|piece| piece.piece_type() == PieceType::Bishop);
    mv.from().is_some_and(is_bishop) && is_bishop(mv.to())
}

/// The rank of a square as a side sees it, 0 for the furthest one.
fn rank(square: Square, side: Color) -> usize {
    let rank = square.rank().index();
    if side == Color::Black { rank } else { 8 - rank }
}

/// Tests whether enemy pieces have come near the king of the side to move.
fn is_besieged(pos: &Position) -> bool {
    let Some(king) = pos.king(pos.side()) else { return true };
    let distance = |square: Square| {
        let files = square.file().index().abs_diff(king.file().index());
        files.max(square.rank().index().abs_diff(king.rank().index()))
    };
    pos.pieces(!pos.side()).into_iter().any(|square| {
        let is_pawn = pos.piece_on(square).is_some_and(|piece| piece.piece_type() == PieceType::Pawn);
        distance(square) <= if is_pawn { PAWN_SIEGE } else { SIEGE }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(moves: &str) -> Position {
        let mut pos = Position::startpos();
        moves.split_whitespace().for_each(|mv| pos.do_move(mv.parse().unwrap()));
        pos
    }

    /// Cost and margin of a move without a plan.
    fn habit(pos: &Position, mv: &str, noise: f64) -> (i32, Option<i32>) {
        let (habits, mv) = (Habits::new(pos, None, noise, 1), mv.parse().unwrap());
        (habits.reluctance(pos, mv), habits.margin(pos, mv))
    }

    fn plan(name: &str) -> &'static Plan {
        Plan::all().iter().find(|plan| plan.names()[0] == name).unwrap()
    }

    #[test]
    fn a_king_without_a_plan_stays_with_its_generals() {
        let margin = |sfen: &str, mv: &str| {
            let pos = Position::from_sfen(sfen).unwrap();
            Habits::new(&pos, None, 50.0, 1).margin(&pos, mv.parse().unwrap())
        };
        let with_guards = "4k4/9/9/9/9/9/9/2G6/1K7 b - 20";
        assert_eq!(margin(with_guards, "8i9i"), Some(BACK_MARGIN), "to the bare corner");
        assert_eq!(margin(with_guards, "8i7i"), None, "along with them");
        assert_eq!(margin("4k4/9/9/9/9/9/9/9/1K7 b - 20", "8i9i"), None, "nobody to leave");
        assert_eq!(margin("4k4/9/9/9/9/9/1r7/2G6/1K7 b - 20", "8i9i"), None, "it flees");
    }

    #[test]
    fn pieces_stay_where_they_have_gone_within_four_moves_and_do_not_retreat() {
        let pos = position("7g7f 3c3d 2h6h 8c8d");
        assert_eq!(habit(&pos, "6h2h", 100.0), (100, Some(BACK_MARGIN)));
        assert_eq!(habit(&pos, "6h2h", 0.0), (LEAST_BACK, Some(BACK_MARGIN)));
        assert_eq!(habit(&pos, "6h5h", 100.0), (40, Some(WANDERING_MARGIN)));
        assert_eq!(habit(&pos, "5i4h", 100.0), (0, None));
        let later = position("2h6h 8c8d 9g9f 1c1d 9f9e 1d1e 1g1f 3c3d");
        assert_eq!(habit(&later, "6h2h", 100.0).1, Some(BACK_MARGIN));
        let forgotten = position("2h6h 8c8d 9g9f 1c1d 9f9e 1d1e 1g1f 3c3d 7g7f 5c5d");
        assert_eq!(habit(&forgotten, "6h2h", 100.0), (50, Some(WANDERING_MARGIN)));
        // A silver goes back without need, and from an attack.
        let pos = position("4g4f 3c3d 3i4h 8c8d 4h4g 9c9d 9g9f 1c1d");
        assert_eq!((habit(&pos, "4g5h", 100.0).0, habit(&pos, "4g5f", 100.0).0), (50, 0));
        let pos = Position::from_sfen("4k4/9/9/9/5p3/5S3/9/9/4K4 b - 1").unwrap();
        assert_eq!(habit(&pos, "4f5g", 100.0).0, 0);
    }

    #[test]
    fn bishops_are_not_traded_early_unless_the_plan_wants_it() {
        let mut pos = position("7g7f 3c3d");
        assert_eq!(habit(&pos, "8h2b+", 100.0), (0, Some(TRADE_MARGIN)));
        let exchange = Habits::new(&pos, Some(plan("角換わり いちご")), 100.0, 1);
        assert_eq!(exchange.margin(&pos, "8h2b+".parse().unwrap()), None);
        pos.set_ply(TRADE_PLY);
        assert_eq!(habit(&pos, "8h2b+", 100.0).1, None);
    }

    #[test]
    fn a_king_leaves_its_castle_only_when_enemies_come() {
        let castle = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B1R2SK1/LNSG1G1NL b - 41";
        let margin = |sfen: &str, mv: &str| {
            let pos = Position::from_sfen(sfen).unwrap();
            Habits::new(&pos, Some(plan("四間飛車 美濃")), 100.0, 1).margin(&pos, mv.parse().unwrap())
        };
        assert_eq!(margin(castle, "2h1h"), Some(BACK_MARGIN));
        let besieged = castle.replace("gsnl", "g1nl").replace("/9/9/9/", "/9/9/5s3/").replace("PPPPPPPPP", "PPPPPPP1P");
        assert_eq!(margin(&besieged, "2h1h"), None, "a silver is near");
        assert_eq!(margin(&besieged, "2h2g"), Some(BACK_MARGIN), "out into the open");
    }

    #[test]
    fn a_plan_is_worth_more_than_noise_and_less_than_what_it_may_cost() {
        let pos = Position::startpos();
        for noise in [0.0, 15.0, 100.0, 950.0] {
            let habits = Habits::new(&pos, Some(plan("四間飛車 美濃")), noise, 1);
            let bonuses: Vec<i32> = habits.planned().iter().map(|&mv| habits.plan_bonus(mv)).collect();
            assert_eq!(bonuses.len(), PLAN_MOVES);
            assert!(bonuses.iter().all(|bonus| (LEAST_FOR_PLAN..150).contains(bonus)), "{bonuses:?}");
            assert_eq!(habits.plan_bonus("9g9f".parse().unwrap()), 0);
        }
    }
}
