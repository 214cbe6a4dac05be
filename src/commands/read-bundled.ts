import { readFileSync } from "node:fs";

/** Reads a file of the package. This module must be two folders deep, both in `src` and in the bundle. */
export const readBundled = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
