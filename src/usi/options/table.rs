//! The table of all options: one row each, with its name, kind, help in two languages and place.

use super::{OptionKind, Options, Spec, Value};
use crate::book::OnTheFly;
use std::time::Duration;

/// Every option, in the order in which they are announced.
pub const TABLE: &[Spec] = &[
    Spec {
        name: "USI_Hash",
        alias: Some("Hash"),
        kind: OptionKind::Spin { default: 128, min: 1, max: 1_048_576 },
        help: "Size of the transposition table in megabytes.",
        help_ja: "置換表の大きさ（MB）。",
        store: |options, value| options.hash = value.number() as usize,
    },
    Spec {
        name: "Threads",
        alias: None,
        kind: OptionKind::Spin { default: 1, min: 1, max: 1_024 },
        help: "Number of search threads.",
        help_ja: "探索に使うスレッドの数。",
        store: |options, value| options.threads = value.number() as usize,
    },
    Spec {
        name: "USI_Ponder",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Name the expected answer with each move, so that the GUI may let the engine think ahead.",
        help_ja: "相手の予想手を添えて指し手を返し、相手の手番中の先読みを可能にする。",
        store: |options, value| options.ponder = value.flag(),
    },
    Spec {
        name: "Stochastic_Ponder",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Think ahead on every answer of the opponent, not only on the expected one.",
        help_ja: "先読み中に、予想手だけでなく相手のすべての応手を読む（確率的ポンダー）。",
        store: |options, value| options.stochastic_ponder = value.flag(),
    },
    Spec {
        name: "MultiPV",
        alias: Some("USI_MultiPV"),
        kind: OptionKind::Spin { default: 1, min: 1, max: 600 },
        help: "How many of the best moves are analysed and shown; may be changed during an analysis.",
        help_ja: "検討して表示する候補手の数。検討中にも変更できる。",
        store: |options, value| options.multi_pv = value.number() as usize,
    },
    Spec {
        name: "NetworkDelay",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 10_000 },
        help: "Milliseconds that are always held back for the way of a move to the referee; 0: what is measured decides.",
        help_ja: "指し手が審判に届くまでの遅れとして毎手差し引く時間（ミリ秒）。0なら実測した遅れを使う。",
        store: |options, value| options.time.network_delay = value.millis(),
    },
    Spec {
        name: "NetworkDelay2",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 10_000 },
        help: "The same for a move that uses up the clock, as every move in byoyomi does; never more than half of the time.",
        help_ja: "秒読みなど持ち時間を使い切る手で差し引く時間（ミリ秒）。使える時間の半分を超えて引くことはない。",
        store: |options, value| options.time.network_delay2 = value.millis(),
    },
    Spec {
        name: "MinimumThinkingTime",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 100_000 },
        help: "Milliseconds that a move takes at least, where the clock allows it.",
        help_ja: "一手に最低限かける時間（ミリ秒）。持ち時間が許す範囲で守る。",
        store: |options, value| options.time.minimum_thinking_time = value.millis(),
    },
    Spec {
        name: "RoundUpToFullSecond",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Use a second that was begun up to its end: for referees that do not count fractions of a second.",
        help_ja: "秒未満を切り捨てて計測する対局で、始まった一秒を終わりまで使う。",
        store: |options, value| options.time.round_up_to_full_second = value.flag(),
    },
    Spec {
        name: "SlowMover",
        alias: None,
        kind: OptionKind::Spin { default: 100, min: 1, max: 1_000 },
        help: "Share of the main time that a move takes, in per cent of the usual.",
        help_ja: "一手に割り当てる持ち時間の割合（％）。大きいほど序盤に時間を使う。",
        store: |options, value| options.time.slow_mover = value.number() as u32,
    },
    Spec {
        name: "Rules",
        alias: None,
        kind: OptionKind::Combo {
            default: "custom",
            values: &["custom", "floodgate", "denryu", "wcsc", "jsa", "shogihome"],
        },
        help: "Rules of a server or tournament; any but custom takes the place of the next five options.",
        help_ja: "サーバーや大会のルールをまとめて選ぶ。custom以外を選ぶと、続く五つのオプションより優先される。",
        store: |options, value| options.rule_set = value.word().parse().ok(),
    },
    Spec {
        name: "EnteringKingRule",
        alias: None,
        kind: OptionKind::Combo {
            default: "CSARule27",
            values: &["CSARule27", "CSARule27H", "CSARule24", "CSARule24H", "TryRule", "NoEnteringKing"],
        },
        help: "Rule by which a king in the enemy camp wins.",
        help_ja: "入玉したときの勝ちの規定。",
        store: |options, value| options.custom_rules.entering_king = value.word().parse().unwrap_or_default(),
    },
    Spec {
        name: "MaxMovesToDraw",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 100_000 },
        help: "The game is drawn after this many plies; 0 for no limit.",
        help_ja: "引き分けになる手数。0なら制限なし。",
        store: |options, value| options.custom_rules.ply_limit = value.number() as u32,
    },
    Spec {
        name: "MaxMovesCounter",
        alias: None,
        kind: OptionKind::Combo { default: "Sfen", values: &["Sfen", "Moves"] },
        help: "What the limit counts: the move number of the SFEN, or the moves since the position was set up.",
        help_ja: "手数制限の数え方。SFENの手数で数えるか、開始局面からの指し手の数で数えるか。",
        store: |options, value| options.counts_moves = value.word() == "Moves",
    },
    Spec {
        name: "MateOnLastPly",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "A move that mates on the last ply of the limit wins; otherwise the game is drawn.",
        help_ja: "手数制限の最後の一手で詰ませたとき、勝ちとする。オフなら引き分け。",
        store: |options, value| options.custom_rules.mate_on_last_ply = value.flag(),
    },
    Spec {
        name: "RepetitionCountsStart",
        alias: None,
        kind: OptionKind::Check { default: true },
        help: "The start position is one of the four occurrences that make a repetition.",
        help_ja: "千日手の同一局面四回に、対局開始の局面を含める。",
        store: |options, value| options.custom_rules.start_counts = value.flag(),
    },
    Spec {
        name: "DrawValueBlack",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: -30_000, max: 30_000 },
        help: "What a draw is worth when the engine plays Black, in centipawns.",
        help_ja: "先手番のときの引き分けの評価値（歩＝100）。",
        store: |options, value| options.draw_value[0] = value.number() as i32,
    },
    Spec {
        name: "DrawValueWhite",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: -30_000, max: 30_000 },
        help: "What a draw is worth when the engine plays White, in centipawns.",
        help_ja: "後手番のときの引き分けの評価値（歩＝100）。",
        store: |options, value| options.draw_value[1] = value.number() as i32,
    },
    Spec {
        name: "ResignValue",
        alias: None,
        kind: OptionKind::Spin { default: 99_999, min: 0, max: 99_999 },
        help: "Resign when the score falls to minus this many centipawns; from 32001 on, only without a legal move.",
        help_ja: "評価値がこの値のマイナス以下になったら投了する。32001以上なら指せる手がなくなるまで投了しない。",
        store: |options, value| options.resign_value = value.number() as i32,
    },
    Spec {
        name: "PvInterval",
        alias: None,
        kind: OptionKind::Spin { default: 300, min: 0, max: 100_000 },
        help: "Milliseconds between two reports on the search at least; 0 shows every iteration.",
        help_ja: "読み筋を出力する最短の間隔（ミリ秒）。0なら反復ごとに出力する。",
        store: |options, value| options.pv_interval = value.millis(),
    },
    Spec {
        name: "ConsiderationMode",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "For analysis: a draw is worth 0, the engine does not resign, and every iteration is shown.",
        help_ja: "検討用。引き分けを0点とし、投了せず、反復ごとに読み筋を出力する。",
        store: |options, value| options.consideration_mode = value.flag(),
    },
    Spec {
        name: "GenerateAllLegalMoves",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Search also the moves that leave a pawn, bishop or rook unpromoted.",
        help_ja: "歩・角・飛の不成なども読む。",
        store: |options, value| options.all_moves = value.flag(),
    },
    Spec {
        name: "SkillLevel",
        alias: Some("Skill_Level"),
        kind: OptionKind::Spin { default: 20, min: 0, max: 20 },
        help: "How strong the engine plays: 20 is full strength, below it the search is shallow and now and then a worse move is played.",
        help_ja: "棋力。20で最強。下げるほど読みが浅くなり、ときどき最善でない手を指す。",
        store: |options, value| options.skill = value.number() as u8,
    },
    Spec {
        name: "ShortestMate",
        alias: None,
        kind: OptionKind::Check { default: true },
        help: "In a search for a mate, search on after the first mate until none is shorter, or time is up.",
        help_ja: "詰み探索で詰みを見つけたあとも、最短手数と確かめるか時間切れになるまで読み続ける。",
        store: |options, value| options.shortest_mate = value.flag(),
    },
    Spec {
        name: "OmitFutile",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "In a search for a mate, leave futile interpositions (muda-ai) out of the answer.",
        help_ja: "詰み探索の解答から無駄合いを省く。",
        store: |options, value| options.omit_futile = value.flag(),
    },
    Spec {
        name: "EvalFile",
        alias: None,
        kind: OptionKind::Filename { default: "<internal>" },
        help: "File of a net (nn.bin: HalfKP, K-P, SFNN ka2); <internal> is the net that is built in, <hand-crafted> (also <material>) the evaluation without a net.",
        help_ja: "評価関数のファイル（nn.bin。HalfKP、K-P、SFNN ka2）。<internal>は内蔵の評価関数、<hand-crafted>（<material>も可）は手作りの評価関数。",
        store: |options, value| options.eval_file = value.text(),
    },
    Spec {
        name: "EvalDir",
        alias: None,
        kind: OptionKind::Filename { default: "" },
        help: "Folder of a net with the name nn.bin, used where EvalFile names none.",
        help_ja: "評価関数nn.binのあるフォルダー。EvalFileを指定しないときに使う。",
        store: |options, value| options.eval_dir = value.text(),
    },
    Spec {
        name: "FV_SCALE",
        alias: None,
        kind: OptionKind::Spin { default: 16, min: 1, max: 128 },
        help: "By what the output of a net from a file is divided; its author says which number fits (16 to 24).",
        help_ja: "ファイルから読んだ評価関数の出力を割る数。適した値は評価関数の作者が示す（16～24）。",
        store: |options, value| options.fv_scale = value.number() as i32,
    },
    Spec {
        name: "USI_OwnBook",
        alias: None,
        kind: OptionKind::Check { default: true },
        help: "Play moves of the opening book that BookFile names.",
        help_ja: "BookFileで指定した定跡を使う。",
        store: |options, value| options.own_book = value.flag(),
    },
    Spec {
        name: "BookFile",
        alias: None,
        kind: OptionKind::Filename { default: "no_book" },
        help: "Opening book (.db, .ybb, Apery's .bin, .sbk, told apart by content); no_book: none.",
        help_ja: "定跡ファイル（.db、.ybb、Aperyの.bin、.sbk。形式は中身で判別）。no_bookなら使わない。",
        store: |options, value| options.book_file = value.text(),
    },
    Spec {
        name: "BookDir",
        alias: None,
        kind: OptionKind::Text { default: "book" },
        help: "Folder of opening books, seen from the folder of the program, then from the working directory.",
        help_ja: "定跡ファイルのフォルダー。エンジンのあるフォルダー、作業フォルダーの順に探す。",
        store: |options, value| options.book_dir = value.text(),
    },
    Spec {
        name: "BookMoves",
        alias: None,
        kind: OptionKind::Spin { default: 1_000, min: 0, max: 10_000 },
        help: "Last ply of the game at which the book is used.",
        help_ja: "定跡を使う最後の手数。",
        store: |options, value| options.book.moves = value.number() as u32,
    },
    Spec {
        name: "BookEvalDiff",
        alias: None,
        kind: OptionKind::Spin { default: 30, min: 0, max: 99_999 },
        help: "How many centipawns a book move may be worse than the best one of the position.",
        help_ja: "定跡の最善手と比べて許す評価値の差（センチポーン）。",
        store: |options, value| options.book.eval_diff = value.number() as i32,
    },
    Spec {
        name: "BookEvalBlackDiff",
        alias: None,
        kind: OptionKind::Spin { default: -1, min: -1, max: 99_999 },
        help: "The same for the engine as Black; -1: as BookEvalDiff.",
        help_ja: "先手のときの許容差。-1ならBookEvalDiffと同じ。",
        store: |options, value| options.book.eval_diffs[0] = value.number() as i32,
    },
    Spec {
        name: "BookEvalWhiteDiff",
        alias: None,
        kind: OptionKind::Spin { default: -1, min: -1, max: 99_999 },
        help: "The same for the engine as White; -1: as BookEvalDiff.",
        help_ja: "後手のときの許容差。-1ならBookEvalDiffと同じ。",
        store: |options, value| options.book.eval_diffs[1] = value.number() as i32,
    },
    Spec {
        name: "BookEvalBlackLimit",
        alias: None,
        kind: OptionKind::Spin { default: -200, min: -99_999, max: 99_999 },
        help: "Least value of a book move that is played as Black, in centipawns.",
        help_ja: "先手のときに指す定跡手の評価値の下限（センチポーン）。",
        store: |options, value| options.book.eval_limit[0] = value.number() as i32,
    },
    Spec {
        name: "BookEvalWhiteLimit",
        alias: None,
        kind: OptionKind::Spin { default: -300, min: -99_999, max: 99_999 },
        help: "Least value of a book move that is played as White, in centipawns.",
        help_ja: "後手のときに指す定跡手の評価値の下限（センチポーン）。",
        store: |options, value| options.book.eval_limit[1] = value.number() as i32,
    },
    Spec {
        name: "BookDepthLimit",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 99_999 },
        help: "Depth that the best book move of a position must have; 0: any.",
        help_ja: "定跡の最善手に求める探索深さ。0なら問わない。",
        store: |options, value| options.book.depth_limit = value.number() as u32,
    },
    Spec {
        name: "BookOnTheFly",
        alias: None,
        kind: OptionKind::Combo { default: "auto", values: &["auto", "true", "false"] },
        help: "Search the book on disk instead of reading it into memory; auto: files above 64 MB.",
        help_ja: "定跡をメモリに読み込まず、ディスク上で検索する。autoなら64MBを超えるファイルだけ。",
        store: |options, value| {
            options.book_on_the_fly = match value.word() {
                "true" => OnTheFly::Yes,
                "false" => OnTheFly::No,
                _ => OnTheFly::Auto,
            };
        },
    },
    Spec {
        name: "IgnoreBookPly",
        alias: None,
        kind: OptionKind::Check { default: true },
        help: "Use a position of the book whatever its move number.",
        help_ja: "定跡の局面の手数が違っていても使う。",
        store: |options, value| options.book.lookup.ignore_ply = value.flag(),
    },
    Spec {
        name: "FlippedBook",
        alias: None,
        kind: OptionKind::Check { default: true },
        help: "Look a position that is not in the book up turned by 180 degrees, too.",
        help_ja: "定跡にない局面は、先後を入れ替えた局面でも探す。",
        store: |options, value| options.book.lookup.flipped = value.flag(),
    },
    Spec {
        name: "ConsiderBookMoveCount",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Draw book moves in proportion to their counts; else each has the same chance.",
        help_ja: "定跡の手を採択回数に比例して選ぶ。オフなら同じ確率で選ぶ。",
        store: |options, value| options.book.by_count = value.flag(),
    },
    Spec {
        name: "NarrowBook",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Leave out book moves with less than a tenth of the counts of a position.",
        help_ja: "採択回数が局面全体の1割に満たない定跡手を外す。",
        store: |options, value| options.book.narrow = value.flag(),
    },
    Spec {
        name: "BookIgnoreRate",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 100 },
        help: "Per cent of look-ups in which the book is not used.",
        help_ja: "定跡を使わずに自力で考える割合（%）。",
        store: |options, value| options.book.ignore_rate = value.number() as u32,
    },
    Spec {
        name: "BookPvMoves",
        alias: None,
        kind: OptionKind::Spin { default: 8, min: 1, max: 100 },
        help: "Plies of the line that is shown for a book move.",
        help_ja: "定跡手の読み筋として表示する手数。",
        store: |options, value| options.book.pv_moves = value.number() as usize,
    },
    Spec {
        name: "DebugLogFile",
        alias: None,
        kind: OptionKind::Filename { default: "" },
        help: "Write every line in both directions to this file, with the time in milliseconds.",
        help_ja: "GUIとのやりとりを、ミリ秒単位の時刻を付けてすべてこのファイルに記録する。",
        store: |options, value| options.debug_log_file = value.text(),
    },
];

impl Value {
    fn number(&self) -> i64 {
        if let Value::Number(n) = self { *n } else { 0 }
    }

    fn millis(&self) -> Duration {
        Duration::from_millis(self.number().unsigned_abs())
    }

    fn flag(&self) -> bool {
        *self == Value::Flag(true)
    }

    fn word(&self) -> &'static str {
        if let Value::Word(word) = self { word } else { "" }
    }

    fn text(&self) -> String {
        if let Value::Text(text) = self { text.clone() } else { String::new() }
    }
}

impl Options {
    /// All options at their defaults.
    pub(super) fn from_table() -> Options {
        let mut options = Options::blank();
        for spec in TABLE {
            let value = match spec.kind {
                OptionKind::Spin { default, .. } => Value::Number(default),
                OptionKind::Check { default } => Value::Flag(default),
                OptionKind::Combo { default, .. } => Value::Word(default),
                OptionKind::Filename { default } | OptionKind::Text { default } => Value::Text(default.to_string()),
            };
            (spec.store)(&mut options, &value);
        }
        options
    }
}
