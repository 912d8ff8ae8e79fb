// A tuning under way: the page drawn anew as games end.

function refresh() {
  render();
  redraw(byId("report"));
}

listen({
  tuning(figures) {
    takeFigures(figures);
    refresh();
  },
}, refresh);
