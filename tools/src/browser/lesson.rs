//! Lessons of the opening: what a side is building, and what is missing of it.

use super::position::{start, walk};
use super::question::Question;
use komainu::formations::Formation;
use komainu::levels::OpeningPlan;
use komainu::types::{PieceType, Square};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Lesson {
    /// The plan of the opponent, if it has one.
    plan: Option<Building>,
    /// The castle that the reader is nearest to.
    castle: Option<Building>,
}

/// Something that is being built.
#[derive(Serialize)]
struct Building {
    /// Names in Japanese and English.
    names: [String; 2],
    /// The moves or pieces that are missing: piece and square.
    missing: Vec<(String, String)>,
}

impl Building {
    fn new(names: [String; 2], missing: Vec<(PieceType, Square)>) -> Building {
        let missing = missing.into_iter().map(|(piece, square)| (piece.letter().to_string(), square.to_string()));
        Building { names, missing: missing.collect() }
    }
}

/// The plan with the name of the question's `plan`, of the opponent of `you`, and the castle of `you`.
pub(super) fn answer(question: &Question) -> Result<Lesson, String> {
    let (pos, _, _) = walk(start(question.text("start")?)?, &question.texts("moves")?)?;
    let you = question.side("you")?;
    let plan = match question.text("plan")? {
        None => None,
        Some(name) => {
            let known = OpeningPlan::all().iter().find(|plan| plan.names()[0] == name);
            Some(known.ok_or_else(|| format!("plan: {name} is none"))?)
        }
    };
    let plan = plan.map(|plan| Building::new(plan.names(), plan.missing(&pos, !you)));
    let castle = Formation::nearest_castle(&pos, you);
    let castle = castle.map(|castle| Building::new(castle.names().map(str::to_string), castle.missing(&pos, you)));
    Ok(Lesson { plan, castle })
}
