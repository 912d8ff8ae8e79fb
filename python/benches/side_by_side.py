"""Jobs in komainu, cshogi, rsshogi and python-shogi, side by side: lines of code, and medians of processor times in seconds.

    python python/benches/side_by_side.py          # in an environment that has the four packages and numpy

The libraries take turns, so that what else the machine does falls on all of them; the last column is the median of the ratios of each
round. A job of a library that has no such thing shows a dash; what takes more than five seconds is run once. Times are to be taken of
a wheel as it is released. Every library gets the same input, made here from one seed.
"""

import inspect
import io
import pathlib
import random
import statistics
import tempfile
import time

import cshogi
import cshogi.CSA
import cshogi.KIF
import cshogi.dlshogi
import numpy
import rsshogi.core
import rsshogi.record
import shogi
import shogi.KIF

import komainu as k

random.seed(1)
GAMES = []
for _ in range(1_000):
    board = k.Board()
    while len(board.move_stack) < 110 and not board.is_game_over():
        board.push(random.choice(board.legal_moves))
    GAMES.append(board)
FOLDER = pathlib.Path(tempfile.mkdtemp())
for number, board in enumerate(GAMES):
    record = k.Record(board)
    record.header = {"先手": f"駒犬{number}", "後手": "狛犬"}
    record.write(FOLDER / f"{number:04}.kif", encoding="cp932")
PATHS = sorted(FOLDER.glob("*.kif"))
POSITIONS = [board.usi_position().removeprefix("position ") for board in GAMES]
SFENS = [k.Board(text).sfen() for text in POSITIONS for _ in range(10)]
MOVES = [[str(move) for move in board.move_stack] for board in GAMES]
PROBLEMS = pathlib.Path(__file__).parents[2] / "tests" / "data" / "tsume.txt"
MATES = [line.split(";mate ") for line in PROBLEMS.read_text().splitlines() if ";mate " in line and line[0] != "#"]
IN_ONE = [sfen.strip() for sfen, plies in MATES if int(plies) == 1] * 10
SHORT = [sfen.strip() for sfen, plies in MATES if 3 <= int(plies) <= 7]
HCPE = numpy.zeros(10_000, cshogi.HuffmanCodedPosAndEval)
for entry, board in zip(HCPE, [k.Board(sfen) for sfen in SFENS]):
    entry["hcp"] = numpy.frombuffer(board.pack_hcp(), "u1")
    entry["bestMove16"] = board.legal_moves[0].apery_bits if board.legal_moves else 0
HCPE = HCPE[HCPE["bestMove16"] != 0][:5_000]


def perft(board, depth):
    if depth == 1:
        return len(board.legal_moves)
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += perft(board, depth - 1)
        board.pop()
    return nodes


def perft_rsshogi(board, depth):
    moves = board.legal_moves_move32()
    if depth == 1:
        return len(moves)
    nodes = 0
    for move in moves:
        board.apply_move32(move)
        nodes += perft_rsshogi(board, depth - 1)
        board.undo_move32(move)
    return nodes


class Perft4:
    """perft 4 in a Python loop"""

    def komainu():
        return perft(k.Board(), 4)

    def cshogi():
        return perft(cshogi.Board(), 4)

    def rsshogi():
        return perft_rsshogi(rsshogi.core.Board(), 4)

    def shogi():
        return perft(shogi.Board(), 4)


class ReadKif:
    """1,000 KIF in Shift_JIS"""

    def komainu():
        return sum(len(record.moves) for record in k.read_records(FOLDER))

    def cshogi():
        return sum(len(cshogi.KIF.Parser.parse_file(str(path)).moves) for path in PATHS)

    def rsshogi():
        return sum(len(rsshogi.record.Record.from_kif_file(str(path)).moves) for path in PATHS)

    def shogi():
        return sum(len(shogi.KIF.Parser.parse_file(str(path))[0]["moves"]) for path in PATHS)


class KifToCsa:
    """1,000 KIF to CSA"""

    def komainu():
        return sum(bool(record.to_string("csa")) for record in k.read_records(FOLDER))

    def cshogi():
        count = 0
        for path in PATHS:
            game = cshogi.KIF.Parser.parse_file(str(path))
            exporter = cshogi.CSA.Exporter()
            exporter.f = io.StringIO()
            exporter.info(names=game.names)
            for move in game.moves:
                exporter.move(move)
            count += bool(exporter.f.getvalue())
        return count

    def rsshogi():
        return sum(bool(rsshogi.record.Record.from_kif_file(str(path)).to_csa()) for path in PATHS)

    shogi = None


class Positions:
    """1,000 `position` lines of 110 moves"""

    def komainu():
        return sum(k.Board(text).ply for text in POSITIONS)

    def cshogi():
        ply = 0
        for text in POSITIONS:
            board = cshogi.Board()
            board.set_position(text)
            ply += board.move_number
        return ply

    def rsshogi():
        return sum(rsshogi.core.parse_usi_position("position " + text).game_ply for text in POSITIONS)

    def shogi():
        ply = 0
        for text in POSITIONS:
            board = shogi.Board()
            for move in text.split()[2:]:
                board.push_usi(move)
            ply += board.move_number
        return ply


class Sfens:
    """10,000 SFEN read and written"""

    def komainu():
        return sum(k.Board(sfen).sfen() == sfen for sfen in SFENS)

    def cshogi():
        board = cshogi.Board()
        return sum(board.set_sfen(sfen) is None and board.sfen() == sfen for sfen in SFENS)

    def rsshogi():
        return sum(rsshogi.core.Board(sfen).to_sfen() == sfen for sfen in SFENS)

    def shogi():
        return sum(shogi.Board(sfen).sfen() == sfen for sfen in SFENS)


class RandomGames:
    """200 games of random moves, 110 plies"""

    def komainu():
        for _ in range(200):
            board = k.Board()
            while board.ply < 110 and (moves := board.legal_moves):
                board.push(random.choice(moves))
        return 200

    def cshogi():
        for _ in range(200):
            board = cshogi.Board()
            while board.move_number < 110 and (moves := list(board.legal_moves)):
                board.push(random.choice(moves))
        return 200

    def rsshogi():
        for _ in range(200):
            board = rsshogi.core.Board()
            while board.game_ply < 110 and (moves := board.legal_moves_move32()):
                board.apply_move32(random.choice(moves))
        return 200

    def shogi():
        for _ in range(200):
            board = shogi.Board()
            while board.move_number < 110 and (moves := list(board.legal_moves)):
                board.push(random.choice(moves))
        return 200


class Replay:
    """1,000 games replayed from moves of USI, each checked"""

    def komainu():
        for moves in MOVES:
            board = k.Board()
            for move in moves:
                board.push_usi(move)
        return len(MOVES)

    def cshogi():
        for moves in MOVES:
            board = cshogi.Board()
            for move in moves:
                if not board.push_usi(move):
                    raise ValueError(move)
        return len(MOVES)

    def rsshogi():
        for moves in MOVES:
            board = rsshogi.core.Board()
            for move in moves:
                board.push_usi(move)
        return len(MOVES)

    def shogi():
        for moves in MOVES:
            board = shogi.Board()
            for text in moves:
                move = shogi.Move.from_usi(text)
                if move not in board.legal_moves:
                    raise ValueError(text)
                board.push(move)
        return len(MOVES)


class Pack:
    """10,000 positions packed"""

    def komainu():
        return sum(len(k.Board(sfen).pack()) for sfen in SFENS)

    def cshogi():
        board, packed, total = cshogi.Board(), numpy.empty(1, cshogi.PackedSfen), 0
        for sfen in SFENS:
            board.set_sfen(sfen)
            board.to_psfen(packed)
            total += packed.nbytes
        return total

    def rsshogi():
        return sum(len(bytes(rsshogi.core.Board(sfen).to_packed_sfen())) for sfen in SFENS)

    shogi = None


class Svg:
    """1,000 boards as SVG"""

    def komainu():
        return sum("<svg" in k.Board(text).to_svg() for text in SFENS[:1_000])

    def cshogi():
        return sum("<svg" in str(cshogi.Board(text).to_svg()) for text in SFENS[:1_000])

    def rsshogi():
        return sum("<svg" in str(rsshogi.core.Board(text).to_svg()) for text in SFENS[:1_000])

    shogi = None


class BestMove:
    """best move and score of 20 positions, 2,000 nodes each"""

    def komainu():
        engine = k.Engine(hash_mb=16)
        return sum(bool(engine.search(k.Board(text), nodes=2_000)) for text in POSITIONS[:20])

    cshogi = rsshogi = shogi = None


class MatesInOne:
    """mates in one, each asked ten times"""

    def komainu():
        return sum(k.Board(sfen).mate_in_one() is not None for sfen in IN_ONE)

    def cshogi():
        board, found = cshogi.Board(), 0
        for sfen in IN_ONE:
            board.set_sfen(sfen)
            found += board.mate_move_in_1ply() != 0
        return found

    rsshogi = shogi = None


class ShortMates:
    """mates in 3 to 7 by a solver that is kept"""

    def komainu():
        solver = k.MateSolver(hash_mb=16)
        return sum(solver.mate(k.Board(sfen), shortest=False) is not None for sfen in SHORT)

    def cshogi():
        solver, board, found = cshogi.DfPn(depth=31, nodes=1_000_000), cshogi.Board(), 0
        for sfen in SHORT:
            board.set_sfen(sfen)
            found += solver.search(board)
        return found

    rsshogi = shogi = None


class Batch:
    """5,000 records of dlshogi to planes and labels"""

    def komainu():
        return k.dlshogi_planes(HCPE)[0].shape[0] + int(k.dlshogi_labels(HCPE).sum())

    def cshogi():
        board = cshogi.Board()
        features1 = numpy.zeros((len(HCPE), cshogi.dlshogi.FEATURES1_NUM, 9, 9), numpy.float32)
        features2 = numpy.zeros((len(HCPE), cshogi.dlshogi.FEATURES2_NUM, 9, 9), numpy.float32)
        labels = numpy.zeros(len(HCPE), numpy.int64)
        for number, entry in enumerate(HCPE):
            board.set_hcp(entry["hcp"])
            cshogi.dlshogi.make_input_features(board, features1[number], features2[number])
            labels[number] = cshogi.dlshogi.make_move_label(int(entry["bestMove16"]), board.turn)
        return features1.shape[0] + int(labels.sum())

    rsshogi = shogi = None


JOBS = [Perft4, ReadKif, KifToCsa, Positions, Sfens, RandomGames, Replay, Pack, Svg, MatesInOne, ShortMates, Batch, BestMove]
LIBRARIES = {"komainu": "komainu", "cshogi": "cshogi", "rsshogi": "rsshogi", "shogi": "python-shogi"}
ROUNDS = 9
HELPERS = {"komainu": perft, "cshogi": perft, "rsshogi": perft_rsshogi, "shogi": perft}


def lines(job, name):
    """Lines of a job without its head, the helper included."""
    count = len(inspect.getsource(vars(job)[name]).splitlines()) - 1
    return count + (len(inspect.getsource(HELPERS[name]).splitlines()) if job is Perft4 else 0)


def measure(job):
    """The processor times of each library, whose runs take turns, or its fault; and all answers."""
    times, answers = {name: [] for name in LIBRARIES if vars(job)[name]}, set()
    for _ in range(ROUNDS):
        for name, taken in times.items():
            if isinstance(taken, Exception) or taken and taken[0] > 5:
                continue
            began = time.process_time()
            try:
                answers.add(vars(job)[name]())
                taken.append(time.process_time() - began)
            except Exception as fault:  # what a library cannot do is shown, not hidden
                times[name] = fault
    return times, answers


def main():
    print("| job | " + " | ".join(f"{name}: lines, seconds" for name in LIBRARIES.values()) + " | cshogi / komainu |")
    print("| --- | --- | --- | --- | --- | --- |")
    for job in JOBS:
        (times, answers), cells = measure(job), []
        for name in LIBRARIES:
            taken = times.get(name)
            if taken is None:
                cells.append("–")
            elif isinstance(taken, Exception):
                cells.append(f"{lines(job, name)}, {type(taken).__name__}: {str(taken)[:60]}")
            else:
                cells.append(f"{lines(job, name)}, {statistics.median(taken):.4f}")
        theirs = times.get("cshogi")
        ratios = [their / own for own, their in zip(times["komainu"], theirs)] if isinstance(theirs, list) else []
        cells.append(f"{statistics.median(ratios):.2f}" if ratios else "–")
        note = "" if len(answers) == 1 else f" (answers differ: {sorted(answers)})"
        print(f"| {job.__doc__}{note} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
