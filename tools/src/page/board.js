// Shogi positions: SFEN, moves, notations, and the board as a picture. Moves are played as they come; that they are
// legal is the business of who wrote them.

const RANKS = "abcdefghi", HAND_ORDER = "RBGSNLP";
const START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const KANJI = { P: "歩", L: "香", N: "桂", S: "銀", G: "金", B: "角", R: "飛", K: "玉", "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍" };
const NAMES = { ...KANJI, "+L": "成香", "+N": "成桂", "+S": "成銀" };
const WIDE = "０１２３４５６７８９", KANJI_RANKS = "一二三四五六七八九";
const KANJI_NUMBERS = ["", "", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二", "十三", "十四", "十五", "十六", "十七", "十八"];

/** A square as `{file, rank}` from 1; its place in a board, rank by rank from 9a on. */
const place = (square) => (square.rank - 1) * 9 + 9 - square.file;
/** `7g`. */
const squareName = (square) => square.file + RANKS[square.rank - 1];
const isBlack = (piece) => /[A-Z]/.test(piece);

/** `{cells: 81 pieces as in SFEN or "", hands: [black, white], black: whether black is to move, ply}`. */
function fromSfen(sfen) {
  const [board, turn, hand, ply] = sfen.trim().split(/\s+/);
  const cells = [];
  for (const [, plus, letter] of board.replace(/\//g, "").matchAll(/(\+?)([A-Za-z]|\d)/g)) {
    if (/\d/.test(letter)) cells.push(...Array(Number(letter)).fill(""));
    else cells.push(plus + letter);
  }
  const hands = [{}, {}];
  for (const [, count, letter] of (hand ?? "-").matchAll(/(\d*)([A-Za-z])/g)) {
    hands[isBlack(letter) ? 0 : 1][letter.toUpperCase()] = Number(count || 1);
  }
  return { cells, hands, black: turn !== "w", ply: Number(ply ?? 1) };
}

function toSfen(position) {
  const rows = [];
  for (let row = 0; row < 9; row++) {
    rows.push(position.cells.slice(9 * row, 9 * row + 9).map((piece) => piece || ".").join("").replace(/\.+/g, (gap) => gap.length));
  }
  const inHand = (side) => [...HAND_ORDER].map((letter) => {
    const count = position.hands[side][letter] ?? 0;
    return count ? (count > 1 ? count : "") + (side ? letter.toLowerCase() : letter) : "";
  }).join("");
  return `${rows.join("/")} ${position.black ? "b" : "w"} ${inHand(0) + inHand(1) || "-"} ${position.ply}`;
}

/** Plays a move: the position after it, and what it did: `{piece, from, to, drop, promotes, captured, could}`. */
function play(position, usi) {
  const square = (text) => ({ file: Number(text[0]), rank: RANKS.indexOf(text[1]) + 1 });
  const cells = position.cells.slice(), hands = position.hands.map((hand) => ({ ...hand }));
  const side = position.black ? 0 : 1, owned = (piece) => (position.black ? piece : piece.toLowerCase());
  const to = square(usi.slice(2, 4)), done = { to, from: null, drop: usi[1] === "*", promotes: usi[4] === "+", captured: "", could: false, black: position.black };
  if (done.drop) {
    done.piece = usi[0];
    hands[side][done.piece] = (hands[side][done.piece] ?? 0) - 1;
    cells[place(to)] = owned(done.piece);
  } else {
    done.from = square(usi);
    const piece = cells[place(done.from)], plain = piece.toUpperCase();
    done.piece = plain;
    done.captured = cells[place(to)].toUpperCase();
    const inZone = (s) => (position.black ? s.rank <= 3 : s.rank >= 7);
    done.could = /^[PLNSBR]$/.test(plain) && (inZone(done.from) || inZone(to));
    if (done.captured) {
      const letter = done.captured.replace("+", "");
      hands[side][letter] = (hands[side][letter] ?? 0) + 1;
    }
    cells[place(done.from)] = "";
    cells[place(to)] = (done.promotes ? "+" : "") + piece;
  }
  return [{ cells, hands, black: !position.black, ply: position.ply + 1 }, done];
}

/** As in 同　銀成(32); `before` is the square that the move before went to. */
function japanese(done, before, explicit) {
  const same = before && before.file === done.to.file && before.rank === done.to.rank;
  const target = same ? "同　" : WIDE[done.to.file] + KANJI_RANKS[done.to.rank - 1];
  const change = done.promotes ? "成" : explicit && done.could ? "不成" : "";
  return target + NAMES[done.piece] + (done.drop ? "打" : change + `(${done.from.file}${done.from.rank})`);
}

/** As in S3bx4c+. */
function western(done) {
  const name = (square) => square.file + RANKS[square.rank - 1];
  if (done.drop) return `${done.piece}*${name(done.to)}`;
  const change = done.promotes ? "+" : done.could ? "=" : "";
  return `${done.piece}${name(done.from)}${done.captured ? "×" : "–"}${name(done.to)}${change}`;
}

/** Whether the reader's fonts have kanji: two that are drawn alike are two empty boxes. */
const hasKanji = (() => {
  try {
    const ink = (text) => {
      const canvas = el("canvas", { width: 24, height: 24 }), context = canvas.getContext("2d");
      context.font = "20px serif";
      context.fillText(text, 1, 20);
      return context.getImageData(0, 0, 24, 24).data.join();
    };
    return ink("歩") !== ink("龍");
  } catch {
    return true;
  }
})();

let letters = choice.get("pieces") ? choice.get("pieces") === "letters" : !hasKanji;

const CELL_W = 44, CELL_H = 48;

/** A piece around the origin; `black` stands upright. */
function pieceShape(piece, upright, scale = 1) {
  const plain = piece.toUpperCase(), white = !isBlack(piece);
  const text = letters ? plain : plain === "K" && white ? "王" : KANJI[plain];
  const shape = svg("path", { d: "M0-20.5L12-16.5L16.5 19.5H-16.5L-12-16.5Z", class: "koma" });
  const label = svg("text", { y: letters ? 9 : 11.5, class: plain[0] === "+" ? "promoted" : null, "font-size": letters ? (plain[0] === "+" ? 17 : 21) : 26 }, text);
  return svg("g", { class: letters ? "piece letters" : "piece", transform: `scale(${scale})${upright ? "" : " rotate(180)"}` }, shape, label);
}

/** The board. `done` is the last move; a flipped board shows white below; `latin` coordinates are 1 to 9 and a to i. */
function boardPicture(position, done, flipped, latin = letters) {
  const edge = 20, width = 9 * CELL_W, height = 9 * CELL_H;
  const column = (file) => (flipped ? file - 1 : 9 - file), row = (rank) => (flipped ? 9 - rank : rank - 1);
  const corner = (square) => ({ x: edge + column(square.file) * CELL_W, y: edge + row(square.rank) * CELL_H });
  const parts = [svg("rect", { x: 0, y: 0, width: width + 2 * edge, height: height + 2 * edge, rx: 6, class: "wood" })];
  const mark = (square, kind) => parts.push(svg("rect", { ...corner(square), width: CELL_W, height: CELL_H, class: kind }));
  if (done?.from) mark(done.from, "from");
  if (done) mark(done.to, "to");
  for (let line = 0; line <= 9; line++) {
    const x = edge + line * CELL_W, y = edge + line * CELL_H, kind = line % 9 ? "net" : "net frame";
    parts.push(svg("line", { x1: x, x2: x, y1: edge, y2: edge + height, class: kind }));
    parts.push(svg("line", { x1: edge, x2: edge + width, y1: y, y2: y, class: kind }));
  }
  for (const [i, j] of [[3, 3], [3, 6], [6, 3], [6, 6]]) {
    parts.push(svg("circle", { cx: edge + i * CELL_W, cy: edge + j * CELL_H, r: 2.6, class: "star" }));
  }
  for (let n = 1; n <= 9; n++) {
    const at = corner({ file: n, rank: n });
    parts.push(svg("text", { x: at.x + CELL_W / 2, y: 14, class: "coordinate" }, latin ? String(n) : WIDE[n]));
    parts.push(svg("text", { x: edge + width + edge / 2, y: at.y + CELL_H / 2 + 4, class: "coordinate" }, latin ? RANKS[n - 1] : KANJI_RANKS[n - 1]));
  }
  position.cells.forEach((piece, at) => {
    if (!piece) return;
    const { x, y } = corner({ file: 9 - (at % 9), rank: Math.floor(at / 9) + 1 });
    parts.push(svg("g", { transform: `translate(${x + CELL_W / 2} ${y + CELL_H / 2})` }, pieceShape(piece, isBlack(piece) !== flipped)));
  });
  return svg("svg", { viewBox: `0 0 ${width + 2 * edge} ${height + 2 * edge}`, class: "board", role: "img", "aria-label": toSfen(position) }, parts);
}

/** The pieces in the hand of a side (0 black, 1 white) with their numbers. */
function handPicture(hand) {
  const held = [...HAND_ORDER].filter((letter) => hand[letter] > 0);
  let x = 0;
  const parts = held.map((letter) => {
    const count = hand[letter], at = x;
    x += count > 1 ? (count > 9 ? 50 : 42) : 30;
    return svg("g", { transform: `translate(${at + 14} 17)` }, pieceShape(letter, true, 0.72),
      count > 1 ? svg("text", { x: 14, y: 7, class: "count" }, String(count)) : null);
  });
  return svg("svg", { viewBox: `0 0 ${Math.max(x, 1)} 34`, class: "hand", width: Math.max(x, 1), height: 34, role: "img", "aria-label": `${t("inHand")}: ${held.map((letter) => letter + hand[letter]).join(" ") || "–"}` }, parts);
}
