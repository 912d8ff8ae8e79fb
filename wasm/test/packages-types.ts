// Compiled, not run: what is written with the types of both packages, and what they refuse.

import createEngine, { type Decision, type Info, type SearchResult } from "komainu";
import { Board, Move, Record, WHITE, init, type Node, type PlainRecord } from "komainu-rules";
import "komainu-rules/formats";

await init();

const board = new Board();
const moves: Move[] = board.legalMoves;
const node: Node = new Record(board).root.add(moves[0]!);
node.comment = board.turn === WHITE ? "white" : "black";
node.end = { ending: "resignation", winner: "b" };
const plain: PlainRecord = new Record(board).toJSON();
const again: number | undefined = Record.fromJSON(plain).node(0).toJSON().moves[0]?.variations?.length;
const text: string = Record.parse(new Uint8Array()).toString("kif");

const engine = await createEngine({ printErr: () => {} });
const off: () => void = engine.on("info", (info: Info) => console.log(info.scoreCp ?? info.mate, info.pv));
const found: SearchResult = await engine.go({ position: board.position, nodes: 1_000, multipv: 2, onInfo: ({ depth }) => console.log(depth) });
const mate: string[] | null = await engine.mate({ moves: [...moves, "3c3d"], movetime: 1_000 });
for await (const info of engine.analysis({ clock: { time: 60, increment: 1 }, searchmoves: moves })) console.log(info.pv);
const { line, ponder }: Decision = await engine.play({ clock: { byoyomi: 1 } });
engine.setOption("Level", ponder ? "5kyu" : line!.pv[0]!);
engine.options.SlowMover = engine.options.Level === "full" ? 80 : 100;
off();
console.log(again, text, found.lines[0]?.pv, mate);

// @ts-expect-error there is no such event
engine.on("nothing", () => {});
// @ts-expect-error there is no such limit
engine.go({ plies: 1 });
// @ts-expect-error there is no such format
node.board() && Record.parse("").toString("pgn");
// @ts-expect-error moves are not made by hand
new Move(1);
// @ts-expect-error there is no such end
node.end = { ending: "lost" };
// @ts-expect-error a time is a number
node.time = "5";
