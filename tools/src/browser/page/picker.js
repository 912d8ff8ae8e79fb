// Presses on a board as moves: what is picked up, where it can go, the question of a promotion.

/**
 * `legal()` gives the moves of the position that is shown, `position()` that position; `onMove(move)` plays one, `onRefuse(move)` hears
 * of one that there is not, `onChange()` draws.
 */
function makePicker({ legal, position, onMove, onRefuse, onChange }) {
  let picked = null, question = null;
  const headOf = (from) => (from.square ? squareName(from.square) : from.piece + "*");
  const movesFrom = (from) => legal().filter((move) => move.startsWith(headOf(from)));
  const isSame = (one, other) => (one.square ? other.square && place(one.square) === place(other.square) : one.piece === other.piece && one.side === other.side);

  function isMovable(from) {
    if (question || !legal().length) return false;
    const { cells, black } = position();
    if (from.piece) return from.side === (black ? 0 : 1);
    const piece = cells[place(from.square)];
    return piece !== "" && isBlack(piece) === black;
  }

  function to(square) {
    const from = picked, fits = movesFrom(from).filter((move) => move.slice(2, 4) === squareName(square));
    picked = null;
    if (!fits.length) onRefuse(headOf(from) + squareName(square));
    else if (fits.length > 1) question = { from, square, fits };
    else onMove(fits[0]);
    onChange();
  }

  function answer(promotes) {
    const { from, fits } = question;
    question = null;
    if (promotes === null) picked = from;
    else onMove(fits.find((one) => one.endsWith("+") === promotes));
    onChange();
  }

  function act(what) {
    if (question) return;
    if (picked && isSame(picked, what) && !what.isDrag) picked = null;
    else if (isMovable(what)) picked = what;
    else if (picked && what.square) return to(what.square);
    onChange();
  }

  function clear() { picked = question = null; }
  function cancel() {
    picked = null;
    onChange();
  }

  return {
    board: { act, isMovable, cancel, drop: (from, target) => (target.square && picked && !isSame(from, target) ? to(target.square) : cancel()) },
    clear,
    isOpen: () => Boolean(picked || question),
    /** Puts back what is picked up, or takes the question away. */
    back: () => (question ? answer(null) : cancel()),
    /** What the board has to show of it. */
    shown: () => ({ picked, targets: picked ? movesFrom(picked).map((move) => move.slice(2, 4)) : [],
      question: question && { move: question.fits[0], square: question.square, piece: position().cells[place(question.from.square)], answer } }),
  };
}
