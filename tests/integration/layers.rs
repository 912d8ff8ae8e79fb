//! The order of the modules of `src/`, and the files that may say `unsafe`.

use std::fs;
use std::path::Path;

/// Every module, lower layers first: the code of one may use itself and those before it.
const ORDER: &str = "host random types bitboard position movegen notation mate system eval storage games book search \
    formations levels protocol referee player usi";

/// The files that may say `unsafe`, and why they do.
const UNSAFE_FILES: [(&str, &str); 14] = [
    ("bitboard/mod.rs", "squares out of set bits, without a bounds check"),
    ("bitboard/sliders.rs", "PEXT and PDEP, table look-ups whose index is proven"),
    ("eval/nnue/simd/avx2.rs", "vectors loaded from arrays and stored in them"),
    ("eval/nnue/simd/avx512.rs", "vectors loaded from arrays and stored in them"),
    ("eval/nnue/simd/mod.rs", "calls of instructions that a token proves to be there"),
    ("eval/nnue/simd/neon.rs", "vectors loaded from arrays and stored in them"),
    ("eval/nnue/simd/simd128.rs", "vectors loaded from arrays and stored in them"),
    ("host/suspend.rs", "the functions that Asyncify puts in the place of imports, and their buffer"),
    ("movegen/list.rs", "moves written without asking each time whether there is room"),
    ("search/cells.rs", "vectors of cells that other threads may change, read by one instruction"),
    ("system/memory.rs", "large pages, cache lines ahead of their use, blocks that go back to the system"),
    ("system/mod.rs", "a signal that is ignored"),
    ("types/moves.rs", "squares out of bits that a constructor put there"),
    ("types/square.rs", "the constructor whose caller proves the range"),
];

/// Every source file below a folder, as paths from `src/`, with its code: no comments.
fn sources(folder: &Path, prefix: &str, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("the folder can be read").path();
        let name = format!("{prefix}{}", path.file_name().expect("an entry has a name").to_string_lossy());
        if path.is_dir() {
            sources(&path, &format!("{name}/"), files);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).expect("the file can be read");
            let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
            files.push((name, code.join("\n")));
        }
    }
}

fn all_sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut files);
    files.sort();
    files
}

/// The files of a folder whose code says `unsafe`.
fn files_with_unsafe(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (path, code) in all_sources(folder) {
        if code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe") {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_module_uses_one_of_a_higher_layer() {
    let order: Vec<&str> = ORDER.split_whitespace().collect();
    for (path, code) in all_sources("src") {
        let Some((module, _)) = path.split_once('/') else { continue };
        let place = order.iter().position(|known| *known == module).unwrap_or_else(|| panic!("{module} has no layer"));
        // Unit tests may use whatever there is.
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for used in code.split("crate::").skip(1) {
            let used = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            assert!(!order[place + 1..].contains(&used), "src/{path} uses {used}, which is of a higher layer");
        }
    }
}

#[test]
fn unsafe_appears_in_the_listed_files_only() {
    assert_eq!(files_with_unsafe("src"), UNSAFE_FILES.map(|(path, _)| path), "found, and listed above");
}

#[test]
fn the_tools_say_unsafe_where_they_start_programs_alone() {
    // A package of the engine has no tools.
    if Path::new(env!("CARGO_MANIFEST_DIR")).join("tools").exists() {
        assert_eq!(files_with_unsafe("tools/src"), ["process/launch.rs"]);
        assert_eq!(files_with_unsafe("cli/src"), [""; 0]);
    }
}
