//! A record that is converted keeps everything but what is told as lost.

use super::games::{Able, EVERYTHING, assert_same, random_record};
use crate::oracle::setups::for_all;
use crate::records::nested;
use komainu::games::read_source;
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, EndWord, Ending, GameRecord, RecordMove};
use komainu::notation::{Format, Part};
use komainu::position::Position;
use komainu::types::Color;
use proptest::prelude::*;
use std::time::Duration;

/// The formats that are read back as games.
const READ: [Format; 6] = [Format::Kif, Format::Ki2, Format::Csa, Format::Csa2, Format::Json, Format::Usi];

fn extension(target: Format) -> &'static str {
    match target {
        Format::Kif => "a.kif",
        Format::Ki2 => "a.ki2",
        Format::Csa | Format::Csa2 => "a.csa",
        Format::Json => "a.jkf",
        _ => "a.usi",
    }
}

/// Writes a record and reads it again.
#[track_caller]
fn converted(record: &GameRecord, target: Format) -> GameRecord {
    let text = target.write(record);
    let mut games = read_source(extension(target), text.as_bytes());
    assert_eq!(games.len(), 1, "{text}");
    let game = games.remove(0).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(game.fault, None, "{text}");
    game.record
}

/// Every time of a record.
fn for_times(record: &mut GameRecord, change: impl Fn(&mut Option<Duration>)) {
    let in_lines = record.variations.iter_mut().flat_map(|line| &mut line.moves);
    for made in in_lines.chain(&mut record.moves) {
        change(&mut made.spent);
    }
    let ends = record.variations.iter_mut().map(|line| &mut line.conclusion).chain([&mut record.conclusion]);
    for end in ends.flatten() {
        change(&mut end.spent);
    }
    if let Some(end) = &mut record.end_word {
        change(&mut end.spent);
    }
}

/// The record without the parts that are told as lost; `found` tells what ends have become.
fn without_losses(record: &GameRecord, target: Format, found: &GameRecord) -> GameRecord {
    let mut kept = record.clone();
    for part in target.losses(record) {
        match part {
            Part::Counter => {
                let fields: Vec<String> = kept.start.to_sfen().split(' ').take(3).map(str::to_string).collect();
                kept.start = Position::from_sfen(&fields.join(" ")).unwrap();
            }
            Part::Headers => {
                let bare = GameRecord::new(kept.start.clone());
                let GameRecord { start, comments, moves, variations, conclusion, end_word, .. } = kept;
                kept = GameRecord { start, comments, moves, variations, conclusion, end_word, ..bare };
            }
            Part::HeaderNames => kept.headers.retain(|(key, _)| match target {
                Format::Csa | Format::Csa2 => key != "EVENT",
                _ => !key.contains('：'),
            }),
            Part::Comments => {
                kept.comments.clear();
                for made in &mut kept.moves {
                    made.comments.clear();
                }
            }
            Part::Variations => kept.variations.clear(),
            Part::Times => for_times(&mut kept, |time| *time = None),
            Part::Fractions => {
                for_times(&mut kept, |time| *time = time.map(|time| Duration::from_secs(time.as_secs())))
            }
            Part::End => (kept.conclusion, kept.end_word) = (None, None),
            Part::EndKinds => take_ends(&mut kept, found),
            Part::EndWord | Part::Adjournment => kept.end_word = None,
            other => panic!("{other:?} is in no random record"),
        }
    }
    kept
}

/// Ends whose kind or winner has changed as they are told must differ somewhere, and nothing else of them.
fn take_ends(kept: &mut GameRecord, found: &GameRecord) {
    let ends = |record: &GameRecord| -> Vec<Option<Conclusion>> {
        record.variations.iter().map(|line| line.conclusion).chain([record.conclusion]).collect()
    };
    let spent = |ends: &[Option<Conclusion>]| -> Vec<_> { ends.iter().map(|end| end.map(|end| end.spent)).collect() };
    let before = ends(kept);
    let after = ends(found);
    assert_ne!(before, after);
    let seconds = |ends| -> Vec<_> {
        let whole = |time: Duration| time.as_secs();
        spent(ends).into_iter().map(|time| time.map(|time| time.map(whole))).collect()
    };
    assert_eq!(seconds(&before), seconds(&after));
    let new = kept.variations.iter_mut().map(|line| &mut line.conclusion).chain([&mut kept.conclusion]);
    for (end, after) in new.zip(after) {
        *end = after;
    }
}

/// Asserts that the record keeps everything but its losses.
#[track_caller]
fn assert_kept(record: &GameRecord, target: Format) -> GameRecord {
    let found = converted(record, target);
    let kept = without_losses(record, target, &found);
    assert_same(&found, &kept, &format!("{target:?}\n{}", target.write(record)));
    assert!(!target.losses(&found).iter().any(|part| target.losses(record).contains(part)), "{target:?}");
    found
}

#[test]
fn what_two_formats_can_hold_survives_the_way_through_both() {
    let strategy = (any::<u16>(), 0..40usize, 0..40usize);
    for_all(7, 150, strategy, |(seed, game, longest)| {
        let record = random_record(seed.into(), game, Able { longest, ..EVERYTHING });
        for first in READ {
            let between = assert_kept(&record, first);
            for second in READ {
                assert_kept(&between, second);
            }
        }
        Ok(())
    });
}

#[test]
fn long_games_keep_all_but_their_losses() {
    let mut parts = Vec::new();
    for game in 0..120 {
        let record = random_record(0x10_55E5, game, EVERYTHING);
        for target in READ {
            assert_kept(&record, target);
            parts.extend(target.losses(&record));
        }
        let last = converted(&record, Format::Usi);
        let mut pos = last.start.clone();
        for made in &last.moves {
            pos.do_move(made.mv);
        }
        assert_eq!(Format::Sfen.write(&record), pos.to_sfen() + "\n");
    }
    // The games had what can be lost, but for moves and deep variations.
    let unseen: Vec<Part> = Part::ALL.into_iter().filter(|part| !parts.contains(part)).collect();
    assert_eq!(unseen, [Part::Moves, Part::DeepVariations]);
}

/// A game of one move.
fn bare() -> GameRecord {
    let mut record = GameRecord::new(Position::startpos());
    record.moves.push(RecordMove::new("7g7f".parse().unwrap()));
    record
}

/// A record that has this part.
pub(crate) fn sample(part: Part) -> GameRecord {
    let mut record = bare();
    let end = |ending, winner| Some(Conclusion { ending, winner, spent: None });
    let word = |word: &str| Some(EndWord { word: word.to_string(), spent: None });
    match part {
        Part::Moves => {}
        Part::Counter => record.start = Position::from_sfen(&record.start.to_sfen().replace(" 1", " 31")).unwrap(),
        Part::Headers => record.players = [Some("甲".to_string()), None],
        Part::HeaderNames => {
            record.headers = ["EVENT", "持ち時間：備考"].map(|key| (key.to_string(), "x".to_string())).to_vec();
        }
        Part::Comments => record.moves[0].comments = vec!["評価値 35".to_string()],
        Part::Variations => {
            record = kif::read("   1 ７六歩(77)\n変化：1手\n   1 ２六歩(27)\n   2 投了\n").unwrap().record;
        }
        Part::DeepVariations => record = kif::read(&nested(60)).unwrap().record,
        Part::Times => record.moves[0].spent = Some(Duration::from_secs(5)),
        Part::Fractions => record.moves[0].spent = Some(Duration::from_millis(5_250)),
        Part::End => record.conclusion = end(Ending::Resignation, Some(Color::Black)),
        Part::EndKinds => record.conclusion = end(Ending::AdjudicatedWin, Some(Color::White)),
        Part::EndWord => record.end_word = word("雨天順延"),
        Part::Adjournment => {
            (record.conclusion, record.end_word) = (end(Ending::Interrupted, None), word("封じ手"));
        }
        other => panic!("no record has {other:?}"),
    }
    record
}

#[test]
fn a_format_has_a_place_for_just_those_parts_that_are_read_back() {
    for part in Part::ALL {
        let record = sample(part);
        for target in READ {
            let read = converted(&record, target);
            let survives = read == record && read.start.ply() == record.start.ply();
            assert_eq!(survives, target.holds(part), "{target:?} {part:?}");
            assert_eq!(survives, target.losses(&record).is_empty(), "{target:?} {part:?}");
        }
        // Of a game as a position nothing is read back but the position.
        let read = converted(&record, Format::Sfen);
        let mut pos = record.start.clone();
        for made in &record.moves {
            pos.do_move(made.mv);
        }
        assert_eq!(read, GameRecord::new(Position::from_sfen(&pos.to_sfen()).unwrap()));
        assert!(Format::Sfen.losses(&record).iter().all(|&lost| !Format::Sfen.holds(lost)), "{part:?}");
    }
}
