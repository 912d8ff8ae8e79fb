// What a rank sees: the level of that rank chooses in the positions before the mistakes of a game, with ten seeds each. What some of
// them find stands apart from what none sees.

const Sight = (() => {
  const SEEDS = 10;
  /** A move that costs no more than this, as a chance, finds it as well as the best one. */
  const AS_GOOD = 0.05;

  let host = null, engine = null, turn = 0, mover = null;
  /** For which game and rank, and by ply how many found the best and how many played as in the game. */
  let seen = null, isRunning = false;

  const gameKey = () => [GAME.start, ...MOVES.map((move) => move.usi)].join(" ");
  const rank = () => SETTINGS.rank ?? SETTINGS.level;
  const wanted = () => MOVES.filter((move) => isBad(move) && bestOf(move.before).length && (mover === null || (DONE[move.ply - 1].black ? 0 : 1) === mover));

  /** The moves that find it: the best one and those about as good. */
  function findings(move) {
    const side = sideOf(move.ply - 1), best = chanceOf(move.before, side);
    const others = move.before.lines.filter((one) => chanceOf(one, side) >= best - AS_GOOD && one.usi !== move.usi);
    return new Set([bestOf(move.before)[0], ...others.map((one) => one.usi)]);
  }

  function stop() {
    turn++;
    isRunning = false;
    engine?.close();
    engine = null;
  }

  async function run() {
    stop();
    const mine = turn, moves = wanted();
    isRunning = true;
    seen = { game: gameKey(), rank: rank(), found: {} };
    draw();
    try {
      engine = new Engine();
      await engine.until("readyok", [`setoption name Level value ${seen.rank}`, "setoption name LevelTime value fast", "setoption name ResignValue value 90000", "isready"]);
      for (const move of moves) {
        const good = findings(move), counts = [0, 0], made = MOVES.slice(0, move.ply - 1).map((one) => one.usi).join(" ");
        for (let seed = 1; seed <= SEEDS; seed++) {
          const answer = await engine.until("bestmove", [`setoption name LevelSeed value ${seed}`, "usinewgame", `position sfen ${GAME.start}${made ? " moves " + made : ""}`, "go byoyomi 10000"]);
          if (mine !== turn) return;
          const chosen = answer.split(" ")[1];
          if (good.has(chosen)) counts[0]++;
          if (chosen === move.usi) counts[1]++;
        }
        seen.found[move.ply] = counts;
        draw();
      }
      stop();
      Kept.set("sight", seen);
      say(summaryWords());
    } catch (error) {
      if (mine !== turn) return;
      stop();
      host?.append(el("p.problem", null, t("broken", error.message)));
      return;
    }
    draw();
  }

  /** The moves that were looked at, in those that somebody finds and those that nobody sees. */
  function parts() {
    const known = MOVES.filter((move) => seen?.found[move.ply]);
    return new Map([[true, known.filter((move) => seen.found[move.ply][0])], [false, known.filter((move) => !seen.found[move.ply][0])]]);
  }
  const summaryWords = () => t("sightSum", levelWords(seen.rank), parts().get(true).length, parts().get(false).length);

  function row(move) {
    const [found, same] = seen.found[move.ply], best = lineText(move.ply - 1, bestOf(move.before).slice(0, 1));
    return el("li", null, el("button.step-word", { type: "button", onclick: () => go(move.ply) }, `${move.ply} ${moveText(move)}`), " ",
      t(found ? "sightFound" : "sightNone", best, found, SEEDS), same ? el("span.soft", null, " " + t("sightSame", same, SEEDS)) : null);
  }

  function draw() {
    if (!host) return;
    const levels = (ENGINE_OPTIONS.get("Level")?.vars ?? []).filter((one) => one !== "full"), focused = document.activeElement?.id;
    const select = el("select", { id: "sight-level", onchange: () => { SETTINGS.rank = select.value; keepSettings(); } }, levels.map((one) => el("option", { value: one, selected: one === rank() }, levelWords(one))));
    const moves = wanted(), press = isRunning ? button(t("cancel"), () => { stop(); draw(); }, { id: "sight-stop" }) : button(t("sightRun"), run, { id: "sight-run", disabled: !moves.length });
    const lists = [...parts()].filter(([, list]) => list.length).map(([isFound, list]) => [el("h4", null, t(isFound ? "sightSome" : "sightNobody", levelWords(seen.rank))), el("ul.sight", { class: `sight ${isFound ? "found" : "unseen-there"}` }, list.map(row))]);
    host.replaceChildren(el("h3", null, t("sight")), el("div.tools", null, el("label.inline", null, el("span", null, t("level")), " ", select), press,
      isRunning ? el("span.soft", null, t("progress", Object.keys(seen.found).length, moves.length)) : null), ...lists.flat());
    if (focused?.startsWith("sight-")) (byId(focused) ?? byId("sight-run") ?? byId("sight-stop"))?.focus();
  }

  return {
    /** Shows it for the game of the report; `side` (0, 1, or null for both) had the moves. */
    show(where, side) {
      [host, mover] = [where, side];
      if (seen?.game !== gameKey()) {
        if (isRunning) stop();
        const kept = Kept.get("sight");
        seen = kept?.game === gameKey() ? kept : null;
      }
      draw();
    },
    close() {
      stop();
      host = null;
    },
    state: () => ({ seen, isRunning }),
  };
})();
