//! The lines of a server, and what they say.
//!
//! [`Protocol`] is a value without any connection: lines go in, messages come out. Lines that begin with `##` may come
//! at any time and mean nothing to a game; lines that are not known are passed over.

use super::secret::Secret;
use super::summary::{Summary, SummaryError, SummaryReader};
use super::time_control::spent;
use komainu::types::Color;
use std::time::Duration;

/// A message of a server.
#[derive(Clone, Debug)]
pub enum Message {
    /// An empty line: the answer to one.
    KeptAlive,
    LoggedIn,
    /// The login was refused, with the words behind `LOGIN:`.
    LoginRefused(String),
    LoggedOut,
    Proposed(Box<Summary>),
    /// A game is proposed that cannot be played: its name and why.
    ProposedOddly(String, SummaryError),
    /// The state of a game that was given back.
    Resumed(super::summary::Resumed),
    Started,
    /// The game does not begin: the words behind `REJECT:`.
    Rejected(String),
    /// A move, as both sides get it.
    Played(Played),
    /// `%TORYO`, `%KACHI`: a side has said it.
    Said(String),
    Reason(Reason),
    /// The result; nothing of this game comes after it.
    Result(ServerResult),
    /// A line that begins with `##`.
    Notice(String),
    /// A line that is not known.
    Unknown(String),
}

/// A move in an echo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub side: Color,
    /// The move as `+7776FU`.
    pub text: String,
    /// The time that it was charged.
    pub spent: Option<Duration>,
}

/// Why a game ends, by the word behind `#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// `#RESIGN`: resignation, or the line of the side to move is gone.
    Resign,
    /// `#TIME_UP`
    TimeUp,
    /// `#ILLEGAL_MOVE`
    IllegalMove,
    /// `#ILLEGAL_ACTION`
    IllegalAction,
    /// `#JISHOGI`
    Jishogi,
    /// `#SENNICHITE`
    Sennichite,
    /// `#OUTE_SENNICHITE`
    OuteSennichite,
    /// `#MAX_MOVES`
    MaxMoves,
    Other,
}

/// The word of a server for the result, for whoever is told so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerResult {
    /// `#WIN`
    Win,
    /// `#LOSE`
    Lose,
    /// `#DRAW`
    Draw,
    /// `#CENSORED`: without a result that counts, as after the limit of plies.
    Censored,
    /// `#CHUDAN`: broken off.
    Chudan,
}

/// The most letters of an unknown line that are kept.
const MAX_UNKNOWN: usize = 200;

/// Puts lines together to messages.
#[derive(Debug, Default)]
pub struct Protocol {
    /// The block that is being read.
    block: Option<Box<SummaryReader>>,
}

impl Protocol {
    /// Reads a line without its end. Within a block there is no message.
    ///
    /// ```
    /// use komainu_tools::csa::message::{Message, Protocol};
    ///
    /// let mut protocol = Protocol::default();
    /// assert!(matches!(protocol.read("LOGIN:me OK"), Some(Message::LoggedIn)));
    /// assert!(matches!(protocol.read("LOGIN:incorrect rate_limited"), Some(Message::LoginRefused(_))));
    /// ```
    pub fn read(&mut self, line: &str) -> Option<Message> {
        let line = line.trim_end_matches('\r');
        // A chat may come between any two lines.
        if line.starts_with("##") {
            return Some(Message::Notice(line.to_string()));
        }
        if let Some(reader) = &mut self.block {
            if reader.read(line) {
                return self.block.take().map(|reader| finished(*reader));
            }
            return None;
        }
        if line == "BEGIN Game_Summary" || line == "BEGIN Reconnect_State" {
            let mut reader = Box::<SummaryReader>::default();
            reader.read(line);
            self.block = Some(reader);
            return None;
        }
        Some(single(line))
    }

    /// The token within a line that is a secret.
    pub(super) fn secret_in(line: &str) -> Option<Secret> {
        let token = line.trim_end_matches('\r').strip_prefix("Reconnect_Token:")?;
        Some(Secret::new(token.trim()))
    }
}

fn finished(reader: SummaryReader) -> Message {
    let id = reader.id().to_string();
    if reader.is_state() {
        return Message::Resumed(reader.into_resumed().unwrap_or_default());
    }
    match reader.finish() {
        Ok(summary) => Message::Proposed(Box::new(summary)),
        Err(error) => Message::ProposedOddly(id, error),
    }
}

/// A line that is a message by itself.
fn single(line: &str) -> Message {
    let unknown = || Message::Unknown(line.chars().take(MAX_UNKNOWN).collect());
    match line.as_bytes() {
        [] => Message::KeptAlive,
        [b'+' | b'-', ..] => played(line).map_or_else(unknown, Message::Played),
        [b'%', ..] => Message::Said(line.split(',').next().unwrap_or_default().trim().to_string()),
        [b'#', ..] => ended(line.trim()),
        _ => match line.split_once(':') {
            Some(("LOGIN", words)) if words.ends_with(" OK") => Message::LoggedIn,
            Some(("LOGIN", words)) => Message::LoginRefused(words.to_string()),
            Some(("LOGOUT", _)) => Message::LoggedOut,
            Some(("START", _)) => Message::Started,
            Some(("REJECT", words)) => Message::Rejected(words.to_string()),
            _ => unknown(),
        },
    }
}

/// `+7776FU,T12`
fn played(line: &str) -> Option<Played> {
    let mut parts = line.split(',').map(str::trim);
    let text = parts.next().filter(|text| text.len() == 7 && text.is_ascii())?;
    let side = if text.starts_with('+') { Color::Black } else { Color::White };
    let time = parts.find_map(|part| part.strip_prefix('T')).and_then(spent);
    Some(Played { side, text: text.to_string(), spent: time })
}

fn ended(line: &str) -> Message {
    let result = |result| Message::Result(result);
    match line {
        "#WIN" => result(ServerResult::Win),
        "#LOSE" => result(ServerResult::Lose),
        "#DRAW" => result(ServerResult::Draw),
        "#CENSORED" => result(ServerResult::Censored),
        "#CHUDAN" => result(ServerResult::Chudan),
        _ => Message::Reason(match line {
            "#RESIGN" => Reason::Resign,
            "#TIME_UP" => Reason::TimeUp,
            "#ILLEGAL_MOVE" => Reason::IllegalMove,
            "#ILLEGAL_ACTION" => Reason::IllegalAction,
            "#JISHOGI" => Reason::Jishogi,
            "#SENNICHITE" => Reason::Sennichite,
            "#OUTE_SENNICHITE" => Reason::OuteSennichite,
            "#MAX_MOVES" => Reason::MaxMoves,
            _ => Reason::Other,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Message> {
        let mut protocol = Protocol::default();
        text.split('\n').filter_map(|line| protocol.read(line)).collect()
    }

    #[test]
    fn logins_are_told_apart_by_their_first_words() {
        assert!(matches!(read("LOGIN:me OK")[..], [Message::LoggedIn]));
        for refused in ["incorrect", "incorrect rate_limited retry_after=9", "incorrect reconnect_rejected"] {
            let [Message::LoginRefused(words)] = &read(&format!("LOGIN:{refused}\r"))[..] else { panic!("{refused}") };
            assert_eq!(words, refused);
        }
        assert!(matches!(read("LOGOUT:completed")[..], [Message::LoggedOut]));
    }

    #[test]
    fn moves_have_seconds_with_or_without_decimals() {
        let played = |text: &str| match &read(text)[..] {
            [Message::Played(played)] => Some((played.side, played.text.clone(), played.spent)),
            _ => None,
        };
        let ms = |number| Some(Duration::from_millis(number));
        assert_eq!(played("+7776FU,T12"), Some((Color::Black, "+7776FU".into(), ms(12_000))));
        assert_eq!(played("-0055FU,T1.25\r"), Some((Color::White, "-0055FU".into(), ms(1_250))));
        assert_eq!(played("+7776FU,'* 12,T3"), Some((Color::Black, "+7776FU".into(), ms(3_000))));
        assert_eq!(played("+7776FU"), Some((Color::Black, "+7776FU".into(), None)));
        for text in ["+", "+7776", "+7776FUX,T1", "+歩歩,T1"] {
            assert_eq!(played(text), None, "{text}");
        }
    }

    #[test]
    fn ends_are_reasons_and_results() {
        let messages = read("%TORYO,T4\n#RESIGN\n#WIN");
        let [Message::Said(said), Message::Reason(Reason::Resign), Message::Result(ServerResult::Win)] = &messages[..]
        else {
            panic!("{messages:?}")
        };
        assert_eq!(said, "%TORYO");
        let messages = read("#MAX_MOVES\n#CENSORED\n#ODD\n#CHUDAN");
        let [Message::Reason(first), Message::Result(second), Message::Reason(third), Message::Result(fourth)] =
            &messages[..]
        else {
            panic!("{messages:?}")
        };
        assert_eq!((first, second), (&Reason::MaxMoves, &ServerResult::Censored));
        assert_eq!((third, fourth), (&Reason::Other, &ServerResult::Chudan));
    }

    #[test]
    fn a_chat_may_come_in_the_middle_of_a_summary() {
        let text = "BEGIN Game_Summary\nGame_ID:x\n##[CHAT] END Game_Summary\nYour_Turn:+\nBEGIN Position\nPI\n+\n\
                    END Position\nEND Game_Summary\nSTART:x";
        let messages = read(text);
        let [Message::Notice(_), Message::Proposed(summary), Message::Started] = &messages[..] else {
            panic!("{messages:?}")
        };
        assert_eq!((summary.id.as_str(), summary.side), ("x", Color::Black));
    }

    #[test]
    fn whatever_comes_is_read() {
        for text in ["\n", "x", "BEGIN Odd", "END Game_Summary", "歩", "#", "##", "%", "LOGIN", "START", ":::"] {
            read(text);
        }
        let [Message::Unknown(kept)] = &read(&"x".repeat(9_999))[..] else { panic!("not known") };
        assert_eq!(kept.len(), MAX_UNKNOWN);
    }
}
