//! Evaluations that a user of the library writes.

use crate::position::Position;
use crate::types::Score;

/// Static evaluation of a user's own, in place of a net: [`ThreadPool::set_evaluator`] takes it.
///
/// Every thread of a search asks the same object. A function of a position is one, too.
///
/// ```
/// use komainu::eval::Evaluate;
/// use komainu::position::{GameRules, Position};
/// use komainu::search::{Limits, ThreadPool};
/// use komainu::types::{Color, PieceType, Score, StopToken};
/// use std::sync::Arc;
///
/// /// Material: what a piece is worth in centipawns.
/// struct Material(fn(PieceType) -> i32);
///
/// impl Evaluate for Material {
///     fn evaluate(&self, position: &Position) -> Score {
///         let of = |color: Color| -> i32 {
///             let board = position.pieces(color).into_iter().filter_map(|square| position.piece_on(square));
///             let hand = position.hand(color).iter().map(|(piece, count)| self.0(piece) * i32::from(count));
///             board.map(|piece| self.0(piece.piece_type())).chain(hand).sum()
///         };
///         Score(of(position.side()) - of(!position.side()))
///     }
/// }
///
/// let mut pool = ThreadPool::new(1, 1);
/// pool.set_evaluator(Some(Arc::new(Material(|piece| if piece == PieceType::Rook { 1_000 } else { 100 }))));
/// // The rook can be taken for nothing.
/// let position = Position::from_sfen("4k4/9/9/9/4r4/4L4/9/9/4K4 b - 1")?;
/// let (rules, stop) = (GameRules::default(), StopToken::new());
/// let result = pool.search(&position, rules, &Limits::to_depth(3), &stop, &mut |_| ())?;
/// assert_eq!(result.report.expect("a report").pv[0].to_string(), "5f5e");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`ThreadPool::set_evaluator`]: crate::search::ThreadPool::set_evaluator
pub trait Evaluate: Send + Sync {
    /// Score of a position for the side to move, in centipawns. The same position must have the same score: the search
    /// keeps scores in its table. What is larger than [`Score::MAX_EVAL`] counts as that.
    ///
    /// The position is that of the search, with the moves that led to it. It is not asked of positions in check, except
    /// at the end of the longest lines.
    fn evaluate(&self, position: &Position) -> Score;
}

impl<F: Fn(&Position) -> Score + Send + Sync> Evaluate for F {
    fn evaluate(&self, position: &Position) -> Score {
        self(position)
    }
}
