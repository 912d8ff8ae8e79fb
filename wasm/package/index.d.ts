import type { Komainu, KomainuOptions } from "./komainu.js";

export type { Komainu, KomainuOptions };

/** What the engine says of a search under way. */
export interface Info {
  depth?: number;
  seldepth?: number;
  /** Number of the line, best first, from 1. */
  multipv: number;
  /** Centipawns from the view of the side to move; null if the score is a mate, or none is told. */
  scoreCp: number | null;
  /** Plies to the mate: above zero if the side to move mates; null if the score is no mate. */
  mate: number | null;
  bound: "exact" | "lower" | "upper";
  nodes?: number;
  nps?: number;
  /** Milliseconds. */
  time?: number;
  /** Filling of the table, of 1000. */
  hashfull?: number;
  /** The moves in USI; empty if the line names none. */
  pv: string[];
}

export interface BestMove {
  /** The move in USI; null if the engine resigns or declares. */
  move: string | null;
  /** The answer that it expects; null if it tells none. */
  ponder: string | null;
  resigns: boolean;
  /** The engine declares a win (nyugyoku). */
  declares: boolean;
}

export interface SearchResult extends BestMove {
  /** The last report of each line, best first. Empty if the move is out of the book. */
  lines: Info[];
}

export interface Question {
  /** `startpos` by default; a SFEN, or a `position` command. */
  position?: string;
  /** Moves behind it, in USI. */
  moves?: readonly (string | { toString(): string })[];
  /** Ends the search as `stop()` does. */
  signal?: AbortSignal;
}

/** A clock, which both sides have: all in seconds. */
export interface Clock {
  /** What is left of the main time. */
  time?: number;
  /** For each move, when the main time is used up. */
  byoyomi?: number;
  /** Added with each move (Fischer). */
  increment?: number;
}

/** Limits of a search; the first that is reached ends it. Without one it ends by `stop()`. Times are in milliseconds. */
export interface SearchOptions extends Question {
  /** In place of `btime` to `winc`: in seconds. */
  clock?: Clock;
  /** The moves that may be chosen. */
  searchmoves?: Iterable<string | { toString(): string }>;
  nodes?: number;
  depth?: number;
  movetime?: number;
  btime?: number;
  wtime?: number;
  byoyomi?: number;
  binc?: number;
  winc?: number;
  /** Number of lines; it stays until another one is named. */
  multipv?: number;
  onInfo?: (info: Info) => void;
}

export interface Decision extends BestMove {
  /** The last report of the chosen line; null if the move is out of the book. */
  line: Info | null;
}

/** A search under way: `for await` gives what the engine says of it, and ends it when the loop is left. */
export interface Analysis extends AsyncIterable<Info> {
  /** The answer. */
  readonly result: Promise<SearchResult>;
  /** Ends the search; what was said before still comes. */
  stop(): void;
}

export interface EngineOptions extends KomainuOptions {
  /** Plays as a person of this rank would: `20kyu` to `9dan`, `full`. */
  level?: string;
  /** False: moves out of the opening book are not played. Default true. */
  book?: boolean;
}

export interface Events {
  line: string;
  info: Info;
  bestmove: BestMove;
}

/** The engine with promises: lines of USI and questions may be mixed. */
export interface Engine extends Komainu {
  /** Searches a position. Rejected with the engine's message for what it does not understand, and if it ends meanwhile. */
  go(options?: SearchOptions): Promise<SearchResult>;
  /** Searches as `go` does: the move for a game by the clock. */
  play(options?: SearchOptions): Promise<Decision>;
  /** Searches as `go` does, what the engine says being iterated over. */
  analysis(options?: SearchOptions): Analysis;
  /** The options that the engine lists, by name, with their values; assigning one is `setOption`. */
  readonly options: { [name: string]: string | number | boolean };
  /** Sets an option of the engine (`engine.json` lists them). Throws RangeError with the engine's words for what it has not. */
  setOption(name: string, value: string | number | boolean): void;
  /** Looks for a mate: its moves, null if there is none; rejected if the time is up. `movetime` in milliseconds. */
  mate(options?: Question & { movetime?: number }): Promise<string[] | null>;
  /** Ends the search under way; it then has its answer. */
  stop(): void;
  /** Has a function called with what the engine says; returns the function that ends it. */
  on<Kind extends keyof Events>(kind: Kind, listener: (value: Events[Kind]) => void): () => void;
}

/** Makes an engine with memory and table of its own. Rejected if komainu.wasm cannot be had or compiled, or there is no such level. */
export default function createEngine(options?: EngineOptions): Promise<Engine>;
