import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BUN_VERSION } from "./runtimes.mjs";

const RUNTIME = `bun ${BUN_VERSION} (MIT)

Copyright (c) the contributors of Bun. The runtime of the native executables. It links JavaScriptCore (LGPL 2), TinyCC
(LGPL 2.1) and other libraries. Their licences, their sources, and how to build the runtime with other versions of them:
https://github.com/oven-sh/bun/blob/bun-v${BUN_VERSION}/LICENSE.md`;

/**
 * The licences of all that a native executable contains.
 * @param {string} root
 */
export function notices(root) {
  const head = "What is part of the native executables of hookctl besides hookctl itself, each with its licence.";
  return `${[head, RUNTIME, ...dependencies(root).map((path) => notice(join(root, path)))].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/**
 * The folders of all packages that an installation of hookctl contains.
 * @param {string} root
 */
export function dependencies(root) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.keys(packages).filter((path) => path !== "" && packages[path].dev !== true);
}

/** @param {string} folder */
function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
  return `${name} ${version} (${license})${text}`;
}
