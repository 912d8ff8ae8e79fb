// Komainu with promises: the engine of komainu.js, and what `go` and `mate` make of its lines. index.d.ts says how it is used.

import createKomainu from "./komainu.js";

const NUMBERS = new Set(["depth", "seldepth", "multipv", "nodes", "nps", "time", "hashfull"]);
const LIMITS = new Set(["nodes", "depth", "movetime", "btime", "wtime", "byoyomi", "binc", "winc"]);

/** A line `info ...` in parts; null for a message. */
function parseInfo(words) {
  const info = { multipv: 1, scoreCp: null, mate: null, bound: "exact", pv: [] };
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (NUMBERS.has(word)) info[word] = Number(words[++at]);
    else if (word === "cp") info.scoreCp = Number(words[++at]);
    else if (word === "mate") info.mate = Number(words[++at]);
    else if (word === "lowerbound" || word === "upperbound") info.bound = word.slice(0, 5);
    else if (word === "string") return at === 1 ? null : info;
    else if (word === "pv") return { ...info, pv: words.slice(at + 1) };
  }
  return info;
}

/** The command `position` of what a caller has: a SFEN, `startpos` or the whole command, and moves behind it. */
function positionLine(position, moves) {
  const text = String(position).trim().replace(/^position\s+/, ""), list = moves.map(String);
  if (/[\r\n]/.test(text) || list.some((move) => /\s/.test(move))) throw new TypeError("a position is one line");
  const start = /^(startpos|sfen)( |$)/.test(text) ? text : `sfen ${text}`;
  if (!list.length) return `position ${start}`;
  return `position ${start}${/ moves( |$)/.test(start) ? "" : " moves"} ${list.join(" ")}`;
}

function whole(name, value) {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name}: ${value} is no whole number from 0`);
  return value;
}

/** The command `go` with limits. */
function goLine(limits) {
  const words = Object.entries(limits).filter(([, value]) => value !== undefined).map(([name, value]) => {
    if (!LIMITS.has(name)) throw new TypeError(`${name} is no limit of a search`);
    return `${name} ${whole(name, value)}`;
  });
  return `go ${words.join(" ") || "infinite"}`;
}

const KINDS = ["line", "info", "bestmove"], MESSAGE = "info string error: ";

/** What a line of the engine answers to a question; undefined for a line that answers none. */
function answerOf(words, lines) {
  if (words[0] === "bestmove") {
    const [, best, , ponder = null] = words, isMove = best !== "resign" && best !== "win";
    return { move: isMove ? best : null, ponder, resigns: best === "resign", declares: best === "win", lines: lines.filter(Boolean) };
  }
  if (words[0] !== "checkmate") return undefined;
  if (words[1] === "timeout" || words[1] === "notimplemented") throw new Error(`the mate was not decided: ${words[1]}`);
  return words[1] === "nomate" ? null : words.slice(1);
}

export default async function createEngine({ printErr = console.error, ...options } = {}) {
  /** The question whose answer is waited for. */
  let asked = null;

  function fail(message) {
    asked?.reject(new Error(message));
    asked = null;
  }

  const engine = await createKomainu({
    ...options,
    printErr(line) {
      printErr(line);
      if (line.startsWith("info string fatal")) fail(line);
    },
  });

  function hear(line) {
    const words = line.split(" ");
    if (line.startsWith(MESSAGE) && asked && !asked.fault) {
      asked.fault = line.slice(MESSAGE.length);
      engine.postMessage("stop");
    }
    const info = words[0] === "info" && asked ? parseInfo(words) : null;
    if (info?.pv.length) asked.lines[info.multipv - 1] = info;
    if (words[0] !== "bestmove" && words[0] !== "checkmate" || !asked) return;
    const { resolve, reject, fault, lines } = asked;
    asked = null;
    try {
      if (fault) throw new Error(fault);
      resolve(answerOf(words, lines));
    } catch (error) {
      reject(error);
    }
  }
  engine.addMessageListener(hear);

  function on(kind, listener) {
    if (!KINDS.includes(kind)) throw new TypeError(`${kind} is none of ${KINDS.join(", ")}`);
    const heard = (line) => {
      const words = line.split(" ");
      if (kind === "line") listener(line);
      else if (kind === "bestmove" && words[0] === kind) {
        const { lines, ...best } = answerOf(words, []);
        listener(best);
      } else if (kind === "info" && words[0] === kind) {
        const info = parseInfo(words);
        if (info) listener(info);
      }
    };
    engine.addMessageListener(heard);
    return () => engine.removeMessageListener(heard);
  }

  function ask(commands, { onInfo, signal }) {
    if (isOver) throw new Error("the engine has ended");
    if (asked) throw new Error("a search is under way: stop() ends it");
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const ends = [onInfo && on("info", onInfo)];
      const stop = () => engine.postMessage("stop");
      const over = (settle) => (value) => {
        ends.forEach((end) => end?.());
        signal?.removeEventListener("abort", stop);
        settle(value);
      };
      asked = { resolve: over(resolve), reject: over(reject), lines: [], fault: null };
      signal?.addEventListener("abort", stop);
      commands.forEach((command) => engine.postMessage(command));
    });
  }

  let isOver = false;
  const { terminate, postMessage } = engine;
  return Object.assign(engine, {
    postMessage(line) {
      if (String(line).split(/\r?\n/).some((one) => one.trim() === "quit")) return engine.terminate();
      postMessage(line);
    },
    terminate() {
      isOver = true;
      terminate();
      fail("the engine has ended");
    },
    on,
    async go({ position = "startpos", moves = [], multipv, onInfo, signal, ...limits } = {}) {
      const commands = [positionLine(position, moves), goLine(limits)];
      if (multipv !== undefined) commands.unshift(`setoption name MultiPV value ${whole("multipv", multipv)}`);
      return ask(commands, { onInfo, signal });
    },
    async mate({ position = "startpos", moves = [], movetime, signal } = {}) {
      const limit = movetime === undefined ? "infinite" : whole("movetime", movetime);
      return ask([positionLine(position, moves), `go mate ${limit}`], { signal });
    },
    stop: () => engine.postMessage("stop"),
  });
}
