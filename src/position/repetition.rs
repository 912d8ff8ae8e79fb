//! Repetition (sennichite) and perpetual check.
//!
//! The fourth occurrence of a position (board, hands, side to move) ends the game in a draw, unless one side gave check
//! with every move since the first of these four occurrences: then that side loses. Whether the start position of the
//! history is one of them is up to the rules ([`GameRules::start_counts`]). If both sides gave check with every move,
//! it is a draw.

use super::{GameRules, Position};

/// The result of a repetition for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// A draw.
    #[doc(alias = "sennichite")]
    #[doc(alias = "千日手")]
    Draw,
    /// The opponent has given perpetual check: the side to move wins.
    Win,
    /// The side to move has given perpetual check: it loses.
    #[doc(alias = "連続王手の千日手")]
    Loss,
}

/// What a search makes of a board that has come back, from the view of the side to move.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// Same board, same hands: the rules decide.
    Repetition(Repetition),
    /// Same board with more in hand and less in the opponent's: the opponent's moves since were for nothing.
    Gain,
    /// Same board with less in hand and more in the opponent's.
    Loss,
}

/// Occurrences that end a game.
const FOURFOLD: usize = 4;

impl Position {
    /// The result if the position now stands on the board for the fourth time, the start position counted. A referee
    /// under other rules asks [`Position::repetition_within`] with ply 0.
    ///
    /// ```
    /// use komainu::position::{Position, Repetition};
    ///
    /// let mut position = Position::startpos();
    /// for _ in 0..3 {
    ///     assert_eq!(position.repetition(), None);
    ///     for mv in ["2h3h", "8b7b", "3h2h", "7b8b"] {
    ///         position.play(mv.parse()?)?;
    ///     }
    /// }
    /// assert_eq!((position.occurrences(), position.repetition()), (4, Some(Repetition::Draw)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sennichite")]
    pub fn repetition(&self) -> Option<Repetition> {
        self.repetition_within(0, &GameRules::default())
    }

    /// The result of a repetition as a search sees it, `ply` plies below its root.
    ///
    /// A position that comes back inside the search is a repetition at once: whoever wanted to leave the cycle could
    /// have done so. Occurrences at the root or before it count only together, at the fourth.
    #[inline]
    pub fn repetition_within(&self, ply: usize, rules: &GameRules) -> Option<Repetition> {
        let mut occurrences = 1;
        for distance in self.returns(rules) {
            if !self.had_these_hands(distance) {
                continue;
            }
            occurrences += 1;
            if distance < ply || occurrences == FOURFOLD {
                return Some(self.classify(distance));
            }
        }
        None
    }

    /// Repetition as [`Position::repetition_within`] finds it, or else a return of the board inside the search with
    /// hands that are better or worse for the side to move in every respect. The rules know nothing of that, so it may
    /// guide a search but never end a game.
    #[doc(hidden)]
    #[inline]
    pub fn cycle_within(&self, ply: usize, rules: &GameRules) -> Option<Cycle> {
        let mut occurrences = 1;
        for distance in self.returns(rules) {
            if self.had_these_hands(distance) {
                occurrences += 1;
                if distance < ply || occurrences == FOURFOLD {
                    return Some(Cycle::Repetition(self.classify(distance)));
                }
            } else if distance < ply
                && let Some(cycle) = self.compare_hands(distance)
            {
                return Some(cycle);
            }
        }
        None
    }

    /// Compares the hands with those of `distance` plies ago on the same board: `Gain` or `Loss` if they have become
    /// better or worse for the side to move.
    #[cold]
    fn compare_hands(&self, distance: usize) -> Option<Cycle> {
        let now = self.state.hands[self.side];
        let then = self.history[self.keys.len() - distance].hands[self.side];
        // What one side has more, with the same board, the other has less.
        match (now.dominates(then), then.dominates(now)) {
            (true, false) => Some(Cycle::Gain),
            (false, true) => Some(Cycle::Loss),
            _ => None,
        }
    }

    /// Number of times that the position has been on the board, now and the start position included.
    pub fn occurrences(&self) -> usize {
        1 + self.returns(&GameRules::default()).filter(|&distance| self.had_these_hands(distance)).count()
    }

    /// Distances in plies to the positions with this board and this side to move, the latest first.
    ///
    /// Every node asks this, and a game is long: the loop has to be a tight one.
    fn returns(&self, rules: &GameRules) -> impl Iterator<Item = usize> {
        let now = self.keys.len();
        let key = self.state.board_key;
        // A position cannot return in fewer than four plies: each side must leave its square and come back.
        let past = self.keys.get(now - self.plies_back(rules)..now.saturating_sub(2)).unwrap_or(&[]);
        let turns = past.rchunks_exact(2).enumerate();
        turns.filter(move |(_, pair)| pair[0] == key).map(|(turn, _)| 4 + 2 * turn)
    }

    /// Plies back to the oldest position whose return counts under these rules.
    fn plies_back(&self, rules: &GameRules) -> usize {
        let oldest = !rules.start_counts as usize;
        (self.state.plies_from_null as usize).min(self.keys.len().saturating_sub(oldest))
    }

    /// Tests whether the hands were the same `distance` plies ago.
    fn had_these_hands(&self, distance: usize) -> bool {
        self.history[self.keys.len() - distance].hands == self.state.hands
    }

    /// Who gave check with each of its moves in the last `distance` plies.
    fn classify(&self, distance: usize) -> Repetition {
        let is_perpetual = self.state.continuous_checks.map(|checks| usize::from(checks) >= distance / 2);
        match (is_perpetual[self.side], is_perpetual[!self.side]) {
            (true, false) => Repetition::Loss,
            (false, true) => Repetition::Win,
            _ => Repetition::Draw,
        }
    }
}
