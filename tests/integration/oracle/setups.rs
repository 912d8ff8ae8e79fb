//! Random legal setups for proptest, with shrinking: pieces vanish one by one, hands empty, kings come to rest.
//!
//! A setup is plain data; [`Setup::build`] leaves out what the board has no room for, so that nearly every setup is a
//! position and a smaller setup is a simpler position.

use super::symmetry::Symmetry;
use komainu::position::{Position, PositionBuilder, PositionFault};
use komainu::types::{Color, File, Piece, PieceType, Square};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};

/// Where a piece stands: `King(color, ray, distance)` counts from a king, so that lines through kings are common.
#[derive(Clone, Copy, Debug)]
enum Spot {
    Anywhere(Square),
    King(Color, usize, i32),
}

/// Files and ranks to go: the eight directions, then the knight's jumps of both sides.
const RAYS: [(i32, i32); 12] =
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (1, -2), (-1, -2), (1, 2), (-1, 2)];

/// A setup before it is known whether it is a position.
#[derive(Clone, Debug)]
struct Setup {
    kings: [Option<Square>; 2],
    pieces: Vec<(Spot, Piece)>,
    /// By colour and [`PieceType::HAND`]; cut to what is left of the set of 40.
    hands: [[u32; 7]; 2],
    /// Who also holds everything that is left.
    rest: Option<Color>,
    side: Color,
    /// Whether the board is turned by 180 degrees and the sides change places.
    turned: bool,
}

/// What remains to be placed of a full set.
struct Box40([u32; 15]);

impl Box40 {
    fn new() -> Box40 {
        let mut left = [0; 15];
        for piece_type in PieceType::HAND {
            left[piece_type.index()] = piece_type.total() as u32;
        }
        Box40(left)
    }

    fn take(&mut self, piece_type: PieceType, wanted: u32) -> u32 {
        let left = &mut self.0[piece_type.unpromoted().index()];
        let taken = wanted.min(*left);
        *left -= taken;
        taken
    }
}

impl Setup {
    /// The position, unless there is no king, the kings collide, or each side could capture the other's king.
    fn build(&self) -> Option<Position> {
        let mut builder = PositionBuilder::new();
        let mut left = Box40::new();
        if self.kings[0] == self.kings[1] {
            return None;
        }
        for color in Color::ALL {
            if let Some(square) = self.kings[color] {
                builder.piece(square, Piece::new(color, PieceType::King));
            }
        }
        let mut pawn_files: Vec<(Color, File)> = Vec::new();
        for &(spot, piece) in &self.pieces {
            let square = match spot {
                Spot::Anywhere(square) => Some(square),
                Spot::King(color, ray, distance) => {
                    self.kings[color].and_then(|king| king.offset(RAYS[ray].0 * distance, RAYS[ray].1 * distance))
                }
            };
            let Some(square) = square.filter(|&square| builder.piece_on(square).is_none()) else { continue };
            let color = piece.color();
            let piece_type = piece.piece_type();
            let is_pawn = piece_type == PieceType::Pawn;
            if piece_type.is_dead_on(color, square.rank())
                || is_pawn && pawn_files.contains(&(color, square.file()))
                || left.take(piece_type, 1) == 0
            {
                continue;
            }
            if is_pawn {
                pawn_files.push((color, square.file()));
            }
            builder.piece(square, piece);
        }
        for color in Color::ALL {
            for (slot, piece_type) in PieceType::HAND.into_iter().enumerate() {
                let wanted = if self.rest == Some(color) { 18 } else { self.hands[color][slot] };
                builder.hand(color, piece_type, left.take(piece_type, wanted));
            }
        }
        let view = Symmetry { turned: self.turned, mirrored: false };
        // If one side only is in check, it is that side's turn.
        [self.side, self.side.flip()].into_iter().find_map(|side| match builder.side(side).build() {
            Ok(pos) if self.turned => Some(view.position(&pos)),
            Ok(pos) => Some(pos),
            Err(faults) => {
                let expected = |fault: &PositionFault| matches!(fault, PositionFault::KingCanBeCaptured(_));
                assert!(faults.faults().iter().all(expected), "{self:?} was refused for {faults:?}");
                None
            }
        })
    }
}

/// A family of setups.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    /// Few pieces, anywhere.
    Sparse,
    /// Many pieces, anywhere.
    Dense,
    /// Sliders and pieces of all kinds on lines through the kings: pins, double checks, discovered checks.
    Lines,
    /// Kings on the edges, pieces close around them, pawns in hand: mates by a dropped pawn.
    Nets,
}

impl Style {
    pub(crate) const ALL: [Style; 4] = [Style::Sparse, Style::Dense, Style::Lines, Style::Nets];

    /// The kinds of pieces, each as often as it should be likely.
    fn kinds(self) -> Vec<PieceType> {
        use PieceType::*;
        const KINDS: [PieceType; 9] = [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, Horse, Dragon];
        let counts = match self {
            Style::Sparse | Style::Dense => [8, 4, 4, 4, 4, 2, 2, 2, 2],
            Style::Lines => [3, 6, 3, 3, 2, 5, 5, 4, 4],
            Style::Nets => [2, 4, 5, 6, 6, 2, 2, 2, 3],
        };
        let plain = KINDS.into_iter().zip(counts).flat_map(|(kind, count)| std::iter::repeat_n(kind, count));
        plain.chain([ProPawn, ProLance, ProKnight, ProSilver]).collect()
    }

    fn piece(self) -> impl Strategy<Value = Piece> {
        (color(), select(self.kinds())).prop_map(|(color, piece_type)| Piece::new(color, piece_type))
    }

    fn spot(self) -> BoxedStrategy<Spot> {
        let anywhere = square().prop_map(Spot::Anywhere);
        let near = |reach: i32| {
            (color(), 0..8usize, 1..=reach).prop_map(|(color, ray, distance)| Spot::King(color, ray, distance))
        };
        let jump = (color(), 8..12usize).prop_map(|(color, ray)| Spot::King(color, ray, 1));
        match self {
            Style::Sparse | Style::Dense => anywhere.boxed(),
            Style::Lines => prop_oneof![3 => anywhere, 8 => near(8), 1 => jump].boxed(),
            Style::Nets => prop_oneof![3 => anywhere, 8 => near(2), 1 => jump].boxed(),
        }
    }

    fn king(self) -> impl Strategy<Value = Option<Square>> {
        let on_edge = |square: &Square| {
            let file = square.file().index();
            let rank = square.rank().index();
            !(1..8).contains(&file) || !(1..8).contains(&rank)
        };
        let squares: Vec<Square> = match self {
            Style::Nets => Square::ALL.into_iter().filter(on_edge).collect(),
            _ => Square::ALL.to_vec(),
        };
        proptest::option::weighted(0.92, select(squares))
    }

    fn pieces(self) -> std::ops::Range<usize> {
        match self {
            Style::Sparse => 0..10,
            Style::Dense => 18..39,
            Style::Lines => 2..14,
            Style::Nets => 4..20,
        }
    }

    /// One piece, or two that belong together: see [`Style::pin`].
    fn group(self) -> BoxedStrategy<Vec<(Spot, Piece)>> {
        let single = (self.spot(), self.piece()).prop_map(|piece| vec![piece]);
        match self {
            Style::Sparse | Style::Dense => single.boxed(),
            Style::Lines => prop_oneof![single, self.pin()].boxed(),
            Style::Nets => prop_oneof![1 => single, 6 => self.besieger(), 1 => self.pin()].boxed(),
        }
    }

    /// A piece of the king's side next to it, or an enemy two steps off, from where it guards flights without checking;
    /// in front there is room for a pawn. Mostly it is white's king: one who is besieged cannot besiege.
    fn besieger(self) -> impl Strategy<Value = Vec<(Spot, Piece)>> {
        let color = prop_oneof![9 => Just(Color::White), 1 => Just(Color::Black)];
        let hostile = any::<bool>();
        let exception = prop_oneof![5 => Just(false), 1 => Just(true)];
        let parts = (color, 0..8usize, select(self.kinds()), hostile, exception);
        parts.prop_map(|(color, ray, kind, hostile, exception)| {
            let in_front = RAYS[ray] == (0, if color == Color::Black { -1 } else { 1 });
            let distance = if in_front || hostile != exception { 2 } else { 1 };
            let piece = Piece::new(if hostile { color.flip() } else { color }, kind);
            vec![(Spot::King(color, ray, distance), piece)]
        })
    }

    /// A piece next to a king or further off, and behind it on the same line an enemy slider that moves along it.
    fn pin(self) -> impl Strategy<Value = Vec<(Spot, Piece)>> {
        let shielding = prop_oneof![4 => Just(true), 1 => Just(false)];
        let parts = (color(), 0..8usize, 1..=3i32, 1..=4i32, select(self.kinds()), shielding, 0..3usize);
        parts.prop_map(|(color, ray, near, apart, kind, shielding, slider)| {
            use PieceType::{Bishop, Dragon, Horse, Lance, Rook};
            let (files, ranks) = RAYS[ray];
            let in_front = ranks == if color == Color::Black { -1 } else { 1 };
            let slider = match (files == 0 || ranks == 0, files == 0 && in_front) {
                (false, _) => [Bishop, Horse, Bishop][slider],
                (true, false) => [Rook, Dragon, Rook][slider],
                (true, true) => [Lance, Rook, Dragon][slider],
            };
            let blocker = Piece::new(if shielding { color } else { color.flip() }, kind);
            vec![
                (Spot::King(color, ray, near), blocker),
                (Spot::King(color, ray, near + apart), Piece::new(color.flip(), slider)),
            ]
        })
    }

    /// The positions of this family.
    pub(crate) fn positions(self) -> impl Strategy<Value = Position> {
        let pieces = proptest::collection::vec(self.group(), self.pieces()).prop_map(|groups| groups.concat());
        // Half of the counts are zero, so that every combination of held kinds comes up.
        let count = || (0..8u32).prop_map(|n| n.saturating_sub(3));
        let hands = proptest::array::uniform2(proptest::array::uniform7(count()));
        let rest = proptest::option::weighted(0.3, color());
        ([self.king(), self.king()], pieces, hands, rest, color(), any::<bool>())
            .prop_map(|(kings, pieces, hands, rest, side, turned)| Setup { kings, pieces, hands, rest, side, turned })
            .prop_filter_map("the setup is a position", |setup| setup.build())
    }
}

fn color() -> impl Strategy<Value = Color> {
    any::<bool>().prop_map(|white| if white { Color::White } else { Color::Black })
}

fn square() -> impl Strategy<Value = Square> {
    (0..81usize).prop_map(|index| Square::ALL[index])
}

/// Runs a property over random values of a fixed seed; a failure is shrunk and names the seed.
pub(crate) fn for_all<S: Strategy>(
    seed: u64,
    cases: u32,
    strategy: S,
    property: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_global_rejects: u32::MAX,
        max_local_rejects: u32::MAX,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    };
    if let Err(fault) = TestRunner::new(config).run(&strategy, property) {
        panic!("seed {seed}: {fault}");
    }
}
