//! Hand-made positions with what must hold in them.
//!
//! A [`Case`] is looked at in four views: as it is written, turned with the sides exchanged, mirrored, and both. In
//! each view engine and oracle must agree on everything before the expectations of the test are asked for.

use super::OracleResult;
use super::compare::agrees_with_oracle;
use super::symmetry::Symmetry;
use komainu::movegen::{Checks, is_legal};
use komainu::position::{Position, PositionBuilder};
use komainu::types::{Move, MoveKind, Piece, PieceType, Square};

/// One view of a case.
struct View {
    symmetry: Symmetry,
    pos: Position,
    expected: OracleResult,
}

/// A position in its four views.
pub(crate) struct Case {
    views: Vec<View>,
}

/// A piece as SFEN writes it.
fn piece(text: &str) -> Piece {
    let find = |piece: &Piece| piece.to_string() == text;
    Piece::ALL.into_iter().find(find).unwrap_or_else(|| panic!("\"{text}\" is no piece"))
}

fn squares(text: &str) -> Vec<Square> {
    text.split_whitespace().map(|word| word.parse().unwrap_or_else(|_| panic!("\"{word}\" is no square"))).collect()
}

fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|word| word.parse().unwrap_or_else(|fault| panic!("{fault}"))).collect()
}

impl Case {
    /// The position with black to move, the pieces as `K5i +R2b k5a` (a piece of SFEN and its square), and the hands as
    /// one letter for each piece held: `PPGr` is two pawns and a gold of black's and a rook of white's.
    #[track_caller]
    pub(crate) fn new(pieces: &str, hands: &str) -> Case {
        let mut builder = PositionBuilder::new();
        for word in pieces.split_whitespace() {
            let (name, place) = word.split_at(word.len() - 2);
            let square = place.parse().unwrap_or_else(|_| panic!("\"{word}\" names no square"));
            assert_eq!(builder.piece_on(square), None, "{word} in {pieces}");
            builder.piece(square, piece(name));
        }
        for letter in hands.chars() {
            let held = piece(&letter.to_string());
            builder.hand(held.color(), held.piece_type(), 1);
        }
        match builder.build() {
            Ok(pos) => Case::of(&pos),
            Err(faults) => panic!("{pieces} with {hands}: {faults:?}"),
        }
    }

    /// The position of a SFEN.
    #[track_caller]
    pub(crate) fn sfen(sfen: &str) -> Case {
        Case::of(&Position::from_sfen(sfen).unwrap_or_else(|fault| panic!("{sfen}: {fault}")))
    }

    /// The position, which may have a history.
    #[track_caller]
    pub(crate) fn of(pos: &Position) -> Case {
        let view = |symmetry: Symmetry| {
            let pos = if symmetry == Symmetry::ALL[0] { pos.clone() } else { symmetry.position(pos) };
            match agrees_with_oracle(&pos) {
                Ok(expected) => View { symmetry, pos, expected },
                Err(fault) => panic!("{fault}"),
            }
        };
        Case { views: Symmetry::ALL.map(view).into() }
    }

    /// The position as it was written.
    pub(crate) fn position(&self) -> &Position {
        &self.views[0].pos
    }

    #[track_caller]
    fn expect_moves(&self, what: &str, expected: &[Move], actual: impl Fn(&View) -> Vec<Move>) {
        for view in &self.views {
            let mut expected: Vec<Move> = expected.iter().map(|&mv| view.symmetry.mv(mv)).collect();
            let mut actual = actual(view);
            expected.sort_unstable();
            actual.sort_unstable();
            assert_eq!(actual, expected, "{what} in {}", view.pos.to_sfen());
        }
    }

    #[track_caller]
    fn expect_squares(&self, what: &str, expected: &str, actual: impl Fn(&View) -> Vec<Square>) {
        for view in &self.views {
            let mut expected: Vec<Square> = squares(expected).iter().map(|&s| view.symmetry.square(s)).collect();
            let mut actual = actual(view);
            expected.sort_unstable();
            actual.sort_unstable();
            assert_eq!(actual, expected, "{what} in {}", view.pos.to_sfen());
        }
    }

    #[track_caller]
    fn expect_legality(&self, text: &str, legal: bool) -> &Case {
        for view in &self.views {
            for mv in moves(text).into_iter().map(|mv| view.symmetry.mv(mv)) {
                let generated = view.expected.moves.iter().any(|found| found.mv == mv);
                let word = if legal { "legal" } else { "illegal" };
                assert_eq!(generated, legal, "{mv} must be {word} in {}", view.pos.to_sfen());
                assert_eq!(is_legal(&view.pos, mv), legal, "is_legal: {mv} in {}", view.pos.to_sfen());
            }
        }
        self
    }

    /// These moves are legal.
    #[track_caller]
    pub(crate) fn allows(&self, text: &str) -> &Case {
        self.expect_legality(text, true)
    }

    /// These moves are not legal.
    #[track_caller]
    pub(crate) fn forbids(&self, text: &str) -> &Case {
        self.expect_legality(text, false)
    }

    /// This pawn drop is illegal for no other reason than that it mates.
    #[track_caller]
    pub(crate) fn forbids_as_uchifuzume(&self, text: &str) -> &Case {
        self.expect_moves("uchifuzume", &moves(text), |view| view.expected.uchifuzume.into_iter().collect());
        self.forbids(text)
    }

    /// These are the legal moves.
    #[track_caller]
    pub(crate) fn has_only(&self, text: &str) -> &Case {
        self.expect_moves("all moves", &moves(text), |view| view.expected.sorted(|_| true));
        self
    }

    /// The position has this many legal moves.
    #[track_caller]
    pub(crate) fn has_count(&self, count: usize) -> &Case {
        for view in &self.views {
            assert_eq!(view.expected.moves.len(), count, "{}", view.pos.to_sfen());
        }
        self
    }

    /// These are the legal moves of the piece on a square.
    #[track_caller]
    pub(crate) fn moves_from(&self, from: &str, text: &str) -> &Case {
        let from = squares(from)[0];
        self.expect_moves(&format!("moves from {from}"), &moves(text), |view| {
            view.expected.sorted(|legal| legal.mv.from() == Some(view.symmetry.square(from)))
        });
        self
    }

    /// These are the squares where a piece of this kind may be dropped.
    #[track_caller]
    pub(crate) fn drops_of(&self, dropped: PieceType, text: &str) -> &Case {
        let expected: Vec<Move> = squares(text).into_iter().map(|to| Move::drop(dropped, to)).collect();
        self.expect_moves(&format!("drops of {dropped}"), &expected, |view| {
            view.expected
                .sorted(|legal| matches!(legal.mv.kind(), MoveKind::Drop { piece_type, .. } if piece_type == dropped))
        });
        self
    }

    /// These legal moves give check and no others do.
    #[track_caller]
    pub(crate) fn checks_are(&self, text: &str) -> &Case {
        self.expect_moves("checks", &moves(text), |view| {
            let checks = komainu::movegen::generate::<Checks>(&view.pos).to_vec();
            assert_eq!(checks.len(), view.expected.sorted(|legal| legal.checks).len());
            checks
        });
        self
    }

    /// Each of these legal moves gives check, or none of them does.
    #[track_caller]
    pub(crate) fn each_checks(&self, text: &str, expected: bool) -> &Case {
        self.allows(text);
        for view in &self.views {
            for mv in moves(text).into_iter().map(|mv| view.symmetry.mv(mv)) {
                assert_eq!(view.pos.gives_check(mv), expected, "gives_check({mv}) in {}", view.pos.to_sfen());
            }
        }
        self
    }

    /// These pieces of the side to move are pinned.
    #[track_caller]
    pub(crate) fn pinned_are(&self, text: &str) -> &Case {
        self.expect_squares("pinned", text, |view| view.pos.pinned().into_iter().collect());
        self
    }

    /// These pieces give check.
    #[track_caller]
    pub(crate) fn checkers_are(&self, text: &str) -> &Case {
        self.expect_squares("checkers", text, |view| view.pos.checkers().into_iter().collect());
        self
    }

    /// The case after one legal move.
    #[track_caller]
    pub(crate) fn after(&self, text: &str) -> Case {
        self.allows(text);
        let mut pos = self.position().clone();
        pos.do_move(text.parse().expect("one move"));
        Case::of(&pos)
    }

    /// The case after a pass.
    #[track_caller]
    pub(crate) fn after_null_move(&self) -> Case {
        let mut pos = self.position().clone();
        pos.do_null_move();
        Case::of(&pos)
    }
}
