//! The games of an analysis, searched side by side in parts.

use super::Game;
use super::arguments::Setup;
use super::graph::Graph;
use super::output::{FinishedGame, write_game_files, write_page};
use crate::terminal::progress::{bar, bar_with_message, target};
use crate::terminal::{Failure, check_memory_of_search, say_fewer, start_workers};
use indicatif::ProgressBar;
use komainu::host::lock;
use komainu::types::Color;
use komainu_tools::analysis::{AnalysisJournal, Assessment, Step, Study};
use komainu_tools::analyst::{Analyst, AnalystError, External, Own};
use komainu_tools::live::Pace;
use komainu_tools::settings::RecordFormat;
use std::collections::VecDeque;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Outcome of an analysis.
pub(super) struct Done {
    pub(super) is_whole: bool,
    pub(super) positions: u64,
    /// The games that were written, in their order.
    pub(super) games: Vec<FinishedGame>,
}

/// A part of a game.
struct Unit {
    game: usize,
    plies: Vec<usize>,
    is_quick: bool,
}

/// A game under way.
struct Progress {
    /// Units that are still to be done, without those of the quick pass.
    left: AtomicUsize,
    /// Findings of the quick pass, as long as the thorough ones are not all there.
    quick: Mutex<Vec<Step>>,
    graph: Mutex<Graph>,
}

/// State that the jobs share.
struct Work<'a> {
    setup: &'a Setup,
    games: &'a [Game],
    units: Mutex<VecDeque<Unit>>,
    progress: Vec<Progress>,
    journal: Mutex<AnalysisJournal>,
    finished: Mutex<Vec<(usize, FinishedGame)>>,
    failure: Mutex<Option<Failure>>,
    stop: &'a AtomicBool,
    bar: ProgressBar,
    /// Pace of the pages of games under way.
    pace: Mutex<Pace>,
}

pub(super) fn analyse(
    setup: &Setup,
    games: &[Game],
    journal: AnalysisJournal,
    stop: &AtomicBool,
) -> Result<Done, Failure> {
    let is_watched = stderr().is_terminal();
    let has_quick_pass = setup.study.wants_quick_pass() && (is_watched || setup.formats.contains(&RecordFormat::Html));
    let mut units = VecDeque::new();
    let mut progress = Vec::new();
    let mut positions = 0;
    let mut total = 0;
    for (index, game) in games.iter().enumerate() {
        let blocks = game.study.blocks(&setup.study);
        positions += blocks.iter().map(Vec::len).sum::<usize>() as u64;
        let is_open = |block: &Vec<usize>| !block.iter().all(|&ply| journal.has(&game.name, game.sum, ply));
        let open: Vec<Vec<usize>> = blocks.into_iter().filter(is_open).collect();
        progress.push(Progress {
            left: AtomicUsize::new(open.len()),
            quick: Mutex::default(),
            graph: Mutex::new(Graph::new(game.study.moves.len() + 1)),
        });
        total += open.iter().map(Vec::len).sum::<usize>();
        if has_quick_pass {
            units.extend(open.iter().cloned().map(|plies| Unit { game: index, plies, is_quick: true }));
        }
        units.extend(open.into_iter().map(|plies| Unit { game: index, plies, is_quick: false }));
    }
    let work = Work {
        setup,
        games,
        units: Mutex::new(units),
        progress,
        journal: Mutex::new(journal),
        finished: Mutex::default(),
        failure: Mutex::default(),
        stop,
        bar: if is_watched {
            bar_with_message(total as u64, "positions", target())
        } else {
            bar(total as u64, "positions")
        },
        pace: Mutex::default(),
    };
    work.write_what_is_done();
    std::thread::scope(|scope| {
        let work = &work;
        start_workers(setup.jobs.min(lock(&work.units).len()), |_, builder| {
            builder.spawn_scoped(scope, move || {
                if let Err(failure) = work.run() {
                    lock(&work.failure).get_or_insert(failure);
                    lock(&work.units).clear();
                }
            })
        })
    })?;
    // A bar that is finished says that all is done.
    let left = total as u64 - work.bar.position();
    work.bar.finish_and_clear();
    for index in 0..games.len() {
        // The page of a game that is not done goes on no more.
        if !lock(&work.progress[index].quick).is_empty() {
            work.write_page(index, false)?;
        }
    }
    if let Some(failure) = lock(&work.failure).take() {
        return Err(failure);
    }
    let is_whole = lock(&work.finished).len() == games.len();
    let searched = if is_whole { positions } else { positions - left };
    let journal = work.journal.into_inner().unwrap_or_else(PoisonError::into_inner);
    if is_whole {
        journal.finish()?;
    }
    let mut finished = work.finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.sort_by_key(|(index, _)| *index);
    let games = finished.into_iter().map(|(_, game)| game).collect();
    Ok(Done { is_whole, positions: searched, games })
}

impl Work<'_> {
    /// Writes the games of which everything is in the journal.
    fn write_what_is_done(&self) {
        for index in 0..self.games.len() {
            if self.progress[index].left.load(Ordering::Relaxed) > 0 {
                continue;
            }
            if let Err(failure) = self.finish(index) {
                lock(&self.failure).get_or_insert(failure);
                lock(&self.units).clear();
            }
        }
    }

    /// Searches one unit after the other until there is none.
    fn run(&self) -> Result<(), Failure> {
        let mut analyst = self.analyst()?;
        while !self.stop.load(Ordering::Relaxed) {
            let Some(unit) = lock(&self.units).pop_front() else { break };
            let game = &self.games[unit.game];
            let book = self.setup.book.as_ref();
            let mut on_step = |step: Step| self.take(unit.game, step, unit.is_quick);
            let settings = if unit.is_quick { self.setup.study.quick() } else { self.setup.study };
            let mut study = Study::new(&mut *analyst, settings, book, self.stop);
            let is_whole = study.run(&game.study, &unit.plies, &mut on_step);
            let is_whole = is_whole.map_err(|error| Failure::Usage(format!("{}: {error}", game.name)))?;
            if is_whole && !unit.is_quick && self.progress[unit.game].left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.finish(unit.game)?;
            }
        }
        Ok(())
    }

    /// Keeps what was found, and shows it.
    fn take(&self, index: usize, step: Step, is_quick: bool) -> Result<(), AnalystError> {
        let game = &self.games[index];
        let progress = &self.progress[index];
        let first = game.study.start.side();
        let side = if step.ply.is_multiple_of(2) { first } else { !first };
        let mut graph = lock(&progress.graph);
        graph.add(&step, side == Color::Black, self.setup.study.curve);
        self.bar.set_message(format!("{} {}", game.name, graph.text()));
        drop(graph);
        if is_quick {
            lock(&progress.quick).push(step);
        } else {
            self.bar.inc(1);
            lock(&self.journal).append(&game.name, game.sum, &step).map_err(|error| AnalystError(error.to_string()))?;
        }
        // While one job writes a page the others go on searching.
        if let Ok(mut pace) = self.pace.try_lock()
            && pace.is_due()
            && !lock(&progress.quick).is_empty()
        {
            // What is wrong with the file is told when it is written at the end.
            _ = pace.time(|| self.write_page(index, true));
        }
        Ok(())
    }

    /// What was found in a game: a thorough look at a position takes the place of the quick one.
    fn assess(&self, index: usize) -> Result<Assessment, Failure> {
        let game = &self.games[index];
        let mut steps = lock(&self.progress[index].quick).clone();
        steps.extend(lock(&self.journal).steps(&game.name, game.sum)?);
        Ok(Assessment::of(game.record(), steps, &self.setup.study, self.setup.book.as_ref()))
    }

    /// Writes the page of a game under way.
    fn write_page(&self, index: usize, is_running: bool) -> Result<(), Failure> {
        if !self.setup.formats.contains(&RecordFormat::Html) {
            return Ok(());
        }
        write_page(self.setup, &self.games[index], &self.assess(index)?, is_running)
    }

    fn analyst(&self) -> Result<Box<dyn Analyst>, Failure> {
        if let Some(program) = &self.setup.engine {
            return Ok(Box::new(External::start(program)?));
        }
        let Setup { evaluation, threads, hash, study, .. } = self.setup;
        check_memory_of_search()?;
        let own = Own::new(evaluation.clone(), *threads, *hash, study.rules);
        say_fewer(*threads, own.threads());
        Ok(Box::new(own))
    }

    /// Writes the files of a game.
    fn finish(&self, index: usize) -> Result<(), Failure> {
        lock(&self.progress[index].quick).clear();
        let finished = write_game_files(self.setup, &self.games[index], &self.assess(index)?)?;
        lock(&self.finished).push((index, finished));
        Ok(())
    }
}
