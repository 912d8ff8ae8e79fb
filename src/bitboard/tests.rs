//! Bitboards against sets of squares.

use super::*;
use crate::random::SplitMix64;
use crate::types::PieceType;

/// A random board: each square is set or not, with the same chance.
pub(super) fn random_board(random: &mut SplitMix64) -> Bitboard {
    Bitboard { lo: random.next_u64() & LO_MASK, hi: random.next_u64() & HI_MASK }
}

/// The attacks of a slider found by walking: the oracle of the look-ups.
pub(super) fn walk(color: Color, piece_type: PieceType, from: Square, occupied: Bitboard) -> Bitboard {
    let directions: &[(i32, i32)] = match piece_type {
        PieceType::Rook => &[(0, -1), (0, 1), (-1, 0), (1, 0)],
        PieceType::Bishop => &[(-1, -1), (-1, 1), (1, -1), (1, 1)],
        PieceType::Lance if color == Color::Black => &[(0, -1)],
        _ => &[(0, 1)],
    };
    let mut found = Bitboard::EMPTY;
    for &(files, ranks) in directions {
        let mut square = from;
        while let Some(next) = square.offset(files, ranks) {
            found.toggle(next);
            if occupied.contains(next) {
                break;
            }
            square = next;
        }
    }
    found
}

#[test]
fn a_bitboard_holds_exactly_the_squares_put_in() {
    for square in Square::ALL {
        let set = Bitboard::from_square(square);
        assert_eq!(set.count(), 1);
        assert_eq!(set.first(), Some(square));
        assert!(set.contains(square) && !set.is_many() && !(!set).contains(square));
        assert_eq!((!set).count(), 80);
    }
    let mut random = SplitMix64(3);
    for _ in 0..10_000 {
        let set = random_board(&mut random) & random_board(&mut random);
        let squares: Vec<Square> = set.into_iter().collect();
        assert_eq!(squares, Square::ALL.into_iter().filter(|&s| set.contains(s)).collect::<Vec<_>>());
        assert_eq!(set.into_iter().len(), squares.len());
        assert_eq!(set.is_many(), squares.len() > 1);
        assert_eq!(squares.iter().copied().collect::<Bitboard>(), set);
        let folded = set.into_iter().fold(vec![], |mut squares, square| {
            squares.push(square);
            squares
        });
        assert_eq!(folded, squares);
        assert_eq!(set.rotate().rotate(), set);
    }
}

#[test]
fn files_are_filled_where_a_square_is_set() {
    let mut random = SplitMix64(4);
    for _ in 0..10_000 {
        let set = random_board(&mut random) & random_board(&mut random) & random_board(&mut random);
        let filled: Bitboard = Square::ALL.into_iter().filter(|s| set.intersects(Bitboard::file(s.file()))).collect();
        assert_eq!(set.fill_files(), filled, "{set:?}");
    }
    assert_eq!(Bitboard::ALL.fill_files(), Bitboard::ALL);
    assert_eq!(Bitboard::EMPTY.fill_files(), Bitboard::EMPTY);
}

#[test]
fn forward_is_towards_the_other_side() {
    for color in Color::ALL {
        for square in Square::ALL {
            let set = Bitboard::from_square(square);
            let last = Bitboard::last_ranks(color, 1).contains(square);
            let targets = if last { Bitboard::rank(square.rank()) } else { Bitboard::ALL };
            assert_eq!(set.forward_onto(color, targets), pawn_attacks(color, square));
        }
    }
    assert_eq!(Bitboard::zone(Color::Black).count(), 27);
    assert!(Bitboard::zone(Color::Black).contains(Square::S5C));
    assert!(Bitboard::zone(Color::White).contains(Square::S5G));
}

#[test]
fn between_and_line_agree_with_the_sliders() {
    for a in Square::ALL {
        for b in Square::ALL {
            let set_a = Bitboard::from_square(a);
            let set_b = Bitboard::from_square(b);
            let mut expected = None;
            for attacks in [rook_attacks, bishop_attacks] {
                if attacks(a, set_b).contains(b) {
                    expected = Some(attacks(a, set_b) & attacks(b, set_a));
                }
            }
            assert_eq!(between(a, b), expected.unwrap_or_default(), "{a} {b}");
            let line = line_through(a, b);
            assert_eq!(line.is_empty(), expected.is_none());
            if expected.is_some() {
                assert!(line.contains(a) && line.contains(b));
                assert!(line.into_iter().all(|c| c == a || line_through(a, c) == line));
            }
        }
    }
}

#[test]
fn white_attacks_are_black_attacks_turned() {
    for square in Square::ALL {
        for piece_type in PieceType::ALL {
            let black = attacks(Color::Black, piece_type, square, Bitboard::EMPTY);
            let white = attacks(Color::White, piece_type, square.rotate(), Bitboard::EMPTY);
            assert_eq!(black.rotate(), white, "{piece_type} {square}");
        }
    }
}

#[test]
fn step_pieces_move_as_the_rules_say() {
    for (piece_type, targets) in [
        (PieceType::Pawn, "5d"),
        (PieceType::Knight, "4c 6c"),
        (PieceType::Silver, "5d 4d 6d 4f 6f"),
        (PieceType::Gold, "5d 4d 6d 4e 6e 5f"),
        (PieceType::ProSilver, "5d 4d 6d 4e 6e 5f"),
        (PieceType::King, "5d 4d 6d 4e 6e 5f 4f 6f"),
        (PieceType::Lance, "5d 5c 5b 5a"),
        (PieceType::Dragon, "5d 5c 5b 5a 5f 5g 5h 5i 4e 3e 2e 1e 6e 7e 8e 9e 4d 6d 4f 6f"),
        (PieceType::Horse, "4d 3c 2b 1a 6d 7c 8b 9a 4f 3g 2h 1i 6f 7g 8h 9i 5d 4e 6e 5f"),
    ] {
        let targets: Bitboard = targets.split(' ').map(|square| square.parse::<Square>().unwrap()).collect();
        assert_eq!(attacks(Color::Black, piece_type, Square::S5E, Bitboard::EMPTY), targets, "{piece_type}");
    }
}
