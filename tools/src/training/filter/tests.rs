use super::*;
use crate::training::games::{Game, Ply};
use crate::training::records::visit_records;
use komainu::notation::record::Ending;
use komainu::types::Color;

const QUIET: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const OPEN_DIAGONALS: &str = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
const IN_CHECK: &str = "4k4/9/9/9/4r4/9/9/9/4K4 b - 1";

/// A black win of which nothing but the best move is special.
fn record(pos: &Position, best: &str, score: i16) -> Record {
    let position = pos.pack().expect("two kings");
    let best = Some(best.parse().expect("a move"));
    Record { position, score, best, ply: pos.ply() as u16, result: if pos.side() == Color::Black { 1 } else { -1 } }
}

fn pass_with(
    filter: &mut PositionFilter,
    sfen: &str,
    best: &str,
    score: i16,
    next: Option<&str>,
) -> Result<Record, SkipReason> {
    let pos = Position::from_sfen(sfen).expect("a valid SFEN");
    let next = next.map(|mv| mv.parse().expect("a move"));
    filter.pass(record(&pos, best, score), &pos, next)
}

fn pass(sfen: &str, best: &str, score: i16, next: Option<&str>) -> Result<Record, SkipReason> {
    pass_with(&mut PositionFilter::new(u16::MAX), sfen, best, score, next)
}

#[test]
fn a_quiet_position_is_kept_as_it_is() {
    let pos = Position::from_sfen(QUIET).expect("a valid SFEN");
    assert_eq!(pass(QUIET, "7g7f", 35, Some("3c3d")), Ok(record(&pos, "7g7f", 35)));
    // What comes after a quiet move does not matter.
    assert_eq!(pass(OPEN_DIAGONALS, "2g2f", 35, Some("2b8h+")).map(|kept| kept.score), Ok(35));
}

#[test]
fn scores_of_mates_and_larger_ones_than_wanted_are_left_out() {
    let scores = [30_999, -30_999, 31_000, -31_000, 32_000, i16::MIN];
    let kept = scores.map(|score| pass(QUIET, "7g7f", score, None).is_ok());
    assert_eq!(kept, [true, true, false, false, false, false]);
    let mut filter = PositionFilter::new(2_000);
    assert_eq!(pass_with(&mut filter, QUIET, "7g7f", -2_001, None), Err(SkipReason::Score));
    assert!(pass_with(&mut filter, QUIET, "7g7f", -2_000, None).is_ok());
}

#[test]
fn positions_in_check_are_left_out() {
    assert_eq!(pass(IN_CHECK, "5i4i", 0, None), Err(SkipReason::Check));
    // Also if it is the best move, a capture, that gives the check.
    assert_eq!(pass("3gk4/9/3R5/9/9/9/9/9/4K4 b - 1", "6c6a+", 0, None), Err(SkipReason::Check));
}

#[test]
fn a_capture_is_replaced_by_the_position_after_it_from_the_other_side() {
    let kept = pass(OPEN_DIAGONALS, "8h2b+", 120, Some("6a5b")).expect("it is kept");
    let mut after = Position::from_sfen(OPEN_DIAGONALS).expect("a valid SFEN");
    after.do_move("8h2b+".parse().expect("a move"));
    assert_eq!(kept.position, after.pack().expect("two kings"));
    assert_eq!((kept.score, kept.result, kept.ply), (-120, -1, 4));
    assert_eq!(kept.best, Some("6a5b".parse().expect("a move")));
}

#[test]
fn a_quiet_promotion_is_replaced_as_well() {
    let sfen = "9/9/k1S6/9/9/9/9/9/4K4 b - 1";
    assert_eq!(pass(sfen, "7c6b+", 10, None).map(|kept| (kept.score, kept.ply, kept.best)), Ok((-10, 2, None)));
    assert_eq!(pass(sfen, "7c6b", 10, None).map(|kept| (kept.score, kept.ply)), Ok((10, 1)));
}

#[test]
fn captures_in_a_row_are_left_out() {
    assert_eq!(pass(OPEN_DIAGONALS, "8h2b+", 120, Some("3a2b")), Err(SkipReason::Tactical));
}

#[test]
fn a_capture_out_of_check_may_lead_to_a_quiet_position() {
    let kept = pass("4k4/9/9/9/9/9/9/4r4/4K4 b - 1", "5i5h", 500, None).expect("it is kept");
    assert_eq!((kept.score, kept.ply), (-500, 2));
}

#[test]
fn a_position_after_which_nothing_can_be_played_is_left_out() {
    // The last pawn of the other side is taken, and its king cannot move.
    let sfen = "8k/6G2/7SP/9/9/9/9/p8/L3K4 b - 1";
    let result = pass(sfen, "9i9h", 0, None);
    assert_eq!(result, Err(SkipReason::Over), "{result:?}");
}

#[test]
fn duplicates_are_left_out_however_they_came_about() {
    let mut filter = PositionFilter::new(u16::MAX);
    assert!(pass_with(&mut filter, OPEN_DIAGONALS, "8h2b+", 120, None).is_ok());
    assert_eq!(pass_with(&mut filter, OPEN_DIAGONALS, "8h2b+", 90, None), Err(SkipReason::Duplicate));
    // The move counter is no part of the position.
    let after = "lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 14";
    assert_eq!(pass_with(&mut filter, after, "6a5b", -90, None), Err(SkipReason::Duplicate));
    assert!(pass_with(&mut filter, OPEN_DIAGONALS, "2g2f", 120, None).is_ok());
    assert_eq!((filter.kept, filter.advanced, filter.dropped(SkipReason::Duplicate)), (2, 1, 2));
    assert_eq!(filter.dropped(SkipReason::Check), 0);
}

#[test]
fn one_quiet_position_in_a_number_is_kept_of_each_game_and_the_first_is_drawn() {
    let text = "7g7f 3c3d 2g2f 4c4d 3i4h 3a3b 4i5h 3b4c 5g5f 8b4b 5i6h 5a6b";
    let plies: Vec<Ply> = text.split(' ').map(|mv| Ply { mv: mv.parse().expect("a move"), score: 5 }).collect();
    let game = Game::new(&Position::startpos(), plies, 0, (Ending::PlyLimit, None)).expect("a legal game");
    let kept = |number: u64, seed: u64| {
        let mut filter = PositionFilter::new(u16::MAX).every(5, seed);
        filter.begin_game(number);
        let mut kept = Vec::new();
        let visited: Result<(), ()> = visit_records(&game, |record, pos, next| {
            kept.extend(filter.pass(record, pos, next).ok().map(|record| record.ply));
            Ok(())
        });
        assert_eq!((visited, filter.dropped(SkipReason::Thinned) + filter.kept), (Ok(()), 12));
        kept
    };
    let of_games: Vec<Vec<u16>> = (0..40).map(|number| kept(number, 1)).collect();
    assert!(
        of_games.iter().all(|kept| (1..=5).contains(&kept[0]) && kept.windows(2).all(|pair| pair[1] == pair[0] + 5))
    );
    assert!((1..=5).all(|first| of_games.iter().any(|kept| kept[0] == first)));
    assert_eq!(kept(3, 1), kept(3, 1));
    assert!((0..40).any(|number| kept(number, 1) != kept(number, 2)));
}
