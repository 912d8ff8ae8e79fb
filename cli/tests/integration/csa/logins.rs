//! Logins that are refused, servers that are not there, settings that make no sense.

use super::mock::Mock;
use super::{client, ends, texts};
use crate::shell::{Folder, komainu};
use std::fs;
use std::time::Duration;

#[test]
fn a_login_that_is_refused_three_times_ends_with_3_and_is_not_hammered() {
    let folder = Folder::new("csa-refused");
    let script = |words: &str| format!("< LOGIN me test-300-10F,wrong-word\n> LOGIN:incorrect{words}\n");
    let mock = Mock::start([script(""), script(" rate_limited"), script(" wrong-word")]);
    let (out, errors) =
        ends(client(&mock, &folder, &["--game", "test-300-10F", "--trip", "wrong-word", "--relogin", "1"]), 3);
    assert!(errors.lines().last().unwrap().contains("refused three times"), "{errors}");
    assert!(!out.contains("wrong-word") && !errors.contains("wrong-word"), "{out}\n{errors}");
    let connections = mock.finish();
    assert!(connections.iter().all(|connection| connection.lines == ["LOGIN me test-300-10F,wrong-word"]));
    // 1 s, then 2 s, and up to a quarter more.
    let pauses = [1, 2].map(|at| connections[at].opened - connections[at - 1].opened);
    assert!(pauses[0] >= Duration::from_millis(990) && pauses[1] >= Duration::from_millis(1_990), "{pauses:?}");
}

#[test]
fn a_server_that_is_not_there_is_given_up_after_the_retries() {
    let folder = Folder::new("csa-absent");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = format!("127.0.0.1:{free}");
    let arguments = ["csa", &server, "--name", "me", "--game", "test-1-1", "--relogin", "0", "--retries", "2"];
    let (out, _) = ends(komainu(&[&arguments[..], &["--record", &folder.text("records")]].concat()), 2);
    assert_eq!(out.matches("login again").count(), 2, "{out}");
}

#[test]
fn bad_usage_ends_with_1_and_names_the_token() {
    let folder = Folder::new("csa-usage");
    let config = folder.text("csa.toml");
    let refused = |text: &str, arguments: &[&str]| {
        fs::write(&config, text).unwrap();
        let output = komainu(&["csa", "--config", &config]).args(arguments).output().unwrap();
        let (_, errors) = texts(&output);
        assert_eq!((output.status.code(), errors.lines().count()), (Some(1), 1), "{text} {arguments:?}: {errors}");
        errors
    };
    let good = "[server]\nhost = \"localhost\"\nname = \"me\"\ngame = \"test-1-1\"\n";
    assert!(refused("[server]\nhots = 1\n", &[]).contains("the nearest is host"));
    assert!(refused("[server]\nhost = \"h\"\n", &[]).contains("name"));
    assert!(refused(good, &["--no-such-flag"]).contains("--no-such-flag"));
    assert!(refused(good, &["--option", "Threads"]).contains("Threads"));
    assert!(refused(good, &["--until", "30:00"]).contains("30:00"));
    assert!(refused(good, &["--password-file", "no-such-file"]).contains("no-such-file"));
    assert!(refused(good, &["--name", "a b"]).contains("a b"));
    let output =
        komainu(&["csa", "localhost"]).current_dir(folder.path("")).args(["--config", "none"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_settings_are_printed_with_flags_before_the_file_and_without_secrets() {
    let folder = Folder::new("csa-print");
    let text = "[server]\nhost = \"h\"\nname = \"me\"\ngame = \"g-1-1\"\npassword = \"sesame\"\n\n[engine.options]\nthreads = 1\n";
    folder.write("csa.toml", text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder.path("csa.toml"), fs::Permissions::from_mode(0o600)).unwrap();
    }
    // Without --config the file of this folder is read.
    let arguments = ["csa", "other:99", "--print-config", "--games", "7", "--option", "Threads=2", "--trip", "secret"];
    let output = komainu(&arguments).current_dir(folder.path("")).output().unwrap();
    let (out, errors) = texts(&output);
    assert!(output.status.success(), "{errors}");
    for line in
        ["host = \"other\"", "port = 99", "name = \"me\"", "password = \"*****\"", "games = 7", "trip = \"*****\""]
    {
        assert!(out.lines().any(|printed| printed == line), "{line}: {out}");
    }
    assert!(out.contains("[engine.options]\nThreads = \"2\"\n"), "{out}");
    assert!(!out.contains("sesame") && !out.contains("secret"), "{out}");
}
