//! Serves perft on a port of this machine, with nothing but the rules: a line `DEPTH [SFEN]` is answered by the count
//! behind each move and by `total N`, another line ends the count before it.
//!
//! ```sh
//! cargo run --release -p komainu --no-default-features --example perft_server -- 7777
//! printf '4\n' | nc -N 127.0.0.1 7777
//! ```

use komainu::movegen::{Divide, PerftError, divide};
use komainu::position::Position;
use komainu::types::StopToken;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

fn main() -> io::Result<()> {
    let port: u16 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let stream = stream?;
        thread::spawn(move || {
            if let Err(error) = serve(stream) {
                eprintln!("a client: {error}");
            }
        });
    }
    Ok(())
}

/// A line of a client, and what ends the count that it asks for.
type Request = (String, StopToken);

/// Serves one client until it has read the last answer.
fn serve(stream: TcpStream) -> io::Result<()> {
    let (sender, requests) = mpsc::channel();
    let lines = BufReader::new(stream.try_clone()?).lines();
    thread::spawn(move || {
        let mut last = StopToken::new();
        for line in lines.map_while(Result::ok) {
            // The next line ends the count before it.
            last.stop();
            last = StopToken::new();
            if sender.send((line, last.clone())).is_err() {
                break;
            }
        }
    });
    answer_all(&requests, stream)
}

fn answer_all(requests: &Receiver<Request>, mut out: TcpStream) -> io::Result<()> {
    for (line, stop) in requests {
        match count(&line, &stop) {
            Ok(text) => writeln!(out, "{text}")?,
            Err(error) => writeln!(out, "error: {error}")?,
        }
    }
    Ok(())
}

/// The answer to `DEPTH [SFEN]`.
fn count(line: &str, stop: &StopToken) -> Result<String, Box<dyn std::error::Error>> {
    let (depth, sfen) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let position = if sfen.is_empty() { Position::startpos() } else { Position::from_sfen(sfen)? };
    let how = Divide { stop: Some(stop), ..Divide::default() };
    let mut counts = match divide(&position, depth.parse()?, &how) {
        Err(PerftError::Stopped) => return Ok("stopped".to_string()),
        counts => counts?,
    };
    counts.sort_by_key(|(mv, _)| mv.to_string());
    let lines: Vec<String> = counts.iter().map(|(mv, nodes)| format!("{mv} {nodes}")).collect();
    let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
    Ok(format!("{}\ntotal {total}", lines.join("\n")))
}
