import { fileURLToPath } from "node:url";

/** The program that renders templates. A module of its own: only an ES module knows where it lies, the hot bundle does not. */
export const RENDERER = fileURLToPath(new URL("../../dist/invoke/template-program.js", import.meta.url));
