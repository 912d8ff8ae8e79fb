// Work under way: the connection to the program that does it, and what comes of it.

addWords({
  live: ["live", "実況中"],
  noConnection: ["no connection; trying again", "接続が切れました。再接続しています"],
  gone: ["ended", "終了"],
});

/** The connection: "live" or "lost", and the last words once nothing more will come. */
const link = { state: "live", end: "" };

/** How the connection is, in words. */
const linkState = () => el("span.state." + (link.end ? "over" : link.state), { role: "status" },
  link.end || t(link.state === "live" ? "live" : "noConnection"));

/** Puts new figures in the place of those that the page has. The page of another run loads itself anew. */
function takeFigures(figures) {
  if (figures.live !== DATA.live) return location.reload();
  Object.keys(DATA).filter((key) => !(key in figures)).forEach((key) => delete DATA[key]);
  Object.assign(DATA, figures);
}

/** Draws all charts within an element that has just been filled. */
const redraw = (host) => host.querySelectorAll(".plot").forEach((plot) => plot.redraw?.());

/** Hears events by their names; `changed` draws how the connection is. */
function listen(heard, changed) {
  const source = new EventSource("events");
  for (const [name, hear] of Object.entries(heard)) source.addEventListener(name, (event) => hear(JSON.parse(event.data)));
  source.addEventListener("end", (event) => {
    source.close();
    link.end = JSON.parse(event.data) || t("gone");
    changed();
  });
  const state = (now) => {
    if (link.end || link.state === now) return;
    link.state = now;
    changed();
  };
  source.addEventListener("open", () => state("live"));
  source.addEventListener("error", () => {
    state("lost");
    // Some refusals end a source for good.
    if (source.readyState === EventSource.CLOSED && !link.end) setTimeout(() => listen(heard, changed), 5000);
  });
}
