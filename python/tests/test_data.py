import collections
import copy
import errno
import os
import pickle
import threading

import pytest

import komainu as k

numpy = pytest.importorskip("numpy")

KIF = "手合割：平手\n先手：{}\n後手：狛犬\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n"
MATE_IN_ONE = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
MATE_IN_THREE = "5p3/5k3/6R2/3n2R2/9/9/9/9/9 b G2S2NP2b3g2sn4l16p 1"
NO_MATE = "4k4/9/9/9/9/9/9/9/9 b G 1"


@pytest.fixture
def folder(tmp_path):
    for number in range(150):
        (tmp_path / f"{number:03}.kif").write_bytes(KIF.format(f"駒犬{number}").encode("cp932"))
    return tmp_path


def test_records_are_read_one_by_one_in_their_order_whatever_the_threads(folder):
    names = [f"駒犬{number}" for number in range(150)]
    for jobs in [1, 2, 7]:
        records = k.iter_records(folder, jobs=jobs)
        assert iter(records) is records and next(records).black == names[0]
        assert [record.black for record in records] == names[1:]
    assert [record.black for record in k.read_records(folder, 3)] == names
    next(k.iter_records(folder, jobs=2))  # the rest is not read
    (folder / "000.kif").write_text("手合割：謎\n")
    with pytest.warns(UserWarning, match="000.kif"):
        assert next(k.iter_records(folder)).black == names[1]
    with pytest.raises(ValueError, match="000.kif"):
        next(k.iter_records(folder, strict=True))
    with pytest.raises(ValueError, match="jobs"):
        k.iter_records(folder, jobs=0)


def test_a_file_that_cannot_be_read_does_not_end_the_others(folder):
    records = k.iter_records(folder)
    os.remove(folder / "149.kif")
    faults = seen = 0
    while True:
        try:
            next(records)
            seen += 1
        except StopIteration:
            break
        except FileNotFoundError as error:
            assert error.filename == str(folder / "149.kif")
            faults += 1
    assert seen + faults == 150


def test_games_become_a_table(folder):
    table = k.games_table(folder, jobs=2)
    assert table.shape == (150,) and table["black"][7] == "駒犬7" and set(table["plies"]) == {2}
    assert set(table["result"]) == {"white"}
    assert table["path"][149] == str(folder / "149.kif")
    moves = "7g7f 8c8d 6g6f 8d8e 8h7g 3c3d 2h6h 1c1d 5i4h 1d1e 4h3h 5a4b 3h2h 4b3b 3i3h"
    (folder / "0.usi").write_text(f"startpos moves {moves}\n")
    row = k.games_table(folder / "0.usi")[0]
    assert row["opening"].startswith("四間飛車") and row["black_castle"] and row["plies"] == 15 and row["result"] == ""


def test_the_board_tells_attackers_checkers_pins_and_pieces():
    board = k.Board("4k4/9/9/4r4/9/9/4G4/9/4K4 b P 1")
    assert board.attackers(k.WHITE, "5g") == ["5d"] and board.attackers(k.BLACK, "5g") == []
    assert board.pinned() == ["5g"] and board.checkers() == [] and board.pieces("G") == ["5g"] and board.pieces("+r") == []
    bit = lambda file, rank: 1 << (9 * (file - 1) + rank - 1)
    assert board.pinned_mask() == bit(5, 7) == board.pieces_mask("G") and board.attackers_mask(1, "5g") == bit(5, 4)
    assert board.occupied_mask() == board.occupied_mask(0) | board.occupied_mask(1) == bit(5, 1) | bit(5, 4) | bit(5, 7) | bit(5, 9)
    checked = k.Board("4k4/9/9/4r4/9/9/9/9/4K4 b P 1")
    assert checked.checkers() == ["5d"] and checked.checkers_mask() == bit(5, 4)
    for wrong, word in [(lambda: board.pieces("X"), "X"), (lambda: board.attackers(2, "5g"), "2"), (lambda: board.attackers(0, "0a"), "0a")]:
        with pytest.raises(ValueError, match=word):
            wrong()


def test_positions_are_mirrored_rotated_and_made_from_arrays():
    board = k.Board("startpos moves 7g7f 3c3d 8h2b+")
    assert board.rotate().rotate().sfen() == board.sfen() and board.mirror().piece_at("8b") == "+B"
    assert board.rotate().turn != board.turn and board.mirror().move_stack == []
    again = k.Board.from_array(board.to_array(), board.hands_array(), board.turn, board.ply)
    assert again == board and k.Board.from_array(list(board.to_array())).turn == k.BLACK
    for wrong in [numpy.zeros(80, "u1"), numpy.full(81, 15, "u1"), numpy.full(81, 1, "u1"), ["x"] * 81]:
        with pytest.raises((ValueError, TypeError)):
            k.Board.from_array(wrong)


def test_a_pass_is_made_and_taken_back():
    board = k.Board("startpos moves 7g7f")
    board.push_pass()
    assert board.turn == k.BLACK and k.Board(board.usi_position()) == board
    with pytest.raises(IndexError, match="pass"):
        board.pop()
    board.push_usi("2g2f")
    with pytest.raises(IndexError, match="pass"):
        board.pop_pass()
    board.pop()
    board.pop_pass()
    assert board.usi_position() == "position startpos moves 7g7f"
    with pytest.raises(ValueError, match="check"):
        k.Board("4k4/9/9/4r4/9/9/9/9/4K4 b P 1").push_pass()


def test_a_kept_solver_tells_line_length_cooks_and_proof():
    solver = k.MateSolver(hash_mb=8)
    three = solver.solve(k.Board(MATE_IN_THREE))
    assert (three.verdict, three.length, three.exact, len(three.line)) == ("mate", 3, True, 3)
    assert three.proof.startswith("komainu proof 1\n") and isinstance(three.left_over, dict)
    one = k.solve(k.Board(MATE_IN_ONE))
    assert (one.verdict, [str(move) for move in one.line], one.cooks) == ("mate", ["G*5b"], [])
    two_ways = k.solve(k.Board("4k4/9/3PPP3/9/9/9/9/9/9 b G 1"))
    assert two_ways.verdict == "mate" and two_ways.cooks is not None
    assert solver.solve(k.Board(MATE_IN_THREE), cooks=False).cooks is None
    none = solver.solve(k.Board(NO_MATE))
    assert (none.verdict, none.line, none.length, none.proof, none.reason) == ("nomate", [], None, None, None)
    assert [str(move) for move in solver.mate(k.Board(MATE_IN_ONE))] == ["G*5b"] and solver.mate(k.Board(NO_MATE)) is None
    assert str(k.Board(MATE_IN_ONE).mate_in_one()) == "G*5b" and k.Board().mate_in_one() is None


# A mate in 29: no solver is through with it in a moment.
LONG = "2k1s1B2/S3+P4/2p1R2p1/2gprpp2/Lb1S5/2N3P2/2PPP4/9/L8 b L3gs3nl8p 1"


def test_a_solver_is_stopped_and_reports_its_progress():
    solver, told = k.MateSolver(8), []
    hard = k.Board(LONG)
    threading.Timer(0.4, solver.stop).start()
    stopped = solver.solve(hard, time_ms=60_000, progress=lambda *what: told.append(what))
    if stopped.verdict == "unknown":
        assert stopped.reason == "it was stopped" and told and told[0][0] > 0 and told[0][1] > 0
    limited = solver.solve(hard, nodes=10)
    assert limited.verdict == "mate" or limited.reason == "the number of nodes was reached"

    def fail(*_):
        raise KeyError("mine")

    if stopped.verdict == "unknown":
        with pytest.raises(KeyError, match="mine"):
            solver.solve(hard, time_ms=60_000, progress=fail)
    with pytest.raises(ValueError, match="nodes"):
        solver.solve(hard, nodes=0)


def test_many_problems_become_an_array():
    boards = [k.Board(MATE_IN_ONE), MATE_IN_THREE, NO_MATE] * 5
    for threads in [0, 1, 3]:
        rows = k.solve_many(boards, threads)
        assert rows["verdict"].tolist() == [1, 1, -1] * 5 and rows["length"].tolist() == [1, 3, 0] * 5
        assert str(k.Move(rows["move"][0])) == "G*5b" and rows["exact"].tolist() == [True, True, False] * 5
    assert len(k.solve_many([])) == 0
    with pytest.raises(ValueError, match="board 1: .*x"):
        k.solve_many([MATE_IN_ONE, "x"])


def test_books_are_read_written_and_made(tmp_path, folder):
    made = k.make_book(tmp_path / "made.db", k.iter_records(folder), min_count=2)
    (first,) = made.lookup(k.Board())
    assert (str(first.move), str(first.reply), first.count) == ("7g7f", "3c3d", 150)
    entries = list(made)
    assert sorted((board.ply, [str(move.move) for move in moves]) for board, moves in entries) == [(1, ["7g7f"]), (2, ["3c3d"])]
    assert made.write(tmp_path / "a.ybb") == 2 and len(list(k.Book(tmp_path / "a.ybb"))) == 2
    better = [(board, [k.BookMove(move.move, value=10, depth=5)]) for board, moves in entries for move in moves]
    assert k.write_book(tmp_path / "b.db", better) == 2 and k.Book(tmp_path / "b.db").lookup(k.Board())[0].value == 10
    count = sum(1 for _ in k.Book())
    assert count > 1_000 and k.Book().write(tmp_path / "own.ybb") == count
    next(iter(k.Book()))  # the rest is not read
    for wrong in [lambda: made.write(tmp_path / "a.txt"), lambda: k.write_book(tmp_path / "a", []), lambda: k.make_book(tmp_path / "c.db", [])]:
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(ValueError, match="7g7e"):
        k.write_book(tmp_path / "c.db", [(k.Board(), [k.BookMove("7g7e")])])
    assert not (tmp_path / "c.db").exists()


def test_errors_of_the_system_are_those_of_python(tmp_path):
    record = k.Record()
    (tmp_path / "folder").mkdir()
    for wrong, kind, code, path in [
        (lambda p: k.Record.read(p), FileNotFoundError, errno.ENOENT, tmp_path / "none.kif"),
        (lambda p: k.read_records(p), FileNotFoundError, errno.ENOENT, tmp_path / "none"),
        (lambda p: record.write(p, "kif"), FileNotFoundError, errno.ENOENT, tmp_path / "none" / "a.kif"),
        (lambda p: record.write(p, "kif"), IsADirectoryError, errno.EISDIR, tmp_path / "folder"),
        (lambda p: k.Record.read(p), IsADirectoryError, errno.EISDIR, tmp_path / "folder"),
        (lambda p: k.Book(p), FileNotFoundError, errno.ENOENT, tmp_path / "none.db"),
        (lambda p: k.Book(p), IsADirectoryError, errno.EISDIR, tmp_path / "folder"),
        (lambda p: k.Book().write(p), FileNotFoundError, errno.ENOENT, tmp_path / "none" / "a.db"),
        (lambda p: k.load_psv(p), FileNotFoundError, errno.ENOENT, tmp_path / "none.psv"),
        (lambda p: k.load_psv(p), IsADirectoryError, errno.EISDIR, tmp_path / "folder"),
        (lambda p: k.load_games(p), FileNotFoundError, errno.ENOENT, tmp_path / "none.games"),
        (lambda p: k.Engine(hash_mb=1, eval_file=p), FileNotFoundError, errno.ENOENT, tmp_path / "none.nnue"),
    ]:
        with pytest.raises(kind) as raised:
            wrong(path)
        assert (raised.value.errno, raised.value.filename) == (code, str(path)) and raised.value.strerror, path


def test_numbers_and_buffers_of_numpy_serve():
    board, move = k.Board(), k.Move("7g7f")
    for number in [numpy.uint16(int(move)), numpy.int64(int(move))]:
        assert k.Move(number) == move and number in board.legal_moves and board.is_legal(number)
    assert board.piece_at(numpy.int32(0)) == "l" and board.perft(numpy.int8(2)) == 900
    packed = board.pack()
    for buffer in [packed, bytearray(packed), memoryview(packed), numpy.frombuffer(packed, "u1")]:
        assert k.Board.unpack(buffer) == board
        assert k.psv_arrays(bytes(buffer) + b"\0" * 8)[0].shape == (1, 81)
    assert k.psv_arrays(numpy.frombuffer(packed + b"\0" * 8, "u1"))[2].tolist() == [0]
    assert len(k.Record.parse(bytearray(b"startpos moves 7g7f"))) == 1
    for wrong in ["text", 5, None]:
        with pytest.raises(TypeError):
            k.Board.unpack(wrong)


HCPE = bytes.fromhex("58a449210cd757217e8e8d222caf427814c2ab109e4d112cd75f213e8e49210c64000a630200")


def test_records_of_dlshogi_become_arrays_planes_and_labels(tmp_path):
    board = k.Board("startpos moves 7g7f 3c3d")
    path = tmp_path / "a.hcpe"
    path.write_bytes(HCPE * 3)
    records = k.load_hcpe(path)
    squares, hands, turns = k.hcpe_arrays(records)
    assert (squares[1] == board.to_array()).all() and hands.shape == (3, 2, 7) and turns.tolist() == [0, 0, 0]
    assert k.hcpe_features(records, "HalfKP")[0][2].tolist() == board.features("HalfKP")[0].tolist()
    planes, held = k.dlshogi_planes(records[::2])
    assert planes.shape == (2, 62, 9, 9) and held.shape == (2, 57, 9, 9) and planes.dtype == numpy.float32
    own = board.dlshogi_planes()
    assert (planes[1] == own[0]).all() and (held[1] == own[1]).all() and set(numpy.unique(planes)) == {0, 1}
    labels = k.dlshogi_labels(records)
    assert labels.tolist() == [board.dlshogi_label("8h2b+")] * 3 and labels.dtype == numpy.int64
    # The sums of each plane as cshogi fills them.
    assert planes[0].sum(axis=(1, 2)).astype(int).tolist() == PLANE_SUMS
    with pytest.raises(TypeError, match="load_hcpe"):
        k.dlshogi_planes(HCPE)
    with pytest.raises(ValueError, match="7g7e"):
        board.dlshogi_label("7g7e")
    cut = numpy.frombuffer(HCPE, records.dtype).copy()
    cut["bestMove16"] = 0
    with pytest.raises(ValueError, match="record 0"):
        k.dlshogi_labels(cut)


PLANE_SUMS = [9, 2, 2, 2, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 9, 4, 4, 6, 9, 9, 8, 5, 0, 0, 0, 0, 0, 0, 34, 13, 6, 9, 2, 2, 2, 1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 9, 4, 4, 6, 9, 9, 8, 5, 0, 0, 0, 0, 0, 0, 34, 13, 6]


def test_plain_results_are_pickled():
    record = k.Record.parse(KIF.format("駒犬"))
    record.node(1).add("8c8d").comment = "other"
    nodes = record.nodes() + [record.root]
    again = pickle.loads(pickle.dumps(nodes))
    assert [str(node.move) for node in again] == [str(node.move) for node in nodes]
    assert again[-2].comment == nodes[-2].comment and again[0].next == again[1]
    record.node(2).remove()
    with pytest.raises(ValueError, match="removed"):
        pickle.dumps(nodes[1])
    moves = k.Board().legal_moves
    assert pickle.loads(pickle.dumps(moves)) == moves
    entry = k.BookMove("7g7f", value=-3, depth=2, count=9, reply="3c3d", comment="x")
    assert pickle.loads(pickle.dumps(entry)) == entry and entry != k.BookMove("7g7f")
    bad = k.Record.parse(KIF.format("A").replace("３四歩(33)", "３五歩(33)"), strict=False)
    assert pickle.loads(pickle.dumps(bad)).fault == bad.fault


def test_every_object_is_pickled_or_says_that_it_is_not(engine, program, folder):
    board, record = k.Board(MATE_IN_ONE), k.Record.parse("startpos moves 7g7f 3c3d")
    found = engine.search(k.Board(), nodes=100)
    plain = [board, board.legal_moves, k.Move("7g7f"), record, record.node(1), found, found[0], k.Clock(1, 2, 3)]
    plain += [engine.play(k.Board(), nodes=100), k.BookMove("7g7f"), k.EngineError("silent"), k.Undecided("nodes")]
    plain += [engine.analyse(record, nodes=50)[0], k.play_match(engine, engine, nodes=10, max_plies=4)]
    plain += [k.solve(board), k.solve(k.Board(NO_MATE)), k.MateSolver(1).solve(k.Board(LONG), nodes=1)]
    for thing in plain:
        for twin in [pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)]:
            assert type(twin) is type(thing) and repr(twin) == repr(thing)
            if isinstance(thing, k.Solution):
                assert twin == thing and twin.proof == thing.proof
            elif not isinstance(thing, (k.Node, Exception)):
                assert twin == thing
    with k.UsiEngine(program, options={"USI_Hash": 1}) as other, k.Engine(hash_mb=1) as own:
        held = [own, other, own.options, k.Book(), k.MateSolver(1), own.analysis(k.Board(), nodes=10)]
        held += [other.aanalysis(k.Board(), nodes=10), k.iter_records(folder), iter(k.Book())]
        for thing in held:
            with pytest.raises(TypeError, match="cannot pickle"):
                pickle.dumps(thing)
    classes = {thing for thing in vars(k).values() if isinstance(thing, type) and thing.__module__.startswith("komainu")}
    assert classes <= {type(thing) for thing in plain + held}


def test_headers_are_written_one_by_one(tmp_path):
    record = k.Record.parse(KIF.format("駒犬"))
    record.header["棋戦"] = "竜王戦"
    record.header["先手"] = "甲"
    record.header["備考"] = "良い"
    assert record.black == "甲" and "棋戦：竜王戦" in record.to_string("kif") and record.header["備考"] == "良い"
    del record.header["備考"]
    assert dict(record.header) == {"先手": "甲", "後手": "狛犬", "棋戦": "竜王戦"} == record.header and len(record.header) == 3
    record.header.update({"場所": "東京"})
    record.header = record.header
    for key, value in [("手合割", "香落ち"), ("", "x"), ("a:b", "x"), ("備考", "a\nb"), ("変化", "3手")]:
        before = dict(record.header)
        with pytest.raises(ValueError):
            record.header[key] = value
        assert record.header == before
    with pytest.raises(KeyError):
        record.header["none"]
    with pytest.raises(TypeError):
        record.header["備考"] = 5
    assert k.Record.parse(record.to_string("kif")).header == record.header


def test_what_python_people_expect():
    moves, move = k.Board().legal_moves, k.Move("7g7f")
    assert None not in moves and 1.5 not in moves and object() not in moves and move in moves
    assert moves[:3] == list(moves)[:3] and moves[::-1] == list(moves)[::-1] and moves[-1:] == [list(moves)[-1]]
    assert f"{move:>8}" == "    7g7f" and f"{move}" == "7g7f" and "{:5}|".format(move) == "7g7f |"
    with pytest.raises(IndexError, match="the game has 1 move$"):
        k.Record.parse("startpos moves 7g7f").board(2)
    start = k.Board().sfen().rsplit(" ", 1)[0]
    for counter in ["0", "99999999999", "1000001"]:
        with pytest.raises(ValueError, match=counter):
            k.Board(f"{start} {counter}")
    assert k.Board(f"{start} 1000000").ply == 1_000_000
    counts = collections.Counter(k.Board().sfen() for _ in range(3))
    assert list(counts.values()) == [3]
