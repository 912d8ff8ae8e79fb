use super::*;
use crate::training::games::Ply;
use crate::training::input::ReadError;
use komainu::notation::record::Ending;

fn parse(text: &str) -> Move {
    text.parse().expect("a move")
}

fn read(bytes: &[u8]) -> Result<Vec<(Record, Position)>, ReadError> {
    Records::new(bytes, "test").collect()
}

/// A game in which black loses.
fn game(opening: usize) -> Game {
    let plies = [("7g7f", 30), ("3c3d", -20), ("8h2b+", 100), ("3a2b", -100), ("B*4e", 31_990)];
    let plies = plies.map(|(mv, score)| Ply { mv: parse(mv), score }).to_vec();
    Game::new(&Position::startpos(), plies, opening, (Ending::Resignation, Some(Color::White))).expect("a legal game")
}

fn records_of(game: &Game) -> Vec<(Record, Option<Move>)> {
    let mut records = Vec::new();
    visit_records(game, |record, _, next| {
        records.push((record, next));
        Ok::<(), ReadError>(())
    })
    .expect("nothing fails");
    records
}

#[test]
fn a_record_has_the_bytes_of_the_format() {
    let (record, _) = records_of(&game(0))[0];
    let bytes = record.encode();
    // The even start position as other programs pack it.
    let packed = "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c";
    let hex: String = bytes[..32].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, packed);
    // 30 centipawns are 27 where a pawn is 90; 7g7f; ply 1; black loses.
    assert_eq!(bytes[32..], [27, 0, 0x3B, 0x1E, 1, 0, 0xFF, 0]);
}

#[test]
fn moves_have_the_bits_of_the_format() {
    for (sfen, mv, bits) in [
        ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "7g7f", 0x1E3B_u16),
        ("4k4/9/2P6/9/9/9/9/9/4K4 b - 1", "7c7b+", 0x9C37),
        ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5b", 0x43A5),
    ] {
        let pos = Position::from_sfen(sfen).expect("a valid SFEN");
        let position = pos.pack().expect("two kings");
        let record = Record { position, score: 0, best: Some(parse(mv)), ply: 1, result: 0 };
        let bytes = record.encode();
        assert_eq!(bytes[34..36], bits.to_le_bytes(), "{mv}");
        assert_eq!(read(&bytes).expect("a good record")[0].0, record, "{mv}");
    }
}

#[test]
fn records_of_a_game_alternate_their_view_and_leave_out_random_plies() {
    let all = records_of(&game(0));
    let view: Vec<(i16, u16, i8)> = all.iter().map(|(record, _)| (record.score, record.ply, record.result)).collect();
    assert_eq!(view, [(30, 1, -1), (-20, 2, 1), (100, 3, -1), (-100, 4, 1), (31_990, 5, -1)]);
    let next: Vec<Option<Move>> = all.iter().map(|(_, next)| *next).collect();
    assert_eq!(
        next,
        ["3c3d", "8h2b+", "3a2b", "B*4e"].map(|mv| Some(parse(mv))).into_iter().chain([None]).collect::<Vec<_>>()
    );
    assert_eq!(records_of(&game(3)), all[3..]);
}

#[test]
fn scores_survive_the_other_unit() {
    for score in i16::MIN..=i16::MAX {
        let back = from_record_unit(to_record_unit(score));
        assert!((i32::from(back) - i32::from(score)).abs() <= 1, "{score} became {back}");
        assert_eq!(to_record_unit(-score.max(-i16::MAX)), -to_record_unit(score.max(-i16::MAX)), "{score}");
    }
    // A score of another program comes out as it went in, unless it is close to a mate.
    let largest = to_record_unit(MAX_EVAL as i16);
    assert!((-largest..=largest).all(|score| to_record_unit(from_record_unit(score)) == score));
    assert_eq!(
        [100, -100, 55, 5, 30_999, 31_000, -31_995].map(to_record_unit),
        [90, -90, 50, 5, 27_899, 31_000, -31_995]
    );
    assert_eq!(from_record_unit(30_000), 30_999);
}

#[test]
fn the_score_of_the_file_is_told_beside_that_in_centipawns() {
    let scores = [275_i16, -30_000, 0, i16::MIN];
    let mut bytes = Vec::new();
    for score in scores {
        let mut record = records_of(&game(0))[0].0.encode();
        record[32..34].copy_from_slice(&score.to_le_bytes());
        bytes.extend(record);
    }
    let mut records = Records::new(&bytes[..], "test");
    assert_eq!(records.raw_score(), 0);
    for (raw, centipawns) in scores.into_iter().zip([306, -30_999, 0, i16::MIN]) {
        let (record, _) = records.next().expect("a record").expect("a good record");
        assert_eq!((records.raw_score(), record.score), (raw, centipawns));
    }
}

#[test]
fn a_chain_breaks_where_records_do_not_follow_each_other() {
    let records: Vec<Record> = records_of(&game(0)).into_iter().map(|(record, _)| record).collect();
    let lengths = |records: &[Record]| {
        let mut chain = Chain::default();
        let position = |record: &Record| record.position.unpack().expect("a position");
        let mut games: Vec<Game> = records.iter().filter_map(|r| chain.push(r, &position(r))).collect();
        games.extend(chain.finish());
        (games.iter().map(|game| game.plies().len()).collect::<Vec<_>>(), chain.without_move)
    };
    let changed = |change: fn(&mut Record)| {
        let mut records = records.clone();
        change(&mut records[2]);
        lengths(&records)
    };
    assert_eq!(lengths(&records), (vec![5], 0));
    assert_eq!(lengths(&[records[0], records[2], records[3]]), (vec![1, 2], 0));
    assert_eq!(changed(|record| record.best = None), (vec![2, 2], 1));
    assert_eq!(changed(|record| record.result = 1), (vec![2, 1, 2], 0));
    assert_eq!(changed(|record| record.ply = 9), (vec![2, 1, 2], 0));
}

#[test]
fn faults_name_the_file_and_the_byte() {
    let good = records_of(&game(0))[0].0.encode();
    let fault = |change: fn(&mut [u8])| {
        let mut bytes = [good, good].concat();
        change(&mut bytes);
        read(&bytes).expect_err("a bad record").to_string()
    };
    assert_eq!(fault(|bytes| bytes[78] = 2), "test: byte 40: there is no result 2");
    assert_eq!(fault(|bytes| bytes[34] = 0), "test: byte 0: 7g1a is not legal");
    assert_eq!(fault(|bytes| bytes[35] = 0xFF), "test: byte 0: there is no move 0xff3b");
    assert_eq!(fault(|bytes| bytes[40..72].fill(0xFF)), "test: byte 40: king (b) on square 127, which does not exist");
    let cut = read(&[&good[..], &good[..39]].concat()).expect_err("a bad record");
    assert_eq!(cut.to_string(), "test: byte 40: the last record has 39 bytes, not 40");
    for no_move in [0_u16, 0x81, 0x102, 0x183] {
        let mut bytes = good;
        bytes[34..36].copy_from_slice(&no_move.to_le_bytes());
        assert_eq!(read(&bytes).expect("a good record")[0].0.best, None);
    }
}

#[test]
fn no_bytes_do_harm() {
    let mut random = crate::random::Random::new(40, 0);
    let good = records_of(&game(0));
    let mut read_well = 0;
    let mut refused = 0;
    for _ in 0..30_000 {
        let mut bytes = random.pick(&good).0.encode();
        for _ in 0..1 + random.below(2) {
            bytes[random.below(RECORD_BYTES)] ^= 1 << random.below(8);
        }
        match read(&bytes) {
            Ok(records) => {
                let (record, pos) = &records[0];
                let mut chain = Chain::default();
                assert!(chain.push(record, pos).is_none());
                assert_eq!(chain.finish().is_some(), record.best.is_some());
                read_well += 1;
            }
            Err(_) => refused += 1,
        }
    }
    assert!(read_well > 1_000 && refused > 1_000, "{read_well} {refused}");
}
