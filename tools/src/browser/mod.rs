//! Answers to a page in a browser: positions, records, analyses of games, as JSON.
//!
//! The page plays, shows and analyses games, but knows no rule of shogi and no format of records: it asks. In the
//! WebAssembly build it holds who answers, and `komainu page` answers by its `server`. A question is an object whose key
//! `ask` says what is wanted; the answer is an object, too, with the key `error` alone where there is none. Squares, moves
//! and positions are the words of USI, colours `b` and `w`.
//!
//! | `ask` | keys of the question | keys of the answer |
//! | --- | --- | --- |
//! | `position` | `start` (SFEN), `moves`, `plies`, `declarations` | `sfen`, `side`, `check`, `checkers`, `legal`, `declares`, `draws`, `end`, `texts` |
//! | `foul` | `start`, `moves`, `move` | `foul`: the rule that the move would break; `squares` that show it |
//! | `read` | `text`, `name`, `game` | `start`, `moves`, `texts`, `players`, `end`, `warnings`, `fault`, `count`, `blocks`, … |
//! | `write` | `format`, `start`, `moves`, `players`, `end`, `spent`, `started`, `time_limit`, `byoyomi` | `text` |
//! | `handicaps` | | `handicaps`: name and SFEN of each |
//! | `hanging` | `start`, `moves`, `move` | `pieces` that the move leaves to be taken: piece and square |
//! | `lesson` | `start`, `moves`, `you`, `plan` | `plan` of the opponent and `castle` of `you`: `names`, and what is `missing` |
//! | `plans` | | `plans`: names of the levels' plans, Japanese and English |
//! | `mate` | `mate` (plies as in USI), `side` to move | `words` for it, Japanese and English |
//! | `study` | `text`, `name`, `game`, `nodes`, `lines`, `quick`, `plies` | `searched`; each step of the search is handed on when it is done |
//! | `assess` | `text`, `name`, `game`, `nodes`, `lines`, `quick`, `steps`, `english`, `running` | `page` as the page of `komainu analyse` has it, `csa` |

mod lesson;
#[cfg(feature = "programs")]
mod page;
mod position;
mod question;
mod record;
#[cfg(feature = "programs")]
mod server;
mod study;

use crate::analysis::Own;
use komainu::types::StopToken;
use question::Question;
use serde_json::{Value, json};
#[cfg(feature = "programs")]
pub use server::{PageServer, serve};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Who answers. It keeps the search with its table from question to question.
#[derive(Debug, Default)]
pub struct Answerer {
    analyst: Option<Own>,
    halt: Halt,
}

/// Ends the studies of an answerer from another thread.
#[derive(Clone, Debug, Default)]
pub struct Halt {
    /// No further position is searched.
    study: Arc<AtomicBool>,
    /// Ends the search of a position.
    search: StopToken,
}

impl Halt {
    /// Ends a study that is under way, and every later one.
    pub fn halt(&self) {
        self.study.store(true, Ordering::Relaxed);
        self.search.stop();
    }
}

impl Answerer {
    /// One whose studies can be ended.
    pub fn until(halt: Halt) -> Answerer {
        Answerer { analyst: None, halt }
    }

    /// Answers a question. What is found on the way is handed on as JSON, piece by piece.
    ///
    /// ```
    /// use komainu_tools::browser::Answerer;
    ///
    /// let mut answerer = Answerer::default();
    /// let answer = answerer.answer(r#"{"ask": "position", "moves": ["7g7f", "3c3d", "8h2b+"]}"#, &mut |_| ());
    /// assert!(answer.contains(r#""texts":["▲７六歩(77)","△３四歩(33)","▲２二角成(88)"]"#), "{answer}");
    /// ```
    pub fn answer(&mut self, question: &str, on_part: &mut dyn FnMut(&str)) -> String {
        let answer = serde_json::from_str(question)
            .map_err(|error| format!("no question: {error}"))
            .and_then(|question| self.of(Question(question), on_part));
        answer.unwrap_or_else(|error| json!({ "error": error })).to_string()
    }

    fn of(&mut self, question: Question, on_part: &mut dyn FnMut(&str)) -> Result<Value, String> {
        match question.needed_text("ask")? {
            "position" => position::answer(&question),
            "read" => record::read(&question),
            "write" => record::write(&question),
            "foul" => position::foul_of(&question),
            "hanging" => position::hanging(&question),
            "lesson" => lesson::answer(&question),
            "plans" => Ok(position::plans()),
            "handicaps" => Ok(position::handicaps()),
            "study" => study::run(&question, &mut self.analyst, &self.halt, on_part),
            "assess" => study::assess(question),
            "mate" => study::mate(&question),
            other => Err(format!("{other} cannot be asked")),
        }
    }
}

#[cfg(test)]
mod tests;
