// The list of games: filters, order, pages.

const PAGE = 200;
const view = { engine: "", opponent: "", color: "", result: "", ending: "", sort: "g", down: false, page: 0 };

const resultText = (game) => ["1 – 0", "½ – ½", "0 – 1", "–"][outcome(game)];

/** The result for an engine: 1, 0, -1, or undefined. */
const resultFor = (game, engine) => (game.w === undefined ? undefined : game.e[0] === engine ? game.w : 0 - game.w);

function matches(game) {
  const chosen = view.engine === "" ? null : Number(view.engine);
  if (chosen !== null && !game.e.includes(chosen)) return false;
  if (chosen !== null && view.color !== "" && game.e[Number(view.color)] !== chosen) return false;
  if (view.opponent !== "" && !game.e.includes(Number(view.opponent))) return false;
  if (view.ending && game.x !== view.ending) return false;
  if (view.result === "") return true;
  if (view.result === "none") return game.w === undefined;
  return (chosen === null ? game.w : resultFor(game, chosen)) === Number(view.result);
}

const SORTS = {
  g: (game) => game.g,
  black: (game) => DATA.engines[game.e[0]].name,
  white: (game) => DATA.engines[game.e[1]].name,
  result: outcome,
  ending: (game) => endingWords(game.x),
  plies,
  duration: (game) => game.u,
  started: (game) => game.b,
};

/** The games that match, in the order that was chosen. */
function chosenGames() {
  const key = SORTS[view.sort], sign = view.down ? -1 : 1;
  return DATA.games.filter(matches).sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return sign * (typeof x === "string" ? x.localeCompare(y) : x - y) || a.g - b.g;
  });
}

function gameList() {
  const host = el("div");
  const refresh = () => host.replaceChildren(gameTable(refresh));
  const filters = el("div.filters");
  const choose = (key, name, options) => {
    const select = el("select", { onchange: (event) => {
      view[key] = event.target.value;
      view.page = 0;
      if (key === "engine") rebuild();
      refresh();
    } }, options.map(([value, text]) => el("option", { value, selected: view[key] === value }, text)));
    return el("label", null, el("span", null, name), select);
  };
  const rebuild = () => {
    const names = DATA.engines.map((engine, index) => [String(index), engine.name]);
    const results = view.engine === "" ? [["1", t("blackWins")], ["0", t("draws")], ["-1", t("whiteWins")]] : [["1", t("win")], ["0", t("draw")], ["-1", t("loss")]];
    const endings = [...new Set(DATA.games.map((game) => game.x))].map((kind) => [kind, endingWords(kind)]).sort((a, b) => a[1].localeCompare(b[1]));
    const many = DATA.engines.length > 2, all = ["", t("all")];
    filters.replaceChildren(...[choose("engine", t("engine"), [all, ...names]),
      view.engine !== "" ? choose("color", t("black") + " / " + t("white"), [["", t("anyColor")], ["0", t("black")], ["1", t("white")]]) : null,
      many ? choose("opponent", t("opponent"), [all, ...names]) : null,
      choose("result", t("result"), [all, ...results, ["none", t("noResult")]]),
      choose("ending", t("ending"), [all, ...endings])].filter(Boolean));
  };
  rebuild();
  refresh();
  const leftOut = DATA.played > DATA.games.length ? el("p.soft", null, t("leftOut", whole(DATA.games.length), whole(DATA.played))) : null;
  return section("games", t("games"), el("section.card", null, leftOut, filters, host));
}

function gameTable(refresh) {
  const games = chosenGames(), pages = Math.max(1, Math.ceil(games.length / PAGE));
  view.page = Math.min(view.page, pages - 1);
  const from = view.page * PAGE, rounds = DATA.games.some((game) => game.r);
  const columns = [["g", "#"], rounds ? [null, t("round")] : null, ["black", t("black"), "left"], ["result", t("result"), "middle"], ["white", t("white"), "left"],
    ["ending", t("ending"), "left wide"], ["plies", t("plies")], ["duration", t("duration"), "wide"], ["started", t("started"), "wide"]].filter(Boolean);
  const head = columns.map(([key, name, kind]) => el("th", { class: kind, scope: "col", "aria-sort": key === view.sort ? (view.down ? "descending" : "ascending") : null },
    key ? el("button.sort", { type: "button", onclick: () => {
      view.down = key === view.sort && !view.down;
      view.sort = key;
      refresh();
    } }, name) : name));
  const rows = games.slice(from, from + PAGE).map((game) => {
    const player = (side) => el(game.w === (side ? -1 : 1) ? "td.left.winner" : "td.left", null, engineName(game.e[side]));
    return el("tr.link", { onclick: () => openGame(game, 0) }, el("td", null, el("a", { href: `#g${game.g + 1}`, onclick: (event) => event.stopPropagation() }, String(game.g + 1))),
      rounds ? el("td", null, String((game.r ?? 0) + 1)) : null, player(0), el("td.middle", null, resultText(game)), player(1),
      el("td.left.wide", { title: game.i }, endingWords(game.x)), el("td", null, String(plies(game))), el("td.wide", null, span(game.u)), el("td.wide", null, moment(game.b)));
  });
  const turn = (by, name, off) => el("button", { type: "button", disabled: off, onclick: () => {
    view.page += by;
    refresh();
    byId("games").scrollIntoView();
  } }, name);
  const shown = games.length ? `${whole(from + 1)}–${whole(Math.min(from + PAGE, games.length))}` : "0";
  return el("div", null,
    games.length ? el("div.scroll", null, el("table.games", null, el("thead", null, el("tr", null, head)), el("tbody", null, rows))) : el("p.empty", null, t("noMatch")),
    el("div.pager", null, turn(-1, t("previous"), view.page === 0), el("span", null, t("shown", shown, whole(games.length))), turn(1, t("next"), view.page >= pages - 1)));
}
