//! Why a move has its label, in words that a line of the search proves.
//!
//! A sentence is made from a template, and only if its line shows on the board what it says: a mate by its last
//! position, a piece that is lost or won by the balance of material where the line is quiet. Everything else is left
//! unsaid.

use super::label::Label;
use super::line_text::japanese_line;
use super::motifs::{Difference, difference};
use super::pieces::{english, japanese, on_board, survives};
use super::result::PositionResult;
use komainu::bitboard::Bitboard;
use komainu::movegen::has_legal_move;
use komainu::notation::score::ReportedScore;
use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, PieceType, Square};
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
    /// Label of the move.
    pub(super) label: Option<Label>,
    /// Moves made before it.
    pub(super) ply: usize,
    /// The position before it.
    pub(super) pos: &'a Position,
    pub(super) mv: Move,
    pub(super) before: &'a PositionResult,
    /// The position after it, if it was searched.
    pub(super) after: Option<&'a PositionResult>,
}

/// Plies of a line that a sentence may show. The others can only speak against it.
const LOOK: usize = 9;
/// Plies of the best line, at least, that show a piece outside which comes in after the move that was played.
const LEAST: usize = 4;
/// Least gain that is worth a sentence: a knight.
const WORTH: i32 = 4;

/// The sentences on a move, at most two.
pub(super) fn reasons(evidence: &Evidence<'_>) -> Vec<Reason> {
    if evidence.label == Some(Label::Good) {
        return evidence.good().into_iter().collect();
    }
    let mut found = decisive(evidence);
    if found.is_empty() {
        found.extend(evidence.trade());
        found.extend(evidence.motif());
    }
    if found.is_empty() {
        found.extend(evidence.goes_back().or_else(|| evidence.put_off()));
    }
    found.truncate(2);
    found
}

/// The sentences on mates and on pieces that go for nothing.
fn decisive(evidence: &Evidence<'_>) -> Vec<Reason> {
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
    found
}

/// Tells whether a line of a comment is a sentence of an analysis with its line of play.
pub(super) fn is_reason(line: &str) -> bool {
    const BEGINNINGS: [&str; 9] = [
        "Misses a ",
        "Allows a ",
        "Loses a ",
        "Lets ",
        "Gives ",
        "Any other move ",
        "A sacrifice ",
        "Moves back ",
        "Puts the best move ",
    ];
    const ENDS: [&str; 14] = [
        "最善手が遅れる",
        "手詰）",
        "を逃した",
        "を許した",
        "取られる",
        "に成り込まれる",
        "はがされる",
        "を作られる",
        "打ち込まれる",
        "追われる",
        "損をする",
        "損になる",
        "捨て駒が成立する",
        "手損する",
    ];
    line.split_once('：').is_some_and(|(words, moves)| {
        let is_template =
            BEGINNINGS.iter().any(|begins| words.starts_with(begins)) || ENDS.iter().any(|ends| words.ends_with(ends));
        is_template && moves.starts_with(['▲', '△'])
    })
}

impl Evidence<'_> {
    fn reason(&self, ja: impl Into<String>, en: impl Into<String>, at: usize, line: &[Move]) -> Reason {
        let mut pos = self.pos.clone();
        if at > self.ply {
            pos.do_move(self.mv);
        }
        let text = japanese_line(&pos, line).join(" ");
        Reason { ja: ja.into(), en: en.into(), at, line: line.iter().map(Move::to_string).collect(), text }
    }

    fn position_after(&self) -> Position {
        self.pos.after(self.mv)
    }

    fn missed_mate(&self) -> Option<Reason> {
        let (plies, line) = shown_mate(self.before)?;
        if line.first() == Some(&self.mv) {
            return None;
        }
        let ja = if mate(self.pos, line)? {
            format!("詰みを逃した（{plies}手詰）")
        } else {
            format!("{plies}手で玉を詰ます順を逃した")
        };
        Some(self.reason(ja, format!("Misses a mate in {plies}"), self.ply, line))
    }

    fn allowed_mate(&self) -> Option<Reason> {
        let (plies, line) = shown_mate(self.after?)?;
        let ja = if mate(&self.position_after(), line)? {
            format!("詰みを許した（{plies}手詰）")
        } else {
            format!("{plies}手で玉を詰まされる順を許した")
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
        let lost = Balance::of(self.pos, &played)?;
        let would = Balance::of(self.pos, best)?;
        // The best line must be long enough to lose the piece as well.
        let piece = lost.dearest(!side, best.len()).filter(|piece| piece.origin.is_some())?;
        // Nothing of what is lost comes back, not even for another piece, and the best line loses nothing like it.
        let least = 2 * (piece.worth - 1);
        let most = lost.gain.max(lost.end);
        let goes_anyway = would.takes(!side, &piece) && !would.gets(side, piece.worth);
        let is_lost = piece.worth >= WORTH && most <= -least && lost.is_free(side) && !goes_anyway;
        let is_shown = is_lost && would.gain.min(would.end) >= most + least;
        if !is_shown {
            return None;
        }
        let ja = format!("{}を取られる", japanese(piece.name));
        let en = format!("Loses {}", english(piece.name));
        Some(self.reason(ja, en, self.ply + 1, &played[1..lost.plies]))
    }

    fn missed_piece(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let side = self.pos.side();
        let got = Balance::of(self.pos, &played)?;
        let would = Balance::of(self.pos, best)?;
        // The line that was played must be long enough to win the piece after the next move of the opponent.
        let piece = would.dearest(side, played.len().saturating_sub(2)).filter(|piece| piece.origin.is_some())?;
        let least = 2 * (piece.worth - 1);
        let is_won = piece.worth >= WORTH && would.gain.min(would.end) >= least && would.is_free(!side);
        // Nor is it missed if it is taken all the same, at whatever price.
        let is_won = is_won && !got.takes(side, &piece);
        let is_shown = is_won && got.gain.max(got.end) <= would.gain - least;
        if !is_shown {
            return None;
        }
        let ja = format!("{}を取れる手順を逃した", japanese(piece.name));
        let en = format!("Misses a line that wins {}", english(piece.name));
        Some(self.reason(ja, en, self.ply, &best[..would.plies]))
    }

    /// More is given than is got, and the best line gives less.
    fn trade(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let side = self.pos.side();
        let got = Balance::of(self.pos, &played)?;
        let would = Balance::of(self.pos, best)?;
        let least = 2 * on_board(PieceType::Pawn);
        let most = got.gain.max(got.end);
        let would_least = would.gain.min(would.end);
        let is_worse = most <= -least && would_least >= most + least;
        if is_worse && let Some(given) = got.dearest(!side, best.len().max(1)) {
            let (ja, en) = match got.dearest(side, got.plies).filter(|taken| taken.worth < given.worth) {
                Some(taken) => (
                    format!("{}と{}の交換になり損をする", japanese(given.name), japanese(taken.name)),
                    format!("Gives {} for {}", english(given.name), english(taken.name)),
                ),
                None if got.is_free(side) => {
                    (format!("{}損になる", japanese(given.name)), format!("Loses {}", english(given.name)))
                }
                None => return None,
            };
            return Some(self.reason(ja, en, self.ply + 1, &played[1..got.plies.max(2)]));
        }
        let is_missed = would_least >= least && most <= would_least - least && would.is_free(!side);
        let won = would.dearest(side, played.len().saturating_sub(2)).filter(|won| !got.takes(side, won))?;
        if !is_missed {
            return None;
        }
        let ja = format!("{}を得する手順を逃した", japanese(won.name));
        Some(self.reason(ja, format!("Misses a line that wins {}", english(won.name)), self.ply, &best[..would.plies]))
    }

    /// A motif that one of the two lines shows and the other does not.
    fn motif(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let Difference { words: [ja, en], plies, is_allowed } = difference(self.pos, &played, best)?;
        Some(if is_allowed {
            self.reason(ja, en, self.ply + 1, &played[1..plies])
        } else {
            self.reason(ja, en, self.ply, &best[..plies])
        })
    }

    /// The piece goes back with the next move of its side.
    fn goes_back(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        if best.len() < 3 || !moves_back(&played) || moves_back(best) {
            return None;
        }
        Some(self.reason(
            "すぐに元へ戻り手損する",
            "Moves back with the next move",
            self.ply + 1,
            &played[1..played.len().min(4)],
        ))
    }

    /// The best move comes later in the line that was played, after a move of the opponent.
    fn put_off(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let first = best.first()?;
        let at = (2..played.len().min(LOOK)).step_by(2).find(|&at| played[at] == *first)?;
        Some(self.reason("最善手が遅れる", "Puts the best move off", self.ply + 1, &played[1..=at]))
    }

    /// Why a move is a good one: a sacrifice that works, or that every other one is worse.
    fn good(&self) -> Option<Reason> {
        if is_sacrifice(self.pos, self.mv) {
            let line = &self.before.lines.first().filter(|line| line.first() == self.mv)?.pv;
            let shown = &line[..line.len().min(LOOK)];
            return Some(self.reason("捨て駒が成立する", "A sacrifice that works", self.ply, shown));
        }
        let second = &self.before.lines.get(1)?.pv;
        Some(self.reason("他の手では損をする", "Any other move is worse", self.ply, &second[..second.len().min(LOOK)]))
    }

    /// A bishop or rook of the opponent comes in with the next move and stays.
    fn entry(&self) -> Option<Reason> {
        let (played, best) = self.lines()?;
        let after = self.position_after();
        let reply = *played.get(1)?;
        let piece = entering(&after, reply)?;
        // It comes from outside.
        if matches!(reply.kind(), MoveKind::Board { from, .. } if Bitboard::zone(after.side()).contains(from)) {
            return None;
        }
        // It is not taken, and in the best line it stays outside.
        let stays = played.len() >= 5 && survives(reply.to(), &played[2..]);
        let mut pos = self.pos.clone();
        let mut comes_anyway = best.len() < LEAST;
        for &mv in best {
            comes_anyway |= pos.side() != self.pos.side() && entering(&pos, mv) == Some(piece);
            pos.do_move(mv);
        }
        if !stays || comes_anyway {
            return None;
        }
        let ja = format!("{}に成り込まれる", japanese(piece));
        let en = format!("Lets {} promote", english(piece).replace("a ", "the "));
        Some(self.reason(ja, en, self.ply + 1, &played[1..played.len().min(LOOK)]))
    }
}

/// The plies and the line of a mate by the side to move, if the line shows all of it.
fn shown_mate(result: &PositionResult) -> Option<(i32, &[Move])> {
    let Some(ReportedScore::Mate(plies @ 1..)) = result.best() else { return None };
    let line = result.best_line()?;
    let is_whole = !result.declares && line.len() == plies as usize;
    is_whole.then_some((plies, line))
}

/// Tests whether the piece that moves first moves back with the next move of its side.
fn moves_back(line: &[Move]) -> bool {
    let [first, _, next, ..] = line else { return false };
    match (first.kind(), next.kind()) {
        (MoveKind::Board { from, to, promote: false }, MoveKind::Board { from: next, to: home, .. }) => {
            next == to && home == from
        }
        _ => false,
    }
}

/// The bishop or rook that promotes with a move.
fn entering(pos: &Position, mv: Move) -> Option<PieceType> {
    let MoveKind::Board { from, promote: true, .. } = mv.kind() else { return None };
    let piece = pos.piece_on(from)?.piece_type();
    matches!(piece, PieceType::Bishop | PieceType::Rook).then_some(piece)
}

/// Tells of a line that ends in mate whether every move of the winner gives check, as a tsume has it; `None` if it is
/// no mate.
fn mate(pos: &Position, line: &[Move]) -> Option<bool> {
    let winner = pos.side();
    let mut pos = pos.clone();
    let mut by_checks = true;
    for &mv in line {
        pos.do_move(mv);
        by_checks &= pos.side() == winner || pos.in_check();
    }
    (pos.in_check() && !has_legal_move(&pos)).then_some(by_checks)
}

/// Centipawns from which on a move that loses them by the captures on its destination is a sacrifice.
const SACRIFICE: i32 = 300;

/// Tests whether a move gives a piece away, as far as the captures on its destination tell.
pub(super) fn is_sacrifice(pos: &Position, mv: Move) -> bool {
    !pos.see_ge(mv, 1 - SACRIFICE)
}

/// A piece that is taken in a line.
#[derive(Clone, Copy)]
struct Capture {
    /// Plies of the line before it.
    at: usize,
    side: Color,
    /// Worth in pawns, unpromoted.
    worth: i32,
    /// The piece as it was before the line: one that promotes in it and is taken then is no promoted piece that is
    /// lost.
    name: PieceType,
    /// The square where it stood before the line, or where the first move of the line dropped it; `None` of one that
    /// was dropped later: it was given up, and is neither lost nor won by the first move.
    origin: Option<Square>,
}

/// A piece that moved in a line.
#[derive(Clone, Copy)]
struct Moved {
    now: Square,
    origin: Option<Square>,
    /// It promoted in the line.
    is_promoted: bool,
}

impl Moved {
    /// Removes the piece on a square from the list; one that is not in it has not moved.
    fn take(list: &mut Vec<Moved>, square: Square) -> Moved {
        let at = list.iter().position(|piece| piece.now == square);
        at.map_or(Moved { now: square, origin: Some(square), is_promoted: false }, |at| list.swap_remove(at))
    }
}

/// Change of the material by a line, up to its last quiet place within a few plies.
struct Balance {
    /// By how much the side that moves first is more ahead of the other than before, in pawns: a piece that changes
    /// hands counts for both.
    gain: i32,
    /// Gain at the end of the line: less where something comes back after the quiet place.
    end: i32,
    /// Plies of the line up to the quiet place.
    plies: usize,
    /// The pieces that were taken, behind the quiet place as well.
    taken: Vec<Capture>,
}

impl Balance {
    /// `None` if the line has no quiet place: exchanges may go on where it ends.
    fn of(pos: &Position, line: &[Move]) -> Option<Balance> {
        let side = pos.side();
        let mut pos = pos.clone();
        let mut gain = 0;
        let mut quiet = None;
        let mut taken: Vec<Capture> = Vec::new();
        let mut moved: Vec<Moved> = Vec::new();
        for (at, &mv) in line.iter().enumerate() {
            let mover = pos.side();
            let sign = if mover == side { 1 } else { -1 };
            let victim = Moved::take(&mut moved, mv.to());
            let captured = match mv.kind() {
                MoveKind::Board { to, .. } => pos.piece_on(to).map(|piece| piece.piece_type()),
                MoveKind::Drop { .. } => None,
            };
            if let Some(piece) = captured {
                gain += sign * (on_board(piece) + on_board(piece.unpromoted()));
                let name = if victim.is_promoted { piece.unpromoted() } else { piece };
                let worth = on_board(piece.unpromoted());
                taken.push(Capture { at, side: mover, worth, name, origin: victim.origin });
            }
            let (origin, is_promoted) = match mv.kind() {
                MoveKind::Board { from, promote, .. } => {
                    if promote {
                        let before = pos.piece_on(from)?.piece_type();
                        gain += sign * (on_board(before.promoted()) - on_board(before));
                    }
                    let piece = Moved::take(&mut moved, from);
                    (piece.origin, piece.is_promoted || promote)
                }
                MoveKind::Drop { to, .. } => ((at == 0).then_some(to), false),
            };
            moved.push(Moved { now: mv.to(), origin, is_promoted });
            pos.do_move(mv);
            let next_takes = line.get(at + 1).is_none_or(|next| pos.piece_on(next.to()).is_some());
            if at < LOOK && captured.is_none() && !next_takes && !pos.in_check() {
                quiet = Some((gain, at + 1));
            }
        }
        quiet.map(|(quiet, plies)| Balance { gain: quiet, end: gain, plies, taken })
    }

    /// Tells whether a side takes this very piece.
    fn takes(&self, side: Color, piece: &Capture) -> bool {
        self.taken.iter().any(|capture| capture.side == side && capture.origin == piece.origin)
    }

    /// Tells whether a side takes a piece of at least this worth before long.
    fn gets(&self, side: Color, worth: i32) -> bool {
        self.taken.iter().any(|capture| capture.side == side && capture.worth >= worth && capture.at < LOOK)
    }

    /// Tells whether a side takes no more than pawns up to the quiet place.
    fn is_free(&self, side: Color) -> bool {
        self.dearest(side, usize::MAX).is_none_or(|capture| capture.worth <= on_board(PieceType::Pawn))
    }

    /// The dearest piece that a side takes within so many plies, up to the quiet place.
    fn dearest(&self, side: Color, plies: usize) -> Option<Capture> {
        let plies = plies.min(self.plies);
        let taken = self.taken.iter().filter(|capture| capture.side == side && capture.at < plies);
        taken.max_by_key(|capture| capture.worth).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyst::SearchedLine;

    fn result(score: ReportedScore, pv: &str) -> PositionResult {
        let pv = pv.split(' ').map(|mv| mv.parse().unwrap()).collect();
        let lines = vec![SearchedLine { score, depth: 9, nodes: 1, pv }];
        PositionResult { lines, legal: 9, ..PositionResult::default() }
    }

    fn told(sfen: &str, mv: &str, before: &PositionResult, after: &PositionResult) -> Vec<String> {
        let pos = Position::from_sfen(sfen).unwrap();
        let mv = mv.parse().unwrap();
        let evidence = Evidence { label: Some(Label::Mistake), ply: 0, pos: &pos, mv, before, after: Some(after) };
        decisive(&evidence).into_iter().map(|reason| reason.en).collect()
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
    fn pieces_are_lost_won_and_let_in_only_where_both_lines_show_it() {
        for row in include_str!("reasons.txt").lines().filter(|row| !row.starts_with('#')) {
            let [why, sfen, mv, best, after, sentence] = row.split(" | ").collect::<Vec<_>>()[..] else {
                panic!("{row}")
            };
            let [before, after] = [best, after].map(|line| result(ReportedScore::Centipawns(0), line));
            let expected = if sentence == "-" { vec![] } else { vec![sentence] };
            assert_eq!(told(sfen, mv, &before, &after), expected, "{why}");
        }
    }

    #[test]
    fn a_best_move_that_comes_later_is_put_off() {
        let pos = Position::startpos();
        let before = result(ReportedScore::Centipawns(60), "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b");
        let after = |pv| result(ReportedScore::Centipawns(20), pv);
        let told = |after: &PositionResult| {
            let mv = "9g9f".parse().unwrap();
            let evidence =
                Evidence { label: Some(Label::Inaccuracy), ply: 0, pos: &pos, mv, before: &before, after: Some(after) };
            reasons(&evidence).into_iter().map(|reason| (reason.en, reason.line.join(" "))).collect::<Vec<_>>()
        };
        let found = told(&after("8c8d 2g2f 8d8e 6i7h 4a3b"));
        assert_eq!(found, [("Puts the best move off".to_string(), "8c8d 2g2f".to_string())]);
        assert_eq!(told(&after("8c8d 7g7f 8d8e 6i7h 4a3b")), []);
        assert!(is_reason("Puts the best move off：△８四歩 ▲２六歩") && is_reason("最善手が遅れる：△８四歩"));
    }

    #[test]
    fn an_exchange_that_loses_is_told_with_both_pieces() {
        // A silver takes a pawn that a knight protects, and is taken.
        let pos = Position::from_sfen("4k4/9/9/3n5/9/4p4/5S3/9/4K4 b - 1").unwrap();
        let mv = "4g5f".parse().unwrap();
        let before = result(ReportedScore::Centipawns(100), "5i4h 5a4a 4h5h 4a5a 5h4h 5a4a");
        let after = result(ReportedScore::Centipawns(400), "6d5f 5i5h 5a4a 5h4h 4a5a 4h5h");
        let evidence =
            Evidence { label: Some(Label::Mistake), ply: 0, pos: &pos, mv, before: &before, after: Some(&after) };
        let told: Vec<String> = reasons(&evidence).into_iter().map(|reason| reason.en).collect();
        assert!(told.iter().any(|words| words == "Loses a silver" || words == "Gives a silver for a pawn"), "{told:?}");
    }
}
