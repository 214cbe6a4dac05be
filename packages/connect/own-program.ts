import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGE_ROOT } from "../../src/fs/package-root.ts";

/** This hookctl: the script that Node starts. */
export const HOOKCTL_FILE = fileURLToPath(new URL("bin/hookctl.js", PACKAGE_ROOT));

/** What agents start in the user's scope. */
export const userLauncher = (homeDir: string): string => join(homeDir, ".kodelet", "hookctl");
