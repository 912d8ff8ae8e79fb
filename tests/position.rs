//! What a user of the library may do with a position: whatever he calls, and in whatever order, no call makes a piece out
//! of nothing, and no list of moves grows beyond its room.

use komainu::movegen::{All, Captures, Checks, Evasions, Kind, QuietChecks, Quiets, count, generate};
use komainu::position::{Observer, Position};
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
    moves.split_whitespace().for_each(|text| pos.do_move(text.parse().expect("a move")));
    pos
}

/// Whether the call panicked.
fn panics(call: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn drops_that_are_taken_back_leave_no_piece_behind() {
    let start = position(MANY_DROPS);
    let mut pos = start.clone();
    for round in 0..20 {
        let moves = generate::<All>(&pos);
        assert_eq!(moves.len(), generate::<All>(&start).len(), "round {round}");
        let drop = moves.into_iter().filter(|mv| mv.is_drop()).nth(round).expect("there are drops");
        pos.do_move(drop);
        pos.undo();
        assert_eq!(pos, start);
        assert_eq!(pos.validate(), Ok(()));
    }
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
fn what_a_promotion_flag_says_does_not_matter_to_undo() {
    // A dragon, a gold and a king "promote": none of them becomes another piece, before or after.
    for (square, mv) in [("5e", "5e5d+"), ("6e", "6e6d+"), ("5i", "5i5h+")] {
        let start = position("8k/9/9/9/3G+R4/9/9/9/4K4 b - 1");
        let mut pos = start.clone();
        let square: Square = square.parse().unwrap();
        pos.do_move(mv.parse().unwrap());
        assert_eq!(pos.validate(), Ok(()));
        pos.undo();
        assert_eq!((pos.piece_on(square), &pos), (start.piece_on(square), &start));
        assert_eq!(pos.validate(), Ok(()));
    }
}

#[test]
fn nothing_is_taken_back_at_the_start_of_the_history() {
    for mut pos in [Position::startpos(), position(MANY_DROPS)] {
        let before = pos.clone();
        assert!(panics(|| pos.undo()));
        assert_eq!(pos, before);
        assert_eq!(pos.validate(), Ok(()));
    }
}

#[test]
fn what_cannot_be_made_is_refused_and_changes_nothing() {
    let sfen = "4k4/9/9/4p4/4P4/9/9/4+B4/4K4 b Gg 1";
    for mv in ["6e6d", "5d5e", "5e5d", "5h5i", "5h5e", "5h5a", "R*5b", "P*5b", "G*5e", "G*5d"] {
        let mut pos = position(sfen);
        let made = mv == "5e5d";
        let refused = panics(|| pos.do_move(mv.parse().unwrap()));
        assert_eq!(refused, !made, "{mv}");
        assert_eq!(pos.validate(), Ok(()), "{mv}");
        assert_eq!(pos == position(sfen), refused, "{mv}");
        assert_eq!(pos.moves_made(), made as usize, "{mv}");
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
fn positions_are_equal_if_their_sfens_are() {
    let start = Position::startpos();
    let ways = ["7g7f 3c3d 2g2f", "2g2f 3c3d 7g7f"].map(|moves| after(&start.to_sfen(), moves));
    assert_eq!(ways[0], ways[1]);
    assert_eq!(ways[0], position(&ways[1].to_string()));
    assert_eq!(HashSet::from(ways.clone()).len(), 1);
    assert_ne!(ways[0], after(&start.to_sfen(), "7g7f 3c3d 2g2f 8c8d"));
    assert_ne!(position("4k4/9/9/9/9/9/9/9/4K4 b P 1"), position("4k4/9/9/9/9/9/9/9/4K4 b p 1"));
    assert_ne!(position("4k4/9/9/9/9/9/9/9/4K4 b - 1"), position("4k4/9/9/9/9/9/9/9/4K4 w - 1"));
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
}

impl Call {
    fn make(self, pos: &mut Position) {
        let mut make = |mv: Option<Move>| mv.into_iter().for_each(|mv| pos.do_move(mv));
        match self {
            Call::Legal(n) => {
                let moves = generate::<All>(pos);
                if !moves.is_empty() {
                    pos.do_move(moves[n % moves.len()]);
                }
            }
            Call::Bits(bits) => make(Move::from_bits(bits)),
            Call::Teleport(n, to, promotes) => {
                let own: Vec<Square> = pos.pieces(pos.side()).into_iter().collect();
                if let Some(&from) = own.get(n % own.len().max(1)) {
                    pos.do_move(if promotes { Move::promotion(from, to) } else { Move::board(from, to) });
                }
            }
            Call::Drop(piece_type, to) => make(Some(Move::drop(piece_type, to))),
            Call::Pass => pos.do_null_move(),
            Call::Undo => pos.undo(),
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
                Call::Undo => if let Some(earlier) = trail.pop() {
                    prop_assert_eq!(&pos, &earlier, "taken back");
                },
                _ if pos.moves_made() > before.moves_made() => trail.push(before),
                _ => prop_assert_eq!(&pos, &before),
            }
        }
    }
}
