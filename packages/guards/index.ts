export { type Examined, examine, loadParserFor, withParser } from "./examine.ts";
export { EXAMPLES, type Example, type Examples } from "./examples.ts";
export type { Finding, Guard, GuardName, OwnFile } from "./guard.ts";
export { GUARDS } from "./guards.ts";
export { type GuardVerdict, type Judged, type JudgeSettings, judge, reasonOf, STANDARD_SETTINGS } from "./judge.ts";
export { loadGuard } from "./load-guard.ts";
export { readToolCall, type ToolCall } from "./tool-call.ts";
