import { readFileSync } from "node:fs";
import { PACKAGE_ROOT } from "../fs/package-root.ts";

/** Reads a file of the package. This module must be two folders deep, both in `src` and in the bundle. */
export const readBundled = (path: string): string =>
  readFileSync(new URL(`hooks-examples/${path}`, PACKAGE_ROOT), "utf8");
