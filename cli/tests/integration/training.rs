//! Training data: self-play as the command line runs it, and what is done with its files.

use crate::shell::{Folder, komainu, printed, refusal, refuses, run, stderr, stdout, wait_for};
use komainu::eval::Evaluation;
use komainu::notation::record::Ending;
use komainu::notation::usi::parse_position;
use komainu::position::{Declaration, GameRules, Position};
use komainu::referee;
use komainu::search::STACK_BYTES;
use komainu::types::Color;
use komainu_tools::training::games::{Game, GamesReader};
use komainu_tools::training::records::{RECORD_BYTES, Record, Records};
use komainu_tools::training::selfplay::{OPENINGS_SHARE, OpeningPositions, Player, SelfPlaySettings};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;

/// The arguments of a quick self-play into a file. The games must not change with the net that is built in.
fn selfplay<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["selfplay", "--out", out, "--nodes", "40", "--hash", "1"][..], more].concat()
}

fn games_of(path: &Path) -> Vec<Game> {
    GamesReader::open(path).expect("a file of games").map(|game| game.expect("a good record")).collect()
}

/// The numbers behind the words of a last line such as `games 12 positions 700 time_ms 90`.
fn number_after(text: &str, word: &str) -> u64 {
    let line = text.lines().rfind(|line| line.split(' ').any(|this| this == word)).expect("a line with the word");
    let mut words = line.split(' ').skip_while(|this| *this != word);
    words.nth(1).and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

const OPENINGS: &str = "# two openings\nstartpos moves 7g7f 3c3d 2g2f 4c4d\n\
    lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1\n";

#[test]
fn the_file_does_not_depend_on_the_number_of_threads() {
    let folder = Folder::new("training-threads");
    let openings = folder.write("openings", OPENINGS);
    let one = folder.text("one");
    let three = folder.text("three");
    let last = |out: &str, threads: &str, target: &[&str]| {
        let more = [&["--threads", threads, "--openings", &openings, "--max-plies", "200"], target].concat();
        printed(&selfplay(out, &more))
    };
    let text = last(&one, "1", &["--games", "15"]);
    last(&three, "3", &["--games", "15"]);
    assert_eq!(folder.bytes("one"), folder.bytes("three"));
    assert_eq!(number_after(&text, "games"), 15);
    // The same games, as many as are needed for that number of positions.
    let games = games_of(&folder.path("one"));
    let positions: Vec<usize> = games.iter().map(|game| game.plies().len() - game.opening()).collect();
    assert_eq!(number_after(&text, "positions"), positions.iter().sum::<usize>() as u64);
    let wanted = positions[..7].iter().sum::<usize>().to_string();
    let enough = folder.text("enough");
    let text = last(&enough, "3", &["--positions", &wanted]);
    assert_eq!(number_after(&text, "games"), 7);
    assert!(folder.bytes("one").starts_with(&folder.bytes("enough")));
    // Another seed makes other games.
    let other = folder.text("other");
    last(&other, "1", &["--games", "3", "--seed", "2"]);
    assert!(games_of(&folder.path("other")).iter().zip(&games).all(|(a, b)| a.encode() != b.encode()));
}

/// How the rules judge a game at a position, by the referee of matches and the count for declarations.
fn judged(pos: &Position, rules: &GameRules) -> Option<(Ending, Option<Color>)> {
    if let Some(end) = referee::judge(pos, rules) {
        return Some((end.ending, end.winner));
    }
    let may_declare = pos.declaration(rules.entering_king) == Some(Declaration::Win);
    may_declare.then_some((Ending::Declaration, Some(pos.side())))
}

/// The side that both sides have seen ahead by 20 pawns in each of the eight plies up to one.
fn decided_after(game: &Game, ply: usize) -> Option<Color> {
    let played = &game.plies()[game.opening()..ply];
    let first = played.len().checked_sub(8)?;
    let mut leaders = (first..played.len()).map(|i| {
        let mover = if (game.opening() + i).is_multiple_of(2) { game.start().side() } else { !game.start().side() };
        match played[i].score {
            2_000.. => Some(mover),
            ..=-2_000 => Some(!mover),
            _ => None,
        }
    });
    let leader = leaders.next()??;
    leaders.all(|this| this == Some(leader)).then_some(leader)
}

#[test]
fn every_game_is_played_by_the_rules_and_ends_as_they_say() {
    let openings = OpeningPositions::parse(OPENINGS, false).expect("a good list");
    let settings = SelfPlaySettings {
        seed: 37,
        nodes: 30,
        hash: 1,
        max_plies: 160,
        openings,
        openings_share: OPENINGS_SHARE,
        evaluation: Evaluation::default(),
        part: None,
    };
    let rules = settings.rules();
    let play = || {
        let mut player = Player::new(&settings).expect("there is memory");
        (0..120).map(|number| player.play(number).expect("it can be played")).collect()
    };
    let games: Vec<Game> = thread::scope(|scope| {
        let player = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, play).expect("a thread");
        player.join().expect("no panic")
    });
    let mut played_on = 0;
    for game in &games {
        let last = game.plies().len();
        let mut is_decided = false;
        let end = game.replay(|number, pos, _| {
            // The game was not over before its last move.
            assert_eq!(judged(pos, &rules), None, "{} at ply {number}", pos.to_sfen());
            is_decided |= decided_after(game, number.max(game.opening())).is_some();
            Ok::<(), ()>(())
        });
        let end = judged(&end.expect("nothing fails"), &rules);
        if game.ending() == Ending::AdjudicatedWin {
            assert_eq!((end, decided_after(game, last)), (None, game.winner()));
            assert!(!is_decided, "it could have been adjudicated before");
        } else {
            assert_eq!(end, Some((game.ending(), game.winner())));
            played_on += is_decided as usize;
        }
    }
    let ended = |ending| games.iter().filter(|game| game.ending() == ending).count();
    assert!(ended(Ending::Checkmate) > 10 && ended(Ending::AdjudicatedWin) > 10 && ended(Ending::PlyLimit) > 0);
    // A fifth of all games is never adjudicated.
    assert!(played_on > 0);
    // The three kinds of starts, with as many plies of chance as each has.
    let start = Position::startpos().to_sfen();
    let (listed, others): (Vec<&Game>, Vec<&Game>) = games.iter().partition(|game| game.start().to_sfen() != start);
    assert!(listed.iter().all(|game| game.opening() <= 3));
    let (sampled, random): (Vec<&Game>, Vec<&Game>) = others.iter().partition(|game| game.opening() == 24);
    // 25, 15 and 60 of a hundred, give or take four standard deviations.
    assert!((11..=49).contains(&listed.len()), "{}", listed.len());
    assert!((3..=33).contains(&sampled.len()), "{}", sampled.len());
    let lengths: BTreeSet<usize> = random.iter().map(|game| game.opening()).collect();
    assert_eq!(lengths, BTreeSet::from([6, 7, 8, 9]));
    // Without a random move an opening of the list gives the same game each time; no other two games are alike.
    let different: BTreeSet<Vec<u8>> = others.iter().map(|game| game.encode()).collect();
    assert_eq!(different.len(), others.len());
}

#[test]
fn the_share_of_games_from_openings_is_that_of_the_flag() {
    let folder = Folder::new("training-share");
    let list = folder.write("list", OPENINGS);
    let start = Position::startpos().to_sfen();
    let listed = |name: &str, more: &[&str]| {
        let usual = ["--games", "60", "--max-plies", "32", "--openings", &list];
        printed(&selfplay(&folder.text(name), &[&usual[..], more].concat()));
        games_of(&folder.path(name)).iter().filter(|game| game.start().to_sfen() != start).count()
    };
    assert_eq!(listed("none", &["--openings-share", "0"]), 0);
    assert_eq!(listed("all", &["--openings-share", "100"]), 60);
    let most = listed("most", &["--openings-share", "80"]);
    // Give or take four standard deviations.
    assert!((36..=60).contains(&most), "{most}");
    let description =
        |name: &str| GamesReader::open(&folder.path(name)).expect("the file is there").description().to_string();
    assert!(description("most").contains(" of 80 % evaluation"), "{}", description("most"));
    // The usual share is not named, as in files of before.
    listed("usual", &[]);
    assert!(description("usual").contains(") evaluation"), "{}", description("usual"));
    refuses(&selfplay(&folder.text("new"), &["--games", "1", "--openings-share", "50"]), "--openings");
}

fn wait_for_more_than(length: u64, path: &Path) {
    wait_for("growth of the file", || fs::metadata(path).is_ok_and(|file| file.len() > length));
}

fn spawn(arguments: &[&str]) -> Child {
    komainu(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let folder = Folder::new("training-killed");
    let whole = folder.text("whole");
    let out = folder.text("out");
    let goal = ["--games", "30", "--threads", "2", "--resume"];
    printed(&selfplay(&whole, &goal));
    let length = folder.bytes("whole").len() as u64;
    let mut kills = 0;
    for part in [0, 1, 2] {
        let mut child = spawn(&selfplay(&out, &goal));
        wait_for_more_than(part * length / 4, &folder.path("out"));
        child.kill().expect("it can be killed");
        kills += (!child.wait().expect("it ends").success()) as usize;
        assert!(folder.bytes("whole").starts_with(&folder.bytes("out")));
    }
    assert!(kills > 0, "each run was over before it could be killed");
    // A crash of the machine leaves less than the process wrote, or something else in its place.
    let written = folder.bytes("out");
    let header = 16 + u32::from_le_bytes(written[12..16].try_into().expect("four bytes")) as usize + 4;
    let cut = [&written[..written.len() - 3], &[][..]].concat();
    let zeros = [&written[..], &[0; 50]].concat();
    let garbage = [&written[..written.len() - 9], &[7; 9]].concat();
    for torn in [&written[..0], &written[..9], &written[..header], &written[..header + 1], &cut, &zeros, &garbage] {
        folder.write("out", torn);
        let text = printed(&selfplay(&out, &goal));
        assert_eq!(number_after(&text, "games"), 30);
        assert!(folder.bytes("out") == folder.bytes("whole"), "torn after {} bytes", torn.len());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_every_game_that_began() {
    let folder = Folder::new("training-interrupted");
    let out = folder.text("out");
    let child = spawn(&selfplay(&out, &["--games", "100000", "--threads", "2"]));
    wait_for_more_than(1_000, &folder.path("out"));
    crate::shell::signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(130), "{text}");
    let games = games_of(&folder.path("out")).len() as u64;
    assert!(games > 0 && games < 100_000);
    assert_eq!(number_after(&text, "games"), games);
}

#[test]
fn a_file_is_never_overwritten_or_mixed() {
    let folder = Folder::new("training-refused");
    let out = folder.text("out");
    printed(&selfplay(&out, &["--games", "3"]));
    let before = folder.bytes("out");
    refuses(&selfplay(&out, &["--games", "4"]), "--resume");
    let message = refusal(&selfplay(&out, &["--games", "4", "--resume", "--seed", "9"]));
    assert!(message.contains("seed 1 ") && message.contains("seed 9 "), "{message}");
    refuses(&["selfplay", "--out", &out], "--games");
    refuses(&["selfplay", "--out", &out, "--games", "1", "--eval-file", "nothere.bin"], "nothere.bin");
    refuses(&selfplay(&out, &["--games", "4", "--positions", "5"]), "--positions");
    refuses(&selfplay(&folder.text("no/file"), &["--games", "1"]), "no/file");
    refuses(&selfplay(&out, &["--games", "x"]), "x");
    let openings = folder.write("openings", "startpos\nstartpos moves 7g7e\n");
    let message = refusal(&selfplay(&folder.text("new"), &["--games", "1", "--openings", &openings]));
    assert!(message.contains("openings: line 2: move 1: 7g7e is not legal"), "{message}");
    assert!(!folder.path("new").exists());
    assert_eq!(folder.bytes("out"), before);
    folder.write("out", "something else");
    refuses(&selfplay(&out, &["--games", "4", "--resume"]), "not a file of games");
    assert_eq!(folder.bytes("out"), b"something else");
}

#[test]
fn games_and_records_convert_into_each_other() {
    let folder = Folder::new("training-convert");
    let [games, records, back, again] = ["games", "a.psv", "back", "b.psv"].map(|name| folder.text(name));
    let text = printed(&selfplay(&games, &["--games", "8"]));
    let positions = number_after(&text, "positions");
    let text = printed(&["data", "convert", &games, &records]);
    assert_eq!((number_after(&text, "games"), number_after(&text, "positions")), (8, positions));
    assert_eq!(folder.bytes("a.psv").len() as u64, positions * RECORD_BYTES as u64);
    printed(&["data", "convert", &records, &back]);
    for (back, game) in games_of(&folder.path("back")).iter().zip(games_of(&folder.path("games"))) {
        let moves = |game: &Game| game.plies()[game.opening()..].iter().map(|ply| ply.mv).collect::<Vec<_>>();
        assert_eq!((moves(back), back.winner()), (moves(&game), game.winner()));
    }
    printed(&["data", "convert", &back, &again]);
    // The way through centipawns rounds no score twice.
    assert_eq!(folder.bytes("a.psv"), folder.bytes("b.psv"));
    refuses(&["data", "convert", &games, &records], "a.psv");
}

#[test]
fn files_of_dlshogi_convert_to_and_from_games_and_records() {
    let folder = Folder::new("training-dlshogi");
    let [games, hcpe3, hcpe, hcp, psv] = ["games", "a.hcpe3", "a.hcpe", "a.HCP", "a.psv"].map(|name| folder.text(name));
    let [back, chained, again, psv_back] = ["back", "chained", "b.hcpe", "b.psv"].map(|name| folder.text(name));
    let text = printed(&selfplay(&games, &["--games", "6"]));
    let positions = number_after(&text, "positions");
    for (file, bytes) in [(&hcpe3, 0), (&hcpe, 38), (&hcp, 32), (&psv, RECORD_BYTES as u64)] {
        let text = printed(&["data", "convert", &games, file]);
        assert_eq!((number_after(&text, "games"), number_after(&text, "positions")), (6, positions), "{file}");
        let length = std::fs::metadata(file).expect("it was made").len();
        assert!(bytes == 0 || length == positions * bytes, "{file}: {length} bytes");
    }
    printed(&["data", "convert", &hcpe3, &back]);
    for (back, game) in games_of(&folder.path("back")).iter().zip(games_of(&folder.path("games"))) {
        assert_eq!((back.plies(), back.opening()), (game.plies(), game.opening()));
        assert_eq!((back.winner(), back.start().to_sfen()), (game.winner(), game.start().to_sfen()));
    }
    // The move counter is all that is lost of a record.
    printed(&["data", "convert", &hcpe, &psv_back]);
    let without_counter = |name| {
        let mut bytes = folder.bytes(name);
        for record in bytes.chunks_mut(RECORD_BYTES) {
            record[36..38].fill(0);
        }
        bytes
    };
    assert!(without_counter("a.psv") == without_counter("b.psv"));
    printed(&["data", "convert", &hcpe, &chained]);
    printed(&["data", "convert", &chained, &again]);
    assert!(folder.bytes("a.hcpe") == folder.bytes("b.hcpe"));
    let lines = |file| printed(&["data", "text", file, "--limit", "3"]);
    assert_eq!(lines(&hcp).matches(" best none cp 0 result 0").count(), 3, "{}", lines(&hcp));
    assert_eq!(lines(&hcpe).lines().count(), 3);
    assert!(printed(&["data", "info", &hcpe3]).contains("games 6"));
}

#[test]
fn a_damaged_file_of_dlshogi_is_refused_with_the_byte_and_nothing_is_made() {
    let folder = Folder::new("training-dlshogi-damaged");
    let [games, out] = ["games", "out.psv"].map(|name| folder.text(name));
    printed(&selfplay(&games, &["--games", "2"]));
    for name in ["a.hcpe3", "a.hcpe", "a.hcp"] {
        let file = folder.text(name);
        printed(&["data", "convert", &games, &file]);
        let whole = folder.bytes(name);
        std::fs::write(&file, &whole[..whole.len() - 1]).expect("the folder can be written");
        let said = refusal(&["data", "convert", &file, &out]);
        assert!(said.contains(name) && said.contains("byte "), "{said}");
        let mut bad = whole;
        bad[0] = 0xFE;
        std::fs::write(&file, bad).expect("the folder can be written");
        refuses(&["data", "convert", &file, &out], &format!("{name}: byte 0: "));
        refuses(&["data", "convert", &file, &folder.text(&format!("b{}", &name[1..]))], "such a file already");
        assert!(!folder.path("out.psv").exists());
    }
}

#[test]
fn info_and_text_show_what_a_file_holds() {
    let folder = Folder::new("training-info");
    let [games, records] = ["games", "a.psv"].map(|name| folder.text(name));
    let played = printed(&selfplay(&games, &["--games", "6"]));
    printed(&["data", "convert", &games, &records]);
    let positions = number_after(&played, "positions");
    for file in [&games, &records] {
        let text = printed(&["data", "info", file]);
        assert!(text.contains(&format!("positions {positions}, by the result")), "{text}");
    }
    let text = printed(&["data", "info", &games]);
    assert!(text.contains("selfplay seed 1 nodes 40 hash 1 plies 512 openings none evaluation net "), "{text}");
    let text = printed(&["data", "text", &games, "--limit", "6"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 3 * 6, "{text}");
    let all = games_of(&folder.path("games"));
    for (line, game) in lines[2..].iter().step_by(3).zip(&all) {
        let parsed = parse_position(line).expect("the line is a position with its moves");
        assert_eq!(parsed.position.moves_made(), game.plies().len());
    }
    let text = printed(&["data", "text", &records, "--limit", "3"]);
    assert_eq!(text.lines().filter(|line| line.contains(" best ") && line.contains(" result ")).count(), 3);
    assert!(text.contains(&format!(" {} best ", all[0].opening() + 1)), "{text}");
}

#[test]
fn filtered_records_are_quiet_and_different() {
    let folder = Folder::new("training-filter");
    let [games, records, kept] = ["games", "a.psv", "kept.psv"].map(|name| folder.text(name));
    let played = printed(&selfplay(&games, &["--games", "12"]));
    let text = printed(&["data", "filter", &games, &games, "--out", &kept]);
    let read = |name: &str| Records::open(&folder.path(name)).expect("a file").map(|read| read.expect("a good record"));
    let mut seen = BTreeSet::new();
    for (record, pos) in read("kept.psv") {
        assert!(!pos.in_check() && record.score.abs() < 31_000);
        let is_quiet = |mv: &komainu::types::Move| !mv.is_promotion() && pos.piece_on(mv.to()).is_none();
        assert!(record.best.iter().all(is_quiet), "{}", pos.to_sfen());
        assert!(seen.insert(record.position), "{} is there twice", pos.to_sfen());
    }
    let count =
        |word: &str| text.lines().filter_map(|line| line.strip_prefix(word)?.trim().parse::<u64>().ok()).sum::<u64>();
    let dropped: u64 = ["score too large", "captures in a row", "in check", "no legal move", "duplicates"]
        .into_iter()
        .map(count)
        .sum();
    let kept_count = number_after(&text, "kept");
    assert_eq!(kept_count, seen.len() as u64);
    assert_eq!(kept_count + dropped, 2 * number_after(&played, "positions"));
    // The second time all positions are duplicates.
    assert!(count("duplicates") >= kept_count, "{text}");
    let random: usize = games_of(&folder.path("games")).iter().map(Game::opening).sum();
    assert_eq!(count("random plies"), 2 * random as u64);
    // A smaller bound leaves out more.
    printed(&["data", "filter", &games, "--out", &records, "--max-score", "300"]);
    assert!(read("a.psv").count() < seen.len());
    assert!(read("a.psv").all(|(record, _)| record.score.abs() <= 300));
}

/// Rescores a file with so many nodes a position; what is printed.
fn rescored(input: &str, out: &str, nodes: &str, more: &[&str]) -> String {
    printed(&[&["data", "rescore", input, "--out", out, "--nodes", nodes, "--hash", "1"], more].concat())
}

#[test]
fn rescored_games_keep_moves_and_results_and_depend_on_the_settings_alone() {
    let folder = Folder::new("training-rescore");
    let [games, one, two, part] = ["games", "one", "two", "part"].map(|name| folder.text(name));
    printed(&selfplay(&games, &["--games", "14"]));
    let text = rescored(&games, &one, "120", &[]);
    rescored(&games, &two, "120", &["--threads", "3"]);
    assert!(folder.bytes("one") == folder.bytes("two"));
    assert!(text.lines().last().is_some_and(|line| line.starts_with("games 14 positions ")), "{text}");
    let old = games_of(&folder.path("games"));
    let new = games_of(&folder.path("one"));
    let mut changed = 0;
    for (old, new) in old.iter().zip(&new) {
        assert_eq!((old.opening(), old.ending(), old.winner()), (new.opening(), new.ending(), new.winner()));
        assert_eq!(old.start().key(), new.start().key());
        for (number, (old_ply, new_ply)) in old.plies().iter().zip(new.plies()).enumerate() {
            assert_eq!(old_ply.mv, new_ply.mv);
            assert!(number >= old.opening() || old_ply.score == new_ply.score);
            changed += usize::from(old_ply.score != new_ply.score);
        }
    }
    assert!(changed > 100, "{changed} scores have changed");
    // A search knows nothing of the scores that it replaces.
    rescored(&one, &folder.text("again"), "120", &[]);
    assert!(games_of(&folder.path("again")).iter().zip(&new).all(|(again, new)| again.encode() == new.encode()));
    // A file that was cut off anywhere goes on to the same end; other settings are refused.
    let whole = folder.bytes("one");
    for length in [whole.len() / 2, whole.len() - 3] {
        folder.write("part", &whole[..length]);
        rescored(&games, &part, "120", &["--resume", "--threads", "2"]);
        assert!(folder.bytes("part") == whole, "after {length} bytes");
    }
    let other = ["data", "rescore", &games, "--out", &part, "--nodes", "121", "--hash", "1", "--resume"];
    refuses(&other, "rescore nodes 120 ");
    refuses(&["data", "rescore", &games, "--out", &part], "--resume goes on with it");
    let none = folder.write("none", b"no games");
    assert!(
        refusal(&["data", "rescore", &none, "--out", &folder.text("new")])
            .contains("none: byte 0: the last record has 8 bytes, not 40")
    );
    assert!(!folder.path("new").exists());
}

#[test]
fn rescored_records_keep_positions_and_results_and_depend_on_the_settings_alone() {
    let folder = Folder::new("training-rescore-records");
    let [games, old, one, two, part] = ["games", "old", "one", "two", "part"].map(|name| folder.text(name));
    printed(&selfplay(&games, &["--games", "24"]));
    printed(&["data", "filter", &games, "--out", &old]);
    let text = rescored(&old, &one, "60", &[]);
    rescored(&old, &two, "60", &["--threads", "3"]);
    let whole = folder.bytes("one");
    assert!(whole == folder.bytes("two"));
    let read = |name: &str| -> Vec<Record> {
        let records = Records::open(&folder.path(name)).expect("the file is there");
        records.map(|record| record.expect("a good record").0).collect()
    };
    let before = read("old");
    let after = read("one");
    assert!(before.len() > 1_024, "three blocks at least: {}", before.len());
    assert!(text.lines().last().is_some_and(|line| line.starts_with(&format!("records {} ", before.len()))), "{text}");
    assert_eq!(before.len(), after.len());
    let kept = |record: &Record| (record.position, record.ply, record.result);
    assert!(before.iter().zip(&after).all(|(before, after)| kept(before) == kept(after)));
    let changed = before.iter().zip(&after).filter(|(before, after)| before.score != after.score).count();
    assert!(changed > 100, "{changed} scores have changed");
    // A search knows nothing of the scores that it replaces.
    rescored(&one, &folder.text("again"), "60", &[]);
    assert!(folder.bytes("again") == whole);
    // A file that was cut off anywhere goes on to the same end.
    for length in [0, 512 * 40 - 1, 512 * 40, 1_024 * 40 + 7, whole.len()] {
        folder.write("part", &whole[..length]);
        rescored(&old, &part, "60", &["--resume", "--threads", "2"]);
        assert!(folder.bytes("part") == whole, "after {length} bytes");
    }
    refuses(&["data", "rescore", &old, "--out", &part], "part: work was begun here; --resume goes on with it");
    // Other positions, and fewer of them.
    folder.write("other", &folder.bytes("old")[40..]);
    let refused = |input: &str| refusal(&["data", "rescore", input, "--out", &part, "--resume"]);
    assert!(refused(&folder.text("other")).contains("part: byte 0: not the position of the old records"));
    folder.write("few", &folder.bytes("old")[..40 * 40]);
    assert!(refused(&folder.text("few")).contains("longer than the old records"));
    assert!(folder.bytes("part") == whole);
}

#[test]
fn positions_of_other_generations_are_left_out() {
    let folder = Folder::new("training-dedup");
    let [games, old, new, mixed, kept] =
        ["games", "old.psv", "new.psv", "mixed.psv", "kept.psv"].map(|name| folder.text(name));
    printed(&selfplay(&games, &["--games", "10"]));
    printed(&["data", "filter", &games, "--out", &old]);
    let bytes = folder.bytes("old.psv");
    let half = bytes.len() / RECORD_BYTES / 2 * RECORD_BYTES;
    folder.write("new.psv", &bytes[half..]);
    // The old generation twice over, less the new one.
    folder.write("mixed.psv", bytes.repeat(2));
    let text = printed(&["data", "dedup", &mixed, "--out", &kept, "--against", &new]);
    assert!(folder.bytes("kept.psv") == bytes[..half]);
    let all = 2 * bytes.len() / RECORD_BYTES;
    let count = half / RECORD_BYTES;
    assert_eq!(text.trim_end(), format!("kept {count} duplicates {}", all - count));
    refuses(&["data", "dedup", &old, "--out", &folder.text("x"), "--against", &games], "a file of games");
    assert!(!folder.path("x").exists());
    refuses(&["data", "dedup", &old, "--out", &kept], "the file exists");
}

#[test]
fn a_shuffle_keeps_everything_in_another_order() {
    let folder = Folder::new("training-shuffle");
    let [games, records] = ["games", "a.psv"].map(|name| folder.text(name));
    printed(&selfplay(&games, &["--games", "25"]));
    printed(&["data", "convert", &games, &records]);
    // Enough of them that they do not fit into a megabyte.
    let many = folder.bytes("a.psv").repeat(1 + (2 << 20) / folder.bytes("a.psv").len());
    let many = folder.write("many.psv", many);
    let chunks = |name: &str| folder.bytes(name).as_chunks::<RECORD_BYTES>().0.to_vec();
    let encoded = |name: &str| games_of(&folder.path(name)).iter().map(Game::encode).collect::<Vec<_>>();
    let shuffled = |input: &str, out: &str, more: &[&str]| {
        let out = folder.text(out);
        number_after(&printed(&[&["data", "shuffle", input, "--out", &out], more].concat()), "shuffled")
    };
    assert_eq!(shuffled(&many, "small", &["--memory", "1"]), chunks("many.psv").len() as u64);
    shuffled(&many, "large", &[]);
    let sorted = |name: &str| {
        let mut items = chunks(name);
        items.sort();
        items
    };
    for name in ["small", "large"] {
        assert!(chunks(name) != chunks("many.psv") && sorted(name) == sorted("many.psv"), "{name}");
    }
    shuffled(&games, "one", &["--seed", "4"]);
    shuffled(&games, "two", &["--seed", "4"]);
    shuffled(&games, "other", &["--seed", "5"]);
    assert_eq!(folder.bytes("one"), folder.bytes("two"));
    assert_ne!(encoded("one"), encoded("other"));
    let set = |name: &str| encoded(name).into_iter().collect::<BTreeSet<_>>();
    assert!(set("one") == set("games") && set("other") == set("games"));
    refuses(&["data", "shuffle", &games, &records, "--out", &folder.text("mixed")], "not of the kind");
    let names = fs::read_dir(folder.path("")).expect("the folder is there").flatten().map(|entry| entry.file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().contains("part")), "parts are left behind");
}

#[test]
fn damaged_files_are_named_with_the_byte() {
    let folder = Folder::new("training-damaged");
    let games = folder.text("games");
    printed(&selfplay(&games, &["--games", "3"]));
    let mut bytes = folder.bytes("games");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    folder.write("games", &bytes);
    let reader = GamesReader::open(&folder.path("games")).expect("the header is good");
    let offset = reader.filter_map(Result::err).map(|error| error.offset).next().expect("a fault");
    for arguments in [&["data", "info", &games][..], &["data", "text", &games], &["data", "filter", &games, "--out"]] {
        let out = folder.text("kept.psv");
        let arguments = if arguments.len() == 4 { [arguments, &[&out]].concat() } else { arguments.to_vec() };
        let output = run(&arguments);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2));
        assert!(message.contains(&format!("games: byte {offset}: the checksum of this game is wrong")), "{message}");
    }
}

#[test]
fn shards_are_joined_to_the_file_of_one_machine() {
    let folder = Folder::new("training-shards");
    let [whole, joined] = ["whole", "joined"].map(|name| folder.text(name));
    printed(&selfplay(&whole, &["--games", "11"]));
    let files = ["1", "2", "3"].map(|name| folder.text(name));
    for (index, file) in (1..).zip(&files) {
        let shard = format!("{index}/3");
        printed(&selfplay(file, &["--games", "11", "--threads", "2", "--shard", &shard]));
    }
    let text = printed(&["data", "merge", &files[2], &files[0], &files[1], "--out", &joined]);
    assert_eq!(folder.bytes("joined"), folder.bytes("whole"));
    assert_eq!(number_after(&text, "games"), 11);
    let positions: usize = games_of(&folder.path("whole")).iter().map(|game| game.plies().len() - game.opening()).sum();
    assert_eq!(number_after(&text, "positions"), positions as u64);
    // The checksum is the one that the machine printed, and that of the bytes.
    for (index, games) in [(1, 4), (2, 4), (3, 3)] {
        let sum = crc32fast::hash(&folder.bytes(&index.to_string()));
        let line = format!("shard {index}/3 crc32 {sum:08x}");
        assert!(text.contains(&format!("{line} games {games} ")), "{line}: {text}");
        let file = &files[index - 1];
        let shard = format!("{index}/3");
        let again = printed(&selfplay(file, &["--games", "11", "--shard", &shard, "--resume"]));
        assert!(again.contains(&line), "{again}");
    }
    // Two files of the same shard, one shard of others, a shard twice over.
    let other = folder.text("other");
    printed(&selfplay(&other, &["--games", "11", "--shard", "3/3", "--seed", "2"]));
    let out = folder.text("out");
    let fails = |files: &[&str], words: &[&str]| {
        let told = refusal(&[&["data", "merge"], files, &["--out", &out]].concat());
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
        assert!(!Path::new(&out).exists() && !Path::new(&format!("{out}.new")).exists());
    };
    let [a, b, c] = [&files[0], &files[1], &files[2]].map(String::as_str);
    fails(&[b], &["no file of shard 1/3, 3/3"]);
    // Another worker's file of the same shard counts once, as far as it goes; one that differs is refused.
    let doubled = folder.text("doubled");
    printed(&["data", "merge", a, b, c, a, "--out", &doubled]);
    assert_eq!(folder.bytes("doubled"), folder.bytes("whole"));
    fails(&[a, b, &other], &["seed 2", "seed 1", &other, a]);
    fails(&[a, b, &whole], &[&whole, "no shard, but made with \"komainu "]);
    let sizes: Vec<usize> = games_of(&folder.path("2")).iter().map(|game| game.encode().len()).collect();
    let good = folder.bytes("2");
    // A game less, half a game less, a changed byte.
    fs::write(b, &good[..good.len() - sizes[3]]).unwrap();
    fails(&[a, b, c], &[b, "shard 2/3 holds 3 of 4 games; --resume goes on with it"]);
    fs::write(b, &good[..good.len() - 7]).unwrap();
    fails(&[a, b, c], &[b, &format!("byte {}: the file ends within", good.len() - sizes[3])]);
    let mut bad = good.clone();
    bad[good.len() - sizes[3] - 9] ^= 4;
    fs::write(b, &bad).unwrap();
    fails(&[a, b, c], &[b, "the checksum of this game is wrong"]);
    // A game more than the share.
    let more = [&good[..], &good[good.len() - sizes[3]..]].concat();
    fs::write(b, &more).unwrap();
    fails(&[a, b, c], &[b, "shard 2/3 holds 5 of 4 games"]);
    let told = refusal(&selfplay(&out, &["--positions", "5", "--shard", "1/2"]));
    assert!(told.contains("--shard") && told.contains("--positions"), "{told}");
}
