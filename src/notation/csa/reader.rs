//! The statements of a CSA record, read one after the other.

use super::ending::{read_statement, read_summary};
use super::position::Setup;
use super::{piece_of, square_of};
use crate::movegen::{foul, is_legal};
use crate::notation::error::{RecordError, RecordErrorKind};
use crate::notation::format::Format;
use crate::notation::record::{Conclusion, EndWord, Ending, GameRecord, Parsed, RecordMove, TITLE};
use crate::position::Position;
use crate::types::{Color, Move, PieceType, Quoted, Square};
use std::time::Duration;

/// Reads a text of one game, which stands behind so many lines of its file.
pub(crate) fn read(text: &str, lines_before: usize) -> Result<Parsed, RecordError> {
    let mut reader = Reader { line: lines_before, ..Reader::default() };
    match reader.read_all(text) {
        Ok(()) => Ok(reader.into_parsed()),
        Err(error) if reader.pos.is_none() => Err(error),
        Err(error) => Err(RecordError { so_far: vec![reader.into_parsed()], ..error }),
    }
}

#[derive(Default)]
struct Reader {
    record: GameRecord,
    setup: Setup,
    warnings: Vec<String>,
    line: usize,
    /// Set once a statement of a game has been read.
    is_record: bool,
    /// The position after the moves so far, set with the first of them.
    pos: Option<Position>,
    /// An illegal move after which only the statement for it may come.
    illegal: Option<RecordError>,
    is_excused: bool,
}

impl Reader {
    fn error(&self, kind: RecordErrorKind) -> RecordError {
        RecordError::new(Format::Csa, self.line, kind)
    }

    fn warn(&mut self, text: impl std::fmt::Display) {
        self.warnings.push(format!("line {}: {text}", self.line));
    }

    fn read_line(&mut self, line: &str) -> Result<(), RecordError> {
        match line.as_bytes() {
            [b'\'', ..] => self.comment(&line[1..])?,
            [b'N', sign @ (b'+' | b'-'), ..] => {
                let color = if *sign == b'+' { Color::Black } else { Color::White };
                self.is_record = true;
                self.record.players[color] = Some(line[2..].trim().to_string()).filter(|name| !name.is_empty());
            }
            [b'$', ..] => self.header(&line[1..]),
            _ => {
                for statement in line.split(',').filter(|statement| !statement.trim().is_empty()) {
                    self.statement(statement)?;
                }
            }
        }
        Ok(())
    }

    /// `'*` is for programs to keep, all else is for people only, but for the server's word on the end.
    fn comment(&mut self, text: &str) -> Result<(), RecordError> {
        if let Some(kept) = text.strip_prefix('*') {
            match self.record.moves.last_mut() {
                Some(made) => made.comments.push(kept.to_string()),
                None => self.record.comments.push(kept.to_string()),
            }
        } else if let Some(conclusion) = read_summary(text) {
            self.is_record = true;
            self.begin(None)?;
            let spent = self.record.conclusion.and_then(|so_far| so_far.spent);
            self.conclude(Conclusion { spent, ..conclusion })?;
        }
        Ok(())
    }

    fn header(&mut self, text: &str) {
        let Some((key, value)) = text.split_once(':') else {
            return self.warn(format_args!("{} was passed over", Quoted(text)));
        };
        self.is_record = true;
        let key = key.trim();
        let value = value.trim().to_string();
        let record = &mut self.record;
        // What the writer makes of a title.
        if key == "EVENT" && record.headers.iter().any(|header| header.0 == TITLE && header.1 == value) {
            return;
        }
        let field = match key {
            "EVENT" => &mut record.event,
            "SITE" => &mut record.site,
            "START_TIME" => &mut record.started,
            "END_TIME" => &mut record.ended,
            "TIME_LIMIT" => &mut record.time_limit,
            "OPENING" => &mut record.opening,
            other => return record.headers.push((other.to_string(), value)),
        };
        if !value.is_empty() {
            *field = Some(value);
        }
    }

    fn statement(&mut self, statement: &str) -> Result<(), RecordError> {
        let trimmed = statement.trim();
        match trimmed.as_bytes() {
            [b'V', b'0'..=b'9', ..] => self.is_record = true,
            [b'P', ..] if self.pos.is_none() => {
                self.is_record = true;
                if self.setup.read(trimmed).is_none() {
                    return Err(self.error(RecordErrorKind::Pieces(trimmed.to_string())));
                }
            }
            [sign @ (b'+' | b'-')] if self.pos.is_none() => {
                self.setup.side = Some(if *sign == b'+' { Color::Black } else { Color::White });
                // With the side to move the start is told in full.
                self.begin(None)?;
            }
            [b'+' | b'-', _, ..] => self.play(trimmed)?,
            [b'T', time @ ..] => self.time(trimmed, time)?,
            [b'%', ..] => self.end(trimmed)?,
            _ => self.warn(format_args!("{} was passed over", Quoted(trimmed))),
        }
        Ok(())
    }

    /// Sets the start up if that has not been done. `first` is the side of the first move.
    fn begin(&mut self, first: Option<Color>) -> Result<&mut Position, RecordError> {
        if self.pos.is_none() {
            self.is_record = true;
            let start = self.setup.build(first).map_err(|faults| self.error(RecordErrorKind::Position(faults)))?;
            self.record.start = start.clone();
            self.pos = Some(start);
        }
        Ok(self.pos.as_mut().expect("it was just made"))
    }

    /// `+7776FU`
    fn play(&mut self, text: &str) -> Result<(), RecordError> {
        let number = self.record.moves.len() + 1;
        let color = if text.starts_with('+') { Color::Black } else { Color::White };
        let Some((from, to, piece_type)) = squares_and_piece(text) else {
            return Err(self.error(RecordErrorKind::Unreadable(number, text.to_string())));
        };
        if let Some(error) = self.illegal.take() {
            return Err(error);
        }
        let pos = self.begin(Some(color))?;
        let mv = match square_of(from) {
            Some(from) => board_move(pos, from, to, piece_type),
            None if from != "00" => {
                return Err(self.error(RecordErrorKind::Unreadable(number, text.to_string())));
            }
            None if PieceType::HAND.contains(&piece_type) => Some(Move::drop(piece_type, to)),
            None => None,
        };
        let mv = if pos.side() == color { mv } else { None };
        let legal = mv.filter(|&mv| is_legal(pos, mv));
        let foul = mv.and_then(|mv| foul(pos, mv));
        if self.record.conclusion.is_some() {
            return Err(self.error(RecordErrorKind::AfterEnd(text.to_string())));
        }
        if let Some(mv) = legal {
            self.begin(None)?.do_move(mv);
            self.record.end_word = None;
            self.record.moves.push(RecordMove::new(mv));
            return Ok(());
        }
        self.illegal = Some(self.error(match foul {
            Some(foul) => RecordErrorKind::Foul(number, text.to_string(), foul),
            None => RecordErrorKind::IllegalMove(number, text.to_string()),
        }));
        Ok(())
    }

    /// `T12`, `T12.345`: for the last move, or for the end of the game.
    fn time(&mut self, statement: &str, digits: &[u8]) -> Result<(), RecordError> {
        let Some(spent) = seconds(digits) else {
            return Err(self.error(RecordErrorKind::Time(statement.to_string())));
        };
        let record = &mut self.record;
        match (&mut record.conclusion, &mut record.end_word, record.moves.last_mut()) {
            (Some(conclusion), ..) => conclusion.spent = Some(spent),
            // That of an illegal move is lost with it.
            _ if self.illegal.is_some() => {}
            (None, Some(end), _) => end.spent = Some(spent),
            (None, None, Some(made)) => made.spent = Some(spent),
            (None, None, None) => self.warn("a time before the first move was passed over"),
        }
        Ok(())
    }

    fn end(&mut self, statement: &str) -> Result<(), RecordError> {
        let side = self.begin(None)?.side();
        if statement == "%MATTA" {
            return self.take_back();
        }
        // Whoever made an illegal move, which is not in the record, is still to move: the statement blames it.
        match read_statement(statement, side) {
            Some(conclusion) => self.conclude(conclusion),
            None => {
                self.warn(format_args!("the game ends with {}, which is not known", Quoted(statement)));
                if statement.len() > 1 && self.record.conclusion.is_none() {
                    self.record.end_word = Some(EndWord { word: statement[1..].to_string(), spent: None });
                }
                Ok(())
            }
        }
    }

    /// The side to move takes back its last move, and with it the answer.
    fn take_back(&mut self) -> Result<(), RecordError> {
        self.warn("two moves are taken back");
        self.illegal = None;
        for _ in 0..2 {
            if self.record.moves.pop().is_some() {
                self.begin(None)?.undo();
            }
        }
        Ok(())
    }

    fn conclude(&mut self, conclusion: Conclusion) -> Result<(), RecordError> {
        if let Some(error) = &self.illegal
            && !self.is_excused
        {
            if !matches!(conclusion.ending, Ending::IllegalMove | Ending::FalseDeclaration | Ending::PerpetualCheck) {
                return Err(error.clone());
            }
            self.is_excused = true;
            let RecordError { line, kind, .. } = error;
            self.warnings.push(format!("line {line}: {kind}: the game ends before it, as its record says"));
        }
        self.record.conclusion = Some(conclusion);
        self.record.end_word = None;
        Ok(())
    }

    fn read_all(&mut self, text: &str) -> Result<(), RecordError> {
        for line in text.trim_start_matches('\u{feff}').lines() {
            self.line += 1;
            self.read_line(line.trim_end_matches('\r'))?;
        }
        if let Some(error) = &self.illegal
            && !self.is_excused
        {
            return Err(error.clone());
        }
        if !self.is_record {
            return Err(self.error(RecordErrorKind::NoRecord));
        }
        self.begin(None)?;
        Ok(())
    }

    fn into_parsed(self) -> Parsed {
        Parsed { record: self.record, warnings: self.warnings }
    }
}

/// The origin, destination and piece of `+7776FU`.
fn squares_and_piece(text: &str) -> Option<(&str, Square, PieceType)> {
    if text.len() != 7 {
        return None;
    }
    Some((text.get(1..3)?, square_of(text.get(3..5)?)?, piece_of(text.get(5..7)?)?))
}

/// The move of a piece that is of this type afterwards.
fn board_move(pos: &Position, from: Square, to: Square, after: PieceType) -> Option<Move> {
    let before = pos.piece_on(from)?.piece_type();
    if from == to {
        None
    } else if before == after {
        Some(Move::board(from, to))
    } else if before.can_promote() && before.promoted() == after {
        Some(Move::promotion(from, to))
    } else {
        None
    }
}

/// Reads seconds; milliseconds are the finest that the format has.
fn seconds(digits: &[u8]) -> Option<Duration> {
    let text = str::from_utf8(digits).ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
    Some(Duration::from_secs(whole.parse().ok()?) + Duration::from_millis(millis.parse().ok()?))
}
