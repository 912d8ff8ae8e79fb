//! Analysis of games: every position through the search, moves judged by what they cost, and reports of it.
//!
//! [`Study`] searches the positions of a game with an [`Analyst`] and gives a [`Step`] for each; a journal
//! (`AnalysisJournal`) keeps them. [`Assessment`] puts the steps together: labels ([`label`]), accuracy
//! ([`accuracy`]), parts of the game, sentences that a line proves ([`Reason`]). [`GameNames`] names openings and
//! castles. What is written from all that: records with comments that GUIs read, JSON, pages.
//!
//! Scores within are those of the side to move; whatever is written out is from black's side.
//!
//! ```
//! use komainu_tools::analysis::{Assessment, Own, SearchLimit, Study, StudyGame, StudySettings};
//! use komainu::eval::Evaluation;
//! use komainu::games::read_source;
//! use komainu::position::GameRules;
//! use std::sync::atomic::AtomicBool;
//!
//! let record = read_source("game.usi", b"startpos moves 7g7f 3c3d 8h2b+ 8c8d").remove(0)?.record;
//! let game = StudyGame { start: record.start.clone(), moves: record.moves.iter().map(|made| made.mv).collect() };
//! let settings = StudySettings { limit: SearchLimit::Nodes(500), ..StudySettings::default() };
//! let mut engine = Own::new(Evaluation::default(), 1, 1, GameRules::default());
//! let (stop, mut steps) = (AtomicBool::new(false), Vec::new());
//! for block in game.blocks(&settings) {
//!     Study::new(&mut engine, settings, None, &stop).run(&game, &block, &mut |step| {
//!         steps.push(step);
//!         Ok(())
//!     })?;
//! }
//! let assessment = Assessment::of(&record, steps, &settings, None);
//! // To leave the horse on the board costs white the game.
//! assert!(assessment.moves[3].verdict.loss > 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accuracy;
mod annotate;
mod assessment;
mod chance;
#[cfg(feature = "programs")]
mod journal;
mod json;
pub mod label;
mod line_text;
mod mate_words;
mod motifs;
mod page;
mod pieces;
mod pressure;
mod puzzles;
mod reasons;
mod remarks;
mod result;
mod study;

pub use crate::analyst::{Analyst, AnalystError, Own, Request, SearchLimit, Searched, SearchedLine};
pub use annotate::{AnnotateSettings, annotate_csa, annotate_kif, is_analysed};
pub use assessment::{AssessedMove, Assessment, Phase, SideFigures, SideSummary};
pub use chance::WinCurve;
#[cfg(feature = "programs")]
pub use journal::AnalysisJournal;
pub use json::{GameFacts, to_json};
pub use komainu::formations::GameNames;
pub use label::{Label, LabelScheme, Missed, Verdict};
pub(crate) use mate_words::mate_words;
pub use page::{IndexedGame, PageState, game_page, index_page, page_data};
pub use pressure::Pressure;
pub use puzzles::{puzzle_file, puzzles};
pub use reasons::Reason;
pub use remarks::{Language, RemarkForm, RemarkSettings};
pub use result::{PositionResult, ProvenMate, Step};
pub use study::{BLOCK, Study, StudyGame, StudySettings, is_in_book};
