// The rules of shogi and its records. README.md and komainu-rules.d.ts say how it is used.

const BYTES = "@BYTES@";

const packed = new Blob([Uint8Array.from(atob(BYTES), (letter) => letter.charCodeAt(0))]);
const module = await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
const { instance } = await WebAssembly.instantiate(module);
const wasm = instance.exports;
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

let bytes = new Uint8Array(wasm.memory.buffer);

/** The module's memory. A view of it is void once the memory has grown. */
function memory() {
  if (bytes.length === 0) bytes = new Uint8Array(wasm.memory.buffer);
  return bytes;
}

/** The last answer of the module as bytes, to be read before the next call. */
function answerBytes() {
  const at = wasm.r_answer();
  return memory().subarray(at, at + wasm.r_answer_length());
}

const answer = () => decoder.decode(answerBytes());

/** A place for short texts, as long as most positions and moves. */
const SHORT = 256, shortAt = wasm.r_alloc(SHORT);

/** Writes a text of ASCII that fits into the place for short ones. */
function writesShort(text) {
  if (text.length > SHORT) return false;
  const view = memory();
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return false;
    view[shortAt + at] = code;
  }
  return true;
}

/** Calls with a text as two arguments, address and length. */
function withText(text, call) {
  if (writesShort(text)) return call(shortAt, text.length);
  const encoded = encoder.encode(text), at = wasm.r_alloc(encoded.length);
  if (!at) throw new RangeError("no memory for a text");
  memory().set(encoded, at);
  try {
    return call(at, encoded.length);
  } finally {
    wasm.r_free(at, encoded.length);
  }
}

/** An illegal move, or a text that cannot be read. */
export class ShogiError extends Error {
  name = "ShogiError";
}

/** A result of the module; 0 is a fault. */
function granted(result) {
  if (!result) throw new ShogiError(answer());
  return result;
}

export const BLACK = 0, WHITE = 1;
export const STARTPOS = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const HELD = ["P", "L", "N", "S", "G", "B", "R"], DROPS = ["", "P", "L", "N", "S", "B", "R", "G"];
const PIECES = ["", "P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R"];
const REPETITIONS = [null, "draw", "win", "loss"], TEXTS = ["usi", "kif", "ki2", "csa"];

const squareName = (square) => `${Math.floor(square / 9) + 1}${"abcdefghi"[square % 9]}`;

function squareNumber(name) {
  const found = /^([1-9])([a-i])$/.exec(name);
  if (!found) throw new ShogiError(`${JSON.stringify(name)} is not a square`);
  return 9 * (found[1] - 1) + found[2].charCodeAt(0) - 97;
}

const MOVES = new Map(), MOVES_BY_TEXT = new Map();

/** A move: one object for each that there is, so that `===` compares them. */
export class Move {
  static #isInside = false;

  constructor(bits) {
    if (!Move.#isInside) throw new TypeError("moves come from a board, or from Move.of");
    this.bits = bits;
    this.to = squareName(bits & 127);
    this.drop = bits & 0x4000 ? DROPS[(bits >> 7) & 127] : null;
    this.from = this.drop ? null : squareName((bits >> 7) & 127);
    this.promotes = !!(bits & 0x8000);
    this.usi = this.drop ? `${this.drop}*${this.to}` : `${this.from}${this.to}${this.promotes ? "+" : ""}`;
    Object.freeze(this);
  }

  static #make(bits) {
    const [to, from, isDrop] = [bits & 127, (bits >> 7) & 127, bits & 0x4000];
    const isMove = isDrop ? from > 0 && from < 8 && !(bits & 0x8000) : from < 81 && from !== to;
    if (!isMove || to > 80 || bits >>> 16 || !Number.isInteger(bits)) throw new ShogiError(`${bits} is not a move`);
    Move.#isInside = true;
    const made = new Move(bits);
    Move.#isInside = false;
    MOVES.set(bits, made);
    MOVES_BY_TEXT.set(made.usi, made);
    return made;
  }

  /** The move of these 16 bits, or of a text in USI. */
  static of(value) {
    if (value instanceof Move) return value;
    if (typeof value === "number") return MOVES.get(value) ?? Move.#make(value);
    if (typeof value !== "string") throw new TypeError(`${value} is not a move`);
    const known = MOVES_BY_TEXT.get(value);
    if (known) return known;
    const found = /^(?:([1-9][a-i])([1-9][a-i])(\+?)|([PLNSBRG])\*([1-9][a-i]))$/.exec(value);
    if (!found || found[1] && found[1] === found[2]) throw new ShogiError(`${JSON.stringify(value)} is not a move`);
    const [, from, to, plus, drop, target] = found;
    if (drop) return Move.of(0x4000 | (DROPS.indexOf(drop) << 7) | squareNumber(target));
    return Move.of((plus ? 0x8000 : 0) | (squareNumber(from) << 7) | squareNumber(to));
  }

  toString() {
    return this.usi;
  }

  toJSON() {
    return this.usi;
  }
}

/** Boards of the module go with the objects that stand for them. */
const registry = new FinalizationRegistry((board) => wasm.r_drop(board));

/** A position with the moves that led to it. */
export class Board {
  #board;

  constructor(text = "startpos") {
    this.#board = text instanceof Board ? wasm.r_copy(text.#board) : withText(String(text), (at, length) => granted(wasm.r_board(at, length)));
    registry.register(this, this.#board);
  }

  clone() {
    return new Board(this);
  }

  get sfen() {
    wasm.r_sfen(this.#board, 0);
    return answer();
  }

  get position() {
    wasm.r_sfen(this.#board, 1);
    return answer();
  }

  get turn() {
    return this.#facts(1);
  }

  get ply() {
    return wasm.r_ply(this.#board);
  }

  get legalMoves() {
    wasm.r_moves(this.#board);
    const bytes = answerBytes(), moves = new Array(bytes.length / 2);
    for (let at = 0; at < moves.length; at++) moves[at] = Move.of(bytes[2 * at] | (bytes[2 * at + 1] << 8));
    return moves;
  }

  /** A move that somebody gives; texts may be USI or CSA. */
  #bits(move) {
    const known = move instanceof Move ? move : MOVES_BY_TEXT.get(move);
    if (known) return known.bits;
    return withText(String(move), (at, length) => granted(wasm.r_move(this.#board, at, length)));
  }

  isLegal(move) {
    try {
      return !!wasm.r_legal(this.#board, this.#bits(move));
    } catch (error) {
      if (error instanceof ShogiError) return false;
      throw error;
    }
  }

  push(move) {
    const bits = this.#bits(move);
    granted(wasm.r_push(this.#board, bits));
    return Move.of(bits);
  }

  pop() {
    const bits = wasm.r_pop(this.#board);
    return bits ? Move.of(bits) : null;
  }

  #facts(wanted) {
    return wasm.r_facts(this.#board, wanted);
  }

  get isCheck() {
    return this.#facts(2) !== 0;
  }

  get isCheckmate() {
    return this.#facts(6) === 6;
  }

  get isOver() {
    return this.#facts(8) !== 0;
  }

  get repetition() {
    return REPETITIONS[this.#facts(48) >> 4];
  }

  get canDeclare() {
    return this.#facts(64) !== 0;
  }

  pieceAt(square) {
    const at = squareNumber(square);
    wasm.r_pieces(this.#board);
    const piece = answerBytes()[at];
    return piece === 0 ? null : piece > 16 ? PIECES[piece - 16].toLowerCase() : PIECES[piece];
  }

  hand(color) {
    if (color !== BLACK && color !== WHITE) throw new ShogiError(`${color} is neither BLACK nor WHITE`);
    wasm.r_pieces(this.#board);
    const counts = answerBytes().subarray(81 + 7 * color, 88 + 7 * color);
    return Object.fromEntries(HELD.map((piece, at) => [piece, counts[at]]).filter(([, count]) => count));
  }

  moveText(move, format = "ki2") {
    const number = TEXTS.indexOf(format);
    if (number < 0) throw new ShogiError(`${JSON.stringify(format)} is none of ${TEXTS.join(", ")}`);
    granted(wasm.r_move_text(this.#board, this.#bits(move), number));
    return answer();
  }

  perft(depth) {
    const nodes = Number.isInteger(depth) && depth >= 0 ? wasm.r_perft(this.#board, depth) : -1;
    if (nodes < 0) throw new ShogiError(`perft of depth ${depth}`);
    return nodes;
  }

  toSVG({ flipped = false, letters = false, caption = "" } = {}) {
    withText(caption, (at, length) => wasm.r_svg(this.#board, (flipped ? 1 : 0) | (letters ? 2 : 0), at, length));
    return answer();
  }

  toString() {
    return this.sfen;
  }

  toJSON() {
    return this.position;
  }
}

/** A position of a record and, but for the root, the move that led there. */
class Node {
  #record;
  /** The line ends here; children show what could have followed. */
  isEnd = false;
  /** Ends of variations without a move. */
  otherEnds = [];

  constructor(record, parent, made = {}) {
    this.#record = record;
    this.parent = parent;
    this.move = made.mv ? Move.of(made.mv) : null;
    this.time = made.spent ?? null;
    this.comment = (made.comments ?? []).join("\n");
    this.children = [];
    this.end = null;
    for (const key of ["isEnd", "otherEnds"]) Object.defineProperty(this, key, { enumerable: false });
  }

  get next() {
    return this.isEnd ? null : this.children[0] ?? null;
  }

  get siblings() {
    return this.parent ? this.parent.children : [];
  }

  /** The nodes from the first move to here. */
  get path() {
    const path = [];
    for (let node = this; node.parent; node = node.parent) path.push(node);
    return path.reverse();
  }

  get ply() {
    let ply = 0;
    for (let node = this; node.parent; node = node.parent) ply += 1;
    return ply;
  }

  board() {
    const board = new Board(this.#record.start);
    for (const node of this.path) board.push(node.move);
    return board;
  }

  add(move) {
    const made = this.board().push(move);
    const known = this.children.find((child) => child.move === made);
    if (known) return known;
    const node = new Node(this.#record, this, { mv: made });
    this.children.push(node);
    return node;
  }

  promote() {
    if (!this.parent) return;
    this.parent.children = [this, ...this.parent.children.filter((child) => child !== this)];
    this.parent.isEnd = false;
  }

  remove() {
    if (!this.parent) return;
    this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  toJSON() {
    const { move, ply, comment, time, end, children } = this;
    return { move, ply, comment, time, end, children };
  }
}

/** Appends moves of JSON to a path, which then leads to the last of them. */
function appendLine(record, path, moves, conclusion) {
  for (const made of moves) {
    const parent = path.at(-1), node = new Node(record, parent, made);
    parent.children.push(node);
    path.push(node);
  }
  path.at(-1).end = conclusion ?? null;
}

/** The nodes of a line from one on. */
function lineFrom(node) {
  const line = [];
  for (let at = node; at; at = at.next) line.push(at);
  return line;
}

const madeOf = ({ move, time, comment }) => ({ mv: move.usi, ...(time === null ? {} : { spent: time }), comments: comment ? comment.split("\n") : [] });

/** The variations of a tree as formats list them: the latest branch of a line first. */
function variationsOf(root) {
  const listed = [], open = [{ node: root, from: 0 }];
  while (open.length) {
    const { node, from, end } = open.pop();
    if (end) {
      listed.push({ from, moves: [], conclusion: end });
      continue;
    }
    const line = lineFrom(node);
    if (from) listed.push({ from, moves: line.map(madeOf), conclusion: line.at(-1).end });
    line.forEach((at, index) => {
      const number = from + 1 + index;
      open.push(...at.otherEnds.map((end) => ({ node: at, from: number, end })).reverse());
      open.push(...at.children.slice(at.isEnd ? 0 : 1).map((other) => ({ node: other, from: number })).reverse());
    });
  }
  return listed;
}

const DRAWS = new Set(["repetition", "impasse", "ply-limit", "adjudicated-draw", "draw"]);

/** The text of a record that is given as bytes: UTF-8, UTF-16 with its mark, Shift_JIS or EUC-JP. */
function textOf(source) {
  if (typeof source === "string") return source;
  const bytes = source instanceof ArrayBuffer ? new Uint8Array(source) : source;
  const mark = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
  if (mark) return new TextDecoder(mark).decode(bytes);
  for (const encoding of ["utf-8", "shift_jis", "euc-jp"]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // The next one.
    }
  }
  return new TextDecoder("shift_jis").decode(bytes);
}

/** A game: headers, moves with times and comments, variations, the end. */
export class Record {
  #endWord = null;
  #root;

  constructor(board = "startpos") {
    const game = board instanceof Board ? board.clone() : new Board(board);
    const moves = [];
    for (let move = game.pop(); move; move = game.pop()) moves.unshift({ mv: move });
    this.start = game.sfen;
    this.header = {};
    this.fault = null;
    this.warnings = [];
    this.#root = new Node(this, null);
    appendLine(this, [this.#root], moves, null);
  }

  static #of({ record, header, fault, warnings }) {
    if (!record) throw new ShogiError(fault);
    const made = new Record(record.start);
    Object.assign(made, { header: Object.fromEntries(header), fault: fault ?? null, warnings });
    made.#root.comment = (record.comments ?? []).join("\n");
    const path = [made.#root];
    appendLine(made, path, record.moves, record.conclusion);
    if (record.end_word) made.#endWord = [path.at(-1), record.end_word];
    for (const { from, moves, conclusion } of record.variations ?? []) {
      path.length = from;
      const parent = path.at(-1);
      if (!moves.length) {
        if (conclusion) parent.otherEnds.push(conclusion);
        continue;
      }
      parent.isEnd ||= parent.children.length === 0;
      appendLine(made, path, moves, conclusion);
    }
    return made;
  }

  /** The games of a text; one that cannot be read at all is an error in its place. */
  static parseAll(source) {
    withText(textOf(source), wasm.r_read);
    return JSON.parse(answer()).map((read) => {
      try {
        return Record.#of(read);
      } catch (error) {
        return error;
      }
    });
  }

  /** The only game of a text. */
  static parse(source, { strict = true } = {}) {
    const games = Record.parseAll(source);
    if (games.length !== 1) throw new ShogiError(`${games.length} games, not one: Record.parseAll reads them`);
    if (games[0] instanceof Error) throw games[0];
    if (strict && games[0].fault) throw new ShogiError(games[0].fault);
    return games[0];
  }

  get root() {
    return this.#root;
  }

  /** The nodes of the game, without the root. */
  get main() {
    return lineFrom(this.#root).slice(1);
  }

  get moves() {
    return this.main.map(({ move }) => move);
  }

  get end() {
    return (this.main.at(-1) ?? this.#root).end;
  }

  get result() {
    const { ending, winner } = this.end ?? {};
    return winner ? { b: "black", w: "white" }[winner] : DRAWS.has(ending) ? "draw" : null;
  }

  node(ply) {
    const found = [this.#root, ...this.main][ply];
    if (!found) throw new RangeError(`ply ${ply}: the game has ${this.main.length} moves`);
    return found;
  }

  board(ply = this.main.length) {
    return this.node(ply).board();
  }

  #write(format, losses) {
    const last = this.main.at(-1) ?? this.#root;
    const record = {
      start: this.start,
      comments: this.#root.comment ? this.#root.comment.split("\n") : [],
      moves: this.main.map(madeOf),
      variations: variationsOf(this.#root),
      conclusion: last.end,
      ...(this.#endWord?.[0] === last ? { end_word: this.#endWord[1] } : {}),
    };
    const header = Object.entries(this.header).map(([key, value]) => [key, String(value)]);
    withText(JSON.stringify({ record, header, format, losses }), (at, length) => granted(wasm.r_write(at, length)));
    return answer();
  }

  /** The record as text. */
  toString(format = "kif") {
    return this.#write(format, false);
  }

  /** The parts of the record that a format has no place for. */
  losses(format) {
    return JSON.parse(this.#write(format, true));
  }
}
