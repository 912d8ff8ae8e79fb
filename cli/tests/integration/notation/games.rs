//! Random records, the same in every run, and a comparison of records.

use crate::oracle::play::{self, choose};
use crate::shell::is_visible;
use komainu::notation::encoding::decode;
use komainu::notation::record::{Conclusion, EndWord, Ending, GameRecord, Parsed, RecordMove, Variation};
use komainu::notation::{Format, RecordError, RecordErrorKind};
use komainu::position::{Handicap, Position};
use komainu::random::SplitMix64;
use komainu::types::Color;
use std::time::Duration;

/// All games of a file; without a format in the one that it looks like.
pub(crate) fn read_games(bytes: &[u8], format: Option<Format>) -> Result<Vec<Parsed>, RecordError> {
    let text = decode(bytes);
    format.unwrap_or_else(|| Format::of_text(&text)).read(&text)
}

/// The first game of a file.
pub(crate) fn read_game(bytes: &[u8], format: Option<Format>) -> Result<Parsed, RecordError> {
    read_games(bytes, format).map(|mut games| games.swap_remove(0))
}

/// The line and the kind of the fault of a text of this format, of which the message tells in one line.
#[track_caller]
pub(crate) fn fault_of(format: &str, read: Result<Parsed, RecordError>) -> (usize, RecordErrorKind) {
    let error = read.expect_err("a text with a fault");
    let message = error.to_string();
    assert!(is_visible(&message) && message.starts_with(&format!("{format}, line {}: ", error.line)), "{message}");
    (error.line, error.kind)
}

/// How finely a format keeps times.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    None,
    Seconds,
    Millis,
}

/// What a format can say of a game.
#[derive(Clone, Copy)]
pub(crate) struct Able {
    pub(crate) times: Times,
    pub(crate) variations: bool,
    /// Whether the move counter of the start is kept.
    pub(crate) counter: bool,
    /// Whether words for the end are kept that mean nothing or more than an ending.
    pub(crate) words: bool,
    /// The most moves of a game.
    pub(crate) longest: usize,
}

/// A format that can say everything.
pub(crate) const EVERYTHING: Able =
    Able { times: Times::Millis, variations: true, counter: true, words: true, longest: 160 };

/// Comments that a reader could take for something else.
const COMMENTS: [&str; 16] = [
    "",
    " a blank before, a blank after ",
    "&目印",
    "*対局 評価値 123 読み筋 ▲７六歩(77) △３四歩(33)",
    "* 123 -3334FU +2726FU",
    "まで5手で先手の勝ち",
    "変化：3手",
    "手合割：香落ち",
    "   2 ３四歩(33)",
    "|v香v桂v銀",
    "%TORYO",
    "summary:toryo:a win:b lose",
    "'quoted', with a comma",
    "# number",
    "全角　空白",
    "/",
];

const HEADERS: [(&str, &str); 6] = [
    ("備考", "戦型：不明, 持ち時間: 10分"),
    ("表題", "駒犬の対局"),
    ("NOTE", "a b c"),
    ("秒読み", "30秒"),
    ("作者", "*#&"),
    ("MAX_MOVES", "320"),
];

/// The start of the game with this number: every handicap, rich boards, other counters.
fn start(game: usize) -> Position {
    let sfen = match game % 3 {
        0 => Handicap::ALL[game / 3 % Handicap::ALL.len()].sfen(),
        _ => play::start(game),
    };
    let sfen = if game % 7 == 6 { sfen.replace(" 1", " 172") } else { sfen.to_string() };
    Position::from_sfen(&sfen).expect("the starts are valid")
}

fn spent(random: &mut SplitMix64, times: Times) -> Option<Duration> {
    let longest = [2, 70, 4_000, 500_000][random.below(4)];
    let seconds = Duration::from_secs(random.below(longest) as u64);
    match times {
        Times::Seconds => Some(seconds),
        Times::Millis if random.below(3) > 0 => Some(seconds + Duration::from_millis(random.below(1_000) as u64)),
        _ => None,
    }
}

fn comments(random: &mut SplitMix64, most: usize) -> Vec<String> {
    (0..random.below(most + 1)).map(|_| COMMENTS[random.below(COMMENTS.len())].to_string()).collect()
}

/// Up to `most` moves from here on.
fn moves(pos: &mut Position, most: usize, random: &mut SplitMix64, able: Able) -> Vec<RecordMove> {
    let mut moves = Vec::new();
    for _ in 0..most {
        let Some(mv) = choose(pos, random) else { break };
        pos.do_move(mv);
        let comments = if random.below(6) == 0 { comments(random, 2) } else { Vec::new() };
        // A record has times or it has none, but some have gaps.
        let spent = if random.below(20) > 0 { spent(random, able.times) } else { None };
        moves.push(RecordMove { mv, spent, comments });
    }
    moves
}

fn conclusion(random: &mut SplitMix64, times: Times) -> Option<Conclusion> {
    let ending = *random.pick(&Ending::ALL);
    let winner = *random.pick(&[None, Some(Color::Black), Some(Color::White)]);
    (random.below(8) > 0).then(|| Conclusion { ending, winner, spent: spent(random, times) })
}

fn variations(record: &GameRecord, random: &mut SplitMix64, able: Able) -> Vec<Variation> {
    let mut variations = Vec::new();
    let mut path: Vec<_> = record.moves.iter().map(|made| made.mv).collect();
    for _ in 0..random.below(8) {
        // Some stand beside the one before, some in it, the others before both.
        let last = variations.last().map(|line: &Variation| line.from).filter(|&from| from <= path.len() + 1);
        let from = last.filter(|_| random.below(3) == 0).unwrap_or_else(|| 1 + random.below(path.len() + 1));
        path.truncate(from - 1);
        let mut pos = record.start.clone();
        for &mv in &path {
            pos.do_move(mv);
        }
        let most = random.below(6);
        let moves = moves(&mut pos, most, random, able);
        path.extend(moves.iter().map(|made| made.mv));
        let conclusion = if moves.is_empty() || random.below(3) == 0 { conclusion(random, able.times) } else { None };
        if !moves.is_empty() || conclusion.is_some() {
            variations.push(Variation { from, moves, conclusion });
        }
    }
    variations
}

/// Words of the record for the end, and headers that some formats use for themselves.
fn words(record: &mut GameRecord, random: &mut SplitMix64, able: Able) {
    match random.below(6) {
        // A word that is not known stands behind a move.
        0 if !record.moves.is_empty() => {
            record.conclusion = None;
            let word = random.pick(&["雨天順延", "STOPPED", "先手優勢", "GAME+1"]).to_string();
            record.end_word = Some(EndWord { word, spent: spent(random, able.times) });
        }
        1 => {
            let spent = spent(random, able.times);
            record.conclusion = Some(Conclusion { ending: Ending::Interrupted, winner: None, spent });
            record.end_word = Some(EndWord { word: random.pick(&["封じ手", "指し掛け"]).to_string(), spent });
        }
        _ => {}
    }
    for key in ["EVENT", "持ち時間：備考"] {
        if random.below(8) == 0 {
            record.headers.push((key.to_string(), "x".to_string()));
        }
    }
}

/// A record with everything that the format can say.
pub(crate) fn random_record(seed: u64, game: usize, able: Able) -> GameRecord {
    let mut random = SplitMix64(seed ^ (game as u64) << 32);
    let mut record = GameRecord::new(start(game));
    if !able.counter {
        let fields: Vec<String> = record.start.to_sfen().split(' ').take(3).map(str::to_string).collect();
        record.start = Position::from_sfen(&fields.join(" ")).expect("only the counter is gone");
    }
    let mut text = |words: &[&str]| {
        let word = random.pick(words);
        (random.below(3) > 0).then(|| word.to_string())
    };
    record.players = [text(&["駒犬", "a b:c"]), text(&["狛犬 二号：改", "win"])];
    record.event = text(&["第1回 世界選手権: 決勝", "R"]);
    record.site = text(&["東京　将棋会館"]);
    record.started = text(&["2026/11/21 09:00:00"]);
    record.ended = text(&["2026/11/21 18:30"]);
    record.time_limit = text(&["25分", "各6時間"]);
    record.opening = text(&["四間飛車", "YAGURA"]);
    record.headers = HEADERS
        .iter()
        .filter(|_| random.below(3) == 0)
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .collect();
    record.comments = comments(&mut random, 3);
    let most = [0, 1, 12, 160][random.below(4)].min(able.longest);
    record.moves = moves(&mut record.start.clone(), most, &mut random, able);
    record.conclusion = conclusion(&mut random, able.times);
    if able.words {
        words(&mut record, &mut random, able);
    }
    if able.variations {
        record.variations = variations(&record, &mut random, able);
    }
    record
}

/// Asserts that two records say the same.
pub(crate) fn assert_same(found: &GameRecord, expected: &GameRecord, text: &str) {
    let fields = |record: &GameRecord| {
        let GameRecord { players, event, site, started, ended, time_limit, opening, headers, comments, .. } = record;
        format!("{:?}", (players, event, site, started, ended, time_limit, opening, headers, comments))
    };
    assert_eq!(fields(found), fields(expected), "{text}");
    assert_eq!(found.start.to_sfen(), expected.start.to_sfen(), "{text}");
    assert_eq!(found.moves, expected.moves, "{text}");
    assert_eq!(found.conclusion, expected.conclusion, "{text}");
    assert_eq!(found.end_word, expected.end_word, "{text}");
    assert_eq!(found.variations, expected.variations, "{text}");
}

/// The moves in USI with blanks between.
pub(crate) fn usi(moves: &[RecordMove]) -> String {
    moves.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>().join(" ")
}
