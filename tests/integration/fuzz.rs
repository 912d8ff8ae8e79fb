//! The files that fuzzers start from and have found, `tests/data/fuzz`, once more.

use std::fs;
use std::path::Path;

mod targets;

#[test]
fn the_files_of_the_fuzzers_do_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz");
    for name in ["kif", "ki2", "csa", "jkf", "usi", "pgn", "encodings"] {
        let mut count = 0;
        for entry in fs::read_dir(folder.join(name)).expect("each target has a folder") {
            let path = entry.expect("it can be read").path();
            targets::run(name, &fs::read(&path).expect("it can be read"));
            count += 1;
        }
        assert!(count > 1, "{name}");
    }
}
