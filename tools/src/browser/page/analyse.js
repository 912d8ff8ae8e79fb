// The analysis of a record: positions are searched in workers, the library judges, the report shows it. It is kept in the browser.

const Analyse = (() => {
  /** Nodes of a position: the quick look alone, usual, thorough. A quick look at the whole game comes first in any case. */
  const EFFORTS = [0, 100000, 400000];
  const LINES = 3;
  /** Milliseconds between two looks at what was found so far. */
  const REFRESH = 1000;

  let host = null, parts = {}, run = null, input = "", csa = "";

  /** Engines side by side. */
  const workerCount = (blocks) => Math.min(blocks, ENGINE_COUNT);

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
    const nodes = EFFORTS[SETTINGS.effort] ?? EFFORTS[1];
    work({ text, name, nodes: nodes || EFFORTS[1], quick: nodes === 0, lines: LINES }, read, [], origin);
  }

  /** Positions that were looked at as thoroughly as is wished. */
  const doneCount = () => [...run.steps.values()].filter((step) => run.game.quick || !step.result.quick).length;

  /** Searches what has not been searched of a record: the whole of it quickly, then thoroughly. */
  async function work(game, read, steps, origin, isStopped = false) {
    const found = new Map(steps.map((step) => [step.ply, step]));
    const mine = run = { game, read, steps: found, origin, engines: [], total: read.blocks.flat().length, isOver: false, isShown: false, timer: 0, ending: null };
    const open = (quick) => read.blocks.map((plies) => ({ quick, plies: plies.filter((ply) => !found.has(ply) || (!quick && found.get(ply).result.quick)) })).filter((part) => part.plies.length);
    const queue = [...open(true), ...(game.quick ? [] : open(false))];
    showRun();
    if (isStopped || !queue.length) return finish(isStopped && queue.length ? stoppedWords : () => t("finished"));
    const jobs = Array.from({ length: workerCount(queue.length) }, async () => {
      const engine = new Engine();
      mine.engines.push(engine);
      for (let part = queue.shift(); part && mine === run; part = queue.shift()) {
        await engine.ask({ ask: "study", ...game, ...part }, (step) => {
          found.set(step.ply, step);
          mine.isNew = true;
          // The whole graph is shown as soon as it is there.
          if (part.quick && found.size === mine.total) refresh();
          progress();
        });
      }
      engine.close();
    });
    mine.timer = setInterval(() => mine.isNew && refresh(), REFRESH);
    try {
      await Promise.all(jobs);
    } catch (error) {
      if (mine === run && !mine.isOver) finish(() => t("broken", error.message));
      return;
    }
    if (mine === run && !mine.isOver) finish(() => t("finished"));
  }

  const stoppedWords = () => (doneCount() ? t("stopped", doneCount(), run.total) : t("stoppedQuick", run.steps.size, run.total));

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
      refresh();
      drawHead();
      Missed.collect(run.origin ? (run.origin.you === "w" ? 1 : 0) : null);
    }
    say(words());
  }

  function keep() {
    if (!run) return Kept.set("analysis", null);
    const { game, steps, origin, isOver } = run;
    Kept.set("analysis", { game, steps: [...steps.values()], origin, ply, flipped, isStopped: isOver && doneCount() < run.total });
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

  /** The bar of the pass that is under way. */
  function progress() {
    if (parts.bar) parts.bar.value = doneCount() || run.steps.size;
  }

  function showRun() {
    parts = { head: el("div.run"), progress: el("div.progress"), game: el("div"), saves: [button(t("saveKif"), () => save(KIF, "analysed.kifu")), button(t("saveCsa"), () => save(csa, "analysed.csa"))] };
    host.replaceChildren(el("h1.unseen", null, t("analyse")), parts.game);
    run.isShown = false;
    drawHead();
    refresh();
  }

  /** Notes on the record: several games, what was passed over. */
  function notes() {
    const { count, warnings, fault } = run.read;
    return [count > 1 ? t("severalGames", count) : null, ...warnings.slice(0, 3).map(messageWords), fault ? messageWords(fault) : null].filter(Boolean).map((text) => el("p.soft", null, text));
  }

  function drawHead() {
    const words = run.ending?.(), other = () => { run = null; keep(); Report.close(); showInput(); };
    parts.bar = words ? null : el("progress", { max: run.total, "aria-label": t("analyse") });
    const goOn = () => work(run.game, run.read, [...run.steps.values()], run.origin), isDone = doneCount() === run.total;
    parts.progress.replaceChildren(...(words ? [isDone ? "" : button(t("goOn"), goOn), button(t("otherRecord"), other, { id: "other-record" })] : [parts.bar, button(t("cancel"), () => finish(stoppedWords), { id: "stop-run" })]));
    parts.head.replaceChildren(words && !isDone ? el("span", { role: "status" }, words) : "", ...notes());
    progress();
  }

  /** Shows what was found so far; what had the focus keeps it. */
  function refresh() {
    if (!host || !run) return;
    run.isNew = false;
    const answer = ask({ ask: "assess", ...run.game, steps: [...run.steps.values()], english: language === 0, running: !run.isOver });
    csa = answer.csa;
    takeGame(answer.page);
    const focusable = () => [...parts.game.querySelectorAll("button, input, a, select")], at = focusable().indexOf(document.activeElement), top = scrollY;
    if (run.isShown) Report.refresh();
    else Report.show(parts.game, { extras: run.read, origin: run.origin, onChange: keep, head: parts.head, progress: parts.progress, saves: parts.saves });
    run.isShown = true;
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
