//! The packed position: fixed vectors, every bit against a second writer, and any 32 bytes.

use crate::oracle::play::random_game;
use crate::oracle::setups::{Style, for_all};
use komainu::position::{Handicap, PackError, PackedPosition, Position, PositionFault, UnpackError};
use komainu::random::SplitMix64;
use komainu::types::{Color, PieceType, Square};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Seed of the random games here.
const GAME_SEED: u64 = 0x9AC_0001;
/// Seed of all other random values here.
const SEED: u64 = 20_260_801;

/// SFENs and their packed form as another program writes it.
fn vectors() -> Vec<(&'static str, &'static str)> {
    let rows = include_str!("../data/packed.txt").lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| row.split_once(' ').expect("bytes and a SFEN")).map(|(hex, sfen)| (sfen, hex)).collect()
}

fn read(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

fn bytes(hex: &str) -> [u8; 32] {
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal"))
}

/// The packed form as a row of binary digits, first bit first, from the description of the format.
fn second_writer(pos: &Position) -> String {
    use PieceType::*;
    // The codes of the board, and those of pieces that are not in the game; a piece in hand lacks the board's first 1.
    const CODES: [(PieceType, &str, &str); 7] = [
        (Pawn, "10", "010"),
        (Lance, "1100", "10010"),
        (Knight, "1101", "10110"),
        (Silver, "1110", "11010"),
        (Gold, "11110", "11011"),
        (Bishop, "111110", "1111010"),
        (Rook, "111111", "1111110"),
    ];
    let code = |piece_type: PieceType| CODES.iter().find(|code| code.0 == piece_type.unpromoted()).expect("a code").1;
    let color_bit = |color: Color| if color == Color::White { "1" } else { "0" };
    let mut bits = color_bit(pos.side()).to_string();
    for color in Color::ALL {
        let king = pos.king(color).expect("two kings").index();
        bits.extend((0..7).map(|i| if king >> i & 1 == 1 { '1' } else { '0' }));
    }
    let mut left = CODES.map(|(piece_type, ..)| piece_type.total());
    for square in Square::ALL {
        match pos.piece_on(square) {
            None => bits.push('0'),
            Some(piece) if piece.piece_type() == King => {}
            Some(piece) => {
                bits.push_str(code(piece.piece_type()));
                if piece.piece_type() != Gold {
                    bits.push(if piece.is_promoted() { '1' } else { '0' });
                }
                bits.push_str(color_bit(piece.color()));
                let slot = CODES.iter().position(|code| code.0 == piece.piece_type().unpromoted()).expect("a code");
                left[slot] -= 1;
            }
        }
    }
    for color in Color::ALL {
        for (slot, (piece_type, board_code, _)) in CODES.into_iter().enumerate() {
            for _ in 0..pos.hand(color).count(piece_type) {
                bits.push_str(&board_code[1..]);
                if piece_type != Gold {
                    bits.push('0');
                }
                bits.push_str(color_bit(color));
                left[slot] -= 1;
            }
        }
    }
    for (slot, (.., absent)) in CODES.into_iter().enumerate() {
        bits.push_str(&absent.repeat(left[slot] as usize));
    }
    bits
}

fn binary(packed: &PackedPosition) -> String {
    (0..256).map(|i| if packed.0[i / 8] >> (i % 8) & 1 == 1 { '1' } else { '0' }).collect()
}

/// Packs to the bits of the second writer, and unpacks to the same position with counter 1.
fn survives_packing(pos: &Position) -> Result<(), String> {
    let sfen = pos.to_sfen();
    let packed = pos.pack().map_err(|error| format!("{error}: {sfen}"))?;
    let bits = second_writer(pos);
    if bits.len() != 256 || binary(&packed) != bits {
        return Err(format!("{sfen} is packed to {}, expected {bits}", binary(&packed)));
    }
    let again = packed.unpack().map_err(|error| format!("{error}: {sfen}"))?;
    again.validate()?;
    if again.key() != pos.key() || again.to_sfen_without_counter() != pos.to_sfen_without_counter() || again.ply() != 1
    {
        return Err(format!("{sfen} comes back as {}", again.to_sfen()));
    }
    Ok(())
}

#[test]
fn vectors_of_another_program_are_packed_and_unpacked() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 15);
    for (sfen, hex) in vectors {
        let pos = read(sfen);
        let packed = PackedPosition(bytes(hex));
        assert_eq!(pos.pack(), Ok(packed), "{sfen}");
        let unpacked = packed.unpack().unwrap_or_else(|error| panic!("{hex}: {error}"));
        assert_eq!(
            (unpacked.to_sfen_without_counter(), unpacked.key()),
            (pos.to_sfen_without_counter(), pos.key()),
            "{hex}"
        );
        assert_eq!(survives_packing(&pos), Ok(()));
    }
}

#[test]
fn handicap_positions_survive_packing() {
    for handicap in Handicap::ALL {
        assert_eq!(survives_packing(&read(handicap.sfen())), Ok(()), "{handicap:?}");
    }
}

#[test]
fn positions_of_random_games_survive_packing() {
    let mut positions = 0;
    for game in 0..160 {
        random_game(GAME_SEED, game, |pos| {
            if Color::ALL.into_iter().all(|color| pos.king(color).is_some()) {
                positions += 1;
                if let Err(fault) = survives_packing(pos) {
                    panic!("seed {GAME_SEED:#x}, game {game}: {fault}");
                }
            }
        });
    }
    assert!(positions > 10_000, "only {positions} positions");
}

#[test]
fn random_setups_survive_packing_unless_a_king_is_missing() {
    let refused = AtomicU32::new(0);
    for style in Style::ALL {
        for_all(SEED, 2_500, style.positions(), |pos| match Color::ALL.into_iter().find(|&c| pos.king(c).is_none()) {
            None => survives_packing(&pos).map_err(TestCaseError::fail),
            Some(color) => {
                refused.fetch_add(1, Relaxed);
                let refusal = PackError::MissingKing(color);
                let name = format!("({color})");
                prop_assert!(refusal.to_string().contains(&name));
                prop_assert_eq!(pos.pack(), Err(refusal));
                Ok(())
            }
        });
    }
    assert!(refused.load(Relaxed) > 100, "only {} boards with one king", refused.load(Relaxed));
}

/// Bits of the first vector with these changed: `(bit, value)`.
fn changed(hex: &str, changes: &[(usize, bool)]) -> PackedPosition {
    let mut data = bytes(hex);
    for &(bit, value) in changes {
        data[bit / 8] = data[bit / 8] & !(1 << (bit % 8)) | (value as u8) << (bit % 8);
    }
    PackedPosition(data)
}

#[test]
fn bits_that_are_no_position_are_refused_with_the_reason() {
    let start = vectors()[0].1;
    // Bits 1 to 7 hold black's king, 8 to 14 white's; 81 and above are no squares.
    let king = |first: usize, value: usize| -> Vec<(usize, bool)> {
        (0..7).map(|i| (first + i, value >> i & 1 == 1)).collect()
    };
    for value in 81..128 {
        let error = changed(start, &king(1, value)).unpack().expect_err("no square");
        assert_eq!(error, UnpackError::BadKing(Color::Black, value as u8));
        assert!(error.to_string().contains(&value.to_string()), "{error}");
        let error = changed(start, &king(8, value)).unpack().expect_err("no square");
        assert_eq!(error, UnpackError::BadKing(Color::White, value as u8));
    }
    let error = changed(start, &king(8, Square::S5I.index())).unpack().expect_err("one square for both");
    assert_eq!(error, UnpackError::KingsOverlap(Square::S5I));
    assert!(error.to_string().contains("5i"), "{error}");
    // All ones: both kings on square 127. With kings in place: a rook on every square, and no room for them.
    assert_eq!(PackedPosition([0xFF; 32]).unpack().map(|_| ()), Err(UnpackError::BadKing(Color::Black, 127)));
    let rooks = PackedPosition(std::array::from_fn(|i| [0x58, 0xA4].get(i).copied().unwrap_or(0xFF)));
    match rooks.unpack() {
        Err(error @ UnpackError::Truncated(bit)) => {
            assert!((240..256).contains(&bit), "{bit}");
            assert!(error.to_string().contains(&bit.to_string()), "{error}");
        }
        other => panic!("{other:?}"),
    }
    // All zeros after the kings: an empty board, then pawns in hand, black's unpromoted: far more than the set has.
    let pawns = PackedPosition(std::array::from_fn(|i| [0x58, 0x24].get(i).copied().unwrap_or(0)));
    match pawns.unpack() {
        Err(UnpackError::Position(faults)) => {
            assert!(
                matches!(faults.faults()[..], [PositionFault::TooManyPieces(PieceType::Pawn, n)] if n > 18),
                "{faults:?}"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Never a panic; a message in one line; and what is a position packs to an equal one.
fn is_refused_or_repacked(packed: PackedPosition) -> Result<bool, String> {
    match packed.unpack() {
        Err(error) => {
            let message = error.to_string();
            let tidy = !message.is_empty() && message.bytes().all(|b| b.is_ascii_graphic() || b == b' ');
            if tidy { Ok(false) } else { Err(format!("{message:?}")) }
        }
        Ok(pos) => survives_packing(&pos).map(|()| true),
    }
}

#[test]
fn any_32_bytes_are_refused_or_are_a_position_that_packs_again() {
    for_all(SEED, 200_000, any::<[u8; 32]>(), |data| {
        is_refused_or_repacked(PackedPosition(data)).map(|_| ()).map_err(TestCaseError::fail)
    });
}

#[test]
fn packed_positions_with_a_few_wrong_bits_are_refused_or_pack_again() {
    let mut accepted = 0;
    let mut refused = 0;
    let mut random = SplitMix64(SEED);
    let vectors = vectors();
    for round in 0..200_000 {
        let mut data = bytes(random.pick(&vectors).1);
        for _ in 0..1 + random.below(4) {
            let bit = random.below(256);
            data[bit / 8] ^= 1 << (bit % 8);
        }
        match is_refused_or_repacked(PackedPosition(data)) {
            Ok(true) => accepted += 1,
            Ok(false) => refused += 1,
            Err(fault) => panic!("seed {SEED}, round {round}, {data:02x?}: {fault}"),
        }
    }
    assert!(accepted > 1_000 && refused > 1_000, "{accepted} accepted, {refused} refused");
}
