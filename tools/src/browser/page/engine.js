// The engine: questions about rules and records, and searches. Where it runs is the affair of the file before the others:
// `connect`, `answerTo`, `openEngine` and what goes with them.

let ENGINE_NAME = "Komainu", ENGINE_OPTIONS = new Map();

/** Asks about rules or a record; throws what is wrong with the question. */
function ask(question) {
  const answer = answerTo(question);
  if (answer.error) throw new Error(answer.error);
  return answer;
}

/** An engine of its own. */
class Engine {
  constructor() {
    this.listeners = new Set();
    this.answers = [];
    this.failed = null;
    this.channel = openEngine((data) => this.hear(data));
  }

  hear(data) {
    if (data.line !== undefined) this.listeners.forEach((listener) => listener(data.line));
    if (data.part !== undefined) this.answers[0]?.onPart(data.part);
    if (data.answer !== undefined) this.answers.shift()?.done(data.answer);
    if (data.failure !== undefined) this.fail(data.failure);
  }

  fail(message) {
    this.failed = message;
    this.answers.splice(0).forEach((answer) => answer.failed(new Error(message)));
    this.listeners.forEach((listener) => listener("info string fatal " + message));
  }

  send(line) { this.channel.post({ line }); }

  /** A question that takes long, with what is found on the way. */
  ask(question, onPart) {
    return new Promise((done, failed) => {
      this.answers.push({ done: (answer) => (answer.error ? failed(new Error(answer.error)) : done(answer)), failed, onPart });
      this.channel.post({ question });
    });
  }

  /** Sends lines and waits for the answer that begins with a word. `onInfo` hears the lines before it. */
  until(word, lines, onInfo = () => {}) {
    return new Promise((done, failed) => {
      const listener = (line) => {
        const isAnswer = line === word || line.startsWith(word + " "), isFatal = line.startsWith("info string fatal");
        if (!isAnswer && !isFatal) return onInfo(line);
        this.listeners.delete(listener);
        if (isAnswer) done(line); else failed(new Error(line.slice(18)));
      };
      this.listeners.add(listener);
      lines.forEach((line) => this.send(line));
    });
  }

  close() { this.channel.close(); }
}

/** `option name Level type combo default full var full …` as `{type, default, vars}` by name. */
function readOption(line) {
  const words = line.split(" "), option = { vars: [] };
  let key = null;
  for (const word of words.slice(1)) {
    if (["name", "type", "default", "min", "max", "var"].includes(word)) {
      key = word;
      if (key === "var") option.vars.push("");
    } else if (key === "var") option.vars.push([option.vars.pop(), word].filter(Boolean).join(" "));
    else option[key] = [option[key], word].filter(Boolean).join(" ");
  }
  ENGINE_OPTIONS.set(option.name, option);
}

/** Starts what answers, and an engine that says who it is. */
async function startEngine() {
  await connect();
  const engine = new Engine();
  await engine.until("usiok", ["usi"], (line) => {
    if (line.startsWith("id name ")) ENGINE_NAME = line.slice(8);
    if (line.startsWith("option ")) readOption(line);
  });
  return engine;
}

/** Nodes a second, depth and use of the table of a line `info …`, kept over lines that lack one. */
function readStats(line, stats) {
  for (const [key, word] of [["nps", "nps"], ["depth", "depth"], ["hash", "hashfull"]]) {
    const found = line.match(new RegExp(` ${word} (\\d+)`));
    if (found) stats[key] = Number(found[1]);
  }
  return stats;
}
const statsWords = ({ nps, depth, hash }) => (nps === undefined ? t("noStats") : [t("nodesPerSecond", grouped(nps)), depth && t("depthWord", depth), hash !== undefined && t("hashUse", (hash / 10).toFixed(1))].filter(Boolean).join(" · "));

/** A text as a file of the reader's. */
function save(text, name) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
