// Elements. Text becomes a text node and never markup.

/** Sets what an element has: attributes, `on…` listeners. Nothing for `null`, `undefined` and `false`. */
function dress(node, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

/** An HTML element: `el("p.soft", {title: …}, child, …)`. */
function el(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  dress(node, attributes).append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return node;
}

/** An SVG element; a text child is its text. */
function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(node, attributes).append(...children.flat(3).filter((child) => child !== null && child !== undefined));
  return node;
}

const byId = (id) => document.getElementById(id);

/** A table. A column is `{head, title, left, cell}`; `cell` gives text or a node. */
function table(columns, rows, attributes) {
  // The column with the names stays in sight when the table is wider than the window.
  const names = columns.findIndex((c) => c.left);
  const kind = (tag, c, i) => tag + (c.left ? ".left" : "") + (i === names ? ".stay" : "");
  const head = columns.map((c, i) => el(kind("th", c, i), { title: c.title, scope: "col" }, c.head));
  const body = rows.map((row, at) =>
    el("tr", null, columns.map((c, i) => el(kind("td", c, i), null, c.cell(row, at) ?? "–"))));
  return el("div.scroll", null, el("table", attributes, el("thead", null, el("tr", null, head)), el("tbody", null, body)));
}

/** Cards and sections. */
const card = (title, ...children) => el("section.card", null, title ? el("h3", null, title) : null, children);
const section = (id, title, ...children) => el("section.part", { id }, el("h2", null, title), children);

/** Facts in a line, which breaks between them. */
const factLine = (facts) => el("p.facts", null, facts.flatMap((fact, at) => [at ? " · " : null, el("span.fact", null, fact)]));

/** The name of an engine beside its colour. */
const engineName = (index) =>
  el("span.engine", null, el("i.dot", { style: `background:var(--c${index % 8})` }), el("bdi", null, DATA.engines[index].name));

/** Draws into an element whenever its width changes. */
function drawn(host, draw) {
  let last = 0;
  const update = () => {
    const width = Math.floor(host.clientWidth);
    if (width > 0 && width !== last) host.replaceChildren(...[draw((last = width))].flat());
  };
  host.redraw = () => { last = 0; update(); };
  // Not at once: a drawing may change the width that is being told.
  new ResizeObserver(() => requestAnimationFrame(update)).observe(host);
  return host;
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { style: "position:fixed;opacity:0" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const label = button.textContent;
  if (button.disabled) return;
  button.disabled = true;
  button.textContent = t("copied");
  setTimeout(() => { button.disabled = false; button.textContent = label; }, 900);
}

/** What the page was made from, if it was made from data. */
const DATA = JSON.parse(byId("data")?.textContent ?? "null");
