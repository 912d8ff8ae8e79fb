//! stub
use crate::position::Position;
use crate::types::Move;
/// x
#[derive(Clone, Debug)]
pub struct Opening {
    /// x
    pub start: Position,
    /// x
    pub moves: Vec<Move>,
    /// x
    pub line: String,
}
/// x
pub fn load(plan: &super::plan::Openings) -> Result<Vec<Opening>, String> {
    let text = match &plan.file { Some(file) => std::fs::read_to_string(file).map_err(|e| e.to_string())?, None => "startpos\n".into() };
    let mut list = Vec::new();
    for line in text.lines() {
        let parsed = crate::notation::usi::parse_opening(line).map_err(|e| e.to_string())?.position;
        list.push(Opening { start: Position::from_sfen(&parsed.to_sfen()).map_err(|e| e.to_string())?, moves: vec![], line: line.into() });
    }
    Ok(list)
}
