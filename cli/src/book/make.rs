//! `komainu book make`

use super::{BookProgress, Output, print_written_and, write_unless_empty};
use crate::settings::Sides;
use crate::terminal::{Failure, complain, in_file, print_and_go_on, verdict};
use komainu::book::made::{BookMaker, MakeSettings};
use komainu::games::{NamedGame, SourceFile, SourceGame, SourceReader, Thoughts, fingerprint, source_files};
use komainu::notation::record::Outcome;
use komainu::types::{Counted, Quoted};
use komainu_tools::analysis::GameNames;
use std::path::PathBuf;

/// Make a book from games
///
/// Game records, lists of moves (`startpos moves ...`, one game a line) and games of `komainu match` (.jsonl) are read;
/// of a folder all of them, of the folder of a match its games. A game that is there twice counts once, with the deepest
/// of its scores, and so does a position that a game meets twice. A game with a fault counts up to it. Exit code 1 if a
/// file could not be read whole; without a move nothing is written.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of games, and folders of them; - for the standard input
    #[arg(required = true)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Take the first N plies of each game
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    plies: u32,
    /// Side whose moves count
    #[arg(long, value_enum, default_value_t = Sides::Both)]
    side: Sides,
    /// Take the moves of players only whose name contains this, whatever its case
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Take the moves of the winner only
    #[arg(long)]
    winner: bool,
    /// Take the moves of a side only whose opening or castle has this in its name, in Japanese or English
    #[arg(long, value_name = "NAME")]
    opening: Option<String>,
    /// Leave out moves that were played less often
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    min_count: u32,
    /// Take over the scores that programs wrote into the records; the deepest counts
    #[arg(long)]
    scores: bool,
    /// Keep the answer to each move
    #[arg(long)]
    reply: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { games, output, min_count, opening, .. } = arguments;
    if let Some(name) = opening
        && !GameNames::is_known(name)
    {
        return Err(Failure::Usage(format!("--opening {}: no opening and no castle has this name", Quoted(name))));
    }
    let settings = MakeSettings {
        plies: arguments.plies as usize,
        min_count: *min_count,
        scores: arguments.scores,
        reply: arguments.reply,
    };
    let mut maker = BookMaker::new(settings, output.collector(false, false)?);
    let progress = BookProgress::new("games read");
    let mut reader = SourceReader::new(Thoughts::WithoutLines);
    let mut repeated = 0;
    let mut visit = |_: &SourceFile, NamedGame { game, .. }: NamedGame| {
        let is_new = maker.add(&game, fingerprint(&game), wanted_sides(&game, arguments));
        if is_new.map_err(in_file(&output.out))? {
            progress.step();
        } else {
            repeated += 1;
        }
        Ok::<(), Failure>(())
    };
    reader.visit(&source_files(games)?, &|text| progress.remark(text), &mut visit)?;
    let source = maker.finish().map_err(in_file(&output.out))?;
    drop(progress);
    let refused = reader.faulty_files as u64;
    let read = reader.games - repeated;
    let repeated = if repeated > 0 { format!(", {repeated} more were there twice") } else { String::new() };
    print_and_go_on(format_args!("{}{repeated}", Counted(read, "game")))?;
    let format = output.format()?;
    let Some(written) = write_unless_empty(&output.out, format, &source)? else {
        let why = match read {
            0 => "no game could be read",
            _ => "no move of the games is wanted (--min-count, --side, --player, --winner, --opening)",
        };
        complain(format_args!("{why}: nothing is written to {}", output.out.display()));
        return Err(Failure::CheckFailed);
    };
    let refused_files = if refused > 0 { format!(", {} refused", Counted(refused, "file")) } else { String::new() };
    verdict(print_written_and(written, format.ending(), &refused_files), refused > 0)
}

/// Whether the moves of each side are wanted.
fn wanted_sides(game: &SourceGame, arguments: &Arguments) -> [bool; 2] {
    let names = arguments.opening.as_ref().map(|_| GameNames::of(&game.record));
    let mut wanted = [false; 2];
    for side in arguments.side.colors() {
        let name = game.record.players[side].as_deref().unwrap_or_default().to_lowercase();
        let is_player = arguments.player.as_ref().is_none_or(|player| name.contains(&player.to_lowercase()));
        let has_won = game.result.and_then(Outcome::winner) == Some(side);
        let has_opening = match (&arguments.opening, &names) {
            (Some(opening), Some(names)) => names.has(side, opening),
            _ => true,
        };
        wanted[side] = is_player && (has_won || !arguments.winner) && has_opening;
    }
    wanted
}
