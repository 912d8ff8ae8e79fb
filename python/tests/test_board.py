import copy
import pickle
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree

import pytest

import komainu as k

from conftest import HEED_CTRL_C

START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"


def perft(board, depth):
    if depth == 1:
        return len(board.legal_moves)
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += perft(board, depth - 1)
        board.pop()
    return total


def test_moves_are_made_and_taken_back():
    board = k.Board()
    assert (board.sfen(), board.turn, board.ply) == (START, k.BLACK, 1)
    move = board.push_usi("7g7f")
    assert move == k.Move("7g7f") and board.peek() == move
    assert (board.turn, board.ply, board.piece_at("7f"), board.piece_at("7g")) == (k.WHITE, 2, "P", None)
    board.push(k.Move("3c3d"))
    board.push(int(k.Move("8h2b+")))
    assert board.hand(k.BLACK) == {"B": 1} and board.hand(k.WHITE) == {}
    assert [str(move) for move in board.move_stack] == ["7g7f", "3c3d", "8h2b+"]
    assert str(board.pop()) == "8h2b+"
    board.pop(), board.pop()
    assert board == k.Board()
    with pytest.raises(IndexError):
        board.pop()


def test_perft_in_python_and_in_rust_agree():
    board = k.Board()
    assert [board.perft(depth) for depth in range(5)] == [1, 30, 900, 25_470, 719_731]
    assert perft(board, 3) == 25_470 and board == k.Board()


def test_legal_moves_are_a_snapshot_with_length_and_membership():
    board = k.Board()
    moves = board.legal_moves
    board.push_usi("7g7f")
    assert len(moves) == 30 and len(list(moves)) == 30 and moves[0] in moves and moves[-1] == list(moves)[-1]
    assert "7g7f" in moves and k.Move("7g7f") in moves and int(k.Move("7g7f")) in moves
    assert "7g7e" not in moves and "nonsense" not in moves and 0 not in moves
    assert "7g7f" not in board.legal_moves
    with pytest.raises(IndexError):
        moves[30]


def test_moves_are_text_and_bits():
    for text in ["7g7f", "8h2b+", "P*5e"]:
        move = k.Move(text)
        assert (str(move), move.usi(), repr(move)) == (text, text, f"Move('{text}')")
        assert k.Move(int(move)) == move and hash(k.Move(text)) == hash(move) and k.Move(move) == move
        assert pickle.loads(pickle.dumps(move)) == move
    assert k.Move("7g7f") != "7g7f" and k.Move("7g7f") != k.Move("7g7f+")
    assert (k.Move("P*5e").drop, k.Move("P*5e").from_square, k.Move("P*5e").to_square) == ("P", None, "5e")


@pytest.mark.parametrize(
    "wrong, word",
    [
        (lambda b: b.push_usi("7g7e"), "7g7e"),
        (lambda b: b.push_usi("7g7x"), "7g7x"),
        (lambda b: b.push_usi("\0\n"), "move"),
        (lambda b: b.push("resign"), "resign"),
        (lambda b: b.push(0), "0"),
        (lambda b: b.push(-5), "-5"),
        (lambda b: b.push(1 << 80), "1208925819614629174706176"),
        (lambda b: b.push_csa("+7775FU"), "+7775FU"),
        (lambda b: b.set_sfen("9/9 b - 1"), "rank"),
        (lambda b: b.set_sfen(""), "empty"),
        (lambda b: b.set_sfen("startpos moves 7g7f 7g7f"), "move 2: 7g7f"),
        (lambda b: b.set_sfen("startpos junk moves 7g7f"), "junk"),
        (lambda b: b.set_sfen(START.replace("K", "X")), "X"),
        (lambda b: b.set_sfen("x" * 1_000_000), "x"),
        (lambda b: b.piece_at("7z"), "7z"),
        (lambda b: b.piece_at(81), "81"),
        (lambda b: b.hand(2), "2"),
        (lambda b: b.perft(101), "101"),
        (lambda b: b.perft(-1), "-1"),
        (lambda b: b.can_declare("27"), "27"),
        (lambda b: b.move_text("7g7e"), "7g7e"),
        (lambda b: b.move_text("3c3d", "pgn"), "pgn"),
        (lambda b: b.features("HalfXY"), "HalfXY"),
        (lambda b: k.Board.unpack(b"\0" * 31), "31"),
        (lambda b: k.Board.unpack(b"\xff" * 32), "king"),
        (lambda b: k.Board("position"), "position"),
    ],
)
def test_bad_input_names_the_word_and_changes_nothing(wrong, word):
    board = k.Board()
    board.push_usi("7g7f")
    before = board.usi_position()
    with pytest.raises(ValueError) as raised:
        wrong(board)
    assert word in str(raised.value)
    assert board.usi_position() == before


def test_what_is_no_text_or_number_is_a_type_error():
    for wrong in [lambda: k.Board(5), lambda: k.Board().push(None), lambda: k.Board().push(1.5), lambda: k.Board().perft("3")]:
        with pytest.raises(TypeError):
            wrong()


def test_boards_are_copied_compared_and_pickled_with_their_game():
    board = k.Board("startpos moves 7g7f 3c3d")
    for twin in [board.copy(), copy.copy(board), copy.deepcopy(board), pickle.loads(pickle.dumps(board))]:
        assert twin == board and hash(twin) == hash(board) and twin.move_stack == board.move_stack
        twin.push_usi("2g2f")
        assert twin != board
    assert k.Board(board.usi_position()) == board and eval(repr(board), {"Board": k.Board}) == board
    assert k.Board.unpack(board.pack()).sfen().rsplit(" ", 1)[0] == board.sfen().rsplit(" ", 1)[0]
    assert board != "startpos" and len({board, board.copy()}) == 1


def test_the_ends_of_games_are_known():
    mated = k.Board("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
    assert mated.is_check() and mated.is_checkmate() and mated.is_game_over() and not mated.legal_moves
    board = k.Board()
    for move in ["2h3h", "8b7b", "3h2h", "7b8b"] * 3:
        assert not board.is_repetition()
        board.push_usi(move)
    assert board.is_repetition() and board.repetition() == "draw" and board.is_game_over()
    entered = k.Board("K+R+R6/+B+BGGGG3/SSSS5/9/9/9/9/9/8k b 4P 1")
    assert entered.can_declare() and entered.is_nyugyoku() and not entered.can_declare("NoEnteringKing")
    assert not entered.is_game_over() and not k.Board().can_declare()


def test_moves_are_written_in_every_notation():
    board = k.Board("startpos moves 7g7f 3c3d")
    texts = [board.move_text("8h2b+", format) for format in ["usi", "ki2", "csa"]]
    assert texts == ["8h2b+", "▲２二角成", "+8822UM"] and "２二角成" in board.move_text("8h2b+", "kif")
    assert board.gives_check("8h2b+") is False
    assert str(board.push_csa("8822UM")) == "8h2b+" and str(board.push_csa("-3122GI")) == "3a2b"


def test_the_picture_is_well_formed_and_shows_every_piece():
    board = k.Board("startpos moves 7g7f")
    for svg in [board.to_svg(caption="<▲７六歩> & so on"), board._repr_svg_()]:
        root = ElementTree.fromstring(svg)
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        assert texts.count("歩") == 18 and texts.count("玉") == 2
    assert "<▲７六歩> & so on" in [element.text for element in ElementTree.fromstring(board.to_svg(caption="<▲７六歩> & so on")).iter()]
    letters = ElementTree.fromstring(board.to_svg(letters=True, flipped=True))
    assert [element.text for element in letters.iter()].count("P") == 18


def test_threads_may_use_boards_of_their_own_and_share_one():
    shared, faults = k.Board(), []

    def work(board):
        try:
            for _ in range(300):
                for move in board.legal_moves:
                    assert isinstance(board.sfen(), str) and move in board.legal_moves
                board.perft(2)
        except BaseException as fault:  # noqa: B902
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(board,)) for board in [shared, shared, k.Board(), k.Board()]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_ctrl_c_ends_a_perft():
    body = f"import komainu as k, _thread, threading\n{HEED_CTRL_C}"
    body += "threading.Timer(0.5, _thread.interrupt_main).start()\n"
    body += "try:\n    k.Board().perft(20)\nexcept KeyboardInterrupt:\n    print('ended')\n"
    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, timeout=60)
    assert done.stdout == "ended\n", done.stderr


def test_arrays_show_board_hands_and_features():
    numpy = pytest.importorskip("numpy")
    board = k.Board("4k4/9/9/9/9/9/4P4/9/4K4 w 2Pb 1")
    squares = board.to_array()
    assert squares.dtype == numpy.uint8 and squares.shape == (81,)
    assert {int(at): int(squares[at]) for at in numpy.flatnonzero(squares)} == {36: 24, 42: 1, 44: 8}
    assert board.hands_array().tolist() == [[2, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0]]
    own, other = k.Board().features("HalfKP")
    assert own.dtype == numpy.int32 and own.shape == (38,) and own.tolist() == other.tolist()
    assert [len(k.Board().features(name)[0]) for name in ["K-P", "KA2", "halfka_hm2"]] == [40, 42, 40]
