//! A record that is written is read back as it was.

use super::games::{Able, EVERYTHING, Times, assert_same, random_record, read_game};
use komainu::notation::record::{Conclusion, Ending, GameRecord};
use komainu::notation::{Format, encoding};
use komainu::position::Position;
use komainu::types::Color;

const SEED: u64 = 0xC0DE_0007;

pub(super) const KIF: Able = Able { times: Times::Seconds, words: false, ..EVERYTHING };
const KI2: Able = Able { times: Times::None, words: false, ..EVERYTHING };
const CSA: Able = Able { variations: false, counter: false, words: false, ..EVERYTHING };

/// What a format can say.
fn able(format: Format) -> Able {
    match format {
        Format::Kif => KIF,
        Format::Ki2 => KI2,
        Format::Csa => CSA,
        other => panic!("no test of {other}"),
    }
}

#[test]
fn formats_are_told_by_their_text_in_every_encoding_and_with_every_end_of_line() {
    let mut seen = 0;
    for game in 0..60 {
        for format in Format::RECORDS {
            let record = random_record(SEED + 1, game, able(format));
            // A KI2 record without a move is a KIF record without a move.
            if format == Format::Ki2 && record.moves.is_empty() {
                continue;
            }
            seen += 1;
            let text = format.write(&record);
            assert_eq!(Format::of_text(&text), format, "{text}");
            let crlf = text.replace('\n', "\r\n");
            let cp932 = encoding::encode_cp932(&text);
            assert_eq!(cp932.lost, [], "{text}");
            for bytes in [text.clone().into_bytes(), crlf.into_bytes(), format!("\u{feff}{text}").into_bytes()] {
                let read = read_game(&bytes, None).unwrap();
                assert_eq!(read.warnings, [""; 0], "{text}");
                assert_same(&read.record, &record, &text);
            }
            // Its first line says UTF-8 where it has fractions of seconds.
            let read = read_game(&cp932.bytes, None).unwrap().record;
            assert_same(&read, &record, &text);
        }
    }
    assert!(seen > 120, "only {seen} records");
}

#[test]
fn every_conclusion_survives_every_format_with_either_side_to_move() {
    for format in Format::RECORDS {
        for ending in Ending::ALL {
            for winner in [None, Some(Color::Black), Some(Color::White)] {
                for plies in [0, 1, 2] {
                    let mut record = GameRecord::new(Position::startpos());
                    let long = random_record(SEED, 3, able(format));
                    record.conclusion = Some(Conclusion { ending, winner, spent: None });
                    record.start = long.start.clone();
                    record.moves = long.moves.into_iter().take(plies).collect();
                    let text = format.write(&record);
                    let read = format.read(&text).unwrap().swap_remove(0);
                    assert_same(&read.record, &record, &text);
                }
            }
        }
    }
}

#[test]
fn comments_and_headers_with_line_breaks_stay_within_their_lines() {
    for format in Format::RECORDS {
        let mut record = GameRecord::new(Position::startpos());
        record.comments = vec!["one\r\ntwo".to_string()];
        record.event = Some("a\nb".to_string());
        record.players[0] = Some(" x\ny ".to_string());
        record.headers =
            ["k\ney", "", "a：b", "a:b", "先手", "EVENT", "変化"].map(|k| (k.to_string(), "v".to_string())).to_vec();
        let read = format.read(&format.write(&record)).unwrap().swap_remove(0);
        assert_eq!(read.record.comments, ["one", "two"]);
        assert_eq!(read.record.event.as_deref(), Some("a b"));
        assert_eq!(read.record.players[0].as_deref(), Some("x y"));
        assert_eq!(read.warnings, [""; 0]);
    }
}
