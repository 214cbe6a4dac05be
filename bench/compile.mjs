import { spawnSync } from "node:child_process";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/**
 * Compiles a C file of this folder; null without a working compiler.
 * @param {string} source
 * @param {string} folder where the program goes
 * @returns {string | null}
 */
export function compile(source, folder) {
  const program = join(folder, basename(source, ".c"));
  const { status } = spawnSync(process.env.CC ?? "cc", ["-O2", "-o", program, join(here, source)], { stdio: "ignore" });
  return status === 0 ? program : null;
}
