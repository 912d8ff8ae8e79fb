//! Positions and moves as the USI protocol writes them.

use super::record::{Conclusion, Ending, GameRecord, RecordMove};
use crate::movegen::{IllegalMove, is_legal};
use crate::position::{MAX_COUNTER, Position, SfenError};
use crate::types::{Move, ParseMoveError, Quoted};
use std::fmt::Write;
use thiserror::Error;

/// A move that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MoveError {
    /// The text is no move.
    #[error(transparent)]
    Unreadable(#[from] ParseMoveError),
    /// The move is not legal in the position.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A side that is in check cannot pass.
    #[error("no pass in check")]
    PassInCheck,
    /// A pass in a game.
    #[error("a pass, which no game of shogi has")]
    Pass,
}

/// Reads a move that must be legal in the position.
///
/// ```
/// use komainu::notation::usi::parse_move;
/// use komainu::position::Position;
///
/// let position = Position::startpos();
/// assert!(parse_move(&position, "7g7f").is_ok());
/// assert_eq!(parse_move(&position, "7g7e").unwrap_err().to_string(), "7g7e is not legal");
/// ```
pub fn parse_move(pos: &Position, text: &str) -> Result<Move, MoveError> {
    let mv = text.parse()?;
    if is_legal(pos, mv) { Ok(mv) } else { Err(IllegalMove(mv).into()) }
}

/// A line up to its first illegal move.
pub fn legal_part(pos: &Position, line: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut pos = pos.clone();
    let mut legal = Vec::new();
    for mv in line {
        if !is_legal(&pos, mv) {
            break;
        }
        pos.do_move(mv);
        legal.push(mv);
    }
    legal
}

/// Why the arguments of a `position` command are no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PositionError {
    /// There is no `startpos` or `sfen`.
    #[error("startpos or sfen is missing")]
    NoStart,
    /// Neither `startpos` nor `sfen`, but this token.
    #[error("{} is neither startpos nor sfen", Quoted(.0))]
    UnknownStart(String),
    /// The SFEN is at fault.
    #[error("bad sfen: {0}")]
    Sfen(#[from] SfenError),
    /// A move of the list cannot be played: its number, counted from 1, and why.
    #[error("move {0}: {1}")]
    Move(usize, #[source] MoveError),
    /// Text behind the word that ends the game, and that word.
    #[error("{} stands behind {}", Quoted(.0), Quoted(.1))]
    BehindEnd(String, String),
    /// Text where moves should stand ([`parse_board`] alone).
    #[error("{} stands where moves should", Quoted(.0))]
    Ignored(String),
    /// No text at all ([`parse_board`] alone).
    #[error("an empty text is no position")]
    Empty,
    /// A move counter that no position keeps ([`parse_board`] alone).
    #[error("bad sfen: move counter {} is not from 1 to {MAX_COUNTER}", Quoted(.0))]
    Counter(String),
}

/// A position with what was left unread on its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedPosition {
    /// The position with the history of its moves.
    pub position: Position,
    /// The last of its moves.
    pub last_move: Option<Move>,
    /// The first token between `startpos` and `moves` that means nothing and was passed over.
    pub ignored: Option<String>,
}

/// Reads `startpos [moves ...]` or `sfen SFEN [moves ...]`: the arguments of `position`, or a line of an opening file,
/// where `pass` may stand for a move of a side that is not in check, where a bare SFEN is taken as well by
/// [`parse_opening`].
///
/// ```
/// use komainu::notation::usi::parse_position;
///
/// let parsed = parse_position("startpos moves 7g7f 3c3d")?;
/// assert_eq!((parsed.position.ply(), parsed.position.moves_made()), (3, 2));
///
/// let error = parse_position("startpos moves 7g7f 7g7f").unwrap_err();
/// assert_eq!(error.to_string(), "move 2: 7g7f is not legal");
/// # Ok::<(), komainu::notation::usi::PositionError>(())
/// ```
pub fn parse_position(text: &str) -> Result<ParsedPosition, PositionError> {
    let mut tokens = text.split_ascii_whitespace();
    let mut ignored = None;
    let position = match tokens.next() {
        Some("startpos") => {
            for token in tokens.by_ref().take_while(|&token| token != "moves") {
                ignored.get_or_insert(token.to_string());
            }
            Position::startpos()
        }
        Some("sfen") => read_sfen(&mut tokens)?,
        Some(other) => return Err(PositionError::UnknownStart(other.to_string())),
        None => return Err(PositionError::NoStart),
    };
    with_moves(position, ignored, tokens)
}

/// Plays the moves behind a start.
fn with_moves<'a>(
    mut position: Position,
    ignored: Option<String>,
    moves: impl Iterator<Item = &'a str>,
) -> Result<ParsedPosition, PositionError> {
    let mut last_move = None;
    for (number, token) in moves.enumerate() {
        last_move = play(&mut position, token).map_err(|error| PositionError::Move(number + 1, error))?;
    }
    Ok(ParsedPosition { position, last_move, ignored })
}

/// Reads the SFEN in front of the moves, and the word before them.
fn read_sfen<'a>(tokens: &mut impl Iterator<Item = &'a str>) -> Result<Position, SfenError> {
    Position::from_fields(tokens.take_while(|&token| token != "moves"))
}

/// Plays a token of a list of moves: a move, which comes back, or `pass`, with which analysts let the other side move
/// again.
fn play(position: &mut Position, token: &str) -> Result<Option<Move>, MoveError> {
    if token == "pass" {
        if position.in_check() {
            return Err(MoveError::PassInCheck);
        }
        position.do_null_move();
        return Ok(None);
    }
    let mv = parse_move(position, token)?;
    position.do_move(mv);
    Ok(Some(mv))
}

/// Reads a line of an opening list: `startpos [moves ...]`, `sfen SFEN [moves ...]` or a bare `SFEN [moves ...]`.
///
/// ```
/// use komainu::notation::usi::{parse_opening, parse_position};
/// use komainu::position::START_SFEN;
///
/// assert!(parse_opening(START_SFEN).is_ok() && parse_position(START_SFEN).is_err());
/// ```
pub fn parse_opening(text: &str) -> Result<ParsedPosition, PositionError> {
    let mut tokens = text.split_ascii_whitespace();
    match tokens.clone().next() {
        Some("startpos" | "sfen") => parse_position(text),
        _ => with_moves(read_sfen(&mut tokens)?, None, tokens),
    }
}

/// A game on a line, as far as it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedLine {
    /// The start and the moves up to the first fault.
    pub record: GameRecord,
    /// The move that cannot be played.
    pub fault: Option<PositionError>,
    /// The first token between `startpos` and `moves` that means nothing and was passed over.
    pub ignored: Option<String>,
}

/// Reads a game on a line: as in [`parse_opening`], after `position` too. The error is a start that is none.
///
/// ```
/// use komainu::notation::usi::{parse_game, write_game};
///
/// let game = parse_game("position startpos moves 7g7f 3c3d 7g7f")?;
/// assert_eq!(game.fault.map(|fault| fault.to_string()).as_deref(), Some("move 3: 7g7f is not legal"));
/// assert_eq!(write_game(&game.record), "position startpos moves 7g7f 3c3d");
/// # Ok::<(), komainu::notation::usi::PositionError>(())
/// ```
pub fn parse_game(line: &str) -> Result<ParsedLine, PositionError> {
    let (head, moves) = head_and_moves(line);
    let ParsedPosition { mut position, ignored, .. } = parse_opening(head)?;
    let mut game = ParsedLine { record: GameRecord::new(position.clone()), fault: None, ignored };
    match play_line(&mut position, moves, |mv| game.record.moves.push(RecordMove::new(mv))) {
        Ok(ending) => game.record.conclusion = ending.map(|ending| Conclusion::usual(ending, position.side())),
        Err(fault) => game.fault = Some(fault),
    }
    Ok(game)
}

/// Reads the position at the end of a line: as [`parse_game`] does, but every fault is an error, and so is a move
/// counter that would be changed.
///
/// ```
/// use komainu::notation::usi::parse_board;
///
/// assert_eq!(parse_board("7g7f 3c3d")?.ply(), 3);
/// assert_eq!(parse_board("startpos 7g7f").unwrap_err().to_string(), "\"7g7f\" stands where moves should");
/// assert_eq!(parse_board(" ").unwrap_err().to_string(), "an empty text is no position");
/// let uncounted = "4k4/9/4P4/9/9/9/9/9/9 b G 0";
/// assert!(parse_board(uncounted).unwrap_err().to_string().contains("move counter \"0\" is not from 1 to 1000000"));
/// # Ok::<(), komainu::notation::usi::PositionError>(())
/// ```
pub fn parse_board(line: &str) -> Result<Position, PositionError> {
    if line.trim().is_empty() {
        return Err(PositionError::Empty);
    }
    let (head, moves) = head_and_moves(line);
    let ParsedPosition { mut position, ignored, .. } = parse_opening(head)?;
    if let Some(token) = ignored {
        return Err(PositionError::Ignored(token));
    }
    let last = head.split_ascii_whitespace().last().unwrap_or_default();
    if last.bytes().all(|b| b.is_ascii_digit()) && !last.is_empty() && last.parse() != Ok(position.ply()) {
        return Err(PositionError::Counter(last.to_string()));
    }
    play_line(&mut position, moves, |_| {})?;
    Ok(position)
}

/// The start and the moves of a line.
fn head_and_moves(line: &str) -> (&str, &str) {
    let line = line.trim();
    let line = line.strip_prefix("position").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(line).trim_start();
    // No board has this letter, and it is found faster than the word.
    let divided = if line.contains('m') { line.split_once("moves") } else { None };
    let (head, moves) = match divided {
        Some((head, moves)) => (head, moves),
        None if begins_with_move(line) => ("startpos", line),
        None => (line, ""),
    };
    (if head.trim().is_empty() { "startpos" } else { head }, moves)
}

fn begins_with_move(line: &str) -> bool {
    // Most lines begin with a board, of which an error would be a copy.
    line.split_ascii_whitespace().next().is_some_and(|word| word.len() <= 5 && word.parse::<Move>().is_ok())
}

/// Plays the moves of a line, up to the word that ends the game, behind which no move stands.
fn play_line(pos: &mut Position, moves: &str, mut each: impl FnMut(Move)) -> Result<Option<Ending>, PositionError> {
    let mut tokens = moves.split_ascii_whitespace().enumerate();
    while let Some((index, token)) = tokens.next() {
        match parse_move(pos, token) {
            Ok(mv) => {
                pos.do_move(mv);
                each(mv);
            }
            Err(_) if ending(token).is_some() => {
                return match tokens.next() {
                    Some((_, behind)) => Err(PositionError::BehindEnd(behind.to_string(), token.to_string())),
                    None => Ok(ending(token)),
                };
            }
            // As in the line that a log has of the last move.
            Err(_) if token.eq_ignore_ascii_case("bestmove") => {}
            Err(error) => {
                let error = if token.eq_ignore_ascii_case("pass") { MoveError::Pass } else { error };
                return Err(PositionError::Move(index + 1, error));
            }
        }
    }
    Ok(None)
}

/// The ending that a word behind the moves means.
fn ending(token: &str) -> Option<Ending> {
    match token.to_ascii_lowercase().as_str() {
        "resign" => Some(Ending::Resignation),
        "win" => Some(Ending::Declaration),
        _ => None,
    }
}

/// Writes the start and the moves of a game as the line `position ...`.
pub fn write_game(record: &GameRecord) -> String {
    let start = &record.start;
    let mut line = "position ".to_string();
    if *start == Position::startpos() && start.ply() == 1 {
        line.push_str("startpos");
    } else {
        _ = write!(line, "sfen {start}");
    }
    if !record.moves.is_empty() {
        line.push_str(" moves");
    }
    for made in &record.moves {
        _ = write!(line, " {}", made.mv);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    #[test]
    fn positions_are_read_with_their_moves() {
        let parsed = parse_position("startpos moves 7g7f 3c3d 8h2b+").unwrap();
        let sfen = "lnsgkgsnl/1r5+B1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL w B 4";
        assert_eq!(parsed.position.to_sfen(), sfen);
        assert_eq!(parsed.ignored, None);
        assert_eq!(parse_position("startpos moves").unwrap().position.moves_made(), 0);
        assert_eq!(parse_position("startpos 7g7f").unwrap().ignored.as_deref(), Some("7g7f"));
        assert_eq!(parse_position("startpos x y moves 7g7f").unwrap().position.moves_made(), 1);
        assert_eq!(parse_opening(sfen).unwrap().position.to_sfen(), sfen);
    }

    #[test]
    fn nothing_stands_behind_the_word_that_ends_a_game() {
        for line in ["startpos moves 7g7f resign 3c3d", "7g7f win x"] {
            let fault = parse_game(line).unwrap().fault.map(|fault| fault.to_string()).unwrap_or_default();
            assert!(fault.contains(" stands behind "), "{line}: {fault}");
            assert!(parse_board(line).is_err(), "{line}");
        }
    }

    #[test]
    fn words_behind_the_moves_end_a_game() {
        for (word, ending, winner) in [
            ("resign", Ending::Resignation, Color::Black),
            ("win", Ending::Declaration, Color::White),
            ("WIN", Ending::Declaration, Color::White),
            ("bestmove win", Ending::Declaration, Color::White),
        ] {
            let game = parse_game(&format!("startpos moves 2g2f 8c8d 2f2e {word}")).unwrap();
            let end = game.record.conclusion.map(|end| (end.ending, end.winner));
            assert_eq!((game.record.moves.len(), end), (3, Some((ending, Some(winner)))), "{word}");
            assert_eq!(game.fault, None);
        }
    }

    #[test]
    fn a_pass_lets_the_other_side_move_unless_a_king_is_in_check() {
        let parsed = parse_position("startpos moves 7g7f pass 2g2f pass pass").unwrap();
        let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 6";
        assert_eq!((parsed.position.to_sfen().as_str(), parsed.last_move), (sfen, None));
        assert_eq!(parsed.position.validate(), Ok(()));
        let error = parse_position("sfen 4k4/9/9/9/9/9/9/4R4/4K4 w - 1 moves pass").unwrap_err();
        assert_eq!(error.to_string(), "move 1: no pass in check");
    }

    #[test]
    fn a_bad_move_is_named_with_its_number() {
        let error = |text: &str| parse_position(text).unwrap_err().to_string();
        assert_eq!(error("startpos moves 7g7f 7g7f"), "move 2: 7g7f is not legal");
        assert_eq!(error("startpos moves 7g7f 3c3d zzzz"), "move 3: \"zzzz\" is not a move");
        let pass = parse_game("startpos moves 7g7f pass").unwrap().fault.map(|fault| fault.to_string());
        assert_eq!(pass.as_deref(), Some("move 2: a pass, which no game of shogi has"));
        assert_eq!(error("startpos moves 0000"), "move 1: \"0000\" is not a move");
        assert_eq!(error("foo"), "\"foo\" is neither startpos nor sfen");
        assert_eq!(error(""), "startpos or sfen is missing");
        assert_eq!(error("sfen 9/9 b - 1"), "bad sfen: the board has 2 ranks, not 9");
        let one_square = "bad sfen: rank i \"K\" has 1 square, not 9";
        assert_eq!(error("sfen 4k4/9/9/9/9/9/9/9/K b - 1"), one_square);
    }
}
