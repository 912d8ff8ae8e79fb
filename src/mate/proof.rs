//! Proofs of mates: the verifier, which walks a whole proof and knows nothing but the rules, and proofs as text.
//!
//! A [`Prover`] is asked for one move in each position of the attacker. The verifier makes the move, sees that it is
//! legal and gives check, and goes on behind every legal answer. A position that was walked through is kept with the
//! attacker's hand, its move and the length that was found; one with the same board, at least that hand and no less
//! room counts as walked through. Every step shortens what is left, so no repetition can hide in a proof.
//!
//! The first line of the text is [`HEADER`], the second the SFEN of the problem. Every other line is a position of the
//! attacker in the proof, its mating move and the number of plies that remain: `SFEN-without-counter MOVE PLIES`. A
//! line stands for every position with the same board in which the attacker holds at least as much.

use super::node::{Length, MAX_PLIES};
use super::solver::spawn_deep;
use crate::movegen::{Evasions, generate, is_legal};
use crate::position::{Position, PositionBuilder};
use crate::types::{Color, Hand, Key, Move, MoveKind, ParseMoveError, PieceType, Quoted};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io::{self, Write};
use std::thread;
use thiserror::Error;

/// Names the mating moves, which the verifier checks.
pub(crate) trait Prover {
    /// A move that mates in at most `len` plies, and in how many.
    fn mating_move(&mut self, pos: &Position, len: Length) -> Option<(Move, Length)>;
    /// Tests whether the walk must end.
    fn is_over(&mut self) -> bool;
}

/// Why a proof was not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VerifyError {
    /// The prover named no move, or one that is illegal, gives no check, or does not mate in time.
    NoMate,
    /// The walk had to end.
    Over,
    /// The proof is larger than the memory for it.
    Full,
}

/// A position of the attacker in a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    key: u64,
    hand: Hand,
    mv: Option<Move>,
    /// The mate is at most this long; 0 in an empty slot.
    len: Length,
}

/// A proof that was walked through.
#[derive(Clone, PartialEq, Eq)]
pub struct Proof {
    steps: Vec<Step>,
    used: usize,
    most: usize,
}

impl Proof {
    /// Room for a proof in at most this many bytes.
    pub(crate) fn new(bytes: usize) -> Proof {
        // While the table doubles the old half is still there.
        let most = 1 << (bytes * 2 / 3 / size_of::<Step>()).max(1 << 10).ilog2();
        Proof { steps: vec![Step::default(); 1 << 8], used: 0, most }
    }

    /// The number of positions of the attacker.
    pub fn positions(&self) -> usize {
        self.used
    }

    fn home(&self, key: Key) -> usize {
        (key.0 >> 20) as usize & (self.steps.len() - 1)
    }

    /// The entries of a board.
    fn run(&self, key: Key) -> impl Iterator<Item = &Step> {
        let home = self.home(key);
        let mask = self.steps.len() - 1;
        (0..)
            .map(move |i| &self.steps[(home + i) & mask])
            .take_while(|step| step.len > 0)
            .filter(move |step| step.key == key.0)
    }

    /// The step with the shortest mate that was walked through from a position.
    fn step(&self, pos: &Position) -> Option<&Step> {
        let hand = pos.hand(pos.side());
        self.run(pos.board_key()).filter(|step| hand.dominates(step.hand)).min_by_key(|step| step.len)
    }

    /// The move with the shortest mate that was walked through from a position.
    pub(crate) fn find(&self, pos: &Position) -> Option<(Move, Length)> {
        let step = self.step(pos)?;
        Some((step.mv?, step.len))
    }

    /// Keeps a position that was walked through.
    pub(crate) fn keep(&mut self, pos: &Position, mv: Move, len: Length) -> Result<(), VerifyError> {
        let key = pos.board_key();
        let hand = pos.hand(pos.side());
        let mask = self.steps.len() - 1;
        let mut at = self.home(key);
        while self.steps[at].len > 0 {
            let step = &mut self.steps[at];
            if step.key == key.0 && step.hand == hand {
                if len < step.len {
                    step.len = len;
                    step.mv = Some(mv);
                }
                return Ok(());
            }
            at = (at + 1) & mask;
        }
        self.steps[at] = Step { key: key.0, hand, mv: Some(mv), len };
        self.used += 1;
        if self.used * 3 > self.steps.len() * 2 { self.grow() } else { Ok(()) }
    }

    fn grow(&mut self) -> Result<(), VerifyError> {
        if self.steps.len() >= self.most {
            return Err(VerifyError::Full);
        }
        let larger = vec![Step::default(); self.steps.len() * 2];
        let old = std::mem::replace(&mut self.steps, larger);
        let mask = self.steps.len() - 1;
        for step in old.into_iter().filter(|step| step.len > 0) {
            let mut at = self.home(Key(step.key));
            while self.steps[at].len > 0 {
                at = (at + 1) & mask;
            }
            self.steps[at] = step;
        }
        Ok(())
    }

    /// Walks through the proof of a mate in at most `len` plies. The length is that of the prover's mate against the
    /// longest resistance.
    pub(crate) fn walk(
        &mut self,
        pos: &mut Position,
        prover: &mut impl Prover,
        len: Length,
    ) -> Result<Length, VerifyError> {
        if let Some((_, known)) = self.find(pos)
            && known <= len
        {
            return Ok(known);
        }
        if prover.is_over() {
            return Err(VerifyError::Over);
        }
        let (mv, claimed) = prover.mating_move(pos, len).ok_or(VerifyError::NoMate)?;
        if claimed > len || claimed == 0 || !is_legal(pos, mv) {
            return Err(VerifyError::NoMate);
        }
        pos.do_move(mv);
        let longest = self.walk_answers(pos, prover, claimed);
        pos.undo();
        let longest = longest?;
        self.keep(pos, mv, longest)?;
        Ok(longest)
    }

    /// Walks on behind every answer to a check.
    fn walk_answers(
        &mut self,
        pos: &mut Position,
        prover: &mut impl Prover,
        claimed: Length,
    ) -> Result<Length, VerifyError> {
        if !pos.in_check() {
            return Err(VerifyError::NoMate);
        }
        let mut longest = 1;
        for answer in generate::<Evasions>(pos).iter().copied() {
            if claimed <= 2 {
                return Err(VerifyError::NoMate);
            }
            pos.do_move(answer);
            let found = self.walk(pos, prover, claimed - 2);
            pos.undo();
            longest = longest.max(found? + 2);
        }
        Ok(longest)
    }

    /// The answers to the check in a position of the proof with the plies that the proof leaves behind each, those with
    /// the longest proof first.
    pub(crate) fn answers(&self, pos: &Position) -> Vec<(Length, Move)> {
        let mut after = pos.clone();
        let mut answers: Vec<(Length, Move)> = Vec::new();
        for &answer in generate::<Evasions>(pos).iter() {
            after.do_move(answer);
            let left = self.find(&after).map_or(0, |found| found.1);
            after.undo();
            answers.push((left, answer));
        }
        answers.sort_by_key(|&(left, answer)| Reverse((left, defence_order(pos, answer))));
        answers
    }

    /// The line of a proof that was walked through. In each position of the defender `choose` is given its answers,
    /// those with the longest proof first, and the plies that the longest one leaves; if it names none the first is
    /// played.
    pub(crate) fn line(
        &self,
        pos: &Position,
        mut choose: impl FnMut(&Position, &[Move], Length) -> Option<Move>,
    ) -> Vec<Move> {
        let mut pos = pos.clone();
        let mut line = Vec::new();
        while let Some((mv, _)) = self.find(&pos) {
            line.push(mv);
            pos.do_move(mv);
            let answers = self.answers(&pos);
            let Some(&(left, first)) = answers.first() else { break };
            let longest: Vec<Move> =
                answers.iter().filter(|&&(its, _)| its == left).map(|&(_, answer)| answer).collect();
            let answer = if longest.len() > 1 { choose(&pos, &longest, left).unwrap_or(first) } else { first };
            line.push(answer);
            pos.do_move(answer);
        }
        line
    }
}

/// Among equally long answers: captures before moves before drops, cheap drops before dear ones.
fn defence_order(pos: &Position, answer: Move) -> i32 {
    if let Some(taken) = pos.piece_on(answer.to()) {
        return 10_000 + taken.piece_type().value();
    }
    match answer.kind() {
        MoveKind::Drop { piece_type, .. } => -piece_type.value(),
        MoveKind::Board { .. } => 0,
    }
}

/// The number of positions, in words.
impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a proof of {} positions", self.used)
    }
}

/// The pieces that the attacker still holds at the end of a mating line.
pub(crate) fn left_over(pos: &Position, line: &[Move]) -> Vec<(PieceType, u8)> {
    let mut end = pos.clone();
    for &mv in line {
        end.do_move(mv);
    }
    end.hand(pos.side()).iter().collect()
}

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

/// The position with this hand for the side to move; the other side holds the rest.
pub(crate) fn with_hand(pos: &Position, hand: Hand) -> Position {
    let us = pos.side();
    let mut builder = PositionBuilder::from(pos);
    builder.empty_hand(us).empty_hand(!us);
    for piece_type in PieceType::HAND {
        let all: u8 = Color::ALL.iter().map(|&color| pos.hand(color).count(piece_type)).sum();
        let ours = hand.count(piece_type).min(all);
        builder.hand(us, piece_type, ours as u32).hand(!us, piece_type, (all - ours) as u32);
    }
    builder.build().unwrap_or_else(|_| pos.clone())
}

impl Proof {
    /// Writes the proof of a position as text.
    pub fn write(&self, pos: &Position, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{HEADER}\n{}", pos.to_sfen_without_counter())?;
        let mut written: HashSet<(Key, u32)> = HashSet::new();
        let mut waiting = vec![pos.clone()];
        while let Some(met) = waiting.pop() {
            let Some(step) = self.step(&met) else { continue };
            let Some(mv) = step.mv else { continue };
            if !written.insert((met.board_key(), step.hand.bits())) {
                continue;
            }
            // The step was walked through with its own hand; the position that led here may hold more.
            let mut pos = with_hand(&met, step.hand);
            writeln!(out, "{} {mv} {}", pos.to_sfen_without_counter(), step.len)?;
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
    let words: Vec<&str> = line.rsplitn(3, ' ').collect();
    let [length, mv, sfen] = words[..] else {
        return Err(format!("{} is not a position, a move and a length", Quoted(line)));
    };
    let pos = Position::from_sfen(sfen).map_err(|error| error.to_string())?;
    let mv = mv.parse().map_err(|error: ParseMoveError| error.to_string())?;
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
    let mut lines = text.lines().map(str::trim_end);
    let header = lines.next().unwrap_or_default();
    if header != HEADER {
        return Err(ProofFault(format!("the first line is {}, not \"{HEADER}\"", Quoted(header))));
    }
    let sfen = lines.next().unwrap_or_default();
    let root = Position::from_sfen(sfen).map_err(|error| ProofFault(format!("line 2: {error}")))?;
    let mut steps = Lines(HashMap::new());
    for (number, line) in (3..).zip(lines) {
        let (pos, mv, length) = read_line(line).map_err(|fault| ProofFault(format!("line {number}: {fault}")))?;
        steps.0.entry(pos.board_key()).or_default().push((pos.hand(pos.side()), mv, length));
    }
    let walked = thread::scope(|scope| {
        let walker = spawn_deep(scope, "mate", || {
            let mut proof = Proof::new(usize::MAX >> 8);
            let length = proof.walk(&mut root.clone(), &mut steps, MAX_PLIES)?;
            Ok((length, proof.positions()))
        });
        walker.ok()?.join().ok()
    });
    match walked {
        Some(Ok((length, size))) => Ok(CheckedProof { position: root, length: length as u32, size }),
        Some(Err(VerifyError::Full)) | None => Err(ProofFault("the proof does not fit into the memory".to_string())),
        Some(Err(_)) => Err(ProofFault("a defence is not answered by a mate".to_string())),
    }
}
