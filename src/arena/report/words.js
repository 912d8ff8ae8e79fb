// Words in two languages, and numbers as both write them.

const WORDS = {
  report: ["Match report", "対局レポート"],
  tournament: ["Tournament of {} engines", "{}エンジンのリーグ戦"],
  results: ["Results", "結果"],
  ratings: ["Rating list", "レーティング"],
  cross: ["Crosstable", "星取表"],
  play: ["Play", "指し手"],
  charts: ["Charts", "グラフ"],
  games: ["Games", "対局"],
  settings: ["Settings", "設定"],
  otherLanguage: ["日本語", "English"],
  engine: ["Engine", "エンジン"],
  opponent: ["Opponent", "相手"],
  points: ["Points", "得点"],
  score: ["Score", "得点率"],
  elo: ["Elo", "Elo"],
  nelo: ["nElo", "nElo"],
  neloTitle: ["Normalised Elo: the difference in units of the deviation of a game", "正規化Elo"],
  los: ["LOS", "LOS"],
  losTitle: ["Likelihood of superiority: how probable it is that the engine is the stronger one", "優位確率"],
  losNext: ["LOS over next", "次位へのLOS"],
  pairs: ["Pairs 0 · ½ · 1 · 1½ · 2", "ペア 0・½・1・1½・2"],
  pairsTitle: ["Pairs of games with the same opening and colours swapped, by the points made", "同一局面・先後入替2局の得点"],
  won: ["Won", "勝"],
  drawn: ["Drawn", "分"],
  lost: ["Lost", "負"],
  asBlack: ["As black", "先手番"],
  asWhite: ["As white", "後手番"],
  averageTime: ["Time/move", "平均時間"],
  longest: ["Longest", "最長"],
  depth: ["Depth", "深さ"],
  nps: ["Nodes/s", "NPS"],
  timeLosses: ["Lost on time", "切れ負け"],
  illegal: ["Illegal", "反則"],
  hostStalls: ["Host stalls", "機械停止"],
  hostStallsTitle: ["Lost on time because the machine stood still; these games count for nobody", "マシン自体の停止による切れ負け（成績に数えない）"],
  repeats: ["In every pair both games have the same moves: the engines are deterministic and equal. Such games hold no information on which is stronger.",
    "どのペアも2局の指し手が同一です。両エンジンは決定的かつ同等に動作しており、強さの差についての情報はありません。"],
  expected: ["Expected", "読み筋"],
  noLine: ["no line", "読み筋なし"],
  program: ["Program", "プログラム"],
  files: ["Files (SHA-256)", "ファイル（SHA-256）"],
  machines: ["Machine", "マシン"],
  cores: ["{} cores", "{}コア"],
  oneSided: ["the loser's scores alone", "負け側の評価値のみ"],
  crashes: ["Crashed", "停止"],
  crashesTitle: ["The program ended, or did not answer", "異常終了・無応答"],
  noGames: ["No game has a result yet.", "結果の出た対局はまだありません。"],
  notConnected: ["Not all engines are connected by games: their ratings cannot be compared.", "対局でつながっていないエンジンがあり、レーティングは比較できません。"],
  blackScore: ["Black scores", "先手勝率"],
  blackWins: ["Black wins", "先手勝ち"],
  whiteWins: ["White wins", "後手勝ち"],
  noResult: ["No result", "結果なし"],
  draws: ["Draws", "引き分け"],
  draw: ["Draw", "引き分け"],
  win: ["Win", "勝ち"],
  loss: ["Loss", "負け"],
  planned: ["of {} planned", "予定 {} 局"],
  plannedPairing: ["{} per pairing", "1組 {} 局"],
  test: ["SPRT", "SPRT"],
  accepted: ["accepted", "採択"],
  running: ["undecided", "未決"],
  afterGames: ["after {} games", "{}局目で判定"],
  eloChart: ["Elo over games, 95 % band", "Elo の推移（95%区間）"],
  eloChartMany: ["Elo above all opponents", "全対戦相手に対する Elo"],
  llrChart: ["Log-likelihood ratio", "対数尤度比"],
  lengthChart: ["Length of games, plies", "手数の分布"],
  endingChart: ["Endings", "終局の理由"],
  pairChart: ["Pairs by points of {}", "ペアの得点（{}）"],
  plies: ["Plies", "手数"],
  pliesOf: ["{} plies", "{}手"],
  black: ["Black", "先手"],
  white: ["White", "後手"],
  result: ["Result", "結果"],
  ending: ["Ending", "終局"],
  round: ["Round", "回戦"],
  duration: ["Duration", "所要"],
  started: ["Started", "開始"],
  ended: ["Ended", "終了"],
  all: ["All", "すべて"],
  anyColor: ["Either colour", "先後とも"],
  shown: ["{} of {}", "{} / {} 局"],
  previous: ["Previous", "前へ"],
  next: ["Next", "次へ"],
  leftOut: ["{} of {} games are on this page: those that were lost by a fault or have no result, and then the last ones. All of them are in games.jsonl in the folder of the match, and in its records folder if records were saved.",
    "この頁の対局は {} 局（全 {} 局）：反則・切れ負け・異常終了・結果なしの対局と、最後の対局です。全対局は対局フォルダの games.jsonl に、棋譜を保存した場合は records にもあります。"],
  noMatch: ["No game matches.", "該当する対局はありません。"],
  limit: ["Time control", "持ち時間"],
  rules: ["Rules", "ルール"],
  noPlyLimit: ["no ply limit", "最大手数なし"],
  plyLimit: ["draw after {} plies", "{}手で引き分け"],
  lastPlyWins: ["mate on the last ply wins", "最終手の詰みは勝ち"],
  lastPlyDraws: ["mate on the last ply draws", "最終手の詰みは引き分け"],
  checksExtend: ["checks put the limit off", "王手が続く間は延長"],
  startCounts: ["repetition counts the start position", "千日手は開始局面も数える"],
  startCountsNot: ["repetition counts without the start position", "千日手は開始局面を数えない"],
  format: ["Format", "形式"],
  openings: ["Openings", "開始局面"],
  embedded: ["embedded list", "内蔵リスト"],
  upTo: ["up to {} plies", "{}手まで"],
  shuffled: ["shuffled by seed {}", "シード {} で無作為"],
  inOrder: ["in order", "順番通り"],
  ponder: ["Pondering", "先読み"],
  convention: ["Increment", "加算"],
  margin: ["Margin", "猶予"],
  adjudication: ["Adjudication", "判定"],
  resignRule: ["win at {} cp for {} moves", "{} cp が {} 手続けば勝ち"],
  drawRule: ["draw within {} cp for {} moves from ply {}", "{} cp 以内が {} 手続けば引き分け（{}手目以降）"],
  none: ["none", "なし"],
  command: ["Command", "コマンド"],
  folder: ["Folder", "フォルダ"],
  options: ["Options", "オプション"],
  restart: ["Engines are restarted for each game", "対局ごとに再起動"],
  hypotheses: ["SPRT hypotheses", "SPRT の仮説"],
  notes: ["Lines that were left out", "読み飛ばした行"],
  backToGames: ["All games", "対局一覧"],
  game: ["Game {}", "第{}局"],
  move: ["Move", "指し手"],
  time: ["Time", "時間"],
  nodes: ["Nodes", "ノード"],
  evaluation: ["Score", "評価値"],
  blackView: ["Scores from black's view; click to go there", "評価値は先手から。クリックで移動"],
  start: ["Start", "開始局面"],
  opening: ["opening", "定跡"],
  first: ["First", "最初"],
  last: ["Last", "最後"],
  autoplay: ["Play", "再生"],
  pause: ["Pause", "停止"],
  flip: ["Flip", "反転"],
  kanji: ["Kanji", "漢字"],
  letters: ["Letters", "英字"],
  copySfen: ["Copy SFEN", "SFEN をコピー"],
  copyUsi: ["Copy USI", "USI をコピー"],
  copyKif: ["Copy KIF", "KIF をコピー"],
  copied: ["Copied", "コピーしました"],
  keys: ["← → moves · Home End · Space plays · F flips · N P games · Esc list", "← → 移動・Home End・Space 再生・F 反転・N P 次局前局・Esc 一覧"],
  inHand: ["in hand", "持駒"],
  total: ["total", "計"],
  footer: ["Written by Komainu {}", "Komainu {} が作成"],
};

const ENDINGS = {
  "resignation": ["Resignation", "投了"],
  "checkmate": ["Checkmate", "詰み"],
  "no-moves": ["No legal move", "合法手なし"],
  "declaration": ["Declaration", "入玉宣言"],
  "false-declaration": ["False declaration", "誤宣言"],
  "illegal-move": ["Illegal move", "反則手"],
  "time-up": ["Time", "切れ負け"],
  "crash": ["Crash", "異常終了"],
  "stall": ["No answer", "無応答"],
  "repetition": ["Repetition", "千日手"],
  "perpetual-check": ["Perpetual check", "連続王手の千日手"],
  "impasse": ["Impasse", "持将棋"],
  "ply-limit": ["Ply limit", "最大手数"],
  "adjudicated-win": ["Adjudicated win", "判定勝ち"],
  "adjudicated-draw": ["Adjudicated draw", "判定引き分け"],
  "draw": ["Draw", "引き分け"],
  "walk-over": ["Walkover", "不戦"],
  "no-mate": ["No mate", "不詰"],
  "interrupted": ["Interrupted", "中断"],
  "error": ["Error", "エラー"],
};

/** Values of settings that are words of the command line. */
const VALUES = {
  "round-robin": ["round-robin", "総当たり"],
  "gauntlet": ["gauntlet", "1番目のエンジン対他の全エンジン"],
  "swiss": ["Swiss", "スイス式"],
  "before": ["not yet in the clock that is sent", "送る残り時間に含めない"],
  "after": ["already in the clock that is sent", "送る残り時間に含める"],
  "off": ["off", "しない"],
  "on": ["on", "する"],
  "early": ["early: clocks come with ponderhit", "早期（持ち時間はponderhitで送る）"],
};

/** What the reader chose, kept where the browser allows it. */
const choice = {
  get(key) { try { return localStorage.getItem("komainu-" + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem("komainu-" + key, value); } catch { /* not kept, then */ } },
};

let language = (choice.get("language") ?? navigator.language ?? "").startsWith("ja") ? 1 : 0;

/** The words of a key, with the values in the places of `{}`. */
const t = (key, ...values) => WORDS[key][language].replace(/\{\}/g, () => values.shift());
const endingWords = (ending) => (ENDINGS[ending] ?? [ending, ending])[language];
const valueWords = (value) => (VALUES[value] ?? [value, value])[language];

const whole = (n) => n.toLocaleString("en-US");
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";
const signed = (n, digits = 1) => (n < 0 ? "−" : "+") + Math.abs(n).toFixed(digits);
/** A text of numbers with true minus signs. */
const minus = (text) => text.replace(/-/g, "−").replace(/\binf\b/g, "∞");
const points = (n) => (n % 1 ? (n < 1 ? "" : Math.floor(n)) + "½" : String(n));
const seconds = (millis) => (millis / 1000).toFixed(millis < 9995 ? 2 : 1) + " s";
const big = (n) => {
  for (const [unit, name] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) {
    if (n >= unit) return (n / unit).toPrecision(3).replace(/e.*/, "") + name;
  }
  return String(n);
};
const span = (millis) => {
  const s = Math.round(millis / 1000), two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
};
const moment = (utc) => utc.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
