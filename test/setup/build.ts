import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import fastGlob from "fast-glob";

const root = fileURLToPath(new URL("../..", import.meta.url));
const inputs = ["src", "src/**", "tools/build.mjs", "tsconfig.json", "tsconfig.build.json"];

/** Builds dist once before the tests, because command-line tests start bin/hookctl.js. */
export async function setup(): Promise<void> {
  if (await isFresh()) return;
  await execa("node", ["tools/build.mjs", "--no-check"], { cwd: root, stdio: "inherit" });
}

// Folders count as inputs too: their time tells of a file that was removed.
async function isFresh(): Promise<boolean> {
  const hot = join(root, "dist", "hot.cjs");
  if (!existsSync(hot)) return false;
  const builtAtMs = statSync(hot).mtimeMs;
  const entries = await fastGlob(inputs, { cwd: root, onlyFiles: false, stats: true });
  return entries.every((entry) => (entry.stats?.mtimeMs ?? Number.POSITIVE_INFINITY) < builtAtMs);
}
