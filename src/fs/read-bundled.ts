import { readFileSync } from "node:fs";
import { PACKAGE_ROOT } from "./package-root.ts";

/** Reads a file of the npm package. */
export const readBundled = (path: string): string => readFileSync(new URL(path, PACKAGE_ROOT), "utf8");
