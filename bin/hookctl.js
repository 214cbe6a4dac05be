#!/usr/bin/env node
"use strict";

// CommonJS on purpose: an ESM entry costs 3 ms at every start on Node 20.
const hot = "../dist/hot.cjs";

function isBuilt() {
  return require("node:fs").existsSync(require("node:path").join(__dirname, hot));
}

try {
  const { main, worldOf } = require(hot);
  // All output is written by then, and what a hook left behind must not keep us alive.
  main(worldOf(process)).then((exitCode) => process.exit(exitCode));
} catch (fault) {
  if (isBuilt()) throw fault;
  process.stderr.write("✖ hookctl is not built: dist/hot.cjs is missing\n  In the checkout, type: npm install\n");
  process.exitCode = 70;
}
