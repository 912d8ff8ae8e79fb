//! A second reading of the net formats, as slow and as plain as can be: from the bytes of a net and the letters of a
//! SFEN to the number that the net gives. It uses nothing of the engine.

use super::nets::Kind;

/// The numbers of a net.
pub(crate) struct Oracle {
    kind: Kind,
    biases: Vec<i64>,
    rows: Vec<i64>,
    /// Three for each stack.
    layers: Vec<(Vec<i64>, Vec<i64>)>,
}

/// A piece of the game: its letter, whether it is promoted, whether it is black's, and where it is.
struct PlacedPiece {
    letter: char,
    promoted: bool,
    black: bool,
    place: Place,
}

enum Place {
    /// File and rank, 0 to 8 from 1a.
    Board(usize, usize),
    /// The nth of its kind in hand, from 0.
    Hand(usize),
}

impl Oracle {
    pub(crate) fn new(kind: Kind, bytes: &[u8]) -> Oracle {
        let text = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
        let mut rest = &bytes[12 + text + 4..];
        let (inputs, width) = kind.first_part();
        let mut first = |count: usize| -> Vec<i64> {
            if !kind.is_pairwise() {
                let (values, tail) = rest.split_at(2 * count);
                rest = tail;
                return values.chunks(2).map(|b| i64::from(i16::from_le_bytes([b[0], b[1]]))).collect();
            }
            assert_eq!(&rest[..17], b"COMPRESSED_LEB128");
            let length = u32::from_le_bytes(rest[17..21].try_into().unwrap()) as usize;
            let (block, tail) = rest[21..].split_at(length);
            rest = tail;
            let mut values = Vec::new();
            let (mut value, mut bits) = (0i64, 0);
            for byte in block {
                value += i64::from(byte % 128) << bits;
                bits += 7;
                if *byte < 128 {
                    // Values are doubled on load.
                    values.push(2 * if *byte >= 64 { value - (1 << bits) } else { value });
                    (value, bits) = (0, 0);
                }
            }
            assert_eq!(values.len(), count);
            values
        };
        let (biases, rows) = (first(width), first(width * inputs));
        let mut layers = Vec::new();
        for number in 0..kind.stacks() * 3 {
            if number % 3 == 0 {
                rest = &rest[4..];
            }
            let (inputs, outputs) = kind.layers()[number % 3];
            let (biases, tail) = rest.split_at(4 * outputs);
            let (weights, tail) = tail.split_at(inputs * outputs);
            rest = tail;
            let biases = biases.chunks(4).map(|b| i64::from(i32::from_le_bytes(b.try_into().unwrap())));
            layers.push((biases.collect(), weights.iter().map(|&b| i64::from(b as i8)).collect()));
        }
        assert!(rest.is_empty());
        Oracle { kind, biases, rows, layers }
    }

    /// The output for a position, from the view of the side to move.
    pub(crate) fn output(&self, sfen: &str) -> i32 {
        let placed = pieces_of(sfen);
        let black_to_move = sfen.split(' ').nth(1) == Some("b");
        let accumulators = [black_to_move, !black_to_move].map(|black| self.accumulator(&placed, black));
        let mut bytes = Vec::new();
        for accumulator in &accumulators {
            if self.kind.is_pairwise() {
                bytes.extend((0..256).map(|i| accumulator[i].clamp(0, 254) * accumulator[256 + i].clamp(0, 254) / 512));
            } else {
                bytes.extend(accumulator.iter().map(|sum| sum.clamp(&0, &127)));
            }
        }
        let stack = self.stack(&placed, black_to_move);
        let layer = |number: usize, input: &[i64]| self.layer(3 * stack + number, input);
        let first = layer(0, &bytes);
        let clip = |values: &[i64]| -> Vec<i64> { values.iter().map(|value| (value >> 6).clamp(0, 127)).collect() };
        if !self.kind.is_pairwise() {
            return layer(2, &clip(&layer(1, &clip(&first))))[0] as i32;
        }
        let mut second: Vec<i64> = first[..15].iter().map(|x| ((x * x) >> 19).min(127)).collect();
        second.extend(clip(&first[..15]));
        second.extend([0, 0]);
        let last = layer(2, &clip(&layer(1, &second)))[0];
        (last + first[15]) as i32
    }

    /// The stack of layers: three times a third of the board for the king of the side to move, plus one for the other.
    fn stack(&self, placed: &[PlacedPiece], black_to_move: bool) -> usize {
        if self.kind.stacks() == 1 {
            return 0;
        }
        // From the far side of each king, which is the first rank for black; at home if there is no king.
        let third = |black: bool| {
            let king = placed.iter().find(|piece| piece.letter == 'K' && piece.black == black);
            king.map_or(2, |king| match king.place {
                Place::Board(_, rank) => {
                    if black {
                        rank / 3
                    } else {
                        (8 - rank) / 3
                    }
                }
                Place::Hand(_) => unreachable!("a king in hand"),
            })
        };
        3 * third(black_to_move) + third(!black_to_move)
    }

    fn layer(&self, number: usize, input: &[i64]) -> Vec<i64> {
        let (biases, weights) = &self.layers[number];
        let rows = weights.chunks(input.len());
        let sum = |row: &[i64]| row.iter().zip(input).map(|(w, x)| w * x).sum::<i64>();
        // 32 bits, wrapped around.
        biases.iter().zip(rows).map(|(bias, row)| i64::from((bias + sum(row)) as i32)).collect()
    }

    fn accumulator(&self, placed: &[PlacedPiece], black: bool) -> Vec<i64> {
        let width = self.biases.len();
        let mut accumulator = self.biases.clone();
        for input in self.inputs(placed, black) {
            for (sum, weight) in accumulator.iter_mut().zip(&self.rows[input * width..]) {
                *sum += weight;
            }
        }
        // 16 bits, wrapped around.
        accumulator.iter().map(|&sum| i64::from(sum as i16)).collect()
    }

    /// The numbers of the inputs that are on for a side.
    fn inputs(&self, placed: &[PlacedPiece], black: bool) -> Vec<usize> {
        let square = |piece: &PlacedPiece| match piece.place {
            Place::Board(file, rank) if black => 9 * file + rank,
            Place::Board(file, rank) => 80 - (9 * file + rank),
            Place::Hand(_) => unreachable!("asked for a piece in hand"),
        };
        let kings =
            |own: bool| placed.iter().find(|piece| piece.letter == 'K' && (piece.black == black) == own).map(square);
        let mut pieces: Vec<usize> = Vec::new();
        for piece in placed.iter().filter(|piece| piece.letter != 'K') {
            let own = piece.black == black;
            pieces.push(match piece.place {
                Place::Board(..) => {
                    let plane = match (piece.letter, piece.promoted) {
                        ('P', false) => 0,
                        ('L', false) => 1,
                        ('N', false) => 2,
                        ('S', false) => 3,
                        ('B', false) => 5,
                        ('B', true) => 6,
                        ('R', false) => 7,
                        ('R', true) => 8,
                        _ => 4,
                    };
                    90 + 162 * plane + if own { 0 } else { 81 } + square(piece)
                }
                Place::Hand(nth) => {
                    let (own_base, other_base) = match piece.letter {
                        'P' => (1, 20),
                        'L' => (39, 44),
                        'N' => (49, 54),
                        'S' => (59, 64),
                        'G' => (69, 74),
                        'B' => (79, 82),
                        _ => (85, 88),
                    };
                    nth + if own { own_base } else { other_base }
                }
            });
        }
        pieces.resize(38, 0);
        match self.kind {
            Kind::HalfKp => {
                // A side without a king counts as if it stood at home, on the middle of the last rank.
                let king = kings(true).unwrap_or(9 * 4 + 8);
                pieces.iter().map(|piece| 1548 * king + piece).collect()
            }
            Kind::Kp => {
                pieces.extend(kings(true).map(|king| 1548 + king));
                pieces.extend(kings(false).map(|king| 1629 + king));
                pieces
            }
            Kind::Ka2 | Kind::Ka2K3k3 | Kind::Ka2Zones => {
                for own in [true, false] {
                    let plane = if own { 1629 } else { 1710 };
                    pieces.extend(kings(own).into_iter().flat_map(|king| [1548 + king, plane + king]));
                }
                if self.kind == Kind::Ka2Zones {
                    let king = kings(true).unwrap_or(9 * 4 + 8);
                    pieces.iter_mut().for_each(|piece| *piece += 1791 * zone(king));
                }
                pieces
            }
        }
    }
}

/// The zone of a king: 5 on the five far ranks, 4 on the next two, else by the distance from the middle file.
fn zone(king: usize) -> usize {
    match (king % 9 + 1, (king / 9).abs_diff(4)) {
        (1..=5, _) => 5,
        (6..=7, _) => 4,
        (_, distance) => distance.min(3),
    }
}

/// The pieces of a SFEN.
fn pieces_of(sfen: &str) -> Vec<PlacedPiece> {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut placed = Vec::new();
    for (rank, row) in fields[0].split('/').enumerate() {
        let (mut file, mut promoted) = (9, false);
        for c in row.chars() {
            match c {
                '+' => promoted = true,
                '1'..='9' => file -= c as usize - '0' as usize,
                _ => {
                    file -= 1;
                    let place = Place::Board(file, rank);
                    placed.push(PlacedPiece {
                        letter: c.to_ascii_uppercase(),
                        promoted,
                        black: c.is_ascii_uppercase(),
                        place,
                    });
                    promoted = false;
                }
            }
        }
    }
    let mut count = 0;
    for c in fields[2].chars() {
        match c {
            '0'..='9' => count = 10 * count + (c as usize - '0' as usize),
            '-' => {}
            _ => {
                for nth in 0..count.max(1) {
                    let (letter, black) = (c.to_ascii_uppercase(), c.is_ascii_uppercase());
                    placed.push(PlacedPiece { letter, promoted: false, black, place: Place::Hand(nth) });
                }
                count = 0;
            }
        }
    }
    placed
}
