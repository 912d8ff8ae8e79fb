//! Random games, the same in every run.

use super::compare::sorted;
use komainu::movegen::All;
use komainu::position::{Handicap, Position};
use komainu::random::SplitMix64;
use komainu::types::Move;

/// Plies after which a game is broken off.
pub(crate) const LONGEST_GAME: usize = 200;

/// Boards that random play from an even start reaches late or never: full hands, bare kings, kings in the enemy camp,
/// many sliders, and a side without a king.
const RICH_STARTS: [&str; 12] = [
    "4k4/9/9/9/4r4/9/9/9/4K4 b RB2G2S2N2L9Pb2g2s2n2l9p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "8k/9/9/9/9/9/9/9/K8 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "k3r3b/9/4G1S2/9/4K1N1+r/9/2L6/9/+b8 b GSNLP2g2s2n2l17p 1",
    "1+R2K2+B1/+P+P+P3+P2/3GS4/9/9/9/4sg3/2+p3+p+p+p/1+b2k2+r1 b GS2N2L5Pgs2n2l5p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "lnsk1g3/4r1s+R+B/2Nppp2p/1pp6/p8/1L7/1PPPPPN1P/1BGSG4/LN3KS1L w G4Pp 1",
    "k1K6/9/9/9/9/9/9/9/9 b R2B2G2S2N2L9Pr2g2s2n2l9p 1",
    "6+P1k/9/9/9/4+r4/9/9/9/K1+p6 b RBGSNL8Pb3g3s3n3l8p 1",
    "4k4/9/9/9/9/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "9/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1",
];

/// The start of the game with this number: the even start half the time, else a handicap or a rich board.
pub(crate) fn start(game: usize) -> &'static str {
    match game % 4 {
        0 | 2 => Handicap::Even.sfen(),
        1 => Handicap::USUAL[1 + game / 4 % 9].sfen(),
        _ => RICH_STARTS[game / 4 % RICH_STARTS.len()],
    }
}

/// A game between players who prefer captures and checks a little and are blind otherwise. Every position is shown,
/// the final one too.
pub(crate) fn random_game(seed: u64, game: usize, mut show: impl FnMut(&Position)) {
    let mut random = SplitMix64(seed ^ (game as u64) << 32);
    let mut pos = Position::from_sfen(start(game)).expect("the starts are valid");
    show(&pos);
    for _ in 0..LONGEST_GAME {
        let Some(mv) = choose(&mut pos, &mut random) else { return };
        pos.do_move(mv);
        show(&pos);
    }
}

/// A random legal move: one in four captures if it can, one in four checks if a few tries find a check.
pub(crate) fn choose(pos: &mut Position, random: &mut SplitMix64) -> Option<Move> {
    // Sorted, so that the games do not depend on the generator's order.
    let moves = sorted::<All>(pos);
    if moves.is_empty() {
        return None;
    }
    let first = *random.pick(&moves);
    match random.below(4) {
        0 => {
            let captures: Vec<Move> = moves.iter().copied().filter(|mv| pos.piece_on(mv.to()).is_some()).collect();
            Some(if captures.is_empty() { first } else { *random.pick(&captures) })
        }
        1 => {
            for _ in 0..8 {
                let mv = *random.pick(&moves);
                pos.do_move(mv);
                let checks = pos.in_check();
                pos.undo();
                if checks {
                    return Some(mv);
                }
            }
            Some(first)
        }
        _ => Some(first),
    }
}
