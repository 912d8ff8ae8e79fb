//! Hand-made positions of which there are too many to write down, the expected moves reasoned from the rules; the others
//! stand in `tests/data/rules.txt`.

use crate::oracle::case::check;
use komainu::types::{Rank, Square};

#[test]
fn pawn_drop_in_front_of_every_king_is_illegal_if_it_mates() {
    for king in Square::ALL {
        let around = |files: i32, ranks: i32| king.offset(files, ranks);
        let Some(front) = around(0, 1) else { continue };
        let mut pieces = format!("k{king}");
        let mut flights = Vec::new();
        let on_last_rank = front.rank() == Rank::I;
        // Kept for the pieces that protect the pawn where no gold has room behind it.
        let side = if around(-2, 0).is_some() { -1 } else { 1 };
        for (piece, files, ranks) in
            [("l", 1, -1), ("l", -1, -1), ("p", 0, -1), ("p", 1, 0), ("p", -1, 0), ("s", 1, 1), ("s", -1, 1)]
        {
            if let Some(square) = around(files, ranks)
                && !(on_last_rank && (files, ranks) == (side, 1))
            {
                pieces += &format!(" {piece}{square}");
                // The gold behind the pawn guards the squares beside the pawn, the rook the square above itself.
                let guarded = if on_last_rank { (files, ranks) == (side, 0) } else { ranks == 1 };
                flights.push((piece, square, guarded));
            }
        }
        if on_last_rank {
            let beside = [side, 2 * side].map(|files| around(files, 1).expect("chosen to be on the board"));
            pieces += &format!(" R{} G{}", beside[0], beside[1]);
        } else {
            pieces += &format!(" G{}", around(0, 2).expect("there is room behind the pawn"));
        }
        check(&format!("{pieces} | P ; uchifuzume: P*{front}"));
        for (piece, flight, guarded) in flights {
            let pieces = pieces.replace(&format!(" {piece}{flight}"), "");
            if guarded {
                check(&format!("{pieces} | P ; uchifuzume: P*{front}"));
            } else {
                check(&format!("{pieces} | P ; after P*{front} ; only: {king}{flight}"));
            }
        }
    }
}

#[test]
fn file_with_an_own_pawn_takes_no_other() {
    for file in 1..=9 {
        for rank in 'b'..='i' {
            let kings = if file == 5 { 4 } else { 10 - file };
            let others: String = (1..=9).filter(|&other| other != file).map(|other| format!("{other} ")).collect();
            check(&format!("P{file}{rank} k{kings}a K{kings}i | P ; drops P: files {others}"));
        }
    }
}

/// Files to the left and ranks down.
type Direction = (i32, i32);

/// The eight directions of a king.
const DIRECTIONS: [Direction; 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// How a piece of black's moves: its single steps and its slides, of [`DIRECTIONS`]. A knight keeps to no line.
fn lines_of(piece: &str) -> (Vec<Direction>, Vec<Direction>) {
    let pick = |wanted: &dyn Fn(i32, i32) -> bool| -> Vec<Direction> {
        DIRECTIONS.into_iter().filter(|&(files, ranks)| wanted(files, ranks)).collect()
    };
    let straight = pick(&|files, ranks| files == 0 || ranks == 0);
    let diagonal = pick(&|files, ranks| files != 0 && ranks != 0);
    match piece {
        "P" => (vec![(0, -1)], vec![]),
        "L" => (vec![(0, -1)], vec![(0, -1)]),
        "N" => (vec![], vec![]),
        "S" => (pick(&|files, ranks| ranks == -1 || files != 0 && ranks != 0), vec![]),
        "B" => (diagonal.clone(), diagonal),
        "R" => (straight.clone(), straight),
        "+B" => (DIRECTIONS.to_vec(), diagonal),
        "+R" => (DIRECTIONS.to_vec(), straight),
        _ => (pick(&|files, ranks| files == 0 || ranks <= 0), vec![]),
    }
}

/// All pieces of black's but the king.
const PIECES: [&str; 13] = ["P", "L", "N", "S", "G", "B", "R", "+P", "+L", "+N", "+S", "+B", "+R"];

/// The square a number of steps of a direction away from 5e.
fn from_5e((files, ranks): Direction, distance: i32) -> Square {
    Square::S5E.offset(files * distance, ranks * distance).expect("at most four steps from the centre")
}

#[test]
fn pinned_man_of_any_kind_moves_only_along_its_pin() {
    for direction in DIRECTIONS {
        let (files, ranks) = direction;
        let pinners: &[&str] = match direction {
            (0, -1) => &["r", "+r", "l"],
            (0, _) | (_, 0) => &["r", "+r"],
            _ => &["b", "+b"],
        };
        for (pinner, piece) in pinners.iter().flat_map(|pinner| PIECES.map(|piece| (pinner, piece))) {
            let (steps, slides) = lines_of(piece);
            // The king on 5e, the piece two steps off, the pinner four; the squares between are empty.
            let from = from_5e(direction, 2);
            let mut targets = Vec::new();
            if steps.contains(&(-files, -ranks)) {
                targets.push(from_5e(direction, 1));
            }
            if steps.contains(&direction) {
                targets.push(from_5e(direction, 3));
            }
            if slides.contains(&direction) {
                targets.push(from_5e(direction, 4));
            }
            let mut expected = String::new();
            for to in targets {
                if !(matches!(piece, "P" | "L") && to.rank() == Rank::A) {
                    expected += &format!("{to} ");
                }
                if ["P", "L", "N", "S", "B", "R"].contains(&piece) && from.rank().min(to.rank()) <= Rank::C {
                    expected += &format!("{to}+ ");
                }
            }
            let behind = from_5e(direction, 4);
            check(&format!("K5e {piece}{from} {pinner}{behind} k9h ; pinned: {from} ; from {from}: {expected}"));
        }
    }
}

#[test]
fn man_before_a_slider_of_another_line_is_not_pinned() {
    for direction in DIRECTIONS {
        let others: &[&str] = if matches!(direction, (0, _) | (_, 0)) { &["b", "+b"] } else { &["r", "+r", "l"] };
        for (other, piece) in others.iter().flat_map(|other| ["P", "G", "S"].map(|piece| (other, piece))) {
            let from = from_5e(direction, 1);
            check(&format!("K5e {piece}{from} {other}{} k9i ; pinned:", from_5e(direction, 3)));
        }
    }
}

#[test]
fn king_may_not_step_back_along_the_line_of_its_checker() {
    for direction in DIRECTIONS {
        let sliders: &[&str] = match direction {
            (0, -1) => &["r", "l"],
            (0, _) | (_, 0) => &["r"],
            _ => &["b", "+b"],
        };
        for slider in sliders {
            let on_line = |other: Direction| other == direction || other == (-direction.0, -direction.1);
            let free = DIRECTIONS.into_iter().filter(|&other| !on_line(other));
            let expected: String = free.map(|other| format!("5e{} ", from_5e(other, 1))).collect();
            let checker = from_5e(direction, 2);
            check(&format!("K5e {slider}{checker} k9i ; checkers: {checker} ; only: {expected}"));
        }
    }
}
