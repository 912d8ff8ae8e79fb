//! Records with the comments of an analysis.
//!
//! The text of a KIF or CSA record stays as it is, line for line; comments are put in between, and variations behind
//! the game. Any other record is written anew. Comments that are there stay in front of new ones.

use super::assessment::Assessment;
use super::label::Label;
use super::remarks::{RemarkForm, RemarkSettings, comments, floodgate, is_of_analysis};
use komainu::games::SourceText;
use komainu::notation::csa::CsaVersion;
use komainu::notation::record::{GameRecord, RecordMove, Variation};
use komainu::notation::remark::read_remarks;
use komainu::notation::{Format, csa, kif};
use komainu::position::Position;
use komainu::types::Move;
use std::fmt::Write;

/// Settings of an annotated record.
#[derive(Clone, Debug)]
pub struct AnnotateSettings {
    /// Form of comments.
    pub remarks: RemarkSettings,
    /// Comments of earlier analyses are taken out.
    pub replace: bool,
    /// Lines that are added as variations where a move has a bad label: 0, 1 or 2.
    pub variations: usize,
    /// The version of CSA is 3.0 with nodes in floodgate's lines.
    pub csa3: bool,
    /// The name of the opening for a record that has none.
    pub opening: Option<String>,
}

/// Moves of a line that is added as a variation.
const VARIATION_PLIES: usize = 12;

/// A record with what is to be added to it.
struct Annotated<'a> {
    record: &'a GameRecord,
    /// For each position, by the number of moves made before, its new comments.
    added: Vec<Vec<String>>,
    variations: Vec<Variation>,
    settings: &'a AnnotateSettings,
}

/// The record as KIF in UTF-8.
pub fn annotate_kif(
    record: &GameRecord,
    text: Option<&SourceText>,
    assessment: &Assessment,
    settings: &AnnotateSettings,
) -> String {
    let annotated = Annotated::of(record, assessment, settings);
    if let Some(source) = text
        && source.format == Format::Kif
        && let Some(patched) = annotated.patch_kif(&source.text)
    {
        return patched;
    }
    kif::write(&annotated.written())
}

/// The record as CSA.
pub fn annotate_csa(
    record: &GameRecord,
    text: Option<&SourceText>,
    assessment: &Assessment,
    settings: &AnnotateSettings,
) -> String {
    let mut annotated = Annotated::of(record, assessment, settings);
    annotated.add_floodgate(assessment);
    if settings.csa3 {
        return csa::write_version(&annotated.written(), CsaVersion::V3_0);
    }
    if let Some(source) = text
        && source.format == Format::Csa
        && let Some(patched) = annotated.patch_csa(&source.text)
    {
        return patched;
    }
    csa::write(&annotated.written())
}

impl<'a> Annotated<'a> {
    fn of(record: &'a GameRecord, assessment: &Assessment, settings: &'a AnnotateSettings) -> Annotated<'a> {
        let mut pos = record.start.clone();
        let mut added = vec![comments(assessment, &pos, 0, &settings.remarks)];
        let mut variations = Vec::new();
        for (index, made) in record.moves.iter().enumerate() {
            let assessed = &assessment.moves[index];
            if assessed.verdict.label.is_some_and(|label| label != Label::Good) {
                variations.extend(better_lines(assessed.best_line(), assessed, settings.variations));
            }
            pos.do_move(made.mv);
            added.push(comments(assessment, &pos, index + 1, &settings.remarks));
        }
        // From the back to the front: each branches off the game itself.
        variations.reverse();
        Annotated { record, added, variations, settings }
    }

    /// Puts floodgate's line in front, except where a player's own score stands.
    fn add_floodgate(&mut self, assessment: &Assessment) {
        if self.settings.remarks.form == RemarkForm::Plain {
            return;
        }
        let mut pos = self.record.start.clone();
        for (index, made) in self.record.moves.iter().enumerate() {
            let has_own = read_remarks(&pos, Some(made.mv), &made.comments).player.is_some() && !self.settings.replace;
            pos.do_move(made.mv);
            let result = assessment.positions[index + 1].as_ref();
            if has_own {
                continue;
            }
            let Some(score) = assessment.scores[index + 1] else { continue };
            let line = floodgate(score, result, &pos, self.settings.csa3);
            let lines = &mut self.added[index + 1];
            lines.retain(|known| !known.starts_with("* "));
            lines.insert(0, line);
        }
    }

    /// The record with everything, to be written anew.
    fn written(&self) -> GameRecord {
        let mut record = self.record.clone();
        self.add_to(&mut record.comments, &self.added[0]);
        for (made, added) in record.moves.iter_mut().zip(&self.added[1..]) {
            self.add_to(&mut made.comments, added);
        }
        for variation in &self.variations {
            let heads: Vec<usize> = record.variations.iter().map(|line| line.from).collect();
            record.variations.insert(place_of(variation.from, &heads), variation.clone());
        }
        record.opening = record.opening.or_else(|| self.settings.opening.clone());
        record
    }

    /// Adds lines to comments, which lose those of an earlier analysis where they are to be replaced.
    fn add_to(&self, comments: &mut Vec<String>, added: &[String]) {
        if self.settings.replace {
            comments.retain(|line| !is_of_analysis(line));
        }
        comments.extend(added.iter().cloned());
    }

    /// The text of a KIF record with comments in between; `None` if its lines are not one move each.
    fn patch_kif(&self, text: &str) -> Option<String> {
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut patch = Patch::new(self, "*", end);
        let mut lines = text.split_inclusive('\n').peekable();
        let mut first_number = None;
        while let Some(&line) = lines.peek() {
            if kif::variation_number(line).is_some() {
                break;
            }
            lines.next();
            let trimmed = line.trim_start_matches(is_blank);
            if let Some(number) = kif::move_number(line) {
                first_number.get_or_insert(number);
                patch.flush();
                patch.move_made();
            } else if trimmed.starts_with(['*', '&']) {
                let comment = trimmed.strip_prefix('*').unwrap_or(trimmed).trim_end_matches(['\r', '\n']);
                if self.settings.replace && is_of_analysis(comment) {
                    continue;
                }
            } else if patch.moves > 0 && !trimmed.trim().is_empty() && !trimmed.starts_with('#') {
                // The end of the game, or text that is no part of it.
                patch.flush();
            } else if patch.moves == 0
                && trimmed.starts_with("手数-")
                && let (Some(opening), None) = (&self.settings.opening, &self.record.opening)
            {
                _ = write!(patch.text, "戦型：{opening}{end}");
            }
            patch.push(line);
        }
        patch.flush();
        let rest: String = lines.collect();
        let mut patched = patch.whole()?;
        patched.push_str(&self.with_variations(&rest, first_number.unwrap_or(1), end));
        Some(patched)
    }

    /// The variations of a text, and the new ones between them where they branch off the game.
    fn with_variations(&self, rest: &str, first_number: usize, end: &str) -> String {
        let mut blocks: Vec<(usize, String)> = Vec::new();
        for line in rest.split_inclusive('\n') {
            match kif::variation_number(line) {
                Some(number) => blocks.push(((number + 1).saturating_sub(first_number), line.to_string())),
                None => {
                    if let Some((_, block)) = blocks.last_mut() {
                        block.push_str(line);
                    }
                }
            }
        }
        for variation in &self.variations {
            let mut pos = self.record.start.clone();
            for made in &self.record.moves[..variation.from - 1] {
                pos.do_move(made.mv);
            }
            let number = variation.from + first_number - 1;
            let last = pos.last_move().map(Move::to);
            let text = kif::write_variation(&pos, number, &variation.moves, last).replace('\n', end);
            let heads: Vec<usize> = blocks.iter().map(|(from, _)| *from).collect();
            blocks.insert(place_of(variation.from, &heads), (variation.from, text));
        }
        let mut text = String::new();
        for (_, block) in blocks {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(end);
            }
            text.push_str(&block);
        }
        text
    }

    /// The text of a CSA record with comments in between; `None` if a line holds several statements.
    fn patch_csa(&self, text: &str) -> Option<String> {
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut patch = Patch::new(self, "'*", end);
        for line in text.split_inclusive('\n') {
            let statement = line.trim_end();
            if statement.contains(',') && statement.split(',').any(is_csa_move) && !statement.starts_with('\'') {
                return None;
            }
            if is_csa_move(statement) {
                patch.flush();
                patch.move_made();
            } else if let Some(comment) = statement.strip_prefix("'*") {
                if self.settings.replace && is_of_analysis(comment) {
                    continue;
                }
                if patch.moves > 0 {
                    patch.flush();
                }
            } else if patch.moves > 0 && !statement.starts_with('T') {
                patch.flush();
            }
            patch.push(line);
        }
        patch.flush();
        patch.whole()
    }
}

/// A text to which comments are added as it is read.
struct Patch<'a> {
    added: &'a [Vec<String>],
    text: String,
    /// Moves so far.
    moves: usize,
    /// The comments on the last of them are still to come.
    is_due: bool,
    sign: &'a str,
    end: &'a str,
}

impl<'a> Patch<'a> {
    fn new(annotated: &'a Annotated<'_>, sign: &'a str, end: &'a str) -> Patch<'a> {
        Patch { added: &annotated.added, text: String::new(), moves: 0, is_due: true, sign, end }
    }

    /// Writes the comments that are due.
    fn flush(&mut self) {
        if !std::mem::replace(&mut self.is_due, false) {
            return;
        }
        let Some(lines) = self.added.get(self.moves) else { return };
        if !lines.is_empty() && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push_str(self.end);
        }
        for line in lines {
            let sign = if line.starts_with('&') { "" } else { self.sign };
            _ = write!(self.text, "{sign}{line}{}", self.end);
        }
    }

    fn move_made(&mut self) {
        self.moves += 1;
        self.is_due = self.moves < self.added.len();
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
    }

    /// The text, if it had every move of the record. A record with a fault has more of them.
    fn whole(self) -> Option<String> {
        (self.moves + 1 >= self.added.len()).then_some(self.text)
    }
}

fn is_csa_move(statement: &str) -> bool {
    statement.starts_with(['+', '-']) && statement.len() > 1
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t' || c == '\u{3000}'
}

/// Where a variation of the game that begins with this move stands among others, which begin with these moves: behind
/// those of the game that branch off later or at the same move. What branches off another variation stays behind it.
fn place_of(from: usize, heads: &[usize]) -> usize {
    let mut earliest = usize::MAX;
    for (place, &head) in heads.iter().enumerate() {
        let is_of_game = head <= earliest;
        if is_of_game && head < from {
            return place;
        }
        if is_of_game {
            earliest = head;
        }
    }
    heads.len()
}

/// The best lines in place of a move, as variations.
fn better_lines(best: &[Move], assessed: &super::assessment::AssessedMove, count: usize) -> Vec<Variation> {
    let mut lines: Vec<&[Move]> = vec![best];
    if let Some(before) = &assessed.before {
        lines.extend(before.lines.iter().map(|line| &line.pv[..]));
    }
    let mut firsts = vec![assessed.mv];
    let mut variations = Vec::new();
    for line in lines {
        let Some(&first) = line.first().filter(|first| !firsts.contains(first)) else { continue };
        if variations.len() >= count {
            break;
        }
        firsts.push(first);
        let mut moves: Vec<RecordMove> = line.iter().take(VARIATION_PLIES).map(|&mv| RecordMove::new(mv)).collect();
        let words = if variations.is_empty() { "最善手順" } else { "次善手順" };
        if let Some(last) = moves.last_mut() {
            last.comments.push(words.to_string());
        }
        variations.push(Variation { from: assessed.ply, moves, conclusion: None });
    }
    // Reversed together with all others.
    variations.reverse();
    variations
}

/// Tells whether a record has scores of an analysis or of its players already.
pub fn is_analysed(record: &GameRecord) -> bool {
    let mut pos: Position = record.start.clone();
    record.moves.iter().any(|made| {
        let remarks = read_remarks(&pos, Some(made.mv), &made.comments);
        pos.do_move(made.mv);
        [remarks.player, remarks.research].into_iter().flatten().any(|remark| remark.score.is_some())
    })
}
