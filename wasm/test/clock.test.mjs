// The library in a program that gives it no clock: `node --test clock.test.mjs` with the example `without_clock` in KOMAINU_CLOCKLESS.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("a search by time without a clock ends with an error that names host::install", () => {
  const module = new WebAssembly.Module(readFileSync(process.env.KOMAINU_CLOCKLESS));
  // The functions of Asyncify, which nothing calls that is not suspended.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => assert.fail(`${from}.${name} was called`);
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  assert.equal(exports.without_clock(), 0b1111);
});
