//! Games of test systems as training data: which of them count, and how they ended.

use super::games::{Game, GameFault, Ply};
use komainu::notation::json::{GameLine, MoveLine};
use komainu::notation::pgn::{LastWord, PgnGame, PgnMove};
use komainu::notation::record::{Conclusion, Ending, Outcome};
use komainu::position::GameRules;
use komainu::referee;
use komainu::types::{Color, Score};
use thiserror::Error;

/// Why a game is not taken, though it can be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// A player ran out of time.
    #[error("lost on time")]
    Time,
    /// A player made an illegal move.
    #[error("ended by an illegal move")]
    Illegal,
    /// A program crashed, or did not answer any more.
    #[error("ended by a disconnection")]
    Disconnection,
    /// The game has no result.
    #[error("not finished")]
    Unfinished,
    /// Neither the moves nor a word tell how the game came to its result.
    #[error("neither moves nor words tell why it ended")]
    Unexplained,
    /// A move between others has no score: its number, counted from 1.
    #[error("move {0} has no score")]
    NoScore(usize),
    /// No move has a score.
    #[error("no move has a score")]
    NoScores,
    /// The game cannot be kept.
    #[error(transparent)]
    Game(#[from] GameFault),
}

impl Refusal {
    /// The kind in two words, for a count.
    pub fn kind(&self) -> &'static str {
        match self {
            Refusal::Time => "time",
            Refusal::Illegal => "illegal",
            Refusal::Disconnection => "disconnection",
            Refusal::Unfinished => "unfinished",
            Refusal::Unexplained => "unexplained",
            Refusal::NoScore(_) | Refusal::NoScores => "no-score",
            Refusal::Game(_) => "unkept",
        }
    }
}

/// The game as training data. Moves without a score count as an opening as long as none has one.
pub fn game(pgn: &PgnGame) -> Result<Game, Refusal> {
    let has_scores = pgn.moves.iter().any(|played| played.thought.score.is_some());
    let end = match judge_game(pgn) {
        Ok(_) | Err(Refusal::Unexplained) if !has_scores && !pgn.moves.is_empty() => return Err(Refusal::NoScores),
        end => end?,
    };
    let opening = pgn.moves.iter().take_while(|played| played.thought.score.is_none()).count();
    let mut plies = Vec::with_capacity(pgn.moves.len());
    for (index, played) in pgn.moves.iter().enumerate() {
        match played.thought.score {
            Some(score) => plies.push(Ply::new(played.mv, score)),
            None if index < opening => plies.push(Ply::new(played.mv, Score::DRAW)),
            None => return Err(Refusal::NoScore(index + 1)),
        }
    }
    Ok(Game::new(&pgn.start, plies, opening, (end.ending, end.winner))?)
}

/// Judges how the game ended. What the runner adjudicated is marked as such; what the moves show counts before what is
/// said.
pub fn judge_game(pgn: &PgnGame) -> Result<Conclusion, Refusal> {
    let said = pgn.tag("Termination").unwrap_or_default().to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let reason = pgn.reason.as_deref().unwrap_or_default().to_ascii_lowercase();
    let winner = pgn.result.and_then(Outcome::winner);
    if says(&["unterminated"]) || pgn.result.is_none() {
        return Err(Refusal::Unfinished);
    }
    if says(&["abandon", "disconnect", "crash", "stall"]) {
        return Err(Refusal::Disconnection);
    }
    if says(&["time"]) {
        return Err(Refusal::Time);
    }
    let judged = referee::judge(&pgn.end, &GameRules::default());
    if says(&["illegal"]) {
        // Some runners hold perpetual check to be an illegal move; by the rules it is an end like mate.
        let is_perpetual = pgn.last_word.is_none() && judged == Some(Conclusion::new(Ending::PerpetualCheck, winner));
        return if is_perpetual { judged.ok_or(Refusal::Illegal) } else { Err(Refusal::Illegal) };
    }
    if says(&["adjudication"]) {
        return Ok(match winner {
            Some(_) => Conclusion::new(Ending::AdjudicatedWin, winner),
            None if reason.contains("move limit") => Conclusion::new(Ending::PlyLimit, None),
            None => Conclusion::new(Ending::AdjudicatedDraw, None),
        });
    }
    let side = pgn.end.side();
    let end = match (&pgn.last_word, judged) {
        (Some(LastWord::Resign), _) => Conclusion::new(Ending::Resignation, Some(!side)),
        (Some(LastWord::Win), _) => Conclusion::new(Ending::Declaration, Some(side)),
        (None, Some(end)) => end,
        (None, None) if reason.contains("impasse") && winner.is_some() => Conclusion::new(Ending::Declaration, winner),
        _ => return Err(Refusal::Unexplained),
    };
    // The result must be that of the end.
    if end.winner == winner { Ok(end) } else { Err(Refusal::Unexplained) }
}

/// The game as a line of a match, with depths, nodes and times. Its pair follows from its number: colours change from
/// one game to the next.
pub fn line(pgn: &PgnGame, number: u64, end: Conclusion) -> GameLine {
    let moves: Vec<MoveLine> = pgn.moves.iter().map(move_line).collect();
    let opening_plies = pgn.moves.iter().take_while(|played| played.thought.score.is_none()).count();
    GameLine {
        game: number,
        pair: number / 2,
        round: u32::try_from(number / 2).unwrap_or(u32::MAX),
        players: [Color::Black, Color::White].map(|side| pgn.player(side).to_string()),
        start: pgn.start.to_sfen(),
        opening_plies,
        duration_ms: moves.iter().filter_map(|played| played.millis).fold(0, u64::saturating_add),
        moves,
        ending: end.ending,
        winner: end.winner,
        started: pgn.tag("GameStartTime").or(pgn.tag("Date")).unwrap_or_default().to_string(),
        ..GameLine::default()
    }
}

fn move_line(played: &PgnMove) -> MoveLine {
    let PgnMove { mv, thought } = played;
    let mate = thought.score.and_then(Score::mate_plies);
    MoveLine {
        mv: mv.to_string(),
        millis: thought.millis,
        cp: if mate.is_none() { thought.score.map(|score| score.0) } else { None },
        mate,
        depth: thought.depth,
        nodes: thought.nodes,
        ..MoveLine::default()
    }
}
