// Charts of the report, drawn for the width that they have so that their letters keep their size.

/** Elo over games: the band of one engine, and the lines of all others if there are more than two. */
function eloChart(width, chosen) {
  const { at, elo } = DATA.series, many = DATA.engines.length > 2;
  const shown = many ? elo.map((_, engine) => engine) : [0];
  const first = Math.max(0, at.findIndex((_, i) => shown.some((engine) => elo[engine][i])));
  const settled = at.findIndex((n, i) => i >= first && n >= at[first] + (at[at.length - 1] - at[first]) * 0.12);
  const values = [0, ...shown.flatMap((engine) => elo[engine].slice(Math.max(settled, 0)).flatMap((p) => (p ? (engine === chosen ? p : [p[0]]) : [])))];
  const room = Math.max(10, (Math.max(...values) - Math.min(...values)) * 0.08);
  const f = frame({ width, height: 250, x: [at[first], at[at.length - 1]], y: [Math.max(-2000, Math.min(...values) - room), Math.min(2000, Math.max(...values) + room)] });
  const clip = svg("clipPath", { id: "elo-clip" }, svg("rect", { x: f.margin.left, y: f.margin.top, width: f.inner.width, height: f.inner.height }));
  const marks = svg("g", { "clip-path": "url(#elo-clip)" });
  const band = elo[chosen].map((p, i) => p && [f.sx(at[i]), f.sy(p[1]), f.sy(p[2])]).filter(Boolean);
  const outline = [...band.map((p) => [p[0], p[2]]), ...band.map((p) => [p[0], p[1]]).reverse()];
  if (band.length > 1) marks.append(svg("path", { d: path(outline) + "Z", class: "band", style: `fill:var(--c${chosen % 8})` }));
  for (const engine of [...shown.filter((e) => e !== chosen), chosen]) {
    const points = elo[engine].map((p, i) => p && [f.sx(at[i]), f.sy(p[0])]);
    marks.append(svg("path", { d: path(points), class: engine === chosen ? "line" : "line faint", style: `stroke:var(--c${engine % 8})` }));
  }
  f.picture.append(clip, marks);
  follow(f, (x) => {
    const i = nearestIndex(at.map(f.sx), x), p = elo[chosen][i];
    return p && { x: f.sx(at[i]), text: `${whole(at[i])}: ${signed(p[0])} [${signed(p[1])}, ${signed(p[2])}]` };
  });
  return f.picture;
}

function llrChart(width) {
  const { at, llr } = DATA.series, { lower, upper } = DATA.sprt;
  const f = frame({ width, height: 250, x: [0, at[at.length - 1]], y: [Math.min(lower, ...llr) - 0.4, Math.max(upper, ...llr) + 0.4] });
  for (const [bound, name, kind] of [[upper, "H1", "good"], [lower, "H0", "bad"]]) {
    f.picture.append(svg("line", { x1: f.margin.left, x2: width - f.margin.right, y1: f.sy(bound), y2: f.sy(bound), class: "bound " + kind }));
    f.picture.append(svg("text", { x: width - f.margin.right - 2, y: f.sy(bound) + (name === "H1" ? 14 : -6), class: "tick end" }, `${name} ${signed(bound, 2)}`));
  }
  const points = [[f.sx(0), f.sy(0)], ...at.map((n, i) => [f.sx(n), f.sy(llr[i])])];
  f.picture.append(svg("path", { d: path(points), class: "line", style: "stroke:var(--c0)" }));
  follow(f, (x) => {
    const i = nearestIndex(at.map(f.sx), x);
    return { x: f.sx(at[i]), text: `${whole(at[i])}: LLR ${signed(llr[i], 2)}` };
  });
  return f.picture;
}

/** Which of the four outcomes a game had: black won, draw, white won, none. */
const outcome = (game) => (game.w === undefined ? 3 : 1 - game.w);
const OUTCOMES = ["blackWins", "draws", "whiteWins", "noResult"];

/** How many plies the moves of a game are. */
const plies = (game) => (game.m ? (game.k ??= game.m.split(",").length) : 0);

function lengthChart(width) {
  const most = DATA.lengths.reduce((longest, [length]) => Math.max(longest, length), 1);
  const size = [5, 10, 20, 25, 50, 100].find((n) => most / n <= Math.max(10, Math.floor(width / 20))) ?? 200;
  const bins = Array.from({ length: Math.floor(most / size) + 1 }, () => [0, 0, 0, 0]);
  for (const [length, counts] of DATA.lengths) counts.forEach((count, kind) => (bins[Math.floor(length / size)][kind] += count));
  const sums = bins.map((bin) => bin.reduce((a, b) => a + b));
  const f = frame({ width, height: 250, x: [0, bins.length * size], y: [0, Math.max(...sums) * 1.05], yText: (n) => (n % 1 ? "" : tickText(n)) });
  bins.forEach((bin, i) => {
    let base = 0;
    const group = svg("g", null, svg("title", null, `${i * size}–${(i + 1) * size - 1}: ${whole(sums[i])}`));
    bin.forEach((count, kind) => {
      if (!count) return;
      const x = f.sx(i * size) + 1, top = f.sy(base + count);
      group.append(svg("rect", { x, width: Math.max(1, f.sx((i + 1) * size) - x - 1), y: top, height: f.sy(base) - top, class: "o" + kind }));
      base += count;
    });
    f.picture.append(group);
  });
  return f.picture;
}

function endingChart(width) {
  const sum = (counts) => counts.reduce((a, b) => a + b);
  const rows = [...DATA.endings].sort((a, b) => sum(b[1]) - sum(a[1])), most = sum(rows[0][1]);
  const left = Math.min(150, width * 0.38), step = rows.length > 8 ? 21 : 26, room = width - left - 92;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${rows.length * step + 8}`, width, height: rows.length * step + 8, class: "chart" });
  rows.forEach(([kind, counts], i) => {
    const y = i * step + 4, total = sum(counts);
    picture.append(svg("text", { x: left - 10, y: y + step / 2 + 4, class: "label end" }, endingWords(kind)));
    let x = left;
    counts.forEach((count, at) => {
      const size = (count / most) * room;
      if (count) picture.append(svg("rect", { x, y: y + 3, width: Math.max(size, 1), height: step - 7, class: "o" + at }, svg("title", null, `${t(OUTCOMES[at])}: ${whole(count)}`)));
      x += size;
    });
    picture.append(svg("text", { x: x + 8, y: y + step / 2 + 4, class: "label" }, whole(total)));
    picture.append(svg("text", { x: width - 4, y: y + step / 2 + 4, class: "tick end" }, percent(total / DATA.played)));
  });
  return picture;
}

function pairChart(width) {
  const penta = DATA.engines[0].penta, most = Math.max(...penta, 1), all = penta.reduce((a, b) => a + b);
  const f = frame({ width, height: 250, x: [0, 5], y: [0, most * 1.12], xTicks: [], yText: (n) => (n % 1 ? "" : tickText(n)) });
  penta.forEach((count, i) => {
    const x = f.sx(i + 0.16), y = f.sy(count), middle = f.sx(i + 0.5);
    f.picture.append(svg("rect", { x, width: f.sx(i + 0.84) - x, y, height: f.sy(0) - y, rx: 2, class: "p" + i }, svg("title", null, percent(count / all))));
    f.picture.append(svg("text", { x: middle, y: y - 6, class: "label middle" }, whole(count)));
    f.picture.append(svg("text", { x: middle, y: f.height - 8, class: "tick middle" }, ["0", "½", "1", "1½", "2"][i]));
  });
  return f.picture;
}

/** What the colours of outcomes mean. */
const outcomeLegend = () => el("p.legend", null, OUTCOMES.filter((_, kind) => DATA.endings.some(([, counts]) => counts[kind]))
  .map((key) => el("span", null, el("i.swatch.o" + OUTCOMES.indexOf(key)), t(key))));
