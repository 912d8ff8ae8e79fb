// A game against the engine.

const Play = (() => {
  let handicaps = null;
  const HANDICAPS = () => (handicaps ??= ask({ ask: "handicaps" }).handicaps);
  const CLOCKS = { none: null, long: { main: 600000, byoyomi: 30000 }, short: { main: 0, byoyomi: 30000 } };
  /** Milliseconds that the engine may take where there is no clock, at full strength. */
  const FULL_THINK = 3000;

  /** Choices of the form. */
  const chosen = { level: "20kyu", style: null, handicap: "even", side: "b", clock: "none" };
  let host = null, board = null, parts = {}, game = null, view = 0, flipped = false, picked = null, now = null, engine = null, ticker = 0, stats = {};

  const sideIndex = (side) => (side === "w" ? 1 : 0);
  const other = (side) => (side === "b" ? "w" : "b");
  const isEven = () => (game?.handicap ?? chosen.handicap) === "even";
  const sideWords = (side) => t(isEven() ? (side === "b" ? "black" : "white") : side === "b" ? "lower" : "upper");
  const nameOf = (side) => (!game ? sideWords(side) : side !== game.you ? `Komainu ${levelWords(game.level)}` : t("you"));
  const isYourTurn = () => game && !game.end && now.side === game.you && view === game.moves.length && !game.locked;

  // The game, as the library tells it.

  function look() {
    now = ask({ ask: "position", start: game.start, moves: game.moves });
    game.texts = now.texts;
    if (now.end) finish(now.end);
  }

  /** A position of the game, with what the move before it did. They are kept, and cut when moves are taken back. */
  function pictureAt(ply) {
    if (!game) return { position: fromSfen(startOf(chosen.handicap)), done: null };
    const walk = game.walk ??= [{ position: fromSfen(game.start), done: null }];
    while (walk.length <= ply) {
      const [position, done] = play(walk.at(-1).position, game.moves[walk.length - 1]);
      walk.push({ position, done });
    }
    return walk[ply];
  }

  const startOf = (name) => HANDICAPS().find((one) => one.name === name)?.sfen ?? START;

  async function begin(given) {
    const you = chosen.side === "random" ? (Math.random() < 0.5 ? "b" : "w") : chosen.side;
    const clock = CLOCKS[chosen.clock];
    leave();
    game = given ?? { start: startOf(chosen.handicap), handicap: chosen.handicap, moves: [], texts: [], spent: [], you, level: chosen.level, style: chosen.style, clock: chosen.clock, started: new Date(), end: null };
    game.locked = true;
    game.since = performance.now();
    game.left = clock ? [clock.main, clock.main] : null;
    flipped = game.you === "w";
    stats = {};
    picked = null;
    view = game.moves.length;
    look();
    show();
    engine.send(`setoption name Level value ${game.level}`);
    if (game.style && ENGINE_OPTIONS.has("LevelStyle")) engine.send(`setoption name LevelStyle value ${game.style}`);
    engine.send("setoption name USI_Hash value 64");
    engine.send("usinewgame");
    const mine = game;
    await engine.until("readyok", ["isready"]);
    if (mine !== game) return;
    game.locked = false;
    turn();
  }

  /** Lets go of a game; an answer that is still to come counts for nothing. */
  function leave() {
    clearInterval(ticker);
    if (game?.thinking) engine.send("stop");
    game = null;
  }

  function turn() {
    if (!game) return;
    if (game.end) return update();
    game.since = performance.now();
    clearInterval(ticker);
    if (game.left) ticker = setInterval(tick, 200);
    update();
    if (now.side === game.you) {
      say([game.moves.length ? spoken(game.moves.length - 1) : null, t(now.check ? "inCheck" : "yourTurn")].filter(Boolean).join(" "));
    } else think();
  }

  const spoken = (index) => moveWords(game.texts[index], pictureAt(index + 1).done);

  /** Milliseconds left to the side to move, and of byoyomi. */
  function remaining() {
    const used = performance.now() - game.since, main = game.left[sideIndex(now.side)], { byoyomi } = CLOCKS[game.clock];
    return main > used ? main - used : main + byoyomi - used;
  }

  function tick() {
    if (!game || game.end) return clearInterval(ticker);
    if (remaining() <= 0) finish({ ending: "time-up", winner: other(now.side) });
    else drawClocks();
  }

  function goLine() {
    const full = game.level === "full";
    if (!game.left) return full ? `go byoyomi ${FULL_THINK}` : "go byoyomi 10000";
    const [b, w] = game.left.map((ms) => Math.round(ms));
    return `go btime ${b} wtime ${w} byoyomi ${CLOCKS[game.clock].byoyomi}`;
  }

  async function think() {
    const mine = game, turnNumber = game.turns = (game.turns ?? 0) + 1;
    const isOver = () => mine !== game || turnNumber !== game.turns || game.end;
    while (mine.thinking) await mine.thinking.catch(() => {});
    if (isOver()) return;
    const position = `position sfen ${game.start}${game.moves.length ? " moves " + game.moves.join(" ") : ""}`;
    mine.thinking = engine.until("bestmove", [position, goLine()], (line) => {
      if (!line.startsWith("info ") || mine !== game) return;
      if (/^info string level .*, plan /.test(line)) game.plan = line.slice(18);
      parts.stats?.replaceChildren(statsWords(readStats(line, stats)));
    });
    let answer;
    try { answer = await mine.thinking; } catch (error) { mine.thinking = null; return broken(error); }
    mine.thinking = null;
    if (isOver()) return;
    const move = answer.split(" ")[1];
    if (move === "resign") return finish({ ending: "resignation", winner: game.you });
    if (move === "win") return finish({ ending: "declaration", winner: other(game.you) });
    make(move);
  }

  function broken(error) {
    parts.status.textContent = t("broken", error.message);
    say(parts.status.textContent);
  }

  /** Plays a move of whoever's turn it is. */
  function make(move) {
    const used = performance.now() - game.since, side = sideIndex(now.side);
    if (game.left) game.left[side] = Math.max(0, game.left[side] - used);
    const wasAtEnd = view === game.moves.length;
    game.moves.push(move);
    game.spent.push(Math.round(used));
    picked = null;
    look();
    if (wasAtEnd) view = game.moves.length;
    remember();
    if (!game.end) turn();
    else update();
  }

  function finish(end) {
    clearInterval(ticker);
    game.end = end;
    picked = null;
    remember();
    if (game.thinking) engine.send("stop");
    update();
    say([game.moves.length ? spoken(game.moves.length - 1) : null, resultWords()].filter(Boolean).join(" "));
  }

  function resultWords() {
    const { ending, winner } = game.end;
    if (ending === "interrupted") return t("brokenOff");
    const head = winner ? t(winner === game.you ? "youWin" : "youLose") : t("drawn");
    return language ? `${head}（${endingWords(ending)}）` : `${head}: ${endingWords(ending).toLowerCase()}`;
  }

  function takeBack() {
    const back = now.side === game.you ? 2 : 1;
    if (game.moves.length < back) return;
    if (game.thinking) engine.send("stop");
    game.turns = (game.turns ?? 0) + 1;
    game.moves.splice(-back);
    game.spent.splice(-back);
    game.walk?.splice(game.moves.length + 1);
    game.end = null;
    view = game.moves.length;
    picked = null;
    look();
    remember();
    say(t("taken"));
    turn();
  }

  let resignTimer = 0;
  function resign() {
    if (!resignTimer) {
      parts.resign.textContent = t("reallyResign");
      parts.resign.classList.add("sure");
      resignTimer = setTimeout(calm, 4000);
      return;
    }
    calm();
    finish({ ending: "resignation", winner: other(game.you) });
  }
  function calm() {
    clearTimeout(resignTimer);
    resignTimer = 0;
    parts.resign.textContent = t("resign");
    parts.resign.classList.remove("sure");
  }

  // What is pressed on the board.

  /** The moves from what is picked up. */
  const movesFrom = (from) => {
    const head = from.square ? from.square.file + RANKS[from.square.rank - 1] : from.piece + "*";
    return now.legal.filter((move) => move.startsWith(head));
  };
  const isOwn = (from) => {
    if (!isYourTurn()) return false;
    if (from.piece) return from.side === sideIndex(game.you);
    const piece = fromSfen(now.sfen).cells[place(from.square)];
    return piece !== "" && isBlack(piece) === (game.you === "b");
  };

  async function act(what) {
    if (!isYourTurn()) return;
    const isSame = picked && (what.square ? picked.square && place(picked.square) === place(what.square) : picked.piece === what.piece && picked.side === what.side);
    if (isSame && !what.isDrag) picked = null;
    else if (isOwn(what)) picked = what;
    else if (picked && what.square) return to(what.square);
    update();
  }

  async function to(square) {
    const name = square.file + RANKS[square.rank - 1], from = picked, fits = movesFrom(from).filter((move) => move.slice(2, 4) === name);
    picked = null;
    if (!fits.length) {
      parts.status.textContent = t("notLegal");
      say(t("notLegal"));
      return update(true);
    }
    let move = fits[0];
    if (fits.length > 1) {
      const mine = game, piece = fromSfen(now.sfen).cells[place(from.square)];
      game.locked = true;
      const promotes = await askPromotion(board, square, piece, flipped);
      if (mine !== game) return;
      game.locked = false;
      if (promotes === null) {
        picked = from;
        update();
        return from.square && board.focusSquare(from.square);
      }
      move = fits.find((one) => one.endsWith("+") === promotes);
    }
    make(move);
    board.focusSquare(square);
  }

  function drop(from, target) {
    if (target.square && picked && !(from.square && place(from.square) === place(target.square))) to(target.square);
    else cancel();
  }

  function cancel() {
    picked = null;
    update();
  }

  // What is shown.

  function setup() {
    const level = ENGINE_OPTIONS.get("Level"), style = ENGINE_OPTIONS.get("LevelStyle");
    const levels = level?.vars.length ? level.vars : ["full"];
    if (!levels.includes(chosen.level)) chosen.level = levels[0];
    chosen.style ??= style?.default ?? null;
    const select = (key, name, values, onchange) => field(name, el("select", { id: "set-" + key, onchange: (event) => { chosen[key] = event.target.value; onchange?.(); } },
      values.map(([value, words]) => el("option", { value, selected: value === chosen[key] }, words))));
    const sides = () => [["b", sideWords("b")], ["w", sideWords("w")], ["random", t("random")]];
    const redraw = () => { flipped = chosen.side === "w"; update(); };
    const order = [...levels.filter((one) => one !== "full"), ...levels.filter((one) => one === "full")];
    return el("form.setup", { onsubmit: (event) => { event.preventDefault(); begin(); } },
      select("level", t("level"), order.map((one) => [one, levelWords(one)])), el("p.soft.hint", null, t("levelNote")),
      style?.vars.length ? select("style", t("style"), style.vars.map((one) => [one, styleWords(one)])) : null,
      select("handicap", t("handicapWord"), HANDICAPS().map(({ name }) => [name, HANDICAP_WORDS[name]?.[language] ?? name]), () => { redraw(); parts.setup.querySelector("#set-side").replaceChildren(...sides().map(([value, words]) => el("option", { value, selected: value === chosen.side }, words))); }),
      select("side", t("side"), sides(), redraw),
      select("clock", t("clock"), [["none", t("clockNone")], ["long", t("clockLong")], ["short", t("clockShort")]]),
      el("button.main", { type: "submit" }, t("begin")));
  }

  const field = (name, control) => el("label.field", null, el("span", null, name), control);
  const button = (text, action, attributes) => el("button", { type: "button", onclick: action, ...attributes }, text);

  function show() {
    board = makeBoard({ act, drop, isMovable: isOwn, cancel });
    parts = {
      players: [0, 1].map(() => el("div.player.seat", null, el("span.turn", { "aria-hidden": "true" }), el("span.who"), el("span.slot"), game?.left ? el("span.clock", { role: "timer" }) : null)),
      status: el("p.status"), moves: el("div.moves"), stats: el("p.stats.soft"),
      step: el("div.controls"),
      resign: button(t("resign"), resign), back: button(t("takeBack"), takeBack), declare: button(t("declare"), () => finish({ ending: "declaration", winner: game.you }), { class: "main" }),
    };
    parts.setup = game ? null : setup();
    const step = (text, name, to) => button(text, () => goTo(to()), { title: name, "aria-label": name });
    parts.step.append(step("«", t("first_"), () => 0), step("‹", t("previous"), () => view - 1), step("›", t("next"), () => view + 1), step("»", t("last"), () => game?.moves.length ?? 0));
    const looks = el("div.pane-tools", null, game ? parts.step : null, button("⇅ " + t("flip"), flip), button(t(letters ? "kanji" : "letters"), () => { letters = !letters; show(); }));
    parts.actions = el("div.tools");
    parts.after = el("div.tools");
    parts.side = el("div.side-pane", null, game ? el("section.card", { "aria-label": t("status") }, parts.status, parts.actions) : el("section.card", null, el("h2", null, t("setupTitle")), parts.setup),
      game ? el("section.card.list", { "aria-label": t("moves") }, parts.moves) : null, game ? parts.after : null, game ? parts.stats : null);
    host.replaceChildren(el("h1.unseen", null, t("play")), el(`div.board-and-moves.playing${game ? "" : ".choosing"}`, null, el("div.pane", null, parts.players[1], board.node, parts.players[0], looks), parts.side),
      el("p.soft.keys", null, t("keysPlay")));
    parts.stats.textContent = statsWords(stats);
    update();
  }

  function goTo(ply) {
    if (!game) return;
    view = Math.min(Math.max(ply, 0), game.moves.length);
    picked = null;
    update();
    say(view ? `${view} ${spoken(view - 1)}` : t("start"));
  }

  function flip() {
    flipped = !flipped;
    update();
  }

  function drawClocks() {
    if (!game?.left) return;
    [0, 1].forEach((index) => {
      const side = flipped ? 1 - index : index, isNow = sideIndex(now.side) === side && !game.end, clock = parts.players[index].querySelector(".clock");
      const ms = isNow ? remaining() : game.left[side] > 0 ? game.left[side] : CLOCKS[game.clock].byoyomi;
      clock.textContent = clockWords(ms);
      clock.classList.toggle("short", isNow && ms < 10000);
    });
  }

  /** Draws what has changed; the status stays with `keepStatus`. */
  function update(keepStatus) {
    if (!host || !board) return;
    const { position, done } = pictureAt(view);
    const targets = picked && isYourTurn() ? movesFrom(picked).map((move) => move.slice(2, 4)) : [];
    const names = ["b", "w"].map(nameOf);
    board.draw({ position, done, flipped, picked, targets, names });
    [0, 1].forEach((index) => {
      const side = flipped ? 1 - index : index, letter = side ? "w" : "b", isNow = position.black === (side === 0);
      const [turnMark, who, slot] = parts.players[index].children;
      turnMark.className = isNow ? "turn now" : "turn";
      turnMark.textContent = side ? "☖" : "☗";
      who.replaceChildren(el("span.soft", null, sideWords(letter)), " ", el("b", null, game ? nameOf(letter) : chosen.side === "random" ? "–" : letter === chosen.side ? t("you") : "Komainu"));
      // Moved only if need be: what has the focus would lose it.
      if (slot.firstChild !== board.hands[side]) slot.replaceChildren(board.hands[side]);
    });
    drawClocks();
    if (!game) return;
    const isLast = view === game.moves.length;
    if (!keepStatus) parts.status.textContent = game.end && isLast ? resultWords() : !isLast ? t("looking", view, game.moves.length) : game.locked && !game.turns && !game.moves.length ? t("loading") : now.side === game.you ? t(now.check ? "inCheck" : "yourTurn") : t("thinking");
    parts.status.className = `status${game.end ? " over" : ""}`;
    drawActions(isLast);
    drawMoves();
    const plan = game.plan?.match(/plan (.*)$/)?.[1];
    if (game.end && plan) parts.stats.textContent = t("itsPlan", plan);
  }

  function drawActions(isLast) {
    const canTake = game.moves.length >= (now.side === game.you ? 2 : 1);
    const wanted = [
      !isLast ? button(t("backToGame"), () => goTo(game.moves.length)) : null,
      isLast && isYourTurn() && now.declares ? parts.declare : null,
      parts.back, game.end ? null : parts.resign,
      game.end ? button(t("newGame"), () => { leave(); remember(); show(); }, { class: "main", id: "again" }) : null,
      game.end ? null : button(t("stopGame"), () => finish({ ending: "interrupted", winner: null }), { id: "break-off" }),
    ].filter(Boolean);
    parts.back.disabled = !canTake;
    const focused = document.activeElement?.id;
    if (wanted.map((one) => one.textContent).join() !== [...parts.actions.children].map((one) => one.textContent).join()) {
      parts.actions.replaceChildren(...wanted);
      if (focused) byId(focused)?.focus();
    }
    const has = game.moves.length > 0;
    if (!parts.after.children.length) {
      parts.after.append(button(t("analyseThis"), () => Analyse.begin(text("kif"), "game.kif")), button(t("mateHere"), () => Mate.take(toSfen(pictureAt(view).position), true)),
        button(t("saveKif"), () => save(text("kif"), fileName("kifu"))), button(t("copyKif"), (event) => copy(text("kif"), event.currentTarget)), button(t("copySfen"), (event) => copy(toSfen(pictureAt(view).position), event.currentTarget)));
    }
    [...parts.after.children].forEach((one) => { if (one.textContent !== t("copied")) one.disabled = !has; });
  }

  function drawMoves() {
    if (!game.moves.length) return parts.moves.replaceChildren(el("p.empty", null, t("noMoves")));
    const positions = game.moves.map((_, index) => pictureAt(index + 1).done);
    const rows = game.moves.map((_, index) => el("tr", { class: index + 1 === view ? "here" : null, onclick: () => goTo(index + 1) },
      el("td.soft", null, String(index + 1)), el("td.left", { lang: language ? "ja" : null }, language ? game.texts[index] : moveWords(game.texts[index], positions[index])), el("td.soft", null, game.spent[index] === null ? "" : clockWords(game.spent[index]))));
    if (game.end) rows.push(el("tr.end", null, el("td"), el("td.left", { colspan: 2 }, resultWords())));
    parts.moves.replaceChildren(el("table", null, el("tbody", null, rows)));
    const row = rows[Math.max(view - 1, 0)];
    parts.moves.scrollTop = game.end && view === game.moves.length ? parts.moves.scrollHeight : row.offsetTop - parts.moves.clientHeight / 2;
  }

  const stamp = (date, between) => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join(between);
  const fileName = (extension) => `komainu-${stamp(game.started, "")}.${extension}`;

  /** The game as a record. */
  function text(format) {
    const started = `${stamp(game.started, "/")} ${game.started.toTimeString().slice(0, 8)}`;
    return ask({ ask: "write", format, start: game.start, moves: game.moves, players: ["b", "w"].map(nameOf), end: game.end ?? { ending: "interrupted", winner: null }, spent: game.spent, started }).text;
  }

  /** The game in the address, so that it goes on after the page was loaded again. */
  function remember() {
    if (!game) return setHash("play", {});
    setHash("play", { start: game.start, moves: game.moves.join("."), you: game.you, level: game.level, style: game.style, clock: game.clock, handicap: game.handicap, ...(game.end && !now.end ? { end: game.end.ending, won: game.end.winner ?? "-" } : {}) });
  }

  /** Goes on with a game of the address. */
  function recall(words) {
    const moves = words.get("moves")?.split(".").filter(Boolean) ?? [], start = words.get("start");
    if (!start) return false;
    try { ask({ ask: "position", start, moves }); } catch { return false; }
    Object.assign(chosen, { level: words.get("level") ?? chosen.level, side: words.get("you") === "w" ? "w" : "b", clock: words.get("clock") in CLOCKS ? words.get("clock") : "none", handicap: words.get("handicap") ?? "even" });
    if (!ENGINE_OPTIONS.get("Level")?.vars.includes(chosen.level)) chosen.level = "20kyu";
    const won = words.get("won"), end = words.get("end") ? { ending: words.get("end"), winner: /^[bw]$/.test(won) ? won : null } : null;
    begin({ start, handicap: chosen.handicap, moves, texts: [], spent: moves.map(() => null), you: words.get("you") === "w" ? "w" : "b", level: chosen.level, style: words.get("style"), clock: chosen.clock, started: new Date(), end });
    return true;
  }

  function onKey(event) {
    const key = event.key.toLowerCase();
    if (key === "," && game) goTo(view - 1);
    else if (key === "." && game) goTo(view + 1);
    else if (key === "f") flip();
    else if (key === "escape" && picked) cancel();
    else return false;
    return true;
  }

  return {
    open(where, words) {
      host = where;
      if (!engine) engine = MAIN_ENGINE;
      const isOther = words.has("start") && (!game || words.get("start") !== game.start || (words.get("moves") ?? "") !== game.moves.join("."));
      if (isOther && recall(words)) return;
      show();
      if (game) remember();
    },
    onKey,
    // Read by the test of the page.
    state: () => ({ game, now, view }),
  };
})();
