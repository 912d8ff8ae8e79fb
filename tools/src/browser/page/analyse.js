// The analysis of a record: positions are searched in workers, the library judges, the report shows it. It is kept in the browser.

const Analyse = (() => {
  /** Nodes of a position: quick, usual, thorough. */
  const EFFORTS = [20000, 100000, 400000];
  const LINES = 3;
  /** Milliseconds between two looks at what was found so far. */
  const REFRESH = 1500;

  let host = null, parts = {}, run = null, input = "", csa = "";

  /** Engines side by side. */
  const workerCount = (blocks) => Math.max(1, Math.min(blocks, ENGINE_COUNT));

  function showInput(message) {
    const area = el("textarea", { id: "record", rows: 10, spellcheck: "false", autocapitalize: "off", placeholder: t("recordHint"), oninput: () => { input = area.value; } });
    area.value = input;
    const file = el("input", { type: "file", accept: ".kif,.kifu,.ki2,.ki2u,.csa,.bod,.usi,.sfen,.json,.jkf,.txt", hidden: true, onchange: () => file.files[0] && takeFile(file.files[0]) });
    const select = el("select", { id: "effort", onchange: () => { SETTINGS.effort = Number(select.value); keepSettings(); } }, EFFORTS.map((_, at) => el("option", { value: at, selected: at === SETTINGS.effort }, t("effort" + at))));
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

  /** Analyses a record. `origin` tells of a game of this page which side the reader had, and against which level. */
  function begin(text, name, origin = null) {
    stop();
    input = text;
    if (current !== "analyse") return openView("analyse", () => begin(text, name, origin));
    let read;
    try { read = ask({ ask: "read", text, name }); } catch (error) { return showInput(t("cannotRead", messageWords(error.message))); }
    const you = /^(あなた|You)$/;
    ply = read.moves.length;
    flipped = origin ? origin.you === "w" : you.test(read.players[1] ?? "") && !you.test(read.players[0] ?? "");
    line = 0;
    Report.reset();
    work({ text, name, nodes: EFFORTS[SETTINGS.effort] ?? EFFORTS[1], lines: LINES }, read, [], origin);
  }

  /** Searches what has not been searched of a record. */
  async function work(game, read, steps, origin, isStopped = false) {
    const mine = run = { game, read, steps, origin, engines: [], total: read.blocks.flat().length, isOver: false, timer: 0, ending: null };
    const has = new Set(steps.map((step) => step.ply)), blocks = read.blocks.map((plies) => plies.filter((one) => !has.has(one))).filter((plies) => plies.length);
    showRun();
    if (isStopped || !blocks.length) return finish(isStopped && blocks.length ? stoppedWords : () => t("finished"));
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
    mine.timer = setInterval(() => mine.steps.length !== mine.shown && !Report.isBusy() && refresh(), REFRESH);
    try {
      await Promise.all(jobs);
    } catch (error) {
      if (mine === run && !mine.isOver) finish(() => t("broken", error.message));
      return;
    }
    if (mine === run && !mine.isOver) finish(() => t("finished"));
  }

  const stoppedWords = () => t("stopped", run.steps.length, run.total);

  /** Ends the work; what was found stays. */
  function stop() {
    if (!run) return;
    run.isOver = true;
    clearInterval(run.timer);
    run.engines.forEach((engine) => engine.close());
  }

  function finish(words) {
    stop();
    run.ending = words;
    keep();
    if (host) {
      if (!Report.isBusy() || !run.shown) refresh();
      else takeFound();
      drawHead();
      Missed.collect(run.origin ? (run.origin.you === "w" ? 1 : 0) : null);
    }
    say(words());
  }

  function keep() {
    if (!run) return Kept.set("analysis", null);
    const { game, steps, origin, isOver } = run;
    Kept.set("analysis", { game, steps, origin, ply, flipped, isStopped: isOver && steps.length < run.total });
  }

  /** Shows the analysis that was kept, and goes on with it. */
  function restore() {
    const saved = Kept.get("analysis");
    if (!saved) return false;
    let read;
    try { read = ask({ ask: "read", text: saved.game.text, name: saved.game.name }); } catch { return false; }
    [input, ply, flipped] = [saved.game.text, saved.ply, saved.flipped];
    work(saved.game, read, saved.steps, saved.origin, saved.isStopped);
    return true;
  }

  function progress() {
    if (!host || !parts.bar) return;
    parts.bar.value = run.steps.length;
    parts.count.textContent = t("progress", run.steps.length, run.total);
  }

  function showRun() {
    parts = { head: el("div.run"), game: el("div") };
    host.replaceChildren(el("h1.unseen", null, t("analyse")), parts.game);
    drawHead();
    refresh();
  }

  /** Notes on the record: several games, what was passed over. */
  function notes() {
    const { count, warnings, fault } = run.read;
    return [count > 1 ? t("severalGames", count) : null, ...warnings.slice(0, 3).map(messageWords), fault ? messageWords(fault) : null].filter(Boolean).map((text) => el("p.soft", null, text));
  }

  function drawHead() {
    const words = run.ending?.();
    if (!words) {
      parts.bar = el("progress", { max: run.total, value: run.steps.length, "aria-label": t("analyse") });
      parts.count = el("span.soft", null, t("progress", run.steps.length, run.total));
    } else parts.bar = parts.count = null;
    // A report that is whole needs no word about it above the rest.
    parts.head.classList.toggle("done", Boolean(words) && run.steps.length >= run.total);
    const other = () => { run = null; keep(); Report.close(); showInput(); };
    const done = words ? [button(t("saveKif"), () => save(KIF, "analysed.kifu")), button(t("saveCsa"), () => save(csa, "analysed.csa")), button(t("mateHere"), () => Mate.take(toSfen(POSITIONS[ply]), true)),
      run.steps.length < run.total ? button(t("goOn"), () => work(run.game, run.read, run.steps, run.origin)) : null, button(t("otherRecord"), other, { id: "other-record" })] : [button(t("cancel"), () => finish(stoppedWords), { id: "stop-run" })];
    parts.head.replaceChildren(...(words ? [el("span", { role: "status" }, words)] : [parts.bar, parts.count]), ...notes(), el("div.tools", null, done.filter(Boolean)));
  }

  /** Takes what was found so far. */
  function takeFound() {
    run.shown = run.steps.length;
    const answer = ask({ ask: "assess", ...run.game, steps: run.steps, english: language === 0 });
    csa = answer.csa;
    takeGame(answer.page);
  }

  /** Shows what was found so far; what had the focus keeps it. */
  function refresh() {
    if (!host || !run) return;
    takeFound();
    const focusable = () => [...parts.game.querySelectorAll("button, input, a, select")], at = focusable().indexOf(document.activeElement), top = scrollY;
    Report.show(parts.game, { extras: run.read, origin: run.origin, onChange: keep, head: parts.head });
    keep();
    if (at >= 0) focusable()[at]?.focus({ preventScroll: true });
    scrollTo(0, top);
  }

  return {
    open(where) {
      host = where;
      if (run) showRun();
      else if (!restore()) showInput();
    },
    close() {
      host = null;
      Report.close();
    },
    begin,
    takeFile,
    onKey(event) {
      if (!run) return false;
      if (Report.onKey(event)) return true;
      if (/^Arrow/.test(event.key) && event.target.closest?.(".squares")) return false;
      onGameKey(event);
      return event.defaultPrevented;
    },
    state: () => ({ run }),
  };
})();
