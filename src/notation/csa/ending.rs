//! Ends of games in CSA records.
//!
//! The statements (`%TORYO`) leave some endings and most winners unsaid. Floodgate's server adds a comment,
//! `'summary:time up:Black lose:White win`; it is read, and written where the statement alone would say something else.

use crate::notation::record::{Conclusion, Ending};
use crate::types::Color;

/// The statement for a game that ended so with this side to move.
pub(crate) fn statement(conclusion: &Conclusion, side: Color) -> &'static str {
    let side_won = conclusion.winner == Some(side);
    match conclusion.ending {
        Ending::Checkmate | Ending::NoMoves => "%TSUMI",
        Ending::Declaration => "%KACHI",
        Ending::IllegalMove | Ending::FalseDeclaration if !side_won => "%ILLEGAL_MOVE",
        // The statement names the side that is to blame.
        Ending::IllegalMove | Ending::FalseDeclaration | Ending::PerpetualCheck => {
            let loser = conclusion.winner.map_or(side, |winner| !winner);
            if loser == Color::Black { "%+ILLEGAL_ACTION" } else { "%-ILLEGAL_ACTION" }
        }
        Ending::TimeUp | Ending::Stall => "%TIME_UP",
        Ending::Repetition => "%SENNICHITE",
        Ending::Impasse => "%JISHOGI",
        Ending::PlyLimit => "%MAX_MOVES",
        Ending::Draw | Ending::AdjudicatedDraw => "%HIKIWAKE",
        Ending::NoMate => "%FUZUMI",
        Ending::Error => "%ERROR",
        Ending::Resignation | Ending::Crash => "%TORYO",
        Ending::AdjudicatedWin | Ending::WalkOver if conclusion.winner == Some(!side) => "%TORYO",
        Ending::AdjudicatedWin | Ending::WalkOver | Ending::Interrupted => "%CHUDAN",
    }
}

/// Meaning of a statement with this side to move; `%MATTA`, which ends nothing, is not here.
pub(crate) fn read_statement(statement: &str, side: Color) -> Option<Conclusion> {
    let ending = match statement {
        "%TORYO" => Ending::Resignation,
        "%CHUDAN" => Ending::Interrupted,
        "%SENNICHITE" => Ending::Repetition,
        "%OUTE_SENNICHITE" => Ending::PerpetualCheck,
        "%TIME_UP" => Ending::TimeUp,
        "%ILLEGAL_MOVE" | "%ILLEGAL_ACTION" => Ending::IllegalMove,
        "%+ILLEGAL_ACTION" => return Some(won(Ending::IllegalMove, Color::White)),
        "%-ILLEGAL_ACTION" => return Some(won(Ending::IllegalMove, Color::Black)),
        "%JISHOGI" => Ending::Impasse,
        "%KACHI" => Ending::Declaration,
        "%HIKIWAKE" => Ending::Draw,
        "%MAX_MOVES" => Ending::PlyLimit,
        "%TSUMI" => Ending::Checkmate,
        "%FUZUMI" => Ending::NoMate,
        "%ERROR" => Ending::Error,
        _ => return None,
    };
    Some(Conclusion::usual(ending, side))
}

fn won(ending: Ending, winner: Color) -> Conclusion {
    Conclusion { ending, winner: Some(winner), spent: None }
}

/// The reason as floodgate's server names it, in our own words where it has none.
fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Resignation => "toryo",
        Ending::Declaration => "kachi",
        Ending::FalseDeclaration => "illegal kachi",
        Ending::TimeUp => "time up",
        Ending::Crash => "abnormal",
        Ending::Repetition => "sennichite",
        Ending::PerpetualCheck => "oute_sennichite",
        Ending::Impasse => "jishogi",
        Ending::PlyLimit => "max_moves",
        other => other.words(),
    }
}

fn reason_of(text: &str) -> Option<Ending> {
    match text {
        "uchifuzume" => Some(Ending::IllegalMove),
        "outori" => Some(Ending::IllegalMove),
        "try" => Some(Ending::Declaration),
        other => Ending::ALL.into_iter().find(|&ending| reason(ending) == other),
    }
}

/// The comment that says it all, without its sign: `summary:time up:Black lose:White win`.
pub(crate) fn summary(conclusion: &Conclusion, players: &[Option<String>; 2]) -> String {
    let mut text = format!("summary:{}", reason(conclusion.ending));
    for color in Color::ALL {
        let result = match conclusion.winner {
            Some(winner) if winner == color => "win",
            Some(_) => "lose",
            None => "draw",
        };
        // A blank ends the name.
        let name = players[color].as_deref().unwrap_or_default().trim();
        let name = if name.is_empty() { "?" } else { name };
        let name = name.replace(|c: char| c == ':' || c.is_whitespace(), "_");
        text.push_str(&format!(":{name} {result}"));
    }
    text
}

/// Reads the comment, without its sign.
pub(crate) fn read_summary(text: &str) -> Option<Conclusion> {
    let (reason, players) = text.strip_prefix("summary:")?.split_once(':')?;
    let (black, white) = players.rsplit_once(':')?;
    let black = black.trim_end().rsplit(' ').next()?;
    let white = white.trim_end().rsplit(' ').next()?;
    let winner = match (black, white) {
        ("win", _) => Some(Color::Black),
        (_, "win") => Some(Color::White),
        ("draw", "draw") => None,
        _ => return None,
    };
    Some(Conclusion { ending: reason_of(reason)?, winner, spent: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_conclusion_is_read_back_from_its_comment() {
        for ending in Ending::ALL {
            for winner in [None, Some(Color::Black), Some(Color::White)] {
                let conclusion = Conclusion { ending, winner, spent: None };
                for players in [[None, None], [Some("a b:c".to_string()), Some("win".to_string())]] {
                    let text = summary(&conclusion, &players);
                    assert_eq!(read_summary(&text), Some(conclusion), "{text}");
                }
                for side in Color::ALL {
                    let statement = statement(&conclusion, side);
                    assert!(read_statement(statement, side).is_some(), "{statement}");
                }
            }
        }
    }

    #[test]
    fn comments_of_the_server_are_understood() {
        let read = |text| read_summary(text).map(|conclusion| (conclusion.ending, conclusion.winner));
        let white = Some(Color::White);
        assert_eq!(read("summary:time up:Gikou lose:Apery win"), Some((Ending::TimeUp, white)));
        assert_eq!(read("summary:oute_sennichite:a lose:b win"), Some((Ending::PerpetualCheck, white)));
        assert_eq!(read("summary:max_moves:a draw:b draw"), Some((Ending::PlyLimit, None)));
        for text in ["", "summary", "summary::", "summary:toryo:a:b", "summary:magic:a win:b lose", "Max_Moves:256"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
