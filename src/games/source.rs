//! Texts of games in whatever format, read game by game.

use super::Unread;
use crate::notation::encoding::decode;
use crate::notation::jkf::{self, JkfError};
use crate::notation::json::{GameLine, GameResult, LineFault, game_lines, record_of};
use crate::notation::record::{GameRecord, Parsed};
use crate::notation::thought::Thought;
use crate::notation::usi::parse_game;
use crate::notation::{Format, ReadError, likeness};
use crate::position::Position;
use crate::types::{Move, Quoted};
use std::fmt::Display;

/// A game of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceGame {
    /// The game, as far as it could be read.
    pub record: GameRecord,
    /// Result; `None` of a game that counts for nobody.
    pub result: Option<GameResult>,
    /// Oddities of its text.
    pub warnings: Vec<String>,
    /// Where and why reading it came to an end before the end of its text.
    pub fault: Option<String>,
    /// Text, if it is a record.
    pub text: Option<SourceText>,
    /// Number of its line, if it stands in a list of moves.
    pub line: Option<usize>,
}

/// The text of a game in a record format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Format of the file.
    pub format: Format,
    /// The text in UTF-8, without a byte order mark, with the line ends that it had.
    pub text: String,
}

/// Amount of what engines thought that comes into the comments of the games of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thoughts {
    /// Scores, depths, nodes and lines of play.
    #[default]
    Whole,
    /// All but the lines of play, which take most of the time.
    WithoutLines,
}

/// Kind of a text of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Record(Format),
    Json,
    MatchGames,
    Lines,
}

/// Extensions of the files that are read, beside those of [`Format`].
const EXTENSIONS: [(&str, Kind); 5] = [
    ("json", Kind::Json),
    ("jkf", Kind::Json),
    ("jsonl", Kind::MatchGames),
    ("usi", Kind::Lines),
    ("sfen", Kind::Lines),
];

/// Tells whether a file of this name is one of games.
pub fn is_source_name(name: &str) -> bool {
    kind_of_name(name).is_some()
}

/// Tells whether a file of this name holds records, and no list of positions or moves.
pub fn is_record_name(name: &str) -> bool {
    kind_of_name(name).is_some_and(|kind| kind != Kind::Lines)
}

/// Tells whether a text of this name is a list of positions and moves, one a line.
pub fn is_list(name: &str, text: &str) -> bool {
    kind_of(name, text) == Kind::Lines
}

fn kind_of_name(name: &str) -> Option<Kind> {
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    let known = EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, kind)| *kind);
    known.or_else(|| Format::of_name(name).map(Kind::Record))
}

fn kind_of(name: &str, text: &str) -> Kind {
    kind_of_name(name).unwrap_or_else(|| kind_of_text(text.trim_start_matches('\u{feff}')))
}

/// Kind that the text looks like; one that says nothing is an empty list.
fn kind_of_text(text: &str) -> Kind {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = lines.next() else { return Kind::Lines };
    if first.starts_with('{') {
        let is_match = serde_json::from_str::<GameLine>(first).is_ok();
        return if is_match { Kind::MatchGames } else { Kind::Json };
    }
    match first.split_ascii_whitespace().next() {
        Some("position" | "startpos" | "sfen" | "moves") => Kind::Lines,
        Some(word) if word.matches('/').count() == 8 || word.parse::<Move>().is_ok() => Kind::Lines,
        _ => Kind::Record(Format::of_text(text)),
    }
}

/// Reads all games of a file of this name, in UTF-8 or CP932. An error stands for a game of which nothing could be
/// read; there is at least one of either.
///
/// ```
/// use komainu::games::read_source;
///
/// let games = read_source("game.kif", "   1 ７六歩(77)\n   2 ７六歩(77)\n".as_bytes());
/// let game = games[0].as_ref().expect("the first move could be read");
/// assert_eq!(game.record.moves.len(), 1);
/// assert!(game.fault.as_deref().is_some_and(|fault| fault.starts_with("KIF, line 2: move 2: ")));
/// ```
pub fn read_source(name: &str, bytes: &[u8]) -> Vec<Result<SourceGame, Unread>> {
    read_source_text(name, &decode(bytes))
}

/// [`read_source`] of a text that is decoded already.
pub fn read_source_text(name: &str, text: &str) -> Vec<Result<SourceGame, Unread>> {
    source_games(name, text, Thoughts::Whole).collect()
}

/// [`read_source_text`], one game after the other: only one is in memory.
pub fn source_games<'a>(
    name: &str,
    text: &'a str,
    thoughts: Thoughts,
) -> impl Iterator<Item = Result<SourceGame, Unread>> + 'a {
    let text = text.trim_start_matches('\u{feff}');
    let games: Box<dyn Iterator<Item = Result<SourceGame, Unread>> + 'a> = match kind_of(name, text) {
        Kind::Record(format) => read_records(format, text),
        Kind::Json => Box::new(std::iter::once_with(|| read_json(text))),
        Kind::MatchGames => Box::new(match_games(text, thoughts)),
        Kind::Lines => Box::new(lines(text)),
    };
    let mut games = games.peekable();
    let none = games.peek().is_none().then(|| Err(Unread::new("no game")));
    games.chain(none)
}

/// Reads records one after the other. A text that is no record of its format, whatever its name says, is read as what
/// it looks like, or the error names that.
fn read_records<'a>(format: Format, text: &'a str) -> Box<dyn Iterator<Item = Result<SourceGame, Unread>> + 'a> {
    let parts = format.games(text);
    let is_none = |format: Format, game| format.read_one(game).is_err_and(|error| error.is_no_record());
    if let [(lines_before, only)] = parts[..] {
        let read = format.read_one(only);
        if !read.as_ref().is_err_and(ReadError::is_no_record) {
            return Box::new(std::iter::once_with(move || of_read(format, only, lines_before, read)));
        }
        return match kind_of_text(text) {
            // A text that is no record in any format is a fault of the one that its name says.
            Kind::Record(found) if found != format && !is_none(found, only) => {
                Box::new(read_parts(found, found.games(text)))
            }
            Kind::Json => Box::new(std::iter::once_with(|| read_json(text))),
            Kind::MatchGames => Box::new(match_games(text, Thoughts::Whole)),
            Kind::Lines if numbered(text).next().is_some() => Box::new(lines(text)),
            _ => Box::new(read_parts(format, parts).map(|read| read.map_err(|unread| with_hint(unread, text)))),
        };
    }
    Box::new(read_parts(format, parts))
}

/// The error with what the text looks like.
fn with_hint(unread: Unread, text: &str) -> Unread {
    let hint = likeness(text).map_or(String::new(), |like| format!("; it looks like {like}"));
    Unread { told: unread.told + &hint, ..unread }
}

fn read_parts<'a>(
    format: Format,
    parts: Vec<(usize, &'a str)>,
) -> impl Iterator<Item = Result<SourceGame, Unread>> + 'a {
    parts.into_iter().map(move |(lines_before, game)| read_record(format, game, lines_before))
}

fn match_games(text: &str, thoughts: Thoughts) -> impl Iterator<Item = Result<SourceGame, Unread>> + '_ {
    game_lines(text.as_bytes()).map(move |(number, line)| read_match_game(number, line, thoughts))
}

fn lines(text: &str) -> impl Iterator<Item = Result<SourceGame, Unread>> + '_ {
    numbered(text).map(|(number, line)| read_line(number, line))
}

/// Lines that say something, with their numbers from 1. What follows `;` or `#` is a comment.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(|line| line.split([';', '#']).next().unwrap_or_default().trim());
    (1..).zip(lines).filter(|(_, line)| !line.is_empty())
}

/// Reads one record; `lines_before` stand before it in its file.
fn read_record(format: Format, text: &str, lines_before: usize) -> Result<SourceGame, Unread> {
    of_read(format, text, lines_before, format.read_one(text))
}

/// The game that was read from a text, with what stands before a fault.
fn of_read(
    format: Format,
    text: &str,
    lines_before: usize,
    read: Result<Parsed, ReadError>,
) -> Result<SourceGame, Unread> {
    let source = |parsed: Parsed, fault| SourceGame {
        text: Some(SourceText { format, text: text.to_string() }),
        ..of_parsed(parsed, fault)
    };
    let mut error = match read {
        Ok(parsed) => return Ok(source(parsed, None)),
        Err(error) => error,
    };
    let is_of_move = error.is_of_move();
    error.add_lines(lines_before);
    let told = error.to_string();
    // A fault of a move leaves the game before it as it is.
    match error.into_so_far().pop().filter(|_| is_of_move) {
        Some(parsed) => Ok(source(parsed, Some(told))),
        None => Err(Unread::new(told)),
    }
}

fn of_parsed(parsed: Parsed, fault: Option<String>) -> SourceGame {
    let result = parsed.record.conclusion.and_then(GameResult::of);
    SourceGame { record: parsed.record, result, warnings: parsed.warnings, fault, text: None, line: None }
}

fn read_json(text: &str) -> Result<SourceGame, Unread> {
    match jkf::read(text) {
        Ok(parsed) => Ok(of_parsed(parsed, None)),
        Err(JkfError::Move { number, fault, before }) => {
            Ok(of_parsed(*before, Some(format!("JSON, move {number}: {fault}"))))
        }
        Err(error) => Err(Unread::new(format!("JSON, {error}"))),
    }
}

/// A line of `games.jsonl`, what the engines thought as comments in the way of ShogiHome.
fn read_match_game(number: usize, line: Result<GameLine, LineFault>, thoughts: Thoughts) -> Result<SourceGame, Unread> {
    let in_line = |told: &dyn Display| format!("line {number}: {told}");
    let line = line.map_err(|fault| Unread { is_torn: fault == LineFault::Torn, ..Unread::new(in_line(&fault)) })?;
    if let Err(error) = Position::from_sfen(&line.start) {
        return Err(Unread::new(in_line(&format_args!("start: {error}"))));
    }
    let record = record_of(&line, |thought, pos| match thoughts {
        Thoughts::Whole => thought.shogihome(pos),
        Thoughts::WithoutLines => Thought { line: Vec::new(), ..thought.clone() }.shogihome(pos),
    });
    let fault = line
        .moves
        .get(record.moves.len())
        .map(|bad| in_line(&format_args!("move {}: {} cannot be played", record.moves.len() + 1, Quoted(&bad.mv))));
    Ok(SourceGame { result: line.result(), ..of_parsed(Parsed { record, warnings: Vec::new() }, fault) })
}

fn read_line(number: usize, line: &str) -> Result<SourceGame, Unread> {
    let game = parse_game(line).map_err(|error| Unread::new(format!("line {number}: {error}")))?;
    let warnings = game.ignored.map(|token| format!("line {number}: {} was passed over", Quoted(&token)));
    let fault = game.fault.map(|fault| format!("line {number}: {fault}"));
    let parsed = Parsed { record: game.record, warnings: warnings.into_iter().collect() };
    Ok(SourceGame { line: Some(number), ..of_parsed(parsed, fault) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::record::{Conclusion, Ending};
    use crate::notation::usi::write_game;
    use crate::types::Color;

    fn only(name: &str, text: &str) -> SourceGame {
        let mut games = read_source(name, text.as_bytes());
        assert_eq!(games.len(), 1, "{name}");
        games.remove(0).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn game() -> GameRecord {
        let mut record = parse_game("startpos moves 7g7f 3c3d 8h2b+ 3a2b").unwrap().record;
        record.conclusion = Some(Conclusion::usual(Ending::Resignation, Color::Black));
        record
    }

    #[test]
    fn all_kinds_are_told_by_name_and_by_text() {
        let record = game();
        let mut texts: Vec<(String, String)> =
            Format::ALL.iter().map(|format| (format!("a.{format:?}"), format.write(&record))).collect();
        texts.push(("a.json".into(), jkf::write(&record)));
        texts.push(("a.usi".into(), format!("# list\n{}\n", write_game(&record))));
        for (name, text) in texts {
            for name in [&name, "a.txt", "a"] {
                let read = only(name, &text);
                assert_eq!((read.record.moves.len(), &read.fault), (4, &None), "{name}: {text}");
            }
        }
    }

    #[test]
    fn what_stands_before_a_fault_is_read() {
        let record = game();
        for (name, text, fault) in [
            (
                "a.kif",
                Format::Kif.write(&record).replace("22(88)", "23(88)").replace("２二角成(88)", "２三角成(88)"),
                "move 3",
            ),
            ("a.ki2", Format::Ki2.write(&record).replace("２二角成", "２三角成"), "move 3"),
            ("a.csa", Format::Csa.write(&record).replace("+8822UM", "+8823UM"), "move 3"),
            ("a.json", jkf::write(&record).replace("\"x\":2,\"y\":2", "\"x\":2,\"y\":3"), "move 3"),
            ("a.usi", "startpos moves 7g7f 3c3d 8h2c+".to_string(), "move 3"),
        ] {
            let read = only(name, &text);
            let expected = if name == "a.ki2" { 0..=2 } else { 2..=2 };
            assert!(expected.contains(&read.record.moves.len()), "{name}: {text}");
            assert!(read.fault.as_ref().is_some_and(|told| told.contains(fault)), "{name}: {:?}", read.fault);
        }
        for (name, text) in [
            ("a.kif", "手合割：謎\n   1 ７六歩(77)\n"),
            ("a.json", "{\"moves\":5}"),
            ("a.usi", "sfen 9 b\n"),
            ("a.csa", ""),
        ] {
            assert!(read_source(name, text.as_bytes()).iter().all(Result::is_err), "{name}");
        }
    }

    #[test]
    fn games_of_a_file_are_read_one_by_one() {
        let csa = Format::Csa.write(&game());
        let text = format!("{csa}/\n{}/\n{csa}", csa.replace("+8822UM", "+8823UM"));
        let games: Vec<SourceGame> = read_source("a.csa", text.as_bytes()).into_iter().map(Result::unwrap).collect();
        assert_eq!(games.iter().map(|game| game.record.moves.len()).collect::<Vec<_>>(), [4, 2, 4]);
        let line = 1 + text.lines().position(|line| line == "+8823UM").unwrap();
        assert!(
            games[1].fault.as_ref().unwrap().starts_with(&format!("CSA, line {line}: move 3")),
            "{:?}",
            games[1].fault
        );
        assert_eq!(games[2].text.as_ref().unwrap().text, csa);
        let lines = read_source("a.usi", b"startpos moves 7g7f\n\nnonsense\nsfen x\n");
        assert_eq!(lines.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false]);
    }
}
