import copy
import pickle

import pytest

import komainu as k

KIF = """手合割：平手
先手：駒犬
後手：狛犬
棋戦：試験
*始め
   1 ７六歩(77)   ( 0:05/00:00:05)
*角道
   2 ３四歩(33)   ( 0:03/00:00:03)
   3 ２六歩(27)   ( 0:01/00:00:06)
   4 投了
まで3手で先手の勝ち

変化：3手
   3 ６六歩(67)   ( 0:00/00:00:00)
*囲い

変化：2手
   2 ８四歩(83)   ( 0:00/00:00:00)
"""


def usi(moves):
    return [str(move) for move in moves]


@pytest.fixture
def record():
    return k.Record.parse(KIF)


def test_a_record_tells_headers_moves_times_comments_and_its_end(record):
    assert usi(record.moves) == ["7g7f", "3c3d", "2g2f"] and len(record) == 3
    assert record.times == [5.0, 3.0, 1.0] and record.comments == ["始め", "角道", "", ""]
    assert record.header == {"先手": "駒犬", "後手": "狛犬", "棋戦": "試験"} and (record.black, record.white) == ("駒犬", "狛犬")
    assert (record.result, record.ending, record.fault) == ("black", "resignation", None)
    assert record.board().sfen() == record.board(3).sfen() and record.board(0) == k.Board()
    assert usi(record.board(2).move_stack) == ["7g7f", "3c3d"]
    with pytest.raises(IndexError):
        record.board(4)
    with pytest.raises(ValueError, match="-1"):
        record.board(-1)


def test_a_tree_is_walked_and_edited(record):
    second = record.node(2)
    assert usi(node.move for node in record.nodes()) == ["7g7f", "3c3d", "2g2f", "6g6f", "8c8d"]
    assert usi(node.move for node in second.siblings) == ["3c3d", "8c8d"]
    assert usi(node.move for node in second.children) == ["2g2f", "6g6f"] and second.children[1].comment == "囲い"
    assert second.next == record.node(3) and record.node(3).next is None and record.root.parent is None
    added = second.add("9g9f")
    added.comment, added.time = "端歩\n早い", 2.5
    assert second.add("9g9f") == added and usi(added.line) == ["7g7f", "3c3d", "9g9f"] and added.board().ply == 4
    added.promote()
    assert usi(record.moves) == ["7g7f", "3c3d", "9g9f"] and record.times[2] == 2.5 and record.ending is None
    added.remove()
    assert usi(record.moves) == ["7g7f", "3c3d", "2g2f"] and record.result == "black"
    with pytest.raises(ValueError, match="9g9e"):
        second.add("9g9e")
    for wrong in [-1.0, float("nan"), float("inf")]:
        with pytest.raises(ValueError):
            second.time = wrong


def test_a_node_that_was_removed_says_so(record):
    node, below = record.node(2), record.node(3)
    node.remove()
    for gone in [node, below]:
        for name in ["move", "ply", "parent", "next", "children", "siblings", "line", "comment", "time", "ending"]:
            with pytest.raises(ValueError, match="removed"):
                getattr(gone, name)
        for call in [gone.board, gone.promote, gone.remove, lambda: gone.add("9g9f")]:
            with pytest.raises(ValueError, match="removed"):
                call()
        with pytest.raises(ValueError, match="removed"):
            gone.comment = "x"
        assert repr(gone) == "<Node removed>" and gone == gone
    with pytest.raises(ValueError, match="start"):
        record.root.time = 1.0


@pytest.mark.parametrize("format", ["kif", "ki2", "csa", "jkf", "usi"])
def test_every_format_is_written_and_read_again(record, format, tmp_path):
    text = record.to_string(format)
    again = k.Record.parse(text)
    assert again.moves == record.moves
    lost = record.losses(format)
    assert ("variations" in lost) == (len(again.nodes()) == 3) and ("comments" in lost) == (again.comments[0] != "始め")
    path = tmp_path / f"game.{format}"
    record.write(path)
    assert k.Record.read(path).to_string(format) == text
    record.write(path, encoding="cp932")
    assert path.read_bytes().decode("cp932") == text and k.Record.read(str(path)).to_string(format) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "euc-jp", "iso-2022-jp", "utf-16"])
def test_every_encoding_is_read(record, encoding):
    assert k.Record.parse(KIF.encode(encoding)) == record


def test_records_are_copied_and_pickled(record):
    for twin in [copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))]:
        assert twin == record
        twin.root.add("9g9f")
        assert twin != record


def test_a_record_is_made_from_a_board():
    board = k.Board("startpos moves 7g7f 3c3d")
    record = k.Record(board)
    record.header = {"先手": "A", "後手": "B", "備考": "x"}
    assert k.Record.parse(record.to_string("kif")).header == {"先手": "A", "後手": "B", "備考": "x"}
    assert record.board() == board and k.Record().moves == []


def test_a_fault_names_the_line_and_the_word_and_may_be_passed_over(tmp_path):
    bad = KIF.replace("３四歩(33)", "３五歩(33)")
    with pytest.raises(ValueError, match="line 8.*move 2"):
        k.Record.parse(bad)
    record = k.Record.parse(bad, strict=False)
    assert usi(record.moves) == ["7g7f"] and "move 2" in record.fault
    path = tmp_path / "bad.kif"
    path.write_text(bad)
    with pytest.raises(ValueError, match="bad.kif.*line 8"):
        k.Record.read(path)
    for text in ["", "nonsense", "\0\0\0", b"\xff\xfe\xff", "{", "sfen x", "a" * 1_000_000]:
        with pytest.raises(ValueError):
            k.Record.parse(text)


def test_files_that_are_not_there_are_os_errors(tmp_path, record):
    for wrong in [
        lambda: k.Record.read(tmp_path / "none.kif"),
        lambda: k.read_records(tmp_path / "none"),
        lambda: record.write(tmp_path / "none" / "a.kif"),
        lambda: k.Book(tmp_path / "none.db"),
        lambda: k.load_psv(tmp_path / "none.psv"),
    ]:
        with pytest.raises(FileNotFoundError, match="none"):
            wrong()
    for wrong, word in [(("a.pgn",), "pgn"), (("a.kif", "pgn"), "pgn"), (("a",), '"" is none of')]:
        with pytest.raises(ValueError, match=word):
            record.write(tmp_path / wrong[0], *wrong[1:])
    with pytest.raises(ValueError, match="latin"):
        record.write(tmp_path / "a.kif", encoding="latin1")
    record.root.comment = "🐕"
    with pytest.raises(ValueError, match="🐕"):
        record.write(tmp_path / "a.kif", encoding="cp932")
    assert not (tmp_path / "a.kif").exists()


def test_folders_are_read_with_all_that_is_in_them(tmp_path, record):
    (tmp_path / "below").mkdir()
    record.write(tmp_path / "1.kif", encoding="cp932")
    record.write(tmp_path / "below" / "2.csa")
    (tmp_path / "3.ki2").write_text("▲７六歩 △５五歩\n")
    (tmp_path / "4.kif").write_text("手合割：謎\n")
    (tmp_path / "readme.txt").write_text("no game\n")
    with pytest.warns(UserWarning, match="4.kif.*謎"):
        records = k.read_records(tmp_path)
    assert [(one.path.name, len(one), one.fault is None) for one in records] == [
        ("1.kif", 3, True),
        ("3.ki2", 1, False),
        ("2.csa", 3, True),
    ]
    with pytest.raises(ValueError, match="3.ki2"):
        k.read_records(tmp_path, strict=True)
