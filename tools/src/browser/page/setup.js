// The form that begins a game.

let HANDICAP_LIST = null;
const HANDICAPS = () => (HANDICAP_LIST ??= ask({ ask: "handicaps" }).handicaps);
const startOf = (name) => HANDICAPS().find((one) => one.name === name)?.sfen ?? START;
/** Limits of moves that can be chosen; 0 is none. */
const LIMITS = [0, 256, 320, 500];
const DECLARATIONS = ["CSARule27", "CSARule24", "NoEnteringKing"];

/** The names of the sides, which are others in handicap games. */
const sideWords = (side, handicap) => t(handicap === "even" ? (side === "b" ? "black" : "white") : side === "b" ? "lower" : "upper");

const button = (text, action, attributes) => el("button", { type: "button", onclick: action, ...attributes }, text);
const field = (name, control, kind = "") => el(`label.field${kind}`, null, el("span", null, name), control);

/** Settings that the engine does not know, or that are none, become the usual ones. */
function checkSettings() {
  const level = ENGINE_OPTIONS.get("Level"), style = ENGINE_OPTIONS.get("LevelStyle"), levels = level?.vars.length ? level.vars : ["full"];
  if (!levels.includes(SETTINGS.level)) SETTINGS.level = levels.includes("20kyu") ? "20kyu" : levels[0];
  if (!style?.vars.includes(SETTINGS.style)) SETTINGS.style = style?.default ?? null;
  if (!HANDICAPS().some((one) => one.name === SETTINGS.handicap)) SETTINGS.handicap = "even";
  if (SETTINGS.clock !== "own" && !Object.hasOwn(CLOCKS, SETTINGS.clock)) SETTINGS.clock = "none";
  for (const [key, most] of [["main", 1000], ["byoyomi", 3600], ["increment", 3600]]) SETTINGS[key] = Math.min(Math.max(Number(SETTINGS[key]) || 0, 0), most);
}

/** A choice of levels, weakest first. */
function levelSelect(attributes) {
  checkSettings();
  const levels = ENGINE_OPTIONS.get("Level")?.vars ?? ["full"], order = [...levels.filter((one) => one !== "full"), ...levels.filter((one) => one === "full")];
  return el("select", { ...attributes, onchange: (event) => { SETTINGS.level = event.target.value; keepSettings(); } }, order.map((one) => el("option", { value: one, selected: one === SETTINGS.level }, levelWords(one))));
}

/** The form; `begin` is called when it is sent, `redraw` when the board before it changes. */
function setupForm(begin, redraw) {
  checkSettings();
  const select = (key, name, values, onchange, kind) => field(name, el("select", { id: "set-" + key, onchange: (event) => {
    SETTINGS[key] = typeof SETTINGS[key] === "number" ? Number(event.target.value) : event.target.value;
    keepSettings();
    onchange?.();
  } }, values.map(([value, words]) => el("option", { value, selected: value === SETTINGS[key] }, words))), kind);
  const sides = () => [["b", sideWords("b", SETTINGS.handicap)], ["w", sideWords("w", SETTINGS.handicap)], ["random", t("random")]];
  const styles = ENGINE_OPTIONS.get("LevelStyle")?.vars ?? [];
  const number = (key, words, most) => el("label.inline", null, el("span", null, words), el("input", { type: "number", id: "set-" + key, min: 0, max: most, value: SETTINGS[key], oninput: (event) => { SETTINGS[key] = Number(event.target.value) || 0; keepSettings(); } }));
  const own = el("div.own-clock", { role: "group", "aria-label": t("clockOwn") }, number("main", t("mainMinutes"), 1000), number("byoyomi", t("byoyomiSeconds"), 3600), number("increment", t("incrementSeconds"), 3600));
  const showOwn = () => { own.hidden = SETTINGS.clock !== "own"; };
  showOwn();
  const handicap = select("handicap", t("handicapWord"), HANDICAPS().map(({ name }) => [name, HANDICAP_WORDS[name]?.[language] ?? name]), () => {
    redraw();
    form.querySelector("#set-side").replaceChildren(...sides().map(([value, words]) => el("option", { value, selected: value === SETTINGS.side }, words)));
  });
  const form = el("form.setup", { onsubmit: (event) => { event.preventDefault(); begin(); } },
    field(t("level"), levelSelect({ id: "set-level", "aria-describedby": "level-note" })), el("p.soft.hint", { id: "level-note" }, t("levelNote")),
    styles.length ? select("style", t("style"), styles.map((one) => [one, styleWords(one)])) : null, handicap, select("side", t("side"), sides(), redraw),
    select("clock", t("clock"), [...Object.keys(CLOCKS).map((name) => [name, clockName(name)]), ["own", t("clockOwn")]], showOwn), own,
    el("button.main", { type: "submit" }, t("begin")),
    el("details", { ontoggle: ({ target }) => target.open && target.scrollIntoView({ block: "nearest" }) }, el("summary", null, t("moreSettings")),
      select("limit", t("limit"), LIMITS.map((plies) => [plies, plies ? t("limitPlies", plies) : t("limitNone")])),
      select("declarations", t("declarations"), DECLARATIONS.map((name) => [name, t(name)])),
      soundSwitch(), refereeSwitch()));
  return form;
}

/** A setting that is on or off. */
function settingSwitch(key, onchange = () => {}) {
  const box = el("input", { type: "checkbox", id: "set-" + key, checked: SETTINGS[key], onchange: () => {
    SETTINGS[key] = box.checked;
    keepSettings();
    onchange();
  } });
  return el("label.check", null, box, el("span", null, t(key)));
}
const soundSwitch = () => settingSwitch("sound", () => Sound.play("move"));
/** Asks once whether sounds are wanted. */
function soundOffer() {
  if (SETTINGS.soundAsked || SETTINGS.sound) return null;
  const answer = (sound) => {
    Object.assign(SETTINGS, { sound, soundAsked: true });
    keepSettings();
    byId("set-sound").checked = sound;
    offer.remove();
    Sound.play("move");
  };
  const offer = el("div.tools.offer", { role: "group", "aria-label": t("sound") }, el("span.soft", null, t("soundOffer")), button(t("soundYes"), () => answer(true), { id: "sound-yes" }), button(t("soundNo"), () => answer(false), { id: "sound-no" }));
  return offer;
}
const refereeSwitch = () => settingSwitch("referee");
