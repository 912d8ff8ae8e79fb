//! Arguments of `komainu analyse`, and what they come to.

use crate::settings::{
    EncodingSetting, EngineOptions, EvaluationSettings, HASH_HELP, PatienceSetting, Resume, RuleSetting, SearchLimits,
    Sides, megabytes, one_of,
};
use crate::terminal::Failure;
use clap::ValueEnum;
use komainu::book::{Book, OnTheFly};
use komainu::position::RuleSet;
use komainu::system::cores;
use komainu_tools::analysis::{
    AnnotateSettings, GameFacts, LabelScheme, Language, RemarkForm, RemarkSettings, SearchLimit, StudySettings,
    WinCurve,
};
use komainu_tools::analyst::{External, Program};
use komainu_tools::settings::{Encoding, RecordFormat};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Analyse games: label moves, measure accuracy, annotate records
///
/// Every position is searched, the last one first, with 1,000,000 nodes if nothing else is said. Records (KIF, KI2,
/// CSA, JSON, lines of USI, games of `komainu match`) or folders of them are read; NAME.kifu, NAME.csa, NAME.json and
/// the page NAME.html are written for each record NAME. What is done is kept in analysis.jsonl in the output folder, so
/// that --resume goes on after an interrupt.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("limit").args(SearchLimits::FLAGS).arg("quick"))]
pub(crate) struct Arguments {
    /// Files of games, and folders of them; - for the standard input
    #[arg(required = true, value_name = "GAME")]
    pub(super) games: Vec<PathBuf>,
    /// Folder for what is written
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    #[command(flatten)]
    limits: SearchLimits,
    /// The quick pass alone, which otherwise comes before a long search: a whole graph with provisional labels
    #[arg(long)]
    quick: bool,
    /// Best lines of each position
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=600))]
    multipv: u32,
    /// Search threads of each job; results are the same every time with 1 only
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) threads: u32,
    /// Parts of games that are searched at the same time; 0 for one a core
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1024))]
    pub(super) jobs: u32,
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = megabytes(), help = HASH_HELP)]
    hash: u32,
    /// First move that is judged
    #[arg(long, value_name = "PLY", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    from: u32,
    /// Last move that is judged
    #[arg(long, value_name = "PLY", value_parser = clap::value_parser!(u32).range(1..))]
    to: Option<u32>,
    /// Side whose moves count
    #[arg(long, value_enum, default_value_t = Sides::Both)]
    side: Sides,
    /// Formats of the files that are written for each game
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = one_of(&FORMATS),
          default_value = "kif,csa,json,html")]
    format: Vec<RecordFormat>,
    /// Form of the scores in comments, by the program that reads it
    #[arg(long, value_enum, default_value_t = Comment::Shogihome)]
    comment: Comment,
    /// Keep comments of earlier analyses (the default)
    #[arg(long, conflicts_with = "replace")]
    keep_comments: bool,
    /// Take comments of earlier analyses out
    #[arg(long)]
    replace: bool,
    /// Pass over games that have scores already
    #[arg(long)]
    pub(super) skip_analysed: bool,
    /// Better lines that are added as variations to moves with a label
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=2))]
    variations: u32,
    /// Bookmarks at moves with a label, as Kifu for Windows has them
    #[arg(long)]
    bookmarks: bool,
    /// Opening book whose moves have no label below a loss of 10 %
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Losses of winning chance in per cent for inaccuracy, dubious move, mistake, blunder; or `shogihome`
    /// (5,10,20,50), or `lishogi`
    #[arg(long, value_name = "A,B,C,D", default_value = "5,10,20,30")]
    labels: String,
    /// Centipawns at which a side wins 73 of 100 games: `net` (by the built-in net's own games), `human` (1200) or a
    /// number
    #[arg(long, value_name = "N")]
    win_scale: Option<String>,
    #[command(flatten)]
    rules: RuleSetting,
    /// Effort of the mate solver for a position, in milliseconds of a machine that expands 300 positions in each; 0 to
    /// leave it out
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(0..=1_000_000))]
    mate: u64,
    #[command(flatten)]
    encoding: EncodingSetting,
    /// Next-move problems from mistakes with one answer, for ShogiHome
    #[arg(long, value_name = "FILE")]
    puzzles: Option<PathBuf>,
    /// CSA of version 3.0, with nodes
    #[arg(long)]
    csa3: bool,
    /// Language of words in records
    #[arg(long, value_enum, default_value_t = Lang::Ja)]
    lang: Lang,
    #[command(flatten)]
    pub(super) resume: Resume,
    /// USI engine with its arguments, as a shell reads it, in place of the built-in one
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["eval_file", "fv_scale"])]
    engine: Option<String>,
    #[command(flatten)]
    options: EngineOptions,
    #[command(flatten)]
    patience: PatienceSetting,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

/// The formats of the files of a game.
const FORMATS: [RecordFormat; 5] =
    [RecordFormat::Kif, RecordFormat::KifCp932, RecordFormat::Csa, RecordFormat::Json, RecordFormat::Html];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Comment {
    Shogihome,
    Shogigui,
    Floodgate,
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Lang {
    Ja,
    En,
}

/// Setup that the arguments come to.
pub(super) struct Setup {
    pub(super) out: PathBuf,
    pub(super) study: StudySettings,
    pub(super) annotate: AnnotateSettings,
    pub(super) formats: Vec<RecordFormat>,
    /// The file of problems.
    pub(super) puzzles: Option<PathBuf>,
    /// There is a page of all games.
    pub(super) has_index: bool,
    pub(super) encoding: Encoding,
    pub(super) book: Option<Book>,
    pub(super) threads: usize,
    pub(super) jobs: usize,
    pub(super) hash: usize,
    pub(super) evaluation: komainu::eval::Evaluation,
    /// Another engine.
    pub(super) engine: Option<Program>,
    /// Facts about engine and settings.
    pub(super) facts: GameFacts,
    /// The settings that results depend on.
    pub(super) description: String,
}

/// Positions that the solver expands in a millisecond.
const MATE_NODES_A_MILLISECOND: u64 = 300;

impl Setup {
    pub(super) fn of(arguments: &Arguments) -> Result<Setup, Failure> {
        let (scheme, usual) = labels(&arguments.labels)?;
        // The curve of the built-in net is not that of another engine.
        let usual =
            if arguments.engine.is_some() && usual == WinCurve::default() { WinCurve::SHOGIHOME } else { usual };
        let curve = win_scale(arguments.win_scale.as_deref(), usual)?;
        if arguments.engine.is_none() && !arguments.options.option.is_empty() {
            return Err(Failure::Usage("--option: --engine is missing, whose option it is".to_string()));
        }
        let study = StudySettings {
            limit: arguments.limits.one().unwrap_or(SearchLimit::Nodes(1_000_000)),
            lines: arguments.multipv as usize,
            rules: arguments.rules.resolve(),
            curve,
            scheme,
            mate_nodes: arguments.mate * MATE_NODES_A_MILLISECOND,
            moves: (arguments.from as usize, arguments.to.map_or(usize::MAX, |to| to as usize)),
            side: arguments.side.one(),
            is_quick: false,
        };
        let study = if arguments.quick { study.quick() } else { study };
        let book = match &arguments.book {
            None => None,
            Some(path) => {
                Some(Book::open(path, OnTheFly::Auto).map_err(|error| Failure::Usage(format!("--book: {error}")))?)
            }
        };
        let evaluation = arguments.evaluation.load().map_err(Failure::Usage)?;
        let (limit, amount) = study.limit.named();
        let limits = [(limit.to_string(), amount), ("multipv".to_string(), study.lines as u64)];
        let engine = arguments.engine_name()?;
        let program = arguments.program();
        let options = program.usual.iter().chain(&program.wished).cloned();
        let facts = GameFacts {
            engine: engine.clone(),
            net: arguments.engine.is_none().then(|| arguments.evaluation.name()),
            options: options.collect(),
            limits: BTreeMap::from(limits),
            rules: arguments.rules.rules.map_or("default", RuleSet::name).to_string(),
            source: String::new(),
            fault: None,
            openings: [None, None],
            castles: [Vec::new(), Vec::new()],
        };
        Ok(Setup {
            out: arguments.out.clone(),
            study,
            annotate: arguments.annotate(engine, curve),
            formats: arguments.format.clone(),
            puzzles: arguments.puzzles.clone(),
            has_index: false,
            encoding: arguments.encoding.get(),
            book,
            threads: arguments.threads as usize,
            jobs: if arguments.jobs == 0 { cores() } else { arguments.jobs as usize },
            hash: arguments.hash as usize,
            evaluation,
            engine: arguments.engine.is_some().then_some(program),
            description: arguments.description(&facts, curve),
            facts,
        })
    }
}

impl Arguments {
    /// The name of the engine with its version.
    fn engine_name(&self) -> Result<String, Failure> {
        if self.engine.is_none() {
            return Ok(format!("Komainu {}", env!("CARGO_PKG_VERSION")));
        }
        let engine = External::start(&self.program())?;
        Ok(engine.name().to_string())
    }

    /// The other engine and how it is set.
    fn program(&self) -> Program {
        let usual = [("Threads", self.threads.to_string()), ("USI_Hash", self.hash.to_string())];
        Program {
            command: self.engine.clone().unwrap_or_default(),
            usual: usual.map(|(name, value)| (name.to_string(), value)).into(),
            wished: self.options.option.clone(),
            lines: self.multipv as usize,
            setup: self.patience.setup(),
        }
    }

    fn annotate(&self, engine: String, curve: WinCurve) -> AnnotateSettings {
        let form = match self.comment {
            Comment::Shogihome => RemarkForm::ShogiHome,
            Comment::Shogigui => RemarkForm::ShogiGui,
            Comment::Floodgate => RemarkForm::Floodgate,
            Comment::Plain => RemarkForm::Plain,
        };
        let language = if self.lang == Lang::Ja { Language::Japanese } else { Language::English };
        let remarks = RemarkSettings {
            form,
            language,
            curve,
            engine,
            bookmarks: self.bookmarks,
            nodes: self.csa3,
            candidates: true,
        };
        let replace = self.replace;
        let variations = self.variations as usize;
        AnnotateSettings { remarks, replace, variations, csa3: self.csa3, opening: None }
    }

    /// Settings that results depend on, equal when work goes on.
    fn description(&self, facts: &GameFacts, curve: WinCurve) -> String {
        let text =
            |value: &Option<PathBuf>| value.as_ref().map_or("none".to_string(), |path| path.display().to_string());
        let limits: Vec<String> = facts.limits.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
        format!(
            "{} {} threads {} hash {} options {:?} from {} to {} side {:?} labels {} scale {} rules {} mate {} book {} eval {}",
            facts.engine,
            limits.join(" "),
            self.threads,
            self.hash,
            self.options.option,
            self.from,
            self.to.map_or("end".to_string(), |to| to.to_string()),
            self.side.one(),
            self.labels,
            curve.scale,
            facts.rules,
            self.mate,
            text(&self.book),
            facts.net.as_deref().unwrap_or_default(),
        )
    }
}

/// The labels that are wanted, and the curve that belongs to them.
fn labels(text: &str) -> Result<(LabelScheme, WinCurve), Failure> {
    match text {
        "shogihome" => return Ok((LabelScheme::SHOGIHOME, WinCurve::SHOGIHOME)),
        "lishogi" => return Ok((LabelScheme::Lishogi, WinCurve::LISHOGI)),
        _ => {}
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let losses = numbers.and_then(|numbers| <[f64; 4]>::try_from(numbers).ok());
    match losses.filter(|losses| losses.is_sorted() && losses[0] > 0.0 && losses[3] <= 100.0) {
        Some(losses) => Ok((LabelScheme::Losses(losses.map(|loss| loss / 100.0)), WinCurve::default())),
        None => Err(Failure::Usage(format!(
            "--labels {text}: neither shogihome nor lishogi nor four rising percentages as 5,10,20,30"
        ))),
    }
}

fn win_scale(text: Option<&str>, usual: WinCurve) -> Result<WinCurve, Failure> {
    match text {
        None => Ok(usual),
        Some("net") => Ok(WinCurve::default()),
        Some("human") => Ok(WinCurve::HUMAN),
        Some(number) => match number.parse::<f64>() {
            Ok(scale) if (1.0..=100_000.0).contains(&scale) => Ok(WinCurve { scale }),
            _ => Err(Failure::Usage(format!(
                "--win-scale {number}: neither net nor human nor a number from 1 to 100000"
            ))),
        },
    }
}
