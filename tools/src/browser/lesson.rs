//! Lessons of the opening: what a side is building, and what is missing of it.

use super::position::walk;
use super::question::Question;
use komainu::formations::Formation;
use komainu::levels::OpeningPlan;
use komainu::types::{PieceType, Square};
use serde_json::{Value, json};

/// Something that is being built: its names in Japanese and English, and what is missing, piece and square.
fn building(names: [impl AsRef<str>; 2], missing: Vec<(PieceType, Square)>) -> Value {
    let missing = missing.into_iter().map(|(piece, square)| (piece.letter().to_string(), square.to_string()));
    json!({ "names": names.map(|name| name.as_ref().to_string()), "missing": missing.collect::<Vec<_>>() })
}

/// The plan with the name of the question's `plan`, of the opponent of `you`, and the castle that `you` is nearest to.
pub(super) fn answer(question: &Question) -> Result<Value, String> {
    let (pos, _, _) = walk(question)?;
    let you = question.side("you")?;
    let plan = match question.text("plan")? {
        None => None,
        Some(name) => {
            let known = OpeningPlan::all().iter().find(|plan| plan.names()[0] == name);
            Some(known.ok_or_else(|| format!("plan: {name} is none"))?)
        }
    };
    let plan = plan.map(|plan| building(plan.names(), plan.missing(&pos, !you)));
    let castle = Formation::nearest_castle(&pos, you);
    let castle = castle.map(|castle| building(castle.names(), castle.missing(&pos, you)));
    Ok(json!({ "plan": plan, "castle": castle }))
}
