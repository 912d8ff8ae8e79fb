//! Where a live table is drawn, so that an interrupt does not disturb it.
//!
//! A terminal writes `^C` where the cursor stands. Progress bars leave it behind their last letter, at the edge of the
//! screen: the `^C` goes to the line below, the bars are drawn anew one line too low from then on, and the first line
//! of the old table stays for good. Here the cursor rests on a line of its own below the table.

use console::Term;
use indicatif::{ProgressDrawTarget, TermLike};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Drawings a second at most.
const MAX_REDRAWS_PER_SECOND: u8 = 20;

/// A terminal whose cursor rests below what is drawn.
#[derive(Debug)]
struct Screen<T> {
    terminal: T,
    /// Something was written since the cursor rested.
    has_written: AtomicBool,
    is_resting: AtomicBool,
}

/// The standard output as a place for a live table.
pub(crate) fn stdout() -> ProgressDrawTarget {
    let screen = Screen::new(Term::buffered_stdout());
    ProgressDrawTarget::term_like_with_hz(Box::new(screen), MAX_REDRAWS_PER_SECOND)
}

impl<T: TermLike> Screen<T> {
    fn new(terminal: T) -> Screen<T> {
        Screen { terminal, has_written: AtomicBool::new(false), is_resting: AtomicBool::new(false) }
    }

    /// The terminal, its cursor back on the last line that was drawn; what came meanwhile is wiped out.
    fn awake(&self) -> io::Result<&T> {
        if self.is_resting.swap(false, Ordering::Relaxed) {
            self.terminal.clear_line()?;
            self.terminal.move_cursor_up(1)?;
        }
        Ok(&self.terminal)
    }
}

impl<T: TermLike> TermLike for Screen<T> {
    fn width(&self) -> u16 {
        self.terminal.width()
    }

    fn height(&self) -> u16 {
        // One line is for the cursor.
        self.terminal.height().saturating_sub(1).max(1)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.awake()?.move_cursor_up(n)
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.awake()?.move_cursor_down(n)
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.awake()?.move_cursor_right(n)
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.awake()?.move_cursor_left(n)
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.has_written.store(true, Ordering::Relaxed);
        self.awake()?.write_line(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        self.has_written.store(true, Ordering::Relaxed);
        self.awake()?.write_str(text)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.awake()?.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        if self.has_written.swap(false, Ordering::Relaxed) {
            self.terminal.write_str("\r\n")?;
            self.is_resting.store(true, Ordering::Relaxed);
        }
        self.terminal.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::{ProgressBar, ProgressStyle};
    use std::sync::{Arc, Mutex};

    /// A terminal as programs emulate one.
    #[derive(Clone)]
    struct Emulated(Arc<Mutex<vt100::Parser>>);

    impl std::fmt::Debug for Emulated {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Emulated")
        }
    }

    impl Emulated {
        fn new(rows: u16, columns: u16) -> Emulated {
            Emulated(Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0))))
        }

        /// The lines that it shows, without blank ones at the end.
        fn contents(&self) -> String {
            let parser = self.0.lock().unwrap();
            let rows: Vec<String> =
                parser.screen().rows(0, parser.screen().size().1).map(|row| row.trim_end().to_string()).collect();
            rows.join("\n").trim_end().to_string()
        }

        /// Moves the cursor `n` places, in the direction of this letter.
        fn step(&self, n: usize, letter: char) -> io::Result<()> {
            if n == 0 { Ok(()) } else { self.write_str(&format!("\x1b[{n}{letter}")) }
        }
    }

    impl TermLike for Emulated {
        fn width(&self) -> u16 {
            self.0.lock().unwrap().screen().size().1
        }

        fn height(&self) -> u16 {
            self.0.lock().unwrap().screen().size().0
        }

        fn move_cursor_up(&self, n: usize) -> io::Result<()> {
            self.step(n, 'A')
        }

        fn move_cursor_down(&self, n: usize) -> io::Result<()> {
            self.step(n, 'B')
        }

        fn move_cursor_right(&self, n: usize) -> io::Result<()> {
            self.step(n, 'C')
        }

        fn move_cursor_left(&self, n: usize) -> io::Result<()> {
            self.step(n, 'D')
        }

        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(&format!("{text}\r\n"))
        }

        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().process(text.as_bytes());
            Ok(())
        }

        fn clear_line(&self) -> io::Result<()> {
            self.write_str("\r\x1b[2K")
        }

        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Lines that a terminal of 40 columns shows when a table was interrupted `interrupts` times and then cleared.
    fn after_interrupts(rows: u16, lines: usize, interrupts: usize) -> String {
        let terminal = Emulated::new(rows, 40);
        terminal.write_line("rules").unwrap();
        let screen = Box::new(Screen::new(terminal.clone()));
        let bar = ProgressBar::with_draw_target(Some(9), ProgressDrawTarget::term_like(screen));
        bar.set_style(ProgressStyle::with_template("{msg}\n{wide_bar} {pos}/{len}").unwrap());
        let table: Vec<String> = (0..lines).map(|line| format!("engine {line}")).collect();
        for interrupt in 0..=interrupts {
            bar.set_message(table.join("\n"));
            bar.set_position(interrupt as u64);
            bar.tick();
            let drawn = terminal.contents();
            assert_eq!(drawn.matches("engine 0").count(), 1, "{drawn}");
            assert!(drawn.contains(&format!(" {interrupt}/9")) && !drawn.contains("^C"), "{drawn}");
            if interrupt < interrupts {
                terminal.write_str("^C").unwrap();
            }
        }
        bar.println("note: something");
        bar.finish_and_clear();
        terminal.write_line("done").unwrap();
        terminal.contents()
    }

    #[test]
    fn an_interrupt_leaves_nothing_of_the_table() {
        for interrupts in 0..3 {
            // At the top of the screen, and at its bottom, where a line more moves everything up.
            for rows in [20, 7] {
                let shown = after_interrupts(rows, 4, interrupts);
                let shown = shown.strip_prefix("rules\n").unwrap_or(&shown);
                assert_eq!(shown, "note: something\ndone", "{rows} rows, {interrupts} interrupts");
            }
        }
    }
}
