//! Training of nets as the command line runs it.

use crate::shell::{Folder, komainu, printed, refusal, stdout, wait_for};
use komainu::eval::nnue::{EMBEDDED_FV_SCALE, EMBEDDED_SCALE, Net, Nnue, Shape};
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::types::{Color, PieceType};
use komainu_tools::random::Random;
use komainu_tools::training::records::Record;
use std::fs;
use std::process::Stdio;

/// Material from the side to move's view, in centipawns.
fn material(pos: &Position) -> i16 {
    const VALUES: [(PieceType, i32); 7] = [
        (PieceType::Pawn, 100),
        (PieceType::Lance, 250),
        (PieceType::Knight, 280),
        (PieceType::Silver, 400),
        (PieceType::Gold, 450),
        (PieceType::Bishop, 650),
        (PieceType::Rook, 750),
    ];
    let count = |color, kind| pos.pieces_of(color, kind).count() as i32 + pos.hand(color).count(kind) as i32;
    let of = |color| VALUES.iter().map(|&(kind, value)| value * count(color, kind)).sum::<i32>();
    (of(pos.side()) - of(!pos.side())) as i16
}

/// Records of random games, 80 plies each, with the material as the score, which no other net changes.
fn records(count: usize) -> Vec<u8> {
    let mut random = Random::new(31, 0);
    let mut bytes = Vec::new();
    let mut pos = Position::startpos();
    for number in 0..count {
        let moves = generate::<All>(&pos);
        if number % 80 == 0 || moves.is_empty() {
            pos = Position::startpos();
        }
        pos.do_move(*random.pick(&generate::<All>(&pos)));
        let score = material(&pos);
        let position = pos.pack().expect("both kings are there");
        // Black wins every game.
        let result = if pos.side() == Color::Black { 1 } else { -1 };
        let record = Record { position, score, best: None, ply: pos.ply() as u16, result };
        bytes.extend(record.encode());
    }
    bytes
}

const QUICK: [&str; 12] = [
    "--epochs",
    "3",
    "--batch",
    "256",
    "--rate",
    "0.005",
    "--held-out",
    "5",
    "--result-weight",
    "0.1,0.3",
    "--start-scale",
    "1",
];

#[test]
fn a_run_makes_a_net_that_the_engine_can_play_with() {
    let folder = Folder::new("train-net");
    folder.write("a.psv", records(1_200));
    for (shape, name) in [(Shape::KP, "kp"), (Shape::KA2, "ka2"), (Shape::KA2_K3K3, "ka2-k3k3")] {
        let out = folder.text(&format!("{name}.bin"));
        let data = folder.text("a.psv");
        let all = ["train", &data, &data, "--out", &out, "--shape", name, "--max-score", "32767"];
        let text = printed(&[&all[..], &QUICK[..]].concat());
        let head = format!("games 30 positions 1920 held out 480 left out 0\nscale {EMBEDDED_SCALE} ");
        assert!(text.starts_with(&head), "{text}");
        assert!(text.lines().filter(|line| line.starts_with("epoch ")).count() == 3, "{text}");
        assert!(text.contains("file against trainer: 480 positions, mean difference "), "{text}");
        let bytes = folder.bytes(&format!("{name}.bin"));
        let net = Net::from_bytes(name, &bytes).expect("a good net");
        assert_eq!(net.shape(), shape);
        let pos = Position::startpos();
        assert!(!Nnue::new(&net, &pos).evaluate(&pos).is_mate());
        assert!(text.contains(&format!("crc32 {:08x}", crc32fast::hash(&bytes))), "{text}");
        let log = folder.read(&format!("{name}.bin.jsonl"));
        let lines: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.len(), 3);
        // So few positions are learnt by heart: it is the loss on them that falls.
        let loss = |epoch: usize| lines[epoch]["loss"].as_f64().expect("a number");
        assert!(loss(2) < 0.6 * loss(0) && lines[2]["epoch"] == 3, "{name}: {log}");
        for classes in ["phases", "materials"] {
            let counts = lines[2][classes].as_array().expect("a list").iter().map(|class| class["positions"].as_u64());
            assert_eq!(counts.sum::<Option<u64>>(), Some(480), "{classes}: {log}");
        }
        assert!(text.contains("  held out by pieces in hand  0- ") && text.contains("  held out by material  0- "));
        assert!(folder.bytes(&format!("{name}.bin.svg")).starts_with(b"<svg"));
    }
}

#[test]
fn a_run_that_starts_from_a_net_has_its_shape_and_goes_on_with_it() {
    let folder = Folder::new("train-start");
    let data = folder.write("a.psv", records(1_000));
    let first = folder.text("first.bin");
    let second = folder.text("second.bin");
    // Steps so small that no number is rounded to another one: what comes out is what went in.
    let gently = ["--epochs", "1", "--held-out", "5", "--rate", "1e-9", "--decay", "0"];
    printed(&[&["train", &data, "--out", &first, "--shape", "ka2"], &QUICK[..]].concat());
    printed(&[&["train", &data, "--out", &second, "--start", &first], &gently[..]].concat());
    assert!(folder.bytes("first.bin") == folder.bytes("second.bin"));
    // So does one that starts from a checkpoint, which knows its shape as well.
    let floats = folder.text("first.bin.checkpoint");
    printed(&[&["train", &data, "--out", &folder.text("floats.bin"), "--start", &floats], &gently[..]].concat());
    assert!(folder.bytes("first.bin") == folder.bytes("floats.bin"));
    let other = [&["train", &data, "--out", &folder.text("third.bin"), "--start", &first, "--shape", "kp"], &QUICK[..]];
    let expected = "komainu: --start: the net is SFNN ka2 512-15-32, not K-P 256x2-32-32";
    assert_eq!(refusal(&other.concat()), expected);
    let none = folder.text("none.bin");
    let message = refusal(&["train", &data, "--out", &folder.text("third.bin"), "--start", &none]);
    assert!(message.starts_with(&format!("komainu: {none:?}: ")), "{message}");
}

#[test]
fn files_have_weights_and_far_scores_are_left_out() {
    let folder = Folder::new("train-weights");
    let data = folder.write("a.psv", records(800));
    let train = |name: &str, more: &[&str]| {
        let text = printed(&[&["train", &data, &data, "--out", &folder.text(name)], &QUICK[..], more].concat());
        (text, folder.bytes(name))
    };
    // The last of several files counts twice.
    let usual = train("usual.bin", &[]);
    assert!(usual.1 == train("twice.bin", &["--weights", "1,2"]).1);
    assert!(usual.1 != train("once.bin", &["--weights", "1"]).1);
    assert!(usual.1 != train("last.bin", &["--average", "0"]).1);
    let (near, _) = train("near.bin", &["--max-score", "200", "--scale", "data"]);
    let words: Vec<&str> = near.lines().next().expect("a line").split(' ').collect();
    let [_, _, _, positions, _, _, held_out, _, _, left_out] = words[..] else { panic!("{near}") };
    let sum: u64 = [positions, held_out, left_out].iter().map(|number| number.parse::<u64>().expect("a number")).sum();
    assert!(sum == 1_600 && left_out != "0", "{near}");
    assert!(!near.contains(&format!("scale {EMBEDDED_SCALE} ")), "{near}");
}

#[test]
fn the_net_depends_on_the_seed_alone_and_a_run_that_is_over_can_be_resumed() {
    let folder = Folder::new("train-seed");
    let data = folder.write("a.psv", records(1_000));
    let train = |name: &str, more: &[&str]| {
        printed(&[&["train", &data, "--out", &folder.text(name)], &QUICK[..], more].concat());
        folder.bytes(name)
    };
    let net = train("one.bin", &["--threads", "1"]);
    assert!(net == train("two.bin", &["--threads", "2"]));
    assert!(net != train("other.bin", &["--seed", "2"]));
    fs::remove_file(folder.path("one.bin")).expect("it was there");
    assert!(net == train("one.bin", &["--resume"]));
}

#[cfg(unix)]
#[test]
fn a_run_that_is_interrupted_goes_on_as_if_it_had_not_been() {
    let folder = Folder::new("train-interrupt");
    let data = folder.write("a.psv", records(2_000));
    let whole = folder.text("whole.bin");
    let broken = folder.text("broken.bin");
    let arguments = |out| vec!["train", &data, "--out", out, "--threads", "1", "--batch", "256", "--epochs", "20"];
    printed(&arguments(&whole));
    let running = komainu(&arguments(&broken)).stdout(Stdio::piped()).spawn().expect("the binary runs");
    wait_for("first epoch", || folder.path("broken.bin.checkpoint").exists());
    crate::shell::signal(&running, "-INT");
    let output = running.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(stdout(&output).contains("interrupted; --resume goes on"), "{output:?}");
    printed(&[&arguments(&broken)[..], &["--resume"]].concat());
    assert!(folder.bytes("whole.bin") == folder.bytes("broken.bin"));
}

#[test]
fn what_is_wrong_is_said_in_a_line_that_names_file_and_place() {
    let folder = Folder::new("train-wrong");
    let mut bytes = records(400);
    folder.write("good.psv", &bytes);
    bytes[3 * 40 + 38] = 9;
    folder.write("bad.psv", &bytes);
    let good = folder.text("good.psv");
    let bad = folder.text("bad.psv");
    let out = folder.text("nn.bin");
    let train = |arguments: &[&str]| refusal(&[&["train", "--out", &out], arguments].concat());
    assert_eq!(train(&[&good, &bad]), format!("komainu: {bad}: byte 120: there is no result 9"));
    assert!(train(&[&folder.text("none.psv")]).starts_with(&format!("komainu: {}: ", folder.text("none.psv"))));
    assert!(train(&[&good, "--held-out", "100"]).contains("5 games give 400 positions to learn from and 0 to hold"));
    assert!(train(&[&good, "--rate", "nan"]).contains("nan is not above 0 and at most 1"));
    assert!(train(&[&good, "--result-weight", "0.1,2"]).contains("2 is not between 0 and 1"));
    assert!(train(&[&good, "--result-weight", "1,1,1,1"]).contains("4 weights, not one to three"));
    assert_eq!(train(&[&good, "--weights", "1,2"]), "komainu: --weights: 2 numbers for 1 file");
    assert!(train(&[&good, "--weights", "0"]).contains("0 is not between 0.01 and 10"));
    assert!(train(&[&good, "--scale", "game"]).contains("\"game\" is no number"));
    fs::write(&out, b"something").expect("a file can be written");
    assert_eq!(train(&[&good]), format!("komainu: {out}: the file exists; --resume goes on with it"));
    assert_eq!(train(&[&good, "--resume"]), format!("komainu: {out}: the file exists; there is no checkpoint"));
    assert_eq!(
        refusal(&["train", &good, "--out", &good, "--resume"]),
        format!("komainu: --out {good}: a file to learn from")
    );
    let nowhere = folder.text("nofolder/nn.bin");
    assert!(refusal(&["train", &good, "--out", &nowhere]).starts_with(&format!("komainu: {nowhere}")));
    folder.write("nn.bin.checkpoint", b"something");
    let expected = format!("komainu: {}: no checkpoint of this version", folder.text("nn.bin.checkpoint"));
    assert_eq!(train(&[&good, "--held-out", "2", "--resume"]), expected);
}

#[test]
fn a_teacher_labels_records_games_and_openings() {
    let folder = Folder::new("train-teacher");
    folder.write("a.psv", records(800));
    folder.write("book.sfen", "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n");
    let [data, games, book] = ["a.psv", "games", "book.sfen"].map(|name| folder.text(name));
    printed(&["selfplay", "--out", &games, "--nodes", "40", "--hash", "1", "--games", "12"]);
    let quick = ["--epochs", "3", "--batch", "256", "--rate", "0.005", "--held-out", "5", "--start-scale", "1"];
    let train = |name: &str, more: &[&str]| {
        let files = ["train", &data, &games, &book, "--out", &folder.text(name), "--shape", "kp"];
        let text = printed(&[&files[..], &quick[..], more].concat());
        (text, folder.bytes(name))
    };
    let (text, net) = train("one.bin", &["--teacher", "<internal>"]);
    let teacher = format!("\nteacher <internal> {} / {EMBEDDED_FV_SCALE}\nstart rms 0.", Shape::KP);
    assert!(text.contains(&teacher), "{text}");
    let epochs: Vec<&str> = text.lines().filter(|line| line.starts_with("epoch ")).collect();
    assert!(epochs.len() == 3 && epochs[2].contains(" rms 0.") && epochs[2].contains(" same best "), "{text}");
    let log = folder.read("one.bin.jsonl");
    let last: serde_json::Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    for name in ["error", "same_best", "regret"] {
        assert!(last["children"][name].as_f64().is_some_and(|number| (0.0..2.0).contains(&number)), "{log}");
    }
    assert!(last["rms"].as_f64().is_some_and(|rms| rms < 0.5), "{log}");
    let picture = folder.read("one.bin.svg");
    assert!(picture.contains("same best") && picture.contains("regret"));
    assert!(train("two.bin", &["--teacher", "<internal>", "--threads", "1"]).1 == net);
    assert!(train("still.bin", &["--teacher", "<internal>", "--vary", "0"]).1 != net);
    // A net that was written is a teacher, too, and so are two.
    let first = folder.text("one.bin");
    let (text, _) = train("three.bin", &["--teacher", &format!("<internal>,{first}"), "--teacher-scale", "22,20"]);
    assert!(text.contains(&format!("\nteacher {first} K-P 256x2-32-32 / 20\n")), "{text}");

    let refused = |arguments: &[&str]| {
        refusal(&[&["train", &data, "--out", &folder.text("no.bin"), "--held-out", "5"], arguments].concat())
    };
    assert!(refused(&["--teacher", &data]).starts_with(&format!("komainu: --teacher: {data:?}: no net")));
    folder.write("new.bin", [0x21, 0x2F, 0xF3, 0x7A, 0, 0, 0, 0, 0, 0, 0, 0]);
    let unknown = refused(&["--teacher", &folder.text("new.bin")]);
    assert!(unknown.starts_with("komainu: --teacher: ") && unknown.contains("7af32f21"), "{unknown}");
    assert!(refused(&["--teacher", &first, "--teacher-scale", "0"]).contains("0 is not in 1..=128"));
    let three = refused(&["--teacher", &first, "--teacher-scale", "16,16,16"]);
    assert_eq!(three, "komainu: --teacher-scale: 3 numbers for 1 net");
    assert!(refused(&["--teacher", &first, "--vary", "4..2"]).contains("4..2 is no range from 0 to 100"));
    assert!(refused(&["--teacher", &first, "--scale", "data"]).starts_with("komainu: --scale data: "));
    assert!(refused(&["--teacher", &first, "--result-weight", "0.5"]).contains("cannot be used with"));
    assert!(refused(&["--vary", "0..2"]).contains("--teacher"));
}
