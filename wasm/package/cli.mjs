#!/usr/bin/env node
// Komainu as a USI engine for node: lines on standard input and output.
import { createInterface } from "node:readline";
import createKomainu from "./komainu.js";

// What stands on standard error does not disturb a GUI. A breakdown is the end.
const engine = await createKomainu({
  printErr(line) {
    process.stderr.write(`${line}\n`);
    if (line.startsWith("info string fatal")) process.exit(1);
  },
});
/** Answers that are owed: those of searches and benches. Before `quit` they are waited for. */
let owed = 0, isEnding = false;

function end() {
  engine.terminate();
  process.stdout.write("", () => process.exit(0));
}

engine.addMessageListener((line) => {
  process.stdout.write(`${line}\n`);
  if (/^(bestmove|checkmate) |^\d+ nodes \d+ nps$|^info string error: bench/.test(line)) owed -= 1;
  if (isEnding && owed <= 0) end();
});
process.stdout.on("error", () => process.exit(0));

function quit(isBench) {
  if (isEnding) return;
  isEnding = true;
  if (!isBench) engine.postMessage("stop");
  if (owed <= 0) end();
}

let isBench = false;
createInterface({ input: process.stdin, crlfDelay: Infinity })
  .on("line", (line) => {
    const word = line.trim().split(/\s+/)[0];
    if (word === "quit") return quit(isBench);
    if (word === "go" || word === "bench") [owed, isBench] = [owed + 1, word === "bench"];
    engine.postMessage(line);
  })
  .on("close", () => quit(isBench));
