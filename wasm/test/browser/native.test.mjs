// The page of `komainu page`: the same page with the program behind it. KOMAINU names the program.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { count, game, has, isOneScreen, open, played, press, ready, reload, text } from "./driver.mjs";

const PROGRAM = process.env.KOMAINU;
const options = { skip: PROGRAM ? false : "KOMAINU names no program" };

/** Starts the program; what it prints is the address. */
async function start(port = 0) {
  const program = spawn(PROGRAM, ["page", "--no-open", "--port", String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(program.stdout, "data");
  return { program, address: String(line).trim(), ended: once(program, "exit") };
}

test("a game is played, taken up again after loading, and judged by the program", options, async () => {
  const { program, address, ended } = await start();
  const page = await open("", { address });
  await has(page, "footer", "engine: native");
  await page.selectOption("#set-level", "20kyu");
  await page.click("button[type=submit]");
  await has(page, ".status", "Your move");
  await press(page, "7g", "7f");
  await played(page, 2);
  await has(page, ".status", "Your move");
  await reload(page);
  await has(page, ".status", "Your move");
  assert.equal(await count(page, ".moves .row"), 2);
  await press(page, "2g", "2f");
  await played(page, 4);
  await page.click("#hint");
  await has(page, ".status", "Hint");
  // The rule that a move breaks is the library's word.
  await press(page, "5i", "5f");
  await page.waitForSelector(".status.problem");
  await page.click("#resign");
  await page.click("#resign");
  await page.getByRole("button", { name: "Analyse this game" }).click();
  await page.waitForSelector("#other-record");
  assert.ok(await count(page, "svg"));
  await page.goto(`${address}#sfen=4k4/9/3P1P3/9/9/9/9/9/9%20b%202G%201`);
  await ready(page);
  await page.getByRole("button", { name: "Solve", exact: true }).click();
  await page.waitForFunction(() => /Mate in \d/.test(document.body.textContent));
  await page.click("#quit");
  await page.waitForSelector(".lost");
  assert.match(await text(page, ".lost"), /has ended/);
  assert.deepEqual(await ended, [0, null]);
  await page.end();
  program.kill();
});

test("an analysis goes on when the page is loaded again in the middle of it", options, async () => {
  const { program, address, ended } = await start();
  const page = await open("#analyse", { address });
  await page.selectOption("#effort", "2");
  await page.fill("#record", "position startpos moves 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 7g7f 2b3c 3i4h 5a4b");
  await page.locator(".ask .main").click();
  await page.waitForSelector("#stop-run");
  await reload(page);
  await page.waitForSelector("#stop-run, #other-record");
  assert.equal(await page.getByRole("button", { name: "Go on" }).count(), 0);
  await page.end();
  program.kill();
  await ended;
});

test("a tab too many, and a program that is gone, are told on the page", options, async () => {
  const { program, address, ended } = await start();
  const pages = [];
  for (let number = 0; number < 4; number++) pages.push(await open("", { address }));
  const refused = await open("", { address, until: "main [role=alert]" });
  assert.match(await text(refused, "main [role=alert]"), /4 tabs of this page are open/);
  await pages.pop().end();
  await reload(refused);
  pages.push(refused);
  const [page] = pages;
  await page.click("button[type=submit]");
  await has(page, ".status", "Your move");
  program.kill("SIGKILL");
  await ended;
  for (const shown of pages) {
    await shown.waitForSelector(".lost");
    assert.match(await text(shown, ".lost"), /komainu page/);
    await shown.context().close();
  }
});

test("the page of komainu analyse has the screen of an analysis on the page", options, async () => {
  const folder = mkdtempSync(join(tmpdir(), "komainu-analysed-")), record = fileURLToPath(new URL("../../../docs/games/5kyu-1.kif", import.meta.url));
  execFileSync(PROGRAM, ["analyse", record, "--quick", "--format", "html", "--out", folder]);
  const page = await open("#p68", { address: pathToFileURL(join(folder, "5kyu-1.html")).href });
  await isOneScreen(page);
  assert.match(await text(page, ".talk h3"), /^68 △/);
  assert.match(await text(page, ".pass"), /provisional/);
  await page.end();
  rmSync(folder, { recursive: true });
});
