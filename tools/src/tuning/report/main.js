// The page of a tuning: tables, the course of every value, and the values as text.

/** A number with as many digits as tell it from its neighbours. */
const digits = (n, step) => minus(n.toFixed(Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(step))))));
const plain = (n) => minus(String(Number(n.toPrecision(6))));

function tile(name, value, below) {
  return el("div.tile", null, el("span.name", null, name), el("span.value", null, value), below ? el("span.below", null, below) : null);
}

const FAULTS = ["time-up", "illegal-move", "false-declaration", "crash", "stall"];

function summary() {
  const { plan, games, iterations, tally, endings, limit } = DATA;
  const faults = endings.filter(([ending]) => FAULTS.includes(ending));
  const made = [
    tile(t("games"), whole(games), t("of", whole(plan.games))),
    tile(t("iterations"), whole(iterations[0]), `${t("of", whole(iterations[1]))}, ${t("each", whole(2 * plan.tune.pairs))}`),
    tile(t("score"), tally.slice(0, 3).map(whole).join(" – ")),
  ];
  if (faults.length) made.push(tile(t("faults"), whole(faults.reduce((sum, [, n]) => sum + n, 0)), faults.map(([ending, n]) => `${endingWords(ending)} ${whole(n)}`).join(", ")));
  return el("section.part.summary", { id: "top" }, el("p.kicker", null, t("tuning")), el("h1", null, DATA.engine),
    factLine([DATA.live ? linkState() : t(DATA.state), limit]), el("div.tiles", null, made));
}

function parameters() {
  const columns = [
    { head: t("parameter"), left: true, cell: (p) => el("b", null, p.name) },
    { head: t("begin"), cell: (p) => plain(p.start) },
    { head: t("value"), cell: (p) => el("b", null, digits(p.value, p.c_end)) },
    { head: t("sent"), cell: (p) => minus(p.text) },
    { head: t("change"), title: t("changeTitle"), cell: (p) => signed((p.value - p.start) / p.c_end, 2) },
    { head: t("range"), cell: (p) => `${plain(p.min)} … ${plain(p.max)}` },
    { head: "C_END", cell: (p) => plain(p.c_end) },
    { head: "R_END", cell: (p) => plain(p.r_end) },
    { head: t("effect"), title: t("effectTitle"), cell: (p) => p.effect && `${signed(p.effect.elo)} ± ${p.effect.error.toFixed(1)}` },
  ];
  return section("parameters", t("parameters"), card(null, table(columns, DATA.parameters)));
}

/** The value of a parameter over the iterations, with what both sides play with. */
function courseChart(width, parameter, index) {
  const points = DATA.course, clamp = (n) => Math.min(parameter.max, Math.max(parameter.min, n));
  const xs = [0, ...points.map((p) => p.iteration)], ys = [parameter.start, ...points.map((p) => p.value[index])];
  const low = ys.map((y, i) => clamp(y - points[Math.max(0, i - 1)].c[index])), high = ys.map((y, i) => clamp(y + points[Math.max(0, i - 1)].c[index]));
  const ends = [Math.min(...low), Math.max(...high)], room = (ends[1] - ends[0]) * 0.06 || 1;
  const yText = (n) => plain(n);
  const f = frame({ width, height: 230, x: [0, DATA.iterations[1]], y: [ends[0] - room, ends[1] + room], yText, margin: { left: 56, right: 12, top: 10, bottom: 26 } });
  const color = `var(--c${index % 8})`;
  const outline = [...xs.map((x, i) => [f.sx(x), f.sy(high[i])]), ...xs.map((x, i) => [f.sx(x), f.sy(low[i])]).reverse()];
  f.picture.append(svg("path", { d: path(outline) + "Z", class: "band", style: `fill:${color}` }));
  f.picture.append(svg("line", { x1: f.margin.left, x2: width - f.margin.right, y1: f.sy(parameter.start), y2: f.sy(parameter.start), class: "bound", style: "stroke:var(--soft)" }));
  f.picture.append(svg("path", { d: path(xs.map((x, i) => [f.sx(x), f.sy(ys[i])])), class: "line", style: `stroke:${color}` }));
  follow(f, (x) => {
    const i = nearestIndex(xs.map(f.sx), x), c = points[Math.max(0, i - 1)].c[index];
    return { x: f.sx(xs[i]), text: `${whole(xs[i])}: ${digits(ys[i], parameter.c_end)} ± ${plain(c)}` };
  });
  return f.picture;
}

function courses() {
  const charts = DATA.parameters.map((parameter, index) =>
    card(parameter.name, drawn(el("div.plot"), (width) => courseChart(width, parameter, index))));
  const left = DATA.course.length < DATA.iterations[0]
    ? el("p.soft", null, t("moreLeft", whole(DATA.course.length), whole(DATA.iterations[0]))) : null;
  return section("courses", t("courses"), el("p.facts", null, t("coursesBelow")), el("div.grid", null, charts), left);
}

/** The gains in parts of those of the last iteration, which are the same for all parameters. */
function gainChart(width) {
  const { alpha, gamma, a_ratio } = DATA.plan.tune, all = DATA.iterations[1], delay = a_ratio * all;
  const xs = Array.from({ length: 200 }, (_, i) => Math.max(1, (i / 199) * all));
  const c = xs.map((k) => (all / k) ** gamma), a = xs.map((k) => ((delay + all) / (delay + k)) ** alpha);
  const f = frame({ width, height: 230, x: [0, all], y: [0, Math.max(...a, ...c) * 1.05] });
  [c, a].forEach((line, i) => f.picture.append(svg("path", { d: path(xs.map((x, at) => [f.sx(x), f.sy(line[at])])), class: "line", style: `stroke:var(--c${i})` })));
  const now = f.sx(DATA.iterations[0]);
  f.picture.append(svg("line", { x1: now, x2: now, y1: f.margin.top, y2: f.height - f.margin.bottom, class: "cursor" }));
  follow(f, (x) => {
    const i = nearestIndex(xs.map(f.sx), x);
    return { x: f.sx(xs[i]), text: `${whole(Math.round(xs[i]))}: c ${c[i].toFixed(2)}, a ${a[i].toFixed(2)}` };
  });
  return f.picture;
}

function gains() {
  const legend = el("p.legend", null, ["c", "a"].map((name, i) => el("span", null, el("i.swatch", { style: `background:var(--c${i})` }), name)));
  return section("gains", t("gains"), card(t("gainChart"), drawn(el("div.plot"), gainChart), legend, el("p.soft", null, t("gainsBelow"))));
}

/** Lines to copy. */
function lines(title, texts) {
  const button = el("button", { type: "button", onclick: (event) => copy(texts.join("\n") + "\n", event.currentTarget) }, t("copy"));
  return card(title, texts.map((text) => el("code.option", null, text)), el("p.chips", null, button));
}

function values() {
  const test = DATA.regression ? lines(t("test"), ["komainu match regression.toml --out regression"]) : null;
  return section("values", t("values"), el("div.grid", null, lines(t("setOptions"), DATA.set_options), lines(t("openbench"), DATA.openbench),
    lines(t("another"), DATA.next), test));
}

function settings() {
  const { plan } = DATA, { tune, openings = {} } = plan, engine = plan.engine[0], known = engine.identity;
  const codes = (entries) => entries.map((text) => el("code.option", null, text));
  const files = codes(Object.entries(known?.files ?? {}).map(([file, sum]) => `${sum.slice(0, 16)}… ${file}`));
  const options = codes(Object.entries(known?.options ?? engine.options ?? {}).map(([name, value]) => `${name} = ${value}`));
  const scaled = DATA.parameters.filter((p) => p.scale).map((p) => `${p.name} × ${plain(p.scale)}`);
  const facts = [known?.id_name ? [t("program"), known.id_name] : null, [t("command"), el("code", null, engine.command)],
    files.length ? [t("files"), files] : null, [t("options"), [options.length || scaled.length ? [options, codes(scaled)] : t("none")]], [t("limit"), DATA.limit],
    [t("openings"), openings.file ?? t("embedded")], [t("schedule"), `alpha ${tune.alpha}, gamma ${tune.gamma}, A ${plain(tune.a_ratio * DATA.iterations[1])}`],
    [t("seed"), String(tune.seed)],
    ...(plan.machine ?? []).map((machine) => [t("machines"), [machine.host, machine.cpu, t("cores", machine.cores)].filter(Boolean).join(", ")])].filter(Boolean);
  return section("settings", t("settings"), card(null, el("dl", null, facts.map(([name, value]) => [el("dt", null, name), el("dd", null, value)]))));
}

function render() {
  document.documentElement.lang = ["en", "ja"][language];
  const parts = [summary(), parameters(), ...(DATA.course.length ? [courses()] : []), gains(), values(), settings()];
  byId("report").replaceChildren(...parts);
  byId("sections").replaceChildren(...parts.slice(1).map((part) => el("a", { href: "#" + part.id }, t(part.id))));
  byId("language").textContent = t("otherLanguage");
  byId("footer").textContent = t("footer", DATA.version);
}

byId("language").addEventListener("click", () => {
  setLanguage(1 - language);
  render();
});
render();
