//! Says which net is built in: the project's own, or the file that the environment variable `KOMAINU_EVALFILE` names.
//! With the feature `packed` the net and the opening book are deflated. Without the features that build them in nothing
//! is looked at.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// The project's net, from the folder of the crate.
const OWN: &str = "src/eval/nnue/komainu.bin";
/// The opening book.
const BOOK: &str = "src/book/komainu.ybb";
/// The first bytes of every net file.
const VERSION: [u8; 4] = 0x7AF3_2F16_u32.to_le_bytes();

/// The file of another net. Test systems set `EVALFILE` for every engine that they build, which the Makefile hands on.
const VARIABLE: &str = "KOMAINU_EVALFILE";

fn main() {
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(own_net)");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    if cfg!(feature = "search") {
        println!("cargo::rustc-env=KOMAINU_NET={}", packed(&net(&folder), "net").display());
    }
    if cfg!(feature = "book") {
        println!("cargo::rustc-env=KOMAINU_BOOK={}", packed(&folder.join(BOOK), "book").display());
    }
}

/// The file of the net that is built in.
fn net(folder: &Path) -> PathBuf {
    let chosen = env::var_os(VARIABLE).filter(|name| !name.is_empty());
    if chosen.is_none() {
        println!("cargo::rustc-cfg=own_net");
    }
    // An absolute name replaces the folder.
    let file = folder.join(chosen.unwrap_or_else(|| OWN.into()));
    println!("cargo::rerun-if-changed={}", file.display());
    // The rest of the file is checked where it is read.
    let fault = match fs::read(&file) {
        Err(error) => Some(error.to_string()),
        Ok(bytes) => (!bytes.starts_with(&VERSION)).then(|| "no net file".to_string()),
    };
    if let Some(fault) = fault {
        println!("cargo::error={VARIABLE}: {}: {fault}", file.display());
        process::exit(1);
    }
    file
}

/// Where the file lies as it is built in.
#[cfg(not(feature = "packed"))]
fn packed(file: &Path, _name: &str) -> PathBuf {
    file.to_path_buf()
}

/// Where the file lies as it is built in: deflated, among the products of the build.
#[cfg(feature = "packed")]
fn packed(file: &Path, name: &str) -> PathBuf {
    let place = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join(name);
    let deflated = fs::read(file).map(|bytes| miniz_oxide::deflate::compress_to_vec_zlib(&bytes, 10));
    if let Err(error) = deflated.and_then(|bytes| fs::write(&place, bytes)) {
        println!("cargo::error={}: {error}", file.display());
        process::exit(1);
    }
    place
}
