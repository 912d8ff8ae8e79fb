//! The constants of the search, one line each: default, range, step of a tuner. Depths in plies, margins in centipawns.
//!
//! Each is a function of its name. It returns a constant that the compiler sees through, unless the feature `tune` is on:
//! then it is an option of the engine by the same name, and a tuner may change it between two searches.

use crate::types::Score;

/// A constant of the search, as a tuner sees it.
#[derive(Debug)]
pub struct Tunable {
    /// Its name, which is that of the USI option too.
    pub name: &'static str,
    /// The value in a build without the feature `tune`.
    pub default: i32,
    /// The smallest and the largest value that make sense.
    pub range: (i32, i32),
    /// By how much a tuner moves it at the end of its work.
    pub step: i32,
    #[cfg(feature = "tune")]
    value: &'static std::sync::atomic::AtomicI32,
}

impl Tunable {
    /// The one of this name, without regard to case.
    pub fn find(name: &str) -> Option<&'static Tunable> {
        TUNABLES.iter().find(|tunable| tunable.name.eq_ignore_ascii_case(name))
    }

    /// Gives it another value, brought into its range.
    #[cfg(feature = "tune")]
    pub fn set(&self, value: i32) {
        self.value.store(value.clamp(self.range.0, self.range.1), std::sync::atomic::Ordering::Relaxed);
    }
}

/// The line that OpenBench and similar testers read: name, type, value, range, step, learning rate.
impl std::fmt::Display for Tunable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tunable { name, default, range: (min, max), step, .. } = self;
        write!(f, "{name}, int, {default}, {min}, {max}, {step}, 0.002")
    }
}

macro_rules! tunables {
    ($($(#[doc = $doc:literal])+ $name:ident: $default:literal, $min:literal..=$max:literal, $step:literal;)+) => {
        $(
            $(#[doc = $doc])+
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(super) const fn $name() -> i32 {
                $default
            }

            $(#[doc = $doc])+
            #[cfg(feature = "tune")]
            #[inline(always)]
            pub(super) fn $name() -> i32 {
                values::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )+

        #[cfg(feature = "tune")]
        #[expect(non_upper_case_globals, reason = "named as the functions are")]
        mod values {
            use std::sync::atomic::AtomicI32;
            $(pub(super) static $name: AtomicI32 = AtomicI32::new($default);)+
        }

        /// All constants of the search that a tuner may change.
        pub static TUNABLES: &[Tunable] = &[$(Tunable {
            name: stringify!($name),
            default: $default,
            range: ($min, $max),
            step: $step,
            #[cfg(feature = "tune")]
            value: &values::$name,
        }),+];

        const _: () = {
            $(assert!($min <= $default && $default <= $max && $step > 0);)+
        };
    };
}

tunables! {
    /// Half-width of the first aspiration window.
    aspiration_window: 40, 5..=200, 8;
    /// Razoring: deepest remaining depth.
    razoring_depth: 2, 0..=10, 1;
    /// Razoring: margin a ply.
    razoring_margin: 340, 50..=800, 30;
    /// Reverse futility pruning: deepest remaining depth.
    reverse_futility_depth: 7, 0..=16, 1;
    /// Reverse futility pruning: margin a ply.
    reverse_futility_margin: 120, 20..=300, 10;
    /// Null move: least remaining depth.
    null_move_depth: 3, 1..=100, 1;
    /// Null move: plies that are taken off.
    null_move_reduction: 3, 1..=8, 1;
    /// Null move: remaining depth that takes off a further ply.
    null_move_divisor: 4, 2..=10, 1;
    /// Null move: centipawns above beta that take off a further ply.
    null_move_surplus: 270, 50..=1000, 30;
    /// Internal iterative reduction: least remaining depth without a move from the table.
    internal_reduction_depth: 5, 2..=100, 1;
    /// Probcut: least remaining depth.
    probcut_depth: 5, 3..=100, 1;
    /// Probcut: plies that are taken off.
    probcut_reduction: 4, 2..=6, 1;
    /// Probcut: centipawns above beta.
    probcut_margin: 250, 50..=600, 20;
    /// Cheap probcut: centipawns above beta that the table's score must have.
    cheap_probcut_margin: 40000, 100..=40000, 40;
    /// Futility pruning of quiet moves: deepest reduced depth.
    futility_depth: 6, 0..=14, 1;
    /// Futility pruning of quiet moves: margin.
    futility_base: 135, 0..=500, 15;
    /// Futility pruning of quiet moves: margin a ply.
    futility_margin: 108, 20..=300, 10;
    /// Late-move pruning: deepest remaining depth.
    late_move_depth: 7, 0..=20, 1;
    /// Late-move pruning: at depth d, this and d times d moves are tried.
    late_move_base: 5, 1..=20, 1;
    /// History pruning: deepest reduced depth.
    history_depth: 4, 0..=10, 1;
    /// History pruning: history below zero a ply.
    history_margin: 3000, 500..=10000, 300;
    /// Exchange pruning: deepest remaining depth.
    see_depth: 7, 0..=14, 1;
    /// Exchange pruning of captures: centipawns a ply.
    see_margin: 90, 10..=300, 10;
    /// Exchange pruning of quiet moves: centipawns for the square of the reduced depth.
    see_quiet_margin: 30, 5..=100, 4;
    /// Singular extension: least remaining depth.
    singular_depth: 7, 4..=100, 1;
    /// Singular extension: how much shallower than that the table's score may be.
    singular_table_depth: 3, 1..=6, 1;
    /// Singular extension: sixteenths of a centipawn a ply by which all other moves must be worse.
    singular_margin: 48, 4..=160, 6;
    /// Singular extension: centipawns more for two plies.
    singular_double: 30, 0..=200, 6;
    /// A check extends up to this depth of the tree, in times of the iteration's depth.
    check_extension: 2, 0..=4, 1;
    /// A check extends from this remaining depth on.
    check_extension_depth: 0, 0..=20, 1;
    /// Late-move reduction: least remaining depth.
    reduction_depth: 3, 1..=6, 1;
    /// Late-move reduction: moves that are searched in full first.
    reduction_moves: 2, 1..=6, 1;
    /// Late-move reduction: what all have in common, in 1/256 ply.
    reduction_base: 77, -256..=512, 24;
    /// Late-move reduction: for a doubling of depth and move number, in 1/256 ply.
    reduction_slope: 56, 10..=150, 5;
    /// Late-move reduction: history that takes off or adds a ply.
    reduction_history: 10000, 2000..=40000, 800;
    /// Late-move reduction: on nodes that are expected to fail high, in 1/256 ply.
    reduction_cut_node: 256, -256..=768, 32;
    /// Late-move reduction: where the evaluation falls, in 1/256 ply.
    reduction_worsening: 256, -256..=768, 32;
    /// Late-move reduction: taken off on the principal variation, in 1/256 ply.
    reduction_pv: 256, -256..=768, 32;
    /// Late-move reduction: taken off where the position once was on it, in 1/256 ply.
    reduction_was_pv: 0, -256..=768, 32;
    /// Late-move reduction: taken off in check, in 1/256 ply.
    reduction_in_check: 256, -256..=768, 32;
    /// Late-move reduction: where the table's move is a capture, in 1/256 ply.
    reduction_table_capture: 0, -256..=768, 32;
    /// Late-move reduction: taken off from a move that gives check, in 1/256 ply.
    reduction_check: 8000, -256..=8000, 32;
    /// Late-move reduction: taken off from a capture that wins material, in 1/256 ply.
    reduction_capture: 8000, -256..=8000, 32;
    /// Late-move reduction: for each reply that cut off lately beyond two, in 1/256 ply.
    reduction_cutoffs: 0, 0..=768, 32;
    /// Late-move reduction: moves of the root that are searched in full first, more than elsewhere.
    reduction_root_moves: 600, 0..=600, 1;
    /// A reduced search this far above the best score so far is repeated deeper.
    deeper_margin: 40000, 10..=40000, 10;
    /// A reduced search less than this above the best score so far is repeated shallower.
    shallower_margin: -1, -1..=100, 2;
    /// History: bonus a ply of depth.
    bonus_depth: 165, 20..=400, 15;
    /// History: the largest bonus.
    bonus_most: 1500, 300..=4000, 120;
    /// History: penalty in percent of the bonus.
    malus_percent: 85, 20..=200, 10;
    /// History: bonus in percent for a move that made all answers fail.
    fail_low_percent: 60, 0..=200, 10;
    /// History: bonus in percent for a move of the table that cuts off unsearched.
    table_cut_percent: 0, 0..=200, 10;
    /// Quiescence: margin by which a capture must be able to reach alpha.
    delta_margin: 180, 0..=500, 15;
    /// Quiescence: captures that are tried if none gives check.
    quiescence_moves: 100, 1..=100, 1;
    /// Quiescence: answers to a check that are tried.
    quiescence_evasions: 100, 1..=100, 1;
    /// Mate in one: least remaining depth at which it is looked for; 0 is the quiescence search.
    mate_in_one_depth: 2, 0..=100, 1;
    /// Whether a board that returns with hands that are worse in every respect is as good as lost.
    dominance: 1, 0..=1, 1;
}

/// What it is worth to come round to the same board with more in hand: the other side need not have gone there.
pub(super) const CYCLE_GAIN: Score = Score(15_000);
/// First depth that is searched with an aspiration window.
pub(super) const ASPIRATION_DEPTH: usize = 4;
/// Quiescence: plies after which only recaptures are searched, and after which the evaluation stands.
pub(super) const RECAPTURE_PLIES: i32 = 6;
pub(super) const QUIESCENCE_PLIES: i32 = 16;
/// The first iteration is broken off only after this many nodes, so that nearly always there is a move to show for it.
pub(super) const FIRST_ITERATION_NODES: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lines_are_those_that_tuners_read() {
        for (i, tunable) in TUNABLES.iter().enumerate() {
            assert!(TUNABLES[..i].iter().all(|other| other.name != tunable.name), "{}", tunable.name);
            assert_eq!(tunable.to_string().split(", ").count(), 7);
        }
        assert_eq!(Tunable::find("Razoring_Depth").map(|tunable| tunable.range), Some((0, 10)));
        assert!(Tunable::find("no_such_name").is_none());
    }
}
