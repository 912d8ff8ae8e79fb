//! What becomes of a subcommand whose output cannot be written, and of work of which nothing or only a part can be
//! read.

use crate::shell::{Folder, komainu, last_line, run, stderr};
use std::fs;
use std::process::{Output, Stdio};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Files for every subcommand: what is right, and what is wrong.
pub(super) struct Files(Folder);

impl Files {
    pub(super) fn new(name: &str) -> Files {
        let folder = Folder::new(name);
        let write = |name: &str, text: &str| folder.write(name, text);
        write("good.perft", &format!("{START} ;D1 30\n"));
        write("wrong.perft", &format!("{START} ;D1 31\n{START} ;D1 30\n"));
        write("good.mate", "4k4/9/4P4/9/9/9/9/9/9 b G 1 ;mate 1\n");
        write("wrong.mate", "4k4/9/4P4/9/9/9/9/9/9 b G 1 ;nomate\n");
        write("wrong.proof", "no proof\n");
        write("wrong.db", &format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n7g7e none 0 0 1\n"));
        write("good.db", &format!("#YANEURAOU-DB2016 1.00\nsfen {START}\n7g7f none 0 0 1\n"));
        write("wrong.log", "> usi\n< id name X\n< usiok\n> go nodes 10\n> stop\n< bestmove 7g7f\n");
        write("wrong.pgn", "[Black \"a\"]\n[White \"b\"]\n[Result \"1-0\"]\n\nzzzz 1-0\n\n");
        write("games.sfen", "startpos moves 7g7f 3c3d\nstartpos moves 7g7f 8c8d\n");
        write("junk.kifu", "this is no record\n");
        write("usi.txt", "usi\nisready\nquit\n");
        let own_games = folder.text("own.games");
        let output = run(&["selfplay", "--games", "1", "--nodes", "20", "--hash", "1", "--out", &own_games]);
        assert!(output.status.success(), "{output:?}");
        Files(folder)
    }

    /// Words of a command line, `@NAME` standing for a file.
    pub(super) fn words(&self, line: &str) -> Vec<String> {
        let word = |word: &str| word.strip_prefix('@').map_or(word.to_string(), |name| self.0.text(name));
        line.split(' ').map(word).collect()
    }

    fn run_into(&self, line: &str, stdout: Stdio) -> Output {
        let words = self.words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = komainu(&words[1..]);
        let input = fs::File::open(self.0.path("usi.txt")).expect("the commands are there");
        command.stdin(input).stdout(stdout).output().expect("the program runs")
    }
}

/// Lines of every subcommand that prints something, each with its exit code if all is printed.
const PRINTING: [(&str, i32); 27] = [
    ("komainu", 0),
    ("komainu --help", 0),
    ("komainu --version", 0),
    ("komainu help options", 0),
    ("komainu help tunables", 0),
    ("komainu perft 2 --divide", 0),
    ("komainu perft --suite @good.perft", 0),
    ("komainu perft --suite @wrong.perft", 1),
    ("komainu bench 2", 0),
    ("komainu bench 2 --bench-check 1", 1),
    ("komainu mate --suite @good.mate --hash 4", 0),
    ("komainu mate --suite @wrong.mate --hash 4", 1),
    ("komainu mate --check @wrong.proof", 1),
    ("komainu book stats @good.db", 0),
    ("komainu book query @good.db --sfen startpos", 0),
    ("komainu book query @good.db --moves 2g2f", 1),
    ("komainu book check @good.db", 0),
    ("komainu book check @wrong.db", 1),
    ("komainu book next @good.db", 0),
    ("komainu book make @games.sfen --out @made.db", 0),
    ("komainu data from-pgn @wrong.pgn --out @pgn.games", 1),
    ("komainu data info @own.games", 0),
    ("komainu data text @own.games", 0),
    ("komainu eval --sfen startpos", 0),
    ("komainu show @games.sfen", 0),
    ("komainu replay @wrong.log", 0),
    ("komainu check --list", 0),
];

fn without_results(files: &Files) {
    for name in ["made.db", "pgn.games"] {
        _ = fs::remove_file(files.0.path(name));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error_of_every_subcommand() {
    let files = Files::new("full-disk");
    for (line, _) in PRINTING {
        without_results(&files);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full is there");
        let output = files.run_into(line, full.into());
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        let last = told.lines().last().unwrap_or_default();
        assert!(last.starts_with("komainu: standard output: No space left"), "{line}: {told}");
    }
    // Errors that cannot be told either are no panic.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full is there");
    let output = komainu(&["perft", "x"]).stderr(full).status().expect("the program runs");
    assert_eq!(output.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_is_no_error_and_hides_none() {
    let files = Files::new("closed-pipe");
    for (line, code) in PRINTING {
        without_results(&files);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = files.run_into(line, writer.into());
        assert_eq!(output.status.code(), Some(code), "{line}: {}", stderr(&output));
        // What was to be written is written all the same.
        assert!(!line.contains("made.db") || files.0.path("made.db").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_written_is_an_error_of_every_subcommand() {
    let files = Files::new("full-file");
    for line in [
        "report @match --out /dev/full",
        "book make @games.sfen --out @no/such/folder/x.db",
        "book sort @good.db --out @no/such/x.db",
        "book merge @good.db --out @no/such/x.db",
        "book export @good.db --out @no/such/x.jsonl",
        "book check @good.db --fix @no/such/x.db",
        "book prune @good.db --out @no/such/x.db",
        "book minimax @good.db --out @no/such/x.db",
        "mate --suite @no/such.mate",
        "data from-pgn @wrong.pgn --out @no/such/x.games",
        "selfplay --games 1 --nodes 50 --out @no/such/x.games",
    ] {
        let words = files.words(line);
        let output = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let told = stderr(&output);
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{line}: {told}");
    }
}

#[test]
fn a_book_of_nothing_replaces_no_book() {
    let files = Files::new("make-nothing");
    let good = files.0.text("good.db");
    let before = fs::read(&good).expect("the book is there");
    let junk = files.0.text("junk.kifu");
    let games = files.0.text("games.sfen");
    let folder = files.0.text("empty");
    fs::create_dir_all(&folder).expect("the folder is made");
    for (arguments, said) in [
        (vec!["book", "make", &junk, "--out", &good], "no game could be read: nothing is written to "),
        (vec!["book", "make", &folder, "--out", &good], "no game could be read"),
        (vec!["book", "make", &games, "--out", &good, "--min-count", "9"], "no move of the games is wanted"),
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains(said), "{output:?}");
        assert_eq!(fs::read(&good).expect("the book is there"), before);
        assert!(!files.0.path("good.db.new").exists());
    }
    // A part that cannot be read is counted, and the rest is a book.
    let output = run(&["book", "make", &games, &junk, "--out", &good]);
    assert_eq!((output.status.code(), last_line(&output).as_str()), (Some(1), "1 positions, 1 moves, 1 file refused"));
    let output = run(&["level-report", &junk]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(last_line(&output), "levels 0 games 0 left_out 0 refused 1");
    assert!(stderr(&output).ends_with("komainu: no game could be read\n"), "{output:?}");
}

#[cfg(unix)]
mod special_files {
    use crate::engine::Engine;
    use crate::shell::Folder;
    use std::fs;
    use std::process::Command;

    /// A folder with a pipe that nobody reads or writes.
    fn with_fifo(name: &str) -> (Folder, String) {
        let folder = Folder::new(name);
        let fifo = folder.text("fifo");
        assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs").success());
        (folder, fifo)
    }

    #[test]
    fn a_debug_log_goes_into_a_new_file_or_a_log_and_into_nothing_else() {
        let (folder, fifo) = with_fifo("log-files");
        let net = folder.write("net.bin", b"precious");
        let mut engine = Engine::ready();
        for (file, fault) in [
            (fifo.as_str(), "not a regular file"),
            ("/dev/stdin", "not a regular file"),
            ("/dev/null", "not a regular file"),
            (&net, "the file is no debug log; it stays as it is"),
        ] {
            engine.send(&format!("setoption name DebugLogFile value {file}"));
            let line = engine.line();
            assert!(line.starts_with("info string error: DebugLogFile: ") && line.ends_with(fault), "{file}: {line}");
            engine.assert_alive();
        }
        assert_eq!(fs::read(&net).expect("the file is there"), b"precious");
        let log = folder.write("usi.log", "# komainu 0.0.1 debug log\n");
        engine.send(&format!("setoption name DebugLogFile value {log}"));
        engine.assert_alive();
        let text = fs::read_to_string(&log).expect("the log is there");
        assert!(
            text.starts_with("# komainu 0.0.1 debug log\n# komainu ") && text.contains("> position startpos"),
            "{text}"
        );
    }

    #[test]
    fn a_book_is_a_regular_file() {
        let (_folder, fifo) = with_fifo("book-files");
        let mut engine = Engine::ready();
        for file in [&fifo, "/dev/zero", "/dev/stdin"] {
            let before = engine.ask(&format!("setoption name BookFile value {file}\nisready"), "readyok");
            let is_told = |line: &String| line.contains("BookFile: ") && line.contains("not a regular file");
            assert!(before.iter().any(is_told), "{file}: {before:?}");
        }
        engine.assert_alive();
    }
}
