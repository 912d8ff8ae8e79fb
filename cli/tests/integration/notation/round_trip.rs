//! A record that is written is read back as it was.

use super::games::{LONGEST, assert_same, random_record, read_game};
use komainu::notation::record::{Conclusion, Ending, GameRecord, RecordMove};
use komainu::notation::{Format, encoding};
use komainu::position::Position;
use komainu::types::{Color, Move};

const SEED: u64 = 0xC0DE_0007;

#[test]
fn formats_are_told_by_their_text_in_every_encoding_and_with_every_end_of_line() {
    let mut seen = 0;
    for game in 0..60 {
        let record = random_record(SEED + 1, game, LONGEST);
        for format in Format::RECORDS {
            // A KI2 record without a move is a KIF record without a move.
            if format == Format::Ki2 && record.moves.is_empty() {
                continue;
            }
            seen += 1;
            let text = format.write(&record);
            assert_eq!(Format::of_text(&text), format, "{text}");
            let read = |bytes: &[u8]| read_game(bytes, None).unwrap().record;
            let expected = read(text.as_bytes());
            let cp932 = encoding::encode_cp932(&text);
            assert_eq!(cp932.lost, [], "{text}");
            let crlf = text.replace('\n', "\r\n");
            let marked = format!("\u{feff}{text}");
            // The first line says UTF-8 where it has fractions of seconds.
            for bytes in [crlf.as_bytes(), marked.as_bytes(), &cp932.bytes] {
                assert_same(&read(bytes), &expected, &text);
            }
        }
    }
    assert!(seen > 120, "only {seen} records");
}

#[test]
fn every_conclusion_survives_every_format_with_either_side_to_move() {
    let moves: [Move; 2] = ["7g7f", "3c3d"].map(|text| text.parse().unwrap());
    for format in Format::RECORDS {
        for ending in Ending::ALL {
            for winner in [None, Some(Color::Black), Some(Color::White)] {
                for plies in [0, 1, 2] {
                    let mut record = GameRecord::new(Position::startpos());
                    record.moves.extend(moves[..plies].iter().map(|&mv| RecordMove::new(mv)));
                    record.conclusion = Some(Conclusion { ending, winner, spent: None });
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
