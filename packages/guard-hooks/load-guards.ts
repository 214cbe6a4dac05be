import type { Guards } from "../../src/engine/run-context.ts";

/** Cached: even for a loaded module, Node reads the file system at each `import()`. */
let loaded: Guards | null = null;

/** Loads the built-in guards, which most calls do not need. */
export async function loadGuards(): Promise<Guards> {
  loaded ??= (await import("./invoke-guard.ts")).guards;
  return loaded;
}
