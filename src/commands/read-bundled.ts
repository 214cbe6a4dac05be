import { readFileSync } from "node:fs";

/** Reads a file of the package; users can read it there as well. Two folders deep, here and in the bundle. */
export const readBundled = (path: string): string =>
  readFileSync(new URL(`../../hooks-examples/${path}`, import.meta.url), "utf8");
