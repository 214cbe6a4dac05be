#!/usr/bin/env node
"use strict";

// CommonJS on purpose: an ESM entry costs 3 ms at every start on Node 20.
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const dist = join(__dirname, "..", "dist");

/**
 * Loads the parts of the hot way, with the compiled code that the build left beside them for this very V8: that saves
 * a third of our own time in each call. Without it, or when V8 refuses it, a part is compiled as usual.
 */
function partLoader() {
  const loaded = new Map();
  function load(id) {
    if (!id.startsWith("./")) return require(id);
    const known = loaded.get(id);
    if (known !== undefined) return known.module.exports;
    const filename = join(dist, id);
    const code = readFileSync(filename);
    const kept = `${filename}.${process.versions.v8}`;
    // The build writes ASCII alone.
    const script = new Script(code.toString("latin1"), { filename, cachedData: compiledFrom(code, kept) });
    const module = { exports: {} };
    loaded.set(id, { code, script, module, kept });
    script.runInThisContext()(module.exports, load, module, importCold, filename);
    return module.exports;
  }
  return { load, loaded };
}

/** What was compiled from these very bytes, which stand before it: V8 itself compares nothing but their number. */
function compiledFrom(code, kept) {
  if (!existsSync(kept)) return undefined;
  const bytes = readFileSync(kept);
  return code.equals(bytes.subarray(0, code.length)) ? bytes.subarray(code.length) : undefined;
}

/** A kept part has lost its own `import()`: V8 does not keep what Node ties to it. */
function importCold(id) {
  return import(`../dist/${id.slice(2)}`);
}

function entry() {
  try {
    return partLoader().load("./hot.cjs");
  } catch (error) {
    if (existsSync(join(dist, "hot.cjs"))) throw error;
    process.stderr.write("✖ hookctl is not built: dist/hot.cjs is missing\n  In the checkout, type: npm install\n");
    process.exit(70);
  }
}

function start() {
  const { main, fault, worldOf } = entry();
  const world = worldOf(process);
  // A fault outside the awaited way: told like any other, never as a stack trace.
  process.once("uncaughtException", (error) => void fault(error, world).then((exitCode) => process.exit(exitCode)));
  // All output is written by then, and what a hook left behind must not keep us alive.
  main(world).then((exitCode) => process.exit(exitCode));
}

module.exports = { partLoader };
if (require.main === module) start();
