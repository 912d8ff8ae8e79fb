//! Tunes constants of the search by games of the engine against itself (simultaneous perturbation stochastic
//! approximation, Spall 1992; the schedule is that of the fishtest and OpenBench testers):
//!
//! ```sh
//! cargo run --release --features tune --example spsa -- --state spsa.json --openings openings.sfen \
//!     --pairs 5000 --nodes 4000 --workers 2 reduction_base reduction_slope futility_margin
//! ```
//!
//! All constants are moved at once by their step, up or down at random; the two engines play an opening with colours
//! swapped, and every constant goes a little towards the side that won. Without names all constants are tuned. The
//! state is written after every pair, so the same command goes on after an interruption. The values of `komainu spsa`
//! in force at the end are printed, ready for `search/params.rs`.
//!
//! Every pair says something about every constant, so the run also measures what each is worth by itself: the Elo of
//! its upper value over its lower one, averaged over all settings of the others (a factorial experiment, Fisher 1935).
//! With `--rate 0 --stride 3` it does nothing else: three steps up against three steps down, without moving.

use clap::Parser;
use komainu::openings::read_list;
use komainu::position::{GameRules, Position};
use komainu::random::Random;
use komainu::referee::{Adjudication, Adjudicator, declared, judge};
use komainu::search::{Decision, Limits, TUNABLES, ThreadPool, Tunable};
use komainu::storage::write_whole;
use komainu::types::{Color, StopToken};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Decay of the steps.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
const DELAY: f64 = 0.1;
/// Plies after which a game is drawn.
const MAX_PLIES: u32 = 320;
/// Megabytes of each engine's table.
const HASH: usize = 8;

#[derive(Parser)]
struct Arguments {
    /// File that keeps the state; the run goes on from it if it is there
    #[arg(long)]
    state: PathBuf,
    /// Openings, one a line
    #[arg(long)]
    openings: PathBuf,
    /// Pairs of games in all
    #[arg(long, default_value_t = 5_000)]
    pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 4_000)]
    nodes: u64,
    /// Pairs at a time, each in a process of its own
    #[arg(long, default_value_t = 1)]
    workers: usize,
    /// Rate at which a constant moves at the end, in parts of the square of its step
    #[arg(long, default_value_t = 0.002)]
    rate: f64,
    /// Distance of both sides from the middle at the end, in steps
    #[arg(long, default_value_t = 1.0)]
    stride: f64,
    /// Seed of the perturbations
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Play pairs for another process
    #[arg(long, hide = true)]
    serve: bool,
    /// Names of the constants
    names: Vec<String>,
}

/// State of a run that is kept.
#[derive(Serialize, Deserialize)]
struct SpsaState {
    names: Vec<String>,
    values: Vec<f64>,
    pairs: u64,
    /// Games won by the side that was moved up less those lost, for a look at the balance.
    balance: i64,
    /// For each constant, the sum of the scores of its upper value.
    sums: Vec<i64>,
    /// The sum of the squares of all scores.
    squares: i64,
}

/// A pair of games to play.
#[derive(Serialize, Deserialize)]
struct Trial {
    number: u64,
    names: Vec<String>,
    /// The values of both sides.
    sides: [Vec<i32>; 2],
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    if arguments.serve { serve(&arguments) } else { tune(&arguments) }
}

fn tunable(name: &str) -> Result<&'static Tunable, String> {
    Tunable::find(name).ok_or_else(|| format!("no constant {name:?}"))
}

/// Hands out pairs and moves the constants by what comes back.
fn tune(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut state = begin(arguments)?;
    let tunables = state.names.iter().map(|name| tunable(name)).collect::<Result<Vec<_>, _>>()?;
    let (sender, results) = channel();
    let mut servers = Vec::new();
    for id in 0..arguments.workers.max(1) {
        servers.push(start(id, sender.clone())?);
    }
    let mut flips: Vec<Vec<f64>> = vec![Vec::new(); servers.len()];
    let mut next = state.pairs;
    for id in 0..servers.len() {
        hand_out(id, &mut next, &state, &tunables, arguments, &mut servers, &mut flips)?;
    }
    while state.pairs < arguments.pairs {
        let (id, score): (usize, i64) = results.recv()?;
        let schedule = Schedule::at(state.pairs + 1, arguments);
        for ((value, tunable), flip) in state.values.iter_mut().zip(&tunables).zip(&flips[id]) {
            let (least, most) = tunable.range;
            let moved = *value + schedule.gain(tunable) * score as f64 * flip;
            *value = moved.clamp(least.into(), most.into());
        }
        for (sum, flip) in state.sums.iter_mut().zip(&flips[id]) {
            *sum += score * *flip as i64;
        }
        state.pairs += 1;
        state.balance += score;
        state.squares += score * score;
        save(&state, arguments)?;
        if state.pairs.is_multiple_of(50) {
            println!("{} pairs, balance {}: {}", state.pairs, state.balance, summary(&state));
        }
        hand_out(id, &mut next, &state, &tunables, arguments, &mut servers, &mut flips)?;
    }
    for (index, (tunable, value)) in tunables.iter().zip(&state.values).enumerate() {
        let (elo, error) = effect(&state, index);
        println!("{}: {} -> {}, more: {elo:+.0} +- {error:.0} Elo", tunable.name, tunable.default, value.round());
    }
    Ok(())
}

/// The state of an earlier run, or a new one.
fn begin(arguments: &Arguments) -> Result<SpsaState, Box<dyn Error>> {
    if arguments.state.exists() {
        let state: SpsaState = serde_json::from_str(&fs::read_to_string(&arguments.state)?)?;
        if !arguments.names.is_empty() && arguments.names != state.names {
            return Err(format!("{} was begun with other constants", arguments.state.display()).into());
        }
        return Ok(state);
    }
    let all = || TUNABLES.iter().map(|tunable| tunable.name.to_string()).collect();
    let names: Vec<String> = if arguments.names.is_empty() { all() } else { arguments.names.clone() };
    let defaults = names.iter().map(|name| tunable(name).map(|tunable| tunable.default.into()));
    let (values, sums) = (defaults.collect::<Result<_, _>>()?, vec![0; names.len()]);
    Ok(SpsaState { values, names, pairs: 0, balance: 0, sums, squares: 0 })
}

/// The Elo of a constant's upper value over its lower one, and the error (95 %).
fn effect(state: &SpsaState, index: usize) -> (f64, f64) {
    let pairs = state.pairs.max(1) as f64;
    // Points of a game above one half; the slope of the Elo curve there.
    let points = |score: f64| score / pairs / 4.0;
    let slope = 1_600.0 / std::f64::consts::LN_10;
    (slope * points(state.sums[index] as f64), 1.96 * slope * points((state.squares as f64).sqrt()))
}

fn save(state: &SpsaState, arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    Ok(write_whole(&arguments.state, serde_json::to_string_pretty(state)?)?)
}

fn summary(state: &SpsaState) -> String {
    let pairs = state.names.iter().zip(&state.values).map(|(name, value)| format!("{name} {value:.1}"));
    pairs.collect::<Vec<_>>().join(", ")
}

/// Distances by which constants are moved for a trial and after it.
struct Schedule {
    trial: f64,
    gain: f64,
}

impl Schedule {
    /// At a pair, counted from 1. At the last one the trial is the stride and the gain the rate.
    fn at(pair: u64, arguments: &Arguments) -> Schedule {
        let (pair, all) = (pair as f64, arguments.pairs.max(1) as f64);
        let delay = DELAY * all;
        let trial = if arguments.rate == 0.0 { 1.0 } else { (all / pair).powf(GAMMA) };
        let gain = arguments.rate * ((delay + all) / (delay + pair)).powf(ALPHA) / trial;
        Schedule { trial: trial * arguments.stride, gain: gain * arguments.stride }
    }

    fn gain(&self, tunable: &Tunable) -> f64 {
        self.gain * f64::from(tunable.step)
    }
}

/// Gives a server its next pair, if there is one left.
fn hand_out(
    id: usize,
    next: &mut u64,
    state: &SpsaState,
    tunables: &[&Tunable],
    arguments: &Arguments,
    servers: &mut [ChildStdin],
    flips: &mut [Vec<f64>],
) -> Result<(), Box<dyn Error>> {
    if *next >= arguments.pairs {
        return Ok(());
    }
    let mut random = Random::new(arguments.seed, *next);
    flips[id] = tunables.iter().map(|_| if random.below(2) == 0 { 1.0 } else { -1.0 }).collect();
    let trial = Schedule::at(*next + 1, arguments).trial;
    let side = |sign: f64| {
        let moved = state.values.iter().zip(tunables).zip(&flips[id]);
        let value = |((value, tunable), flip): ((&f64, &&Tunable), &f64)| {
            (value + sign * flip * trial * f64::from(tunable.step)).round() as i32
        };
        moved.map(value).collect::<Vec<i32>>()
    };
    let trial = Trial { number: *next, names: state.names.clone(), sides: [side(1.0), side(-1.0)] };
    *next += 1;
    Ok(writeln!(servers[id], "{}", serde_json::to_string(&trial)?)?)
}

/// Starts a process that plays pairs: the constants are global, so one process plays one pair at a time.
fn start(id: usize, results: Sender<(usize, i64)>) -> Result<ChildStdin, Box<dyn Error>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args().skip(1)).arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn()?;
    let (input, output) = (server.stdin.take().ok_or("no pipe")?, server.stdout.take().ok_or("no pipe")?);
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let Ok(score) = line.trim().parse() else { break };
            if results.send((id, score)).is_err() {
                break;
            }
        }
        // Reaped here, so that nothing is left behind.
        _ = server.wait();
    });
    Ok(input)
}

/// Plays the pairs that come in, until the input ends.
fn serve(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let name = arguments.openings.display().to_string();
    let openings = read_list(&name, &fs::read_to_string(&arguments.openings)?, u64::MAX)?;
    let mut pools = [ThreadPool::new(1, HASH), ThreadPool::new(1, HASH)];
    for line in std::io::stdin().lines() {
        let trial: Trial = serde_json::from_str(&line?)?;
        let mut random = Random::new(arguments.seed.wrapping_add(1), trial.number);
        let start = random.pick(&openings).position();
        let first = play(&trial, &start, [0, 1], arguments.nodes, &mut pools)?;
        let second = play(&trial, &start, [1, 0], arguments.nodes, &mut pools)?;
        println!("{}", first + second);
    }
    Ok(())
}

/// One game; `sides` says which side's values black and white have. 1 if side 0 wins, -1 if it loses.
fn play(
    trial: &Trial,
    start: &Position,
    sides: [usize; 2],
    nodes: u64,
    pools: &mut [ThreadPool; 2],
) -> Result<i64, Box<dyn Error>> {
    let rules = GameRules { ply_limit: start.ply() + MAX_PLIES, ..GameRules::default() };
    let mut pos = start.clone();
    let resign = Adjudication { resign_score: 3_000, resign_moves: 4, ..Adjudication::default() };
    let mut adjudicator = Adjudicator::new(resign);
    pools.iter_mut().for_each(ThreadPool::clear);
    let winner = loop {
        if let Some(end) = judge(&pos, &rules).or_else(|| declared(&pos, &rules)) {
            break end.winner;
        }
        let mover = pos.side();
        let side = sides[usize::from(mover == Color::White)];
        for (name, &value) in trial.names.iter().zip(&trial.sides[side]) {
            tunable(name)?.set(value);
        }
        let stop = StopToken::new();
        let result = pools[side].search(&pos, rules, &Limits::to_nodes(nodes), &stop, &mut |_| ()).unwrap();
        let Decision::Play(mv, _) = result.decision else { break Some(!mover) };
        let score = result.report.map_or(0, |report| report.score.0);
        pos.do_move(mv);
        if let Some(end) = adjudicator.note(mover, Some(score), pos.ply() - 1) {
            break end.winner;
        }
    };
    let white = usize::from(winner == Some(Color::White));
    Ok(winner.map_or(0, |_| if sides[white] == 0 { 1 } else { -1 }))
}
