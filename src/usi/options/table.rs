//! The values of all options, and the table of them: one row each, with its name, kind, place and help in two
//! languages.

use super::Spec;
use crate::book::OnTheFly;
use crate::book::probe::ProbeOptions;
use crate::host::HAS_THREADS;
use crate::levels::{Level, LevelStyle, LevelTime};
use crate::position::{EnteringKingRule, GameRules, RuleSet};
use crate::search::TimeOptions;
use std::time::Duration;

/// Makes [`Options`] out of its fields, and `Options::blank`, in which each has the default of its type.
macro_rules! options {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)*) => {
        /// The values of all options.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Options {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Options {
            /// Options before the table has filled them in.
            pub(super) fn blank() -> Options {
                Options { $($field: <$type>::default(),)* }
            }
        }
    };
}

options! {
    /// Size of the transposition table in megabytes.
    hash: usize,
    /// Search threads.
    threads: usize,
    /// Names the expected answer in `bestmove`.
    ponder: bool,
    /// Lets pondering go on about all answers of the opponent.
    stochastic_ponder: bool,
    /// Number of the best moves that are analysed.
    multi_pv: usize,
    /// Settings of the user about time.
    time: TimeOptions,
    /// The rules of a tournament, in place of the custom ones.
    rule_set: Option<RuleSet>,
    /// The rules that are set one by one.
    custom_rules: GameRules,
    /// Counts the moves made for the ply limit, not the counter of the SFEN.
    counts_moves: bool,
    /// Value of a draw to the engine as Black and as White, in centipawns.
    draw_value: [i32; 2],
    /// The score at whose negative the engine resigns.
    resign_value: i32,
    /// The least time between two reports.
    pv_interval: Duration,
    /// Serves an analysis, not a game.
    consideration_mode: bool,
    /// Searches moves that leave a piece unpromoted for nothing.
    all_moves: bool,
    /// The level that `Level` names; full strength without one.
    level: Option<Level>,
    /// Plays the grade of `strength`.
    limits_strength: bool,
    /// A grade: kyu below zero, dan above; 0 counts as 1.
    strength: i8,
    /// The seed of a level's errors; 0 for another one each game.
    level_seed: u64,
    /// Time that a level takes for a move.
    level_time: LevelTime,
    /// The openings that a level plays.
    level_style: LevelStyle,
    /// Percentage of the evaluation of a handicap's start that counts as 0.
    handicap_zero: i32,
    /// A search for a mate goes on until no shorter mate can exist.
    shortest_mate: bool,
    /// The answer of a search for a mate leaves futile interpositions out.
    omit_futile: bool,
    /// The evaluation file that was asked for.
    eval_file: String,
    /// The folder of the evaluation file, if no file was named.
    eval_dir: String,
    /// By what the output of a net is divided to give points of which a pawn is worth 90; at its default a net's own
    /// scale counts.
    fv_scale: i32,
    /// The shape of a net whose file does not tell it; empty for none.
    eval_shape: String,
    /// Uses the opening book.
    own_book: bool,
    /// The file of the opening book that was asked for.
    book_file: String,
    /// The folder of opening books.
    book_dir: String,
    /// Leaves the book on disk.
    book_on_the_fly: OnTheFly,
    /// Settings of the choice of a move out of the book.
    book: ProbeOptions,
    /// Where the conversation is logged; empty for nowhere.
    debug_log_file: String,
}

/// The values of `Rules`: the single options, then the profiles.
const RULES: [&str; RuleSet::ALL.len() + 1] = with_first("custom", &RuleSet::NAMES);

/// The values of `Level`: full strength, then the levels.
const LEVELS: [&str; Level::OFFERED.len() + 1] = with_first("full", &Level::OFFERED);

const fn with_first<const N: usize>(first: &'static str, others: &[&'static str]) -> [&'static str; N] {
    let mut names = [first; N];
    let mut i = 0;
    while i < others.len() {
        names[i + 1] = others[i];
        i += 1;
    }
    names
}

/// Megabytes of the transposition table at the start, and the most; browsers give a page less.
const DEFAULT_HASH: i64 = if HAS_THREADS { 128 } else { 16 };
const MAX_HASH: i64 = if HAS_THREADS { 1_048_576 } else { 256 };

fn millis(number: i64) -> Duration {
    Duration::from_millis(number.unsigned_abs())
}

/// Every option, in the order of `usi`: what a player sets comes first, what experts set last.
pub const TABLE: &[Spec] = &[
    Spec::combo("Level", &LEVELS, |options, index| options.level = LEVELS[index].parse().ok())
        .help("Play as a person of this rank would; any but full takes the place of USI_Strength.")
        .ja("人間らしい棋力の段級位。full以外ではUSI_Strengthより優先される。"),
    Spec::combo("LevelTime", &LevelTime::NAMES, |options, index| options.level_time = LevelTime::ALL[index])
        .help("Time that a level takes for a move where a clock runs: 0.3 to 0.9 seconds, none, or a person's.")
        .ja("段級位で指すときの考慮時間（時計のある対局のみ）。normalは0.3～0.9秒、fastは待たない、humanは人間並み。"),
    Spec::spin("Threads", 1, [1, if HAS_THREADS { 1_024 } else { 1 }], |options, number| {
        options.threads = number as usize
    })
        .help("Number of search threads.")
        .ja("探索に使うスレッドの数。"),
    Spec::spin("USI_Hash", DEFAULT_HASH, [1, MAX_HASH], |options, number| options.hash = number as usize)
        .or("Hash")
        .help("Size of the transposition table in megabytes.")
        .ja("置換表の大きさ（MB）。"),
    Spec::spin("MultiPV", 1, [1, 600], |options, number| options.multi_pv = number as usize)
        .or("USI_MultiPV")
        .help("How many of the best moves are analysed and shown; may be changed during an analysis.")
        .ja("検討して表示する候補手の数。検討中にも変更できる。"),
    Spec::combo("Rules", &RULES, |options, index| options.rule_set = index.checked_sub(1).map(|set| RuleSet::ALL[set]))
        .help("Rules of a server or tournament; any but custom takes the place of EnteringKingRule to RepetitionCountsStart.")
        .ja("サーバーや大会のルールをまとめて選ぶ。custom以外を選ぶと、EnteringKingRule～RepetitionCountsStartより優先される。"),
    Spec::file("EvalFile", "<internal>", |options, text| options.eval_file = text.to_string())
        .help("File of a net (nn.bin), of any shape, or its folder; <internal> is the built-in one.")
        .ja("評価関数のファイル（nn.bin。形は問わない）またはそのフォルダ。<internal>は内蔵。"),
    Spec::file("BookFile", "<internal>", |options, text| options.book_file = text.to_string())
        .help("Opening book (.db, .ybb, .bin, .sbk); <internal>: built in, for games with main time at full strength; no_book: none.")
        .ja("定跡ファイル（.db、.ybb、.bin、.sbk）。<internal>は内蔵（持ち時間があり、強さの制限がないとき）。no_bookなら使わない。"),
    Spec::check("USI_OwnBook", true, |options, flag| options.own_book = flag)
        .help("Play moves of the opening book that BookFile names.")
        .ja("BookFileで指定した定跡を使う。"),
    Spec::check("USI_Ponder", false, |options, is_on| options.ponder = is_on)
        .help("Name the expected answer with each move, so that the GUI may let the engine think ahead.")
        .ja("相手の予想手を添えて指し手を返し、相手の手番中の先読みを可能にする。"),
    Spec::check("Stochastic_Ponder", false, |options, is_on| options.stochastic_ponder = is_on)
        .help("Think ahead on every answer of the opponent, not only on the expected one.")
        .ja("先読み中に、予想手だけでなく相手のすべての応手を読む（確率的ポンダー）。"),
    Spec::spin("ResignValue", 99_999, [0, 99_999], |options, number| options.resign_value = number as i32)
        .help("Resign when the score falls to minus this many centipawns; from 32001 on, only without a legal move.")
        .ja("評価値がこの値のマイナス以下になったら投了する。32001以上なら指せる手がなくなるまで投了しない。"),
    Spec::check("ConsiderationMode", false, |options, is_on| options.consideration_mode = is_on)
        .help("For analysis: a draw is worth 0, the engine does not resign, and every iteration is shown.")
        .ja("検討用。引き分けを0点とし、投了せず、反復ごとに読み筋を出力する。"),
    Spec::spin("HandicapZero", 0, [0, 100], |options, number| options.handicap_zero = number as i32)
        .help("Percentage of the evaluation of a handicap's start that counts as 0, in scores shown and for ResignValue.")
        .ja("駒落ちの対局で、開始局面の評価値の何パーセントを0とみなすか。表示する評価値とResignValueに適用される。"),
    Spec::spin("NetworkDelay", 0, [0, 10_000], |options, number| options.time.network_delay = millis(number))
        .help("Milliseconds that are always held back for the way of a move to the referee; 0: what is measured decides.")
        .ja("指し手が審判に届くまでの遅れとして毎手差し引く時間（ミリ秒）。0なら実測した遅れを使う。"),
    Spec::spin("NetworkDelay2", 0, [0, 10_000], |options, number| options.time.network_delay2 = millis(number))
        .help("Milliseconds held back where a move uses up the clock, as in byoyomi; never more than half of the time.")
        .ja("秒読みなど持ち時間を使い切る手で差し引く時間（ミリ秒）。使える時間の半分を超えて引くことはない。"),
    Spec::spin("MinimumThinkingTime", 0, [0, 100_000], |options, number| {
        options.time.minimum_thinking_time = millis(number)
    })
        .help("Milliseconds that a move takes at least, where the clock allows it.")
        .ja("一手に最低限かける時間（ミリ秒）。持ち時間が許す範囲で守る。"),
    Spec::check("RoundUpToFullSecond", false, |options, is_on| options.time.round_up_to_full_second = is_on)
        .help("Use a second that was begun up to its end: for referees that do not count fractions of a second.")
        .ja("秒未満を切り捨てて計測する対局で、始まった一秒を終わりまで使う。"),
    Spec::spin("SlowMover", 100, [1, 1_000], |options, number| options.time.slow_mover = number as u32)
        .help("Share of the main time that a move takes, in per cent of the usual.")
        .ja("一手に割り当てる持ち時間の割合（％）。大きいほど序盤に時間を使う。"),
    Spec::combo("EnteringKingRule", &EnteringKingRule::NAMES, |options, index| {
        options.custom_rules.entering_king = EnteringKingRule::ALL[index]
    })
        .help("Rule by which a king in the enemy camp wins.")
        .ja("入玉したときの勝ちの規定。"),
    Spec::spin("MaxMovesToDraw", 0, [0, 100_000], |options, number| options.custom_rules.ply_limit = number as u32)
        .help("The game is drawn after this many plies; 0 for no limit.")
        .ja("引き分けになる手数。0なら制限なし。"),
    Spec::combo("MaxMovesCounter", &["Sfen", "Moves"], |options, index| options.counts_moves = index == 1)
        .help("What the limit counts: the move number of the SFEN, or the moves since the position was set up.")
        .ja("手数制限の数え方。SFENの手数で数えるか、開始局面からの指し手の数で数えるか。"),
    Spec::check("MateOnLastPly", false, |options, is_on| options.custom_rules.mate_on_last_ply = is_on)
        .help("A move that mates on the last ply of the limit wins; otherwise the game is drawn.")
        .ja("手数制限の最後の一手で詰ませたとき、勝ちとする。オフなら引き分け。"),
    Spec::check("RepetitionCountsStart", true, |options, is_on| options.custom_rules.start_counts = is_on)
        .help("The start position is one of the four occurrences that make a repetition.")
        .ja("千日手の同一局面四回に、対局開始の局面を含める。"),
    Spec::spin("DrawValueBlack", 0, [-30_000, 30_000], |options, number| options.draw_value[0] = number as i32)
        .help("What a draw is worth when the engine plays Black, in centipawns.")
        .ja("先手番のときの引き分けの評価値（歩＝100）。"),
    Spec::spin("DrawValueWhite", 0, [-30_000, 30_000], |options, number| options.draw_value[1] = number as i32)
        .help("What a draw is worth when the engine plays White, in centipawns.")
        .ja("後手番のときの引き分けの評価値（歩＝100）。"),
    Spec::text("BookDir", "book", |options, text| options.book_dir = text.to_string())
        .with_files()
        .help("Folder of opening books, seen from the folder of the program, then from the working directory.")
        .ja("定跡ファイルのフォルダ。エンジンのあるフォルダ、作業フォルダの順に探す。"),
    Spec::spin("BookMoves", 1_000, [0, 10_000], |options, number| options.book.moves = number as u32)
        .help("Last ply of the game at which the book is used.")
        .ja("定跡を使う最後の手数。"),
    Spec::spin("BookEvalDiff", 30, [0, 99_999], |options, number| options.book.eval_diff = number as i32)
        .help("How many centipawns a book move may be worse than the best one of the position.")
        .ja("定跡の最善手と比べて許す評価値の差（センチポーン）。"),
    Spec::spin("BookEvalBlackDiff", -1, [-1, 99_999], |options, number| options.book.eval_diffs[0] = number as i32)
        .help("How many centipawns a book move may be worse for the engine as Black; -1: as BookEvalDiff.")
        .ja("先手のときの許容差。-1ならBookEvalDiffと同じ。"),
    Spec::spin("BookEvalWhiteDiff", -1, [-1, 99_999], |options, number| options.book.eval_diffs[1] = number as i32)
        .help("How many centipawns a book move may be worse for the engine as White; -1: as BookEvalDiff.")
        .ja("後手のときの許容差。-1ならBookEvalDiffと同じ。"),
    Spec::spin("BookEvalBlackLimit", -200, [-99_999, 99_999], |options, number| {
        options.book.eval_limit[0] = number as i32
    })
        .help("Least value of a book move that is played as Black, in centipawns.")
        .ja("先手のときに指す定跡手の評価値の下限（センチポーン）。"),
    Spec::spin("BookEvalWhiteLimit", -300, [-99_999, 99_999], |options, number| {
        options.book.eval_limit[1] = number as i32
    })
        .help("Least value of a book move that is played as White, in centipawns.")
        .ja("後手のときに指す定跡手の評価値の下限（センチポーン）。"),
    Spec::spin("BookDepthLimit", 0, [0, 99_999], |options, number| options.book.depth_limit = number as u32)
        .help("Depth that the best book move of a position must have; 0: any.")
        .ja("定跡の最善手に求める探索深さ。0なら問わない。"),
    Spec::combo("BookOnTheFly", &["auto", "true", "false"], |options, index| {
        options.book_on_the_fly = [OnTheFly::Auto, OnTheFly::Yes, OnTheFly::No][index]
    })
        .with_files()
        .help("Search the book on disk instead of reading it into memory; auto: files above 64 MB.")
        .ja("定跡をメモリに読み込まず、ディスク上で検索する。autoなら64MBを超えるファイルだけ。"),
    Spec::check("IgnoreBookPly", true, |options, flag| options.book.lookup.ignore_ply = flag)
        .help("Use a position of the book whatever its move number.")
        .ja("定跡の局面の手数が違っていても使う。"),
    Spec::check("FlippedBook", true, |options, flag| options.book.lookup.flipped = flag)
        .help("Look a position that is not in the book up turned by 180 degrees, too.")
        .ja("定跡にない局面は、先後を入れ替えた局面でも探す。"),
    Spec::check("ConsiderBookMoveCount", false, |options, flag| options.book.by_count = flag)
        .help("Draw book moves in proportion to their counts; else each has the same chance.")
        .ja("定跡の手を採択回数に比例して選ぶ。オフなら同じ確率で選ぶ。"),
    Spec::check("NarrowBook", false, |options, flag| options.book.narrow = flag)
        .help("Leave out book moves with less than a tenth of the counts of a position.")
        .ja("採択回数が局面全体の1割に満たない定跡手を外す。"),
    Spec::spin("BookIgnoreRate", 0, [0, 100], |options, number| options.book.ignore_rate = number as u32)
        .help("Per cent of look-ups in which the book is not used.")
        .ja("定跡を使わずに自力で考える割合（%）。"),
    Spec::spin("BookPvMoves", 8, [1, 100], |options, number| options.book.pv_moves = number as usize)
        .help("Plies of the line that is shown for a book move.")
        .ja("定跡手の読み筋として表示する手数。"),
    Spec::check("ShortestMate", true, |options, is_on| options.shortest_mate = is_on)
        .help("In a search for a mate, search on after the first mate until none is shorter, or time is up.")
        .ja("詰み探索で詰みを見つけたあとも、最短手数と確かめるか時間切れになるまで読み続ける。"),
    Spec::check("OmitFutile", false, |options, is_on| options.omit_futile = is_on)
        .help("In a search for a mate, leave futile interpositions (muda-ai) out of the answer.")
        .ja("詰み探索の解答から無駄合いを省く。"),
    Spec::check("USI_LimitStrength", false, |options, is_on| options.limits_strength = is_on)
        .help("Play at the rank that USI_Strength names.")
        .ja("USI_Strengthの段級位で指す。"),
    Spec::spin("USI_Strength", 1, [-15, 9], |options, number| options.strength = number as i8)
        .help("Rank where USI_LimitStrength is on: -15 for 15 kyu to -1 for 1 kyu, 1 to 9 for dan.")
        .ja("USI_LimitStrengthがオンのときの段級位。-15が15級、-1が1級、1～9が初段～九段。"),
    Spec::combo("LevelStyle", &LevelStyle::NAMES, |options, index| options.level_style = LevelStyle::ALL[index])
        .help("Openings of a level: any, static rook, ranging rook, or a surprise.")
        .ja("段級位で指すときの戦法。anyはおまかせ、static-rookは居飛車、ranging-rookは振り飛車、surpriseは奇襲。"),
    Spec::spin("LevelSeed", 0, [0, i32::MAX as i64], |options, number| options.level_seed = number.unsigned_abs())
        .help("Which errors a level makes, and which plan it has: the same number gives the same moves; 0 for others in each game.")
        .ja("段級位で指すときの間違え方と作戦。同じ数なら同じ局面で同じ手を指す。0なら対局ごとに変わる。"),
    Spec::file("EvalDir", "", |options, text| options.eval_dir = text.to_string())
        .help("Folder of a net with the name nn.bin, or its file, used where EvalFile names none.")
        .ja("評価関数nn.binのあるフォルダ、またはそのファイル。EvalFileを指定しないときに使う。"),
    Spec::spin("FV_SCALE", 16, [1, 128], |options, number| options.fv_scale = number as i32)
        .with_files()
        .help("Divisor of the output of a net from a file, as its author gives it; at 16 eval_options.txt or the file may give another.")
        .ja("ファイルから読んだ評価関数の出力を割る数（作者の示す値）。16のままなら、eval_options.txtやファイルの示す値を使う。"),
    Spec::text("EvalShape", "", |options, text| options.eval_shape = text.to_string())
        .with_files()
        .help("Shape of a net whose file fits several, such as sfnn_ka2_512_15_32_k3k3; isready names them.")
        .ja("ファイルだけでは形の決まらない評価関数の形。例：sfnn_ka2_512_15_32_k3k3。候補はisreadyのときに示す。"),
    Spec::spin("PvInterval", 300, [0, 100_000], |options, number| options.pv_interval = millis(number))
        .help("Milliseconds between two reports on the search at least; 0 shows every iteration.")
        .ja("読み筋を出力する最短の間隔（ミリ秒）。0なら反復ごとに出力する。"),
    Spec::check("GenerateAllLegalMoves", false, |options, is_on| options.all_moves = is_on)
        .help("Search also the moves that leave a pawn, bishop or rook unpromoted.")
        .ja("歩・角・飛の不成なども読む。"),
    Spec::file("DebugLogFile", "", |options, text| options.debug_log_file = text.to_string())
        .help("Write every line in both directions to this file, with the time in milliseconds.")
        .ja("GUIとのやりとりを、ミリ秒単位の時刻を付けてすべてこのファイルに記録する。"),
];
