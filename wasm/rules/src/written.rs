//! Records that JavaScript sends to be written, as `records.rs` has them.

use crate::records::{HAS_COMMENT, HAS_TIME};
use crate::tokens::Reader;
use komainu::notation::Format;
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, EndWord, Ending, GameRecord, RecordMove, Variation};
use komainu::position::Position;
use komainu::types::{Color, Move, Quoted};

/// The text of a game in a format, or the parts that the format has no place for, one a line.
pub(crate) fn write(mut game: Reader<'_>, is_about_losses: bool) -> Result<String, String> {
    let name = game.text()?;
    let Ok(format) = name.parse::<Format>() else {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        return Err(format!("{} is none of {}", Quoted(&name), names.join(", ")));
    };
    let record = read_game(&mut game)?;
    if is_about_losses {
        let lost: Vec<&str> = format.losses(&record).iter().map(|part| part.words()).collect();
        return Ok(lost.join("\n"));
    }
    Ok(format.write(&record))
}

fn read_game(game: &mut Reader<'_>) -> Result<GameRecord, String> {
    let start = Position::from_sfen(&game.text()?).map_err(|error| error.to_string())?;
    let mut record = GameRecord::new(start);
    for _ in 0..game.number()? {
        let key = game.text()?;
        let value = game.text()?;
        kif::set_header(&mut record, &key, &value);
    }
    record.comments = comments_of(&game.text()?);
    (record.moves, record.conclusion) = read_line(game)?;
    let mark = game.number()?;
    if mark != 0 {
        let word = game.text()?;
        record.end_word = Some(EndWord { word, spent: game.time(mark & HAS_TIME != 0)? });
    }
    for _ in 0..game.number()? {
        let from = game.number()? as usize;
        let (moves, conclusion) = read_line(game)?;
        record.variations.push(Variation { from, moves, conclusion });
    }
    Ok(record)
}

fn read_line(game: &mut Reader<'_>) -> Result<(Vec<RecordMove>, Option<Conclusion>), String> {
    let mut moves = Vec::new();
    for _ in 0..game.number()? {
        let head = game.number()?;
        let mv = Move::from_bits(head as u16).ok_or_else(|| format!("there is no move {head}"))?;
        let spent = game.time(head & HAS_TIME != 0)?;
        let comments = if head & HAS_COMMENT != 0 { comments_of(&game.text()?) } else { Vec::new() };
        moves.push(RecordMove { mv, spent, comments });
    }
    let head = game.number()?;
    let Some(number) = (head & !HAS_TIME).checked_sub(1) else { return Ok((moves, None)) };
    let ending = *Ending::ALL.get((number >> 2) as usize).ok_or("there is no such end")?;
    let winner = (number & 3).checked_sub(1).map(|color| if color == 0 { Color::Black } else { Color::White });
    Ok((moves, Some(Conclusion { ending, winner, spent: game.time(head & HAS_TIME != 0)? })))
}

fn comments_of(text: &str) -> Vec<String> {
    if text.is_empty() { Vec::new() } else { text.split('\n').map(str::to_string).collect() }
}
