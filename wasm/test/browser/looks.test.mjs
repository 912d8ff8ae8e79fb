// How the page looks and is read: sizes, places that stay, contrast and names for those who listen.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { box, count, game, has, open, openView, played, press, text, words } from "./driver.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** A position in which both hands hold every kind. */
const FULL_HANDS = { start: "3gk4/9/9/9/9/9/9/9/3GK4 b RBGSNLPrbgsnlp 1" };

test("the board fills what there is, from 320 to 2560 pixels, and nothing has to be scrolled sideways", async () => {
  for (const [width, height, least] of [[320, 568, 280], [360, 640, 320], [412, 915, 395], [768, 1024, 600], [568, 320, 285], [740, 360, 320], [683, 384, 340], [1024, 600, 490], [1280, 800, 670], [1920, 1080, 930], [2560, 1300, 1140]]) {
    const page = await open(game("7g7f 3c3d", { clock: "long" }), { viewport: { width, height } });
    await has(page, ".status", "Your move");
    const board = await box(page, ".board-box"), seats = [await box(page, ".top .seat"), await box(page, ".low .seat")];
    const about = `${width}x${height}: ${JSON.stringify([board, ...seats])}`;
    assert.ok(board.width >= least, about);
    assert.ok([board, ...seats].every((one) => one.x >= 0 && one.y >= 0 && one.x + one.width <= width && one.y + one.height <= height + 1), about);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), about);
    if (width > 1.1 * height) assert.ok(seats.every((seat) => seat.x >= board.x + board.width), about);
    const clock = await box(page, ".low .clock"), seat = seats[1];
    assert.ok(clock.x + clock.width <= seat.x + seat.width && clock.y + clock.height <= seat.y + seat.height, about);
    await page.end();
  }
});

test("the board stays where it is: with full hands, a clock, either language, and from move to move", async () => {
  for (const viewport of [{ width: 360, height: 640 }, { width: 740, height: 360 }, { width: 1280, height: 800 }]) {
    const places = [];
    const look = async (page) => {
      await has(page, ".status", "");
      const { x, y, width } = await box(page, ".board-box");
      places.push([x, y, width].map(Math.round).join());
    };
    for (const more of [{}, { clock: "long" }, FULL_HANDS, { ...FULL_HANDS, clock: "fischer" }]) {
      const page = await open(game("", more), { viewport });
      await look(page);
      await page.click("#language");
      await look(page);
      await page.end();
    }
    const page = await open(game("7g7f 3c3d", { clock: "long" }), { viewport });
    await has(page, ".status", "Your move");
    await press(page, "8h", "2b");
    await look(page);
    await page.locator(".promotion button").first().click();
    await played(page, 4);
    await look(page);
    await page.end();
    assert.equal(new Set(places).size, 1, `${viewport.width}: ${places.join(" ")}`);
  }
});

/** What axe finds wrong with the page as it is. */
async function faults(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 140)} ${node.any[0]?.message ?? ""}`).join(" / ")}`);
}

test("axe finds nothing in either language, light and dark", { timeout: 600_000 }, async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const locale of ["en-US", "ja"]) {
      const options = { colorScheme, locale }, about = `${colorScheme} ${locale}`;
      const setup = await open("", options);
      assert.deepEqual(await faults(setup), [], `${about}, before a game`);
      await setup.end();
      const page = await open(game("7g7f 3c3d 8h5e 2b5e"), options);
      await page.waitForFunction(() => !/^(Komainu|エンジン)/.test(document.querySelector(".status").textContent));
      await page.locator(".moves .row").first().click();
      assert.deepEqual(await faults(page), [], `${about}, game`);
      await page.locator("#break-off").click();
      assert.deepEqual(await faults(page), [], `${about}, after a game`);
      await page.click("#lesson");
      assert.deepEqual(await faults(page), [], `${about}, plan and castle`);
      await page.getByRole("button", { name: /^(Analyse this game|この対局を解析)$/ }).click();
      await page.waitForSelector("#other-record");
      await page.locator(".moves [data-ply='3']").click();
      await page.click("#look");
      await page.waitForSelector(".live .pv");
      assert.deepEqual(await faults(page), [], `${about}, report`);
      await page.click("#other-record");
      assert.deepEqual(await faults(page), [], `${about}, before an analysis`);
      await openView(page, 3);
      assert.deepEqual(await faults(page), [], `${about}, mate`);
      await page.end();
      const asked = await open(game("7g7f 3c3d"), options);
      await asked.waitForFunction(() => /^(Your|あなた)/.test(document.querySelector(".status").textContent));
      await press(asked, "8h", "2b");
      await asked.waitForSelector(".promotion");
      assert.deepEqual(await faults(asked), [], `${about}, question`);
      await asked.end();
    }
  }
});

test("the Japanese page of a game and its setup has no English words but names", async () => {
  const page = await open("", { locale: "ja" });
  const english = async () => ((await page.innerText("body")).match(/[A-Za-z][a-z]{2,}/g) ?? []).filter((word) => !["Komainu", "English", "Cookie", "Apache", "Enter", "Esc", "MIT"].includes(word));
  assert.deepEqual(await english(), []);
  await page.click("button[type=submit]");
  await has(page, ".status", "あなたの番です");
  assert.deepEqual(await english(), []);
  await page.end();
});

test("the English page of a game has no Japanese words, the plan of the level included", async () => {
  const page = await open(game("7g7f", { clock: "fischer", seed: 1 }));
  await played(page, 2);
  await page.click("#resign");
  await page.click("#resign");
  await has(page, ".status", "Komainu wins");
  await has(page, ".plan", "Komainu's plan was ");
  assert.doesNotMatch(await words(page), /[\u3040-\u30ff\u4e00-\u9fff]/);
  await page.end();
});

test("the first board is there within a second of the file being read", async () => {
  const page = await open("");
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector(".board-box")) return;
      observer.disconnect();
      requestAnimationFrame(() => { window.shownAt = performance.now(); });
    }).observe(document, { childList: true, subtree: true });
  });
  const times = [];
  for (let i = 0; i < 5; i++) {
    await page.reload();
    times.push(await (await page.waitForFunction(() => window.shownAt)).jsonValue());
  }
  // The best of five: the machine may be busy otherwise.
  assert.ok(Math.min(...times) < 1000, times.map(Math.round).join());
  assert.ok(await text(page, "#footer") && (await count(page, "#forget")) === 1);
  await page.end();
});
