//! The flag `--live`: a page of the work under way.

use crate::settings::LivePage;
use crate::terminal::{Failure, complain};
use komainu_tools::http::Listener;

/// Takes the port of the page, if there is to be one, and says where it is.
pub(super) fn listen(flag: &LivePage) -> Result<Option<Listener>, Failure> {
    let mut notes = Vec::new();
    let listener = flag.listen(&mut notes).map_err(Failure::Usage);
    notes.iter().for_each(complain);
    listener
}
