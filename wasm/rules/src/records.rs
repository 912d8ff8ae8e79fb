//! Records as a row of numbers and a text that holds all their words: what JavaScript makes its tree of. `written.rs` has
//! the way back, `komainu-rules.js` both.

use crate::tokens::Writer;
use komainu::games::{SourceGame, read_source_text};
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, EndWord, Ending, RecordMove};

/// Marks beside the bits of a move, and beside an end.
pub(crate) const HAS_TIME: u32 = 1 << 16;
pub(crate) const HAS_COMMENT: u32 = 1 << 17;

/// What begins a game that was read, and one of which nothing could be read.
const REFUSED: u32 = 0;
const READ: u32 = 1;

/// The games of a text.
pub(crate) fn read(text: &str) -> Writer {
    let mut out = Writer::default();
    for game in read_source_text("", text) {
        match game {
            Ok(game) => write_game(&mut out, &game),
            Err(unread) => {
                out.number(REFUSED);
                out.text(&unread.to_string());
            }
        }
    }
    out
}

fn write_game(out: &mut Writer, game: &SourceGame) {
    let record = &game.record;
    out.number(READ);
    out.text(&record.start.to_sfen());
    let headers = kif::headers(record);
    out.number(headers.len() as u32);
    for (key, value) in &headers {
        out.text(key);
        out.text(value);
    }
    out.text(&record.comments.join("\n"));
    out.text(game.fault.as_deref().unwrap_or_default());
    out.text(&game.warnings.join("\n"));
    write_line(out, &record.moves, record.conclusion);
    match &record.end_word {
        None => out.number(0),
        Some(EndWord { word, spent }) => {
            out.number(1 | if spent.is_some() { HAS_TIME } else { 0 });
            out.text(word);
            out.time(*spent);
        }
    }
    out.number(record.variations.len() as u32);
    for variation in &record.variations {
        out.number(variation.from as u32);
        write_line(out, &variation.moves, variation.conclusion);
    }
}

fn write_line(out: &mut Writer, moves: &[RecordMove], conclusion: Option<Conclusion>) {
    out.number(moves.len() as u32);
    for made in moves {
        let mut head = u32::from(made.mv.bits());
        if made.spent.is_some() {
            head |= HAS_TIME;
        }
        if !made.comments.is_empty() {
            head |= HAS_COMMENT;
        }
        out.number(head);
        out.time(made.spent);
        if !made.comments.is_empty() {
            out.text(&made.comments.join("\n"));
        }
    }
    let Some(Conclusion { ending, winner, spent }) = conclusion else { return out.number(0) };
    let number = Ending::ALL.iter().position(|&one| one == ending).unwrap_or_default() as u32;
    let winner = winner.map_or(0, |color| color.index() as u32 + 1);
    let time = if spent.is_some() { HAS_TIME } else { 0 };
    out.number((1 + (number << 2 | winner)) | time);
    out.time(spent);
}
