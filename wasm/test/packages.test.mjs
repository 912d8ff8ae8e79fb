// The packages as npm packs and installs them, in node, in a worker of node and, where `CHROMIUM` names one, in a page and a worker of
// a browser: `node --test packages.test.mjs` with the folder of the engine in KOMAINU_WEB; that of the rules has `-rules` behind it.
// KOMAINU names the program that the engine is compared with.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { gzipSync } from "node:zlib";

const FOLDER = process.env.KOMAINU_WEB ?? fileURLToPath(new URL("../../target/web", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const BROWSER_MODULES = join(HERE, "browser/node_modules");
const app = mkdtempSync(join(tmpdir(), "komainu-npm-"));
const packed = {};

function npm(...words) {
  const run = spawnSync("npm", words, { cwd: app, encoding: "utf8", shell: process.platform === "win32" });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

/** Tests that a program of the app prints this and ends without a fault. */
function assertPrints(name, printed, program) {
  writeFileSync(join(app, name), program);
  const run = spawnSync(process.execPath, [name], { cwd: app, encoding: "utf8" });
  assert.deepEqual([run.status, run.stdout], [0, printed], run.stderr);
}

before(() => {
  writeFileSync(join(app, "package.json"), '{ "name": "app", "private": true, "type": "module" }');
  for (const folder of [`${FOLDER}-rules`, FOLDER]) {
    if (!existsSync(folder)) continue;
    const [about] = JSON.parse(npm("pack", "--json", folder));
    packed[about.name] = about;
    npm("install", "--offline", "--no-audit", "--no-fund", `./${about.filename}`);
  }
  // Each piece of code is a file of the app, so that the packages are found as anybody's are.
  for (const name of ["packages-rules.mjs", "packages-engine.mjs"]) cpSync(join(HERE, name), join(app, name));
  cpSync(join(HERE, "../../tests/data/records"), join(app, "records"), { recursive: true });
});
after(() => rmSync(app, { recursive: true, force: true }));

const NAMES = ["rules", "engine"];
const nameOf = (kind) => (kind === "rules" ? "komainu-rules" : "komainu");

test("the packages hold what they say, of the sizes that they promise", (context) => {
  const rules = packed["komainu-rules"];
  assert.deepEqual(rules.files.map(({ path }) => path).sort(), ["LICENSE-APACHE", "LICENSE-MIT", "README.ja.md", "README.md", ...["formats", "komainu-rules"].flatMap((name) => [`${name}.cjs`, `${name}.d.cts`, `${name}.d.ts`, `${name}.js`]), "package.json"]);
  const script = readFileSync(join(app, "node_modules/komainu-rules/komainu-rules.js"));
  context.diagnostic(`komainu-rules: ${rules.size} bytes packed, komainu-rules.js after gzip ${gzipSync(script, { level: 9 }).length}`);
  const engine = packed.komainu;
  if (!engine) return context.diagnostic("no engine was built");
  assert.ok(!engine.files.some(({ path }) => path.endsWith(".html")), "the page is no part of the package");
  assert.ok(engine.unpackedSize < 3_000_000, `${engine.unpackedSize} bytes`);
  context.diagnostic(`komainu: ${engine.size} bytes packed, komainu.wasm ${statSync(join(app, "node_modules/komainu/komainu.wasm")).size}`);
});

for (const kind of NAMES) {
  test(`${nameOf(kind)} in node`, { timeout: 120_000 }, (context) => {
    if (!packed[nameOf(kind)]) return context.skip("it was not built");
    const run = spawnSync(process.execPath, ["-e", `import("./packages-${kind}.mjs").then(({ run }) => run()).then(console.log)`], { cwd: app, encoding: "utf8" });
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stdout, /^passed \d+/);
    context.diagnostic(run.stdout.trim());
  });

  test(`${nameOf(kind)} in a worker of node`, { timeout: 120_000 }, async (context) => {
    if (!packed[nameOf(kind)]) return context.skip("it was not built");
    const file = join(app, `${kind}-worker.mjs`);
    writeFileSync(file, `import { parentPort } from "node:worker_threads";\nimport { run } from "./packages-${kind}.mjs";\nparentPort.postMessage(await run());\n`);
    const worker = new Worker(file);
    const said = await new Promise((done, fail) => worker.once("message", done).once("error", fail));
    assert.match(said, /^passed \d+/);
    await worker.terminate();
  });
}

test("an error in a listener is the caller's and leaves the engine alone", { timeout: 120_000 }, (context) => {
  if (!packed.komainu) return context.skip("it was not built");
  assertPrints("listener.mjs", "went on", `
    import createEngine from "komainu";
    const outside = [];
    process.on("uncaughtException", (error) => outside.push(error.message));
    const engine = await createEngine();
    engine.addMessageListener(() => { throw new Error("mine"); });
    engine.on("bestmove", () => { throw new Error("mine, too"); });
    await engine.go({ nodes: 100 });
    const { move } = await engine.go({ position: "startpos", moves: ["7g7f"], nodes: 100, onInfo() { throw new Error("in onInfo"); } });
    engine.terminate();
    await new Promise((done) => setTimeout(done, 50));
    if (!move || !["mine", "mine, too", "in onInfo"].every((text) => outside.includes(text))) throw new Error(String(outside));
    process.stdout.write("went on");
  `);
});

test("a search decides as the program does on go", { timeout: 240_000 }, async (context) => {
  if (!packed.komainu || !packed["komainu-rules"] || !process.env.KOMAINU) return context.skip("it was not built, or KOMAINU names no program");
  assertPrints("decides.mjs", "agreed", `
    import assert from "node:assert/strict";
    import { spawn } from "node:child_process";
    import { createInterface } from "node:readline";
    import createEngine from "komainu";
    import { Board } from "komainu-rules";
    const SETTINGS = ["setoption name USI_Hash value 4", "setoption name USI_OwnBook value false", "usinewgame", "isready"];
    const engine = await createEngine(), program = spawn(process.env.KOMAINU), lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    SETTINGS.forEach((line) => engine.postMessage(line));
    program.stdin.write(SETTINGS.map((line) => line + "\\n").join(""));
    // Games of random moves, the same ones each time.
    let seed = 7;
    const below = (end) => (seed = (seed * 48_271) % 2_147_483_647) % end;
    for (let number = 0; number < 200; number++) {
      const board = new Board(), nodes = 50 + 7 * number;
      for (let left = number % 60; left && !board.isOver; left--) board.push(board.legalMoves[below(board.legalMoves.length)]);
      if (board.isOver) continue;
      const { position } = board;
      program.stdin.write(position + "\\ngo nodes " + nodes + "\\n");
      let line;
      do ({ value: line } = await lines.next()); while (!line.startsWith("bestmove "));
      const { move } = await engine.go({ position, nodes });
      assert.equal(move, line.split(" ")[1], position + " in " + nodes + " nodes");
    }
    program.stdin.end("quit\\n");
    engine.terminate();
    process.stdout.write("agreed");
  `);
});

test("komainu-rules crosses the border seldom, and boards leave nothing behind", (context) => {
  if (!packed["komainu-rules"]) return context.skip("it was not built");
  assertPrints("border.mjs", "seldom", `
    import assert from "node:assert/strict";
    import "komainu-rules/formats";
    import { Board, Record } from "komainu-rules";
    // Each module that starts, with its calls counted.
    const { Instance } = WebAssembly, memories = [];
    let calls = [];
    WebAssembly.Instance = function (module) {
      const { exports } = new Instance(module);
      memories.push(exports.memory);
      const counted = (name) => (...words) => {
        calls.push([name, ...words]);
        return exports[name](...words);
      };
      return { exports: Object.fromEntries(Object.keys(exports).map((name) => [name, typeof exports[name] === "function" ? counted(name) : exports[name]])) };
    };
    const named = (wanted) => calls.filter(([name]) => name === wanted);
    const turns = ["2h3h", "8b7b", "3h2h", "7b8b"];
    const game = (length) => Record.parse("startpos moves " + Array.from({ length }, (_, ply) => turns[ply % 4]).join(" "));
    new Board();
    const [short, long] = [game(4), game(400)];

    calls = [];
    for (const node of long.main) node.board().sfen;
    const walked = named("r_walk").reduce((moves, [, , back, , bytes]) => moves + back + bytes / 4, 0);
    assert.deepEqual([named("r_board").length, walked], [1, 400], "a walk goes from board to board");

    for (const format of ["csa", "kif", "jkf"]) {
      const counts = [short, long].map((record) => {
        record.toString(format);
        calls = [];
        record.toString(format);
        return [named("r_write").length, calls.length];
      });
      assert.equal(counts[0][0], 1, format);
      assert.ok(counts[1][0] === 1 && counts[1][1] <= counts[0][1] + 4, format + ": " + counts);
    }

    const sizes = [200, 5_000].map((count) => {
      for (let left = count; left; left--) {
        const board = new Board("startpos moves 7g7f");
        board.push("3c3d");
        assert.equal(board.clone().ply, 3);
      }
      return memories.map(({ buffer }) => buffer.byteLength).join();
    });
    assert.equal(sizes[1], sizes[0], "memory for boards that nobody holds");
    process.stdout.write("seldom");
  `);
});

test("komainu-rules by require", (context) => {
  if (!packed["komainu-rules"]) return context.skip("it was not built");
  assertPrints("common.cjs", "7g7f", `
    const { Board, Record } = require("komainu-rules");
    const first = Record.parse("startpos moves 7g7f");
    for (const call of [() => first.toString(), () => first.losses("csa"), () => new Board().toSVG(), () => Record.parse("{}")]) {
      try {
        call();
      } catch (error) {
        if (error.message.includes("komainu-rules/formats")) continue;
      }
      throw new Error(String(call));
    }
    require("komainu-rules/formats");
    const board = new Board();
    board.push("7g7f");
    process.stdout.write(Record.parse(new Record(board).toString("jkf")).moves.join());
  `);
});

test("the types fit what is written with them", { timeout: 120_000 }, (context) => {
  const tsc = join(BROWSER_MODULES, "typescript/bin/tsc");
  if (!existsSync(tsc)) return context.skip("there is no TypeScript");
  cpSync(join(HERE, "packages-types.ts"), join(app, "types.ts"));
  writeFileSync(join(app, "common-types.cts"), 'import rules = require("komainu-rules");\nconst moves: rules.Move[] = new rules.Board().legalMoves;\nconsole.log(moves);\n');
  const compilerOptions = { noEmit: true, strict: true, target: "es2022", module: "nodenext", lib: ["es2022", "dom"], types: [] };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["types.ts", "common-types.cts"] }));
  const run = spawnSync(process.execPath, [tsc], { cwd: app, encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout);
});

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** The app by HTTP, with the packages under their names. */
async function serve() {
  const imports = { "komainu-rules": "/node_modules/komainu-rules/komainu-rules.js", "komainu-rules/formats": "/node_modules/komainu-rules/formats.js", komainu: "/node_modules/komainu/index.js" };
  const page = `<!doctype html><meta charset="utf-8"><title>app</title><script type="importmap">${JSON.stringify({ imports })}</script>`;
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://app").pathname);
    const file = join(app, path);
    if (path === "/") return response.writeHead(200, { "content-type": "text/html" }).end(page);
    if (!file.startsWith(app) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

/** What a bundler makes of a page with both packages, and of their worker: in a folder, with the names of page and worker. */
const BUNDLERS = {
  async esbuild(folder) {
    const { build } = await import("./browser/node_modules/esbuild/lib/main.js");
    const options = { absWorkingDir: app, bundle: true, outdir: folder, format: "esm", logLevel: "error" };
    await build({ ...options, entryPoints: { page: "./bundled.js", worker: "komainu/worker" } });
    // An iife of es2020, as old pages have it: the rules alone, since only modules know where their files lie.
    await build({ ...options, entryPoints: ["./old.js"], format: "iife", target: "es2020" });
    // A file that is found by its address is not taken along.
    cpSync(join(app, "node_modules/komainu/komainu.wasm"), join(folder, "komainu.wasm"));
    return { page: "page.js", worker: "worker.js", old: "old.js" };
  },
  async vite(folder) {
    const { build } = await import("./browser/node_modules/vite/dist/node/index.js");
    writeFileSync(join(app, "index.html"), '<!doctype html><script type="module" src="bundled-worker.js"></script>');
    await build({ root: app, base: "./", logLevel: "error", configFile: false, build: { outDir: folder, rollupOptions: { output: { entryFileNames: "page.js" } } }, worker: { format: "es" } });
    return { page: "page.js" };
  },
  async webpack(folder) {
    const { default: webpack } = await import("./browser/node_modules/webpack/lib/index.js");
    const config = { context: app, mode: "production", entry: "./bundled-worker.js", output: { path: folder, filename: "page.js", publicPath: "auto" }, performance: false };
    const stats = await new Promise((done, fail) => webpack(config, (error, stats) => (error ? fail(error) : done(stats))));
    assert.deepEqual(stats.toJson({ errors: true, warnings: true }).errors, []);
    assert.deepEqual(stats.toJson({ warnings: true }).warnings, []);
    return { page: "page.js" };
  },
};

const PAGE = `
  import { run as rules } from "./packages-rules.mjs";
  import { run as engine } from "./packages-engine.mjs";
  const answer = (worker) => new Promise((done, fail) => {
    worker.onerror = ({ message }) => fail(new Error(message));
    worker.onmessage = ({ data }) => { if (/^bestmove|fatal/.test(data)) done(data); };
    ["position startpos", "go nodes 100"].forEach((line) => worker.postMessage(line));
  });
  globalThis.answers = async (address) => [await rules(), await engine(), await answer(WORKER)];
`;

for (const [name, bundle] of Object.entries(BUNDLERS)) {
  test(`the packages through ${name}, in a browser`, { timeout: 300_000 }, async (context) => {
    if (!process.env.CHROMIUM || !existsSync(join(BROWSER_MODULES, name)) || !packed.komainu) return context.skip("there is no browser, or no bundler");
    writeFileSync(join(app, "bundled.js"), PAGE.replace("WORKER", 'new Worker(address, { type: "module" })'));
    writeFileSync(join(app, "bundled-worker.js"), PAGE.replace("WORKER", 'new Worker(new URL("komainu/worker", import.meta.url), { type: "module" })'));
    writeFileSync(join(app, "old.js"), 'import { Board } from "komainu-rules";\nglobalThis.old = () => new Board().legalMoves.length;\n');
    const { page: script, worker, old } = await bundle(join(app, name));
    const { chromium } = await import("./browser/node_modules/playwright-core/index.mjs");
    const server = await serve(), browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(120_000);
      const address = `http://127.0.0.1:${server.address().port}`;
      await page.goto(address);
      await page.addScriptTag({ url: `${address}/${name}/${script}`, type: "module" });
      await page.waitForFunction(() => globalThis.answers);
      const found = await page.evaluate((address) => globalThis.answers(address), worker && `${address}/${name}/${worker}`);
      assert.match(found.join(), /^passed \d+,passed \d+,bestmove /);
      if (!old) return;
      await page.addScriptTag({ url: `${address}/${name}/${old}` });
      assert.equal(await page.evaluate(() => globalThis.old()), 30);
    } finally {
      await browser.close();
      server.close();
    }
  });
}

test("the packages in a page and in a worker of a browser", { timeout: 240_000 }, async (context) => {
  if (!process.env.CHROMIUM || !existsSync(join(BROWSER_MODULES, "playwright-core"))) return context.skip("there is no browser");
  const { chromium } = await import("./browser/node_modules/playwright-core/index.mjs");
  const server = await serve();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    for (const kind of NAMES.filter((kind) => packed[nameOf(kind)])) {
      assert.match(await page.evaluate((name) => import(name).then(({ run }) => run()), `/packages-${kind}.mjs`), /^passed/);
      // A worker has no map of imports: the addresses stand in the script.
      const inWorker = await page.evaluate(async (kind) => {
        let code = await (await fetch(`/packages-${kind}.mjs`)).text();
        const at = (path) => new URL(`/node_modules/${path}`, location.href).href;
        code = code.replace('"komainu-rules/formats"', JSON.stringify(at("komainu-rules/formats.js"))).replace('"komainu-rules"', JSON.stringify(at("komainu-rules/komainu-rules.js"))).replace('"komainu"', JSON.stringify(at("komainu/index.js")));
        const script = `${code}\nrun().then((text) => postMessage(text), (error) => postMessage(String(error)));`;
        const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
        return new Promise((done) => { worker.onmessage = ({ data }) => done(data); worker.onerror = ({ message }) => done(message); });
      }, kind);
      assert.match(inWorker, /^passed/);
    }
  } finally {
    await browser.close();
    server.close();
  }
});

test("the build says what it lacks and how that is had", { skip: process.platform === "win32" }, () => {
  const script = (name, body) => writeFileSync(join(app, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const said = (more) => {
    const env = { ...process.env, PATH: `${app}:${process.env.PATH}`, ...more };
    const run = spawnSync(join(HERE, "../build.sh"), [join(app, "web")], { encoding: "utf8", env });
    assert.equal(run.status, 1, run.stderr);
    return run.stderr;
  };
  assert.match(said({ WASM_OPT: "/no/such" }), /needs wasm-opt: apt install binaryen/);
  script("wasm-opt", "exit 0");
  // One compiler has no library for the target, an older one does not know it.
  for (const answer of ["echo /no/such", "exit 1"]) {
    script("rustc", `[ "$1" = --version ] && echo rustc 1.75.0 && exit\n${answer}`);
    assert.match(said({}), /rustc 1\.75\.0\) has no standard library for wasm32-.*\n.*rustup target add wasm32-/);
  }
});
