//! A second reading of the net formats, as slow and as plain as can be: from the bytes of a net and the letters of a
//! SFEN to the number that the net gives. It uses nothing of the engine.

use super::nets::Kind;
use std::collections::BTreeMap;

/// The numbers of a net.
pub(crate) struct Oracle {
    kind: Kind,
    biases: Vec<i64>,
    rows: Vec<i16>,
    /// Bias and weights of the progress.
    progress: Vec<i64>,
    /// Three for each stack.
    layers: Vec<(Vec<i64>, Vec<i8>)>,
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

impl PlacedPiece {
    /// The square as a side sees it.
    fn square(&self, black: bool) -> Option<usize> {
        match self.place {
            Place::Board(file, rank) => Some(if black { 9 * file + rank } else { 80 - (9 * file + rank) }),
            Place::Hand(_) => None,
        }
    }
}

/// Takes so many bytes off the front.
fn take<'a>(rest: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, tail) = rest.split_at(count);
    *rest = tail;
    taken
}

fn words(bytes: &[u8]) -> Vec<i64> {
    bytes.chunks(4).map(|b| i64::from(i32::from_le_bytes(b.try_into().unwrap()))).collect()
}

/// A block of signed LEB128 numbers, each doubled.
fn leb128_block(rest: &mut &[u8]) -> Vec<i16> {
    assert_eq!(take(rest, 17), b"COMPRESSED_LEB128");
    let length = u32::from_le_bytes(take(rest, 4).try_into().unwrap()) as usize;
    let mut values = Vec::new();
    let mut value = 0i64;
    let mut bits = 0;
    for byte in take(rest, length) {
        value += i64::from(byte % 128) << bits;
        bits += 7;
        if *byte < 128 {
            values.push((2 * if *byte >= 64 { value - (1 << bits) } else { value }) as i16);
            (value, bits) = (0, 0);
        }
    }
    values
}

impl Oracle {
    pub(crate) fn new(kind: Kind, bytes: &[u8]) -> Oracle {
        let text = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
        let mut rest = &bytes[12 + text + 4..];
        let mut first = |count: usize| -> Vec<i16> {
            if kind.is_pairwise() {
                return leb128_block(&mut rest);
            }
            take(&mut rest, 2 * count).chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect()
        };
        let biases = first(kind.width);
        let rows = first(kind.width * kind.inputs());
        assert_eq!((biases.len(), rows.len()), (kind.width, kind.width * kind.inputs()));
        let mut progress = Vec::new();
        if kind.progress().is_some() {
            assert_eq!(take(&mut rest, 4), 0x6F50_524F_u32.to_le_bytes());
            progress = words(take(&mut rest, 4 * (1 + 81 * 1_548)));
        }
        let mut layers = Vec::new();
        for number in 0..kind.stacks() * 3 {
            if number % 3 == 0 {
                take(&mut rest, 4);
            }
            let (inputs, outputs) = kind.layers()[number % 3];
            let biases = words(take(&mut rest, 4 * outputs));
            layers.push((biases, take(&mut rest, inputs * outputs).iter().map(|&b| b as i8).collect()));
        }
        assert!(rest.is_empty());
        Oracle { kind, biases: biases.into_iter().map(i64::from).collect(), rows, progress, layers }
    }

    /// The output for a position, from the view of the side to move.
    pub(crate) fn output(&self, sfen: &str) -> i32 {
        let placed = pieces_of(sfen);
        let black_to_move = sfen.split(' ').nth(1) == Some("b");
        let accumulators = [black_to_move, !black_to_move].map(|black| self.accumulator(&placed, black));
        let mut bytes = Vec::new();
        for accumulator in &accumulators {
            if self.kind.is_pairwise() {
                let half = self.kind.width / 2;
                bytes.extend(
                    (0..half).map(|i| accumulator[i].clamp(0, 254) * accumulator[half + i].clamp(0, 254) / 512),
                );
            } else {
                bytes.extend(accumulator.iter().map(|sum| sum.clamp(&0, &127)));
            }
        }
        let stack = self.stack(&placed, black_to_move);
        let layer = |number: usize, input: &[i64]| self.layer(stack, number, input);
        let first = layer(0, &bytes);
        let clip = |values: &[i64]| -> Vec<i64> { values.iter().map(|value| (value >> 6).clamp(0, 127)).collect() };
        let values = &first[..self.kind.hidden[0]];
        let mut second = Vec::new();
        if self.kind.is_pairwise() {
            second.extend(values.iter().map(|x| ((x * x) >> 19).min(127)));
        }
        second.extend(clip(values));
        let last = layer(2, &clip(&layer(1, &second)))[0];
        (last + if self.kind.has_shortcut() { first[self.kind.hidden[0]] } else { 0 }) as i32
    }

    /// The stack of layers, by the words of the net's name.
    fn stack(&self, placed: &[PlacedPiece], black_to_move: bool) -> usize {
        let of_both = |factor: usize, single: &dyn Fn(bool) -> usize| {
            (single(black_to_move) * factor + single(!black_to_move), factor * factor)
        };
        let mut kings = (0, 1);
        let mut hands = (0, 1);
        for word in self.kind.words() {
            let zone = |black: bool| king_zone(word, own_king(placed, black).unwrap_or(44));
            match word {
                "K3K3" => kings = of_both(3, &zone),
                "K9K9" | "K9K9Z" => kings = of_both(9, &zone),
                "K13K13Z" => kings = of_both(13, &zone),
                "K21K21" => kings = of_both(21, &zone),
                "K29K29" => kings = of_both(29, &zone),
                _ => {}
            }
            let hand = |black: bool| hand_kind(word, placed, black);
            match word {
                "HAND4" => hands = of_both(2, &hand),
                "HAND16" => hands = of_both(4, &hand),
                "HAND64" | "HAND64Z" => hands = of_both(8, &hand),
                "HAND256" => hands = of_both(16, &hand),
                "HAND1024" => hands = of_both(32, &hand),
                _ => {}
            }
        }
        let steps = self.kind.progress().unwrap_or(1);
        (hands.0 * kings.1 + kings.0) * steps + self.progress(placed) * steps / 256
    }

    /// The progress of the game, 0 to 255.
    fn progress(&self, placed: &[PlacedPiece]) -> usize {
        let Some((bias, weights)) = self.progress.split_first() else { return 0 };
        let of_side = |black: bool| -> i64 {
            let king = own_king(placed, black).unwrap_or(44);
            piece_numbers(placed, black).into_iter().map(|piece| weights[1_548 * king + piece]).sum()
        };
        let sum = bias + of_side(true) + of_side(false);
        // The logistic function of the sum in steps of 1/256.
        let step = |i: i32| {
            let share = f64::from(i) / 256.0;
            (65_536.0 * (share / (1.0 - share)).ln()).round() as i64
        };
        (1..256).filter(|&i| step(i) <= sum).count()
    }

    fn layer(&self, stack: usize, number: usize, input: &[i64]) -> Vec<i64> {
        let (biases, weights) = &self.layers[3 * stack + number];
        let inputs = self.kind.layers()[number].0;
        let sum = |(output, row): (usize, &[i8])| -> i64 {
            let seen = |&(i, _): &(usize, (&i8, &i64))| number > 0 || self.sees(output, i);
            row.iter().zip(input).enumerate().filter(seen).map(|(_, (&w, x))| i64::from(w) * x).sum()
        };
        // 32 bits, wrapped around.
        let sums = weights.chunks(inputs).enumerate().map(sum);
        biases.iter().zip(sums).map(|(bias, sum)| i64::from((bias + sum) as i32)).collect()
    }

    /// Whether an output of the first layer sees a column.
    fn sees(&self, output: usize, column: usize) -> bool {
        let number = |letter: char| self.kind.words().find_map(|word| word.strip_prefix(letter));
        let Some((size, groups)) = number('S').and_then(|rest| rest.split_once('X')) else { return true };
        let size: usize = size.parse().unwrap();
        let groups: usize = groups.parse().unwrap();
        let common: usize = number('C').unwrap().parse().unwrap();
        let begin = common + size * (output / (self.kind.layers()[0].1 / groups));
        column < common || (begin..begin + size).contains(&column)
    }

    fn accumulator(&self, placed: &[PlacedPiece], black: bool) -> Vec<i64> {
        let width = self.biases.len();
        let mut accumulator = self.biases.clone();
        for input in self.inputs(placed, black) {
            for (sum, &weight) in accumulator.iter_mut().zip(&self.rows[input * width..]) {
                *sum += i64::from(weight);
            }
        }
        // 16 bits, wrapped around.
        accumulator.iter().map(|&sum| i64::from(sum as i16)).collect()
    }

    /// The numbers of the inputs that are on for a side.
    fn inputs(&self, placed: &[PlacedPiece], black: bool) -> Vec<usize> {
        let (own, other) = (own_king(placed, black), own_king(placed, !black).map(|king| 80 - king));
        // A side without a king counts as if it stood at home, on the middle of the last rank.
        let king = own.unwrap_or(9 * 4 + 8);
        let pieces = piece_numbers(placed, black);
        let with_kings = |own_plane: usize, other_plane: usize| {
            let kings = own.map(|king| own_plane + king).into_iter().chain(other.map(|king| other_plane + king));
            pieces.iter().copied().chain(kings)
        };
        // Mirrored: the number of a square, of a piece or of a king in the planes from 90 on.
        let mirrored = |square: usize| 9 * (8 - square / 9) + square % 9;
        let mirrored_piece =
            |piece: usize| if piece < 90 { piece } else { piece - (piece - 90) % 81 + mirrored((piece - 90) % 81) };
        let (folded_king, is_folded) = if king >= 45 { (mirrored(king), true) } else { (king, false) };
        let fold = |piece: usize| if is_folded { mirrored_piece(piece) } else { piece };
        match self.kind.features {
            "HalfKP(Friend)" => pieces.iter().map(|piece| 1_548 * king + piece).collect(),
            "HalfKP_vm(Friend)" => pieces.iter().map(|&piece| 1_548 * folded_king + fold(piece)).collect(),
            "HalfKA1(Friend)" => with_kings(1_548, 1_629).map(|piece| 1_710 * king + piece).collect(),
            "HalfKA2(Friend)" => with_kings(1_548, 1_548).map(|piece| 1_629 * king + piece).collect(),
            "HalfKA_hm1(Friend)" => with_kings(1_548, 1_629).map(|piece| 1_710 * folded_king + fold(piece)).collect(),
            "HalfKA_hm2(Friend)" => with_kings(1_548, 1_548).map(|piece| 1_629 * folded_king + fold(piece)).collect(),
            "K+P" => with_kings(1_548, 1_629).collect(),
            "K+A2" => {
                let again = own.map(|king| 1_629 + king).into_iter().chain(other.map(|king| 1_710 + king));
                with_kings(1_548, 1_548).chain(again).collect()
            }
            "HalfKPE9(Friend)" => {
                let kinds = pieces.iter().map(|&piece| match piece {
                    0..90 => 0,
                    _ => {
                        let square = (piece - 90) % 81;
                        3 * attackers(placed, black, square, true) + attackers(placed, black, square, false)
                    }
                });
                kinds.zip(&pieces).map(|(kind, piece)| 125_388 * kind + 1_548 * king + piece).collect()
            }
            other => panic!("{other}"),
        }
    }
}

/// The square of a side's king as that side sees it.
fn own_king(placed: &[PlacedPiece], black: bool) -> Option<usize> {
    placed.iter().find(|piece| piece.letter == 'K' && piece.black == black)?.square(black)
}

/// The numbers of the 38 pieces as a side sees them, 0 for those that are not in the game.
fn piece_numbers(placed: &[PlacedPiece], black: bool) -> Vec<usize> {
    let mut numbers = Vec::new();
    for piece in placed.iter().filter(|piece| piece.letter != 'K') {
        let own = piece.black == black;
        numbers.push(match piece.place {
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
                90 + 162 * plane + if own { 0 } else { 81 } + piece.square(black).unwrap()
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
    numbers.resize(38, 0);
    numbers
}

/// The zone of a king on a square that its own side sees.
fn king_zone(word: &str, king: usize) -> usize {
    let file = king / 9;
    let rank = king % 9;
    let third = file / 3;
    match (word, rank) {
        ("K3K3", _) => rank / 3,
        ("K9K9", _) => rank,
        ("K13K13Z", 0..=6) => rank,
        ("K13K13Z", _) => 7 + 3 * (rank - 7) + third,
        ("K29K29", 0..=5) => rank / 3,
        ("K29K29", _) => 2 + 9 * (rank - 6) + file,
        (_, 0..=2) => 0,
        (_, 3..=5) => 1,
        (_, 6) => 2,
        ("K9K9Z", _) => 3 + 3 * (rank - 7) + third,
        _ => 3 + 9 * (rank - 7) + file,
    }
}

/// The kind of a side's hand.
fn hand_kind(word: &str, placed: &[PlacedPiece], black: bool) -> usize {
    let held = placed.iter().filter(|piece| piece.black == black && matches!(piece.place, Place::Hand(_)));
    let mut counts: BTreeMap<char, usize> = BTreeMap::new();
    for piece in held {
        *counts.entry(piece.letter).or_default() += 1;
    }
    let groups: &[&str] = match word {
        "HAND4" => &["B"],
        "HAND16" => &["P", "B"],
        "HAND64" => &["PLN", "GSR", "B"],
        "HAND256" => &["PLN", "SG", "B", "R"],
        "HAND1024" => &["P", "LN", "SG", "B", "R"],
        _ => {
            let value = |letter: char| "_PLNSGBR".find(letter).map_or(0, |i| [0, 1, 2, 2, 3, 3, 5, 5][i]);
            let points: usize = counts.iter().map(|(&letter, count)| value(letter) * count).sum();
            return 7.min(points.div_ceil(4));
        }
    };
    groups
        .iter()
        .enumerate()
        .filter(|(_, group)| group.chars().any(|c| counts.contains_key(&c)))
        .map(|(bit, _)| 1 << bit)
        .sum()
}

/// How many pieces of the side that looks (`own`) or of the other attack a square that the side sees, up to two.
fn attackers(placed: &[PlacedPiece], black: bool, target: usize, own: bool) -> usize {
    let occupied: Vec<usize> = placed.iter().filter_map(|piece| piece.square(black)).collect();
    let attacks = |piece: &&PlacedPiece| {
        let Some(from) = piece.square(black) else { return false };
        // Forwards is towards rank 0 for the side that looks.
        let forward: i32 = if piece.black == black { -1 } else { 1 };
        let reaches = |(files, ranks): (i32, i32), far: bool| {
            let mut file = (from / 9) as i32;
            let mut rank = (from % 9) as i32;
            loop {
                (file, rank) = (file + files, rank + forward * ranks);
                if !(0..9).contains(&file) || !(0..9).contains(&rank) {
                    return false;
                }
                let here = (9 * file + rank) as usize;
                if here == target {
                    return true;
                }
                if !far || occupied.contains(&here) {
                    return false;
                }
            }
        };
        // Steps as (files, ranks ahead).
        let gold = [(0, 1), (1, 1), (-1, 1), (1, 0), (-1, 0), (0, -1)];
        let silver = [(0, 1), (1, 1), (-1, 1), (1, -1), (-1, -1)];
        let straight = [(0, 1), (1, 0), (-1, 0), (0, -1)];
        let diagonal = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
        let steps = |list: &[(i32, i32)]| list.iter().any(|&step| reaches(step, false));
        let lines = |list: &[(i32, i32)]| list.iter().any(|&step| reaches(step, true));
        match (piece.letter, piece.promoted) {
            ('K', _) => steps(&straight) || steps(&diagonal),
            ('B', promoted) => lines(&diagonal) || promoted && steps(&straight),
            ('R', promoted) => lines(&straight) || promoted && steps(&diagonal),
            ('G', _) | ('P' | 'L' | 'N' | 'S', true) => steps(&gold),
            ('P', false) => steps(&[(0, 1)]),
            ('L', false) => lines(&[(0, 1)]),
            ('N', false) => steps(&[(1, 2), (-1, 2)]),
            _ => steps(&silver),
        }
    };
    placed.iter().filter(|piece| (piece.black == black) == own).filter(attacks).count().min(2)
}

/// The pieces of a SFEN.
fn pieces_of(sfen: &str) -> Vec<PlacedPiece> {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut placed = Vec::new();
    for (rank, row) in fields[0].split('/').enumerate() {
        let mut file = 9;
        let mut promoted = false;
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
                    let letter = c.to_ascii_uppercase();
                    let black = c.is_ascii_uppercase();
                    placed.push(PlacedPiece { letter, promoted: false, black, place: Place::Hand(nth) });
                }
                count = 0;
            }
        }
    }
    placed
}
