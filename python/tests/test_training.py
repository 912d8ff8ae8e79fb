import subprocess

import pytest

import komainu as k

numpy = pytest.importorskip("numpy")


def psv(*boards):
    record = b"".join(
        board.pack() + (90).to_bytes(2, "little") + int(board.legal_moves[0]).to_bytes(2, "little")
        + board.ply.to_bytes(2, "little") + b"\xff\0"
        for board in boards
    )
    return record


def test_records_are_an_array_over_the_file(tmp_path):
    boards = [k.Board(), k.Board("startpos moves 7g7f")]
    path = tmp_path / "a.psv"
    path.write_bytes(psv(*boards))
    records = k.load_psv(path)
    assert isinstance(records, numpy.memmap) and records.dtype.itemsize == 40 and len(records) == 2
    assert records["score"].tolist() == [90, 90] and records["gamePly"].tolist() == [1, 2]
    assert records["game_result"].tolist() == [-1, -1]
    assert k.Move(int(records["move"][0])) == boards[0].legal_moves[0]
    assert k.Board.unpack(records["sfen"][0].tobytes()) == boards[0]
    squares, hands, turns = k.psv_arrays(records)
    assert (squares[1] == boards[1].to_array()).all() and turns.tolist() == [0, 1] and hands.shape == (2, 2, 7)
    for name in ["HalfKP", "KA2"]:
        own, other = k.psv_features(records[1:], name)
        assert [own[0].tolist(), other[0].tolist()] == [side.tolist() for side in boards[1].features(name)]


def test_damaged_records_are_named(tmp_path):
    path = tmp_path / "cut.psv"
    path.write_bytes(psv(k.Board())[:39])
    with pytest.raises(ValueError, match="cut.psv.*39"):
        k.load_psv(path)
    path.write_bytes(b"")
    assert len(k.load_psv(path)) == 0
    with pytest.raises(ValueError, match="record 1"):
        k.psv_arrays(psv(k.Board()) + b"\xff" * 40)
    with pytest.raises(ValueError, match="39"):
        k.psv_arrays(b"\0" * 39)
    with pytest.raises(ValueError, match="HalfXY"):
        k.psv_features(b"", "HalfXY")


def test_games_of_the_engine_are_read_with_their_scores(tmp_path, program):
    path = tmp_path / "a.games"
    made = subprocess.run(
        program + ["selfplay", "--games", "2", "--nodes", "50", "--out", str(path)], capture_output=True, timeout=300
    )
    assert made.returncode == 0, made.stderr
    games = k.load_games(path)
    assert len(games) == 2
    for record, scores in games:
        assert len(record) == len(scores) > 0 and scores.dtype == numpy.int16
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="a.games"):
        k.load_games(path)


# As cshogi 1.1.0 makes it: after 7g7f 3c3d the move 8h2b+ with 100 centipawns, white has won.
HCPE = bytes.fromhex("58a449210cd757217e8e8d222caf427814c2ab109e4d112cd75f213e8e49210c64000a630200")


def test_records_of_dlshogi_are_those_of_other_programs(tmp_path):
    board, path = k.Board("startpos moves 7g7f 3c3d"), tmp_path / "a.hcpe"
    path.write_bytes(HCPE * 2)
    records = k.load_hcpe(path)
    assert isinstance(records, numpy.memmap) and records.dtype.itemsize == 38 and len(records) == 2
    assert records["eval"].tolist() == [100, 100] and records["gameResult"].tolist() == [2, 2]
    packed = records["hcp"][0].tobytes()
    assert board.pack_hcp() == packed and k.Board.unpack_hcp(packed).sfen().split()[:3] == board.sfen().split()[:3]
    move = k.Move.from_apery(int(records["bestMove16"][0]))
    assert str(move) == "8h2b+" and move.apery_bits == records["bestMove16"][0]
    path.write_bytes(HCPE[:37])
    with pytest.raises(ValueError, match="a.hcpe.*37"):
        k.load_hcpe(path)
    for bad in (b"", b"\xff" * 32):
        with pytest.raises(ValueError):
            k.Board.unpack_hcp(bad)
    for bad in (0, 65_535, -1):
        with pytest.raises(ValueError, match=str(bad)):
            k.Move.from_apery(bad)
    with pytest.raises(ValueError, match="king"):
        k.Board("4k4/9/4P4/9/9/9/9/9/9 b G 1").pack_hcp()


def test_games_become_those_of_dlshogi_and_come_back(tmp_path, program):
    names = {kind: str(tmp_path / f"a.{kind}") for kind in ("games", "hcpe3", "hcpe", "psv")}
    steps = [["selfplay", "--games", "2", "--nodes", "50", "--out", names["games"]]]
    steps += [["data", "convert", names["games"], names[kind]] for kind in ("hcpe3", "hcpe", "psv")]
    for step in steps:
        made = subprocess.run(program + step, capture_output=True, timeout=300)
        assert made.returncode == 0, made.stderr
    own, theirs = k.load_games(names["games"]), k.load_games(names["hcpe3"])
    assert [record.moves for record, _ in own] == [record.moves for record, _ in theirs]
    assert all((first == second).all() for (_, first), (_, second) in zip(own, theirs))
    records, others = k.load_psv(names["psv"]), k.load_hcpe(names["hcpe"])
    assert len(records) == len(others) > 0
    for record, other in zip(records[:50], others[:50]):
        board = k.Board.unpack(record["sfen"].tobytes())
        assert board.pack_hcp() == other["hcp"].tobytes()
        assert k.Move(int(record["move"])) == k.Move.from_apery(int(other["bestMove16"]))
        winner = {1: board.turn + 1, 0: 0, -1: 2 - board.turn}[int(record["game_result"])]
        assert other["gameResult"] & 3 == winner
