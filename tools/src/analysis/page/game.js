// The page of a game: what is drawn where, the language, and the ply that the address names.

function render() {
  document.documentElement.lang = ["en", "ja"][language];
  showGame(byId("page"));
  byId("sections").replaceChildren(...["board", "graph", "summary"].map((id) => el("a", { href: "#" + id, onclick: (event) => { event.preventDefault(); byId(id).scrollIntoView({ behavior: "smooth" }); } }, t(id))));
  if (DATA.index) dress(byId("home"), { href: DATA.index });
  byId("language").textContent = t("otherLanguage");
  byId("footer").textContent = t("footer", GAME.engine.name);
}

const named = () => location.hash.match(/^#p(\d+)$/);
const keepPlace = () => {
  try { history.replaceState({ flipped }, "", `#p${ply}`); } catch { /* some browsers guard files */ }
};
onPly = keepPlace;
byId("language").addEventListener("click", () => {
  setLanguage(1 - language);
  render();
});
addEventListener("keydown", onGameKey);
addEventListener("hashchange", () => named() && go(Number(named()[1])));
addEventListener("beforeprint", () => byId("paper").replaceChildren(...diagrams()));
takeGame(DATA);
ply = Math.min(Number(named()?.[1] ?? 0), MOVES.length);
flipped = Boolean(history.state?.flipped);
render();
// The file is written again while the analysis goes on.
if (IS_RUNNING) {
  setTimeout(() => {
    keepPlace();
    location.reload();
  }, 3000);
}
