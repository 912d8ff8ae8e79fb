//! Comments of other programs, read back from files in every encoding and with every end of line.

use super::games::read_game;
use komainu::notation::Format;
use komainu::notation::encoding::encode_cp932;
use komainu::notation::record::GameRecord;
use komainu::notation::remark::{SearchRemark, read_remarks};
use komainu::notation::score::ReportedScore;
use komainu::notation::score::ReportedScore::{Centipawns, Mate, UnknownMate};
use komainu::types::Move;

/// A game in which every move has the comments of another program.
const FILE: &str = include_str!("../../../../tests/data/notation/comments.kif");

/// A finding on a move: who found it, the score, the depth, the nodes, and the length of the line, which is that of the
/// game itself.
type Wanted = (usize, char, Option<ReportedScore>, Option<u32>, Option<u64>, usize);

const WANTED: [Wanted; 15] = [
    (1, '#', Some(Centipawns(123)), Some(22), Some(12_345), 3),
    (2, '*', Some(Centipawns(-45)), Some(18), None, 2),
    (3, '#', Some(Mate(-7)), None, None, 0),
    // A mate without a length has a winner only.
    (4, '#', Some(UnknownMate { wins: true }), None, None, 0),
    (5, '*', Some(Centipawns(123)), None, None, 2),
    (6, '*', Some(Centipawns(-88)), None, Some(12_345), 2),
    (7, '*', Some(Centipawns(88)), Some(22), Some(744_743), 2),
    (8, '#', Some(Centipawns(0)), Some(32), Some(1), 2),
    (9, '#', Some(Centipawns(310)), Some(18), None, 2),
    (10, '#', Some(Centipawns(62)), None, None, 2),
    (11, '#', Some(Centipawns(-62)), None, None, 1),
    (12, '#', Some(Centipawns(62)), None, None, 0),
    (13, '#', Some(Mate(-3)), None, None, 0),
    (15, '*', Some(UnknownMate { wins: true }), None, None, 1),
    (16, '*', Some(Mate(11)), None, None, 0),
];

fn check(record: &GameRecord, place: &str) {
    assert_eq!(record.moves.len(), 16, "{place}");
    let moves: Vec<Move> = record.moves.iter().map(|made| made.mv).collect();
    let mut pos = record.start.clone();
    for (index, made) in record.moves.iter().enumerate() {
        let remarks = read_remarks(&pos, Some(made.mv), &made.comments);
        pos.do_move(made.mv);
        let wanted = WANTED.iter().find(|wanted| wanted.0 == index + 1);
        let place = format!("{place}, move {}: {:?}", index + 1, made.comments);
        let of_kind = |kind: char| -> Option<SearchRemark> {
            let &(_, _, score, depth, nodes, length) = wanted.filter(|wanted| wanted.1 == kind)?;
            let line = moves[index + 1..][..length].to_vec();
            Some(SearchRemark { score, depth, nodes, line })
        };
        assert_eq!(remarks.player, of_kind('*'), "{place}");
        assert_eq!(remarks.research, of_kind('#'), "{place}");
    }
}

#[test]
fn every_form_is_read_from_files_in_every_encoding_and_with_every_end_of_line() {
    let crlf = FILE.replace('\n', "\r\n");
    for (text, end) in [(FILE, "LF"), (&crlf, "CRLF")] {
        let cp932 = encode_cp932(&text.replace("encoding=UTF-8", "encoding=Shift_JIS"));
        assert_eq!(cp932.lost, []);
        check(&read_game(text.as_bytes(), None).unwrap().record, &format!("UTF-8, {end}"));
        check(&read_game(&cp932.bytes, None).unwrap().record, &format!("CP932, {end}"));
    }
}

#[test]
fn every_form_survives_every_format() {
    let record = read_game(FILE.as_bytes(), None).unwrap().record;
    for format in Format::RECORDS {
        let text = format.write(&record);
        let read = read_game(text.as_bytes(), None).unwrap().record;
        check(&read, &format!("{format}"));
    }
}
