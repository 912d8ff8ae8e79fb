//! `komainu show`: a position of a record in the terminal.

use crate::terminal::{Failure, complain, print_line};
use komainu::games::{SourceReader, source_files};
use komainu::notation::svg::{Picture, board_svg};
use komainu::notation::{ki2, kif};
use komainu::position::Position;
use komainu::types::{Counted, Quoted};
use std::path::PathBuf;

/// Show the board of a record at a move
///
/// The board is that after PLY moves, or after the last one. Japanese programs call the form BOD and read it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// File of games: KIF, BOD, KI2, CSA, JSON, lines of USI; - for the standard input
    file: PathBuf,
    /// Moves that have been made; without it all
    ply: Option<usize>,
    /// Number of the game in a file of several [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Write a picture (SVG) instead: the board, the hands, the last move below
    #[arg(long)]
    svg: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = source_files(std::slice::from_ref(&arguments.file))?;
    let mut reader = SourceReader::default();
    let games = reader.read(&files, &|text| complain(text))?;
    let count = games.len();
    if count > 1 && arguments.game.is_none() {
        complain(format_args!("the first of {count} games is shown; --game N takes another"));
    }
    let number = arguments.game.unwrap_or(1);
    let Some(game) = games.into_iter().nth(number as usize - 1) else {
        return match count {
            0 => Err(Failure::CheckFailed),
            count => Err(Failure::Usage(format!("--game {number}: there are {count}"))),
        };
    };
    let record = game.game.record;
    let ply = arguments.ply.unwrap_or(record.moves.len());
    if ply > record.moves.len() {
        let moves = Counted(record.moves.len() as u64, "move");
        return Err(Failure::Usage(format!("{}: the game has {moves}", Quoted(&ply.to_string()))));
    }
    let mut pos: Position = record.start.clone();
    let mut last = None;
    let mut text = String::new();
    for made in &record.moves[..ply] {
        text = ki2::move_text(&pos, made.mv, last);
        last = Some(made.mv.to());
        pos.do_move(made.mv);
    }
    let title = if ply == 0 { "開始局面".to_string() } else { format!("{ply}手目 {text}") };
    let end = if reader.faults == 0 { Ok(()) } else { Err(Failure::CheckFailed) };
    if arguments.svg {
        let last = ply.checked_sub(1).map(|before| record.moves[before].mv);
        print_line(board_svg(&pos, &Picture { last, caption: &title, ..Picture::default() }).trim_end())?;
        return end;
    }
    if let [Some(black), Some(white)] = &record.players {
        print_line(format_args!("▲{black}　△{white}"))?;
    }
    print_line(title)?;
    print_line(kif::write_board(&pos).trim_end())?;
    let comments = if ply == 0 { &record.comments } else { &record.moves[ply - 1].comments };
    for comment in comments {
        print_line(format_args!("*{comment}"))?;
    }
    print_line(format_args!("sfen {pos}"))?;
    end
}
