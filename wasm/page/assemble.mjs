// Puts the page together: one file that holds the engine. `node assemble.mjs FOLDER [WASM]` reads komainu.js there, and
// komainu.wasm or the file that is named, and writes komainu.html beside them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const SOURCES = fileURLToPath(new URL("../../tools/src", import.meta.url));
const read = (path) => readFileSync(path, "utf8");
const here = (name) => read(new URL(name, import.meta.url));

/** The parts of the page, in the order in which browser/page/mod.rs names them: those of `komainu page`. */
const PARTS = [...read(join(SOURCES, "browser/page/mod.rs")).matchAll(/include_str!\("([^"]+)"\)/g)].map(([, name]) => name);
const parts = (extension) => PARTS.filter((name) => name.endsWith(extension)).map((name) => read(join(SOURCES, "browser/page", name)));
/** The scripts, each of which may use those before it. */
const SCRIPTS = [...["language.js", "dom.js", "board.js"].map((name) => read(join(SOURCES, "page", name))), here("workers.js"), ...parts(".js")];
const STYLES = [read(join(SOURCES, "page/page.css")), ...parts(".css")];
const MAIN = parts(".html")[0].trimEnd();
/** Beyond what every page may do: run WebAssembly, here and in workers made from the page itself. */
const POLICY = " 'wasm-unsafe-eval'; worker-src blob:";

/** A module as a script: what it exports by default becomes a name of the script. */
function classic(module) {
  const script = module.replace(/^export default /m, "").replaceAll("import.meta.url", "self.location.href");
  if (/^\s*(import|export)\b(?!\()/m.test(script)) throw new Error("komainu.js imports or exports beyond its default");
  return script;
}

/** A text within a script element. It must not end it. */
function element(attributes, text) {
  if (/<\/script|<!--/i.test(text)) throw new Error(`a script that ends its element: ${attributes}`);
  return `<script ${attributes}>${text}</script>`;
}

/** The template with its parts in place. What a part says is never searched for marks again. */
const fill = (template, values) => template.split(/\{\{(\w+)\}\}/).map((text, at) => (at % 2 ? values[text] : text)).join("");

const [folder, engine] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node assemble.mjs FOLDER [WASM]");
  process.exit(2);
}
const wasm = gzipSync(readFileSync(engine ?? join(folder, "komainu.wasm")), { level: 9 }).toString("base64");
const data = [element('type="text/plain" id="wasm"', wasm), element('id="engine-code"', classic(read(join(folder, "komainu.js")))), element('type="text/plain" id="worker-code"', here("worker.js"))];
const script = SCRIPTS.join("");
element("", script);
const page = fill(read(join(SOURCES, "page/page.html")), { title: "Komainu", main: MAIN, policy: POLICY, style: STYLES.join(""), data: data.join("\n"), script });
writeFileSync(join(folder, "komainu.html"), page);
console.log(`${join(folder, "komainu.html")}: ${page.length} characters`);
