// Common jobs in komainu-rules, tsshogi and shogiops, side by side: lines of code and the best of three times in seconds.
//
//     npm install tsshogi shogiops ./komainu-rules-VERSION.tgz && node side_by_side.mjs
//
// A job that a library has nothing for shows a dash. All get the same games, made here from one seed.

import * as k from "komainu-rules";
import "komainu-rules/formats";
import { parseSfen, makeSfen } from "shogiops/sfen";
import { makeUsi, parseUsi } from "shogiops/util";
import { Shogi } from "shogiops/variant/shogi";
import { makeJapaneseMoveOrDrop } from "shogiops/notation/japanese";
import { Position, Record, exportCSA, exportJKFString, exportKIF, formatMove, importKIF } from "tsshogi";

let state = 12_345;
function random(bound) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % bound;
}

const games = [];
for (let game = 0; game < 1_000; game++) {
  const board = new k.Board();
  for (let moves = board.legalMoves; moves.length && board.ply <= 110; moves = board.legalMoves) board.push(moves[random(moves.length)]);
  games.push(board);
}
const records = games.map((board) => new k.Record(board));
const KIF = records.map((record, game) => Object.assign(record, { header: { 先手: `駒犬${game}`, 後手: "狛犬" } }).toString("kif"));
const POSITIONS = records.map((record) => record.toString("usi").trim());
const MOVES = records.map((record) => record.moves.map(String));
const SFENS = games.flatMap((board) => Array(10).fill(board.sfen));
const sum = (list, count) => list.reduce((total, one) => total + Number(count(one)), 0);

function replayShogiops(moves, each = () => {}) {
  const position = Shogi.default();
  for (const text of moves) {
    const move = parseUsi(text);
    if (!position.isLegal(move)) throw new Error(text);
    each(position, move);
    position.play(move);
  }
  return position;
}

function perftKomainu(board, depth) {
  if (depth === 1) return board.legalMoves.length;
  return sum(board.legalMoves, (move) => {
    board.push(move);
    const nodes = perftKomainu(board, depth - 1);
    board.pop();
    return nodes;
  });
}

function movesShogiops(position) {
  const moves = [];
  for (const [from, dests] of position.allMoveDests()) for (const to of dests) moves.push({ from, to });
  for (const [name, dests] of position.allDropDests()) for (const to of dests) moves.push({ role: name.split(" ")[1], to });
  return moves;
}

const READ = { komainu: KIF.map((text) => k.Record.parse(text)), tsshogi: KIF.map((text) => importKIF(text)) };

const JOBS = {
  "1,000 KIF read": {
    komainu: () => sum(KIF, (text) => k.Record.parse(text).moves.length),
    tsshogi: () => sum(KIF, (text) => importKIF(text).length),
  },
  "1,000 games written as CSA": {
    komainu: () => sum(READ.komainu, (record) => record.toString("csa").length > 0),
    tsshogi: () => sum(READ.tsshogi, (record) => exportCSA(record).length > 0),
  },
  "1,000 games written as KIF": {
    komainu: () => sum(READ.komainu, (record) => record.toString("kif").length > 0),
    tsshogi: () => sum(READ.tsshogi, (record) => exportKIF(record).length > 0),
  },
  "1,000 games written as JKF": {
    komainu: () => sum(READ.komainu, (record) => record.toString("jkf").length > 0),
    tsshogi: () => sum(READ.tsshogi, (record) => exportJKFString(record).length > 0),
  },
  "1,000 games walked, each position asked whose turn it is": {
    komainu: () => sum(READ.komainu, (record) => sum(record.main, (node) => node.board().turn === k.WHITE)),
    tsshogi: () => sum(READ.tsshogi, (record) => {
      let count = 0;
      record.goto(0);
      while (record.goForward()) count += record.position.color === "white";
      return count;
    }),
  },
  "1,000 games walked, each position as SFEN": {
    komainu: () => sum(READ.komainu, (record) => sum(record.main, (node) => node.board().sfen.length > 0)),
    tsshogi: () => sum(READ.tsshogi, (record) => {
      let count = 0;
      record.goto(0);
      while (record.goForward()) count += record.position.sfen.length > 0;
      return count;
    }),
  },
  "1,000 `position` lines of 110 moves": {
    komainu: () => sum(POSITIONS, (text) => new k.Board(text).ply),
    tsshogi: () => sum(POSITIONS, (text) => Record.newByUSI(text).length + 1),
    shogiops: () => sum(MOVES, (moves) => replayShogiops(moves).moveNumber),
  },
  "10,000 SFEN read and written": {
    komainu: () => sum(SFENS, (sfen) => new k.Board(sfen).sfen === sfen),
    tsshogi: () => sum(SFENS, (sfen) => Position.newBySFEN(sfen).getSFEN(Number(sfen.split(" ")[3])) === sfen),
    shogiops: () => sum(SFENS, (sfen) => makeSfen(parseSfen("standard", sfen).unwrap()) === sfen),
  },
  "1,000 games replayed, each move checked": {
    komainu: () => sum(MOVES, (moves) => {
      const board = new k.Board();
      for (const move of moves) board.push(move);
      return board.ply;
    }),
    tsshogi: () => sum(MOVES, (moves) => {
      const position = new Position();
      for (const move of moves) if (!position.doMove(position.createMoveByUSI(move))) throw new Error(move);
      return moves.length + 1;
    }),
    shogiops: () => sum(MOVES, (moves) => replayShogiops(moves).moveNumber),
  },
  "check and mate in 10,000 positions": {
    komainu: () => sum(SFENS, (sfen) => {
      const board = new k.Board(sfen);
      return board.isCheck && !board.isCheckmate;
    }),
    // It knows no mate.
    tsshogi: () => sum(SFENS, (sfen) => Position.newBySFEN(sfen).checked),
    shogiops: () => sum(SFENS, (sfen) => {
      const position = parseSfen("standard", sfen).unwrap();
      return position.isCheck() && !position.isCheckmate();
    }),
  },
  "moves of 1,000 games in Japanese": {
    komainu: () => sum(MOVES, (moves) => {
      const board = new k.Board();
      let letters = 0;
      for (const move of moves) {
        letters += board.moveText(move, "ki2").length > 0;
        board.push(move);
      }
      return letters;
    }),
    tsshogi: () => sum(MOVES, (moves) => {
      const position = new Position();
      let letters = 0;
      for (const text of moves) {
        const move = position.createMoveByUSI(text);
        letters += formatMove(position, move).length > 0;
        position.doMove(move);
      }
      return letters;
    }),
    shogiops: () => sum(MOVES, (moves) => {
      let letters = 0;
      replayShogiops(moves, (position, move) => { letters += makeJapaneseMoveOrDrop(position, move).length > 0; });
      return letters;
    }),
  },
  "legal moves of 1,000 positions, as USI": {
    komainu: () => sum(SFENS.filter((_, at) => at % 10 === 0), (sfen) => new k.Board(sfen).legalMoves.map(String).length),
    // Promotions are not listed apart.
    shogiops: () => sum(SFENS.filter((_, at) => at % 10 === 0), (sfen) => movesShogiops(parseSfen("standard", sfen).unwrap()).map(makeUsi).length),
  },
  "perft 3 by making moves": {
    komainu: () => perftKomainu(new k.Board(), 3),
  },
};

function seconds(run) {
  let best = Infinity, answer;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    answer = run();
    best = Math.min(best, performance.now() - began);
  }
  return [best / 1_000, answer];
}

const LIBRARIES = ["komainu", "tsshogi", "shogiops"];
console.log(`| job | ${LIBRARIES.map((name) => `${name}: lines, seconds`).join(" | ")} |\n| --- | --- | --- | --- |`);
for (const [job, runs] of Object.entries(JOBS)) {
  const answers = new Set();
  const cells = LIBRARIES.map((name) => {
    const run = runs[name];
    if (!run) return "–";
    const [time, answer] = seconds(run);
    answers.add(answer);
    return `${String(run).split("\n").length}, ${time.toFixed(3)}`;
  });
  console.log(`| ${job}${answers.size > 1 ? ` (answers: ${[...answers].join(", ")})` : ""} | ${cells.join(" | ")} |`);
}
