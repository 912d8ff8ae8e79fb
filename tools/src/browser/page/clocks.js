// Clocks: time for all moves, for each move once that is used up, and time that each move adds.

/** Milliseconds of `{main, byoyomi, increment}` by name; `own` is in the settings. */
const CLOCKS = {
  none: null,
  long: { main: 600000, byoyomi: 30000, increment: 0 },
  slow: { main: 1800000, byoyomi: 60000, increment: 0 },
  short: { main: 0, byoyomi: 30000, increment: 0 },
  blitz: { main: 180000, byoyomi: 10000, increment: 0 },
  fischer: { main: 300000, byoyomi: 0, increment: 10000 },
};

/** The clock of a name: one of the table, or `600-30-0` in seconds. Null for none, and for what is no clock. */
function clockOf(name) {
  if (Object.hasOwn(CLOCKS, name)) return CLOCKS[name];
  const found = /^(\d{1,5})-(\d{1,4})-(\d{1,4})$/.exec(name ?? "");
  if (!found) return null;
  const [main, byoyomi, increment] = found.slice(1).map((seconds) => 1000 * Number(seconds));
  return main + byoyomi > 0 ? { main, byoyomi, increment } : null;
}

/** The name of the clock that the settings ask for. */
function chosenClock() {
  if (SETTINGS.clock !== "own") return SETTINGS.clock;
  const name = [60 * SETTINGS.main, SETTINGS.byoyomi, SETTINGS.increment].map(Math.round).join("-");
  return clockOf(name) ? name : "none";
}

/** Milliseconds that are left of a clock to a side that has used so many for its move. */
const leftOf = (clock, main, used) => (main > used ? main - used : main + clock.byoyomi - used);

/** What is left of the main time after a move. */
const afterMove = (clock, main, used) => Math.max(0, main - used) + clock.increment;

/** Words of a limit as records have them: `10分`, and those of byoyomi. */
function limitWords(clock, format) {
  if (!clock) return {};
  const whole = (ms) => Math.round(ms / 1000), pad = (n) => String(n).padStart(2, "0");
  const [main, byoyomi, increment] = [whole(clock.main), whole(clock.byoyomi), whole(clock.increment)];
  if (format === "csa") return increment ? {} : { time_limit: `${pad(Math.floor(main / 3600))}:${pad(Math.floor(main / 60) % 60)}+${pad(byoyomi)}` };
  const parts = [[Math.floor(main / 60), "分"], [main % 60, "秒"]].filter(([count]) => count).map(([count, unit]) => count + unit).join("") || "0秒";
  return { time_limit: increment ? `${parts}（1手${increment}秒加算）` : parts, byoyomi: byoyomi ? `${byoyomi}秒` : null };
}

/** The clock in words for people. */
function clockName(name) {
  const clock = clockOf(name);
  if (!clock) return t("clockNone");
  const minutes = (ms) => (ms % 60000 ? t("seconds", ms / 1000) : t("minutes", ms / 60000));
  return [clock.main ? minutes(clock.main) : null, clock.byoyomi ? t("eachMove", clock.byoyomi / 1000) : null, clock.increment ? t("added", clock.increment / 1000) : null]
    .filter(Boolean).join(language ? "、" : ", ");
}
