// Words in two languages, English and Japanese.

const WORDS = {
  otherLanguage: ["日本語", "English"],
  black: ["Black", "先手"],
  white: ["White", "後手"],
  inHand: ["in hand", "持駒"],
  none: ["none", "なし"],
  start: ["Start", "開始局面"],
  move: ["Move", "指し手"],
  depth: ["Depth", "深さ"],
  result: ["Result", "結果"],
  plies: ["Plies", "手数"],
  previous: ["Previous", "前へ"],
  next: ["Next", "次へ"],
  flip: ["Flip", "反転"],
  kanji: ["Kanji", "漢字"],
  letters: ["Letters", "英字"],
  copySfen: ["Copy SFEN", "SFEN をコピー"],
  copyUsi: ["Copy USI", "USI をコピー"],
  copyKif: ["Copy KIF", "KIF をコピー"],
  copied: ["Copied", "コピーしました"],
  wins: ["{} wins", "{}の勝ち"],
  drawn: ["Draw", "引き分け"],
};

/** Adds the words of a page. */
const addWords = (words) => Object.assign(WORDS, words);

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

/** What the reader chose, kept where the browser allows it. */
const choice = {
  get(key) { try { return localStorage.getItem("komainu-" + key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem("komainu-" + key, value); } catch { /* not kept, then */ } },
};

const wanted = new URLSearchParams(location.search).get("lang");
let language = (wanted ?? choice.get("language") ?? navigator.language ?? "").startsWith("ja") ? 1 : 0;

function setLanguage(to) {
  language = to;
  choice.set("language", ["en", "ja"][language]);
}

/** The words of a key, with the values in the places of `{}`. */
const t = (key, ...values) => WORDS[key][language].replace(/\{\}/g, () => values.shift());
const endingWords = (ending) => (ENDINGS[ending] ?? [ending, ending])[language];

/** Endings as the reason of a result, where that has other words. */
const REASONS = {
  "resignation": ["resignation", "投了"],
  "no-moves": ["no legal move", "合法手なし"],
  "illegal-move": ["illegal move", "反則"],
  "time-up": ["on time", "時間切れ"],
  "adjudicated-win": ["adjudicated", "判定"],
  "adjudicated-draw": ["adjudicated", "判定"],
  "walk-over": ["walkover", "不戦"],
};
const reasonWords = (ending) => REASONS[ending]?.[language] ?? (language ? endingWords(ending) : endingWords(ending).toLowerCase());

/** The result of a game: who won (0 black, 1 white, or null), and by what. */
function outcomeWords(ending, winner, names) {
  const reason = reasonWords(ending);
  if (ending === "interrupted" || ending === "error") return endingWords(ending);
  const head = winner === null ? t("drawn") : t("wins", "▲△"[winner] + names[winner]).replace(/^(.You) wins$/, "$1 win");
  return ending === "draw" ? head : language ? `${head}（${reason}）` : `${head} (${reason})`;
}
