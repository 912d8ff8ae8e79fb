//! The summary of a game: what the server tells before it asks whether to play.
//!
//! Its lines are `KEY:VALUE`, split at the first colon, in blocks `BEGIN NAME` to `END NAME`. Unknown keys and blocks
//! are passed over. Every rule comes from here; where the summary is silent the rules of the server do that is known by
//! its name ([`Summary::rules`]).

use super::secret::Secret;
use super::time_control::{TimeControl, TimeLines};
use komainu::notation::csa;
use komainu::position::{EnteringKingRule, GameRules, Position};
use komainu::types::{Color, Move, Quoted};
use std::time::Duration;
use thiserror::Error;

/// Moves, each with its time where it has one.
type TimedMoves = Vec<(Move, Option<Duration>)>;

/// A game that a server proposes, or gives back after the connection was lost.
#[derive(Clone, Debug)]
pub struct Summary {
    pub id: String,
    /// The names of black and white.
    pub players: [String; 2],
    /// The side that is played here.
    pub side: Color,
    /// After how many plies the server ends the game; 0 for never, none if it does not say.
    pub max_moves: Option<u32>,
    /// The rule of declarations, if the summary names one that is known.
    pub entering_king: Option<EnteringKingRule>,
    /// The times of black and white.
    pub times: [TimeControl; 2],
    pub start: Position,
    /// The moves that were made already, each with what it was charged.
    pub moves: Vec<(Move, Option<Duration>)>,
    /// Proof of the player's identity after a loss of the connection.
    pub token: Option<Secret>,
    /// The state that a server tells besides when it gives a game back.
    pub resumed: Option<Resumed>,
    pub warnings: Vec<String>,
}

/// The state of a game that is gone on with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Main time of black and white that is left.
    pub left: [Option<Duration>; 2],
    /// The last move, as it stands in an echo.
    pub last_move: Option<String>,
}

/// Why a summary is no game that can be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SummaryError(pub String);

impl Summary {
    /// The rules that bind the game: what the summary says, and for the rest `silent`.
    pub fn rules(&self, silent: GameRules) -> GameRules {
        GameRules {
            entering_king: self.entering_king.unwrap_or(silent.entering_king),
            ply_limit: self.max_moves.unwrap_or(silent.ply_limit),
            ..silent
        }
    }
}

/// The most lines of a summary that are kept.
const MAX_LINES: usize = 10_000;

/// The lines of a summary, as they come in.
#[derive(Clone, Debug, Default)]
pub(super) struct SummaryReader {
    /// The names of the blocks that are open, the outer one first.
    blocks: Vec<String>,
    id: Option<String>,
    players: [Option<String>; 2],
    side: Option<String>,
    first: Option<String>,
    max_moves: Option<String>,
    declaration: Option<String>,
    entering_king: Option<String>,
    token: Option<Secret>,
    /// Of both sides, of black, of white.
    times: [TimeLines; 3],
    position: Vec<String>,
    resumed: Option<Resumed>,
    warnings: Vec<String>,
    lines: usize,
}

impl SummaryReader {
    /// Reads a line. Returns whether it was the last one of the outermost block.
    pub(super) fn read(&mut self, line: &str) -> bool {
        self.lines += 1;
        if let Some(name) = line.strip_prefix("BEGIN ") {
            if name.trim() == "Reconnect_State" {
                self.resumed = Some(Resumed::default());
            }
            self.blocks.push(name.trim().to_string());
            return false;
        }
        if let Some(name) = line.strip_prefix("END ") {
            // Whatever was left open inside ends with it.
            if let Some(at) = self.blocks.iter().rposition(|block| block == name.trim()) {
                self.blocks.truncate(at);
            }
            return self.blocks.is_empty();
        }
        if self.lines <= MAX_LINES {
            match self.blocks.last().map(String::as_str) {
                Some("Position") => self.position.push(line.to_string()),
                Some(block) => {
                    let (key, value) = line.split_once(':').unwrap_or((line, ""));
                    let block = block.to_string();
                    self.key(&block, key.trim(), value.trim());
                }
                None => {}
            }
        }
        false
    }

    fn key(&mut self, block: &str, key: &str, value: &str) {
        match block {
            "Game_Summary" => self.head(key, value),
            "Time" | "Time+" | "Time-" => {
                let place = ["Time", "Time+", "Time-"].iter().position(|name| *name == block).unwrap_or(0);
                if !self.times[place].read(key, value) {
                    self.warnings.push(format!("{key} {} of the summary means nothing", Quoted(value)));
                }
            }
            "Reconnect_State" => {
                let state = self.resumed.get_or_insert_default();
                let left = || value.parse().ok().map(Duration::from_millis);
                match key {
                    "Black_Time_Remaining_Ms" => state.left[Color::Black] = left(),
                    "White_Time_Remaining_Ms" => state.left[Color::White] = left(),
                    "Last_Move" => state.last_move = Some(value.to_string()).filter(|text| !text.is_empty()),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn head(&mut self, key: &str, value: &str) {
        let place = match key {
            "Game_ID" => &mut self.id,
            "Name+" => &mut self.players[Color::Black],
            "Name-" => &mut self.players[Color::White],
            "Your_Turn" => &mut self.side,
            "To_Move" => &mut self.first,
            "Max_Moves" => &mut self.max_moves,
            "Declaration" => &mut self.declaration,
            "Entering_King_Rule" => &mut self.entering_king,
            "Reconnect_Token" => {
                self.token = if value.is_empty() { None } else { Some(Secret::new(value)) };
                return;
            }
            _ => return,
        };
        *place = Some(value.to_string()).filter(|value| !value.is_empty());
    }

    /// The name of the game, if it was told.
    pub(super) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }

    /// Tests whether this is the block behind the summary of a game that is given back.
    pub(super) fn is_state(&self) -> bool {
        self.resumed.is_some() && self.side.is_none()
    }

    /// The state of a game that is given back.
    pub(super) fn into_resumed(self) -> Option<Resumed> {
        self.resumed
    }

    pub(super) fn finish(mut self) -> Result<Summary, SummaryError> {
        let side = match self.side.as_deref() {
            Some("+") => Color::Black,
            Some("-") => Color::White,
            Some(other) => return Err(SummaryError(format!("Your_Turn of the summary cannot be {}", Quoted(other)))),
            None => return Err(SummaryError("the summary has no Your_Turn".to_string())),
        };
        let id = self.id.take().unwrap_or_default();
        let (start, moves) = self.position()?;
        let [both, black, white] = &self.times;
        let times = [black, white].map(|own| own.or(both).control(&id));
        if times.iter().any(|(_, is_stop_watch)| *is_stop_watch) {
            self.warnings.push("Time_Unit says minutes, the times are taken as seconds (stop-watch)".to_string());
        }
        let max_moves = match self.max_moves.as_deref().map(str::parse) {
            Some(Err(_)) => {
                self.warnings.push(format!("Max_Moves {} means nothing", Quoted(&self.max_moves.unwrap_or_default())));
                None
            }
            read => read.and_then(Result::ok),
        };
        let entering_king = rule(self.entering_king, self.declaration, &mut self.warnings);
        Ok(Summary {
            id,
            players: self.players.map(Option::unwrap_or_default),
            side,
            max_moves,
            entering_king,
            times: times.map(|(control, _)| control),
            start,
            moves,
            token: self.token,
            resumed: self.resumed,
            warnings: self.warnings,
        })
    }

    /// The start and the moves behind it: the block is a record in CSA's format.
    fn position(&mut self) -> Result<(Position, TimedMoves), SummaryError> {
        let first = self.first.as_deref().filter(|sign| ["+", "-"].contains(sign)).unwrap_or("+");
        let mut lines = std::mem::take(&mut self.position);
        let is_side = |line: &String| line == "+" || line == "-";
        if lines.is_empty() {
            lines.push("PI".to_string());
        }
        match lines.iter().find(|line| is_side(line)) {
            Some(side) if self.first.is_some() && side != first => {
                self.warnings.push(format!("To_Move is {first}, but the position says {side}"));
            }
            Some(_) => {}
            None => {
                let at = lines.iter().position(|line| !line.starts_with('P')).unwrap_or(lines.len());
                lines.insert(at, first.to_string());
            }
        }
        let parsed = csa::read(&format!("{}\n", lines.join("\n")));
        let parsed = parsed.map_err(|error| SummaryError(format!("the position of the summary: {error}")))?;
        let moves = parsed.record.moves.into_iter().map(|made| (made.mv, made.spent)).collect();
        Ok((parsed.record.start, moves))
    }
}

/// The rule of declarations: `Entering_King_Rule` counts before `Declaration`. Under a rule that is not known nothing
/// is declared, since a wrong declaration loses.
fn rule(named: Option<String>, declaration: Option<String>, warnings: &mut Vec<String>) -> Option<EnteringKingRule> {
    if let Some(name) = named {
        match name.parse() {
            Ok(rule) => return Some(rule),
            Err(_) => {
                warnings.push(format!("Entering_King_Rule {} is not known: nothing is declared", Quoted(&name)));
                return Some(EnteringKingRule::NoEnteringKing);
            }
        }
    }
    let declaration = declaration?;
    if declaration.starts_with("Jishogi 1.") {
        return Some(EnteringKingRule::CSARule27);
    }
    warnings.push(format!("Declaration {} is not known: nothing is declared", Quoted(&declaration)));
    Some(EnteringKingRule::NoEnteringKing)
}

#[cfg(test)]
mod tests;
