//! Perft against published tables, and walks in which everything that is kept incrementally is recomputed.
//!
//! `tests/data/perft.txt` has a position a line: `SFEN ;D1 leaves ;D2 leaves ...`.

use crate::oracle::play::{LONGEST_GAME, choose, start};
use komainu::bitboard::Bitboard;
use komainu::movegen::{All, generate, perft};
use komainu::position::{Observer, Position, START_SFEN};
use komainu::random::SplitMix64;
use komainu::types::{Color, Hand, Key, Piece, PieceType, Square};
use rayon::prelude::*;

const TABLE: &str = include_str!("../data/perft.txt");

/// Rows of more leaves are left to the bench.
const MAX_LEAVES: u64 = 60_000_000;

/// Position, depth, leaves.
fn rows() -> Vec<(&'static str, u32, u64)> {
    let mut rows = Vec::new();
    for line in TABLE.lines() {
        let mut fields = line.split(';').map(str::trim);
        let sfen = fields.next().expect("a line starts with a position");
        for field in fields {
            let (depth, leaves) =
                field.strip_prefix('D').and_then(|field| field.split_once(' ')).expect("a field is `D1 30`");
            rows.push((sfen, depth.parse().expect("a depth"), leaves.parse().expect("a number of leaves")));
        }
    }
    rows
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|fault| panic!("{sfen}: {fault}"))
}

/// Perft through lists at every ply, the last included.
fn list_perft(pos: &mut Position, depth: u32) -> u64 {
    let moves = generate::<All>(pos);
    if depth == 1 {
        return moves.len() as u64;
    }
    let mut leaves = 0;
    for &mv in moves.iter() {
        pos.do_move(mv);
        leaves += list_perft(pos, depth - 1);
        pos.undo();
    }
    leaves
}

#[test]
fn perft_counts_what_the_table_says_with_lists_and_without() {
    let rows = rows();
    assert_eq!(rows.len(), 116);
    rows.into_par_iter().filter(|&(_, _, leaves)| leaves <= MAX_LEAVES).for_each(|(sfen, depth, leaves)| {
        assert_eq!(perft(&mut position(sfen), depth), Ok(leaves), "depth {depth} of {sfen}");
        if leaves <= MAX_LEAVES / 2 {
            assert_eq!(list_perft(&mut position(sfen), depth), leaves, "depth {depth} of {sfen}");
        }
    });
}

/// Everything that a position shows of itself.
#[derive(Clone, Debug, PartialEq)]
struct PositionFields {
    board: Vec<Option<Piece>>,
    by_color: [Bitboard; 2],
    by_type: Vec<Bitboard>,
    hands: [Hand; 2],
    kings: [Option<Square>; 2],
    keys: [Key; 2],
    checkers: Bitboard,
    pinned: Bitboard,
    captured: Option<Piece>,
    side: Color,
    ply: u32,
    moves_made: usize,
}

impl PositionFields {
    fn of(pos: &Position) -> PositionFields {
        let pieces = Color::ALL.into_iter().flat_map(|color| PieceType::ALL.map(|piece_type| (color, piece_type)));
        PositionFields {
            board: Square::ALL.iter().map(|&square| pos.piece_on(square)).collect(),
            by_color: Color::ALL.map(|color| pos.pieces(color)),
            by_type: pieces.map(|(color, piece_type)| pos.pieces_of(color, piece_type)).collect(),
            hands: Color::ALL.map(|color| pos.hand(color)),
            kings: Color::ALL.map(|color| pos.king(color)),
            keys: [pos.key(), pos.board_key()],
            checkers: pos.checkers(),
            pinned: pos.pinned(),
            captured: pos.captured(),
            side: pos.side(),
            ply: pos.ply(),
            moves_made: pos.moves_made(),
        }
    }
}

/// Rebuilds board and hands from what it is told, and objects to what cannot have happened.
#[derive(Clone, Debug, PartialEq)]
struct Rebuilder {
    board: [Option<Piece>; 81],
    hands: [Hand; 2],
}

impl Rebuilder {
    fn of(pos: &Position) -> Rebuilder {
        Rebuilder {
            board: Square::ALL.map(|square| pos.piece_on(square)),
            hands: Color::ALL.map(|color| pos.hand(color)),
        }
    }
}

impl Observer for Rebuilder {
    fn piece_added(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board[square], None, "{piece} is put on {square}");
        self.board[square] = Some(piece);
    }

    fn piece_removed(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.board[square], Some(piece), "{piece} is taken from {square}");
        self.board[square] = None;
    }

    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        let before = self.hands[color].count(piece_type);
        assert_eq!(before.abs_diff(count), 1, "{color} held {before} {piece_type}, now {count}");
        self.hands[color].set(piece_type, count);
    }
}

#[track_caller]
fn assert_valid(pos: &Position, after: &str) {
    if let Err(fault) = pos.validate() {
        panic!("{fault} after {after}: {}", pos.to_sfen());
    }
}

/// The position as it is read from its own text has the same keys, checkers and pins.
#[track_caller]
fn assert_equals_its_sfen(pos: &Position) {
    let fresh = position(&pos.to_sfen());
    let mut expected = PositionFields::of(pos);
    (expected.captured, expected.moves_made) = (None, 0);
    assert_eq!(PositionFields::of(&fresh), expected, "{}", pos.to_sfen());
}

/// Makes and takes back a null move, if one may be made.
fn try_null_move(pos: &mut Position) {
    if pos.in_check() {
        return;
    }
    let before = PositionFields::of(pos);
    let text = format!("{pos:?}");
    pos.do_null_move();
    assert_valid(pos, "a null move");
    assert_equals_its_sfen(pos);
    let passed = PositionFields::of(pos);
    assert_eq!((&passed.board, passed.hands), (&before.board, before.hands));
    assert_eq!(passed.side, before.side.flip());
    assert_ne!(passed.keys, before.keys);
    pos.undo();
    assert_valid(pos, "a null move taken back");
    assert_eq!(PositionFields::of(pos), before, "a null move taken back in {text}");
    assert_eq!(format!("{pos:?}"), text);
}

/// Visits every position within `depth` moves and checks all that is kept incrementally; returns their number.
fn walk(pos: &mut Position, observer: &Rebuilder, depth: u32) -> u64 {
    let before = PositionFields::of(pos);
    let mut visited = 1;
    if depth == 0 {
        return visited;
    }
    try_null_move(pos);
    for mv in &generate::<All>(pos) {
        let mut after = observer.clone();
        let captured = pos.piece_on(mv.to());
        let key = pos.key_after(mv);
        let board_key = pos.board_key_after(mv);
        pos.do_move_observed(mv, &mut after);
        assert_eq!(pos.key(), key, "the key foretold for {mv}, which led to {}", pos.to_sfen());
        assert_eq!((pos.board_key(), pos.hand(!pos.side())), board_key, "what is foretold of {mv}");
        assert_valid(pos, &mv.to_string());
        assert_eq!(after, Rebuilder::of(pos), "what the observer saw of {mv}, which led to {}", pos.to_sfen());
        assert_eq!(pos.captured(), captured);
        visited += walk(pos, &after, depth - 1);
        pos.undo();
        assert_eq!(PositionFields::of(pos), before, "{mv} taken back in {}", pos.to_sfen());
        assert_valid(pos, "taking a move back");
    }
    visited
}

#[test]
fn all_incremental_values_hold_on_a_walk_through_trees() {
    let rows = rows();
    [
        (START_SFEN, 3),
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 2),
        ("4k4/9/9/9/4r4/9/9/9/4K4 b RB2G2S2N2L9Pb2g2s2n2l9p 1", 2),
        ("k3r3b/9/4G1S2/9/4K1N1+r/9/2L6/9/+b8 b GSNLP2g2s2n2l17p 1", 2),
        ("lnsk1g3/4r1s+R+B/2Nppp2p/1pp6/p8/1L7/1PPPPPN1P/1BGSG4/LN3KS1L w G4Pp 1", 3),
        ("1np1k1bn1/3gr1g1l/2bp2p1p/P1P1ps1p1/s4P3/2GPG1P2/pPK1P2PP/1S2lR3/LN4SNL w 2P 1", 3),
        ("8k/9/7G1/9/9/9/9/4K4/9 w - 1", 6),
        ("7lk/6+P2/7+P1/9/9/9/9/9/4K4 b P 1", 4),
        ("7nl/6Rk1/6ppp/9/7N1/9/9/9/9 w GSrb3g3s2n3l15p 1", 3),
        ("4k4/9/9/9/9/9/1+p7/2+p6/KL7 w 2R2B4G4S4N3L14Pp 1", 2),
    ]
    .into_par_iter()
    .for_each(|(sfen, depth)| {
        let in_table = rows.iter().filter(|&&(other, d, _)| other == sfen && d <= depth);
        let leaves: Vec<u64> = in_table.map(|&(_, _, leaves)| leaves).collect();
        assert_eq!(leaves.len(), depth as usize, "{sfen} is in the table");
        let mut pos = position(sfen);
        let observer = Rebuilder::of(&pos);
        assert_eq!(walk(&mut pos, &observer, depth), 1 + leaves.iter().sum::<u64>(), "{sfen}");
    });
}

#[test]
fn all_incremental_values_hold_in_random_games_and_back_to_their_start() {
    const SEED: u64 = 0x4B6F_6D61_696E_7502;
    (0..240usize).into_par_iter().for_each(|game| {
        let mut random = SplitMix64(SEED ^ (game as u64) << 32);
        let mut pos = position(start(game));
        let mut observer = Rebuilder::of(&pos);
        let mut trail = Vec::new();
        for ply in 0..LONGEST_GAME {
            let context = format!("seed {SEED:#x}, game {game}, ply {ply}, {}", pos.to_sfen());
            assert_valid(&pos, &context);
            assert_eq!(observer, Rebuilder::of(&pos), "{context}");
            assert_equals_its_sfen(&pos);
            try_null_move(&mut pos);
            let Some(mv) = choose(&mut pos, &mut random) else { break };
            trail.push((mv, PositionFields::of(&pos), format!("{pos:?}"), context));
            pos.do_move_observed(mv, &mut observer);
        }
        while let Some((mv, before, text, context)) = trail.pop() {
            pos.undo();
            assert_eq!(PositionFields::of(&pos), before, "{context}: {mv} taken back");
            assert_eq!(format!("{pos:?}"), text, "{context}: {mv} taken back");
            assert_valid(&pos, &context);
        }
    });
}
