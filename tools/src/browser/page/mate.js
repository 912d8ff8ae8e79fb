// Mate problems: a position from a text or put together on the board, the solver's answer, move by move.

const Mate = (() => {
  const SET = { P: 18, L: 4, N: 4, S: 4, G: 4, B: 2, R: 2, K: 2 };
  const BARE = "4k4/9/9/9/9/9/9/9/9 b - 1";
  const TIMES = [5, 20, 60];

  let host = null, board = null, engine = null, parts = {}, start = fromSfen("4k4/9/3P1P3/9/9/9/9/9/9 b 2G 1"), answer = null, at = 0, picked = null, message = () => "", seconds = 20, busy = false, timer = 0, stats = {}, token = 0;
  /** Pieces that are nowhere are in the defender's hand, as mate problems have it. */
  let isRestHeld = true;
  /** The problem that the reader solves: `{start, moves, words, isMissed, isJudging, isOver}`. */
  let training = null;

  const picker = makePicker({
    legal: () => (training && !training.isJudging && !training.isOver ? ask({ ask: "position", start: training.start, moves: training.moves }).legal : []), position: () => pictureAt(at).position,
    onMove: attack, onRefuse: () => { training.words = () => t("notLegal"); }, onChange: () => update(),
  });

  const letterOf = (piece) => piece.replace("+", "").toUpperCase();

  /** Pieces that are neither on the board nor in a hand. */
  function box() {
    const left = { ...SET };
    for (const piece of start.cells.filter(Boolean)) left[letterOf(piece)]--;
    for (const hand of start.hands) for (const [letter, count] of Object.entries(hand)) left[letter] -= count;
    return left;
  }

  /** The position that is solved: with the rest of the set in the defender's hand, unless it is said otherwise. */
  function problem() {
    if (!isRestHeld) return start;
    const hands = start.hands.map((hand) => ({ ...hand })), defender = hands[start.black ? 1 : 0];
    for (const [letter, count] of Object.entries(box())) if (letter !== "K" && count > 0) defender[letter] = (defender[letter] ?? 0) + count;
    return { ...start, hands };
  }

  function pictureAt(ply) {
    let position = answer || training ? problem() : start, done = null;
    for (const move of training?.moves ?? []) [position, done] = play(position, move);
    for (const move of answer?.moves?.slice(0, ply) ?? []) [position, done] = play(position, move);
    return { position, done };
  }

  /** Takes a position; solves it at once if asked to. */
  function take(sfen, isAsked) {
    reset(fromSfen(sfen));
    if (current !== "mate") openView("mate", () => isAsked && solve());
    else {
      show();
      if (isAsked) solve();
    }
  }

  function reset(position) {
    if (busy) engine.send("stop");
    token++;
    busy = false;
    pause();
    [start, answer, at, picked, message, training] = [position, null, 0, null, () => "", null];
    picker.clear();
  }

  function changed() {
    const kept = picked;
    if (answer || message()) reset(start);
    picked = kept;
    remember();
    update();
  }

  function remember() {
    setHash("mate", { sfen: toSfen(start), rest: isRestHeld ? null : "out" });
    Kept.set("mate", { sfen: toSfen(start), isRestHeld, answer, at });
  }

  async function solve() {
    pause();
    const asked = toSfen(problem());
    try { ask({ ask: "position", start: asked, moves: [] }); } catch (error) {
      message = () => t("cannotRead", messageWords(error.message));
      say(message());
      return update();
    }
    training = null;
    const mine = ++token;
    [answer, at, busy, message, stats] = [null, 0, true, () => t("solving"), {}];
    remember();
    update();
    say(message());
    engine ??= new Engine();
    await engine.until("readyok", ["isready"]);
    if (mine !== token) return;
    let line;
    try {
      line = await engine.until("checkmate", [`position sfen ${asked}`, `go mate ${1000 * seconds}`], (info) => {
        if (info.startsWith("info ") && mine === token) parts.stats?.replaceChildren(statsWords(readStats(info, stats)));
      });
    } catch (error) {
      line = null;
      message = () => t("broken", error.message);
    }
    if (mine !== token) return;
    busy = false;
    if (line) tell(line.split(" ").slice(1), asked);
    remember();
    update();
    say(message());
  }

  function tell(words, asked) {
    if (words[0] === "nomate") message = () => t("noMate");
    else if (words[0] === "timeout" || words[0] === "notimplemented" || !words.length) message = () => t("mateOpen");
    else {
      answer = { moves: words, texts: ask({ ask: "position", start: asked, moves: words }).texts };
      message = () => t("mateIn", words.length);
    }
  }

  function stopSolving() {
    engine.send("stop");
  }

  // Solving by oneself.

  async function train(missed) {
    const position = missed ? fromSfen(missed.sfen) : start;
    reset(position);
    const asked = toSfen(problem());
    try { ask({ ask: "position", start: asked, moves: [] }); } catch (error) {
      message = () => t("cannotRead", messageWords(error.message));
      return update();
    }
    training = { start: asked, moves: [], words: () => t("attackNow"), missed: missed?.sfen ?? null, isJudging: false, isOver: false };
    remember();
    update();
    say(training.words());
  }

  /** The moves of a mate after moves; none for no mate, null for no answer, undefined if the problem was left. */
  async function mateAfter(mine, moves) {
    engine ??= new Engine();
    const line = await engine.until("checkmate", [`position sfen ${mine.start} moves ${moves.join(" ")}`, `go mate ${1000 * seconds}`]);
    if (mine !== training) return undefined;
    const words = line.split(" ").slice(1);
    return words[0] === "nomate" ? [] : words[0] === "timeout" || !words.length ? null : words;
  }

  async function attack(move) {
    const mine = training, defenceWords = (reply) => lineWords(pictureAt(0).position, pictureAt(0).done?.to, [reply])[0];
    mine.moves.push(move);
    [mine.isJudging, mine.words] = [true, () => t("judging")];
    update();
    const { verdict, reply } = await judgeAttack(mine.start, mine.moves, (moves) => mateAfter(mine, moves));
    if (mine !== training) return;
    mine.isJudging = false;
    if (verdict === "solved") {
      mine.isOver = true;
      const plies = mine.moves.length;
      mine.words = () => t("trainSolved", plies);
      if (mine.missed && !mine.wasWrong) Missed.note(mine.missed, true);
    } else if (verdict === "goesOn") {
      const shown = defenceWords(reply);
      mine.moves.push(reply);
      mine.words = () => t("goesOn", shown);
    } else {
      const shown = reply && defenceWords(reply);
      mine.moves.pop();
      mine.words = () => (verdict === "noCheck" ? t("noCheck") : verdict === "escapes" ? t("escapes", shown) : t("notSure"));
      if (mine.missed && !mine.wasWrong) Missed.note(mine.missed, false);
      mine.wasWrong = true;
    }
    update();
    say(mine.words());
  }

  // Editing: what is picked up goes where the next press is; a second press on the spot turns a piece.

  const NEXT = (piece) => {
    const plain = letterOf(piece), canPromote = /[PLNSBR]/.test(plain), black = isBlack(piece), promoted = piece[0] === "+";
    if (canPromote && !promoted) return "+" + piece;
    return black ? plain.toLowerCase() : plain;
  };

  function remove(from) {
    if (from.square) {
      const piece = start.cells[place(from.square)];
      start.cells[place(from.square)] = "";
      return piece;
    }
    if (from.side !== undefined) start.hands[from.side][from.piece]--;
    return from.side === 1 ? from.piece.toLowerCase() : from.piece;
  }

  function put(square, from) {
    // What stood there is back in the box.
    start.cells[place(square)] = remove(from);
  }

  function act(what) {
    if (training) return picker.board.act(what);
    if (busy || at) return;
    const isSame = picked && what.square && picked.square && place(picked.square) === place(what.square);
    if (what.square && isSame && !what.isDrag) {
      start.cells[place(what.square)] = NEXT(start.cells[place(what.square)]);
      return changed();
    }
    if (what.isDrag) picked = what;
    else if (what.square && picked) {
      put(what.square, picked);
      picked = null;
      return changed();
    } else if (what.square) picked = start.cells[place(what.square)] ? what : null;
    else picked = picked?.piece === what.piece && picked.side === what.side ? null : what;
    update();
  }

  /** Puts what is picked into a hand (0, 1) or back into the box (2). */
  function putAway(where) {
    if (!picked || busy || at || training) return;
    const from = picked;
    picked = null;
    if (!(from.piece && from.side === where)) {
      const letter = letterOf(remove(from));
      if (where < 2 && letter !== "K") start.hands[where][letter] = (start.hands[where][letter] ?? 0) + 1;
    }
    changed();
  }

  function drop(from, target) {
    if (training) return picker.board.drop(from, target);
    if (target.square) {
      if (!(from.square && place(from.square) === place(target.square))) {
        picked = null;
        put(target.square, from);
        return changed();
      }
      picked = null;
      return update();
    }
    putAway(target.hand);
  }

  // What is shown.

  function takeText(text) {
    let read;
    try { read = ask({ ask: "read", text, name: "" }); } catch (error) {
      message = () => t("cannotRead", messageWords(error.message));
      say(message());
      return update();
    }
    reset(fromSfen(ask({ ask: "position", start: read.start, moves: read.moves }).sfen));
    remember();
    show();
    board.node.scrollIntoView({ block: "nearest" });
  }

  function show() {
    board = makeBoard({ act, drop, isMovable: (from) => (training ? picker.board.isMovable(from) : !busy && !at) && (from.piece ? true : start.cells[place(from.square)] !== ""), cancel: () => { picked = null; picker.clear(); update(); } });
    const area = el("textarea", { id: "position-text", rows: 2, spellcheck: "false", autocapitalize: "off", placeholder: BARE });
    const time = el("select", { id: "mate-time", onchange: () => { seconds = Number(time.value); } }, TIMES.map((one) => el("option", { value: one, selected: one === seconds }, t("seconds", one))));
    parts = { seats: [makeSeat(), makeSeat()], status: el("p.status", { role: "status" }), solve: button("", () => (busy ? stopSolving() : solve()), { class: "main", id: "solve" }), moves: el("div.moves.answer"), stats: el("p.stats.soft"), box: el("div.hand-row.piece-box", { role: "group" }), step: el("div.controls") };
    const step = (text, name, to) => button(text, () => { pause(); goTo(to()); }, { title: name, "aria-label": name });
    parts.train = button("", () => (training ? reset(start) || update() : train(null)), { id: "train" });
    parts.missed = button("", () => train(Missed.due()[0]), { id: "missed" });
    parts.replay = button("▶ " + t("replay"), replay);
    parts.step.append(step("«", t("first_"), () => 0), step("‹", t("previous"), () => at - 1), parts.replay, step("›", t("next"), () => at + 1), step("»", t("last"), () => answer?.moves.length ?? 0));
    parts.boxLine = el("div.box-line", null, el("span.soft", null, t("box")), parts.box);
    const rest = el("input", { type: "checkbox", id: "rest", checked: isRestHeld, onchange: () => { isRestHeld = rest.checked; changed(); } });
    parts.edit = el("section.card", null, el("h2", null, t("edit")), el("p.soft", null, t("editNote")),
      el("div.tools", null, parts.turn = button("", () => { start.black = !start.black; changed(); }), button(t("clear"), () => { reset(fromSfen(BARE)); remember(); update(); }), button(t("startPosition"), () => { reset(fromSfen(START)); remember(); update(); })),
      el("label.check", null, rest, el("span", null, t("rest"))),
      el("label.field.wide-field", null, el("span", null, t("mateLabel")), area), el("div.tools", null, button(t("take"), () => takeText(area.value)), button(t("copySfen"), (event) => copy(toSfen(pictureAt(at).position), event.currentTarget))));
    host.replaceChildren(el("h1.unseen", null, t("mate")), el("div.desk.mate", null, el("div.top", null, parts.seats[1]), board.node, el("div.low", null, parts.seats[0]), el("div.mate-tools", null, parts.boxLine, parts.step),
      el("div.side-pane", null, el("section.card.state", null, parts.status, el("div.tools", null, parts.solve, parts.train, parts.missed, el("label.inline", null, t("mateTime") + " ", time)), parts.moves, parts.stats), parts.edit)));
    [0, 1].forEach((side) => board.hands[side].addEventListener("click", (event) => { if (!event.target.closest("button")) putAway(side); }));
    parts.box.addEventListener("click", (event) => { if (!event.target.closest("button")) putAway(2); });
    rove(parts.moves, (index) => { pause(); goTo(index + 1); });
    update();
  }

  function update() {
    if (!host || !board) return;
    const { position, done } = pictureAt(at), names = [t("black"), t("white")];
    board.draw({ position, done, flipped: false, names, ...(training ? picker.shown() : { picked: at ? null : picked }) });
    [0, 1].forEach((side) => {
      const away = picked && !at ? button("＋", () => putAway(side), { class: "put-here", "aria-label": t("handOf", names[side]) }) : "";
      fillSeat(parts.seats[side], board, side, position.black === (side === 0), [el("b", null, names[side]), " ", el("span.soft", null, t((side === 0) === start.black ? "attackerWord" : "defenderWord"))], away);
    });
    const words = training ? training.words() : message(), missed = Missed.due();
    parts.status.textContent = words;
    parts.status.hidden = !words;
    parts.train.textContent = t(training ? "leaveTraining" : "train");
    parts.train.disabled = busy;
    parts.missed.textContent = t("missedMates", missed.length);
    parts.missed.hidden = !missed.length || Boolean(training && !training.isOver);
    parts.solve.textContent = busy ? t("cancel") : t("solve");
    parts.turn.textContent = t("attacker", t(start.black ? "black" : "white"));
    parts.edit.hidden = Boolean(at || training);
    parts.step.hidden = !answer;
    parts.boxLine.hidden = Boolean(answer || training);
    parts.stats.textContent = busy || stats.nps ? statsWords(stats) : "";
    drawBox();
    drawAnswer();
  }

  function drawBox() {
    const left = box();
    parts.box.setAttribute("aria-label", t("box"));
    parts.box.replaceChildren(...Object.entries(left).filter(([, count]) => count > 0).map(([letter, count]) => el("button.held", { type: "button", "aria-pressed": String(picked?.piece === letter && picked.side === undefined), onclick: () => act({ piece: letter }) }, el("span.unseen", null, `${pieceWords(letter)} ${count}`),
      svg("svg", { viewBox: "-18 -21 36 42", width: 30, height: 34, "aria-hidden": "true" }, pieceShape(letter, true, 0.92)), count > 1 ? el("span.number", { "aria-hidden": "true" }, String(count)) : null)),
      picked && !at ? button("＋", () => putAway(2), { class: "put-here", "aria-label": t("box") }) : "");
  }

  function drawAnswer() {
    parts.moves.hidden = !answer;
    if (!answer) return;
    parts.moves.replaceChildren(el("ol", { "aria-label": t("solution") }, answer.texts.map((text, index) => el("li", { class: index + 1 === at ? "here" : null, "aria-current": index + 1 === at ? "step" : null },
      el("button.row", { type: "button", tabindex: index + 1 === Math.max(at, 1) ? 0 : -1, onclick: () => { pause(); goTo(index + 1); } }, moveWords(text, pictureAt(index + 1).done))))));
  }

  function goTo(ply) {
    const focused = document.activeElement?.closest?.(".answer") ? [...parts.moves.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    at = Math.min(Math.max(ply, 0), answer?.moves.length ?? 0);
    picked = null;
    update();
    remember();
    if (at) say(moveWords(answer.texts[at - 1], pictureAt(at).done));
    if (focused >= 0) parts.moves.querySelectorAll("button")[focused]?.focus();
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    parts.replay?.replaceChildren("▶ " + t("replay"));
  }

  function replay() {
    if (timer) return pause();
    if (at === answer.moves.length) goTo(0);
    parts.replay.replaceChildren("❚❚ " + t("pause"));
    timer = setInterval(() => (at < answer.moves.length ? goTo(at + 1) : pause()), 900);
  }

  /** Shows what was kept. */
  function restore(saved) {
    isRestHeld = saved.isRestHeld;
    reset(fromSfen(saved.sfen));
    if (!saved.answer) return;
    [answer, at] = [saved.answer, saved.at];
    const { length } = answer.moves;
    message = () => t("mateIn", length);
  }

  function onKey(event) {
    const key = event.key;
    if (key === "," && answer) goTo(at - 1);
    else if (key === "." && answer) goTo(at + 1);
    else if (key === "Escape" && picker.isOpen()) picker.back();
    else if (key === "Escape" && picked) { picked = null; update(); }
    else return false;
    return true;
  }

  return {
    open(where, words) {
      host = where;
      const sfen = words.get("sfen"), saved = parts.solve ? null : Kept.get("mate");
      if (saved && (!sfen || sfen === saved.sfen)) restore(saved);
      else if (sfen && sfen !== toSfen(start)) {
        isRestHeld = words.get("rest") !== "out";
        try { reset(fromSfen(ask({ ask: "position", start: sfen, moves: [] }).sfen)); } catch { /* an address that says nothing */ }
      }
      show();
    },
    close: pause,
    take,
    onKey,
    state: () => ({ answer, message: message(), sfen: toSfen(start) }),
  };
})();
