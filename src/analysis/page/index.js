// The games of a folder in one table, with their openings to choose from.

let opening = "";

const cell = (text, kind) => el("td", { class: kind }, text);
/** The openings and castles of both sides. */
const plansOf = (game) => [...game.openings.filter(Boolean), ...game.castles.flat()];
const nameOf = (pair) => pair?.[1 - language] ?? "–";

function gameRow(game) {
  const accuracy = (side) => (game.accuracy[side] === null ? "–" : game.accuracy[side].toFixed(1));
  const result = game.winner === null ? (game.ending ? "½" : "–") : game.winner === 0 ? "1 – 0" : "0 – 1";
  return el("tr", null, el("td.left", null, el("a", { href: game.page }, game.name)), el("td.left", null, `▲${game.players[0] ?? "–"} △${game.players[1] ?? "–"}`),
    cell(result), cell(String(game.plies)), el("td.left", null, `${nameOf(game.openings[0])} ${t("versus")} ${nameOf(game.openings[1])}`),
    cell(`${accuracy(0)} / ${accuracy(1)}`), cell(`${game.bad[0]} / ${game.bad[1]}`));
}

function render() {
  document.documentElement.lang = ["en", "ja"][language];
  document.title = t("indexTitle");
  const known = new Map(DATA.games.flatMap((game) => plansOf(game).map((pair) => [pair[0], pair])));
  const select = el("select", { onchange: (event) => { opening = event.target.value; render(); }, "aria-label": t("openings") },
    el("option", { value: "" }, t("anyOpening")), [...known.values()].map((pair) => el("option", { value: pair[0], selected: pair[0] === opening }, pair[1 - language])));
  const games = DATA.games.filter((game) => !opening || plansOf(game).some((pair) => pair[0] === opening));
  const head = [["games", "left"], ["players", "left"], ["result"], ["plies"], ["openings", "left"], ["accuracy"], ["worst"]];
  byId("page").replaceChildren(el("div.summary-head", null, el("h1", null, t("indexTitle")), factLine([`${games.length} / ${DATA.games.length}`, t("settings", DATA.engine, DATA.limit, DATA.scale)]), el("div.filters", null, select)),
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
