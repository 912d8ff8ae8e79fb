// One game on the board: positions, moves, the graph of scores, and the game as text.

let notation = choice.get("notation") ?? (hasKanji ? "japanese" : "western");
let flipped = false, shown = null, ply = 0, timer = 0;

/** Takes the strings of a game apart and plays it through; once a game. */
function unfold(game) {
  if (game.plies) return game;
  const usi = game.m ? game.m.split(",") : [], column = (text) => (text ? text.split(",") : []);
  const [times, scores, depths, nodes, lines] = [game.t, game.c, game.d, game.n, game.v].map(column);
  const number = (text) => (text ? Number(text) : null);
  game.positions = [fromSfen(game.s ?? START)];
  game.plies = usi.map((text, i) => {
    const [after, done] = play(game.positions[i], text);
    game.positions.push(after);
    const sign = done.black ? 1 : -1, mate = scores[i]?.startsWith("#");
    const score = scores[i] ? { mate, value: sign * scoreNumber(scores[i]) } : null;
    return { usi: text, done, time: number(times[i]), score, depth: number(depths[i]), nodes: number(nodes[i]), line: lines[i] ?? "" };
  });
  return game;
}

function moveText(game, i) {
  const { done } = game.plies[i];
  if (notation === "western") return western(done);
  return (done.black ? "▲" : "△") + japanese(done, game.plies[i - 1]?.done.to, true);
}

/** Whether an engine played by a clock: with a bound on nodes or depth there is none to show. */
const hasClock = (engine) => {
  const { plan } = DATA.settings, limit = plan.engine[engine].limit ?? plan.limit ?? {};
  return ["time_ms", "increment_ms", "byoyomi_ms", "movetime_ms"].some((key) => limit[key]);
};

/** What the engine that made the move of a ply expected next. */
function expectedLine(game, at) {
  const move = game.plies[at - 1], host = (...parts) => el("div.expected", null, parts);
  if (!move || at <= (game.o ?? 0)) return host(el("span.soft", null, at ? t("opening") : t("start")));
  const facts = [scoreText(move.score), move.depth ? `${t("depth")} ${move.depth}` : null, move.nodes ? `${t("nodes")} ${big(move.nodes)}` : null].filter(Boolean);
  let position = game.positions[at], before = move.done.to;
  const words = [moveText(game, at - 1), ...move.line.split(" ").filter(Boolean).map((usi) => {
    const [after, done] = play(position, usi), text = notation === "western" ? western(done) : (done.black ? "▲" : "△") + japanese(done, before, true);
    [position, before] = [after, done.to];
    return text;
  })];
  const line = words.map((word, i) => el("span.step", { lang: notation === "western" ? null : "ja" }, (i ? " " : "") + word));
  return host(el("div.soft", null, engineName(game.e[move.done.black ? 0 : 1]), " ", facts.join(" · ")),
    el("div", { title: t("expected") }, line, move.line ? null : el("span.soft", null, "  " + t("noLine"))));
}

/** The number of a score; of a mate whose length is not known it is infinite. */
const scoreNumber = (text) => (text === "#+" ? Infinity : text === "#-" ? -Infinity : Number(text.replace("#", "")));
const scoreText = (score) => (score ? (score.mate ? `${score.value < 0 ? "−" : "+"}#${Number.isFinite(score.value) ? Math.abs(score.value) : ""}` : signed(score.value, 0)) : "");

/** From -1 to 1: the curve by which engines turn centipawns into chances. */
const squash = (score) => (score.mate ? Math.sign(score.value) : 2 / (1 + Math.exp(-score.value / 600)) - 1);

/** `sfen …` or `startpos`, and the moves up to a ply. */
function usiLine(game, upTo) {
  const moves = game.plies.slice(0, upTo).map((move) => move.usi);
  return `position ${game.s ? `sfen ${game.s}` : "startpos"}${moves.length ? " moves " + moves.join(" ") : ""}`;
}

const KIF_ENDINGS = { "checkmate": "詰み", "no-moves": "詰み", "resignation": "投了", "declaration": "入玉勝ち", "time-up": "切れ負け", "repetition": "千日手", "impasse": "持将棋", "ply-limit": "持将棋", "draw": "持将棋", "adjudicated-draw": "持将棋", "no-mate": "不詰", "walk-over": "不戦敗" };

/** How KIF says that a game ended; a foul is told from the side to move. */
function kifEnding(game, mover) {
  if (game.w === undefined) return "中断";
  if (["illegal-move", "false-declaration", "perpetual-check", "crash", "stall"].includes(game.x)) return game.w === mover ? "反則勝ち" : "反則負け";
  if (game.x === "adjudicated-win") return game.w === mover ? "中断" : "投了";
  return KIF_ENDINGS[game.x] ?? "中断";
}

/** The game as KIF. */
function kif(game) {
  const clock = (ms) => { const s = Math.floor(ms / 1000); return `${String(Math.floor(s / 60)).padStart(2)}:${String(s % 60).padStart(2, "0")}`; };
  const total = (ms) => [3600000, 60000, 1000].map((unit, i) => String(Math.floor(ms / unit) % (i ? 60 : 1e9)).padStart(2, "0")).join(":");
  const name = (side) => DATA.engines[game.e[side]].name.replace(/[\r\n]/g, " ");
  const lines = [`開始日時：${game.b.replace(/-/g, "/").replace("T", " ").replace(/(\.\d+)?Z$/, "")}`];
  if (game.s) lines.push(...kifBoard(game.positions[0])); else lines.push("手合割：平手");
  lines.push(`先手：${name(0)}`, `後手：${name(1)}`, "手数----指手---------消費時間--");
  const used = [0, 0];
  const row = (number, text, side, ms) => {
    used[side] += ms ?? 0;
    const wide = [...text].reduce((sum, c) => sum + (c > "\xff" ? 2 : 1), 0);
    lines.push(`${String(number).padStart(4)} ${text}${" ".repeat(Math.max(1, 14 - wide))}(${clock(ms ?? 0)}/${total(used[side])})`);
  };
  game.plies.forEach((move, i) => row(i + 1, japanese(move.done, game.plies[i - 1]?.done.to, false), move.done.black ? 0 : 1, move.time));
  const last = game.positions[game.positions.length - 1];
  row(game.plies.length + 1, kifEnding(game, last.black ? 1 : -1), last.black ? 0 : 1, game.l);
  return lines.join("\n") + "\n";
}

/** A position as the diagram of KIF. */
function kifBoard(position) {
  const hand = (side) => [...HAND_ORDER].filter((letter) => position.hands[side][letter]).map((letter) => KANJI[letter] + KANJI_NUMBERS[position.hands[side][letter]]).join("　") || "なし";
  const rows = [...KANJI_RANKS].map((rank, y) => "|" + position.cells.slice(9 * y, 9 * y + 9)
    .map((piece) => (piece ? (isBlack(piece) ? " " : "v") + KANJI[piece.toUpperCase()] : " ・")).join("") + "|" + rank);
  return [`後手の持駒：${hand(1)}`, "  ９ ８ ７ ６ ５ ４ ３ ２ １", "+---------------------------+", ...rows, "+---------------------------+",
    `先手の持駒：${hand(0)}`, ...(position.black ? [] : ["後手番"])];
}

/** Opens a game at a ply. */
function openGame(game, at) {
  stop();
  shown = unfold(game);
  ply = Math.min(Math.max(at, 0), game.plies.length);
  byId("report").hidden = true;
  byId("replay").hidden = false;
  if (gameInHash()?.game !== game) location.hash = `g${game.g + 1}${ply ? "-" + ply : ""}`;
  drawReplay();
  scrollTo(0, 0);
}

function closeGame() {
  stop();
  shown = null;
  byId("replay").hidden = true;
  byId("report").hidden = false;
}

function stop() {
  clearInterval(timer);
  timer = 0;
  byId("autoplay")?.replaceChildren("▶ " + t("autoplay"));
}

function autoplay() {
  if (timer) return stop();
  if (ply === shown.plies.length) go(0);
  byId("autoplay")?.replaceChildren("❚❚ " + t("pause"));
  timer = setInterval(() => (ply < shown.plies.length ? go(ply + 1) : stop()), 700);
}

/** Goes to a ply of the game that is shown. */
function go(to) {
  ply = Math.min(Math.max(to, 0), shown.plies.length);
  try { history.replaceState(null, "", `#g${shown.g + 1}${ply ? "-" + ply : ""}`); } catch { /* some browsers guard files */ }
  update();
}

let update = () => {};

/** The page of a game. What changes from ply to ply is drawn by `update`. */
function drawReplay() {
  const game = shown, host = byId("replay"), list = chosenGames(), at = list.indexOf(game);
  const board = el("div"), players = [el("div.player"), el("div.player")], graph = drawn(el("div.plot.graph"), (width) => scoreGraph(game, width));
  const slider = el("input", { type: "range", min: 0, max: game.plies.length, "aria-label": t("move"), oninput: () => { stop(); go(Number(slider.value)); } });
  const button = (text, title, action, attributes) => el("button", { type: "button", title, onclick: action, ...attributes }, text);
  const step = (text, title, to) => button(text, title, () => { stop(); go(to()); });
  const timed = game.e.some(hasClock), expected = el("section.card.thought");
  const rows = moveRows(game, timed), body = el("tbody", null, rows);
  const head = [["#"], [t("move"), "left"], timed ? [t("time")] : null, [t("evaluation")], [t("depth")], [t("nodes"), "wide"]].filter(Boolean).map(([text, kind]) => el("th", { class: kind }, text));
  const scroller = el("div.moves", null, el("table", null, el("thead", null, el("tr", null, head)), body));
  const other = (by, name) => button(name, null, () => openGame(list[at + by], 0), { disabled: at < 0 || !list[at + by] });
  const toggle = (names, now, set) => el("span.toggle", null, names.map(([value, text]) => button(text, null, () => { set(value); drawReplay(); }, { "aria-pressed": String(value === now) })));
  const controls = el("div.controls", null, step("«", t("first"), () => 0), step("‹", t("previous"), () => ply - 1),
    button("▶ " + t("autoplay"), null, autoplay, { id: "autoplay" }), step("›", t("next"), () => ply + 1), step("»", t("last"), () => shown.plies.length));
  const tools = el("div.tools", null, button("⇅ " + t("flip"), null, flip),
    toggle([["kanji", t("kanji")], ["letters", t("letters")]], letters ? "letters" : "kanji", (value) => { letters = value === "letters"; choice.set("pieces", value); }),
    toggle([["japanese", "７六歩"], ["western", "P7g–7f"]], notation, (value) => { notation = value; choice.set("notation", value); }));
  const copies = el("div.tools", null, button(t("copySfen"), null, (event) => copy(toSfen(game.positions[ply]), event.currentTarget)),
    button(t("copyUsi"), null, (event) => copy(usiLine(game, ply), event.currentTarget)), button(t("copyKif"), null, (event) => copy(kif(game), event.currentTarget)));
  game.e.forEach((engine, side) => host.style.setProperty(`--s${side}`, `var(--c${engine % 8})`));
  host.replaceChildren(
    el("div.head", null, el("div.tools", null, el("a.button", { href: "#games" }, "← " + t("backToGames")), other(-1, t("previous")), other(1, t("next"))), gameHeading(game)),
    el("div.board-and-moves", null,
      el("div.pane", null, players[1], board, players[0], slider, controls, tools),
      el("div", null, card(null, graph, el("p.soft", null, legend(game), " ", t("blackView"))), expected, el("section.card.list", null, scroller), copies)),
    el("p.soft.keys", null, t("keys")));
  update = () => {
    const done = ply ? game.plies[ply - 1].done : null;
    board.replaceChildren(boardPicture(game.positions[ply], done, flipped));
    [0, 1].forEach((place) => players[place].replaceChildren(...playerBar(game, flipped ? 1 - place : place)));
    expected.replaceChildren(expectedLine(game, ply));
    slider.value = ply;
    body.querySelector(".here")?.classList.remove("here");
    const row = rows[ply];
    row.classList.add("here");
    const top = row.offsetTop - scroller.clientHeight / 2;
    scroller.scrollTop = ply ? top : 0;
    graph.querySelector(".now")?.setAttribute("transform", `translate(${graph.dataset.left * 1 + graph.dataset.step * ply} 0)`);
  };
  update();
}

function flip() {
  flipped = !flipped;
  update();
}

function gameHeading(game) {
  const facts = [`${endingWords(game.x)}${game.i ? ": " + game.i : ""}`, t("pliesOf", plies(game)), span(game.u), moment(game.b)];
  return el("div", null, el("h2", null, `${t("game", game.g + 1)}`, el("span.soft", null, " · "), engineName(game.e[0]), el("span.versus", null, resultText(game)), engineName(game.e[1])),
    factLine(facts));
}

/** A player beside the board: colour, name, hand, the time so far. */
function playerBar(game, side) {
  const position = game.positions[ply], toMove = position.black === (side === 0);
  const used = game.plies.slice(0, ply).reduce((sum, move) => sum + (move.done.black === (side === 0) ? move.time ?? 0 : 0), 0);
  return [el(toMove ? "span.turn.now" : "span.turn", { title: side ? t("white") : t("black") }, side ? "☖" : "☗"), engineName(game.e[side]), handPicture(position.hands[side]),
    hasClock(game.e[side]) ? el("span.used", { title: t("time") + " " + t("total") }, span(used)) : null].filter(Boolean);
}

function moveRows(game, timed) {
  const row = (at, cells, kind) => el("tr", { class: kind, onclick: () => { stop(); go(at); } }, cells);
  const cell = (text, kind) => el("td", { class: kind }, text);
  const rows = game.plies.map((move, i) => {
    const kind = move.score ? (move.score.value > 0 ? "plus" : move.score.value < 0 ? "minus" : null) : null;
    return row(i + 1, [cell(String(i + 1), "soft"), el("td.left", { lang: notation === "western" ? null : "ja" }, moveText(game, i)),
      timed ? (i < (game.o ?? 0) ? cell(t("opening"), "soft") : cell(move.time === null ? "" : seconds(move.time))) : null,
      cell(scoreText(move.score), kind), cell(move.depth ?? ""), cell(move.nodes === null ? "" : big(move.nodes), "wide")].filter(Boolean), i < (game.o ?? 0) ? "book" : null);
  });
  const rest = timed ? 5 : 4;
  return [row(0, [cell("0", "soft"), el("td.left", { colspan: rest }, t("start"))]), ...rows,
    el("tr.end", null, el("td", null), el("td.left", { colspan: rest }, `${resultText(game)}  ${endingWords(game.x)}`))];
}

const legend = (game) => el("span.legend", null, [0, 1].map((side) => el("span", null, el("i.swatch.s" + side), el("bdi", null, (side ? "☖ " : "☗ ") + DATA.engines[game.e[side]].name))));

/** Both engines' scores from black's view, and below the time of each move. */
function scoreGraph(game, width) {
  const timed = game.e.some(hasClock), count = game.plies.length, height = timed ? 250 : 216, bottom = timed ? 48 : 14, host = byId("replay").querySelector(".graph");
  const f = frame({ width, height: height - bottom, x: [0, Math.max(count, 1)], y: [-1.04, 1.04], yText: () => "", margin: { left: 46, right: 10, top: 8, bottom: 8 }, xTicks: [] });
  f.picture.querySelectorAll(".rule, .zero, .tick").forEach((node) => node.remove());
  dress(f.picture, { height, viewBox: `0 0 ${width} ${height}` });
  for (const value of [-2000, -1000, -400, 0, 400, 1000, 2000]) {
    const y = f.sy(squash({ value }));
    f.picture.append(svg("line", { x1: 46, x2: width - 10, y1: y, y2: y, class: value ? "rule" : "zero" }), svg("text", { x: 39, y: y + 4, class: "tick end" }, value ? signed(value, 0) : "0"));
  }
  const longest = Math.max(1, ...game.plies.map((move) => move.time ?? 0)), room = 30, base = height - 14, bar = Math.max(1, Math.min(8, f.inner.width / Math.max(count, 1) - 1));
  for (const side of [0, 1]) {
    const own = game.plies.map((move, i) => ({ ...move, at: i + 1 })).filter((move) => move.done.black === (side === 0));
    f.picture.append(svg("path", { d: path(own.map((move) => move.score && [f.sx(move.at), f.sy(squash(move.score))])), class: "line s" + side }));
    for (const move of own.filter((one) => timed && one.time)) {
      const tall = Math.max(1, (room * move.time) / longest);
      f.picture.append(svg("rect", { x: f.sx(move.at) - bar / 2, width: bar, y: base - tall, height: tall, class: "time s" + side }));
    }
  }
  if (timed) f.picture.append(svg("text", { x: 39, y: base - room + 8, class: "tick end" }, seconds(longest)));
  for (const n of ticks(0, count, Math.floor(width / 80))) f.picture.append(svg("text", { x: f.sx(n), y: height - 1, class: "tick middle" }, String(n)));
  f.picture.append(svg("g", { class: "now", transform: `translate(${f.sx(ply)} 0)` }, svg("line", { y1: 4, y2: height - 14 })));
  host.dataset.left = f.sx(0);
  host.dataset.step = f.sx(1) - f.sx(0);
  const index = (x) => Math.min(count, Math.max(0, Math.round((x - f.sx(0)) / (f.sx(1) - f.sx(0)))));
  follow({ ...f, height: height - 14 }, (x) => {
    const at = index(x), move = game.plies[at - 1];
    return { x: f.sx(at), text: move ? `${at} ${moveText(game, at - 1)}  ${scoreText(move.score)}` : t("start") };
  });
  const seek = (event) => { stop(); go(index(event.clientX - f.picture.getBoundingClientRect().left)); };
  f.picture.addEventListener("pointerdown", seek);
  f.picture.addEventListener("pointermove", (event) => event.buttons && seek(event));
  return f.picture;
}

const KEYS = {
  ArrowLeft: () => go(ply - 1), ArrowRight: () => go(ply + 1), ArrowUp: () => go(ply - 1), ArrowDown: () => go(ply + 1),
  PageUp: () => go(ply - 10), PageDown: () => go(ply + 10), Home: () => go(0), End: () => go(shown.plies.length), f: flip,
};

function onKey(event) {
  if (!shown || event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const list = () => chosenGames(), beside = (by) => { const next = list()[list().indexOf(shown) + by]; if (next) openGame(next, 0); };
  if (event.key === "Escape") location.hash = "games";
  else if (event.key === " " && event.target.tagName !== "BUTTON") autoplay();
  else if (event.key === "n") beside(1);
  else if (event.key === "p") beside(-1);
  else if (KEYS[event.key]) { if (event.key !== "f") stop(); KEYS[event.key](); }
  else return;
  event.preventDefault();
}
