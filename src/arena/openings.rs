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
