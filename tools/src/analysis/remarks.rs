//! Comments of an analysis, in the forms that GUIs read back ([`komainu::notation::remark`]).

use super::assessment::{AssessedMove, Assessment};
use super::chance::WinCurve;
use super::label::{Label, Missed};
use super::line_text::japanese_line;
use super::mate_words::{is_mate_words, mate_words};
use super::pressure::Pressure;
use super::reasons::{Reason, is_reason};
use super::result::PositionResult;
use crate::analyst::SearchedLine;
use komainu::notation::remark::{is_remark, shogihome_line, write_line};
use komainu::notation::score::ReportedScore;
use komainu::notation::{csa, kif};
use komainu::position::Position;
use komainu::types::{Color, Move};
use std::fmt::Write;

/// The language of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// Japanese.
    Japanese,
    /// English.
    English,
}

/// The form of scores in comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemarkForm {
    /// `#評価値=123` and so on, a line each.
    ShogiHome,
    /// `*解析 0 候補1 …`, a line for each of the best moves.
    ShogiGui,
    /// `* 123 -3334FU +2625FU`.
    Floodgate,
    /// Words for people, which no program reads as a score.
    Plain,
}

/// Form of comments.
#[derive(Clone, Debug)]
pub struct RemarkSettings {
    /// The form of scores.
    pub form: RemarkForm,
    /// The language of words.
    pub language: Language,
    /// From scores to chances.
    pub curve: WinCurve,
    /// The name of the engine.
    pub engine: String,
    /// Bad moves are bookmarks, too (`&【悪手】`).
    pub bookmarks: bool,
    /// Floodgate's lines have the nodes, as CSA 3.0 allows.
    pub nodes: bool,
    /// Lines of other candidates, too.
    pub candidates: bool,
}

/// Score that floodgate and ShogiGUI write for a mate.
const MATE: i32 = 30_000;

/// Comments on `pos`, the position after `ply` moves, and on the move that led there.
pub(super) fn comments(assessment: &Assessment, pos: &Position, ply: usize, settings: &RemarkSettings) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(made) = ply.checked_sub(1).and_then(|index| assessment.moves.get(index)) {
        lines.extend(label_lines(made, settings));
    }
    let score = assessment.scores[ply];
    let result = assessment.positions[ply].as_ref();
    let Some(score) = score else { return lines };
    if result.is_some_and(|result| result.declares) {
        lines.push(declaration(pos.side(), settings.language).to_string());
    }
    match settings.form {
        RemarkForm::ShogiHome => lines.extend(shogihome(score, result, pos, settings)),
        RemarkForm::ShogiGui => lines.extend(shogigui(score, result, pos)),
        RemarkForm::Floodgate => lines.push(floodgate(score, result, pos, settings.nodes)),
        RemarkForm::Plain => lines.push(plain(score, result, pos, settings)),
    }
    lines
}

/// `【悪手】 勝率 62% → 38%  最善は▲２四歩`
fn label_lines(made: &AssessedMove, settings: &RemarkSettings) -> Vec<String> {
    let Some(label) = made.verdict.label else {
        return made.verdict.missed.map_or_else(Vec::new, |missed| missed_lines(missed, made, settings));
    };
    let best = made.best.map_or(50.0, |score| 100.0 * settings.curve.chance(score));
    let played = made.played.map_or(50.0, |score| 100.0 * settings.curve.chance(score));
    let mut line = match settings.language {
        Language::Japanese => format!("【{}】 勝率 {best:.0}% → {played:.0}%", label.japanese()),
        Language::English => format!("{}: chance {best:.0}% to {played:.0}%", label.english()),
    };
    if label != Label::Good
        && let Some(better) = &made.best_text
    {
        match settings.language {
            Language::Japanese => _ = write!(line, "  最善は{better}"),
            Language::English => _ = write!(line, ", best was {better}"),
        }
    }
    if let Some(missed) = made.verdict.missed {
        _ = write!(line, "  {}", missed_words(missed, made, settings.language));
    }
    if label != Label::Good
        && let Some(pressure) = made.pressure
    {
        _ = write!(line, "  {}", pressure_words(pressure, settings.language));
    }
    let mut lines = Vec::new();
    if settings.bookmarks && label != Label::Good {
        lines.push(format!("&【{}】", label.japanese()));
    }
    lines.push(line);
    lines.extend(made.reasons.iter().map(|reason| reason_line(reason, settings.language)));
    lines
}

/// `【詰み逃し】 7手詰を逃した`, of a move that kept its advantage all the same.
fn missed_lines(missed: Missed, made: &AssessedMove, settings: &RemarkSettings) -> Vec<String> {
    let words = missed_words(missed, made, settings.language);
    let line = match settings.language {
        Language::Japanese => format!("{MISSED_HEAD} {words}"),
        Language::English => words,
    };
    let reasons = made.reasons.iter().map(|reason| reason_line(reason, settings.language));
    std::iter::once(line).chain(reasons).collect()
}

/// The head of a line on a mate that was missed by a move without a label.
const MISSED_HEAD: &str = "【詰み逃し】";

/// The time that was left: 秒読み（30秒）
fn pressure_words(pressure: Pressure, language: Language) -> String {
    match (pressure, language) {
        (Pressure::Byoyomi { left_ms }, Language::Japanese) => format!("秒読み（{}秒）", left_ms / 1_000),
        (Pressure::Byoyomi { left_ms }, Language::English) => format!("in byoyomi of {} s", left_ms / 1_000),
        (Pressure::Short { left_ms }, Language::Japanese) => format!("残り{}秒", left_ms / 1_000),
        (Pressure::Short { left_ms }, Language::English) => format!("with {} s left", left_ms / 1_000),
    }
}

/// A sentence with its line: 飛車を取られる：△５三金 …
fn reason_line(reason: &Reason, language: Language) -> String {
    let words = match language {
        Language::Japanese => &reason.ja,
        Language::English => &reason.en,
    };
    format!("{words}：{}", reason.text)
}

/// Tells whether a line of a comment was written by an analysis: a score in any form, a label, a reason, words for a
/// score.
pub(super) fn is_of_analysis(line: &str) -> bool {
    const LABELS: [Label; 5] = [Label::Good, Label::Inaccuracy, Label::Dubious, Label::Mistake, Label::Blunder];
    let line = line.trim();
    let label = line.trim_start_matches('&').strip_prefix('【');
    let is_label =
        label.is_some_and(|rest| LABELS.iter().any(|label| rest.starts_with(&format!("{}】", label.japanese()))));
    let is_english = LABELS.iter().any(|label| line.starts_with(&format!("{}: chance ", label.english())));
    let is_plain = ["形勢 ", "Score "].iter().any(|head| line.starts_with(head))
        && ["（先手勝率 ", " (black "].iter().any(|words| line.contains(words));
    let declares = [Language::Japanese, Language::English]
        .iter()
        .any(|&language| Color::ALL.iter().any(|&side| declaration(side, language) == line));
    let is_situation = [-2_000, -700, -500, -300, 0, 300, 500, 700, 2_000].iter().any(|&cp| situation(cp) == line);
    let is_missed = line.starts_with(MISSED_HEAD) || line.starts_with("Missed a mate");
    let is_score = is_situation || is_mate_words(line) || is_remark(line);
    is_missed || is_label || is_english || is_plain || declares || is_score || is_reason(line)
}

/// Words for a move that missed something.
fn missed_words(missed: Missed, made: &AssessedMove, language: Language) -> String {
    // None where the length is not known.
    let plies = match missed {
        Missed::Mate => mate_plies(made.best),
        Missed::Defence => mate_plies(made.played).map(|plies| plies.saturating_sub(1).max(1)),
        Missed::Declaration => None,
    };
    match (missed, plies, language) {
        (Missed::Mate, Some(plies), Language::Japanese) => format!("{plies}手詰を逃した"),
        (Missed::Mate, Some(plies), Language::English) => format!("Missed a mate in {plies}"),
        (Missed::Mate, None, Language::Japanese) => "詰みを逃した".to_string(),
        (Missed::Mate, None, Language::English) => "Missed a mate".to_string(),
        (Missed::Defence, Some(plies), Language::Japanese) => format!("玉が{plies}手で詰む"),
        (Missed::Defence, Some(plies), Language::English) => format!("Allows a mate in {plies}"),
        (Missed::Defence, None, Language::Japanese) => "玉が詰む".to_string(),
        (Missed::Defence, None, Language::English) => "Allows a mate".to_string(),
        (Missed::Declaration, _, Language::Japanese) => "入玉宣言で勝てた".to_string(),
        (Missed::Declaration, _, Language::English) => "A declaration would have won".to_string(),
    }
}

fn mate_plies(score: Option<ReportedScore>) -> Option<u32> {
    score?.as_mate().map(i32::unsigned_abs)
}

fn declaration(side: Color, language: Language) -> &'static str {
    match (language, side) {
        (Language::Japanese, Color::Black) => "先手は入玉宣言で勝てる",
        (Language::Japanese, Color::White) => "後手は入玉宣言で勝てる",
        (Language::English, Color::Black) => "Black can declare a win",
        (Language::English, Color::White) => "White can declare a win",
    }
}

/// ShogiHome's words for a score from black's side.
fn situation(cp: i32) -> String {
    let side = if cp > 0 { "先手" } else { "後手" };
    match cp.unsigned_abs() {
        0..200 => "互角".to_string(),
        200..400 => format!("{side}有望"),
        400..600 => format!("{side}有利"),
        600..1_500 => format!("{side}優勢"),
        _ => format!("{side}勝勢"),
    }
}

fn shogihome(
    score: ReportedScore,
    result: Option<&PositionResult>,
    pos: &Position,
    settings: &RemarkSettings,
) -> Vec<String> {
    let mut lines = Vec::new();
    if settings.language == Language::Japanese {
        lines.push(match score {
            ReportedScore::Centipawns(cp) => situation(cp),
            mate => score_words(mate, result, pos.side(), settings.language),
        });
    }
    match score {
        ReportedScore::Mate(plies) => {
            let winner = if plies > 0 { "先手勝ち" } else { "後手勝ち" };
            // Who is mated already, or can declare, has no number of plies.
            let has_length = result.is_none_or(|result| result.legal > 0 && !result.declares);
            let length = if has_length { format!(":{}手", plies.unsigned_abs()) } else { String::new() };
            lines.push(format!("#詰み={winner}{length}"));
        }
        ReportedScore::UnknownMate { wins } => {
            lines.push(format!("#詰み={}", if wins { "先手勝ち" } else { "後手勝ち" }));
        }
        ReportedScore::Centipawns(cp) => lines.push(format!("#評価値={cp}")),
    }
    let Some(result) = result else { return lines };
    if let Some(best) = result.best_line().filter(|line| !line.is_empty()) {
        lines.push(format!("#読み筋={}", shogihome_line(pos, best)));
    }
    if settings.candidates {
        let others = result.lines.iter().enumerate().skip(1);
        for (place, line) in others {
            let score = black_text(line.score, pos.side());
            let moves = shogihome_line(pos, &line.pv);
            lines.push(format!("#読み筋={moves} 候補{} 評価値 {score}", place + 1));
        }
    }
    if let Some(line) = result.lines.first() {
        lines.push(format!("#深さ={}", line.depth));
        lines.push(format!("#ノード数={}", line.nodes));
    }
    lines.push(format!("#エンジン={}", settings.engine));
    lines
}

/// `*解析 0 候補1 深さ 22 ノード数 5 評価値 88 読み筋 △３三角(22) …`, the best one last: who reads one takes that.
fn shogigui(score: ReportedScore, result: Option<&PositionResult>, pos: &Position) -> Vec<String> {
    let lines = result.map(|result| &result.lines[..]).unwrap_or_default();
    let Some(first) = lines.first() else { return vec![format!("*解析 0   候補1 評価値 {}", number(score))] };
    let mut texts = Vec::new();
    for (place, line) in lines.iter().enumerate().skip(1).rev() {
        let score = black_text(line.score, pos.side());
        texts.push(shogigui_line(pos, place, score, &line.pv, line));
    }
    let best = result.and_then(PositionResult::best_line).unwrap_or_default();
    texts.push(shogigui_line(pos, 0, number(score), best, first));
    texts
}

/// One line of ShogiGUI's analysis: the moves, with depth and nodes of the line that was searched.
fn shogigui_line(pos: &Position, place: usize, score: i32, moves: &[Move], searched: &SearchedLine) -> String {
    let mark = if pos.side() == Color::Black { '▲' } else { '△' };
    let candidate = place + 1;
    let SearchedLine { depth, nodes, .. } = searched;
    let moves = kif_line(pos, moves).join(" ");
    format!("*解析 0 {mark} 候補{candidate} 深さ {depth} ノード数 {nodes} 評価値 {score} 読み筋 {moves}")
        .trim_end()
        .to_string()
}

/// A score as one number, a mate of whatever length as ±30000.
fn number(score: ReportedScore) -> i32 {
    match score.mates() {
        Some(true) => MATE,
        Some(false) => -MATE,
        None => score.as_centipawns().unwrap_or(0),
    }
}

/// `* 123 -3334FU +2625FU`, the mates as ±30000.
pub(super) fn floodgate(score: ReportedScore, result: Option<&PositionResult>, pos: &Position, nodes: bool) -> String {
    let mut text = match score {
        ReportedScore::Mate(_) | ReportedScore::UnknownMate { .. } => format!("* {}", number(score)),
        ReportedScore::Centipawns(cp) => format!("* {}", cp.clamp(-MATE + 1, MATE - 1)),
    };
    let line = result.and_then(PositionResult::best_line).unwrap_or_default();
    for mv in write_line(pos, line, csa::move_text) {
        _ = write!(text, " {mv}");
    }
    if nodes && let Some(first) = result.and_then(|result| result.lines.first()) {
        _ = write!(text, " #{}", first.nodes);
    }
    text
}

/// `形勢 -312（勝率 38%） △８六歩 ▲同歩`
fn plain(score: ReportedScore, result: Option<&PositionResult>, pos: &Position, settings: &RemarkSettings) -> String {
    let percent = 100.0 * settings.curve.chance(score);
    let score = score_words(score, result, pos.side(), settings.language);
    let mut text = match settings.language {
        Language::Japanese => format!("形勢 {score}（先手勝率 {percent:.0}%）"),
        Language::English => format!("Score {score} (black {percent:.0}%)"),
    };
    let line = result.and_then(PositionResult::best_line).unwrap_or_default();
    for mv in japanese_line(pos, line) {
        _ = write!(text, " {mv}");
    }
    text
}

/// Words for a score from black's side.
fn score_words(score: ReportedScore, result: Option<&PositionResult>, side: Color, language: Language) -> String {
    let own = if side == Color::Black { score } else { score.turned() };
    let declares = result.is_some_and(|result| result.declares);
    match (mate_words(own, side, declares), language) {
        (Some([japanese, _]), Language::Japanese) => japanese,
        (Some([_, english]), Language::English) => english,
        (None, _) => format!("{:+}", score.centipawns()),
    }
}

/// A score of the side to move from black's side, a mate as ±30000.
fn black_text(score: ReportedScore, side: Color) -> i32 {
    number(if side == Color::Black { score } else { score.turned() })
}

/// Moves as KIF writes them, with their origins: △３三角(22). Who reads them does not know the move before.
fn kif_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut last = None;
    write_line(pos, line, |pos, mv| {
        let text = kif::move_text(pos, mv, last);
        last = Some(mv.to());
        text
    })
}
