export { type CompileFault, compileTemplate, fromJson, renderTemplate } from "./template.ts";
export type { Value } from "./values/value.ts";
