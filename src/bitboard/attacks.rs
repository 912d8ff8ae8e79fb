//! Attacks of the pieces from tables that the compiler fills, lines, and the squares between two squares.

use super::sliders::{bishop_attacks, lance_attacks, rook_attacks};
use super::{Bitboard, COMPUTES};
use crate::types::{Color, Piece, PieceType, Square};

type Table = [Bitboard; 81];
type SquarePairs = [[Bitboard; 81]; 81];

/// The squares that up to `most` steps of the same (file, rank) distance lead to, rank distances written for black.
const fn walks(color: Color, deltas: &[(i32, i32)], most: usize) -> Table {
    let sign = match color {
        Color::Black => 1,
        Color::White => -1,
    };
    let mut table = [Bitboard::EMPTY; 81];
    let mut i = 0;
    while i < 81 * deltas.len() {
        let from = i / deltas.len();
        let (files, ranks) = deltas[i % deltas.len()];
        let mut square = Square::ALL[from];
        let mut steps = 0;
        while let Some(next) = square.offset(files, sign * ranks)
            && steps < most
        {
            table[from] = table[from].or(Bitboard::from_square(next));
            square = next;
            steps += 1;
        }
        i += 1;
    }
    table
}

/// The squares at these distances.
const fn steps(color: Color, deltas: &[(i32, i32)]) -> Table {
    walks(color, deltas, 1)
}

/// The squares in these directions up to the edge.
const fn rays(color: Color, directions: &[(i32, i32)]) -> Table {
    walks(color, directions, 8)
}

const PAWN_STEPS: [(i32, i32); 1] = [(0, -1)];
const KNIGHT_STEPS: [(i32, i32); 2] = [(-1, -2), (1, -2)];
const SILVER_STEPS: [(i32, i32); 5] = [(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
const GOLD_STEPS: [(i32, i32); 6] = [(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const KING_STEPS: [(i32, i32); 8] = [(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)];
const ROOK_RAYS: [(i32, i32); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];
const BISHOP_RAYS: [(i32, i32); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];

const fn both(deltas: &[(i32, i32)]) -> [Table; 2] {
    [steps(Color::Black, deltas), steps(Color::White, deltas)]
}

static PAWN: [Table; 2] = both(&PAWN_STEPS);
static KNIGHT: [Table; 2] = both(&KNIGHT_STEPS);
static SILVER: [Table; 2] = both(&SILVER_STEPS);
static GOLD: [Table; 2] = both(&GOLD_STEPS);
static KING: Table = steps(Color::Black, &KING_STEPS);
static LANCE: [Table; 2] = [rays(Color::Black, &PAWN_STEPS), rays(Color::White, &PAWN_STEPS)];
static BISHOP: Table = rays(Color::Black, &BISHOP_RAYS);
static ROOK: Table = rays(Color::Black, &ROOK_RAYS);

/// `[piece]`: the attacks by a step.
static STEPS: [Table; Piece::COUNT] = {
    let mut table = [[Bitboard::EMPTY; 81]; Piece::COUNT];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        table[piece.index()] = match piece.piece_type() {
            PieceType::Pawn => steps(piece.color(), &PAWN_STEPS),
            PieceType::Knight => steps(piece.color(), &KNIGHT_STEPS),
            PieceType::Silver => steps(piece.color(), &SILVER_STEPS),
            PieceType::King | PieceType::Horse | PieceType::Dragon => steps(piece.color(), &KING_STEPS),
            PieceType::Lance | PieceType::Bishop | PieceType::Rook => table[piece.index()],
            _ => steps(piece.color(), &GOLD_STEPS),
        };
        i += 1;
    }
    table
};

static PROMOTION_TARGETS: [Table; 2] = {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut i = 0;
    while i < 162 {
        let zone = Bitboard::zone(Color::ALL[i / 81]);
        table[i / 81][i % 81] = if zone.contains(Square::ALL[i % 81]) { Bitboard::ALL } else { zone };
        i += 1;
    }
    table
};

static VICINITY: [Vicinity; 81] = {
    /// The union of a table over the squares around a square.
    const fn around(king: usize, table: &Table) -> Bitboard {
        let ring = KINGS[king];
        let mut set = Bitboard::EMPTY;
        let mut i = 0;
        while i < 81 {
            if ring.contains(Square::ALL[i]) {
                set = set.or(table[i]);
            }
            i += 1;
        }
        set
    }
    const NONE: Vicinity = Vicinity {
        steppers: Bitboard::EMPTY,
        knights: [Bitboard::EMPTY; 2],
        lances: [Bitboard::EMPTY; 2],
        bishops: Bitboard::EMPTY,
        rooks: Bitboard::EMPTY,
    };
    const KINGS: Table = steps(Color::Black, &KING_STEPS);
    const BISHOPS: Table = rays(Color::Black, &BISHOP_RAYS);
    const ROOKS: Table = rays(Color::Black, &ROOK_RAYS);
    const KNIGHTS: [Table; 2] = both(&KNIGHT_STEPS);
    const LANCES: [Table; 2] = [rays(Color::Black, &PAWN_STEPS), rays(Color::White, &PAWN_STEPS)];
    let mut table = [NONE; 81];
    let mut king = 0;
    while king < 81 {
        table[king] = Vicinity {
            steppers: around(king, &KINGS),
            // A piece attacks a square from where the other side's piece on that square would attack.
            knights: [around(king, &KNIGHTS[1]), around(king, &KNIGHTS[0])],
            lances: [around(king, &LANCES[1]), around(king, &LANCES[0])],
            bishops: around(king, &BISHOPS),
            rooks: around(king, &ROOKS),
        };
        king += 1;
    }
    table
};

/// For every pair of squares in line: the squares strictly between them, and the whole line.
const fn lines() -> (SquarePairs, SquarePairs) {
    let mut between = [[Bitboard::EMPTY; 81]; 81];
    let mut through = [[Bitboard::EMPTY; 81]; 81];
    let directions = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let mut a = 0;
    while a < 81 {
        let mut d = 0;
        while d < 4 {
            let (files, ranks) = directions[d];
            let forward = ray_from(Square::ALL[a], files, ranks);
            let backward = ray_from(Square::ALL[a], -files, -ranks);
            let line = forward.or(backward).or(Bitboard::SQUARES[a]);
            let mut inside = Bitboard::EMPTY;
            let mut square = Square::ALL[a];
            while let Some(next) = square.offset(files, ranks) {
                let b = next.index();
                between[a][b] = inside;
                between[b][a] = inside;
                through[a][b] = line;
                through[b][a] = line;
                inside = inside.or(Bitboard::SQUARES[b]);
                square = next;
            }
            d += 1;
        }
        a += 1;
    }
    (between, through)
}

const fn ray_from(from: Square, files: i32, ranks: i32) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut square = from;
    while let Some(next) = square.offset(files, ranks) {
        set = set.or(Bitboard::SQUARES[next.index()]);
        square = next;
    }
    set
}

const LINES: (SquarePairs, SquarePairs) = lines();
static BETWEEN: SquarePairs = LINES.0;
static THROUGH: SquarePairs = LINES.1;

/// Squares strictly between two squares of one file, rank or diagonal; else none.
///
/// ```
/// use komainu::bitboard::{Bitboard, between, line_through};
/// use komainu::types::Square;
///
/// assert_eq!(between(Square::S5A, Square::S5D).count(), 2);
/// assert_eq!(between(Square::S5A, Square::S4C), Bitboard::EMPTY);
/// assert_eq!(line_through(Square::S5A, Square::S5D).count(), 9);
/// ```
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    if COMPUTES {
        return computed_between(a, b);
    }
    BETWEEN[a][b]
}

/// The whole line, edge to edge, through two different squares of one file, rank or diagonal; else none.
#[inline]
pub fn line_through(a: Square, b: Square) -> Bitboard {
    if COMPUTES {
        return computed_line(a, b);
    }
    THROUGH[a][b]
}

fn computed_line(a: Square, b: Square) -> Bitboard {
    if !(rook_rays(a).or(bishop_rays(a))).contains(b) {
        return Bitboard::EMPTY;
    }
    meeting(a, b, Bitboard::EMPTY).or(ends(a, b))
}

fn computed_between(a: Square, b: Square) -> Bitboard {
    meeting(a, b, ends(a, b))
}

const fn ends(a: Square, b: Square) -> Bitboard {
    Bitboard::from_square(a).or(Bitboard::from_square(b))
}

/// The squares where two sliders on one line meet, over a board that is occupied so; else none.
fn meeting(a: Square, b: Square, occupied: Bitboard) -> Bitboard {
    if rook_rays(a).contains(b) {
        rook_attacks(a, occupied) & rook_attacks(b, occupied)
    } else if bishop_rays(a).contains(b) {
        bishop_attacks(a, occupied) & bishop_attacks(b, occupied)
    } else {
        Bitboard::EMPTY
    }
}

/// Where a pawn of the side on this square attacks.
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color][square]
}

/// Where a knight attacks.
///
/// ```
/// use komainu::bitboard::{Bitboard, knight_attacks};
/// use komainu::types::{Color, Square};
///
/// let targets = Bitboard::from_square(Square::S6G) | Bitboard::from_square(Square::S8G);
/// assert_eq!(knight_attacks(Color::Black, Square::S7I), targets);
/// assert!(knight_attacks(Color::White, Square::S7I).is_empty());
/// ```
#[inline]
pub fn knight_attacks(color: Color, square: Square) -> Bitboard {
    KNIGHT[color][square]
}

/// Where a silver attacks.
#[inline]
pub fn silver_attacks(color: Color, square: Square) -> Bitboard {
    SILVER[color][square]
}

/// Where a gold, or a piece that moves as one, attacks.
///
/// ```
/// use komainu::bitboard::{gold_attacks, king_attacks, silver_attacks};
/// use komainu::types::{Color, Square};
///
/// assert_eq!(gold_attacks(Color::Black, Square::S5E).count(), 6);
/// assert_eq!(silver_attacks(Color::Black, Square::S5E).count(), 5);
/// assert_eq!(king_attacks(Square::S5E).count(), 8);
/// assert_eq!(king_attacks(Square::S1A).count(), 3);
/// ```
#[inline]
pub fn gold_attacks(color: Color, square: Square) -> Bitboard {
    GOLD[color][square]
}

/// Where a king attacks.
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square]
}

/// Where a lance would attack on an empty board.
#[inline]
pub fn lance_rays(color: Color, square: Square) -> Bitboard {
    LANCE[color][square]
}

/// Where a bishop would attack on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP[square]
}

/// Where a rook would attack on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK[square]
}

/// Where a piece attacks, with these squares occupied.
///
/// ```
/// use komainu::bitboard::{Bitboard, attacks};
/// use komainu::types::{Color, PieceType, Square};
///
/// let lone = attacks(Color::Black, PieceType::Dragon, Square::S5E, Bitboard::EMPTY);
/// assert_eq!(lone.count(), 8 + 8 + 4);
/// // A piece on 5c stops it there.
/// let stopped = attacks(Color::Black, PieceType::Dragon, Square::S5E, Bitboard::from_square(Square::S5C));
/// assert_eq!(lone.without(stopped).count(), 2);
/// ```
#[inline]
pub fn attacks(color: Color, piece_type: PieceType, square: Square, occupied: Bitboard) -> Bitboard {
    use PieceType::*;
    let steps = piece_steps(Piece::new(color, piece_type), square);
    match piece_type.mover() {
        Lance => steps | lance_attacks(color, square, occupied),
        Bishop => steps | bishop_attacks(square, occupied),
        Rook => steps | rook_attacks(square, occupied),
        _ => steps,
    }
}

fn computed_steps(piece: Piece, square: Square) -> Bitboard {
    let color = piece.color();
    match piece.piece_type() {
        PieceType::Pawn => PAWN[color][square],
        PieceType::Knight => KNIGHT[color][square],
        PieceType::Silver => SILVER[color][square],
        PieceType::King | PieceType::Horse | PieceType::Dragon => KING[square],
        PieceType::Lance | PieceType::Bishop | PieceType::Rook => Bitboard::EMPTY,
        _ => GOLD[color][square],
    }
}

/// Where a piece attacks by a step: nothing for lance, bishop and rook, the king's steps for horse and dragon.
#[inline]
pub(crate) fn piece_steps(piece: Piece, square: Square) -> Bitboard {
    if COMPUTES {
        return computed_steps(piece, square);
    }
    STEPS[piece.index()][square]
}

/// Where a move from this square may promote: everywhere from within the zone, else only into it.
#[inline]
pub(crate) fn promotion_targets(color: Color, from: Square) -> Bitboard {
    PROMOTION_TARGETS[color][from]
}

/// Where pieces must stand to attack one of the squares around a king.
pub(crate) struct Vicinity {
    /// Silver, gold, king, horse and dragon, by a step.
    pub(crate) steppers: Bitboard,
    /// Knights of the colour.
    pub(crate) knights: [Bitboard; 2],
    /// Lances of the colour, on an empty board.
    pub(crate) lances: [Bitboard; 2],
    /// Bishops and horses, by sliding over an empty board.
    pub(crate) bishops: Bitboard,
    /// Rooks and dragons, by sliding over an empty board.
    pub(crate) rooks: Bitboard,
}

/// A vicinity that leaves nothing out, which costs time alone.
static EVERYWHERE: Vicinity = Vicinity {
    steppers: Bitboard::ALL,
    knights: [Bitboard::ALL; 2],
    lances: [Bitboard::ALL; 2],
    bishops: Bitboard::ALL,
    rooks: Bitboard::ALL,
};

/// Where pieces must stand to attack one of the squares around this one.
#[inline]
pub(crate) fn king_vicinity(king: Square) -> &'static Vicinity {
    if COMPUTES {
        return &EVERYWHERE;
    }
    &VICINITY[king.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_lines_are_those_of_the_tables() {
        for a in Square::ALL {
            for b in Square::ALL {
                assert_eq!(computed_between(a, b), BETWEEN[a][b], "{a} {b}");
                assert_eq!(computed_line(a, b), THROUGH[a][b], "{a} {b}");
            }
        }
    }

    #[test]
    fn computed_steps_are_those_of_the_table() {
        for piece in Piece::ALL {
            for square in Square::ALL {
                assert_eq!(computed_steps(piece, square), STEPS[piece.index()][square], "{piece:?} {square}");
            }
        }
    }
}
