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
  dress(byId("language"), { lang: ["ja", "en"][language], "aria-label": `${t("languageName")} (${t("otherLanguage")})` });
  byId("footer").textContent = t("footer", ENGINE_NAME);
}

byId("language").addEventListener("click", () => {
  languageIsChosen = true;
  language = 1 - language;
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

(async () => {
  const named = readHash().words.get("lang");
  if (named) [languageIsChosen, language] = [true, named === "ja" ? 1 : 0];
  frame();
  byId("page").replaceChildren(el("p.empty", { role: "status" }, t("loading")));
  try {
    MAIN_ENGINE = await startEngine();
  } catch (error) {
    byId("page").replaceChildren(el("p.empty", { role: "alert" }, t("broken", String(error.message ?? error))));
    return;
  }
  openView(readHash().name);
})();
