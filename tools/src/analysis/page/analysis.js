// One analysed game: board, moves, lines, graphs, summary.

let GAME, MOVES, CHANCES, KIF, POSITIONS, DONE, FIRST_BLACK, IS_HANDICAP, LEVEL, IS_RUNNING;
let ply = 0, line = 0, flipped = false;

/** Takes a game as `komainu analyse` and the answer `assess` of the library give it; it may know more than before of one. */
function takeGame(data) {
  [GAME, MOVES, CHANCES, KIF, IS_RUNNING] = [data.analysis, data.analysis.moves, data.chances, data.kif, data.running];
  [POSITIONS, DONE] = [[fromSfen(GAME.start)], []];
  for (const move of MOVES) {
    const [after, done] = play(POSITIONS.at(-1), move.usi);
    POSITIONS.push(after);
    DONE.push(done);
  }
  FIRST_BLACK = POSITIONS[0].black;
  // A game from which pieces are missing is level where it begins, not at one half.
  const { cells, hands } = POSITIONS[0], inHand = hands.flatMap((hand) => Object.values(hand));
  IS_HANDICAP = inHand.reduce((sum, count) => sum + count, cells.filter(Boolean).length) < 40;
  LEVEL = IS_HANDICAP ? CHANCES[0] : 0.5;
  ply = Math.min(ply, MOVES.length);
}

/** Findings on the position after `at` moves. */
const found = (at) => (at < MOVES.length ? MOVES[at].before : GAME.final);
const scoreAt = (at) => (at ? MOVES[at - 1].after : found(0));
/** The best line of a position: a mate that was proved, where the search has none as short. */
function bestOf(here) {
  const mate = here?.proven_mate, first = here?.lines[0];
  const searched = first && first.mate !== null && Math.sign(first.mate) === Math.sign(here.mate) ? Math.abs(first.mate) : Infinity;
  return mate?.pv.length && mate.plies < searched ? mate.pv : first?.pv ?? [];
}
const playerName = (side) => GAME.players[side] ?? t(side ? "white" : "black");
const missedText = (move) => t({ mate: "missedMate", defence: "missedDefence", declaration: "missedDeclaration" }[move.missed]);
const isBad = (move) => BAD.includes(move.label) || move.missed === "mate";
/** A move that was judged by the quick look alone. */
const isQuick = (move) => Boolean(move.before?.quick);
const hasQuick = () => CHANCES.some((_, at) => found(at)?.quick);
const labelWord = (move) => t(move.label ?? "missedChip") + (isQuick(move) ? "?" : "");
const chipKind = (move) => `span.chip.l-${move.label ?? "missed"}${isQuick(move) ? ".provisional" : ""}`;
const labelText = (move) => !move.label ? missedText(move) : labelWord(move) + (!move.missed ? "" : language ? `（${missedText(move)}）` : ` (${missedText(move)})`);

/** The time that was left for a move, if it was little. */
const pressureText = (move) => (move.pressure ? t(move.pressure.kind, Math.round(move.pressure.left_ms / 1000)) : "");

/** Moves of a line of play from a position on, in words of the language; `before` is the square of the move before it. */
function lineWords(position, before, usi) {
  return usi.map((text) => {
    const [after, done] = play(position, text);
    const words = (done.black ? "▲" : "△") + (language ? japanese(done, before, true).replace(/\(\d\d\)/, "") : western(done));
    position = after;
    before = done.to;
    return words;
  });
}
/** A line of play from a position of the game on. */
const lineText = (at, usi) => lineWords(POSITIONS[at], at ? DONE[at - 1].to : null, usi).join(" ");
/** The same as elements, so that lines break between moves. */
const lineSteps = (at, usi) => lineWords(POSITIONS[at], at ? DONE[at - 1].to : null, usi).map((word) => [el("span.step", null, word), " "]);
/** A move of the game in words of the language. */
const moveText = (move) => (language ? move.kif : (DONE[move.ply - 1].black ? "▲" : "△") + western(DONE[move.ply - 1]));

const ARROW_CELL = [44, 48], ARROW_EDGE = 20;

/** An arrow for a move on a board that may be flipped; a drop is a ring. */
function arrow(usi, kind, turned = flipped) {
  const centre = (file, rank) => {
    const column = turned ? file - 1 : 9 - file, row = turned ? 9 - rank : rank - 1;
    return [ARROW_EDGE + (column + 0.5) * ARROW_CELL[0], ARROW_EDGE + (row + 0.5) * ARROW_CELL[1]];
  };
  const square = (text) => centre(Number(text[0]), RANKS.indexOf(text[1]) + 1);
  const to = square(usi.slice(2, 4));
  if (usi[1] === "*") {
    return svg("g", { class: `arrow ${kind}` }, svg("circle", { cx: to[0], cy: to[1], r: 21, class: "ring" }),
      svg("text", { x: to[0], y: to[1] + 5 }, letters ? usi[0] : KANJI[usi[0]]));
  }
  const from = square(usi), far = Math.hypot(to[0] - from[0], to[1] - from[1]), unit = [(to[0] - from[0]) / far, (to[1] - from[1]) / far];
  const head = [to[0] - unit[0] * 12, to[1] - unit[1] * 12], side = [-unit[1] * 11, unit[0] * 11];
  return svg("g", { class: `arrow ${kind}` }, svg("line", { x1: from[0], y1: from[1], x2: head[0], y2: head[1] }),
    svg("path", { d: `M${to[0] + unit[0] * 4} ${to[1] + unit[1] * 4}L${head[0] + side[0]} ${head[1] + side[1]}L${head[0] - side[0]} ${head[1] - side[1]}Z` }));
}

let update = () => {}, onPly = () => {};

function go(to) {
  ply = Math.min(Math.max(to, 0), MOVES.length);
  line = 0;
  onPly(ply);
  update();
}

/** The next move with a bad label in a direction. */
function mistake(direction) {
  for (let at = ply + direction; at >= 0 && at < MOVES.length; at += direction) if (isBad(MOVES[at])) return go(at);
}

function heading() {
  const { result } = GAME, names = [0, 1].map(playerName);
  const won = result?.winner === "black" ? 0 : result?.winner === "white" ? 1 : null;
  const facts = [GAME.event, GAME.started, result ? outcomeWords(result.ending, won, names) : null, t("plies") + " " + MOVES.length];
  const openings = GAME.openings.map((name) => name?.[1 - language]);
  const castles = GAME.castles.map((list) => list.at(-1)?.[1 - language]);
  const plan = openings.some(Boolean) ? `${openings[0] ?? "–"} ${t("versus")} ${openings[1] ?? "–"}` : null;
  const walls = castles.some(Boolean) ? `${t("castles")}: ▲${castles[0] ?? t("none")} △${castles[1] ?? t("none")}` : null;
  const loser = won === null ? null : 1 - won, p = CHANCES.at(-1);
  const resigned = result?.ending === "resignation" && loser !== null ? t("resignedAt", (loser ? "△" : "▲") + names[loser], percent(loser ? 1 - p : p)) : null;
  return el("div.summary-head", null, el("h1", null, `▲${names[0]}`, el("span.versus", null, t("versus")), `△${names[1]}`),
    factLine([plan, walls, ...facts, resigned].filter(Boolean)), factLine([t("settings", GAME.engine.name, limitText(GAME.limits), Math.round(GAME.win_scale))]),
    IS_HANDICAP ? factLine([t("handicap", percent(LEVEL))]) : null, GAME.fault ? el("p.warning", null, t("fault", GAME.fault)) : null);
}

/** How far the analysis is, where it has not looked at everything thoroughly. */
function passWords() {
  const here = CHANCES.map((_, at) => found(at)).filter(Boolean), thorough = here.filter((one) => !one.quick).length;
  if (thorough === here.length && !IS_RUNNING) return "";
  if (!IS_RUNNING) return t("passQuick");
  return thorough ? t("passThorough", thorough, CHANCES.length) : t("passFirst", here.length, CHANCES.length);
}

/** A player beside the board. */
const playerBar = (side) => [el(POSITIONS[ply].black === (side === 0) ? "span.turn.now" : "span.turn", null, side ? "☖" : "☗"), el("span.engine", null, el("bdi", null, playerName(side))), handPicture(POSITIONS[ply].hands[side])];

function moveRows() {
  const row = (at, cells, kind) => el("tr", { class: kind, onclick: () => go(at) }, cells);
  const start = row(0, [el("td.soft", null, "0"), el("td.left", null, el("button.row", { type: "button", tabindex: -1, "data-ply": 0 }, t("start"))), el("td", null, scoreText(found(0)))]);
  return [start, ...MOVES.map((move) => row(move.ply, [el("td.soft", null, String(move.ply)), el("td.left", null, el("button.row", { type: "button", tabindex: -1, "data-ply": move.ply }, moveText(move)),
    move.label || move.missed ? [el(chipKind(move), null, labelWord(move)), move.pressure && BAD.includes(move.label) ? el("span.pressure", null, pressureText(move)) : null] : move.book ? el("span.soft", null, t("book")) : ""), el("td", null, scoreText(scoreAt(move.ply)))], null))];
}

/** A line of the position that is shown; a page may let its moves be pressed. */
let lineParts = (pv) => lineSteps(ply, pv);

/** What is said of the move that led here, and the candidates from here on. */
function talk() {
  const parts = [], last = MOVES[ply - 1], here = found(ply);
  if (last?.label || last?.missed) {
    const p = (score) => (score ? chanceOf(score, sideOf(ply - 1)) : null);
    const before = p(last.before), after = p(last.played);
    parts.push(el("p", null, el(chipKind(last), null, labelText(last)), " ", el("b", null, moveText(last)), ` ${t("fromTo", percent(before), percent(after))}`, last.pressure ? el("span.pressure", null, pressureText(last)) : null));
    for (const reason of last.reasons ?? []) parts.push(el("p.reason", null, reason[["en", "ja"][language]], reason.line.length ? el("span.soft", null, " ", lineSteps(reason.at, reason.line)) : null));
    const best = bestOf(last.before), isTold = last.reasons?.some((reason) => reason.at === ply - 1 && reason.line[0] === best[0]);
    if (last.label !== "good" && best.length && !isTold) parts.push(el("p.soft", null, t("best") + " ", lineSteps(ply - 1, best.slice(0, 8))));
  }
  if (!here) return parts;
  if (here.declares) parts.push(el("p", null, t("declares")));
  if (here.proven_mate) parts.push(el("p.reason", null, scoreText(here.proven_mate) + " ", lineSteps(ply, here.proven_mate.pv)));
  if (!here.lines.length && here.mate !== null) parts.push(el("p", null, t("noLegal")));
  const rows = here.lines.map((one, place) => el("tr", { class: place === line ? "here" : null, onclick: () => { line = place; update(); } },
    el("td.soft", null, el("button.row", { type: "button", "aria-label": `${t("lineOfPlay")} ${place + 1}` }, String(place + 1))), el("td", null, scoreText(one)), el("td.left.pv", null, lineParts(one.pv.slice(0, 14)), MOVES[ply]?.usi === one.usi ? el("span.soft", null, ` (${t("playedMove")})`) : null)));
  if (rows.length) parts.push(el("table.lines", null, el("tbody", null, rows)));
  return parts;
}

/** The chance of a side by a score from black's side. */
function chanceOf(score, side) {
  const black = score.mates ? (score.mates === "black" ? 1 : 0) : score.mate !== null ? (score.mate > 0 ? 1 : 0) : 1 / (1 + Math.exp(-score.cp / GAME.win_scale));
  return side ? 1 - black : black;
}

function summaryTable() {
  const sides = [GAME.summary.black, GAME.summary.white], dash = "–";
  const accuracy = (f) => (f.accuracy === null ? dash : `${f.accuracy.toFixed(1)}${f.accuracy_error === null ? "" : ` ± ${f.accuracy_error.toFixed(1)}`}`);
  const rows = [
    [t("accuracy"), ...sides.map(accuracy)], [t("acpl"), ...sides.map((f) => f.acpl ?? dash)],
    [t("first"), ...sides.map((f) => (f.first === null ? dash : percent(f.first)))], [t("top3"), ...sides.map((f) => (f.top3 === null ? dash : percent(f.top3)))],
    ...["good", ...BAD].map((label) => [el(`span.chip.l-${label}`, null, t(label)), ...sides.map((f) => f.counts[label])]),
    ...(sides.some((f) => f.pressed) ? [[t("pressed"), ...sides.map((f) => (f.pressed ? `${f.pressed_bad} / ${f.pressed}` : dash))]] : []),
    [t("judged"), ...sides.map((f) => f.moves)],
    ...["opening", "middle", "end"].map((phase) => [`${t("accuracy")}, ${t(phase)}`, ...sides.map((f) => accuracy(f.phases[phase]))]),
  ];
  return el("table", null, el("thead", null, el("tr", null, el("td"), [0, 1].map((side) => el("th", null, (side ? "△" : "▲") + playerName(side))))),
    el("tbody", null, rows.map((row) => el("tr", null, row.map((cell, at) => el(at ? "td" : "td.left", null, cell instanceof Node ? cell : String(cell)))))));
}

/** Diagrams of the labelled positions, for paper. */
function diagrams() {
  const wanted = MOVES.filter(isBad), now = [ply, flipped];
  const all = wanted.map((move) => {
    const at = move.ply - 1, picture = boardPicture(POSITIONS[at], at ? DONE[at - 1] : null, false, letters || language === 0);
    const best = bestOf(move.before);
    if (best.length) picture.append(arrow(best[0], "best"));
    picture.append(arrow(move.usi, "played"));
    return el("figure", null, el("figcaption", null, `${move.ply} ${moveText(move)} `, el(chipKind(move), null, labelText(move))),
      el("div.hands", null, "△", handPicture(POSITIONS[at].hands[1])), picture, el("div.hands", null, "▲", handPicture(POSITIONS[at].hands[0])),
      best.length ? el("p.soft", null, `${t("best")} ${lineText(at, best.slice(0, 6))}`) : null);
  });
  [ply, flipped] = now;
  return all;
}

/** Whether black or white has the better of it, as a bar. */
function chanceBar(black = CHANCES[ply]) {
  const words = `${t("black")} ${percent(black)}, ${t("white")} ${percent(1 - black)}`;
  const sides = [el("span.of-black", { style: `flex-grow:${black}` }, black >= 0.12 ? percent(black) : ""), el("span.of-white", { style: `flex-grow:${1 - black}` }, black <= 0.88 ? percent(1 - black) : "")];
  return el("div.chance-bar", { role: "img", "aria-label": words, title: words }, flipped ? sides.reverse() : sides);
}

/** A graph with its name. */
function graph(name, draw) {
  const plot = el("div.plot", { class: "plot p-" + name });
  return [el("h3", null, t(name)), drawn(plot, (width) => draw(width, plot.clientHeight))];
}

/**
 * A game on one screen: the board between the players, the graph, what is said of a move, the list of moves. `progress` stands above
 * the graph while the analysis goes on.
 */
function gameDesk({ above, board, below, tools, progress, told, list }) {
  const [name, plot] = graph("chance", chanceGraph), pass = el("p.soft.pass", { role: "status" }, passWords());
  return el("div.desk.report", { id: "board" }, el("div.top", null, above), board, el("div.low", null, below), el("div.report-tools", null, tools),
    el("div.side-pane", null, el("section.card.graphs", { id: "graph" }, el("div.graph-head", null, name, pass, progress), plot), el("section.card.told", null, told), listCard(list)));
}

/** Buttons and the slider that go through a game; `more` are those of a page. */
function gameTools({ step, flip, more }) {
  const press = (text, action, name) => el("button", { type: "button", onclick: action, title: name, "aria-label": name }, text);
  const slider = el("input", { type: "range", min: 0, max: MOVES.length, "aria-label": t("move"), oninput: () => go(Number(slider.value)) });
  const steps = el("div.controls", null, press("«", () => go(0), t("first_")), press("‹", () => step(-1), t("previous")), press("›", () => step(1), t("next")), press("»", () => go(MOVES.length), t("last")));
  return [steps, slider, press("‹ " + t("previousMistake"), () => mistake(-1)), press(t("nextMistake") + " ›", () => mistake(1)), more, press("⇅ " + t("flip"), flip)];
}

/** The slider of a desk follows the ply that is shown. */
const followSlider = (desk) => dress(Object.assign(desk.querySelector("input[type=range]"), { value: ply }), { "aria-valuetext": ply ? `${ply} ${moveText(MOVES[ply - 1])}` : t("start") });

/** Buttons that copy the position and the game, and one that draws the pieces in another way. */
function lastTools(position, draw, more = []) {
  const press = (name, action) => el("button", { type: "button", onclick: action }, t(name));
  const copies = [["copySfen", () => toSfen(position())], ["copyUsi", gameUsi], ["copyKif", () => KIF]].map(([name, text]) => press(name, (event) => copy(text(), event.currentTarget)));
  return el("div.tools.last", null, more, copies, press(letters ? "kanji" : "letters", () => { letters = !letters; choice.set("pieces", letters ? "letters" : "kanji"); draw(); }));
}

/** What stands below the board and the moves. */
const summaryParts = () => [
  section("summary", t("summary"), el("section.card.graphs", null, graph("loss", lossGraph), MOVES.some((move) => move.spent_ms) ? graph("time", timeGraph) : null), el("div.grid", null, el("section.card", null, summaryTable(), el("p.soft", null, t("accuracyNote", Math.round(GAME.win_scale)))),
    el("section.card", null, el("h3", null, t("histogram")), drawn(el("div.plot.p-histogram"), histogram), el("p.legend", null, el("span", null, el("i.swatch.black"), "▲" + playerName(0)), el("span", null, el("i.swatch.white"), "△" + playerName(1)))))),
  el("section", { id: "paper" })];

/** Arrows of the position that is shown: the other lines, what was played, the best or chosen line. */
function plyArrows() {
  const here = found(ply), next = MOVES[ply], best = line ? here?.lines[line]?.usi : bestOf(here)[0];
  const others = (here?.lines ?? []).slice(0, 3).map((one) => one.usi).filter((usi) => usi !== best && usi !== next?.usi);
  const played = next && next.usi !== best ? [[next.usi, `played${next.label ? " l-" + next.label : ""}`]] : [];
  return [...others.map((usi) => [usi, "other"]), ...played, ...(best ? [[best, "best"]] : [])];
}

/** The moves in a box that scrolls; one of them is a stop of the Tab key, and arrows go on from there. */
function moveList() {
  const rows = moveRows(), scroller = el("div.moves", null, el("table", { "aria-label": t("movesWord") }, el("tbody", null, rows)));
  scroller.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !event.target.matches("button")) return;
    go(ply + by);
    rows[ply].querySelector("button").focus();
    event.preventDefault();
    event.stopPropagation();
  });
  return { scroller, rows };
}

/** The row that is shown, in the middle of its list. */
const showRow = (scroller) => { scroller.scrollTop = (scroller.querySelector(".here")?.offsetTop ?? 0) - scroller.clientHeight / 2; };
/** The card of a list of moves; whatever size it gets, the row stays in sight. */
function listCard(scroller) {
  const card = el("section.card.list", { "aria-label": t("movesWord") }, scroller);
  new ResizeObserver(() => showRow(card.firstChild)).observe(card);
  return card;
}

/** Marks the ply that is shown in a list of moves and in the graphs. */
function followPly({ scroller, rows }) {
  scroller.querySelectorAll("button").forEach((one) => { one.tabIndex = -1; });
  dress(rows[ply].querySelector("button"), { tabindex: "0" });
  scroller.querySelector(".here")?.classList.remove("here");
  scroller.querySelector("[aria-current]")?.removeAttribute("aria-current");
  rows[ply].classList.add("here");
  rows[ply].querySelector("button").setAttribute("aria-current", "true");
  showRow(scroller);
  document.querySelectorAll(".chart .now").forEach((mark) => {
    const { left, step } = mark.parentNode.dataset;
    mark.setAttribute("transform", `translate(${Number(left) + Number(step) * ply} 0)`);
  });
}

/** Shows what is said of the ply that is shown. */
const tellPly = (host) => host.replaceChildren(el("h3", null, ply ? `${ply} ${moveText(MOVES[ply - 1])}` : t("start"), scoreAt(ply) ? el("span.soft", null, `　${scoreText(scoreAt(ply))}　${t("black")} ${percent(CHANCES[ply])}`) : null), ...talk());
const gameUsi = () => `position ${GAME.start === START ? "startpos" : "sfen " + GAME.start}${ply ? " moves " + MOVES.slice(0, ply).map((move) => move.usi).join(" ") : ""}`;

/** Shows the game. What changes from ply to ply is drawn by `update`. */
function showGame(host) {
  const board = el("div.board-box"), bars = [el("div.player"), el("div.player")], share = el("div.share-bar"), told = el("div.talk", { "aria-live": "polite" }), list = moveList();
  const tools = gameTools({ step: (by) => go(ply + by), flip: KEYS.f });
  const desk = gameDesk({ above: bars[1], board, below: [bars[0], share], tools, told, list: list.scroller });
  host.replaceChildren(desk, heading(), ...summaryParts(), lastTools(() => POSITIONS[ply], () => showGame(host)), el("p.soft.keys", null, t("keys")));
  update = () => {
    const picture = boardPicture(POSITIONS[ply], ply ? DONE[ply - 1] : null, flipped, letters || language === 0);
    plyArrows().forEach(([usi, kind]) => picture.append(arrow(usi, kind)));
    board.replaceChildren(picture);
    [0, 1].forEach((at) => bars[at].replaceChildren(...playerBar(flipped ? 1 - at : at)));
    share.replaceChildren(chanceBar());
    followSlider(desk);
    tellPly(told);
    followPly(list);
  };
  update();
}

const KEYS = {
  ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), Home: () => go(0), End: () => go(MOVES.length), PageUp: () => go(ply - 10), PageDown: () => go(ply + 10),
  ArrowUp: () => select(-1), ArrowDown: () => select(1), n: () => mistake(1), p: () => mistake(-1), f: () => { flipped = !flipped; update(); },
};

/** Chooses another of the best lines. */
function select(by) {
  line = Math.min(Math.max(line + by, 0), Math.max((found(ply)?.lines.length ?? 0) - 1, 0));
  update();
}

/** Acts on a key of the page of a game. */
function onGameKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!KEYS[key]) return;
  KEYS[key]();
  event.preventDefault();
}
