//! `komainu data rescore`: old games or records with the scores of the present engine.

use super::kind;
use crate::interrupt::Stop;
use crate::selfplay::{SelfPlayProgress, check_memory, thread_count};
use crate::settings::{EvaluationSettings, HASH_HELP, Resume, Share, StopFile, THREADS_HELP, megabytes, threads};
use crate::terminal::{Failure, end_of_work, print_and_go_on, print_line, progress};
use komainu_tools::training::merge::checksum;
use komainu_tools::training::rescore::OldGames;
use komainu_tools::training::rescore::records::{OldRecords, RecordsOutput};
use komainu_tools::training::selfplay::{
    GamesOutput, OPENINGS_SHARE, OpeningPositions, Part, SelfPlaySettings, Target,
};
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
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    #[arg(long, value_name = "MB", default_value_t = 8, value_parser = megabytes(), help = HASH_HELP)]
    hash: u32,
    /// Plies after which games are drawn
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(32..=10_000))]
    max_plies: u32,
    #[command(flatten)]
    share: Share,
    #[command(flatten)]
    stop: StopFile,
    #[command(flatten)]
    resume: Resume,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { nodes, hash, max_plies, .. } = arguments;
    let threads = thread_count(arguments.threads);
    check_memory(hash, threads)?;
    let settings = SelfPlaySettings {
        seed: 0,
        nodes,
        hash: hash as usize,
        max_plies,
        openings: OpeningPositions::default(),
        openings_share: OPENINGS_SHARE,
        evaluation: arguments.evaluation.load().map_err(Failure::Usage)?,
        part: None,
    };
    match kind(&arguments.input)? {
        DataKind::Games => rescore_games(arguments, settings, threads),
        DataKind::Records => rescore_records(arguments, settings, threads),
    }
}

impl Arguments {
    /// The settings with the share of so many games or records.
    fn with_part(&self, settings: SelfPlaySettings, games: u64) -> SelfPlaySettings {
        SelfPlaySettings { part: self.share.shard.map(|shard| Part { shard, games }), ..settings }
    }

    /// Tells the checksum of a share that is done or was ended early.
    fn print_checksum(&self) -> Result<(), Failure> {
        let Some(shard) = self.share.shard else { return Ok(()) };
        print_and_go_on(format_args!("shard {shard} {}", checksum(&self.out)?))
    }
}

fn rescore_records(arguments: &Arguments, settings: SelfPlaySettings, threads: usize) -> Result<(), Failure> {
    let Arguments { input, out, share, resume, .. } = arguments;
    let started = Instant::now();
    let old = OldRecords::open(input)?;
    let settings = arguments.with_part(settings, old.count);
    let count = old.share(share.shard);
    let mut output = RecordsOutput::open(out, &old, &settings, resume.resume)?;
    let stop = Stop::on_interrupt_or_file("the blocks that have begun are searched to their end", &arguments.stop)?;
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
    let old = OldGames::open(&arguments.input)?;
    let settings = arguments.with_part(settings, old.games);
    let count = old.share(settings.part);
    let mut tally = GamesTally::default();
    let mut output =
        GamesOutput::open(&arguments.out, &old.description(&settings), arguments.resume.resume, &mut |game| {
            tally.add(game)
        })?;
    let stop = Stop::on_interrupt_or_file("the games that have begun are searched to their end", &arguments.stop)?;
    let mut progress = SelfPlayProgress::new(Target::Games(count), &tally);
    let result = old.rescore(&settings, threads, &mut output, &stop.flag, &mut |game| {
        game.into_iter().for_each(|game| tally.add(game));
        progress.show(&tally);
    });
    progress.finish();
    result?;
    output.sync()?;
    arguments.print_checksum()?;
    if tally.games < count {
        let GamesTally { games, .. } = tally;
        print_and_go_on(format_args!("{stop} after {games} of {count} games; --resume goes on"))?;
    }
    let time = progress.started.elapsed().as_millis();
    let printed = print_line(format_args!("games {} positions {} time_ms {time}", tally.games, tally.positions));
    end_of_work(printed, tally.games < count && !stop.is_by_file())
}
