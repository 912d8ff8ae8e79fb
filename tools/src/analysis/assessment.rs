//! An analysed game as reports show it: what each move was worth, and how each side has played.

use super::accuracy::{Accuracy, accuracy_of_moves, centipawn_loss, volatility};
use super::chance::WinCurve;
use super::label::{GoodMove, Label, Verdict, is_good};
use super::pressure::{Pressure, pressures};
use super::reasons::{Evidence, Reason, is_sacrifice, reasons};
use super::result::{PositionResult, Step};
use super::study::{self, StudySettings, is_in_book, verdict};
use komainu::book::Book;
use komainu::notation::ki2;
use komainu::notation::record::GameRecord;
use komainu::notation::score::ReportedScore;
use komainu::position::Position;
use komainu::types::{Color, Move};
use std::time::Duration;

/// The parts of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Up to ply 40.
    Opening,
    /// After that.
    Middle,
    /// From the first ply after 40 at which a side's chance is above 85 % for good, or a king is in danger.
    End,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middle, Phase::End];

    /// As in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middle => "middle",
            Phase::End => "end",
        }
    }
}

/// A move of an analysed game. Scores are those of the side that moved.
#[derive(Clone, Debug)]
pub struct AssessedMove {
    /// The number of the move, from 1.
    pub ply: usize,
    /// The move.
    pub mv: Move,
    /// The move in Japanese: ▲７六歩.
    pub text: String,
    /// The best move in its place, in Japanese; `None` if nothing was searched.
    pub best_text: Option<String>,
    /// Who moved.
    pub side: Color,
    /// The time that it took.
    pub spent: Option<Duration>,
    /// Pressure of time under which it was made.
    pub pressure: Option<Pressure>,
    /// The position before it, if it was searched.
    pub before: Option<PositionResult>,
    /// The score of the best move there.
    pub best: Option<ReportedScore>,
    /// The score of the move.
    pub played: Option<ReportedScore>,
    /// Place among the best lines, from 0.
    pub place: Option<usize>,
    /// Verdict on it.
    pub verdict: Verdict,
    /// It was the only legal move.
    pub is_forced: bool,
    /// It is in the opening book.
    pub in_book: bool,
    /// The part of the game that it belongs to.
    pub phase: Phase,
    /// Why it has its label, as far as the search proves it.
    pub reasons: Vec<Reason>,
}

impl AssessedMove {
    /// The best line of the position before it.
    pub fn best_line(&self) -> &[Move] {
        self.before.as_ref().and_then(PositionResult::best_line).unwrap_or_default()
    }
}

/// Figures of some moves of a side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SideFigures {
    /// Moves that were judged.
    pub moves: usize,
    /// The accuracy; `None` without a move.
    pub accuracy: Option<Accuracy>,
    /// The average loss in centipawns.
    pub centipawn_loss: Option<f64>,
    /// Moves in positions that offer a choice and are not in the book.
    pub choices: usize,
    /// Choices that were the best move.
    pub first: usize,
    /// Choices that were among the best three.
    pub top_three: usize,
    /// Inaccuracies, dubious moves, mistakes, blunders.
    pub bad: [usize; 4],
    /// Good moves.
    pub good: usize,
    /// Moves under pressure of time.
    pub pressed: usize,
    /// Mistakes and blunders among them.
    pub pressed_bad: usize,
}

/// Figures of a side's play.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideSummary {
    /// The whole game.
    pub all: SideFigures,
    /// Each part of it, as [`Phase::ALL`].
    pub phases: [SideFigures; 3],
}

/// An analysed game.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The moves.
    pub moves: Vec<AssessedMove>,
    /// For each position, by the number of moves made before: what was found; `None` where nothing was searched.
    pub positions: Vec<Option<PositionResult>>,
    /// For each position its score from black's side, also where only the move before it was searched.
    pub scores: Vec<Option<ReportedScore>>,
    /// For each position black's chance, 0 to 1; where nothing is known that of the position before.
    pub chances: Vec<f64>,
    /// Figures of black's and white's play.
    pub sides: [SideSummary; 2],
}

/// The end of the opening.
const OPENING_PLIES: usize = 40;
/// A lead that lasts, as a chance.
const DECIDED: f64 = 0.85;
/// Attacked squares around a king that are a danger, as a check is.
const ATTACKED_SQUARES: u32 = 4;

impl Assessment {
    /// Puts together what was found out about a game. Steps may be missing.
    pub fn of(record: &GameRecord, steps: Vec<Step>, settings: &StudySettings, book: Option<&Book>) -> Assessment {
        let count = record.moves.len();
        let mut by_ply: Vec<Option<Step>> = vec![None; count + 1];
        for step in steps {
            let ply = step.ply;
            if let Some(slot) = by_ply.get_mut(ply) {
                *slot = Some(step);
            }
        }
        let curve = settings.curve;
        let positions: Vec<_> = (0..=count).map(|ply| shown_position(&by_ply, ply)).collect();
        // What is said of a move, and its lines, are of the search that its position is shown with.
        for (step, shown) in by_ply.iter_mut().zip(&positions) {
            if let (Some(step), Some(shown)) = (step, shown) {
                step.result.clone_from(shown);
            }
        }
        let walk = walk(record);
        let scores = black_scores(record, &by_ply, &positions, &walk);
        let chances = black_chances(&scores, curve);
        let phases = phases(&chances, &walk);
        let pressures = pressures(record);
        let mut moves = Vec::with_capacity(count);
        for (index, made) in record.moves.iter().enumerate() {
            let pos = &walk[index];
            let in_book = book.is_some_and(|book| is_in_book(book, pos, made.mv));
            let last = index.checked_sub(1).map(|before| record.moves[before].mv.to());
            let mut assessed = AssessedMove {
                ply: index + 1,
                mv: made.mv,
                text: ki2::move_text(pos, made.mv, last),
                best_text: None,
                side: pos.side(),
                spent: made.spent,
                pressure: pressures[index],
                before: None,
                best: None,
                played: None,
                place: None,
                verdict: Verdict::default(),
                is_forced: false,
                in_book,
                phase: phases[index],
                reasons: Vec::new(),
            };
            let is_recapture = last == Some(made.mv.to()) && pos.piece_on(made.mv.to()).is_some();
            if let Some(step) = by_ply[index].take() {
                let best = step.result.best_line().and_then(|line| line.first());
                assessed.best_text = best.map(|&best| ki2::move_text(pos, best, last));
                let gives = is_sacrifice(pos, made.mv);
                assess(&mut assessed, step, positions[index + 1].as_ref(), (is_recapture, gives), settings);
            }
            if let (Some(before), true) = (&assessed.before, is_told(&assessed)) {
                let after = positions[index + 1].as_ref();
                assessed.reasons =
                    reasons(&Evidence { label: assessed.verdict.label, ply: index, pos, mv: made.mv, before, after });
            }
            moves.push(assessed);
        }
        let sides = Color::ALL.map(|side| summary(&moves, side, &chances));
        Assessment { moves, positions, scores, chances, sides }
    }

    /// Number of moves with a label.
    pub fn labels(&self) -> usize {
        self.moves.iter().filter(|made| made.verdict.label.is_some()).count()
    }

    /// Number of positions that were searched.
    pub fn searched(&self) -> usize {
        self.positions.iter().filter(|position| position.is_some()).count()
    }
}

/// The positions of a game, without history: before each move and at the end.
pub(super) fn walk(record: &GameRecord) -> Vec<Position> {
    let mut pos = record.start.clone();
    let mut all = vec![pos.clone()];
    for made in &record.moves {
        pos.do_move(made.mv);
        all.push(pos.without_history());
    }
    all
}

/// The result that is shown of a position: of its own search, or of the second look at it from the move before where only
/// that was deeper.
fn shown_position(steps: &[Option<Step>], ply: usize) -> Option<PositionResult> {
    let own = steps[ply].as_ref().map(|step| &step.result);
    let from_before = ply.checked_sub(1).and_then(|before| steps[before].as_ref()?.after.as_ref());
    let deeper = from_before.filter(|after| after.deep && !after.lines.is_empty());
    let mut result = match (own, deeper) {
        (Some(own), Some(deeper)) if !own.deep => deeper.clone(),
        (Some(own), _) => own.clone(),
        (None, deeper) => deeper?.clone(),
    };
    if result.mate.is_none() {
        result.mate = own.and_then(|own| own.mate.clone()).or_else(|| from_before?.mate.clone());
    }
    Some(result)
}

fn black_scores(
    record: &GameRecord,
    steps: &[Option<Step>],
    positions: &[Option<PositionResult>],
    walk: &[Position],
) -> Vec<Option<ReportedScore>> {
    let mut scores = Vec::with_capacity(walk.len());
    for (ply, pos) in walk.iter().enumerate() {
        let side = pos.side();
        let own = positions[ply].as_ref().and_then(PositionResult::score).map(|score| for_black(side, score));
        // A program may have answered without a score: then the move before says what is known.
        scores.push(own.or_else(|| {
            let before = ply.checked_sub(1)?;
            let played = steps[before].as_ref()?.played_score(record.moves[before].mv)?;
            Some(for_black(!side, played))
        }));
    }
    scores
}

/// A score of a side from black's side.
fn for_black(side: Color, score: ReportedScore) -> ReportedScore {
    if side == Color::Black { score } else { score.turned() }
}

fn black_chances(scores: &[Option<ReportedScore>], curve: WinCurve) -> Vec<f64> {
    let mut last = scores.iter().flatten().next().map_or(0.5, |&score| curve.chance(score));
    let mut chances = Vec::with_capacity(scores.len());
    for score in scores {
        if let Some(score) = *score {
            last = curve.chance(score);
        }
        chances.push(last);
    }
    chances
}

/// The part of the game that each move belongs to.
fn phases(chances: &[f64], walk: &[Position]) -> Vec<Phase> {
    let count = walk.len() - 1;
    let open_end =
        chances.iter().rposition(|chance| (1.0 - DECIDED..=DECIDED).contains(chance)).map_or(0, |ply| ply + 1);
    let danger = (OPENING_PLIES..count).find(|&ply| Color::ALL.iter().any(|&side| is_in_danger(&walk[ply], side)));
    let end = open_end.min(danger.unwrap_or(count)).max(OPENING_PLIES);
    let mut phases = vec![Phase::Opening; count.min(OPENING_PLIES)];
    phases.resize(count.min(end), Phase::Middle);
    phases.resize(count, Phase::End);
    phases
}

fn is_in_danger(pos: &Position, side: Color) -> bool {
    let Some(king) = pos.king(side) else { return false };
    let around = komainu::bitboard::king_attacks(king);
    let attacked = around.into_iter().filter(|&square| pos.is_attacked(!side, square, pos.occupied())).count() as u32;
    attacked >= ATTACKED_SQUARES
}

/// Tells whether there is something to be said of a move.
fn is_told(assessed: &AssessedMove) -> bool {
    assessed.verdict.label.is_some() || assessed.verdict.missed.is_some()
}

/// The score of a move, from the side that makes it, by the position after it.
fn score_by(after: &PositionResult) -> Option<ReportedScore> {
    Some(match after.score()? {
        ReportedScore::Mate(plies) if plies > 0 => ReportedScore::Mate(-plies - 1),
        ReportedScore::Mate(plies) if after.legal > 0 => ReportedScore::Mate(1 - plies),
        score => score.turned(),
    })
}

fn assess(
    assessed: &mut AssessedMove,
    step: Step,
    after: Option<&PositionResult>,
    (is_recapture, is_sacrifice): (bool, bool),
    settings: &StudySettings,
) {
    let mv = assessed.mv;
    let curve = settings.curve;
    let mut verdict = verdict(&step, mv, step.played_score(mv), assessed.in_book, curve, settings.scheme);
    let result = &step.result;
    assessed.best = result.best();
    assessed.played = step.played_score(mv);
    // A label says what is shown of the two positions; where a label is near, both are searched with more nodes.
    if verdict.label.is_some()
        && let Some(score) = after.and_then(score_by)
    {
        assessed.played = Some(score);
        verdict = study::verdict(&step, mv, Some(score), assessed.in_book, curve, settings.scheme);
    }
    assessed.place = result.of_move(mv).and_then(|(place, _)| place);
    assessed.is_forced = result.legal == 1;
    if let (Some(best), None) = (assessed.best, verdict.label) {
        let good = GoodMove {
            is_best: result.best_line().and_then(|line| line.first()) == Some(&mv),
            best,
            second: result.lines.get(1).map(|line| line.score),
            is_recapture,
            is_obvious: 2 * result.early.iter().filter(|&&early| early == mv).count() > result.early.len(),
            is_sacrifice,
        };
        // A mate that only the solver has seen is no place in the lines to compare with.
        let is_from_search = result.lines.first().is_some_and(|line| line.first() == mv);
        if is_from_search && !assessed.in_book && !assessed.is_forced && is_good(&good, curve) {
            verdict.label = Some(Label::Good);
        }
    }
    assessed.verdict = verdict;
    assessed.before = Some(step.result);
}

fn summary(moves: &[AssessedMove], side: Color, chances: &[f64]) -> SideSummary {
    let percent: Vec<f64> = chances.iter().map(|chance| 100.0 * chance).collect();
    let weights = volatility(&percent);
    let own: Vec<&AssessedMove> = moves.iter().filter(|made| made.side == side && made.best.is_some()).collect();
    let of_phase = |phase| figures(own.iter().copied().filter(|made| made.phase == phase), &weights);
    SideSummary { all: figures(own.iter().copied(), &weights), phases: Phase::ALL.map(of_phase) }
}

fn figures<'a>(moves: impl Iterator<Item = &'a AssessedMove>, weights: &[f64]) -> SideFigures {
    let mut figures = SideFigures::default();
    let mut losses = Vec::new();
    let mut centipawns = 0;
    for made in moves {
        let (Some(best), Some(played)) = (made.best, made.played) else { continue };
        figures.moves += 1;
        losses.push((100.0 * made.verdict.loss, weights.get(made.ply - 1).copied().unwrap_or(1.0)));
        if made.place != Some(0) {
            centipawns += i64::from(centipawn_loss(best.centipawns(), played.centipawns()));
        }
        if !made.is_forced && !made.in_book {
            figures.choices += 1;
            figures.first += usize::from(made.place == Some(0));
            figures.top_three += usize::from(made.place.is_some_and(|place| place < 3));
        }
        if made.pressure.is_some() {
            figures.pressed += 1;
            figures.pressed_bad += usize::from(matches!(made.verdict.label, Some(Label::Mistake | Label::Blunder)));
        }
        match made.verdict.label {
            Some(Label::Good) => figures.good += 1,
            Some(label) => {
                let at = Label::BAD.iter().position(|&bad| bad == label);
                figures.bad[at.expect("every label but the good one is bad")] += 1;
            }
            None => {}
        }
    }
    figures.accuracy = accuracy_of_moves(&losses);
    figures.centipawn_loss = (figures.moves > 0).then(|| centipawns as f64 / figures.moves as f64);
    figures
}
