// The page as a whole: its three parts, the language, keys, and the address.

const VIEWS = { play: Play, analyse: Analyse, mate: Mate };
let current = null, MAIN_ENGINE = null;

/** `#play&start=…`: the part and what it remembers. */
function readHash() {
  const text = location.hash.slice(1);
  let decoded = text;
  try { decoded = decodeURI(text); } catch { /* a `%` that begins no byte stands for itself */ }
  const [name, ...rest] = decoded.split("&");
  const words = new URLSearchParams((name.includes("=") ? [name, ...rest] : rest).join("&").replace(/\+/g, "%2B"));
  return { name: Object.hasOwn(VIEWS, name) ? name : words.has("sfen") ? "mate" : "play", words };
}

function setHash(name, words) {
  const said = Object.entries({ ...words, ...(languageIsChosen ? { lang: ["en", "ja"][language] } : {}) }).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = `#${name}${said.map(([key, value]) => `&${key}=${String(value).replace(/ /g, "%20")}`).join("")}`;
  try { history.replaceState(null, "", text); } catch { /* some browsers guard files */ }
}

let languageIsChosen = false;

function openView(name, then) {
  const { words, name: named } = readHash();
  VIEWS[current]?.close?.();
  current = name;
  if (named !== name) setHash(name, {});
  frame();
  scrollTo(0, 0);
  VIEWS[name].open(byId("page"), named === name ? words : new URLSearchParams());
  then?.();
}

/** What stands around the parts. */
function frame() {
  document.documentElement.lang = ["en", "ja"][language];
  document.title = `${t(current ?? "play")} – Komainu`;
  byId("sections").replaceChildren(...Object.keys(VIEWS).map((name) => el("a", { href: "#" + name, "aria-current": name === current ? "page" : null, onclick: (event) => { event.preventDefault(); if (name !== current) { openView(name); } } }, t(name))));
  byId("language").textContent = t("otherLanguage");
  dress(byId("language"), { lang: ["ja", "en"][language], title: t("languageName") });
  byId("footer").replaceChildren(t("footer", ENGINE_NAME), ...engineNotes(), el("br"), t("keptNote") + " ", button(t("forget"), forget, { id: "forget" }));
  document.body.dataset.view = current ?? "play";
}

/** Takes out what the browser keeps, and begins anew. */
function forget() {
  Kept.forget();
  try { history.replaceState(null, "", "#play"); } catch { /* some browsers guard files */ }
  location.reload();
}

byId("language").addEventListener("click", () => {
  languageIsChosen = true;
  setLanguage(1 - language);
  const { name, words } = readHash();
  setHash(name, { ...Object.fromEntries(words), lang: ["en", "ja"][language] });
  frame();
  if (current) VIEWS[current].open(byId("page"), readHash().words);
});
byId("home").addEventListener("click", (event) => {
  event.preventDefault();
  if (current) openView("play");
});
addEventListener("hashchange", () => current && openView(readHash().name));
addEventListener("keydown", (event) => {
  if (!current || event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA)$/.test(event.target.tagName) || event.defaultPrevented) return;
  if (VIEWS[current].onKey(event)) event.preventDefault();
});
addEventListener("dragover", (event) => {
  if ([...event.dataTransfer.types].includes("Files")) event.preventDefault();
});
addEventListener("drop", (event) => {
  const file = event.dataTransfer.files[0];
  if (!file) return;
  event.preventDefault();
  if (current !== "analyse") openView("analyse", () => Analyse.takeFile(file));
  else Analyse.takeFile(file);
});
addEventListener("beforeprint", () => byId("paper")?.replaceChildren(...diagrams()));

/** What is seen until the engine is there: the board where it will be. */
function showStart() {
  const loading = el("section.card", null, el("p", { role: "status" }, t("loading"))), isGame = readHash().name === "play";
  byId("page").replaceChildren(isGame ? el("div.desk.starting", null, el("div.top", null, makeSeat()), el("div.board-box", { "aria-hidden": "true" }, boardPicture(fromSfen(START), null, false, letters || language === 0)), el("div.low", null, makeSeat()), el("div.side-pane", null, loading)) : loading);
}

(async () => {
  const named = readHash().words.get("lang");
  if (named) [languageIsChosen, language] = [true, named === "ja" ? 1 : 0];
  frame();
  showStart();
  // The board is on the screen before the engine is made.
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  try {
    MAIN_ENGINE = await startEngine();
  } catch (error) {
    byId("page").replaceChildren(el("p.empty", { role: "alert" }, t("broken", String(error.message ?? error))));
    return;
  }
  openView(readHash().name);
})();
