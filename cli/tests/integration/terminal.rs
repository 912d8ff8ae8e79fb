//! A session on a terminal, as a person begins one.

use crate::shell::komainu;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Stdio;

/// A new terminal: the end of the person, and that of the program.
fn terminal() -> (File, File) {
    let open = |name: &str| File::options().read(true).write(true).custom_flags(libc::O_NOCTTY).open(name);
    let person = open("/dev/ptmx").expect("there are terminals");
    let mut name = [0; 64];
    // SAFETY: the descriptor is open, and the second call writes at most the length of `name`.
    let made = unsafe {
        libc::unlockpt(person.as_raw_fd()) == 0
            && libc::ptsname_r(person.as_raw_fd(), name.as_mut_ptr(), name.len()) == 0
    };
    assert!(made, "{}", std::io::Error::last_os_error());
    let name: String = name.iter().take_while(|&&c| c != 0).map(|&c| char::from(c as u8)).collect();
    (person, open(&name).expect("the new terminal can be opened"))
}

/// What the program says on a terminal before anything is typed; then it is told to end.
fn greeting(language: &str) -> String {
    let (mut person, program) = terminal();
    let end = || Stdio::from(program.try_clone().expect("a descriptor can be copied"));
    let mut command = komainu(&[]);
    command.env("LC_ALL", language).stdin(end()).stdout(end()).stderr(end());
    let mut child = command.spawn().expect("the binary runs");
    let mut read = Vec::new();
    while read.iter().filter(|&&byte| byte == b'\n').count() < 2 {
        let mut bytes = [0; 256];
        let count = person.read(&mut bytes).expect("the terminal can be read");
        read.extend(&bytes[..count]);
    }
    person.write_all(b"quit\n").expect("the terminal can be written to");
    assert!(child.wait().expect("it ends").success());
    String::from_utf8(read).expect("a terminal gets UTF-8")
}

#[test]
fn a_person_on_a_terminal_is_greeted_in_two_lines_in_his_language() {
    for (language, first, second) in [
        ("C.UTF-8", "a shogi engine", "`komainu help` lists the commands"),
        ("ja_JP.UTF-8", "将棋エンジン", "コマンドの一覧は`komainu help`"),
    ] {
        let greeting = greeting(language);
        let lines: Vec<&str> = greeting.split_terminator("\r\n").collect();
        assert!(lines.len() == 2 && lines[0].contains(first) && lines[1].contains(second), "{language}: {lines:?}");
    }
}
