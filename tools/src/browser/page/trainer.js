// Mates to find oneself: each move is judged by the solver, the longest defence answers. Mates missed in analysed games come again at
// growing intervals.

/** Judges the attacker's last move: `{verdict, reply}`; `solve` gives the moves of a mate, none for no mate, null for no answer. */
async function judgeAttack(start, moves, solve) {
  const after = ask({ ask: "position", start, moves });
  if (!after.check) return { verdict: "noCheck" };
  if (after.end?.ending === "checkmate") return { verdict: "solved" };
  let longest = -1, reply = null;
  for (const defence of after.legal) {
    const mate = await solve([...moves, defence]);
    if (mate === undefined) return { verdict: "left" };
    if (!mate?.length) return { verdict: mate ? "escapes" : "notSure", reply: defence };
    if (mate.length > longest) [longest, reply] = [mate.length, defence];
  }
  return { verdict: "goesOn", reply };
}

/** Mates that were missed in analysed games: kept, each with the day on which it comes again. */
const Missed = (() => {
  const DAY = 86_400_000, DAYS = [1, 3, 7, 16, 35, 90], LONGEST = 9;
  const all = () => Kept.get("missed") ?? [];

  return {
    /** Takes the mates that the side `side` (0, 1, or null for both) missed in the analysed game. */
    collect(side) {
      const known = all(), names = new Set(known.map((one) => one.sfen));
      MOVES.forEach((move, index) => {
        const mate = move.before?.proven_mate, mover = POSITIONS[index].black ? 0 : 1;
        if (move.missed !== "mate" || !mate || mate.plies > LONGEST || (side !== null && side !== mover)) return;
        const sfen = toSfen({ ...POSITIONS[index], ply: 1 });
        if (!names.has(sfen)) known.push({ sfen, plies: mate.plies, times: 0, due: 0 });
        names.add(sfen);
      });
      Kept.set("missed", known);
    },
    all,
    /** Those that are due, the shortest first. */
    due: () => all().filter((one) => one.due <= Date.now()).sort((one, other) => one.plies - other.plies),
    /** Notes that one was solved or not: it comes again later, or tomorrow. */
    note(sfen, isSolved) {
      Kept.set("missed", all().map((one) => (one.sfen === sfen ? { ...one, times: isSolved ? one.times + 1 : 0, due: Date.now() + DAY * (isSolved ? DAYS[Math.min(one.times, DAYS.length - 1)] : 1) } : one)));
    },
  };
})();
