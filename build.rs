//! Says which net is built in: the project's own, or the file that the environment variable `EVALFILE` names.

use std::path::PathBuf;
use std::{env, fs, process};

/// The project's net, from the folder of the crate.
const OWN: &str = "src/eval/nnue/komainu.bin";

fn main() {
    println!("cargo::rerun-if-env-changed=EVALFILE");
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    // An absolute name replaces the folder.
    let file = folder.join(env::var_os("EVALFILE").filter(|name| !name.is_empty()).unwrap_or_else(|| OWN.into()));
    println!("cargo::rerun-if-changed={}", file.display());
    if let Err(error) = fs::File::open(&file).and_then(|file| file.metadata()) {
        println!("cargo::error=EVALFILE: {}: {error}", file.display());
        process::exit(1);
    }
    println!("cargo::rustc-env=KOMAINU_NET={}", file.display());
}
