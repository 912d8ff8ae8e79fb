// The analysis of a record: positions are searched in workers, the library judges, the page is that of `komainu analyse`.

const Analyse = (() => {
  /** Nodes of a position: quick, usual, thorough. */
  const EFFORTS = [20000, 100000, 400000];
  const LINES = 3;
  /** Milliseconds between two looks at what was found so far. */
  const REFRESH = 1500;

  let host = null, parts = {}, run = null, input = "", effort = 1, csa = "";

  const button = (text, action, attributes) => el("button", { type: "button", onclick: action, ...attributes }, text);
  /** Workers side by side: a phone has less memory. */
  const workerCount = (blocks) => Math.max(1, Math.min(blocks, matchMedia("(pointer: coarse)").matches ? 2 : 4, (navigator.hardwareConcurrency ?? 2) - 1));

  function showInput(message) {
    const area = el("textarea", { id: "record", rows: 10, spellcheck: "false", autocapitalize: "off", placeholder: t("recordHint"), oninput: () => { input = area.value; } });
    area.value = input;
    const file = el("input", { type: "file", accept: ".kif,.kifu,.ki2,.ki2u,.csa,.bod,.usi,.sfen,.json,.jkf,.txt", hidden: true, onchange: () => file.files[0] && takeFile(file.files[0]) });
    const select = el("select", { id: "effort", onchange: () => { effort = Number(select.value); } }, EFFORTS.map((_, at) => el("option", { value: at, selected: at === effort }, t("effort" + at))));
    host.replaceChildren(el("section.card.ask", null, el("h1", null, t("analyse")),
      el("label.field.wide-field", null, el("span", null, t("recordLabel")), area),
      el("div.tools", null, button(t("openFile"), () => file.click()), file, el("label.inline", null, t("effort") + " ", select), button(t("analyseBegin"), () => begin(area.value, ""), { class: "main" })),
      el("p.status.problem", { role: "alert" }, message ?? "")));
  }

  async function takeFile(file) {
    const bytes = await file.arrayBuffer();
    input = decodeText(bytes);
    begin(input, file.name);
  }

  /** A text in UTF-8, or else in the encoding of Japanese Windows. */
  function decodeText(bytes) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return new TextDecoder("shift_jis").decode(bytes);
    }
  }

  /** Analyses a record. */
  async function begin(text, name) {
    stop();
    input = text;
    if (current !== "analyse") return openView("analyse", () => begin(text, name));
    let read;
    try { read = ask({ ask: "read", text, name }); } catch (error) { return showInput(t("cannotRead", error.message)); }
    const game = { text, name, nodes: EFFORTS[effort], lines: LINES };
    const mine = run = { game, steps: [], engines: [], total: read.blocks.flat().length, isOver: false, timer: 0 };
    ply = read.moves.length;
    line = 0;
    showRun(read.count > 1 ? t("severalGames", read.count) : null);
    const blocks = read.blocks.slice();
    const jobs = Array.from({ length: workerCount(blocks.length) }, async () => {
      const engine = new Engine();
      mine.engines.push(engine);
      for (let plies = blocks.shift(); plies && mine === run; plies = blocks.shift()) {
        await engine.ask({ ask: "study", ...game, plies }, (step) => {
          mine.steps.push(step);
          progress();
        });
      }
      engine.close();
    });
    mine.timer = setInterval(() => mine.steps.length !== mine.shown && refresh(), REFRESH);
    try {
      await Promise.all(jobs);
    } catch (error) {
      if (mine === run && !mine.isOver) finish(t("broken", error.message));
      return;
    }
    if (mine === run && !mine.isOver) finish(t("finished"));
  }

  /** Ends the work; what was found stays. */
  function stop() {
    if (!run) return;
    run.isOver = true;
    clearInterval(run.timer);
    run.engines.forEach((engine) => engine.close());
  }

  function finish(words) {
    stop();
    if (host) {
      refresh();
      drawHead(words);
    }
    say(words);
  }

  function progress() {
    if (!host || !parts.bar) return;
    parts.bar.value = run.steps.length;
    parts.count.textContent = t("progress", run.steps.length, run.total);
  }

  function showRun(note) {
    parts = { head: el("div.run"), game: el("div") };
    host.replaceChildren(parts.head, parts.game);
    drawHead(run.isOver ? t("finished") : null, note);
    refresh();
  }

  function drawHead(words, note) {
    if (!words) {
      parts.bar = el("progress", { max: run.total, value: run.steps.length, "aria-label": t("analyse") });
      parts.count = el("span.soft", null, t("progress", run.steps.length, run.total));
    } else parts.bar = parts.count = null;
    const done = () => (words ? [button(t("saveKif"), () => save(KIF, "analysed.kifu")), button(t("saveCsa"), () => save(csa, "analysed.csa")), button(t("mateHere"), () => Mate.take(toSfen(POSITIONS[ply]), true)),
      button(t("otherRecord"), () => { run = null; showInput(); })] : [button(t("cancel"), () => finish(t("stopped")))]);
    parts.head.replaceChildren(...(words ? [el("span", { role: "status" }, words)] : [parts.bar, parts.count]), ...(note ? [el("span.soft", null, note)] : []), el("div.tools", null, done()));
  }

  /** Shows what was found so far; what had the focus keeps it. */
  function refresh() {
    if (!host || !run) return;
    run.shown = run.steps.length;
    const answer = ask({ ask: "assess", ...run.game, steps: run.steps, english: language === 0 });
    csa = answer.csa;
    const focusable = () => [...parts.game.querySelectorAll("button, input, a")], at = focusable().indexOf(document.activeElement);
    const top = scrollY;
    takeGame(answer.page);
    showGame(parts.game);
    if (at >= 0) focusable()[at]?.focus({ preventScroll: true });
    scrollTo(0, top);
  }

  return {
    open(where) {
      host = where;
      if (run) showRun();
      else showInput();
    },
    close() { host = null; },
    begin,
    takeFile,
    onKey(event) {
      if (!run) return false;
      onGameKey(event);
      return event.defaultPrevented;
    },
    state: () => ({ run }),
  };
})();
