import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BUN_VERSION } from "./runtimes.mjs";

const RUNTIME = `bun ${BUN_VERSION} (MIT)

Copyright (c) the contributors of Bun. The runtime of the native executables. It links JavaScriptCore (LGPL 2), TinyCC
(LGPL 2.1) and other libraries. Their licences, their sources, and how to build the runtime with other versions of them:
https://github.com/oven-sh/bun/blob/bun-v${BUN_VERSION}/LICENSE.md`;

/**
 * The licences of all that a native executable contains: its libraries are those of the bundles.
 * @param {string} root
 */
export function notices(root) {
  const head = "What is part of the native executables of hookctl besides hookctl itself, each with its licence.";
  const libraries = readFileSync(join(root, "dist", "THIRD-PARTY-LICENSES"), "utf8");
  return [head, RUNTIME, libraries].join(`\n\n${"-".repeat(80)}\n\n`);
}
