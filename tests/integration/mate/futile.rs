//! Lines without futile interpositions, checked by the rules alone.

use super::problems;
use komainu::bitboard::between;
use komainu::mate::{Mate, MateAnswer, Query, Solver};
use komainu::movegen::{All, generate, is_legal};
use komainu::position::{Position, PositionBuilder};
use komainu::types::{Move, MoveKind};

fn solve(pos: &Position) -> Option<Mate> {
    let query = Query { shortest: true, without_futile: true, ..Query::default() };
    match Solver::new(16).unwrap().solve(pos, &query).answer {
        MateAnswer::Mate(mate) => Some(mate),
        _ => None,
    }
}

fn in_usi(line: &[Move]) -> String {
    line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

/// The same board, the piece of a drop given back to the side to move.
fn given_back(pos: &Position, drop: Move) -> Position {
    let MoveKind::Drop { piece_type, .. } = drop.kind() else { panic!("{drop} is no drop") };
    let us = pos.side();
    let mut builder = PositionBuilder::from(pos);
    builder.hand(us, piece_type, 1).empty_hand(!us);
    for (held, count) in pos.hand(!us).iter() {
        builder.hand(!us, held, u32::from(count) - u32::from(held == piece_type));
    }
    builder.build().unwrap()
}

/// Whether the side to move is mated but for drops that only feed the checker.
fn is_mated_but_for_futile_drops(pos: &Position) -> bool {
    let answers = generate::<All>(pos);
    let king = pos.king(pos.side()).unwrap();
    let checkers = pos.checkers();
    pos.in_check()
        && answers.iter().all(|&answer| {
            let inside = between(king, checkers.first().unwrap());
            answer.is_drop() && !checkers.is_many() && inside.contains(answer.to()) && {
                let checker = checkers.first().unwrap();
                [Move::promotion(checker, answer.to()), Move::board(checker, answer.to())].into_iter().any(|capture| {
                    let mut after = pos.after(answer);
                    is_legal(&after, capture) && {
                        after.do_move(capture);
                        is_mated_but_for_futile_drops(&given_back(&after, answer))
                    }
                })
            }
        })
}

#[test]
fn a_rook_that_mates_from_afar_mates_at_once() {
    // By the rules three pieces can be fed to the rook.
    let mate = solve(&Position::from_sfen("7lk/9/7G1/9/4R4/9/9/9/9 b r2b3g4s4n3l18p 1").unwrap()).unwrap();
    assert_eq!((mate.length, mate.is_exact), (7, true), "{mate:?}");
    assert_eq!(in_usi(&mate.without_futile.unwrap()), "5e1e");
    assert_eq!(mate.left_over, []);
}

#[test]
fn a_drop_that_costs_the_checker_is_not_futile() {
    // A rook on 6f that took the lance would be taken by the king.
    let sfen = "3gk3+B/1+r2LsS2/1npp1g2p/1NP2p3/1P1P3pP/1nL1KP1s1/6+p2/3G2P2/P1rS4L w GNL3Pb2p 1";
    let mate = solve(&Position::from_sfen(sfen).unwrap()).unwrap();
    assert!(in_usi(&mate.without_futile.unwrap_or(mate.line)).contains(" 7i7f+ L*6f P*5e "));
}

#[test]
fn lines_without_futile_interpositions_end_where_nothing_else_is_left() {
    let mut seen = 0;
    let mut cut = 0;
    for (pos, plies) in problems().into_iter().filter(|problem| problem.1.is_some_and(|plies| plies <= 13)) {
        let mate = solve(&pos).unwrap();
        seen += 1;
        assert_eq!(Some(mate.length), plies);
        let Some(line) = mate.without_futile else { continue };
        cut += 1;
        let mut end = pos.clone();
        for (ply, &mv) in line.iter().enumerate() {
            assert!(is_legal(&end, mv), "{mv}: {pos:?}");
            end.do_move(mv);
            assert!(ply % 2 == 1 || end.in_check(), "{mv}: {pos:?}");
        }
        assert!(line.len() % 2 == 1 && line.len() <= mate.length as usize, "{line:?}: {pos:?}");
        assert!(is_mated_but_for_futile_drops(&end), "{}: {pos:?}", in_usi(&line));
    }
    println!("{seen} problems, {cut} with futile interpositions");
    assert!(cut > 5);
}
