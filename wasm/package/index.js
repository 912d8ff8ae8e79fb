// Komainu with promises: the engine of komainu.js, and what `go` and `mate` make of its lines. index.d.ts says how it is used.

import createKomainu from "./komainu.js";

const NUMBERS = new Set(["depth", "seldepth", "multipv", "nodes", "nps", "time", "hashfull"]);
const LIMITS = new Set(["nodes", "depth", "movetime", "btime", "wtime", "byoyomi", "binc", "winc"]);
const CLOCK = new Set(["time", "byoyomi", "increment"]);

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

/** Moves as words of a line. */
function moveWords(moves) {
  const words = Array.from(moves, String);
  const bad = words.find((word) => !/^\S+$/.test(word));
  if (bad !== undefined) throw new TypeError(`${JSON.stringify(bad)} is no move`);
  return words;
}

/** The command `position` of what a caller has: a SFEN, `startpos` or the whole command, and moves behind it. */
function positionLine(position, moves) {
  const text = String(position).trim().replace(/^position\s+/, ""), list = moveWords(moves);
  if (/[\r\n]/.test(text)) throw new TypeError("a position is one line");
  const start = /^(startpos|sfen)( |$)/.test(text) ? text : `sfen ${text}`;
  if (!list.length) return `position ${start}`;
  return `position ${start}${/ moves( |$)/.test(start) ? "" : " moves"} ${list.join(" ")}`;
}

function whole(name, value) {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name}: ${value} is no whole number from 0`);
  return value;
}

/** The limits of a clock in seconds, which both sides have. */
function clockLimits(clock) {
  const millis = {};
  for (const [name, seconds] of Object.entries(clock)) {
    if (!CLOCK.has(name)) throw new TypeError(`${name} is no part of a clock`);
    if (!(seconds >= 0 && seconds <= 1e9)) throw new RangeError(`${name}: ${seconds} is no number of seconds`);
    millis[name] = Math.round(1_000 * seconds);
  }
  const { time = 0, byoyomi = 0, increment = 0 } = millis;
  return { btime: time, wtime: time, byoyomi, binc: increment, winc: increment };
}

/** The command `go` with limits. */
function goLine({ clock, searchmoves, ...limits }) {
  const all = clock ? { ...limits, ...clockLimits(clock) } : limits;
  const words = Object.entries(all).filter(([, value]) => value !== undefined).map(([name, value]) => {
    if (!LIMITS.has(name)) throw new TypeError(`${name} is no limit of a search`);
    return `${name} ${whole(name, value)}`;
  });
  if (!words.length) words.push("infinite");
  if (searchmoves) words.push("searchmoves", ...moveWords(searchmoves));
  return `go ${words.join(" ")}`;
}

const KINDS = ["line", "info", "bestmove"];
/** What the engine says of a question that it does not understand. */
const MESSAGE = /^info string (?:error: |(?=searchmoves))/;

/** What it says of an option that it does not take. */
const REFUSAL = /^info string (error: |no option |\S+ (takes|cannot be) )/;
const LISTED = /^option name (.+?) type (\S+)(?: default (.*?))?(?: (?:min|var) .*)?$/;
const SETTING = /^\s*setoption\s+name\s+(.+?)\s+value\s+(.*?)\s*$/gm;

/** The value of an option of a kind, of what USI has for it. */
function optionValue(kind, text) {
  if (kind === "check") return text === "true";
  return kind === "spin" ? Number(text) : text;
}

/** What a line of the engine answers to a question; undefined for a line that answers none. */
function answerOf(words, lines) {
  if (words[0] === "bestmove") {
    const [, best, , told] = words, isMove = best !== "resign" && best !== "win";
    // Without pondering the engine tells no answer, but its line has one.
    const ponder = told ?? (lines[0]?.pv[0] === best ? lines[0].pv[1] : null) ?? null;
    return { move: isMove ? best : null, ponder, resigns: best === "resign", declares: best === "win", lines: lines.filter(Boolean) };
  }
  if (words[0] !== "checkmate") return undefined;
  if (words[1] === "timeout" || words[1] === "notimplemented") throw new Error(`the mate was not decided: ${words[1]}`);
  return words[1] === "nomate" ? null : words.slice(1);
}

export default async function createEngine({ printErr = console.error, print, level, book, ...settings } = {}) {
  /** The question whose answer is waited for. */
  let asked = null, isOver = false;

  function fail(message) {
    asked?.reject(new Error(message));
    asked = null;
  }

  const engine = await createKomainu({
    ...settings,
    printErr(line) {
      printErr(line);
      if (!line.startsWith("info string fatal")) return;
      isOver = true;
      fail(line);
    },
  });

  const { terminate, postMessage } = engine;

  /** Sends lines; returns what is said to them at once. */
  function send(line) {
    const heard = [], listen = (one) => heard.push(one);
    engine.addMessageListener(listen);
    postMessage(line);
    engine.removeMessageListener(listen);
    if (!heard.some((one) => REFUSAL.test(one))) {
      for (const [, name, value] of String(line).matchAll(SETTING)) values.set(name.toLowerCase(), value);
    }
    return heard;
  }

  /** The options, and their values by their names in small letters. */
  const options = {}, values = new Map();
  for (const line of send("usi")) {
    const [, name, kind, value = ""] = LISTED.exec(line) ?? [];
    if (!name) continue;
    const key = name.toLowerCase();
    values.set(key, value === "<empty>" ? "" : value);
    Object.defineProperty(options, name, { enumerable: true, get: () => optionValue(kind, values.get(key)), set: (value) => setOption(name, value) });
  }
  Object.preventExtensions(options);
  if (print) engine.addMessageListener(print);

  function hear(line) {
    const words = line.split(" ");
    if (MESSAGE.test(line) && asked && !asked.fault) {
      asked.fault = line.replace(MESSAGE, "");
      // If no search has begun there is no best move: `readyok` comes in any case.
      ["stop", "isready"].forEach((command) => engine.postMessage(command));
    }
    if (line === "readyok" && asked?.fault) return fail(asked.fault);
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
      const question = { resolve: over(resolve), reject: over(reject), lines: [], fault: null };
      asked = question;
      signal?.addEventListener("abort", stop);
      for (const command of commands) if (asked === question) engine.postMessage(command);
    });
  }

  async function go({ position = "startpos", moves = [], multipv, onInfo, signal, ...limits } = {}) {
    const commands = [positionLine(position, moves), goLine(limits)];
    if (multipv !== undefined) commands.unshift(`setoption name MultiPV value ${whole("multipv", multipv)}`);
    return ask(commands, { onInfo, signal });
  }

  function setOption(name, value) {
    const words = `${name} value ${value}`;
    if (/[\r\n]/.test(words)) throw new TypeError("an option is one line");
    const refusal = send(`setoption name ${words}`).find((line) => REFUSAL.test(line));
    if (refusal) throw new RangeError(refusal.replace(/^info string (error: )?/, ""));
  }

  function analysis({ onInfo, ...options } = {}) {
    const heard = [];
    let wake = null, isDone = false;
    const hears = (info) => {
      heard.push(info);
      wake?.();
      onInfo?.(info);
    };
    const result = go({ ...options, onInfo: hears }).finally(() => {
      isDone = true;
      wake?.();
    });
    // Whoever iterates is told of a failure, and so is whoever waits for the result.
    result.catch(() => {});
    const stop = () => {
      if (!isDone) engine.postMessage("stop");
    };
    async function* iterate() {
      try {
        while (heard.length || !isDone) {
          if (heard.length) yield heard.shift();
          else await new Promise((done) => { wake = done; });
        }
        await result;
      } finally {
        stop();
        await result.catch(() => {});
      }
    }
    return { result, stop, [Symbol.asyncIterator]: iterate };
  }

  Object.assign(engine, {
    options,
    postMessage(line) {
      if (String(line).split(/\r?\n/).some((one) => one.trim() === "quit")) return engine.terminate();
      send(line);
    },
    terminate() {
      isOver = true;
      terminate();
      fail("the engine has ended");
    },
    on,
    go,
    analysis,
    setOption,
    async play(options) {
      const { lines, ...decision } = await go(options);
      return { ...decision, line: lines[0] ?? null };
    },
    async mate({ position = "startpos", moves = [], movetime, signal } = {}) {
      const limit = movetime === undefined ? "infinite" : whole("movetime", movetime);
      return ask([positionLine(position, moves), `go mate ${limit}`], { signal });
    },
    stop: () => engine.postMessage("stop"),
  });
  if (level !== undefined) setOption("Level", level);
  if (book !== undefined) setOption("USI_OwnBook", !!book);
  return engine;
}
