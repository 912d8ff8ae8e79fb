//! The commands to an engine, as far as they decide what it may say next.
//!
//! A reading of its own, apart from [`komainu::protocol`]: what this engine misreads in its commands is seen all the
//! same.

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
    let number = |name: &str| {
        let named = words.windows(2).filter(|pair| pair[0] == name);
        named.filter_map(|pair| whole_number(pair[1])).next_back()
    };
    let moves = words.iter().position(|&word| word == "searchmoves").map_or(&[][..], |at| &words[at + 1..]);
    let ponders = words.contains(&"ponder");
    let is_bounded = BOUNDS.iter().any(|bound| number(bound).is_some());
    Prompt::Go(Box::new(GoPrompt {
        is_endless: words.contains(&"infinite") || !is_bounded && !ponders,
        ponders,
        depth: number("depth"),
        search_moves: moves.iter().map_while(|word| word.parse().ok()).collect(),
    }))
}

/// A number with or without a sign; less than nothing is nothing.
fn whole_number(word: &str) -> Option<u64> {
    let digits = word.trim_start_matches(['+', '-']);
    let is_number = word.len() - digits.len() < 2 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| if word.starts_with('-') { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::protocol::Command;

    /// Lines at which the two readings could differ.
    const LINES: [&str; 30] = [
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
