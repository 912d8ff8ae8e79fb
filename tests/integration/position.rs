//! What the library lets its users do with a position. No sequence of calls, whatever their arguments, makes a piece or
//! a list of moves that is longer than its capacity.

use crate::oracle::play::random_game;
use crate::oracle::symmetry::Symmetry;
use komainu::movegen::{
    All, Captures, Checks, Evasions, IllegalMove, Kind, QuietChecks, Quiets, count, generate, is_legal,
};
use komainu::position::{Observer, Position, PositionBuilder, PositionFault};
use komainu::types::{Color, Move, Piece, PieceType, Square};
use proptest::prelude::*;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// All seven kinds in hand and an almost empty board: 502 moves.
const MANY_DROPS: &str = "8k/9/9/9/9/9/9/9/9 b RBGSNLP 1";

/// More moves than any position of 40 pieces has, with one king or two.
const BOUND: usize = 636;

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

/// The position after moves that need not be legal.
fn after(sfen: &str, moves: &str) -> Position {
    let mut pos = position(sfen);
    for text in moves.split_whitespace() {
        pos.do_move(text.parse().expect("a move"));
    }
    pos
}

/// Whether the call panicked.
fn panics(call: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn rotated_and_mirrored_positions_have_the_rotated_and_mirrored_moves() {
    for game in 0..20 {
        random_game(20_261_128, game, |pos| {
            for (view, symmetry) in [
                (pos.rotate(), Symmetry { turned: true, mirrored: false }),
                (pos.mirror(), Symmetry { turned: false, mirrored: true }),
            ] {
                assert_eq!(view, symmetry.position(pos));
                assert_eq!(view.validate(), Ok(()));
                let moves: HashSet<Move> = view.legal_moves().into_iter().collect();
                let expected: HashSet<Move> = pos.legal_moves().into_iter().map(|mv| symmetry.mv(mv)).collect();
                assert_eq!(moves, expected, "{}", pos.to_sfen());
            }
        });
    }
    // Also of a position that no game has: a pawn that could never move.
    let dead = after("4k4/9/4P4/9/9/9/9/9/4K4 b - 1", "5c4a");
    assert_eq!(dead.rotate().rotate(), dead);
}

#[test]
fn a_pass_is_taken_back_as_a_pass_and_a_drop_as_a_drop() {
    let mut pos = position(MANY_DROPS);
    let dropped = after(MANY_DROPS, "R*5e");
    pos.do_move("R*5e".parse().unwrap());
    assert_eq!(pos.last_move(), "R*5e".parse().ok());
    pos.do_null_move();
    assert_eq!(pos.last_move(), None);
    pos.undo();
    assert_eq!(pos, dropped);
    assert_eq!(pos.last_move(), "R*5e".parse().ok());
    pos.undo();
    assert_eq!(pos, position(MANY_DROPS));
    assert_eq!(pos.last_move(), None);
}

#[test]
fn nothing_is_taken_back_at_the_start_of_the_history() {
    for mut pos in [Position::startpos(), after(MANY_DROPS, "R*5e").without_history()] {
        let before = pos.clone();
        assert!(panics(|| pos.undo()));
        assert_eq!(pos, before);
        assert_eq!(pos.validate(), Ok(()));
    }
}

#[test]
fn what_cannot_be_made_is_refused_and_changes_nothing() {
    let sfen = "4k4/9/9/4p4/4PG3/9/9/4+B4/4K4 b Gg 1";
    let onto_itself = Square::S5E;
    let refused = ["6e6d", "5d5e", "5h5i", "5h5e", "5h5a", "R*5b", "P*5b", "G*5e", "G*5d"];
    let refused = refused.map(|text| text.parse().expect("a move"));
    assert!(panics(|| _ = Move::board(onto_itself, onto_itself)));
    for mv in refused {
        let mut pos = position(sfen);
        assert!(panics(|| pos.do_move(mv)), "{mv}");
        assert_eq!((&pos, pos.moves_made()), (&position(sfen), 0), "{mv}");
        assert_eq!(pos.validate(), Ok(()), "{mv}");
    }
}

#[test]
fn a_side_in_check_cannot_pass() {
    let mut pos = position("4k4/9/9/9/4r4/9/9/9/4K4 b - 1");
    let before = pos.clone();
    assert!(panics(|| pos.do_null_move()));
    assert_eq!((&pos, pos.moves_made()), (&before, 0));
}

/// Panics at the change of this number.
struct Fails(u32);

impl Fails {
    fn count(&mut self) {
        self.0 = self.0.checked_sub(1).expect("this observer fails");
    }
}

impl Observer for Fails {
    fn piece_added(&mut self, _: Piece, _: Square) {
        self.count();
    }
    fn piece_removed(&mut self, _: Piece, _: Square) {
        self.count();
    }
    fn hand_changed(&mut self, _: Color, _: PieceType, _: u8) {
        self.count();
    }
}

#[test]
fn an_observer_that_panics_leaves_a_whole_position() {
    for (sfen, mv, changes) in [(MANY_DROPS, "P*5e", 2), ("4k4/9/4p4/4P4/9/9/9/9/4K4 b - 1", "5d5c+", 4)] {
        let expected = after(sfen, mv);
        for fails_at in 0..=changes {
            let mut pos = position(sfen);
            let failed = panics(|| pos.do_move_observed(mv.parse().unwrap(), &mut Fails(fails_at)));
            assert_eq!(failed, fails_at < changes);
            assert_eq!(pos, expected);
            assert_eq!(pos.validate(), Ok(()));
            pos.undo();
            assert_eq!(pos, position(sfen));
        }
    }
}

#[test]
fn only_legal_moves_are_played() {
    for bits in 0..=u16::MAX {
        let Some(mv) = Move::from_bits(bits) else { continue };
        let start = position("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        let mut pos = start.clone();
        if is_legal(&start, mv) {
            assert_eq!(pos.play(mv), Ok(()));
            assert_eq!(pos.last_move(), Some(mv));
            pos.undo();
        } else {
            assert_eq!(pos.play(mv), Err(IllegalMove(mv)));
        }
        assert_eq!(pos, start);
    }
}

#[test]
fn positions_are_equal_if_their_sfens_are() {
    let start = Position::startpos();
    let mut ways = ["7g7f 3c3d 2g2f", "2g2f 3c3d 7g7f"].map(|moves| after(&start.to_sfen(), moves));
    assert_eq!(ways[0], ways[1]);
    assert_eq!(ways[0], position(&ways[1].to_string()));
    assert_eq!(HashSet::from(ways.clone()).len(), 1);
    ways[1].set_ply(7);
    assert_ne!(ways[0], ways[1]);
    assert_ne!(ways[0], after(&start.to_sfen(), "7g7f 3c3d 2g2f 8c8d"));
    assert_ne!(position("4k4/9/9/9/9/9/9/9/4K4 b P 1"), position("4k4/9/9/9/9/9/9/9/4K4 b p 1"));
    assert_ne!(position("4k4/9/9/9/9/9/9/9/4K4 b - 1"), position("4k4/9/9/9/9/9/9/9/4K4 w - 1"));
}

#[test]
fn the_counter_can_be_set_but_not_below_the_moves_that_were_made() {
    let mut pos = after(&Position::startpos().to_sfen(), "7g7f 3c3d 2g2f");
    for (set, counter) in [(0, 4), (3, 4), (4, 4), (90, 90), (u32::MAX, 1_000_000)] {
        pos.set_ply(set);
        assert_eq!(pos.ply(), counter);
    }
    pos.set_ply(0);
    for _ in 0..3 {
        pos.undo();
    }
    assert_eq!(pos, Position::startpos());
}

#[test]
fn without_its_history_a_position_repeats_nothing() {
    let shuffle = "5i5h 5a5b 5h5i 5b5a";
    let played = after("4k4/9/9/9/9/9/9/9/4K4 b - 1", shuffle);
    let fresh = played.without_history();
    assert_eq!((played.occurrences(), fresh.occurrences()), (2, 1));
    assert_eq!(fresh, played);
    assert_eq!((fresh.moves_made(), fresh.last_move(), fresh.captured()), (0, None, None));
    assert_eq!(fresh.validate(), Ok(()));
    assert_eq!(fresh.validate(), position(&played.to_sfen()).validate());
}

#[test]
fn a_builder_begins_with_a_position() {
    for sfen in [MANY_DROPS, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 17"] {
        let pos = position(sfen);
        assert_eq!(PositionBuilder::from(&pos).build(), Ok(pos));
    }
    let mut builder = PositionBuilder::from(&position(MANY_DROPS));
    builder.empty_hand(Color::Black).hand(Color::White, PieceType::Gold, 4).ply(9);
    assert_eq!(builder.build().unwrap().to_string(), "8k/9/9/9/9/9/9/9/9 b 4g 9");
    let invalid = builder.empty(Square::S1A).hand(Color::Black, PieceType::Gold, 1).build().unwrap_err();
    assert_eq!(invalid.faults(), [PositionFault::TooManyPieces(PieceType::Gold, 5), PositionFault::NoKing]);
    assert_eq!(invalid.to_string(), "5 pieces of kind G, a set has 4; neither side has a king");
}

/// Something that safe code can do.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// A legal move, by its number.
    Legal(usize),
    /// Any move that 16 bits can spell.
    Bits(u16),
    /// A piece of the side to move, by its number, goes to any square.
    Teleport(usize, Square, bool),
    /// A drop of any kind on any square.
    Drop(PieceType, Square),
    Pass,
    Undo,
    SetPly(u32),
    Forget,
}

impl Call {
    fn make(self, pos: &mut Position) {
        match self {
            Call::Legal(n) => {
                let moves = pos.legal_moves();
                if !moves.is_empty() {
                    pos.do_move(moves[n % moves.len()]);
                }
            }
            Call::Bits(bits) => {
                if let Some(mv) = Move::from_bits(bits) {
                    pos.do_move(mv);
                }
            }
            Call::Teleport(n, to, promotes) => {
                let own: Vec<Square> = pos.pieces(pos.side()).into_iter().collect();
                if let Some(&from) = own.get(n % own.len().max(1)) {
                    pos.do_move(if promotes { Move::promotion(from, to) } else { Move::board(from, to) });
                }
            }
            Call::Drop(piece_type, to) => pos.do_move(Move::drop(piece_type, to)),
            Call::Pass => pos.do_null_move(),
            Call::Undo => pos.undo(),
            Call::SetPly(ply) => pos.set_ply(ply),
            Call::Forget => *pos = pos.without_history(),
        }
    }
}

fn call() -> impl Strategy<Value = Call> {
    let square = || prop::sample::select(&Square::ALL);
    prop_oneof![
        6 => any::<usize>().prop_map(Call::Legal),
        2 => any::<u16>().prop_map(Call::Bits),
        6 => (any::<usize>(), square(), any::<bool>()).prop_map(|(n, to, promotes)| Call::Teleport(n, to, promotes)),
        3 => (prop::sample::select(&PieceType::HAND), square()).prop_map(|(held, to)| Call::Drop(held, to)),
        2 => Just(Call::Pass),
        4 => Just(Call::Undo),
        1 => any::<u32>().prop_map(Call::SetPly),
        1 => Just(Call::Forget),
    ]
}

/// The moves of a kind are spelt by valid bits and are no more than a list has room for.
fn check_list<K: Kind>(pos: &Position) -> usize {
    let moves = generate::<K>(pos);
    assert!(moves.len() <= BOUND, "{} moves in {pos}", moves.len());
    assert!(moves.into_iter().all(|mv| Move::from_bits(mv.bits()) == Some(mv)), "{pos}");
    moves.len()
}

fn check(pos: &Position) {
    if let Err(fault) = pos.validate() {
        panic!("{fault} in {pos}");
    }
    let all = check_list::<All>(pos);
    assert_eq!(count(pos) as usize, all, "{pos}");
    assert_eq!(check_list::<Captures>(pos) + check_list::<Quiets>(pos), all, "{pos}");
    check_list::<Checks>(pos);
    check_list::<QuietChecks>(pos);
    if pos.in_check() {
        assert_eq!(check_list::<Evasions>(pos), all, "{pos}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// Every call is made or panics; a call that panics leaves the position as it was, so that the next one finds a
    /// position that is whole.
    #[test]
    fn no_sequence_of_calls_breaks_a_position(
        start in prop::sample::select(&[
            MANY_DROPS,
            "4k4/9/9/4p4/4PG3/9/9/4+B4/4K4 b Gg 1",
            "R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        ]),
        calls in prop::collection::vec(call(), 1..150),
    ) {
        let mut pos = position(start);
        let mut trail = Vec::new();
        for call in calls {
            let before = pos.clone();
            if panics(|| call.make(&mut pos)) {
                prop_assert_eq!(&pos, &before);
                prop_assert_eq!(pos.moves_made(), before.moves_made());
                continue;
            }
            check(&pos);
            match call {
                Call::Forget => trail.clear(),
                // The counter is the one thing that is set from outside.
                Call::SetPly(_) => trail.clear(),
                Call::Undo => if let Some(earlier) = trail.pop() {
                    prop_assert_eq!(&pos, &earlier, "taken back");
                },
                _ if pos.moves_made() > before.moves_made() => trail.push(before),
                _ => prop_assert_eq!(&pos, &before),
            }
        }
    }
}
