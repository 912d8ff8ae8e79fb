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
