"""What engines answer: results, analyses, moves of games, options."""

import asyncio
import copy
import errno
import pickle
import random
import subprocess
import sys
import threading
import time

import pytest

import komainu as k

MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"
MATED = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"
# Black may declare: 28 points, ten pieces beside the king in the camp.
DECLARED = "+P+P+P+P+P+P+PKR/PPR6/B8/9/9/9/9/9/4k4 b B4G4S4N4L 1"

# An engine of a few lines: what it says to `go` is its last argument, lines parted by |.
FAKE = (
    "import sys, time\nfor line in sys.stdin:\n    word = line.split()[0] if line.split() else ''\n"
    "    if word == 'usi': print('id name Fake\\noption name MultiPV type spin default 1 min 1 max 9\\nusiok')\n"
    "    if word == 'isready': print('readyok')\n"
    "    if word == 'go': {}\n    if word == 'quit': break\n"
)


@pytest.fixture
def fake(script):
    """Starts an engine that says these lines to `go`."""

    def start(*lines, **settings):
        return k.UsiEngine(script(FAKE.format(f"print({chr(10).join(lines)!r})")), **settings)

    return start


def positions(count):
    """Boards of games of random moves, the same ones each time."""
    draw = random.Random(5)
    while count:
        board = k.Board()
        for _ in range(draw.randrange(80)):
            if board.is_game_over():
                break
            board.push(draw.choice(list(board.legal_moves)))
        if not board.is_game_over():
            count -= 1
            yield board, 50 + 5 * count


def test_a_search_decides_as_the_program_does_on_go(program):
    engine = k.Engine(hash_mb=4)
    asked = list(positions(200))
    lines = ["setoption name USI_Hash value 4", "usinewgame", "isready"]
    for board, nodes in asked:
        lines += [board.usi_position(), f"go nodes {nodes}"]
    running = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    said = []
    for line in lines:
        running.stdin.write(line + "\n")
        running.stdin.flush()
        while line.startswith("go"):
            answer = running.stdout.readline()
            assert answer
            if answer.startswith("bestmove "):
                said.append(answer.split()[1])
                break
    running.communicate("quit\n", timeout=60)
    found = [engine.search(board, nodes=nodes) for board, nodes in asked]
    assert [str(result.move) for result in found] == said
    assert all(len(result) == 1 and result[0].pv[0] == result.move for result in found)


def test_the_first_line_is_that_of_the_move_that_was_decided_on(fake):
    exact = "info depth 8 seldepth 12 time 250 nodes 900 nps 3600 hashfull 4 score cp 30 pv 7g7f 3c3d"
    bound = "info depth 9 score cp 60 lowerbound pv 2g2f 8c8d"
    with fake(exact, bound, "bestmove 2g2f ponder 8c8d") as engine:
        first, second = result = engine.search(k.Board(), nodes=10, multipv=2)
        assert (str(result.move), str(result.ponder), result.resigns, result.declares) == ("2g2f", "8c8d", False, False)
        assert (str(first.pv[0]), first.score_cp, first.bound, first.depth) == ("2g2f", 60, "lower", 9)
        assert (str(second.pv[0]), second.score_cp, second.bound, second.nodes) == ("7g7f", 30, None, 900)
        assert (second.seldepth, second.time, second.nps, second.hashfull, second.multipv) == (12, 0.25, 3600, 4, 2)
        only, = engine.search(k.Board(), nodes=10)
        assert only == first and first.nps is None
    with fake(exact, "bestmove 6g6f") as engine:
        line, = engine.search(k.Board(), nodes=10)
        assert ([str(move) for move in line.pv], line.score_cp, line.mate) == (["6g6f"], None, None)
    with fake("info depth 3 score cp 12", "bestmove 7g7f") as engine:
        line, = engine.search(k.Board(), nodes=10)
        assert ([str(move) for move in line.pv], line.score_cp) == (["7g7f"], 12)


def test_resignation_declaration_and_illegal_moves_are_told_apart(fake):
    for said, resigns, declares in [("bestmove resign", True, False), ("bestmove win", False, True)]:
        with fake(said) as engine:
            result = engine.search(k.Board(), nodes=10)
            assert result == [] and (result.move, result.resigns, result.declares) == (None, resigns, declares)
            decision = engine.play(k.Board(), nodes=10)
            assert (decision.move, decision.resigns, decision.declares, decision.line) == (None, resigns, declares, None)
    for move in ["7g7e", "(none)", "0000"]:
        with fake(f"bestmove {move}") as engine:
            for _ in range(2):
                with pytest.raises(k.EngineError, match="Fake.*illegal move"):
                    engine.search(k.Board(), nodes=10)


def test_a_mate_of_unknown_length_has_a_sign(fake):
    for said, mate, sign in [("+", None, 1), ("-", None, -1), ("7", 7, 1), ("-4", -4, -1)]:
        with fake(f"info depth 5 score mate {said} pv 7g7f", "bestmove 7g7f") as engine:
            line, = engine.search(k.Board(), nodes=10)
            assert (line.mate, line.mate_sign, line.score_cp) == (mate, sign, None)
            assert f"mate {said} " in repr(line)
    with fake("info depth 5 score cp 7 pv 7g7f", "bestmove 7g7f") as engine:
        assert engine.search(k.Board(), nodes=10)[0].mate_sign == 0


def test_every_end_of_an_engine_is_a_quit_with_time_to_write_what_was_learnt(script, tmp_path):
    learnt = tmp_path / "learnt"
    writes = f"time.sleep(0.3), open({str(learnt)!r}, 'a').write('x'), sys.exit()"
    command = script(FAKE.format("print('bestmove 7g7f')").replace("break", writes))
    with k.UsiEngine(command) as engine:
        engine.search(k.Board(), nodes=10)
    with pytest.raises(ZeroDivisionError), k.UsiEngine(command):
        1 / 0
    k.UsiEngine(command).close()
    engine = k.UsiEngine(command)
    del engine
    assert learnt.read_text() == "xxxx"


def test_silence_counts_in_a_search_as_it_is_said(script):
    silent = script(FAKE.format("time.sleep(60)"))
    with k.UsiEngine(silent, silence_s=1) as engine:
        began = time.monotonic()
        with pytest.raises(k.EngineError, match="bestmove.*silent for 1 s"):
            engine.search(k.Board(), nodes=10)
        assert time.monotonic() - began < 5
        # What it says later is not the answer to another question.
        with pytest.raises(k.EngineError, match="silent"):
            engine.search(k.Board(), nodes=10)
    with k.UsiEngine(silent, silence_s=1) as engine, pytest.raises(k.EngineError, match="silent for 3 s"):
        engine.play(k.Board(), k.Clock(byoyomi=2))


def test_the_engine_resigns_and_declares_as_it_does_over_usi(engine):
    mated = engine.search(k.Board(MATED), nodes=100)
    assert mated == [] and mated.resigns and mated.move is None
    board = k.Board(DECLARED)
    assert board.can_declare() and engine.search(board, nodes=100).declares and engine.play(board, nodes=100).declares
    assert engine.play(k.Board(MATED), nodes=10).resigns


def test_an_analysis_gives_its_lines_while_it_goes_on(engine):
    with engine.analysis(k.Board(), multipv=2) as analysis:
        for line in analysis:
            assert line.pv and line.depth >= 1 and line.time >= 0 and line.nps >= 0 and 0 <= line.hashfull <= 1000
            with pytest.raises(k.EngineError, match="analysis"):
                engine.search(k.Board(), nodes=10)
            if line.depth >= 4 and line.multipv == 2:
                break
        with pytest.raises(k.EngineError, match="analysis"):
            engine.options["SlowMover"] = 50
    result = analysis.result()
    assert len(result) == 2 and result[0].pv[0] == result.move
    assert engine.search(k.Board(), nodes=100).move


def test_an_analysis_ends_with_its_limit_and_with_its_object(engine):
    lines = list(engine.analysis(k.Board(), depth=5))
    assert lines[-1].depth == 5
    for line in engine.analysis(k.Board()):
        break
    # The analysis is gone, and its search with it.
    assert engine.search(k.Board(), nodes=100).move
    endless = engine.analysis(k.Board())
    threading.Timer(0.2, engine.stop).start()
    assert endless.result().move and list(endless)


def test_an_analysis_of_an_engine_that_fails_raises(script):
    dying = script(FAKE.format("print('info depth 1 score cp 5 pv 7g7f', flush=True), sys.exit('no memory')"))
    with k.UsiEngine(dying) as engine:
        analysis = engine.analysis(k.Board())
        assert next(analysis).score_cp == 5
        with pytest.raises(k.EngineError, match="no memory"):
            next(analysis)
        with pytest.raises(k.EngineError, match="no memory"):
            analysis.result()


def test_another_program_is_analysed_with_its_bounds(fake):
    infos = ["info depth 1 score cp 9 upperbound pv 7g7f 7g7f", "info time 5 nodes 1", "info string hello", "info depth 2 score cp 3"]
    with fake(*infos, "bestmove 7g7f") as engine:
        lines = list(engine.analysis(k.Board(), nodes=10))
    assert [(line.depth, line.bound, len(line.pv)) for line in lines] == [(1, "upper", 1), (2, None, 0)]


def test_a_search_ends_with_the_mate_that_is_wanted(engine):
    assert engine.search(k.Board(MATE_IN_ONE), mate=1)[0].mate == 1
    assert engine.search(k.Board(), mate=5, nodes=300)[0].mate is None


def test_only_the_moves_that_are_asked_for_are_searched(engine):
    found = engine.search(k.Board(), nodes=500, multipv=3, searchmoves=["9g9f", k.Move("1g1f")])
    assert {str(line.pv[0]) for line in found} == {"9g9f", "1g1f"}


def test_a_game_is_played_by_the_clock(engine):
    engine.clear()
    board = k.Board()
    clocks = [k.Clock(time=1, increment=0.05)] * 2
    while board.ply <= 6:
        began = time.monotonic()
        decision = engine.play(board, clock=clocks[board.turn])
        clocks[board.turn] = clocks[board.turn].after(time.monotonic() - began) or k.Clock()
        assert decision.move in board.legal_moves and decision.line.pv[0] == decision.move
        board.push(decision.move)
    assert clocks[0].time < 1.05
    with pytest.raises(TypeError, match="clock: 5"):
        engine.play(board, 5)
    began = time.monotonic()
    assert engine.play(board, k.Clock(byoyomi=0.3)).move and time.monotonic() - began < 5


def test_a_level_plays_as_the_program_does_and_searches_at_full_strength(program):
    with k.Engine(hash_mb=1, level="10kyu", options={"LevelSeed": 7}) as engine:
        assert engine.options["Level"] == "10kyu"
        moves = [engine.play(board).move for board, _ in positions(5)]
        searched = [engine.search(board, nodes=nodes).move for board, nodes in positions(3)]
    options = {"USI_Hash": 1, "Level": "10kyu", "LevelSeed": 7}
    with k.UsiEngine(program, options=options) as other:
        assert [other.play(board, nodes=10**9).move for board, _ in positions(5)] == moves
        with pytest.raises(ValueError, match="a clock"):
            other.play(k.Board())
    with k.Engine(hash_mb=1) as full:
        [full.play(board, depth=1) for board, _ in positions(5)]
        full.clear()
        assert [full.search(board, nodes=nodes).move for board, nodes in positions(1)]
    assert len(searched) == 3


def test_a_book_is_played_from_where_it_is_wanted(tmp_path):
    path = tmp_path / "own.db"
    path.write_text(f"#YANEURAOU-DB2016 1.00\nsfen {k.STARTPOS}\n9g9f 3c3d 40 20 5\n")
    with k.Engine(hash_mb=1, book=path) as engine:
        decision = engine.play(k.Board(), nodes=10)
        assert (str(decision.move), str(decision.ponder), decision.line.score_cp) == ("9g9f", "3c3d", 40)
        assert engine.search(k.Board(), nodes=10)[0].nodes > 0
    with k.Engine(hash_mb=1, book=True) as engine:
        began = time.monotonic()
        decision = engine.play(k.Board(), k.Clock(time=3600))
        assert decision.move in [entry.move for entry in k.Book().lookup(k.Board())] and time.monotonic() - began < 3
    for wrong in [lambda: k.Engine(book="none.db"), lambda: k.Engine(eval_file="none.bin")]:
        with pytest.raises(FileNotFoundError) as raised:
            wrong()
        assert raised.value.errno == errno.ENOENT and "none." in str(raised.value.filename)
    path.write_bytes(b"\x07nonsense")
    with pytest.raises(ValueError, match="own.db"):
        k.Engine(hash_mb=1, book=path)
    with pytest.raises(ValueError, match="own.db"):
        k.Engine(hash_mb=1, eval_file=path)


def test_options_are_a_mapping(engine, program):
    options = engine.options
    assert options["SlowMover"] == 100 and options["usi_hash"] == 8 and options["Rules"] == "custom"
    assert options["USI_OwnBook"] is False and "slowmover" in options and "NoSuch" not in options
    assert len(options) == len(list(options)) == len(dict(options)) > 30
    options["SlowMover"] = 80
    assert options["SlowMover"] == 80
    options["SlowMover"] = 100
    for name in ["NoSuch", ""]:
        with pytest.raises(KeyError, match="no option"):
            options[name]
        with pytest.raises(KeyError, match="no option"):
            options[name] = 1
    with pytest.raises(ValueError, match="EvalFile.*none.bin"):
        options["EvalFile"] = "none.bin"
    assert options["EvalFile"] == "<internal>" and engine.search(k.Board(), nodes=50)
    with k.UsiEngine(program, options={"USI_Hash": 1}) as other:
        other.options["SlowMover"] = 80
        assert (other.options["SlowMover"], other.options["USI_Hash"]) == (80, 1)


def test_results_are_copied_and_pickled(engine):
    result = engine.search(k.Board(), nodes=500, multipv=2)
    decision = engine.play(k.Board(), nodes=100)
    for thing in [result, result[0], decision, k.Clock(1, 2, 3)]:
        for other in [pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)]:
            assert other == thing and type(other) is type(thing) and repr(other) == repr(thing)
    again = pickle.loads(pickle.dumps(result))
    assert (again.move, again.ponder, again.resigns, again.lines) == (result.move, result.ponder, False, list(result))


def test_asyncio_plays_and_analyses_while_the_loop_goes_on(engine):
    async def run():
        ticks = []

        async def tick():
            while True:
                ticks.append(time.monotonic())
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        decision = await engine.aplay(k.Board(), movetime_ms=300)
        depths = []
        async for line in engine.aanalysis(k.Board()):
            depths.append(line.depth)
            if line.depth >= 4:
                break
        found = (await engine.aplay(k.Board(), nodes=100)).move
        # A loop that is left ends the search, whoever still holds what it read from.
        left = engine.aanalysis(k.Board())
        held = left._analysis
        del left
        assert (await engine.aplay(k.Board(), nodes=100)).move
        # Its search has a move, unless it was told to end before the engine had time for it.
        try:
            assert held.result().move
        except k.EngineError as error:
            assert str(error) == "interrupted"
        async with engine.aanalysis(k.Board()) as analysis:
            await analysis.__anext__()
        assert (await analysis.result()).move
        ticking.cancel()
        return decision, depths, found, ticks

    decision, depths, found, ticks = asyncio.run(run())
    assert decision.move and depths[-1] == 4 and found and len(ticks) > 10


def test_a_cancelled_task_stops_its_search(engine):
    async def run():
        for work in [lambda: engine.aplay(k.Board(), movetime_ms=600_000), lambda: last(engine.aanalysis(k.Board()))]:
            began = time.monotonic()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(work(), 0.3)
            assert time.monotonic() - began < 10
        assert (await engine.aplay(k.Board(), nodes=100)).move

    async def last(lines):
        async for line in lines:
            pass

    asyncio.run(run())


def test_looking_at_lines_costs_a_search_nothing(engine):
    nodes = 30_000
    engine.clear()
    alone = engine.search(k.Board(), nodes=nodes)
    engine.clear()
    with engine.analysis(k.Board(), nodes=nodes) as analysis:
        lines = list(analysis)
        assert analysis.result().move == alone.move and analysis.result()[0].pv == alone[0].pv
    assert [line.depth for line in lines] == sorted(line.depth for line in lines)
