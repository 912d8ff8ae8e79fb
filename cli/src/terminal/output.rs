//! Lines on standard output and standard error, and what becomes of a subcommand when they cannot be written.
//!
//! A closed pipe is a reader that has seen enough, as `| head`: no reason to complain. Every other error of writing is
//! reported and ends with exit code 2. A check that has failed exits with 1 also when nobody reads its lines.

use super::Failure;
use komainu::types::Printable;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

/// Prints a line on standard output. Names and comments of others give no orders to a terminal.
pub(crate) fn print_line(text: impl Display) -> Result<(), Failure> {
    print_styled(Printable(&text.to_string()))
}

/// Prints a JSON object as a line, for scripts.
pub(crate) fn print_json(object: &serde_json::Value) -> Result<(), Failure> {
    print_line(object)
}

/// Prints how many problems of a file have passed and have failed.
pub(crate) fn print_passed(passed: usize, failed: usize, is_json: bool) -> Result<(), Failure> {
    if is_json {
        return print_json(&serde_json::json!({"passed": passed, "failed": failed}));
    }
    print_line(format_args!("{passed} passed, {failed} failed"))
}

/// Prints a line whose colours are this program's own, and nothing in which is another's.
pub(crate) fn print_styled(text: impl Display) -> Result<(), Failure> {
    writeln!(io::stdout(), "{text}").map_err(of_output)
}

/// Prints a line in the middle of work whose files or verdict matter also when nobody reads any more.
pub(crate) fn print_and_go_on(text: impl Display) -> Result<(), Failure> {
    unless_gone(print_line(text))
}

/// A result in which a reader that has gone is no failure.
pub(crate) fn unless_gone(printed: Result<(), Failure>) -> Result<(), Failure> {
    match printed {
        Err(Failure::ReaderGone) => Ok(()),
        other => other,
    }
}

/// The end of a check whose last lines were printed or not: a failed check wins over a reader that has gone.
pub(crate) fn verdict(printed: Result<(), Failure>, has_failed: bool) -> Result<(), Failure> {
    match printed {
        Ok(()) | Err(Failure::ReaderGone) if has_failed => Err(Failure::CheckFailed),
        other => other,
    }
}

/// The end of work whose last lines were printed or not: an interrupt that cut it short wins over a reader that has
/// gone.
pub(crate) fn end_of_work(printed: Result<(), Failure>, is_interrupted: bool) -> Result<(), Failure> {
    if is_interrupted { unless_gone(printed).and(Err(Failure::Interrupted)) } else { printed }
}

/// The failure behind an error of writing to standard output.
pub(crate) fn of_output(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::Usage(format!("standard output: {error}")),
    }
}

/// Prints a line on standard error. Where that cannot be written either, there is nobody to tell.
pub(crate) fn complain(text: impl Display) {
    _ = writeln!(io::stderr(), "komainu: {}", Printable(&text.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_failed(result: &Result<(), Failure>) -> bool {
        matches!(result, Err(Failure::CheckFailed))
    }

    #[test]
    fn only_a_closed_pipe_is_a_reader_that_has_gone() {
        assert!(matches!(of_output(ErrorKind::BrokenPipe.into()), Failure::ReaderGone));
        let Failure::Usage(message) = of_output(ErrorKind::StorageFull.into()) else { panic!("no error") };
        assert_eq!(message, "standard output: no storage space");
        assert!(unless_gone(Err(Failure::ReaderGone)).is_ok());
        assert!(unless_gone(Err(of_output(ErrorKind::StorageFull.into()))).is_err());
    }

    #[test]
    fn a_failed_check_wins_over_a_reader_that_has_gone() {
        assert!(is_failed(&verdict(Ok(()), true)));
        assert!(is_failed(&verdict(Err(Failure::ReaderGone), true)));
        assert!(matches!(verdict(Err(Failure::ReaderGone), false), Err(Failure::ReaderGone)));
        assert!(matches!(verdict(Err(of_output(ErrorKind::StorageFull.into())), true), Err(Failure::Usage(_))));
    }
}
