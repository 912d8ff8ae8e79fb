//! Matches between engines: within this process or other programs, in pairs of games with colours swapped.

use crate::conversation::{Conversation, Shared};
use crate::errors::{EngineError, bad_value};
use crate::limits::Asked;
use crate::lines::answer;
use crate::numbers::{MAX_MILLIS, maybe};
use crate::record::Record;
use crate::task;
use komainu::notation::record::{Conclusion, Ending, GameRecord, Outcome, RecordMove};
use komainu::position::GameRules;
use komainu::protocol::{BestMove, Go};
use komainu::referee::{declared, judge};
use komainu::types::{Color, StopToken};
use komainu_tools::openings::{Opening, load, read_list};
use komainu_tools::random;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The engine of a side.
fn player(value: &Bound<'_, PyAny>) -> PyResult<Arc<Shared>> {
    let engine = value.downcast::<Conversation>();
    let engine = engine.map_err(|_| PyTypeError::new_err(format!("{value} is neither an Engine nor a UsiEngine")))?;
    let shared = &engine.get().0;
    shared.check()?;
    Ok(Arc::clone(shared))
}

/// Plays a game to its end; `None` if the match was broken off.
fn play_game(
    players: [&Shared; 2],
    opening: &Opening,
    go: &Go,
    rules: &GameRules,
    halt: &AtomicBool,
) -> Result<Option<GameRecord>, String> {
    for player in players {
        player.clear()?;
    }
    let mut pos = opening.position();
    let mut record = GameRecord::new(opening.start.clone());
    record.moves = opening.moves.iter().copied().map(RecordMove::new).collect();
    let conclusion = loop {
        if let Some(conclusion) = judge(&pos, rules) {
            break conclusion;
        }
        let side = pos.side();
        let asked = Asked { pos: pos.clone(), go: go.clone(), lines: 1, mate: None, is_game: true };
        let answer = players[side].ask(&asked, &StopToken::new(), None, &mut || ())?;
        if halt.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match answer.decision(&pos) {
            Ok(BestMove::Move(mv, _)) => {
                pos.do_move(mv);
                record.moves.push(RecordMove::new(mv));
            }
            Ok(BestMove::Win) => {
                let lost = Conclusion::usual(Ending::FalseDeclaration, side);
                break declared(&pos, rules).unwrap_or(lost);
            }
            Ok(BestMove::Resign) => break Conclusion::usual(Ending::Resignation, side),
            Err(_) => break Conclusion::usual(Ending::IllegalMove, side),
        }
    };
    record.conclusion = Some(conclusion);
    Ok(Some(record))
}

/// The openings that somebody gives: a file or folder, or texts of positions; None for the list that is built in.
fn openings(value: Option<&Bound<'_, PyAny>>, plies: u64, shuffle: Option<u64>) -> PyResult<Vec<Opening>> {
    let Some(value) = value.filter(|value| !value.is_none()) else {
        let (openings, _) = load(None, plies, shuffle, false).map_err(bad_value)?;
        return Ok(openings);
    };
    if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
        let path: PathBuf = value.extract()?;
        let (openings, _) = load(Some(&path), plies, shuffle, false).map_err(bad_value)?;
        return Ok(openings);
    }
    let lines: Vec<String> = value
        .try_iter()?
        .map(|one| {
            let one = one?;
            Ok(match one.extract::<PyRef<'_, crate::board::Board>>() {
                Ok(board) => board.game(),
                Err(_) => one.extract::<String>()?,
            })
        })
        .collect::<PyResult<_>>()?;
    let mut list = read_list("openings", &lines.join("\n"), plies).map_err(bad_value)?;
    if list.is_empty() {
        return Err(bad_value("openings: there is none"));
    }
    if let Some(seed) = shuffle {
        random::shuffle(&mut list, seed);
    }
    Ok(list)
}

/// Plays a match: each opening twice with colours swapped, `games` games in all, 2 if nothing is said.
///
/// a, b: an Engine or a UsiEngine each; one Engine may play itself. nodes, depth, movetime_ms: the limits of each move,
/// 1,000 nodes if nothing is said. openings: a file or folder, texts or boards; None for the list that is built in.
/// opening_plies: plies of each that are played at most, 0 for all. shuffle: a number for the order in which they are
/// played, else it is theirs. max_plies: a game is drawn after so many plies, 512 if nothing is said.
///
/// Errors: EngineError if an engine ends or is silent; ValueError for openings that cannot be read.
#[pyfunction]
#[pyo3(signature = (a, b, *, games=None, nodes=None, depth=None, movetime_ms=None, openings=None, opening_plies=None,
    shuffle=None, max_plies=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn play_match(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    games: Option<&Bound<'_, PyAny>>,
    nodes: Option<&Bound<'_, PyAny>>,
    depth: Option<&Bound<'_, PyAny>>,
    movetime_ms: Option<&Bound<'_, PyAny>>,
    openings: Option<&Bound<'_, PyAny>>,
    opening_plies: Option<&Bound<'_, PyAny>>,
    shuffle: Option<&Bound<'_, PyAny>>,
    max_plies: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let games = maybe("games", games, 1, 1_000_000)?.unwrap_or(2) as usize;
    let mut go = Go {
        nodes: maybe("nodes", nodes, 1, u64::MAX)?,
        depth: maybe("depth", depth, 1, 1_000)?,
        movetime: maybe("movetime_ms", movetime_ms, 1, MAX_MILLIS)?.map(Duration::from_millis),
        ..Go::default()
    };
    if !go.is_bounded() {
        go.nodes = Some(1_000);
    }
    let plies = maybe("opening_plies", opening_plies, 0, u32::MAX.into())?.unwrap_or(0);
    let list = self::openings(openings, plies, maybe("shuffle", shuffle, 0, u64::MAX)?)?;
    let ply_limit = maybe("max_plies", max_plies, 1, 100_000)?.unwrap_or(512) as u32;
    let rules = GameRules { ply_limit, ..GameRules::default() };
    let first = player(a)?;
    let second = player(b)?;
    let halt = AtomicBool::new(false);
    let stop = || {
        halt.store(true, Ordering::Relaxed);
        first.stop();
        second.stop();
    };
    let played = task::run(py, stop, || {
        let mut records = Vec::new();
        for number in 0..games {
            let players = if number.is_multiple_of(2) { [&*first, &*second] } else { [&*second, &*first] };
            match play_game(players, &list[number / 2 % list.len()], &go, &rules, &halt)? {
                Some(record) => records.push(record),
                None => break,
            }
        }
        Ok::<_, String>(records)
    })?;
    let played = played.map_err(EngineError::new_err)?;
    let mut wins = 0;
    let mut draws = 0;
    let mut losses = 0;
    let mut records = Vec::new();
    for (number, record) in played.into_iter().enumerate() {
        let first = Color::ALL[number % 2];
        match record.conclusion.and_then(|end| end.outcome()) {
            Some(Outcome::Win(winner)) if winner == first => wins += 1,
            Some(Outcome::Win(_)) => losses += 1,
            _ => draws += 1,
        }
        records.push(Py::new(py, Record::of_record(record))?);
    }
    answer(py, "MatchResult", (wins, draws, losses, records))
}
