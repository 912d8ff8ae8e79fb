//! The rule book, row by row: R1 to R26, each with what it allows and what it forbids. R19 to R24 are in [`endings`].
//!
//! Boards are written from black's side; [`view::views`] turns each one round, so that every rule is tested for white
//! too.

mod endings;
mod view;

use komainu::movegen::{All, Captures, Checks, MAX_MOVES, MoveList, Quiets, count, generate, has_legal_move, is_legal};
use komainu::notation::usi::parse_position;
use komainu::position::{EnteringKingRule, GameRules, Handicap, PackError, Position, PositionBuilder};
use komainu::types::{Color, Move, Piece, PieceType, Square};
use view::{assert_ends, assert_illegal, assert_legal, views};

/// A board with one more piece, on 5e. The kings stand off its lines.
fn with_piece_on_5e(piece: &str) -> String {
    format!("7k1/9/9/9/4{piece}4/9/9/9/1K7 b - 1")
}

/// R1: twenty pieces a side on their squares, black to move, and never more than the set has.
#[test]
fn the_game_starts_with_forty_pieces_and_black_to_move() {
    let pos = Position::startpos();
    assert_eq!(pos.side(), Color::Black);
    assert_eq!(pos.ply(), 1);
    for color in Color::ALL {
        use PieceType::*;
        for (piece_type, number) in
            [(King, 1), (Rook, 1), (Bishop, 1), (Gold, 2), (Silver, 2), (Knight, 2), (Lance, 2), (Pawn, 9)]
        {
            assert_eq!(pos.pieces_of(color, piece_type).count(), number, "{color} {piece_type}");
        }
        assert_eq!(pos.pieces(color).count(), 20);
        assert!(pos.hand(color).is_empty());
    }
    for (square, piece) in [
        (Square::S5I, Piece::BKing),
        (Square::S2H, Piece::BRook),
        (Square::S8H, Piece::BBishop),
        (Square::S5A, Piece::WKing),
        (Square::S8B, Piece::WRook),
        (Square::S2B, Piece::WBishop),
    ] {
        assert_eq!(pos.piece_on(square), Some(piece), "{square}");
    }
    for (piece, number) in [("R", 3), ("B", 3), ("G", 5), ("S", 5), ("N", 5), ("L", 5), ("P", 19)] {
        assert!(Position::from_sfen(&format!("4k4/9/9/9/9/9/9/9/4K4 b {}{piece} 1", number - 1)).is_ok());
        assert!(Position::from_sfen(&format!("4k4/9/9/9/9/9/9/9/4K4 b {number}{piece} 1")).is_err(), "{number}{piece}");
    }
    assert!(Position::from_sfen("4k4/9/9/9/9/9/9/3KK4/9 b - 1").is_err(), "a second king");
}

/// R2: whatever stands where a piece may go is captured, by pawns too; nothing is captured elsewhere.
#[test]
fn pieces_capture_as_they_move() {
    assert_ends("7k1/9/9/3ppp3/4P4/9/9/9/1K7 b - 1", "5e", "5d");
    for piece in ["P", "L", "N", "S", "G", "B", "R", "+P", "+L", "+N", "+S", "+B", "+R"] {
        for view in views(&with_piece_on_5e(piece)) {
            for text in view.legal().iter().filter(|text| text.starts_with("5e")) {
                let to = view.mv(text).to();
                let mut builder = PositionBuilder::new();
                for square in Square::ALL {
                    if let Some(piece) = view.pos.piece_on(square) {
                        builder.piece(square, piece);
                    }
                }
                // A gold is never dead, nor can it reach the king from there and make the position one of check.
                builder.piece(to, Piece::new(!view.pos.side(), PieceType::Gold)).side(view.pos.side());
                let mut pos = builder.build().expect("a valid position");
                if !pos.in_check() {
                    assert!(is_legal(&pos, view.mv(text)), "{text} in {}", pos.to_sfen());
                    pos.do_move(view.mv(text));
                    assert_eq!(pos.hand(!pos.side()).count(PieceType::Gold), 1);
                }
            }
        }
    }
}

/// R2: a slider goes up to the first piece, takes it if it is the enemy's, and never beyond.
#[test]
fn sliders_stop_at_the_first_piece() {
    assert_ends("7k1/9/4p4/9/1P2R1p2/9/4P4/9/1K7 b - 1", "5e", "5d 5c 5c+ 5f 6e 7e 4e 3e");
    assert_ends("7k1/9/2p3P2/9/4B4/9/2P3p2/9/1K7 b - 1", "5e", "6d 7c 7c+ 4d 6f 4f 3g");
    assert_ends("7k1/4p4/4p4/9/4L4/9/9/9/1K7 b - 1", "5e", "5d 5c 5c+");
    assert_ends("7k1/9/9/4P4/4L4/9/9/9/1K7 b - 1", "5e", "");
}

/// R2: the knight passes over whatever stands around it; no other piece does.
#[test]
fn only_the_knight_jumps() {
    let walled = |piece: &str| format!("7k1/9/9/3SSS3/3G{piece}G3/3PPP3/9/9/1K7 b - 1");
    assert_ends(&walled("N"), "5e", "4c 4c+ 6c 6c+");
    for piece in ["L", "B", "R", "+B", "+R", "S", "G", "P"] {
        assert_ends(&walled(piece).replace("SSS", "LSN"), "5e", "");
    }
}

/// R3: one step in each of the eight directions, on the board.
#[test]
fn the_king_steps_in_eight_directions() {
    assert_ends("8k/9/9/9/4K4/9/9/9/9 b - 1", "5e", "4d 5d 6d 4e 6e 4f 5f 6f");
    assert_ends("k8/9/9/9/9/9/9/9/8K b - 1", "1i", "1h 2h 2i");
}

/// R3: attacked squares are closed to the king: in front of pieces, behind it on a slider's line, beside the king.
#[test]
fn the_king_never_steps_onto_an_attacked_square() {
    assert_ends("k4r3/9/9/9/4K4/9/9/9/9 b - 1", "5e", "5d 6d 6e 5f 6f");
    assert_ends("k3r4/9/9/9/4K4/9/9/9/9 b - 1", "5e", "4d 6d 4e 6e 4f 6f");
    assert_ends("9/9/4k4/9/4K4/9/9/9/9 b - 1", "5e", "4e 6e 4f 5f 6f");
    assert_ends("k8/9/4p4/9/4K4/9/9/9/9 b - 1", "5e", "4d 6d 4e 6e 4f 5f 6f");
    // The gold on 5d may be taken, unless the lance behind it covers it.
    assert_ends("k8/9/9/4g4/4K4/9/9/9/9 b - 1", "5e", "5d 4f 5f 6f");
    assert_ends("k8/4l4/9/4g4/4K4/9/9/9/9 b - 1", "5e", "4f 5f 6f");
}

/// R4: the four orthogonal steps and the two forward diagonals.
#[test]
fn the_gold_steps_everywhere_but_diagonally_back() {
    assert_ends(&with_piece_on_5e("G"), "5e", "4d 5d 6d 4e 6e 5f");
}

/// R5: straight forward and the four diagonals.
#[test]
fn the_silver_steps_forward_and_diagonally() {
    assert_ends(&with_piece_on_5e("S"), "5e", "4d 5d 6d 4f 6f");
}

/// R6: two squares, both ahead; none sideways or back.
#[test]
fn the_knight_has_two_targets_ahead() {
    assert_ends("7k1/9/9/9/9/9/4N4/9/1K7 b - 1", "5g", "4e 6e");
    assert_ends("7k1/9/9/9/9/9/8N/9/1K7 b - 1", "1g", "2e");
}

/// R7: any number of squares straight ahead, none back.
#[test]
fn the_lance_runs_straight_ahead() {
    assert_ends(&with_piece_on_5e("L"), "5e", "5d 5c 5c+ 5b 5b+ 5a+");
}

/// R8: any number of squares along a diagonal (bishop) or along file and rank (rook).
#[test]
fn bishop_and_rook_run_along_their_lines() {
    assert_ends(
        &with_piece_on_5e("B"),
        "5e",
        "4d 3c 3c+ 2b 2b+ 1a 1a+ 6d 7c 7c+ 8b 8b+ 9a 9a+ 4f 3g 2h 1i 6f 7g 8h 9i",
    );
    assert_ends(&with_piece_on_5e("R"), "5e", "5d 5c 5c+ 5b 5b+ 5a 5a+ 5f 5g 5h 5i 1e 2e 3e 4e 6e 7e 8e 9e");
}

/// R9: one square straight ahead, two never.
#[test]
fn the_pawn_steps_straight_ahead() {
    assert_ends(&with_piece_on_5e("P"), "5e", "5d");
    assert_ends("7k1/9/9/9/9/9/4P4/9/1K7 b - 1", "5g", "5f");
}

/// R10: promoted silver, knight, lance and pawn move as golds, and as nothing else.
#[test]
fn small_promoted_pieces_move_as_golds() {
    for piece in ["+S", "+N", "+L", "+P"] {
        assert_ends(&with_piece_on_5e(piece), "5e", "4d 5d 6d 4e 6e 5f");
    }
}

/// R10: dragon and horse keep their lines and gain the king's steps.
#[test]
fn dragon_and_horse_add_the_steps_of_the_king() {
    let dragon = "5d 5c 5b 5a 5f 5g 5h 5i 1e 2e 3e 4e 6e 7e 8e 9e 4d 6d 4f 6f";
    assert_ends(&with_piece_on_5e("+R"), "5e", dragon);
    let horse = "4d 3c 2b 1a 6d 7c 8b 9a 4f 3g 2h 1i 6f 7g 8h 9i 5d 5f 4e 6e";
    assert_ends(&with_piece_on_5e("+B"), "5e", horse);
}

/// R10: a king or a gold in the zone stays what it is, and no text calls one promoted.
#[test]
fn king_and_gold_never_promote() {
    assert_ends("7k1/9/4G4/9/9/9/9/9/1K7 b - 1", "5c", "4b 5b 6b 4c 6c 5d");
    assert_illegal("7k1/9/4G4/9/9/9/9/9/1K7 b - 1", "5c5b+ 5c5d+");
    assert_illegal("7k1/9/4K4/9/9/9/9/9/9 b - 1", "5c5b+ 5c6c+");
    for piece in ["+G", "+K", "+g", "+k"] {
        assert!(Position::from_sfen(&format!("7k1/9/9/9/4{piece}4/9/9/9/1K7 b - 1")).is_err(), "{piece}");
    }
}

/// R11: into the zone, within it and out of it; not before it, and never by compulsion while the piece can move on.
#[test]
fn a_move_that_starts_or_ends_in_the_zone_may_promote() {
    assert_ends("7k1/9/9/9/4S4/9/9/9/1K7 b - 1", "5e", "4d 5d 6d 4f 6f");
    assert_ends("7k1/9/9/4S4/9/9/9/9/1K7 b - 1", "5d", "4c 4c+ 5c 5c+ 6c 6c+ 4e 6e");
    assert_ends("7k1/9/4S4/9/9/9/9/9/1K7 b - 1", "5c", "4b 4b+ 5b 5b+ 6b 6b+ 4d 4d+ 6d 6d+");
    assert_ends("6k2/9/9/4P4/9/9/9/9/1K7 b - 1", "5d", "5c 5c+");
    assert_ends("8k/3s5/2R1s4/2P6/9/9/9/9/1K7 b - 1", "7c", "7b 7b+ 7a 7a+ 8c 8c+ 9c 9c+ 6c 6c+ 5c 5c+");
    assert_ends("8k/p1p6/1B7/p1p6/9/9/9/9/1K7 b - 1", "8c", "9b 9b+ 7b 7b+ 9d 9d+ 7d 7d+");
}

/// R11: what is promoted does not promote again.
#[test]
fn a_piece_promotes_once() {
    for piece in ["+P", "+L", "+N", "+S", "+B", "+R"] {
        let sfen = format!("9/9/4{piece}4/9/9/9/9/9/1K6k b - 1");
        assert_legal(&sfen, "5c5b 5c5d");
        assert_illegal(&sfen, "5c5b+ 5c5d+");
    }
}

/// R12: pawns and lances on the last rank, knights on the last two, promote; others need not.
#[test]
fn a_piece_that_could_never_move_again_must_promote() {
    assert_ends("7k1/4P4/9/9/9/9/9/9/1K7 b - 1", "5b", "5a+");
    assert_ends("7k1/4L4/9/9/9/9/9/9/1K7 b - 1", "5b", "5a+");
    assert_ends("6k2/9/9/4N4/9/9/9/9/1K7 b - 1", "5d", "4b+ 6b+");
    assert_ends("7k1/9/4N4/9/9/9/9/9/1K7 b - 1", "5c", "4a+ 6a+");
    assert_ends("7k1/9/9/9/4N4/9/9/9/1K7 b - 1", "5e", "4c 4c+ 6c 6c+");
    assert_illegal("7k1/4P4/9/9/9/9/9/9/1K7 b - 1", "5b5a");
    assert_ends("7k1/9/4L4/9/9/9/9/9/1K7 b - 1", "5c", "5b 5b+ 5a+");
    assert_legal("7k1/4S4/9/9/9/9/9/9/1K7 b - 1", "5b5a 5b5a+");
}

/// R13: what is captured, promoted or not, is held unpromoted by the captor; taking the move back undoes it.
#[test]
fn captured_pieces_go_to_hand_unpromoted() {
    for piece in ["p", "l", "n", "s", "g", "b", "r", "+p", "+l", "+n", "+s", "+b", "+r"] {
        for mut view in views(&format!("8k/9/9/9/4{piece}4/4G4/9/9/1K7 b - 1")) {
            let us = view.pos.side();
            let before = view.pos.to_sfen();
            let captured = view.pos.piece_on(view.square(Square::S5E)).expect("a piece").piece_type();
            view.play("5f5e");
            let held: Vec<(PieceType, u8)> = view.pos.hand(us).iter().collect();
            assert_eq!(held, [(captured.unpromoted(), 1)], "{piece}");
            assert!(view.pos.hand(!us).is_empty());
            view.pos.undo();
            assert_eq!(view.pos.to_sfen(), before);
            assert!(view.pos.hand(us).is_empty());
        }
    }
}

/// R13: a captured dragon is dropped as a rook, and promotes again when it moves in the zone.
#[test]
fn a_captured_piece_is_dropped_plain_and_may_promote_again() {
    for mut view in views("8k/9/9/9/4+r4/4G4/9/9/1K7 b - 1") {
        view.play("5f5e 1a1b R*5c 1b1a");
        assert!(view.allows("5c5b+") && view.allows("5c5b"));
        view.play("5c5b+");
        let dragon = Piece::new(view.color(Color::Black), PieceType::Dragon);
        assert_eq!(view.pos.piece_on(view.square(Square::S5B)), Some(dragon));
    }
}

/// R14: onto every empty square, the zone too, and onto no other; from the own hand only; always unpromoted.
#[test]
fn a_held_piece_may_be_dropped_on_any_empty_square() {
    let sfen = "7k1/4g4/9/9/4P4/9/9/9/1K7 b GSBRgr 1";
    for piece in ["G*", "S*", "B*", "R*"] {
        for view in views(sfen) {
            let drops: Vec<String> = view.legal().into_iter().filter(|text| text.starts_with(piece)).collect();
            assert_eq!(drops.len(), 81 - 4, "{piece}");
            assert!(drops.iter().all(|text| view.pos.piece_on(view.mv(text).to()).is_none()));
        }
    }
    assert_legal(sfen, "R*5a S*5c B*9i");
    assert_illegal(sfen, "G*5b G*5e G*8i G*2a N*5f P*4e L*5f");
    for mut view in views(sfen) {
        view.play("S*5c");
        let silver = Piece::new(view.color(Color::Black), PieceType::Silver);
        assert_eq!(view.pos.piece_on(view.square(Square::S5C)), Some(silver));
        assert_eq!(view.pos.hand(view.color(Color::Black)).count(PieceType::Silver), 0);
        assert!("S*5c+".parse::<Move>().is_err(), "no text promotes a drop");
        assert!(view.allows("G*5d") && view.allows("R*5d"), "the other side holds these, too");
        assert!(!view.allows("S*5d"), "the other side holds no silver");
    }
}

/// R15: pawn and lance not on the last rank, knight not on the last two; there and elsewhere the others are free.
#[test]
fn a_piece_is_not_dropped_where_it_could_never_move() {
    let sfen = "9/7k1/9/9/9/9/9/9/1K7 b GSNLP 1";
    for view in views(sfen) {
        let number = |start: &str| view.legal().iter().filter(|text| text.starts_with(start)).count();
        assert_eq!(number("P*"), 79 - 9, "the last rank is empty");
        assert_eq!(number("L*"), 79 - 9);
        assert_eq!(number("N*"), 79 - 9 - 8, "the king stands on the last rank but one");
        assert_eq!(number("S*"), 79);
    }
    assert_illegal(sfen, "P*5a L*5a N*5a N*5b P*1a L*9a N*1b");
    assert_legal(sfen, "P*5b L*5b N*5c S*5a G*5a");
}

/// R16: an own unpromoted pawn closes its file; a tokin, an enemy pawn and pawns elsewhere do not.
#[test]
fn no_second_pawn_is_dropped_on_a_file() {
    let sfen = "7k1/9/4P4/9/9/3+P5/5p3/9/1K7 b P 1";
    for view in views(sfen) {
        assert!(!view.legal().iter().any(|text| text.starts_with("P*5")), "nifu");
    }
    assert_illegal(sfen, "P*5b P*5d P*5i");
    assert_legal(sfen, "P*6e P*6b P*4f P*4h P*1b P*9h");
    for mut view in views(sfen) {
        view.play("5c5b+ 2a1a");
        assert!(view.allows("P*5i"), "the pawn has promoted");
    }
}

/// R17: a dropped pawn may not mate; everywhere else it may be dropped as ever.
#[test]
fn a_pawn_drop_that_mates_is_illegal() {
    // The gold holds 1b and 2b, the knight 2a.
    assert_ends("8k/9/7GN/9/9/9/9/9/K8 b P 1", "P*1", "d e f g h i");
    assert_legal("8k/9/7GN/9/9/9/9/9/K8 b P 1", "P*2b P*9b");
    // The rook holds the rank behind the pawn as well.
    assert_illegal("4k4/R8/4N1G2/9/9/9/9/9/K8 b P 1", "P*5b");
    // In the middle of the board, from a full hand.
    assert_illegal("9/9/R8/4k4/R5G2/9/9/9/K2L5 b 2B3G4S4N3L18P 1", "P*5e");
}

/// R17: a pawn drop that checks without mating is legal: the king flees or takes, or another piece takes.
#[test]
fn a_pawn_drop_that_checks_without_mate_is_legal() {
    for sfen in [
        "8k/9/7G1/9/9/9/9/9/K8 b P 1",   // 2a is free
        "8k/9/8N/9/9/9/9/9/K8 b P 1",    // nothing covers the pawn
        "7gk/9/7G1/9/9/9/9/9/K8 b P 1",  // the gold takes it
        "7sk/9/7G1/9/9/9/9/9/K8 b P 1",  // the silver takes it
        "8k/9/6NGr/9/9/9/9/9/K7L b P 1", // a rook pinned on the file takes along its pin
    ] {
        assert_legal(sfen, "P*1b P*5b");
    }
    assert_illegal("7nk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b");
    // The pawn itself shuts the rook off from 4b.
    assert_legal("4k4/R8/4N4/9/9/9/9/9/K8 b P 1", "P*5b");
    for view in views("8k/9/7G1/9/9/9/9/9/K8 b P 1") {
        assert!(view.pos.gives_check(view.mv("P*1b")));
    }
}

/// R17: mate by a pawn that moves is legal, and so is mate by any other drop.
#[test]
fn mate_by_moving_a_pawn_is_legal() {
    for mut view in views("8k/9/6NGP/9/9/9/9/9/K8 b - 1") {
        view.play("1c1b");
        assert!(view.pos.in_check() && !has_legal_move(&view.pos));
    }
    for mut view in views("8k/9/7GN/9/9/9/9/9/K8 b LP 1") {
        assert!(!view.allows("P*1b"));
        view.play("L*1b");
        assert!(view.pos.in_check() && !has_legal_move(&view.pos));
    }
}

/// R17: a defender that would expose its king by taking the pawn does not save it; off the pin it does.
#[test]
fn a_pinned_piece_does_not_save_the_king_from_a_pawn_drop() {
    assert_illegal("4R2gk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b");
    assert_legal("7gk/4R4/7G1/9/9/9/9/9/K8 b P 1", "P*1b");
    assert_legal("4R1pgk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b");
}

/// R17: a pawn drop that leaves the enemy without a move but does not check is legal.
#[test]
fn a_pawn_drop_that_stalemates_is_legal() {
    for mut view in views("8k/9/7G1/9/9/9/9/9/K8 b P 1") {
        view.play("P*2b");
        assert!(!view.pos.in_check() && !has_legal_move(&view.pos));
    }
}

/// R18: the king leaves, the checker is taken, or something comes in between; all else is illegal.
#[test]
fn a_check_must_be_ended_at_once() {
    for view in views("k3r4/9/9/9/9/9/9/2G6/4K4 b PN 1") {
        assert!(view.pos.in_check());
        let expected = "5i4h 5i4i 5i6h 5i6i N*5c N*5d N*5e N*5f N*5g N*5h P*5b P*5c P*5d P*5e P*5f P*5g P*5h";
        assert_eq!(view.legal().join(" "), expected);
    }
    // The bishop takes the checker or comes between; its other moves are illegal.
    assert_ends("k3r4/9/9/9/B8/9/9/9/4K4 b - 1", "9e", "5a 5a+");
    assert_illegal("k3r4/9/9/9/B8/9/9/9/4K4 b P 1", "9e8d 9e8f P*1e");
    // A knight's check cannot be blocked.
    assert_ends("k8/9/9/9/9/9/3n5/9/4K4 b G 1", "G*", "");
    // A double check leaves the king's moves only: the rook on 5a could be blocked, the gold on 4h taken.
    for view in views("k3r4/9/9/9/9/9/9/3p1g3/4K2R1 b G 1") {
        assert!(view.legal().iter().all(|text| text.starts_with("5i")), "{:?}", view.legal());
        assert!(view.allows("5i4h"));
    }
}

/// R18: a pinned piece moves along its pin only, and no move opens a line to the own king.
#[test]
fn no_move_may_leave_the_own_king_attacked() {
    assert_ends("k3r4/9/9/4G4/9/9/9/9/4K4 b - 1", "5d", "5c 5e");
    assert_ends("k3r4/9/9/4R4/9/9/9/9/4K4 b - 1", "5d", "5a 5a+ 5b 5b+ 5c 5c+ 5e 5f 5g 5h");
    assert_ends("k3r4/9/9/4S4/9/9/9/9/4K4 b - 1", "5d", "5c 5c+");
    assert_ends("k3r4/9/9/4N4/9/9/9/9/4K4 b - 1", "5d", "");
    assert_ends("k7b/9/9/9/4P4/9/9/9/K8 b - 1", "5e", "");
    // Two pieces on the line: neither is pinned.
    assert_ends("k3r4/9/4p4/4N4/9/9/9/9/4K4 b - 1", "5d", "4b+ 6b+");
    // A pinned piece cannot help against another check.
    assert_ends("k3r4/9/9/9/9/9/4Gn3/9/4K4 b - 1", "5g", "");
    assert!(Position::from_sfen("k3R4/9/9/9/4k4/9/9/9/4K4 b - 1").is_err());
    assert!(Position::from_sfen("4k4/9/9/9/4R4/9/9/9/4K4 b - 1").is_err(), "white is in check, black to move");
}

/// R25: each handicap lacks exactly its pieces; white, who gives them, moves first.
#[test]
fn handicaps_lack_their_pieces_and_white_moves_first() {
    let even = Position::startpos();
    use Square::*;
    // The legal moves were counted by another program.
    let table: [(Handicap, &[Square], u32); 10] = [
        (Handicap::Even, &[], 30),
        (Handicap::Lance, &[S1A], 30),
        (Handicap::Bishop, &[S2B], 33),
        (Handicap::Rook, &[S8B], 25),
        (Handicap::RookLance, &[S8B, S1A], 25),
        (Handicap::TwoPieces, &[S8B, S2B], 26),
        (Handicap::FourPieces, &[S8B, S2B, S1A, S9A], 24),
        (Handicap::SixPieces, &[S8B, S2B, S1A, S9A, S2A, S8A], 24),
        (Handicap::EightPieces, &[S8B, S2B, S1A, S9A, S2A, S8A, S3A, S7A], 20),
        (Handicap::TenPieces, &[S8B, S2B, S1A, S9A, S2A, S8A, S3A, S7A, S4A, S6A], 14),
    ];
    assert_eq!(table.map(|(handicap, ..)| handicap), Handicap::USUAL);
    for (handicap, missing, moves) in table {
        let pos = Position::from_sfen(handicap.sfen()).unwrap_or_else(|error| panic!("{handicap:?}: {error}"));
        assert_eq!(pos.side(), if handicap == Handicap::Even { Color::Black } else { Color::White }, "{handicap:?}");
        for square in Square::ALL {
            let expected = if missing.contains(&square) { None } else { even.piece_on(square) };
            assert_eq!(pos.piece_on(square), expected, "{handicap:?}, {square}");
        }
        assert!(Color::ALL.into_iter().all(|color| pos.hand(color).is_empty()), "{handicap:?}");
        assert_eq!((count(&pos), pos.ply()), (moves, 1), "{handicap:?}");
        assert_eq!(pos.to_sfen(), handicap.sfen());
        assert_eq!(pos.validate(), Ok(()));
        let game = parse_position(&format!("sfen {} moves 5a5b", handicap.sfen()));
        assert_eq!(game.is_ok(), handicap != Handicap::Even, "white's first move in {handicap:?}");
    }
}

/// Boards on which one side has no king.
const ONE_KING: [&str; 7] = [
    "8k/9/7GG/9/9/9/9/9/9 b - 1",
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
    "4k4/9/4+R4/9/9/4b4/9/9/9 w RB4G4S4N4L18P 1",
    "9/9/9/9/4K4/9/9/9/9 b 2r2b4g4s4n4l18p 1",
    "9/9/4r4/9/4K4/2b6/9/9/9 b RBGSNLPgsnlp 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
    "6+R2/9/2+B6/9/4n4/9/9/9/7K1 w rb4g4s3n4l18p 1",
];

/// R26: a board with one king is a position like others: everything that can be asked has an answer.
#[test]
fn boards_with_one_king_can_be_played_and_asked_anything() {
    for sfen in ONE_KING {
        for mut view in views(sfen) {
            let pos = &mut view.pos;
            let us = pos.side();
            let before = pos.to_sfen();
            let missing = Color::ALL.into_iter().find(|&color| pos.king(color).is_none()).expect("one king");
            assert_eq!(Position::from_sfen(&before).map(|pos| pos.key()), Ok(pos.key()));
            assert_eq!(pos.pack(), Err(PackError::MissingKing(missing)));
            assert!(us != missing || !pos.in_check() && pos.pinned().is_empty(), "{before}");
            let moves = generate::<All>(pos);
            assert_eq!((moves.len(), has_legal_move(pos)), (count(pos) as usize, !moves.is_empty()));
            assert!(!moves.is_empty(), "{before}");
            assert_eq!(generate::<Captures>(pos).len() + generate::<Quiets>(pos).len(), moves.len(), "{before}");
            let checks = generate::<Checks>(pos);
            assert!(us == missing || checks.is_empty(), "check to a king that is not there: {before}");
            for rule in EnteringKingRule::ALL {
                assert!(us != missing || pos.declaration(rule).is_none(), "{rule} without a king: {before}");
            }
            assert_eq!(
                (pos.repetition(), pos.repetition_within(9, &GameRules::default()), pos.occurrences()),
                (None, None, 1)
            );
            for mv in &moves {
                assert!(is_legal(pos, mv) && pos.see_ge(mv, -10_000) && !pos.see_ge(mv, 10_000), "{mv}: {before}");
                assert_eq!(pos.gives_check(mv), checks.contains(&mv), "{mv}: {before}");
                pos.do_move(mv);
                assert_eq!(pos.validate(), Ok(()), "{mv}: {before}");
                assert_eq!(pos.in_check(), checks.contains(&mv), "{mv}: {before}");
                assert_eq!((count(pos) > 0, pos.king(missing)), (has_legal_move(pos), None));
                pos.undo();
            }
            assert_eq!(pos.to_sfen(), before);
        }
    }
}

/// R26: the attacker without a king mates, and its pawn drop may not; no king at all is no position.
#[test]
fn a_side_without_a_king_plays_by_the_same_rules() {
    for mut view in views("8k/9/7GG/9/9/9/9/9/9 b - 1") {
        view.play("1c1b");
        assert!(view.pos.in_check() && !has_legal_move(&view.pos));
    }
    assert_illegal("8k/9/7GN/9/9/9/9/9/9 b P 1", "P*1b");
    assert_legal("8k/9/7GN/9/9/9/9/9/9 b P 1", "P*1d P*9b 2c2b");
    // Without a king nothing is pinned and nothing must be answered.
    assert_ends("4r4/9/9/4G4/9/9/9/9/k8 b - 1", "5d", "4c 5c 6c 4d 6d 5e");
    assert!(Position::from_sfen("9/9/9/9/4G4/9/9/9/9 b - 1").is_err());
}

/// R26: a board with one king may have more moves than any with two; a list of moves has room for them.
#[test]
fn a_list_holds_the_moves_of_every_accepted_position() {
    for (sfen, moves) in [
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", MAX_MOVES),
        ("R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 599),
        ("R8/4S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 591),
    ] {
        for view in views(sfen) {
            assert_eq!((count(&view.pos) as usize, generate::<All>(&view.pos).len()), (moves, moves), "{sfen}");
            // The last of the moves may be written eight at a time: as many as that must fit behind them.
            assert!(size_of::<MoveList>() >= (moves + 7) * size_of::<Move>(), "no room for the moves of {sfen}");
        }
    }
    assert_eq!(MAX_MOVES, 593);
}
