// Puts the package together: `node pack.mjs WASM FOLDER VERSION` copies the sources beside the module, and writes what the engine
// says of itself into engine.json.

import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Limits in bytes: ShogiHome's offline cache leaves larger files out; the others keep the package small. */
const LIMITS = { "komainu.wasm": 2097152, "komainu.js": 10000 };
const MOST = 3_000_000;

const here = dirname(fileURLToPath(import.meta.url));
const [wasm, folder, version] = process.argv.slice(2);
if (!version) {
  console.error("usage: node pack.mjs WASM FOLDER VERSION");
  process.exit(2);
}
const json = (name) => JSON.parse(readFileSync(join(here, "package", name), "utf8"));
const write = (name, value) => writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
copyFileSync(wasm, join(folder, "komainu.wasm"));
const sources = readdirSync(join(here, "package")).filter((name) => !name.includes(".template."));
sources.forEach((name) => copyFileSync(join(here, "package", name), join(folder, name)));
const licences = ["LICENSE-MIT", "LICENSE-APACHE"];
licences.forEach((name) => copyFileSync(join(here, "..", name), join(folder, name)));
const rule = `\n\n${"-".repeat(72)}\n\n`;
const head = "Komainu may be used under either of these two licences.";
const texts = licences.map((name) => readFileSync(join(folder, name), "utf8").trim());
writeFileSync(join(folder, "LICENSE.txt"), `${[head, ...texts].join(rule)}\n`);

/** What the engine answers to `usi`. */
async function announcements() {
  const { default: createKomainu } = await import(pathToFileURL(resolve(folder, "komainu.js")));
  const engine = await createKomainu();
  const lines = [];
  engine.addMessageListener((line) => lines.push(line));
  engine.postMessage("usi");
  engine.terminate();
  if (lines.at(-1) !== "usiok") throw new Error(`no usiok: ${lines.join(" / ")}`);
  return lines;
}

/** `option name N type spin default 1 min 1 max 2` as the manifest has it. */
function option(line) {
  const [, name, type, rest] = line.match(/^option name (\S+) type (\S+)(.*)$/);
  const words = rest.trim().split(/\s+/), found = { name, type }, vars = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [key, value] = [words[at], words[at + 1]];
    if (key === "var") vars.push(value);
    else found[key] = type === "spin" ? Number(value) : value === "<empty>" ? "" : value;
  }
  return vars.length ? { ...found, vars } : found;
}

const lines = await announcements();
const word = (prefix) => lines.find((line) => line.startsWith(prefix)).slice(prefix.length);
const all = lines.filter((line) => line.startsWith("option ")).map(option);
const { abi, module, moduleFormat, options, presets, presetValues, ...others } = json("engine.template.json");
const chosen = options.map((name) => {
  const known = all.find((option) => option.name === name);
  if (!known) throw new Error(`engine.template.json: the engine has no option ${name}`);
  return known;
});
const manifest = { abi, module, moduleFormat, name: word("id name "), author: word("id author "), ...others, options: chosen };
manifest.presets = presets.map((preset) => ({ ...preset, values: { ...preset.values, ...presetValues } }));
write("engine.json", manifest);
write("package.json", { ...json("package.template.json"), version });

const sizes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]);
for (const [name, size] of sizes) {
  if (size >= (LIMITS[name] ?? MOST)) throw new Error(`${name}: ${size} bytes, the limit is ${LIMITS[name] ?? MOST}`);
}
const total = sizes.reduce((sum, [, size]) => sum + size, 0);
if (total >= MOST) throw new Error(`${folder}: ${total} bytes, the limit is ${MOST}`);
sizes.forEach(([name, size]) => console.log(`${String(size).padStart(9)}  ${name}`));
console.log(`${folder}: ${total} bytes`);
