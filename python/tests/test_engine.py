import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import komainu as k

from conftest import HEED_CTRL_C

MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"


def usi(moves):
    return [str(move) for move in moves]


def test_a_search_gives_lines_best_first(engine):
    lines = engine.search(k.Board(), nodes=3_000, multipv=3)
    assert len(lines) == 3 and len({line.pv[0] for line in lines}) == 3
    for line in lines:
        board = k.Board()
        for move in line.pv:
            board.push(move)
        assert isinstance(line.score_cp, int) and line.mate is None and line.depth >= 1 and line.nodes >= 1
    assert lines[0].score_cp >= lines[1].score_cp >= lines[2].score_cp


def test_searches_are_reproducible(engine):
    def look():
        engine.clear()
        line, = engine.search(k.Board(), nodes=5_000)
        return line.score_cp, line.depth, line.nodes, usi(line.pv)

    assert look() == look()


def test_mates_are_scores_of_their_own(engine):
    line, = engine.search(k.Board(MATE_IN_ONE), depth=3)
    assert (usi(line.pv), line.mate, line.score_cp) == (["G*5b"], 1, None)
    assert engine.search(k.Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), nodes=100) == []


def test_the_limit_of_time_is_kept(engine):
    began = time.monotonic()
    assert engine.search(k.Board(), movetime_ms=200)
    assert 0.1 < time.monotonic() - began < 5


def test_another_thread_stops_a_search_while_python_goes_on(engine):
    ticks = []

    def stop():
        for _ in range(10):
            ticks.append(time.monotonic())
            time.sleep(0.02)
        engine.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    lines = engine.search(k.Board())
    thread.join()
    assert lines[0].pv and len(ticks) == 10


def test_ctrl_c_ends_a_search():
    body = f"import komainu as k, _thread, threading\n{HEED_CTRL_C}e = k.Engine(hash_mb=1)\n"
    body += "threading.Timer(0.5, _thread.interrupt_main).start()\n"
    body += "try:\n    e.search(k.Board())\nexcept KeyboardInterrupt:\n    print(e.search(k.Board(), nodes=100)[0].nodes > 0)\n"
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, timeout=60)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize(
    "wrong, word",
    [
        (lambda e: e.search(k.Board(), nodes=0), "nodes: 0"),
        (lambda e: e.search(k.Board(), nodes=-5), "nodes: -5"),
        (lambda e: e.search(k.Board(), nodes=1 << 70), "nodes: 1180591620717411303424"),
        (lambda e: e.search(k.Board(), depth=1_000_000), "depth: 1000000"),
        (lambda e: e.search(k.Board(), nodes=10, multipv=0), "multipv: 0"),
        (lambda e: e.search(k.Board(), movetime_ms=-1), "movetime_ms: -1"),
        (lambda e: k.Engine(hash_mb=0), "hash_mb: 0"),
        (lambda e: k.Engine(threads=100_000), "threads: 100000"),
        (lambda e: k.Engine(rules="chess"), "chess"),
        (lambda e: k.Engine(level="11kyu"), "11kyu"),
        (lambda e: e.search(k.Board(), searchmoves=["7g7f", "7g7e"]), "7g7e"),
        (lambda e: e.search(k.Board(), searchmoves=[]), "searchmoves"),
        (lambda e: e.search(k.Board(), nodes=10, mate=0), "mate: 0"),
        (lambda e: e.play(k.Board()), "a clock"),
        (lambda e: k.Clock(byoyomi=-1), "byoyomi: -1"),
        (lambda e: e.options.__setitem__("SlowMover", 0), 'SlowMover: "0"'),
        (lambda e: e.options.__setitem__("USI_Ponder", "maybe"), "maybe"),
        (lambda e: k.mate(k.Board(), nodes=0), "nodes: 0"),
        (lambda e: k.play_match(e, e, games=0), "games: 0"),
        (lambda e: k.play_match(e, e, openings=["startpos moves 7g7e"]), "7g7e"),
        (lambda e: k.play_match(e, e, openings=[]), "openings"),
    ],
)
def test_bad_values_are_named(engine, wrong, word):
    with pytest.raises(ValueError, match=word):
        wrong(engine)


def test_evaluations_are_those_of_the_side_to_move(engine):
    assert abs(engine.evaluate(k.Board())) < 200
    weaker = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {} - 1"
    assert engine.evaluate(k.Board(weaker.format("b"))) > 500 > -500 > engine.evaluate(k.Board(weaker.format("w")))


def test_mates_are_proved_disproved_or_left_open():
    assert usi(k.mate(k.Board(MATE_IN_ONE))) == ["G*5b"]
    assert k.mate(k.Board()) is None
    long = k.Board("+r2S5/4p2+B1/9/6+p+r1/3N1P1S1/2+l6/k1G6/1+p4pG1/1BS3PN1 b G3LPgs2n11p 1")
    with pytest.raises(k.Undecided, match="nodes"):
        k.mate(long, nodes=1)


def test_a_game_is_analysed(engine):
    record = k.Record(k.Board("startpos moves 7g7f 3c3d 8h2b+ 8c8d"))
    judged = engine.analyse(record, nodes=500)
    assert usi(one.move for one in judged) == ["7g7f", "3c3d", "8h2b+", "8c8d"]
    last = judged[3]
    assert (last.ply, last.text, last.label) == (4, "△８四歩", "Blunder") and last.loss > 0.2 and last.best_line
    assert last.best_score_cp > last.score_cp


def test_an_engine_in_another_program_gives_the_same_lines(program):
    with k.UsiEngine(program, options={"USI_Hash": 8, "USI_Ponder": False}) as other:
        assert other.name.startswith("Komainu")
        lines = other.search(k.Board(), nodes=2_000, multipv=2)
        assert len(lines) == 2 and lines[0].score_cp >= lines[1].score_cp
        assert other.search(k.Board(MATE_IN_ONE), depth=3)[0].mate == 1
        timer = threading.Timer(0.3, other.stop)
        timer.start()
        assert other.search(k.Board())[0].pv
        timer.join()
        assert other.search(k.Board(), nodes=100)
    with pytest.raises(k.EngineError, match="closed"):
        other.search(k.Board(), nodes=100)


def test_engines_that_fail_tell_their_last_words(script, program):
    dying = script(
        "import sys\nprint('usiok') if input() == 'usi' else None\n"
        "for line in sys.stdin:\n    line = line.strip()\n"
        "    if line == 'isready': print('readyok')\n"
        "    if line.startswith('go'): print('the net is gone', file=sys.stderr); sys.exit(3)\n"
    )
    with k.UsiEngine(dying) as engine:
        with pytest.raises(k.EngineError, match="the net is gone"):
            engine.search(k.Board(), nodes=10)
        with pytest.raises(k.EngineError):
            engine.search(k.Board(), nodes=10)
    silent = script("import time\ntime.sleep(30)\n")
    with pytest.raises(k.EngineError, match="usiok"):
        k.UsiEngine(silent, silence_s=1)
    for command in ["/none/such", "'unfinished", [], ""]:
        with pytest.raises(k.EngineError):
            k.UsiEngine(command)
    with pytest.raises(k.EngineError, match="NoSuch"):
        k.UsiEngine(program, options={"NoSuch": 1})
    with pytest.raises(k.EngineError, match="USI_Hash"):
        k.UsiEngine(program, options={"USI_Hash": "much"})


def test_a_match_plays_each_opening_twice(engine, program):
    openings = ["startpos moves 2g2f 8c8d", k.Board("startpos moves 7g7f")]
    with k.UsiEngine(program, options={"USI_Hash": 8}) as other:
        result = k.play_match(engine, other, games=4, nodes=50, openings=openings, max_plies=40)
    assert result.wins + result.draws + result.losses == 4 and 0 <= result.score <= 1
    starts = [usi(record.moves[:2]) for record in result.records]
    assert starts[0] == starts[1] == ["2g2f", "8c8d"] and starts[2][0] == starts[3][0] == "7g7f"
    assert all(record.ending for record in result.records)
    openings, orders = ["startpos moves 2g2f", k.Board("startpos moves 7g7f"), "startpos moves 9g9f"], set()
    for seed in range(5):
        shuffled = k.play_match(engine, engine, games=6, nodes=1, max_plies=1, openings=openings, shuffle=seed)
        orders.add(tuple(usi(record.moves)[0] for record in shuffled.records[::2]))
    assert len(orders) > 1 and all(sorted(order) == ["2g2f", "7g7f", "9g9f"] for order in orders)
    alone = k.play_match(engine, engine, nodes=20, max_plies=12)
    assert len(alone.records) == 2 and alone.records[0].moves == alone.records[1].moves


def test_an_engine_that_dies_ends_a_match_with_an_error(engine, script):
    dying = script(
        "import sys\nprint('usiok')\nfor line in sys.stdin:\n    line = line.strip()\n"
        "    if line == 'isready': print('readyok')\n    if line.startswith('go'): sys.exit('out of memory')\n"
    )
    with k.UsiEngine(dying) as other, pytest.raises(k.EngineError, match="out of memory"):
        k.play_match(other, engine, games=2, nodes=10)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_process_makes_an_engine_of_its_own(engine):
    global INHERITED
    INHERITED = engine
    engine.search(k.Board(), nodes=100)
    k.Board().perft(4)
    context = multiprocessing.get_context("fork")
    with context.Pool(1) as pool:
        assert pool.apply_async(in_child, (os.getpid(),)).get(60) == (True, 719_731, True)


def in_child(parent):
    try:
        INHERITED.search(k.Board(), nodes=10)
        refused = False
    except RuntimeError as error:
        refused = "fork" in str(error)
    own = k.Engine(hash_mb=1).search(k.Board(), nodes=100)
    return refused, k.Board().perft(4), bool(own) and os.getpid() != parent


def test_the_book_knows_the_start():
    book = k.Book()
    moves = book.lookup(k.Board())
    assert moves and all(entry.move in k.Board().legal_moves for entry in moves)
    assert book.lookup(k.Board("4k4/9/9/9/9/9/9/9/4K4 b - 1")) == []


def test_books_that_are_none_are_named(tmp_path):
    path = tmp_path / "bad.db"
    path.write_bytes(b"\x07nonsense")
    with pytest.raises(ValueError, match="bad.db"):
        k.Book(path)
    path.write_text(f"#YANEURAOU-DB2016 1.00\nsfen {k.STARTPOS}\n7g7f 3c3d 40 20 5\n")
    entry, = k.Book(path).lookup(k.Board())
    assert (str(entry.move), str(entry.reply), entry.value, entry.depth, entry.count) == ("7g7f", "3c3d", 40, 20, 5)


def test_the_command_is_the_engine(program, tmp_path):
    done = subprocess.run(program, input="usi\nisready\nquit\n", capture_output=True, text=True, timeout=120)
    assert "usiok" in done.stdout.split() and "readyok" in done.stdout.split() and done.returncode == 0
    perft = subprocess.run(program + ["perft", "3"], capture_output=True, text=True, timeout=120)
    assert perft.stdout.splitlines()[-1].startswith("nodes 25470 ")
    wrong = subprocess.run(program + ["perft", "x"], capture_output=True, text=True, timeout=120)
    assert wrong.returncode == 2 and "x" in wrong.stderr
    game = tmp_path / "game.usi"
    game.write_text("startpos moves 7g7f\n")
    shown = subprocess.run(program + ["show", str(game), "--svg"], capture_output=True, timeout=120)
    assert shown.stdout.decode().startswith("<svg ") and shown.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_ctrl_c_ends_the_command(program):
    running = subprocess.Popen(program + ["perft", "20"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.0)
    running.send_signal(signal.SIGINT)
    assert running.wait(20) != 0


def test_the_command_of_the_wheel_is_an_engine(tmp_path):
    command = shutil.which("komainu")
    if command is None:
        pytest.skip("the package is not installed as a wheel")
    lines = "usi\nisready\nposition startpos\ngo nodes 100\nquit\n"
    done = subprocess.run([command], input=lines, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    said = done.stdout.splitlines()
    assert done.returncode == 0 and "usiok" in said and "readyok" in said, done.stderr
    assert any(line.startswith("bestmove ") for line in said)
    refused = subprocess.run([command, "perft", "x"], capture_output=True, text=True, timeout=300)
    assert refused.returncode == 2 and "'x'" in refused.stderr
