// The games of a folder in one table, with their openings to choose from.

let opening = "";

/** A cell; on a narrow screen, where the table has no head, the word of its column stands in it. */
const cell = (text, column) => el("td", { "data-head": column && t(column) }, text);
/** The openings and castles of both sides. */
const plansOf = (game) => [...game.openings.filter(Boolean), ...game.castles.flat()];
const nameOf = (pair) => pair?.[1 - language] ?? "–";
/** Two things of the sides, or a dash if there is neither. */
const both = (pair, ...parts) => (pair.some(Boolean) ? parts : "–");

function gameRow(game) {
  const accuracy = (side) => (game.accuracy[side] === null ? "–" : game.accuracy[side].toFixed(1));
  const result = game.winner === null ? (game.ending ? "½" : "–") : game.winner === 0 ? "1 – 0" : "0 – 1";
  const player = (side) => el("span.player-name", null, "▲△"[side] + (game.players[side] ?? "–"));
  return el("tr", null,
    el("td.left.text", null, el("a", { href: game.page }, game.name), game.fault ? el("span.fault", { title: game.fault }, t("faulty")) : null),
    el("td.left.text", null, both(game.players, player(0), player(1))), cell(result), cell(String(game.plies), "plies"),
    el("td.left.text", null, both(game.openings, `${nameOf(game.openings[0])} ${t("versus")} ${nameOf(game.openings[1])}`)),
    cell(`${accuracy(0)} / ${accuracy(1)}`, "accuracy"), cell(`${game.bad[0]} / ${game.bad[1]}`, "worst"));
}

function render() {
  document.documentElement.lang = ["en", "ja"][language];
  document.title = t("indexTitle");
  const known = new Map(DATA.games.flatMap((game) => plansOf(game).map((pair) => [pair[0], pair])));
  const select = el("select", { onchange: (event) => { opening = event.target.value; render(); }, "aria-label": t("openings") },
    el("option", { value: "" }, t("anyOpening")), [...known.values()].map((pair) => el("option", { value: pair[0], selected: pair[0] === opening }, pair[1 - language])));
  const games = DATA.games.filter((game) => !opening || plansOf(game).some((pair) => pair[0] === opening));
  const head = [["game", "left"], ["players", "left"], ["result"], ["plies"], ["openings", "left"], ["accuracy"], ["worst"]];
  byId("page").replaceChildren(el("div.summary-head", null, el("h1", null, t("indexTitle")), factLine([`${games.length} / ${DATA.games.length}`, t("settings", DATA.engine, limitText(DATA.limits), DATA.scale)]), el("div.filters", null, select)),
    el("section.card", null, el("div.scroll", null, el("table.index", null, el("thead", null, el("tr", null, head.map(([key, kind]) => el("th", { class: kind, scope: "col" }, t(key))))),
      el("tbody", null, games.map(gameRow))))));
  byId("language").textContent = t("otherLanguage");
  byId("footer").textContent = t("footer", DATA.engine);
}

byId("language").addEventListener("click", () => {
  setLanguage(1 - language);
  render();
});
render();
