//! Proofs as text, and their check.
//!
//! The first line is [`HEADER`], the second the SFEN of the problem. Every other line is a position of the attacker in
//! the proof, its mating move and the number of plies that remain: `SFEN-without-counter MOVE PLIES`. A line stands for
//! every position with the same board in which the attacker holds at least as much.

use super::length::{Length, MAX_PLIES};
use super::proof::{Proof, Prover, VerifyError};
use crate::movegen::{Evasions, generate};
use crate::position::{Position, PositionBuilder};
use crate::types::{Color, Hand, Key, Move, PieceType, Quoted, Square};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::thread;
use thiserror::Error;

/// The first line of a proof.
const HEADER: &str = "komainu proof 1";

/// A proof that was read and found good.
#[derive(Clone, Debug)]
pub struct CheckedProof {
    /// The problem.
    pub position: Position,
    /// The mate is at most this long.
    pub length: u32,
    /// Positions of the attacker that were walked through.
    pub size: usize,
}

/// Fault of a proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ProofFault(pub String);

/// The SFEN without its counter.
fn text_of(pos: &Position) -> String {
    let sfen = pos.to_sfen();
    sfen.rsplit_once(' ').map_or(sfen.as_str(), |(text, _)| text).to_string()
}

/// The position with this hand for the side to move; the other side holds the rest.
pub(super) fn with_hand(pos: &Position, hand: Hand) -> Position {
    let us = pos.side();
    let mut builder = PositionBuilder::new();
    for square in Square::ALL {
        if let Some(piece) = pos.piece_on(square) {
            builder.piece(square, piece);
        }
    }
    for piece_type in PieceType::HAND {
        let all: u8 = Color::ALL.iter().map(|&color| pos.hand(color).count(piece_type)).sum();
        let ours = hand.count(piece_type).min(all);
        builder.hand(us, piece_type, ours as u32).hand(!us, piece_type, (all - ours) as u32);
    }
    builder.side(us).build().unwrap_or_else(|_| pos.clone())
}

impl Proof {
    /// Writes the proof of a position as text.
    pub fn write(&self, pos: &Position, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{HEADER}\n{}", text_of(pos))?;
        let mut written: HashSet<(Key, u32)> = HashSet::new();
        let mut waiting = vec![pos.clone()];
        while let Some(met) = waiting.pop() {
            let Some((mv, length, hand)) = self.find_with_hand(&met) else { continue };
            if !written.insert((met.board_key(), hand.bits())) {
                continue;
            }
            // The step was walked through with its own hand; the position that led here may hold more.
            let mut pos = with_hand(&met, hand);
            writeln!(out, "{} {mv} {length}", text_of(&pos))?;
            pos.do_move(mv);
            for &answer in generate::<Evasions>(&pos).iter() {
                pos.do_move(answer);
                waiting.push(with_hand(&pos, pos.hand(pos.side())));
                pos.undo();
            }
        }
        out.flush()
    }
}

/// The lines of a proof by board.
struct Lines(HashMap<Key, Vec<(Hand, Move, Length)>>);

impl Prover for Lines {
    fn mating_move(&mut self, pos: &Position, len: Length) -> Option<(Move, Length)> {
        let hand = pos.hand(pos.side());
        let lines = self.0.get(&pos.board_key())?.iter();
        let fitting = lines.filter(|&&(its, _, length)| hand.dominates(its) && length <= len);
        fitting.min_by_key(|line| line.2).map(|&(_, mv, length)| (mv, length))
    }

    fn is_over(&mut self) -> bool {
        false
    }
}

/// Reads a line of a proof.
fn read_line(line: &str) -> Result<(Position, Move, Length), String> {
    let mut words = line.rsplitn(3, ' ');
    let (length, mv, sfen) = (words.next(), words.next(), words.next());
    let (Some(length), Some(mv), Some(sfen)) = (length, mv, sfen) else {
        return Err(format!("{} is not a position, a move and a length", Quoted(line)));
    };
    let pos = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    let mv = mv.parse().map_err(|error: crate::types::ParseMoveError| error.to_string())?;
    match length.parse() {
        Ok(length) if length <= MAX_PLIES => Ok((pos, mv, length)),
        _ => Err(format!("{} is not a length", Quoted(length))),
    }
}

/// Reads a proof and walks through it with the rules alone.
///
/// ```
/// use komainu::mate::{Query, Solver, check_proof};
/// use komainu::position::Position;
///
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
/// let proof = Solver::new(1)?.solve(&position, &Query::default()).proof.expect("a mate");
/// let mut text = Vec::new();
/// proof.write(&position, &mut text)?;
/// let checked = check_proof(&String::from_utf8(text)?)?;
/// assert_eq!((checked.position, checked.length), (position, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_proof(text: &str) -> Result<CheckedProof, ProofFault> {
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim_end()));
    let header = lines.next().map_or("", |(_, line)| line);
    if header != HEADER {
        return Err(ProofFault(format!("the first line is {}, not \"{HEADER}\"", Quoted(header))));
    }
    let fault = |number: usize| move |what: String| ProofFault(format!("line {number}: {what}"));
    let (number, sfen) = lines.next().unwrap_or((2, ""));
    let root = Position::from_sfen(sfen).map_err(|error| fault(number)(error.to_string()))?;
    let mut steps = Lines(HashMap::new());
    for (number, line) in lines {
        let (pos, mv, length) = read_line(line).map_err(fault(number))?;
        steps.0.entry(pos.board_key()).or_default().push((pos.hand(pos.side()), mv, length));
    }
    let walk = || {
        let mut proof = Proof::new(usize::MAX >> 8);
        let length = proof.walk(&mut root.clone(), &mut steps, MAX_PLIES);
        length.map(|length| (length, proof.positions()))
    };
    let walked = thread::scope(|scope| {
        let walker = thread::Builder::new().stack_size(super::solver::STACK_BYTES).spawn_scoped(scope, walk);
        walker.ok().and_then(|walker| walker.join().ok())
    });
    match walked {
        Some(Ok((length, size))) => Ok(CheckedProof { position: root, length: length as u32, size }),
        Some(Err(VerifyError::Full)) | None => Err(ProofFault("the proof does not fit into the memory".to_string())),
        Some(Err(_)) => Err(ProofFault("a defence is not answered by a mate".to_string())),
    }
}
