//! A book as a graph: every position knows which of its moves lead to other positions of the book, whether the book
//! lists those moves or not. So transpositions are joined, and values can be carried from the ends of the lines to
//! their beginning (Yaneura Ou's *peta shock*).
//!
//! The whole graph is in memory: about 100 bytes a position and 28 a move.

mod minimax;
mod prune;

pub use minimax::{MATE, MinimaxOptions};
pub use prune::{NextOptions, PruneOptions, next_lines, pruned};

use super::entry::{BookEntry, Candidate};
use crate::movegen::{All, generate, is_legal};
use crate::position::{EnteringKingRule, PackedPosition, Position};
use crate::types::{Color, Move, opaque_debug};
use std::collections::HashMap;

/// A position with its moves. With twins folded it is black's turn in every node.
struct Node {
    packed: PackedPosition,
    edges: Vec<Edge>,
    in_check: bool,
    /// It lies on a loop in which one side is always in check.
    in_check_loop: bool,
    /// The side to move may declare a win.
    is_won: bool,
    /// The position as the book has it: with black to move, with white to move, or both; the plies.
    plies: [Option<u32>; 2],
}

/// A move.
struct Edge {
    mv: Move,
    /// The position that it leads to, if that is in the book.
    child: Option<u32>,
    /// Of a move that leads out of the book: its value; afterwards that of every move.
    value: i32,
    depth: u32,
    count: u32,
    reply: Option<Move>,
}

/// A book as a graph.
pub struct Graph {
    nodes: Vec<Node>,
    /// Places by key.
    places: HashMap<u64, u32>,
    twins: Twins,
}

opaque_debug!(Graph);

/// Positions that differ by a turn of 180 degrees, colours exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twins {
    /// One position.
    Folded,
    /// Two positions, as a draw that is worth something other to black than to white wants them.
    Apart,
}

/// The moves of a position that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenMoves {
    /// Every move.
    All,
    /// The moves of the best value.
    Best,
}

impl Graph {
    /// A graph without positions.
    pub fn new(twins: Twins) -> Graph {
        Graph { nodes: Vec::new(), places: HashMap::new(), twins }
    }

    fn is_folded(&self) -> bool {
        self.twins == Twins::Folded
    }

    /// Takes a position in; one without legal moves in the book, or without both kings, is none.
    pub fn push(&mut self, mut entry: BookEntry, rule: EnteringKingRule) {
        let side = entry.position.side();
        let ply = entry.position.ply();
        entry.moves.retain(|candidate| is_legal(&entry.position, candidate.mv));
        if self.is_folded() && side == Color::White {
            entry.rotate();
        }
        let Ok(packed) = entry.position.pack() else { return };
        if entry.moves.is_empty() {
            return;
        }
        let next = self.nodes.len() as u32;
        let place = *self.places.entry(entry.position.key().0).or_insert(next);
        if place == next {
            self.nodes.push(Node {
                packed,
                edges: Vec::new(),
                in_check: entry.position.in_check(),
                in_check_loop: false,
                is_won: entry.position.declaration(rule).is_some(),
                plies: [None; 2],
            });
        }
        let node = &mut self.nodes[place as usize];
        if node.packed != packed {
            // Two positions under one key of 64 bits: the later one is left out.
            return;
        }
        let known = &mut node.plies[side];
        *known = Some(known.map_or(ply, |known| known.min(ply)));
        for candidate in entry.moves {
            let edge = Edge {
                mv: candidate.mv,
                child: None,
                value: candidate.value_or_zero(),
                depth: candidate.depth,
                count: candidate.count,
                reply: candidate.reply,
            };
            match node.edges.iter_mut().find(|known| known.mv == edge.mv) {
                Some(known) => *known = edge,
                None => node.edges.push(edge),
            }
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Tests whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Joins each position with those that its legal moves lead to.
    pub fn join(&mut self) {
        for index in 0..self.nodes.len() {
            let position = self.position(index);
            // Where twins are folded the position after a move is turned, so that it is black's turn again: it is the
            // one that the turned move leads to from the turned position.
            let origin = if self.is_folded() { position.rotate() } else { position.clone() };
            for mv in &generate::<All>(&position) {
                let turned = if self.is_folded() { mv.rotate() } else { mv };
                let Some(&child) = self.places.get(&origin.key_after(turned).0) else { continue };
                let after = origin.after(turned);
                if after.pack() != Ok(self.nodes[child as usize].packed) {
                    continue;
                }
                let edges = &mut self.nodes[index].edges;
                match edges.iter_mut().find(|edge| edge.mv == mv) {
                    Some(edge) => edge.child = Some(child),
                    None => edges.push(Edge { mv, child: Some(child), value: 0, depth: 0, count: 0, reply: None }),
                }
            }
        }
    }

    fn position(&self, index: usize) -> Position {
        self.nodes[index].packed.unpack().expect("what was packed here can be unpacked")
    }

    /// The place of a position or of its twin, and whether it is turned there.
    fn find(&self, position: &Position) -> Option<(usize, bool)> {
        let is_turned = self.is_folded() && position.side() == Color::White;
        let key = if is_turned { position.rotate().key() } else { position.key() };
        self.places.get(&key.0).map(|&place| (place as usize, is_turned))
    }

    /// The moves of a position, the best one first, as seen on its own board.
    fn candidates(&self, position: &Position) -> Option<Vec<Candidate>> {
        let (place, is_turned) = self.find(position)?;
        let mut moves = self.ranked(place, WrittenMoves::All);
        if is_turned {
            for candidate in &mut moves {
                candidate.mv = candidate.mv.rotate();
            }
        }
        Some(moves)
    }

    /// The positions as the book had them, with the values that the graph has now; the best move first.
    pub fn entries(&self, written: WrittenMoves) -> impl Iterator<Item = BookEntry> {
        (0..self.nodes.len()).flat_map(move |index| {
            let node = &self.nodes[index];
            let sides = Color::ALL.into_iter().filter_map(|side| node.plies[side].map(|ply| (side, ply)));
            sides.map(move |(side, ply)| {
                let mut entry = BookEntry::new(self.position(index));
                entry.moves = self.ranked(index, written);
                if entry.position.side() != side {
                    entry.rotate();
                }
                entry.position.set_ply(ply);
                entry
            })
        })
    }

    /// The moves of a position, the best one first; equal values are told apart by their depth.
    fn ranked(&self, index: usize, written: WrittenMoves) -> Vec<Candidate> {
        let mut edges: Vec<&Edge> = self.nodes[index].edges.iter().collect();
        edges.sort_by(|a, b| minimax::compare(b, a));
        let Some(&best) = edges.first() else { return Vec::new() };
        let mut moves = Vec::new();
        for edge in edges {
            if written == WrittenMoves::Best && edge.value != best.value {
                continue;
            }
            // Readers sort by value only: what is as good but longer must not look the same.
            let is_second = edge.value == best.value && edge.depth != best.depth;
            moves.push(Candidate {
                mv: edge.mv,
                reply: self.reply(edge),
                value: Some(if is_second { edge.value.saturating_sub(1) } else { edge.value }),
                depth: edge.depth,
                count: edge.count,
                comment: String::new(),
            });
        }
        moves
    }

    /// The best answer of the book, else the one that the book names.
    fn reply(&self, edge: &Edge) -> Option<Move> {
        let Some(child) = edge.child else { return edge.reply };
        let best = self.nodes[child as usize].edges.iter().max_by(|a, b| minimax::compare(a, b))?;
        Some(if self.is_folded() { best.mv.rotate() } else { best.mv })
    }
}

/// A joined graph of these positions, each with its moves and their values.
#[cfg(test)]
pub(super) fn graph_of(positions: &[(&str, &[(&str, i32)])]) -> Graph {
    let mut graph = Graph::new(Twins::Folded);
    for (line, moves) in positions {
        let position = crate::notation::usi::parse_position(line).unwrap().position;
        let mut entry = BookEntry::new(position.without_history());
        for &(mv, value) in *moves {
            entry.add(Candidate { value: Some(value), ..Candidate::new(mv.parse().unwrap()) });
        }
        graph.push(entry, EnteringKingRule::CSARule27);
    }
    graph.join();
    graph
}
