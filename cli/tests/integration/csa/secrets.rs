//! No password, trip or token stands in what is printed or written.

use super::mock::{ID, Mock, summary};
use super::{client, ends};
use crate::shell::Folder;
use std::fs;

#[test]
fn secrets_stand_nowhere_even_if_the_server_repeats_them() {
    let folder = Folder::new("csa-secrets");
    let token = "feedfacefeedfacefeedfacefeedface";
    folder.write("password", "xyzzy-plugh\n");
    let start = summary("+", &format!("Reconnect_Token:{token}"));
    let mock = Mock::start([
        "< LOGIN me test-300-10F,xyzzy-plugh\n> LOGIN:incorrect me test-300-10F,xyzzy-plugh\n".to_string(),
        format!(
            "< LOGIN me test-300-10F,xyzzy-plugh\n> LOGIN:me OK\n> ##[ERROR] who is xyzzy-plugh?\n\
             > xyzzy-plugh\n{start}< AGREE {ID}\n> START:{ID}\n> ##[ERROR] xyzzy-plugh\n< +*\n"
        ),
        format!("< LOGIN me test-300-10F,xyzzy-plugh reconnect:{ID}+{token}\n> LOGIN:incorrect {token}\n"),
    ]);
    let mut command = client(&mock, &folder, &["--game", "test-300-10F", "--games", "1", "--option", "Threads=1"]);
    command.args(["--password-file", &folder.text("password"), "--events", &folder.text("records/events.jsonl")]);
    let (out, errors) = ends(command, 0);
    mock.finish();
    assert!(errors.contains("*****"), "{errors}");
    let mut seen = 0;
    for entry in fs::read_dir(folder.path("records")).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        for secret in ["xyzzy", "plugh", token] {
            assert!(!text.contains(secret), "{secret} stands in {}:\n{text}", path.display());
        }
        seen += 1;
    }
    // Two records, the list, the plan, the log, the events.
    assert_eq!(seen, 6);
    for secret in ["xyzzy", "plugh", token] {
        assert!(!out.contains(secret) && !errors.contains(secret), "{out}\n{errors}");
    }
    let log = folder.read("records/csa.log");
    assert!(log.contains("server < LOGIN me *****") && log.contains("engine > readyok"), "{log}");
}
