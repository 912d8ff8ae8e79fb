//! A game as the server tells it: board, clocks, what was thought, and how it ends.
//!
//! A value without connection or engine. Moves come from the echoes, own ones too; so the board here is always one that
//! the server has had.

use super::clock::ServerClock;
use super::message::{Played, Reason, ServerResult};
use super::summary::Summary;
use komainu::movegen::{has_legal_move, is_legal};
use komainu::notation::csa;
use komainu::notation::record::{Conclusion, Ending, Outcome};
use komainu::position::{GameRules, Position};
use komainu::protocol::{Command, Info, PositionCommand};
use komainu::types::{Color, Move};
use std::time::Duration;
use thiserror::Error;

/// A move of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameMove {
    pub mv: Move,
    /// The time that it was charged.
    pub spent: Option<Duration>,
    /// The last report of the own engine before it; the moves of its line begin with this one.
    pub thought: Option<Info>,
}

/// A game under way.
#[derive(Clone, Debug)]
pub struct Game {
    pub summary: Summary,
    /// The rules that bind it.
    pub rules: GameRules,
    /// The position now, with its history.
    pub position: Position,
    /// The moves, those of the summary first.
    pub moves: Vec<GameMove>,
    /// The clocks of black and white.
    pub clocks: [ServerClock; 2],
    /// The last special word of a side: `%TORYO`, `%KACHI`.
    said: Option<String>,
    reason: Option<Reason>,
    result: Option<ServerResult>,
}

/// A move of the server that is none here: the game cannot be followed any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the server plays {0}, which is not legal here")]
pub struct Desync(pub String);

impl Game {
    /// A game that is proposed, under these rules where the summary is silent.
    pub fn new(summary: Summary, silent: GameRules) -> Game {
        let rules = summary.rules(silent);
        let mut game = Game {
            rules,
            position: summary.start.clone(),
            moves: Vec::new(),
            clocks: summary.times.map(ServerClock::new),
            said: None,
            reason: None,
            result: None,
            summary,
        };
        for (mv, spent) in game.summary.moves.clone() {
            let side = game.position.side();
            game.clocks[side].charge_before(spent.unwrap_or_default());
            game.do_move(mv, spent, None);
        }
        game
    }

    /// The side that is played here.
    pub fn side(&self) -> Color {
        self.summary.side
    }

    /// Tests whether it is the own turn.
    pub fn is_own_turn(&self) -> bool {
        self.position.side() == self.side()
    }

    fn do_move(&mut self, mv: Move, spent: Option<Duration>, thought: Option<Info>) {
        self.position.do_move(mv);
        self.moves.push(GameMove { mv, spent, thought });
    }

    /// Plays a move that the server has told, with what was thought of it.
    pub fn play(&mut self, played: &Played, thought: Option<Info>) -> Result<Move, Desync> {
        let mv = csa::parse_move(&self.position, &played.text).ok_or_else(|| Desync(played.text.clone()))?;
        self.clocks[played.side].charge(played.spent.unwrap_or_default());
        self.do_move(mv, played.spent, thought);
        Ok(mv)
    }

    /// Notes `%TORYO` or `%KACHI`.
    pub fn note_said(&mut self, word: &str) {
        self.said = Some(word.to_string());
    }

    /// Notes why the game ends.
    pub fn note_reason(&mut self, reason: Reason) {
        // The first word counts, unless it is not known.
        if self.reason.is_none_or(|reason| reason == Reason::Other) {
            self.reason = Some(reason);
        }
    }

    pub fn note_result(&mut self, result: ServerResult) {
        self.result = Some(result);
    }

    /// Tests whether the server has begun to end the game.
    pub fn is_ending(&self) -> bool {
        self.reason.is_some() || self.result.is_some()
    }

    /// Tests whether the side to move has lost for want of a legal move, which no server sees.
    pub fn is_mated(&self) -> bool {
        !has_legal_move(&self.position)
            && (!self.position.is_past_ply_limit(&self.rules) || self.rules.mate_on_last_ply)
    }

    /// The end of the game by the server's words; an error if it has said nothing.
    pub fn conclusion(&self) -> Conclusion {
        let winner = match self.result {
            Some(ServerResult::Win) => Some(self.side()),
            Some(ServerResult::Lose) => Some(!self.side()),
            Some(_) => None,
            // The line broke between the reason and the result: most reasons name the loser.
            None => self.reason.and_then(|reason| self.usual_winner(reason)),
        };
        Conclusion { ending: self.ending(winner), winner, spent: None }
    }

    fn has_said(&self, word: &str) -> bool {
        self.said.as_deref() == Some(word)
    }

    fn usual_winner(&self, reason: Reason) -> Option<Color> {
        match reason {
            Reason::Resign | Reason::TimeUp | Reason::IllegalMove => Some(!self.position.side()),
            Reason::Jishogi if self.has_said("%KACHI") => Some(self.position.side()),
            _ => None,
        }
    }

    fn ending(&self, winner: Option<Color>) -> Ending {
        match (self.reason, self.result) {
            (Some(Reason::Resign), _) => Ending::Resignation,
            (Some(Reason::TimeUp), _) => Ending::TimeUp,
            (Some(Reason::IllegalMove), _) if self.has_said("%KACHI") => Ending::FalseDeclaration,
            (Some(Reason::IllegalMove | Reason::IllegalAction), _) => Ending::IllegalMove,
            (Some(Reason::Jishogi), _) if winner.is_some() => Ending::Declaration,
            (Some(Reason::Jishogi), _) => Ending::Impasse,
            (Some(Reason::Sennichite), _) => Ending::Repetition,
            (Some(Reason::OuteSennichite), _) => Ending::PerpetualCheck,
            (Some(Reason::MaxMoves), _) => Ending::PlyLimit,
            (_, Some(ServerResult::Chudan | ServerResult::Censored)) => Ending::Interrupted,
            (_, Some(ServerResult::Draw)) => Ending::Draw,
            (_, Some(ServerResult::Win | ServerResult::Lose)) => self.unexplained(winner),
            (Some(Reason::Other) | None, None) => Ending::Error,
        }
    }

    /// A result without a reason: what was said, or the board, may tell it.
    fn unexplained(&self, winner: Option<Color>) -> Ending {
        let side_lost = winner == Some(!self.position.side());
        match self.said.as_deref() {
            Some("%KACHI") if side_lost => Ending::FalseDeclaration,
            Some("%KACHI") => Ending::Declaration,
            Some("%TORYO") => Ending::Resignation,
            _ if side_lost && !has_legal_move(&self.position) => Ending::Checkmate,
            _ => Ending::AdjudicatedWin,
        }
    }

    /// The `gameover` of USI for the own engine.
    pub fn gameover(&self) -> Command {
        let outcome = self.conclusion().winner.map_or(Outcome::Draw, Outcome::Win);
        Command::GameOver(Some(outcome.of_player(self.side())))
    }

    /// The `position` command of USI, with more moves behind those of the game.
    pub fn position_command(&self, more: &[Move]) -> PositionCommand {
        let moves = self.moves.iter().map(|made| made.mv).chain(more.iter().copied());
        PositionCommand::new(&self.summary.start).with(moves)
    }

    /// Takes over a game that the server gives back. Returns whether it is this one, with at most one move more that
    /// was not heard before the connection was lost.
    pub fn resume(&mut self, again: &Summary) -> bool {
        let mut there = Game::new(again.clone(), self.rules);
        let state = again.resumed.clone().unwrap_or_default();
        let same_board = |a: &Position, b: &Position| {
            let board = |pos: &Position| pos.to_sfen_without_counter();
            board(a) == board(b)
        };
        if !same_board(&self.position, &there.position) {
            let last = state.last_move.as_deref().and_then(|line| line.split(',').next());
            let last = last.and_then(|text| csa::parse_move(&self.position, text));
            // The summary may hold the moves so far in place of the position.
            let last =
                last.or_else(|| there.moves.last().map(|made| made.mv).filter(|&mv| is_legal(&self.position, mv)));
            let mut ahead = self.position.clone();
            let Some(mv) = last else { return false };
            ahead.do_move(mv);
            if !same_board(&ahead, &there.position) {
                return false;
            }
            self.do_move(mv, None, None);
        }
        for color in Color::ALL {
            if let Some(left) = state.left[color] {
                there.clocks[color].left = left;
            }
        }
        if state.left.iter().any(Option::is_some) {
            self.clocks = there.clocks;
        }
        self.summary.token = again.token.clone().or(self.summary.token.take());
        true
    }
}

#[cfg(test)]
mod tests;
