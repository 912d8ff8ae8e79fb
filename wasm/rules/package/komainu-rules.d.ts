/** The rules of shogi and its records. Everything is synchronous; the module is ready when it has been imported. */

/** An illegal move, or a text that cannot be read: the message names the word. What it was asked of stays as it was. */
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

/** A position with the moves that led to it. */
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
  /** The board as a picture that stands alone. */
  toSVG(options?: { flipped?: boolean; letters?: boolean; caption?: string }): string;
  toString(): string;
  toJSON(): string;
}

/** How a game or a variation ended. */
export interface End {
  /** `resignation`, `checkmate`, `repetition`, `time-up` and so on. */
  ending: string;
  winner: "b" | "w" | null;
  /** Seconds that the side to move had used. */
  spent?: number;
}

/** A position of a record and, but for the root, the move that led there. */
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
  end: End | null;
  board(): Board;
  /** Adds a legal move as the last of the variations; the node that is there if the move is. */
  add(move: AnyMove): Node;
  /** Makes this the move that its line goes on with; the others become variations. */
  promote(): void;
  /** Takes the node out with all that follows. */
  remove(): void;
}

export type Format = "kif" | "ki2" | "csa" | "csa2" | "jkf" | "usi" | "sfen";

/** A game: headers, moves with times and comments, variations, the end. */
export class Record {
  /** An empty game, from a SFEN; or one with the moves of a board. */
  constructor(board?: Board | string);
  /**
   * The only game of a text in KIF, KI2, CSA, JKF or USI; of bytes in UTF-8, Shift_JIS, EUC-JP or UTF-16. Throws ShogiError
   * with line and word; with `strict: false` what stands before a fault is kept, and `fault` tells the rest.
   */
  static parse(source: string | Uint8Array | ArrayBuffer, options?: { strict?: boolean }): Record;
  /** The games of a text; one that cannot be read at all is an error in its place. */
  static parseAll(source: string | Uint8Array | ArrayBuffer): (Record | ShogiError)[];
  /** The SFEN of the start. */
  readonly start: string;
  /** Headers and players by the keys of KIF: `{ 先手: "..." }`. */
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
  /** The record as text; KIF by default. */
  toString(format?: Format): string;
  /** The parts of the record that a format has no place for. */
  losses(format: Format): string[];
}
