//! The lines of a KIF or KI2 record, read one after the other.

use super::board::{Setup, is_file_row};
use super::ending::{is_adjournment, read_summary, read_word, result};
use super::relative_notation::{RelativeNotation, ResolveError, move_number};
use super::vocabulary::{is_blank, is_marker, leading_number, leading_side, trim};
use super::{KifError, KifFault, header, time};
use crate::notation::record::{Conclusion, EndWord, Ending, GameRecord, Parsed, RecordMove, Variation};
use crate::position::Position;
use crate::types::{Move, Quoted};
use std::time::Duration;

pub(super) fn read(text: &str) -> Result<Parsed, KifError> {
    let mut reader = Reader::new();
    match reader.read_all(text) {
        Ok(()) => Ok(reader.into_parsed()),
        Err(error) => {
            // A word that is no move but stands in the place of one is no end.
            reader.record.end_word.take_if(|_| reader.walk.as_ref().is_some_and(|walk| walk.unknown.is_some()));
            let so_far = if reader.walk.is_some() { vec![reader.into_parsed()] } else { Vec::new() };
            Err(KifError { so_far, ..error })
        }
    }
}

struct Reader {
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
struct Walk {
    pos: Position,
    /// The moves from the start to `pos`.
    path: Vec<Move>,
    /// Tells the game itself from its variations.
    is_game: bool,
    /// The number that the record gives its first move, less one.
    offset: usize,
    /// An illegal move after which only the word for it may come.
    illegal: Option<KifError>,
    /// Set once that word has come.
    is_excused: bool,
    /// A word that is no known ending. What follows it shows whether it ends the record or is a move that cannot be
    /// read.
    unknown: Option<KifError>,
    /// The rest of a variation that cannot be played.
    is_skipped: bool,
}

impl Reader {
    fn new() -> Reader {
        Reader {
            record: GameRecord::new(Position::startpos()),
            setup: Setup::default(),
            warnings: Vec::new(),
            line: 0,
            is_record: false,
            walk: None,
            pending: Vec::new(),
        }
    }

    fn read_all(&mut self, text: &str) -> Result<(), KifError> {
        for line in text.trim_start_matches('\u{feff}').lines() {
            self.line += 1;
            self.read_line(line.trim_end_matches('\r'))?;
        }
        self.end_by_comment()?;
        self.check_illegal_move()?;
        self.pass_over_comments();
        if !self.is_record {
            return self.error(KifFault::NoRecord);
        }
        let is_empty = self.record.moves.is_empty() && self.record.conclusion.is_none();
        match self.record.end_word.take_if(|_| is_empty) {
            Some(end) => self.error(KifFault::NoMoves(end.word)),
            None => self.walk().map(|_| ()),
        }
    }

    /// 81Dojo tells some ends in a comment on the last move: 時間切れにて終局.
    fn end_by_comment(&mut self) -> Result<(), KifError> {
        let comments = self.record.moves.last().map_or(&self.record.comments, |made| &made.comments);
        let told = comments.last().and_then(|comment| trim(comment).strip_suffix("にて終局")).map(trim);
        let (Some(word), None, true) = (told.map(str::to_string), self.record.conclusion, self.in_game()) else {
            return Ok(());
        };
        let walk = self.walk()?;
        let conclusion = match read_word(&word, walk.pos.side()) {
            // The foul is that of the last move, in the record or not.
            Some(end) if end.ending == Ending::IllegalMove => {
                let winner = if walk.illegal.is_some() { !walk.pos.side() } else { walk.pos.side() };
                Conclusion { winner: Some(winner), ..end }
            }
            Some(end) => end,
            None => return Ok(()),
        };
        self.conclude(conclusion)
    }

    fn into_parsed(mut self) -> Parsed {
        self.record.variations.retain(|line| !line.moves.is_empty() || line.conclusion.is_some());
        Parsed { record: self.record, warnings: self.warnings }
    }

    fn error<T>(&self, fault: KifFault) -> Result<T, KifError> {
        Err(KifError::new(self.line, fault))
    }

    fn warn(&mut self, text: impl std::fmt::Display) {
        self.warnings.push(format!("line {}: {text}", self.line));
    }

    /// Tells the kinds of lines apart. Headers come late: much else has a colon, such as the time of a move.
    fn read_line(&mut self, line: &str) -> Result<(), KifError> {
        let text = trim(line);
        let Some(first) = text.chars().next() else { return Ok(()) };
        match first {
            '#' => {}
            '*' => self.comment(line.trim_start_matches(is_blank).strip_prefix('*').unwrap_or_default()),
            '&' => self.comment(line.trim_start_matches(is_blank)),
            '|' | '｜' => self.set_up(|setup, number| setup.rank(number, text)),
            c if is_marker(c) => self.moves_on_line(text)?,
            _ if text.starts_with("まで") => self.summary(text)?,
            _ if text.starts_with("手数-") || text.starts_with("+-") || is_file_row(text) => self.is_record = true,
            _ => {
                if let Some(rest) = text.strip_prefix("手数＝").or_else(|| text.strip_prefix("手数=")) {
                    self.set_up(|setup, _| setup.moves_before(rest));
                } else if let Some(number) = text.strip_prefix("変化：").or_else(|| text.strip_prefix("変化:")) {
                    self.variation(trim(number))?;
                } else if move_number(text).is_some() {
                    self.moves_on_line(text)?;
                } else if let Some((color, "番")) = leading_side(text) {
                    self.set_up(|setup, _| setup.side(color));
                } else if let Some((key, value)) = header::split(text) {
                    self.header(key, value);
                } else if RelativeNotation::parse(text).is_some() {
                    self.moves_on_line(text)?;
                } else {
                    self.warn(format_args!("{} was passed over", Quoted(text)));
                }
            }
        }
        Ok(())
    }

    /// Hands a line about the start to the set-up; it comes too late once there are moves.
    fn set_up(&mut self, tell: impl FnOnce(&mut Setup, usize)) {
        self.is_record = true;
        if self.walk.is_none() {
            tell(&mut self.setup, self.line);
        } else {
            self.warn("a diagram after the first move was passed over");
        }
    }

    fn header(&mut self, key: &str, value: &str) {
        match (key, leading_side(key)) {
            ("手合割", _) => self.set_up(|setup, line| setup.handicap(line, value)),
            (_, Some((color, "の持駒" | "の持ち駒"))) => {
                self.set_up(|setup, line| setup.hand(line, color, value))
            }
            _ => {
                // Any text may have a colon: only what a record has a place for makes it one.
                self.is_record |= header::is_known(key);
                header::keep(&mut self.record, key, value);
            }
        }
    }

    /// The line of moves that is being read, begun if this is its first line.
    fn walk(&mut self) -> Result<&mut Walk, KifError> {
        if self.walk.is_none() {
            self.is_record = true;
            let pos = self.setup.build(self.line, self.record.site.as_deref().unwrap_or_default())?;
            self.setup.doubt().into_iter().for_each(|doubt| self.warnings.push(doubt));
            self.record.start = pos.clone();
            self.walk = Some(Walk {
                pos,
                path: Vec::new(),
                is_game: true,
                offset: 0,
                illegal: None,
                is_excused: false,
                unknown: None,
                is_skipped: false,
            });
        }
        Ok(self.walk.as_mut().expect("it was just made"))
    }

    fn in_game(&self) -> bool {
        self.walk.as_ref().is_none_or(|walk| walk.is_game)
    }

    fn moves(&mut self) -> &mut Vec<RecordMove> {
        match self.in_game() {
            true => &mut self.record.moves,
            false => &mut self.record.variations.last_mut().expect("a variation has begun").moves,
        }
    }

    fn conclusion(&mut self) -> &mut Option<Conclusion> {
        match self.in_game() {
            true => &mut self.record.conclusion,
            false => &mut self.record.variations.last_mut().expect("a variation has begun").conclusion,
        }
    }

    fn comment(&mut self, text: &str) {
        let in_game = self.in_game();
        if self.walk.as_ref().is_some_and(|walk| walk.is_skipped) {
            return;
        }
        match self.moves().last_mut() {
            Some(made) => made.comments.push(text.to_string()),
            None if in_game => self.record.comments.push(text.to_string()),
            None => self.pending.push(text.to_string()),
        }
    }

    /// Moves and words that end the game, one after the other: `7 ７六歩(77)   ( 0:01/00:00:01)`, ▲７六歩　△３四歩.
    fn moves_on_line(&mut self, text: &str) -> Result<(), KifError> {
        let mut text = text;
        loop {
            text = text.trim_start_matches(|c| is_blank(c) || is_marker(c) || c == '+');
            if text.is_empty() {
                return Ok(());
            }
            let (number, item) = move_number(text).map_or((None, text), |(number, rest)| (Some(number as usize), rest));
            let item = item.trim_start_matches(|c| is_blank(c) || is_marker(c));
            if let Some((notation, rest)) = RelativeNotation::parse(item) {
                let token = trim(&item[..item.len() - rest.len()]);
                let (spent, rest) = self.time(rest);
                self.play(number, &notation, token, spent)?;
                text = rest;
                continue;
            }
            let is_end = |c| is_blank(c) || is_marker(c) || matches!(c, '(' | '（');
            let word = item.split(is_end).next().unwrap_or_default();
            let (spent, rest) = self.time(&item[word.len()..]);
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
        notation: &RelativeNotation,
        token: &str,
        spent: Option<Duration>,
    ) -> Result<(), KifError> {
        let (line, before) = (self.line, self.setup.last);
        let walk = self.walk()?;
        if walk.is_skipped {
            return Ok(());
        }
        if walk.is_game && walk.path.is_empty() {
            walk.offset = number.map_or(0, |number| number.saturating_sub(1));
        }
        let ply = walk.path.len() + 1;
        let expected = ply + walk.offset;
        if let Some(error) = walk.illegal.clone().or(walk.unknown.clone()) {
            return Err(error);
        }
        let last = walk.path.last().map_or(before, |mv| Some(mv.to()));
        let meant = notation.resolve(&walk.pos, last);
        let foul = if meant.is_err() { notation.foul(&walk.pos, last) } else { None };
        if self.conclusion().is_some() {
            return self.unplayable(KifFault::AfterEnd(token.to_string()));
        }
        if number.is_some_and(|number| number != expected) {
            self.warn(format_args!("a move is numbered {} and not {expected}", number.unwrap_or_default()));
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
                    Some(foul) => KifFault::Foul(ply, token.to_string(), foul),
                    None => KifFault::IllegalMove(ply, token.to_string()),
                };
                if self.in_game() {
                    self.walk()?.illegal = Some(KifError::new(line, fault));
                    return Ok(());
                }
                self.unplayable(fault)
            }
            Err(ResolveError::Ambiguous) => self.unplayable(KifFault::AmbiguousMove(ply, token.to_string())),
        }
    }

    /// A fault of the game fails the record, one of a variation costs the rest of the variation.
    fn unplayable(&mut self, fault: KifFault) -> Result<(), KifError> {
        if self.in_game() {
            return self.error(fault);
        }
        self.walk()?.is_skipped = true;
        self.warn(format_args!("{fault}; the rest of the variation was passed over"));
        Ok(())
    }

    /// A word in place of a move.
    fn end(&mut self, word: &str, spent: Option<Duration>) -> Result<(), KifError> {
        let walk = self.walk()?;
        if walk.is_skipped {
            return Ok(());
        }
        // The illegal move is not in the record, but whoever made it has made it.
        let side = if walk.illegal.is_some() { !walk.pos.side() } else { walk.pos.side() };
        let ply = walk.path.len() + 1;
        if let Some(error) = walk.unknown.clone() {
            // Without a move all of it is no record, and the first word is the one that tells.
            return if walk.path.is_empty() { Ok(()) } else { Err(error) };
        }
        let (line, in_game) = (self.line, self.in_game());
        let end_word = in_game.then(|| EndWord { word: word.to_string(), spent });
        match read_word(word, side) {
            Some(conclusion) => {
                self.conclude(Conclusion { spent, ..conclusion })?;
                if is_adjournment(word) {
                    self.record.end_word = end_word.or(self.record.end_word.take());
                }
            }
            None if PASSES.contains(&word) => return self.unplayable(KifFault::Pass(ply)),
            None if word.starts_with(is_coordinate_or_same) => {
                return self.unplayable(KifFault::Unreadable(ply, word.to_string()));
            }
            None => {
                self.warn(format_args!("the game ends with {}, which is not known", Quoted(word)));
                if in_game && self.record.conclusion.is_none() {
                    self.walk()?.unknown = Some(KifError::new(line, KifFault::Unreadable(ply, word.to_string())));
                    self.record.end_word = end_word;
                }
            }
        }
        Ok(())
    }

    /// まで…手で…
    fn summary(&mut self, text: &str) -> Result<(), KifError> {
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
        let word = result(text).filter(|word| !word.is_empty() && (!is_known || is_adjournment(word)));
        let is_of_game = self.in_game() && (is_known || !self.record.moves.is_empty());
        let is_first = self.record.end_word.is_none() && (is_known || self.record.conclusion.is_none());
        if let Some(word) = word.filter(|_| is_of_game && is_first) {
            let spent = self.record.conclusion.and_then(|so_far| so_far.spent);
            self.record.end_word = Some(EndWord { word: word.to_string(), spent });
        }
    }

    fn conclude(&mut self, conclusion: Conclusion) -> Result<(), KifError> {
        let walk = self.walk()?;
        if let Some(error) = walk.illegal.clone() {
            let is_foul =
                matches!(conclusion.ending, Ending::IllegalMove | Ending::FalseDeclaration | Ending::PerpetualCheck);
            if !is_foul && !walk.is_excused {
                return Err(error);
            }
            if !walk.is_excused {
                walk.is_excused = true;
                self.warnings.push(format!("{error}: the game ends before it, as its record says"));
            }
        }
        *self.conclusion() = Some(conclusion);
        Ok(())
    }

    /// An illegal move that nothing has excused fails the record.
    fn check_illegal_move(&mut self) -> Result<(), KifError> {
        match self.walk.as_ref().and_then(|walk| walk.illegal.clone().filter(|_| !walk.is_excused)) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Comments of a variation that has no move.
    fn pass_over_comments(&mut self) {
        if !std::mem::take(&mut self.pending).is_empty() {
            self.warn("a comment of a variation without a move was passed over");
        }
    }

    /// 変化：9手
    fn variation(&mut self, text: &str) -> Result<(), KifError> {
        self.check_illegal_move()?;
        let Some((number, _)) = leading_number(text) else {
            return self.error(KifFault::Variation(text.to_string()));
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
        } else {
            while walk.path.len() >= from {
                walk.path.pop();
                walk.pos.undo();
            }
            self.record.variations.push(Variation { from, moves: Vec::new(), conclusion: None });
        }
        Ok(())
    }
}

/// Words of viewers for a move that is none.
pub(super) const PASSES: [&str; 3] = ["パス", "pass", "PASS"];

/// Tests whether a word that is no ending begins as a move does.
fn is_coordinate_or_same(c: char) -> bool {
    c == '同' || super::vocabulary::square(c, '1').is_some()
}
