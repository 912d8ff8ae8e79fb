//! JSON as a record.

use super::model::{Entry, Initial, Jkf, Made, PRESETS, Place, State, Time};
use crate::movegen::{IllegalMove, is_legal};
use crate::notation::csa::{piece_of, read_statement};
use crate::notation::error::{RecordError, RecordErrorKind};
use crate::notation::format::Format;
use crate::notation::japanese_move::JapaneseMove;
use crate::notation::kif::ending::read_word;
use crate::notation::kif::set_header;
use crate::notation::record::{Conclusion, EndWord, GameRecord, Parsed, RecordMove, Variation};
use crate::position::{Position, PositionBuilder};
use crate::types::{Color, File, Move, Piece, PieceType, Rank, Square};
use serde_json::Value;
use std::time::Duration;

/// Reads a record.
///
/// ```
/// use komainu::notation::jkf;
///
/// let text = r#"{"header":{"先手":"駒犬"},"moves":[{},
///     {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"special":"TORYO"}]}"#;
/// let game = jkf::read(text)?.record;
/// assert_eq!((game.moves[0].mv.to_string(), game.players[0].as_deref()), ("7g7f".to_string(), Some("駒犬")));
/// assert!(jkf::write(&game).contains("\"special\":\"TORYO\""));
/// # Ok::<(), komainu::notation::RecordError>(())
/// ```
pub fn read(text: &str) -> Result<Parsed, RecordError> {
    let jkf: Jkf = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| RecordError::new(Format::Json, 0, RecordErrorKind::Json(error.to_string())))?;
    let start = match &jkf.initial {
        Some(initial) => {
            start(initial).map_err(|told| RecordError::new(Format::Json, 0, RecordErrorKind::Initial(told)))?
        }
        None => Position::startpos(),
    };
    let mut parsed = Parsed { record: GameRecord::new(start), warnings: Vec::new() };
    for (key, value) in &jkf.header.0 {
        // The start is told by `initial`.
        if key != "手合割" {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            set_header(&mut parsed.record, key, &value);
        }
    }
    let mut entries = &jkf.moves[..];
    // The entry before the first move; some writers leave it out.
    if let [first, rest @ ..] = entries
        && first.made.is_none()
        && first.special.is_none()
    {
        parsed.record.comments = comments(first);
        entries = rest;
    }
    let walk = Walk { pos: parsed.record.start.clone(), last: None };
    let line = Line::read(entries, 1, walk);
    parsed.record.moves = line.moves;
    parsed.record.conclusion = line.conclusion;
    parsed.record.end_word = line.end_word;
    parsed.record.comments.extend(line.before);
    if let Some((number, fault)) = line.fault {
        let error = RecordError::new(Format::Json, 0, RecordErrorKind::Move(number, fault));
        return Err(RecordError { so_far: vec![parsed], ..error });
    }
    read_forks(line.forks, &mut parsed);
    Ok(parsed)
}

/// Where a line of moves has come to.
struct Walk {
    pos: Position,
    /// Where the last move went.
    last: Option<Square>,
}

/// The variations in place of a move.
struct Fork<'a> {
    entries: &'a [Vec<Entry>],
    /// The number of that move.
    from: usize,
    /// Before that move.
    walk: Walk,
}

impl<'a> Fork<'a> {
    fn at(entry: &'a Entry, from: usize, walk: &Walk) -> Option<Fork<'a>> {
        if entry.forks.is_empty() {
            return None;
        }
        let walk = Walk { pos: walk.pos.without_history(), last: walk.last };
        Some(Fork { entries: &entry.forks, from, walk })
    }
}

/// The comments of an entry, one a line.
fn comments(entry: &Entry) -> Vec<String> {
    let lines = entry.comments.iter().flat_map(|comment| comment.split('\n'));
    lines.map(|line| line.replace('\r', "")).collect()
}

/// A line of moves as far as it can be read.
#[derive(Default)]
struct Line<'a> {
    moves: Vec<RecordMove>,
    /// Comments that stand before the first move.
    before: Vec<String>,
    conclusion: Option<Conclusion>,
    end_word: Option<EndWord>,
    forks: Vec<Fork<'a>>,
    /// The number of the move that cannot be read, and why.
    fault: Option<(usize, String)>,
}

impl<'a> Line<'a> {
    /// Reads a line whose first move has this number.
    fn read(entries: &'a [Entry], from: usize, mut walk: Walk) -> Line<'a> {
        let mut line = Line::default();
        for (number, entry) in (from..).zip(entries) {
            line.forks.extend(Fork::at(entry, number, &walk));
            match step(entry, &mut walk, line.conclusion.is_some()) {
                Ok(Step::Move(made)) => {
                    line.moves.push(made);
                    continue;
                }
                Ok(Step::End(conclusion, end_word)) => {
                    line.conclusion = conclusion;
                    line.end_word = end_word;
                }
                Ok(Step::Nothing) => {}
                Err(fault) => {
                    line.fault = Some((number, fault));
                    return line;
                }
            }
            // Comments on the end of a line stand at its last move.
            let comments_of_last = line.moves.last_mut().map_or(&mut line.before, |made| &mut made.comments);
            comments_of_last.extend(comments(entry));
        }
        line
    }
}

/// Reads variations and those that branch off them: those of a later move first, those of one move in their order. A
/// fault costs the rest of a variation.
fn read_forks(forks: Vec<Fork<'_>>, parsed: &mut Parsed) {
    for Fork { entries, from, walk } in forks.into_iter().rev() {
        for entries in entries {
            let line = Line::read(entries, from, Walk { pos: walk.pos.clone(), last: walk.last });
            if let Some((number, fault)) = line.fault {
                parsed
                    .warnings
                    .push(format!("variation of move {from}: move {number}: {fault}; its rest was passed over"));
            }
            if !line.moves.is_empty() || line.conclusion.is_some() {
                parsed.record.variations.push(Variation { from, moves: line.moves, conclusion: line.conclusion });
            }
            read_forks(line.forks, parsed);
        }
    }
}

/// Content of an entry.
enum Step {
    Move(RecordMove),
    End(Option<Conclusion>, Option<EndWord>),
    Nothing,
}

fn step(entry: &Entry, walk: &mut Walk, has_ended: bool) -> Result<Step, String> {
    let spent = entry.time.as_ref().and_then(|times| duration(&times.now));
    if let Some(made) = &entry.made {
        if has_ended {
            return Err("after the end of the game".to_string());
        }
        let mv = read_move(made, walk)?;
        walk.pos.do_move(mv);
        walk.last = Some(mv.to());
        return Ok(Step::Move(RecordMove { mv, spent, comments: comments(entry) }));
    }
    let Some(special) = &entry.special else { return Ok(Step::Nothing) };
    let side = walk.pos.side();
    match read_statement(&format!("%{special}"), side).or_else(|| read_word(special, side)) {
        Some(conclusion) => Ok(Step::End(Some(Conclusion { spent, ..conclusion }), None)),
        None => Ok(Step::End(None, Some(EndWord { word: special.clone(), spent }))),
    }
}

/// Neither destination nor `same`, a square outside the board, or a piece that there is not.
fn unreadable() -> String {
    "no squares and piece".to_string()
}

fn read_move(made: &Made, walk: &Walk) -> Result<Move, String> {
    let pos = &walk.pos;
    let to = match made.to.and_then(square) {
        Some(to) => to,
        None if made.same == Some(true) => walk.last.ok_or_else(unreadable)?,
        None => return Err(unreadable()),
    };
    let piece_type = piece_of(&made.piece).ok_or_else(unreadable)?;
    let mut is_named = true;
    let mv = match made.from {
        Some(from) => {
            let from = square(from).ok_or_else(unreadable)?;
            if from == to {
                return Err(unreadable());
            }
            is_named = pos.piece_on(from).is_some_and(|piece| piece.piece_type() == piece_type);
            if made.promote == Some(true) { Move::promotion(from, to) } else { Move::board(from, to) }
        }
        // Without an origin it is told as books tell it; some programs leave the letter of a drop out.
        None if made.relative.is_none() && can_be_dropped(pos, piece_type, to) => Move::drop(piece_type, to),
        None => relative_move(made, to, piece_type, walk)?,
    };
    let is_turn = made.color.is_none_or(|color| usize::from(color) == pos.side() as usize);
    if is_turn && is_named && is_legal(pos, mv) { Ok(mv) } else { Err(IllegalMove(mv).to_string()) }
}

fn can_be_dropped(pos: &Position, piece_type: PieceType, to: Square) -> bool {
    PieceType::HAND.contains(&piece_type) && is_legal(pos, Move::drop(piece_type, to))
}

/// A move without its origin, which `relative` tells from others.
fn relative_move(made: &Made, to: Square, piece_type: PieceType, walk: &Walk) -> Result<Move, String> {
    let mut notation = JapaneseMove::new(Some(to), piece_type);
    notation.promote = made.promote;
    for letter in made.relative.as_deref().unwrap_or_default().chars() {
        notation.read_letter(letter);
    }
    notation.resolve(&walk.pos, walk.last).map_err(|_| unreadable())
}

fn square(place: Place) -> Option<Square> {
    let file = File::ALL.get(usize::from(place.x).checked_sub(1)?)?;
    let rank = Rank::ALL.get(usize::from(place.y).checked_sub(1)?)?;
    Some(Square::at(*file, *rank))
}

fn duration(time: &Time) -> Option<Duration> {
    let whole = time.h.unwrap_or(0).checked_mul(60)?.checked_add(time.m)?.checked_mul(60)?;
    let seconds = Duration::try_from_secs_f64((time.s * 1_000.0).round() / 1_000.0).ok()?;
    Duration::from_secs(whole).checked_add(seconds)
}

fn start(initial: &Initial) -> Result<Position, String> {
    if let Some((_, handicap)) = PRESETS.iter().find(|(name, _)| *name == initial.preset) {
        return Position::from_sfen(handicap.sfen()).map_err(|error| error.to_string());
    }
    match &initial.data {
        Some(state) => of_state(state),
        None => Err(format!("{:?} is no start that is known by name", initial.preset)),
    }
}

fn of_state(state: &State) -> Result<Position, String> {
    let mut builder = PositionBuilder::new();
    let color_of = |number: u8| if number == 0 { Color::Black } else { Color::White };
    builder.side(color_of(state.color));
    for (file, column) in File::ALL.into_iter().zip(&state.board) {
        for (rank, cell) in Rank::ALL.into_iter().zip(column) {
            let Some(kind) = &cell.kind else { continue };
            let piece_type = piece_of(kind).ok_or_else(|| format!("{kind:?} is no piece"))?;
            builder.piece(Square::at(file, rank), Piece::new(color_of(cell.color.unwrap_or(0)), piece_type));
        }
    }
    for (color, hand) in Color::ALL.into_iter().zip(&state.hands) {
        for (kind, count) in hand {
            let held = piece_of(kind).filter(|piece_type| PieceType::HAND.contains(piece_type));
            let piece_type = held.ok_or_else(|| format!("{kind:?} is no piece in hand"))?;
            builder.hand(color, piece_type, Value::as_u64(count).map_or(0, |count| count.min(99) as u32));
        }
    }
    builder.build().map_err(|error| error.to_string())
}
