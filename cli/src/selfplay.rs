//! `komainu selfplay`: games of the engine against itself, as training data.

use super::interrupt::Stop;
use crate::settings::{
    EvaluationSettings, HASH_HELP, Resume, Share, StopFile, THREADS_HELP, megabytes, tell_bad_openings, threads,
};
use crate::terminal::{Failure, end_of_work, print_and_go_on, print_line, progress::LoggedBar};
use komainu::system::{cores, free_megabytes};
use komainu_tools::training::merge::checksum;
use komainu_tools::training::selfplay::{
    GamesOutput, OPENINGS_SHARE, OpeningPositions, Part, SelfPlaySettings, Target, run as play,
};
use komainu_tools::training::tally::GamesTally;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Play games of the engine against itself and keep them as training data
///
/// With --shard I/N every Nth of the --games is played, from game I on; `data merge` joins the files of all shares.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("target").required(true))]
pub(crate) struct Arguments {
    /// File to make
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Games to play
    #[arg(long, value_name = "N", group = "target")]
    games: Option<u64>,
    /// Play until there is this number of positions, the random ones left out
    #[arg(long, value_name = "N", group = "target", conflicts_with = "shard")]
    positions: Option<u64>,
    /// Nodes of each search, after which no further iteration begins; it ends at the latest after 8 times as many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Openings for a part of the games, one a line: a SFEN or `startpos moves ...`
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Pass openings at fault over and count them; without it the first one is an error
    #[arg(long, requires = "openings")]
    skip_bad_openings: bool,
    /// Games in 100 that begin with one of the --openings; of the others four in five begin with random moves
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = OPENINGS_SHARE,
        requires = "openings",
        value_parser = clap::value_parser!(u32).range(0..=100)
    )]
    openings_share: u32,
    #[command(flatten)]
    work: WorkSettings,
}

/// Settings of searches of whole games: of `selfplay` and of `data rescore`.
#[derive(clap::Args)]
pub(crate) struct WorkSettings {
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    #[arg(long, value_name = "MB", default_value_t = 8, value_parser = megabytes(), help = HASH_HELP)]
    hash: u32,
    /// Plies after which games are drawn
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(32..=10_000))]
    max_plies: u32,
    #[command(flatten)]
    pub(super) share: Share,
    #[command(flatten)]
    pub(super) stop: StopFile,
    #[command(flatten)]
    pub(super) resume: Resume,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

impl WorkSettings {
    /// The number of threads, 0 for one a core; there is memory for a hash table of each.
    pub(super) fn threads(&self) -> Result<usize, Failure> {
        let threads = if self.threads == 0 { cores() } else { self.threads as usize };
        let free = free_megabytes();
        if (self.hash as usize).saturating_mul(threads) > free {
            return Err(Failure::Usage(format!("--hash {} --threads {threads}: only {free} MB are free", self.hash)));
        }
        Ok(threads)
    }

    /// The settings of a search of so many nodes, of all games, without openings.
    pub(super) fn settings(&self, nodes: u64) -> Result<SelfPlaySettings, Failure> {
        Ok(SelfPlaySettings {
            seed: 0,
            nodes,
            hash: self.hash as usize,
            max_plies: self.max_plies,
            openings: OpeningPositions::default(),
            openings_share: OPENINGS_SHARE,
            evaluation: self.evaluation.load().map_err(Failure::Usage)?,
            part: None,
        })
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { out, work, .. } = arguments;
    let settings = settings(arguments)?;
    let threads = work.threads()?;
    let target = match (settings.part, arguments.games, arguments.positions) {
        (Some(part), _, _) => Target::Games(part.share()),
        (None, Some(games), _) => Target::Games(games),
        (None, None, positions) => Target::Positions(positions.unwrap_or(0)),
    };
    let mut tally = GamesTally::default();
    let mut output = GamesOutput::open(out, &settings.description(), work.resume.resume, &mut |game| tally.add(game))?;
    let stop = Stop::on_interrupt_or_file("the games that have begun are played to their end", &work.stop)?;
    let mut progress = SelfPlayProgress::new(target, &tally);
    let result = play(&settings, target, threads, &mut output, &stop.flag, &mut |game| {
        if let Some(game) = game {
            tally.add(game);
        }
        progress.show(&tally);
    });
    progress.finish();
    result?;
    output.sync()?;
    if let Some(Part { shard, .. }) = settings.part {
        print_and_go_on(format_args!("shard {shard} {}", checksum(out)?))?;
    }
    print_line(format_args!("{tally}adjudicated {}", tally.adjudicated()))?;
    let is_whole = target.is_met(tally.games, tally.positions);
    if !is_whole {
        print_and_go_on(format_args!("{stop}; --resume goes on"))?;
    }
    let time = progress.started.elapsed().as_millis();
    let printed = print_line(format_args!("games {} positions {} time_ms {time}", tally.games, tally.positions));
    end_of_work(printed, !is_whole && !stop.is_by_file())
}

fn settings(arguments: &Arguments) -> Result<SelfPlaySettings, Failure> {
    let openings = match &arguments.openings {
        None => OpeningPositions::default(),
        Some(path) => OpeningPositions::open(path, arguments.skip_bad_openings)?,
    };
    tell_bad_openings(&openings.faults);
    Ok(SelfPlaySettings {
        seed: arguments.seed,
        openings,
        openings_share: arguments.openings_share,
        part: arguments.work.share.shard.zip(arguments.games).map(|(shard, games)| Part { shard, games }),
        ..arguments.work.settings(arguments.nodes)?
    })
}

/// Progress of games that are played or looked at again.
pub(super) struct SelfPlayProgress {
    bar: LoggedBar,
    target: Target,
    pub(super) started: Instant,
    /// Games and positions that were there at the start.
    before: (u64, u64),
}

impl SelfPlayProgress {
    pub(super) fn new(target: Target, tally: &GamesTally) -> SelfPlayProgress {
        let (length, what) = match target {
            Target::Games(length) => (length, "games"),
            Target::Positions(length) => (length, "positions"),
        };
        let before = (tally.games, tally.positions);
        SelfPlayProgress { bar: LoggedBar::new(length, what), target, started: Instant::now(), before }
    }

    pub(super) fn show(&mut self, tally: &GamesTally) {
        let state = ProgressLine::new(self, tally);
        self.bar.show(state.done, state);
    }

    pub(super) fn finish(&self) {
        self.bar.bar.finish_and_clear();
    }
}

/// The progress of a run, as one line.
struct ProgressLine<'a> {
    tally: &'a GamesTally,
    done: u64,
    positions_per_second: f64,
    left: Duration,
}

impl ProgressLine<'_> {
    fn new<'a>(progress: &SelfPlayProgress, tally: &'a GamesTally) -> ProgressLine<'a> {
        let (done, before, wanted) = match progress.target {
            Target::Games(wanted) => (tally.games, progress.before.0, wanted),
            Target::Positions(wanted) => (tally.positions, progress.before.1, wanted),
        };
        let seconds = progress.started.elapsed().as_secs_f64().max(1e-3);
        let rate = (done - before) as f64 / seconds;
        let left = if rate > 0.0 { wanted.saturating_sub(done) as f64 / rate } else { 0.0 };
        ProgressLine {
            tally,
            done,
            positions_per_second: (tally.positions - progress.before.1) as f64 / seconds,
            left: Duration::try_from_secs_f64(left).unwrap_or_default(),
        }
    }
}

impl fmt::Display for ProgressLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GamesTally { games, positions, results: [black, white, drawn], .. } = self.tally;
        let left = self.left.as_secs();
        write!(
            f,
            "games {games} positions {positions} ({:.0}/s) black {black} white {white} draws {drawn} left {}:{:02}:{:02}",
            self.positions_per_second,
            left / 3_600,
            left / 60 % 60,
            left % 60
        )
    }
}
