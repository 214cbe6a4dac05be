export { type CompileFault, compileTemplate } from "./compile.ts";
export { fromJson, renderTemplate } from "./render.ts";
export type { Value } from "./values/value.ts";
