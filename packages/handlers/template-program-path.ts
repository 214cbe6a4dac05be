import { fileURLToPath } from "node:url";
import { PACKAGE_ROOT } from "../../src/fs/package-root.ts";

/** A template that needs more memory fails, and its push is skipped. */
const MEMORY_MB = 512;

/** The words that start the program that renders templates. A module of its own: the hot bundle does not know where it lies. */
export const TEMPLATE_WORDS: readonly string[] = [
  `--max-old-space-size=${MEMORY_MB}`,
  fileURLToPath(new URL("dist/programs/template-program.js", PACKAGE_ROOT)),
];
