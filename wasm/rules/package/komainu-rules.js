// The rules of shogi and its records. README.md and komainu-rules.d.ts say how it is used.

const BYTES = "@BYTES@";
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/** What is deflated in a text that begins with its length (RFC 1951). */
function inflate(packed) {
  const [size, letters] = packed.split(" "), text = atob(letters), bytes = new Uint8Array(text.length), out = new Uint8Array(size);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  let at = 0, end = 0, held = 0, count = 0;

  function take(wanted) {
    for (; count < wanted; count += 8) held |= bytes[at++] << count;
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return value;
  }

  /** A Huffman code by the lengths of its symbols: symbol and length for each row of bits that may come. */
  function code(lengths) {
    const table = new Uint16Array(1 << Math.max(...lengths));
    for (let length = 1, next = 0; 1 << length <= table.length; length++, next <<= 1) {
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        if (lengths[symbol] !== length) continue;
        let first = 0;
        for (let bit = 0; bit < length; bit++) first |= (next >> bit & 1) << (length - 1 - bit);
        for (let row = first; row < table.length; row += 1 << length) table[row] = symbol << 4 | length;
        next += 1;
      }
    }
    return table;
  }

  function read(table) {
    for (; count < 15; count += 8) held |= bytes[at++] << count;
    const entry = table[held & (table.length - 1)];
    held >>>= entry & 15;
    count -= entry & 15;
    return entry >> 4;
  }

  function codes(order) {
    const [literals, distances] = [take(5) + 257, take(5) + 1], small = new Array(19).fill(0);
    for (let left = take(4) + 4, index = 0; left; left--) small[order[index++]] = take(3);
    const known = code(small), lengths = [];
    while (lengths.length < literals + distances) {
      const symbol = read(known), same = symbol === 16 ? lengths.at(-1) : 0;
      if (symbol < 16) lengths.push(symbol);
      else for (let again = symbol === 18 ? 11 + take(7) : 3 + take(symbol - 14); again; again--) lengths.push(same);
    }
    return [code(lengths.slice(0, literals)), code(lengths.slice(literals))];
  }

  for (let isLast = 0; !isLast;) {
    isLast = take(1);
    if (take(2) !== 2) throw new Error("a block without a code of its own");
    const [literals, distances] = codes([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);
    for (let symbol = read(literals); symbol !== 256; symbol = read(literals)) {
      if (symbol < 256) {
        out[end++] = symbol;
        continue;
      }
      const extra = symbol < 265 || symbol === 285 ? 0 : (symbol - 261) >> 2;
      let length = (symbol === 285 ? 258 : symbol < 265 ? symbol - 254 : ((((symbol - 265) & 3) + 4) << extra) + 3) + take(extra);
      const far = read(distances), more = far < 4 ? 0 : (far >> 1) - 1;
      const back = (far < 4 ? far + 1 : ((2 + (far & 1)) << more) + 1) + take(more);
      for (; length; length--, end++) out[end] = out[end - back];
    }
  }
  return out;
}

/** Bytes of the places for short texts, such as most positions and moves, and for a few numbers. */
const SHORT = 256;

/** A module that runs, and how texts and numbers go in and out. */
class Module {
  constructor(wasm) {
    this.wasm = wasm;
    this.bytes = new Uint8Array(wasm.memory.buffer);
    this.shortAt = wasm.r_alloc(SHORT);
    this.numbersAt = wasm.r_alloc(SHORT);
  }

  /** The memory. A view of it is void once the memory has grown. */
  memory() {
    if (this.bytes.length === 0) this.bytes = new Uint8Array(this.wasm.memory.buffer);
    return this.bytes;
  }

  /** Memory of so many bytes while a function runs. */
  lend(length, call) {
    const at = this.wasm.r_alloc(length);
    if (!at) throw new RangeError("no memory for a text");
    try {
      return call(at);
    } finally {
      this.wasm.r_free(at, length);
    }
  }

  /** Calls with a text as two arguments, address and length. */
  withText(text, call) {
    if (this.#writesShort(text)) return call(this.shortAt, text.length);
    return this.lend(3 * text.length, (at) => {
      const { written } = encoder.encodeInto(text, this.memory().subarray(at, at + 3 * text.length));
      return call(at, written);
    });
  }

  /** Writes a text of ASCII that fits into the place for short ones. */
  #writesShort(text) {
    if (text.length > SHORT) return false;
    const view = this.memory(), at = this.shortAt;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 127) return false;
      view[at + index] = code;
    }
    return true;
  }

  /** Calls with numbers as two arguments, address and bytes. */
  withNumbers(numbers, call) {
    const bytes = 4 * numbers.length;
    const give = (at) => {
      new Uint32Array(this.wasm.memory.buffer, at, numbers.length).set(numbers);
      return call(at, bytes);
    };
    return bytes <= SHORT ? give(this.numbersAt) : this.lend(bytes, give);
  }

  /** The last answer, to be read before the next call. */
  answerBytes() {
    const at = this.wasm.r_answer();
    return this.memory().subarray(at, at + this.wasm.r_answer_length());
  }

  answer() {
    return decoder.decode(this.answerBytes());
  }

  numbers() {
    return new Uint32Array(this.wasm.memory.buffer, this.wasm.r_numbers(), this.wasm.r_numbers_length());
  }

  /** A result; 0 is a fault. */
  granted(result) {
    if (!result) throw new ShogiError(this.answer());
    return result;
  }
}

/** The module of the rules, and the larger one that writes records and knows JSON, from when they are needed. */
let rules = null, formats = null, formatsBytes = null;

const started = (packed) => new Module(new WebAssembly.Instance(new WebAssembly.Module(inflate(packed))).exports);
const running = () => rules ??= started(BYTES);

/** Starts what has been imported; it is compiled beside the page. */
export async function init() {
  const start = async (packed) => new Module((await WebAssembly.instantiate(inflate(packed))).instance.exports);
  // Meanwhile somebody may have started it.
  const begun = rules ? null : await start(BYTES);
  rules ??= begun;
  const others = formats || !formatsBytes ? null : await start(formatsBytes);
  formats ??= others;
}

/** What `komainu-rules/formats` brings. */
export function provideFormats(packed) {
  formatsBytes = packed;
}

function runningFormats(what) {
  if (!formatsBytes) throw new ShogiError(`${what}: import "komainu-rules/formats" first`);
  return formats ??= started(formatsBytes);
}

/** An illegal move, a text that cannot be read, a value that a field has no place for. */
export class ShogiError extends Error {
  name = "ShogiError";
}

/** A field of what structuredClone would make an empty object of: this it cannot clone, and says so in these words. */
const NO_CLONE = Symbol("toJSON() gives what can be cloned: an object of komainu-rules");

/** How node shows an object. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

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

/** The moves that have been asked for, by their bits and by their texts. */
const MOVES = [], MOVES_BY_TEXT = new Map();

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
    MOVES[bits] = made;
    MOVES_BY_TEXT.set(made.usi, made);
    return made;
  }

  /** The move of these 16 bits, or of a text in USI. */
  static of(value) {
    if (value instanceof Move) return value;
    if (typeof value === "number") return MOVES[value] ?? Move.#make(value);
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

  [INSPECT]() {
    return `Move ${this.usi}`;
  }
}

/** A start with moves behind it. Boards are places on a line: those of one game share it. */
class Line {
  /** The place of the module where a board of this line stands, and after how many moves; -1 if none does. */
  place = -1;
  at = -1;
  /** Several boards are on it: no move is replaced by another. */
  isShared = false;

  constructor(start, moves) {
    this.start = start;
    this.moves = moves;
  }

  /** Takes the place that was taken longest ago. Its line is played again when it is asked for. */
  settle() {
    const held = HELD_LINES[nextPlace];
    if (held) held.place = held.at = -1;
    HELD_LINES[nextPlace] = this;
    this.place = nextPlace;
    nextPlace = (nextPlace + 1) % PLACES;
    return this.place;
  }

  /** The place, the board being after so many moves. */
  seek(ply) {
    const module = running();
    if (this.place < 0) {
      module.withText(this.start, (at, length) => module.granted(module.wasm.r_board(this.settle(), at, length)));
      this.at = 0;
    }
    const back = Math.max(this.at - ply, 0), forth = ply > this.at ? this.moves.slice(this.at, ply) : [];
    if (back || forth.length) module.withNumbers(forth, (at, bytes) => module.wasm.r_walk(this.place, back, at, bytes));
    this.at = ply;
    return this.place;
  }
}

/** So many boards are in the module at a time, however many JavaScript holds. */
const PLACES = 64, HELD_LINES = new Array(PLACES).fill(null), LINE = Symbol("line");
let nextPlace = 0;

/** A position with the moves that led to it. */
export class Board {
  #line;
  #ply;
  noClone = NO_CLONE;

  constructor(source = "startpos", ply = 0) {
    if (source instanceof Board) [source, ply] = [source.#line, source.#ply];
    if (source instanceof Line) {
      source.isShared = true;
      [this.#line, this.#ply] = [source, ply];
      return;
    }
    const text = String(source), module = running(), line = new Line(text, []);
    module.withText(text, (at, length) => module.granted(module.wasm.r_board(line.settle(), at, length)));
    line.moves.push(...module.numbers());
    if (line.moves.length) line.start = text.replace(/(^|\s+)moves(\s[^]*)?$/, "") || "startpos";
    line.at = line.moves.length;
    [this.#line, this.#ply] = [line, line.at];
  }

  /** The place in the module. */
  #place() {
    return this.#line.at === this.#ply ? this.#line.place : this.#line.seek(this.#ply);
  }

  /** The start and the moves, for records. */
  [LINE]() {
    const { start, moves } = this.#line;
    return { start: new Board(start).sfen, moves: moves.slice(0, this.#ply) };
  }

  clone() {
    return new Board(this);
  }

  get sfen() {
    rules.wasm.r_sfen(this.#place(), 0);
    return rules.answer();
  }

  get position() {
    rules.wasm.r_sfen(this.#place(), 1);
    return rules.answer();
  }

  get turn() {
    return this.#facts(1);
  }

  get ply() {
    return rules.wasm.r_ply(this.#place());
  }

  get legalMoves() {
    rules.wasm.r_moves(this.#place());
    const numbers = rules.numbers(), moves = new Array(numbers.length);
    for (let at = 0; at < moves.length; at++) moves[at] = Move.of(numbers[at]);
    return moves;
  }

  /** A move that somebody gives; texts may be USI or CSA. */
  #bits(move) {
    const known = move instanceof Move ? move : MOVES_BY_TEXT.get(move);
    if (known) return known.bits;
    const place = this.#place();
    return rules.withText(String(move), (at, length) => rules.granted(rules.wasm.r_move(place, at, length)));
  }

  isLegal(move) {
    try {
      return !!rules.wasm.r_legal(this.#place(), this.#bits(move));
    } catch (error) {
      if (error instanceof ShogiError) return false;
      throw error;
    }
  }

  push(move) {
    const bits = this.#bits(move), ply = this.#ply;
    if (this.#line.moves[ply] !== bits) {
      rules.granted(rules.wasm.r_push(this.#place(), bits));
      this.#line.at += 1;
      if (this.#line.isShared && ply < this.#line.moves.length) this.#branch(ply);
      this.#line.moves.length = ply;
      this.#line.moves.push(bits);
    }
    this.#ply += 1;
    return Move.of(bits);
  }

  /** Leaves a line that others are on for one of its own. The board after the move stands in the module. */
  #branch(ply) {
    const { start, moves, place } = this.#line, line = new Line(start, moves.slice(0, ply));
    [this.#line.place, this.#line.at] = [-1, -1];
    [line.place, line.at] = [place, ply + 1];
    HELD_LINES[place] = line;
    this.#line = line;
  }

  pop() {
    return this.#ply ? Move.of(this.#line.moves[--this.#ply]) : null;
  }

  #facts(wanted) {
    return rules.wasm.r_facts(this.#place(), wanted);
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
    rules.wasm.r_pieces(this.#place());
    const piece = rules.answerBytes()[at];
    return piece === 0 ? null : piece > 16 ? PIECES[piece - 16].toLowerCase() : PIECES[piece];
  }

  hand(color) {
    if (color !== BLACK && color !== WHITE) throw new ShogiError(`${color} is neither BLACK nor WHITE`);
    rules.wasm.r_pieces(this.#place());
    const counts = rules.answerBytes().subarray(81 + 7 * color, 88 + 7 * color);
    return Object.fromEntries(HELD.map((piece, at) => [piece, counts[at]]).filter(([, count]) => count));
  }

  moveText(move, format = "ki2") {
    const number = TEXTS.indexOf(format);
    if (number < 0) throw new ShogiError(`${JSON.stringify(format)} is none of ${TEXTS.join(", ")}`);
    rules.granted(rules.wasm.r_move_text(this.#place(), this.#bits(move), number));
    return rules.answer();
  }

  perft(depth) {
    const nodes = Number.isInteger(depth) && depth >= 0 ? rules.wasm.r_perft(this.#place(), depth) : -1;
    if (nodes < 0) throw new ShogiError(`perft of depth ${depth}`);
    return nodes;
  }

  toSVG({ flipped = false, letters = false, caption = "" } = {}) {
    const module = runningFormats("pictures"), last = this.#ply ? this.#line.moves[this.#ply - 1] : 0, how = (flipped ? 1 : 0) | (letters ? 2 : 0);
    module.withText(`${this.sfen}\n${caption}`, (at, length) => module.granted(module.wasm.r_svg(at, length, last, how)));
    return module.answer();
  }

  toString() {
    return this.sfen;
  }

  toJSON() {
    return this.position;
  }

  [INSPECT]() {
    return `Board ${this.sfen}`;
  }
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** Seconds, or null. */
function checkedTime(field, time) {
  if (time !== null && !(typeof time === "number" && time >= 0 && time <= 1e12)) throw new ShogiError(`${field}: ${String(time)} is no number of seconds`);
  return time;
}

function checkedText(field, text) {
  if (typeof text !== "string") throw new ShogiError(`${field}: ${String(text)} is no text`);
  return text;
}

/** The kinds of ends, in the order of the module. */
const ENDINGS = [
  "resignation", "checkmate", "no-moves", "declaration", "false-declaration", "illegal-move", "time-up", "crash", "stall",
  "repetition", "perpetual-check", "impasse", "ply-limit", "adjudicated-win", "adjudicated-draw", "draw", "walk-over", "no-mate",
  "interrupted", "error",
];
const DRAWS = new Set(["repetition", "impasse", "ply-limit", "adjudicated-draw", "draw"]);
const WINNERS = [null, "b", "w"];

function checkedEnd(end) {
  if (end === null) return null;
  const { ending, winner = null, spent = null } = Object(end);
  if (!ENDINGS.includes(ending)) throw new ShogiError(`end.ending: ${JSON.stringify(ending)} is none of ${ENDINGS.join(", ")}`);
  if (!WINNERS.includes(winner)) throw new ShogiError(`end.winner: ${JSON.stringify(winner)} is none of "b", "w", null`);
  checkedTime("end.spent", spent);
  return Object.freeze(spent === null ? { ending, winner } : { ending, winner, spent });
}

/** A header is one line; KIF has its key and value around a colon. */
function checkedHeader(header) {
  if (typeof header !== "object" || header === null) throw new ShogiError(`header: ${String(header)} is no object`);
  for (const [key, value] of Object.entries(header)) {
    for (const text of [key, checkedText(`header ${JSON.stringify(key)}`, value)]) {
      if (/[\r\n]/.test(text)) throw new ShogiError(`header ${JSON.stringify(key)}: ${JSON.stringify(text)} is more than a line`);
    }
  }
  return header;
}

/** What a place without children has: no list of its own. */
const NONE = Object.freeze([]);

/** A position of a tree and, but for the root, the move that led there: the last child of its parent. */
function newPlace(parent, bits, time = null, comment = "") {
  const ply = parent ? parent.ply + 1 : 0;
  const place = { parent, bits, ply, time, comment, children: NONE, end: null, isEnd: false, otherEnds: null, isRemoved: false, node: null };
  if (parent?.children.length) parent.children.push(place);
  // An empty list that grows takes memory for seventeen, and a game is a chain of places with one child each.
  else if (parent) parent.children = [place];
  return place;
}

/** The line ends where children show only what could have followed. */
const after = (place) => (place.isEnd ? null : place.children[0] ?? null);
const beside = (place) => place.children.slice(place.isEnd ? 0 : 1);

/** Adds an end of a variation without moves. */
const endBeside = (place, end) => void (place.otherEnds ??= []).push(end);

/** The places of a line from one on. */
function lineFrom(place) {
  const line = [];
  for (let at = place; at; at = after(at)) line.push(at);
  return line;
}

function pathTo(place) {
  const path = [];
  for (let at = place; at; at = at.parent) path.push(at);
  return path.reverse();
}

/** The tree of a record. */
class Tree {
  /** The line that was asked for last, and its places: walks go along it. */
  #line = null;
  #places = [];

  constructor(start) {
    this.start = start;
    this.root = newPlace(null, 0);
  }

  node(place) {
    return place && (place.node ??= new Node(this, place));
  }

  board(place) {
    if (this.#places[place.ply] !== place) {
      const isNext = this.#places.length === place.ply && this.#places[place.ply - 1] === place.parent;
      if (isNext && this.#line.moves.length === place.ply - 1) {
        this.#places.push(place);
        this.#line.moves.push(place.bits);
      } else {
        this.#places = [...pathTo(place), ...lineFrom(after(place))];
        this.#line = new Line(this.start, this.#places.slice(1).map(({ bits }) => bits));
      }
    }
    return new Board(this.#line, place.ply);
  }
}

/** A position of a record as its users see it. */
class Node {
  #tree;
  #place;
  noClone = NO_CLONE;

  constructor(tree, place) {
    [this.#tree, this.#place] = [tree, place];
  }

  /** The place, if it is still one of the record. */
  get #here() {
    if (this.#place.isRemoved) throw new ShogiError("the node has been removed from its record");
    return this.#place;
  }

  get parent() {
    return this.#tree.node(this.#here.parent);
  }

  get move() {
    return this.#here.parent ? Move.of(this.#place.bits) : null;
  }

  get time() {
    return this.#here.time;
  }

  set time(seconds) {
    this.#here.time = checkedTime("time", seconds);
  }

  get comment() {
    return this.#here.comment;
  }

  set comment(text) {
    this.#here.comment = checkedText("comment", text).replace(/\r\n?/g, "\n");
  }

  get end() {
    return this.#here.end;
  }

  set end(end) {
    this.#here.end = checkedEnd(end);
  }

  get children() {
    return this.#here.children.map((place) => this.#tree.node(place));
  }

  get next() {
    return this.#tree.node(after(this.#here));
  }

  get siblings() {
    return this.#here.parent ? this.#tree.node(this.#place.parent).children : [];
  }

  /** The nodes from the first move to here. */
  get path() {
    return pathTo(this.#here).slice(1).map((place) => this.#tree.node(place));
  }

  get ply() {
    return this.#here.ply;
  }

  board() {
    return this.#tree.board(this.#here);
  }

  add(move) {
    const here = this.#here, { bits } = this.board().push(move);
    return this.#tree.node(here.children.find((child) => child.bits === bits) ?? newPlace(here, bits));
  }

  promote() {
    const { parent } = this.#here;
    if (!parent) return;
    parent.children = [this.#place, ...parent.children.filter((child) => child !== this.#place)];
    parent.isEnd = false;
  }

  remove() {
    const { parent } = this.#here;
    if (!parent) return;
    parent.children = parent.children.filter((child) => child !== this.#place);
    for (const open = [this.#place]; open.length;) {
      const place = open.pop();
      place.isRemoved = true;
      for (const child of place.children) open.push(child);
    }
  }

  toJSON() {
    const here = this.#here;
    return { ply: here.ply, ...(here.parent ? plainMove(here) : { comment: here.comment }), ...plainFrom(here) };
  }

  [INSPECT]() {
    if (this.#place.isRemoved) return "Node (removed)";
    const { ply, move, children } = this;
    return `Node ${ply}${move ? ` ${move}` : ""} { children: ${children.length}, comment: ${JSON.stringify(this.comment)} }`;
  }
}

/** What a move holds in plain form, without what is not there. */
const plainMove = ({ bits, time, comment }) => ({ move: Move.of(bits).usi, ...(time === null ? {} : { time }), ...(comment ? { comment } : {}) });

/** The line behind a place in plain form; the variations of a move lie beside it. */
function plainFrom(place) {
  const line = { moves: [], end: null };
  for (let at = place; ; at = after(at)) {
    const branches = beside(at).map((branch) => {
      const rest = plainFrom(branch);
      return { ...rest, moves: [plainMove(branch), ...rest.moves] };
    });
    const variations = [...(at.otherEnds ?? []).map((end) => ({ moves: [], end })), ...branches];
    const others = variations.length ? { variations } : {};
    if (!after(at)) return Object.assign(line, { end: at.end }, others);
    line.moves.push({ ...plainMove(after(at)), ...others });
  }
}

/** Adds a line in plain form behind a place; the moves are tested as those of `add` are. */
function addPlain(tree, place, { moves, end = null, variations = [] }) {
  if (!Array.isArray(moves) || !Array.isArray(variations)) throw new ShogiError("a line of a record has moves and variations");
  let at = place;
  const branches = [];
  for (const { move, time = null, comment = "", variations: others = [] } of moves) {
    const node = tree.node(at).add(move);
    Object.assign(node, { time, comment });
    branches.push(...others.map((line) => [at, line, false]));
    at = at.children.find((child) => child.node === node);
  }
  if (!moves.length && at.children.length) endBeside(at, checkedEnd(end));
  else at.end = checkedEnd(end);
  branches.push(...variations.map((line) => [at, line, true]));
  for (const [from, line, isBehindEnd] of branches) {
    from.isEnd ||= isBehindEnd;
    if (line.moves?.length === 0) endBeside(from, checkedEnd(line.end ?? null));
    else addPlain(tree, from, line);
  }
}

const HAS_TIME = 1 << 16, HAS_COMMENT = 1 << 17, FLOAT = new Float64Array(1), HALVES = new Uint32Array(FLOAT.buffer);

/** The row of numbers and the text that the module writes (wasm/rules/src/records.rs). */
class Row {
  numbers = [];
  text = "";

  word(text) {
    this.numbers.push(text.length);
    this.text += text;
  }

  time(time) {
    if (time === null) return;
    FLOAT[0] = time;
    this.numbers.push(HALVES[0], HALVES[1]);
  }

  line(places, end) {
    this.numbers.push(places.length);
    for (const { bits, time, comment } of places) {
      this.numbers.push(bits | (time === null ? 0 : HAS_TIME) | (comment ? HAS_COMMENT : 0));
      this.time(time);
      if (comment) this.word(comment);
    }
    if (!end) return void this.numbers.push(0);
    const spent = end.spent ?? null;
    this.numbers.push((1 + (ENDINGS.indexOf(end.ending) * 4 + WINNERS.indexOf(end.winner))) | (spent === null ? 0 : HAS_TIME));
    this.time(spent);
  }
}

/** The row that the module has read. */
class RowReader {
  #at = 0;
  #letter = 0;

  constructor(numbers, text) {
    [this.numbers, this.text] = [numbers, text];
  }

  get isOver() {
    return this.#at >= this.numbers.length;
  }

  number() {
    return this.numbers[this.#at++];
  }

  word() {
    const from = this.#letter;
    this.#letter += this.number();
    return this.text.slice(from, this.#letter);
  }

  time(mark) {
    if (!(mark & HAS_TIME)) return null;
    [HALVES[0], HALVES[1]] = [this.number(), this.number()];
    return FLOAT[0];
  }

  /** Adds moves to a path, which then leads to the last of them; returns how they end. */
  line(path) {
    for (let left = this.number(); left; left--) {
      const mark = this.number(), parent = path[path.length - 1];
      const place = newPlace(parent, mark & 0xffff, this.time(mark), mark & HAS_COMMENT ? this.word() : "");
      path.push(place);
    }
    const mark = this.number(), number = (mark & 0xffff) - 1;
    if (number < 0) return null;
    const spent = this.time(mark), end = { ending: ENDINGS[number >> 2], winner: WINNERS[number & 3] };
    return Object.freeze(spent === null ? end : { ...end, spent });
  }
}

/** The variations of a tree, whose main line this is, as formats list them: the latest branch of a line first. */
function variationsOf(main) {
  const listed = [], open = [];

  function branches(line, from) {
    line.forEach((at, index) => {
      if (at.otherEnds) open.push(...at.otherEnds.map((end) => ({ from: from + index, end })).reverse());
      if (at.isEnd || at.children.length > 1) open.push(...beside(at).map((other) => ({ place: other, from: from + index })).reverse());
    });
  }

  branches(main, 1);
  while (open.length) {
    const { place, from, end } = open.pop(), moves = place ? lineFrom(place) : [];
    listed.push({ from, moves, end: place ? moves.at(-1).end : end });
    branches(moves, from + 1);
  }
  return listed;
}

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

const isJson = (text) => /^[\ufeff\s]*\{/.test(text);

/** A game: headers, moves with times and comments, variations, the end. */
export class Record {
  /** A word of the record for its end, and the place where it stands. */
  #endWord = null;
  #tree;
  #header = {};
  #fault = null;
  #warnings = [];
  noClone = NO_CLONE;

  constructor(board = "startpos") {
    const { start, moves } = (board instanceof Board ? board : new Board(board))[LINE]();
    this.#tree = new Tree(start);
    let at = this.#tree.root;
    for (const bits of moves) at = newPlace(at, bits);
  }

  static #read(row) {
    if (!row.number()) return new ShogiError(row.word());
    const record = new Record(), root = newPlace(null, 0), path = [root];
    record.#tree = new Tree(row.word());
    record.#tree.root = root;
    for (let left = row.number(); left; left--) {
      const key = row.word();
      record.#header[key] = row.word();
    }
    root.comment = row.word();
    record.#fault = row.word() || null;
    record.#warnings = row.word().split("\n").filter(Boolean);
    const end = row.line(path), last = path.at(-1), mark = row.number();
    last.end = end;
    if (mark) record.#endWord = { place: last, word: row.word(), spent: row.time(mark) };
    for (let left = row.number(); left; left--) {
      path.length = row.number();
      const parent = path.at(-1), count = parent.children.length, branchEnd = row.line(path);
      if (path.at(-1) !== parent) {
        parent.isEnd ||= count === 0;
        path.at(-1).end = branchEnd;
      } else if (branchEnd) {
        endBeside(parent, branchEnd);
      }
    }
    return record;
  }

  /** The games of a text; one that cannot be read at all is an error in its place. */
  static parseAll(source) {
    const text = textOf(source), module = isJson(text) ? runningFormats("JSON (JKF)") : running();
    module.withText(text, (at, length) => module.wasm.r_read(at, length));
    const row = new RowReader(module.numbers().slice(), module.answer()), games = [];
    while (!row.isOver) games.push(Record.#read(row));
    return games;
  }

  /** The only game of a text. */
  static parse(source, { strict = true } = {}) {
    const games = Record.parseAll(source);
    if (games.length !== 1) throw new ShogiError(`${games.length} games, not one: Record.parseAll reads them`);
    if (games[0] instanceof Error) throw games[0];
    if (strict && games[0].fault) throw new ShogiError(games[0].fault);
    return games[0];
  }

  /** The game of what `toJSON` gives. */
  static fromJSON({ start, header = {}, comment = "", moves = [], end = null, variations = [] }) {
    const record = new Record(start);
    record.header = { ...header };
    record.root.comment = comment;
    addPlain(record.#tree, record.#tree.root, { moves, end, variations });
    return record;
  }

  get start() {
    return this.#tree.start;
  }

  get header() {
    return this.#header;
  }

  set header(header) {
    this.#header = checkedHeader(header);
  }

  get fault() {
    return this.#fault;
  }

  get warnings() {
    return this.#warnings;
  }

  get root() {
    return this.#tree.node(this.#tree.root);
  }

  /** The places of the game, without the root. */
  #main() {
    return lineFrom(after(this.#tree.root));
  }

  /** The nodes of the game, without the root. */
  get main() {
    return this.#main().map((place) => this.#tree.node(place));
  }

  get moves() {
    return this.#main().map(({ bits }) => Move.of(bits));
  }

  #last() {
    let last = this.#tree.root;
    for (let at = last; at; at = after(at)) last = at;
    return last;
  }

  get end() {
    return this.#last().end;
  }

  get result() {
    const { ending, winner } = this.end ?? {};
    return winner ? { b: "black", w: "white" }[winner] : DRAWS.has(ending) ? "draw" : null;
  }

  node(ply) {
    let place = Number.isInteger(ply) && ply >= 0 ? this.#tree.root : null;
    for (let left = ply; left > 0 && place; left--) place = after(place);
    if (!place) throw new RangeError(`ply ${ply}: the game has ${counted(this.#main().length, "move")}`);
    return this.#tree.node(place);
  }

  board(ply) {
    return ply === undefined ? this.#tree.board(this.#last()) : this.node(ply).board();
  }

  #write(format, losses) {
    const name = String(format), module = runningFormats(`to write ${name}`);
    const { start, root } = this.#tree, row = new Row(), line = lineFrom(root), last = line.at(-1);
    row.word(name);
    row.word(start);
    const header = Object.entries(checkedHeader(this.#header));
    row.numbers.push(header.length);
    for (const [key, value] of header) {
      row.word(key);
      row.word(value);
    }
    row.word(root.comment);
    row.line(line.slice(1), last.end);
    const { place, word, spent } = this.#endWord ?? {};
    if (place === last) {
      row.numbers.push(1 | (spent === null ? 0 : HAS_TIME));
      row.word(word);
      row.time(spent);
    } else {
      row.numbers.push(0);
    }
    const variations = variationsOf(line);
    row.numbers.push(variations.length);
    for (const { from, moves, end } of variations) {
      row.numbers.push(from);
      row.line(moves, end);
    }
    module.withText(row.text, (at, length) => module.withNumbers(row.numbers, (numbers, bytes) => {
      module.granted(module.wasm.r_write(numbers, bytes, at, length, losses ? 1 : 0));
    }));
    return module.answer();
  }

  /** The record as text. */
  toString(format = "kif") {
    return this.#write(format, false);
  }

  /** The parts of the record that a format has no place for. */
  losses(format) {
    return this.#write(format, true).split("\n").filter(Boolean);
  }

  toJSON() {
    const { start, root } = this.#tree;
    return { start, header: { ...this.#header }, comment: root.comment, ...plainFrom(root) };
  }

  [INSPECT]() {
    const { length } = this.#main();
    return `Record { moves: ${length}, end: ${this.end?.ending ?? null}, result: ${this.result}, header: ${JSON.stringify(this.#header)} }`;
  }
}
