// The graphs of a game: black's chance, what each move cost, times, and how the losses are spread.

const BAD = ["inaccuracy", "dubious", "mistake", "blunder"];
const sideOf = (index) => (index % 2 === 0) === FIRST_BLACK ? 0 : 1;

/** A picture as wide as it may be, with a scale over the positions of the game. */
function plyFrame(label, width, height, left = 44, right = 10) {
  const count = Math.max(MOVES.length, 1), inner = width - left - right;
  const x = (ply) => left + (ply / count) * inner;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img", "aria-label": label });
  const ply = (event) => {
    const at = event.clientX - picture.getBoundingClientRect().left;
    return Math.min(MOVES.length, Math.max(0, Math.round(((at - left) / inner) * count)));
  };
  return { picture, x, ply, left, right, width, height, inner };
}

function plyTicks(f) {
  const step = [5, 10, 20, 25, 50, 100, 200].find((n) => (MOVES.length / n) * 44 <= f.inner) ?? 500;
  for (let n = 0; n <= MOVES.length; n += step) f.picture.append(svg("text", { x: f.x(n), y: f.height - 3, class: "tick middle" }, String(n)));
}

/** Follows the pointer, and goes where it presses. */
function seekable(f, text) {
  const line = svg("line", { y1: 2, y2: f.height - 16, class: "cursor", visibility: "hidden" });
  const tip = svg("text", { y: 14, class: "tip", visibility: "hidden" });
  f.picture.append(svg("g", { class: "now", transform: `translate(${f.x(ply)} 0)` }, svg("line", { y1: 2, y2: f.height - 16 })), line, tip);
  f.picture.addEventListener("pointermove", (event) => {
    const at = f.ply(event), late = f.x(at) > f.width / 2;
    dress(line, { x1: f.x(at), x2: f.x(at), visibility: "visible" });
    dress(tip, { x: f.x(at) + (late ? -6 : 6), "text-anchor": late ? "end" : "start", visibility: "visible" });
    tip.textContent = text(at);
    if (event.buttons) go(at);
  });
  f.picture.addEventListener("pointerleave", () => [line, tip].forEach((node) => node.setAttribute("visibility", "hidden")));
  f.picture.addEventListener("pointerdown", (event) => go(f.ply(event)));
  f.picture.dataset.left = f.x(0);
  f.picture.dataset.step = f.x(1) - f.x(0);
  return f.picture;
}

/** Stretches of the game over which something holds of every position. */
function stretches(holds) {
  const all = [];
  CHANCES.forEach((_, at) => {
    if (!holds(at)) return;
    if (all.at(-1)?.[1] === at - 1) all.at(-1)[1] = at;
    else all.push([at, at]);
  });
  return all;
}

function chanceGraph(width, height) {
  const f = plyFrame(t("chance"), width, height), top = 8, bottom = f.height - 20, y = (p) => bottom - p * (bottom - top);
  for (const p of [0, 0.25, 0.5, 0.75, 1]) {
    f.picture.append(svg("line", { x1: f.left, x2: width - f.right, y1: y(p), y2: y(p), class: p === LEVEL ? "zero" : "rule" }));
    f.picture.append(svg("text", { x: f.left - 7, y: y(p) + 4, class: "tick end" }, percent(p)));
  }
  if (IS_HANDICAP) f.picture.append(svg("line", { x1: f.left, x2: width - f.right, y1: y(LEVEL), y2: y(LEVEL), class: "zero" }));
  const line = ([from, to]) => CHANCES.slice(from, to + 1).map((p, at) => `${at ? "L" : "M"}${f.x(from + at).toFixed(1)} ${y(p).toFixed(1)}`).join("");
  const known = stretches((at) => scoreAt(at)), thorough = stretches((at) => scoreAt(at) && !found(at)?.quick);
  for (const [from, to] of known) f.picture.append(svg("path", { d: `${line([from, to])}L${f.x(to)} ${y(LEVEL)}L${f.x(from)} ${y(LEVEL)}Z`, class: "area" }));
  // A dashed line is provisional.
  if (hasQuick()) f.picture.append(svg("path", { d: known.map(line).join(""), class: "line chance provisional" }));
  f.picture.append(svg("path", { d: thorough.map(line).join(""), class: "line chance" }));
  // The search goes from the back to the front, of several parts side by side.
  const fronts = IS_RUNNING ? (thorough.length ? thorough : known).map(([from]) => from).filter((from) => from > 0) : [];
  for (const at of fronts) f.picture.append(svg("path", { d: `M${f.x(at) - 5} ${top}h10l-5 7zv${bottom - top}`, class: "front" }));
  for (const move of MOVES.filter((one) => one.label)) {
    f.picture.append(svg("circle", { cx: f.x(move.ply), cy: y(CHANCES[move.ply]), r: move.label === "good" || move.label === "inaccuracy" ? 3.2 : 4.4, class: `spot l-${move.label}${isQuick(move) ? " provisional" : ""}` },
      svg("title", null, `${move.ply} ${moveText(move)} ${labelWord(move)}`)));
  }
  plyTicks(f);
  return seekable(f, (at) => `${at} ${at ? moveText(MOVES[at - 1]) : t("start")}  ${percent(CHANCES[at])}  ${scoreText(scoreAt(at))}`);
}

/** What each move cost: black's up, white's down. */
function lossGraph(width) {
  const f = plyFrame(t("loss"), width, 110), middle = (f.height - 16) / 2, room = middle - 6, bar = Math.max(1.5, Math.min(9, f.inner / Math.max(MOVES.length, 1) - 1));
  const most = Math.max(0.3, ...MOVES.map((move) => move.loss_p ?? 0));
  for (const [side, sign] of [[0, -1], [1, 1]]) {
    f.picture.append(svg("text", { x: f.left - 7, y: middle + sign * room * 0.62 + 4, class: "tick end" }, side ? "△" : "▲"));
    f.picture.append(svg("text", { x: f.left - 7, y: middle + sign * room + (side ? 2 : 8), class: "tick end" }, percent(most)));
  }
  f.picture.append(svg("line", { x1: f.left, x2: width - f.right, y1: middle, y2: middle, class: "zero" }));
  MOVES.forEach((move, index) => {
    if (!move.loss_p) return;
    const tall = Math.max(1, (move.loss_p / most) * room), up = sideOf(index) === 0;
    f.picture.append(svg("rect", { x: f.x(move.ply) - bar / 2, y: up ? middle - tall : middle, width: bar, height: tall, class: `loss l-${move.label ?? "plain"}` }));
  });
  plyTicks(f);
  return seekable(f, (at) => (at ? `${at} ${moveText(MOVES[at - 1])}  −${percent(MOVES[at - 1].loss_p ?? 0, 1)}` : t("start")));
}

function timeGraph(width) {
  const f = plyFrame(t("time"), width, 64), base = f.height - 18, longest = Math.max(1, ...MOVES.map((move) => move.spent_ms ?? 0));
  const bar = Math.max(1.5, Math.min(9, f.inner / Math.max(MOVES.length, 1) - 1));
  MOVES.forEach((move, index) => {
    if (!move.spent_ms) return;
    const tall = Math.max(1, (move.spent_ms / longest) * (base - 6));
    f.picture.append(svg("rect", { x: f.x(move.ply) - bar / 2, y: base - tall, width: bar, height: tall, class: sideOf(index) ? "spent white" : "spent black" }));
    if (move.pressure) f.picture.append(svg("rect", { x: f.x(move.ply) - bar / 2, y: base + 1, width: bar, height: 3, class: "pressed" }));
  });
  f.picture.append(svg("text", { x: f.left - 7, y: 12, class: "tick end" }, seconds(longest)));
  plyTicks(f);
  return seekable(f, (at) => (at ? `${at} ${moveText(MOVES[at - 1])}  ${MOVES[at - 1].spent_ms === null ? "" : seconds(MOVES[at - 1].spent_ms)}  ${pressureText(MOVES[at - 1])}` : t("start")));
}

const seconds = (ms) => (ms < 60000 ? `${Math.round(ms / 1000)}s` : `${Math.floor(ms / 60000)}:${String(Math.round(ms / 1000) % 60).padStart(2, "0")}`);

/** How many moves of each side cost how much. */
function histogram(width) {
  const edges = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 1.01], names = ["<1", "1–2", "2–5", "5–10", "10–20", "20–30", "30+"];
  const counts = names.map(() => [0, 0]);
  MOVES.forEach((move, index) => {
    if (move.loss_p === null) return;
    counts[edges.findLastIndex((edge) => move.loss_p >= edge)][sideOf(index)]++;
  });
  const height = 170, left = 34, base = height - 22, most = Math.max(1, ...counts.flat()), step = (width - left - 6) / names.length;
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart", role: "img", "aria-label": t("histogram") });
  counts.forEach((pair, at) => {
    pair.forEach((count, side) => {
      const tall = (count / most) * (base - 22), x = left + at * step + step * (0.14 + 0.37 * side);
      picture.append(svg("rect", { x, y: base - tall, width: step * 0.34, height: Math.max(tall, 0.5), class: side ? "spent white" : "spent black" }));
      if (count) picture.append(svg("text", { x: x + step * 0.17, y: base - tall - 4, class: "tick middle" }, String(count)));
    });
    picture.append(svg("text", { x: left + (at + 0.5) * step, y: height - 6, class: "tick middle" }, names[at]));
  });
  picture.append(svg("text", { x: 2, y: height - 6, class: "tick" }, "%"));
  return picture;
}
