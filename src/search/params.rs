//! The constants of the search, one line each: default, range, step of a tuner. Depths in plies, margins in
//! centipawns, reductions in 1/1,024 ply.
//!
//! They stand under the steps of a node that use them, in the order of the steps, with the file of the step in
//! `src/search/`.
//!
//! Each is a function of its name. It returns a constant that the compiler sees through, unless the feature `tune` is
//! on: then it is an option of the engine by the same name, and a tuner may change it between two searches.

/// A constant of the search, as a tuner sees it.
#[derive(Debug)]
pub struct Tunable {
    /// Name of the constant and of its USI option.
    pub name: &'static str,
    /// The value in a build without the feature `tune`.
    pub default: i32,
    /// The smallest and the largest value. Where a technique can be switched off, one of them does it.
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
            pub(crate) const fn $name() -> i32 {
                $default
            }

            $(#[doc = $doc])+
            #[cfg(feature = "tune")]
            pub(crate) fn $name() -> i32 {
                values::$name.load(std::sync::atomic::Ordering::Relaxed)
            }
        )+

        #[cfg(feature = "tune")]
        #[expect(non_upper_case_globals, reason = "named as the functions are")]
        mod values {
            use std::sync::atomic::AtomicI32;
            $(pub(crate) static $name: AtomicI32 = AtomicI32::new($default);)+
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
    // Root. Aspiration windows (root.rs).
    /// Half-width of the first aspiration window.
    aspiration_delta: 6, 2..=30000, 2;
    /// Mean square of a root move's scores that widens the window by a centipawn.
    aspiration_square_divisor: 9000, 2000..=30000, 1400;

    // Step 2. Repetition (path.rs).
    /// Switch (0 or 1): a board that returns with worse hands is as good as lost.
    superior_repetition: 1, 0..=1, 1;

    // Step 4. Transposition table: a TT move that cuts off (learn.rs).
    /// Bonus of a quiet TT move, a ply.
    tt_cut_bonus_scale: 130, 0..=300, 14;
    /// Taken off that bonus.
    tt_cut_bonus_offset: 71, -100..=300, 15;
    /// The largest such bonus.
    tt_cut_bonus_max: 1043, 200..=2400, 100;
    /// Penalty of an early quiet move before it, which it refutes.
    tt_cut_malus: 2142, 0..=4200, 180;

    // Steps 4, 17 and 21. Histories: a move as the answer to earlier ones (learn.rs).
    /// Weight of the move before, in 1/1,024.
    cont_hist_weight_1: 1157, 0..=2000, 90;
    /// Weight of the move two plies before, in 1/1,024.
    cont_hist_weight_2: 648, 0..=2000, 90;
    /// Weight of the move three plies before, in 1/1,024.
    cont_hist_weight_3: 288, 0..=2000, 90;
    /// Weight of the move four plies before, in 1/1,024.
    cont_hist_weight_4: 576, 0..=2000, 90;
    /// Weight of the move five plies before, in 1/1,024.
    cont_hist_weight_5: 140, 0..=2000, 90;
    /// Weight of the move six plies before, in 1/1,024.
    cont_hist_weight_6: 441, 0..=2000, 90;
    /// Bonus of the move before in any case.
    cont_hist_extra_1: 88, -100..=300, 15;

    // Steps 4 and 21. Histories: a quiet move (learn.rs).
    /// Share of a quiet bonus in the table by ply, in 1/1,024.
    stat_low_ply_share: 761, 0..=1600, 60;
    /// Share of a quiet bonus in the continuations, in 1/1,024.
    stat_continuation_share: 955, 0..=1800, 70;
    /// Share of a quiet bonus in the pawn history, in 1/1,024.
    stat_bonus_pawn_share: 850, 0..=1800, 70;
    /// Share of a quiet penalty in the pawn history, in 1/1,024.
    stat_malus_pawn_share: 550, 0..=1500, 60;

    // Step 6. Static evaluation: corrections (correction.rs).
    /// Weight of the pawns.
    correction_pawn: 12153, 0..=30000, 1200;
    /// Weight of the small pieces.
    correction_minor: 8620, 0..=30000, 1000;
    /// Weight of each side's pieces.
    correction_non_pawn: 12355, 0..=30000, 1200;
    /// Weight of the hands.
    correction_hand: 6000, 0..=30000, 1000;
    /// Weight of each earlier move.
    correction_continuation: 7982, 0..=30000, 1000;

    // Step 6. Evaluation difference (learn.rs).
    /// Least difference that the last move is credited with.
    eval_diff_min: -214, -500..=0, 20;
    /// Largest difference that the last move is credited with.
    eval_diff_max: 171, 0..=500, 20;
    /// Added to the difference.
    eval_diff_offset: 60, -100..=200, 15;
    /// Weight of the difference in the main history.
    eval_diff_main_weight: 10, 0..=30, 2;
    /// Weight of the difference in the pawn history.
    eval_diff_pawn_weight: 12, 0..=30, 2;

    // Step 6. Hindsight (negamax.rs).
    /// Sum of both sides' evaluations from which a reduced search loses a ply.
    hindsight_margin: 173, 40..=30000, 20;
    /// Least reduction after which a search that worsened nothing gains a ply.
    hindsight_min_reduction: 3, 1..=128, 1;

    // Step 7. Razoring (pruning.rs).
    /// Margin below alpha at depth 0.
    razoring_margin: 483, 150..=30000, 42;
    /// Margin more for the square of the depth.
    razoring_depth_margin: 299, 100..=600, 25;

    // Step 8. Reverse futility pruning (pruning.rs).
    /// Deepest remaining depth.
    rfp_max_depth: 14, 0..=20, 1;
    /// Margin a ply.
    rfp_margin: 104, 35..=160, 6;
    /// Taken off the margin a ply where the table knows nothing.
    rfp_no_hit: 14, 0..=60, 4;
    /// Taken off where the evaluation rises, in 1/1,024 of the margin a ply.
    rfp_improving: 1309, 500..=4500, 200;
    /// Taken off where the opponent's falls, in 1/1,024 of the margin a ply.
    rfp_worsening: 269, 0..=1200, 60;
    /// Share of beta in the score that is returned, in percent.
    rfp_blend: 67, 0..=100, 6;
    /// Correction that widens the margin by a centipawn.
    rfp_correction: 180600, 50000..=600000, 20000;

    // Step 9. Null-move pruning (pruning.rs).
    /// Margin above beta at depth 0.
    nmp_offset: 373, 0..=30000, 35;
    /// Taken off the margin a ply.
    nmp_depth: 16, 0..=50, 3;
    /// Taken off the margin where the evaluation rises.
    nmp_improving: 53, 0..=200, 12;
    /// Plies that are taken off.
    nmp_reduction: 7, 4..=9, 1;
    /// Remaining depth that takes off a further ply.
    nmp_divisor: 4, 2..=8, 1;
    /// Least remaining depth at which the answer is verified.
    nmp_verify_depth: 16, 6..=40, 2;

    // Step 10. Internal iterative reduction (pruning.rs).
    /// Least remaining depth without a TT move.
    iir_min_depth: 6, 3..=128, 1;

    // Step 11. Probcut (pruning.rs).
    /// Margin above beta.
    probcut_margin: 224, 80..=30000, 21;
    /// Taken off the margin where the evaluation rises.
    probcut_improving: 61, 0..=200, 12;
    /// Plies that are taken off.
    probcut_reduction: 4, 2..=6, 1;

    // Step 12. Small probcut (pruning.rs).
    /// Margin above beta.
    small_probcut_margin: 416, 150..=30000, 38;

    // Step 13. Order of moves (picker.rs).
    /// Captures: weight of the victim's value.
    order_capture_weight: 7, 2..=16, 1;
    /// Captures: the exchange may lose the order divided by this.
    order_good_capture_divisor: 9, 3..=30, 1;
    /// Quiet moves: bonus of a check.
    order_check_bonus: 16384, 0..=32000, 1600;
    /// Quiet moves: what the exchange of such a check may lose.
    order_check_see_margin: 150, 0..=600, 30;
    /// Quiet moves: weight of what a promotion gains.
    order_promotion_weight: 8, 0..=64, 4;
    /// Quiet moves: sum above which they come before losing captures.
    order_good_quiet_threshold: -14000, -200000..=0, 1400;

    // Step 14. Shallow pruning (move_loop.rs).
    /// Late moves: at depth d, this and d times d quiet moves are tried.
    lmp_base: 3, 1..=20000, 1;
    /// Root depth up to which no answer to a root move is late, in a search of few nodes.
    lmp_answers_depth: 4, 0..=30, 1;
    /// Most nodes of such a search, by its limit.
    lmp_answers_nodes: 20000, 0..=10000000, 2000;
    /// Futility of captures: first reduced depth at which it no longer acts.
    capture_futility_limit: 7, -128..=14, 1;
    /// Futility of captures: margin.
    capture_futility_margin: 201, 0..=600, 28;
    /// Futility of captures: margin a ply of reduced depth.
    capture_futility_depth_margin: 199, 60..=500, 22;
    /// Futility of captures: weight of the history, in 1/1,024.
    capture_futility_history: 131, 0..=400, 20;
    /// Exchanges of captures and checks: loss that is allowed a ply.
    see_capture_margin: 334, 100..=30000, 34;
    /// Exchanges of captures and checks: weight of the history, in 1/1,024.
    see_capture_history: 68, 0..=250, 12;
    /// History pruning: sum below zero a ply at which a quiet move is left out.
    history_pruning_margin: 4097, 1500..=100000, 350;
    /// History pruning: weight of the main history for the depth, in 1/32.
    history_pruning_main_weight: 71, 0..=160, 8;
    /// History pruning: sum that is worth a ply.
    history_pruning_depth_divisor: 3595, 1500..=6500, 250;
    /// Futility of quiet moves: first reduced depth at which it no longer acts.
    futility_limit: 13, -128..=20, 1;
    /// Futility of quiet moves: margin.
    futility_base: 42, -50..=300, 15;
    /// Futility of quiet moves: margin more where no move raised alpha.
    futility_no_best: 151, 0..=400, 20;
    /// Futility of quiet moves: margin a ply of reduced depth.
    futility_depth_margin: 124, 40..=260, 11;
    /// Futility of quiet moves: margin more where the evaluation is above alpha.
    futility_above: 93, 0..=300, 14;
    /// Exchanges of quiet moves: loss that is allowed for the square of the reduced depth.
    see_quiet_margin: 46, 10..=30000, 6;

    // Steps 14 and 17. Base reduction (move_loop.rs).
    /// 128 times the factor of the logarithms of depth and move number.
    lmr_scale: 3182, 0..=4200, 140;
    /// Added for every move.
    lmr_offset: 1133, -500..=2800, 140;
    /// Share of the product added where the evaluation does not rise, in 1/512.
    lmr_worsening: 206, 0..=500, 25;
    /// Added before pruning where a principal variation once ran.
    lmr_tt_pv_before: 1013, 0..=2500, 120;

    // Steps 14 and 17. Base reduction: the window (root.rs).
    /// Taken off for a window as wide as the root's.
    lmr_window: 585, 0..=1500, 75;

    // Step 15. Singular extension (move_loop.rs).
    /// Least remaining depth.
    singular_min_depth: 6, 4..=128, 1;
    /// Margin, in 1/55 centipawn a ply.
    singular_margin: 60, 15..=160, 7;
    /// Margin more where a principal variation once ran.
    singular_tt_pv_margin: 66, 0..=200, 10;
    /// Two plies: margin.
    double_extension_base: -4, -80..=30000, 6;
    /// Two plies: margin more on the principal variation.
    double_extension_pv: 212, 0..=500, 25;
    /// Two plies: margin less for a quiet move.
    double_extension_quiet: 182, -50..=400, 22;
    /// Two plies: weight of the history of TT moves, in 1/128.
    double_extension_tt_history: 1, 0..=8, 1;
    /// Two plies: margin less below the iteration's depth.
    double_extension_deep: 44, 0..=150, 8;
    /// Three plies: margin.
    triple_extension_base: 73, -40..=30000, 12;
    /// Three plies: margin more on the principal variation.
    triple_extension_pv: 320, 0..=700, 35;
    /// Three plies: margin less for a quiet move.
    triple_extension_quiet: 218, -50..=450, 25;
    /// Three plies: margin more where a principal variation once ran.
    triple_extension_tt_pv: 92, 0..=250, 14;
    /// Three plies: margin less below the iteration's depth.
    triple_extension_deep: 45, 0..=150, 8;
    /// Two and three plies: correction that narrows the margins by a centipawn.
    singular_correction: 210590, 50000..=600000, 20000;
    /// Plies that a TT move with a score above beta loses if others do as well.
    negative_extension_tt: 3, 0..=4, 1;
    /// Plies that a TT move loses at cut nodes if others do as well.
    negative_extension_cut: 2, 0..=4, 1;

    // Step 15. Multi-cut (learn.rs).
    /// Penalty of the TT moves' history, a ply.
    multi_cut_malus_scale: 107, 0..=300, 14;
    /// Penalty at depth 0.
    multi_cut_malus_offset: 424, 0..=1200, 55;
    /// The largest penalty.
    multi_cut_malus_max: 3375, 1000..=7000, 300;

    // Step 17. Late-move reduction (move_loop.rs).
    /// Added after pruning.
    lmr_base: 691, -1000..=2400, 130;
    /// Taken off for each move before this one.
    lmr_count: 65, 0..=140, 7;
    /// Most moves that this counts.
    lmr_count_max: 40, 10..=120, 6;
    /// Taken off where a principal variation once ran.
    lmr_tt_pv: 2819, 0..=5000, 200;
    /// More of that on the principal variation.
    lmr_pv: 973, -500..=2500, 130;
    /// More of that where the TT score is above alpha.
    lmr_tt_pv_value: 905, -500..=2500, 130;
    /// More of that where the TT score is as deep as this search.
    lmr_tt_pv_depth: 935, -500..=2500, 130;
    /// And more of that at cut nodes.
    lmr_tt_pv_depth_cut: 959, -500..=2500, 130;
    /// Correction that takes off 1/1,024 ply.
    lmr_correction: 25600, 8000..=100000, 3000;
    /// Added at cut nodes.
    lmr_cut: 3611, 0..=6200, 260;
    /// Added to that without a TT move.
    lmr_cut_no_move: 985, -500..=2500, 130;
    /// Added where the TT move captures.
    lmr_tt_capture: 1054, -500..=2600, 130;
    /// Added where two replies cut off.
    lmr_cutoffs_two: 251, -500..=1500, 80;
    /// Added where more replies cut off.
    lmr_cutoffs: 1124, -500..=2600, 130;
    /// More of both where all moves must be tried.
    lmr_cutoffs_all: 1042, -500..=2600, 130;
    /// Taken off for the TT move.
    lmr_tt_move: 2239, 0..=4500, 200;
    /// Taken off for a history of 4,096.
    lmr_history: 428, 0..=1000, 40;
    /// History that a captured piece counts for, in 1/128 of its value.
    lmr_capture_value: 800, 0..=2000, 80;
    /// Share added where all moves must be tried, divided by the depth.
    lmr_all: 273, 0..=700, 35;
    /// A reduced search this far above the best score is repeated a ply deeper.
    lmr_deeper_margin: 48, 5..=30000, 7;
    /// A reduced search less than this above the best score is repeated a ply shallower.
    lmr_shallower_margin: 9, -30000..=60, 4;

    // Step 17. Late-move reduction: a move searched again (learn.rs).
    /// Bonus of a move whose reduced search beat alpha.
    lmr_again_bonus: 1426, 0..=3000, 150;

    // Step 18. Zero-window search (move_loop.rs).
    /// Added to the reduction without a TT move.
    full_depth_no_move: 1057, -500..=2600, 130;
    /// Reduction from which a search without one loses a ply.
    full_depth_reduction: 4628, 2000..=100000, 300;
    /// Reduction from which it loses two.
    full_depth_second_reduction: 5772, 3000..=100000, 300;

    // Step 20. Best move (move_loop.rs).
    /// Plies that the moves after one that raised alpha lose.
    alpha_raise_reduction: 2, 0..=4, 1;
    /// First remaining depth at which they do not.
    alpha_raise_max_depth: 14, 4..=24, 1;

    // Step 21. Histories: the best move and the others (learn.rs).
    /// Bonus a ply of depth.
    stat_bonus_scale: 128, 40..=300, 13;
    /// Taken off the bonus.
    stat_bonus_offset: 77, -100..=300, 15;
    /// The largest bonus.
    stat_bonus_max: 1529, 600..=3200, 130;
    /// Bonus more where the TT move is best.
    stat_bonus_tt_move: 353, 0..=1000, 45;
    /// Penalty a ply of depth.
    stat_malus_scale: 882, 200..=1800, 80;
    /// Taken off the penalty.
    stat_malus_offset: 204, -200..=800, 40;
    /// The largest penalty.
    stat_malus_max: 2122, 800..=4200, 170;
    /// From each quiet move to the next the penalty shrinks to this, in 1/1,024.
    stat_malus_decay: 977, 850..=1024, 9;
    /// Share of the bonus that a quiet move gets, in 1/1,024.
    stat_bonus_quiet_share: 806, 300..=1600, 60;
    /// Share of the penalty that quiet moves get, in 1/1,024.
    stat_malus_quiet_share: 1113, 400..=2000, 70;
    /// Share of the bonus that a capture gets, in 1/1,024.
    stat_bonus_capture_share: 1286, 400..=2400, 90;
    /// Share of the penalty that captures get, in 1/1,024.
    stat_malus_capture_share: 1559, 400..=2800, 100;
    /// Share of the penalty that a refuted first quiet move gets, in 1/1,024.
    stat_malus_refuted_share: 616, 0..=1600, 60;

    // Step 21. Histories: the TT move (learn.rs).
    /// Bonus where the TT move was best.
    tt_move_history_bonus: 805, 0..=2000, 90;
    /// Penalty where another was.
    tt_move_history_malus: 787, 0..=2000, 90;

    // Step 21. Histories: the move before a node whose moves all fail (learn.rs).
    /// Taken off the bonus.
    prior_bonus_base: 232, 0..=600, 30;
    /// History that takes off one.
    prior_bonus_stat: 108, 30..=300, 12;
    /// Bonus a ply.
    prior_bonus_depth: 59, 10..=150, 8;
    /// The largest bonus by depth.
    prior_bonus_depth_max: 454, 100..=1000, 45;
    /// Bonus of a late one.
    prior_bonus_late: 169, 0..=400, 20;
    /// Bonus where the score stays below the evaluation.
    prior_bonus_below: 145, 0..=400, 20;
    /// Centipawns by which it must lie below.
    prior_bonus_below_margin: 110, 0..=300, 14;
    /// Bonus where the score stays below the opponent's evaluation.
    prior_bonus_above: 154, 0..=400, 20;
    /// Centipawns by which it must lie below that.
    prior_bonus_above_margin: 73, 0..=300, 14;
    /// Scale of the bonus a ply.
    prior_bonus_scale: 135, 40..=300, 13;
    /// Taken off the scale.
    prior_bonus_offset: 80, -100..=300, 15;
    /// The largest scale.
    prior_bonus_max: 1400, 500..=3000, 120;
    /// Share in the continuations, in 1/16,384.
    prior_bonus_continuation: 221, 0..=500, 24;
    /// Share in the main history, in 1/32,768.
    prior_bonus_main: 235, 0..=600, 28;
    /// Share in the pawn history, in 1/8,192.
    prior_bonus_pawn: 290, 0..=700, 32;
    /// Bonus of a capture.
    prior_bonus_capture: 1018, 0..=2400, 110;

    // Step 22. Corrections (learn.rs).
    /// Weight of a score with a best move, in 1/128 a ply.
    correction_best_weight: 12, 2..=40, 2;
    /// Weight of a score without one, in 1/128 a ply.
    correction_no_best_weight: 17, 2..=40, 2;
    /// Share of the difference that is learnt, in 1/1,024.
    correction_share: 1069, 400..=2000, 80;
    /// The largest difference that is learnt.
    correction_max: 256, 64..=600, 25;

    // Step 22. Corrections: share of each key (correction.rs).
    /// Share that the small pieces learn, in 1/128 of what the pawns do.
    correction_learn_minor: 153, 40..=300, 13;
    /// Share that each side's pieces learn, likewise.
    correction_learn_non_pawn: 187, 40..=350, 15;
    /// Share that the hands learn, likewise.
    correction_learn_hand: 153, 40..=300, 13;
    /// Share that the last move after the one two plies before learns, likewise.
    correction_learn_two_before: 126, 20..=300, 13;
    /// Share that the last move after the one four plies before learns, likewise.
    correction_learn_four_before: 63, 0..=200, 10;

    // Quiescence (quiescence.rs).
    /// Margin by which a capture must be able to reach alpha.
    quiescence_futility_margin: 302, 80..=600, 26;
    /// Moves after which only checks and recaptures are searched.
    quiescence_max_moves: 2, 1..=20, 1;
    /// Loss that the exchange of a capture may bring.
    quiescence_see_margin: 120, 0..=400, 20;
}

/// Quiescence: plies after which only recaptures are searched, and after which the evaluation stands.
pub(crate) const RECAPTURE_PLIES: i32 = 6;
pub(crate) const QUIESCENCE_PLIES: i32 = 16;
/// The first iteration is broken off only after this many nodes, so that nearly always there is a move to show for it.
pub(crate) const FIRST_ITERATION_NODES: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    /// Every technique that has constants; with one of them each name begins.
    const TECHNIQUES: [&str; 31] = [
        "alpha_raise",
        "aspiration",
        "capture_futility",
        "cont_hist",
        "correction",
        "double_extension",
        "eval_diff",
        "full_depth",
        "futility",
        "hindsight",
        "history_pruning",
        "iir",
        "lmp",
        "lmr",
        "multi_cut",
        "negative_extension",
        "nmp",
        "order",
        "prior_bonus",
        "probcut",
        "quiescence",
        "razoring",
        "rfp",
        "see",
        "singular",
        "small_probcut",
        "stat",
        "superior_repetition",
        "triple_extension",
        "tt_cut",
        "tt_move_history",
    ];

    #[test]
    fn every_name_begins_with_its_technique() {
        for Tunable { name, .. } in TUNABLES {
            assert!(TECHNIQUES.iter().any(|technique| name.starts_with(technique)), "{name}");
        }
    }

    #[test]
    fn names_are_unique_and_lines_are_those_that_tuners_read() {
        for (i, tunable) in TUNABLES.iter().enumerate() {
            assert!(TUNABLES[..i].iter().all(|other| other.name != tunable.name), "{}", tunable.name);
            assert_eq!(tunable.to_string().split(", ").count(), 7);
        }
        assert_eq!(Tunable::find("Razoring_Depth_Margin").map(|tunable| tunable.range), Some((100, 600)));
        assert!(Tunable::find("no_such_name").is_none());
    }
}
