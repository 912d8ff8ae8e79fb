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
  const { options } = engine;
  check(options.SlowMover === 100 && options.USI_OwnBook === true && options.Level === "full" && Object.keys(options).length > 20, JSON.stringify(options));
  engine.setOption("usi_ownbook", false);
  options.SlowMover = 80;
  engine.postMessage("setoption name LevelSeed value 7");
  check(options.SlowMover === 80 && options.USI_OwnBook === false && { ...options }.LevelSeed === 7, JSON.stringify(options));
  for (const wrong of [() => { options.SlowMover = 0; }, () => { options.NoOption = 1; }]) {
    let error = null;
    try {
      wrong();
    } catch (thrown) {
      error = thrown;
    }
    check(/SlowMover|NoOption/.test(error?.message) && options.SlowMover === 80, String(error));
  }
  options.SlowMover = 100;
  const found = await engine.go({ moves: ["7g7f", "3c3d"], nodes: 3_000, multipv: 2 });
  check(options.MultiPV === 2 && found.lines.length === 2 && found.lines[0].pv[0] === found.move, JSON.stringify(found));
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
  for (const question of [{}, { nodes: 10 }, { movetime: 50 }, { multipv: 2 }]) {
    await rejected(engine.go({ position: "nonsense", ...question }), "nonsense");
    await rejected(engine.go({ moves: ["7g7f", "7g7f"], ...question }), "7g7f");
    await rejected(engine.analysis({ position: "sfen 9/9 b - 1", ...question }).result, "rank");
    await rejected(engine.go({ searchmoves: ["9z9z"], ...question }), "9z9z");
  }
  await rejected(engine.mate({ position: "nonsense" }), "nonsense");
  const fromListener = new Promise((done) => {
    const end = engine.on("line", () => {
      end();
      done(engine.go({ position: "nonsense" }));
    });
  });
  engine.postMessage("isready");
  await rejected(fromListener, "nonsense");
  await rejected(engine.go({ moves: ["7g7e"], nodes: 10 }), "7g7e");
  await rejected(engine.go({ nodes: -1 }), "nodes: -1");
  await rejected(engine.go({ plies: 1 }), "plies");
  await rejected(engine.go({ position: "startpos\nquit" }), "one line");
  check((await engine.go({ nodes: 100 })).move, "it goes on after all of that");
  check((await engine.go({ searchmoves: ["9g9f"], nodes: 200, multipv: 1 })).move === "9g9f", "one move to choose from");
  const decision = await engine.play({ moves: ["7g7f"], clock: { byoyomi: 0.1 } });
  check(decision.move && decision.line.pv[0] === decision.move && decision.ponder === (decision.line.pv[1] ?? null), JSON.stringify(decision));
  await rejected(engine.play({ clock: { byoyomi: -1 } }), "byoyomi: -1");
  await rejected(engine.play({ clock: { minutes: 1 } }), "minutes");
  let told = 0;
  for await (const info of engine.analysis()) {
    check(info.multipv === 1, JSON.stringify(info));
    told += 1;
    if (told === 3) break;
  }
  check(told === 3, "a loop that is left ends the search");
  const analysis = engine.analysis({ nodes: 2_000 }), infos = [];
  for await (const info of analysis) infos.push(info);
  check(infos.at(-1).pv[0] === (await analysis.result).move, "an analysis to its end");
  for (const [name, value] of [["Level", "99kyu"], ["NoOption", 1], ["MultiPV", "x"], ["MultiPV", 0]]) {
    let error = null;
    try {
      engine.setOption(name, value);
    } catch (thrown) {
      error = thrown;
    }
    check(error instanceof RangeError && error.message.includes(String(value === 1 ? name : value)), `${name}: ${error}`);
  }
  engine.setOption("Level", "10kyu");
  await rejected(createEngine({ level: "99kyu" }), "99kyu");
  const ended = engine.go();
  engine.terminate();
  await rejected(ended, "ended");
  await rejected(engine.go(), "ended");
  return `passed ${count}`;
}
