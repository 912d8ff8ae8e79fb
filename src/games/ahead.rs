//! Files of games read ahead by several threads, in their order and in bounded memory.

use super::{FileError, SourceFile, SourceGame, Thoughts, Unread, source_games};
use std::collections::VecDeque;
use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Games that are handed over at once.
const PART: usize = 64;
/// Parts of a thread that may wait to be taken: most files are one part.
const WAITING: usize = 16;

/// Games of one file.
struct Part<T> {
    made: Vec<Result<T, FileError>>,
    is_last: bool,
}

/// A thread that reads; once it was seen to have failed, no more.
#[derive(Debug)]
struct Reader<T> {
    parts: Receiver<Part<T>>,
    thread: Option<JoinHandle<()>>,
}

/// What was made of the games of files, in the order of the files and of the games in them. A file that cannot be read
/// is an error, and the next file follows. Dropped before its end, it ends the threads.
#[derive(Debug)]
pub struct InOrder<T> {
    /// Thread `n` of `k` reads the files `n`, `n + k`, `n + 2k` and so on.
    threads: Vec<Reader<T>>,
    /// The thread that has the next file.
    turn: usize,
    files_left: usize,
    ready: VecDeque<Result<T, FileError>>,
}

/// Reads files on so many threads, at least one, and makes something of each of their games there. Half a line of a
/// running match and texts of folders that hold no game are passed over.
///
/// ```
/// use komainu::games::{read_in_order, source_files};
///
/// let folder = std::env::temp_dir().join(format!("komainu-in-order-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("1.usi"), "startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n")?;
/// std::fs::write(folder.join("2.usi"), "startpos moves 7g7f 3c3d 2g2f\n")?;
/// let plies = read_in_order(source_files(&[folder.clone()])?, 2, |_, game| game.map_or(0, |game| game.record.moves.len()))?;
/// assert_eq!(plies.collect::<Result<Vec<_>, _>>()?, [1, 2, 3]);
/// std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the system gives no thread.
pub fn read_in_order<T: Send + 'static>(
    files: Vec<SourceFile>,
    threads: usize,
    make: impl Fn(&SourceFile, Result<SourceGame, Unread>) -> T + Clone + Send + 'static,
) -> io::Result<InOrder<T>> {
    let count = threads.clamp(1, files.len().max(1));
    let mut shares = vec![Vec::new(); count];
    let files_left = files.len();
    for (number, file) in files.into_iter().enumerate() {
        shares[number % count].push(file);
    }
    let mut in_order = InOrder { threads: Vec::new(), turn: 0, files_left, ready: VecDeque::new() };
    for share in shares {
        let (sender, receiver) = sync_channel(WAITING);
        let make = make.clone();
        let body = move || {
            for file in share {
                if read(&file, &make, &sender).is_none() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("reader".into()).spawn(body)?;
        in_order.threads.push(Reader { parts: receiver, thread: Some(thread) });
    }
    Ok(in_order)
}

/// Reads a file and hands its games over; `None` if nobody takes them any more.
fn read<T>(
    file: &SourceFile,
    make: &impl Fn(&SourceFile, Result<SourceGame, Unread>) -> T,
    sender: &SyncSender<Part<T>>,
) -> Option<()> {
    let text = match file.text() {
        Ok(text) => text,
        Err(error) => return sender.send(Part { made: vec![Err(error)], is_last: true }).ok(),
    };
    let name = file.path.to_string_lossy();
    let mut games = source_games(&name, &text, Thoughts::Whole).peekable();
    let mut made = Vec::new();
    let mut is_first = true;
    while let Some(game) = games.next() {
        let is_alone = is_first && games.peek().is_none();
        is_first = false;
        if game.as_ref().is_err_and(|unread| unread.is_torn || file.is_doubtful && is_alone) {
            continue;
        }
        made.push(Ok(make(file, game)));
        if made.len() == PART {
            sender.send(Part { made: std::mem::take(&mut made), is_last: false }).ok()?;
        }
    }
    sender.send(Part { made, is_last: true }).ok()
}

impl<T> Iterator for InOrder<T> {
    type Item = Result<T, FileError>;

    fn next(&mut self) -> Option<Result<T, FileError>> {
        while self.ready.is_empty() && self.files_left > 0 {
            let reader = &mut self.threads[self.turn];
            let Ok(part) = reader.parts.recv() else {
                // Only a panic ends a thread before its last part.
                self.files_left = 0;
                if let Some(Err(panic)) = reader.thread.take().map(JoinHandle::join) {
                    resume_unwind(panic);
                }
                return None;
            };
            self.ready.extend(part.made);
            if part.is_last {
                self.files_left -= 1;
                self.turn = (self.turn + 1) % self.threads.len();
            }
        }
        self.ready.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::source_files;
    use std::fs;

    #[test]
    fn the_order_is_that_of_the_files_whatever_the_number_of_threads() {
        let folder = std::env::temp_dir().join(format!("komainu-ahead-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for number in 0..40 {
            let lines = "startpos moves 7g7f\n".repeat(if number == 7 { 5_000 } else { 1 + number % 3 });
            fs::write(folder.join(format!("{number:02}.usi")), lines).unwrap();
        }
        fs::write(folder.join("readme.txt"), "no game").unwrap();
        let mut files = source_files(std::slice::from_ref(&folder)).unwrap();
        files[20].path = folder.join("missing");
        let read = |threads| {
            let names = |file: &SourceFile, _: Result<SourceGame, Unread>| file.path.clone();
            let all = read_in_order(files.clone(), threads, names).unwrap();
            all.map(|made| made.map_err(|error| error.path)).collect::<Vec<_>>()
        };
        let alone = read(1);
        assert_eq!(alone.iter().filter(|made| made.is_err()).count(), 1);
        assert_eq!(alone.len(), 5_075);
        for threads in [2, 3, 64] {
            assert_eq!(read(threads), alone, "{threads} threads");
        }
        drop(read_in_order(files.clone(), 2, |_, _| ()).unwrap());
        fs::remove_dir_all(folder).unwrap();
    }
}
