//! Scores that programs write into the comments of records, written and read back.
//!
//! Every program has its own form; GUIs draw their graphs from whatever they find. All scores are from black's side.
//! What is said of a move is either what an engine that played thought of it, or what an analysis found afterwards.
//! [`Thought`] writes what an engine thought in the forms of ShogiHome and of floodgate, [`read_remarks`] reads all:
//!
//! | form | kind | the line of play begins with |
//! | --- | --- | --- |
//! | `#評価値=123`, `#詰み=先手勝ち:7手`, `#読み筋=△３四歩▲２六歩`, `#深さ=22`, `#ノード数=5` (ShogiHome) | analysis | the reply |
//! | the same with `*` for `#` | player | the reply |
//! | `* 123 -3334FU +2625FU #5` (floodgate, CSA 3.0) | player | the reply |
//! | `*対局 時間 00:00.8 深さ 22/28 ノード数 5 評価値 88 読み筋 ▲３四飛(24) △３三角(22)` (ShogiGUI) | player | the move itself |
//! | `*解析 0 △ 候補1 時間 00:00.0 深さ 32 ノード数 5 評価値 0 読み筋 △３三角(22)` (ShogiGUI) | analysis | the reply |
//! | `* … 評価値 123 … 読み筋 …` (Kishin Analytics) | analysis | the reply |
//! | `#指し手[62]△７五歩 ▲３三桂成`, `#形勢[62]…` (K-Shogi, Piyo Shogi) | analysis | the move itself |
//! | `[%eval 0.62]` in pawns, `[%eval mate-3]` (lishogi) | analysis | |

use super::japanese_move::JapaneseMove;
use super::number::Number;
use super::score::{InfoScore, ReportedScore};
use super::vocabulary::{is_blank, is_marker};
use super::{csa, ki2};
use crate::movegen::is_legal;
use crate::position::Position;
use crate::types::{Color, Move};
use std::fmt::Write;

/// Content of the comments on a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Thought of the engine that played it.
    pub player: Option<SearchRemark>,
    /// Finding of an analysis.
    pub research: Option<SearchRemark>,
}

/// Words of an engine on a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchRemark {
    /// The score from black's side.
    pub score: Option<ReportedScore>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The moves that are expected after the one that was made.
    pub line: Vec<Move>,
}

/// Score that floodgate and ShogiGUI write for a mate, or more.
const MATE: i32 = 30_000;

/// Which of the two a line is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Player,
    Research,
}

/// Reads the comments on a move; `before` is the position in which it was made. Comments on the start of a game have no
/// move. Of several lines of one kind the last one counts, but the first candidate of several.
///
/// ```
/// use komainu::notation::score::ReportedScore;
/// use komainu::notation::remark::read_remarks;
/// use komainu::position::Position;
///
/// let comments = ["#評価値=35".to_string(), "#読み筋=△３四歩▲２六歩".to_string(), "#深さ=12".to_string()];
/// let remarks = read_remarks(&Position::startpos(), "7g7f".parse().ok(), &comments);
/// let research = remarks.research.expect("an analysis");
/// assert_eq!((research.score, research.depth), (Some(ReportedScore::Centipawns(35)), Some(12)));
/// assert_eq!(research.line.len(), 2);
/// ```
pub fn read_remarks(before: &Position, mv: Option<Move>, comments: &[String]) -> Remarks {
    let mut remarks = Remarks::default();
    let mut after = before.clone();
    if let Some(mv) = mv {
        after.do_move(mv);
    }
    for line in comments.iter().flat_map(|comment| comment.split('\n')) {
        let Some((kind, found)) = read_line(line.trim_end_matches('\r'), before, &after, mv) else { continue };
        let slot = match kind {
            Kind::Player => &mut remarks.player,
            Kind::Research => &mut remarks.research,
        };
        slot.get_or_insert_default().take(found);
    }
    remarks
}

/// Tells whether a line of a comment is what a program writes of its search, and no person.
pub fn is_remark(line: &str) -> bool {
    const WORDS: [&str; 8] =
        ["評価値=", "評価値下限=", "評価値上限=", "詰み=", "読み筋=", "深さ=", "ノード数=", "エンジン="];
    let rest = line.strip_prefix(['#', '*']);
    let is_shogihome = rest.is_some_and(|rest| WORDS.iter().any(|word| rest.starts_with(word)));
    // Of ShogiGUI's lines the reader takes that of the best move only.
    is_shogihome
        || line.starts_with("*解析 ")
        || read_line(line, &Position::startpos(), &Position::startpos(), None).is_some()
}

impl SearchRemark {
    /// Takes over what a later line says.
    fn take(&mut self, new: SearchRemark) {
        self.score = new.score.or(self.score);
        self.depth = new.depth.or(self.depth);
        self.nodes = new.nodes.or(self.nodes);
        // Further lines are further candidates.
        if self.line.is_empty() {
            self.line = new.line;
        }
    }
}

fn read_line(line: &str, before: &Position, after: &Position, mv: Option<Move>) -> Option<(Kind, SearchRemark)> {
    if let Some((_, eval)) = line.split_once("[%eval ") {
        let score = Some(lishogi(eval)?);
        return Some((Kind::Research, SearchRemark { score, ..SearchRemark::default() }));
    }
    if let Some(rest) = line.strip_prefix("#形勢[").or_else(|| line.strip_prefix("#指し手[")) {
        let (number, moves) = rest.split_once(']')?;
        let line = without_first(japanese_line(before, moves), mv);
        let score = Some(score_of(leading_integer(number)?));
        return Some((Kind::Research, SearchRemark { score, line, ..SearchRemark::default() }));
    }
    if let Some(rest) = line.strip_prefix("*対局 ") {
        let mut found = shogigui(rest, before)?;
        found.line = without_first(found.line, mv);
        return Some((Kind::Player, found));
    }
    if let Some(rest) = line.strip_prefix("*解析 ") {
        let candidate = rest.split_once("候補").and_then(|(_, number)| leading_integer(number));
        let is_first = candidate.is_none_or(|number| number == 1);
        return if is_first { Some((Kind::Research, shogigui(rest, after)?)) } else { None };
    }
    if let Some(rest) = line.strip_prefix("* ") {
        if rest.contains(" 評価値 ") {
            return Some((Kind::Research, shogigui(rest, after)?));
        }
        return floodgate(rest.trim_start(), after).map(|found| (Kind::Player, found));
    }
    let kind = match line.as_bytes().first()? {
        b'#' => Kind::Research,
        b'*' => Kind::Player,
        _ => return None,
    };
    shogihome(&line[1..], after).map(|found| (kind, found))
}

fn shogihome(text: &str, after: &Position) -> Option<SearchRemark> {
    let (key, value) = text.split_once('=')?;
    let mut found = SearchRemark::default();
    match key {
        "評価値" => found.score = Some(ReportedScore::Centipawns(leading_integer(value)?)),
        "詰み" => {
            let (is_black, rest) = match value.strip_prefix("先手勝ち") {
                Some(rest) => (true, rest),
                None => (false, value.strip_prefix("後手勝ち")?),
            };
            found.score = Some(mate(is_black, rest.strip_prefix(':').and_then(leading_integer)));
        }
        // A bound is no score.
        "評価値下限" | "評価値上限" => {}
        "読み筋" => found.line = japanese_line(after, value),
        "深さ" => found.depth = u32::try_from(leading_integer(value)?).ok(),
        "ノード数" => found.nodes = leading_number(value),
        _ => return None,
    }
    Some(found)
}

/// `深さ 22/28 ノード数 744743 評価値 88 読み筋 △３四歩(33)`, whose line begins in this position.
fn shogigui(text: &str, pos: &Position) -> Option<SearchRemark> {
    Some(SearchRemark {
        score: shogigui_score(after_word(text, "評価値")?),
        depth: after_word(text, "深さ").and_then(leading_integer).and_then(|depth| u32::try_from(depth).ok()),
        nodes: after_word(text, "ノード数").and_then(leading_number),
        line: japanese_line(pos, after_word(text, "読み筋").unwrap_or_default()),
    })
}

/// `88`, `+詰 7`, `-詰`; a bound as `120↑` is no score.
fn shogigui_score(text: &str) -> Option<ReportedScore> {
    for (word, is_black) in [("+詰", true), ("-詰", false)] {
        if let Some(plies) = text.strip_prefix(word) {
            return Some(mate(is_black, leading_integer(plies.trim_start_matches(is_blank))));
        }
    }
    let number = text.split(is_blank).next().unwrap_or_default();
    if number.ends_with(['↑', '↓']) { None } else { leading_integer(number).map(score_of) }
}

/// A mate by a side, without a length if the number is none of plies.
fn mate(is_black: bool, plies: Option<i32>) -> ReportedScore {
    match plies {
        Some(plies) if plies > 0 => ReportedScore::Mate(if is_black { plies } else { -plies }),
        _ => ReportedScore::UnknownMate { wins: is_black },
    }
}

/// `123 -3334FU +2625FU #12345`
fn floodgate(text: &str, after: &Position) -> Option<SearchRemark> {
    let mut words = text.split_ascii_whitespace();
    let number = Number::read(words.next()?)?.value.clamp(i32::MIN.into(), i32::MAX.into());
    let mut found = SearchRemark { score: Some(score_of(number as i32)), ..SearchRemark::default() };
    let mut pos = after.clone();
    for word in words {
        match word.strip_prefix('#') {
            Some(nodes) => found.nodes = nodes.parse().ok(),
            None => {
                let Some(mv) = csa::parse_move(&pos, word) else { break };
                pos.do_move(mv);
                found.line.push(mv);
            }
        }
    }
    Some(found)
}

/// `0.62]`, `mate5]`
fn lishogi(text: &str) -> Option<ReportedScore> {
    let text = text.split(']').next()?.trim();
    match text.strip_prefix("mate") {
        // Whoever is mated already is not told.
        Some(plies) => plies.trim().parse().ok().filter(|&plies| plies != 0).map(ReportedScore::Mate),
        None => {
            let pawns: f64 = text.parse().ok()?;
            if pawns.is_finite() { Some(ReportedScore::Centipawns((pawns * 100.0).round() as i32)) } else { None }
        }
    }
}

/// A mate has no length there.
fn score_of(number: i32) -> ReportedScore {
    match number {
        MATE.. => ReportedScore::UnknownMate { wins: true },
        _ if number <= -MATE => ReportedScore::UnknownMate { wins: false },
        _ => ReportedScore::Centipawns(number),
    }
}

/// Text behind a word that stands alone.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    for (at, _) in text.match_indices(word) {
        let rest = &text[at + word.len()..];
        if (at == 0 || text[..at].ends_with(is_blank)) && rest.starts_with(is_blank) {
            return Some(rest.trim_start_matches(is_blank));
        }
    }
    None
}

fn leading_integer(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i32 = digits[..end].parse().ok()?;
    Some(if text.starts_with('-') { -number } else { number })
}

fn leading_number(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Moves in Japanese notation from the first mark on, up to the first that cannot be placed.
fn japanese_line(pos: &Position, text: &str) -> Vec<Move> {
    let Some(begin) = text.find(is_marker) else { return Vec::new() };
    let mut pos = pos.clone();
    let mut text = &text[begin..];
    let mut line = Vec::new();
    loop {
        text = text.trim_start_matches(|c| is_blank(c) || is_marker(c));
        let Some((notation, rest)) = JapaneseMove::parse(text) else { return line };
        let Ok(mv) = notation.resolve(&pos, pos.last_move().map(Move::to)) else { return line };
        pos.do_move(mv);
        line.push(mv);
        text = rest;
    }
}

/// A line that begins with the move that was made, without it.
fn without_first(mut line: Vec<Move>, mv: Option<Move>) -> Vec<Move> {
    match mv {
        Some(mv) if line.first() == Some(&mv) => {
            line.remove(0);
            line
        }
        _ => Vec::new(),
    }
}

/// A line as ShogiHome writes it: a blank as wide as a letter behind 同. The first move has its square also where it
/// takes back, because ShogiHome reads the line without knowing the move before it.
///
/// ```
/// use komainu::notation::remark::shogihome_line;
/// use komainu::notation::usi::parse_position;
///
/// let position = parse_position("startpos moves 7g7f 3c3d 8h2b+")?.position;
/// let line = ["3a2b".parse()?, "2h5h".parse()?, "2b3c".parse()?];
/// assert_eq!(shogihome_line(&position, &line), "△２二銀▲５八飛△３三銀");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shogihome_line(pos: &Position, line: &[Move]) -> String {
    let mut last = None;
    let words = write_line(pos, line, |pos, mv| {
        let text = ki2::move_text(pos, mv, last);
        last = Some(mv.to());
        text.replace('同', "同　")
    });
    words.concat()
}

/// A line as far as it is legal, each move as `write` has it.
pub fn write_line(pos: &Position, line: &[Move], mut write: impl FnMut(&Position, Move) -> String) -> Vec<String> {
    let mut pos = pos.clone();
    let mut words = Vec::with_capacity(line.len());
    for &mv in line {
        if !is_legal(&pos, mv) {
            break;
        }
        words.push(write(&pos, mv));
        pos.do_move(mv);
    }
    words
}

/// Thoughts of an engine about a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The score from the view of the side that moved, or a bound of it.
    pub score: InfoScore,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The moves that it expected next. Those from the first illegal one on are left out.
    pub line: Vec<Move>,
}

impl Thought {
    /// ShogiHome's lines of the engine of a player. `pos` is the position after the move.
    pub fn shogihome(&self, pos: &Position) -> Vec<String> {
        let mut lines = vec![match self.for_black(pos) {
            InfoScore::Exact(ReportedScore::Centipawns(score)) => format!("*評価値={score}"),
            InfoScore::Exact(ReportedScore::Mate(plies)) => {
                format!("*詰み={}:{}手", winner(plies > 0), plies.unsigned_abs())
            }
            InfoScore::Exact(ReportedScore::UnknownMate { wins }) => format!("*詰み={}", winner(wins)),
            // GUIs draw their graphs from scores, and a bound is none.
            InfoScore::AtLeast(score) => format!("*評価値下限={}", bound_text(score)),
            InfoScore::AtMost(score) => format!("*評価値上限={}", bound_text(score)),
        }];
        let line = shogihome_line(pos, &self.line);
        if !line.is_empty() {
            lines.push(format!("*読み筋={line}"));
        }
        if let Some(depth) = self.depth {
            lines.push(format!("*深さ={depth}"));
        }
        if let Some(nodes) = self.nodes {
            lines.push(format!("*ノード数={nodes}"));
        }
        lines
    }

    /// Floodgate's line, with the nodes at its end as CSA 3.0 has them; what it has no place for in a line of its own.
    ///
    /// ```
    /// use komainu::notation::score::{InfoScore, ReportedScore};
    /// use komainu::notation::remark::Thought;
    /// use komainu::notation::usi::parse_position;
    ///
    /// let position = parse_position("startpos moves 7g7f")?.position;
    /// let line = vec!["3c3d".parse()?];
    /// let score = InfoScore::Exact(ReportedScore::Centipawns(35));
    /// let thought = Thought { score, depth: None, nodes: Some(900), line };
    /// assert_eq!(thought.floodgate(&position), ["* 35 -3334FU #900"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn floodgate(&self, pos: &Position) -> Vec<String> {
        let mut lines = Vec::new();
        let mut others = Vec::new();
        let score = match self.for_black(pos) {
            InfoScore::Exact(ReportedScore::Centipawns(score)) => Some(score),
            InfoScore::Exact(score) => {
                others.push(score.to_string());
                Some(if score.mates() == Some(true) { MATE } else { -MATE })
            }
            InfoScore::AtLeast(score) => {
                others.push(format!("score at least {}", bound_text(score)));
                None
            }
            InfoScore::AtMost(score) => {
                others.push(format!("score at most {}", bound_text(score)));
                None
            }
        };
        // The line begins with a score, and a bound is none.
        if let Some(score) = score {
            let mut line = format!("* {score}");
            for mv in write_line(pos, &self.line, csa::move_text) {
                _ = write!(line, " {mv}");
            }
            if let Some(nodes) = self.nodes {
                _ = write!(line, " #{nodes}");
            }
            lines.push(line);
        }
        if let Some(depth) = self.depth {
            others.push(format!("depth {depth}"));
        }
        if !others.is_empty() {
            lines.push(others.join(" "));
        }
        lines
    }

    /// The score from black's side. `pos` is the position after the move.
    fn for_black(&self, pos: &Position) -> InfoScore {
        if pos.side() == Color::White { self.score } else { self.score.turned() }
    }
}

fn winner(is_black: bool) -> &'static str {
    if is_black { "先手勝ち" } else { "後手勝ち" }
}

/// A number for centipawns, `mate 5` for a mate.
fn bound_text(score: ReportedScore) -> String {
    match score {
        ReportedScore::Centipawns(score) => score.to_string(),
        mate => mate.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi::parse_position;
    use ReportedScore::{Centipawns, Mate, UnknownMate};

    /// ▲７六歩 in the start position, with comments.
    fn read(comments: &[&str]) -> Remarks {
        let comments: Vec<String> = comments.iter().map(|line| line.to_string()).collect();
        read_remarks(&Position::startpos(), "7g7f".parse().ok(), &comments)
    }

    fn usi(remark: &Option<SearchRemark>) -> String {
        let line = remark.as_ref().map(|remark| &remark.line[..]).unwrap_or_default();
        line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_form_tells_score_depth_nodes_and_line() {
        for (comments, kind, score, depth, nodes, line) in [
            (
                &["#評価値=123", "#読み筋=△３四歩▲２六歩", "#深さ=22", "#ノード数=500"][..],
                Kind::Research,
                Centipawns(123),
                Some(22),
                Some(500),
                "3c3d 2g2f",
            ),
            (
                &["*評価値=-123", "*読み筋=△３四歩▲２二角成△同　銀", "*深さ=22"],
                Kind::Player,
                Centipawns(-123),
                Some(22),
                None,
                "3c3d 8h2b+ 3a2b",
            ),
            (&["#詰み=後手勝ち:7手"], Kind::Research, Mate(-7), None, None, ""),
            (&["*詰み=先手勝ち:11手"], Kind::Player, Mate(11), None, None, ""),
            (&["* 123 -3334FU +2625FU"], Kind::Player, Centipawns(123), None, None, "3c3d"),
            (&["* -88 -3334FU +2726FU #12345"], Kind::Player, Centipawns(-88), None, Some(12345), "3c3d 2g2f"),
            (&["* 30000 -3334FU"], Kind::Player, UnknownMate { wins: true }, None, None, "3c3d"),
            (&["#詰み=後手勝ち"], Kind::Research, UnknownMate { wins: false }, None, None, ""),
            (&["*詰み=先手勝ち"], Kind::Player, UnknownMate { wins: true }, None, None, ""),
            (
                &["*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 ▲７六歩(77) △３四歩(33) ▲２六歩(27)"],
                Kind::Player,
                Centipawns(88),
                Some(22),
                Some(744_743),
                "3c3d 2g2f",
            ),
            (
                &[
                    "*解析 0 △ 候補1 時間 00:00.0 深さ 32 ノード数 1 評価値 -5 読み筋 △３四歩(33) ▲２六歩(27)",
                    "*解析 0   候補2 時間 00:00.0 深さ 31 ノード数 1 評価値 40 読み筋 △８四歩(83)",
                ],
                Kind::Research,
                Centipawns(-5),
                Some(32),
                Some(1),
                "3c3d 2g2f",
            ),
            (
                &["* 先手有利 評価値 310 深さ 18 読み筋 △８四歩 ▲２六歩"],
                Kind::Research,
                Centipawns(310),
                Some(18),
                None,
                "8c8d 2g2f",
            ),
            (&["#指し手[62]▲７六歩  △３四歩  ▲２六歩"], Kind::Research, Centipawns(62), None, None, "3c3d 2g2f"),
            (&["#形勢[-62]▲７六歩  △３四歩"], Kind::Research, Centipawns(-62), None, None, "3c3d"),
            (&["[%eval 0.62]"], Kind::Research, Centipawns(62), None, None, ""),
            (&["[%eval mate-3]"], Kind::Research, Mate(-3), None, None, ""),
            (&["*対局 深さ 5 評価値 +詰 7 読み筋 ▲７六歩(77)"], Kind::Player, Mate(7), Some(5), None, ""),
            (&["*解析 0 深さ 5 評価値 -詰12"], Kind::Research, Mate(-12), Some(5), None, ""),
            (&["*対局 評価値 -詰 読み筋 ▲７六歩(77)"], Kind::Player, UnknownMate { wins: false }, None, None, ""),
            // A length that is none.
            (&["#詰み=先手勝ち:0手"], Kind::Research, UnknownMate { wins: true }, None, None, ""),
            (&["*詰み=後手勝ち:-3手"], Kind::Player, UnknownMate { wins: false }, None, None, ""),
            (&["* 120.5"], Kind::Player, Centipawns(120), None, None, ""),
            (&["* 1e9"], Kind::Player, UnknownMate { wins: true }, None, None, ""),
        ] {
            let remarks = read(comments);
            let found = if kind == Kind::Player { &remarks.player } else { &remarks.research };
            let remark = found.as_ref().unwrap_or_else(|| panic!("{comments:?}"));
            assert_eq!((remark.score, remark.depth, remark.nodes), (Some(score), depth, nodes), "{comments:?}");
            assert_eq!(usi(found), line, "{comments:?}");
            assert!(comments.iter().all(|line| is_remark(line) || line.contains("候補2")), "{comments:?}");
        }
    }

    #[test]
    fn a_bound_is_no_score() {
        for comments in
            [&["*評価値下限=-3000", "*深さ=6"][..], &["*対局 深さ 6 評価値 120↑"], &["*対局 深さ 6 評価値 -5↓ 読み筋"]]
        {
            let remark = read(comments).player.expect("a remark");
            assert_eq!((remark.score, remark.depth), (None, Some(6)), "{comments:?}");
        }
        assert!(is_remark("*評価値上限=3000") && is_remark("#評価値下限=mate 5"));
    }

    #[test]
    fn what_people_write_is_no_remark() {
        for line in [
            "",
            "良い手",
            "*",
            "#",
            "* ",
            "35 people",
            "評価値=35",
            "*詰み=多分",
            "先手有利",
            "#評価値=",
            "*対局 楽しかった",
            "* nan",
            "* inf",
            "[%eval nan]",
            "[%eval inf]",
            "[%eval mate0]",
        ] {
            assert_eq!(read(&[line]), Remarks::default(), "{line}");
            assert!(!is_remark(line) || ["*詰み=多分", "#評価値="].contains(&line), "{line}");
        }
        assert!(is_remark("#エンジン=駒犬") && is_remark("*読み筋=△３四歩"));
    }

    fn thought(score: ReportedScore, line: &str) -> Thought {
        let score = InfoScore::Exact(score);
        let line = line.split_ascii_whitespace().map(|mv| mv.parse().unwrap()).collect();
        Thought { score, depth: Some(12), nodes: Some(4_567), line }
    }

    fn after(moves: &str) -> Position {
        parse_position(&format!("startpos moves {moves}")).unwrap().position
    }

    #[test]
    fn both_forms_tell_the_score_from_blacks_side() {
        let pos = after("7g7f");
        let black = thought(ReportedScore::Centipawns(35), "3c3d 8h2b+ 3a2b B*4e 7g7f");
        let lines = ["*評価値=35", "*読み筋=△３四歩▲２二角成△同　銀▲４五角", "*深さ=12", "*ノード数=4567"];
        assert_eq!(black.shogihome(&pos), lines);
        assert_eq!(black.floodgate(&pos), ["* 35 -3334FU +8822UM -3122GI +0045KA #4567", "depth 12"]);
        let pos = after("7g7f 3c3d 8h2b+");
        assert_eq!(thought(ReportedScore::Centipawns(0), "3a2b").shogihome(&pos)[1], "*読み筋=△２二銀");
        let pos = after("7g7f 3c3d");
        let white = Thought { depth: None, nodes: None, ..thought(ReportedScore::Centipawns(35), "") };
        assert_eq!(white.shogihome(&pos), ["*評価値=-35"]);
        assert_eq!(white.floodgate(&pos), ["* -35"]);
    }

    #[test]
    fn a_mate_has_a_winner_and_a_length_if_that_is_known() {
        for (moves, score, shogihome, floodgate, mate) in [
            ("7g7f", Mate(7), "*詰み=先手勝ち:7手", 30_000, "7"),
            ("7g7f", Mate(-6), "*詰み=後手勝ち:6手", -30_000, "-6"),
            ("7g7f 3c3d", Mate(7), "*詰み=後手勝ち:7手", -30_000, "-7"),
            ("7g7f 3c3d", Mate(-6), "*詰み=先手勝ち:6手", 30_000, "6"),
            ("7g7f", UnknownMate { wins: true }, "*詰み=先手勝ち", 30_000, "+"),
            ("7g7f 3c3d", UnknownMate { wins: true }, "*詰み=後手勝ち", -30_000, "-"),
        ] {
            let pos = after(moves);
            let thought = thought(score, "");
            assert_eq!(thought.shogihome(&pos)[0], shogihome);
            assert_eq!(thought.floodgate(&pos), [format!("* {floodgate} #4567"), format!("mate {mate} depth 12")]);
        }
    }

    #[test]
    fn a_bound_is_marked_and_no_program_takes_it_for_a_score() {
        let bound = Thought { score: InfoScore::AtLeast(Centipawns(-3_000)), ..thought(Centipawns(0), "3c3d") };
        let pos = after("7g7f");
        assert_eq!(bound.shogihome(&pos)[0], "*評価値下限=-3000");
        assert_eq!(bound.floodgate(&pos), ["score at least -3000 depth 12"]);
        let pos = after("7g7f 3c3d");
        assert_eq!(bound.shogihome(&pos)[0], "*評価値上限=3000");
        let mate = Thought { score: InfoScore::AtMost(Mate(-4)), ..bound };
        assert_eq!(mate.shogihome(&pos)[0], "*評価値下限=mate 4");
        assert_eq!(mate.floodgate(&pos), ["score at least mate 4 depth 12"]);
    }
}
