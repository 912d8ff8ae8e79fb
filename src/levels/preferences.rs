//! The moves that people prefer: they follow a plan in the opening, move pieces neither back nor on without need, keep
//! the king in its castle, do not trade bishops before a game has begun, and go for the king once it is won.

use super::opening::OpeningPlan;
use super::params::{WON, mix};
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
pub(crate) const MOST_LOST_BY_PLAN: i32 = 150;
const MOST_FOR_PLAN: i32 = 145;
const LEAST_FOR_PLAN: i32 = 40;

/// Nobody goes for the king of a lost game before this ply.
const KING_ATTACK_PLY: u32 = 60;
/// Centipawns for each square that a piece comes nearer to the king, and more by the noise of the level.
const NEARER: i32 = 30;
const NEARER_BY_NOISE: f64 = 0.3;
/// A drop counts as if the piece came from this many squares away.
const IN_HAND: i32 = 4;
/// Squares that a move gains at most.
const MOST_NEARER: i32 = 2;

/// Preferences of the side to move at the root.
pub(crate) struct Preferences {
    plan: Option<&'static OpeningPlan>,
    /// Moves of the plan, the most urgent first.
    planned: Vec<Move>,
    seed: u64,
    /// The last own moves, the latest first.
    recent: Vec<Move>,
    /// Standard deviation of the level's noise.
    noise: f64,
}

impl Preferences {
    /// Preferences of the side to move with this plan.
    pub(crate) fn new(pos: &Position, plan: Option<&'static OpeningPlan>, noise: f64, seed: u64) -> Preferences {
        let mut planned = match plan {
            Some(plan) => plan.next_moves(pos),
            None => Vec::new(),
        };
        planned.retain(|&mv| is_legal(pos, mv));
        planned.truncate(PLAN_MOVES);
        Preferences { plan, planned, seed, recent: recent_own_moves(pos), noise }
    }

    /// Moves of the plan for this position, the most urgent first.
    pub(crate) fn planned(&self) -> &[Move] {
        &self.planned
    }

    /// Worth of a move because the plan has it, in centipawns: more than noise, less than material.
    pub(crate) fn plan_bonus(&self, mv: Move) -> i32 {
        let Some(place) = self.planned.iter().position(|&planned| planned == mv) else { return 0 };
        let first = (PLAN_BONUS + self.noise as i32).min(MOST_FOR_PLAN);
        let jitter = (mix(self.seed ^ u64::from(mv.bits())) % PLAN_JITTER) as i32;
        (first - PLAN_STEP * place as i32 - jitter).max(LEAST_FOR_PLAN)
    }

    /// Cost of a move that people do not like, in centipawns.
    pub(crate) fn cost(&self, pos: &Position, mv: Move) -> i32 {
        if !is_quiet(pos, mv) || self.planned.contains(&mv) {
            return 0;
        }
        if self.goes_back(mv) {
            return ((self.noise * BACK).round() as i32).max(LEAST_BACK);
        }
        let last = self.recent.first().map(|last| last.to());
        let deviations = if last.is_some() && last == mv.from() {
            ON
        } else if self.strays(pos, mv) || self.wanders(pos, mv) {
            WANDERING
        } else {
            0.0
        };
        (self.noise * deviations).round() as i32
    }

    /// The centipawns by which a move that people would not play must be better than another one; none for ordinary
    /// moves.
    pub(crate) fn margin(&self, pos: &Position, mv: Move) -> Option<i32> {
        if self.planned.contains(&mv) {
            return None;
        }
        if trades_bishops(pos, mv) && pos.ply() < TRADE_PLY && !self.plan.is_some_and(|plan| plan.trades_bishops) {
            return Some(TRADE_MARGIN);
        }
        if !is_quiet(pos, mv) {
            return None;
        }
        if self.goes_back(mv) || self.strays(pos, mv) || self.plan.is_none() && leaves_guards(pos, mv) {
            return Some(BACK_MARGIN);
        }
        if self.wanders(pos, mv) { Some(WANDERING_MARGIN) } else { None }
    }

    /// Tests whether a piece goes back to a square that it left within the last own moves.
    fn goes_back(&self, mv: Move) -> bool {
        let mut square = mv.from();
        for earlier in &self.recent {
            if Some(earlier.to()) != square {
                continue;
            }
            square = earlier.from();
            if square == Some(mv.to()) {
                return true;
            }
        }
        false
    }

    /// Tests whether a piece moves about in its own camp or back though nothing attacks it: a lance there, a piece of
    /// the plan or the castle, any other but a pawn or a knight that does not go forward.
    fn wanders(&self, pos: &Position, mv: Move) -> bool {
        use PieceType::{King, Knight, Lance, Pawn};
        let side = pos.side();
        let Some(from) = mv.from() else { return false };
        let Some(piece) = pos.piece_on(from) else { return false };
        let piece_type = piece.piece_type();
        let before = rank(from, side);
        let after = rank(mv.to(), side);
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
        let Some(king) = pos.king(side) else { return false };
        if mv.from() != Some(king) {
            return false;
        }
        let is_on_its_way = match self.plan {
            Some(plan) => plan.is_home(mv.to(), side),
            None => pos.ply() <= CASTLE_PLY,
        };
        // Towards the enemy nobody flees.
        let walks_out = rank(mv.to(), side) < rank(king, side) && rank(mv.to(), side) <= CAMP;
        !is_on_its_way && (walks_out || !is_besieged(pos))
    }
}

/// Centipawns in a game that is won for a move that comes nearer to the enemy king, below zero for one that goes away
/// from it; none for one that gives its piece away there.
pub(crate) fn king_attack_bonus(pos: &Position, mv: Move, lead: i32, noise: f64) -> i32 {
    if lead < WON || pos.ply() <= KING_ATTACK_PLY {
        return 0;
    }
    let Some(king) = pos.king(!pos.side()) else { return 0 };
    let before = match mv.from() {
        Some(from) if pos.king(pos.side()) == Some(from) => return 0,
        Some(from) => from.distance(king) as i32,
        None => IN_HAND,
    };
    let nearer = (before - mv.to().distance(king) as i32).clamp(-MOST_NEARER, MOST_NEARER);
    if nearer > 0 && !pos.see_ge(mv, 0) {
        return 0;
    }
    nearer * (NEARER + (NEARER_BY_NOISE * noise).round() as i32)
}

/// Tests whether the king goes from its generals to a place without any, though nobody is near.
fn leaves_guards(pos: &Position, mv: Move) -> bool {
    let side = pos.side();
    let Some(king) = pos.king(side) else { return false };
    if mv.from() != Some(king) {
        return false;
    }
    let generals = pos.pieces_of(side, PieceType::Gold) | pos.pieces_of(side, PieceType::Silver);
    king_attacks(king).intersects(generals) && !king_attacks(mv.to()).intersects(generals) && !is_besieged(pos)
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
    mv.from().is_some_and(|from| is_bishop(pos, from)) && is_bishop(pos, mv.to())
}

fn is_bishop(pos: &Position, square: Square) -> bool {
    pos.piece_on(square).is_some_and(|piece| piece.piece_type() == PieceType::Bishop)
}

/// The rank of a square as a side sees it, 0 for the furthest one.
fn rank(square: Square, side: Color) -> usize {
    let rank = square.rank().index();
    if side == Color::Black { rank } else { 8 - rank }
}

/// Tests whether enemy pieces have come near the king of the side to move.
fn is_besieged(pos: &Position) -> bool {
    let Some(king) = pos.king(pos.side()) else { return true };
    pos.pieces(!pos.side()).into_iter().any(|square| {
        let is_pawn = pos.piece_on(square).is_some_and(|piece| piece.piece_type() == PieceType::Pawn);
        square.distance(king) <= if is_pawn { PAWN_SIEGE } else { SIEGE }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::tests::after;

    /// Cost and margin of a move without a plan.
    fn costs(pos: &Position, mv: &str, noise: f64) -> (i32, Option<i32>) {
        let preferences = Preferences::new(pos, None, noise, 1);
        let mv = mv.parse().unwrap();
        (preferences.cost(pos, mv), preferences.margin(pos, mv))
    }

    fn plan(name: &str) -> &'static OpeningPlan {
        OpeningPlan::all().iter().find(|plan| plan.names()[0] == name).unwrap()
    }

    #[test]
    fn a_king_without_a_plan_stays_with_its_generals() {
        let margin = |sfen: &str, mv: &str| {
            let pos = Position::from_sfen(sfen).unwrap();
            Preferences::new(&pos, None, 50.0, 1).margin(&pos, mv.parse().unwrap())
        };
        let with_guards = "4k4/9/9/9/9/9/9/2G6/1K7 b - 20";
        assert_eq!(margin(with_guards, "8i9i"), Some(BACK_MARGIN), "to the bare corner");
        assert_eq!(margin(with_guards, "8i7i"), None, "along with them");
        assert_eq!(margin("4k4/9/9/9/9/9/9/9/1K7 b - 20", "8i9i"), None, "nobody to leave");
        assert_eq!(margin("4k4/9/9/9/9/9/1r7/2G6/1K7 b - 20", "8i9i"), None, "it flees");
    }

    #[test]
    fn pieces_stay_where_they_have_gone_within_four_moves_and_do_not_retreat() {
        let pos = after("7g7f 3c3d 2h6h 8c8d");
        assert_eq!(costs(&pos, "6h2h", 100.0), (100, Some(BACK_MARGIN)));
        assert_eq!(costs(&pos, "6h2h", 0.0), (LEAST_BACK, Some(BACK_MARGIN)));
        assert_eq!(costs(&pos, "6h5h", 100.0), (40, Some(WANDERING_MARGIN)));
        assert_eq!(costs(&pos, "5i4h", 100.0), (0, None));
        let later = after("2h6h 8c8d 9g9f 1c1d 9f9e 1d1e 1g1f 3c3d");
        assert_eq!(costs(&later, "6h2h", 100.0).1, Some(BACK_MARGIN));
        let forgotten = after("2h6h 8c8d 9g9f 1c1d 9f9e 1d1e 1g1f 3c3d 7g7f 5c5d");
        assert_eq!(costs(&forgotten, "6h2h", 100.0), (50, Some(WANDERING_MARGIN)));
        // A silver goes back without need, and from an attack.
        let pos = after("4g4f 3c3d 3i4h 8c8d 4h4g 9c9d 9g9f 1c1d");
        assert_eq!((costs(&pos, "4g5h", 100.0).0, costs(&pos, "4g5f", 100.0).0), (50, 0));
        let pos = Position::from_sfen("4k4/9/9/9/5p3/5S3/9/9/4K4 b - 1").unwrap();
        assert_eq!(costs(&pos, "4f5g", 100.0).0, 0);
    }

    #[test]
    fn bishops_are_not_traded_early_unless_the_plan_wants_it() {
        let mut pos = after("7g7f 3c3d");
        assert_eq!(costs(&pos, "8h2b+", 100.0), (0, Some(TRADE_MARGIN)));
        let exchange = Preferences::new(&pos, Some(plan("角換わり いちご")), 100.0, 1);
        assert_eq!(exchange.margin(&pos, "8h2b+".parse().unwrap()), None);
        pos.set_ply(TRADE_PLY);
        assert_eq!(costs(&pos, "8h2b+", 100.0).1, None);
    }

    #[test]
    fn a_king_leaves_its_castle_only_when_enemies_come() {
        let castle = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B1R2SK1/LNSG1G1NL b - 41";
        let margin = |sfen: &str, mv: &str| {
            let pos = Position::from_sfen(sfen).unwrap();
            Preferences::new(&pos, Some(plan("四間飛車 美濃")), 100.0, 1).margin(&pos, mv.parse().unwrap())
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
            let preferences = Preferences::new(&pos, Some(plan("四間飛車 美濃")), noise, 1);
            let bonuses: Vec<i32> = preferences.planned().iter().map(|&mv| preferences.plan_bonus(mv)).collect();
            assert_eq!(bonuses.len(), PLAN_MOVES);
            assert!(bonuses.iter().all(|bonus| (LEAST_FOR_PLAN..150).contains(bonus)), "{bonuses:?}");
            assert_eq!(preferences.plan_bonus("9g9f".parse().unwrap()), 0);
        }
    }

    #[test]
    fn pieces_that_come_nearer_to_the_king_are_liked_once_the_game_is_won() {
        let mut pos = Position::from_sfen("4k4/9/9/9/9/4+P4/9/9/K8 b G 1").unwrap();
        pos.set_ply(KING_ATTACK_PLY + 1);
        let of = |pos: &Position, mv: &str, lead| king_attack_bonus(pos, mv.parse().unwrap(), lead, 100.0);
        assert_eq!([of(&pos, "5f5e", WON), of(&pos, "5f5g", WON), of(&pos, "5f4f", WON)], [60, -60, 0]);
        assert_eq!([of(&pos, "G*5c", WON), of(&pos, "G*5e", WON)], [120, 0]);
        assert_eq!((of(&pos, "9i8h", WON), of(&pos, "5f5e", WON - 1)), (0, 0), "the own king, no lead");
        assert_eq!(of(&pos, "G*5b", WON), 0, "the king takes it");
        pos.set_ply(KING_ATTACK_PLY);
        assert_eq!(of(&pos, "5f5e", WON), 0);
    }
}
