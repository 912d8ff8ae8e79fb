//! Games of dlshogi (`.hcpe3`), one after the other without a header.
//!
//! | part | bytes | holds |
//! |---|---|---|
//! | head | 32 | the start, packed as [`HuffmanPosition`]; its move counter is lost |
//! | | 2 | number of plies |
//! | | 1 | result: 0 a draw, 1 black wins, 2 white wins; 4 is added for repetition, 8 for a declaration, 16 for the limit of moves |
//! | | 1 | opponent: 0 for self-play |
//! | a ply | 2 | the move that was played, as [`Move::apery_bits`] |
//! | | 2 | its score in centipawns from the mover's view |
//! | | 2 | number of candidates |
//! | a candidate | 4 | its move and its visits, which are not kept here |
//!
//! A ply without candidates is one that nothing is learnt from: so are the first plies of a game that were drawn at
//! random. Any other is written with one candidate, the move that was played.

use super::{Game, Ply, ends_early};
use crate::training::input::{Input, ReadError, ReadFault, damaged};
use komainu::notation::record::Ending;
use komainu::position::HuffmanPosition;
use komainu::types::{Color, Move};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

const HEAD_BYTES: usize = 36;
const PLY_BYTES: usize = 6;
const CANDIDATE_BYTES: usize = 4;

/// Bit that is set in the number of a result: the game ended by repetition.
const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const PLY_LIMIT: u8 = 16;

/// The winner by the number of a result, the kind of the end left out.
pub(in crate::training) fn winner(result: u8) -> Option<Option<Color>> {
    match (result & 3, result >> 5) {
        (0, 0) => Some(None),
        (1, 0) => Some(Some(Color::Black)),
        (2, 0) => Some(Some(Color::White)),
        _ => None,
    }
}

/// The number of a result.
pub(in crate::training) fn result_of(winner: Option<Color>) -> u8 {
    winner.map_or(0, |winner| winner as u8 + 1)
}

/// Reads the games of a file of dlshogi. It ends after the first fault.
#[derive(Debug)]
pub struct Hcpe3Reader<R>(Input<R>);

impl Hcpe3Reader<BufReader<File>> {
    /// Opens a file of games of dlshogi.
    pub fn open(path: &Path) -> Result<Hcpe3Reader<BufReader<File>>, ReadError> {
        Ok(Hcpe3Reader(Input::open(path)?))
    }
}

impl<R: Read> Hcpe3Reader<R> {
    /// Reads from any input. The name stands in messages.
    pub fn new(input: R, name: &str) -> Hcpe3Reader<R> {
        Hcpe3Reader(Input::new(input, name))
    }
}

impl<R: Read> Iterator for Hcpe3Reader<R> {
    type Item = Result<Game, ReadError>;

    fn next(&mut self) -> Option<Result<Game, ReadError>> {
        self.0.next(read_game)
    }
}

/// The next game with its length in bytes.
fn read_game(input: &mut Input<impl Read>) -> Result<Option<(Game, usize)>, ReadFault> {
    let mut bytes = Vec::with_capacity(4_096);
    if !input.fill(&mut bytes, HEAD_BYTES)? {
        return if bytes.is_empty() { Ok(None) } else { Err(ends_early()) };
    }
    let head: [u8; HEAD_BYTES] = bytes[..].try_into().expect("as many were taken");
    let packed = HuffmanPosition(head[..32].try_into().expect("32 bytes"));
    let start = packed.unpack().map_err(damaged)?;
    let mut plies = Vec::new();
    let mut opening = None;
    for number in 0..usize::from(u16::from_le_bytes([head[32], head[33]])) {
        let at = bytes.len();
        if !input.fill(&mut bytes, PLY_BYTES)? {
            return Err(ends_early());
        }
        let bits = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let score = i16::from_le_bytes([bytes[at + 2], bytes[at + 3]]);
        let candidates = usize::from(u16::from_le_bytes([bytes[at + 4], bytes[at + 5]]));
        let Some(mv) = Move::from_apery_bits(bits) else {
            return Err(damaged(format_args!("move {}: there is no move {bits:#06x}", number + 1)));
        };
        plies.push(Ply { mv, score });
        if candidates > 0 {
            opening.get_or_insert(number);
        }
        if !input.fill(&mut bytes, CANDIDATE_BYTES * candidates)? {
            return Err(ends_early());
        }
    }
    let winner = winner(head[34]).ok_or_else(|| damaged(format_args!("there is no result {}", head[34])))?;
    let opening = opening.unwrap_or(plies.len());
    let game = Game::new(&start, plies, opening, (ending(head[34], winner), winner)).map_err(damaged)?;
    Ok(Some((game, bytes.len())))
}

fn ending(result: u8, winner: Option<Color>) -> Ending {
    match (result & !3, winner) {
        (REPETITION, None) => Ending::Repetition,
        (DECLARATION, Some(_)) => Ending::Declaration,
        (PLY_LIMIT, None) => Ending::PlyLimit,
        _ => Ending::Interrupted,
    }
}

impl Game {
    /// The game in the form of dlshogi; the move counter of its start is lost.
    pub fn encode_hcpe3(&self) -> Vec<u8> {
        let added = match self.ending {
            Ending::Repetition => REPETITION,
            Ending::Declaration => DECLARATION,
            Ending::PlyLimit => PLY_LIMIT,
            _ => 0,
        };
        let start = self.start.pack_huffman().expect("checked when the game was made");
        let mut bytes = start.0.to_vec();
        bytes.extend((self.plies.len() as u16).to_le_bytes());
        bytes.extend([result_of(self.winner) | added, 0]);
        for (number, ply) in self.plies.iter().enumerate() {
            let mv = ply.mv.apery_bits().to_le_bytes();
            let is_learnt = number >= self.opening;
            bytes.extend(mv);
            bytes.extend(ply.score.to_le_bytes());
            bytes.extend(u16::from(is_learnt).to_le_bytes());
            if is_learnt {
                bytes.extend(mv);
                bytes.extend(1_u16.to_le_bytes());
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use komainu::position::Position;

    const MOVES: [(&str, i16); 5] = [("7g7f", 0), ("3c3d", -20), ("8h2b+", 100), ("3a2b", -100), ("B*4e", 31_990)];

    fn game(opening: usize, ending: Ending, winner: Option<Color>) -> Game {
        let plies = MOVES.map(|(mv, score)| Ply { mv: mv.parse().expect("a move"), score }).to_vec();
        Game::new(&Position::startpos(), plies, opening, (ending, winner)).expect("a legal game")
    }

    fn read(bytes: &[u8]) -> Result<Vec<Game>, ReadError> {
        Hcpe3Reader::new(bytes, "test").collect()
    }

    #[test]
    fn a_game_has_the_bytes_of_the_format() {
        let bytes = game(4, Ending::Declaration, Some(Color::White)).encode_hcpe3();
        let start = "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c";
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let head = format!("{start}05000a00");
        let random = "3b1e00000000150aecff00000a6364000000";
        assert!(hex.starts_with(&format!("{head}{random}")), "{hex}");
        // The last ply has one candidate: the move itself, visited once.
        assert!(hex.ends_with("9f2af67c01009f2a0100"), "{hex}");
        assert_eq!(bytes.len(), 36 + 5 * 6 + 4);
    }

    #[test]
    fn games_come_back_with_winner_opening_and_the_ends_that_the_format_knows() {
        let ends = [
            (Ending::Repetition, None, Ending::Repetition),
            (Ending::PlyLimit, None, Ending::PlyLimit),
            (Ending::Declaration, Some(Color::Black), Ending::Declaration),
            (Ending::Resignation, Some(Color::White), Ending::Interrupted),
            (Ending::PerpetualCheck, Some(Color::Black), Ending::Interrupted),
        ];
        let games = ends.map(|(ending, winner, _)| game(2, ending, winner));
        let bytes: Vec<u8> = games.iter().flat_map(Game::encode_hcpe3).collect();
        let back = read(&bytes).expect("good games");
        assert_eq!(back.len(), games.len());
        for (back, (_, winner, ending)) in back.iter().zip(ends) {
            assert_eq!((back.opening(), back.winner(), back.ending()), (2, winner, ending));
            assert_eq!(back.plies(), games[0].plies());
        }
    }

    #[test]
    fn faults_name_the_byte_at_which_the_game_begins() {
        let one = game(0, Ending::Interrupted, None).encode_hcpe3();
        let fault = |change: fn(&mut Vec<u8>, usize)| {
            let mut bytes = [&one[..], &one].concat();
            change(&mut bytes, one.len());
            read(&bytes).expect_err("a bad game").to_string()
        };
        assert_eq!(fault(|bytes, at| bytes[at + 34] = 3), "test: byte 86: there is no result 3");
        assert_eq!(fault(|bytes, at| bytes[at + 36] = 0), "test: byte 86: move 1: 7g1a is not legal");
        assert_eq!(fault(|bytes, at| bytes[at + 37] = 0x7F), "test: byte 86: move 1: there is no move 0x7f3b");
        assert_eq!(fault(|bytes, _| bytes[33] = 0xFF), "test: byte 0: move 6: there is no move 0xa458");
        assert_eq!(fault(|bytes, at| bytes.truncate(at + 35)), "test: byte 86: the file ends within this game");
        assert_eq!(fault(|bytes, at| bytes.truncate(at + 41)), "test: byte 86: the file ends within this game");
        assert_eq!(fault(|bytes, at| bytes[at + 40] = 0xFF), "test: byte 86: the file ends within this game");
        assert!(fault(|bytes, at| bytes[at] = 0xFE).starts_with("test: byte 86: "));
    }

    #[test]
    fn no_bytes_do_harm() {
        let mut random = Random::new(41, 0);
        let mut counts = [0; 2];
        let good = game(1, Ending::Interrupted, None).encode_hcpe3();
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..1 + random.below(2) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            counts[usize::from(read(&bytes).is_ok())] += 1;
        }
        assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    }
}
