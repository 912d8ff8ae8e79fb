//! The flags of the command line: one spelling and one meaning in all subcommands.

use crate::shell::{Folder, komainu, own_engine};
use clap::{Arg, ArgAction, Command};
use komainu_cli::command_line;
use std::collections::BTreeMap;

/// Flags that mean something else in some subcommands, each with these and why. Those that are named together agree.
const APART: [(&str, &[&str], &str); 40] = [
    ("alpha", &["tune"], "an exponent, not a chance"),
    ("check", &["convert"], "records are checked, not proofs"),
    ("draw", &["book minimax"], "value of a draw; in a match it is the rule that ends a game as one"),
    ("engine", &["match"], "a match has several, each with a name"),
    ("folder", &["match"], "a match has several engines"),
    ("option", &["match"], "a match has several engines"),
    ("format", &["analyse"], "an analysis is no list of games, and has a page"),
    ("fv-scale", &["train"], "the net is made, not read"),
    ("game", &["csa"], "the word of the CSA protocol"),
    ("games", &["match"], "a match counts the games of a pairing"),
    ("games", &["csa"], "a session may have no end"),
    ("hash", &["perft"], "no table unless it is asked for"),
    ("json", &["check"], "the lines are for people, the file is for programs"),
    ("json", &["data from-pgn"], "a second file of the same games"),
    ("log", &["csa"], "one conversation with a server, not one of each game"),
    ("margin", &["csa"], "time that is held back from the engine, not granted to it"),
    ("margin", &["book next"], "the margin of a value"),
    ("margin", &["book prune"], "the margin of a value, for all moves"),
    ("max-plies", &["selfplay", "data rescore"], "training data need an end"),
    ("nodes", &["selfplay", "data rescore"], "iterations are finished"),
    ("nodes", &["mate"], "the solver expands positions"),
    ("openings", &["selfplay"], "a plain list alone"),
    ("out", &["convert"], "a file or a folder"),
    ("out", &["report"], "a page"),
    ("out", &["train"], "a net with files beside it"),
    (
        "out",
        &["book make", "book think", "book minimax", "book merge", "book sort", "book prune"],
        "the ending tells the format of a book",
    ),
    ("out", &["book export"], "a book of more formats"),
    ("out", &["match", "tune", "analyse"], "a folder"),
    ("patience", &["check"], "each wait has a limit of its own, and this is that of the rest"),
    ("pairs", &["tune"], "their number in an iteration, not which of a match"),
    ("plies", &["book make"], "the beginnings of games, not lines of a book"),
    ("positions", &["book think"], "a file of positions, not their number"),
    ("resign", &["csa"], "the engine resigns; in a match the referee ends the game"),
    ("scale", &["tune"], "a factor of options, not the scale of a win rate"),
    ("side", &["book next"], "the side that plays its best moves"),
    ("suite", &["eval"], "the lines hold no answer"),
    ("suite", &["mate"], "the lines hold mates, not counts"),
    ("threads", &["analyse"], "threads of one search, beside --jobs"),
    ("to", &["convert"], "a format; elsewhere the end of a range"),
    ("verbose", &["check"], "conversations, not results"),
];

/// Words that a parser takes or not: whether two of them take the same shows whether they are the same.
const PROBES: [&str; 26] = [
    "", "0", "1", "2", "10", "33", "100", "128", "129", "200", "201", "600", "601", "1024", "1025", "99999", "100000",
    "1048577", "20000000", "-1", "0.5", "1/2", "a", "a=b", "b", "kif",
];

/// A flag as one of the subcommands has it.
struct Flag {
    command: String,
    value: String,
    help: String,
    takes: Vec<&'static str>,
}

fn flag(path: &str, arg: &Arg) -> Flag {
    let has_value = arg.get_action().takes_values();
    let names = if has_value { arg.get_value_names().unwrap_or_default() } else { &[] };
    let alone = Arg::new("probe").long("probe").value_parser(arg.get_value_parser().clone());
    let alone = if has_value { alone.allow_hyphen_values(true) } else { alone.action(ArgAction::SetTrue) };
    let command = Command::new("probe").arg(alone);
    let takes = |probe: &&str| command.clone().try_get_matches_from(["probe", "--probe", probe]).is_ok();
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    Flag { command: path.to_string(), value: names.join(" "), help, takes: PROBES.into_iter().filter(takes).collect() }
}

/// Every long flag with the subcommands that have it.
fn flags() -> BTreeMap<String, Vec<Flag>> {
    fn collect(command: &Command, path: &str, flags: &mut BTreeMap<String, Vec<Flag>>) {
        for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
            if let Some(long) = arg.get_long().filter(|long| !["help", "version"].contains(long)) {
                flags.entry(long.to_string()).or_default().push(flag(path, arg));
            }
        }
        for inner in command.get_subcommands() {
            collect(inner, format!("{path} {}", inner.get_name()).trim(), flags);
        }
    }
    let mut flags = BTreeMap::new();
    collect(&command_line(), "", &mut flags);
    flags
}

#[test]
fn a_flag_of_several_subcommands_is_the_same_in_all() {
    let mut faults = Vec::new();
    for (long, flags) in flags() {
        let group = |flag: &Flag| {
            APART.iter().position(|(name, commands, _)| *name == long && commands.contains(&flag.command.as_str()))
        };
        for (index, flag) in flags.iter().enumerate() {
            let Some(other) = flags[..index].iter().find(|other| group(other) == group(flag)) else { continue };
            for (what, is_same) in [
                ("value name", flag.value == other.value),
                ("help", flag.help == other.help),
                ("parser", flag.takes == other.takes),
            ] {
                if !is_same {
                    faults.push(format!(
                        "--{long}: {what}: {}: {} {} {:?} | {}: {} {} {:?}",
                        flag.command,
                        flag.value,
                        flag.help,
                        flag.takes,
                        other.command,
                        other.value,
                        other.help,
                        other.takes
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn kif_is_in_utf_8_unless_the_encoding_says_else() {
    let folder = Folder::new("flags-kif");
    let engines = ["a", "b"].map(own_engine);
    for (number, flags, files) in [
        (1, "--format kif", ["kifu"].as_slice()),
        (2, "--format kif --encoding cp932", &["kif"]),
        (3, "--format kif,kif-cp932", &["kif", "kifu"]),
    ] {
        let out = folder.text(&format!("m{number}"));
        let mut command = komainu(&["match", "--engine", &engines[0], "--engine", &engines[1], "--each", "USI_Hash=1"]);
        command.args(["--games", "2", "--nodes", "10", "--max-plies", "2", "--out", &out]).args(flags.split(' '));
        let output = command.output().expect("the binary runs");
        assert!(output.status.success(), "{output:?}");
        let mut written: Vec<_> = std::fs::read_dir(folder.path(&format!("m{number}/records")))
            .expect("there are records")
            .map(|entry| entry.expect("it can be read").path())
            .collect();
        written.sort();
        assert_eq!(written.len(), 2 * files.len(), "{written:?}");
        for (path, extension) in written.iter().zip(files.iter().cycle()) {
            let is_utf_8 = String::from_utf8(std::fs::read(path).expect("it can be read")).is_ok();
            let found = path.extension().and_then(|extension| extension.to_str());
            assert_eq!((found, is_utf_8), (Some(*extension), *extension == "kifu"), "{path:?}");
        }
    }
}

#[test]
fn what_is_listed_as_apart_is_apart() {
    let flags = flags();
    for (long, commands, reason) in APART {
        let of_flag = &flags[long];
        for command in commands {
            assert!(of_flag.iter().any(|flag| flag.command == *command), "{command} has no --{long}");
        }
        assert!(!reason.is_empty() && of_flag.len() > commands.len(), "--{long}");
        let [inside, outside]: [Vec<&Flag>; 2] = [true, false]
            .map(|is_in| of_flag.iter().filter(|flag| commands.contains(&flag.command.as_str()) == is_in).collect());
        let is_same = |a: &Flag, b: &Flag| (&a.value, &a.help, &a.takes) == (&b.value, &b.help, &b.takes);
        assert!(!is_same(inside[0], outside[0]), "--{long} is the same in {commands:?} as elsewhere: the line can go");
    }
}
