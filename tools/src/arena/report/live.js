// A match under way: its boards with clocks and scores, and the report around them as it grows.

addWords({
  boards: ["Boards", "対局中"],
  waiting: ["No game has begun yet.", "対局はまだ始まっていません。"],
  over: ["This page gets no further news; the report is in the folder of the match.", "この頁の更新は終わりました。レポートは対局フォルダにあります。"],
  leftOut: ["The last {} of {} games are on this page. All of them are in games.jsonl in the folder of the match.",
    "この頁の対局は最後の {} 局（全 {} 局）です。全対局は対局フォルダの games.jsonl にあります。"],
  scoreOf: ["Score of {} from black's view", "{}の評価値（先手から）"],
});

/** The most games that the page keeps. */
const MAX_GAMES = 200;
const live = { boards: new Map(), host: el("section.part", { id: "boards" }) };

/** The part of the page with the boards; made anew for another language. */
function liveBoards() {
  const grid = el("div.boards", null, [...live.boards.keys()].sort((a, b) => a - b).map((slot) => live.boards.get(slot).node));
  live.host.replaceChildren(...[el("h2", null, t("boards"), linkState()),
    link.end ? el("p.soft", null, t("over")) : null, live.boards.size ? grid : el("p.empty", null, t("waiting"))].filter(Boolean));
  live.boards.forEach(drawBoard);
  return live.host;
}

/** What is left of a clock, in milliseconds, and whether it is byoyomi; `null` without a clock. */
function clockOf(board, side) {
  const face = board.clocks[side];
  if (!face) return null;
  const [left, increment, byoyomi] = face, runs = board.turn === side && !link.end;
  const main = left + increment - (runs ? board.gone + performance.now() - board.at : 0);
  return main > 0 || !byoyomi ? [Math.max(0, main), false] : [Math.max(0, Math.min(byoyomi, main + byoyomi)), true];
}

function clockText(board, side) {
  const [left, byoyomi] = clockOf(board, side) ?? [null];
  if (left === null) return "";
  return (byoyomi ? "+ " : "") + (left < 20000 ? (left / 1000).toFixed(1) : span(left));
}

/** The last score of a side from black's view, with its depth: of the search under way, or of its last move. */
function scoreOf(board, side) {
  const thought = board.turn === side ? board.thought : null, sign = side ? -1 : 1;
  if (thought?.c) {
    const mate = thought.c.startsWith("#");
    return { score: { mate, value: sign * scoreNumber(thought.c) }, depth: mate ? null : thought.d };
  }
  const own = board.plies.filter((move) => move.done.black === (side === 0) && move.score);
  return own.length ? own[own.length - 1] : null;
}

function liveBar(board, side) {
  const position = board.positions[board.plies.length], found = scoreOf(board, side), engine = DATA.engines[board.e[side]];
  const won = board.w === (side ? -1 : 1) ? ".winner" : "";
  return el("div.player.bar-live", null,
    el("div", null, el(board.turn === side ? "span.turn.now" : "span.turn", { title: t(side ? "white" : "black") }, side ? "☖" : "☗"),
      el("span.name" + won, null, engineName(board.e[side])), el("span.clock" + (board.turn === side ? ".now" : ""), { "data-side": side }, clockText(board, side))),
    el("div", null, handPicture(position.hands[side]),
      found ? el("span.score", { title: t("scoreOf", engine.name) }, scoreText(found.score), found.depth ? el("span.soft", null, ` d${found.depth}`) : null) : null));
}

/** Both engines' scores over the game, from black's view. */
function liveGraph(board) {
  const width = 320, height = 64, count = Math.max(board.plies.length, 20), x = (at) => (width * at) / count, y = (score) => height / 2 - (height / 2 - 3) * squash(score);
  const lines = [0, 1].map((side) => {
    const own = board.plies.map((move, i) => ({ ...move, at: i + 1 })).filter((move) => move.done.black === (side === 0) && move.score);
    return svg("path", { d: path(own.map((move) => [x(move.at), y(move.score)])), class: "line", style: `stroke:var(--c${board.e[side] % 8})` });
  });
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", class: "spark", role: "img", "aria-label": t("blackView") },
    svg("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, class: "zero" }), lines);
}

/** The last move, and what the side to move thinks of. */
function liveWords(board) {
  const at = board.plies.length, last = at ? `${at} ${moveText(board, at - 1)}` : t("start");
  if (board.x) return [el("b", null, `${resultText(board)}  ${endingWords(board.x)}`), " · ", last];
  let position = board.positions[at], before = at ? board.plies[at - 1].done.to : null;
  const line = (board.thought?.v ?? "").split(" ").filter(Boolean).map((usi) => {
    const [after, done] = play(position, usi), text = notation === "western" ? western(done) : (done.black ? "▲" : "△") + japanese(done, before, true);
    [position, before] = [after, done.to];
    return text;
  });
  return [el("b", null, last), line.length ? el("span.soft", { title: t("expected") }, "  … " + line.join(" ")) : null];
}

function drawBoard(entry) {
  const { board, node } = entry, at = board.plies.length, done = at ? board.plies[at - 1].done : null;
  node.replaceChildren(el("h3", null, t("game", board.g + 1), el("span.soft", null, " · " + t("pliesOf", at))), liveBar(board, 1),
    boardPicture(board.positions[at], done, false), liveBar(board, 0), liveGraph(board), el("p.words", { lang: notation === "western" ? null : "ja" }, liveWords(board)));
}

/** Clocks run between the news. */
function tick() {
  for (const { board, node } of live.boards.values()) {
    if (board.turn === undefined) continue;
    for (const clock of node.querySelectorAll(".clock")) clock.textContent = clockText(board, Number(clock.dataset.side));
  }
}

/** Draws the report anew, at most a few times a second; a list that the reader has open stays. */
let waits = false;
function refresh() {
  if (waits) return;
  waits = true;
  setTimeout(() => {
    waits = false;
    const games = document.activeElement?.tagName === "SELECT" ? byId("games") : null;
    renderReport();
    if (games) byId("games")?.replaceWith(games);
    redraw(byId("report"));
  }, 150);
}

const HEARD = {
  report(report) {
    const games = DATA.games;
    takeFigures(report);
    DATA.games = games;
    refresh();
  },
  game(game) {
    const games = DATA.games.filter((one) => one.g !== game.g || one.b !== game.b);
    DATA.games = [...games, game].slice(-MAX_GAMES);
    refresh();
  },
  board(board) {
    if (!board.m && !board.turn && board.e[0] === board.e[1]) return;
    const known = live.boards.get(board.slot);
    const entry = known ?? { node: el("section.card.live") };
    // A start that is the usual one is not told.
    entry.board = unfold({ ...board, at: performance.now() });
    live.boards.set(board.slot, entry);
    if (known) drawBoard(entry); else liveBoards();
  },
};

listen(HEARD, liveBoards);
setInterval(tick, 100);
