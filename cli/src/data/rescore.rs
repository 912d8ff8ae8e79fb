//! `komainu data rescore`: old games or records with the scores of the present engine.

use super::kind;
use crate::interrupt::Stop;
use crate::selfplay::{SelfPlayProgress, WorkSettings};
use crate::terminal::{Failure, end_of_work, print_and_go_on, print_line, progress};
use komainu_tools::training::merge::checksum;
use komainu_tools::training::rescore::{OldGames, OldRecords, RecordsOutput};
use komainu_tools::training::selfplay::{GamesOutput, Part, SelfPlaySettings, Target};
use komainu_tools::training::shuffle::DataKind;
use komainu_tools::training::tally::GamesTally;
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of the task.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// File of games or of records
    input: PathBuf,
    /// File to make
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Nodes of each search, after which no further iteration begins; it ends at the latest after 8 times as many
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    #[command(flatten)]
    work: WorkSettings,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let threads = arguments.work.threads()?;
    let settings = arguments.work.settings(arguments.nodes)?;
    match kind(&arguments.input)? {
        DataKind::Games => rescore_games(arguments, settings, threads),
        DataKind::Records => rescore_records(arguments, settings, threads),
    }
}

impl Arguments {
    /// The settings with the share of so many games or records.
    fn with_part(&self, settings: SelfPlaySettings, games: u64) -> SelfPlaySettings {
        SelfPlaySettings { part: self.work.share.shard.map(|shard| Part { shard, games }), ..settings }
    }

    /// Tells the checksum of a share that is done or was ended early.
    fn print_checksum(&self) -> Result<(), Failure> {
        let Some(shard) = self.work.share.shard else { return Ok(()) };
        print_and_go_on(format_args!("shard {shard} {}", checksum(&self.out)?))
    }
}

fn rescore_records(arguments: &Arguments, settings: SelfPlaySettings, threads: usize) -> Result<(), Failure> {
    let Arguments { input, out, work, .. } = arguments;
    let started = Instant::now();
    let old = OldRecords::open(input)?;
    let settings = arguments.with_part(settings, old.count);
    let count = old.share(work.share.shard);
    let mut output = RecordsOutput::open(out, &old, &settings, work.resume.resume)?;
    let stop = Stop::on_interrupt_or_file("the blocks that have begun are searched to their end", &work.stop)?;
    let bar = progress::bar(count, "records");
    let mut done = output.records();
    let result = old.rescore(&settings, threads, &mut output, &stop.flag, &mut |block| {
        done += block.map_or(0, Vec::len) as u64;
        bar.set_position(done);
    });
    bar.finish_and_clear();
    result?;
    arguments.print_checksum()?;
    if done < count {
        print_and_go_on(format_args!("{stop} after {done} of {count} records; --resume goes on"))?;
    }
    let printed = print_line(format_args!("records {done} time_ms {}", started.elapsed().as_millis()));
    end_of_work(printed, done < count && !stop.is_by_file())
}

fn rescore_games(arguments: &Arguments, settings: SelfPlaySettings, threads: usize) -> Result<(), Failure> {
    let Arguments { input, out, work, .. } = arguments;
    let old = OldGames::open(input)?;
    let settings = arguments.with_part(settings, old.games);
    let count = old.share(settings.part);
    let mut tally = GamesTally::default();
    let mut output =
        GamesOutput::open(out, &old.description(&settings), work.resume.resume, &mut |game| tally.add(game))?;
    let stop = Stop::on_interrupt_or_file("the games that have begun are searched to their end", &work.stop)?;
    let mut progress = SelfPlayProgress::new(Target::Games(count), &tally);
    let result = old.rescore(&settings, threads, &mut output, &stop.flag, &mut |game| {
        if let Some(game) = game {
            tally.add(game);
        }
        progress.show(&tally);
    });
    progress.finish();
    result?;
    output.sync()?;
    arguments.print_checksum()?;
    if tally.games < count {
        print_and_go_on(format_args!("{stop} after {} of {count} games; --resume goes on", tally.games))?;
    }
    let time = progress.started.elapsed().as_millis();
    let printed = print_line(format_args!("games {} positions {} time_ms {time}", tally.games, tally.positions));
    end_of_work(printed, tally.games < count && !stop.is_by_file())
}
