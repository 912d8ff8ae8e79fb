// Puts the package komainu-rules together: `node pack.mjs WASM FOLDER VERSION`. The module goes into the script, deflated, so
// that nothing has to be found beside it.

import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync, gzipSync } from "node:zlib";

/** Bytes of the script after gzip, as servers send it. */
const LIMIT = 250_000;

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, folder, version] = process.argv.slice(2);
if (!version) {
  console.error("usage: node pack.mjs WASM FOLDER VERSION");
  process.exit(2);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const source = join(here, "package");
readdirSync(source).filter((name) => !name.includes(".template.")).forEach((name) => copyFileSync(join(source, name), join(folder, name)));
["LICENSE-MIT", "LICENSE-APACHE"].forEach((name) => copyFileSync(join(here, "../..", name), join(folder, name)));
const script = join(folder, "komainu-rules.js");
writeFileSync(script, readFileSync(script, "utf8").replace("@BYTES@", () => deflateSync(readFileSync(wasm), { level: 9 }).toString("base64")));
const about = JSON.parse(readFileSync(join(source, "package.template.json"), "utf8"));
writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...about, version }, null, 2)}\n`);

const size = gzipSync(readFileSync(script), { level: 9 }).length;
console.log(`${folder}: komainu-rules.js ${statSync(script).size} bytes, after gzip ${size}; its module ${statSync(wasm).size}`);
if (size >= LIMIT) throw new Error(`komainu-rules.js: ${size} bytes after gzip, the limit is ${LIMIT}`);
