export { BASE_FIELDS, EVENT_NAMES, EVENTS, type EventName, type PayloadOf } from "./contract/event.ts";
export { type Explanation, explain } from "./contract/explain.ts";
export type { HookKind, Source, TrustState } from "./contract/hook.ts";
export { EXIT, type Problem, type ProblemCode } from "./contract/problem.ts";
export type { Outcome, VerdictDecision } from "./contract/verdict.ts";
