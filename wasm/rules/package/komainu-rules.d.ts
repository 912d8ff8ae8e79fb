/** The rules of shogi and its records. Everything is synchronous; the module starts when it is first needed. */

/**
 * Starts the module beforehand; else the first board does, in some 50 ms. Older browsers, which compile no module of this size while a page
 * waits, need it.
 */
export function init(): Promise<void>;

/**
 * An illegal move, a text that cannot be read, a value that a field has no place for: the message names the word. What it was asked of
 * stays as it was.
 */
export class ShogiError extends Error {}

export type Color = 0 | 1;
export const BLACK: 0;
export const WHITE: 1;
/** The SFEN of the start of an even game. */
export const STARTPOS: string;

/** A move: one object for each that there is, so that `===` compares them. */
export class Move {
  private constructor();
  /** The move of a text in USI or of 16 bits. Throws ShogiError for any other text. */
  static of(value: Move | string | number): Move;
  /** The text in USI: `7g7f`, `8h2b+`, `P*5e`. */
  readonly usi: string;
  /** The square that the piece leaves; null for a drop. */
  readonly from: string | null;
  readonly to: string;
  /** The letter of the piece that is dropped: `P`; null for a move on the board. */
  readonly drop: string | null;
  readonly promotes: boolean;
  /** The 16 bits of training records. */
  readonly bits: number;
  toString(): string;
  toJSON(): string;
}

/** A move, or its text in USI or CSA. */
export type AnyMove = Move | string;

/**
 * A position with the moves that led to it. It takes memory for its moves alone, and none where it shares them with other boards of its
 * game; there is nothing to free.
 */
export class Board {
  /**
   * `startpos` by default; a SFEN, either with ` moves ...` behind it, or another board, which is copied.
   * Throws ShogiError for any other text.
   */
  constructor(text?: string | Board);
  clone(): Board;
  /** The SFEN of the position, with its move counter. */
  readonly sfen: string;
  /** The whole game as the `position` command of USI. */
  readonly position: string;
  /** The side to move. */
  readonly turn: Color;
  /** The move counter: 1 at the start of an even game. */
  readonly ply: number;
  readonly legalMoves: Move[];
  isLegal(move: AnyMove): boolean;
  /** Makes a legal move and returns it. Throws ShogiError for any other. */
  push(move: AnyMove): Move;
  /** Takes the last move back and returns it; null if there is none. */
  pop(): Move | null;
  readonly isCheck: boolean;
  readonly isCheckmate: boolean;
  /** The rules end the game here: mate, no legal move, a fourth occurrence. */
  readonly isOver: boolean;
  /** What a fourth occurrence means for the side to move; null if there is none. */
  readonly repetition: "draw" | "win" | "loss" | null;
  /** The side to move wins by declaring, by the 27-point rule. */
  readonly canDeclare: boolean;
  /** The piece on a square as SFEN has it: `P`, `p`, `+R`; null for an empty one. */
  pieceAt(square: string): string | null;
  /** The pieces in hand with their numbers: `{ P: 2 }`. */
  hand(color: Color): { [piece: string]: number };
  /** A legal move as text. */
  moveText(move: AnyMove, format?: "usi" | "kif" | "ki2" | "csa"): string;
  /** The number of sequences of so many legal moves, 0 to 100. */
  perft(depth: number): number;
  /** The board as a picture that stands alone. Needs `import "komainu-rules/formats"`. */
  toSVG(options?: { flipped?: boolean; letters?: boolean; caption?: string }): string;
  toString(): string;
  toJSON(): string;
}

export type Ending =
  | "resignation" | "checkmate" | "no-moves" | "declaration" | "false-declaration" | "illegal-move" | "time-up" | "crash" | "stall"
  | "repetition" | "perpetual-check" | "impasse" | "ply-limit" | "adjudicated-win" | "adjudicated-draw" | "draw" | "walk-over"
  | "no-mate" | "interrupted" | "error";

/** How a game or a variation ended. */
export interface End {
  readonly ending: Ending;
  readonly winner: "b" | "w" | null;
  /** Seconds that the side to move had used. */
  readonly spent?: number;
}

/** A move in plain form. */
export interface PlainMove {
  /** In USI. */
  move: string;
  time?: number;
  comment?: string;
  /** What could have been played in its place. */
  variations?: PlainLine[];
}

/** Moves in plain form, which `JSON.stringify` and `structuredClone` take. */
export interface PlainLine {
  moves: PlainMove[];
  end: End | null;
  /** What could have followed its end. */
  variations?: PlainLine[];
}

export interface PlainRecord extends PlainLine {
  start: string;
  header: { [key: string]: string };
  comment: string;
}

/**
 * A position of a record and, but for the root, the move that led there. Whatever is done with a node that has been removed, or that
 * followed one, throws ShogiError; so does a value that a field has no place for.
 */
export interface Node {
  readonly move: Move | null;
  readonly parent: Node | null;
  /** The one that the line goes on with first, then variations. */
  readonly children: Node[];
  /** The node that the line goes on with; null at its end. */
  readonly next: Node | null;
  /** The nodes of the same position, this one included. */
  readonly siblings: Node[];
  /** The nodes from the first move to here. */
  readonly path: Node[];
  /** Moves made up to here. */
  readonly ply: number;
  /** The comment; lines are separated by `\n`. */
  comment: string;
  /** Seconds that the move took; null where that is not known. */
  time: number | null;
  /** How the game or the variation ended here. */
  get end(): End | null;
  set end(end: { ending: Ending; winner?: "b" | "w" | null; spent?: number } | null);
  board(): Board;
  /** Adds a legal move as the last of the variations; the node that is there if the move is. */
  add(move: AnyMove): Node;
  /** Makes this the move that its line goes on with; the others become variations. */
  promote(): void;
  /** Takes the node out with all that follows; the root stays. */
  remove(): void;
  /** The node and what follows in plain form. */
  toJSON(): PlainLine & { ply: number; comment?: string; move?: string; time?: number };
}

/** A format. */
export type Format = "kif" | "ki2" | "csa" | "csa2" | "jkf" | "usi" | "sfen";

/** A game: headers, moves with times and comments, variations, the end. */
export class Record {
  /** An empty game, from a SFEN; or one with the moves of a board. */
  constructor(board?: Board | string);
  /**
   * The only game of a text in KIF, KI2, CSA, JKF or USI; of bytes in UTF-8, Shift_JIS, EUC-JP or UTF-16. Throws ShogiError
   * with line and word, and for JKF without `import "komainu-rules/formats"`; with `strict: false` what stands before a fault is kept, and `fault` tells the rest.
   */
  static parse(source: string | Uint8Array | ArrayBuffer, options?: { strict?: boolean }): Record;
  /** The games of a text; one that cannot be read at all is an error in its place. */
  static parseAll(source: string | Uint8Array | ArrayBuffer): (Record | ShogiError)[];
  /** The record of what `toJSON` gives. */
  static fromJSON(plain: Partial<PlainRecord>): Record;
  /** The SFEN of the start. */
  readonly start: string;
  /** Headers and players by the keys of KIF: `{ 先手: "..." }`; each is a line of text. */
  header: { [key: string]: string };
  readonly root: Node;
  /** The nodes of the game, without the root. */
  readonly main: Node[];
  readonly moves: Move[];
  readonly end: End | null;
  readonly result: "black" | "white" | "draw" | null;
  /** Where and why reading came to an end before the end of the text. */
  readonly fault: string | null;
  readonly warnings: string[];
  /** The node after so many moves of the game. */
  node(ply: number): Node;
  /** The board after so many moves of the game; without a number after the last. */
  board(ply?: number): Board;
  /** The record as text; KIF by default. Needs `import "komainu-rules/formats"`. */
  toString(format?: Format): string;
  /** The parts of the record that a format has no place for. Needs `import "komainu-rules/formats"`. */
  losses(format: Format): string[];
  /** The record in plain form. */
  toJSON(): PlainRecord;
}
