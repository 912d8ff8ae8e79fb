// Games on the page, in a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { copied, count, game, has, listen, open, openView, played, press, reload, says, square, text } from "./driver.mjs";

const QUESTION = ".promotion";
const PROMOTES = game("7g7f 3c3d");
const ask = async (page) => {
  await has(page, ".status", "Your move");
  await press(page, "8h", "2b");
  await page.waitForSelector(QUESTION);
};

test("the question of a promotion outlives letters, another part, the language and loading again", async () => {
  const page = await open(PROMOTES);
  await ask(page);
  for (const step of [
    () => page.getByRole("button", { name: "Letters" }).click(), async () => { await openView(page, 2); await openView(page, 1); },
    async () => { await openView(page, 3); await openView(page, 1); }, () => page.click("#language"), () => reload(page), () => page.click(".desk .pane-tools > button"),
  ]) {
    await step();
    await page.waitForSelector(QUESTION);
    assert.equal(await count(page, QUESTION), 1);
  }
  await page.click(`${QUESTION} button:first-child`);
  await played(page, 4);
  assert.match(await text(page, ".moves"), /２二角成/);
  await page.end();
});

test("taking back, resigning, breaking off and the clock end the question, and the board goes on", async () => {
  const back = await open(PROMOTES);
  await ask(back);
  await back.getByRole("button", { name: "Take back" }).click();
  assert.equal(await count(back, QUESTION), 0);
  await press(back, "2g", "2f");
  await played(back, 2);
  await back.end();
  for (const [button, words] of [["#resign", "Komainu wins (resignation)"], ["#break-off", "Broken off"]]) {
    const page = await open(PROMOTES);
    await ask(page);
    await page.click(button);
    if (button === "#resign") await page.click(button);
    assert.equal(await text(page, ".status"), words);
    assert.deepEqual([await count(page, QUESTION), await count(page, ".moves .row")], [0, 2]);
    await page.end();
  }
  const late = await open(game("7g7f 3c3d", { clock: "6-0-0" }));
  await ask(late);
  await has(late, ".status", "Komainu wins (on time)");
  assert.deepEqual([await count(late, QUESTION), await count(late, ".moves .row")], [0, 2]);
  await late.end();
});

test("Escape and a press beside the question put the piece back into the hand of the player", async () => {
  const page = await open(PROMOTES);
  await ask(page);
  await page.keyboard.press("Escape");
  assert.equal(await count(page, QUESTION), 0);
  assert.match(await square(page, "8h").getAttribute("class"), /picked/);
  await press(page, "2b");
  await page.locator(".veil").click({ position: { x: 5, y: 5 } });
  assert.equal(await count(page, QUESTION), 0);
  await press(page, "2b");
  await page.locator(QUESTION).getByRole("button", { name: "Do not promote" }).click();
  await played(page, 3);
  assert.match(await text(page, ".moves"), /B8h×2b=/);
  await page.end();
});

test("a game, its clock and the settings are there again after the page was loaded with another part open", async () => {
  const page = await open("");
  await page.selectOption("#set-level", "15kyu");
  await page.selectOption("#set-clock", "own");
  await page.fill("#set-main", "3");
  await page.fill("#set-byoyomi", "0");
  await page.fill("#set-increment", "7");
  await page.click("button[type=submit]");
  await has(page, ".status", "Your move");
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains("square")), true, "the board has the focus");
  await press(page, "7g", "7f");
  await played(page, 2);
  await has(page, ".status", "Your move");
  const clock = (page) => text(page, ".low .clock");
  await openView(page, 3);
  await reload(page);
  await openView(page, 1);
  await has(page, ".top .who", "15 kyu");
  assert.equal(await count(page, ".moves .row"), 2);
  const left = (await clock(page)).split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  assert.ok(left > 150 && left <= 187, `${left} s`);
  await page.click("#break-off");
  await page.click("#again");
  assert.deepEqual(await Promise.all(["#set-level", "#set-clock", "#set-increment"].map((id) => page.inputValue(id))), ["15kyu", "own", "7"]);
  await page.click("#forget");
  await page.waitForFunction(() => document.querySelector("#set-level")?.value === "20kyu");
  assert.deepEqual(await page.evaluate(() => [localStorage.length, Object.keys(localStorage).length]), [0, 0]);
  await page.end();
});

test("a loss on time is told from the winner's side, and the clock stands at zero", async () => {
  const page = await open(game("7g7f 3c3d", { clock: "2-0-0" }), { locale: "ja" });
  await has(page, ".status", "Komainu の勝ち（時間切れ）");
  assert.equal(await text(page, ".low .clock"), "0:00");
  assert.match(await text(page, ".moves .end"), /△Komainu 20級の勝ち（時間切れ）/);
  await page.click("#language");
  assert.match(await text(page, ".moves .end"), /△Komainu 20 kyu wins \(on time\)/);
  await reload(page);
  assert.equal(await text(page, ".low .clock"), "0:00");
  await page.end();
});

test("every ending has a line that names the winner", async () => {
  const mate = { start: "4k4/9/4P4/9/9/9/9/9/4K4 b G 1" };
  for (const [hash, english, japanese] of [
    [game("G*5b", mate), /▲You win \(checkmate\)/, /▲あなたの勝ち（詰み）/], [game("7g7f", { end: "resignation", won: "b" }), /▲You win \(resignation\)/, /▲あなたの勝ち（投了）/],
    [game("7g7f", { end: "impasse", won: "-" }), /Draw \(impasse\)/, /引き分け（持将棋）/], [game("2h3h 8b7b 3h2h 7b8b ".repeat(3)), /Draw \(repetition\)/, /引き分け（千日手）/],
    [game("7g7f 3c3d", { limit: 2 }), /Draw \(ply limit\)/, /引き分け（最大手数）/], [game("7g7f", { end: "interrupted", won: "-" }), /Interrupted/, /中断/],
  ]) {
    const page = await open(hash);
    assert.match(await text(page, ".moves .end"), english);
    await page.click("#language");
    assert.match(await text(page, ".moves .end"), japanese);
    await page.end();
  }
});

test("by the 24-point rule a draw can be declared, and a limit of moves ends the game", async () => {
  const page = await open(game("", { start: "+R+B+R2GSGS/3SGK3/PPPPPP3/9/9/9/9/9/4k4 b - 1", rule: "CSARule24" }));
  await page.getByRole("button", { name: "Declare a draw (impasse)" }).click();
  assert.equal(await text(page, ".status"), "Draw (impasse)");
  await page.end();
  const limit = await open(game("7g7f 3c3d", { limit: 4 }));
  await has(limit, ".status", "Your move");
  await press(limit, "2g", "2f");
  await has(limit, ".status", "Draw (ply limit)");
  assert.equal(await count(limit, ".moves .row"), 4);
  await limit.end();
});

test("a record that is saved has the times of the clock", async () => {
  const page = await open(game("7g7f 3c3d", { clock: "long" }));
  const kif = await copied(page, "Copy KIF");
  assert.match(kif, /持ち時間：10分\n/);
  assert.match(kif, /秒読み：30秒\n/);
  await page.end();
  const fischer = await open(game("7g7f 3c3d", { clock: "fischer" }));
  assert.match(await copied(fischer, "Copy KIF"), /持ち時間：5分（1手10秒加算）\n/);
  await fischer.end();
  const none = await open(game("7g7f 3c3d"));
  assert.doesNotMatch(await copied(none, "Copy KIF"), /持ち時間|秒読み/);
  await none.end();
});

test("an address with a percent sign opens a page with a board", async () => {
  for (const hash of ["#%", "#%E6%A3", "#play&start=%", "#play&clock=%&limit=%zz", "#mate&sfen=%", "#analyse&x=%"]) {
    const page = await open(hash);
    assert.ok(await count(page, ".board-box, .ask") === 1, hash);
    await page.end();
  }
});

test("a rule that is broken is named, and the pieces that show it are lit", async () => {
  const cases = [
    ["4k4/9/9/9/9/9/4P4/9/4K4 b P 1", ["hand P", "5e"], /nifu/, ["5g"]],
    ["7nk/6R2/8G/9/9/9/9/9/4K4 b P 1", ["hand P", "1b"], /uchifuzume/, ["1a"]],
    ["4k4/9/9/9/9/9/9/9/4K4 b N 1", ["hand N", "1b"], /never move again/, ["1b"]],
    ["4r3k/9/9/9/9/4G4/9/9/4K4 b - 1", ["5f", "4f"], /Your king could be taken/, ["5a"]],
    ["4r3k/9/9/9/9/9/9/9/G3K4 b - 1", ["9i", "9h"], /in check by the lit piece/, ["5a"]],
    ["4k4/9/9/9/9/9/4P4/9/4K4 b P 1", ["5g", "5e"], /cannot move there/, []],
  ];
  for (const [start, [from, to], words, squares] of cases) {
    const page = await open(game("", { start }));
    await has(page, ".status", "our move");
    const spoken = await listen(page);
    await (from.startsWith("hand") ? page.locator(`.low .held[data-piece=${from[5]}]`) : square(page, from)).click();
    await press(page, to);
    assert.match(await text(page, ".status"), words);
    await says(page, words);
    assert.ok(await spoken());
    const lit = await page.locator(".square.fault").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label").slice(0, 2)));
    assert.deepEqual(lit, squares, start);
    await press(page, "9e");
    assert.equal(await count(page, ".square.fault"), 0);
    await page.end();
  }
});

test("check is shown on the board and in words", async () => {
  const page = await open(game("", { start: "4r3k/9/9/9/9/9/9/9/4K4 b - 1" }));
  await has(page, ".status", "Check!");
  const lit = await page.locator(".square.checked").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.deepEqual(lit, ["5a White rook, check", "5i Black king, check"]);
  await page.end();
});

test("a hint shows the piece first and then the move, and is gone with the next move", async () => {
  const page = await open(game("", { start: "4k4/9/4P4/9/9/9/9/9/4K4 b G 1" }));
  await page.click("#hint");
  await has(page, ".status", "look at the gold in hand");
  await page.click("#hint");
  await has(page, ".status", "G*5b");
  assert.equal(await count(page, ".arrow.best"), 1);
  await page.locator(".low .held[data-piece=G]").click();
  await press(page, "5b");
  await has(page, ".status", "You win (checkmate)");
  assert.equal(await count(page, ".arrow.best"), 0);
  await page.end();
});

test("sounds are off until they are switched on, and stay on", async () => {
  const page = await open(game("7g7f 3c3d"));
  assert.equal(await page.isChecked("#set-sound"), false);
  await page.evaluate(() => { window.AudioContext = class { constructor() { window.contexts = (window.contexts ?? 0) + 1; } }; });
  await has(page, ".status", "Your move");
  await press(page, "2g", "2f");
  await played(page, 3);
  assert.equal(await page.evaluate(() => window.contexts ?? 0), 0);
  await page.check("#set-sound");
  assert.ok((await page.evaluate(() => window.contexts ?? 0)) > 0);
  await reload(page);
  assert.equal(await page.isChecked("#set-sound"), true);
  await page.end();
});

test("the first game says what the stand is for and offers sounds once, later ones do not", async () => {
  const page = await open("");
  const begin = async () => {
    await page.click("button[type=submit]");
    await has(page, ".status", "Your move");
  };
  await begin();
  assert.match(await text(page, ".low .hand-row"), /^Pieces that you take stand here/);
  assert.equal(await text(page, ".top .hand-row"), "none");
  await page.click("#sound-yes");
  assert.deepEqual([await page.isChecked("#set-sound"), await count(page, ".offer")], [true, 0]);
  await reload(page);
  await has(page, ".status", "Your move");
  assert.deepEqual([await page.isChecked("#set-sound"), await count(page, ".offer")], [true, 0]);
  await page.click("#break-off");
  await page.click("#again");
  await begin();
  assert.equal(await text(page, ".low .hand-row"), "none");
  await page.end();
});

test("figures of the search stand behind details, unless the level is full strength", async () => {
  const page = await open(game("7g7f"));
  await has(page, ".status", "Your move");
  assert.equal(await page.isVisible(".stats"), false);
  await page.click(".below summary");
  assert.equal(await page.isVisible(".stats"), true);
  await page.end();
  const full = await open(game("7g7f", { level: "full" }));
  await has(full, ".stats", "nodes/s");
  assert.equal(await full.isVisible(".stats"), true);
  await full.end();
});

test("the piece that moved slides to its square, unless motion is to be reduced or it was dragged", async () => {
  for (const [reducedMotion, expected] of [["no-preference", true], ["reduce", false]]) {
    const page = await open(game("7g7f 3c3d"), { reducedMotion });
    await has(page, ".status", "Your move");
    await page.evaluate(() => {
      window.slides = [];
      const { animate } = Element.prototype;
      Element.prototype.animate = function (frames, timing) {
        window.slides.push([frames.transform[0], timing.duration]);
        return animate.call(this, frames, timing);
      };
    });
    await press(page, "2g", "2f");
    await played(page, 4);
    const slides = await page.evaluate(() => window.slides);
    assert.equal(slides.length > 0, expected);
    // From 2g: file 2 is the eighth column, rank g the seventh row.
    if (expected) assert.deepEqual(slides[0], [`translate(${20 + 7.5 * 44}px, ${20 + 6.5 * 48}px)`, 150]);
    await page.end();
  }
});

test("a game is played by keys alone, and everything that happens is said", async () => {
  const page = await open("");
  await page.focus("#set-level");
  await page.keyboard.press("Tab");
  await page.locator("button[type=submit]").focus();
  await page.keyboard.press("Enter");
  await has(page, ".status", "Your move");
  const spoken = await listen(page);
  // The square 7g has the focus.
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await played(page, 2);
  await says(page, /You: pawn from 7g to 7f\./);
  await says(page, /Komainu 20 kyu: [a-z ]+ (from|dropped)/);
  await says(page, /Your move/);
  assert.match(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), /^7f /);
  await page.locator(".moves .row").last().focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Home");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /P7g–7f/);
  assert.equal(await text(page, ".status"), "Position after 1 moves of 2");
  assert.ok(await spoken());
  await page.end();
});

test("captures, checks, promotions and the clock are said", async () => {
  const page = await open(game("7g7f 3c3d", { clock: "12-0-0" }));
  await listen(page);
  await says(page, /10 seconds left/);
  await press(page, "8h", "2b");
  await page.locator(QUESTION).getByRole("button", { name: "Promote", exact: true }).click();
  await says(page, /You: bishop from 8h takes bishop on 2b, promotes/);
  await page.end();
  const check = await open(game("", { start: "4k4/9/9/9/9/9/9/9/R3K4 b - 1" }));
  await has(check, ".status", "Your move");
  await listen(check);
  await press(check, "9i", "9a");
  await check.locator(QUESTION).getByRole("button", { name: "Promote", exact: true }).click();
  await says(check, /rook from 9i to 9a, promotes, check/);
  await check.end();
});

test("a piece is moved by dragging and by touch", async () => {
  const mouse = await open(game());
  await has(mouse, ".status", "Your move");
  const [from, to] = [await square(mouse, "7g").boundingBox(), await square(mouse, "7f").boundingBox()];
  await mouse.mouse.move(from.x + 20, from.y + 20);
  await mouse.mouse.down();
  await mouse.mouse.move(to.x + 30, to.y + 30, { steps: 6 });
  await mouse.mouse.up();
  await played(mouse, 2);
  await mouse.end();
  const touch = await open(game(), { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
  await has(touch, ".status", "Your move");
  await square(touch, "7g").tap();
  await square(touch, "7f").tap();
  await played(touch, 2);
  await touch.end();
});

/** A game that Black has won: White, at 1 dan, has pawn moves alone and sees the mate on 1b. */
const LOST = { start: "8k/6G2/pp6P/9/9/9/9/9/4K4 b G 1", level: "1dan" };

test("a level resigns when it sees the mate, and the player takes it or plays on, after loading again as well", async () => {
  const page = await open(game("", LOST));
  await has(page, ".status", "Your move");
  // A quiet move: White is mated next, whatever it does.
  await press(page, "5i", "5h");
  await page.waitForSelector("#accept");
  assert.match(await text(page, ".status"), /resigns/);
  assert.equal(await count(page, "#resign, #hint"), 0);
  await reload(page);
  await page.waitForSelector("#accept");
  await openView(page, 2);
  await openView(page, 1);
  assert.equal(await count(page, "#play-on"), 1);
  await page.click("#play-on");
  await played(page, 2);
  await has(page, ".status", "Your move");
  assert.deepEqual([await count(page, "#accept"), await count(page, "#resign, #hint")], [0, 2]);
  // Taken back, there is no question any more: the game is played to its mate.
  await page.getByRole("button", { name: "Take back" }).click();
  await press(page, "5i", "5h");
  await played(page, 2);
  await page.end();
});

test("a resignation that is taken ends the game", async () => {
  const page = await open(game("", LOST));
  await has(page, ".status", "Your move");
  await press(page, "5i", "5h");
  await page.click("#accept");
  await has(page, ".status", "You win (resignation)");
  assert.equal(await count(page, ".moves .row"), 1);
  await page.end();
});

test("on request the page tells the plan and what is missing of it, and the same of the player's castle", async () => {
  // With this seed 5 kyu has a ranging rook, which is told at once.
  const page = await open(game("7g7f", { level: "5kyu", style: "ranging-rook", seed: "1", you: "b" }));
  await played(page, 2);
  await has(page, ".status", "Your move");
  assert.equal(await text(page, ".plan"), "");
  await page.click("#lesson");
  const first = await text(page, ".plan");
  assert.match(first, /^Komainu plays [A-Z][^;]+; moves missing: \d+ \(.+\)\. You are near no castle yet\.$/);
  await reload(page);
  await has(page, ".plan", "Komainu plays");
  await page.click("#language");
  assert.match(await text(page, ".plan"), /^Komainu の作戦は.+あと\d+手です/);
  await page.click("#lesson");
  assert.equal(await text(page, ".plan"), "");
  await page.end();
  // Half a castle of the player's is told with what is missing.
  const castle = await open(game("7g7f 8c8d 6g6f 8d8e 8h7g 3c3d 2h6h 1c1d 5i4h 1d1e 4h3h 5a4b 3h2h 4b3b"));
  await castle.click("#lesson");
  assert.match(await text(castle, ".plan"), /Your castle: Half mino; pieces missing: 1 \(silver 3h\)\./);
  await castle.end();
});

test("the referee asks once before a piece hangs, aloud, and only if that is wished", async () => {
  // A pawn on 5d takes what comes to 5e.
  const hanging = { start: "k8/9/9/4p4/9/9/9/4R4/4K4 b - 1" };
  const page = await open(game("", hanging));
  await has(page, ".status", "Your move");
  await page.check("#set-referee");
  await listen(page);
  await press(page, "5h", "5e");
  await says(page, /That leaves to be taken: rook 5e/);
  assert.equal(await count(page, ".moves .row"), 0);
  assert.match(await text(page, ".status"), /Play the move again/);
  // The same move again is played.
  await press(page, "5h", "5e");
  await played(page, 1);
  await page.end();
  const free = await open(game("", hanging));
  await has(free, ".status", "Your move");
  await press(free, "5h", "5e");
  await played(free, 1);
  await free.end();
});
