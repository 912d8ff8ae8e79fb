// The report of an analysis on the page's own board: moves can be tried, lines stepped through, any position looked at. It fills while
// the analysis goes on.

const Report = (() => {
  let host = null, board = null, parts = {}, extras = { comments: [], variations: [] }, origin = null, fault = null, list = null, given = null, onChange = () => {};
  /** Moves that were tried: from which ply, which moves, how many of them are on the board. */
  let trial = null;
  /** What the second engine finds in the position that is shown, while it looks. */
  let live = { on: false, key: "", lines: [], error: null };
  let now = null, nowKey = "";

  const playedMoves = () => [...MOVES.slice(0, ply).map((move) => move.usi), ...(trial?.moves.slice(0, trial.at) ?? [])];

  /** The position that is shown with what the move before it did. */
  function picture() {
    let [position, done] = [POSITIONS[ply], ply ? DONE[ply - 1] : null];
    for (const move of trial?.moves.slice(0, trial.at) ?? []) [position, done] = play(position, move);
    return { position, done };
  }

  function look() {
    const moves = playedMoves(), key = moves.join(" ");
    if (key !== nowKey || !now) [now, nowKey] = [ask({ ask: "position", start: GAME.start, moves }), key];
    return now;
  }

  // Trying moves.

  const picker = makePicker({
    legal: () => look().legal, position: () => picture().position, onChange: () => update(), onMove: (move) => { fault = null; tryMove(move); },
    onRefuse: (move) => {
      const { foul } = ask({ ask: "foul", start: GAME.start, moves: playedMoves(), move });
      fault = t(foul ?? (look().check ? "stillInCheck" : "notLegal"));
      say(fault);
    },
  });

  /** Tries a move: the next one of the game goes on in the game. */
  function tryMove(move) {
    if (!trial && MOVES[ply]?.usi === move) return go(ply + 1);
    const before = trial ? trial.moves.slice(0, trial.at) : [];
    const isNext = trial?.moves[trial.at] === move;
    trial = { from: ply, moves: isNext ? trial.moves : [...before, move], at: before.length + 1 };
    live.on = true;
    said();
  }

  function said() {
    const { done } = picture();
    if (done) say(spokenMove(done, t(done.black ? "black" : "white"), look().check));
  }

  /** Puts a line on the board, so many moves of it. */
  function walk(from, moves, at) {
    if (from !== ply) go(from);
    trial = { from, moves, at: Math.min(at, moves.length) };
    picker.clear();
    said();
    update();
  }

  /** A step in what was tried, or else in the game. */
  function step(by) {
    if (!trial) return go(ply + by);
    trial.at = Math.min(Math.max(trial.at + by, 0), trial.moves.length);
    picker.clear();
    if (trial.at === 0 && by < 0) trial = null;
    else said();
    update();
  }
  function leaveTrial() {
    Report.reset();
    update();
  }

  // Looking at the position.

  function drawLive() {
    if (!parts.live) return;
    parts.look.setAttribute("aria-pressed", String(live.on));
    if (!live.on) return parts.live.replaceChildren();
    const { position, done } = picture(), base = trial?.moves.slice(0, trial.at) ?? [];
    const rows = live.lines.filter(Boolean).map((one) => el("tr", null, el("td", null, scoreText(one)), el("td.soft", null, String(one.depth)),
      el("td.left.pv", null, pressable(lineWords(position, done?.to, one.pv.slice(0, 12)), (count) => walk(ply, [...base, ...one.pv], base.length + count)))));
    parts.live.replaceChildren(rows.length ? el("table.lines", { "aria-label": t("look") }, el("tbody", null, rows)) : el("p.soft", null, live.error ?? t(now?.end ? "noMoveHere" : "looking_")));
  }

  /** Words of a line as buttons; `press` gets the number of moves up to the one that was pressed. */
  const pressable = (words, press) => words.map((word, at) => [el("button.step-word", { type: "button", tabindex: at ? -1 : 0, onclick: (event) => { event.stopPropagation(); press(at + 1); } }, word), " "]);

  let redraw = 0;
  function think() {
    const moves = playedMoves(), key = live.on && look().legal.length ? moves.join(" ") + "!" : "";
    if (live.key === key) return;
    live.key = key;
    live.lines = [];
    if (!key) return Helper.stop();
    Helper.search({ start: GAME.start, moves }, "go infinite", 3, (found) => {
      if (live.key !== key) return;
      live.lines[found.place - 1] = found;
      redraw ||= setTimeout(() => { redraw = 0; drawLive(); drawShare(); }, 150);
    }).catch((error) => { live.error = t("broken", error.message); drawLive(); });
  }

  /** The bar of chances: of what was tried, what the second engine finds. */
  function drawShare() {
    if (!parts.share) return;
    const found = live.lines[0], chance = trial ? (found ? chanceOf(found, 0) : null) : CHANCES[ply];
    parts.share.replaceChildren(chance === null ? el("div.chance-bar") : chanceBar(chance));
  }

  // What is shown.

  function commentParts() {
    if (trial) return [];
    const texts = extras.comments[ply] ?? [], here = extras.variations.filter((branch) => branch.after === ply);
    return [...(texts.length ? [el("blockquote.comment", null, texts.map((text) => el("p", null, text)))] : []),
      ...here.map((branch) => el("p.variation", null, el("span.soft", null, t("variation") + " "), pressable(lineWords(POSITIONS[ply], ply ? DONE[ply - 1].to : null, branch.moves), (count) => walk(ply, branch.moves, count)), ...branch.comments.flat().map((text) => el("span.comment", null, text))))];
  }

  function trialParts() {
    const { done, position } = picture(), before = ply ? DONE[ply - 1].to : null, words = lineWords(POSITIONS[ply], before, trial.moves);
    return [el("h3", null, `${t("tried", ply)} `, el("button", { type: "button", id: "to-game", onclick: leaveTrial }, t("backToGame"))),
      el("p.tried", null, words.map((word, at) => [el("button.step-word", { type: "button", "aria-current": at + 1 === trial.at ? "step" : null, onclick: () => walk(ply, trial.moves, at + 1) }, word), " "])),
      fault ? el("p.problem", null, fault) : null, look().end ? el("p", null, outcomeWords(look().end.ending, look().end.winner && (look().end.winner === "w" ? 1 : 0), [t("black"), t("white")])) : null].filter(Boolean);
  }

  /** Buttons that let the game be played on from here. */
  function playParts() {
    const side = picture().position.black ? "b" : "w";
    return [el("label.inline", null, el("span", null, t("level")), " ", levelSelect({ id: "from-level" })), button(t("playFrom"), () => Play.from(GAME.start, playedMoves(), { you: side, clock: "none", left: null }), { id: "play-from" }),
      button(t("mateHere"), () => Mate.take(toSfen(picture().position), true)), againButton()].filter(Boolean);
  }

  /** Play it again: the same level with the same seed, from before a move of the reader's that has a label. */
  function againButton() {
    const move = MOVES[ply - 1];
    if (!origin || trial || !move || !BAD.includes(move.label) || (DONE[ply - 1].black ? "b" : "w") !== origin.you) return null;
    const mover = origin.you === "w" ? 1 : 0, chance = (score) => (score ? chanceOf(score, mover) : null);
    const again = { at: ply - 1, before: chance(move.before), then: chance(move.played), scale: GAME.win_scale };
    return button(t("again"), () => Play.from(GAME.start, MOVES.slice(0, ply - 1).map((one) => one.usi), { ...origin, clock: "none", left: null, again }), { id: "play-again", class: "main" });
  }

  function show(where, more) {
    [host, given, extras, origin, onChange] = [where, more, more.extras, more.origin, more.onChange];
    board = makeBoard(picker.board);
    list = moveList();
    parts = { seats: [makeSeat(), makeSeat()], share: el("div.share-bar"), talk: el("div.talk"), live: el("div.live"), plays: el("div.tools"), sight: el("section.card"), rest: el("div"),
      look: button("◎ " + t("look"), () => { live.on = !live.on; update(); }, { id: "look", "aria-pressed": "false" }) };
    const tools = gameTools({ step, flip: flipBoard, more: parts.look });
    parts.desk = gameDesk({ above: parts.seats[1], board: board.node, below: [parts.seats[0], parts.share], tools, progress: more.progress, told: [parts.talk, parts.live, parts.plays, more.head], list: list.scroller });
    host.replaceChildren(el("h2.unseen", null, t("board")), parts.desk, parts.rest, parts.sight, lastTools(() => picture().position, () => show(host, given), more.saves), el("p.soft.keys", null, t("keysReport")));
    lineParts = (pv) => pressable(lineWords(POSITIONS[ply], ply ? DONE[ply - 1].to : null, pv), (count) => walk(ply, pv, count));
    onPly = () => {
      Report.reset();
      onChange();
      // In the list of moves the row that gets the focus is read out.
      if (!list.scroller.contains(document.activeElement)) say(ply ? `${ply} ${spokenMove(DONE[ply - 1], playerName(DONE[ply - 1].black ? 0 : 1), false)}` : t("start"));
    };
    update = draw;
    drawFindings();
  }

  /** Draws what the analysis has found. */
  function drawFindings() {
    parts.rest.replaceChildren(heading(), ...summaryParts());
    Sight.show(parts.sight, origin ? (origin.you === "w" ? 1 : 0) : null);
    update();
  }

  /** Takes new findings in; the board and what is tried on it stay. */
  function refresh() {
    const next = moveList(), top = list.scroller.scrollTop;
    list.scroller.replaceWith(next.scroller);
    list = next;
    parts.desk.querySelector(".pass").textContent = passWords();
    parts.desk.querySelector(".p-chance").redraw();
    drawFindings();
    list.scroller.scrollTop = top;
  }

  function flipBoard() {
    flipped = !flipped;
    onChange();
    update();
  }

  function draw() {
    const { position, done } = picture(), shown = picker.shown();
    const best = live.on && live.lines[0]?.pv[0];
    const arrows = shown.picked ? [] : trial ? (best ? [[best, "best"]] : []) : plyArrows();
    const checked = look().check ? [kingSquare(position), ...look().checkers] : [];
    board.draw({ position, done, flipped, arrows, checked, names: [0, 1].map(playerName), ...shown });
    [0, 1].forEach((at) => {
      const side = flipped ? 1 - at : at;
      fillSeat(parts.seats[at], board, side, position.black === (side === 0), el("b", null, el("bdi", null, playerName(side))));
    });
    drawShare();
    followSlider(parts.desk);
    const focused = document.activeElement?.closest?.(".talk") ? document.activeElement.textContent : null;
    if (trial) parts.talk.replaceChildren(...trialParts());
    else {
      tellPly(parts.talk);
      parts.talk.append(...commentParts());
      if (fault) parts.talk.append(el("p.problem", null, fault));
    }
    if (focused) [...parts.talk.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
    parts.plays.replaceChildren(...playParts());
    followPly(list);
    think();
    drawLive();
  }

  return {
    show,
    refresh,
    close() {
      live.on = false;
      live.key = "";
      Helper.stop();
      Sight.close();
    },
    reset() {
      trial = fault = null;
      picker.clear();
    },
    onKey(event) {
      if (event.key === "Escape" && picker.isOpen()) picker.back();
      else if (event.key === "Escape" && trial) leaveTrial();
      else if (/^Arrow/.test(event.key) && board?.grid.contains(event.target)) return false;
      else if ((event.key === "ArrowLeft" || event.key === ",") && (trial || event.key === ",")) step(-1);
      else if ((event.key === "ArrowRight" || event.key === ".") && (trial || event.key === ".")) step(1);
      else if (event.key === "l") parts.look.click();
      else return false;
      event.preventDefault();
      return true;
    },
    state: () => ({ trial, live, ply, fault }),
  };
})();

/** The square of the king of the side to move. */
function kingSquare(position) {
  const at = position.cells.findIndex((piece) => piece === (position.black ? "K" : "k"));
  return squareName({ file: 9 - (at % 9), rank: Math.floor(at / 9) + 1 });
}
