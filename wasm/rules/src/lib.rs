//! The rules of shogi and its records for JavaScript: the module inside the npm package `komainu-rules`.
//!
//! It holds as many boards as JavaScript wants at a time, in numbered places that JavaScript fills and overwrites. A
//! function that fails returns 0 (or -1, where 0 is an answer) and leaves a message; texts are UTF-8. An answer in text
//! is read at `r_answer()`, `r_answer_length()`, one in numbers at `r_numbers()`, `r_numbers_length()`, before the next
//! call. Moves are the 16 bits of `komainu::types::Move`; no move has 0.

#[path = "../../src/memory.rs"]
mod memory;
mod records;
mod tokens;
#[cfg(feature = "formats")]
mod written;

use komainu::host::lock;
use komainu::movegen::{has_legal_move, is_legal};
#[cfg(feature = "formats")]
use komainu::notation::svg::{Picture, board_svg};
use komainu::notation::usi::parse_board;
use komainu::notation::{csa, ki2, kif};
use komainu::position::{Declaration, EnteringKingRule, GameRules, Position, Repetition};
use komainu::protocol::PositionCommand;
use komainu::referee::judge;
use komainu::types::{Color, Move};
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard};
#[cfg(feature = "formats")]
use tokens::Reader;

/// The boards, and the last answer.
struct State {
    boards: Vec<Option<Position>>,
    answer: Vec<u8>,
    numbers: Vec<u32>,
}

static STATE: Mutex<State> = Mutex::new(State { boards: Vec::new(), answer: Vec::new(), numbers: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    // A breakdown ends the program: nothing is left half done.
    lock(&STATE)
}

impl State {
    fn board(&mut self, place: usize) -> &mut Position {
        self.boards.get_mut(place).and_then(Option::as_mut).expect("JavaScript has filled this place")
    }

    fn keep(&mut self, place: usize, pos: Position) {
        if place >= self.boards.len() {
            self.boards.resize_with(place + 1, || None);
        }
        self.boards[place] = Some(pos);
    }

    fn answer(&mut self, text: impl Into<Vec<u8>>) {
        self.answer = text.into();
    }

    /// The answer is a message about a fault.
    fn fail(&mut self, error: impl Display) {
        self.answer(error.to_string());
    }
}

/// A text that JavaScript has written.
fn text<'a>(at: *const u8, length: usize) -> Cow<'a, str> {
    String::from_utf8_lossy(memory::bytes(at, length))
}

/// Memory for a text of so many bytes. Null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn r_alloc(length: usize) -> *mut u8 {
    memory::alloc(length)
}

/// Gives memory back that `r_alloc` gave for this length.
#[unsafe(no_mangle)]
pub extern "C" fn r_free(at: *mut u8, length: usize) {
    memory::free(at, length);
}

/// Where the last answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn r_answer() -> *const u8 {
    state().answer.as_ptr()
}

/// Length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn r_answer_length() -> usize {
    state().answer.len()
}

/// Where the last answer in numbers begins.
#[unsafe(no_mangle)]
pub extern "C" fn r_numbers() -> *const u32 {
    state().numbers.as_ptr()
}

/// How many numbers the last answer has.
#[unsafe(no_mangle)]
pub extern "C" fn r_numbers_length() -> usize {
    state().numbers.len()
}

/// Puts the board of a text into a place; the numbers are the moves in the text.
#[unsafe(no_mangle)]
pub extern "C" fn r_board(board: usize, at: *const u8, length: usize) -> u32 {
    let read = parse_board(&text(at, length));
    let mut state = state();
    match read {
        Ok(pos) => {
            state.numbers = pos.game().1.iter().map(|mv| mv.bits().into()).collect();
            state.keep(board, pos);
            1
        }
        Err(error) => {
            state.fail(error);
            0
        }
    }
}

/// Copies a board to another place.
#[unsafe(no_mangle)]
pub extern "C" fn r_copy(from: usize, to: usize) {
    let mut state = state();
    let pos = state.board(from).clone();
    state.keep(to, pos);
}

/// Takes so many moves back, then makes moves that have been made on this board before.
#[unsafe(no_mangle)]
pub extern "C" fn r_walk(board: usize, back: usize, at: *const u8, length: usize) {
    let mut state = state();
    let pos = state.board(board);
    for _ in 0..back.min(pos.moves_made()) {
        pos.undo();
    }
    for bits in memory::bytes(at, length).chunks_exact(4) {
        if let Some(mv) = Move::from_bits(u16::from_le_bytes([bits[0], bits[1]])) {
            pos.do_move(mv);
        }
    }
}

/// The legal moves, as numbers.
#[unsafe(no_mangle)]
pub extern "C" fn r_moves(board: usize) {
    let mut state = state();
    let moves = state.board(board).legal_moves();
    state.numbers.clear();
    state.numbers.extend(moves.iter().map(|mv| u32::from(mv.bits())));
}

/// Reads a move of USI or CSA; whether it is legal is not tested.
#[unsafe(no_mangle)]
pub extern "C" fn r_move(board: usize, at: *const u8, length: usize) -> u32 {
    let text = text(at, length);
    let mut state = state();
    let pos = state.board(board);
    match text.parse::<Move>().or_else(|error| csa::parse_unsigned_move(pos, &text).ok_or(error)) {
        Ok(mv) => mv.bits().into(),
        Err(error) => {
            state.fail(error);
            0
        }
    }
}

/// Makes a legal move; 0 for any other.
#[unsafe(no_mangle)]
pub extern "C" fn r_push(board: usize, bits: u32) -> u32 {
    let mut state = state();
    let mv = u16::try_from(bits).ok().and_then(Move::from_bits);
    let played = match mv {
        Some(mv) => state.board(board).play(mv).map_err(|error| error.to_string()),
        None => Err(format!("there is no move {bits}")),
    };
    match played {
        Ok(()) => 1,
        Err(error) => {
            state.fail(error);
            0
        }
    }
}

/// Tests whether a move is legal.
#[unsafe(no_mangle)]
pub extern "C" fn r_legal(board: usize, bits: u32) -> u32 {
    let mv = u16::try_from(bits).ok().and_then(Move::from_bits);
    mv.is_some_and(|mv| is_legal(state().board(board), mv)).into()
}

/// Those facts of a position whose bits are wanted: bit 0 white to move, 1 in check, 2 no legal move, 3 over by the
/// rules; bits 4 and 5 a fourth occurrence (1 a draw, 2 a win of the side to move, 3 a loss); bit 6 the side to move
/// wins by declaring.
#[unsafe(no_mangle)]
pub extern "C" fn r_facts(board: usize, wanted: u32) -> u32 {
    let mut state = state();
    let pos = state.board(board);
    let fact = |bit: u32, holds: &dyn Fn() -> bool| u32::from(wanted & bit != 0 && holds()) * bit;
    let repetition = match pos.repetition() {
        Some(Repetition::Draw) => 16,
        Some(Repetition::Win) => 32,
        Some(Repetition::Loss) => 48,
        None => 0,
    };
    fact(1, &|| pos.side() == Color::White)
        | fact(2, &|| pos.in_check())
        | fact(4, &|| !has_legal_move(pos))
        | fact(8, &|| judge(pos, &GameRules::default()).is_some())
        | repetition & wanted
        | fact(64, &|| pos.declaration(EnteringKingRule::default()) == Some(Declaration::Win))
}

/// The move counter of the position.
#[unsafe(no_mangle)]
pub extern "C" fn r_ply(board: usize) -> u32 {
    state().board(board).ply()
}

/// The SFEN of the position, with `game` the position text with all moves.
#[unsafe(no_mangle)]
pub extern "C" fn r_sfen(board: usize, game: u32) {
    let mut state = state();
    let pos = state.board(board);
    let text = if game == 0 { pos.to_sfen() } else { PositionCommand::of_game(pos).to_string() };
    state.answer(text);
}

/// The pieces: 81 bytes for the squares from 1a on, 1b next (0 for none, 1 to 14 black's, 17 to 30 white's), then seven
/// counts of each hand: pawns, lances, knights, silvers, golds, bishops, rooks.
#[unsafe(no_mangle)]
pub extern "C" fn r_pieces(board: usize) {
    let mut state = state();
    let pos = state.board(board);
    let [black, white] = Color::ALL.map(|color| pos.hand_counts(color));
    let bytes = [&pos.board_numbers()[..], &black, &white].concat();
    state.answer(bytes);
}

/// A legal move as text: 0 USI, 1 KIF, 2 KI2, 3 CSA. Returns 0 if it is not legal.
#[unsafe(no_mangle)]
pub extern "C" fn r_move_text(board: usize, bits: u32, format: u32) -> u32 {
    let mut state = state();
    let pos = state.board(board);
    let last = pos.last_move().map(Move::to);
    let mv = u16::try_from(bits).ok().and_then(Move::from_bits).filter(|&mv| is_legal(pos, mv));
    let Some(mv) = mv else {
        state.fail("the move is not legal");
        return 0;
    };
    let text = match format {
        1 => kif::move_text(pos, mv, last),
        2 => ki2::move_text(pos, mv, last),
        3 => csa::move_text(pos, mv),
        _ => mv.to_string(),
    };
    state.answer(text);
    1
}

/// The number of sequences of so many legal moves; -1 beyond 100 moves.
#[unsafe(no_mangle)]
pub extern "C" fn r_perft(board: usize, depth: u32) -> f64 {
    if depth > 100 {
        return -1.0;
    }
    perft(&mut state().board(board).clone(), depth)
}

/// The library's own `perft` is faster, and as large as all the move generator.
fn perft(pos: &mut Position, depth: u32) -> f64 {
    if depth == 0 {
        return 1.0;
    }
    let moves = pos.legal_moves();
    if depth == 1 {
        return moves.len() as f64;
    }
    let mut nodes = 0.0;
    for mv in &moves {
        pos.do_move(mv);
        nodes += perft(pos, depth - 1);
        pos.undo();
    }
    nodes
}

/// A position as a picture (SVG): its SFEN, the caption on the lines behind it, the move that led there or 0; `how`: 1
/// white below, 2 letters of SFEN. Returns 0 for no SFEN.
#[cfg(feature = "formats")]
#[unsafe(no_mangle)]
pub extern "C" fn r_svg(at: *const u8, length: usize, last: u32, how: u32) -> u32 {
    let text = text(at, length);
    let (sfen, caption) = text.split_once('\n').unwrap_or((&text, ""));
    let last = Move::from_bits(last as u16);
    let picture = Picture { last, flipped: how & 1 != 0, letters: how & 2 != 0, caption };
    match Position::from_sfen(sfen) {
        Ok(pos) => {
            state().answer(board_svg(&pos, &picture));
            1
        }
        Err(error) => {
            state().fail(error);
            0
        }
    }
}

/// Reads the games of a text (see `records.rs`).
#[unsafe(no_mangle)]
pub extern "C" fn r_read(at: *const u8, length: usize) {
    let games = records::read(&text(at, length));
    let mut state = state();
    state.answer = games.text.into_bytes();
    state.numbers = games.numbers;
}

/// Writes a game (see `records.rs`): the text, with `losses` the parts that the format has no place for, or 0.
#[cfg(feature = "formats")]
#[unsafe(no_mangle)]
pub extern "C" fn r_write(numbers: *const u8, bytes: usize, at: *const u8, length: usize, losses: u32) -> u32 {
    let words = text(at, length);
    let written = written::write(Reader::new(memory::bytes(numbers, bytes), &words), losses != 0);
    let is_written = written.is_ok();
    state().answer(written.unwrap_or_else(|error| error));
    is_written.into()
}
