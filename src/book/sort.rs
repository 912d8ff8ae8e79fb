//! Sorting more than the memory holds: sorted runs on disk, merged.

use crate::storage::read_at;
use crate::types::opaque_debug;
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Runs that are merged at a time: each is an open file.
const MAX_OPEN: usize = 64;
/// Bytes of a run that are read at once.
const READ_AHEAD: usize = 64 << 10;
/// The least memory that is worked with.
const MIN_MEMORY: usize = 1 << 20;

/// Something to be sorted: by key first, then by rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortItem {
    /// Key of the order, compared byte by byte.
    pub key: Vec<u8>,
    /// The order of items with one key.
    pub rank: u64,
    /// Contents of the item.
    pub body: Vec<u8>,
}

/// Where an item lies in the memory of a sorter.
#[derive(Clone, Copy)]
struct Slot {
    start: usize,
    key: u32,
    body: u32,
    rank: u64,
}

impl Slot {
    fn key(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.start + self.key as usize]
    }

    fn body(self, bytes: &[u8]) -> &[u8] {
        let start = self.start + self.key as usize;
        &bytes[start..start + self.body as usize]
    }
}

/// Takes items in any order.
pub struct Sorter {
    memory: usize,
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    runs: Runs,
    count: u64,
}

opaque_debug!(Sorter);

/// Files of sorted items without a name: the system removes them when the process ends, whatever ends it.
struct Runs {
    folder: PathBuf,
    /// Each with the number of times that its items were merged, which never rises from file to file.
    files: Vec<(u32, File)>,
}

impl Runs {
    fn create(&self) -> io::Result<BufWriter<File>> {
        tempfile::tempfile_in(&self.folder).map(|file| BufWriter::with_capacity(READ_AHEAD, file))
    }

    /// Keeps a run, when all of it is written. So many of one size become one, so that few files are open.
    fn keep(&mut self, run: BufWriter<File>) -> io::Result<()> {
        self.files.push((0, run.into_inner()?));
        while let Some(first) = self.files.len().checked_sub(MAX_OPEN)
            && self.files[first].0 == self.files[first + MAX_OPEN - 1].0
        {
            self.merge(MAX_OPEN)?;
        }
        Ok(())
    }

    /// Merges the last runs into one.
    fn merge(&mut self, count: usize) -> io::Result<()> {
        let first = self.files.len() - count;
        let mut out = self.create()?;
        let mut merged = Merge::open(&self.files[first..])?;
        while let Some(item) = merged.next()? {
            write_item(&mut out, &item.key, item.rank, &item.body)?;
        }
        let level = self.files[first].0 + 1;
        self.files.truncate(first);
        self.files.push((level, out.into_inner()?));
        Ok(())
    }
}

impl Sorter {
    /// A sorter that works within `memory` bytes and puts what does not fit into files in a folder.
    pub fn new(folder: &Path, memory: usize) -> Sorter {
        let runs = Runs { folder: folder.to_path_buf(), files: Vec::new() };
        Sorter { memory: memory.max(MIN_MEMORY), bytes: Vec::new(), slots: Vec::new(), runs, count: 0 }
    }

    /// Takes an item in.
    pub fn push(&mut self, key: &[u8], rank: u64, body: &[u8]) -> io::Result<()> {
        let used = self.bytes.len() + key.len() + body.len() + (self.slots.len() + 1) * size_of::<Slot>();
        // Vectors double when they grow: half of the memory may be room that is not used yet.
        if used > self.memory / 2 && !self.slots.is_empty() {
            self.spill()?;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(body);
        self.slots.push(Slot { start, key: key.len() as u32, body: body.len() as u32, rank });
        self.count += 1;
        Ok(())
    }

    /// Number of items.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Tests whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn order(&mut self) {
        let bytes = &self.bytes;
        self.slots.par_sort_unstable_by(|a, b| (a.key(bytes), a.rank).cmp(&(b.key(bytes), b.rank)));
    }

    /// Writes what is in memory as a run.
    fn spill(&mut self) -> io::Result<()> {
        self.order();
        let mut out = self.runs.create()?;
        for slot in &self.slots {
            write_item(&mut out, slot.key(&self.bytes), slot.rank, slot.body(&self.bytes))?;
        }
        self.runs.keep(out)?;
        self.slots.clear();
        self.bytes.clear();
        Ok(())
    }

    /// The items in order, as often as they are wanted.
    pub fn finish(mut self) -> io::Result<Sorted> {
        if self.runs.files.is_empty() {
            self.order();
            return Ok(Sorted { bytes: self.bytes, slots: self.slots, runs: self.runs });
        }
        self.spill()?;
        self.bytes = Vec::new();
        self.slots = Vec::new();
        while self.runs.files.len() > MAX_OPEN {
            self.runs.merge((self.runs.files.len() - MAX_OPEN + 1).min(MAX_OPEN))?;
        }
        Ok(Sorted { bytes: self.bytes, slots: self.slots, runs: self.runs })
    }
}

/// Items in order, in memory or on disk.
pub struct Sorted {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    runs: Runs,
}

opaque_debug!(Sorted);

impl Sorted {
    /// Goes through the items once more from the first.
    pub fn pass(&self) -> io::Result<Pass<'_>> {
        if self.runs.files.is_empty() {
            Ok(Pass::Memory { sorted: self, next: 0 })
        } else {
            Merge::open(&self.runs.files).map(Pass::Disk)
        }
    }
}

/// One way through sorted items.
#[derive(Debug)]
pub enum Pass<'a> {
    /// All of them are in memory.
    #[doc(hidden)]
    Memory { sorted: &'a Sorted, next: usize },
    /// They are in runs on disk.
    #[doc(hidden)]
    Disk(Merge<'a>),
}

impl Pass<'_> {
    /// The next item.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<SortItem>> {
        match self {
            Pass::Memory { sorted, next } => {
                let Some(&slot) = sorted.slots.get(*next) else { return Ok(None) };
                *next += 1;
                let bytes = &sorted.bytes;
                Ok(Some(SortItem { key: slot.key(bytes).to_vec(), rank: slot.rank, body: slot.body(bytes).to_vec() }))
            }
            Pass::Disk(merge) => merge.next(),
        }
    }
}

/// Runs that are being merged.
#[doc(hidden)]
pub struct Merge<'a> {
    runs: Vec<BufReader<Reading<'a>>>,
    /// The next item of each run that has one.
    heads: BinaryHeap<Reverse<(SortItem, usize)>>,
}

opaque_debug!(Merge<'_>, "Merge");

/// A way through a file from its beginning, beside others through the same file.
struct Reading<'a> {
    file: &'a File,
    at: u64,
}

impl Read for Reading<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, bytes, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Merge<'_> {
    fn open(files: &[(u32, File)]) -> io::Result<Merge<'_>> {
        let mut merge = Merge { runs: Vec::new(), heads: BinaryHeap::new() };
        for (run, (_, file)) in files.iter().enumerate() {
            merge.runs.push(BufReader::with_capacity(READ_AHEAD, Reading { file, at: 0 }));
            merge.refill(run)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, run: usize) -> io::Result<()> {
        if let Some(item) = read_item(&mut self.runs[run])? {
            self.heads.push(Reverse((item, run)));
        }
        Ok(())
    }

    fn next(&mut self) -> io::Result<Option<SortItem>> {
        let Some(Reverse((item, run))) = self.heads.pop() else { return Ok(None) };
        self.refill(run)?;
        Ok(Some(item))
    }
}

fn write_item(out: &mut impl Write, key: &[u8], rank: u64, body: &[u8]) -> io::Result<()> {
    out.write_all(&(key.len() as u32).to_le_bytes())?;
    out.write_all(&(body.len() as u32).to_le_bytes())?;
    out.write_all(&rank.to_le_bytes())?;
    out.write_all(key)?;
    out.write_all(body)
}

fn read_item(input: &mut impl Read) -> io::Result<Option<SortItem>> {
    let mut lengths = [0; 8];
    if input.read(&mut lengths[..1])? == 0 {
        return Ok(None);
    }
    input.read_exact(&mut lengths[1..])?;
    let [key, body] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|byte| lengths[at + byte])) as usize);
    let mut rank = [0; 8];
    input.read_exact(&mut rank)?;
    let mut item = SortItem { key: vec![0; key], rank: u64::from_le_bytes(rank), body: vec![0; body] };
    input.read_exact(&mut item.key)?;
    input.read_exact(&mut item.body)?;
    Ok(Some(item))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::GOLDEN;

    /// Sorts this many items in this memory; the items come back twice.
    fn sorted(count: u64, memory: usize) -> (usize, Vec<SortItem>) {
        let folder = std::env::temp_dir().join(format!("komainu-sort-{}-{count}-{memory}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut sorter = Sorter::new(&folder, memory);
        for number in 0..count {
            let mixed = number.wrapping_mul(GOLDEN) >> 40;
            let body = vec![number as u8; (mixed % 50) as usize];
            sorter.push(format!("{}", mixed % 1_000).as_bytes(), number, &body).unwrap();
        }
        let sorted = sorter.finish().unwrap();
        // Not even while they are in use: a process that is killed removes nothing.
        #[cfg(not(windows))]
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        let files = sorted.runs.files.len();
        let passes = [(); 2].map(|()| {
            let mut pass = sorted.pass().unwrap();
            std::iter::from_fn(|| pass.next().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(passes[0], passes[1]);
        drop(sorted);
        std::fs::remove_dir(&folder).unwrap();
        let [first, _] = passes;
        (files, first)
    }

    #[test]
    fn items_come_in_order_from_memory_and_from_many_runs() {
        let (files, in_memory) = sorted(50_000, 1 << 30);
        assert_eq!((files, in_memory.len()), (0, 50_000));
        assert!(in_memory.is_sorted());
        let (files, on_disk) = sorted(50_000, 0);
        assert!(files > 1);
        assert_eq!(on_disk, in_memory);
        // More runs than may be open at a time.
        let (files, merged) = sorted(800_000, 0);
        assert!((2..=MAX_OPEN).contains(&files), "{files}");
        assert_eq!(merged.len(), 800_000);
        assert!(merged.is_sorted());
    }
}
