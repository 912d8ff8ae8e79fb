// Numbers as all languages write them, and charts as SVG, drawn for the width that they have so that their letters keep
// their size.

const whole = (n) => n.toLocaleString("en-US");
const percent = (share, digits = 1) => (100 * share).toFixed(digits) + " %";
const signed = (n, digits = 1) => (n < 0 ? "−" : "+") + Math.abs(n).toFixed(digits);
/** A text of numbers with true minus signs. */
const minus = (text) => text.replace(/-/g, "−").replace(/\binf\b/g, "∞");
const moment = (utc) => utc.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");

/** Round numbers from `low` to `high`, about `count` of them. */
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(count, 1) || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= raw * 0.999);
  const all = [];
  for (let n = Math.ceil(low / step - 1e-9) * step; n <= high + step * 1e-9; n += step) all.push(Math.abs(n) < step / 1e6 ? 0 : n);
  return all;
}

const tickText = (n) => (Math.abs(n) >= 1000 ? whole(Math.round(n)) : String(Number(n.toFixed(2)))).replace("-", "−");

/** The frame of a chart: scales, grid, axes. `x` and `y` are `[low, high]`. */
function frame({ width, height, x, y, margin = { left: 44, right: 12, top: 10, bottom: 26 }, xText = tickText, yText = tickText, xTicks }) {
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
  const sx = (n) => margin.left + ((n - x[0]) / (x[1] - x[0] || 1)) * inner.width;
  const sy = (n) => margin.top + (1 - (n - y[0]) / (y[1] - y[0] || 1)) * inner.height;
  const parts = [];
  for (const n of ticks(y[0], y[1], Math.floor(inner.height / 38))) {
    parts.push(svg("line", { x1: margin.left, x2: width - margin.right, y1: sy(n), y2: sy(n), class: n === 0 ? "zero" : "rule" }));
    parts.push(svg("text", { x: margin.left - 7, y: sy(n) + 4, class: "tick end" }, yText(n)));
  }
  for (const n of xTicks ?? ticks(x[0], x[1], Math.floor(inner.width / 68))) {
    parts.push(svg("text", { x: sx(n), y: height - 8, class: "tick middle" }, xText(n)));
  }
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "chart" }, parts);
  return { picture, sx, sy, margin, inner, width, height };
}

/** A line through points; `null` breaks it. */
function path(points) {
  let pen = "M";
  return points.map((point) => {
    if (!point) { pen = "M"; return ""; }
    const text = `${pen}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
    pen = "L";
    return text;
  }).join("");
}

/** A line with a text that follow the pointer; `nearest(x)` gives `{x, text}`. */
function follow(f, nearest) {
  const line = svg("line", { y1: f.margin.top, y2: f.height - f.margin.bottom, class: "cursor", visibility: "hidden" });
  const text = svg("text", { y: f.margin.top + 12, class: "tip", visibility: "hidden" });
  f.picture.append(line, text);
  f.picture.addEventListener("pointermove", (event) => {
    const at = nearest(event.clientX - f.picture.getBoundingClientRect().left);
    if (!at) return;
    const late = at.x > f.width / 2;
    dress(line, { x1: at.x, x2: at.x, visibility: "visible" });
    dress(text, { x: at.x + (late ? -6 : 6), "text-anchor": late ? "end" : "start", visibility: "visible" });
    text.textContent = at.text;
  });
  f.picture.addEventListener("pointerleave", () => [line, text].forEach((node) => node.setAttribute("visibility", "hidden")));
}

const nearestIndex = (xs, x) => xs.reduce((best, at, index) => (Math.abs(at - x) < Math.abs(xs[best] - x) ? index : best), 0);
