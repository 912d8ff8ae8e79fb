use super::super::book::Book;
use super::*;
use crate::notation::usi::parse_position;

fn candidate(mv: &str, value: i32, depth: u32, count: u32) -> Candidate {
    Candidate { value: Some(value), depth, count, ..Candidate::new(mv.parse().unwrap()) }
}

/// Five moves of the start position, the best one first.
fn five() -> Vec<Candidate> {
    vec![
        candidate("7g7f", 60, 20, 50),
        candidate("2g2f", 55, 20, 30),
        candidate("5g5f", 10, 20, 15),
        candidate("1g1f", -5, 20, 4),
        candidate("9g9f", -250, 20, 1),
    ]
}

fn question(position: &Position) -> Question<'_> {
    Question { position, rules: GameRules::default(), draw_value: 0, search_moves: &[], random: [0, 0] }
}

/// The moves that may be chosen, and what left the others out.
fn left(options: &ProbeOptions) -> (Vec<String>, Vec<String>) {
    let position = Position::startpos();
    let proposal = choose(five(), options, &question(&position));
    let chosen = proposal.candidates.iter().filter(|(_, share)| *share > 0);
    (
        chosen.map(|(candidate, _)| candidate.mv.to_string()).collect(),
        proposal.filters.iter().map(CandidateFilter::to_string).collect(),
    )
}

#[test]
fn each_option_alone_leaves_out_what_it_says_and_is_named() {
    let all = ProbeOptions { eval_diff: 99_999, eval_limit: [-99_999; 2], ..ProbeOptions::default() };
    let check = |options: ProbeOptions, moves: &[&str], reason: &str| {
        let (found, reasons) = left(&options);
        assert_eq!(found, moves, "{options:?}");
        assert_eq!(reasons, if reason.is_empty() { vec![] } else { vec![reason.to_string()] });
    };
    check(all, &["7g7f", "2g2f", "5g5f", "1g1f", "9g9f"], "");
    check(ProbeOptions { eval_diff: 30, ..all }, &["7g7f", "2g2f"], "BookEvalDiff 30 leaves 2 of 5 moves");
    let black = ProbeOptions { eval_diffs: [50, 0], ..all };
    check(black, &["7g7f", "2g2f", "5g5f"], "BookEvalBlackDiff 50 leaves 3 of 5 moves");
    let limit = ProbeOptions { eval_limit: [-200, 900], ..all };
    check(limit, &["7g7f", "2g2f", "5g5f", "1g1f"], "BookEvalBlackLimit -200 leaves 4 of 5 moves");
    check(ProbeOptions { narrow: true, ..all }, &["7g7f", "2g2f", "5g5f"], "NarrowBook leaves 3 of 5 moves");
    check(ProbeOptions { depth_limit: 20, ..all }, &["7g7f", "2g2f", "5g5f", "1g1f", "9g9f"], "");
    check(ProbeOptions { depth_limit: 21, ..all }, &[], "BookDepthLimit 21 with depth 20 leaves 0 of 5 moves");
    check(ProbeOptions { eval_limit: [61, 0], ..all }, &[], "BookEvalBlackLimit 61 leaves 0 of 5 moves");
}

#[test]
fn white_has_limits_of_its_own() {
    let position = parse_position("startpos moves 7g7f").unwrap().position;
    let moves = vec![candidate("3c3d", -250, 9, 1), candidate("8c8d", -320, 9, 1)];
    let reasons = |options: &ProbeOptions| {
        let proposal = choose(moves.clone(), options, &question(&position));
        proposal.filters.iter().map(CandidateFilter::to_string).collect::<Vec<_>>()
    };
    assert_eq!(reasons(&ProbeOptions::default()), ["BookEvalWhiteLimit -300 leaves 1 of 2 moves"]);
    let options = ProbeOptions { eval_diffs: [-1, 20], eval_limit: [0, -999], ..ProbeOptions::default() };
    assert_eq!(reasons(&options), ["BookEvalWhiteDiff 20 leaves 1 of 2 moves"]);
}

#[test]
fn moves_are_drawn_by_their_values_if_that_is_wanted() {
    let position = Position::startpos();
    let options = ProbeOptions { eval_diff: 60, by_value: true, ..ProbeOptions::default() };
    let moves = [("7g7f", 60), ("2g2f", 48), ("9g9f", 36), ("1g1f", 0)].map(|(mv, value)| candidate(mv, value, 9, 1));
    let proposal = choose(moves.to_vec(), &options, &question(&position));
    let shares: Vec<u32> = proposal.candidates.iter().map(|(_, share)| *share).collect();
    assert_eq!(shares, [561, 280, 140, 17]);
    // Counts come first if they are wanted, too.
    let counted = choose(moves.to_vec(), &ProbeOptions { by_count: true, ..options }, &question(&position));
    assert!(counted.candidates.iter().all(|(_, share)| *share == 250), "{:?}", counted.candidates);
}

#[test]
fn moves_are_drawn_evenly_or_by_their_counts() {
    let position = Position::startpos();
    let all = ProbeOptions { eval_diff: 99_999, eval_limit: [-99_999; 2], ..ProbeOptions::default() };
    let draw = |options: &ProbeOptions, lot: u64| {
        let question = Question { random: [0, lot], ..question(&position) };
        choose(five(), options, &question).chosen().unwrap().mv.to_string()
    };
    let evenly: Vec<String> = (0..5).map(|lot| draw(&all, lot)).collect();
    assert_eq!(evenly, ["7g7f", "2g2f", "5g5f", "1g1f", "9g9f"]);
    let by_count = ProbeOptions { by_count: true, ..all };
    let mut drawn = std::collections::BTreeMap::new();
    (0..100).for_each(|lot| *drawn.entry(draw(&by_count, lot)).or_insert(0) += 1);
    let expected = [("1g1f", 4), ("2g2f", 30), ("5g5f", 15), ("7g7f", 50), ("9g9f", 1)];
    assert_eq!(drawn, expected.map(|(mv, count)| (mv.to_string(), count)).into());
    let shares = choose(five(), &by_count, &question(&position)).candidates;
    assert_eq!(shares.iter().map(|(_, share)| *share).collect::<Vec<_>>(), [500, 300, 150, 40, 10]);
}

#[test]
fn a_book_without_counts_gives_every_move_the_same_chance() {
    let position = Position::startpos();
    let moves = vec![candidate("7g7f", 0, 0, 0), candidate("2g2f", 0, 0, 0)];
    let options = ProbeOptions { by_count: true, ..ProbeOptions::default() };
    let shares = choose(moves, &options, &question(&position)).candidates;
    assert_eq!(shares.iter().map(|(_, share)| *share).collect::<Vec<_>>(), [500, 500]);
}

#[test]
fn moves_that_nobody_played_are_left_out_where_others_were() {
    let position = Position::startpos();
    let moves = vec![candidate("7g7f", 0, 0, 3), candidate("2g2f", 0, 0, 0)];
    let proposal = choose(moves, &ProbeOptions::default(), &question(&position));
    assert_eq!(proposal.filters[0].to_string(), "a count of 0 leaves 1 of 2 moves");
}

#[test]
fn illegal_moves_are_told_and_only_the_wanted_ones_are_played() {
    let position = Position::startpos();
    let moves = vec![candidate("7g7e", 90, 9, 1), candidate("7g7f", 80, 9, 1), candidate("2g2f", 70, 9, 1)];
    let wanted = ["2g2f".parse().unwrap()];
    let proposal = choose(moves, &ProbeOptions::default(), &Question { search_moves: &wanted, ..question(&position) });
    assert_eq!(proposal.illegal, ["7g7e".parse().unwrap()]);
    assert_eq!(proposal.chosen().unwrap().mv, wanted[0]);
    assert_eq!(proposal.filters[0].to_string(), "searchmoves leaves 1 of 2 moves");
}

#[test]
fn a_repetition_is_played_only_if_nothing_better_is_known() {
    let shuffle = "5i5h 5a5b 5h5i 5b5a ".repeat(3);
    let line = format!("startpos moves {}", &shuffle[..shuffle.len() - 6]);
    // White completes the fourth occurrence with 5b5a.
    let position = parse_position(&line).unwrap().position;
    let reasons = |value: i32, draw_value: i32| {
        let moves = vec![candidate("5b5a", 5, 9, 1), candidate("3c3d", value, 9, 1)];
        let proposal = choose(moves, &ProbeOptions::default(), &Question { draw_value, ..question(&position) });
        proposal.filters.iter().map(CandidateFilter::to_string).collect::<Vec<_>>()
    };
    assert_eq!(reasons(4, 0), ["a drawn repetition leaves 1 of 2 moves"]);
    assert_eq!(reasons(4, 10), [""; 0]);
    assert_eq!(reasons(-4, 0), [""; 0]);
}

#[test]
fn a_perpetual_check_is_never_completed() {
    let start = "sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves ";
    let line = format!("{start}{}", "4i5i 5a4a 5i4i 4a5a ".repeat(3));
    let position = parse_position(&line).unwrap().position;
    let moves = vec![candidate("4i5i", 500, 9, 1), candidate("9i9h", 400, 9, 1)];
    let proposal = choose(moves, &ProbeOptions::default(), &question(&position));
    assert_eq!(proposal.filters[0].to_string(), "a lost repetition leaves 1 of 2 moves");
    assert_eq!(proposal.chosen().unwrap().mv.to_string(), "9i9h");
}

#[test]
fn the_twin_answers_with_turned_moves_and_the_line_follows_the_book() {
    let text = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f none 30 5 1\n\
        sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d 2g2f -20 5 1\n";
    let books = BookSet::of(vec![Book::from_bytes(text.as_bytes()).unwrap()]);
    let ask = |line: &str, options: &ProbeOptions, random| {
        let position = parse_position(line).unwrap().position;
        probe(&books, options, &Question { random, ..question(&position) }).unwrap()
    };
    let options = ProbeOptions::default();
    let words = |proposal: Proposal| proposal.line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
    assert_eq!(words(ask("startpos", &options, [0, 0]).unwrap()), "7g7f 3c3d 2g2f");
    // The same positions with the colours swapped.
    let turned = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2";
    let proposal = ask(turned, &options, [0, 0]).unwrap();
    assert_eq!(proposal.chosen().unwrap().value, Some(30));
    assert_eq!(words(proposal), "3c3d 7g7f 8c8d");
    assert_eq!(words(ask("startpos", &ProbeOptions { pv_moves: 0, ..options }, [0, 0]).unwrap()), "7g7f 3c3d");
    let never = ProbeOptions { ignore_rate: 100, ..options };
    assert_eq!(ask("startpos", &never, [99, 0]), None);
    let seldom = ProbeOptions { ignore_rate: 10, ..options };
    assert!(ask("startpos", &seldom, [9, 0]).is_none() && ask("startpos", &seldom, [10, 0]).is_some());
    assert_eq!(ask("startpos moves 7g7f", &ProbeOptions { moves: 1, ..options }, [0, 0]), None);
    let exact = ProbeOptions { lookup: Lookup { ignore_ply: true, flipped: false }, ..options };
    assert_eq!(ask(turned, &exact, [0, 0]), None);
    let strict = ProbeOptions { lookup: Lookup { ignore_ply: false, flipped: true }, ..options };
    assert!(ask("startpos", &strict, [0, 0]).is_some());
    assert_eq!(ask(turned, &strict, [0, 0]), None);
}
