// A second engine at full strength, in one worker: hints, and the values of positions that are looked at.

const Helper = (() => {
  let engine = null, running = null, turn = 0;

  async function start() {
    engine = new Engine();
    await engine.until("readyok", ["setoption name USI_Hash value 64", ...(ENGINE_OPTIONS.has("Threads") ? [`setoption name Threads value ${SEARCH_THREADS}`] : []), "setoption name USI_OwnBook value false", "isready"]);
  }

  return {
    /** Searches a position; `onLine` hears each line that is found. The best move, or null if another search came between. */
    async search({ start: sfen, moves }, go, count, onLine = () => {}) {
      const mine = ++turn;
      const black = (fromSfen(sfen).black ? 0 : 1) === moves.length % 2;
      if (!engine) await (running = start());
      if (running) {
        engine.send("stop");
        await running.catch(() => {});
      }
      if (mine !== turn) return null;
      const position = `position sfen ${sfen}${moves.length ? " moves " + moves.join(" ") : ""}`;
      running = engine.until("bestmove", [`setoption name MultiPV value ${count}`, position, go], (info) => {
        const line = mine === turn && readInfo(info, black);
        if (line) onLine(line);
      });
      try {
        const answer = await running;
        return mine === turn ? answer.split(" ")[1] : null;
      } catch (error) {
        engine = null;
        throw error;
      } finally {
        if (mine === turn) running = null;
      }
    },
    stop() {
      turn++;
      engine?.send("stop");
    },
  };
})();

/** Words for mates, by score and side: a search finds the same one many times a second. */
const MATE_WORDS = new Map();

function mateWords(mate, side) {
  const key = `${mate} ${side}`;
  if (!MATE_WORDS.has(key)) MATE_WORDS.set(key, ask({ ask: "mate", mate, side }).words);
  return MATE_WORDS.get(key);
}

/** A line `info … score … pv …` from Black's side: `{place, depth, nodes, cp, mate, words, pv}`; null for another line. */
function readInfo(info, black) {
  const [, kind, number] = info.match(/ score (cp|mate) ([+-]?\d+)/) ?? [], pv = info.match(/ pv (.+)$/)?.[1].split(" ");
  if (!kind || !pv || / (lower|upper)bound/.test(info)) return null;
  const value = (black ? 1 : -1) * Number(number), figure = (word) => Number(info.match(new RegExp(` ${word} (\\d+)`))?.[1] ?? 0);
  return { place: figure("multipv") || 1, depth: figure("depth"), nodes: figure("nodes"), cp: kind === "cp" ? value : null, mate: kind === "mate" ? value : null, words: kind === "mate" ? mateWords(number, black ? "b" : "w") : null, pv };
}
