//! Histories: the moves that worked before, by the move itself, by the moves that led to it, and by the pawns on the
//! board.
//!
//! All values move by a *gravity* rule: the nearer a value is to its bound, the less a further bonus moves it, so that
//! it follows what happened lately (Stockfish; chessprogramming wiki, "History heuristic"). Cells are filled with a
//! value below zero where most of them end (Stockfish). What is learnt when is said in `tree::learn`.

use super::cells::{Cell, Cells, LANES, gravity, read_lanes};
use crate::movegen::Group;
use crate::position::Position;
use crate::system::prefetch;
use crate::types::{Color, Move, MoveKind, Piece, PieceType, Square};
use arrayvec::ArrayVec;

/// Bounds of the values.
pub(crate) const MAIN_LIMIT: i32 = 7_183;
const CAPTURE_LIMIT: i32 = 10_692;
const CONTINUATION_LIMIT: i32 = 30_000;
const PAWN_LIMIT: i32 = 8_192;
const TT_MOVE_LIMIT: i32 = 8_192;

/// Content of the cells before anything is learnt.
const LOW_PLY_FILL: i16 = 98;
const CAPTURE_FILL: i16 = -678;
const CONTINUATION_FILL: i16 = -523;
const PAWN_FILL: i16 = -1_238;

/// Plies from the root on whose moves are remembered by ply.
pub(crate) const LOW_PLIES: usize = 5;

/// Most changes of a search that are noted, to be put back one by one.
const LOW_PLY_CHANGES: usize = 4_096;

/// A piece on the square that it has moved to, as an index; 0 stands for no move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

/// All indices of a [`PieceTo`].
pub(crate) const PIECE_TOS: usize = Piece::COUNT * 81;

impl PieceTo {
    /// No move, or a null move. No piece has the number 0.
    pub(crate) const NONE: PieceTo = PieceTo(0);

    pub(crate) fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 81 + to.index()) as u16)
    }

    /// Piece and destination of a move of the side to move.
    pub(crate) fn of(pos: &Position, mv: Move) -> PieceTo {
        PieceTo::new(placed(pos, mv), mv.to())
    }

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The piece that a move puts on its destination.
fn placed(pos: &Position, mv: Move) -> Piece {
    match mv.kind() {
        MoveKind::Drop { piece_type, .. } => Piece::new(pos.side(), piece_type),
        MoveKind::Board { from, promote, .. } => {
            let piece = pos.piece_on(from).unwrap_or(Piece::new(pos.side(), PieceType::Pawn));
            if promote { piece.promoted() } else { piece }
        }
    }
}

/// Memory of the histories that the threads of a pool share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistorySize {
    /// For games and analysis: 106 MB.
    Full,
    /// For searches of some thousands of nodes, which would spend more time on clearing than on thinking: 30 MB.
    Small,
}

impl HistorySize {
    /// The larger size that takes at most this many megabytes; [`HistorySize::Small`] if neither fits.
    ///
    /// ```
    /// use komainu::search::HistorySize;
    ///
    /// assert_eq!(HistorySize::within(1_000), HistorySize::Full);
    /// assert_eq!(HistorySize::within(50), HistorySize::Small);
    /// ```
    pub const fn within(megabytes: usize) -> HistorySize {
        if megabytes >= HistorySize::Full.megabytes() { HistorySize::Full } else { HistorySize::Small }
    }

    /// Memory of these histories, which a pool takes once, in megabytes of 1,000,000 bytes, rounded up.
    pub const fn megabytes(self) -> usize {
        match self {
            HistorySize::Full => 106,
            HistorySize::Small => 30,
        }
    }

    /// Planes of the continuation history: by whether the earlier move answered a check and whether it captured.
    const fn planes(self) -> usize {
        match self {
            HistorySize::Full => 4,
            HistorySize::Small => 1,
        }
    }

    /// Rows of the pawn history, a power of two.
    const fn pawn_rows(self) -> usize {
        match self {
            HistorySize::Full => 8_192,
            HistorySize::Small => 512,
        }
    }

    /// Size of the shared histories in bytes, without the corrections.
    pub(crate) const fn bytes(self) -> usize {
        2 * PIECE_TOS * (self.planes() * PIECE_TOS + self.pawn_rows())
    }
}

/// The answers to an earlier move: a row of the continuation history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ContHistIndex(u32);

impl ContHistIndex {
    /// The row that stands for no move: it is read and never learnt.
    pub(crate) const NONE: ContHistIndex = ContHistIndex(0);
}

/// Number of earlier moves whose answers are remembered.
pub(crate) const CONTINUATIONS: usize = 6;
/// Places of those of them that the order of quiet moves reads.
const READ: [usize; 5] = [0, 1, 2, 3, 5];

/// Where the histories keep what they know of the moves of one node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HistoryKeys {
    /// The answers to the moves one to six plies before.
    pub(crate) cont_hist: [ContHistIndex; CONTINUATIONS],
    /// Row of the pawn history.
    pub(crate) pawn_row: usize,
    pub(crate) ply: usize,
}

/// `[upper bits of a move][destination]`: the 16 bits of a move as two indices, so that promotion and plain move
/// differ.
type Butterfly = [[i16; 128]; 512];

fn origin(mv: Move) -> usize {
    usize::from(mv.bits() >> 7)
}

/// The large histories, which all threads of a pool learn together. A clone is the same tables.
#[derive(Clone, Default)]
pub(crate) struct SharedHistory {
    /// Moves as an answer to an earlier move, `[row][piece and destination]`, flat; within ±30,000.
    continuations: Cells,
    /// Quiet moves by the pawns on the board, `[pawn key][piece and destination]`, flat; within ±8,192.
    pawns: Cells,
}

impl SharedHistory {
    pub(crate) fn new(size: HistorySize) -> SharedHistory {
        SharedHistory {
            continuations: Cells::new(CONTINUATION_FILL, size.planes() * PIECE_TOS * PIECE_TOS),
            pawns: Cells::new(PAWN_FILL, size.pawn_rows() * PIECE_TOS),
        }
    }

    /// A sum that changes with everything that is learnt.
    #[cfg(test)]
    pub(crate) fn value_sum(&self) -> i64 {
        self.continuations.value_sum() + self.pawns.value_sum()
    }

    /// Tests whether two handles are of the same tables.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &SharedHistory) -> bool {
        self.continuations.is_same(&other.continuations) && self.pawns.is_same(&other.pawns)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.continuations.fill(CONTINUATION_FILL);
        self.pawns.fill(PAWN_FILL);
    }
}

/// The histories of one thread: small ones of its own, and the large ones of its pool.
pub(crate) struct History {
    size: HistorySize,
    pub(crate) shared: SharedHistory,
    /// Quiet moves by colour, within ±7,183.
    main: Box<[Butterfly; 2]>,
    low_ply: LowPly,
    /// Captures, `[piece and destination][captured type, 0 for none]`, within ±10,692.
    captures: Vec<[i16; 16]>,
    /// Measure of how often the TT moves turn out best, within ±8,192.
    tt_move_history: i16,
}

/// A table on the heap with this value in every cell, made without a copy of it on the stack.
fn boxed<const N: usize>(value: i16) -> Box<[Butterfly; N]> {
    vec![[[value; 128]; 512]; N].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("the length is N"))
}

/// Quiet moves by ply, for the plies next to the root; within ±7,183. It belongs to one search: to fill its 640 KB anew
/// would take as long as a search of some dozens of nodes, so a short one has only the cells that it changed put back.
#[derive(Clone)]
struct LowPly {
    cells: Box<[Butterfly; LOW_PLIES]>,
    /// Ply and move of each change, as an index; full if there were more.
    changed: Box<ArrayVec<u32, LOW_PLY_CHANGES>>,
}

impl LowPly {
    fn new() -> LowPly {
        LowPly { cells: boxed(LOW_PLY_FILL), changed: Box::default() }
    }

    /// Learns about a move at one of the first plies; nothing at the others.
    fn update(&mut self, ply: usize, mv: Move, bonus: i32) {
        let Some(table) = self.cells.get_mut(ply) else { return };
        gravity::<MAIN_LIMIT>(&mut table[origin(mv)][mv.to().index()], bonus);
        _ = self.changed.try_push((ply << 16) as u32 | u32::from(mv.bits()));
    }

    fn clear(&mut self) {
        let cells = self.cells.as_flattened_mut().as_flattened_mut();
        if self.changed.is_full() {
            cells.fill(LOW_PLY_FILL);
        } else {
            for &cell in self.changed.iter() {
                cells[cell as usize] = LOW_PLY_FILL;
            }
        }
        self.changed.clear();
    }
}

impl History {
    /// Memory of what a thread has for itself, in bytes.
    pub(crate) const BYTES: usize =
        size_of::<Butterfly>() * (2 + LOW_PLIES) + size_of::<[i16; 16]>() * PIECE_TOS + 4 * LOW_PLY_CHANGES;

    pub(crate) fn new(size: HistorySize, shared: SharedHistory) -> History {
        History {
            size,
            shared,
            main: boxed(0),
            low_ply: LowPly::new(),
            captures: vec![[CAPTURE_FILL; 16]; PIECE_TOS],
            tt_move_history: 0,
        }
    }

    /// Histories that nobody shares.
    pub(crate) fn alone(size: HistorySize) -> History {
        History::new(size, SharedHistory::new(size))
    }

    /// Forgets everything that the thread has learnt by itself.
    pub(crate) fn clear(&mut self) {
        self.main.as_flattened_mut().as_flattened_mut().fill(0);
        self.captures.as_flattened_mut().fill(CAPTURE_FILL);
        self.tt_move_history = 0;
        self.begin_search();
    }

    /// Forgets what belongs to one search.
    pub(crate) fn begin_search(&mut self) {
        self.low_ply.clear();
    }

    /// The row for a move that was made in such a position.
    pub(crate) fn cont_hist_index(&self, in_check: bool, captures: bool, piece_to: PieceTo) -> ContHistIndex {
        let plane = (usize::from(in_check) << 1 | usize::from(captures)) & (self.size.planes() - 1);
        ContHistIndex((plane * PIECE_TOS + piece_to.index()) as u32)
    }

    /// The row of the pawn history for these pawns.
    pub(crate) fn pawn_row(&self, pawn_key: u64) -> usize {
        pawn_key as usize & (self.size.pawn_rows() - 1)
    }

    fn answers(&self, row: ContHistIndex) -> &[Cell] {
        let start = row.0 as usize * PIECE_TOS;
        &self.shared.continuations[start..start + PIECE_TOS]
    }

    fn pawn_cells(&self, row: usize) -> &[Cell] {
        &self.shared.pawns[row * PIECE_TOS..][..PIECE_TOS]
    }

    /// Scores of the quiet moves of a side at a node.
    #[inline(always)]
    pub(crate) fn quiets<'a>(&'a self, side: Color, keys: &HistoryKeys) -> QuietScores<'a> {
        QuietScores {
            main: &self.main[side],
            low_ply: self.low_ply.cells.get(keys.ply),
            low_ply_divisor: 1 + keys.ply as i32,
            pawns: self.pawn_cells(keys.pawn_row),
            answers: READ.map(|i| self.answers(keys.cont_hist[i])),
        }
    }

    /// The main history of a move, within ±7,183.
    pub(crate) fn main(&self, side: Color, mv: Move) -> i32 {
        i32::from(self.main[side][origin(mv)][mv.to().index()])
    }

    /// A move as the answer to the move `back` plies (1 or more) before, within ±30,000.
    pub(crate) fn continuation(&self, keys: &HistoryKeys, back: usize, piece_to: PieceTo) -> i32 {
        self.answers(keys.cont_hist[back - 1])[piece_to.index()].get()
    }

    /// A move with these pawns on the board, within ±8,192.
    pub(crate) fn pawn(&self, keys: &HistoryKeys, piece_to: PieceTo) -> i32 {
        self.pawn_cells(keys.pawn_row)[piece_to.index()].get()
    }

    /// Capture history of a type by a piece that then stands on the square, within ±10,692.
    pub(crate) fn capture(&self, piece_to: PieceTo, captured: Option<PieceType>) -> i32 {
        i32::from(self.captures[piece_to.index()][captured.map_or(0, PieceType::index)])
    }

    /// Measure of how often the TT moves turn out best, within ±8,192.
    pub(crate) fn tt_move_history(&self) -> i32 {
        i32::from(self.tt_move_history)
    }

    pub(crate) fn update_main(&mut self, side: Color, mv: Move, bonus: i32) {
        gravity::<MAIN_LIMIT>(&mut self.main[side][origin(mv)][mv.to().index()], bonus);
    }

    /// Learns about a move at one of the first plies; nothing at the others.
    pub(crate) fn update_low_ply(&mut self, ply: usize, mv: Move, bonus: i32) {
        self.low_ply.update(ply, mv, bonus);
    }

    pub(crate) fn update_capture(&mut self, piece_to: PieceTo, captured: Option<PieceType>, bonus: i32) {
        let cell = &mut self.captures[piece_to.index()][captured.map_or(0, PieceType::index)];
        gravity::<CAPTURE_LIMIT>(cell, bonus);
    }

    pub(crate) fn update_continuation(&self, row: ContHistIndex, piece_to: PieceTo, bonus: i32) {
        self.shared.continuations[row.0 as usize * PIECE_TOS + piece_to.index()].learn::<CONTINUATION_LIMIT>(bonus);
    }

    pub(crate) fn update_pawn(&self, pawn_key: u64, piece_to: PieceTo, bonus: i32) {
        let row = self.pawn_row(pawn_key);
        self.shared.pawns[row * PIECE_TOS + piece_to.index()].learn::<PAWN_LIMIT>(bonus);
    }

    pub(crate) fn update_tt_move_history(&mut self, bonus: i32) {
        gravity::<TT_MOVE_LIMIT>(&mut self.tt_move_history, bonus);
    }
}

/// Scores of the quiet moves of one node.
pub(crate) struct QuietScores<'a> {
    main: &'a Butterfly,
    low_ply: Option<&'a Butterfly>,
    low_ply_divisor: i32,
    pawns: &'a [Cell],
    answers: [&'a [Cell]; READ.len()],
}

impl<'a> QuietScores<'a> {
    /// Fetches ahead what is known of a group of moves and what other nodes near by have not fetched.
    pub(crate) fn prefetch(&self, group: &Group) {
        let start = group.placed.index() * 81;
        let first = group.first.to().index();
        let (from, to) = if group.to.count() >= 8 { (0, 80) } else { (first, (first + 20).min(80)) };
        for row in [self.answers[0], self.answers[1], self.pawns] {
            for at in (from..to).step_by(32) {
                prefetch(&row[start + at]);
            }
            prefetch(&row[start + to]);
        }
    }

    /// The part that tells about moves which differ in their destination only; `mv` is one of them, and `placed` then
    /// stands on its destination.
    pub(crate) fn of_group(&self, mv: Move, placed: Piece) -> GroupScores<'a> {
        let start = placed.index() * 81;
        GroupScores {
            main: &self.main[origin(mv)],
            low_ply: self.low_ply.map(|table| &table[origin(mv)]),
            low_ply_divisor: self.low_ply_divisor,
            pawns: row(self.pawns, start),
            answers: self.answers.map(|cells| row(cells, start)),
        }
    }
}

/// The cells of all 81 destinations from `start` on.
fn row(cells: &[Cell], start: usize) -> &[Cell; 81] {
    cells[start..start + 81].try_into().expect("a row has this length")
}

/// Scores of quiet moves that differ in their destination only.
pub(crate) struct GroupScores<'a> {
    main: &'a [i16; 128],
    low_ply: Option<&'a [i16; 128]>,
    low_ply_divisor: i32,
    pawns: &'a [Cell; 81],
    answers: [&'a [Cell; 81]; READ.len()],
}

impl GroupScores<'_> {
    /// Score by which the move to a square is ordered: within about ±230,000.
    pub(crate) fn order(&self, square: Square) -> i32 {
        let answers: i32 = self.answers.iter().map(|row| row[square].get()).sum();
        let sum = 2 * (i32::from(self.main[square.index()]) + self.pawns[square].get()) + answers;
        sum + self.low_ply.map_or(0, |row| 8 * i32::from(row[square.index()]) / self.low_ply_divisor)
    }

    /// Scores of all squares at once, in a loop that the compiler turns into vector instructions.
    pub(crate) fn orders(&self) -> [i32; 81] {
        let main = self.main.first_chunk::<81>().expect("a row is longer than that");
        let mut orders = [0; 81];
        let [a, b, c, d, e] = self.answers;
        // A plain count of groups: the loops of ranges with a step cost as much as what is in them.
        for group in 0..81 / LANES {
            let start = group * LANES;
            let a = read_lanes(a, start);
            let b = read_lanes(b, start);
            let c = read_lanes(c, start);
            let d = read_lanes(d, start);
            let e = read_lanes(e, start);
            let pawns = read_lanes(self.pawns, start);
            for i in 0..LANES {
                let answers = a[i] + b[i] + c[i] + d[i] + e[i];
                orders[start + i] = 2 * (i32::from(main[start + i]) + pawns[i]) + answers;
            }
        }
        for (i, order) in orders.iter_mut().enumerate().skip(81 / LANES * LANES) {
            let answers: i32 = self.answers.iter().map(|row| row[i].get()).sum();
            *order = 2 * (i32::from(main[i]) + self.pawns[i].get()) + answers;
        }
        if let Some(row) = self.low_ply {
            for (order, &low) in orders.iter_mut().zip(row) {
                *order += 8 * i32::from(low) / self.low_ply_divisor;
            }
        }
        orders
    }

    /// Score by which an answer to a check is ordered: by itself and after the last move.
    pub(crate) fn evasion_order(&self, square: Square) -> i32 {
        i32::from(self.main[square.index()]) + self.answers[0][square].get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};

    #[test]
    fn an_answer_is_learnt_in_its_row_only() {
        let pos = Position::startpos();
        let mv: Move = "7g7f".parse().unwrap();
        let piece_to = PieceTo::of(&pos, mv);
        let mut history = History::alone(HistorySize::Full);
        let row = history.cont_hist_index(false, true, PieceTo(5));
        let other = history.cont_hist_index(true, true, PieceTo(5));
        assert_ne!(row, other);
        history.update_continuation(row, piece_to, 300);
        let keys = |row| HistoryKeys {
            cont_hist: [row, ContHistIndex::NONE, ContHistIndex::NONE, row, ContHistIndex::NONE, ContHistIndex::NONE],
            ..HistoryKeys::default()
        };
        let fill = i32::from(CONTINUATION_FILL);
        let learnt = history.continuation(&keys(row), 1, piece_to);
        assert!(learnt > fill + 250, "{learnt}");
        assert_eq!(history.continuation(&keys(row), 4, piece_to), learnt);
        assert_eq!(history.continuation(&keys(row), 2, piece_to), fill);
        assert_eq!(history.continuation(&keys(other), 1, piece_to), fill);
        history.shared.clear();
        assert_eq!(history.continuation(&keys(row), 1, piece_to), fill);
    }

    #[test]
    fn a_promotion_and_the_plain_move_are_learnt_apart() {
        let mut history = History::alone(HistorySize::Small);
        let plain: Move = "2d2c".parse().unwrap();
        let promotion: Move = "2d2c+".parse().unwrap();
        history.update_main(Color::Black, promotion, 500);
        assert_eq!(history.main(Color::Black, plain), 0);
        assert_eq!(history.main(Color::Black, promotion), 500);
        assert_eq!(history.main(Color::White, promotion), 0);
    }

    #[test]
    fn the_order_of_a_group_reads_what_single_moves_read() {
        let pos = Position::startpos();
        let mv: Move = "7g7f".parse().unwrap();
        let piece_to = PieceTo::of(&pos, mv);
        let mut history = History::alone(HistorySize::Small);
        let row = history.cont_hist_index(false, false, PieceTo(9));
        let keys = HistoryKeys { cont_hist: [row; CONTINUATIONS], pawn_row: 3, ply: 2 };
        history.update_main(Color::Black, mv, 700);
        history.update_pawn(3 + 512, piece_to, 90);
        history.update_continuation(row, piece_to, -40);
        history.update_low_ply(2, mv, 300);
        let group = history.quiets(Color::Black, &keys).of_group(mv, Piece::BPawn);
        let low = i32::from(history.low_ply.cells[2][origin(mv)][mv.to().index()]);
        let expected = 2 * (history.main(Color::Black, mv) + history.pawn(&keys, piece_to))
            + 5 * history.continuation(&keys, 1, piece_to)
            + 8 * low / 3;
        assert_eq!(group.order(mv.to()), expected);
        let orders = group.orders();
        for square in Square::ALL {
            assert_eq!(orders[square], group.order(square));
        }
        history.begin_search();
        assert_eq!(history.low_ply.cells[2][origin(mv)][mv.to().index()], LOW_PLY_FILL);
    }

    #[test]
    fn a_new_search_knows_nothing_of_the_moves_by_ply_after_few_changes_and_after_many() {
        let mut history = History::alone(HistorySize::Small);
        let moves = generate::<All>(&Position::startpos());
        let is_filled = |history: &History| {
            history.low_ply.cells.as_flattened().as_flattened().iter().all(|&cell| cell == LOW_PLY_FILL)
        };
        for changes in [1, 40, LOW_PLY_CHANGES - 1, LOW_PLY_CHANGES, 2 * LOW_PLY_CHANGES] {
            for (i, &mv) in moves.iter().cycle().take(changes).enumerate() {
                history.update_low_ply(i / moves.len() % (LOW_PLIES + 1), mv, 500);
            }
            assert!(!is_filled(&history), "{changes}");
            history.begin_search();
            assert!(is_filled(&history), "{changes}");
        }
    }
}
