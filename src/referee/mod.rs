//! The referee: the end of a game under the rules, and by the scores of the players where that is agreed.
//!
//! Matches and self-play judge by the same functions. Repetition and perpetual check are found from the history of the
//! position; which limits and which rule of declarations apply is the affair of whoever plays ([`GameRules`]). A
//! [`Conclusion`] says how and why a game ended, its [`Outcome`] what that counts.

mod adjudicator;

pub use crate::notation::record::{Outcome, PlayerResult};
pub use adjudicator::{Adjudication, Adjudicator};

use crate::movegen::has_legal_move;
use crate::notation::record::{Conclusion, Ending};
use crate::position::{Declaration, GameRules, Position, Repetition};

/// Judges whether the game is over before the side to move plays, and how it ends. A declaration is a move of that
/// side: [`declared`].
///
/// Repetition is judged first, then the limit of plies, then mate: a mate on the last ply counts only where the rules
/// say so ([`GameRules::mate_on_last_ply`]).
///
/// ```
/// use komainu::notation::record::Ending;
/// use komainu::position::{GameRules, Position};
/// use komainu::referee::judge;
///
/// let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")?;
/// assert_eq!(judge(&mated, &GameRules::default()).map(|end| end.ending), Some(Ending::Checkmate));
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
pub fn judge(pos: &Position, rules: &GameRules) -> Option<Conclusion> {
    let side = pos.side();
    if let Some(repetition) = pos.repetition_within(0, rules) {
        return Some(match repetition {
            Repetition::Draw => Conclusion::new(Ending::Repetition, None),
            Repetition::Win => Conclusion::new(Ending::PerpetualCheck, Some(side)),
            Repetition::Loss => Conclusion::new(Ending::PerpetualCheck, Some(!side)),
        });
    }
    let is_late = pos.is_past_ply_limit(rules);
    if (!is_late || rules.mate_on_last_ply) && !has_legal_move(pos) {
        let ending = if pos.in_check() { Ending::Checkmate } else { Ending::NoMoves };
        return Some(Conclusion::new(ending, Some(!side)));
    }
    if is_late { Some(Conclusion::new(Ending::PlyLimit, None)) } else { None }
}

/// The win of a side to move that declares it, if it may; it need not.
#[doc(alias = "入玉宣言勝ち")]
pub fn declared(pos: &Position, rules: &GameRules) -> Option<Conclusion> {
    match pos.declaration(rules.entering_king) {
        Some(Declaration::Win) => Some(Conclusion::new(Ending::Declaration, Some(pos.side()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
