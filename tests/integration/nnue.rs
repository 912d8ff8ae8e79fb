//! Nets against a second implementation, and incrementally updated accumulators against fresh ones.
//!
//! The nets are random: what is tested is arithmetic, not strength. Some have numbers like nets that play, some as
//! large as the format allows, so that accumulators wrap around and everything saturates.

mod nets;
mod oracle;

use komainu::eval::nnue::{InstructionSet, Net, Nnue, Shape, scalar};
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::random::SplitMix64;
use komainu::types::Move;
use nets::{Kind, SPECIAL, random_net};
use oracle::Oracle;

/// A legal move picked at random.
fn random_move(pos: &Position, random: &mut SplitMix64) -> Option<Move> {
    let moves = generate::<All>(pos);
    if moves.is_empty() { None } else { Some(*random.pick(&moves)) }
}

/// Positions of random games, all lengths, and the special ones.
fn positions() -> Vec<Position> {
    let mut random = SplitMix64(77);
    let mut list: Vec<Position> = SPECIAL.iter().map(|sfen| Position::from_sfen(sfen).expect(sfen)).collect();
    while list.len() < 260 {
        let mut pos = Position::startpos();
        for _ in 0..random.below(250) {
            let Some(mv) = random_move(&pos, &mut random) else { break };
            pos.do_move(mv);
        }
        list.push(pos);
    }
    list
}

fn net(bytes: &[u8]) -> Net {
    Net::from_bytes("random", bytes).expect("the random net is a net")
}

#[test]
fn every_path_gives_the_output_of_a_second_implementation() {
    let positions = positions();
    for (kind, extreme) in Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let bytes = random_net(kind, extreme, 1);
        let net = net(&bytes);
        let oracle = Oracle::new(kind, &bytes);
        let mut written = Vec::new();
        net.write(&mut written).expect("a vector takes all bytes");
        // Weights that no output sees are not kept.
        let is_sharded = kind.words().any(|word| word.starts_with('C'));
        assert!(written == bytes || is_sharded, "{kind:?} is written as it was read");
        let mut outputs = Vec::new();
        // One evaluation for each instruction set: to pack many stacks of layers for it takes longer than to evaluate.
        let start = Position::startpos();
        let mut paths = InstructionSet::available()
            .into_iter()
            .map(|set| (set, Nnue::with_instructions(&net, &start, set)))
            .collect::<Vec<_>>();
        // All positions for the shapes that nets most often have, some for the others.
        let share = if Kind::ALL[..4].contains(&kind) { 1 } else { 6 };
        for pos in positions.iter().step_by(share) {
            let expected = oracle.output(&pos.to_sfen());
            assert_eq!(scalar::output(&net, pos), expected, "{kind:?} {extreme} {pos:?}");
            for (set, eval) in &mut paths {
                eval.reset(pos);
                assert_eq!(eval.output(pos), expected, "{kind:?} {extreme} {set} {pos:?}");
            }
            outputs.push(expected);
        }
        // The test would be worth little if the nets said the same of all positions; extreme ones saturate often, small
        // ones nearly always.
        outputs.sort_unstable();
        outputs.dedup();
        let least = if extreme { 2 } else { 100 / share };
        assert!(outputs.len() >= least, "{kind:?} {extreme}: {} different outputs", outputs.len());
    }
}

/// Plays a random game with moves taken back and null moves, and compares the output where it asks for it.
fn follow_a_game(net: &Net, eval: &mut Nnue, random: &mut SplitMix64) -> usize {
    let mut pos = if random.below(4) == 0 {
        Position::from_sfen(SPECIAL[random.below(SPECIAL.len())]).expect("the special positions are right")
    } else {
        Position::startpos()
    };
    eval.reset(&pos);
    let mut compared = 0;
    for _ in 0..random.below(400) {
        match random.below(10) {
            0 | 1 if pos.moves_made() > 0 => {
                for _ in 0..1 + random.below(3).min(pos.moves_made() - 1) {
                    if pos.last_move().is_some() {
                        eval.pop();
                    }
                    pos.undo();
                }
            }
            2 if !pos.in_check() => pos.do_null_move(),
            _ => {
                let Some(mv) = random_move(&pos, random) else { break };
                eval.push();
                pos.do_move_observed(mv, eval);
            }
        }
        // Not asked at every ply, as in a search: several moves may wait.
        if random.below(3) > 0 {
            assert_eq!(eval.output(&pos), scalar::output(net, &pos), "{} {pos:?}", eval.shape());
            compared += 1;
        }
    }
    compared
}

fn follow_games(games: impl Fn(Kind) -> usize, seed: u64) {
    for (kind, extreme) in Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let net = net(&random_net(kind, extreme, 2));
        let mut random = SplitMix64(seed);
        for set in InstructionSet::available() {
            let mut eval = Nnue::with_instructions(&net, &Position::startpos(), set);
            let games = games(kind);
            let compared: usize = (0..games).map(|_| follow_a_game(&net, &mut eval, &mut random)).sum();
            assert!(compared > 30 * games, "{compared} comparisons");
        }
    }
}

#[test]
fn updated_accumulators_equal_fresh_ones() {
    follow_games(|kind| if Kind::ALL[..4].contains(&kind) { 25 } else { 5 }, 3);
}

/// The long run: so many games for each family, each size of numbers and each instruction set.
#[test]
#[ignore = "takes an hour"]
fn updated_accumulators_equal_fresh_ones_in_two_thousand_games() {
    let games = std::env::var("KOMAINU_NET_GAMES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    follow_games(|_| games, 4);
}

#[test]
fn a_position_turned_round_with_colours_swapped_has_the_same_output() {
    for kind in [Kind::KP, Kind::KA2, Kind::ALL[2]] {
        let net = net(&random_net(kind, false, 3));
        let both = [
            ("3k5/4g4/9/9/4P4/9/9/4S4/2K6 b Rp 1", "6k2/4s4/9/9/4p4/9/9/4G4/5K3 w Pr 1"),
            (SPECIAL[8], "lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b GSN5Prg 1"),
        ];
        for (sfen, turned) in both {
            let [a, b] = [sfen, turned].map(|sfen| {
                let pos = Position::from_sfen(sfen).expect(sfen);
                Nnue::new(&net, &pos).output(&pos)
            });
            assert_eq!(a, b, "{kind:?} {sfen}");
        }
    }
}

#[test]
fn scores_are_outputs_over_the_scale_in_centipawns() {
    let net = net(&random_net(Kind::KP, false, 4));
    assert_eq!(net.shape(), Shape::KP);
    let mut scores = Vec::new();
    for pos in positions() {
        let mut eval = Nnue::new(&net, &pos);
        let output = eval.output(&pos);
        assert_eq!(eval.evaluate(&pos).0, output / 16 * 100 / 90);
        scores.push(output);
        assert_eq!(Nnue::new(&net, &pos).with_fv_scale(24).evaluate(&pos).0, output / 24 * 100 / 90);
    }
    assert!(scores.iter().any(|&score| score < -100) || scores.iter().any(|&score| score > 100), "{scores:?}");
}

/// The position after a pawn has gone from the hand of the side to move to the other hand.
#[cfg(own_net)]
fn with_a_pawn_given_away(pos: &Position) -> Option<Position> {
    use komainu::position::PositionBuilder;
    use komainu::types::PieceType;
    let us = pos.side();
    let mut builder = PositionBuilder::from(pos);
    builder.hand(!us, PieceType::Pawn, 1).empty_hand(us);
    for piece_type in PieceType::HAND {
        let held = u32::from(pos.hand(us).count(piece_type));
        let count = if piece_type == PieceType::Pawn { held.checked_sub(1)? } else { held };
        builder.hand(us, piece_type, count);
    }
    builder.build().ok()
}

/// The scale of the built-in net is chosen such that users read its scores as they are used to.
#[cfg(own_net)]
#[test]
fn a_pawn_in_hand_is_worth_some_seventy_points_to_the_built_in_net() {
    use komainu::eval::nnue::{EMBEDDED_FV_SCALE, embedded};
    let net = embedded().expect("the built-in net");
    let points = |pos: &Position| Nnue::new(&net, pos).with_fv_scale(EMBEDDED_FV_SCALE).evaluate(pos).0;
    let mut sum = 0;
    let mut count = 0;
    for sfen in include_str!("../data/even.txt").lines().filter(|line| !line.starts_with('#')) {
        let pos = Position::from_sfen(sfen).expect(sfen);
        if let Some(poorer) = with_a_pawn_given_away(&pos) {
            sum += points(&pos) - points(&poorer);
            count += 2;
        }
    }
    assert!(count > 500, "{count} pawns");
    assert!((60..=85).contains(&(sum / count)), "{} points over {count} pawns", sum / count);
}
