//! The board: a position with the moves that led to it.

use crate::arrays::{array, features, int32};
use crate::errors::bad_value;
use crate::moves::{AnyMove, Pickled, PyMove, object, objects, of_text};
use crate::numbers::number;
use crate::octets::octets;
use crate::planes::planes_of as planes;
use crate::task;
use komainu::bitboard::Bitboard;
use komainu::host::with_thread_pool;
use komainu::mate::mate_in_one;
use komainu::movegen::{All, Divide, MAX_PERFT_DEPTH, MoveList, divide, generate_into, has_legal_move, is_legal};
use komainu::notation::svg::{Picture, board_svg};
use komainu::notation::usi::parse_board;
use komainu::notation::{csa, ki2, kif};
use komainu::position::{
    Declaration, EnteringKingRule, GameRules, HuffmanPosition, PackedPosition, Position, PositionBuilder, Repetition,
};
use komainu::protocol::PositionCommand;
use komainu::referee::judge;
use komainu::types::{Color, Counted, Move, Piece, PieceType, Square, StopToken};
use komainu_tools::training::dlshogi::label;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PySlice, PyString};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A position with the moves that led to it: `Board()` is the start of an even game, `Board(sfen)` any other.
///
/// The text may be a SFEN, "startpos", or either with moves behind it, also after the word "position". A board that is
/// asked for what cannot be raises ValueError, names the word, and stays as it was.
///
/// >>> b = Board()
/// >>> b.push_usi("7g7f")
/// Move('7g7f')
/// >>> len(b.legal_moves), b.turn, b.ply
/// (30, 1, 2)
/// >>> b.push_usi("7g7f")
/// Traceback (most recent call last):
/// ValueError: 7g7f is not legal
#[pyclass(module = "komainu")]
#[derive(Clone)]
pub(crate) struct Board {
    pub(crate) pos: Position,
}

/// A square by its name, as "7g", or by its number from 0 (1a) to 80 (9i).
fn square(value: &Bound<'_, PyAny>) -> PyResult<Square> {
    match value.downcast::<PyString>() {
        Ok(text) => text.to_string_lossy().parse().map_err(bad_value),
        Err(_) => Ok(Square::ALL[number("square", value, 0, 80)? as usize]),
    }
}

/// The bytes of a packed position.
fn packed_bytes(value: &Bound<'_, PyAny>) -> PyResult<[u8; 32]> {
    let bytes = octets(value)?;
    let bytes = bytes.as_bytes();
    bytes.try_into().map_err(|_| bad_value(format_args!("{} bytes, not 32", bytes.len())))
}

fn color(value: &Bound<'_, PyAny>) -> PyResult<Color> {
    Ok(Color::ALL[number("color", value, 0, 1)? as usize])
}

/// A piece by its letter of SFEN, as "P", "p", "+R".
fn piece(text: &str) -> PyResult<Piece> {
    text.parse().map_err(bad_value)
}

fn names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

impl Board {
    /// Reads what a `Board` is made from.
    pub(crate) fn read(text: &str) -> PyResult<Board> {
        parse_board(text).map(|pos| Board { pos }).map_err(bad_value)
    }

    fn attackers_of(&self, color: &Bound<'_, PyAny>, square: &Bound<'_, PyAny>) -> PyResult<Bitboard> {
        Ok(self.pos.attackers(self::color(color)?, self::square(square)?, self.pos.occupied()))
    }

    /// Plays a legal move.
    fn play(&mut self, py: Python<'_>, mv: Move) -> PyResult<Py<PyMove>> {
        self.pos.play(mv).map_err(bad_value)?;
        object(py, mv)
    }

    /// The position text with the whole game.
    pub(crate) fn game(&self) -> String {
        PositionCommand::of_game(&self.pos).to_string()
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (sfen=None))]
    fn new(sfen: Option<&str>) -> PyResult<Board> {
        match sfen {
            None => Ok(Board { pos: Position::startpos() }),
            Some(text) => Board::read(text),
        }
    }

    /// The board of a packed position of 32 bytes, as training records hold it. Its move counter is 1.
    #[staticmethod]
    fn unpack(packed: &Bound<'_, PyAny>) -> PyResult<Board> {
        let bytes = packed_bytes(packed)?;
        PackedPosition(bytes).unpack().map(|pos| Board { pos }).map_err(bad_value)
    }

    /// The position in 32 bytes. Raises ValueError where a king is missing.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.pos.pack().map(|packed| PyBytes::new(py, &packed.0)).map_err(bad_value)
    }

    /// The board of 32 bytes as Apery and dlshogi pack positions (hcp). Its move counter is 1.
    #[staticmethod]
    fn unpack_hcp(packed: &Bound<'_, PyAny>) -> PyResult<Board> {
        let bytes = packed_bytes(packed)?;
        HuffmanPosition(bytes).unpack().map(|pos| Board { pos }).map_err(bad_value)
    }

    /// The position in 32 bytes as Apery and dlshogi pack it (hcp). Raises ValueError where a king is missing.
    fn pack_hcp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.pos.pack_huffman().map(|packed| PyBytes::new(py, &packed.0)).map_err(bad_value)
    }

    /// Sets the position from a text, as `Board(text)` does.
    fn set_sfen(&mut self, text: &str) -> PyResult<()> {
        *self = Board::read(text)?;
        Ok(())
    }

    /// Sets up the start of an even game.
    fn reset(&mut self) {
        self.pos = Position::startpos();
    }

    /// The SFEN of the position, with its move counter.
    fn sfen(&self) -> String {
        self.pos.to_sfen()
    }

    /// The whole game as the `position` command of USI, which `Board(text)` reads.
    fn usi_position(&self) -> String {
        self.game()
    }

    /// The side to move: BLACK (0) or WHITE (1).
    #[getter]
    fn turn(&self) -> usize {
        self.pos.side().index()
    }

    /// The move counter of the position: 1 at the start of an even game.
    #[getter]
    fn ply(&self) -> u32 {
        self.pos.ply()
    }

    /// The same as `ply`, as python-shogi and cshogi call it.
    #[getter]
    fn move_number(&self) -> u32 {
        self.pos.ply()
    }

    /// The legal moves of the position as it is now: iterable, with len() and `in` (a Move, its text or its bits).
    #[getter]
    fn legal_moves(&self) -> LegalMoves {
        // Not by `legal_moves()`, which would copy the room for the longest list.
        let mut moves = MoveList::new();
        generate_into::<All>(&self.pos, &mut moves);
        LegalMoves { moves: moves[..].into() }
    }

    /// The moves that were made, first to last.
    #[getter]
    fn move_stack(&self, py: Python<'_>) -> PyResult<Vec<Py<PyMove>>> {
        objects(py, &self.pos.game().1)
    }

    /// Makes a legal move and returns it. ValueError for any other.
    fn push(&mut self, py: Python<'_>, r#move: AnyMove) -> PyResult<Py<PyMove>> {
        self.play(py, r#move.0)
    }

    /// Makes a legal move that is given as text in USI, and returns it.
    fn push_usi(&mut self, usi: &Bound<'_, PyString>) -> PyResult<Py<PyMove>> {
        let mv = of_text(usi)?;
        self.pos.play(mv.get().0).map_err(bad_value)?;
        Ok(mv)
    }

    /// Makes a legal move that is given as text of CSA, as "+7776FU" or "7776FU", and returns it.
    fn push_csa(&mut self, py: Python<'_>, text: &str) -> PyResult<Py<PyMove>> {
        let mv = csa::parse_unsigned_move(&self.pos, text);
        self.play(py, mv.ok_or_else(|| bad_value(format_args!("{text:?} is not a move in CSA")))?)
    }

    /// Takes back the last move and returns it. IndexError if there is none.
    fn pop(&mut self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let Some(mv) = self.pos.last_move() else {
            let is_pass = self.pos.moves_made() > 0;
            let why = if is_pass { "the last move is a pass: pop_pass()" } else { "there is no move to take back" };
            return Err(PyIndexError::new_err(why));
        };
        self.pos.undo();
        object(py, mv)
    }

    /// Passes: the other side is to move. ValueError in check.
    fn push_pass(&mut self) -> PyResult<()> {
        if self.pos.in_check() {
            return Err(bad_value("a side that is in check cannot pass"));
        }
        self.pos.do_null_move();
        Ok(())
    }

    /// Takes back a pass. IndexError if the last move is none.
    fn pop_pass(&mut self) -> PyResult<()> {
        if self.pos.moves_made() == 0 || self.pos.last_move().is_some() {
            return Err(PyIndexError::new_err("the last move is no pass"));
        }
        self.pos.undo();
        Ok(())
    }

    /// The last move; IndexError if there is none.
    fn peek(&self, py: Python<'_>) -> PyResult<Py<PyMove>> {
        let mv = self.pos.last_move().ok_or_else(|| PyIndexError::new_err("no move has been made"))?;
        object(py, mv)
    }

    fn is_legal(&self, r#move: AnyMove) -> bool {
        is_legal(&self.pos, r#move.0)
    }

    /// True if the side to move is in check.
    fn is_check(&self) -> bool {
        self.pos.in_check()
    }

    /// True if the move, which must be legal, gives check.
    fn gives_check(&self, r#move: AnyMove) -> PyResult<bool> {
        if !is_legal(&self.pos, r#move.0) {
            return Err(bad_value(format_args!("{} is not legal", r#move.0)));
        }
        Ok(self.pos.gives_check(r#move.0))
    }

    /// True if the side to move is mated.
    fn is_checkmate(&self) -> bool {
        self.pos.in_check() && !has_legal_move(&self.pos)
    }

    /// True if the rules end the game here: mate, no legal move, a fourth occurrence. A declaration is up to the side.
    fn is_game_over(&self) -> bool {
        judge(&self.pos, &GameRules::default()).is_some()
    }

    /// True if the position stands on the board for the fourth time, the start counted.
    fn is_repetition(&self) -> bool {
        self.pos.repetition().is_some()
    }

    /// What a fourth occurrence means for the side to move: "draw", "win" or "loss" (perpetual check); None if there is
    /// none.
    fn repetition(&self) -> Option<&'static str> {
        self.pos.repetition().map(|repetition| match repetition {
            Repetition::Draw => "draw",
            Repetition::Win => "win",
            Repetition::Loss => "loss",
        })
    }

    /// True if the side to move wins by declaring (nyugyoku). Rules: "CSARule27" (the default), "CSARule27H",
    /// "CSARule24", "CSARule24H", "TryRule" (then by a king move), "NoEnteringKing".
    #[pyo3(signature = (rule=None))]
    fn can_declare(&self, rule: Option<&str>) -> PyResult<bool> {
        let rule: EnteringKingRule = rule.map_or(Ok(EnteringKingRule::default()), str::parse).map_err(bad_value)?;
        Ok(matches!(self.pos.declaration(rule), Some(Declaration::Win | Declaration::Try(_))))
    }

    /// The same as `can_declare()`, as cshogi calls it.
    fn is_nyugyoku(&self) -> PyResult<bool> {
        self.can_declare(None)
    }

    /// The number of sequences of legal moves of this length, 0 to 100. Counts on all cores; Ctrl-C ends it.
    fn perft(&self, py: Python<'_>, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
        let depth = number("depth", depth, 0, MAX_PERFT_DEPTH.into())? as u32;
        if depth == 0 {
            return Ok(1);
        }
        let stop = StopToken::new();
        let pos = &self.pos;
        let how = Divide { stop: Some(&stop), ..Divide::default() };
        // Within threads of its own: those of a pool for the whole process would be gone after a fork.
        let size = if depth > 4 { usize::MAX } else { 1 };
        let counts = task::run(py, || stop.stop(), || with_thread_pool(size, || divide(pos, depth, &how)))?;
        Ok(counts.map_err(bad_value)?.into_iter().fold(0, |sum, (_, nodes)| nodes.saturating_add(sum)))
    }

    /// The piece on a square ("7g", or 0 for 1a to 80 for 9i) as SFEN has it: "P", "p", "+R"; None for an empty one.
    fn piece_at(&self, square: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        Ok(self.pos.piece_on(self::square(square)?).map(|piece| piece.to_string()))
    }

    /// The squares of all pieces like this one ("P", "p", "+R"), from 1a on.
    fn pieces(&self, piece: &str) -> PyResult<Vec<String>> {
        let piece = self::piece(piece)?;
        Ok(names(self.pos.pieces_of(piece.color(), piece.piece_type())))
    }

    /// The same as a number with a bit for each square: 1 << 0 for 1a, 1 << 80 for 9i.
    fn pieces_mask(&self, piece: &str) -> PyResult<u128> {
        let piece = self::piece(piece)?;
        Ok(self.pos.pieces_of(piece.color(), piece.piece_type()).bits())
    }

    /// The squares that pieces stand on, of one side or of both, as a number with a bit for each.
    #[pyo3(signature = (color=None))]
    fn occupied_mask(&self, color: Option<&Bound<'_, PyAny>>) -> PyResult<u128> {
        match color {
            None => Ok(self.pos.occupied().bits()),
            Some(color) => Ok(self.pos.pieces(self::color(color)?).bits()),
        }
    }

    /// The squares of the pieces of a side that attack a square, pinned ones too.
    ///
    /// >>> Board().attackers(0, "7h")
    /// ['2h', '6i', '7i']
    fn attackers(&self, color: &Bound<'_, PyAny>, square: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        self.attackers_of(color, square).map(names)
    }

    /// The same as a number with a bit for each square.
    fn attackers_mask(&self, color: &Bound<'_, PyAny>, square: &Bound<'_, PyAny>) -> PyResult<u128> {
        self.attackers_of(color, square).map(Bitboard::bits)
    }

    /// The squares of the pieces that give check to the side to move.
    fn checkers(&self) -> Vec<String> {
        names(self.pos.checkers())
    }

    /// The same as a number with a bit for each square.
    fn checkers_mask(&self) -> u128 {
        self.pos.checkers().bits()
    }

    /// The squares of the pieces of the side to move that may move only along the line to their king.
    fn pinned(&self) -> Vec<String> {
        names(self.pos.pinned())
    }

    /// The same as a number with a bit for each square.
    fn pinned_mask(&self) -> u128 {
        self.pos.pinned().bits()
    }

    /// The position in a left-right mirror, without the moves that led there.
    fn mirror(&self) -> Board {
        Board { pos: self.pos.mirror() }
    }

    /// The position as the other side sees it: turned by 180 degrees, the colours and the turn exchanged, without the
    /// moves that led there.
    fn rotate(&self) -> Board {
        Board { pos: self.pos.rotate() }
    }

    /// A move that mates at once; None if there is none.
    fn mate_in_one(&self, py: Python<'_>) -> PyResult<Option<Py<PyMove>>> {
        mate_in_one(&self.pos).map(|mv| object(py, mv)).transpose()
    }

    /// The pieces in the hand of a side with their numbers, as {"P": 2}.
    fn hand<'py>(&self, py: Python<'py>, color: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let held = PyDict::new(py);
        for (piece_type, count) in self.pos.hand(self::color(color)?).iter() {
            held.set_item(piece_type.to_string(), count)?;
        }
        Ok(held)
    }

    /// The square of the king of a side, as "5i"; None if there is none.
    fn king_square(&self, color: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        Ok(self.pos.king(self::color(color)?).map(|square| square.to_string()))
    }

    /// The key of the position, 64 bits: the same for the same board, hands and side, whatever the move counter.
    fn zobrist_hash(&self) -> u64 {
        self.pos.key().0
    }

    /// A legal move as text in "usi", "kif", "ki2" or "csa".
    #[pyo3(signature = (r#move, format="ki2"))]
    fn move_text(&self, r#move: AnyMove, format: &str) -> PyResult<String> {
        let mv = r#move.0;
        let last = self.pos.last_move().map(Move::to);
        if !is_legal(&self.pos, mv) {
            return Err(bad_value(format_args!("{mv} is not legal")));
        }
        match format {
            "usi" => Ok(mv.to_string()),
            "kif" => Ok(kif::move_text(&self.pos, mv, last)),
            "ki2" => Ok(ki2::move_text(&self.pos, mv, last)),
            "csa" => Ok(csa::move_text(&self.pos, mv)),
            other => Err(bad_value(format_args!("{other:?} is none of usi, kif, ki2, csa"))),
        }
    }

    /// The board as a picture that stands alone (SVG), as books print it, the square of the last move grey.
    ///
    /// flipped: white below. letters: the letters of SFEN for readers without Japanese. caption: a line below.
    #[pyo3(signature = (*, flipped=false, letters=false, caption=""))]
    fn to_svg(&self, flipped: bool, letters: bool, caption: &str) -> String {
        board_svg(&self.pos, &Picture { last: self.pos.last_move(), flipped, letters, caption })
    }

    fn _repr_svg_(&self) -> String {
        self.to_svg(false, false, "")
    }

    /// The 81 squares as an array of uint8, 1a first, then 1b: 0 for none, 1 to 8 pawn, lance, knight, silver, bishop,
    /// rook, gold, king, 9 to 14 the promoted ones, 16 more for white's.
    fn to_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, &self.pos.board_numbers(), "u1", (81,))
    }

    /// The hands as an array of uint8 of the shape (2, 7): black's and white's pawns, lances, knights, silvers, golds,
    /// bishops, rooks.
    fn hands_array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, Color::ALL.map(|color| self.pos.hand_counts(color)).as_flattened(), "u1", (2, 7))
    }

    /// The board of arrays as `to_array` and `hands_array` give them; without hands nobody holds a piece.
    ///
    /// Errors: ValueError for numbers that are no pieces, other lengths, and what is no position.
    #[staticmethod]
    #[pyo3(signature = (squares, hands=None, turn=None, ply=None))]
    fn from_array(
        squares: &Bound<'_, PyAny>,
        hands: Option<&Bound<'_, PyAny>>,
        turn: Option<&Bound<'_, PyAny>>,
        ply: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Board> {
        let mut builder = PositionBuilder::new();
        for (at, piece) in bytes_of("squares", squares, 81)?.into_iter().enumerate() {
            if piece == 0 {
                continue;
            }
            let known = Piece::ALL.into_iter().find(|known| known.index() == usize::from(piece));
            let known = known.ok_or_else(|| bad_value(format_args!("squares: {piece} is no piece")))?;
            builder.piece(Square::ALL[at], known);
        }
        if let Some(hands) = hands {
            for (at, count) in bytes_of("hands", hands, 14)?.into_iter().enumerate() {
                builder.hand(Color::ALL[at / 7], PieceType::HAND_ARRAY[at % 7], count.into());
            }
        }
        if let Some(turn) = turn {
            builder.side(color(turn)?);
        }
        if let Some(ply) = ply {
            builder.ply(number("ply", ply, 1, 1_000_000)? as u32);
        }
        builder.build().map(|pos| Board { pos }).map_err(bad_value)
    }

    /// The inputs of a net of dlshogi as two arrays of float32, (62, 9, 9) and (57, 9, 9), seen by the side to move.
    fn dlshogi_planes<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyAny>; 2]> {
        planes(py, &self.pos)
    }

    /// The label of a legal move in the policy of dlshogi, 0 to 2186, seen by the side to move.
    fn dlshogi_label(&self, r#move: AnyMove) -> PyResult<usize> {
        let label = if is_legal(&self.pos, r#move.0) { label(r#move.0, self.pos.side()) } else { None };
        label.ok_or_else(|| bad_value(format_args!("{} is not legal", r#move.0)))
    }

    /// The active inputs of a net as two arrays of int32, those of the side to move first. Sets: "HalfKP", "HalfKPvm",
    /// "HalfKA1", "HalfKA2", "HalfKA_hm1", "HalfKA_hm2", "K-P", "KA2".
    fn features<'py>(&self, py: Python<'py>, set: &str) -> PyResult<[Bound<'py, PyAny>; 2]> {
        let [own, other] = features(set)?(&self.pos).map(|inputs| int32(&inputs));
        Ok([array(py, &own, "<i4", (-1,))?, array(py, &other, "<i4", (-1,))?])
    }

    fn copy(&self) -> Board {
        self.clone()
    }

    fn __copy__(&self) -> Board {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Board {
        self.clone()
    }

    fn __reduce__(&self, py: Python<'_>) -> Pickled<(String,)> {
        (py.get_type::<Board>().into_any().unbind(), (self.game(),))
    }

    /// Boards are equal with the same board, hands, side and move counter, whatever led there.
    fn __eq__(&self, other: PyRef<'_, Board>) -> bool {
        self.pos == other.pos
    }

    /// The hash is that of the position as it is now: a board in a set or a dict must not be moved on. `sfen()` and
    /// `zobrist_hash()` are keys that stay.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.pos.hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> String {
        format!("{:?}", self.pos)
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.pos)
    }
}

/// So many small numbers of an array, whatever its shape.
fn bytes_of(name: &str, value: &Bound<'_, PyAny>, count: usize) -> PyResult<Vec<u8>> {
    let flat = value.call_method0("ravel").unwrap_or_else(|_| value.clone());
    let mut numbers = Vec::new();
    for one in flat.try_iter()? {
        numbers.push(number(name, &one?, 0, 255)? as u8);
    }
    if numbers.len() != count {
        return Err(bad_value(format_args!("{name}: {} numbers, not {count}", numbers.len())));
    }
    Ok(numbers)
}

/// The legal moves of a position.
#[pyclass(frozen, module = "komainu")]
pub(crate) struct LegalMoves {
    moves: Box<[Move]>,
}

#[pymethods]
impl LegalMoves {
    #[new]
    fn new(moves: Vec<AnyMove>) -> LegalMoves {
        LegalMoves { moves: moves.into_iter().map(|mv| mv.0).collect() }
    }

    fn __len__(&self) -> usize {
        self.moves.len()
    }

    /// What is no move is no legal one.
    fn __contains__(&self, value: &Bound<'_, PyAny>) -> bool {
        value.extract::<AnyMove>().is_ok_and(|mv| self.moves.contains(&mv.0))
    }

    /// A move by its place, or a list of those of a slice.
    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if index.is_instance_of::<PySlice>() {
            return PyList::new(py, objects(py, &self.moves)?)?.as_any().get_item(index);
        }
        let index: isize = index.extract()?;
        let at = if index < 0 { self.moves.len().checked_add_signed(index) } else { Some(index as usize) };
        let Some(&mv) = at.and_then(|at| self.moves.get(at)) else {
            let count = Counted(self.moves.len() as u64, "legal move");
            return Err(PyIndexError::new_err(format!("{index}: of {count}")));
        };
        Ok(object(py, mv)?.into_bound(py).into_any())
    }

    fn __eq__(&self, other: PyRef<'_, LegalMoves>) -> bool {
        self.moves == other.moves
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<Pickled<(Vec<Py<PyMove>>,)>> {
        Ok((py.get_type::<LegalMoves>().into_any().unbind(), (objects(py, &self.moves)?,)))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, objects(py, &self.moves)?)?.try_iter()
    }

    fn __repr__(&self) -> String {
        let words: Vec<String> = self.moves.iter().map(Move::to_string).collect();
        format!("<LegalMoves {}>", words.join(" "))
    }
}
