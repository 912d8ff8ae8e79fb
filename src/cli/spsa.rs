//! `komainu spsa`: the constants of the search as testers read them.

use crate::cli::terminal::{Failure, print_line};
use crate::search::TUNABLES;

/// Print the constants of the search, one line each, as OpenBench's tuner reads them
///
/// Name, type, value, smallest and largest value, step and learning rate. A build with `--features tune` has each of
/// them as a USI option.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> Result<(), Failure> {
    TUNABLES.iter().try_for_each(print_line)
}
