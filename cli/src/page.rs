//! `komainu page`: the page of the engine, served to browsers on this machine.

use crate::interrupt::on_interrupt;
use crate::terminal::{Failure, check_memory_of_search, complain, print_line};
use komainu::system::cores;
use komainu_tools::browser::serve;
use komainu_tools::http::{Listener, LocalAddress};
use std::io;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

/// Play, analyse games and solve mates on a page in the browser, with this engine behind it
///
/// Prints the address of the page, which only this machine reaches and only who knows the whole of it, and opens it in the
/// browser. It ends with Ctrl-C, or by the button at the foot of the page.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Port of this machine (0: any that is free); without it 8181, or any that is free
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Open no browser
    #[arg(long)]
    no_open: bool,
}

/// The usual port. A browser keeps games and settings by the address of a page, so it should stay the same.
const PORT: u16 = 8181;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    check_memory_of_search()?;
    let listener = listen(arguments.port)?;
    let (quit, ends) = channel();
    let of_page = quit.clone();
    let server = serve(listener, cores(), of_page).map_err(|error| Failure::Usage(format!("the page: {error}")))?;
    on_interrupt(2, move |_| _ = quit.send(()));
    print_line(server.url())?;
    if !arguments.no_open {
        open_browser(server.url());
    }
    // The senders live as long as this waits.
    _ = ends.recv();
    Ok(())
}

fn listen(port: Option<u16>) -> Result<Listener, Failure> {
    let bind = |port| Listener::bind(LocalAddress::of_port(port));
    let wanted = port.unwrap_or(PORT);
    let error = match bind(wanted) {
        Ok(listener) => return Ok(listener),
        Err(error) => error,
    };
    if port.is_none()
        && let Ok(listener) = bind(0)
    {
        complain(format_args!("port {PORT}: {error}; another one is used, where the browser keeps games apart"));
        return Ok(listener);
    }
    Err(Failure::Usage(format!("--port {wanted}: {error}")))
}

/// Opens the page in the browser of this machine; if that fails, a word says so.
fn open_browser(url: &str) {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["cmd", "/C", "start", ""]
    } else {
        &["xdg-open"]
    };
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let wait = move || {
        let error = match command.status() {
            Ok(status) if status.success() => return,
            Ok(status) => io::Error::other(status.to_string()),
            Err(error) => error,
        };
        complain(format_args!("no browser was opened ({}: {error}); open the address above in one", words[0]));
    };
    // Some browsers run until they are closed.
    thread::spawn(wait);
}
