"""Shogi: rules, records of games, a search, a mate solver, opening books, matches between engines.

Squares are text as in USI ("7g"), moves are :class:`Move` objects, whose ``str`` is USI; wherever a move is taken its text
serves as well. Scores are in centipawns or plies to a mate, from the view of the side to move. What the caller gives and
cannot be raises ValueError and names the word; nothing has changed then. Searches let other Python threads run, and Ctrl-C
ends them.
"""

import os as _os

from . import _komainu
from ._engines import (
    AsyncAnalysis,
    Clock,
    Decision,
    Engine,
    EngineOptions,
    Judgement,
    Line,
    MatchResult,
    Result,
    Solution,
    UsiEngine,
)
from ._komainu import (
    BLACK,
    STARTPOS,
    WHITE,
    Analysis,
    Board,
    Book,
    BookMove,
    EngineError,
    LegalMoves,
    MateSolver,
    Move,
    Node,
    Record,
    Undecided,
    __version__,
    iter_records,
    make_book,
    mate,
    play_match,
    read_records,
    write_book,
)

__all__ = [
    "BLACK",
    "STARTPOS",
    "WHITE",
    "Analysis",
    "AsyncAnalysis",
    "Board",
    "Book",
    "BookMove",
    "Clock",
    "Decision",
    "Engine",
    "EngineError",
    "EngineOptions",
    "Judgement",
    "LegalMoves",
    "Line",
    "MatchResult",
    "MateSolver",
    "Move",
    "Node",
    "Record",
    "Result",
    "Solution",
    "Undecided",
    "UsiEngine",
    "__version__",
    "dlshogi_labels",
    "dlshogi_planes",
    "games_table",
    "hcpe_arrays",
    "hcpe_features",
    "iter_records",
    "load_games",
    "load_hcpe",
    "load_psv",
    "make_book",
    "mate",
    "play_match",
    "psv_arrays",
    "psv_features",
    "read_records",
    "solve",
    "solve_many",
    "write_book",
]

# The fields of a record of 40 bytes, by the names that cshogi has for them.
_PSV = [
    ("sfen", "u1", (32,)),
    ("score", "<i2"),
    ("move", "<u2"),
    ("gamePly", "<u2"),
    ("game_result", "i1"),
    ("padding", "u1"),
]


# The fields of a record of 38 bytes of dlshogi, by the names that cshogi has for them.
_HCPE = [("hcp", "u1", (32,)), ("eval", "<i2"), ("bestMove16", "<u2"), ("gameResult", "i1"), ("dummy", "u1")]


def load_psv(path):
    """The positions of a training file (.psv) as a structured array over the file: nothing is copied or read ahead.

    Fields: ``sfen`` (the packed position, for ``Board.unpack``), ``score`` (as the file has it, a pawn worth 90, for the
    side to move), ``move`` (16 bits, for ``Move``), ``gamePly``, ``game_result`` (1 a win of the side to move, 0, -1).

    Errors: OSError for the file; ValueError if its last record is cut off; ImportError without numpy.
    """
    return _over_file(path, _PSV)


def load_hcpe(path):
    """The positions of a training file of dlshogi (.hcpe) as a structured array over the file, as :func:`load_psv`.

    Fields: ``hcp`` (for ``Board.unpack_hcp``), ``eval`` (centipawns for the side to move), ``bestMove16`` (for
    ``Move.from_apery``), ``gameResult`` (0 a draw, 1 black has won, 2 white; 4, 8, 16 are added by the kind of the end).

    Errors: OSError for the file; ValueError if its last record is cut off; ImportError without numpy.
    """
    return _over_file(path, _HCPE)


def _over_file(path, fields):
    import numpy

    kind = numpy.dtype(fields)
    with open(path, "rb") as file:
        size = file.seek(0, _os.SEEK_END)
    if size % kind.itemsize:
        raise ValueError(f"{_os.fspath(path)}: the last record has {size % kind.itemsize} bytes, not {kind.itemsize}")
    if size == 0:
        return numpy.empty(0, kind)
    return numpy.memmap(path, kind, mode="r")


def psv_arrays(records):
    """Boards, hands and sides of records of :func:`load_psv`, or a slice of them; also of anything with a buffer.

    Three arrays of uint8: (n, 81) as ``Board.to_array``, (n, 2, 7) as ``Board.hands_array``, (n,) with 0 for black.

    Errors: ValueError for a record that holds no position, with its number.
    """
    return tuple(_komainu.unpack_records("psv", records))


def psv_features(records, features):
    """The active inputs of a net for records of :func:`load_psv`: two arrays (n, inputs) of int32, in ascending order, those
    of the side to move first. Sets: as ``Board.features``.

    Errors: ValueError for an unknown set, and for a record that holds no position, with its number.
    """
    return tuple(_komainu.features_of_records("psv", records, features))


def hcpe_arrays(records):
    """Boards, hands and sides of records of :func:`load_hcpe`, as :func:`psv_arrays`."""
    return tuple(_komainu.unpack_records("hcpe", records))


def hcpe_features(records, features):
    """The active inputs of a net for records of :func:`load_hcpe`, as :func:`psv_features`."""
    return tuple(_komainu.features_of_records("hcpe", records, features))


def dlshogi_planes(records):
    """The inputs of a net of dlshogi for records of :func:`load_psv` or :func:`load_hcpe`: two arrays of float32, (n, 62, 9, 9)
    and (n, 57, 9, 9), as ``cshogi.dlshogi.make_input_features`` fills them.

    Errors: TypeError for other arrays; ValueError for a record that holds no position, with its number.
    """
    return tuple(_komainu.planes(_kind(records), records))


def dlshogi_labels(records):
    """The labels of the moves of records of :func:`load_psv` or :func:`load_hcpe` in the policy of dlshogi: (n,) of int64, 0 to
    2186, as ``cshogi.dlshogi.make_move_label`` gives them.

    Errors: TypeError for other arrays; ValueError for a record without a position or a move, with its number.
    """
    return _komainu.labels(_kind(records), records)


def _kind(records):
    fields = getattr(getattr(records, "dtype", None), "names", None) or ()
    for kind, name in (("psv", "sfen"), ("hcpe", "hcp")):
        if name in fields:
            return kind
    raise TypeError(f"{type(records).__name__}: no records of load_psv or load_hcpe")


def games_table(path, jobs=1):
    """The games of a file or folder as a structured array, a row each in the order of :func:`iter_records`.

    Fields: ``black``, ``white`` (players), ``result`` ("black", "white", "draw", "" for none), ``plies``, ``opening`` (of the
    game, in Japanese: that of each side), ``black_castle``, ``white_castle`` (the last castle of each), ``path``. Texts are "" where
    nothing is known. jobs: threads that read.

    Errors: OSError for a file or folder that cannot be read; ImportError without numpy.
    """
    import numpy

    kinds = [(name, "i4" if name == "plies" else "O") for name in _GAMES]
    return numpy.array([row[:-1] + (_os.fspath(row[-1]),) for row in _komainu.game_rows(path, jobs)], kinds)


_GAMES = ("black", "white", "result", "plies", "opening", "black_castle", "white_castle", "path")


def solve(board, *, nodes=None, time_ms=None, shortest=True, cooks=True, progress=None, hash_mb=None):
    """Solves a mate problem (tsume): what :class:`MateSolver` makes of one, with a solver of its own.

    Errors: ValueError for a limit out of range.
    """
    solver = MateSolver(hash_mb)
    return solver.solve(board, nodes=nodes, time_ms=time_ms, shortest=shortest, cooks=cooks, progress=progress)


def solve_many(boards, threads=0, *, nodes=None, time_ms=None, shortest=True, hash_mb=16):
    """Solves many problems, boards or texts of positions, as a structured array, a row each in their order.

    Fields: ``verdict`` (1 a mate, -1 none however long, 0 unknown within the limits), ``length`` in plies, ``exact``, ``move``
    (16 bits of the first move, for ``Move``), ``nodes``. threads: 0 for one a core, each with a solver of hash_mb megabytes.
    nodes, time_ms, shortest: for each problem, as :meth:`MateSolver.solve`.

    Errors: ValueError for a text that is no position, with its number; ImportError without numpy.
    """
    import numpy

    kinds = [("verdict", "i1"), ("length", "u4"), ("exact", "?"), ("move", "u2"), ("nodes", "u8")]
    return numpy.array(_komainu.solve_rows(boards, threads, nodes, time_ms, shortest, hash_mb), kinds)


def load_games(path):
    """The games of a file that ``komainu selfplay`` writes (.games), or of dlshogi (.hcpe3): a list of pairs of a Record and
    an array of int16, the score of each move in centipawns from the view of the side that made it (0 for a move drawn at
    random).

    Errors: OSError for the file, ValueError with the byte for a damaged one; ImportError without numpy.
    """
    import numpy

    return [(record, numpy.frombuffer(scores, "<i2")) for record, scores in _komainu.read_games(path)]
