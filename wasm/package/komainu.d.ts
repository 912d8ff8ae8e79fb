/** Where the engine takes its bytes from, and where it says what is not part of the conversation. */
export interface KomainuOptions {
  /** The bytes of komainu.wasm, the same as base64, or the compiled module. */
  wasmBinary?: BufferSource | string | WebAssembly.Module;
  /** Tells the address of a file (`komainu.wasm`); by default it lies beside komainu.js. In node a path will do. */
  locateFile?: (name: string) => string | URL | Promise<string | URL>;
  /** Takes messages about a breakdown, one line each. Default: console.error. */
  printErr?: (line: string) => void;
  /** Takes every line of the engine, as a listener does. */
  print?: (line: string) => void;
  /** False for an engine that works only while `poll()` is called. Default true. */
  autorun?: boolean;
}

/**
 * An engine that speaks USI. What a listener throws is thrown outside, as an uncaught error, and does the engine no harm.
 */
export interface Komainu {
  /**
   * Sends a line of USI, or several. Returns within milliseconds; short answers are given before it returns. After `quit` nothing
   * is said any more.
   */
  postMessage(line: string): void;
  /** Has a function called with every line of the engine. */
  addMessageListener(listener: (line: string) => void): void;
  /** Has it called no more. */
  removeMessageListener(listener: (line: string) => void): void;
  /** Works for about 40 milliseconds. For those who drive the engine by a timer; it also runs by itself. */
  poll(): void;
  /** Ends the engine. Nothing is said any more; calls after this do nothing. */
  terminate(): void;
  /** Resolved with the engine. */
  readonly ready: Promise<Komainu>;
}

/** Makes an engine with memory and table of its own. Rejected if komainu.wasm cannot be had or compiled. */
export default function createKomainu(options?: KomainuOptions): Promise<Komainu>;
