import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The source files of the core and of the packages, without their tests, by their paths in the repository. */
export const sourceFiles = (): readonly string[] =>
  fastGlob
    .sync(["src/**/*.ts", "packages/**/*.ts", "!packages/*/test/**", "!**/node_modules/**"], { cwd: root })
    .sort();

export const sourceText = (path: string): string => readFileSync(join(root, path), "utf8");
