// The page: what it holds, and its engine in a worker, from the bytes in the file. `node --test` with the folder in KOMAINU_WEB.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";

const FOLDER = process.env.KOMAINU_WEB ?? fileURLToPath(new URL("../../target/web", import.meta.url));
const PAGE = readFileSync(join(FOLDER, "komainu.html"), "utf8");

/** The text of a script element. */
function script(id) {
  const found = PAGE.match(new RegExp(`<script[^>]* id="${id}">([^]*?)</script>`));
  assert.ok(found, `no script ${id}`);
  return found[1];
}

/** The script of the page itself, the last one. */
const main = () => PAGE.slice(PAGE.lastIndexOf("<script>") + 8, PAGE.lastIndexOf("</script>"));

/** What a worker of a browser has, in a worker of node. */
const PRELUDE = `
const { parentPort } = require("node:worker_threads");
globalThis.self = { location: { href: "file:///komainu.html" } };
globalThis.postMessage = (message) => parentPort.postMessage(message);
parentPort.on("message", (data) => globalThis.onmessage({ data }));
`;

/** The engine of the page in a worker. */
function start() {
  const worker = new Worker(PRELUDE + script("engine-code") + script("worker-code"), { eval: true });
  const waiting = [];
  worker.on("message", (message) => {
    assert.equal(message.failure, undefined);
    const first = waiting[0];
    if (first && first.fits(message)) waiting.shift().done(message);
  });
  worker.postMessage({ wasm: new WebAssembly.Module(gunzipSync(Buffer.from(script("wasm"), "base64"))) });
  return {
    until: (word, ...lines) => new Promise((done) => {
      waiting.push({ fits: ({ line }) => line === word || line?.startsWith(word + " "), done: ({ line }) => done(line) });
      lines.forEach((line) => worker.postMessage({ line }));
    }),
    ask: (question) => new Promise((done) => {
      waiting.push({ fits: ({ answer }) => answer !== undefined, done: ({ answer }) => done(answer) });
      worker.postMessage({ question });
    }),
    end: () => worker.terminate(),
  };
}

test("every address opens a part of the page", () => {
  const reader = main().match(/function readHash\(\) \{[^]*?\n\}/)[0];
  const open = (hash) => vm.runInNewContext(`const VIEWS = { play: {}, analyse: {}, mate: {} }; ${reader} readHash().name`, { location: { hash }, URLSearchParams });
  for (const hash of ["", "#", "#%", "#%E6%A3", "#constructor", "#__proto__", "#toString&lang=ja", "#play&start=%"]) assert.equal(open(hash), "play", hash);
  assert.equal(open("#analyse&lang=ja"), "analyse");
  assert.equal(open("#sfen=4k4/9/4P4/9/9/9/9/9/9%20b%20G%201"), "mate");
});

test("the page loads nothing from elsewhere", () => {
  const inside = [script("engine-code"), script("worker-code"), main(), PAGE.slice(0, PAGE.indexOf('id="wasm"'))].join("\n").replaceAll("http://www.w3.org/2000/svg", "");
  assert.doesNotMatch(inside, /https?:\/\/|\/\/www|url\(|@font-face|@import| src=/);
  assert.match(PAGE, /default-src 'none'/);
  assert.doesNotMatch(PAGE, /\{\{/);
  assert.ok(PAGE.length < 4_000_000, `${PAGE.length} characters`);
});

test("every word of the page is there in both languages", () => {
  const words = main().match(/const WORDS = \{[^]*?\n\};|addWords\(\{[^]*?\n\}\);/g).join("\n");
  const context = vm.createContext({});
  const all = vm.runInContext(`${words.replaceAll(/^const WORDS/gm, "var WORDS").replaceAll("addWords(", "Object.assign(WORDS, ")}; WORDS`, context);
  assert.ok(Object.keys(all).length > 100);
  for (const [key, pair] of Object.entries(all)) {
    assert.ok(pair.length === 2 && pair.every((text) => text.length > 0), key);
    assert.equal(pair[0].split("{}").length, pair[1].split("{}").length, key);
  }
  const used = [...main().matchAll(/\bt\("(\w+)"/g)].map((found) => found[1]);
  for (const key of used) assert.ok(key in all, key);
});

test("its engine plays a game in a worker, level against level", { timeout: 120_000 }, async () => {
  const engine = start(), moves = [];
  assert.match(await engine.until("usiok", "usi"), /^usiok/);
  await engine.until("readyok", "setoption name Level value 20kyu", "setoption name LevelTime value fast", "isready");
  let position = await engine.ask({ ask: "position", moves });
  while (!position.end && moves.length < 400) {
    const answer = await engine.until("bestmove", `position startpos${moves.length ? " moves " + moves.join(" ") : ""}`, "go byoyomi 1000");
    const move = answer.split(" ")[1];
    if (move === "resign" || move === "win") break;
    assert.ok(position.legal.includes(move), `${move} after ${moves.join(" ")}`);
    moves.push(move);
    position = await engine.ask({ ask: "position", moves });
  }
  assert.ok(moves.length > 10, moves.join(" "));
  const record = await engine.ask({ ask: "write", format: "kif", moves, end: position.end });
  assert.deepEqual((await engine.ask({ ask: "read", text: record.text })).moves, moves);
  await engine.end();
});

test("its engine solves a mate and studies a record", { timeout: 60_000 }, async () => {
  const engine = start();
  await engine.until("readyok", "isready");
  assert.equal(await engine.until("checkmate", "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1", "go mate 10000"), "checkmate G*5b");
  const game = { text: "position startpos moves 7g7f 3c3d 2g2f", nodes: 500, lines: 2 };
  assert.deepEqual(await engine.ask({ ask: "study", ...game, plies: [3, 2, 1, 0] }), { searched: 4 });
  await engine.end();
});
