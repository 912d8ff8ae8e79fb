//! The patience with other engines.

use crate::client::{Patience, Setup};

/// The argument of the subcommands that start other engines.
#[derive(clap::Args)]
pub(crate) struct PatienceArgument {
    /// Seconds of silence after which another engine is given up; whatever it says begins them anew [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    patience: Option<u64>,
}

impl PatienceArgument {
    /// The seconds, if they are set.
    pub(crate) fn seconds(&self) -> Option<u64> {
        self.patience
    }

    /// A conversation with this patience.
    pub(crate) fn setup(&self) -> Setup {
        Setup { patience: self.patience.map_or_else(Patience::default, Patience::seconds), ..Setup::default() }
    }
}
