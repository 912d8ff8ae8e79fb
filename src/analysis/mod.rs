//! Analysis of games: every position through the search, moves judged by what they cost, and reports of it.
//!
//! [`Study`] searches the positions of a game with an [`Analyst`] and gives a [`Step`] for each; a journal
//! ([`AnalysisJournal`]) keeps them. [`Assessment`] puts the steps together: labels ([`label`]), accuracy
//! ([`accuracy`]), parts of the game, sentences that a line proves ([`Reason`]). [`GameNames`] names openings and
//! castles. What is written from all that: records with comments that GUIs read, JSON, pages.
//!
//! Scores within are those of the side to move; whatever is written out is from black's side.

pub mod accuracy;
mod annotate;
mod assessment;
mod chance;
#[cfg(feature = "cli")]
mod journal;
mod json;
pub mod label;
mod line_text;
mod motifs;
mod page;
mod pressure;
mod puzzles;
mod reasons;
mod remarks;
mod result;
mod study;

pub use crate::analyst::{Analyst, AnalystError, Own, Request, SearchLimit, Searched, SearchedLine};
pub use crate::formations::GameNames;
pub use annotate::{AnnotateSettings, annotate_csa, annotate_kif, is_analysed};
pub use assessment::{AssessedMove, Assessment, Phase, SideFigures, SideSummary};
pub use chance::WinCurve;
#[cfg(feature = "cli")]
pub use journal::AnalysisJournal;
pub use json::{GameFacts, to_json};
pub use label::{Label, LabelScheme, Missed, Verdict};
pub use page::{IndexedGame, game_page, index_page, page_data};
pub use pressure::Pressure;
pub use puzzles::{puzzle_file, puzzles};
pub use reasons::Reason;
pub use remarks::{Language, RemarkForm, RemarkSettings};
pub use result::{PositionResult, ProvenMate, Step};
pub use study::{BLOCK, Study, StudyGame, StudySettings, is_in_book};
