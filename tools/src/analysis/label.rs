//! Labels of moves: from an inaccuracy to a blunder by the winning chance that it costs, and what it misses.

use super::chance::WinCurve;
use komainu::notation::score::ReportedScore;
use serde::{Deserialize, Serialize};

/// Label of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Label {
    /// The only good move, and not an obvious one. 好手
    Good,
    /// 緩手
    Inaccuracy,
    /// 疑問手
    Dubious,
    /// 悪手
    Mistake,
    /// 大悪手
    Blunder,
}

impl Label {
    /// Labels that cost something, the cheapest first.
    pub const BAD: [Label; 4] = [Label::Inaccuracy, Label::Dubious, Label::Mistake, Label::Blunder];

    /// In Japanese, as GUIs write it.
    pub const fn japanese(self) -> &'static str {
        match self {
            Label::Good => "好手",
            Label::Inaccuracy => "緩手",
            Label::Dubious => "疑問手",
            Label::Mistake => "悪手",
            Label::Blunder => "大悪手",
        }
    }

    /// In English.
    pub const fn english(self) -> &'static str {
        match self {
            Label::Good => "Good move",
            Label::Inaccuracy => "Inaccuracy",
            Label::Dubious => "Dubious move",
            Label::Mistake => "Mistake",
            Label::Blunder => "Blunder",
        }
    }
}

/// A win, or a way not to lose, that was there and was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Missed {
    /// A proven mate.
    Mate,
    /// A move after which the opponent has no proven mate.
    Defence,
    /// A declaration that wins.
    Declaration,
}

/// Which loss gets which label.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum LabelScheme {
    /// The losses of winning chance (0 to 1) from which on a move has each of [`Label::BAD`].
    Losses([f64; 4]),
    /// lishogi's: 5, 10 and 15 % for the worse three, and rules of their own for mates.
    Lishogi,
}

impl LabelScheme {
    /// 5, 10, 20, 30 %.
    pub const KOMAINU: LabelScheme = LabelScheme::Losses([0.05, 0.10, 0.20, 0.30]);
    /// 5, 10, 20, 50 %.
    pub const SHOGIHOME: LabelScheme = LabelScheme::Losses([0.05, 0.10, 0.20, 0.50]);

    /// The smallest loss that has a label.
    pub fn least(self) -> f64 {
        match self {
            LabelScheme::Losses(losses) => losses[0],
            LabelScheme::Lishogi => 0.05,
        }
    }
}

/// A move with what it could have been: scores are those of the side that moves.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The score of the best move.
    pub best: ReportedScore,
    /// The score of the move that was played.
    pub played: ReportedScore,
    /// There was no other legal move.
    pub is_forced: bool,
    /// The move is in the opening book.
    pub in_book: bool,
    /// A declaration would have won.
    pub could_declare: bool,
}

/// Verdict on a move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The winning chance that it cost, 0 to 1.
    pub loss: f64,
    /// Label of the move.
    pub label: Option<Label>,
    /// Win or defence that it missed.
    pub missed: Option<Missed>,
}

/// A position that is lost anyway has no labels: below this chance.
const LOST: f64 = 0.05;
/// A win that is missed matters only if the new position is worse than this.
const STILL_WON: f64 = 0.90;
/// A mate of so many plies that is missed is named, however much is still won.
const LONGEST_NAMED_MATE: i32 = 9;
/// A book move is never called anything below this loss.
const BOOK_LOSS: f64 = 0.10;

/// Judges a move. Whether it is a good one is another question: see [`is_good`].
pub fn judge(choice: &Choice, curve: WinCurve, scheme: LabelScheme) -> Verdict {
    let best = if choice.could_declare { 1.0 } else { curve.chance(choice.best) };
    let played = curve.chance(choice.played);
    let loss = (best - played).max(0.0);
    let is_short = matches!(choice.best, ReportedScore::Mate(1..=LONGEST_NAMED_MATE));
    let missed = if choice.could_declare {
        Some(Missed::Declaration)
    } else if choice.best.mates() == Some(true)
        && (played < STILL_WON || is_short && choice.played.mates() != Some(true))
    {
        Some(Missed::Mate)
    } else if choice.played.mates() == Some(false) && choice.best.mates() != Some(false) {
        Some(Missed::Defence)
    } else {
        None
    };
    let is_named = |missed: &Missed| *missed == Missed::Mate && is_short && !choice.is_forced;
    let nothing = Verdict { loss, label: None, missed: missed.filter(is_named) };
    if choice.is_forced && !choice.could_declare || best < LOST || choice.in_book && loss < BOOK_LOSS {
        return nothing;
    }
    let by_loss = match scheme {
        LabelScheme::Losses(losses) => {
            // A lead that is as good as won costs nothing, although it is no mate.
            let is_won = choice.best.mates() == Some(true) && played >= STILL_WON;
            let reached = losses.iter().rposition(|&from| loss >= from && !is_won);
            reached.map(|at| Label::BAD[at])
        }
        LabelScheme::Lishogi => lishogi(choice, loss),
    };
    // The win by declaration was certain, at once and without a search.
    let label = by_loss.or((missed == Some(Missed::Declaration)).then_some(Label::Inaccuracy));
    Verdict { loss, label, missed: missed.filter(|missed| label.is_some() || is_named(missed)) }
}

/// lishogi's labels: mates that are lost or allowed by the score on the other side, all else by the loss.
fn lishogi(choice: &Choice, loss: f64) -> Option<Label> {
    match (choice.best.mates(), choice.played.mates()) {
        (Some(best), Some(played)) if best == played => None,
        (Some(true), Some(false)) => Some(Label::Blunder),
        (Some(true), None) => Some(mate_label(choice.played.centipawns())),
        (None, Some(false)) => Some(mate_label(choice.best.centipawns().saturating_neg())),
        _ if loss >= 0.15 => Some(Label::Blunder),
        _ if loss >= 0.10 => Some(Label::Mistake),
        _ if loss >= 0.05 => Some(Label::Dubious),
        _ => None,
    }
}

/// The label of a mate that is lost or allowed, by how many centipawns the side was ahead that has one in the end.
fn mate_label(lead: i32) -> Label {
    match lead {
        4_001.. => Label::Dubious,
        1_001..=4_000 => Label::Mistake,
        _ => Label::Blunder,
    }
}

/// A move that was played, and how the search came to think of it.
#[derive(Clone, Copy, Debug)]
pub struct GoodMove {
    /// It is the best move.
    pub is_best: bool,
    /// Score of the best move.
    pub best: ReportedScore,
    /// The score of the second best move; `None` if there is none.
    pub second: Option<ReportedScore>,
    /// It takes back on the square of the last move.
    pub is_recapture: bool,
    /// Most of the first iterations of the search, depth 1 to 4, held it for best already.
    pub is_obvious: bool,
    /// It gives a piece away.
    pub is_sacrifice: bool,
}

/// Distance by which every other move must be behind, as a winning chance; less for a sacrifice, which nobody makes by
/// chance.
const ONLY_MOVE_LEAD: f64 = 0.10;
const SACRIFICE_LEAD: f64 = 0.05;
/// A sacrifice that saves less than this is despair.
const SACRIFICE_CHANCE: f64 = 0.40;

/// Tells whether a move is provably a good one: the only one within 10 % of the best, no recapture, and not found by a
/// short search; or a sacrifice that is 5 % better than all else.
pub fn is_good(mv: &GoodMove, curve: WinCurve) -> bool {
    let Some(second) = mv.second else { return false };
    let best = curve.chance(mv.best);
    let second = curve.chance(second);
    let is_only = !mv.is_obvious && best >= LOST && best - second > ONLY_MOVE_LEAD;
    let is_found = mv.is_sacrifice && best >= SACRIFICE_CHANCE && best - second > SACRIFICE_LEAD;
    mv.is_best && !mv.is_recapture && (is_only || is_found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReportedScore::{Centipawns, Mate};

    const CURVE: WinCurve = WinCurve { scale: 600.0 };

    /// Centipawns of a winning chance, to the nearest one.
    fn cp(chance: f64) -> ReportedScore {
        Centipawns((600.0 * (chance / (1.0 - chance)).ln()).round() as i32)
    }

    fn choice(best: ReportedScore, played: ReportedScore) -> Choice {
        Choice { best, played, is_forced: false, in_book: false, could_declare: false }
    }

    fn label(best: ReportedScore, played: ReportedScore) -> (Option<Label>, Option<Missed>) {
        let verdict = judge(&choice(best, played), CURVE, LabelScheme::KOMAINU);
        (verdict.label, verdict.missed)
    }

    #[test]
    fn labels_begin_at_their_thresholds() {
        // Losses at the thresholds, a tenth of a per cent below and above; centipawns are that fine around one half.
        for (loss, below, above) in [
            (0.05, None, Some(Label::Inaccuracy)),
            (0.10, Some(Label::Inaccuracy), Some(Label::Dubious)),
            (0.20, Some(Label::Dubious), Some(Label::Mistake)),
            (0.30, Some(Label::Mistake), Some(Label::Blunder)),
        ] {
            for best in [0.55, 0.6, 0.7] {
                assert_eq!(label(cp(best), cp(best - loss + 0.001)).0, below, "{best} {loss}");
                assert_eq!(label(cp(best), cp(best - loss - 0.001)).0, above, "{best} {loss}");
            }
        }
        assert_eq!(label(cp(0.5), cp(0.6)), (None, None));
    }

    #[test]
    fn the_schemes_of_others_have_their_thresholds() {
        let of = |scheme, loss: f64| judge(&choice(cp(0.7), cp(0.7 - loss)), CURVE, scheme).label;
        assert_eq!(of(LabelScheme::SHOGIHOME, 0.45), Some(Label::Mistake));
        assert_eq!(of(LabelScheme::SHOGIHOME, 0.51), Some(Label::Blunder));
        for (loss, expected) in [
            (0.049, None),
            (0.051, Some(Label::Dubious)),
            (0.099, Some(Label::Dubious)),
            (0.101, Some(Label::Mistake)),
            (0.149, Some(Label::Mistake)),
            (0.151, Some(Label::Blunder)),
        ] {
            assert_eq!(of(LabelScheme::Lishogi, loss), expected, "{loss}");
        }
        let mates = |best, played| judge(&choice(best, played), CURVE, LabelScheme::Lishogi).label;
        assert_eq!(mates(Centipawns(-4_500), Mate(-3)), None, "it was lost already");
        assert_eq!(mates(Centipawns(-1_500), Mate(-3)), Some(Label::Mistake));
        assert_eq!(mates(Centipawns(0), Mate(-3)), Some(Label::Blunder));
        assert_eq!(mates(Mate(5), Centipawns(4_500)), Some(Label::Dubious));
        assert_eq!(mates(Mate(5), Centipawns(1_500)), Some(Label::Mistake));
        assert_eq!(mates(Mate(5), Centipawns(500)), Some(Label::Blunder));
        assert_eq!(mates(Mate(5), Mate(9)), None, "delayed");
        assert_eq!(mates(Mate(5), Mate(-2)), Some(Label::Blunder));
    }

    #[test]
    fn mates_that_are_missed_allowed_and_delayed() {
        assert_eq!(label(Mate(5), cp(0.85)), (Some(Label::Dubious), Some(Missed::Mate)));
        assert_eq!(label(Mate(5), cp(0.5)), (Some(Label::Blunder), Some(Missed::Mate)));
        assert_eq!(label(Mate(5), cp(0.92)), (None, Some(Missed::Mate)), "still won");
        assert_eq!(label(Mate(9), cp(0.99)), (None, Some(Missed::Mate)), "nine plies");
        assert_eq!(label(Mate(11), cp(0.92)), (None, None), "a longer one, and still won");
        assert_eq!(label(Mate(5), Mate(9)), (None, None), "delayed");
        assert_eq!(label(cp(0.5), Mate(-4)), (Some(Label::Blunder), Some(Missed::Defence)));
        assert_eq!(label(cp(0.06), Mate(-4)), (Some(Label::Inaccuracy), Some(Missed::Defence)));
        assert_eq!(label(cp(0.04), Mate(-4)), (None, None), "lost anyway");
        assert_eq!(label(Mate(-6), Mate(-2)), (None, None), "mated in any case");
        assert_eq!(label(Mate(3), Mate(-2)), (Some(Label::Blunder), Some(Missed::Mate)));
    }

    #[test]
    fn forced_moves_book_moves_and_lost_positions_have_no_label() {
        let judged = |choice: Choice| judge(&choice, CURVE, LabelScheme::KOMAINU).label;
        let bad = choice(cp(0.6), cp(0.2));
        assert_eq!(judged(bad), Some(Label::Blunder));
        assert_eq!(judged(Choice { is_forced: true, ..bad }), None);
        let forced = Choice { is_forced: true, ..choice(Mate(3), cp(0.95)) };
        assert_eq!(judge(&forced, CURVE, LabelScheme::KOMAINU).missed, None);
        assert_eq!(judged(Choice { in_book: true, ..bad }), Some(Label::Blunder));
        assert_eq!(judged(Choice { in_book: true, ..choice(cp(0.6), cp(0.51)) }), None);
        assert_eq!(judged(choice(cp(0.6), cp(0.51))), Some(Label::Inaccuracy));
    }

    #[test]
    fn a_missed_declaration_is_always_named() {
        for played in [cp(0.99), cp(0.5), Mate(-2)] {
            let choice = Choice { could_declare: true, ..choice(cp(0.9), played) };
            let verdict = judge(&choice, CURVE, LabelScheme::KOMAINU);
            assert_eq!(verdict.missed, Some(Missed::Declaration));
            assert!(verdict.label.is_some());
        }
    }

    #[test]
    fn a_good_move_is_the_only_one_and_hard_to_find() {
        let good = GoodMove {
            is_best: true,
            best: cp(0.6),
            second: Some(cp(0.4)),
            is_recapture: false,
            is_obvious: false,
            is_sacrifice: false,
        };
        assert!(is_good(&good, CURVE));
        assert!(!is_good(&GoodMove { is_best: false, ..good }, CURVE));
        assert!(!is_good(&GoodMove { second: Some(cp(0.51)), ..good }, CURVE));
        assert!(!is_good(&GoodMove { second: None, ..good }, CURVE));
        assert!(!is_good(&GoodMove { is_recapture: true, ..good }, CURVE));
        assert!(!is_good(&GoodMove { is_obvious: true, ..good }, CURVE));
        assert!(is_good(&GoodMove { best: Mate(11), ..good }, CURVE));
        // A sacrifice is good although it is obvious, and with a smaller lead.
        let given = GoodMove { is_obvious: true, is_sacrifice: true, second: Some(cp(0.53)), ..good };
        assert!(is_good(&given, CURVE));
        assert!(!is_good(&GoodMove { is_sacrifice: false, ..given }, CURVE));
        assert!(!is_good(&GoodMove { second: Some(cp(0.57)), ..given }, CURVE));
        assert!(!is_good(&GoodMove { best: cp(0.3), second: Some(cp(0.2)), ..given }, CURVE), "despair");
    }
}
