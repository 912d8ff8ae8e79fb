// What the browser keeps from visit to visit: settings, the game, the analysis, the mate problem. A tab has its own copy first.

const Kept = (() => {
  const NAME = (key) => "komainu-page-" + key;
  const places = () => {
    try { return [sessionStorage, localStorage]; } catch { return []; }
  };
  let isForgotten = false;

  return {
    /** What was kept under a key, or null. */
    get(key) {
      for (const place of places()) {
        try {
          const value = JSON.parse(place.getItem(NAME(key)));
          if (value !== null) return value;
        } catch { /* nothing that can be read */ }
      }
      return null;
    },
    /** Keeps a value; null takes it out. Where the browser has no room for it, it is not kept. */
    set(key, value) {
      if (isForgotten) return;
      for (const place of places()) {
        try {
          if (value === null) place.removeItem(NAME(key));
          else place.setItem(NAME(key), JSON.stringify(value));
        } catch {
          try { place.removeItem(NAME(key)); } catch { /* nor may it be taken out */ }
        }
      }
    },
    /** Takes everything out, and keeps nothing more until the page is loaded again. */
    forget() {
      isForgotten = true;
      for (const place of places()) {
        try { Object.keys(place).filter((name) => name.startsWith("komainu-")).forEach((name) => place.removeItem(name)); } catch { /* nothing is kept, then */ }
      }
    },
  };
})();

/** Settings of games, kept from visit to visit. */
const SETTINGS = { level: "20kyu", style: null, handicap: "even", side: "b", clock: "none", main: 10, byoyomi: 30, increment: 0, limit: 0, declarations: "CSARule27", sound: false, referee: false, effort: 1, ...Kept.get("settings") };
const keepSettings = () => Kept.set("settings", SETTINGS);
