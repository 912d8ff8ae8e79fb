// The page in a headless Chromium, for tests: `CHROMIUM` names the browser, `KOMAINU_WEB` the folder with the page.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const FOLDER = process.env.KOMAINU_WEB ?? fileURLToPath(new URL("../../../target/web", import.meta.url));
const ADDRESS = pathToFileURL(join(FOLDER, "komainu.html")).href;
const BROWSER = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Milliseconds that a busy machine may need for a step. */
export const PATIENCE = 60_000;
export const START = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

let browser = null;
after(() => browser?.close());

const READY = ".desk:not(.starting), .ask";

/** Opens the page, or that of another address, and waits until it is ready. A fault of a script fails the test at its end. */
export async function open(hash = "", { address = ADDRESS, until = READY, ...options } = {}) {
  browser ??= await chromium.launch({ executablePath: BROWSER, args: ARGUMENTS });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage(), faults = [];
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => faults.push(error.stack));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(address + hash);
  await page.waitForSelector(until);
  return Object.assign(page, { faults, end: async () => { assert.deepEqual(faults, []); await context.close(); } });
}

export const ready = (page) => page.waitForSelector(READY);

/** Loads the page again. */
export async function reload(page) {
  await page.reload();
  await ready(page);
}

/** The address of a game. */
export const game = (moves = "", more = {}) => {
  const words = { start: START, moves: moves.trim().replace(/ /g, "."), you: "b", level: "20kyu", ...more };
  return `#play&${Object.entries(words).map(([key, value]) => `${key}=${value}`.replaceAll(" ", "%20")).join("&")}`;
};

const KANJI = "一二三四五六七八九";
/** The button of a square, by its name `7g`, in either language. */
export const square = (page, name) => {
  const japanese = name[0] + KANJI["abcdefghi".indexOf(name[1])];
  return page.locator(`.square[aria-label^="${name} "], .square[aria-label^="${japanese} "]`);
};
/** Presses squares, one after the other. */
export const press = async (page, ...names) => { for (const name of names) await square(page, name).click(); };
export const text = (page, selector) => page.locator(selector).first().innerText();
export const has = async (page, selector, expected) => page.waitForFunction(([where, words]) => document.querySelector(where)?.textContent.includes(words), [selector, expected]);
export const count = (page, selector) => page.locator(selector).count();
export const box = (page, selector) => page.locator(selector).first().boundingBox();
/** Waits until so many moves are in the list. */
export const played = (page, number) => page.waitForFunction((wanted) => document.querySelectorAll(".moves .row").length >= wanted, number);
/** What was said to those who listen, from now on: a function that gives it. */
export async function listen(page) {
  await page.evaluate(() => {
    window.heard = [];
    new MutationObserver(() => window.heard.push(document.getElementById("spoken").textContent)).observe(document.getElementById("spoken"), { childList: true, characterData: true, subtree: true });
  });
  return () => page.evaluate(() => window.heard.join(" | "));
}
/** Waits until something was said that matches. */
export const says = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(window.heard.join(" | ")), pattern.source);
export const openView = (page, number) => page.locator(`#sections a:nth-child(${number})`).click();
/** The text that a button copies or saves: the clipboard of a test is a variable. */
export async function copied(page, name) {
  await page.evaluate(() => { navigator.clipboard.writeText = async (value) => { window.copy = value; }; });
  await page.getByRole("button", { name, exact: true }).click();
  return page.evaluate(() => window.copy);
}
/** The words that are shown, without those on pictures. */
export const words = (page) => page.evaluate(() => [...document.querySelectorAll("main *, footer, footer *")].filter((one) => !one.closest("svg")).flatMap((one) => [...one.childNodes]).filter((one) => one.nodeType === 3).map((one) => one.data).join(" "));

/** An analysed game stands on one screen; on a phone its graph follows the buttons of the board. Nothing has to be scrolled sideways. */
export async function isOneScreen(page) {
  for (const [width, height] of [[1280, 720], [1366, 768], [1440, 900], [1920, 1080], [1024, 768]]) {
    await page.setViewportSize({ width, height });
    for (const part of [".board-box", ".p-chance", ".told", ".list", ".report-tools"]) {
      const place = await box(page, part);
      assert.ok(place.x >= 0 && place.y >= 0 && place.x + place.width <= width && place.y + place.height <= height, `${part} ${width}x${height} ${JSON.stringify(place)}`);
    }
    const [graph, list] = [await box(page, ".p-chance svg"), await box(page, ".list")];
    assert.ok(graph.height >= 100 && graph.width >= 250 && list.height >= 80, `${width}x${height} ${JSON.stringify([graph, list])}`);
    assert.ok(await page.$eval(".list", (one) => one.scrollWidth <= one.clientWidth), `${width}x${height}`);
  }
  for (const [width, height] of [[360, 640], [390, 844], [768, 1024]]) {
    await page.setViewportSize({ width, height });
    const [tools, graph] = [await box(page, ".report-tools"), await box(page, "#graph")];
    assert.ok(graph.y - tools.y - tools.height <= 12 && graph.y >= tools.y + tools.height, `${width}x${height}`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}x${height}`);
  }
}
