//! ShogiGUI's format (`.sbk`): a graph of positions in one protocol-buffer message, without head and compression.
//!
//! Only roots say their position; all others are reached by moves. So the file is walked as a whole, iteratively and
//! with each state visited once, since cycles are normal. Evaluations of a position become lines of its comment: the
//! format does not say from whose view they are.

use super::entry::{BookEntry, BookResults, Candidate, MAX_CANDIDATES};
use super::error::BookFault;
use super::write::{BookPositions, OutputFormat, Written};
use crate::movegen::is_legal;
use crate::position::{PackedPosition, Position};
use crate::types::{Color, Move, MoveKind, PieceType, Square};
use std::collections::HashMap;
use std::io::{self, Write};

/// Marks of moves by their number.
pub(crate) const MARKS: [&str; 5] = ["", "forced", "good", "dubious", "blunder"];

/// A state as it stands in the file.
#[derive(Default)]
struct State<'a> {
    results: BookResults,
    position: Option<Wire<'a>>,
    comment: Option<Wire<'a>>,
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
pub(crate) fn read<E: From<BookFault>>(
    bytes: &[u8],
    mut visit: impl FnMut(BookEntry) -> Result<(), E>,
) -> Result<(), E> {
    let mut states: Vec<Wire> = Vec::new();
    let mut file = Wire { bytes, offset: 0 };
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
            let (entry, steps) = read_entry(&state, states[index], position)?;
            for (step, candidate) in steps.iter().zip(&entry.moves) {
                let Some(next) = step.next else { continue };
                if next >= states.len() || visited[next] {
                    continue;
                }
                let after = entry.position.after(candidate.mv);
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
    Position::from_sfen(sfen).map_err(|error| BookFault::at(text.offset, format_args!("bad sfen: {error}")))
}

fn read_state(mut fields: Wire<'_>) -> Result<State<'_>, BookFault> {
    let mut state = State::default();
    while let Some(field) = fields.next()? {
        match field {
            Field::Number(4, games) => state.results.games = saturate(games),
            Field::Number(5, games) => state.results.black = saturate(games),
            Field::Number(6, games) => state.results.white = saturate(games),
            // An empty text is the same as none.
            Field::Bytes(7, text) if !text.text().trim().is_empty() => state.position = Some(text),
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

/// The position with its moves, and what the file says about each of them: the fields of its state.
fn read_entry(state: &State, mut fields: Wire, position: Position) -> Result<(BookEntry, Vec<Step>), BookFault> {
    let mut entry = BookEntry::new(position);
    entry.results = state.results;
    entry.comment = state.comment.map_or(String::new(), |text| text.text().trim_end().to_string());
    let mut steps = Vec::new();
    while let Some(field) = fields.next()? {
        match field {
            Field::Bytes(9, wire) if entry.moves.len() < MAX_CANDIDATES => {
                let step = read_step(wire)?;
                let mv = read_move(step.bits).ok_or_else(|| BookFault::no_move(wire.offset, step.bits))?;
                if !is_legal(&entry.position, mv) {
                    return Err(BookFault::at(wire.offset, format_args!("{mv} is not legal")));
                }
                let comment = MARKS.get(step.mark).copied().unwrap_or_default().to_string();
                entry.moves.push(Candidate { count: step.weight, comment, ..Candidate::new(mv) });
                steps.push(step);
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

fn read_step(mut fields: Wire) -> Result<Step, BookFault> {
    let mut step = Step { next: Some(0), ..Step::default() };
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

fn read_evaluation(mut fields: Wire) -> Result<String, BookFault> {
    let mut value = 0;
    let mut depth = 0;
    let mut engine = String::new();
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
    let to = read_square(bits >> 8)?;
    if bits & 255 == 0 {
        let kind = (bits >> 24 & 15) as usize;
        return PieceType::HAND_ARRAY.get(kind.checked_sub(1)?).map(|&kind| Move::drop(kind, to));
    }
    let from = read_square(bits)?;
    if from == to {
        return None;
    }
    Some(if bits >> 19 & 1 == 1 { Move::promotion(from, to) } else { Move::board(from, to) })
}

/// The square whose rank and file are in the lowest eight bits.
fn read_square(bits: u32) -> Option<Square> {
    let rank = (bits & 15) as usize;
    let file = (bits >> 4 & 15) as usize;
    if !(1..=9).contains(&rank) || !(1..=9).contains(&file) {
        return None;
    }
    Square::new((file - 1) * 9 + rank - 1)
}

pub(crate) fn write_sbk(source: &dyn BookPositions, out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    let mut writer = SbkWriter::default();
    let start = Position::startpos();
    let mut at_start = BookEntry::new(start.clone());
    // The first state is the start position: it comes first whatever the order.
    writer.number(&start);
    source.visit(&mut |entry| {
        writer.number(&entry.position);
        if entry.position.key() == start.key() {
            at_start = entry;
        }
        Ok(())
    })?;
    writer.note_moves(&at_start);
    source.visit(&mut |entry| {
        writer.note_moves(&entry);
        Ok(())
    })?;
    writer.find_roots();
    out.write_all(&HEAD)?;
    if at_start.moves.is_empty() {
        // It must stand there, but it is none of the book.
        writer.write(out, &at_start)?;
    } else {
        write_legal(&writer, out, at_start, &mut written)?;
    }
    source.visit(&mut |entry| {
        if entry.position.key() == start.key() || !writer.knows(&entry.position) {
            return Ok(());
        }
        write_legal(&writer, out, entry, &mut written)
    })?;
    Ok(written)
}

/// Writes a position with its legal moves, the best one first.
fn write_legal(writer: &SbkWriter, out: &mut dyn Write, mut entry: BookEntry, written: &mut Written) -> io::Result<()> {
    let before = entry.moves.len();
    entry.moves.retain(|candidate| is_legal(&entry.position, candidate.mv));
    written.left_out += (before - entry.moves.len()) as u64;
    entry.sort_moves();
    written.count(&entry, OutputFormat::Sbk);
    writer.write(out, &entry)
}

/// The first bytes of a file: the fields 1 and 2, both empty.
const HEAD: [u8; 4] = [1 << 3 | 2, 0, 2 << 3 | 2, 0];

/// Where positions are among the states of a file.
///
/// The format numbers its states and lets moves point to them, so the places of all positions and the moves between
/// them are kept in memory: about 50 bytes a position and 8 a move.
#[derive(Default)]
struct SbkWriter {
    places: HashMap<PackedPosition, u32>,
    /// Moves between positions, by their places.
    steps: Vec<(u32, u32)>,
    /// Marks the positions to which no way leads from another one, so that they must say what they are.
    is_root: Vec<bool>,
}

impl SbkWriter {
    /// Gives the next number to a position; the start position must come first, since state 0 is it.
    fn number(&mut self, position: &Position) {
        let next = self.places.len() as u32;
        if let Ok(packed) = position.pack() {
            self.places.entry(packed).or_insert(next);
        }
    }

    /// Tests whether the position has a number: one without both kings has none, nor can it be written.
    fn knows(&self, position: &Position) -> bool {
        position.pack().is_ok_and(|packed| self.places.contains_key(&packed))
    }

    /// Notes which positions its moves lead to; all positions must have their numbers.
    fn note_moves(&mut self, entry: &BookEntry) {
        let Some(&from) = entry.position.pack().ok().and_then(|packed| self.places.get(&packed)) else { return };
        for candidate in &entry.moves {
            if is_legal(&entry.position, candidate.mv)
                && let Some(to) = self.next_id(&entry.position, candidate)
            {
                self.steps.push((from, to));
            }
        }
    }

    /// Finds the positions that must say what they are: the first one, those to which no move leads, and one of every
    /// cycle that none of these leads into.
    fn find_roots(&mut self) {
        let count = self.places.len();
        self.steps.sort_unstable();
        let mut is_goal = vec![false; count];
        for &(_, to) in &self.steps {
            is_goal[to as usize] = true;
        }
        let mut is_reached = vec![false; count];
        self.is_root = vec![false; count];
        let first = (0..count).filter(|&place| place == 0 || !is_goal[place]);
        for root in first.chain(0..count).collect::<Vec<_>>() {
            if is_reached[root] {
                continue;
            }
            self.is_root[root] = true;
            let mut open = vec![root as u32];
            while let Some(place) = open.pop() {
                if std::mem::replace(&mut is_reached[place as usize], true) {
                    continue;
                }
                let begin = self.steps.partition_point(|&(from, _)| from < place);
                let own = self.steps[begin..].iter().take_while(|&&(from, _)| from == place);
                open.extend(own.map(|&(_, to)| to).filter(|&to| !is_reached[to as usize]));
            }
        }
        self.steps = Vec::new();
    }

    /// Writes a position; they come in the order in which they were numbered.
    fn write(&self, out: &mut dyn Write, entry: &BookEntry) -> io::Result<()> {
        let Ok(packed) = entry.position.pack() else { return Ok(()) };
        let mut state = Vec::new();
        let place = self.places[&packed];
        put_number(&mut state, 1, place.into());
        let BookResults { games, black, white } = entry.results;
        for (field, number) in [(4, games), (5, black), (6, white)] {
            put_number(&mut state, field, number.into());
        }
        if self.is_root[place as usize] {
            put_bytes(&mut state, 7, entry.position.to_sfen().as_bytes());
        }
        if !entry.comment.is_empty() {
            put_bytes(&mut state, 8, entry.comment.as_bytes());
        }
        for candidate in &entry.moves {
            let mut step = Vec::new();
            put_number(&mut step, 1, move_bits(&entry.position, candidate).into());
            let mark = MARKS.iter().position(|&mark| mark == candidate.comment).unwrap_or(0);
            put_number(&mut step, 2, mark as u64);
            put_number(&mut step, 3, candidate.count.into());
            let next = self.next_id(&entry.position, candidate).map_or(-1, i64::from);
            put_number(&mut step, 4, next as u64);
            put_bytes(&mut state, 9, &step);
        }
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, 3, &state);
        out.write_all(&bytes)
    }

    fn next_id(&self, position: &Position, candidate: &Candidate) -> Option<u32> {
        let after = position.after(candidate.mv);
        self.places.get(&after.pack().ok()?).copied()
    }
}

/// A legal move in the bits of the format.
fn move_bits(position: &Position, candidate: &Candidate) -> u32 {
    let bits = match candidate.mv.kind() {
        MoveKind::Drop { piece_type, to } => square_bits(to) << 8 | kind_number(piece_type) << 24,
        MoveKind::Board { from, to, promote } => {
            let piece = position.piece_on(from).map_or(0, |piece| kind_number(piece.piece_type()));
            let captured = position.piece_on(to).map_or(0, |piece| kind_number(piece.piece_type()));
            square_bits(from) | square_bits(to) << 8 | u32::from(promote) << 19 | captured << 20 | piece << 24
        }
    };
    if position.side() == Color::White { bits | 1 << 28 | 1 << 31 } else { bits }
}

fn square_bits(square: Square) -> u32 {
    (square.rank() as u32 + 1) | (square.file() as u32 + 1) << 4
}

fn kind_number(kind: PieceType) -> u32 {
    match PieceType::HAND_ARRAY.iter().position(|&known| known == kind.unpromoted()) {
        Some(index) => index as u32 + 1 + if kind.is_promoted() { 8 } else { 0 },
        None => 8,
    }
}

/// A field: its number and its value.
enum Field<'a> {
    Number(u64, u64),
    Bytes(u64, Wire<'a>),
}

/// Bytes that hold fields, and where in the file they are.
#[derive(Clone, Copy)]
struct Wire<'a> {
    bytes: &'a [u8],
    offset: u64,
}

impl<'a> Wire<'a> {
    fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }

    fn take(&mut self, count: u64) -> Result<Wire<'a>, BookFault> {
        let there = self.bytes.len() as u64;
        if count > there {
            return Err(BookFault::truncated(self.offset, count - there));
        }
        let (head, rest) = self.bytes.split_at(count as usize);
        let taken = Wire { bytes: head, offset: self.offset };
        *self = Wire { bytes: rest, offset: self.offset + count };
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, BookFault> {
        let mut value = 0_u64;
        for (i, &byte) in self.bytes.iter().enumerate().take(10) {
            value |= u64::from(byte & 127).checked_shl(7 * i as u32).unwrap_or(0);
            if byte < 128 {
                self.take(i as u64 + 1)?;
                return Ok(value);
            }
        }
        if self.bytes.len() < 10 {
            return Err(BookFault::truncated(self.offset, 1));
        }
        Err(BookFault::at(self.offset, "a number of more than 10 bytes"))
    }

    /// The next field; none at the end. Fields of fixed length, which the format does not have, are passed over.
    fn next(&mut self) -> Result<Option<Field<'a>>, BookFault> {
        while !self.bytes.is_empty() {
            let start = self.offset;
            let tag = self.number()?;
            let field = tag >> 3;
            match tag & 7 {
                0 => return Ok(Some(Field::Number(field, self.number()?))),
                2 => {
                    let length = self.number()?;
                    return Ok(Some(Field::Bytes(field, self.take(length)?)));
                }
                1 => _ = self.take(8)?,
                5 => _ = self.take(4)?,
                kind => return Err(BookFault::at(start, format_args!("field {field} with wire type {kind}"))),
            }
        }
        Ok(None)
    }
}

/// Appends a number with its tag; 0 is left out, as the format has it.
fn put_number(out: &mut Vec<u8>, field: u64, value: u64) {
    if value != 0 {
        put_varint(out, field << 3);
        put_varint(out, value);
    }
}

/// Appends bytes with their tag and length; none are left out unless they are a message.
fn put_bytes(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_varint(out, field << 3 | 2);
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_lengths_come_back() {
        for value in [1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            put_number(&mut bytes, 4, value);
            put_bytes(&mut bytes, 7, b"ab");
            let mut wire = Wire { bytes: &bytes, offset: 0 };
            assert!(matches!(wire.next(), Ok(Some(Field::Number(4, found))) if found == value));
            assert!(matches!(wire.next(), Ok(Some(Field::Bytes(7, text))) if text.text() == "ab"));
            assert!(matches!(wire.next(), Ok(None)));
        }
    }

    #[test]
    fn faults_are_named_with_their_offset() {
        let error = |bytes: &[u8]| {
            let mut wire = Wire { bytes, offset: 0 };
            loop {
                match wire.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => return "none".to_string(),
                    Err(fault) => return fault.to_string(),
                }
            }
        };
        assert_eq!(error(b"\x08\x05\x1a\xff\xff\xff\xff\x0f"), "byte 8: the file ends 4294967295 bytes too early");
        assert_eq!(error(b"\x08\x05\x08"), "byte 3: the file ends 1 bytes too early");
        assert_eq!(error(&[255; 20]), "byte 0: a number of more than 10 bytes");
        assert_eq!(error(b"\x0b"), "byte 0: field 1 with wire type 3");
        assert_eq!(error(b"\x09\0\0\0\0\0\0\0\0\x0d\0\0\0\0"), "none");
    }
}
