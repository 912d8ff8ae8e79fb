// An engine of the package, driven by a test.

export const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

/** Random numbers that are the same everywhere (xorshift). */
export class Random {
  constructor(seed) { this.state = seed * 2654435761 + 1; }
  next() {
    let x = this.state | 0;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.state = x;
    return x >>> 0;
  }
  below(limit) { return this.next() % limit; }
  pick(list) { return list[this.below(list.length)]; }
}

/** Starts an engine, with its lines and what it says of breakdowns. */
export async function start(createKomainu, options) {
  const lines = [], errors = [];
  let exports = null;
  const { instantiate } = WebAssembly;
  // The functions of the module itself, for what the package does not show.
  WebAssembly.instantiate = async (...arguments_) => {
    const instance = await instantiate(...arguments_);
    ({ exports } = instance);
    return instance;
  };
  const engine = await createKomainu({ printErr: (line) => errors.push(line), ...options });
  WebAssembly.instantiate = instantiate;
  engine.addMessageListener((line) => lines.push(line));
  return {
    engine, lines, errors,
    send: (...sent) => sent.forEach((line) => engine.postMessage(line)),
    close: () => engine.terminate(),
    /** Works for so many milliseconds, as poll() does for 40. */
    exports: (millis) => exports.k_poll(millis),
    memory: () => exports.memory.buffer.byteLength,
    perft(sfen, depth) {
      const text = new TextEncoder().encode(sfen), at = exports.k_alloc(text.length);
      new Uint8Array(exports.memory.buffer, at, text.length).set(text);
      const nodes = exports.k_perft(at, text.length, depth);
      exports.k_free(at, text.length);
      return nodes;
    },
    /** Sends lines and waits for one that is equal or matches; returns the lines up to it. */
    async until(wanted, sent, polls = false) {
      lines.length = 0;
      this.send(...sent);
      const isWanted = (line) => (wanted instanceof RegExp ? wanted.test(line) : line === wanted);
      const end = performance.now() + 600_000;
      for (;;) {
        const at = lines.findIndex(isWanted);
        if (at >= 0) return lines.slice(0, at + 1);
        if (errors.length) throw new Error(errors[0]);
        if (performance.now() > end) throw new Error(`no ${wanted}: ${lines.slice(-3).join(" / ")}`);
        if (polls) engine.poll();
        await sleep(polls ? 10 : 2);
      }
    },
  };
}
