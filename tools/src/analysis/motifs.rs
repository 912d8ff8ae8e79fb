//! Motifs of a line of play: what a side does in it that people have a word for.
//!
//! Each is a fact of the moves on the board: a piece that attacks two others takes one of them later in the line, a
//! threat of mate mates if the opponent passes. What a line shows and the line in its place does not is why one is
//! better than the other.

use super::pieces::{english, japanese, on_board, survives};
use komainu::bitboard::{Bitboard, attacks, king_attacks};
use komainu::mate::mate_in_three;
use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, PieceType};

/// Plies of a line in which motifs are looked for.
const LOOK: usize = 6;
/// Worth of a piece, in pawns, from which on an attack on it counts: a knight.
const WORTH: i32 = 4;

/// Something that a side does in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motif {
    /// It threatens mate. 詰めろ
    Threat,
    /// A piece attacks two others and takes one. 両取り
    Fork(PieceType),
    /// It takes a general beside the king.
    Guard(PieceType),
    /// A piece promotes and stays.
    Promotion(PieceType),
    /// The drop of a pawn makes a piece move, or is taken. 叩きの歩
    Tempo,
    /// A piece is dropped into the camp and stays.
    Drop(PieceType),
    /// Two checks and more. 王手で追う
    Chase,
}

impl Motif {
    /// The motifs in the order in which they are told.
    fn rank(self) -> usize {
        match self {
            Motif::Threat => 0,
            Motif::Fork(_) => 1,
            Motif::Guard(_) => 2,
            Motif::Promotion(_) => 3,
            Motif::Tempo => 4,
            Motif::Drop(_) => 5,
            Motif::Chase => 6,
        }
    }

    /// The sentences on a move that lets the opponent do this, and on one that leaves it undone, each in Japanese and
    /// English; `{}` stands for the piece.
    fn sentences(self) -> [[&'static str; 2]; 2] {
        match self {
            Motif::Threat => [
                ["詰めろを許した", "Allows a threat of mate"],
                ["詰めろをかける手順を逃した", "Misses a threat of mate"],
            ],
            Motif::Fork(_) => {
                [["{}の両取りを許した", "Allows a fork by {}"], ["{}の両取りを逃した", "Misses a fork by {}"]]
            }
            Motif::Guard(_) => [
                ["玉の守りの{}をはがされる", "Lets {} beside the king be taken"],
                ["玉の守りの{}をはがす手順を逃した", "Misses a line that takes {} beside the king"],
            ],
            Motif::Promotion(PieceType::Pawn) => [
                ["と金を作られる", "Lets a pawn promote"],
                ["と金を作る手順を逃した", "Misses a line that promotes a pawn"],
            ],
            Motif::Promotion(_) => [
                ["{}に成り込まれる", "Lets {} promote"],
                ["{}を成り込む手順を逃した", "Misses a line that promotes {}"],
            ],
            Motif::Tempo => [
                ["歩で先手を取られる", "Lets the drop of a pawn gain a move"],
                ["歩で先手を取る手順を逃した", "Misses a line in which a pawn gains a move"],
            ],
            Motif::Drop(_) => [
                ["自陣に{}を打ち込まれる", "Lets {} be dropped into the camp"],
                ["敵陣に{}を打ち込む手順を逃した", "Misses a line that drops {} into the camp"],
            ],
            Motif::Chase => [
                ["王手で玉を追われる", "Lets the king be chased"],
                ["王手で玉を追う手順を逃した", "Misses a line that chases the king"],
            ],
        }
    }

    /// The sentence on a move that lets the opponent do this, or else leaves it undone.
    fn words(self, is_allowed: bool) -> [String; 2] {
        let [allowed, missed] = self.sentences();
        let [ja, en] = if is_allowed { allowed } else { missed };
        match self {
            Motif::Fork(piece) | Motif::Guard(piece) | Motif::Promotion(piece) | Motif::Drop(piece) => {
                [ja.replace("{}", japanese(piece)), en.replace("{}", english(piece))]
            }
            Motif::Threat | Motif::Tempo | Motif::Chase => [ja.to_string(), en.to_string()],
        }
    }
}

/// A motif that one of two lines has and the other has not.
pub(super) struct Difference {
    pub(super) words: [String; 2],
    /// Plies of the line that show it.
    pub(super) plies: usize,
    /// It is the opponent's, in the line that was played; else it is the mover's own, in the best line.
    pub(super) is_allowed: bool,
}

/// Finds what the line that was played lets the opponent do and the best one does not, or else what the mover does in
/// the best line alone. The lines are long enough to show it in the other one as well.
pub(super) fn difference(pos: &Position, played: &[Move], best: &[Move]) -> Option<Difference> {
    let us = pos.side();
    // A side that has been kept from doing something may come to it a move later.
    let allowed = only_in(pos, played, best, !us, 0);
    let missed = only_in(pos, best, played, us, 1);
    let missed_first = match (&allowed, &missed) {
        (Some((allowed, _)), Some((missed, _))) => missed.rank() < allowed.rank(),
        (allowed, _) => allowed.is_none(),
    };
    if missed_first {
        let (motif, at) = missed?;
        Some(Difference { words: motif.words(false), plies: best.len().min(at + 3), is_allowed: false })
    } else {
        let (motif, at) = allowed?;
        Some(Difference { words: motif.words(true), plies: played.len().min(at + 3), is_allowed: true })
    }
}

/// The first motif of a side that one line has and the other, which is long enough to show it, has not.
fn only_in(pos: &Position, with: &[Move], without: &[Move], side: Color, margin: usize) -> Option<(Motif, usize)> {
    let others = motifs(pos, without, side);
    let mut found = motifs(pos, with, side);
    found.retain(|(motif, at)| {
        without.len() > at + margin && others.iter().all(|(other, _)| other.rank() != motif.rank())
    });
    found.into_iter().min_by_key(|(motif, at)| (motif.rank(), *at))
}

/// The motifs of a side in a line, each with the number of moves before it.
fn motifs(start: &Position, line: &[Move], side: Color) -> Vec<(Motif, usize)> {
    let mut pos = start.clone();
    let mut found = Vec::new();
    let mut checks = 0;
    for (at, &mv) in line.iter().enumerate().take(LOOK) {
        let before = pos.clone();
        pos.do_move(mv);
        if before.side() != side {
            continue;
        }
        let rest = &line[at + 1..];
        let all = [
            (at < 2 && threatens(&before, &pos)).then_some(Motif::Threat),
            fork(&pos, mv, rest).map(Motif::Fork),
            guard(&before, mv).map(Motif::Guard),
            promotion(&before, mv, rest).map(Motif::Promotion),
            gains_a_move(&before, mv, rest).then_some(Motif::Tempo),
            dropped(mv, side, rest).map(Motif::Drop),
        ];
        found.extend(all.into_iter().flatten().map(|motif| (motif, at)));
        checks += usize::from(pos.in_check());
        if checks == 2 && pos.in_check() {
            found.push((Motif::Chase, at));
        }
    }
    found
}

/// Tests whether a move threatens a mate that was not there before.
fn threatens(before: &Position, after: &Position) -> bool {
    if after.in_check() || mate_in_three(&mut before.clone()).is_some() {
        return false;
    }
    let mut passed = after.clone();
    passed.do_null_move();
    mate_in_three(&mut passed).is_some()
}

/// The piece that attacks two others and takes one of them in the rest of the line.
fn fork(after: &Position, mv: Move, rest: &[Move]) -> Option<PieceType> {
    let piece = after.piece_on(mv.to())?;
    let side = piece.color();
    let own_worth = on_board(piece.piece_type());
    let mut victims = Vec::new();
    for square in attacks(side, piece.piece_type(), mv.to(), after.occupied()) & after.pieces(!side) {
        let victim = after.piece_on(square)?.piece_type();
        let is_loose = !after.is_attacked(!side, square, after.occupied());
        if victim == PieceType::King || on_board(victim) >= WORTH && (is_loose || on_board(victim) > own_worth) {
            victims.push(square);
        }
    }
    let MoveKind::Board { from, to, .. } = rest.get(1)?.kind() else { return None };
    let takes = from == mv.to() && victims.contains(&to);
    (victims.len() >= 2 && takes).then_some(piece.piece_type())
}

/// The general beside the king that a move takes.
fn guard(before: &Position, mv: Move) -> Option<PieceType> {
    let king = before.king(!before.side())?;
    let taken = before.piece_on(mv.to())?.piece_type();
    let is_general = matches!(taken, PieceType::Gold | PieceType::Silver);
    (is_general && king_attacks(king).contains(mv.to())).then_some(taken)
}

/// The piece that a move promotes, if it stays on the board.
fn promotion(before: &Position, mv: Move, rest: &[Move]) -> Option<PieceType> {
    let MoveKind::Board { from, to, promote: true } = mv.kind() else { return None };
    (rest.len() >= 2 && survives(to, rest)).then_some(before.piece_on(from)?.piece_type())
}

/// Tests whether the drop of a pawn attacks a piece that answers it.
fn gains_a_move(before: &Position, mv: Move, rest: &[Move]) -> bool {
    let MoveKind::Drop { piece_type: PieceType::Pawn, to } = mv.kind() else { return false };
    let Some(attacked) = attacks(before.side(), PieceType::Pawn, to, before.occupied()).into_iter().next() else {
        return false;
    };
    let victim = before.piece_on(attacked).filter(|piece| piece.color() != before.side());
    if victim.is_none_or(|piece| on_board(piece.piece_type()) <= 1) {
        return false;
    }
    rest.first().is_some_and(|answer| match answer.kind() {
        MoveKind::Board { from, .. } => from == attacked || answer.to() == to,
        MoveKind::Drop { .. } => false,
    })
}

/// The piece that is dropped into the camp of the opponent and stays.
fn dropped(mv: Move, side: Color, rest: &[Move]) -> Option<PieceType> {
    let MoveKind::Drop { piece_type, to } = mv.kind() else { return None };
    let is_heavy = on_board(piece_type) > WORTH;
    (is_heavy && Bitboard::zone(side).contains(to) && rest.len() >= 2 && survives(to, rest)).then_some(piece_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Vec<Move> {
        text.split_ascii_whitespace().map(|mv| mv.parse().unwrap()).collect()
    }

    fn found(sfen: &str, moves: &str) -> Vec<Motif> {
        let pos = Position::from_sfen(sfen).unwrap();
        motifs(&pos, &line(moves), pos.side()).into_iter().map(|(motif, _)| motif).collect()
    }

    #[test]
    fn a_fork_is_one_only_if_the_piece_takes_what_it_attacks() {
        // A knight on 5c attacks the gold on 4a and the silver on 6a.
        let sfen = "3s1g3/k8/9/9/9/9/9/9/4K4 b N 1";
        assert_eq!(found(sfen, "N*5c 9b9a 5c4a+ 9a9b"), [Motif::Fork(PieceType::Knight)]);
        assert_eq!(found(sfen, "N*5c 9b9a 5i5h 9a9b"), []);
        // One piece is no fork.
        assert_eq!(found("5g3/k8/9/9/9/9/9/9/4K4 b N 1", "N*5c 9b9a 5c4a 9a9b"), []);
    }

    #[test]
    fn a_threat_of_mate_mates_if_the_opponent_passes() {
        let sfen = "4k4/9/9/4P4/9/9/9/9/4K4 b 2G 1";
        assert_eq!(found(sfen, "5d5c 5a4a"), [Motif::Threat]);
        assert_eq!(found("4k4/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c 5a4a"), [], "nothing to mate with");
        assert_eq!(found("4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1", "5i5h 5a4a"), [], "the mate was there");
    }

    #[test]
    fn generals_beside_the_king_are_its_guard() {
        let sfen = "3gk4/9/3R5/9/9/9/9/9/4K4 b - 1";
        assert_eq!(found(sfen, "6c6a 5a6a"), [Motif::Guard(PieceType::Gold)]);
        assert_eq!(found("1g2k4/9/1R7/9/9/9/9/9/4K4 b - 1", "8c8a 5a5b"), [], "too far away");
    }

    #[test]
    fn pieces_come_into_the_camp_and_stay() {
        let sfen = "4k4/9/9/9/9/2S6/9/9/4K4 b R 1";
        assert_eq!(found("4k4/9/9/2S6/9/9/9/9/4K4 b - 1", "7d7c+ 5a4a 5i5h"), [Motif::Promotion(PieceType::Silver)]);
        assert_eq!(found(sfen, "R*2b 5a6a 5i5h"), [Motif::Drop(PieceType::Rook)]);
        assert_eq!(found("4k4/9/9/9/9/9/9/9/4K4 b R 1", "R*5b 5a5b 5i5h"), [], "it is taken");
        assert_eq!(found(sfen, "R*2e 5a6a 5i5h"), [], "outside");
    }

    #[test]
    fn the_drop_of_a_pawn_gains_a_move_if_the_piece_answers() {
        let sfen = "4k4/9/2s6/9/9/9/9/9/4K4 b P 1";
        assert_eq!(found(sfen, "P*7d 7c6d"), [Motif::Tempo]);
        assert_eq!(found(sfen, "P*7d 7c7d"), [Motif::Tempo], "it takes");
        assert_eq!(found(sfen, "P*7d 5a5b"), [], "nobody minds");
        assert_eq!(found(sfen, "P*3d 5a5b"), [], "nothing is attacked");
    }

    #[test]
    fn what_both_lines_show_is_no_difference() {
        let pos = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w r 1").unwrap();
        let told =
            |played: &str, best: &str| difference(&pos, &line(played), &line(best)).map(|found| found.words[1].clone());
        let quiet = "5a5b 5i5h 5b5a 5h5i 5a5b 5i5h";
        let drop = "R*2h 5i4i 5a5b 4i3i 2h6h 3i2i";
        assert_eq!(told(quiet, drop).as_deref(), Some("Misses a line that drops a rook into the camp"));
        assert_eq!(told(drop, drop), None);
        assert_eq!(told(quiet, quiet), None);
        assert_eq!(told("5a5b 5i5h", drop), Some("Misses a line that drops a rook into the camp".into()));
        assert_eq!(told("5a5b", drop), None, "too short to say");
    }
}
