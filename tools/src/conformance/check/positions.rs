//! Positions whose result is beyond doubt.

/// The beginning of a game, as every engine must know it.
pub(super) const START: &str = "position startpos";

/// A few moves into a game.
pub(super) const OPENING: &str = "position startpos moves 7g7f 3c3d 2g2f";

pub(super) const MATED: &str = "position sfen 8k/8G/7G1/9/9/9/9/9/K8 w - 1";

/// White is not in check and has no move.
pub(super) const STALEMATED: &str = "position sfen 8k/9/7GN/9/9/9/9/9/K8 w - 1";

/// Black mates in one move.
pub(super) const MATE_IN_ONE: &str = "position sfen 8k/9/7GG/9/9/9/9/9/K8 b - 1";

/// Mate in two for the side that does not move: one move is legal, and mate follows.
pub(super) const MATED_IN_TWO: &str = "position sfen 8k/9/7GG/9/9/9/9/9/K8 w - 1";

/// Mate in one as a SFEN without its move counter.
pub(super) const MATE_IN_ONE_AT: &str = "position sfen 8k/9/7GG/9/9/9/9/9/K8 b -";
/// The even start without White's rook, but for the move counter.
pub(super) const ROOK_AHEAD_AT: &str = "position sfen lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

/// Only a pawn drop would mate, which is illegal.
pub(super) const PAWN_DROP_MATE: &str = "position sfen 8k/9/7GN/9/9/9/9/9/K8 b P 1";

/// A mate problem: the attacker has no king.
pub(super) const NO_KING: &str = "position sfen 8k/9/7GG/9/9/9/9/9/9 b - 1";

/// The mate problem Microcosmos, 1,525 plies long.
pub(super) const LONGEST_MATE: &str =
    "position sfen g1+P1k1+P+P+L/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g b - 1";

/// Black has 28 points and ten pieces: a win by the rule of 27 points.
pub(super) const BLACK_28: &str =
    "position sfen +R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";

pub(super) const BLACK_27: &str =
    "position sfen +R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N2L7p2l 1";

/// Points enough, but nine pieces.
pub(super) const NINE_PIECES: &str =
    "position sfen +R8/2+NK1+R+P+P1/+P+PPS5/4+P1g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7Pl 1";

/// Points and pieces enough, but in check.
pub(super) const IN_CHECK: &str =
    "position sfen +R2g5/2+NK1+R+P+P1/+P+PPS+P4/7+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7Pl 1";

/// White has 27 points, which are enough for white.
pub(super) const WHITE_27: &str =
    "position sfen 2+PK5/3P5/+P1+PG1+B3/5G3/1P7/1+BG6/4+psp+p+p/1+p+p+r1k+n2/8+r w g3s3n2l7P2L 1";

pub(super) const WHITE_26: &str =
    "position sfen 2+PK5/3P5/+P1+PG1+B3/5G3/1P7/1+BG6/4+psp+p+p/1+p+p+r1k+n2/8+r w g3s2n2l7P2LN 1";

/// Black has given a rook; white moves first.
pub(super) const ROOK_HANDICAP: &str = "position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

/// White is a rook up. Moves follow.
pub(super) const ROOK_UP: &str = "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1 moves";

/// The kings go to and fro: four plies.
pub(super) const TO_AND_FRO: &str = " 5i5h 5a5b 5h5i 5b5a";

/// A rook checks a bare king. Moves follow.
pub(super) const CHECKING: &str = "position sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves";

/// It gives check, twice in four plies.
pub(super) const CHECKS: &str = " 4i5i 5a4a 5i4i 4a5a";

/// In check, with one legal move.
pub(super) const ONE_MOVE: &str = "position sfen k8/9/9/9/9/9/8r/6r2/8K b - 1";

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::movegen::count;
    use komainu::notation::usi::parse_position;
    use komainu::position::Position;

    fn read(text: &str) -> Position {
        parse_position(text.strip_prefix("position ").unwrap()).unwrap().position
    }

    #[test]
    fn the_positions_are_what_they_are_said_to_be() {
        assert_eq!(count(&read(ONE_MOVE)), 1);
        assert_eq!(count(&read(MATED_IN_TWO)), 1);
        for (text, in_check) in [(MATED, true), (STALEMATED, false)] {
            assert_eq!((count(&read(text)), read(text).in_check()), (0, in_check), "{text}");
        }
        assert!(read(IN_CHECK).in_check() && read(NO_KING).king(komainu::types::Color::Black).is_none());
        let played = format!("{ROOK_UP}{}", TO_AND_FRO.repeat(3));
        assert_eq!(read(&played).occurrences(), 4);
        assert_eq!(read(&format!("{CHECKING}{}", CHECKS.repeat(3))).occurrences(), 4);
    }
}
