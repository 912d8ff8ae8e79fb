//! The games of an analysis, searched side by side in parts.

use super::Game;
use super::arguments::Setup;
use super::output::{FinishedGame, write_game_files};
use crate::terminal::{Failure, check_memory_of_search, progress::bar, say_fewer, start_workers};
use indicatif::ProgressBar;
use komainu::host::lock;
use komainu_tools::analysis::{AnalysisJournal, Assessment, Step, Study};
use komainu_tools::analyst::{Analyst, AnalystError, External, Own};
use std::collections::VecDeque;
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
}

/// State that the jobs share.
struct Work<'a> {
    setup: &'a Setup,
    games: &'a [Game],
    units: Mutex<VecDeque<Unit>>,
    /// Units of each game that are still to be done.
    left: Vec<AtomicUsize>,
    journal: Mutex<AnalysisJournal>,
    finished: Mutex<Vec<(usize, FinishedGame)>>,
    failure: Mutex<Option<Failure>>,
    stop: &'a AtomicBool,
    bar: ProgressBar,
}

pub(super) fn analyse(
    setup: &Setup,
    games: &[Game],
    journal: AnalysisJournal,
    stop: &AtomicBool,
) -> Result<Done, Failure> {
    let mut units = VecDeque::new();
    let mut left = Vec::new();
    let mut positions = 0;
    for (index, game) in games.iter().enumerate() {
        let blocks = game.study.blocks(&setup.study);
        positions += blocks.iter().map(Vec::len).sum::<usize>() as u64;
        let is_open = |block: &Vec<usize>| !block.iter().all(|&ply| journal.has(&game.name, game.sum, ply));
        let open: Vec<Vec<usize>> = blocks.into_iter().filter(is_open).collect();
        left.push(AtomicUsize::new(open.len()));
        units.extend(open.into_iter().map(|plies| Unit { game: index, plies }));
    }
    let total: usize = units.iter().map(|unit| unit.plies.len()).sum();
    let work = Work {
        setup,
        games,
        units: Mutex::new(units),
        left,
        journal: Mutex::new(journal),
        finished: Mutex::default(),
        failure: Mutex::default(),
        stop,
        bar: bar(total as u64, "positions"),
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
            let is_done = self.left[index].load(Ordering::Relaxed) == 0;
            if let Err(failure) = if is_done { self.finish(index) } else { Ok(()) } {
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
            let mut on_step = |step: Step| {
                let appended = lock(&self.journal).append(&game.name, game.sum, &step);
                self.bar.inc(1);
                appended.map_err(|error| AnalystError(error.to_string()))
            };
            let mut study = Study::new(&mut *analyst, self.setup.study, book, self.stop);
            let is_whole = study.run(&game.study, &unit.plies, &mut on_step);
            let is_whole = is_whole.map_err(|error| Failure::Usage(format!("{}: {error}", game.name)))?;
            if is_whole && self.left[unit.game].fetch_sub(1, Ordering::AcqRel) == 1 {
                self.finish(unit.game)?;
            }
        }
        Ok(())
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
        let game = &self.games[index];
        let steps = lock(&self.journal).steps(&game.name, game.sum)?;
        let assessment = Assessment::of(game.record(), steps, &self.setup.study, self.setup.book.as_ref());
        let finished = write_game_files(self.setup, game, &assessment)?;
        lock(&self.finished).push((index, finished));
        Ok(())
    }
}
