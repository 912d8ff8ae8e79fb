// Words in two languages, and numbers.

addWords({
  games: ["All games", "対局一覧"],
  game: ["Game", "棋譜"],
  board: ["Board", "盤面"],
  graph: ["Graph", "グラフ"],
  summary: ["Summary", "まとめ"],
  labels: ["Labelled moves", "評価の付いた手"],
  afterMove: ["Position after {} moves", "{}手目まで"],
  chance: ["Black's winning chance", "先手の勝率"],
  loss: ["Loss of winning chance by each move", "一手ごとの勝率の損失"],
  time: ["Time of each move", "消費時間"],
  byoyomi: ["byoyomi, {} s", "秒読み{}秒"],
  short: ["{} s left", "残り{}秒"],
  pressed: ["Mistakes and blunders under time pressure, of moves", "秒読み・切迫での悪手／手数"],
  histogram: ["Losses of the moves", "損失の分布"],
  movesWord: ["Moves", "手数"],
  label: ["Label", "評価"],
  score: ["Score", "評価値"],
  lineOfPlay: ["Line", "読み筋"],
  accuracy: ["Accuracy", "精度"],
  acpl: ["Average loss, centipawns", "平均損失（センチポーン）"],
  first: ["First choice", "最善手一致率"],
  top3: ["First three", "上位3手一致率"],
  judged: ["Moves judged", "評価した手"],
  opening: ["Opening, to ply 40", "序盤（40手目まで）"],
  middle: ["Middle game", "中盤"],
  end: ["End game", "終盤"],
  whole: ["Whole game", "全体"],
  good: ["Good move", "好手"],
  inaccuracy: ["Inaccuracy", "緩手"],
  dubious: ["Dubious move", "疑問手"],
  mistake: ["Mistake", "悪手"],
  blunder: ["Blunder", "大悪手"],
  missedMate: ["a mate was missed", "詰みを逃した"],
  missedChip: ["Missed mate", "詰み逃し"],
  missedDefence: ["allows a mate", "詰みを許した"],
  missedDeclaration: ["a declaration would have won", "入玉宣言で勝てた"],
  declares: ["A declaration wins here.", "ここで入玉宣言をすれば勝ち。"],
  best: ["best", "最善"],
  playedMove: ["played", "実戦"],
  fromTo: ["{} → {}", "{} → {}"],
  noLegal: ["The side to move is mated.", "詰み。"],
  book: ["book", "定跡"],
  forced: ["only move", "唯一の合法手"],
  previousMistake: ["Previous mistake", "前の悪手"],
  nextMistake: ["Next mistake", "次の悪手"],
  first_: ["First", "最初"],
  last: ["Last", "最後"],
  versus: ["vs", "対"],
  castles: ["Castles", "囲い"],
  resignedAt: ["{} resigned with a winning chance of {}", "{}は勝率{}で投了"],
  handicap: ["A handicap game: level is where it begins, {} for Black. The net has learnt from even games, so labels are less sure",
    "駒落ち：開始局面の先手勝率{}を互角の基準とする。評価関数は平手で学習したため、評価の精度は下がる"],
  fault: ["The record has a fault, and only what stands before it is here: {}", "棋譜に誤りがあり、その手前までを解析しました：{}"],
  faulty: ["up to a fault in the record", "誤りの手前まで"],
  settings: ["{}, {}, scale {}", "{}、{}、尺度 {}"],
  nodes: ["{} nodes", "{}ノード"],
  movetime: ["{} ms", "{}ミリ秒"],
  depthLimit: ["depth {}", "深さ{}"],
  accuracyNote: ["Accuracy by winning chances 1/(1+exp(−cp/{})), ± its standard error. Compare only numbers of the same scale and the same limit.",
    "精度は勝率 1/(1+exp(−評価値/{})) による。±は標準誤差。尺度と探索量が同じもの同士で比べること。"],
  mates: ["mate in {}", "{}手詰"],
  matesSometime: ["mate", "詰み"],
  keys: ["← → moves · ↑ ↓ lines · N P mistakes · F flips · Home End", "← → 手を進める・↑ ↓ 候補手・N P 悪手・F 反転・Home End"],
  players: ["Players", "対局者"],
  openings: ["Openings", "戦型"],
  anyOpening: ["Any opening or castle", "すべての戦型・囲い"],
  indexTitle: ["Analysed games", "解析した対局"],
  worst: ["Mistakes ▲/△", "悪手 ▲/△"],
  footer: ["Analysed by {}", "{} による解析"],
});

const percent = (p, digits = 0) => (100 * p).toFixed(digits) + "%";
const grouped = (n) => n.toLocaleString("en-US");
const signed = (n) => (n < 0 ? "−" : n > 0 ? "+" : "") + Math.abs(n);

/** The limit of the search of a position. */
const limitText = (limits) =>
  limits.nodes ? t("nodes", grouped(limits.nodes)) : limits.movetime ? t("movetime", limits.movetime) : t("depthLimit", limits.depth);

/** A score from black's side: `+35`, or a mate with the side that gives it. */
function scoreText(score) {
  if (score?.mates) return (score.mates === "black" ? "▲" : "△") + t("matesSometime");
  if (!score || (score.cp === null && score.mate === null)) return "";
  if (score.mate === null) return signed(score.cp);
  return (score.mate > 0 ? "▲" : "△") + t("mates", Math.abs(score.mate));
}
