// The page as a whole: what is drawn where, the language, and the game that the address names.

/** The game of an address as in `#g12-34`: game 12 after 34 plies. */
function gameInHash() {
  const [, number, at] = location.hash.match(/^#g(\d+)(?:-(\d+))?$/) ?? [];
  const game = number === undefined ? null : DATA.games.find((one) => one.g + 1 === Number(number));
  return game ? { game, at: Number(at ?? 0) } : null;
}

/** Shows what the address names. */
function route() {
  const named = gameInHash();
  if (named) {
    if (named.game !== shown || named.at !== ply) openGame(named.game, named.at);
  } else {
    const was = shown;
    closeGame();
    if (was || location.hash) (byId(location.hash.slice(1)) ?? document.body).scrollIntoView();
  }
}

function renderReport() {
  document.documentElement.lang = ["en", "ja"][language];
  // Only the page of a match under way has boards.
  const boards = typeof liveBoards === "function" ? liveBoards() : null;
  const parts = [summary(), boards, results(), charts(), settings(), DATA.games.length ? gameList() : null].filter(Boolean);
  byId("report").replaceChildren(...parts);
  byId("sections").replaceChildren(...parts.slice(1).map((part) => el("a", { href: "#" + part.id }, t(part.id))));
  byId("language").textContent = t("otherLanguage");
  byId("footer").textContent = t("footer", DATA.version);
}

function render() {
  renderReport();
  if (shown) drawReplay();
}

byId("language").addEventListener("click", () => {
  setLanguage(1 - language);
  render();
});
addEventListener("hashchange", route);
addEventListener("keydown", onKey);
render();
route();
