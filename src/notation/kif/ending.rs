//! Ends of games in Japanese records: a word in place of a move, and the line まで…手で….
//!
//! The words leave some endings and most winners unsaid; the line says the reason and the winner, so that every
//! [`Conclusion`] is read back as it was.

use crate::notation::record::{Conclusion, EndWord, Ending};
use crate::notation::vocabulary::{is_blank, leading_number, leading_side, side_name, trim};
use crate::types::Color;

/// The word in place of a move, for a game that ended so with this side to move.
pub(crate) fn word(conclusion: &Conclusion, side: Color) -> &'static str {
    let side_won = conclusion.winner == Some(side);
    match conclusion.ending {
        Ending::Resignation => "投了",
        Ending::Checkmate | Ending::NoMoves => "詰み",
        Ending::Declaration => "入玉勝ち",
        Ending::FalseDeclaration | Ending::IllegalMove | Ending::PerpetualCheck if side_won => "反則勝ち",
        Ending::FalseDeclaration | Ending::IllegalMove | Ending::PerpetualCheck => "反則負け",
        Ending::TimeUp | Ending::Crash | Ending::Stall => "切れ負け",
        Ending::Repetition => "千日手",
        Ending::Impasse => "持将棋",
        Ending::PlyLimit => "最大手数",
        Ending::AdjudicatedDraw | Ending::Draw => "引き分け",
        Ending::WalkOver if side_won => "不戦勝",
        Ending::WalkOver => "不戦敗",
        Ending::NoMate => "不詰",
        Ending::AdjudicatedWin if conclusion.winner == Some(!side) => "投了",
        Ending::AdjudicatedWin | Ending::Interrupted | Ending::Error => "中断",
    }
}

/// Meaning of a word in place of a move with this side to move.
pub(crate) fn read_word(word: &str, side: Color) -> Option<Conclusion> {
    let (ending, winner) = match word {
        "反則勝ち" => (Ending::IllegalMove, Some(side)),
        "反則負け" => (Ending::IllegalMove, Some(!side)),
        "不戦勝" | "不戦勝ち" => (Ending::WalkOver, Some(side)),
        "不戦敗" | "不戦負け" => (Ending::WalkOver, Some(!side)),
        "切れ勝ち" => (Ending::TimeUp, Some(side)),
        other => {
            let ending = reason_of(other)?;
            (ending, ending.usual_winner(side))
        }
    };
    Some(Conclusion { ending, winner, spent: None })
}

/// The ending in one word.
fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Resignation => "投了",
        Ending::Checkmate => "詰み",
        Ending::NoMoves => "合法手なし",
        Ending::Declaration => "入玉宣言",
        Ending::FalseDeclaration => "宣言の誤り",
        Ending::IllegalMove => "反則",
        Ending::TimeUp => "時間切れ",
        Ending::Crash => "異常終了",
        Ending::Stall => "応答なし",
        Ending::Repetition => "千日手",
        Ending::PerpetualCheck => "連続王手の千日手",
        Ending::Impasse => "持将棋",
        Ending::PlyLimit => "最大手数",
        Ending::AdjudicatedWin => "判定",
        Ending::AdjudicatedDraw => "引き分け判定",
        Ending::Draw => "引き分け",
        Ending::WalkOver => "不戦",
        Ending::NoMate => "不詰",
        Ending::Interrupted => "中断",
        Ending::Error => "エラー",
    }
}

/// Reads [`reason`] and what other programs say in its place.
fn reason_of(text: &str) -> Option<Ending> {
    Some(match text {
        "詰" | "詰まし" => Ending::Checkmate,
        "入玉勝ち"
        | "入玉勝"
        | "宣言勝ち"
        | "勝ち宣言"
        | "入玉宣言勝ち"
        | "トライ"
        | "トライ勝ち"
        | "宣言法による勝ち" => Ending::Declaration,
        "反則手" | "反則行為" | "Illegal-move" => Ending::IllegalMove,
        "切れ負け" | "時間切れ負け" | "時間切" | "タイムアップ" | "Time-up" | "Timeout" => {
            Ending::TimeUp
        }
        "接続切れ" | "接続切れ負け" | "通信切断" | "回線切断" | "切断" | "Disconnect" => {
            Ending::Crash
        }
        "連続王手" | "王手連続千日手" | "連続王手千日手" | "王手千日手" => {
            Ending::PerpetualCheck
        }
        "最大手数到達" | "最大手数超過" | "手数制限" | "手数超過" => Ending::PlyLimit,
        "引分" | "引分け" | "引き分" | "無勝負" => Ending::Draw,
        "相入玉" => Ending::Impasse,
        "不詰み" => Ending::NoMate,
        "封じ手" | "指し掛け" | "指掛け" | "中止" | "打ち切り" => Ending::Interrupted,
        "Resign" => Ending::Resignation,
        other => return Ending::ALL.into_iter().find(|&ending| reason(ending) == other),
    })
}

/// まで123手で先手の勝ち, for a game that ended so with this side to move.
pub(crate) fn summary(conclusion: &Conclusion, side: Color, plies: usize, handicap: bool) -> String {
    let ending = conclusion.ending;
    let result = match (ending, conclusion.winner) {
        (Ending::Resignation, Some(winner)) => format!("{}の勝ち", side_name(winner, handicap)),
        (Ending::Declaration, Some(winner)) => format!("{}の入玉勝ち", side_name(winner, handicap)),
        (Ending::IllegalMove, Some(winner)) if winner == side => format!("{}の反則勝ち", side_name(winner, handicap)),
        (Ending::IllegalMove, Some(winner)) => format!("{}の反則負け", side_name(!winner, handicap)),
        (_, Some(winner)) => format!("{}により{}の勝ち", reason(ending), side_name(winner, handicap)),
        (_, None) if ending.usual_winner(side).is_none() => reason(ending).to_string(),
        (_, None) => format!("{}により勝敗なし", reason(ending)),
    };
    format!("まで{plies}手で{result}")
}

/// Reads a line that begins with まで, for a game with this side to move whose word in place of a move, if there was
/// one, meant `so_far`.
pub(crate) fn read_summary(line: &str, side: Color, so_far: Option<Conclusion>) -> Option<Conclusion> {
    let (ending, winner) = read_result(result(line)?, side, so_far.map(|conclusion| conclusion.ending))?;
    Some(Conclusion { ending, winner, spent: so_far.and_then(|conclusion| conclusion.spent) })
}

/// The result that a line まで…手で… tells, whether it is known or not.
pub(crate) fn result(line: &str) -> Option<&str> {
    let text = trim(line).strip_prefix("まで")?.trim_start_matches(|c| is_blank(c) || c == '、');
    let text = match leading_number(text) {
        Some((_, rest)) => rest.trim_start_matches(is_blank).strip_prefix('手')?.trim_start_matches('で'),
        None => text,
    };
    Some(text.trim_matches(|c| is_blank(c) || matches!(c, '。' | '、')))
}

/// Words in place of a move that say more than that the game was broken off.
const ADJOURNMENTS: [&str; 3] = ["封じ手", "指し掛け", "指掛け"];

/// Tests for a word that is kept beside its meaning.
pub(crate) fn is_adjournment(word: &str) -> bool {
    ADJOURNMENTS.contains(&word)
}

/// まで123手で封じ手, with the word of the record for an end that is not known or is an adjournment; `None` if it would
/// not be read back.
pub(crate) fn summary_by_word(
    end: &EndWord,
    conclusion: Option<&Conclusion>,
    side: Color,
    plies: usize,
) -> Option<String> {
    let line = format!("まで{plies}手で{}", end.word);
    let is_word = !end.word.is_empty() && !end.word.contains(['\n', '\r']) && result(&line) == Some(&end.word);
    let is_kept = match conclusion {
        Some(_) => is_adjournment(&end.word),
        None => plies > 0,
    };
    let meaning = conclusion.map(|conclusion| Conclusion { spent: None, ..*conclusion });
    if is_word && is_kept && read_summary(&line, side, None) == meaning { Some(line) } else { None }
}

fn read_result(text: &str, side: Color, so_far: Option<Ending>) -> Option<(Ending, Option<Color>)> {
    if let Some((reason, result)) = text.split_once("により") {
        let ending = reason_of(trim(reason).trim_start_matches('、'))?;
        let result = result.trim_start_matches('、');
        return match leading_side(result) {
            Some((winner, "の勝ち")) => Some((ending, Some(winner))),
            Some((loser, "の負け")) => Some((ending, Some(!loser))),
            _ if result == "勝敗なし" || reason_of(result).is_some() => Some((ending, None)),
            _ => None,
        };
    }
    let Some((named, result)) = leading_side(text) else {
        let ending = reason_of(text)?;
        return Some((ending, ending.usual_winner(side)));
    };
    Some(match result.strip_prefix('の').unwrap_or(result) {
        // It is the word that says why.
        "勝ち" | "勝" => (so_far.unwrap_or(Ending::Resignation), Some(named)),
        "負け" | "負" | "投了" => (so_far.unwrap_or(Ending::Resignation), Some(!named)),
        "反則勝ち" => (Ending::IllegalMove, Some(named)),
        "反則負け" => (Ending::IllegalMove, Some(!named)),
        "入玉勝ち" | "宣言勝ち" | "入玉宣言勝ち" => (Ending::Declaration, Some(named)),
        "切れ負け" | "時間切れ負け" | "時間切れ" => (Ending::TimeUp, Some(!named)),
        "不戦勝" | "不戦勝ち" => (Ending::WalkOver, Some(named)),
        "不戦敗" | "不戦負け" => (Ending::WalkOver, Some(!named)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_conclusion_is_read_back_from_its_word_and_line() {
        for ending in Ending::ALL {
            for winner in [None, Some(Color::Black), Some(Color::White)] {
                for (side, handicap) in [(Color::Black, false), (Color::White, false), (Color::White, true)] {
                    let conclusion = Conclusion { ending, winner, spent: None };
                    let line = summary(&conclusion, side, 12, handicap);
                    let by_word = read_word(word(&conclusion, side), side);
                    assert!(by_word.is_some(), "{conclusion:?}");
                    assert_eq!(read_summary(&line, side, by_word), Some(conclusion), "{line}");
                    assert_eq!(read_summary(&line, side, None), Some(conclusion), "{line} alone");
                }
            }
        }
    }

    #[test]
    fn lines_of_other_programs_are_understood() {
        use Color::{Black, White};
        for (line, ending, winner) in [
            ("まで、3手で時間切れにより後手の勝ち", Ending::TimeUp, Some(White)),
            ("まで63手で先手の反則負け", Ending::IllegalMove, Some(White)),
            ("　まで百手", Ending::Draw, None),
            ("まで１２３手で先手の入玉勝ち", Ending::Declaration, Some(Black)),
            ("まで7手で詰", Ending::Checkmate, Some(White)),
            ("まで80手で引き分け", Ending::Draw, None),
            ("まで、持将棋", Ending::Impasse, None),
        ] {
            let expected = (!line.contains('百')).then_some(Conclusion { ending, winner, spent: None });
            assert_eq!(read_summary(line, Black, None), expected, "{line}");
        }
    }
}
