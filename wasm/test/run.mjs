// Tests of the package: `node run.mjs FOLDER [--engine NATIVE] [--questions WASM] [--full] [--only WORDS]`. With the native binary
// the figures of both are compared, with the module of the page random games are played; --full runs as much of everything as a
// person waits for. Ends with 1 if a test failed.

import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Random, sleep, start } from "./driver.mjs";

const folder = resolve(process.argv[2] ?? "target/web");
const argument = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
const native = argument("--engine");
const isFull = process.argv.includes("--full");
const pick = (quick, full) => (isFull ? full : quick);
const bytes = readFileSync(join(folder, "komainu.wasm"));
const wasm = await WebAssembly.compile(bytes);
const { default: createKomainu } = await import(pathToFileURL(join(folder, "komainu.js")));
const manifest = JSON.parse(readFileSync(join(folder, "engine.json"), "utf8"));
/** Who knows the rules, if the module of the page was given. */
const rules = argument("--questions") && (await createKomainu({ wasmBinary: readFileSync(argument("--questions")) }));
const legalMoves = (moves) => rules && rules.call({ ask: "position", moves }).legal;
const launch = (options) => start(createKomainu, { wasmBinary: wasm, ...options });

function check(holds, text) {
  if (!holds) throw new Error(text);
}

function equal(found, expected, text) {
  check(JSON.stringify(found) === JSON.stringify(expected), `${text}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

/** What the native engine says to these lines. */
function natively(lines) {
  const run = spawnSync(native, { input: [...lines, "quit", ""].join("\n"), encoding: "utf8", maxBuffer: 1 << 28 });
  check(run.status === 0, `${native}: status ${run.status}`);
  return run.stdout.split(/\r?\n/);
}

const tests = [];
const test = (name, body) => tests.push([name, body]);

test("sizes", () => {
  const sizes = Object.fromEntries(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]));
  check(sizes["komainu.wasm"] < 2097152, `komainu.wasm has ${sizes["komainu.wasm"]} bytes`);
  check(sizes["komainu.js"] < 10000, `komainu.js has ${sizes["komainu.js"]} bytes`);
  const total = Object.entries(sizes).reduce((sum, [name, size]) => sum + (name === "komainu.html" ? 0 : size), 0);
  check(total < 3_000_000, `the folder has ${total} bytes`);
  return `komainu.wasm ${sizes["komainu.wasm"]}, komainu.js ${sizes["komainu.js"]}, folder ${total} bytes`;
});

test("the manifest says what the engine says", async () => {
  const engine = await launch();
  const lines = await engine.until("usiok", ["usi"]);
  check(lines.includes(`id name ${manifest.name}`) && lines.includes(`id author ${manifest.author}`), "id name, id author");
  equal(lines.at(-1), "usiok", "the last line");
  for (const { name, type } of manifest.options) {
    check(lines.some((line) => line.startsWith(`option name ${name} type ${type} `)), `option ${name} of type ${type}`);
  }
  const offered = lines.filter((line) => line.startsWith("option ")).map((line) => line.split(" ")[2]);
  for (const name of ["EvalFile", "BookFile", "DebugLogFile"]) check(!offered.includes(name), `${name} is offered`);
  check(lines.includes("option name USI_Hash type spin default 16 min 1 max 256"), "USI_Hash");
  await engine.until("readyok", ["isready"]);
  const ids = manifest.presets.map(({ id }) => id);
  equal(ids, ["komainu-v1", "komainu-10kyu-v1", "komainu-5kyu-v1", "komainu-1dan-v1", "komainu-3dan-v1"], "ids, which are for good");
  for (const { values } of manifest.presets) {
    const lines = await engine.until("readyok", [...Object.entries(values).map(([name, value]) => `setoption name ${name} value ${value}`), "isready"]);
    check(!lines.some((line) => /error|no option|takes|cannot/.test(line)), lines.join(" / "));
  }
  equal(engine.errors, [], "messages of a breakdown");
  engine.close();
});

test("go answers with a legal move, by itself and by poll()", async () => {
  for (const autorun of [true, false]) {
    const engine = await launch({ autorun });
    await engine.until("readyok", ["usi", "isready"]);
    const moves = await engine.until(/^bestmove /, ["usinewgame", "position startpos moves 7g7f 3c3d", "go btime 10000 wtime 10000 byoyomi 1000"], !autorun);
    const best = moves.at(-1).split(" ")[1];
    check(legalMoves(["7g7f", "3c3d"])?.includes(best) ?? /^[1-9P]/.test(best), moves.at(-1));
    engine.close();
  }
});

test("stop in the same tick has a move; nothing is said after terminate and quit", async () => {
  const clock = "go btime 600000 wtime 600000 byoyomi 300000";
  for (const start of ["position startpos", "position startpos moves 7g7f"]) {
    const engine = await launch();
    await engine.until("readyok", ["usi", "setoption name USI_OwnBook value false", "isready"]);
    const found = engine.until(/^bestmove /, [start, clock, "stop"]);
    check(/^bestmove [1-9]/.test((await found).at(-1)), "a move");
    engine.close();
  }
  for (const end of ["quit", null]) {
    const engine = await launch();
    await engine.until("readyok", ["usi", "setoption name USI_OwnBook value false", "isready"]);
    engine.send("position startpos", clock);
    if (end) engine.send(end);
    else engine.engine.terminate();
    engine.lines.length = 0;
    for (let i = 0; i < 20; i++) {
      engine.engine.poll();
      await sleep(10);
    }
    engine.send("usi");
    equal([engine.lines, engine.errors], [[], []], `after ${end ?? "terminate()"}`);
  }
});

test("bench has the nodes of the native engine", async () => {
  const engine = await launch();
  const before = performance.now();
  const lines = await engine.until(/ nodes \d+ nps$/, ["bench"]);
  const [, nodes, nps] = lines.at(-1).match(/^(\d+) nodes (\d+) nps$/);
  engine.close();
  if (native) {
    const expected = natively(["bench"]).find((line) => / nodes \d+ nps$/.test(line));
    equal(nodes, expected.split(" ")[0], "nodes");
    return `${nodes} nodes, ${nps} a second, natively ${expected.split(" ")[2]}: ${(nps / expected.split(" ")[2]).toFixed(2)}; ${Math.round(performance.now() - before)} ms`;
  }
  return `${nodes} nodes, ${nps} a second`;
});

test("a search in slices is the search in one piece", async () => {
  const lines = ["setoption name USI_OwnBook value false", "isready", "position startpos moves 7g7f 8c8d 2g2f 8d8e 8h7g", `go depth ${pick(12, 16)}`];
  const found = [];
  for (const millis of [0.2, 7, 60_000]) {
    const engine = await launch({ autorun: false });
    const began = performance.now();
    engine.send(...lines);
    while (!engine.lines.some((line) => line.startsWith("bestmove "))) engine.exports(millis);
    const last = engine.lines.filter((line) => line.startsWith("info depth")).at(-1);
    found.push([engine.lines.at(-1), last.match(/ nodes (\d+)/)[1], last.match(/ pv .*/)[0]]);
    found.at(-1).time = performance.now() - began;
    engine.close();
  }
  equal(found[0], found[2], "slices of 0.2 ms");
  equal(found[1], found[2], "slices of 7 ms");
  return `${found[0][1]} nodes; ${found.map(({ time }) => Math.round(time)).join(", ")} ms in slices of 0.2 ms, 7 ms and in one piece`;
});

test("evaluations equal those of the native engine", async () => {
  if (!native || !rules) return "left out: it needs the native engine and the module of the page";
  const random = new Random(1), engine = await launch();
  await engine.until("readyok", ["isready"]);
  const lines = [];
  while (lines.length < 2 * pick(1_500, 10_000)) {
    const moves = [];
    for (let ply = 0; ply < 150; ply++) {
      const legal = legalMoves(moves);
      if (!legal.length) break;
      moves.push(random.pick(legal));
      lines.push(`position startpos moves ${moves.join(" ")}`, "eval");
    }
  }
  engine.lines.length = 0;
  engine.send(...lines);
  const ours = engine.lines.filter((line) => line.startsWith("info string"));
  const said = natively(["isready", ...lines]);
  const theirs = said.slice(said.indexOf("readyok")).filter((line) => line.startsWith("info string"));
  equal(ours.length, theirs.length, "number of evaluations");
  ours.forEach((line, at) => equal(line, theirs[at], lines[2 * at]));
  engine.close();
  return `${ours.length} positions`;
});

test("perft", async () => {
  const engine = await launch();
  const suite = readFileSync(new URL("../../tests/data/perft.txt", import.meta.url), "utf8").trim().split("\n");
  const most = pick(2_000_000, 100_000_000);
  equal(engine.perft("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 5), 19_861_490, "perft 5");
  let done = 0;
  for (const line of suite.filter((line) => !line.startsWith("#") && line.includes(";"))) {
    const [sfen, ...counts] = line.split(";").map((part) => part.trim());
    for (const [, depth, nodes] of counts.map((count) => count.match(/D?(\d+) (\d+)/)).filter(Boolean)) {
      if (Number(nodes) > most) continue;
      equal(engine.perft(sfen.replace(/^sfen /, ""), Number(depth)), Number(nodes), `${sfen} ${depth}`);
      done += 1;
    }
  }
  engine.close();
  return `${done} counts of the suite`;
});

test("stop is answered within the slice that follows", async () => {
  const engine = await launch({ autorun: false }), random = new Random(4);
  await engine.until("readyok", ["setoption name USI_OwnBook value false", "isready"]);
  const polls = [], stops = [];
  for (let i = 0; i < pick(40, 200); i++) {
    const until = performance.now() + random.below(pick(250, 2_000));
    engine.send("position startpos moves 7g7f 3c3d 2g2f", "go infinite");
    while (performance.now() < until) {
      const began = performance.now();
      engine.engine.poll();
      polls.push(performance.now() - began);
    }
    engine.lines.length = 0;
    const began = performance.now();
    engine.send("stop");
    if (!engine.lines.some((line) => line.startsWith("bestmove "))) engine.engine.poll();
    check(engine.lines.some((line) => line.startsWith("bestmove ")), "no answer to stop within a poll");
    stops.push(performance.now() - began);
  }
  engine.close();
  const [poll, stop] = [polls, stops].map((times) => times.sort((a, b) => a - b));
  const at = (times, share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
  return { text: `${poll.length} polls: ${at(poll, 0.5)} ms, 99 % ${at(poll, 0.99)}, most ${at(poll, 1)}; stop: ${at(stop, 0.5)}, 99 % ${at(stop, 0.99)} ms`, limits: [[at(poll, 0.99), 60], [at(poll, 1), 250]] };
});

test("go mate finds mates and can be stopped", async () => {
  const engine = await launch();
  await engine.until("readyok", ["isready"]);
  const mate = await engine.until(/^checkmate /, ["position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "go mate infinite"]);
  equal(mate.at(-1), "checkmate G*5b", "mate in one");
  const none = await engine.until(/^checkmate /, ["position sfen 4k4/9/9/9/9/9/9/9/9 b G 1", "go mate infinite"]);
  equal(none.at(-1), "checkmate nomate", "no mate");
  const hard = "position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
  const stopped = engine.until(/^checkmate /, [hard, "go mate infinite", "stop"]);
  check(/^checkmate /.test((await stopped).at(-1)), "an answer to stop");
  engine.close();
});

test("every level plays", async () => {
  const engine = await launch();
  const lines = await engine.until("usiok", ["usi"]);
  const levels = lines.find((line) => line.startsWith("option name Level ")).split(" var ").slice(1);
  await engine.until("readyok", ["setoption name LevelTime value fast", "setoption name USI_OwnBook value false", "isready"]);
  for (const level of levels.filter((level) => level !== "full")) {
    const found = await engine.until(/^bestmove /, [`setoption name Level value ${level}`, "usinewgame", "position startpos moves 2g2f 3c3d", "go btime 60000 wtime 60000"]);
    check(/^bestmove [1-9]/.test(found.at(-1)), `${level}: ${found.at(-1)}`);
  }
  engine.close();
  return `${levels.length - 1} levels`;
});

test("random lines break nothing", async () => {
  const random = new Random(6);
  const words = ["usi", "isready", "usinewgame", "position startpos", "position startpos moves 7g7f", "position sfen x", "go", "go infinite", "go depth 3", "go mate 100", "go nodes 500",
    "go ponder", "ponderhit", "stop", "gameover win", "setoption name USI_Hash value 8", "setoption name MultiPV value 3", "setoption name Level value 5kyu", "setoption", "eval", "d", "bench x",
    "help", "\u0000", "\ud800", "王手", "go btime -1 wtime 99999999999999999999", "position sfen 9/9/9/9/9/9/9/9/9 b - 1", "x".repeat(random.below(3000))];
  let engine = await launch({ autorun: false });
  const count = pick(3_000, 100_000);
  for (let i = 0; i < count; i++) {
    const line = random.below(10) ? random.pick(words) : Array.from({ length: random.below(60) }, () => String.fromCharCode(random.below(300))).join("");
    if (line.trim() !== "quit") engine.send(line);
    if (random.below(4) === 0) engine.exports(1);
    if (i % 1_000 === 0) engine.send("x".repeat(1 << 20), "stop");
    if (random.below(500) === 0) {
      const lines = engine.lines.length;
      engine.send("quit", "usi");
      equal(engine.lines.length, lines, "lines after quit");
      engine.close();
      engine = await launch({ autorun: false });
    }
    check(!engine.errors.length, `after ${JSON.stringify(line.slice(0, 100))}: ${engine.errors[0]}`);
    if (engine.lines.length > 10_000) engine.lines.length = 0;
  }
  engine.lines.length = 0;
  await engine.until("usiok", ["stop", "usi"], true);
  engine.close();
  return `${count} lines`;
});

test("memory does not grow from game to game", async () => {
  const engine = await launch();
  const ready = (...lines) => engine.until("readyok", [...lines, "isready"]);
  for (const hash of [1, 16, 256, 16, 1]) await ready(`setoption name USI_Hash value ${hash}`);
  await ready();
  const first = engine.memory();
  for (let i = 0; i < pick(20, 100); i++) {
    await ready("usinewgame");
    await engine.until(/^bestmove /, ["position startpos moves 7g7f", "go nodes 1000"]);
    await ready(`setoption name USI_Hash value ${i % 2 ? 16 : 1}`);
  }
  equal(engine.memory(), first, "bytes of memory");
  engine.close();
  return `${first >> 20} MB`;
});

test("engines come and go", async () => {
  for (let i = 0; i < pick(20, 100); i++) {
    const engine = await launch();
    await engine.until(/^bestmove /, ["position startpos moves 7g7f", "go nodes 200"]);
    engine.close();
  }
  await sleep(0);
});

let failed = 0, done = 0;
const began = performance.now();
const only = argument("--only") ?? "";
for (const [name, body] of tests.filter(([name]) => name.includes(only))) {
  const start = performance.now();
  done += 1;
  try {
    const told = await body();
    const wrong = told?.limits?.filter(([found, limit]) => Number(found) > limit) ?? [];
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`ok      ${name} (${seconds} s)${told ? `: ${told.text ?? told}` : ""}`);
    // Times depend on the machine: a busy one is no fault of the engine.
    wrong.forEach(([found, limit]) => console.log(`slow    ${found} ms, ${limit} ms are wanted`));
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}
console.log(`${done} tests, ${failed} failed, ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);
