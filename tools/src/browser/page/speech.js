// What is said to those who listen to the page: each move with what it does, check, the clock.

let spokenParts = [], speaking = 0;

/** Says something. What is said at the same time is said one after the other. */
function say(text) {
  if (!text) return;
  if (!spokenParts.includes(text)) spokenParts.push(text);
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    const host = byId("spoken"), all = spokenParts.join(language ? "　" : " ");
    // The same words twice are said twice.
    host.textContent = host.textContent === all ? all + "\u00a0" : all;
    spokenParts = [];
  }, 60);
}

/** A move for the ear: who, the piece, squares, what it takes, whether it promotes or gives check. */
function spokenMove(done, who, isCheck) {
  const piece = pieceWords(done.piece), to = squareWords(done.to), from = done.from && squareWords(done.from);
  const captured = done.captured && pieceWords(done.captured);
  if (language) {
    const move = `${to}${piece}${done.drop ? "打" : ""}${done.promotes ? "成" : done.could ? "不成" : ""}`;
    return `${who}、${[move, captured && `${captured}を取る`, isCheck && "王手"].filter(Boolean).join("、")}。`;
  }
  const move = done.drop ? `${piece} dropped on ${to}` : captured ? `${piece} from ${from} takes ${captured} on ${to}` : `${piece} from ${from} to ${to}`;
  return `${who}: ${[move, done.promotes && "promotes", done.could && !done.promotes && "does not promote", isCheck && "check"].filter(Boolean).join(", ")}.`;
}

/** Makes the buttons of a list one stop of the Tab key; arrows go from one to the next, by `step` where that is more than focus. */
function rove(list, step) {
  list.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!by || !event.target.matches?.("button")) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...list.querySelectorAll("button")], at = buttons.indexOf(event.target);
    const to = Math.min(Math.max(at + by, 0), buttons.length - 1);
    step(to);
    const now = [...list.querySelectorAll("button")];
    now.forEach((one, index) => { one.tabIndex = index === to ? 0 : -1; });
    now[to]?.focus();
  });
}
