"""Engines, what they are asked, and what they and the solvers answer."""

import asyncio as _asyncio
import os as _os
from collections.abc import Mapping as _Mapping
from dataclasses import dataclass as _dataclass, field as _field
from typing import Dict, List, Optional

from . import _komainu
from ._komainu import Move, Record


@_dataclass(frozen=True)
class Clock:
    """The clock of the side to move, in seconds, to the millisecond: main time that is left, byoyomi, and what each move adds.

    Errors: ValueError for a time below zero.

    >>> clock = Clock(time=600, byoyomi=30)
    >>> clock.after(12.5)
    Clock(time=587.5, byoyomi=30, increment=0)
    >>> clock.after(700) is None
    True
    """

    time: float = 0
    byoyomi: float = 0
    increment: float = 0

    def __post_init__(self):
        for name in ("time", "byoyomi", "increment"):
            value = getattr(self, name)
            if not 0 <= value <= 1e9:
                raise ValueError(f"{name}: {value} is no time in seconds")

    def after(self, used):
        """The clock before the next move, after one that took `used` seconds; None if the time was up."""
        left = self.time + self.increment - used
        if left + self.byoyomi < 0:
            return None
        return Clock(max(left, 0), self.byoyomi, self.increment)


@_dataclass(frozen=True, repr=False)
class Line:
    """A line of a search. Scores are from the view of the side to move; what an engine does not tell is None.

    pv: its moves, legal one after the other; none if the engine names none. score_cp: centipawns, None for a mate. mate:
    plies to the mate, below zero if the side to move is mated. mate_sign: 1 for a mate by the side to move, -1 if it is mated,
    whether its length is known or not, else 0. bound: "lower" or "upper" if the true score is at least or at most the one that
    is told.

    depth, seldepth: plies. multipv: its place among the best lines, from 1. nodes, time (seconds), nps, hashfull (0 to 1000):
    of the whole search up to then.
    """

    pv: List[Move]
    score_cp: Optional[int] = None
    mate: Optional[int] = None
    mate_sign: int = 0
    bound: Optional[str] = None
    depth: int = 0
    seldepth: Optional[int] = None
    multipv: int = 1
    nodes: int = 0
    time: Optional[float] = None
    nps: Optional[int] = None
    hashfull: Optional[int] = None

    def __repr__(self):
        if self.mate_sign:
            score = f"mate {'+-'[self.mate_sign < 0] if self.mate is None else self.mate}"
        else:
            score = "?" if self.score_cp is None else f"cp {self.score_cp}"
        bound = f" {self.bound}bound" if self.bound else ""
        return f"<Line {score}{bound} depth {self.depth} pv {' '.join(map(str, self.pv))}>"


class Result(list):
    """The result of a search: a list of its lines, best first, and what the engine has decided.

    move: the move; the first line begins with it. None if the engine resigns or declares a win. ponder: the reply that it
    expects, if it names one. resigns, declares: it gives up, or wins by declaration.
    """

    def __init__(self, lines=(), move=None, ponder=None, resigns=False, declares=False):
        super().__init__(lines)
        self.move = move
        self.ponder = ponder
        self.resigns = resigns
        self.declares = declares

    @property
    def lines(self):
        """The lines as a plain list."""
        return list(self)

    def __repr__(self):
        return f"<Result {_decided(self)} {super().__repr__()}>"


@_dataclass(frozen=True, repr=False)
class Decision:
    """What an engine does in a game: a move, or it resigns, or it declares a win.

    move: None if it resigns or declares. ponder: the reply that it expects, if it names one. line: its line, with the score;
    None if there is none.
    """

    move: Optional[Move] = None
    ponder: Optional[Move] = None
    resigns: bool = False
    declares: bool = False
    line: Optional[Line] = None

    def __repr__(self):
        return f"<Decision {_decided(self)}>"


def _decided(answer):
    return "resigns" if answer.resigns else "declares a win" if answer.declares else str(answer.move)


@_dataclass(frozen=True, repr=False)
class Judgement:
    """A move of a game that was analysed. Scores are those of the side that moved; None where nothing is known.

    ply: its number, from 1. move. text: the move in Japanese, ▲７六歩. loss: the winning chance that it cost, 0 to 1. label:
    "Good move", "Inaccuracy", "Dubious move", "Mistake", "Blunder"; None for the rest. best_line: the best line in its place.

    score_cp: centipawns, None for a mate. mate: plies to the mate after the move, below zero if its side is mated.
    best_score_cp, best_mate: the same of the best move.
    """

    ply: int
    move: Move
    text: str
    loss: float
    label: Optional[str]
    best_line: List[Move]
    score_cp: Optional[int]
    mate: Optional[int]
    best_score_cp: Optional[int]
    best_mate: Optional[int]

    def __repr__(self):
        return f"<Judgement {self.ply} {self.move} {self.label or '-'}>"


@_dataclass(frozen=True, repr=False)
class MatchResult:
    """The result of a match from the view of the first engine.

    records: the games in their order; black of the odd ones is the first engine.
    """

    wins: int
    draws: int
    losses: int
    records: List[Record]

    @property
    def score(self):
        """The share of the points that the first engine has made, 0 to 1; a draw is half a point."""
        return (self.wins + self.draws / 2) / max(self.wins + self.draws + self.losses, 1)

    def __repr__(self):
        return f"<MatchResult +{self.wins} ={self.draws} -{self.losses}>"


@_dataclass(frozen=True, repr=False)
class Solution:
    """The answer of a solver: whether there is a mate, its line, and what composers ask.

    verdict: "mate", "nomate" (there is none, however long), or "unknown". reason: why nothing is known. line: the moves to the
    mate against the longest resistance. length: plies that it takes at most; None without a mate. exact: no shorter mate exists.
    left_over: the pieces that the attacker still holds at the end, as {"P": 2}. cooks: the other first moves that mate; None if
    that was not asked or not found out. nodes: positions that were expanded.

    >>> s = solve(Board("4k4/9/4P4/9/9/9/9/9/9 b G 1"))
    >>> s.verdict, [str(m) for m in s.line], s.length, s.exact, s.cooks
    ('mate', ['G*5b'], 1, True, [])
    >>> solve(Board()).verdict
    'nomate'
    """

    verdict: str
    reason: Optional[str]
    line: List[Move]
    length: Optional[int]
    exact: bool
    left_over: Dict[str, int]
    cooks: Optional[List[Move]]
    nodes: int
    # What writes it, until somebody asks.
    _proof: object = _field(default=None, compare=False)

    @property
    def proof(self):
        """The proof as text, which `komainu mate --check` checks with nothing but the rules; None without a mate."""
        if callable(self._proof):
            object.__setattr__(self, "_proof", self._proof())
        return self._proof

    def __getstate__(self):
        return {**vars(self), "_proof": self.proof}

    def __repr__(self):
        if self.verdict == "mate":
            return f"<Solution mate {self.length}{' exact' if self.exact else ''} {' '.join(map(str, self.line))}>"
        return f"<Solution {self.verdict}{f': {self.reason}' if self.reason else ''}>"


class EngineOptions(_Mapping):
    """The options of an engine by name, as it lists them: `options["SlowMover"] = 80`. Values are bools, ints or texts; None
    presses a button. A name counts in any case.

    The engine has taken an option when the assignment returns. MultiPV and ConsiderationMode are set by each search.

    Errors: KeyError for a name that is not listed, ValueError for a value that does not fit; the old one stays. EngineError
    while an analysis is open.
    """

    def __init__(self, engine):
        self._engine = engine

    def __getitem__(self, name):
        return self._engine._option(name)

    def __setitem__(self, name, value):
        self._engine._set_option(name, value)

    def __iter__(self):
        return iter(self._engine._option_names())

    def __len__(self):
        return len(self._engine._option_names())

    def __repr__(self):
        return f"<EngineOptions {dict(self)}>"


class AsyncAnalysis:
    """An `Analysis` for asyncio: an asynchronous iterator of `Line`, and a context manager that ends the search."""

    def __init__(self, analysis):
        self._analysis = analysis

    def __del__(self):
        # A thread of the executor may hold the analysis for a moment longer.
        self.stop()

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            line = await _asyncio.get_running_loop().run_in_executor(None, next, self._analysis, None)
        except _asyncio.CancelledError:
            self.stop()
            raise
        if line is None:
            raise StopAsyncIteration
        return line

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        self.stop()
        await self.result()

    def stop(self):
        """Ends the search. Returns at once."""
        self._analysis.stop()

    async def result(self):
        """Waits for the end of the search and returns its `Result`, as `search` does."""
        return await _asyncio.get_running_loop().run_in_executor(None, self._analysis.result)


class UsiEngine(_komainu.Conversation):
    """A program that speaks USI, as a context manager: it ends with the block.

    command: a command line as a shell reads it, a path, or a list of words. options: USI options by name, their values as
    text, numbers or True and False. Without a wish for it the program does not use its own book. silence_s: seconds without
    a word after which it counts as hung; in a search they are added to the time that the move may take, and one without a
    limit may be silent. Without it they are 60, and 600 in a search.

    An engine that ends or hangs is given up: what it is asked later raises EngineError, too. One thread asks at a time, others
    wait for it; while an analysis is open nothing else can be asked.

    Errors: EngineError if it cannot be started, ends (with what it wrote last), is silent, or takes no such option.

    with UsiEngine("./engine", options={"USI_Hash": 64}) as e:
        line, = e.search(Board(), nodes=10_000)
    """

    def __new__(cls, command, options=None, *, silence_s=None):
        return super().__new__(cls, command, options, silence_s)

    @property
    def options(self):
        """The options of the engine by name: see `EngineOptions`."""
        return EngineOptions(self)

    def search(self, board, *, nodes=None, depth=None, movetime_ms=None, mate=None, multipv=None, searchmoves=None):
        """Searches a position and returns a `Result`: a list of the best lines, at most `multipv`, with the move.

        nodes, depth (plies), movetime_ms: the limits; the first that is reached ends the search. mate: it also ends with a
        mate by the side to move in so many plies or fewer. Without any it ends by `stop()` or Ctrl-C. searchmoves: search
        only these moves.

        A move that the program plays without a report (out of its book) is a line without a score. In a position without a
        legal move the result resigns, where a declaration wins it declares, and neither has lines.

        Errors: ValueError for a limit out of range and a move that is not legal; EngineError if the engine fails or answers
        with an illegal move.
        """
        limits = dict(nodes=nodes, depth=depth, movetime_ms=movetime_ms, mate=mate, multipv=multipv, searchmoves=searchmoves)
        return self._ask(board, False, limits)

    def analysis(self, board, *, nodes=None, depth=None, movetime_ms=None, mate=None, multipv=None, searchmoves=None):
        """Begins a search as `search` has it, and returns an `Analysis`: an iterator of its lines as they are found, and a
        context manager that ends the search.
        """
        limits = dict(nodes=nodes, depth=depth, movetime_ms=movetime_ms, mate=mate, multipv=multipv, searchmoves=searchmoves)
        return self._analysis(board, limits)

    def play(self, board, clock=None, *, nodes=None, depth=None, movetime_ms=None, mate=None, searchmoves=None):
        """Decides on a move of a game, on a `Clock` or within the limits of `search`, and returns a `Decision`.

        The clock runs from the call on. What counts is what is set for games: level, book, the options about time and
        resigning. `clear()` begins another game.

        Errors: as `search`; ValueError also if neither a clock nor a limit is given.
        """
        limits = dict(clock=clock, nodes=nodes, depth=depth, movetime_ms=movetime_ms, mate=mate, searchmoves=searchmoves)
        found = self._ask(board, True, limits)
        return Decision(found.move, found.ponder, found.resigns, found.declares, found[0] if found else None)

    async def aplay(self, board, clock=None, **limits):
        """`play` for asyncio: the event loop goes on meanwhile. A task that is cancelled stops the search."""
        loop = _asyncio.get_running_loop()
        playing = loop.run_in_executor(None, lambda: self.play(board, clock, **limits))
        try:
            return await _asyncio.shield(playing)
        except _asyncio.CancelledError:
            while not playing.done():
                self.stop()
                await _asyncio.wait([playing], timeout=0.05)
            raise

    def aanalysis(self, board, **limits):
        """`analysis` for asyncio: `async for line in engine.aanalysis(board, depth=20)`. Leaving the loop, or cancelling its
        task, stops the search.
        """
        return AsyncAnalysis(self.analysis(board, **limits))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()


class Engine(UsiEngine):
    """The engine within this process. It keeps what it has learnt from search to search until `clear()`.

    hash_mb: megabytes of the transposition table, 64 if nothing is said; 100 more are taken for histories. threads: threads of a
    search, one if nothing is said. eval_file: a net in place of the one that is built in. rules: "WCSC", "Floodgate" and so on.
    level: the rank at which `play` plays, from "20kyu" to "9dan"; `search` is always at full strength. book: True for the book
    that is built in (for games with main time on the clock), or the path of one. options: USI options by name, as
    `engine.options` has them.

    A search lets other Python threads run; `stop()` from one of them, or Ctrl-C, ends it. With one thread, nodes or depth, and
    after `clear()`, the result is always the same, and that of the engine as a program. An engine belongs to the process that
    made it: after a fork the child makes its own.

    Errors: ValueError for a value that is none; OSError for a file that cannot be read.

    >>> e = Engine(hash_mb=1)
    >>> line, = e.search(Board("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), depth=3)
    >>> str(line.pv[0]), line.mate, line.score_cp
    ('G*5b', 1, None)
    >>> e.play(Board(), Clock(time=60, increment=1), depth=1).move in Board().legal_moves
    True
    """

    def __new__(
        cls, hash_mb=None, threads=None, *, eval_file=None, rules=None, level=None, book=False, options=None
    ):
        wished = {
            "USI_Hash": _komainu.whole_number("hash_mb", 64 if hash_mb is None else hash_mb, 1_048_576),
            "Threads": _komainu.whole_number("threads", 1 if threads is None else threads, 1_024),
            "USI_Ponder": True,
        }
        if eval_file is not None:
            wished["EvalFile"] = _file(eval_file)
        if rules is not None:
            wished["Rules"] = rules
        if level is not None:
            wished["Level"] = level
        if book:
            wished["USI_OwnBook"] = True
            wished["BookFile"] = "<internal>" if book is True else _file(book)
        wished.update(options or {})
        return _komainu.Conversation.__new__(cls, None, wished, None)

    @property
    def threads(self):
        """Threads of a search."""
        return self.options["Threads"]

    def evaluate(self, board):
        """The static evaluation of a position by the net, without a search: centipawns for the side to move."""
        return self._evaluate(board)

    def analyse(self, record, *, nodes=None, multipv=None):
        """Analyses a game: searches the position before each move, and the mates around it, and judges the moves.

        nodes: nodes of the search of a position, 100,000 if nothing is said; bad moves are looked at again with four times as
        many. multipv: lines of each position, 2 if nothing is said. It takes a table of its own for the time. Ctrl-C and `stop()`
        end it; what was judged until then is returned after `stop()`.
        """
        return self._analyse(record, nodes, multipv)


def _file(path):
    """The whole path of a file, which must be there."""
    _os.stat(path)
    return _os.path.abspath(path)


for _kind in (Clock, Line, Result, Decision, Judgement, MatchResult, Solution, EngineOptions, AsyncAnalysis, UsiEngine, Engine):
    _kind.__module__ = "komainu"
del _kind
