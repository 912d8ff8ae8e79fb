// The tables and charts of the report above its games, and the settings below.

const sumOf = (counts) => counts.reduce((a, b) => a + b, 0);
const record = (counts) => el("span.wdl", null, el("b.good", null, whole(counts[0])), " – ", el("span", null, whole(counts[1])), " – ", el("b.bad", null, whole(counts[2])));
const share = (counts) => (sumOf(counts) ? percent((counts[0] + counts[1] / 2) / sumOf(counts)) : "–");
const nothing = (n) => (n ? el("b.bad", null, whole(n)) : el("span.soft", null, "0"));
const losText = (los) => (los === undefined ? "–" : percent(los));

function tile(name, value, below, title) {
  return el("div.tile", { title }, el("span.name", null, name), el("span.value", null, value), below ? el("span.below", null, below) : null);
}

function summary() {
  const { engines, settings, span: time } = DATA, duel = engines.length === 2;
  const heading = duel
    ? el("h1", null, engineName(0), el("span.versus", null, "–"), engineName(1))
    : el("h1", null, t("tournament", engines.length));
  const facts = [settings.limit, settings.plan.rules?.set, time && `${moment(time[0])} – ${moment(time[1])}`].filter(Boolean);
  return el("section.part.summary", { id: "top" }, el("p.kicker", null, t("report")), heading, factLine(facts),
    DATA.notes.length ? notes() : null, DATA.repeats ? el("p.warning", null, t("repeats")) : null,
    DATA.repeated ? el("p.warning", null, t("repeated", whole(DATA.repeated))) : null, duel ? duelCard() : null, el("div.tiles", null, tiles()));
}

function notes() {
  return el("details.note", null, el("summary", null, `${t("notes")}: ${DATA.notes.length}`), el("ul", null, DATA.notes.map((note) => el("li", null, note))));
}

/** The score of two engines, as large as it deserves. */
function duelCard() {
  const [a, b] = DATA.engines, all = sumOf(a.tally);
  if (!all) return el("p.empty", null, t("noGames"));
  const parts = a.tally.map((count, at) => count ? el("span.d" + at, { style: `flex-grow:${count}` }, count / all > 0.05 ? whole(count) : "") : null);
  const side = (engine, kind) => el("div.side." + kind, null, el("span.points", null, points(engine.points)), el("span.share", null, percent(engine.points / all)));
  return el("section.card.duel", null, el("div.sides", null, side(a, "first"), side(b, "second")), el("div.stack", null, parts),
    el("div.captions", null, el("span", null, `${t("win")} ${whole(a.tally[0])}`), el("span", null, `${t("draw")} ${whole(a.tally[1])}`), el("span", null, `${t("loss")} ${whole(a.tally[2])}`)));
}

function tiles() {
  const { engines, settings, sprt, black, played } = DATA, duel = engines.length === 2, strength = engines[0].strength, made = [];
  if (strength && duel) {
    const [value, ...error] = minus(strength.elo).split(" ");
    made.push(tile(t("elo"), value, error.join(" ")));
    made.push(tile(t("los"), losText(strength.los), null, t("losTitle")));
    if (strength.normalised) {
      const [n, ...e] = minus(strength.normalised).split(" ");
      made.push(tile(t("nelo"), n, e.join(" "), t("neloTitle")));
    }
  }
  if (sprt) made.push(testTile(sprt));
  const planned = duel ? t("planned", whole(settings.plan.games)) : t("plannedPairing", whole(settings.plan.games));
  made.push(tile(t("games"), whole(played), planned));
  if (sumOf(black)) made.push(tile(t("blackScore"), share(black), record(black)));
  return made;
}

function testTile(sprt) {
  const verdict = sprt.verdict ? `${sprt.verdict} ${t("accepted")}` : t("running");
  const at = Math.min(1, Math.max(0, (sprt.llr - sprt.lower) / (sprt.upper - sprt.lower)));
  const kind = sprt.verdict === "H1" ? ".good" : sprt.verdict === "H0" ? ".bad" : "";
  return el("div.tile.test", null,
    el("span.name", null, `${t("test")} [${sprt.plan.elo0}, ${sprt.plan.elo1}] ${sprt.plan.model === "logistic" ? "Elo" : "nElo"}`.replace(/-/g, "−")),
    el("span.value" + kind, null, verdict),
    el("div.gauge", null, el("i", { style: `left:${100 * at}%` })),
    el("span.below.ends", null, el("span", null, signed(sprt.lower, 2)), el("b", null, `LLR ${signed(sprt.llr, 2)}`), el("span", null, signed(sprt.upper, 2))),
    DATA.engines.length > 2 ? el("span.below", null, engineName(0)) : null,
    sprt.after ? el("span.below", null, t("afterGames", whole(sprt.after))) : null);
}

function results() {
  const { engines } = DATA, order = DATA.ratings.list.map((rating) => rating.engine);
  const rows = (engines.length > 2 ? order : engines.map((_, index) => index)).map((index) => ({ index, ...engines[index] }));
  const name = { head: t("engine"), left: true, cell: (row) => engineName(row.index) };
  const standing = [name,
    { head: t("games"), cell: (row) => whole(sumOf(row.tally)) },
    { head: t("won"), cell: (row) => whole(row.tally[0]) },
    { head: t("drawn"), cell: (row) => whole(row.tally[1]) },
    { head: t("lost"), cell: (row) => whole(row.tally[2]) },
    { head: t("points"), cell: (row) => el("b", null, points(row.points)) },
    { head: t("score"), cell: (row) => share(row.tally) },
    { head: t("elo"), cell: (row) => row.strength && minus(row.strength.elo) },
    { head: t("nelo"), title: t("neloTitle"), cell: (row) => row.strength?.normalised && minus(row.strength.normalised) },
    { head: t("los"), title: t("losTitle"), cell: (row) => losText(row.strength?.los) },
    { head: t("pairs"), title: t("pairsTitle"), cell: (row) => pentaCell(row.penta) }];
  const play = [name,
    { head: t("asBlack"), cell: (row) => record(row.colors[0]) },
    { head: t("score"), cell: (row) => share(row.colors[0]) },
    { head: t("asWhite"), cell: (row) => record(row.colors[1]) },
    { head: t("score"), cell: (row) => share(row.colors[1]) },
    { head: t("averageTime"), cell: (row) => row.millis !== undefined ? seconds(row.millis) : null },
    { head: t("longest"), cell: (row) => row.millis !== undefined ? seconds(row.longest) : null },
    { head: t("depth"), cell: (row) => row.depth?.toFixed(1) },
    { head: t("nps"), cell: (row) => row.nps !== undefined ? big(row.nps) : null },
    { head: t("timeLosses"), cell: (row) => nothing(row.time_losses) },
    { head: t("illegal"), cell: (row) => nothing(row.illegal_moves) },
    { head: t("crashes"), title: t("crashesTitle"), cell: (row) => nothing(row.crashes) },
    DATA.host_stalls ? { head: t("hostStalls"), title: t("hostStallsTitle"), cell: (row) => whole(row.host_stalls) } : null].filter(Boolean);
  const many = engines.length > 2;
  return section("results", t("results"), many ? [standingsCard(), ratingCard(), crossCard()] : null, card(many ? t("results") : null, table(standing, rows)), card(t("play"), table(play, rows)));
}

/** The five counts with a bar for each below. */
function pentaCell(penta) {
  const most = Math.max(...penta);
  if (!most) return null;
  return el("span.penta", null, penta.map((count, i) => el("span", null, whole(count), el("i.p" + i, { style: `height:${Math.round(14 * count / most)}px` }))));
}

function ratingCard() {
  const { list, advantage, connected } = DATA.ratings;
  const low = Math.min(...list.map((r) => r.elo - r.error)), high = Math.max(...list.map((r) => r.elo + r.error));
  const at = (elo) => `${(100 * (elo - low)) / (high - low || 1)}%`;
  const bar = (r) => el("span.whisker", null, el("i.range", { style: `left:${at(r.elo - r.error)};right:calc(100% - ${at(r.elo + r.error)});background:var(--c${r.engine % 8})` }),
    el("i.spot", { style: `left:${at(r.elo)};background:var(--c${r.engine % 8})` }));
  const columns = [
    { head: "#", cell: (_, i) => String(i + 1) },
    { head: t("engine"), left: true, cell: (r) => engineName(r.engine) },
    { head: t("elo"), cell: (r) => `${signed(r.elo)} ± ${r.error.toFixed(1)}` },
    { head: "", cell: bar },
    { head: t("points"), cell: (r) => `${points(DATA.engines[r.engine].points)} / ${sumOf(DATA.engines[r.engine].tally)}` },
    { head: t("losNext"), title: t("losTitle"), cell: (r) => losText(r.los) }];
  return card(t("ratings"), connected ? null : el("p.warning", null, t("notConnected")), table(columns, list),
    el("p.soft", null, `${t("blackScore")}: ${share(DATA.black)}, Elo ${minus(advantage)}`));
}

/** The table of a tournament, by points and what tells equal points apart. */
function standingsCard() {
  const rows = DATA.standings;
  if (!rows) return null;
  const quarter = (value) => value === undefined ? null : value % 0.5 ? value.toFixed(2) : points(value);
  const columns = [
    { head: "#", cell: (_, i) => String(i + 1) },
    { head: t("engine"), left: true, cell: (row) => engineName(row.engine) },
    { head: t("points"), cell: (row) => el("b", null, points(row.points)) },
    rows[0].buchholz === undefined ? null : { head: t("buchholz"), title: t("buchholzTitle"), cell: (row) => quarter(row.buchholz) },
    { head: t("sonneborn"), title: t("sonnebornTitle"), cell: (row) => quarter(row.sonneborn_berger) },
    rows.every((row) => row.direct === undefined) ? null : { head: t("direct"), title: t("directTitle"), cell: (row) => quarter(row.direct) },
    rows[0].byes === undefined ? null : { head: t("byes"), cell: (row) => whole(row.byes) },
    { head: t("won"), cell: (row) => whole(row.wins) },
    { head: t("drawn"), cell: (row) => whole(row.draws) },
    { head: t("lost"), cell: (row) => whole(row.losses) }].filter(Boolean);
  return card(t("standings"), table(columns, rows));
}

function crossCard() {
  const order = (DATA.standings ?? DATA.ratings.list).map((row) => row.engine);
  const cell = (engine, other) => {
    const counts = DATA.cross[engine][other], all = sumOf(counts);
    if (engine === other) return el("span.self", null, "");
    if (!all) return null;
    const score = (counts[0] + counts[1] / 2) / all;
    const heat = `background:color-mix(in srgb, var(${score >= 0.5 ? "--good" : "--bad"}) ${Math.round(Math.abs(score - 0.5) * 90)}%, transparent)`;
    return el("span.heat", { style: heat, title: `+${counts[0]} =${counts[1]} −${counts[2]}` }, el("b", null, points(counts[0] + counts[1] / 2)), el("small", null, ` / ${all}`));
  };
  const columns = [{ head: "#", cell: (_, i) => String(i + 1) }, { head: t("engine"), left: true, cell: engineName },
    ...order.map((other, i) => ({ head: String(i + 1), title: DATA.engines[other].name, cell: (engine) => cell(engine, other) }))];
  return card(t("cross"), table(columns, order, { class: "cross" }));
}

let eloOf = 0;

function charts() {
  const { series, engines, sprt, games } = DATA, made = [];
  if (!games.length) return null;
  const chart = (title, draw, below, kind = "div.plot") => made.push(card(title, drawn(el(kind), draw), below));
  if (series.at.length > 1) {
    if (engines.length > 2) {
      const host = el("div.plot");
      const chips = engines.map((_, index) => el("button.chip", { type: "button", "aria-pressed": String(index === eloOf), onclick: (event) => {
        eloOf = index;
        event.currentTarget.parentNode.querySelectorAll("button").forEach((chip, i) => chip.setAttribute("aria-pressed", String(i === index)));
        host.replaceChildren(eloChart(host.clientWidth, eloOf));
      } }, engineName(index)));
      made.push(card(t("eloChartMany"), drawn(host, (width) => eloChart(width, eloOf)), el("div.chips", null, chips)));
    } else {
      chart(t("eloChart"), (width) => eloChart(width, 0));
    }
    if (sprt) chart(`${t("llrChart")} [${minus(String(sprt.plan.elo0))}, ${minus(String(sprt.plan.elo1))}]`, llrChart);
  }
  chart(t("lengthChart"), lengthChart, outcomeLegend());
  chart(t("endingChart"), endingChart, outcomeLegend(), "div.plot.bars");
  if (sumOf(engines[0].penta)) chart(t("pairChart", engines[0].name), pairChart);
  return section("charts", t("charts"), el("div.grid", null, made));
}

function ruleWords(rules) {
  if (typeof rules === "string") return rules;
  const limit = rules.ply_limit ? [t("plyLimit", whole(rules.ply_limit)), t(rules.mate_on_last_ply ? "lastPlyWins" : "lastPlyDraws"),
    rules.checks_extend ? t("checksExtend") : null] : [t("noPlyLimit")];
  const words = [rules.entering_king, ...limit, t(rules.start_counts ? "startCounts" : "startCountsNot")].filter(Boolean).join(", ");
  return rules.set ? `${rules.set}: ${words}` : words;
}

function settings() {
  const { plan, limit, rules } = DATA.settings, { openings = {}, adjudication: a = {}, sprt } = plan;
  const opening = [openings.file ?? t("embedded"), openings.plies ? t("upTo", openings.plies) : null,
    openings.shuffle !== undefined ? t("shuffled", openings.shuffle) : t("inOrder")].filter(Boolean).join(", ");
  const judged = [a.resign_score ? t("resignRule", a.resign_score, a.resign_moves ?? 0) + (a.resign_one_sided ? ` (${t("oneSided")})` : "") : null,
    a.draw_moves ? t("drawRule", a.draw_score ?? 0, a.draw_moves, a.draw_from_ply ?? 0) : null].filter(Boolean).join(" · ") || t("none");
  const planned = plan.tournament === "swiss" && plan.rounds ? `${valueWords(plan.tournament)}, ${plan.rounds}` : valueWords(plan.tournament);
  // A server settles the rest by itself.
  const own = plan.tournament === "server" ? [] : [[t("games"), DATA.engines.length === 2 ? whole(plan.games) : t("plannedPairing", whole(plan.games))],
    [t("convention"), valueWords(plan.convention)], [t("margin"), `${plan.margin_ms} ms`], [t("ponder"), valueWords(plan.ponder)], [t("openings"), opening], [t("adjudication"), judged]];
  const facts = [[t("format"), planned], [t("limit"), limit || "–"], [t("rules"), ruleWords(rules)], ...own,
    sprt ? [t("hypotheses"), `elo0 ${sprt.elo0}, elo1 ${sprt.elo1}, α ${sprt.alpha}, β ${sprt.beta}, ${sprt.model}`.replace(/-(?=\d)/g, "−")] : null,
    ...(plan.machine ?? []).map((machine) => [t("machines"), [machine.host, machine.cpu, t("cores", machine.cores)].filter(Boolean).join(", ")]),
    DATA.span ? [t("started"), moment(DATA.span[0])] : null, DATA.span ? [t("ended"), moment(DATA.span[1])] : null].filter(Boolean);
  const list = (rows) => el("dl", null, rows.map(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
  const engines = DATA.engines.map((engine, index) => {
    const known = plan.engine[index].identity, files = Object.entries(known?.files ?? {}).map(([file, sum]) => el("code.option", null, `${sum.slice(0, 16)}… ${file}`));
    const options = Object.entries(engine.options).map(([name, value]) => el("code.option", null, `${name} = ${value}`));
    return card(null, el("h3", null, engineName(index)), list([known?.id_name ? [t("program"), known.id_name] : null, files.length ? [t("files"), files] : null, [t("command"), el("code", null, engine.command)],
      engine.folder ? [t("folder"), el("code", null, engine.folder)] : null, engine.limit ? [t("limit"), engine.limit] : null,
      [t("options"), options.length ? options : t("none")]].filter(Boolean)));
  });
  return section("settings", t("settings"), card(null, list(facts), plan.restart ? el("p.soft", null, t("restart")) : null), el("div.grid", null, engines));
}
