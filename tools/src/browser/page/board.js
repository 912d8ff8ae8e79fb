// A board that can be played on: the picture, and on it a grid of buttons for pointer, keyboard and ear.

/** Milliseconds in which a piece slides to its square. */
const SLIDE = 150;
const EDGE = 20, FULL_W = 9 * CELL_W + 2 * EDGE, FULL_H = 9 * CELL_H + 2 * EDGE;

/** Who hears of the pointer while something is dragged: one board at a time. */
let dragged = null;
addEventListener("pointermove", (event) => dragged?.move(event));
addEventListener("pointerup", (event) => dragged?.end(event, true));
addEventListener("pointercancel", (event) => dragged?.end(event, false));

/**
 * Makes a board with both hands. `act` hears what is pressed: `{square}` or `{piece, side}` of a hand; `isMovable` says whether
 * it may be dragged.
 */
function makeBoard({ act, drop, isMovable, cancel }) {
  const picture = el("div.picture", { "aria-hidden": "true" });
  const grid = el("div.squares", { role: "grid" });
  const node = el("div.board-box", null, picture, grid);
  const hands = [0, 1].map((side) => el("div.hand-row", { role: "group", "data-side": side }));
  const squares = [];
  let view = { position: fromSfen(START), flipped: false }, focus = 40, drag = null, muffled = false, asked = null, isDragged = false, slide = null;

  for (let row = 0; row < 9; row++) {
    const cells = [];
    for (let column = 0; column < 9; column++) {
      const at = 9 * row + column;
      const square = el("button.square", { type: "button", role: "gridcell", tabindex: -1, "data-at": at });
      square.addEventListener("click", () => press(placeOf(at)));
      square.addEventListener("focus", () => setFocus(at));
      squares.push(square);
      cells.push(square);
    }
    grid.append(el("div.grid-row", { role: "row" }, cells));
  }

  /** The square that a button stands for. */
  function placeOf(at) {
    const column = at % 9, row = Math.floor(at / 9);
    return view.flipped ? { file: column + 1, rank: 9 - row } : { file: 9 - column, rank: row + 1 };
  }
  const buttonOf = (square) => squares[view.flipped ? 9 * (9 - square.rank) + square.file - 1 : 9 * (square.rank - 1) + 9 - square.file];

  function setFocus(at) {
    squares[focus].tabIndex = -1;
    focus = at;
    squares[focus].tabIndex = 0;
  }

  function press(square) {
    if (muffled) return;
    act({ square });
  }

  grid.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -9, ArrowDown: 9 }[event.key];
    if (event.key === "Escape") cancel();
    if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const column = focus % 9;
    if ((step === -1 && column === 0) || (step === 1 && column === 8) || focus + step < 0 || focus + step > 80) return;
    setFocus(focus + step);
    squares[focus].focus();
  });

  // Dragging: what was pressed follows the pointer once it has moved a little.
  function startDrag(event, from, piece, upright) {
    if (event.button !== 0 || !isMovable(from)) return;
    drag = { from, piece, upright, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId };
    dragged = { move: moveDrag, end: endDrag };
  }
  function ghost() {
    const size = picture.clientWidth / FULL_W;
    return el("div.ghost", null, svg("svg", { viewBox: "-22 -24 44 48", width: CELL_W * size * 1.15, height: CELL_H * size * 1.15 }, pieceShape(drag.piece, drag.upright)));
  }
  function under(event) {
    const found = document.elementsFromPoint(event.clientX, event.clientY).find((one) => one.classList?.contains("square") && grid.contains(one));
    const hand = document.elementsFromPoint(event.clientX, event.clientY).find((one) => hands.includes(one));
    return found ? { square: placeOf(Number(found.dataset.at)) } : hand ? { hand: Number(hand.dataset.side) } : null;
  }
  function moveDrag(event) {
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 7) return;
      drag.ghost = ghost();
      document.body.append(drag.ghost);
      act({ ...drag.from, isDrag: true });
    }
    drag.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -60%)`;
  }
  function endDrag(event, isDropped) {
    if (!drag || event.pointerId !== drag.id) return;
    const was = drag;
    drag = null;
    if (!was.ghost) return;
    was.ghost.remove();
    muffled = true;
    setTimeout(() => { muffled = false; }, 0);
    const target = isDropped ? under(event) : null;
    isDragged = true;
    if (target) drop(was.from, target); else cancel();
    isDragged = false;
  }
  grid.addEventListener("pointerdown", (event) => {
    const button = event.target.closest(".square");
    if (!button) return;
    const square = placeOf(Number(button.dataset.at)), piece = view.position.cells[place(square)];
    if (piece) startDrag(event, { square }, piece, isBlack(piece) !== view.flipped);
  });

  /** The label of a square for the ear. */
  function label(square, piece, kind, lit) {
    const what = piece ? (language ? `${pieceWords(piece)} ${t(isBlack(piece) ? "black" : "white")}` : `${t(isBlack(piece) ? "black" : "white")} ${pieceWords(piece)}`) : t("empty");
    return [`${squareWords(square)} ${what}`, lit ? t(lit) : null, kind === "picked" ? t("picked") : kind ? t("canGo") : null].filter(Boolean).join(language ? "、" : ", ");
  }

  /**
   * Draws `{position, done, flipped, picked, targets, arrows, checked, faults, names, question, standNotes}`; `picked` is a square or a
   * hand's piece, `checked` and `faults` are squares by name, `question` is that of a promotion, `standNotes` stand on empty hands.
   */
  function draw(next) {
    const isNext = next.done?.from && !isDragged && isDrawn() && next.position.ply === view.position.ply + 1;
    if (isNext) slide = { ply: next.position.ply, began: performance.now() };
    view = { flipped: false, targets: [], arrows: [], checked: [], faults: [], names: [t("black"), t("white")], standNotes: [], ...next };
    const image = boardPicture(view.position, view.done, view.flipped, letters || language === 0);
    image.removeAttribute("role");
    image.removeAttribute("aria-label");
    view.arrows.forEach(([move, kind]) => image.append(arrow(move, kind, view.flipped)));
    picture.replaceChildren(image);
    if (slide?.ply === view.position.ply) slidePiece(image);
    grid.setAttribute("aria-label", t("boardName"));
    const targets = new Set(view.targets), checked = new Set(view.checked), faults = new Set(view.faults);
    squares.forEach((button, at) => {
      const square = placeOf(at), piece = view.position.cells[place(square)], name = square.file + RANKS[square.rank - 1];
      const isPicked = view.picked?.square && place(view.picked.square) === place(square);
      const kind = isPicked ? "picked" : targets.has(name) ? (piece ? "capture" : "target") : "";
      const lit = faults.has(name) ? " fault" : checked.has(name) ? " checked" : "";
      button.className = `square ${kind}${lit}${isMovable({ square }) ? " movable" : ""}`;
      button.setAttribute("aria-label", label(square, piece, kind, faults.has(name) ? "isFault" : checked.has(name) ? "isChecked" : null));
      button.setAttribute("aria-selected", String(Boolean(isPicked)));
    });
    setFocus(focus);
    [0, 1].forEach((side) => drawHand(side));
    drawQuestion();
  }

  const isDrawn = () => picture.childElementCount > 0;

  /** The piece that moved slides to its square; a board that is drawn again meanwhile goes on with that. */
  function slidePiece(image) {
    const passed = performance.now() - slide.began, { from, to } = view.done ?? {};
    if (!from || passed >= SLIDE || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const piece = image.querySelectorAll(".piece")[view.position.cells.slice(0, place(to)).filter(Boolean).length].parentNode;
    const [x, y] = piece.getAttribute("transform").match(/[\d.]+/g).map(Number), turn = view.flipped ? -1 : 1;
    const start = `translate(${x + turn * (to.file - from.file) * CELL_W}px, ${y + turn * (from.rank - to.rank) * CELL_H}px)`;
    image.append(piece);
    piece.animate({ transform: [start, `translate(${x}px, ${y}px)`] }, { duration: SLIDE, easing: "ease-out" }).currentTime = passed;
  }

  /** Shows the question that the state of the game has, or takes away one that it has no more. */
  function drawQuestion() {
    const { question } = view, key = question ? `${question.move} ${language} ${letters} ${view.flipped}` : null;
    if (asked?.key === key) return;
    if (asked) {
      const hadFocus = asked.nodes.some((one) => one.contains(document.activeElement));
      asked.nodes.forEach((one) => one.remove());
      if (hadFocus && !question) squares[focus].focus();
    }
    asked = question ? { key, nodes: showPromotion(node, buttonOf(question.square), question, view.flipped) } : null;
  }

  function drawHand(side) {
    const hand = view.position.hands[side], host = hands[side], focused = host.contains(document.activeElement) ? document.activeElement.dataset.piece : null;
    host.setAttribute("aria-label", t("handOf", view.names[side]));
    const held = [...HAND_ORDER].filter((letter) => hand[letter] > 0);
    host.replaceChildren(...held.map((letter) => {
      const from = { piece: letter, side }, isPicked = view.picked?.piece === letter && view.picked.side === side;
      const button = el("button.held", { type: "button", "data-piece": letter, style: `grid-column:${HAND_ORDER.indexOf(letter) + 1}`, "aria-pressed": String(isPicked) }, el("span.unseen", null, `${pieceWords(letter)} ${hand[letter]}`),
        svg("svg", { viewBox: "-18 -21 36 42", width: 30, height: 34, "aria-hidden": "true" }, pieceShape(letter, true, 0.92)), hand[letter] > 1 ? el("span.number", { "aria-hidden": "true" }, String(hand[letter])) : null);
      button.classList.toggle("movable", isMovable(from));
      button.addEventListener("click", () => { if (!muffled) act(from); });
      button.addEventListener("pointerdown", (event) => startDrag(event, from, side ? letter.toLowerCase() : letter, true));
      return button;
    }), ...(held.length ? [] : [el("span.nothing", null, view.standNotes[side] ?? el("span.unseen", null, t("none")))]));
    if (focused) (host.querySelector(`[data-piece="${focused}"]`) ?? host.querySelector("button"))?.focus();
  }

  return { node, grid, hands, draw, buttonOf, focusSquare: (square) => { const at = squares.indexOf(buttonOf(square)); setFocus(at); squares[at].focus(); } };
}

/** Shows beside a square whether to promote; `question.answer` gets true, false, or null for neither. */
function showPromotion(host, button, { piece, answer }, flipped) {
  const upright = isBlack(piece) !== flipped;
  const option = (shown, words, value) => el("button", { type: "button", onclick: () => answer(value) },
    svg("svg", { viewBox: "-20 -23 40 46", width: 46, height: 52, "aria-hidden": "true" }, pieceShape(shown, upright)), el("span", null, words));
  const veil = el("div.veil", { onclick: () => answer(null) });
  const dialog = el("div.promotion", { role: "dialog", "aria-modal": "true", "aria-label": t("promoteQuestion") },
    option("+" + piece, t("promote"), true), option(piece, t("stay"), false));
  dialog.addEventListener("keydown", (event) => {
    const buttons = [...dialog.querySelectorAll("button")], now = buttons.indexOf(document.activeElement);
    if (event.key === "Escape") answer(null);
    else if (["Tab", "ArrowLeft", "ArrowRight"].includes(event.key)) buttons[1 - Math.max(now, 0)].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  host.append(veil, dialog);
  const put = () => {
    const box = host.getBoundingClientRect(), at = button.getBoundingClientRect();
    const left = at.left - box.left + at.width / 2 - dialog.offsetWidth / 2, top = at.top - box.top - dialog.offsetHeight - 6;
    dialog.style.left = `${Math.min(Math.max(left, 0), box.width - dialog.offsetWidth)}px`;
    dialog.style.top = `${top > 0 ? top : at.bottom - box.top + 6}px`;
  };
  // It is called once the board stands in the page, and when that is turned.
  new ResizeObserver(put).observe(host);
  dialog.querySelector("button").focus({ preventScroll: true });
  return [veil, dialog];
}

/** One of both bars beside the board: whose turn it is, a name, a clock, and a place for a hand of fixed height. */
const makeSeat = () => el("div.seat", null, el("span.turn", { "aria-hidden": "true" }), el("span.who"), el("span.clock", { role: "timer" }), el("div.slot"));

/** Fills a seat: the side 0 or 1, its name, what stands in place of a clock. */
function fillSeat(seat, board, side, isNow, name, clock = "") {
  const [turnMark, who, clockPlace, slot] = seat.children;
  turnMark.className = isNow ? "turn now" : "turn";
  turnMark.textContent = side ? "☖" : "☗";
  who.replaceChildren(...[name].flat());
  if (clock !== null) clockPlace.replaceChildren(clock);
  // Moved only if need be: what has the focus would lose it.
  if (slot.firstChild !== board.hands[side]) slot.replaceChildren(board.hands[side]);
}
