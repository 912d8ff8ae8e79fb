// Puts the package komainu-rules together: `node pack.mjs RULES FORMATS FOLDER VERSION`. The modules go into the scripts, deflated, so
// that nothing has to be found beside them. Each script is there as a module of JavaScript and as one of CommonJS.

import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync, gzipSync } from "node:zlib";

/** Bytes of each script after gzip, as servers send it. */
const LIMITS = { "komainu-rules": 90_000, formats: 190_000 };

const here = dirname(fileURLToPath(import.meta.url));
const [rules, formats, folder, version] = process.argv.slice(2);
if (!version) {
  console.error("usage: node pack.mjs RULES FORMATS FOLDER VERSION");
  process.exit(2);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const source = join(here, "package");
const others = readdirSync(source).filter((name) => !name.includes(".template.") && !/(?<!\.d)\.js$/.test(name));
others.forEach((name) => copyFileSync(join(source, name), join(folder, name)));
["LICENSE-MIT", "LICENSE-APACHE"].forEach((name) => copyFileSync(join(here, "../..", name), join(folder, name)));

/** A number as modules have it, seven bits a byte; from `at` on, and where it ends. */
function numberAt(bytes, at) {
  let value = 0, scale = 1;
  for (;; scale *= 128) {
    const byte = bytes[at++];
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

function bytesOf(number) {
  const bytes = [];
  for (; number > 127; number = Math.floor(number / 128)) bytes.push(number % 128 | 128);
  return [...bytes, number];
}

/** The same with a sign, for addresses. */
const signedBytesOf = (number) => {
  const bytes = bytesOf(number);
  return bytes.at(-1) < 64 ? bytes : [...bytes.slice(0, -1), bytes.at(-1) | 128, 0];
};

/** The sections of a module: their numbers and what they hold. */
function* sections(module) {
  for (let at = 8; at < module.length;) {
    const [length, from] = numberAt(module, at + 1);
    yield [module[at], module.subarray(from, from + length)];
    at = from + length;
  }
}

/** The data as one piece from the first byte to the last, and where it lies. */
function wholeData(data) {
  const pieces = [];
  let [count, at] = numberAt(data, 0);
  for (; count; count--) {
    if (data[at] !== 0 || data[at + 1] !== 0x41) throw new Error("data that is not put into the memory at the start");
    const [address, end] = numberAt(data, at + 2), [length, from] = numberAt(data, end + 1);
    pieces.push([address, data.subarray(from, from + length)]);
    at = from + length;
  }
  const first = Math.min(...pieces.map(([address]) => address));
  const whole = Buffer.alloc(Math.max(...pieces.map(([address, bytes]) => address + bytes.length)) - first);
  pieces.forEach(([address, bytes]) => whole.set(bytes, address - first));
  return [first, whole];
}

/** wasm-opt cuts the data into thousands of pieces without zeros, which deflate to more than the whole. */
function withWholeData(module) {
  const parts = [module.subarray(0, 8)];
  for (const [number, section] of sections(module)) {
    let content = section;
    if (number === 12) content = Buffer.from([1]);
    if (number === 11) {
      const [first, whole] = wholeData(section);
      content = Buffer.from([1, 0, 0x41, ...signedBytesOf(first), 0x0b, ...bytesOf(whole.length), ...whole]);
    }
    parts.push(Buffer.from([number, ...bytesOf(content.length)]), content);
  }
  return Buffer.concat(parts);
}

/** The script without its comments, which stand on lines of their own, and its indentation. */
const withoutComments = (script) => script.replace(/^ *(\/\/|\/\*\*).*\n/gm, "").replace(/^ +|\n(?=\n)/gm, "");

/** A script as a module of CommonJS: its imports and exports stand at the beginnings of lines. */
function commonJs(script) {
  const names = [];
  const plain = script
    .replace(/^import (\{.*\}) from "(.*)\.js";$/gm, 'const $1 = require("$2.cjs");')
    .replace(/^export ((?:async )?function|class|const) (.*?)(?=[ (])(.*)$/gm, (line, kind, name, rest) => {
      names.push(name);
      // `export const A = 0, B = 1;` has two of them.
      if (kind === "const") names.push(...Array.from(rest.matchAll(/, ([A-Z_]+) =/g), ([, other]) => other));
      return `${kind} ${name}${rest}`;
    });
  if (/^(import|export)\b/m.test(plain)) throw new Error("an import or export that is not understood");
  return `"use strict";\n${plain}\nmodule.exports = { ${names.join(", ")} };\n`;
}

for (const [name, wasm] of [["komainu-rules", rules], ["formats", formats]]) {
  const module = withWholeData(readFileSync(wasm)), packed = `${module.length} ${deflateRawSync(module, { level: 9 }).toString("base64")}`;
  const script = withoutComments(readFileSync(join(source, `${name}.js`), "utf8")).replace("@BYTES@", () => packed);
  writeFileSync(join(folder, `${name}.js`), script);
  writeFileSync(join(folder, `${name}.cjs`), commonJs(script));
  copyFileSync(join(source, `${name}.d.ts`), join(folder, `${name}.d.cts`));
  const size = gzipSync(script, { level: 9 }).length;
  console.log(`${folder}: ${name}.js ${script.length} bytes, after gzip ${size}; its module ${module.length}`);
  if (size >= LIMITS[name]) throw new Error(`${name}.js: ${size} bytes after gzip, the limit is ${LIMITS[name]}`);
}
const about = JSON.parse(readFileSync(join(source, "package.template.json"), "utf8"));
writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...about, version }, null, 2)}\n`);
