//! The commands to an engine, as far as they decide what it may say next.
//!
//! A reading of its own, apart from [`komainu::protocol`]: what this engine misreads in its commands is seen all the
//! same.

use komainu::protocol::Number;
use komainu::types::Move;

/// A command, by what it lets an engine say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Prompt<'a> {
    Blank,
    /// A command that has no answer.
    Silent,
    Usi,
    IsReady,
    /// A search for a move.
    Go(Box<GoPrompt>),
    /// A search for a mate.
    GoMate,
    /// `stop` or `gameover`.
    Stop,
    PonderHit,
    Quit,
    /// `position`, with what follows it.
    Position(&'a str),
    /// A command to which `info string` may be the reply.
    Remark,
    /// An option that sets the number of lines that a search shows; `info string` may be the reply.
    MultiPv,
    Bench,
}

/// A search for a move, by what bounds its answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct GoPrompt {
    /// `true` if only `stop` ends it.
    pub(super) is_endless: bool,
    pub(super) ponders: bool,
    pub(super) depth: Option<u64>,
    pub(super) search_moves: Vec<Move>,
}

/// The arguments with a number that bound a search.
const BOUNDS: [&str; 9] = ["btime", "wtime", "binc", "winc", "byoyomi", "movetime", "rtime", "depth", "nodes"];
/// Other arguments of `go`.
const OTHERS: [&str; 5] = ["movestogo", "searchmoves", "infinite", "ponder", "mate"];

/// Reads a line to the engine. NULs and a byte order mark do not count.
pub(super) fn read(line: &str) -> Prompt<'_> {
    let line = line.trim_start_matches('\u{feff}').trim_matches(|c: char| c == '\0' || c.is_ascii_whitespace());
    let word = line.split_ascii_whitespace().next().unwrap_or_default();
    let rest = &line[word.len()..];
    match word {
        "" => Prompt::Blank,
        "usi" => Prompt::Usi,
        "isready" => Prompt::IsReady,
        "go" => go(&rest.split_ascii_whitespace().collect::<Vec<_>>()),
        "stop" | "gameover" => Prompt::Stop,
        "ponderhit" => Prompt::PonderHit,
        "quit" => Prompt::Quit,
        "position" => Prompt::Position(rest.trim_ascii_start()),
        "bench" => Prompt::Bench,
        "setoption" if sets_multi_pv(rest) => Prompt::MultiPv,
        "usinewgame" | "debug" | "register" => Prompt::Silent,
        _ => Prompt::Remark,
    }
}

/// Tests whether `setoption` names the number of lines, in any case.
fn sets_multi_pv(rest: &str) -> bool {
    let mut words = rest.split_ascii_whitespace();
    let is_named = words.next() == Some("name");
    is_named
        && words.next().is_some_and(|name| ["multipv", "usi_multipv"].contains(&name.to_ascii_lowercase().as_str()))
}

fn go<'a>(words: &[&str]) -> Prompt<'a> {
    if words.contains(&"mate") {
        return Prompt::GoMate;
    }
    let ponders = words.contains(&"ponder");
    let mut search_moves = Vec::new();
    let mut says_more = false;
    let mut words_left = words.iter().peekable();
    while let Some(&word) = words_left.next() {
        if word != "searchmoves" {
            says_more = true;
            continue;
        }
        let before = search_moves.len();
        while let Some(&move_word) = words_left.next_if(|word| !is_argument(word)) {
            match move_word.parse() {
                Ok(mv) => search_moves.push(mv),
                Err(_) => says_more = true,
            }
        }
        says_more |= search_moves.len() == before;
    }
    Prompt::Go(Box::new(GoPrompt {
        // Whoever says anything else waits for an answer, also if it cannot be read.
        is_endless: words.contains(&"infinite") || !says_more,
        ponders,
        depth: depth(words),
        search_moves,
    }))
}

fn is_argument(word: &str) -> bool {
    BOUNDS.contains(&word) || OTHERS.contains(&word)
}

/// The last depth that is a number; less than nothing is nothing.
fn depth(words: &[&str]) -> Option<u64> {
    let named = words.windows(2).filter(|pair| pair[0] == "depth");
    let number = named.filter_map(|pair| Number::read(pair[1])).next_back()?;
    Some(number.value.max(0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::protocol::Command;

    /// Lines at which the two readings could differ.
    const LINES: [&str; 35] = [
        "",
        " \t",
        "\u{feff}usi",
        "isready\0",
        "usinewgame",
        "go",
        "go infinite",
        "go ponder",
        "go ponder btime 1 wtime 1",
        "go btime",
        "go btime abc",
        "go btime -5",
        "go btime --5",
        "go movestogo 5",
        "go depth 3 depth 4",
        "go depth 99999999999999999999",
        "go depth 2.5",
        "go movetime 900.0",
        "go searchmoves 7g7f",
        "go searchmoves",
        "go searchmoves 7g7f zz 2g2f",
        "go nodes +7",
        "go searchmoves 7g7f 2g2f depth 5",
        "go searchmoves resign",
        "go searchmoves 7g7f mate",
        "go mate 5",
        "go x y z",
        "gameover lose",
        "ponderhit btime 5",
        "position  startpos",
        "setoption Threads",
        "perhaps not",
        "help",
        "d",
        "eval",
    ];

    #[test]
    fn both_readings_of_a_command_agree() {
        for line in LINES {
            let prompt = read(line);
            let agrees = match (&prompt, Command::read(line)) {
                (Prompt::Go(prompt), Command::Go(go)) => {
                    (prompt.is_endless, prompt.ponders, prompt.depth) == (go.is_endless(), go.ponder, go.depth)
                        && prompt.search_moves == go.search_moves
                }
                (Prompt::Position(rest), Command::Position(text)) => *rest == text,
                (Prompt::Blank, Command::Empty)
                | (Prompt::Silent, Command::NewGame | Command::Ignored)
                | (Prompt::Usi, Command::Usi)
                | (Prompt::IsReady, Command::IsReady)
                | (Prompt::GoMate, Command::GoMate(_))
                | (Prompt::Stop, Command::Stop | Command::GameOver(_))
                | (Prompt::PonderHit, Command::PonderHit(_))
                | (Prompt::Remark, Command::SetOption { .. } | Command::NamelessOption(_) | Command::Unknown(_))
                | (Prompt::Remark, Command::Help | Command::Board | Command::Eval) => true,
                _ => false,
            };
            assert!(agrees, "{line:?}: {prompt:?}, {:?}", Command::read(line));
        }
    }
}
