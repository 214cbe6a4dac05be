export { processSandbox, sandboxesOf } from "./sandboxed-hooks.ts";
