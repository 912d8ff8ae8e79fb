//! ShogiGUI's format (`.sbk`): a graph of positions in one protocol-buffer message, without head and compression.
//!
//! Only roots say their position; all others are reached by moves. So the file is walked as a whole, iteratively and
//! with each state visited once, since cycles are normal. Evaluations of a position become lines of its comment: the
//! format does not say from whose view they are.

mod wire;
mod writer;

pub(super) use writer::SbkWriter;

use super::entry::{BookEntry, BookResults, Candidate, MAX_CANDIDATES};
use super::error::BookFault;
use crate::movegen::is_legal;
use crate::position::{PackedPosition, Position};
use crate::types::{Move, PieceType, Square};
use wire::{Field, Wire};

/// Kinds of pieces by their number.
const KINDS: [PieceType; 7] = {
    use PieceType::*;
    [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook]
};
/// Marks of moves by their number.
const MARKS: [&str; 5] = ["", "forced", "good", "dubious", "blunder"];

/// A state as it stands in the file.
#[derive(Default)]
struct State<'a> {
    results: BookResults,
    position: Option<Wire<'a>>,
    comment: Option<Wire<'a>>,
    /// Where the moves and the evaluations are.
    body: Option<Wire<'a>>,
}

/// A move as it stands in the file.
#[derive(Default)]
struct Step {
    bits: u32,
    mark: usize,
    weight: u32,
    next: Option<usize>,
}

/// Reads the whole book and hands each position that has moves or words to `visit`.
pub(super) fn read<E: From<BookFault>>(
    bytes: &[u8],
    mut visit: impl FnMut(BookEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut states: Vec<Wire> = Vec::new();
    let mut file = Wire::new(bytes);
    while let Some(field) = file.next()? {
        if let Field::Bytes(3, state) = field {
            states.push(state);
        }
    }
    let mut visited = vec![false; states.len()];
    // Positions are kept packed: 36 bytes each instead of some hundred.
    let mut open: Vec<(usize, PackedPosition, u32)> = Vec::new();
    for root in 0..states.len() {
        let state = read_state(states[root])?;
        let position = match state.position {
            Some(text) => root_position(text)?,
            None if root == 0 => Position::startpos(),
            None => continue,
        };
        if let Ok(packed) = position.pack()
            && !std::mem::replace(&mut visited[root], true)
        {
            open.push((root, packed, position.ply()));
        }
        while let Some((index, packed, ply)) = open.pop() {
            let mut position = packed.unpack().expect("what was packed here can be unpacked");
            position.set_ply(ply);
            let state = read_state(states[index])?;
            let (entry, steps) = read_entry(&state, position)?;
            for (step, candidate) in steps.iter().zip(&entry.moves) {
                let next = step.next.filter(|&next| next < states.len() && !visited[next]);
                let Some(next) = next else { continue };
                let mut after = entry.position.clone();
                after.do_move(candidate.mv);
                if let Ok(packed) = after.pack() {
                    visited[next] = true;
                    open.push((next, packed, ply.saturating_add(1)));
                }
            }
            if !entry.moves.is_empty() || !entry.comment.is_empty() || entry.results.games > 0 {
                visit(entry)?;
            }
        }
    }
    Ok(())
}

fn root_position(text: Wire) -> Result<Position, BookFault> {
    let sfen = text.text();
    let sfen = sfen.trim();
    let sfen = sfen.strip_prefix("position ").unwrap_or(sfen);
    let sfen = sfen.strip_prefix("sfen ").unwrap_or(sfen);
    if sfen.is_empty() || sfen == "startpos" {
        return Ok(Position::startpos());
    }
    Position::from_sfen(sfen).map_err(|error| BookFault::at(text.offset(), format_args!("bad sfen: {error}")))
}

fn read_state<'a>(wire: Wire<'a>) -> Result<State<'a>, BookFault> {
    let mut state = State { body: Some(wire), ..State::default() };
    let mut fields = wire;
    while let Some(field) = fields.next()? {
        match field {
            Field::Number(4, games) => state.results.games = saturate(games),
            Field::Number(5, games) => state.results.black = saturate(games),
            Field::Number(6, games) => state.results.white = saturate(games),
            // An empty text is the same as none.
            Field::Bytes(7, text) => state.position = Some(text).filter(|text| !text.text().trim().is_empty()),
            Field::Bytes(8, text) => state.comment = Some(text),
            _ => {}
        }
    }
    Ok(state)
}

fn saturate(number: u64) -> u32 {
    // Negative numbers are written as huge ones.
    if number > i64::MAX as u64 { 0 } else { number.min(u32::MAX.into()) as u32 }
}

/// The position with its moves, and what the file says about each of them.
fn read_entry(state: &State, position: Position) -> Result<(BookEntry, Vec<Step>), BookFault> {
    let mut entry = BookEntry::new(position);
    entry.results = state.results;
    entry.comment = state.comment.map_or(String::new(), |text| text.text().trim_end().to_string());
    let mut steps = Vec::new();
    let Some(mut fields) = state.body else { return Ok((entry, steps)) };
    while let Some(field) = fields.next()? {
        match field {
            Field::Bytes(9, wire) if entry.moves.len() < MAX_CANDIDATES => {
                let step = read_step(wire)?;
                let mv = read_move(step.bits).ok_or_else(|| BookFault::no_move(wire.offset(), step.bits))?;
                if !is_legal(&entry.position, mv) {
                    return Err(BookFault::at(wire.offset(), format_args!("{mv} is not legal")));
                }
                if entry.moves.iter().all(|known| known.mv != mv) {
                    let comment = MARKS.get(step.mark).copied().unwrap_or_default().to_string();
                    entry.moves.push(Candidate { count: step.weight, comment, ..Candidate::new(mv) });
                    steps.push(step);
                }
            }
            Field::Bytes(10, wire) => {
                let text = read_evaluation(wire)?;
                if entry.comment.len() < 4_096 {
                    entry.comment = [entry.comment.as_str(), &text].join("\n").trim_start().to_string();
                }
            }
            _ => {}
        }
    }
    Ok((entry, steps))
}

fn read_step(wire: Wire) -> Result<Step, BookFault> {
    let mut step = Step { next: Some(0), ..Step::default() };
    let mut fields = wire;
    while let Some(field) = fields.next()? {
        match field {
            Field::Number(1, bits) => step.bits = bits as u32,
            Field::Number(2, mark) => step.mark = mark.min(MARKS.len() as u64) as usize,
            Field::Number(3, weight) => step.weight = saturate(weight),
            Field::Number(4, next) => step.next = i32::try_from(next as i64).ok().and_then(|id| id.try_into().ok()),
            _ => {}
        }
    }
    Ok(step)
}

fn read_evaluation(wire: Wire) -> Result<String, BookFault> {
    let mut fields = wire;
    let (mut value, mut depth, mut engine) = (0, 0, String::new());
    while let Some(field) = fields.next()? {
        match field {
            Field::Number(1, number) => value = number as i32,
            Field::Number(2, number) => depth = number as i32,
            Field::Bytes(6, text) => engine = text.text(),
            _ => {}
        }
    }
    Ok(format!("evaluation {value} depth {depth} {engine}").trim_end().to_string())
}

/// A move in the bits of the format: from rank 0-3, from file 4-7, to rank 8-11, to file 12-15, promotion 19, the kind
/// of the piece 24-27.
fn read_move(bits: u32) -> Option<Move> {
    let square = |at: u32| {
        let (rank, file) = ((bits >> at & 15) as usize, (bits >> (at + 4) & 15) as usize);
        let is_on_board = (1..=9).contains(&rank) && (1..=9).contains(&file);
        if is_on_board { Square::new((file - 1) * 9 + rank - 1) } else { None }
    };
    let to = square(8)?;
    if bits & 255 == 0 {
        let kind = (bits >> 24 & 15) as usize;
        return KINDS.get(kind.checked_sub(1)?).map(|&kind| Move::drop(kind, to));
    }
    let from = square(0).filter(|&from| from != to)?;
    Some(if bits >> 19 & 1 == 1 { Move::promotion(from, to) } else { Move::board(from, to) })
}
