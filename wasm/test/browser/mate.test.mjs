// Mate problems on the page, in a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { box, count, has, open, openView, press, reload, text } from "./driver.mjs";

const address = (sfen) => `#mate&sfen=${sfen.replaceAll(" ", "%20")}`;
const solve = async (page) => {
  await page.click("#solve");
  await page.waitForFunction(() => !/Stop|中止/.test(document.querySelector("#solve").textContent));
  return text(page, ".status");
};

test("pieces that are nowhere are the defender's, unless it is said otherwise", async () => {
  const page = await open(address("8k/6G2/R8/7N1/9/9/9/9/9 b - 1"));
  assert.equal(await page.isChecked("#rest"), true);
  assert.equal(await solve(page), "Mate in 3");
  await page.uncheck("#rest");
  assert.equal(await solve(page), "Mate in 1");
  await page.check("#rest");
  assert.equal(await solve(page), "Mate in 3");
  await page.end();
});

test("an answer is stepped through by its list, and is there after loading again and in the other language", async () => {
  const page = await open(address("4k4/9/4P4/9/9/9/9/9/9 b G 1"));
  assert.equal(await solve(page), "Mate in 1");
  await page.locator(".answer .row").first().click();
  assert.equal(await count(page, ".answer [aria-current]"), 1);
  await openView(page, 1);
  await reload(page);
  await openView(page, 3);
  await has(page, ".status", "Mate in 1");
  await page.click("#language");
  assert.equal(await text(page, ".status"), "1手詰");
  assert.match(await text(page, ".answer"), /▲５二金打?/);
  await page.end();
});

test("the piece box stands beside the board on a phone, and a piece goes from it onto the board", async () => {
  const page = await open("#mate", { viewport: { width: 360, height: 740 }, hasTouch: true });
  const [board, pieces] = [await box(page, ".board-box"), await box(page, ".piece-box")];
  assert.ok(pieces.y >= board.y + board.height && pieces.y + pieces.height <= 740, JSON.stringify([board, pieces]));
  await page.locator(".piece-box .held").first().tap();
  await press(page, "5e");
  assert.match(await page.evaluate(() => location.hash), /sfen=4k4\/9\/3P1P3\/9\/4P4/);
  await page.end();
});

test("a position that cannot be is refused in words of the language", async () => {
  const page = await open("#mate", { locale: "ja" });
  await page.fill("#position-text", "4k4/9/9/9/9/9/9/9/8 b - 1");
  await page.getByRole("button", { name: "盤に出す" }).click();
  assert.match(await text(page, ".status"), /^読み取れません：/);
  assert.doesNotMatch(await text(page, ".status"), /\b(rank|has|not|squares)\b/);
  await page.end();
});

test("a mate is solved by oneself: wrong moves are told, the longest defence answers", async () => {
  const page = await open(address("8k/6G2/R8/7N1/9/9/9/9/9 b - 1"));
  await page.click("#train");
  await has(page, ".status", "Find the mate");
  const promote = async (...squares) => {
    await press(page, ...squares);
    await page.locator(".promotion button").first().click();
  };
  await press(page, "3b", "2b");
  await has(page, ".status", "No mate after △K1a×2b");
  await promote("9c", "9d");
  await has(page, ".status", "Every move of the attacker gives check");
  await promote("9c", "1c");
  await has(page, ".status", "Right. The defence: △");
  await press(page, "1c", "1b");
  await has(page, ".status", "Solved: mate in 3.");
  await page.end();
});

test("a mate that was missed in an analysed game comes as a problem, and not again on the same day once it is solved", async () => {
  const page = await open("#analyse");
  await page.selectOption("#effort", "0");
  await page.fill("#record", "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves 5i5h 5a4a");
  await page.locator(".ask .main").click();
  await page.waitForSelector("#other-record");
  await openView(page, 3);
  assert.equal(await text(page, "#missed"), "Mates you missed: 1");
  await page.click("#missed");
  await page.locator(".low .held[data-piece=G]").click();
  await press(page, "5b");
  await has(page, ".status", "Solved: mate in 1.");
  assert.equal(await page.locator("#missed").isVisible(), false);
  await reload(page);
  assert.equal(await page.locator("#missed").isVisible(), false);
  await page.end();
});
