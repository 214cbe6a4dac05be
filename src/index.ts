export type { Duration, FunctionOptions, HooksOptions, ListOptions, RunOptions } from "./library/check-options.ts";
export { createHooks, type Hooks } from "./library/create-hooks.ts";
export { defineHook, type HookDefinition } from "./library/define-hook.ts";
export type { AnyEventName, EnvelopeOf, EventOf, MethodName, PayloadInput } from "./library/event-types.ts";
export type { HookAnswer, HookReply, PushDirective } from "./library/hook-reply.ts";
export { HookctlError } from "./library/hookctl-error.ts";
export type { HookContext, HookFunction, HookModule as HookSet } from "./library/registry.ts";
export type { HookDrivenTurns, ListHook, ListValue, RunHook, RunResult, RunValue } from "./library/result-types.ts";
export {
  connect,
  type HookServer,
  type InboxValue,
  type RequestOptions,
  type ServerRunOptions,
} from "./library/serve-client.ts";
export type { ServerPlace } from "./library/serve-link.ts";
export type { StateStore } from "./library/session-store.ts";
export { BASE_FIELDS, EVENT_NAMES, EVENTS, type EventName, type PayloadOf } from "./protocol/event.ts";
export { EXIT } from "./protocol/exit-code.ts";
export type { HookKind, Match, Source, TrustState } from "./protocol/hook.ts";
export type { ToolInput } from "./protocol/payload/field.ts";
export type { Explanation, Problem, ProblemCode } from "./protocol/problem.ts";
export { explain } from "./protocol/problem-messages/explain.ts";
export type { ToolInputs } from "./protocol/tools/vocabulary.ts";
export type { Outcome, VerdictDecision } from "./protocol/verdict.ts";
