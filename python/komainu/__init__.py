"""Shogi: rules, records of games, a search, a mate solver, opening books, matches between engines.

Squares are text as in USI ("7g"), moves are :class:`Move` objects, whose ``str`` is USI; wherever a move is taken its text
serves as well. Scores are in centipawns or plies to a mate, from the view of the side to move. What the caller gives and
cannot be raises ValueError and names the word; nothing has changed then. Searches let other Python threads run, and Ctrl-C
ends them.
"""

import os as _os

from . import _komainu
from ._engines import AsyncAnalysis, Clock, Decision, Engine, EngineOptions, Line, Result, UsiEngine
from ._komainu import (
    BLACK,
    STARTPOS,
    WHITE,
    Analysis,
    Board,
    Book,
    BookMove,
    EngineError,
    Judgement,
    LegalMoves,
    MatchResult,
    Move,
    Node,
    Record,
    Undecided,
    __version__,
    mate,
    play_match,
    read_records,
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
    "Move",
    "Node",
    "Record",
    "Result",
    "Undecided",
    "UsiEngine",
    "__version__",
    "load_games",
    "load_hcpe",
    "load_psv",
    "mate",
    "play_match",
    "psv_arrays",
    "psv_features",
    "read_records",
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
    size = _os.path.getsize(path)
    if size % kind.itemsize:
        raise ValueError(f"{_os.fspath(path)}: the last record has {size % kind.itemsize} bytes, not {kind.itemsize}")
    if size == 0:
        return numpy.empty(0, kind)
    return numpy.memmap(path, kind, mode="r")


def psv_arrays(records):
    """Boards, hands and sides of records of :func:`load_psv`, or a slice of them.

    Three arrays of uint8: (n, 81) as ``Board.to_array``, (n, 2, 7) as ``Board.hands_array``, (n,) with 0 for black.

    Errors: ValueError for a record that holds no position, with its number.
    """
    return tuple(_komainu.unpack_psv(_bytes(records)))


def psv_features(records, features):
    """The active inputs of a net for records of :func:`load_psv`: two arrays (n, inputs) of int32, in ascending order, those
    of the side to move first. Sets: as ``Board.features``.

    Errors: ValueError for an unknown set, and for a record that holds no position, with its number.
    """
    return tuple(_komainu.features_of_psv(_bytes(records), features))


def load_games(path):
    """The games of a file that ``komainu selfplay`` writes (.games), or of dlshogi (.hcpe3): a list of pairs of a Record and
    an array of int16, the score of each move in centipawns from the view of the side that made it (0 for a move drawn at
    random).

    Errors: OSError for the file, ValueError with the byte for a damaged one; ImportError without numpy.
    """
    import numpy

    return [(record, numpy.frombuffer(scores, "<i2")) for record, scores in _komainu.read_games(path)]


def _bytes(records):
    return records if isinstance(records, bytes) else records.tobytes()
