import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "../../../src/engine/host.ts";
import { PACKAGE_ROOT } from "../../../src/fs/package-root.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { runForHookctl } from "./run-for-hookctl.ts";

const WARM = fileURLToPath(new URL("bin/warm.mjs", PACKAGE_ROOT));

/** The folder of the bundled hot path and of its compile cache. */
export const COMPILE_CACHE_FOLDER = fileURLToPath(new URL("dist", PACKAGE_ROOT));

/**
 * Writes the compile cache for this V8 version if it is missing: it saves a fifth of each call. A package cannot ship it,
 * because V8 only accepts its own version's. False if the folder cannot be written.
 */
export async function ensureCompileCache(host: Host): Promise<boolean> {
  if (isCached()) return true;
  closeInheritedOnFirstStart();
  await runForHookctl(
    "compiling hookctl once, for faster calls",
    {
      file: "/bin/sh",
      // Through a shell's pipe: the stdin that Node passes is a socket, which is read by other code.
      args: ["-c", 'echo "{}" | "$0" "$1"', process.execPath, WARM],
      cwd: COMPILE_CACHE_FOLDER,
      // Not the caller's PATH: it may contain a folder of the project, where nothing is approved.
      env: { PATH: "/usr/bin:/bin" },
      stdoutLimitBytes: 1024 * 1024,
    },
    host,
  );
  return isCached();
}

/** False also if it is the cache of an older build. */
function isCached(): boolean {
  const ending = `.${process.versions.v8}`;
  const cached = readdirSync(COMPILE_CACHE_FOLDER).filter((name) => name.endsWith(ending));
  return cached.includes(`hot.cjs${ending}`) && cached.every((name) => isOf(name, name.slice(0, -ending.length)));
}

/** A cache file holds the source code and then its compiled form twice. */
function isOf(cached: string, part: string): boolean {
  const file = join(COMPILE_CACHE_FOLDER, part);
  if (!existsSync(file)) return true;
  const code = readFileSync(file);
  const bytes = readFileSync(join(COMPILE_CACHE_FOLDER, cached));
  const middle = code.length + (bytes.length - code.length) / 2;
  const [own, one, other] = [
    bytes.subarray(0, code.length),
    bytes.subarray(code.length, middle),
    bytes.subarray(middle),
  ];
  return code.equals(own) && one.equals(other);
}
