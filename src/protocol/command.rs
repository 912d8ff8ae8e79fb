//! The lines to an engine.

use super::go::{AnyGo, Go, GoMate, beginning};
use super::option::EMPTY;
use crate::notation::record::PlayerResult;
use crate::position::{Position, START_SFEN};
use crate::types::Move;
use std::fmt::{self, Write};

/// A command of the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// Nothing on the line.
    Empty,
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `usinewgame`
    NewGame,
    /// `setoption name NAME value VALUE`; an empty value is `None`.
    SetOption {
        /// The option's name as it was sent.
        name: String,
        /// The value as it was sent, blanks within included.
        value: Option<String>,
    },
    /// `setoption` without the word `name`: the word that stands in its place, or nothing.
    NamelessOption(String),
    /// `position`, with everything after it.
    Position(String),
    /// `go`
    Go(Box<Go>),
    /// `go mate`
    GoMate(Box<GoMate>),
    /// `stop`
    Stop,
    /// `ponderhit`, with the clocks that some GUIs send along
    PonderHit(Box<Go>),
    /// `gameover`, with the result from the engine's view if one is given
    GameOver(Option<PlayerResult>),
    /// `help` or `?`, typed by a person
    Help,
    /// `d`: show the board
    Board,
    /// `eval`: show the static evaluation
    Eval,
    /// `bench`, a command of test systems, with everything after it.
    Bench(String),
    /// `quit`
    Quit,
    /// A command of the draft that means nothing to an engine: `debug`, `register`.
    Ignored,
    /// A word that is no command; of a long one only the beginning.
    Unknown(String),
}

impl Command {
    /// Reads a line. NULs, a byte order mark and surrounding blanks do not count.
    ///
    /// ```
    /// use komainu::protocol::Command;
    ///
    /// assert_eq!(Command::read("  isready "), Command::IsReady);
    /// let Command::SetOption { name, value } = Command::read("setoption name USI_Hash value 64") else { panic!("an option") };
    /// assert_eq!((name.as_str(), value.as_deref()), ("USI_Hash", Some("64")));
    /// ```
    pub fn read(line: &str) -> Command {
        let line = line.trim_start_matches('\u{feff}');
        let line = line.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
        let (word, rest) = match line.split_once(|c: char| c.is_ascii_whitespace()) {
            Some((word, rest)) => (word, rest.trim_ascii_start()),
            None => (line, ""),
        };
        match word {
            "" => Command::Empty,
            "usi" => Command::Usi,
            "isready" => Command::IsReady,
            "usinewgame" => Command::NewGame,
            "setoption" => set_option(rest),
            "position" => Command::Position(rest.to_string()),
            "go" => match AnyGo::read(rest) {
                AnyGo::Move(go) => Command::Go(Box::new(go)),
                AnyGo::Mate(go) => Command::GoMate(Box::new(go)),
            },
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit(Box::new(Go::read(rest))),
            "gameover" => Command::GameOver(PlayerResult::ALL.into_iter().find(|result| result.word() == rest)),
            "help" | "?" => Command::Help,
            "d" => Command::Board,
            "eval" => Command::Eval,
            "bench" => Command::Bench(rest.to_string()),
            "quit" => Command::Quit,
            "debug" | "register" => Command::Ignored,
            other => Command::Unknown(beginning(other)),
        }
    }

    /// `setoption`; an empty value is left out.
    pub fn set_option(name: &str, value: &str) -> Command {
        let value = if value.is_empty() { None } else { Some(value.to_string()) };
        Command::SetOption { name: name.to_string(), value }
    }
}

/// `name NAME [value VALUE]`: the name runs up to the word `value`, the value to the end of the line.
fn set_option(rest: &str) -> Command {
    let mut words = rest.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    if first != "name" {
        return Command::NamelessOption(beginning(first));
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    // The value as it stands on the line, from its first word on: a path may hold several blanks in a row.
    let value = words.next().map_or("", |first| &rest[first.as_ptr() as usize - rest.as_ptr() as usize..]);
    Command::set_option(&name.join(" "), if value == EMPTY { "" } else { value })
}

/// The line of the protocol, without a line end. An [`Unknown`](Command::Unknown) is its word, which may be cut off.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Empty | Command::Ignored => Ok(()),
            Command::Usi => f.write_str("usi"),
            Command::IsReady => f.write_str("isready"),
            Command::NewGame => f.write_str("usinewgame"),
            Command::SetOption { name, value: Some(value) } => write!(f, "setoption name {name} value {value}"),
            Command::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Command::NamelessOption(word) => write!(f, "setoption {word}"),
            Command::Position(text) => write!(f, "position {text}"),
            Command::Go(go) => {
                f.write_str("go")?;
                go.arguments(f)
            }
            Command::GoMate(go) => {
                f.write_str("go")?;
                go.arguments(f)
            }
            Command::Stop => f.write_str("stop"),
            Command::PonderHit(go) => {
                f.write_str("ponderhit")?;
                go.arguments(f)
            }
            Command::GameOver(None) => f.write_str("gameover"),
            Command::GameOver(Some(result)) => write!(f, "gameover {result}"),
            Command::Help => f.write_str("help"),
            Command::Board => f.write_str("d"),
            Command::Eval => f.write_str("eval"),
            Command::Bench(text) if text.is_empty() => f.write_str("bench"),
            Command::Bench(text) => write!(f, "bench {text}"),
            Command::Quit => f.write_str("quit"),
            Command::Unknown(word) => f.write_str(word),
        }
    }
}

/// A `position` command: the start of a game, and its moves. Engines need them all, for repetitions.
///
/// ```
/// use komainu::position::Position;
/// use komainu::protocol::PositionCommand;
///
/// let mut game = PositionCommand::new(&Position::startpos());
/// game.push("7g7f".parse()?);
/// assert_eq!(game.to_string(), "position startpos moves 7g7f");
/// assert_eq!(game.with(["3c3d".parse()?]).to_string(), "position startpos moves 7g7f 3c3d");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    /// Everything after the word `position`.
    text: String,
    has_moves: bool,
}

impl PositionCommand {
    /// A game that begins with this position, whatever led to it.
    pub fn new(start: &Position) -> PositionCommand {
        let sfen = start.to_sfen();
        let text = if sfen == START_SFEN { "startpos".to_string() } else { format!("sfen {sfen}") };
        PositionCommand { text, has_moves: false }
    }

    /// The whole game that led to a position, as far as the position knows it.
    pub fn of_game(position: &Position) -> PositionCommand {
        let (start, moves) = position.game();
        PositionCommand::new(&start).with(moves)
    }

    /// Adds a move.
    pub fn push(&mut self, mv: Move) {
        self.text.push_str(if self.has_moves { " " } else { " moves " });
        self.has_moves = true;
        write!(self.text, "{mv}").expect("a text takes all that is written to it");
    }

    /// The game with more moves behind it.
    pub fn with(&self, moves: impl IntoIterator<Item = Move>) -> PositionCommand {
        let mut game = self.clone();
        for mv in moves {
            game.push(mv);
        }
        game
    }
}

impl From<PositionCommand> for Command {
    fn from(game: PositionCommand) -> Command {
        Command::Position(game.text)
    }
}

/// The line of the protocol.
impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi::parse_position;
    use std::time::Duration;

    #[test]
    fn blanks_and_line_ends_do_not_count() {
        for line in ["usi", "  usi\t", "usi\r\n", "\u{feff}usi", "usi\0"] {
            assert_eq!(Command::read(line), Command::Usi, "{line:?}");
        }
        assert_eq!(Command::read(" \t\r\n"), Command::Empty);
        assert_eq!(Command::read("is\0ready"), Command::Unknown("is\0ready".into()));
        assert_eq!(Command::read("USI"), Command::Unknown("USI".into()));
        let position = Command::Position("startpos\tmoves  7g7f".into());
        assert_eq!(Command::read("  position   startpos\tmoves  7g7f  "), position);
    }

    #[test]
    fn options_keep_the_blanks_of_their_value() {
        let set = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.into(),
            value: value.map(str::to_string),
        };
        assert_eq!(Command::read("setoption name USI_Hash value 64"), set("USI_Hash", Some("64")));
        assert_eq!(
            Command::read("setoption name EvalFile value C:/a  b/c.bin "),
            set("EvalFile", Some("C:/a  b/c.bin"))
        );
        assert_eq!(Command::read("setoption name X value <empty>"), set("X", None));
        assert_eq!(Command::read("setoption\tname  X\tvalue\t3"), set("X", Some("3")));
        assert_eq!(Command::read("setoption name X value "), set("X", None));
        assert_eq!(Command::read("setoption name X"), set("X", None));
        assert_eq!(Command::read("setoption name"), set("", None));
        assert_eq!(Command::read("setoption"), Command::NamelessOption("".into()));
        assert_eq!(Command::read("setoption Threads value 2"), Command::NamelessOption("Threads".into()));
        assert_eq!(Command::read("setoption name Book File value a b c"), set("Book File", Some("a b c")));
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        for line in [
            "usi",
            "isready",
            "usinewgame",
            "setoption name USI_Hash value 64",
            "setoption name Clear",
            "setoption Threads",
            "position startpos moves 7g7f",
            "go",
            "go ponder btime 5 wtime 6 byoyomi 7",
            "go btime 5 wtime 6 byoyomi 0 binc 1 winc 2 movestogo 9 movetime 3 depth 4 nodes 8",
            "go infinite searchmoves 7g7f P*5e",
            "go mate infinite",
            "go mate 500 nodes 9",
            "stop",
            "ponderhit",
            "ponderhit btime 5 wtime 6 byoyomi 7",
            "gameover",
            "gameover win",
            "gameover lose",
            "gameover draw",
            "bench",
            "bench 5",
            "quit",
            "perhaps",
        ] {
            assert_eq!(Command::read(line).to_string(), line);
        }
        assert_eq!(Command::set_option("Clear", "").to_string(), "setoption name Clear");
    }

    #[test]
    fn ponderhit_may_carry_clocks() {
        let Command::PonderHit(clocks) = Command::read("ponderhit btime 5 wtime 6 byoyomi 7") else {
            panic!("no ponderhit")
        };
        assert_eq!(clocks.byoyomi, Some(Duration::from_millis(7)));
    }

    #[test]
    fn the_whole_game_is_written() {
        let sfen = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        for (start, text) in
            [(Position::startpos(), "startpos"), (Position::from_sfen(sfen).unwrap(), &format!("sfen {sfen}"))]
        {
            let mut pos = start.clone();
            assert_eq!(PositionCommand::of_game(&pos).to_string(), format!("position {text}"));
            let moves = if text == "startpos" { ["7g7f", "3c3d"] } else { ["3c3d", "7g7f"] };
            for mv in moves {
                pos.do_move(mv.parse().unwrap());
            }
            let game = PositionCommand::of_game(&pos);
            assert_eq!(game.to_string(), format!("position {text} moves {}", moves.join(" ")));
            assert_eq!(game, PositionCommand::new(&start).with(moves.map(|mv| mv.parse().unwrap())));
            let Command::Position(read) = Command::read(&game.to_string()) else { panic!("no position") };
            assert_eq!(parse_position(&read).unwrap().position.key(), pos.key());
            assert_eq!(Command::from(game.clone()).to_string(), game.to_string());
        }
    }
}
