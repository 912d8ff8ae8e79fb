//! Hand-made positions for the corners that random play does not visit, the expected moves reasoned from the rules.
//!
//! Every position is also looked at turned with the sides exchanged and mirrored, and in each of the four views engine
//! and oracle must agree on everything: see [`oracle::case::Case`]. Positions are written with black to move.

use crate::oracle::case::Case;
use komainu::movegen::{All, generate, has_legal_move, perft};
use komainu::types::{PieceType, Rank, Square};

/// White's king on 5e, shut in by its own pieces, none of which can capture on 5f, where a pawn would be protected.
const NET: &str = "k5e l4d p5d l6d n4e n6e p4f p6f N4h K9i";

/// The net without the pieces of the first list (`p4f l6d`) and with those of the second.
fn net(without: &str, with: &str) -> String {
    let gone: Vec<&str> = without.split_whitespace().collect();
    assert!(gone.iter().all(|piece| NET.contains(piece)), "{without} is not all in the net");
    let kept: Vec<&str> = NET.split_whitespace().filter(|piece| !gone.contains(piece)).collect();
    format!("{} {with}", kept.join(" "))
}

#[test]
fn pawn_drop_giving_mate_is_illegal() {
    Case::new(NET, "P").forbids_as_uchifuzume("P*5f");
    Case::new("k1a n2a G1c K9i", "P").forbids_as_uchifuzume("P*1b");
    // What the side holds besides changes nothing, and the same mate by any other drop is legal.
    Case::new(NET, "PLSGR").forbids_as_uchifuzume("P*5f").each_checks("L*5f S*5f G*5f R*5f", true);
    assert!(!has_legal_move(Case::new(NET, "PL").after("L*5f").position()));
}

#[test]
fn pawn_drop_giving_check_without_mate_is_legal() {
    // The king takes the pawn, which nothing protects: the gold on 3c only guards 2b.
    Case::new("k1a n2a G3c K9i", "P").each_checks("P*1b", true).after("P*1b").has_only("1a1b");
    Case::new(&net("N4h", ""), "P").each_checks("P*5f", true).after("P*5f").has_only("5e5f");
    // The king goes to 2a, which the gold does not guard.
    Case::new("k1a G1c K9i", "P").each_checks("P*1b", true).after("P*1b").has_only("1a2a");
}

#[test]
fn pawn_move_giving_mate_is_legal() {
    let case = Case::new(&net("", "P5g"), "P");
    case.each_checks("5g5f", true).drops_of(PieceType::Pawn, &all_but_file("1234 6789", NET));
    assert!(!has_legal_move(case.after("5g5f").position()));
    // With promotion too: the tokin on 1b is protected by the gold.
    let case = Case::new("k1a n2a P1c G2c K9i", "");
    assert!(!has_legal_move(case.after("1c1b+").position()));
}

/// The squares of these files on ranks b to i where none of the pieces stands.
fn all_but_file(files: &str, pieces: &str) -> String {
    let free = |square: &&Square| {
        let name = square.to_string();
        files.contains(&name[..1]) && square.rank() != Rank::A && !pieces.contains(&name)
    };
    Square::ALL.iter().filter(free).map(|square| format!("{square} ")).collect()
}

#[test]
fn pawn_drop_is_legal_if_the_king_has_one_flight() {
    for (piece, flight) in
        [("l4d", "4d"), ("p5d", "5d"), ("l6d", "6d"), ("n4e", "4e"), ("n6e", "6e"), ("p4f", "4f"), ("p6f", "6f")]
    {
        let case = Case::new(&net(piece, ""), "P");
        case.each_checks("P*5f", true).after("P*5f").has_only(&format!("5e{flight}"));
    }
}

#[test]
fn pawn_drop_mates_if_the_only_flight_is_attacked() {
    for (piece, guard) in [
        ("l4d", "N3f"),
        ("p5d", "B3b"),
        ("l6d", "N7f"),
        ("n4e", "G3f"),
        ("n6e", "G7f"),
        ("p4f", "G4g"),
        ("p6f", "G6g"),
        ("n4e", "B1h"),
        ("p4f", "R1f"),
    ] {
        Case::new(&net(piece, guard), "P").forbids_as_uchifuzume("P*5f");
    }
}

#[test]
fn dropped_pawn_that_shuts_the_line_of_its_own_slider_gives_the_king_a_flight() {
    // The bishop on 8i guards 4e through 5f, until the pawn stands there.
    Case::new(&net("n4e", "B8i"), "P").after("P*5f").has_only("5e4e");
    // The rook on 9f guards 6f, and through 5f also 4f.
    Case::new(&net("p4f p6f", "R9f"), "P").after("P*5f").has_only("5e4f");
    // From the other side it guards 4f only, and 6f holds a pawn: mate.
    Case::new(&net("p4f", "R1f"), "P").forbids_as_uchifuzume("P*5f");
}

#[test]
fn king_may_flee_by_capturing_only_what_is_not_protected() {
    Case::new(&net("p4f", "N4f"), "P").after("P*5f").has_only("5e4f");
    Case::new(&net("p4f", "N4f P4g"), "P").forbids_as_uchifuzume("P*5f");
    Case::new(&net("p5d", "N5d"), "P").after("P*5f").has_only("5e5d");
    Case::new(&net("p5d", "N5d B3b"), "P").forbids_as_uchifuzume("P*5f");
}

#[test]
fn pawn_drop_is_legal_if_a_defender_may_capture() {
    for (without, with, captures) in [
        ("p4f", "g4f", "4f5f"),
        ("p4f", "r4f", "4f5f"),
        ("p4f", "+r4f", "4f5f"),
        ("p4f", "+b4f", "4f5f"),
        ("p4f", "+p4f", "4f5f"),
        ("n4e", "s4e", "4e5f"),
        ("n4e", "g4e", "4e5f"),
        ("n4e", "b4e", "4e5f"),
        ("n4e", "+l4e", "4e5f"),
        ("l4d", "n4d", "4d5f"),
        ("", "b2i", "2i5f 2i5f+"),
        ("", "+b7h", "7h5f"),
        ("p4f", "r1f G4g", "1f5f"),
        // Two defenders of which one is pinned.
        ("p4f n4e", "g4f B2h s4e", "4e5f"),
    ] {
        Case::new(&net(without, with), "P").each_checks("P*5f", true).after("P*5f").has_only(captures);
    }
}

#[test]
fn pinned_defender_does_not_save_the_king_from_a_dropped_pawn() {
    for (without, with) in [
        // Diagonally up, sideways and diagonally down; no piece straight above its king reaches 5f.
        ("l4d", "n4d B1a"),
        ("l4d", "n4d +B2b"),
        ("n4e", "g4e R1e"),
        ("n4e", "s4e R1e"),
        ("n4e", "b4e R1e"),
        ("n4e", "+b4e +R2e"),
        ("p4f", "g4f B2h"),
        ("p4f", "r4f B2h"),
        ("p4f", "+p4f +B1i"),
        ("p4f n4e", "g4f B2h s4e R1e"),
        ("p4f p6f", "g4f B2h g6f +B8h"),
    ] {
        Case::new(&net(without, with), "P").forbids_as_uchifuzume("P*5f");
    }
}

#[test]
fn pinned_defender_may_capture_the_dropped_pawn_along_its_pin() {
    for pinner in ["L5i", "R5i", "+R5i"] {
        let with = |defender: &str| Case::new(&net("N4h", &format!("{defender}5g {pinner} G6g")), "P");
        for defender in ["g", "+n", "+r", "+b"] {
            with(defender).each_checks("P*5f", true).after("P*5f").has_only("5g5f");
        }
        with("r").each_checks("P*5f", true).after("P*5f").has_only("5g5f 5g5f+");
        with("s").forbids_as_uchifuzume("P*5f");
    }
}

#[test]
fn pinned_protector_still_protects_the_dropped_pawn() {
    // The gold on 6g may not leave the g rank, but a king on 5f would be captured all the same.
    Case::new(&net("N4h K9i", "G6g K9g r1g"), "P").pinned_are("6g").forbids_as_uchifuzume("P*5f");
}

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
        let drop = format!("P*{front}");
        Case::new(&pieces, "P").forbids_as_uchifuzume(&drop);
        for (piece, flight, guarded) in flights {
            let case = Case::new(&pieces.replace(&format!(" {piece}{flight}"), ""), "P");
            if guarded {
                case.forbids_as_uchifuzume(&drop);
            } else {
                case.after(&drop).has_only(&format!("{king}{flight}"));
            }
        }
    }
}

#[test]
fn interposing_pawn_drop_that_mates_is_illegal() {
    // The rook on 4f is pinned, so it cannot take the pawn that stops its own check.
    let pieces = net("p4f p6f K9i", "r4f B2h G7g K8f");
    let case = Case::new(&pieces, "PG");
    case.checkers_are("4f").forbids_as_uchifuzume("P*5f").drops_of(PieceType::Pawn, "6f 7f");
    case.drops_of(PieceType::Gold, "5f 6f 7f");
    // If it is not pinned it can.
    let free = Case::new(&net("p4f p6f K9i", "r4f G7g K8f"), "P");
    free.drops_of(PieceType::Pawn, "5f 6f 7f").after("P*5f").has_only("4f5f");
    // The same on a diagonal.
    let pieces = net("n4e K9i", "b4e R1e K8i");
    Case::new(&pieces, "P").checkers_are("4e").forbids_as_uchifuzume("P*5f").drops_of(PieceType::Pawn, "6g 7h");
}

#[test]
fn pawn_drop_that_stalemates_without_check_is_legal() {
    // The king on 1a has 1b left, which a pawn on 1c takes away; white holds nothing.
    let case = Case::new("k1a G3b K9i", "P");
    case.each_checks("P*1c", false);
    let stalemate = case.after("P*1c");
    stalemate.checkers_are("").has_only("");
    // On 1b the same pawn gives a check that the king answers by taking it.
    case.after("P*1b").has_only("1a1b");
}

#[test]
fn file_with_an_own_pawn_takes_no_other() {
    for file in 1..=9 {
        for rank in 'b'..='i' {
            let kings = if file == 5 { 4 } else { 10 - file };
            let pieces = format!("P{file}{rank} k{kings}a K{kings}i");
            let other_files: String = (1..=9).filter(|&other| other != file).map(|other| other.to_string()).collect();
            Case::new(&pieces, "P").drops_of(PieceType::Pawn, &all_but_file(&other_files, &pieces));
        }
    }
}

#[test]
fn file_with_a_tokin_or_an_enemy_pawn_takes_a_pawn() {
    let pieces = "+P5c p4c +P3g K9i k9a";
    Case::new(pieces, "P").drops_of(PieceType::Pawn, &all_but_file("123456789", pieces));
    // A pawn next to a tokin on the same file still counts.
    let pieces = "+P5c P5g K9i k9a";
    Case::new(pieces, "P").drops_of(PieceType::Pawn, &all_but_file("12346789", pieces));
}

#[test]
fn pinned_pawn_counts_for_nifu() {
    let pieces = "K9e P5e r1e k1a";
    let case = Case::new(pieces, "P");
    case.pinned_are("5e").moves_from("5e", "").drops_of(PieceType::Pawn, &all_but_file("12346789", pieces));
    let pieces = "K5i P5g l5d k1a";
    let case = Case::new(pieces, "P");
    case.pinned_are("5g").moves_from("5g", "5g5f").drops_of(PieceType::Pawn, &all_but_file("12346789", pieces));
}

#[test]
fn nifu_forbids_a_pawn_as_an_interposition() {
    // Of the squares between the rook and the king, file 3 has a pawn, files 4 and 8 have none.
    let case = Case::new("K9e r1e k1a P2g P3g P5h P6c P7c", "P");
    case.checkers_are("1e").drops_of(PieceType::Pawn, "4e 8e");
    Case::new("K5i r5a k1a P1g P2g P3g P4g P6g P7g P8g P9g", "P").drops_of(PieceType::Pawn, "5b 5c 5d 5e 5f 5g 5h");
}

#[test]
fn nine_pawns_on_nine_files_leave_no_pawn_drop() {
    let pieces = "P1g P2f P3e P4d P5c P6b P7h P8i P9g K5i k9a";
    Case::new(pieces, "PPG").drops_of(PieceType::Pawn, "");
}

/// The squares on these ranks where none of the pieces stands.
fn free_squares(first_rank: Rank, pieces: &str) -> String {
    let free = |square: &&Square| square.rank() >= first_rank && !pieces.contains(&square.to_string());
    Square::ALL.iter().filter(free).map(|square| format!("{square} ")).collect()
}

#[test]
fn drops_leave_no_man_without_a_move() {
    let pieces = "K5i k5a s3a B8c";
    let case = Case::new(pieces, "PLNSGR");
    for (piece_type, first_rank) in [
        (PieceType::Pawn, Rank::B),
        (PieceType::Lance, Rank::B),
        (PieceType::Knight, Rank::C),
        (PieceType::Silver, Rank::A),
        (PieceType::Gold, Rank::A),
        (PieceType::Rook, Rank::A),
    ] {
        case.drops_of(piece_type, &free_squares(first_rank, pieces));
    }
    case.drops_of(PieceType::Bishop, "");
}

#[test]
fn pawn_and_lance_must_promote_on_the_last_rank_and_a_knight_on_the_last_two() {
    Case::new("P2b K5i k9i", "").moves_from("2b", "2b2a+");
    Case::new("P2c K5i k9i", "").moves_from("2c", "2c2b 2c2b+");
    Case::new("P2d K5i k9i", "").moves_from("2d", "2d2c 2d2c+");
    Case::new("P2e K5i k9i", "").moves_from("2e", "2e2d");
    Case::new("L2b K5i k9i", "").moves_from("2b", "2b2a+");
    Case::new("L2e K5i k9i", "").moves_from("2e", "2e2d 2e2c 2e2c+ 2e2b 2e2b+ 2e2a+");
    Case::new("L2e s2b K5i k9i", "").moves_from("2e", "2e2d 2e2c 2e2c+ 2e2b 2e2b+");
    Case::new("N2c K5i k9i", "").moves_from("2c", "2c1a+ 2c3a+");
    Case::new("N2d K5i k9i", "").moves_from("2d", "2d1b+ 2d3b+");
    Case::new("N2e s1c K5i k9i", "").moves_from("2e", "2e1c 2e1c+ 2e3c 2e3c+");
    Case::new("N2f K5i k9i", "").moves_from("2f", "2f1d 2f3d");
    Case::new("N1c K5i k9i", "").moves_from("1c", "1c2a+");
}

#[test]
fn promotion_is_a_choice_into_within_and_out_of_the_zone() {
    let silver = Case::new("S5d K5i k9i", "");
    silver.moves_from("5d", "5d4c 5d4c+ 5d5c 5d5c+ 5d6c 5d6c+ 5d4e 5d6e");
    Case::new("S5c K5i k9i", "").moves_from("5c", "5c4b 5c4b+ 5c5b 5c5b+ 5c6b 5c6b+ 5c4d 5c4d+ 5c6d 5c6d+");
    Case::new("S5e K5i k9i", "").moves_from("5e", "5e4d 5e5d 5e6d 5e4f 5e6f");
    Case::new("S5a K5i k9i", "").moves_from("5a", "5a4b 5a4b+ 5a6b 5a6b+");
    Case::new("B1d K5i k9i p4g", "").moves_from("1d", "1d2c 1d2c+ 1d3b 1d3b+ 1d4a 1d4a+ 1d2e 1d3f 1d4g");
    Case::new("B1c K5i k9i p3e", "").moves_from("1c", "1c2b 1c2b+ 1c3a 1c3a+ 1c2d 1c2d+ 1c3e 1c3e+");
    Case::new("R1c p2c p1e K5i k9i", "").moves_from("1c", "1c1a 1c1a+ 1c1b 1c1b+ 1c2c 1c2c+ 1c1d 1c1d+ 1c1e 1c1e+");
    Case::new("R1d p2d p1e K5i k9i", "").moves_from("1d", "1d1a 1d1a+ 1d1b 1d1b+ 1d1c 1d1c+ 1d2d 1d1e");
}

#[test]
fn gold_king_and_promoted_men_never_promote() {
    for gold in ["G", "+P", "+L", "+N", "+S"] {
        let case = Case::new(&format!("{gold}5d K5i k9i"), "");
        case.moves_from("5d", "5d4c 5d5c 5d6c 5d4d 5d6d 5d5e").forbids("5d5c+ 5d4c+");
        let case = Case::new(&format!("{gold}5b K5i k9i"), "");
        case.moves_from("5b", "5b4a 5b5a 5b6a 5b4b 5b6b 5b5c").forbids("5b5a+ 5b5c+");
    }
    let case = Case::new("K5d k9i", "");
    case.has_only("5d4c 5d5c 5d6c 5d4d 5d6d 5d4e 5d5e 5d6e").forbids("5d5c+");
    let case = Case::new("+B1d p3b p3f K5i k9i", "");
    case.moves_from("1d", "1d2c 1d3b 1d2e 1d3f 1d1c 1d2d 1d1e").forbids("1d2c+ 1d3b+ 1d1c+");
    let case = Case::new("+R1c p1a p3c p1e K5i k9i", "");
    case.moves_from("1c", "1c1b 1c1a 1c2c 1c3c 1c1d 1c1e 1c2b 1c2d").forbids("1c1a+ 1c2b+ 1c1d+");
}

#[test]
fn double_check_is_answered_by_the_king_alone() {
    // Rook 5a and bishop 1a: 4d and 6f lie on the diagonal, 5d and 5f on the file. Neither gold may take a checker.
    let case = Case::new("K5e r5a b1a G4a G2a k9a", "PG");
    case.checkers_are("5a 1a").has_only("5e4e 5e6e 5e6d 5e4f").forbids("G*5d G*4d 4a5a 2a1a");
    // A lance and a knight, next to each other; no drop shuts both.
    let case = Case::new("K5i l5a n4g G4h S6i k9a", "PGS");
    case.checkers_are("5a 4g").has_only("5i6h 5i4i");
    // A dragon next to the king may be taken if it is not protected, and only by the king.
    let case = Case::new("K5i +r5h b9e G4i G6i k9a", "PG");
    case.checkers_are("5h 9e").has_only("5i5h");
    let case = Case::new("K5i +r5h b9e p5g G4i G6i k9a", "PG");
    case.checkers_are("5h 9e").has_only("");
}

#[test]
fn discovered_double_check_after_a_move_is_seen() {
    let case = Case::new("k5a N5c R5i K9i", "");
    // The knight promotes on 4a next to the king, and the rook's line opens.
    case.each_checks("5c4a+ 5c6a+", true);
    case.after("5c4a+").checkers_are("4a 5i").has_only("5a4a 5a6a 5a6b");
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
                    expected += &format!("{from}{to} ");
                }
                if ["P", "L", "N", "S", "B", "R"].contains(&piece) && from.rank().min(to.rank()) <= Rank::C {
                    expected += &format!("{from}{to}+ ");
                }
            }
            let case = Case::new(&format!("K5e {piece}{from} {pinner}{} k9h", from_5e(direction, 4)), "");
            case.pinned_are(&from.to_string()).moves_from(&from.to_string(), &expected);
        }
    }
}

#[test]
fn man_before_a_slider_of_another_line_is_not_pinned() {
    for direction in DIRECTIONS {
        let others: &[&str] = if matches!(direction, (0, _) | (_, 0)) { &["b", "+b"] } else { &["r", "+r", "l"] };
        for (other, piece) in others.iter().flat_map(|other| ["P", "G", "S"].map(|piece| (other, piece))) {
            let pieces = format!("K5e {piece}{} {other}{} k9i", from_5e(direction, 1), from_5e(direction, 3));
            Case::new(&pieces, "").pinned_are("");
        }
    }
    // A lance looks one way only.
    Case::new("K5e G5f l5h k9i", "").pinned_are("").moves_from("5f", "5f4e 5f6e 5f4f 5f6f 5f5g");
    Case::new("K5e G4e l2e k9i", "").pinned_are("");
    // Two pieces on the line, own or not, shield each other; an enemy's shields as well.
    Case::new("K5e G5d S5c r5a k9i", "").pinned_are("");
    Case::new("K5e G5d p5b r5a k9i", "").pinned_are("");
    Case::new("K5e n5c r5a k9i", "").pinned_are("").checkers_are("");
}

#[test]
fn pinned_man_may_not_answer_a_check_from_elsewhere() {
    let case = Case::new("K5e S4d b2b r1e k9i", "");
    case.pinned_are("4d").checkers_are("1e").forbids("4d3e").moves_from("4d", "");
    // Without the bishop the same silver steps in between.
    Case::new("K5e S4d r1e k9i", "").moves_from("4d", "4d3e");
    // Nor may a pinned piece take the checker.
    Case::new("K5e G6e r9e p5d k9i", "").checkers_are("5d").pinned_are("6e").forbids("6e5d").allows("5e5d");
}

#[test]
fn pins_after_a_null_move_are_those_of_the_other_side() {
    let case = Case::new("K5i G5g r5a k1e g3e R9e", "");
    case.pinned_are("5g").moves_from("5g", "5g5f 5g5h");
    let passed = case.after_null_move();
    passed.pinned_are("3e").moves_from("3e", "3e4e 3e2e");
    passed.after_null_move().pinned_are("5g").moves_from("5g", "5g5f 5g5h");
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
            Case::new(&format!("K5e {slider}{checker} k9i"), "").checkers_are(&checker.to_string()).has_only(&expected);
        }
    }
    // A dragon also guards the squares next to it.
    Case::new("K5e +r5c k9i", "").has_only("5e4e 5e6e 5e4f 5e6f");
    // A protected rook next to the king guards 5f through the king, and its own rank.
    Case::new("K5e r5d p5c k9i", "").checkers_are("5d").has_only("5e4e 5e6e 5e4f 5e6f");
}

#[test]
fn king_may_take_a_man_only_if_nothing_protects_it() {
    Case::new("K5i g5h k1a", "").checkers_are("5h").has_only("5i5h");
    for protector in
        ["p5g", "l5a", "n4f", "s4g", "s6i", "g6h", "b2e", "b8e", "r1h", "r9h", "+b5g", "+b3f", "+r4g", "+p6g", "+l5g"]
    {
        Case::new(&format!("K5i g5h {protector} k1a"), "").forbids("5i5h");
    }
    // The other king protects as well, and so does a piece that is pinned.
    Case::new("K5i g5h k5g", "").forbids("5i5h");
    Case::new("K5i g5h s4g k4b L4i", "").forbids("5i5h");
}

#[test]
fn kings_keep_apart() {
    Case::new("K5e k5c", "").has_only("5e4e 5e6e 5e4f 5e5f 5e6f");
    Case::new("K5e k3d", "").has_only("5e5d 5e6d 5e6e 5e4f 5e5f 5e6f");
}

#[test]
fn check_of_a_lance_can_be_shut_off_and_that_of_a_knight_or_a_pawn_cannot() {
    Case::new("K5i l5e k1a", "G").has_only("5i4i 5i6i 5i4h 5i6h G*5f G*5g G*5h").forbids("G*5d G*4h");
    Case::new("K5i n4g S5h k1a", "GPL").checkers_are("4g").has_only("5i4i 5i6i 5i4h 5i6h 5h4g").forbids("G*4h P*4h");
    Case::new("K5i p5h k1a", "GPL").checkers_are("5h").has_only("5i5h 5i4i 5i6i 5i4h 5i6h");
    // A rook next to the king leaves no room to shut it off.
    Case::new("K5i r5h p5g k1a", "G").has_only("5i4i 5i6i");
}

#[test]
fn checker_may_be_taken_with_and_without_promotion() {
    Case::new("K5i r5a B9e k1d", "").has_only("9e5a 9e5a+ 5i4i 5i6i 5i4h 5i6h");
    let case = Case::new("K5c n4a P4b N3c S3b k9i", "");
    case.checkers_are("4a").moves_from("4b", "4b4a+").moves_from("3c", "3c4a+").moves_from("3b", "3b4a 3b4a+");
    // Stepping in between promotes by the same rules.
    let case = Case::new("K5a r1a R3d N4c L2e P4b k9i", "");
    case.moves_from("3d", "3d3a 3d3a+").moves_from("4c", "4c3a+").moves_from("2e", "2e2a+").moves_from("4b", "4b4a+");
}

#[test]
fn position_with_the_most_moves_has_593() {
    let case = Case::sfen("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1");
    case.has_count(593);
    let mut moves = generate::<All>(case.position()).to_vec();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 593);
    assert_eq!(perft(&mut case.position().clone(), 2), Ok(105_677));
}

#[test]
fn side_without_a_king_is_never_in_check_and_has_no_pins() {
    let case = Case::new("k1a G5e r5a r9e b1i b9a", "");
    case.checkers_are("").pinned_are("").has_only("5e4d 5e5d 5e6d 5e4e 5e6e 5e5f");
    // Its opponent is mated all the same, by a gold but not by a pawn.
    let case = Case::new("k1a n2a G1c", "PG");
    case.forbids_as_uchifuzume("P*1b").each_checks("G*1b", true);
    assert!(!has_legal_move(case.after("G*1b").position()));
}

#[test]
fn side_without_a_king_cannot_be_checked_or_mated() {
    let pieces = "K5i g5a n4a n6a";
    let case = Case::new(pieces, "PR");
    case.checks_are("").drops_of(PieceType::Pawn, &free_squares(Rank::B, pieces));
    case.drops_of(PieceType::Rook, &free_squares(Rank::A, pieces));
    // In its turn it has all its moves, whatever stands around.
    case.after("R*5b").moves_from("5a", "5a4b 5a5b 5a6b");
}

#[test]
fn men_that_leave_a_line_discover_a_check() {
    Case::new("k5a R5i S5e K9i", "").checks_are("5e4d 5e6d 5e4f 5e6f");
    Case::new("k5a R5i K5e", "").checks_are("5e4d 5e6d 5e4e 5e6e 5e4f 5e6f");
    Case::new("k5a R5i P5e K9i", "").checks_are("").allows("5e5d");
    Case::new("k5a L5i P5e G5f K9i", "").checks_are("");
    Case::new("k5a B1e N3c K9i", "").checks_are("3c2a+ 3c4a+");
    Case::new("k1e R9e P5e K9i", "").checks_are("5e5d");
    Case::new("k1c R9c P5c K9i", "").checks_are("5c5b 5c5b+");
    Case::new("k1a B9i P5e K9h", "").checks_are("5e5d");
    // The piece that takes the shield shields in its turn.
    Case::new("k5a R5i p5c S4d K9i", "").each_checks("4d5c 4d5c+", false);
    // A piece that is pinned itself discovers nothing, unless its pin takes it off the line.
    Case::new("k5a R5i S5e K1e r9e", "").pinned_are("5e").moves_from("5e", "").checks_are("");
    Case::new("k5a R5i G5e K1e r9e", "").pinned_are("5e").checks_are("5e4e 5e6e");
}

#[test]
fn promotion_may_give_a_check_or_lose_one() {
    Case::new("k5a P4c K9i", "").checks_are("4c4b+");
    Case::new("k5c S3c K9i", "").checks_are("3c4b 3c4d 3c4d+");
    Case::new("k4a N4e K9i", "").checks_are("4e3c 4e5c");
    // A dragon reaches diagonally, a horse straight.
    Case::new("k5b R4e K9i", "").checks_are("4e5e 4e4a+ 4e4b 4e4b+ 4e4c+");
    Case::new("k5b B3e K9i", "").checks_are("3e5c+ 3e6b+");
    Case::new("k5b B4e K9i", "").checks_are("4e3d 4e6c 4e6c+");
}

#[test]
fn every_kind_of_drop_checks_from_where_it_reaches_the_king() {
    let drops = |letter: &str, squares: &str| -> String {
        squares.split(' ').map(|square| format!("{letter}*{square} ")).collect()
    };
    let checks = [
        drops("P", "5f"),
        drops("L", "5f 5g 5h 5i"),
        drops("N", "4g 6g"),
        drops("S", "5f 4f 6f 4d 6d"),
        drops("G", "5f 4f 6f 4e 6e 5d"),
        drops("B", "4d 3c 2b 1a 6d 7c 8b 9a 4f 3g 2h 1i 6f 7g 8h"),
        drops("R", "5a 5b 5c 5d 5f 5g 5h 5i 1e 2e 3e 4e 6e 7e 8e 9e"),
    ];
    Case::new("k5e K9i", "PLNSGBR").checks_are(&checks.concat());
}
