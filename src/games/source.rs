//! Texts of games in whatever format, read game by game.

use super::Unread;
use crate::notation::encoding::decode;
#[cfg(feature = "records")]
use crate::notation::json::{GameLine, LineFault, game_lines, record_of};
use crate::notation::record::{GameRecord, Outcome, Parsed};
#[cfg(feature = "records")]
use crate::notation::remark::Thought;
use crate::notation::{Format, RecordError, likeness};
#[cfg(feature = "records")]
use crate::position::Position;
#[cfg(feature = "records")]
use crate::types::Quoted;

/// A game of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceGame {
    /// The game, as far as it could be read.
    pub record: GameRecord,
    /// Its result; `None` of a game that counts for nobody.
    pub result: Option<Outcome>,
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
    /// Lines that a match writes.
    MatchGames,
}

/// Tells whether a file of this name is one of games.
pub fn is_source_name(name: &str) -> bool {
    kind_of_name(name).is_some()
}

/// Tells whether a file of this name holds records, and no list of positions or moves.
pub fn is_record_name(name: &str) -> bool {
    match kind_of_name(name) {
        Some(Kind::Record(format)) => !format.is_line(),
        Some(Kind::MatchGames) => true,
        None => false,
    }
}

/// Tells whether a text of this name is a list of positions and moves, one a line.
pub fn is_list(name: &str, text: &str) -> bool {
    matches!(kind_of(name, text), Kind::Record(format) if format.is_line())
}

fn kind_of_name(name: &str) -> Option<Kind> {
    let (_, extension) = name.rsplit_once('.')?;
    if extension.eq_ignore_ascii_case("jsonl") {
        return Some(Kind::MatchGames);
    }
    Format::of_name(name).map(Kind::Record)
}

fn kind_of(name: &str, text: &str) -> Kind {
    kind_of_name(name).unwrap_or_else(|| kind_of_text(text))
}

/// Kind that the text looks like; one that says nothing is an empty list.
fn kind_of_text(text: &str) -> Kind {
    let mut lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let Some(first) = lines.find(|line| !line.is_empty() && !line.starts_with('#')) else {
        return Kind::Record(Format::Usi);
    };
    match Format::of_text(text) {
        format if format.is_json() && is_match_game(first) => Kind::MatchGames,
        format => Kind::Record(format),
    }
}

#[cfg(feature = "records")]
fn is_match_game(line: &str) -> bool {
    serde_json::from_str::<GameLine>(line).is_ok()
}

#[cfg(not(feature = "records"))]
fn is_match_game(_: &str) -> bool {
    false
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
    let mut games = match kind_of(name, text) {
        Kind::Record(format) => read_records(format, text),
        Kind::MatchGames => match_games(text, thoughts),
    }
    .peekable();
    let none = if games.peek().is_none() { Some(Err(Unread::new("no game"))) } else { None };
    games.chain(none)
}

type Games<'a> = Box<dyn Iterator<Item = Result<SourceGame, Unread>> + 'a>;

/// Reads records one after the other. A text that is no record of its format, whatever its name says, is read as what
/// it looks like, or the error names that.
fn read_records(format: Format, text: &str) -> Games<'_> {
    let parts = format.games(text);
    if format.is_json() || format.is_line() || parts.len() > 1 {
        return read_parts(format, parts);
    }
    let (lines_before, only) = parts[0];
    let read = format.read_one(only, lines_before);
    if !read.as_ref().is_err_and(RecordError::is_no_record) {
        return Box::new(std::iter::once_with(move || game_of(format, only, lines_before, read)));
    }
    match kind_of_text(text) {
        Kind::Record(found) if found != format && looks_readable(found, text, only) => {
            read_parts(found, found.games(text))
        }
        Kind::Record(_) => {
            let read = game_of(format, only, lines_before, read);
            Box::new(std::iter::once_with(|| read.map_err(|unread| with_hint(unread, text))))
        }
        Kind::MatchGames => match_games(text, Thoughts::Whole),
    }
}

/// Tests whether a text is worth reading in another format than its name says. If it is a record in neither, that is a
/// fault of the format of its name.
fn looks_readable(format: Format, text: &str, only: &str) -> bool {
    if format.is_json() {
        return true;
    }
    if format.is_line() {
        return !format.games(text).is_empty();
    }
    !format.read_one(only, 0).is_err_and(|error| error.is_no_record())
}

/// The error with what the text looks like.
fn with_hint(unread: Unread, text: &str) -> Unread {
    match likeness(text) {
        Some(like) => Unread { told: format!("{}; it looks like {like}", unread.told), ..unread },
        None => unread,
    }
}

fn read_parts<'a>(format: Format, parts: Vec<(usize, &'a str)>) -> Games<'a> {
    let read = move |(lines_before, game)| game_of(format, game, lines_before, format.read_one(game, lines_before));
    Box::new(parts.into_iter().map(read))
}

/// Games of a match are JSON.
#[cfg(not(feature = "records"))]
fn match_games(_: &str, _: Thoughts) -> Games<'_> {
    Box::new(std::iter::once(Err(Unread::new("JSON is not read"))))
}

#[cfg(feature = "records")]
fn match_games(text: &str, thoughts: Thoughts) -> Games<'_> {
    Box::new(game_lines(text.as_bytes()).map(move |(number, line)| read_match_game(number, line, thoughts)))
}

/// The game that was read from a text, with what stands before a fault; `lines_before` stand before it in its file.
fn game_of(
    format: Format,
    text: &str,
    lines_before: usize,
    read: Result<Parsed, RecordError>,
) -> Result<SourceGame, Unread> {
    let mut game = match read {
        Ok(parsed) => of_parsed(parsed, None),
        Err(error) => {
            let told = error.to_string();
            // A fault of a move leaves the game before it as it is.
            let is_of_move = error.is_of_move();
            match error.into_so_far().pop() {
                Some(parsed) if is_of_move => of_parsed(parsed, Some(told)),
                _ => return Err(Unread::new(told)),
            }
        }
    };
    if format.is_line() {
        game.line = Some(lines_before + 1);
    } else if !format.is_json() {
        game.text = Some(SourceText { format, text: text.to_string() });
    }
    Ok(game)
}

fn of_parsed(parsed: Parsed, fault: Option<String>) -> SourceGame {
    let Parsed { record, warnings } = parsed;
    let result = record.conclusion.and_then(|end| end.outcome());
    SourceGame { record, result, warnings, fault, text: None, line: None }
}

/// A line of `games.jsonl`, what the engines thought as comments in the way of ShogiHome.
#[cfg(feature = "records")]
fn read_match_game(number: usize, line: Result<GameLine, LineFault>, thoughts: Thoughts) -> Result<SourceGame, Unread> {
    let line = match line {
        Ok(line) => line,
        Err(fault) => {
            let is_torn = fault == LineFault::Torn;
            return Err(Unread { is_torn, ..Unread::new(format!("line {number}: {fault}")) });
        }
    };
    if let Err(error) = Position::from_sfen(&line.start) {
        return Err(Unread::new(format!("line {number}: start: {error}")));
    }
    let record = record_of(&line, |thought, pos| match thoughts {
        Thoughts::Whole => thought.shogihome(pos),
        Thoughts::WithoutLines => Thought { line: Vec::new(), ..thought.clone() }.shogihome(pos),
    });
    let played = record.moves.len();
    let fault = line
        .moves
        .get(played)
        .map(|bad| format!("line {number}: move {}: {} cannot be played", played + 1, Quoted(&bad.mv)));
    Ok(SourceGame { result: line.result(), ..of_parsed(Parsed { record, warnings: Vec::new() }, fault) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::jkf;
    use crate::notation::record::{Conclusion, Ending};
    use crate::notation::usi::{parse_game, write_game};
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
            Format::RECORDS.iter().map(|format| (format!("a.{format:?}"), format.write(&record))).collect();
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
