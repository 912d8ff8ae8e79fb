// A game against the engine. Everything that it is, an open question and the clock too, stands in `game` and is kept.

const Play = (() => {
  /** Milliseconds that the engine may take where there is no clock, at full strength. */
  const FULL_THINK = 3000;
  /** Nodes of a hint. */
  const HINT_NODES = 200000;
  /** A value of `ResignValue` that no score of a level reaches. */
  const NEVER_RESIGNS = 90000;
  /** Seconds left that are said. */
  const WARNINGS = [60, 30, 10, 5];

  let host = null, board = null, parts = {}, game = null, view = 0, flipped = false, picked = null, now = null, engine = null, ticker = 0, stats = {};
  /** What was wrong with the last try: words and squares. A hint: the move, and how much of it is shown. */
  let fault = null, hint = null, kept = 0;
  /** The move that the referee has asked about. */
  let asked = "";

  const sideIndex = (side) => (side === "w" ? 1 : 0);
  const other = (side) => (side === "b" ? "w" : "b");
  const handicap = () => game?.handicap ?? SETTINGS.handicap;
  const nameOf = (side) => (!game ? sideWords(side, handicap()) : side !== game.you ? `Komainu ${levelWords(game.level)}` : t("you"));
  const isYourTurn = () => Boolean(game && !game.end && now.side === game.you && view === game.moves.length && !game.locked);
  const clock = () => clockOf(game.clock);

  // The game, as the library tells it.

  function look() {
    now = ask({ ask: "position", start: game.start, moves: game.moves, plies: game.limit, declarations: game.declarations });
    game.texts = now.texts;
    if (now.end && !game.end) finish(now.end);
  }

  /** A position of the game, with what the move before it did. They are kept, and cut when moves are taken back. */
  function pictureAt(ply) {
    if (!game) return { position: fromSfen(startOf(SETTINGS.handicap)), done: null };
    const walk = game.walk ??= [{ position: fromSfen(game.start), done: null }];
    while (walk.length <= ply) {
      const [position, done] = play(walk.at(-1).position, game.moves[walk.length - 1]);
      walk.push({ position, done });
    }
    return walk[ply];
  }

  const newGame = (more) => {
    const you = SETTINGS.side === "random" ? (Math.random() < 0.5 ? "b" : "w") : SETTINGS.side, name = chosenClock(), time = clockOf(name);
    const started = { start: startOf(SETTINGS.handicap), handicap: SETTINGS.handicap, moves: [], spent: [], you, level: SETTINGS.level, style: SETTINGS.style, seed: 1 + Math.floor(Math.random() * 2147483646), clock: name,
      limit: SETTINGS.limit, declarations: SETTINGS.declarations, started: new Date().toISOString(), end: null, question: null, hints: 0, ...more };
    started.isFirst = !SETTINGS.hasPlayed;
    SETTINGS.hasPlayed = true;
    keepSettings();
    return { left: time && [time.main, time.main], lefts: [], ...started };
  };

  /** Begins a game, a new one or one that is gone on with. */
  async function begin(given, at) {
    leave();
    game = given ?? newGame();
    game.locked = true;
    game.since = performance.now() - (game.used ?? 0);
    flipped = game.flipped ?? game.you === "w";
    [stats, picked, fault, hint] = [{}, null, null, null];
    view = at ?? game.moves.length;
    look();
    show();
    if (!given) board.focusSquare(pictureAt(0).position.black === (game.you === "b") ? { file: 7, rank: 7 } : { file: 5, rank: 5 });
    const values = { Level: game.level, LevelStyle: game.style, LevelSeed: game.seed, USI_Hash: 64, Threads: SEARCH_THREADS, MaxMovesToDraw: game.limit, EnteringKingRule: game.declarations, ResignValue: game.playsOn ? NEVER_RESIGNS : 99999 };
    for (const [name, value] of Object.entries(values)) if (value !== null && value !== undefined && ENGINE_OPTIONS.has(name)) engine.send(`setoption name ${name} value ${value}`);
    engine.send("usinewgame");
    const mine = game;
    await engine.until("readyok", ["isready"]);
    if (mine !== game) return;
    game.locked = false;
    turn(game.used);
  }

  /** Lets go of a game; an answer that is still to come counts for nothing. */
  function leave() {
    clearInterval(ticker);
    if (game?.thinking) engine.send("stop");
    game = null;
  }

  function turn(used = 0) {
    if (!game) return;
    if (game.end) return update();
    game.since = performance.now() - (used ?? 0);
    game.warned = null;
    clearInterval(ticker);
    // While the reader is asked about a resignation no clock runs.
    if (game.offered) return update();
    if (game.left) ticker = setInterval(tick, 200);
    update();
    if (now.side === game.you) {
      if (!game.question) say([game.moves.length ? spoken(game.moves.length - 1) : null, t(now.check ? "inCheck" : "yourTurn")].filter(Boolean).join(" "));
    } else think();
  }

  const spoken = (index) => {
    const { position, done } = pictureAt(index + 1), isLast = index + 1 === game.moves.length;
    return spokenMove(done, nameOf(done.black ? "b" : "w"), isLast ? now.check : isCheck(position));
  };
  const isCheck = (position) => { try { return ask({ ask: "position", start: toSfen(position), moves: [] }).check; } catch { return false; } };

  /** Milliseconds that the side to move has used for its move. */
  const usedNow = () => performance.now() - game.since;
  const remaining = () => leftOf(clock(), game.left[sideIndex(now.side)], usedNow());

  function tick() {
    if (!game || game.end) return clearInterval(ticker);
    if (remaining() <= 0) return finish({ ending: "time-up", winner: other(now.side) });
    drawClocks();
    warn();
    if (performance.now() - kept > 1000) keep();
  }

  /** Says when little time is left to the reader. */
  function warn() {
    if (now.side !== game.you) return;
    const left = remaining() / 1000, inByoyomi = game.left[sideIndex(now.side)] <= usedNow() && clock().byoyomi > 0;
    if (inByoyomi && !game.inByoyomi && game.left[sideIndex(now.side)] > 0) say(t("byoyomiBegins"));
    game.inByoyomi = inByoyomi;
    const mark = WARNINGS.findLast((seconds) => left <= seconds);
    if (!mark || mark === game.warned) return;
    if (game.warned === null && left < mark - 1) return void (game.warned = mark);
    game.warned = mark;
    say(t("secondsLeft", mark));
    if (mark <= 10) Sound.play("tick");
  }

  function goLine() {
    if (!game.left) return game.level === "full" ? `go byoyomi ${FULL_THINK}` : "go byoyomi 10000";
    const [b, w] = game.left.map((ms) => Math.round(ms)), { byoyomi, increment } = clock();
    return increment ? `go btime ${b} wtime ${w} binc ${increment} winc ${increment}` : `go btime ${b} wtime ${w} byoyomi ${byoyomi}`;
  }

  async function think() {
    const mine = game, turnNumber = game.turns = (game.turns ?? 0) + 1;
    const isOver = () => mine !== game || turnNumber !== game.turns || game.end;
    while (mine.thinking) await mine.thinking.catch(() => {});
    if (isOver()) return;
    const position = `position sfen ${game.start}${game.moves.length ? " moves " + game.moves.join(" ") : ""}`;
    mine.thinking = engine.until("bestmove", [position, goLine()], (line) => {
      if (!line.startsWith("info ") || mine !== game) return;
      if (/^info string level .*, plan /.test(line)) game.plan = line.replace(/^.*, plan /, "");
      parts.stats?.replaceChildren(statsWords(readStats(line, stats)));
    });
    let answer;
    try { answer = await mine.thinking; } catch (error) { mine.thinking = null; return broken(error); }
    mine.thinking = null;
    if (isOver()) return;
    const move = answer.split(" ")[1];
    if (move === "resign") return offerResignation();
    if (move === "win") return finish(now.draws ? { ending: "impasse", winner: null } : { ending: "declaration", winner: other(game.you) });
    make(move);
  }

  /** Komainu gives up: the reader takes it, or plays on to the mate. */
  function offerResignation() {
    clearInterval(ticker);
    if (game.left) game.left[sideIndex(now.side)] = Math.max(0, game.left[sideIndex(now.side)] - usedNow());
    game.offered = true;
    keep();
    update();
    say(t("offersResignation"));
  }

  function accept() {
    // The time of the question is nobody's.
    game.since = performance.now();
    finish({ ending: "resignation", winner: game.you });
  }

  function playOn() {
    clear();
    game.playsOn = true;
    engine.send(`setoption name ResignValue value ${NEVER_RESIGNS}`);
    keep();
    turn();
  }

  function broken(error) {
    parts.status.textContent = t("broken", error.message);
    say(parts.status.textContent);
  }

  /** Plays a move of whoever's turn it is. */
  function make(move) {
    const used = usedNow(), side = sideIndex(now.side), yours = now.side === game.you;
    if (game.left) {
      game.lefts[game.moves.length] = [...game.left];
      game.left[side] = afterMove(clock(), game.left[side], used);
    }
    const wasAtEnd = view === game.moves.length;
    game.moves.push(move);
    game.spent[game.moves.length - 1] = Math.round(used);
    clear();
    look();
    if (wasAtEnd) view = game.moves.length;
    keep();
    const { done } = pictureAt(game.moves.length);
    if (!game.end) Sound.play(now.check ? "check" : done.captured ? "capture" : "move");
    if (yours && !game.end) say(spoken(game.moves.length - 1));
    if (yours) judgeAgain();
    if (!game.end) turn();
    else update();
  }

  /** In a game that is played again: whether the first move held what the one of the first time gave away. */
  async function judgeAgain() {
    const { again } = game, mine = game;
    if (!again || game.moves.length !== again.at + 1) return;
    let found = null;
    const best = await Helper.search({ start: game.start, moves: [...game.moves] }, `go nodes ${HINT_NODES}`, 1, (line) => { found = line; }).catch(() => null);
    if (mine !== game || !best || !found) return;
    const black = found.mate !== null ? (found.mate > 0 ? 1 : 0) : 1 / (1 + Math.exp(-found.cp / again.scale));
    again.now = game.you === "w" ? 1 - black : black;
    keep();
    update();
    say(againWords());
  }

  /** What is said of a game that is played again. */
  function againWords() {
    const { before, then, now: chance } = game.again ?? {};
    if (chance === undefined || game.moves.length <= game.again.at) return "";
    // Half of what was given away the first time is still a mistake.
    return t(before - chance <= (before - then) / 2 ? "held" : "lostAgain", percent(before), percent(chance), percent(then));
  }

  /** What ends with every move, and with the game: what is picked up, a question, what was wrong, a hint. */
  function clear() {
    [picked, fault, hint] = [null, null, null];
    if (game) game.question = game.offered = null;
  }

  function finish(end) {
    clearInterval(ticker);
    if (game.left && end.ending === "time-up") game.left[sideIndex(other(end.winner))] = 0;
    else if (game.left) game.left[sideIndex(now.side)] = Math.max(0, game.left[sideIndex(now.side)] - usedNow());
    game.end = end;
    clear();
    calm();
    keep();
    if (game.thinking) engine.send("stop");
    Sound.play("end");
    update();
    say([game.moves.length ? spoken(game.moves.length - 1) : null, resultWords()].filter(Boolean).join(" "));
  }

  /** What the opponent is building and what is missing of it, and the same of the reader's castle; once it was asked for. */
  function lessonWords() {
    if (!game.lesson) return "";
    const { plan, castle } = ask({ ask: "lesson", start: game.start, moves: game.moves.slice(0, view), you: game.you, plan: game.plan ?? null });
    const places = ({ missing }) => missing.map(([piece, square]) => pieceWords(piece) + " " + squareWords(squareOf(square))).join(language ? "、" : ", ");
    const tell = (kind, one) => one && t(one.missing.length ? kind + "Lacks" : kind + "Stands", one.names[1 - language], one.missing.length, places(one));
    return [tell("plan", plan) ?? t("noPlan"), tell("castle", castle) ?? t("noCastle")].join(" ");
  }
  const squareOf = (name) => ({ file: Number(name[0]), rank: RANKS.indexOf(name[1]) + 1 });

  /** The result from the reader's side; in lists and records from nobody's. */
  function resultWords() {
    const { ending, winner } = game.end;
    if (ending === "interrupted") return t("brokenOff");
    const head = winner ? t(winner === game.you ? "youWin" : "youLose") : t("drawn"), reason = reasonWords(ending);
    return language ? `${head}（${reason}）` : `${head} (${reason})`;
  }
  const outcome = () => outcomeWords(game.end.ending, game.end.winner && sideIndex(game.end.winner), ["b", "w"].map(nameOf));

  function takeBack() {
    const back = now.side === game.you ? 2 : 1;
    if (game.moves.length < back) return;
    if (game.thinking) engine.send("stop");
    game.turns = (game.turns ?? 0) + 1;
    game.moves.splice(-back);
    game.spent.splice(game.moves.length);
    game.walk?.splice(game.moves.length + 1);
    if (game.left) game.left = game.lefts[game.moves.length] ?? game.left;
    game.lefts.splice(game.moves.length);
    game.end = null;
    view = game.moves.length;
    clear();
    look();
    keep();
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
    if (!parts.resign) return;
    parts.resign.textContent = t("resign");
    parts.resign.classList.remove("sure");
  }

  /** The first press shows the piece, the second the move. */
  async function askHint() {
    if (!isYourTurn()) return;
    if (hint?.move) {
      hint.isWhole = true;
      return tellHint();
    }
    const mine = hint = { move: null, isWhole: false };
    update();
    const move = await Helper.search({ start: game.start, moves: game.moves }, `go nodes ${HINT_NODES}`, 1).catch(() => null);
    if (mine !== hint || !isYourTurn()) return;
    if (!move || !now.legal.includes(move)) hint = null;
    else {
      hint.move = move;
      game.hints++;
      keep();
    }
    tellHint();
  }

  function tellHint() {
    update();
    if (hint?.move) say(hintWords());
  }

  function hintWords() {
    if (!hint.move) return t("hintComing");
    const { position } = pictureAt(game.moves.length), [, done] = play(position, hint.move);
    if (hint.isWhole) return t("hintMove", language ? japanese(done, pictureAt(game.moves.length).done?.to, true).replace(/\(\d\d\)$/, "") : western(done));
    return t("hintPiece", done.drop ? t("inHandOf", pieceWords(done.piece)) : `${squareWords(done.from)} ${pieceWords(done.piece)}`);
  }

  // What is pressed on the board.

  const headOf = (from) => (from.square ? squareName(from.square) : from.piece + "*");
  /** The moves from what is picked up. */
  const movesFrom = (from) => now.legal.filter((move) => move.startsWith(headOf(from)));
  const isOwn = (from) => {
    if (!isYourTurn() || game.question) return false;
    if (from.piece) return from.side === sideIndex(game.you);
    const piece = fromSfen(now.sfen).cells[place(from.square)];
    return piece !== "" && isBlack(piece) === (game.you === "b");
  };

  function act(what) {
    if (!isYourTurn() || game.question) return;
    fault = null;
    const isSame = picked && (what.square ? picked.square && place(picked.square) === place(what.square) : picked.piece === what.piece && picked.side === what.side);
    if (isSame && !what.isDrag) picked = null;
    else if (isOwn(what)) picked = what;
    else if (picked && what.square) return to(what.square);
    update();
  }

  function to(square) {
    const name = squareName(square), from = picked, fits = movesFrom(from).filter((move) => move.slice(2, 4) === name);
    picked = null;
    if (!fits.length) return refuse(headOf(from) + name);
    if (fits.length > 1) {
      game.question = { from, square, fits };
      keep();
      return update();
    }
    makeOwn(fits[0], square);
  }

  /** Plays a move of the reader's, unless the referee asks first whether a piece is meant to hang. */
  function makeOwn(move, square) {
    const key = `${game.moves.length} ${move}`, hangs = SETTINGS.referee && asked !== key ? ask({ ask: "hanging", start: game.start, moves: game.moves, move }).pieces : [];
    asked = key;
    if (hangs.length) {
      const names = hangs.map(([piece, where]) => `${pieceWords(piece)} ${squareWords(squareOf(where))}`).join(language ? "、" : ", ");
      fault = { words: t("hangs", names), squares: hangs.map(([, where]) => where) };
      Sound.play("wrong");
      say(fault.words);
      return update();
    }
    make(move);
    board.focusSquare(square);
  }

  /** Says which rule a move breaks, and lights the pieces that show it. */
  function refuse(move) {
    let found = null;
    try { found = ask({ ask: "foul", start: game.start, moves: game.moves, move }); } catch { /* it names no square of the board */ }
    const rule = found?.foul ?? (now.check ? "stillInCheck" : null);
    fault = { words: rule ? t(rule === "king-in-check" && now.check ? "stillInCheck" : rule) : t("notLegal"), squares: found?.squares.length ? found.squares : now.checkers };
    Sound.play("wrong");
    say(fault.words);
    update();
  }

  function answerQuestion(promotes) {
    const { from, square, fits } = game.question;
    if (!isYourTurn()) return;
    game.question = null;
    if (promotes === null) {
      picked = from;
      keep();
      update();
      return from.square && board.focusSquare(from.square);
    }
    makeOwn(fits.find((one) => one.endsWith("+") === promotes), square);
  }

  /** The question of the game, as the board shows it. */
  function question() {
    if (!game?.question || !isYourTurn()) return null;
    const { from, square, fits } = game.question;
    return { move: fits[0], square, piece: fromSfen(now.sfen).cells[place(from.square)], answer: answerQuestion };
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

  function show() {
    board = makeBoard({ act, drop, isMovable: isOwn, cancel });
    const step = (text, name, to) => button(text, () => goTo(to()), { title: name, "aria-label": name });
    parts = {
      seats: [makeSeat(), makeSeat()], status: el("p.status"), moves: el("div.moves"), stats: el("p.stats.soft"), step: el("div.controls"), actions: el("div.tools"), after: el("div.tools"), note: el("p.soft.plan"),
      resign: button(t("resign"), resign, { id: "resign" }), back: button(t("takeBack"), takeBack, { id: "take-back" }), hint: button(t("hint"), askHint, { id: "hint" }),
      accept: button(t("accept"), accept, { class: "main", id: "accept" }), playOn: button(t("playToMate"), playOn, { id: "play-on" }),
      declare: button(t("declare"), () => finish({ ending: "declaration", winner: game.you }), { class: "main" }), impasse: button(t("declareDraw"), () => finish({ ending: "impasse", winner: null }), { class: "main" }),
    };
    parts.setup = game ? null : setupForm(() => begin(), () => { flipped = SETTINGS.side === "w"; update(); });
    parts.step.append(step("«", t("first_"), () => 0), step("‹", t("previous"), () => view - 1), step("›", t("next"), () => view + 1), step("»", t("last"), () => game?.moves.length ?? 0));
    rove(parts.moves, (index) => goTo(index + 1));
    const looks = el("div.pane-tools", null, game ? parts.step : null, button("⇅ " + t("flip"), flip), button(t(letters ? "kanji" : "letters"), () => { letters = !letters; choice.set("pieces", letters ? "letters" : "kanji"); show(); }));
    const state = game ? el("section.card.state", { "aria-label": t("status") }, parts.status, parts.actions, game.isFirst ? soundOffer() : null) : null;
    const side = game
      ? [listCard(parts.moves), parts.after, el("div.below", null, soundSwitch(), refereeSwitch(), parts.note, game.level === "full" ? parts.stats : el("details", null, el("summary", null, t("details")), parts.stats))]
      : [el("section.card", null, el("h2", null, t("setupTitle")), parts.setup)];
    host.replaceChildren(el("h1.unseen", null, t("play")), el(`div.desk${game ? "" : ".choosing"}`, null, el("div.top", null, parts.seats[1]), board.node, el("div.low", null, parts.seats[0]), ...(state ? [state] : []), looks, el("div.side-pane", null, side)),
      el("p.soft.keys", null, t("keysPlay")));
    parts.stats.textContent = statsWords(stats);
    update();
  }

  function goTo(ply) {
    if (!game) return;
    view = Math.min(Math.max(ply, 0), game.moves.length);
    [picked, fault] = [null, null];
    const inList = parts.moves.contains(document.activeElement);
    update();
    if (inList) parts.moves.querySelector("button[tabindex='0']")?.focus();
    else say(view ? `${view} ${spoken(view - 1)}` : t("start"));
  }

  function flip() {
    flipped = !flipped;
    if (game) game.flipped = flipped;
    keep();
    update();
  }

  /** Milliseconds that the clock of a side shows. */
  function shownTime(side) {
    if (sideIndex(now.side) === side && !game.end) return remaining();
    const left = game.left[side];
    if (left > 0) return left;
    const isLost = game.end?.ending === "time-up" && sideIndex(game.end.winner) !== side;
    return isLost ? 0 : clock().byoyomi;
  }

  function drawClocks() {
    if (!game?.left) return;
    [0, 1].forEach((index) => {
      const side = flipped ? 1 - index : index, ms = shownTime(side), place = parts.seats[index].querySelector(".clock");
      place.textContent = clockWords(ms);
      place.classList.toggle("short", ms < 10000 && (sideIndex(now.side) === side || ms === 0));
    });
  }

  /** Squares of a king in check and of what checks it. */
  function checkedSquares(position) {
    if (!game || view !== game.moves.length || !now.check) return [];
    const king = position.cells.findIndex((piece) => piece === (now.side === "b" ? "K" : "k"));
    return [squareName({ file: 9 - (king % 9), rank: Math.floor(king / 9) + 1 }), ...now.checkers];
  }

  function update() {
    if (!host || !board) return;
    const { position, done } = pictureAt(view), isHere = hint?.move && isYourTurn();
    const targets = picked && isYourTurn() ? movesFrom(picked).map((move) => move.slice(2, 4)) : [];
    const hinted = isHere && !hint.isWhole && hint.move[1] !== "*" ? [hint.move.slice(0, 2)] : [];
    board.draw({ position, done, flipped, picked, targets, names: ["b", "w"].map(nameOf), checked: checkedSquares(position), faults: fault?.squares ?? hinted, arrows: isHere && hint.isWhole ? [[hint.move, "best"]] : [], question: question(),
      standNotes: game?.isFirst ? ["b", "w"].map((side) => (side === game.you ? t("standNote") : null)) : [] });
    [0, 1].forEach((index) => {
      const side = flipped ? 1 - index : index, letter = side ? "w" : "b";
      const name = game ? nameOf(letter) : SETTINGS.side === "random" ? "–" : letter === SETTINGS.side ? t("you") : "Komainu";
      fillSeat(parts.seats[index], board, side, position.black === (side === 0), [el("span.soft", null, sideWords(letter, handicap())), " ", el("b", null, name)], game?.left ? null : "");
    });
    drawClocks();
    if (!game) return;
    const isLast = view === game.moves.length;
    parts.status.textContent = statusWords(isLast);
    parts.status.className = `status${game.end ? " over" : fault ? " problem" : now.check && isLast ? " in-check" : ""}`;
    drawActions(isLast);
    drawMoves();
    parts.note.textContent = [againWords(), lessonWords(), game.end && game.plan && !game.lesson ? t("itsPlan", planWords(game.plan)) : ""].filter(Boolean).join(" ");
  }

  function statusWords(isLast) {
    if (fault) return fault.words;
    if (game.end && isLast) return resultWords();
    if (!isLast) return t("looking", view, game.moves.length);
    if (game.locked) return t("loading");
    if (game.offered) return t("offersResignation");
    if (game.question) return t("promoteQuestion");
    if (hint && isYourTurn()) return hintWords();
    return now.side === game.you ? t(now.check ? "inCheck" : "yourTurn") : t("thinking");
  }

  function drawActions(isLast) {
    const canTake = game.moves.length >= (now.side === game.you ? 2 : 1);
    const wanted = [
      !isLast ? button(t("backToGame"), () => goTo(game.moves.length)) : null,
      ...(isLast && game.offered ? [parts.accept, parts.playOn] : []),
      isLast && isYourTurn() && now.declares ? parts.declare : null, isLast && isYourTurn() && now.draws ? parts.impasse : null,
      game.end ? button(t("newGame"), () => { leave(); keep(); show(); }, { class: "main", id: "again" }) : null,
      // While a resignation is offered there is no move to be hinted at, and nothing to give up.
      parts.back, ...(game.end || game.offered ? [] : [parts.hint, parts.resign]),
      game.end ? null : button(t("stopGame"), () => finish({ ending: "interrupted", winner: null }), { id: "break-off" }),
    ].filter(Boolean);
    parts.back.disabled = !canTake;
    parts.hint.disabled = !isYourTurn();
    const focused = document.activeElement?.id;
    if (wanted.map((one) => one.textContent).join() !== [...parts.actions.children].map((one) => one.textContent).join()) {
      parts.actions.replaceChildren(...wanted);
      if (focused) byId(focused)?.focus();
    }
    if (!parts.after.children.length) {
      parts.lesson = button(t("lesson"), () => { game.lesson = !game.lesson; keep(); update(); say(lessonWords()); }, { id: "lesson" });
      parts.after.append(parts.lesson, button(t("analyseThis"), () => Analyse.begin(text("kif"), "game.kif", origin())), button(t("mateHere"), () => Mate.take(toSfen(pictureAt(view).position), true)),
        button(t("saveKif"), () => save(text("kif"), fileName("kifu"))), button(t("copyKif"), (event) => copy(text("kif"), event.currentTarget)), button(t("copySfen"), (event) => copy(toSfen(pictureAt(view).position), event.currentTarget)));
    }
    parts.after.hidden = !game.moves.length;
    parts.lesson.setAttribute("aria-pressed", String(Boolean(game.lesson)));
  }

  function drawMoves() {
    if (!game.moves.length) return parts.moves.replaceChildren(el("p.empty", null, t("noMoves")));
    const rows = game.moves.map((_, index) => el("tr", { class: index + 1 === view ? "here" : null },
      el("td.soft", null, String(index + 1)), el("td.left", null, el("button.row", { type: "button", tabindex: index + 1 === Math.max(view, 1) ? 0 : -1, "aria-current": index + 1 === view ? "true" : null, onclick: () => goTo(index + 1) }, moveWords(game.texts[index], pictureAt(index + 1).done))),
      el("td.soft", null, (game.spent[index] ?? null) === null ? "" : clockWords(game.spent[index]))));
    if (game.end) rows.push(el("tr.end", null, el("td"), el("td.left", { colspan: 2 }, outcome())));
    parts.moves.replaceChildren(el("table", { "aria-label": t("movesWord") }, el("tbody", null, rows)));
    showRow(parts.moves);
  }

  const stamp = (date, between) => [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join(between);
  const fileName = (extension) => `komainu-${stamp(new Date(game.started), "")}.${extension}`;

  /** The game as a record. */
  function text(format) {
    const date = new Date(game.started), started = `${stamp(date, "/")} ${date.toTimeString().slice(0, 8)}`, end = game.end ?? { ending: "interrupted", winner: null };
    return ask({ ask: "write", format, start: game.start, moves: game.moves, players: ["b", "w"].map(nameOf), end, spent: game.spent, started, ...limitWords(clock(), format) }).text;
  }

  /** What an analysis has to know to let the game be played again. */
  const origin = () => ({ you: game.you, level: game.level, style: game.style, seed: game.seed, handicap: game.handicap });

  /** The game in the address and in the browser, so that it goes on after the page was loaded again. */
  function keep() {
    kept = performance.now();
    if (!game) {
      Kept.set("game", null);
      return current === "play" && setHash("play", {});
    }
    const { start, moves, you, level, style, seed, clock: time, handicap: pieces, limit, declarations, end } = game;
    const { walk, texts, thinking, locked, since, turns, warned, ...rest } = game;
    Kept.set("game", { ...rest, used: game.end ? 0 : usedNow(), view });
    if (current === "play" || current === null) setHash("play", { start, moves: moves.join("."), you, level, style, seed, clock: time === "none" ? null : time, handicap: pieces, limit: limit || null, rule: declarations === "CSARule27" ? null : declarations, ...(end && !now.end ? { end: end.ending, won: end.winner ?? "-" } : {}) });
  }

  /** Goes on with a game that was kept. */
  function restore(given) {
    try { ask({ ask: "position", start: given.start, moves: given.moves }); } catch { return false; }
    if (!ENGINE_OPTIONS.get("Level")?.vars.includes(given.level)) given.level = SETTINGS.level;
    begin(given, Math.min(given.view ?? given.moves.length, given.moves.length));
    return true;
  }

  /** Goes on with a game of the address, that which was kept if it is the same. */
  function recall(words) {
    const moves = words.get("moves")?.split(".").filter(Boolean) ?? [], start = words.get("start"), saved = Kept.get("game");
    if (!start) return false;
    const you = words.get("you") === "w" ? "w" : "b";
    if (saved && saved.start === start && saved.you === you && saved.moves.join(".") === moves.join(".")) return restore(saved);
    checkSettings();
    const named = words.get("level"), level = ENGINE_OPTIONS.get("Level")?.vars.includes(named) ? named : SETTINGS.level;
    const clockName = clockOf(words.get("clock")) ? words.get("clock") : "none", time = clockOf(clockName), won = words.get("won");
    const rule = DECLARATIONS.includes(words.get("rule")) ? words.get("rule") : "CSARule27";
    const end = Object.hasOwn(ENDINGS, words.get("end") ?? "") ? { ending: words.get("end"), winner: /^[bw]$/.test(won) ? won : null } : null;
    return restore(newGame({ start, handicap: words.get("handicap") ?? "even", moves, spent: moves.map(() => null), you, level, style: words.get("style"), ...(/^\d{1,10}$/.test(words.get("seed")) ? { seed: Number(words.get("seed")) } : {}), clock: clockName, left: time && [time.main, time.main], limit: Number(words.get("limit")) || 0, declarations: rule, end }));
  }

  function onKey(event) {
    const key = event.key.toLowerCase();
    if (key === "," && game) goTo(view - 1);
    else if (key === "." && game) goTo(view + 1);
    else if (key === "f") flip();
    else if (key === "h" && game) askHint();
    else if (key === "escape" && game?.question) answerQuestion(null);
    else if (key === "escape" && picked) cancel();
    else return false;
    return true;
  }

  addEventListener("pagehide", () => game && keep());

  return {
    open(where, words) {
      host = where;
      engine ??= MAIN_ENGINE;
      const isOther = words.has("start") && (!game || words.get("start") !== game.start || (words.get("moves") ?? "") !== game.moves.join("."));
      if (isOther && recall(words)) return;
      const saved = game ? null : Kept.get("game");
      if (saved && restore(saved)) return;
      flipped = game ? flipped : SETTINGS.side === "w";
      show();
      if (game) keep();
    },
    /** Begins a game from a position after moves, with what else is given. */
    from(start, moves, more) {
      const given = newGame({ handicap: "even", ...more, start, moves: [...moves], spent: moves.map(() => null) });
      openView("play");
      begin(given);
    },
    onKey,
    // Read by the test of the page.
    state: () => ({ game, now, view }),
  };
})();
