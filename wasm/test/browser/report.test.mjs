// The report of an analysis on the page, in a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { count, game, has, isOneScreen, listen, open, openView, press, reload, says, text, words } from "./driver.mjs";

const KIF = `手合割：平手
先手：鈴木太郎
後手：佐藤花子
*始めの言葉
   1 ７六歩(77)   ( 0:03/00:00:03)
*角道を開ける
   2 ３四歩(33)   ( 0:05/00:00:05)
   3 ２六歩(27)   ( 0:03/00:00:06)
   4 ４四歩(43)   ( 0:05/00:00:10)
   5 切れ負け
まで4手で後手の勝ち

変化：2手
   2 ８四歩(83)
*飛車先
   3 ２六歩(27)
`;

/** Opens a game of the page whose analysis will be a quick one. */
async function quick(hash) {
  const page = await open("#analyse");
  await page.selectOption("#effort", "0");
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.waitForSelector("#again, #break-off");
  return page;
}

/** Opens a page with the analysis of a record, done. */
async function analysed(record = KIF, options = {}) {
  const page = await open("#analyse", options);
  await page.selectOption("#effort", "0");
  await page.fill("#record", record);
  await page.locator(".ask .main").click();
  await page.waitForSelector("#other-record");
  return page;
}

test("the result line of a report names the winner in both languages", async () => {
  const page = await analysed(KIF, { locale: "ja" });
  assert.match(await text(page, ".summary-head"), /△佐藤花子の勝ち（時間切れ）/);
  await page.click("#language");
  assert.match(await text(page, ".summary-head"), /△佐藤花子 wins \(on time\)/);
  await page.end();
});

test("an analysis is there again after the page was loaded, at the same move, and can be put away", async () => {
  const page = await analysed();
  await page.locator(".moves [data-ply='2']").click();
  await openView(page, 1);
  await reload(page);
  await openView(page, 2);
  await page.waitForSelector("#other-record");
  assert.match(await text(page, ".talk h3"), /^2 △P3c–3d/);
  assert.equal(await count(page, ".moves .row"), 5);
  await page.click("#other-record");
  await reload(page);
  assert.equal(await count(page, ".ask"), 1);
  await page.end();
});

/** Black leaves its rook to the bishop, and then a mate in one. */
const MISTAKES = "position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 2e2d 2c2d 2h2d 8e8f 2d3d";

/** The mate of a tsume in three, played to its end. */
const MATE = "position sfen 8k/6G2/R8/7N1/9/9/9/9/9 b r2b3g4s3n4l18p 1 moves 9c1c+ P*1b 1c1b";

test("board, graph, talk and moves are in sight together, and on a phone the graph follows the buttons of the board", async () => {
  const page = await analysed();
  await isOneScreen(page);
  await page.end();
});

test("a quick look at the whole game comes first and is marked as provisional, then the thorough one goes along the graph", async () => {
  const page = await open("#analyse");
  await page.fill("#record", MISTAKES);
  await page.locator(".ask .main").click();
  await has(page, ".pass", "Thorough: ");
  assert.equal(await page.$$eval(".report .moves tr td:nth-child(3)", (cells) => cells.filter((cell) => !cell.textContent).length), 0, "every move has a score");
  const marks = () => page.evaluate(() => ["path.front", ".line.provisional", ".moves .chip.provisional"].map((one) => document.querySelectorAll(one).length));
  const [fronts, lines, chips] = await marks();
  assert.ok(fronts >= 1 && lines === 1 && chips >= 1, `${fronts} ${lines} ${chips}`);
  assert.match(await text(page, ".chip.provisional"), /\?$/);
  // The board stays while the graph fills.
  await press(page, "1c", "1d");
  await page.click("#look");
  await page.waitForSelector("#other-record");
  assert.deepEqual(await marks(), [0, 0, 0]);
  assert.equal(await text(page, ".pass"), "");
  assert.ok((await count(page, ".moves .chip")) >= 1 && (await count(page, ".tried")) === 1);
  await page.end();
});

test("a mate is counted from the attacker's move, and after it nothing is", async () => {
  const page = await analysed(MATE, { locale: "ja" });
  const scores = () => page.$$eval(".report .moves tr td:nth-child(3)", (cells) => cells.map((cell) => cell.textContent));
  assert.deepEqual(await scores(), ["▲3手詰", "▲詰み筋（残り2手）", "▲1手詰", "詰み"]);
  await page.click("#language");
  assert.deepEqual(await scores(), ["▲mate in 3", "▲mate, 2 plies left", "▲mate in 1", "mated"]);
  await page.locator(".moves [data-ply='1']").click();
  await page.click("#look");
  await page.waitForSelector(".live .pv");
  assert.match(await text(page, ".live td"), /^▲mate, 2 plies left$/);
  await page.end();
});

test("stopping tells how far it got, also after the page was loaded again, and the rest can be searched later", async () => {
  const page = await open("#analyse");
  await page.selectOption("#effort", "2");
  await page.fill("#record", `position startpos moves ${"2h3h 8b7b 3h2h 7b8b ".repeat(2)}7g7f 3c3d`);
  await page.locator(".ask .main").click();
  await has(page, ".pass", "Thorough: ");
  await page.click("#stop-run");
  const words = await text(page, ".run [role=status]");
  assert.match(words, /^Stopped after [1-9]\d? of 11 positions; they are shown\.$/);
  await reload(page);
  assert.equal(await text(page, ".run [role=status]"), words);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.waitForSelector("#stop-run");
  await page.end();
});

test("a move can be tried on the board, is valued, and the game is gone back to", async () => {
  const page = await analysed();
  await page.locator(".moves [data-ply='2']").click();
  await listen(page);
  await press(page, "8h", "2b");
  await page.locator(".promotion button").first().click();
  await says(page, /Black: bishop from 8h takes bishop on 2b, promotes/);
  await has(page, ".tried", "▲B8h×2b+");
  await page.waitForSelector(".live .pv");
  assert.match(await text(page, ".live td"), /^[−+]?\d+$/);
  await press(page, "3a", "2b");
  await has(page, ".tried", "△S3a×2b");
  await page.getByRole("button", { name: "Previous", exact: true }).click();
  assert.match(await text(page, ".tried [aria-current]"), /B8h×2b\+/);
  await page.click("#to-game");
  assert.equal(await count(page, ".tried"), 0);
  assert.match(await text(page, ".talk h3"), /^2 /);
  // The next move of the game goes on in the game.
  await press(page, "2g", "2f");
  assert.match(await text(page, ".talk h3"), /^3 /);
  await page.end();
});

test("a line of the engine is stepped through by mouse and by keys", async () => {
  const page = await analysed();
  await page.locator(".moves [data-ply='0']").click();
  await page.locator(".lines .step-word").nth(1).click();
  assert.equal(await count(page, ".tried [aria-current]"), 1);
  const words = await page.locator(".tried .step-word").allInnerTexts();
  assert.ok(words.length >= 3, words.join(" "));
  assert.equal(await text(page, ".tried [aria-current]"), words[1]);
  await page.locator(".summary-head h1").click();
  await page.keyboard.press(".");
  assert.equal(await text(page, ".tried [aria-current]"), words[2]);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await text(page, ".tried [aria-current]"), words[0]);
  await page.keyboard.press("Escape");
  assert.equal(await count(page, ".tried"), 0);
  await page.end();
});

test("any position is looked at by one worker, with lines that can be stepped through", async () => {
  const page = await analysed();
  await page.click("#look");
  await page.waitForSelector(".live .pv");
  assert.equal(await page.getAttribute("#look", "aria-pressed"), "true");
  await page.locator(".moves [data-ply='1']").click();
  await page.waitForSelector(".live .pv");
  assert.match(await text(page, ".live .pv"), /^△/);
  await page.locator(".live .step-word").first().click();
  assert.match(await text(page, ".tried [aria-current]"), /^△/);
  await page.click("#look");
  assert.equal(await count(page, ".live .pv"), 0);
  await page.end();
});

test("comments and variations of the record are shown where they belong", async () => {
  const page = await analysed();
  await page.locator(".moves [data-ply='0']").click();
  assert.equal(await text(page, ".talk .comment"), "始めの言葉");
  await page.locator(".moves [data-ply='1']").click();
  assert.match(await text(page, ".talk .comment"), /角道を開ける/);
  const variation = page.locator(".variation");
  assert.match(await variation.innerText(), /△P8c–8d ▲P2g–2f[^]*飛車先/);
  await variation.locator(".step-word").first().click();
  assert.equal(await text(page, ".tried [aria-current]"), "△P8c–8d");
  await page.end();
});

test("a game of the page is turned for White, and played on from any move against a level", async () => {
  const page = await quick(game("7g7f 3c3d 2g2f 8c8d", { you: "w", end: "interrupted", won: "-" }));
  await page.getByRole("button", { name: "Analyse this game" }).click();
  await page.waitForSelector("#play-from");
  assert.match(await page.locator(".square").first().getAttribute("aria-label"), /^1i /);
  await page.locator(".moves [data-ply='2']").click();
  await page.selectOption("#from-level", "12kyu");
  await page.click("#play-from");
  await has(page, ".status", "Your move");
  assert.match(await text(page, ".top .who"), /12 kyu/);
  assert.equal(await count(page, ".moves .row"), 2);
  await press(page, "2g", "2f");
  await page.waitForFunction(() => document.querySelectorAll(".moves .row").length >= 4);
  await page.end();
});

test("a mistake of the reader's is played again against the same level", async () => {
  const page = await quick(game("7g7f 3c3d 8h5e 2b5e", { end: "interrupted", won: "-", level: "15kyu" }));
  await page.getByRole("button", { name: "Analyse this game" }).click();
  await page.waitForSelector("#other-record");
  await page.locator(".moves [data-ply='3']").click();
  await page.click("#play-again");
  await has(page, ".status", "Your move");
  assert.match(await text(page, ".top .who"), /15 kyu/);
  assert.equal(await count(page, ".moves .row"), 2);
  await press(page, "2g", "2f");
  await has(page, ".plan", "Held this time: ");
  await page.click("#take-back");
  await has(page, ".status", "Your move");
  await press(page, "8h", "5e");
  await has(page, ".plan", "Given away again: ");
  await reload(page);
  await has(page, ".plan", "Given away again: ");
  await page.end();
});

test("the moves of a report are gone through by the arrow keys of its list", async () => {
  const page = await analysed();
  await page.locator(".moves [data-ply='4']").focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /P3c–3d/);
  assert.match(await text(page, ".talk h3"), /^2 /);
  assert.equal(await count(page, ".moves .row[tabindex='0']"), 1);
  await page.end();
});

test("no word of the English page is Japanese, and no message of the Japanese page is English", async () => {
  const plain = "position startpos moves 7g7f 3c3d 2g2f 4c4d";
  const page = await analysed(plain);
  for (const at of [0, 1, 2, 3, 4]) {
    await page.locator(`.moves [data-ply='${at}']`).click();
    assert.doesNotMatch(await words(page), /[\u3040-\u30ff\u4e00-\u9fff]/);
  }
  await page.click("#look");
  await page.waitForSelector(".live .pv");
  assert.doesNotMatch(await text(page, ".live"), /[\u3040-\u30ff\u4e00-\u9fff]/);
  await page.end();
  const japanese = await open("#analyse", { locale: "ja" });
  for (const [record, wanted] of [["position startpos moves 7g7f 7g7f", /7g7f/], ["手合割：平手\n   1 ７六歩(78)\n", /行目/], ["xyz", /読み取/], ["", /読み取/]]) {
    await japanese.fill("#record", record);
    await japanese.locator(".ask .main").click();
    await japanese.waitForSelector("#other-record, .problem:not(:empty)");
    const said = japanese.locator(".problem, .run").first();
    assert.match(await said.innerText(), wanted);
    assert.doesNotMatch(await said.innerText(), /\b(is|not|line|move|was|the|no)\b/);
    if (await count(japanese, "#other-record")) await japanese.click("#other-record");
  }
  await japanese.end();
});

/** What was kept of it: the rank, and by ply how many found the best and how many played as in the game. */
const sight = (page) => page.evaluate(() => JSON.parse(sessionStorage.getItem("komainu-page-sight")));
const sightDone = async (page, rank) => page.waitForFunction((wanted) => document.querySelector("#sight-run") && JSON.parse(sessionStorage.getItem("komainu-page-sight"))?.rank === wanted, rank);

test("what a rank sees of the mistakes is counted, kept, and told apart from what nobody there sees", async () => {
  const page = await analysed(MISTAKES);
  await page.selectOption("#sight-level", "5kyu");
  await page.click("#sight-run");
  await sightDone(page, "5kyu");
  const { found } = await sight(page);
  const bad = await page.$$eval(".moves tr:has(.chip:not(.l-good)) .row", (rows) => rows.map((row) => row.dataset.ply));
  assert.ok(bad.length >= 1);
  assert.deepEqual(Object.keys(found), bad);
  for (const [finds, same] of Object.values(found)) assert.ok(finds >= 0 && same >= 0 && finds + same <= 10, `${finds} ${same}`);
  const some = Object.values(found).filter(([finds]) => finds).length;
  assert.deepEqual([await count(page, ".sight.found li"), await count(page, ".sight.unseen-there li")], [some, bad.length - some]);
  const row = page.locator(".sight .step-word").first(), [ply] = (await row.innerText()).split(" ");
  await row.click();
  assert.equal(await page.locator(".moves .here .row").getAttribute("data-ply"), ply);
  // What was found is there after loading again, and the same seeds find the same.
  await reload(page);
  await page.waitForSelector(".sight li");
  await page.click("#sight-run");
  await page.waitForSelector("#sight-stop", { state: "detached" });
  assert.deepEqual((await sight(page)).found, found);
  await page.end();
});

test("looking with the eyes of a rank can be stopped and goes on from the beginning", async () => {
  const page = await analysed(MISTAKES);
  await page.selectOption("#sight-level", "9dan");
  await page.click("#sight-run");
  await page.click("#sight-stop");
  assert.equal(await count(page, "#sight-run"), 1);
  await page.selectOption("#sight-level", "20kyu");
  await page.click("#sight-run");
  await sightDone(page, "20kyu");
  assert.ok(await count(page, ".sight li") >= 1);
  await page.end();
});
