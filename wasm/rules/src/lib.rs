//! The rules of shogi and its records for JavaScript: the module inside the npm package `komainu-rules`.
//!
//! Boards are numbers that `r_board` gives. A function that fails returns 0 (or -1, where 0 is an answer) and leaves a
//! message; texts are UTF-8, and an answer in text or bytes is read at `r_answer()`, `r_answer_length()` before the
//! next call.
//! Moves are the 16 bits of `komainu::types::Move`; no move has 0.

#[path = "../../src/memory.rs"]
mod memory;
mod records;

use komainu::host::lock;
use komainu::movegen::{has_legal_move, is_legal, perft};
use komainu::notation::svg::{Picture, board_svg};
use komainu::notation::usi::parse_board;
use komainu::notation::{csa, ki2, kif};
use komainu::position::{Declaration, EnteringKingRule, GameRules, Position, Repetition};
use komainu::protocol::PositionCommand;
use komainu::referee::judge;
use komainu::types::{Color, Move, PieceType, Square};
use std::borrow::Cow;
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard};

/// The boards that JavaScript holds, and the last answer.
struct State {
    boards: Vec<Option<Position>>,
    /// Places of forgotten boards. JavaScript forgets late: thousands can be held at a time.
    free: Vec<usize>,
    answer: Vec<u8>,
}

static STATE: Mutex<State> = Mutex::new(State { boards: Vec::new(), free: Vec::new(), answer: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    // A breakdown ends the program: nothing is left half done.
    lock(&STATE)
}

impl State {
    fn board(&mut self, board: u32) -> &mut Position {
        self.boards.get_mut(board as usize - 1).and_then(Option::as_mut).expect("JavaScript holds this board")
    }

    fn keep(&mut self, pos: Position) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            self.boards.push(None);
            self.boards.len() - 1
        });
        self.boards[at] = Some(pos);
        at as u32 + 1
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

/// Makes a board of a text.
#[unsafe(no_mangle)]
pub extern "C" fn r_board(at: *const u8, length: usize) -> u32 {
    let read = parse_board(&text(at, length));
    let mut state = state();
    match read {
        Ok(pos) => state.keep(pos),
        Err(error) => {
            state.fail(error);
            0
        }
    }
}

/// Copies a board.
#[unsafe(no_mangle)]
pub extern "C" fn r_copy(board: u32) -> u32 {
    let mut state = state();
    let pos = state.board(board).clone();
    state.keep(pos)
}

/// Forgets a board.
#[unsafe(no_mangle)]
pub extern "C" fn r_drop(board: u32) {
    let mut state = state();
    let at = board as usize - 1;
    if state.boards.get_mut(at).is_some_and(|held| held.take().is_some()) {
        state.free.push(at);
    }
}

/// The legal moves, two bytes each.
#[unsafe(no_mangle)]
pub extern "C" fn r_moves(board: u32) {
    let mut state = state();
    let moves = state.board(board).legal_moves();
    let bytes: Vec<u8> = moves.iter().flat_map(|mv| mv.bits().to_le_bytes()).collect();
    state.answer(bytes);
}

/// Reads a move of USI or CSA; whether it is legal is not tested.
#[unsafe(no_mangle)]
pub extern "C" fn r_move(board: u32, at: *const u8, length: usize) -> u32 {
    let text = text(at, length);
    let mut state = state();
    let pos = state.board(board);
    let sign = ["+", "-"][pos.side().index()];
    let of_csa = || csa::parse_move(pos, &text).or_else(|| csa::parse_move(pos, &format!("{sign}{text}")));
    match text.parse::<Move>().or_else(|error| of_csa().ok_or(error)) {
        Ok(mv) => mv.bits().into(),
        Err(error) => {
            state.fail(error);
            0
        }
    }
}

/// Makes a legal move; 0 for any other.
#[unsafe(no_mangle)]
pub extern "C" fn r_push(board: u32, bits: u32) -> u32 {
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

/// Takes the last move back and returns it; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn r_pop(board: u32) -> u32 {
    let mut state = state();
    let pos = state.board(board);
    let Some(mv) = pos.last_move().filter(|_| pos.moves_made() > 0) else { return 0 };
    pos.undo();
    mv.bits().into()
}

/// Tests whether a move is legal.
#[unsafe(no_mangle)]
pub extern "C" fn r_legal(board: u32, bits: u32) -> u32 {
    let mv = u16::try_from(bits).ok().and_then(Move::from_bits);
    mv.is_some_and(|mv| is_legal(state().board(board), mv)).into()
}

/// Those facts of a position whose bits are wanted: bit 0 white to move, 1 in check, 2 no legal move, 3 over by the
/// rules; bits 4 and 5 a fourth occurrence (1 a draw, 2 a win of the side to move, 3 a loss); bit 6 the side to move
/// wins by declaring.
#[unsafe(no_mangle)]
pub extern "C" fn r_facts(board: u32, wanted: u32) -> u32 {
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
pub extern "C" fn r_ply(board: u32) -> u32 {
    state().board(board).ply()
}

/// The SFEN of the position, with `game` the position text with all moves.
#[unsafe(no_mangle)]
pub extern "C" fn r_sfen(board: u32, game: u32) {
    let mut state = state();
    let pos = state.board(board);
    let text = if game == 0 { pos.to_sfen() } else { PositionCommand::of_game(pos).to_string() };
    state.answer(text);
}

/// The pieces: 81 bytes for the squares from 1a on, 1b next (0 for none, 1 to 14 black's, 17 to 30 white's), then seven
/// counts of each hand: pawns, lances, knights, silvers, golds, bishops, rooks.
#[unsafe(no_mangle)]
pub extern "C" fn r_pieces(board: u32) {
    const HELD: [PieceType; 7] = {
        use PieceType::*;
        [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook]
    };
    let mut state = state();
    let pos = state.board(board);
    let number = |square| pos.piece_on(square).map_or(0, |it| it.piece_type().index() + 16 * it.color().index());
    let mut bytes: Vec<u8> = Square::ALL.into_iter().map(|square| number(square) as u8).collect();
    bytes.extend(Color::ALL.into_iter().flat_map(|color| HELD.map(|kind| pos.hand(color).count(kind))));
    state.answer(bytes);
}

/// A legal move as text: 0 USI, 1 KIF, 2 KI2, 3 CSA. Returns 0 if it is not legal.
#[unsafe(no_mangle)]
pub extern "C" fn r_move_text(board: u32, bits: u32, format: u32) -> u32 {
    let mut state = state();
    let pos = state.board(board);
    let last = pos.last_move().filter(|_| pos.moves_made() > 0).map(Move::to);
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
pub extern "C" fn r_perft(board: u32, depth: u32) -> f64 {
    perft(&mut state().board(board).clone(), depth).map_or(-1.0, |nodes| nodes as f64)
}

/// The board as a picture (SVG), with this caption; `how`: 1 white below, 2 letters of SFEN.
#[unsafe(no_mangle)]
pub extern "C" fn r_svg(board: u32, how: u32, at: *const u8, length: usize) {
    let caption = text(at, length);
    let mut state = state();
    let pos = state.board(board);
    let last = pos.last_move().filter(|_| pos.moves_made() > 0);
    let picture = Picture { last, flipped: how & 1 != 0, letters: how & 2 != 0, caption: &caption };
    let text = board_svg(pos, &picture);
    state.answer(text);
}

/// Reads the games of a text: a list of them as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn r_read(at: *const u8, length: usize) {
    let answer = records::read(&text(at, length));
    state().answer(answer);
}

/// Writes a game, given as JSON with the format and the headers: the text, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn r_write(at: *const u8, length: usize) -> u32 {
    let written = records::write(&text(at, length));
    let is_written = written.is_ok();
    state().answer(written.unwrap_or_else(|error| error));
    is_written.into()
}
