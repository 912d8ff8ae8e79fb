// What is asked of the package komainu wherever it runs.

import createEngine from "komainu";

let count = 0;

function check(holds, what) {
  count += 1;
  if (!holds) throw new Error(what);
}

/** Waits until a promise is rejected with these words. */
async function rejected(promise, words) {
  count += 1;
  const error = await promise.then(() => null, (error) => error);
  if (!error?.message.includes(words)) throw new Error(`${error} does not say ${words}`);
}

export async function run() {
  count = 0;
  const engine = await createEngine();
  const heard = { lines: 0, infos: [], moves: [] };
  const ends = [
    engine.on("line", () => { heard.lines += 1; }),
    engine.on("info", (info) => heard.infos.push(info)),
    engine.on("bestmove", ({ move }) => heard.moves.push(move)),
  ];
  engine.postMessage("setoption name USI_OwnBook value false");
  const found = await engine.go({ moves: ["7g7f", "3c3d"], nodes: 3_000, multipv: 2 });
  check(found.lines.length === 2 && found.lines[0].pv[0] === found.move, JSON.stringify(found));
  check(found.lines.every((line) => line.depth >= 1 && (line.scoreCp !== null || line.mate !== null)), JSON.stringify(found.lines));
  check(heard.moves[0] === found.move && heard.infos.length >= 2 && heard.lines > 2, JSON.stringify(heard));
  ends.forEach((end) => end());
  const quiet = heard.lines;
  const mating = await engine.go({ position: "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", depth: 5, multipv: 1 });
  check(mating.move === "G*5b" && mating.lines[0].mate === 1 && heard.lines === quiet, JSON.stringify(mating));
  check((await engine.mate({ position: "4k4/9/4P4/9/9/9/9/9/9 b G 1" })).join() === "G*5b", "a mate");
  check((await engine.mate({ movetime: 1_000 })) === null, "no mate from the start");
  const resigned = await engine.go({ position: "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", nodes: 100 });
  check(resigned.resigns && resigned.move === null, JSON.stringify(resigned));
  const endless = engine.go();
  await rejected(engine.go({ nodes: 1 }), "under way");
  setTimeout(() => engine.stop(), 50);
  check((await endless).move, "stop() brings a move");
  const order = new AbortController();
  setTimeout(() => order.abort(), 50);
  check((await engine.go({ signal: order.signal })).move, "a signal brings a move");
  await rejected(engine.go({ position: "nonsense", nodes: 10 }), "nonsense");
  await rejected(engine.go({ moves: ["7g7e"], nodes: 10 }), "7g7e");
  await rejected(engine.go({ nodes: -1 }), "nodes: -1");
  await rejected(engine.go({ plies: 1 }), "plies");
  await rejected(engine.go({ position: "startpos\nquit" }), "one line");
  check((await engine.go({ nodes: 100 })).move, "it goes on after all of that");
  const ended = engine.go();
  engine.terminate();
  await rejected(ended, "ended");
  await rejected(engine.go(), "ended");
  return `passed ${count}`;
}
