//! The lines of a KIF or KI2 record, read one after the other.

use super::ending::{is_adjournment, read_summary, read_word, result};
use super::start::{Heading, Setup, heading, heading_of_line, is_file_row, turn};
use super::{header, time};
use crate::notation::error::{RecordError, RecordErrorKind};
use crate::notation::format::Format;
use crate::notation::japanese_move::{JapaneseMove, ResolveError, move_number};
use crate::notation::record::{Conclusion, EndWord, Ending, GameRecord, Parsed, RecordMove, Variation};
use crate::notation::vocabulary::{is_blank, is_marker, leading_number, square, trim};
use crate::position::Position;
use crate::types::{Move, Quoted};
use std::time::Duration;

/// Reads a text of one record, KIF or KI2, which stands behind so many lines of its file.
pub(crate) fn read(format: Format, text: &str, lines_before: usize) -> Result<Parsed, RecordError> {
    let mut reader = Reader::new(format, lines_before);
    match reader.read_all(text) {
        Ok(()) => Ok(reader.into_parsed()),
        Err(error) => {
            let Some(walk) = &reader.walk else { return Err(error) };
            // A word that is no move but stands in the place of one is no end.
            if walk.unknown.is_some() {
                reader.record.end_word = None;
            }
            Err(RecordError { so_far: vec![reader.into_parsed()], ..error })
        }
    }
}

struct Reader {
    format: Format,
    record: GameRecord,
    setup: Setup,
    warnings: Vec<String>,
    /// The number of the line that is being read.
    line: usize,
    /// Set once anything of a record has been seen.
    is_record: bool,
    /// Set with the first line that needs the start.
    walk: Option<Walk>,
    /// Comments behind the head of a variation, which are those of its first move.
    pending: Vec<String>,
}

/// The line of moves that is being read.
#[derive(Default)]
struct Walk {
    pos: Position,
    /// The moves from the start to `pos`.
    path: Vec<Move>,
    /// Tells the game itself from its variations.
    is_game: bool,
    /// The number that the record gives its first move, less one.
    offset: usize,
    /// An illegal move after which only the word for it may come.
    illegal: Option<RecordError>,
    /// Set once that word has come.
    is_excused: bool,
    /// A word that is no known ending. What follows it shows whether it ends the record or is a move that cannot be
    /// read.
    unknown: Option<RecordError>,
    /// The rest of a variation that cannot be played.
    is_skipped: bool,
}

impl Reader {
    fn new(format: Format, lines_before: usize) -> Reader {
        Reader {
            format,
            record: GameRecord::new(Position::startpos()),
            setup: Setup::default(),
            warnings: Vec::new(),
            line: lines_before,
            is_record: false,
            walk: None,
            pending: Vec::new(),
        }
    }

    fn read_all(&mut self, text: &str) -> Result<(), RecordError> {
        for line in text.trim_start_matches('\u{feff}').lines() {
            self.line += 1;
            self.read_line(line.trim_end_matches('\r'))?;
        }
        self.end_by_comment()?;
        self.check_illegal_move()?;
        self.pass_over_comments();
        if !self.is_record {
            return Err(self.error(RecordErrorKind::NoRecord));
        }
        if self.record.moves.is_empty()
            && self.record.conclusion.is_none()
            && let Some(end) = self.record.end_word.take()
        {
            return Err(self.error(RecordErrorKind::NoMoves(end.word)));
        }
        self.walk()?;
        Ok(())
    }

    /// 81Dojo tells some ends in a comment on the last move: 時間切れにて終局.
    fn end_by_comment(&mut self) -> Result<(), RecordError> {
        if self.record.conclusion.is_some() || !self.in_game() {
            return Ok(());
        }
        let comments = self.record.moves.last().map_or(&self.record.comments, |made| &made.comments);
        let told = comments.last().and_then(|comment| trim(comment).strip_suffix("にて終局"));
        let Some(word) = told.map(|word| trim(word).to_string()) else { return Ok(()) };
        let walk = self.walk()?;
        let Some(mut conclusion) = read_word(&word, walk.pos.side()) else { return Ok(()) };
        if conclusion.ending == Ending::IllegalMove {
            // The foul is that of the last move, in the record or not.
            conclusion.winner = Some(if walk.illegal.is_some() { !walk.pos.side() } else { walk.pos.side() });
        }
        self.conclude(conclusion)
    }

    fn into_parsed(mut self) -> Parsed {
        self.record.variations.retain(|line| !line.moves.is_empty() || line.conclusion.is_some());
        Parsed { record: self.record, warnings: self.warnings }
    }

    fn error(&self, kind: RecordErrorKind) -> RecordError {
        RecordError::new(self.format, self.line, kind)
    }

    fn warn(&mut self, text: impl std::fmt::Display) {
        self.warnings.push(format!("line {}: {text}", self.line));
    }

    /// Tells the kinds of lines apart. Headers come late: much else has a colon, such as the time of a move.
    fn read_line(&mut self, line: &str) -> Result<(), RecordError> {
        let text = trim(line);
        let Some(first) = text.chars().next() else { return Ok(()) };
        match first {
            '#' => {}
            '*' => self.comment(line.trim_start_matches(is_blank).strip_prefix('*').unwrap_or_default()),
            '&' => self.comment(line.trim_start_matches(is_blank)),
            '|' | '｜' => {
                if self.is_before_moves() {
                    self.setup.rank(self.line, text);
                }
            }
            c if is_marker(c) => match header::split(text) {
                Some((key, value)) if heading(key) != Heading::None => self.header(key, value)?,
                _ => self.moves_on_line(text)?,
            },
            _ if text.starts_with("まで") => self.summary(text)?,
            _ if text.starts_with("手数-") || text.starts_with("+-") || is_file_row(text) => self.is_record = true,
            _ => {
                if let Some(rest) = text.strip_prefix("手数＝").or_else(|| text.strip_prefix("手数=")) {
                    if self.is_before_moves() {
                        self.setup.moves_before(rest);
                    }
                } else if let Some(number) = text.strip_prefix("変化：").or_else(|| text.strip_prefix("変化:")) {
                    self.variation(trim(number))?;
                } else if move_number(text).is_some() {
                    self.moves_on_line(text)?;
                } else if text.ends_with('番')
                    && let Some(color) = turn(text)
                {
                    if self.is_before_moves() {
                        self.setup.side = Some(color);
                    }
                } else if let Some((key, value)) = header::split(text) {
                    self.header(key, value)?;
                } else if JapaneseMove::parse(text).is_some() {
                    self.moves_on_line(text)?;
                } else {
                    self.warn(format_args!("{} was passed over", Quoted(text)));
                }
            }
        }
        Ok(())
    }

    /// Tells of a line about the start whether it comes in time: once there are moves it is too late.
    fn is_before_moves(&mut self) -> bool {
        self.is_record = true;
        if self.walk.is_some() {
            self.warn("a diagram after the first move was passed over");
        }
        self.walk.is_none()
    }

    fn header(&mut self, key: &str, value: &str) -> Result<(), RecordError> {
        if key == "手合割" {
            if self.is_before_moves() {
                self.setup.handicap(self.line, value);
            }
            return Ok(());
        }
        if key == "手番" {
            let Some(color) = turn(value) else {
                return Err(self.error(RecordErrorKind::Heading(format!("{key}：{value}"))));
            };
            if self.is_before_moves() {
                self.setup.side = Some(color);
            }
            return Ok(());
        }
        let heading =
            if self.walk.is_none() && !header::is_known(key) { heading_of_line(key, value) } else { heading(key) };
        if matches!(heading, Heading::Hand(_) | Heading::Rest) {
            if self.is_before_moves() {
                self.setup.pieces(self.line, heading, key, value);
            }
            return Ok(());
        }
        if heading == Heading::Unknown {
            self.setup.pieces(self.line, heading, key, value);
        }
        // Any text may have a colon: only what a record has a place for makes it one.
        self.is_record |= header::is_known(key);
        header::set_header(&mut self.record, key, value);
        Ok(())
    }

    /// The line of moves that is being read, begun if this is its first line.
    fn walk(&mut self) -> Result<&mut Walk, RecordError> {
        if self.walk.is_none() {
            self.is_record = true;
            let site = self.record.site.as_deref().unwrap_or_default();
            let pos = self.setup.build(self.format, self.line, site)?;
            self.warnings.extend(self.setup.doubt());
            self.record.start = pos.clone();
            self.walk = Some(Walk { pos, is_game: true, ..Walk::default() });
        }
        Ok(self.walk.as_mut().expect("it was just made"))
    }

    fn in_game(&self) -> bool {
        self.walk.as_ref().is_none_or(|walk| walk.is_game)
    }

    fn is_skipped(&self) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.is_skipped)
    }

    fn moves(&mut self) -> &mut Vec<RecordMove> {
        if self.in_game() {
            &mut self.record.moves
        } else {
            &mut self.record.variations.last_mut().expect("a variation has begun").moves
        }
    }

    fn conclusion(&mut self) -> &mut Option<Conclusion> {
        if self.in_game() {
            &mut self.record.conclusion
        } else {
            &mut self.record.variations.last_mut().expect("a variation has begun").conclusion
        }
    }

    fn comment(&mut self, text: &str) {
        if self.is_skipped() {
            return;
        }
        let in_game = self.in_game();
        match self.moves().last_mut() {
            Some(made) => made.comments.push(text.to_string()),
            None if in_game => self.record.comments.push(text.to_string()),
            None => self.pending.push(text.to_string()),
        }
    }

    /// Moves and words that end the game, one after the other: `7 ７六歩(77)   ( 0:01/00:00:01)`, ▲７六歩　△３四歩.
    fn moves_on_line(&mut self, text: &str) -> Result<(), RecordError> {
        let mut text = text;
        loop {
            text = text.trim_start_matches(|c| is_blank(c) || is_marker(c) || c == '+');
            if text.is_empty() {
                return Ok(());
            }
            let (number, item) = match move_number(text) {
                Some((number, rest)) => (Some(number as usize), rest),
                None => (None, text),
            };
            let item = item.trim_start_matches(|c| is_blank(c) || is_marker(c));
            if let Some((notation, rest)) = JapaneseMove::parse(item) {
                let token = trim(&item[..item.len() - rest.len()]);
                let (spent, rest) = self.time(rest);
                self.play(number, &notation, token, spent)?;
                text = rest;
                continue;
            }
            let end = item.find(|c| is_blank(c) || is_marker(c) || matches!(c, '(' | '（')).unwrap_or(item.len());
            let (word, rest) = item.split_at(end);
            let (spent, rest) = self.time(rest);
            if !word.is_empty() {
                self.end(word, spent)?;
            }
            text = rest;
        }
    }

    /// Takes a time from the front of the text.
    fn time<'a>(&mut self, text: &'a str) -> (Option<Duration>, &'a str) {
        let (spent, rest) = time::take(text);
        let inside = &text[..text.len() - rest.len()];
        if spent.is_none() && inside.contains(|c| !is_blank(c) && !matches!(c, '(' | '（' | ')' | '）')) {
            self.warn(format_args!("{} was passed over", Quoted(trim(inside))));
        }
        (spent, rest)
    }

    fn play(
        &mut self,
        number: Option<usize>,
        notation: &JapaneseMove,
        token: &str,
        spent: Option<Duration>,
    ) -> Result<(), RecordError> {
        let before = self.setup.last;
        let walk = self.walk()?;
        if walk.is_skipped {
            return Ok(());
        }
        if walk.is_game && walk.path.is_empty() {
            walk.offset = number.map_or(0, |number| number.saturating_sub(1));
        }
        if let Some(error) = walk.illegal.as_ref().or(walk.unknown.as_ref()) {
            return Err(error.clone());
        }
        let ply = walk.path.len() + 1;
        let expected = ply + walk.offset;
        let last = walk.path.last().map_or(before, |mv| Some(mv.to()));
        let meant = notation.resolve(&walk.pos, last);
        let foul = if meant.is_err() { notation.foul(&walk.pos, last) } else { None };
        if self.conclusion().is_some() {
            return self.unplayable(RecordErrorKind::AfterEnd(token.to_string()));
        }
        if let Some(number) = number
            && number != expected
        {
            self.warn(format_args!("a move is numbered {number} and not {expected}"));
        }
        match meant {
            Ok(mv) => {
                let walk = self.walk()?;
                walk.pos.do_move(mv);
                walk.path.push(mv);
                let comments = std::mem::take(&mut self.pending);
                self.moves().push(RecordMove { mv, spent, comments });
                Ok(())
            }
            Err(ResolveError::Illegal) => {
                let fault = match foul {
                    Some(foul) => RecordErrorKind::Foul(ply, token.to_string(), foul),
                    None => RecordErrorKind::IllegalMove(ply, token.to_string()),
                };
                if !self.in_game() {
                    return self.unplayable(fault);
                }
                let error = self.error(fault);
                self.walk()?.illegal = Some(error);
                Ok(())
            }
            Err(ResolveError::Ambiguous) => self.unplayable(RecordErrorKind::AmbiguousMove(ply, token.to_string())),
        }
    }

    /// A fault of the game fails the record, one of a variation costs the rest of the variation.
    fn unplayable(&mut self, fault: RecordErrorKind) -> Result<(), RecordError> {
        if self.in_game() {
            return Err(self.error(fault));
        }
        self.walk()?.is_skipped = true;
        self.warn(format_args!("{fault}; the rest of the variation was passed over"));
        Ok(())
    }

    /// A word in place of a move.
    fn end(&mut self, word: &str, spent: Option<Duration>) -> Result<(), RecordError> {
        let in_game = self.in_game();
        let walk = self.walk()?;
        if walk.is_skipped {
            return Ok(());
        }
        if let Some(error) = &walk.unknown {
            // Without a move all of it is no record, and the first word is the one that tells.
            return if walk.path.is_empty() { Ok(()) } else { Err(error.clone()) };
        }
        // The illegal move is not in the record, but whoever made it has made it.
        let side = if walk.illegal.is_some() { !walk.pos.side() } else { walk.pos.side() };
        let ply = walk.path.len() + 1;
        let end_word = EndWord { word: word.to_string(), spent };
        if let Some(conclusion) = read_word(word, side) {
            self.conclude(Conclusion { spent, ..conclusion })?;
            if in_game && is_adjournment(word) {
                self.record.end_word = Some(end_word);
            }
            return Ok(());
        }
        if PASSES.contains(&word) {
            return self.unplayable(RecordErrorKind::Pass(ply));
        }
        let unreadable = RecordErrorKind::Unreadable(ply, word.to_string());
        if word.starts_with(|c| c == '同' || square(c, '1').is_some()) {
            return self.unplayable(unreadable);
        }
        self.warn(format_args!("the game ends with {}, which is not known", Quoted(word)));
        if in_game && self.record.conclusion.is_none() {
            let error = self.error(unreadable);
            self.walk()?.unknown = Some(error);
            self.record.end_word = Some(end_word);
        }
        Ok(())
    }

    /// まで…手で…
    fn summary(&mut self, text: &str) -> Result<(), RecordError> {
        let walk = self.walk()?;
        if walk.is_skipped {
            return Ok(());
        }
        let side = if walk.illegal.is_some() { !walk.pos.side() } else { walk.pos.side() };
        let so_far = *self.conclusion();
        let meaning = read_summary(text, side, so_far);
        match meaning {
            Some(conclusion) => self.conclude(conclusion)?,
            None => self.warn(format_args!("{} does not tell how the game ended", Quoted(text))),
        }
        self.keep_result(text, meaning.is_some());
        Ok(())
    }

    /// Keeps the word of まで…手で… for the end of the game, if its meaning is not all that it says.
    fn keep_result(&mut self, text: &str, is_known: bool) {
        if !self.in_game() || self.record.end_word.is_some() {
            return;
        }
        let is_told = is_known || self.record.conclusion.is_none() && !self.record.moves.is_empty();
        let Some(word) = result(text) else { return };
        if is_told && !word.is_empty() && (!is_known || is_adjournment(word)) {
            let spent = self.record.conclusion.and_then(|so_far| so_far.spent);
            self.record.end_word = Some(EndWord { word: word.to_string(), spent });
        }
    }

    fn conclude(&mut self, conclusion: Conclusion) -> Result<(), RecordError> {
        let walk = self.walk()?;
        if let Some(error) = &walk.illegal
            && !walk.is_excused
        {
            let error = error.clone();
            if !matches!(conclusion.ending, Ending::IllegalMove | Ending::FalseDeclaration | Ending::PerpetualCheck) {
                return Err(error);
            }
            walk.is_excused = true;
            let RecordError { line, kind, .. } = error;
            self.warnings.push(format!("line {line}: {kind}: the game ends before it, as its record says"));
        }
        *self.conclusion() = Some(conclusion);
        Ok(())
    }

    /// An illegal move that nothing has excused fails the record.
    fn check_illegal_move(&mut self) -> Result<(), RecordError> {
        match &self.walk {
            Some(Walk { illegal: Some(error), is_excused: false, .. }) => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Comments of a variation that has no move.
    fn pass_over_comments(&mut self) {
        if !self.pending.is_empty() {
            self.pending.clear();
            self.warn("a comment of a variation without a move was passed over");
        }
    }

    /// 変化：9手
    fn variation(&mut self, text: &str) -> Result<(), RecordError> {
        self.check_illegal_move()?;
        let Some((number, _)) = leading_number(text) else {
            return Err(self.error(RecordErrorKind::Variation(text.to_string())));
        };
        self.pass_over_comments();
        let walk = self.walk()?;
        walk.is_game = false;
        walk.illegal = None;
        walk.unknown = None;
        let from = (number as usize).saturating_sub(walk.offset);
        walk.is_skipped = from == 0 || from > walk.path.len() + 1;
        if walk.is_skipped {
            self.warn(format_args!("a variation of move {number}, which there is not, was passed over"));
            return Ok(());
        }
        while walk.path.len() >= from {
            walk.path.pop();
            walk.pos.undo();
        }
        self.record.variations.push(Variation { from, moves: Vec::new(), conclusion: None });
        Ok(())
    }
}

/// Words of viewers for a move that is none.
pub(crate) const PASSES: [&str; 3] = ["パス", "pass", "PASS"];
