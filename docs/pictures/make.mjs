// The pictures of the documents, in both languages, light and dark: `make pictures`. Needs node, playwright-core (`npm ci --prefix
// wasm/test/browser`) and Chromium; KOMAINU names the program, KOMAINU_WEB the folder of `make web`.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { chromium } = createRequire(process.env.PLAYWRIGHT ?? join(root, "wasm/test/browser/package.json"))("playwright-core");
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.CHROMIUM ?? browsers.find((path) => existsSync(path));
const komainu = process.env.KOMAINU ?? join(root, "target/release/komainu");
const web = process.env.KOMAINU_WEB ?? join(root, "target/web");
const run = (...words) => execFileSync(komainu, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });

const work = mkdtempSync(join(tmpdir(), "komainu-pictures-"));
const address = (file, place) => pathToFileURL(file).href + place;

/** The page with a game against a level. */
function game() {
  const start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL%20b%20-%201";
  const moves =
    "7g7f.3c3d.2g2f.4c4d.3i4h.8b4b.5i6h.5a6b.6h7h.6b7b.5g5f.7b8b.4i5h.7a7b.9g9f.9c9d.2f2e.2b3c.3g3f.3a3b";
  return address(join(web, "komainu.html"), `#play&start=${start}&moves=${moves}&you=b&level=10kyu&clock=long`);
}

/** The analysis of a game between two levels. */
function analysis() {
  const folder = join(work, "analysed");
  run("analyse", join(root, "docs/games/5kyu-4.kif"), "--out", folder, "--nodes", "20000");
  const page = readdirSync(folder).find((name) => name.endsWith(".html") && name !== "index.html");
  return address(join(folder, page), "#p30");
}

/** The report of a match. */
function report() {
  const folder = join(work, "match");
  const engines = ["new", "old"].flatMap((name) => ["--engine", `${name}=${komainu}`]);
  run("match", ...engines, "--nodes", "6000", "--odds", "old=nodes=2000", "--games", "24", "--shuffle", "1", "--out", folder);
  return address(join(folder, "report.html"), "");
}

// Names of the files as arguments: those alone.
const wanted = process.argv.slice(2);
const pictures = [
  ["docs/web", game, 1100, 700],
  ["docs/analysis", analysis, 1280, 860],
  ["docs/pictures/report", report, 1200, 960],
].filter(([name]) => !wanted.length || wanted.includes(name));

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"] });
for (const [name, make, width, height] of pictures) {
  const url = make();
  for (const [language, locale] of [["", "en-US"], [".ja", "ja-JP"]]) {
    for (const [shade, colorScheme] of [["", "light"], [".dark", "dark"]]) {
      const context = await browser.newContext({ viewport: { width, height }, locale, colorScheme });
      const shown = await context.newPage();
      await shown.goto(url);
      await shown.waitForTimeout(3_000);
      await shown.screenshot({ path: join(root, `${name}${language}${shade}.png`) });
      await context.close();
    }
  }
}
await browser.close();
rmSync(work, { recursive: true });
