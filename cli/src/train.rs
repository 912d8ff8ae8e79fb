//! `komainu train`: a net out of records.

use super::interrupt::stop_on_interrupt;
use crate::settings::{Resume, THREADS_HELP, read_net, threads};
use crate::terminal::{Failure, end_of_work, in_file, print_and_go_on, print_line, progress::LoggedBar, worker_pool};
use komainu::eval::Evaluation;
use komainu::eval::nnue::{DEFAULT_FV_SCALE, EMBEDDED_SCALE, Net, Shape};
use komainu::storage::{Journal, write_whole};
use komainu::types::Counted;
use komainu_tools::training::train::{
    ChildrenReport, ClassLoss, EpochReport, MAX_EPOCHS, Teacher, Trainer, TrainingData, TrainingEvent,
    TrainingSettings, is_checkpoint, net_of_checkpoint, svg,
};
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Train a net on records of `komainu data filter`
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of records, in the order of their games, the newest last; the same files in another order make another
    /// net. With --teacher also files of games and of openings
    #[arg(required = true, value_name = "DATA")]
    files: Vec<PathBuf>,
    /// Net to make. Beside it stand a checkpoint, the losses as lines of JSON (.jsonl) and as a picture (.svg), under
    /// its whole name
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Kind of net [default: that of --start, else kp]
    #[arg(long, value_enum)]
    shape: Option<ShapeName>,
    /// Net to go on from, instead of random numbers, or `<internal>` for the one that is built in; smaller steps suit
    /// it. One of ka2 may begin a net of ka2-k3k3. A checkpoint is finer than its net
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Nets to learn from (nn.bin of any shape), or `<internal>`: the label of a position is what they say of it, the
    /// mean of their chances to win. Scores and results of the files do not count
    #[arg(long, value_name = "NET,NET,...", value_delimiter = ',', conflicts_with_all = ["result_weight", "max_score"])]
    teacher: Vec<PathBuf>,
    /// By what the outputs of the teachers are divided: one number a net, or one for all [default: what
    /// eval_options.txt beside a net or its text says, else 16]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "teacher", value_parser = clap::value_parser!(i32).range(1..=128))]
    teacher_scale: Vec<i32>,
    /// Random legal moves that lead from a position of the files to the one that is shown, A to B of them, others in
    /// each pass; a position in check is left for the one before
    #[arg(long, value_name = "A..B", requires = "teacher", default_value = "0..4", value_parser = vary)]
    vary: [u32; 2],
    /// By what the net's output will be divided [default: that of the net that is built in or of the checkpoint if
    /// --start names it, else 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,
    /// Times that a pass over the data shows the positions of each file: one number a file, or one for all [default: 2
    /// for the last of several files unless there is a teacher, 1 for the others]
    #[arg(long, value_name = "W,W,...", value_delimiter = ',', value_parser = weight)]
    weights: Vec<f32>,
    /// Leave out positions whose score is larger than this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 3_000)]
    max_score: u16,
    /// Passes over the data [default: as many as --steps asks for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    epochs: Option<u32>,
    /// Steps to take: whole passes, as many as hold them, but at most eight unless a teacher varies the positions
    #[arg(long, value_name = "N", default_value_t = 14_000, conflicts_with = "epochs", value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Positions of a step; a quarter of that in the first epoch
    #[arg(long, value_name = "N", default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..=16_777_216))]
    batch: u32,
    /// Size of the largest steps: it rises to that in the first 100 and falls to a hundredth of it along a cosine
    #[arg(long, value_name = "R", default_value_t = 1e-3, value_parser = positive)]
    rate: f32,
    /// Share of the weights that is taken off in a step of size 1
    #[arg(long, value_name = "D", default_value_t = 0.01, value_parser = share)]
    decay: f32,
    /// The loss is this power of the difference between two chances to win
    #[arg(long, value_name = "P", default_value_t = 2.5, value_parser = power)]
    power: f32,
    /// Weight of the games' results in the target, 0 to 1: at the start, at the end, in the last tenth instead
    #[arg(long, value_name = "A[,B[,LAST]]", default_value = "0.15", value_parser = result_weight)]
    result_weight: [f32; 3],
    /// Centipawns at which a side wins 73 of 100 games. `data` finds them from the results of the data, which are far
    /// more after quick games than in real play
    #[arg(long, value_name = "CP|data", default_value_t = Scale::default())]
    scale: Scale,
    /// The net is the mean of the weights over this share of the run, at its end; 0 for those of the last step
    #[arg(long, value_name = "S", default_value_t = 0.1, value_parser = share)]
    average: f32,
    /// One game in N is held out
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    held_out: u64,
    /// Show no position in a left-right mirror
    #[arg(long)]
    no_mirror: bool,
    /// Spread of the random rows that a net begins with, as a share of what fills the accumulator's range
    #[arg(long, value_name = "S", default_value_t = 0.2, value_parser = share)]
    start_scale: f32,
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    #[command(flatten)]
    resume: Resume,
}

/// The shapes by their names on the command line.
#[derive(Clone, Copy, clap::ValueEnum)]
enum ShapeName {
    /// K-P 256x2-32-32
    Kp,
    /// SFNN ka2 512-15-32
    Ka2,
    /// SFNN ka2 512-15-32 k3k3: nine stacks of layers
    Ka2K3k3,
    /// HalfKP 256x2-32-32
    Halfkp,
}

/// Three weights, of which the later ones may be left out.
fn result_weight(text: &str) -> Result<[f32; 3], String> {
    let weights = text.split(',').map(share).collect::<Result<Vec<f32>, String>>()?;
    match weights[..] {
        [start] => Ok([start; 3]),
        [start, end] => Ok([start, end, end]),
        [start, end, last] => Ok([start, end, last]),
        _ => Err(format!("{} weights, not one to three", weights.len())),
    }
}

/// The fewest and the most random moves.
fn vary(text: &str) -> Result<[u32; 2], String> {
    const MOST: u32 = 100;
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let least: u32 = least.parse().map_err(|_| format!("{least:?} is no number"))?;
    let most: u32 = most.parse().map_err(|_| format!("{most:?} is no number"))?;
    if least > most || most > MOST {
        return Err(format!("{text} is no range from 0 to {MOST}"));
    }
    Ok([least, most])
}

/// A number that a range holds.
fn number(text: &str, may: impl Fn(f32) -> bool, range: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    if may(number) { Ok(number) } else { Err(format!("{text} is not {range}")) }
}

fn share(text: &str) -> Result<f32, String> {
    number(text, |number| (0.0..=1.0).contains(&number), "between 0 and 1")
}

fn positive(text: &str) -> Result<f32, String> {
    number(text, |number| number > 0.0 && number <= 1.0, "above 0 and at most 1")
}

fn power(text: &str) -> Result<f32, String> {
    number(text, |number| (1.0..=4.0).contains(&number), "between 1 and 4")
}

fn weight(text: &str) -> Result<f32, String> {
    number(text, |number| (0.01..=10.0).contains(&number), "between 0.01 and 10")
}

/// A scale in centipawns, or that of the data.
#[derive(Clone, Copy)]
struct Scale(Option<f32>);

/// The word for the scale of the data.
const SCALE_OF_DATA: &str = "data";

impl Default for Scale {
    fn default() -> Scale {
        Scale(Some(EMBEDDED_SCALE as f32))
    }
}

impl FromStr for Scale {
    type Err = String;

    fn from_str(text: &str) -> Result<Scale, String> {
        if text == SCALE_OF_DATA {
            return Ok(Scale(None));
        }
        number(text, |number| (10.0..=10_000.0).contains(&number), "between 10 and 10000 or `data`")
            .map(|cp| Scale(Some(cp)))
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str(SCALE_OF_DATA),
            Some(centipawns) => write!(f, "{centipawns}"),
        }
    }
}

/// The weights of `files` files, out of one for all or one for each. Without any the newest counts twice, unless there is
/// a teacher.
fn weights(numbers: &[f32], files: usize, is_taught: bool) -> Result<Vec<f32>, Failure> {
    match numbers {
        [] => {
            let mut weights = vec![1.0; files];
            if files > 1 && !is_taught {
                weights[files - 1] = 2.0;
            }
            Ok(weights)
        }
        [number] => Ok(vec![*number; files]),
        _ if numbers.len() == files => Ok(numbers.to_vec()),
        _ => Err(bad(format_args!("--weights: {} numbers for {}", numbers.len(), Counted(files as u64, "file")))),
    }
}

/// Interval of checkpoints within an epoch.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(300);
/// Positions on which the file is compared with the trainer.
const COMPARED: usize = 10_000;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut files = Files::new(arguments)?;
    let pool = worker_pool(arguments.threads, 1)?;
    let start = arguments.start.as_deref().map(Start::read).transpose()?;
    let mut settings = settings(arguments, start.as_ref())?;
    let teacher = teacher(arguments)?;
    let mut data = match teacher {
        None => TrainingData::read(&arguments.files, arguments.held_out, arguments.max_score),
        Some(_) => TrainingData::read_positions(&arguments.files, arguments.held_out),
    }
    .map_err(bad)?;
    let training_set = data.training_set.len();
    let held_out = data.held_out.len();
    let left_out = data.left_out;
    print_and_go_on(format_args!(
        "games {} positions {training_set} held out {held_out} left out {left_out}",
        data.games
    ))?;
    let positions = settings.positions_of_epoch(&data);
    if positions == 0 || u32::try_from(positions).is_err() {
        return Err(bad(format_args!("--weights: a pass would show {positions} positions, not 1 to {}", u32::MAX)));
    }
    if arguments.epochs.is_none() {
        let most = if teacher.is_some() && arguments.vary[1] > 0 { usize::MAX } else { MAX_EPOCHS };
        settings.epochs = TrainingSettings::epochs_of_steps(positions, settings.batch, arguments.steps, most);
    }
    pool.install(|| {
        if let Some(teacher) = &teacher {
            data.label_held_out(teacher);
        }
        let mut trainer = Trainer::new(settings, &data);
        match &start {
            None => (),
            Some(Start::Net(net, _)) => {
                trainer.start_from(net).map_err(|error| bad(format_args!("--start: {error}")))?;
            }
            Some(Start::Checkpoint(path, _)) => trainer.start_from_checkpoint(path).map_err(bad)?,
        }
        print_and_go_on(format_args!("scale {:.0} centipawns", trainer.scale()))?;
        if let Some(teacher) = &teacher {
            trainer.learn_from(teacher);
            for (path, net) in arguments.teacher.iter().zip(&teacher.nets) {
                print_and_go_on(format_args!("teacher {} {} / {}", path.display(), net.net.shape(), net.fv_scale))?;
            }
            let (rms, children) = trainer.distance();
            print_and_go_on(format_args!("start rms {rms:.4}{}", Children(children)))?;
        }
        if arguments.resume.resume && files.checkpoint.exists() {
            trainer.load(&files.checkpoint).map_err(bad)?;
        }
        train(&mut trainer, &mut files)
    })
}

/// The teacher that the arguments name, if they name one.
fn teacher(arguments: &Arguments) -> Result<Option<Teacher>, Failure> {
    if arguments.teacher.is_empty() {
        return Ok(None);
    }
    let Some(scale) = arguments.scale.0 else {
        return Err(bad("--scale data: the results of the data do not count with --teacher"));
    };
    let scales = &arguments.teacher_scale;
    if scales.len() > 1 && scales.len() != arguments.teacher.len() {
        let nets = Counted(arguments.teacher.len() as u64, "net");
        return Err(bad(format_args!("--teacher-scale: {} numbers for {nets}", scales.len())));
    }
    let mut nets = Vec::new();
    for (number, path) in arguments.teacher.iter().enumerate() {
        let (net, usual) = read_net(path).map_err(|error| bad(format_args!("--teacher: {error}")))?;
        let fv_scale = *scales.get(number).or(scales.first()).unwrap_or(&usual);
        nets.push(Evaluation { net, fv_scale });
    }
    Ok(Some(Teacher { nets, scale, vary: arguments.vary, seed: arguments.seed }))
}

/// Where a run begins that does not begin with random numbers.
enum Start {
    /// A net and by what its output is divided.
    Net(Net, i32),
    /// The parameters of another run, before they were rounded, with their kind of net and by what its output is
    /// divided.
    Checkpoint(PathBuf, Option<(Shape, i32)>),
}

impl Start {
    fn read(path: &Path) -> Result<Start, Failure> {
        if is_checkpoint(path).unwrap_or(false) {
            return Ok(Start::Checkpoint(path.to_path_buf(), net_of_checkpoint(path)));
        }
        read_net(path).map_err(Failure::Usage).map(|(net, fv_scale)| Start::Net(net, fv_scale))
    }

    fn net(&self) -> Option<(Shape, i32)> {
        match self {
            Start::Net(net, fv_scale) => Some((net.shape(), *fv_scale)),
            Start::Checkpoint(_, net) => *net,
        }
    }
}

fn settings(arguments: &Arguments, start: Option<&Start>) -> Result<TrainingSettings, Failure> {
    let &Arguments { rate, decay, power, average, start_scale, seed, .. } = arguments;
    let files = arguments.files.len();
    let start = start.and_then(Start::net);
    let is_taught = !arguments.teacher.is_empty();
    Ok(TrainingSettings {
        shape: match arguments.shape {
            Some(ShapeName::Kp) => Shape::KP,
            Some(ShapeName::Ka2) => Shape::KA2,
            Some(ShapeName::Ka2K3k3) => Shape::KA2_K3K3,
            Some(ShapeName::Halfkp) => Shape::HALF_KP,
            None => start.map_or(Shape::KP, |(shape, _)| shape),
        },
        fv_scale: arguments.fv_scale.or(start.map(|(_, fv_scale)| fv_scale)).unwrap_or(DEFAULT_FV_SCALE),
        epochs: arguments.epochs.unwrap_or(1) as usize,
        weights: weights(&arguments.weights, files, is_taught)?,
        batch: arguments.batch as usize,
        result_weight: if is_taught { [0.0; 3] } else { arguments.result_weight },
        mirror: !arguments.no_mirror,
        rate,
        decay,
        power,
        scale: arguments.scale.0,
        average,
        start_scale,
        seed,
    })
}

fn bad(error: impl Display) -> Failure {
    Failure::Usage(error.to_string())
}

/// Files that a run writes.
struct Files {
    net: PathBuf,
    checkpoint: PathBuf,
    /// The losses of the epochs so far, a line each; no second run has it.
    log: Journal,
    picture: PathBuf,
}

impl Files {
    /// None of them may be there, unless the run is to go on.
    fn new(arguments: &Arguments) -> Result<Files, Failure> {
        let beside = |extension: &str| {
            let mut name = arguments.out.clone().into_os_string();
            name.push(extension);
            PathBuf::from(name)
        };
        let net = arguments.out.clone();
        let log = beside(".jsonl");
        let checkpoint = beside(".checkpoint");
        let picture = beside(".svg");
        if arguments.files.contains(&net) {
            return Err(bad(format_args!("--out {}: a file to learn from", net.display())));
        }
        // A run that has the log is named before the files that it has made.
        let known = if log.exists() { Some(Journal::open(&log, true)?) } else { None };
        let goes_on = arguments.resume.resume && checkpoint.exists();
        let has_reports = known.as_ref().is_some_and(|known| known.length() > 0);
        let there = [&net, &checkpoint, &picture].into_iter().find(|path| path.exists());
        if !goes_on && let Some(path) = there.or(has_reports.then_some(&log)) {
            let advice = if arguments.resume.resume { "there is no checkpoint" } else { "--resume goes on with it" };
            return Err(bad(format_args!("{}: the file exists; {advice}", path.display())));
        }
        let log = known.map_or_else(|| Journal::open(&log, true), Ok)?;
        Ok(Files { net, checkpoint, log, picture })
    }

    /// Writes the losses of the epochs so far.
    fn write_reports(&mut self, reports: &[EpochReport]) -> Result<(), Failure> {
        let mut lines = String::new();
        for report in reports {
            lines += &serde_json::to_string(report).map_err(bad)?;
            lines.push('\n');
        }
        self.log.keep(0)?;
        self.log.append(lines.as_bytes())?;
        let title = format!("Losses of {}", self.net.file_name().unwrap_or_default().to_string_lossy());
        write_whole(&self.picture, svg(reports, &title).as_bytes()).map_err(in_file(&self.picture))
    }
}

/// Goes on to the end of the run, or to an interrupt; also if nobody reads what is printed any more.
fn train(trainer: &mut Trainer, files: &mut Files) -> Result<(), Failure> {
    let stop = stop_on_interrupt("stops after this step, with a checkpoint");
    let mut printed = Ok(());
    let mut progress = TrainProgress::new(trainer);
    let mut saved = Instant::now();
    while let Some(event) = trainer.step() {
        let (TrainingEvent::Step(positions) | TrainingEvent::Epoch(positions)) = event;
        progress.add(trainer, positions);
        let is_stopped = stop.load(Ordering::Relaxed);
        if let (TrainingEvent::Epoch(_), Some(report)) = (event, trainer.reports().last()) {
            files.write_reports(trainer.reports())?;
            printed = printed.and(progress.show_epoch(report));
        }
        if matches!(event, TrainingEvent::Epoch(..)) || is_stopped || saved.elapsed() >= CHECKPOINT_INTERVAL {
            trainer.save(&files.checkpoint).map_err(bad)?;
            saved = Instant::now();
        }
        if is_stopped {
            progress.bar.bar.finish_and_clear();
            return end_of_work(printed.and_then(|()| print_line("interrupted; --resume goes on")), true);
        }
    }
    progress.bar.bar.finish_and_clear();
    files.write_reports(trainer.reports())?;
    let mut bytes = Vec::new();
    trainer.ordered_weights().write(&mut bytes).map_err(bad)?;
    write_whole(&files.net, &bytes).map_err(in_file(&files.net))?;
    let compared = trainer.compare(COMPARED).map_err(bad)?;
    printed?;
    print_line(format_args!(
        "file against trainer: {} positions, mean difference {:.2} cp, largest {:.1} cp",
        compared.positions, compared.mean, compared.most
    ))?;
    print_line(format_args!("net {} crc32 {:08x}", files.net.display(), crc32fast::hash(&bytes)))
}

/// Progress within an epoch; a line for each epoch.
struct TrainProgress {
    bar: LoggedBar,
    /// Start of the epoch, or of the part of it that this process has seen, and how many positions it has used since.
    epoch: (Instant, usize),
}

impl TrainProgress {
    fn new(trainer: &Trainer) -> TrainProgress {
        let (done, all) = trainer.progress();
        let bar = LoggedBar::new(all, "positions");
        bar.bar.set_position(done);
        bar.bar.reset_eta();
        TrainProgress { bar, epoch: (Instant::now(), 0) }
    }

    fn rate(&self) -> f64 {
        self.epoch.1 as f64 / self.epoch.0.elapsed().as_secs_f64().max(1e-3)
    }

    fn add(&mut self, trainer: &Trainer, positions: usize) {
        self.epoch.1 += positions;
        let (done, all) = trainer.progress();
        self.bar.show(done, format_args!("positions {done} of {all} ({:.0}/s)", self.rate()));
    }

    fn show_epoch(&mut self, report: &EpochReport) -> Result<(), Failure> {
        let rate = self.rate();
        self.epoch = (Instant::now(), 0);
        let EpochReport { epoch, loss, held_out, held_out_results: results, rms, children, .. } = report;
        let mut line = format!(
            "epoch {epoch} positions/s {rate:.0} rate {:.2e} loss {loss:.6} held out {held_out:.6}",
            report.rate
        );
        match children {
            None => line += &format!(" results {results:.6}"),
            Some(_) => line += &format!(" rms {rms:.4}{}", Children(*children)),
        }
        let phases = ClassLine("pieces in hand", &report.phases);
        let materials = ClassLine("material", &report.materials);
        self.bar.bar.suspend(|| print_line(format_args!("{line}\n  held out by {phases}\n  held out by {materials}")))
    }
}

/// How a net judges children beside its teacher, behind other figures.
struct Children(Option<ChildrenReport>);

impl Display for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(ChildrenReport { error, same_best, regret, .. }) = self.0 else { return Ok(()) };
        write!(f, " children {error:.3} same best {:.1} % regret {regret:.4}", 100.0 * same_best)
    }
}

/// Losses by class, in a line: where each class begins, and its loss.
struct ClassLine<'a>(&'a str, &'a [ClassLoss]);

impl Display for ClassLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)?;
        for class in self.1.iter().filter(|class| class.positions > 0) {
            write!(f, "  {}- {:.6}", class.from, class.loss)?;
        }
        Ok(())
    }
}
