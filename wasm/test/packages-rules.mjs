// What is asked of the package komainu-rules wherever it runs.

import "komainu-rules/formats";
import { BLACK, Board, Move, Record, STARTPOS, ShogiError, WHITE, init } from "komainu-rules";

let count = 0;

function equal(found, expected, what) {
  count += 1;
  const [left, right] = [found, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${what}: ${left}, not ${right}`);
}

/** Has a call fail with a message that holds these words. */
function refused(call, words) {
  count += 1;
  try {
    call();
  } catch (error) {
    if (error instanceof ShogiError && error.message.includes(words)) return;
    throw new Error(`${error} does not say ${words}`);
  }
  throw new Error(`nothing was refused: ${words}`);
}

const KIF = "手合割：平手\n先手：駒犬\n後手：狛犬\n*始め\n   1 ７六歩(77)   ( 0:05/00:00:05)\n*角道\n   2 ３四歩(33)   ( 0:07/00:00:07)\n   3 投了\n\n変化：2手\n   2 ８四歩(83)\n";
/** 手合割：平手 and a move, in Shift_JIS. */
const SHIFT_JIS = Uint8Array.from("8ee88d878a84814695bd8ee80a20202031208256985a95e0283737290a".match(/../g), (hex) => parseInt(hex, 16));

function boards() {
  const board = new Board();
  equal([board.sfen, board.turn, board.ply, board.legalMoves.length], [STARTPOS, BLACK, 1, 30], "the start");
  equal([1, 2, 3].map((depth) => board.perft(depth)), [30, 900, 25_470], "perft");
  equal(board.push("7g7f") === Move.of("7g7f"), true, "one object a move");
  equal([board.turn, board.position], [WHITE, "position startpos moves 7g7f"], "after a move");
  const before = board.sfen;
  refused(() => board.push("7g7f"), "7g7f");
  refused(() => board.push("7z7f"), "7z7f");
  equal([board.sfen, board.isLegal("3c3d"), board.isLegal("3c3e"), board.isLegal("x")], [before, true, false, false], "unchanged");
  board.push("-3334FU");
  const capture = board.push("8h2b+");
  equal([capture.from, capture.to, capture.drop, capture.promotes, capture.bits], ["8h", "2b", null, true, 41_738], "a move");
  equal([board.pieceAt("2b"), board.pieceAt("8h"), board.hand(BLACK), board.hand(WHITE)], ["+B", null, { B: 1 }, {}], "pieces");
  equal([board.moveText("3a2b", "kif"), board.moveText("3a2b", "ki2"), board.moveText("3a2b", "csa")], ["△同　銀(31)", "△同銀", "-3122GI"], "texts");
  equal(["8h2b+", "3c3d", "7g7f", null], [0, 1, 2, 3].map(() => board.pop()?.usi ?? null), "taken back");
  refused(() => new Board("nonsense"), "nonsense");
  refused(() => new Board("9/9 b - 1"), "rank");
  refused(() => board.pieceAt("0a"), "0a");
  const drop = new Board("4k4/9/4P4/9/9/9/9/9/9 b G 1").push("G*5b");
  equal([drop.drop, drop.from, drop.to], ["G", null, "5b"], "a drop");
  const mated = new Board("4k4/9/4P4/9/9/9/9/9/9 b G 1");
  mated.push(drop);
  equal([mated.isCheck, mated.isCheckmate, mated.isOver, mated.legalMoves], [true, true, true, []], "mate");
  const turns = new Board();
  for (let round = 0; round < 3; round++) for (const move of ["2h3h", "8b7b", "3h2h", "7b8b"]) turns.push(move);
  equal([turns.repetition, turns.isOver, turns.canDeclare], ["draw", true, false], "repetition");
  const copy = turns.clone();
  copy.pop();
  equal([copy.repetition, turns.repetition], [null, "draw"], "a copy");
  equal(/^<svg .*駒犬/s.test(board.toSVG({ caption: "駒犬" })), true, "a picture");
}

/** Texts around the length from which they are passed in another way, and boards by the thousand. */
function lengths() {
  const turns = ["2h3h", "8b7b", "3h2h", "7b8b"], board = new Board();
  for (let ply = 0; ply < 60; ply++) board.push(turns[ply % 4]);
  for (const blanks of [256, 257, 5_000]) {
    const text = board.position.padEnd(blanks, " ");
    equal(new Board(text).position, board.position, `a text of ${text.length} letters`);
  }
  refused(() => new Board("駒"), "駒");
  refused(() => new Board(`sfen ${"x".repeat(300)}`), "unknown piece");
  const many = Array.from({ length: 3_000 }, (_, number) => new Board(STARTPOS.replace(/1$/, `${number + 1}`)));
  equal(many.every(({ ply }, number) => ply === number + 1), true, "boards side by side");
  equal(many.map((one) => one.sfen).join(), many.map((_, number) => STARTPOS.replace(/1$/, `${number + 1}`)).join(), "their texts");
}

function records() {
  const record = Record.parse(KIF);
  equal(record.header["先手"], "駒犬", "a header");
  equal([record.moves, record.result, record.end.ending, record.node(1).time], [["7g7f", "3c3d"], "white", "resignation", 5], "the game");
  equal([record.root.comment, record.node(1).comment, record.node(1).children.length], ["始め", "角道", 2], "comments and variations");
  const other = record.node(1).add("2c2d");
  other.comment = "別の手";
  other.add("2g2f");
  equal([other.siblings.length, other.ply, other.board().turn], [3, 2, BLACK], "a variation that was added");
  refused(() => other.add("2c2d"), "2c2d");
  for (const format of ["kif", "ki2"]) {
    const again = Record.parse(record.toString(format));
    equal(again.toJSON().moves, strip(record.toJSON().moves, again), format);
  }
  equal(record.toString("usi"), "position startpos moves 7g7f 3c3d\n", "USI");
  equal(record.losses("csa").includes("variations"), true, "losses");
  refused(() => record.toString("pgn"), "pgn");
  other.promote();
  equal(record.moves, ["7g7f", "2c2d", "2g2f"], "promoted");
  other.remove();
  equal(record.moves, ["7g7f", "3c3d"], "taken out");
  refused(() => Record.parse("手合割：平手\n   1 ７六歩(77)\n   2 １一玉(99)\n"), "3");
  equal(Record.parse("手合割：平手\n   1 ７六歩(77)\n   2 １一玉(99)\n", { strict: false }).moves, ["7g7f"], "as far as it goes");
  equal(Record.parse(SHIFT_JIS).moves, ["7g7f"], "Shift_JIS");
  let error = null;
  try {
    Record.parse("startpos moves 7g7f").node(2);
  } catch (thrown) {
    error = thrown;
  }
  equal(error?.message, "ply 2: the game has 1 move", "words for a number");
  const played = new Board();
  ["7g7f", "3c3d"].forEach((move) => played.push(move));
  equal(new Record(played).toString("csa").includes("+7776FU\n-3334FU"), true, "of a board");
}

/** Moves in plain form with the times that a format keeps: KI2 has none. */
function strip(moves, like) {
  if (like.main.some(({ time }) => time !== null)) return moves;
  return moves.map(({ time, ...made }) => (made.variations ? { ...made, variations: made.variations.map((line) => ({ ...line, moves: strip(line.moves, like) })) } : made));
}

/** What is done with a node that has been removed, and with those behind it, is an error that says so. */
function removed() {
  const record = Record.parse(KIF), node = record.node(2), own = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(node));
  record.node(1).remove();
  const names = Object.keys(own).filter((name) => name !== "constructor");
  equal(names.length > 12, true, "names of a node");
  for (const name of names) {
    const { get, set, value } = own[name], words = "removed from its record";
    if (get) refused(() => node[name], words);
    if (set) refused(() => { node[name] = null; }, words);
    if (value) refused(() => node[name]("3c3d"), words);
  }
  equal([record.moves, record.root.children.length, record.toString("usi")], [[], 0, "position startpos\n"], "what is left");
}

/** A field refuses what it has no place for, in its own words, and stays as it was. */
function fields() {
  const record = Record.parse(KIF), node = record.node(1), before = JSON.stringify(record);
  for (const [name, values] of Object.entries({
    comment: [null, undefined, 5, {}],
    time: [-1, NaN, Infinity, "5", undefined],
    end: [undefined, {}, "resignation", { ending: "lost" }, { ending: "resignation", winner: "black" }, { ending: "draw", spent: -1 }],
  })) for (const value of values) refused(() => { node[name] = value; }, name);
  for (const value of [null, 5, { 先手: 5 }, { 先手: "a\nb" }, { "a\nb": "c" }]) refused(() => { record.header = value; }, "header");
  equal(JSON.stringify(record), before, "unchanged");
  record.header["先手"] = 5;
  refused(() => record.toString(), 'header "先手": 5');
  record.header = { 先手: "犬", 備考: "" };
  node.end = { ending: "repetition" };
  [node.time, node.comment] = [null, "一\r\n二"];
  equal([node.end, node.time, node.comment, record.header["先手"]], [{ ending: "repetition", winner: null }, null, "一\n二", "犬"], "set");
}

/** A record in plain form and back. */
function plain() {
  for (const text of [KIF, `${KIF}   3 ３四歩(33)\n\n変化：3手\n   3 ２六歩(27)\n`, "startpos", "手合割：香落ち\n   1 ３四歩(33)\n"]) {
    const record = Record.parse(text), copy = Record.fromJSON(structuredClone(record.toJSON()));
    equal(copy, record, "a copy");
    for (const format of ["kif", "csa", "usi"]) equal(copy.toString(format), record.toString(format), format);
  }
  refused(() => Record.fromJSON({ moves: [{ move: "7g7e" }] }), "7g7e");
  const record = Record.parse(KIF), board = record.board();
  equal(new Board(structuredClone(board.toJSON())).position, board.position, "a board in plain form");
  for (const object of [board, record, record.node(1)]) {
    let error = null;
    try {
      structuredClone(object);
    } catch (thrown) {
      error = thrown;
    }
    equal(error?.name, "DataCloneError", `${error}`);
  }
  const inspect = Symbol.for("nodejs.util.inspect.custom");
  equal([new Board()[inspect](), Record.parse(KIF)[inspect]()], [`Board ${STARTPOS}`, 'Record { moves: 2, end: resignation, result: white, header: {"先手":"駒犬","後手":"狛犬"} }'], "inspected");
}

/** Boards of one game share what they have in common and do not disturb each other. */
function shared() {
  const first = new Board(), others = ["7g7f", "2g2f", "9g9f"].map((move) => {
    const copy = first.clone();
    copy.push(move);
    return copy;
  });
  equal([first.ply, ...others.map(({ position }) => position.slice(-4))], [1, "7g7f", "2g2f", "9g9f"], "copies go their own ways");
  first.push("1g1f");
  others.forEach((board) => board.push("3c3d"));
  equal([first, ...others].map(({ sfen }) => new Board(sfen).sfen), [first, ...others].map(({ sfen }) => sfen), "each has its own");
  const far = new Board("startpos moves 7g7f 3c3d 2g2f"), near = far.clone();
  [near.pop(), near.pop()];
  near.push("8c8d");
  equal([far.position, near.position], ["position startpos moves 7g7f 3c3d 2g2f", "position startpos moves 7g7f 8c8d"], "behind and before");
  far.pop();
  refused(() => far.push("7g7f"), "7g7f");
  equal([far.push("2g2f").usi, far.ply], ["2g2f", 4], "the move that was taken back");
  // More boards than the module holds at a time, all in use.
  const many = Array.from({ length: 200 }, () => new Board());
  for (let round = 0; round < 3; round++) many.forEach((board, number) => board.push(board.legalMoves[(number + round) % board.legalMoves.length]));
  equal(many.map(({ position }) => new Board(position).sfen), many.map(({ sfen }) => sfen), "boards by turns");
}

/** The game of two kings' neighbours that goes on for so many moves. */
function long(length) {
  const turns = ["2h3h", "8b7b", "3h2h", "7b8b"];
  return `startpos moves ${Array.from({ length }, (_, ply) => turns[ply % 4]).join(" ")}`;
}

/** Boards end with those who hold them, in one loop without a rest, and long records are like any other. */
function memory() {
  const record = Record.parse(long(9_091)), plies = record.main.map((node) => node.board().ply);
  equal([plies.length, plies[0], plies.at(-1)], [9_091, 2, 9_092], "a long record");
  equal(Record.parse(record.toString("kif")).moves.length, 9_091, "written and read");
  equal(record.node(5).board().clone().push("8b7b").usi, "8b7b", "a short way into it");
  const text = Record.parse(long(110)).toString("kif");
  const bytes = () => (typeof process === "object" ? process.memoryUsage().rss : performance.memory?.usedJSHeapSize ?? 0);
  const before = bytes();
  let sum = 0;
  for (let game = 0; game < 1_000; game++) for (const node of Record.parse(text).main) sum += node.board().turn;
  equal(sum, 55_000, "boards of games");
  const grown = (bytes() - before) / 1e6;
  equal(grown < 100, true, `${grown} MB for 1,000 games`);
  equal(new Board().legalMoves.length, 30, "and it goes on");
}

/** Nothing is lost in JSON. */
function json() {
  const record = Record.parse(KIF);
  equal(Record.parse(record.toString("jkf")), record, "JKF");
  equal(record.losses("jkf"), [], "JKF holds all");
}

export async function run() {
  count = 0;
  await init();
  boards();
  lengths();
  records();
  removed();
  fields();
  plain();
  shared();
  memory();
  json();
  return `passed ${count}`;
}
