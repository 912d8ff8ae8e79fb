//! `komainu data dedup`: records whose positions are new.

use super::{Output, bad, kind};
use crate::terminal::{Failure, print_line};
use komainu_tools::training::records::Records;
use komainu_tools::training::shuffle::DataKind;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub(super) fn dedup(files: &[PathBuf], out: &Path, against: &[PathBuf]) -> Result<(), Failure> {
    // The keys of all positions so far: 8 bytes of a position, 16 in the table.
    let mut seen = HashSet::new();
    for path in against {
        for read in open(path)? {
            seen.insert(read?.1.key().0);
        }
    }
    let mut file = Output::create(out)?;
    let mut kept = 0_u64;
    let mut duplicates = 0_u64;
    for path in files {
        for read in open(path)? {
            let (record, pos) = read?;
            if seen.insert(pos.key().0) {
                kept += 1;
                file.write(&record.encode())?;
            } else {
                duplicates += 1;
            }
        }
    }
    file.finish()?;
    print_line(format_args!("kept {kept} duplicates {duplicates}"))
}

fn open(path: &Path) -> Result<Records<std::io::BufReader<std::fs::File>>, Failure> {
    match kind(path)? {
        DataKind::Records => Ok(Records::open(path)?),
        DataKind::Games => {
            Err(bad(format_args!("{}: a file of games; `komainu data filter` makes records of it", path.display())))
        }
    }
}
