//! Books made from games: each move as often as it was played.

use super::collect::{Collected, Collector, add_up};
use super::entry::{BookEntry, BookResults, Candidate};
use super::write::BookPositions;
use crate::games::{SourceGame, move_scores};
use crate::notation::record::Outcome;
use crate::types::Color;
use std::collections::{HashMap, HashSet};
use std::io;

/// Settings of a book that is made from games.
#[derive(Clone, Copy, Debug)]
pub struct MakeSettings {
    /// Plies of each game that are taken.
    pub plies: usize,
    /// Moves that were played less often are left out.
    pub min_count: u32,
    /// The scores that programs wrote into the games are taken over; the deepest counts.
    pub scores: bool,
    /// The answer to each move is kept.
    pub reply: bool,
}

/// Makes a book from games. A position that a game meets twice counts once.
#[derive(Debug)]
pub struct BookMaker {
    settings: MakeSettings,
    collector: Collector,
    taken: HashMap<u64, Taken>,
}

/// What was taken of a game so far, which may be there several times.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// The sides whose moves were counted.
    sides: [bool; 2],
    /// Its result was counted.
    has_result: bool,
}

impl BookMaker {
    /// A maker that puts positions into this collector.
    pub fn new(settings: MakeSettings, collector: Collector) -> BookMaker {
        BookMaker { settings, collector, taken: HashMap::new() }
    }

    /// Takes the moves of these sides of a game; false if a game with this number was there. Of such a game only what
    /// is new counts: its result, and the scores, of which the deepest stay.
    pub fn add(&mut self, game: &SourceGame, number: u64, sides: [bool; 2]) -> io::Result<bool> {
        let known = self.taken.get(&number).copied();
        let mut taken = known.unwrap_or_default();
        self.take(game, &taken, sides)?;
        for side in Color::ALL {
            taken.sides[side] |= sides[side];
        }
        taken.has_result |= game.result.is_some();
        self.taken.insert(number, taken);
        Ok(known.is_none())
    }

    /// Takes the moves of both sides of a game that is not there twice.
    pub fn add_new(&mut self, game: &SourceGame) -> io::Result<()> {
        self.take(game, &Taken::default(), [true; 2])
    }

    fn take(&mut self, game: &SourceGame, taken: &Taken, sides: [bool; 2]) -> io::Result<()> {
        let record = &game.record;
        let scores = if self.settings.scores { move_scores(record) } else { Vec::new() };
        let mut results = BookResults::default();
        if game.result.is_some() && !taken.has_result {
            let winner = game.result.and_then(Outcome::winner);
            results.games = 1;
            results.black = (winner == Some(Color::Black)).into();
            results.white = (winner == Some(Color::White)).into();
        }
        let mut position = record.start.without_history();
        let mut met = HashSet::new();
        for (number, made) in record.moves.iter().enumerate().take(self.settings.plies) {
            if sides[position.side()] && met.insert(position.key()) {
                let mut candidate = Candidate::new(made.mv);
                candidate.count = (!taken.sides[position.side()]).into();
                if self.settings.reply {
                    candidate.reply = record.moves.get(number + 1).map(|next| next.mv);
                }
                if let Some(score) = scores.get(number) {
                    candidate.value = score.value;
                    candidate.depth = score.depth;
                }
                let entry = BookEntry { moves: vec![candidate], results, ..BookEntry::new(position.without_history()) };
                self.collector.push(0, entry)?;
            }
            position.do_move(made.mv);
        }
        Ok(())
    }

    /// The positions, for [`write_book`](super::write::write_book).
    pub fn finish(self) -> io::Result<MadeBook> {
        Ok(MadeBook { collected: self.collector.finish()?, min_count: self.settings.min_count })
    }
}

/// Moves of games, those left out that were seldom played.
#[derive(Debug)]
pub struct MadeBook {
    collected: Collected,
    min_count: u32,
}

impl BookPositions for MadeBook {
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()> {
        let mut groups = self.collected.pass()?;
        while let Some(mut entry) = groups.next_folded(add_up)? {
            entry.moves.retain(|candidate| candidate.count >= self.min_count);
            if !entry.moves.is_empty() {
                visit(entry)?;
            }
        }
        Ok(())
    }
}
