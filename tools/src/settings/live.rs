//! The page of work under way.

use crate::live::{Listener, LiveAddress};

/// Setting of a page that shows the work while it goes on.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct LivePage {
    /// Show the work as it goes on, on a page for browsers: a port of this machine (0: any that is free), or IP:PORT
    #[arg(long, value_name = "ADDR")]
    pub live: Option<LiveAddress>,
}

impl LivePage {
    /// Takes the port, if there is to be a page, and says in `notes` where it is. The error names the address.
    pub fn listen(&self, notes: &mut Vec<String>) -> Result<Option<Listener>, String> {
        let Some(address) = self.live else { return Ok(None) };
        let listener = Listener::bind(address).map_err(|error| format!("--live: {address}: {error}"))?;
        if !address.is_local() {
            notes.push(format!(
                "warning: --live: whoever reaches {address} from another machine sees names, commands and options of the \
                 engines"
            ));
        }
        notes.push(format!("live page: {}", listener.url()));
        Ok(Some(listener))
    }
}
