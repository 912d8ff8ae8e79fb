//! No text does harm: records cut off at any byte, records with bytes changed, and junk.

use super::games::{random_record, read_games};
use super::round_trip::KIF;
use crate::oracle::setups::for_all;
use crate::shell::is_visible;
use komainu::notation::{Format, encoding};
use komainu::random::SplitMix64;
use proptest::prelude::*;

/// A record of each format in both encodings, and what other programs write.
fn samples() -> Vec<Vec<u8>> {
    let mut samples: Vec<Vec<u8>> = vec![
        include_bytes!("../../../../tests/data/notation/kifu-for-windows.kif").to_vec(),
        include_bytes!("../../../../tests/data/notation/diagram.bod").to_vec(),
        include_bytes!("../../../../tests/data/notation/floodgate.csa").to_vec(),
        include_bytes!("../../../../tests/data/notation/two-games.csa").to_vec(),
    ];
    for (game, format) in (7..).zip(Format::RECORDS) {
        let mut record = random_record(77, game, KIF);
        record.moves.truncate(30);
        record.variations.truncate(2);
        let text = format.write(&record);
        samples.push(encoding::encode_cp932(&text).bytes);
        samples.push(text.into_bytes());
    }
    samples
}

/// Reads bytes in every way; what is read can be written in every format and read again.
fn is_harmless(bytes: &[u8]) {
    for format in Format::RECORDS.map(Some).into_iter().chain([None]) {
        match read_games(bytes, format) {
            Err(error) => assert!(is_visible(&error.to_string())),
            Ok(games) => {
                assert!(!games.is_empty());
                for game in games {
                    for format in Format::RECORDS {
                        let text = format.write(&game.record);
                        let again = format.read(&text);
                        assert!(again.is_ok(), "{again:?}\n{text}\n{}", String::from_utf8_lossy(bytes));
                        assert_eq!(again.unwrap()[0].record.moves.len(), game.record.moves.len(), "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn records_that_are_cut_off_do_no_harm() {
    for sample in samples() {
        for end in 0..=sample.len() {
            is_harmless(&sample[..end]);
        }
    }
}

#[test]
fn records_with_changed_bytes_do_no_harm() {
    let mut random = SplitMix64(0xBAD);
    let samples = samples();
    for _ in 0..6_000 {
        let mut bytes = samples[random.below(samples.len())].clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next_u64() as u8,
                1 => _ = bytes.remove(at),
                2 => bytes.insert(at, b"0123456789+-%'(),:/\n*"[random.below(21)]),
                _ => {
                    let from = random.below(bytes.len());
                    let length = random.below(40).min(bytes.len() - from);
                    let part = bytes[from..from + length].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        is_harmless(&bytes);
    }
}

#[test]
fn junk_made_of_the_words_of_the_formats_does_no_harm() {
    const WORDS: &str = "7 ７ 六 歩 成 銀 不成 打 同 (77) (00) ( 0:01/ 右 直 上 ▲ △ * & # | v ・ \
        変化： 手 まで 手で 先手 の勝ち により 手合割： 後手の持駒： 番 手数＝ 投了 反則勝ち +7776FU \
        -3334FU %TORYO %MATTA T PI P-00AL summary:";
    let words: Vec<&str> = WORDS.split(' ').chain(["\n", " ", "　", "/\n"]).collect();
    let words = prop::collection::vec(prop::sample::select(words), 0..60);
    for_all(5, 4_000, words, |words| {
        is_harmless(words.concat().as_bytes());
        Ok(())
    });
    for_all(6, 2_000, prop::collection::vec(any::<u8>(), 0..200), |bytes| {
        is_harmless(&bytes);
        Ok(())
    });
}

#[test]
fn long_input_is_read_in_time_that_grows_with_it() {
    let mut text = String::from("   1 ７六歩(77)\n   2 ３四歩(33)\n");
    for _ in 0..20_000 {
        text.push_str("変化：2手\n   2 ８四歩(83)\n変化：99手\n*\n");
    }
    let games = read_games(text.as_bytes(), Some(Format::Kif)).unwrap();
    assert_eq!(games[0].record.variations.len(), 20_000);
    let hands = format!("後手の持駒：{}\n", "歩九十九　".repeat(100_000));
    assert!(read_games(format!("{hands}{}", "|\n".repeat(9)).as_bytes(), Some(Format::Kif)).is_err());
}
