//! Writing ShogiGUI's format.

use super::super::entry::{BookEntry, BookResults, Candidate};
use super::wire::{put_bytes, put_number};
use super::{KINDS, MARKS};
use crate::movegen::is_legal;
use crate::position::{PackedPosition, Position};
use crate::types::{Color, MoveKind, Piece, PieceType, Square};
use std::collections::HashMap;
use std::io::{self, Write};

/// Where positions are among the states of a file.
///
/// The format numbers its states and lets moves point to them, so the places of all positions and the moves between
/// them are kept in memory: about 50 bytes a position and 8 a move.
#[derive(Default)]
pub(in super::super) struct SbkWriter {
    places: HashMap<PackedPosition, u32>,
    /// Moves between positions, by their places.
    steps: Vec<(u32, u32)>,
    /// Marks the positions to which no way leads from another one, so that they must say what they are.
    is_root: Vec<bool>,
}

impl SbkWriter {
    /// Gives the next number to a position; the start position must come first, since state 0 is it.
    pub(in super::super) fn number(&mut self, position: &Position) {
        let next = self.places.len() as u32;
        if let Ok(packed) = position.pack() {
            self.places.entry(packed).or_insert(next);
        }
    }

    /// Tests whether the position has a number: one without both kings has none, nor can it be written.
    pub(in super::super) fn knows(&self, position: &Position) -> bool {
        position.pack().is_ok_and(|packed| self.places.contains_key(&packed))
    }

    /// Notes which positions its moves lead to; all positions must have their numbers.
    pub(in super::super) fn note_moves(&mut self, entry: &BookEntry) {
        let Some(&from) = entry.position.pack().ok().and_then(|packed| self.places.get(&packed)) else { return };
        let legal = entry.moves.iter().filter(|candidate| is_legal(&entry.position, candidate.mv));
        let next = legal.filter_map(|candidate| u32::try_from(self.next_id(&entry.position, candidate)).ok());
        let steps: Vec<(u32, u32)> = next.map(|to| (from, to)).collect();
        self.steps.extend(steps);
    }

    /// Finds the positions that must say what they are: the first one, those to which no move leads, and one of every
    /// cycle that none of these leads into.
    pub(in super::super) fn find_roots(&mut self) {
        let count = self.places.len();
        self.steps.sort_unstable();
        let mut is_goal = vec![false; count];
        self.steps.iter().for_each(|&(_, to)| is_goal[to as usize] = true);
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

    /// The first bytes of a file.
    pub(in super::super) fn head(out: &mut impl Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, 1, b"");
        put_bytes(&mut bytes, 2, b"");
        out.write_all(&bytes)
    }

    /// Writes a position; they come in the order in which they were numbered.
    pub(in super::super) fn write(&self, out: &mut impl Write, entry: &BookEntry) -> io::Result<()> {
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
            put_number(&mut step, 4, self.next_id(&entry.position, candidate) as u64);
            put_bytes(&mut state, 9, &step);
        }
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, 3, &state);
        out.write_all(&bytes)
    }

    fn next_id(&self, position: &Position, candidate: &Candidate) -> i64 {
        let mut after = position.clone();
        after.do_move(candidate.mv);
        after.pack().ok().and_then(|packed| self.places.get(&packed)).map_or(-1, |&id| id.into())
    }
}

/// A legal move in the bits of the format.
fn move_bits(position: &Position, candidate: &Candidate) -> u32 {
    let square = |square: Square| (square.rank() as u32 + 1) | (square.file() as u32 + 1) << 4;
    let number = |kind: PieceType| match KINDS.iter().position(|&known| known == kind.unpromoted()) {
        Some(index) => index as u32 + 1 + if kind.is_promoted() { 8 } else { 0 },
        None => 8,
    };
    let side = position.side();
    let kind_bits = |piece: Piece| number(piece.piece_type()) << 24;
    let bits = match candidate.mv.kind() {
        MoveKind::Drop { piece_type, to } => square(to) << 8 | number(piece_type) << 24,
        MoveKind::Board { from, to, promote } => {
            let piece = position.piece_on(from).map_or(0, kind_bits);
            let captured = position.piece_on(to).map_or(0, |piece| number(piece.piece_type()) << 20);
            square(from) | square(to) << 8 | u32::from(promote) << 19 | captured | piece
        }
    };
    if side == Color::White { bits | 1 << 28 | 1 << 31 } else { bits }
}
