export { BASE_FIELDS, EVENT_NAMES, EVENTS, type EventName, type PayloadOf } from "../../src/protocol/event.ts";
export { EXIT } from "../../src/protocol/exit-code.ts";
export type { HookKind, Match, Source, TrustState } from "../../src/protocol/hook.ts";
export type { ToolInput } from "../../src/protocol/payload/field.ts";
export type { Explanation, Problem, ProblemCode } from "../../src/protocol/problem.ts";
export { explain } from "../../src/protocol/problem-messages/explain.ts";
export type { ToolInputs } from "../../src/protocol/tools/vocabulary.ts";
export type { Outcome, VerdictDecision } from "../../src/protocol/verdict.ts";
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
