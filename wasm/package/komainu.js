// Komainu, a shogi engine, as an ES module. README.md and komainu.d.ts say how it is used.

/** Milliseconds of work before messages get their turn, when the engine runs by itself. */
const SLICE = 25;
/** Milliseconds that a call of poll() works: with a timer of 10 ms the engine works nearly all the time. */
const POLL = 40;
/** For so many milliseconds after a call of poll() the engine leaves its time to whoever polls. */
const POLLED = 200;
/** Milliseconds between two looks of a search that has ended and waits for an order. */
const REST = 10;

const isNode = typeof process === "object" && !!process.versions?.node;

/** A module of node. Its name is no literal, so that bundlers leave it where it is. */
const nodeModule = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ name);

/** The module from what the caller gave, else from komainu.wasm beside this file. */
async function compile(wasmBinary, locateFile) {
  if (wasmBinary instanceof WebAssembly.Module) return wasmBinary;
  if (typeof wasmBinary === "string") return WebAssembly.compile(Uint8Array.from(atob(wasmBinary), (c) => c.charCodeAt(0)));
  if (wasmBinary) return WebAssembly.compile(wasmBinary);
  const address = String(locateFile ? await locateFile("komainu.wasm") : new URL("./komainu.wasm", import.meta.url).href);
  if (isNode && !/^(https?|data|blob):/.test(address)) {
    const { readFile } = await nodeModule("node:fs/promises");
    return WebAssembly.compile(await readFile(address.startsWith("file:") ? new URL(address) : address));
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
  // To compile while loading demands a media type that many servers do not give.
  const isStreamable = response.headers.get("content-type")?.startsWith("application/wasm");
  return isStreamable ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/** Throws an error where nobody waits for it: a fault of somebody's listener is no fault of the engine. */
const rethrow = (error) => void setTimeout(() => { throw error; });

/** Calls a function once messages have had their turn; browsers put 4 ms between timers, but none between messages. */
function scheduler(turn) {
  const channel = isNode ? null : new MessageChannel();
  if (channel) channel.port1.onmessage = turn;
  return {
    soon: () => (channel ? channel.port2.postMessage(0) : setImmediate(turn)),
    later: () => setTimeout(turn, REST),
    close: () => channel?.port1.close(),
  };
}

export default async function createKomainu({ wasmBinary, locateFile, printErr = console.error, print, autorun = true } = {}) {
  const listeners = new Set(), waiting = [];
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  let wasm = null, isInside = false, isRunning = false, polledAt = -Infinity, onPart = null, reply = null;

  // node 18 has no global one.
  const random = globalThis.crypto ?? (await nodeModule("node:crypto")).webcrypto;

  const bytes = (ptr, len) => new Uint8Array(wasm.memory.buffer, ptr, len);
  const text = (ptr, len) => decoder.decode(bytes(ptr, len));
  const env = {
    now: () => performance.now(),
    seed: (ptr, len) => void random.getRandomValues(bytes(ptr, len)),
    out: (ptr, len) => tell(text(ptr, len)),
    err: (ptr, len) => printErr(text(ptr, len)),
    part(ptr, len) {
      try {
        onPart?.(JSON.parse(text(ptr, len)));
      } catch (error) {
        rethrow(error);
      }
    },
    reply: (ptr, len) => { reply = JSON.parse(text(ptr, len)); },
  };

  function tell(line) {
    if (isOver) return;
    // A listener may end the engine, and it may fail.
    for (const listener of [print, ...listeners]) {
      try {
        if (!isOver) listener?.(line);
      } catch (error) {
        rethrow(error);
      }
    }
  }

  let isOver = false;
  function end() {
    isOver = true;
    listeners.clear();
    waiting.length = 0;
    schedule.close();
    if (!isInside) wasm = null;
  }

  /** Runs functions of the engine; what a listener sends meanwhile waits. A breakdown ends the engine with one line. */
  function inside(work) {
    if (isInside || isOver) return undefined;
    isInside = true;
    try {
      return work();
    } catch (error) {
      printErr(`info string fatal ${error?.message ?? error}`);
      end();
      return undefined;
    } finally {
      isInside = false;
      if (isOver) wasm = null;
    }
  }

  function give(call, value) {
    const encoded = encoder.encode(value), ptr = wasm.k_alloc(encoded.length);
    if (!ptr) throw new Error("no memory for a line");
    bytes(ptr, encoded.length).set(encoded);
    call(ptr, encoded.length);
    wasm.k_free(ptr, encoded.length);
  }

  /** Hands over the lines that wait and works for some milliseconds. Returns whether an answer is owed. */
  function work(millis) {
    return !!inside(() => {
      let owes = 0;
      do {
        while (waiting.length && !isOver) give(wasm.k_line, waiting.shift());
        if (!isOver) owes = wasm.k_poll(millis);
      } while (waiting.length && !isOver);
      return owes && !isOver;
    });
  }

  /** A turn of an engine that runs by itself. */
  const schedule = scheduler(() => {
    const began = performance.now();
    if (isOver || !isRunning) return;
    if (began - polledAt < POLLED) return schedule.later();
    isRunning = work(SLICE);
    if (isRunning) performance.now() - began < 1 ? schedule.later() : schedule.soon();
  });

  function run() {
    if (!autorun || isRunning || isOver) return;
    isRunning = true;
    schedule.soon();
  }

  const engine = {
    postMessage(line) {
      if (isOver) return;
      for (const one of String(line).split(/\r?\n/)) {
        if (one.trim() === "quit") return engine.terminate();
        waiting.push(one);
      }
      if (!isInside && work(0)) run();
    },
    addMessageListener(listener) {
      if (!isOver) listeners.add(listener);
    },
    removeMessageListener(listener) {
      listeners.delete(listener);
    },
    poll() {
      polledAt = performance.now();
      work(POLL);
    },
    terminate() {
      if (isOver) return;
      if (!isInside) inside(() => wasm.k_quit());
      end();
    },
    call(question, part) {
      if (isOver || isInside) throw new Error(isOver ? "the engine has ended" : "a question in the middle of an answer");
      if (!wasm.k_call) return { error: "this module answers no questions" };
      [onPart, reply] = [part, null];
      inside(() => give(wasm.k_call, JSON.stringify(question)));
      onPart = null;
      if (!reply) throw new Error("the engine has broken down");
      if (waiting.length && work(0)) run();
      return reply;
    },
  };

  wasm = (await WebAssembly.instantiate(await compile(wasmBinary, locateFile), { env })).exports;
  engine.ready = Promise.resolve(engine);
  return engine;
}
