//! What must hold of the readers of records for any bytes. A fuzzer calls it (`fuzz/`), and a test for the files that
//! fuzzers have found.

use komainu::games::read_source_text;
use komainu::notation::encoding::{decode, encode_cp932};
use komainu::notation::likeness;
use komainu::notation::pgn::PgnReader;
use komainu::notation::record::GameRecord;
use komainu::notation::{Format, Part};

/// The formats that are read back as games, with a name of a file.
const READ: [(Format, &str); 5] = [
    (Format::Kif, "a.kif"),
    (Format::Ki2, "a.ki2"),
    (Format::Csa, "a.csa"),
    (Format::Json, "a.jkf"),
    (Format::Usi, "a.usi"),
];

/// Runs the target of this name.
pub(crate) fn run(name: &str, bytes: &[u8]) {
    match name {
        "pgn" => pgn(bytes),
        "encodings" => encodings(bytes),
        format => records(&format!("a.{format}"), &String::from_utf8_lossy(bytes)),
    }
}

/// What is read can be written in every format and read again.
fn records(name: &str, text: &str) {
    for game in read_source_text(name, text) {
        let told = match game {
            Ok(game) => {
                for (target, name) in &READ {
                    survives(&game.record, *target, name);
                }
                game.fault.into_iter().chain(game.warnings).collect()
            }
            Err(unread) => vec![unread.told],
        };
        assert!(told.iter().all(|told| !told.contains(char::is_control)), "{told:?}");
    }
}

fn survives(record: &GameRecord, target: Format, name: &str) {
    let text = target.write(record);
    let games = read_source_text(name, &text);
    let [Ok(read)] = &games[..] else { panic!("{games:?}\n{text}") };
    let again = &read.record;
    assert_eq!((&read.fault, again.moves.len()), (&None, record.moves.len()), "{text}");
    assert_eq!(again.start.to_sfen().split(' ').next(), record.start.to_sfen().split(' ').next(), "{text}");
    let losses = target.losses(record);
    if !losses.iter().any(|part| matches!(part, Part::End | Part::EndKinds | Part::Times | Part::Fractions)) {
        assert_eq!(again.conclusion, record.conclusion, "{text}");
    }
    if !losses.contains(&Part::Variations) && !losses.contains(&Part::DeepVariations) {
        assert_eq!(again.variations.len(), record.variations.len(), "{text}");
    }
    let written = target.write(again);
    let same = written.bytes().zip(text.bytes()).take_while(|(new, old)| new == old).count().saturating_sub(80);
    let from = |text: &str| String::from_utf8_lossy(&text.as_bytes()[same..]).into_owned();
    // An end that has become the nearest one may have another statement.
    assert!(written == text || losses.contains(&Part::EndKinds), "{target:?}: {}\n<> {}", from(&written), from(&text));
}

fn pgn(bytes: &[u8]) {
    for game in PgnReader::new(bytes, "fuzz") {
        match game {
            Ok(game) => {
                let mut pos = game.start.clone();
                for made in &game.moves {
                    pos.play(made.mv).expect("the moves are legal");
                }
                assert_eq!(pos, game.end);
            }
            Err(error) => assert!(!error.to_string().contains(char::is_control), "{error}"),
        }
    }
}

fn encodings(bytes: &[u8]) {
    let text = decode(bytes);
    _ = likeness(&text);
    let encoded = encode_cp932(&text);
    // Every letter comes out, or is told as lost.
    assert!(encoded.bytes.len() >= text.chars().count());
    assert!(encoded.lost.iter().all(|&letter| !encode_cp932(&letter.to_string()).lost.is_empty()));
}
