#!/usr/bin/env node
"use strict";

// CommonJS on purpose: an ESM entry costs 3 ms at every start on Node 20.

/** @param {string} name */
const inDist = (name) => process.getBuiltinModule("node:path").join(__dirname, "..", "dist", name);

/**
 * Loads the parts of the hot way, with the compiled code that the build left beside them for this very V8: that saves
 * a third of our own time in each call. Without it, or when V8 refuses it, a part is compiled as usual.
 * Node's own cache (`module.enableCompileCache`, 22 and later) takes 2 ms more without hooks and 9 ms more with one.
 */
function partLoader() {
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { Script } = process.getBuiltinModule("node:vm");
  const read = fileReader();
  /** @type {Map<string, { source: string, script: import("node:vm").Script, module: { exports: unknown }, kept: string }>} */
  const loaded = new Map();
  /** @param {string} id @returns {unknown} */
  function load(id) {
    if (!id.startsWith("./")) return process.getBuiltinModule(id);
    const known = loaded.get(id);
    if (known !== undefined) return known.module.exports;
    const filename = inDist(id);
    const code = read(filename, 0);
    const kept = `${filename}.${process.versions.v8}`;
    const cachedData = existsSync(kept) ? compiledFrom(code, read(kept, code.length)) : undefined;
    // The build writes ASCII alone.
    const source = code.toString("latin1");
    const script = new Script(source, { filename, cachedData });
    const module = { exports: {} };
    loaded.set(id, { source, script, module, kept });
    try {
      script.runInThisContext()(module.exports, load, module, importCold, filename);
    } catch (error) {
      // Another part cannot be read: none may be used that lacks names, or took them from one that does.
      const ids = [...loaded.keys()];
      for (const late of ids.slice(ids.indexOf(id))) loaded.delete(late);
      throw error;
    }
    return module.exports;
  }
  return { load, loaded };
}

/** Reads all files into one memory: pages that are new to the process take longer than what is read into them. */
function fileReader() {
  const { closeSync, fstatSync, openSync, readSync } = process.getBuiltinModule("node:fs");
  let memory = Buffer.allocUnsafeSlow(1 << 20);
  /** Returns the bytes, which stand at `start` until the next file is read there. @param {string} file @param {number} start */
  return (file, start) => {
    const descriptor = openSync(file, "r");
    const { size } = fstatSync(descriptor);
    if (start + size > memory.length) memory = Buffer.allocUnsafeSlow(2 * (start + size));
    const end = start + readSync(descriptor, memory, start, size, null);
    closeSync(descriptor);
    return memory.subarray(start, end);
  };
}

/**
 * What was compiled from these very bytes, which stand before it, and which stands there twice: V8 compares nothing but a
 * length, and runs what a disk has spoilt. To compare two copies takes a hundredth of what a checksum would.
 *
 * @param {Buffer} code @param {Buffer} kept
 */
function compiledFrom(code, kept) {
  const middle = code.length + (kept.length - code.length) / 2;
  const compiled = kept.subarray(code.length, middle);
  if (compiled.length === 0) return undefined;
  return code.equals(kept.subarray(0, code.length)) && compiled.equals(kept.subarray(middle)) ? compiled : undefined;
}

/** The content of such a file. @param {Buffer} code @param {Buffer} compiled */
const keptBytes = (code, compiled) => Buffer.concat([code, compiled, compiled]);

/** A kept part has lost its own `import()`: V8 does not keep what Node ties to it. @param {string} id */
function importCold(id) {
  return import(`../dist/${id.slice(2)}`);
}

function entry() {
  try {
    return /** @type {typeof import("../src/main.ts")} */ (partLoader().load("./hot.cjs"));
  } catch (error) {
    if (process.getBuiltinModule("node:fs").existsSync(inDist("hot.cjs"))) throw error;
    process.stderr.write("✖ hookctl is not built: dist/hot.cjs is missing\n  In the checkout, type: npm ci\n");
    return process.exit(exitCodeFor(70));
  }
}

/** A registered line that has to block when hookctl is in trouble, also when nothing of it can be loaded. */
const isClosed = process.argv.includes("bridge") && process.argv.includes("--fail-closed");
const BLOCKED = 2;

/** Such a line says by 0 that the answer was given. Any other code must not let the call pass. @param {number} exitCode */
const exitCodeFor = (exitCode) => (isClosed && exitCode !== 0 ? BLOCKED : exitCode);

/** Nothing of ours can be used to say it: such as too many open files. Never a stack trace. @param {unknown} error */
function endWithout(error) {
  try {
    const detail = String(Object(error).message)
      .replace(/[^\x20-\x7e]/g, "?")
      .slice(0, 300);
    process.stderr.write(`✖ hookctl could not start: ${detail}\n`);
  } catch {
    // There is no stderr either; the exit code says it.
  }
  process.exit(exitCodeFor(70));
}

/** Before anything of ours listens, a signal that ends a line of that kind blocks as well. */
function blockOnSignals() {
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) endWithout({ message: `${signal} came before it was ready` });
    });
  }
}

/** Runs the program. @param {() => typeof import("../src/main.ts")} load */
function start(load) {
  try {
    if (isClosed) blockOnSignals();
    const { main, fault, createHost } = load();
    const host = createHost(process);
    const end = (/** @type {number} */ exitCode) => process.exit(exitCodeFor(exitCode));
    // A fault outside the awaited way: told like any other, never as a stack trace.
    process.once("uncaughtException", (error) => void fault(error, host).then(end, endWithout));
    // All output is written by then, and what a hook left behind must not keep us alive.
    main(host).then(end, endWithout);
  } catch (error) {
    endWithout(error);
  }
}

module.exports = { partLoader, compiledFrom, keptBytes, start };
if (process.mainModule === module) start(entry);
