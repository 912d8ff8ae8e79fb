//! Why a move has its label, in words that a line of the search proves.
//!
//! A sentence is made from a template, and only if its line shows on the board what it says: a mate by its last position, a
//! piece that is lost or won by the balance of material where the line is quiet. Everything else is left unsaid.

use super::line_text::japanese_line;
use super::result::PositionResult;
use crate::movegen::has_legal_move;
use crate::notation::score::ReportedScore;
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, PieceType, Square};
use serde::Serialize;

/// A sentence on a move, with the line of play that proves it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// In Japanese.
    pub ja: String,
    /// In English.
    pub en: String,
    /// Moves that had been made where the line begins.
    pub at: usize,
    /// The line in USI.
    pub line: Vec<String>,
    /// The line in Japanese.
    pub text: String,
}

/// Evidence about a move with a label.
pub(super) struct Evidence<'a> {
    /// Moves made before it.
    pub(super) ply: usize,
    /// The position before it.
    pub(super) pos: &'a Position,
    pub(super) mv: Move,
    pub(super) before: &'a PositionResult,
    /// The position after it, if it was searched.
    pub(super) after: Option<&'a PositionResult>,
}

/// Plies of a line that are looked at.
const LOOK: usize = 9;
/// Plies of the best line, at least, that show a piece outside which comes in after the move that was played.
const LEAST: usize = 4;
/// Least gain that is worth a sentence: a knight.
const WORTH: i32 = 4;

/// The sentences on a move, at most two.
pub(super) fn reasons(evidence: &Evidence<'_>) -> Vec<Reason> {
    let mut found = Vec::new();
    found.extend(evidence.missed_mate());
    found.extend(evidence.allowed_mate());
    if found.is_empty() {
        found.extend(evidence.lost_piece());
        found.extend(evidence.missed_piece());
    }
    if found.is_empty() {
        found.extend(evidence.entry());
    }
    found.truncate(2);
    found
}

/// Tells whether a line of a comment is a sentence of an analysis with its line of play.
pub(super) fn is_reason(line: &str) -> bool {
    const BEGINNINGS: [&str; 5] =
        ["Misses a mate in ", "Allows a mate in ", "Loses a ", "Misses a line that wins a ", "Lets the "];
    const ENDS: [&str; 5] = ["手詰）", "順を逃した", "順を許した", "を取られる", "に成り込まれる"];
    line.split_once('：').is_some_and(|(words, moves)| {
        let is_template =
            BEGINNINGS.iter().any(|begins| words.starts_with(begins)) || ENDS.iter().any(|ends| words.ends_with(ends));
        is_template && moves.starts_with(['▲', '△'])
    })
}

impl Evidence<'_> {
    fn reason(&self, ja: String, en: String, at: usize, line: &[Move]) -> Reason {
        let mut pos = self.pos.clone();
        if at > self.ply {
            pos.do_move(self.mv);
        }
        let text = japanese_line(&pos, line).join(" ");
        Reason { ja, en, at, line: line.iter().map(Move::to_string).collect(), text }
    }

    fn position_after(&self) -> Position {
        let mut pos = self.pos.clone();
        pos.do_move(self.mv);
        pos
    }

    fn missed_mate(&self) -> Option<Reason> {
        let Some(ReportedScore::Mate(plies @ 1..)) = self.before.best() else { return None };
        let line = self.before.best_line()?;
        let is_shown = !self.before.declares && line.len() == plies as usize && line.first() != Some(&self.mv);
        let by_checks = mate(self.pos, line).filter(|_| is_shown)?;
        let ja = match by_checks {
            true => format!("詰みを逃した（{plies}手詰）"),
            false => format!("{plies}手で玉を詰ます順を逃した"),
        };
        Some(self.reason(ja, format!("Misses a mate in {plies}"), self.ply, line))
    }

    fn allowed_mate(&self) -> Option<Reason> {
        let after = self.after?;
        let Some(ReportedScore::Mate(plies @ 1..)) = after.best() else { return None };
        let line = after.best_line()?;
        let is_shown = !after.declares && line.len() == plies as usize;
        let by_checks = mate(&self.position_after(), line).filter(|_| is_shown)?;
        let ja = match by_checks {
            true => format!("詰みを許した（{plies}手詰）"),
            false => format!("{plies}手で玉を詰まされる順を許した"),
        };
        Some(self.reason(ja, format!("Allows a mate in {plies}"), self.ply + 1, line))
    }

    /// The line of play after the move, and the best one, each from the position before.
    fn lines(&self) -> Option<(Vec<Move>, &[Move])> {
        let reply = &self.after?.lines.first()?.pv;
        let played: Vec<Move> = std::iter::once(self.mv).chain(reply.iter().copied()).collect();
        Some((played, &self.before.lines.first()?.pv))
    }

    fn lost_piece(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let side = self.pos.side();
        let (lost, would) = (Balance::of(self.pos, &played)?, Balance::of(self.pos, best)?);
        // The best line must be long enough to lose the piece as well.
        let piece = lost.dearest(!side, best.len())?;
        // Nothing of what is lost comes back, not even for another piece, and the best line loses nothing like it.
        let least = 2 * (piece.worth - 1);
        let most = lost.gain.max(lost.end);
        let is_lost = piece.worth >= WORTH && most <= -least && lost.is_free(side);
        let is_shown = is_lost && would.gain.min(would.end) >= most + least;
        let words = (format!("{}を取られる", japanese(piece.name)), format!("Loses {}", english(piece.name)));
        is_shown.then(|| self.reason(words.0, words.1, self.ply + 1, &played[1..lost.plies]))
    }

    fn missed_piece(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let side = self.pos.side();
        let (got, would) = (Balance::of(self.pos, &played)?, Balance::of(self.pos, best)?);
        // The line that was played must be long enough to win the piece after the next move of the opponent.
        let piece = would.dearest(side, played.len().saturating_sub(2))?;
        let least = 2 * (piece.worth - 1);
        let is_won = piece.worth >= WORTH && would.gain.min(would.end) >= least && would.is_free(!side);
        let is_shown = is_won && got.gain.max(got.end) <= would.gain - least;
        let words = (
            format!("{}を取れる手順を逃した", japanese(piece.name)),
            format!("Misses a line that wins {}", english(piece.name)),
        );
        is_shown.then(|| self.reason(words.0, words.1, self.ply, &best[..would.plies]))
    }

    /// A bishop or rook of the opponent comes in with the next move and stays.
    fn entry(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let entering = |pos: &Position, mv: Move| match mv.kind() {
            MoveKind::Board { from, promote: true, .. } => {
                let piece = pos.piece_on(from)?.piece_type();
                matches!(piece, PieceType::Bishop | PieceType::Rook).then_some(piece)
            }
            _ => None,
        };
        let after = self.position_after();
        let reply = *played.get(1)?;
        let piece = entering(&after, reply)?;
        // It is not taken while the line is looked at, and in the best line it stays outside.
        let stays = played.len() >= 5 && survives(reply.to(), &played[2..played.len().min(LOOK)]);
        let mut pos = self.pos.clone();
        let comes_anyway = best.len() < LEAST
            || best.iter().take(LOOK).any(|&mv| {
                let is_entry = pos.side() != self.pos.side() && entering(&pos, mv) == Some(piece);
                pos.do_move(mv);
                is_entry
            });
        let words = (
            format!("{}に成り込まれる", japanese(piece)),
            format!("Lets {} promote", english(piece).replace("a ", "the ")),
        );
        let shown = &played[1..played.len().min(LOOK)];
        (stays && !comes_anyway).then(|| self.reason(words.0, words.1, self.ply + 1, shown))
    }
}

/// Tells of a line that ends in mate whether every move of the winner gives check, as a tsume has it; `None` if it is no
/// mate.
fn mate(pos: &Position, line: &[Move]) -> Option<bool> {
    let (mut pos, winner) = (pos.clone(), pos.side());
    let mut by_checks = true;
    for &mv in line {
        pos.do_move(mv);
        by_checks &= pos.side() == winner || pos.in_check();
    }
    (pos.in_check() && !has_legal_move(&pos)).then_some(by_checks)
}

/// Tells whether the piece on a square is not taken in a line, wherever it goes.
fn survives(mut square: Square, line: &[Move]) -> bool {
    for mv in line {
        match mv.kind() {
            MoveKind::Board { from, to, .. } if from == square => square = to,
            _ if mv.to() == square => return false,
            _ => {}
        }
    }
    true
}

/// A piece that is taken in a line.
#[derive(Clone, Copy)]
struct Capture {
    /// Plies of the line before it.
    at: usize,
    side: Color,
    /// Worth in pawns, unpromoted.
    worth: i32,
    /// The piece as it was before the line: one that promotes in it and is taken then is no promoted piece that is lost.
    name: PieceType,
}

/// Change of the material by a line, up to its last quiet place within a few plies.
struct Balance {
    /// By how much the side that moves first is more ahead of the other than before, in pawns: a piece that changes hands
    /// counts for both.
    gain: i32,
    /// Gain at the end of the line, as far as it is looked at: less where something comes back after the quiet place.
    end: i32,
    /// Plies of the line that were counted.
    plies: usize,
    /// The pieces that were taken up to there.
    taken: Vec<Capture>,
}

impl Balance {
    /// `None` if the line has no quiet place: exchanges may go on where it ends.
    fn of(pos: &Position, line: &[Move]) -> Option<Balance> {
        let side = pos.side();
        let mut pos = pos.clone();
        let (mut gain, mut quiet) = (0, None);
        let mut taken: Vec<Capture> = Vec::new();
        let mut promoted: Vec<Square> = Vec::new();
        for (at, &mv) in line.iter().take(LOOK).enumerate() {
            let mover = pos.side();
            let sign = if mover == side { 1 } else { -1 };
            let captured = match mv.kind() {
                MoveKind::Board { to, .. } => pos.piece_on(to).map(|piece| piece.piece_type()),
                MoveKind::Drop { .. } => None,
            };
            if let Some(piece) = captured {
                gain += sign * (on_board(piece) + on_board(piece.unpromoted()));
                let name = if promoted.contains(&mv.to()) { piece.unpromoted() } else { piece };
                taken.push(Capture { at, side: mover, worth: on_board(piece.unpromoted()), name });
            }
            promoted.retain(|&square| square != mv.to());
            if let MoveKind::Board { from, to, promote } = mv.kind() {
                if promote {
                    let before = pos.piece_on(from)?.piece_type();
                    gain += sign * (on_board(before.promoted()) - on_board(before));
                }
                let was_promoted = promoted.iter().position(|&square| square == from);
                was_promoted.map(|at| promoted.swap_remove(at));
                if promote || was_promoted.is_some() {
                    promoted.push(to);
                }
            }
            pos.do_move(mv);
            let next_takes = line.get(at + 1).is_none_or(|next| pos.piece_on(next.to()).is_some());
            if captured.is_none() && !next_takes && !pos.in_check() {
                quiet = Some((gain, at + 1, taken.clone()));
            }
        }
        quiet.map(|(quiet, plies, taken)| Balance { gain: quiet, end: gain, plies, taken })
    }

    /// Tells whether a side takes no more than pawns.
    fn is_free(&self, side: Color) -> bool {
        self.dearest(side, usize::MAX).is_none_or(|capture| capture.worth <= on_board(PieceType::Pawn))
    }

    /// The dearest piece that a side takes within so many plies.
    fn dearest(&self, side: Color, plies: usize) -> Option<Capture> {
        let taken = self.taken.iter().filter(|capture| capture.side == side && capture.at < plies);
        taken.max_by_key(|capture| capture.worth).copied()
    }
}

/// Worth of a piece on the board, in pawns.
fn on_board(piece: PieceType) -> i32 {
    match piece {
        PieceType::Pawn => 1,
        PieceType::Lance => 3,
        PieceType::Knight => 4,
        PieceType::Silver | PieceType::ProPawn | PieceType::ProLance | PieceType::ProKnight => 5,
        PieceType::Gold | PieceType::ProSilver => 6,
        PieceType::Bishop => 8,
        PieceType::Rook | PieceType::Horse => 10,
        PieceType::Dragon => 12,
        PieceType::King => 0,
    }
}

fn japanese(piece: PieceType) -> &'static str {
    match piece {
        PieceType::Pawn => "歩",
        PieceType::Lance => "香車",
        PieceType::Knight => "桂馬",
        PieceType::Silver => "銀",
        PieceType::Gold => "金",
        PieceType::Bishop => "角",
        PieceType::Rook => "飛車",
        PieceType::King => "玉",
        PieceType::ProPawn => "と金",
        PieceType::ProLance => "成香",
        PieceType::ProKnight => "成桂",
        PieceType::ProSilver => "成銀",
        PieceType::Horse => "馬",
        PieceType::Dragon => "龍",
    }
}

fn english(piece: PieceType) -> &'static str {
    match piece {
        PieceType::Pawn => "a pawn",
        PieceType::Lance => "a lance",
        PieceType::Knight => "a knight",
        PieceType::Silver => "a silver",
        PieceType::Gold => "a gold",
        PieceType::Bishop => "a bishop",
        PieceType::Rook => "a rook",
        PieceType::King => "a king",
        PieceType::ProPawn => "a promoted pawn",
        PieceType::ProLance => "a promoted lance",
        PieceType::ProKnight => "a promoted knight",
        PieceType::ProSilver => "a promoted silver",
        PieceType::Horse => "a horse",
        PieceType::Dragon => "a dragon",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::result::SearchedLine;

    fn result(score: ReportedScore, pv: &str) -> PositionResult {
        let pv = pv.split(' ').map(|mv| mv.parse().unwrap()).collect();
        let lines = vec![SearchedLine { score, depth: 9, nodes: 1, pv }];
        PositionResult { lines, legal: 9, ..PositionResult::default() }
    }

    fn told(sfen: &str, mv: &str, before: &PositionResult, after: &PositionResult) -> Vec<String> {
        let pos = Position::from_sfen(sfen).unwrap();
        let evidence = Evidence { ply: 0, pos: &pos, mv: mv.parse().unwrap(), before, after: Some(after) };
        reasons(&evidence).into_iter().map(|reason| reason.en).collect()
    }

    #[test]
    fn a_mate_is_told_only_if_its_line_is_one() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
        let mate = |pv| result(ReportedScore::Mate(1), pv);
        let after = result(ReportedScore::Centipawns(3000), "5a6a 5h5g");
        assert_eq!(told(sfen, "5i5h", &mate("G*5b"), &after), ["Misses a mate in 1"]);
        assert_eq!(told(sfen, "5i5h", &mate("G*4b"), &after), [""; 0], "the king escapes");
    }

    #[test]
    fn a_mate_with_a_quiet_move_is_no_tsume() {
        let by_checks = |sfen: &str, line: &str| {
            let line: Vec<Move> = line.split(' ').map(|mv| mv.parse().unwrap()).collect();
            mate(&Position::from_sfen(sfen).unwrap(), &line)
        };
        assert_eq!(by_checks("8k/9/8P/9/9/9/9/9/K8 b G 1", "G*1b"), Some(true));
        assert_eq!(by_checks("8k/9/p8/8P/9/9/9/9/K8 b G 1", "1d1c 9c9d G*1b"), Some(false));
        assert_eq!(by_checks("8k/9/9/9/9/9/9/9/K8 b G 1", "G*1b"), None, "the king takes");
    }

    #[test]
    fn a_piece_is_lost_only_if_nothing_comes_back() {
        // The rook goes where a gold takes it, protected or not.
        let sfen = "4k4/4g4/9/9/4R4/9/9/9/4K4 b 2P 1";
        let before = result(ReportedScore::Centipawns(900), "5e5f 5a4a 5i5h 4a3a 5h5i");
        let after = result(ReportedScore::Centipawns(900), "5b5c 5i5h 5a4a 5h5i 4a3a");
        assert_eq!(told(sfen, "5e5c", &before, &after), ["Loses a rook"]);
        let torn = result(ReportedScore::Centipawns(900), "5b5c");
        assert_eq!(told(sfen, "5e5c", &before, &torn), [""; 0], "the line ends with a capture");
    }

    #[test]
    fn a_piece_that_promotes_and_is_taken_counts_once() {
        // A gold for a lance and a pawn, both of which promote before they are taken.
        let sfen = "lnsg3nl/3r1k1g1/ppp1ppspp/6p2/2+B4P1/2Pl1P3/PP1pPP1P1/+b1S1G2R1/1NG1K1SNL b P 37";
        let before = result(ReportedScore::Centipawns(-66), "P*6d 6g6h+ 5h6h 6f6h+ 2h6h");
        let after = result(ReportedScore::Centipawns(230), "6g6h+ 7i6h 6f6h+ 5h6h G*8h 4h3i");
        assert_eq!(told(sfen, "3i4h", &before, &after), [""; 0]);
    }

    #[test]
    fn a_piece_that_is_taken_back_later_is_not_won() {
        // The silver that is won is lost again behind a quiet move.
        let sfen = "l3k4/9/9/9/4s4/S8/4R4/9/4K4 b - 1";
        let after = result(ReportedScore::Centipawns(0), "5a4a 5i4i 4a3a 4i3i 3a2a");
        let before = |pv| result(ReportedScore::Centipawns(500), pv);
        let won = before("5g5e 5a4a 5e5g 4a3a 5g5f");
        assert_eq!(told(sfen, "5g4g", &won, &after), ["Misses a line that wins a silver"]);
        let lost = before("5g5e 5a4a 5i4h 9a9f");
        assert_eq!(told(sfen, "5g4g", &lost, &after), [""; 0]);
    }

    #[test]
    fn a_piece_that_is_won_all_the_same_is_not_missed() {
        // The silver is taken one move later, behind the last quiet place.
        let sfen = "l3k4/9/9/9/4s4/S8/4R4/9/4K4 b - 1";
        let before = result(ReportedScore::Centipawns(500), "5g5e 5a4a 5e5g 4a3a 5g5f");
        let after = |pv| result(ReportedScore::Centipawns(0), pv);
        assert_eq!(told(sfen, "5i4i", &before, &after("5a4a 5g5e")), [""; 0]);
        assert_eq!(told(sfen, "5g6g", &before, &after("5a4a")), [""; 0], "too short to tell");
        assert_eq!(told(sfen, "5g6g", &before, &after("5a4a 5i4i")), ["Misses a line that wins a silver"]);
    }

    #[test]
    fn a_piece_is_lost_by_a_move_only_if_the_best_line_is_long_enough_to_keep_it() {
        // The silver is taken three plies later, whatever Black plays.
        let sfen = "4k4/9/9/9/9/8l/9/8S/4K4 b P 1";
        let after = result(ReportedScore::Centipawns(900), "5a4a 5h5i 1f1h+ 5i5h 4a3a 5h5i");
        let before = |pv| result(ReportedScore::Centipawns(900), pv);
        assert_eq!(told(sfen, "5i5h", &before("1h2g 5a4a 2g3f 4a3a"), &after), ["Loses a silver"]);
        assert_eq!(told(sfen, "5i5h", &before("P*5g 5a4a"), &after), [""; 0], "too short to tell");
        let lost = "P*5g 5a4a 5i4i 1f1h+ 4i5i";
        assert_eq!(told(sfen, "5i5h", &before(lost), &after), [""; 0], "it is lost there as well");
    }

    #[test]
    fn a_piece_that_promotes_on_its_way_keeps_its_name() {
        let before = result(ReportedScore::Centipawns(0), "5i5h 5a4a 5h5i 4a3a");
        let after = result(ReportedScore::Centipawns(900), "8b7c 5i5h 5a4a 5h5i 4a3a");
        let sfen = "4k4/1s7/2p6/9/3N5/9/9/9/4K4 b - 1";
        assert_eq!(told(sfen, "6e7c+", &before, &after), ["Loses a knight"]);
        let sfen = "4k4/1s7/9/2+N6/9/9/9/9/4K4 b - 1";
        assert_eq!(told(sfen, "7d7c", &before, &after), ["Loses a promoted knight"]);
    }

    #[test]
    fn a_piece_comes_in_only_if_the_best_line_shows_it_outside() {
        let sfen = "4k4/9/9/4b4/9/9/9/9/4K4 b 2P 1";
        let after = result(ReportedScore::Centipawns(300), "5d8g+ 5h5i 5a5b 5i5h 5b5a");
        let before = |pv| result(ReportedScore::Centipawns(-100), pv);
        assert_eq!(told(sfen, "5i5h", &before("P*8g 5a5b 5i5h 5b5a"), &after), ["Lets the bishop promote"]);
        assert_eq!(told(sfen, "5i5h", &before("P*8g"), &after), [""; 0], "too short to tell");
        assert_eq!(told(sfen, "5i5h", &before("P*8g 5d2g+ 5i5h 2g2f"), &after), [""; 0], "it comes in as well");
    }

    #[test]
    fn a_piece_that_is_exchanged_is_not_lost() {
        // A silver for a knight, and a lance besides.
        let sfen = "l4g2l/3g2k2/np1pbs1p1/p1p1b3r/PP2GnpPp/2P4R1/N3S1P1P/2K2S2L/L1SG3N1 b 2P3p 69";
        let before = result(ReportedScore::Centipawns(24), "5g4f P*4d 5e5d 4c5d 9e9d");
        let after = result(ReportedScore::Centipawns(933), "4e5g+ 4h5g 5d1h+ N*4e");
        assert_eq!(told(sfen, "P*6e", &before, &after), [""; 0]);
        // The rook that comes in goes on, and is exchanged for the other.
        let sfen = "ln1g3nl/1ks1g2r1/1p4b2/p1pp1ps2/4S3P/PPP3P1L/3P1PS2/1BG4R1/LN2K1GN1 b 4P2p 43";
        let before = result(ReportedScore::Centipawns(-75), "P*2f 3d4e P*5g 2b2d 3i3h");
        let after = |pv| result(ReportedScore::Centipawns(580), pv);
        assert_eq!(told(sfen, "2h5h", &before, &after("2b2g+ 5h2h 2g2h 3g2h 3d4e P*5h 4e3f")), [""; 0]);
        let stays = after("2b2g+ 5e4d 2g2f 5h5g 2f2e");
        assert_eq!(told(sfen, "2h5h", &before, &stays), ["Lets the rook promote"]);
    }
}
