export type { ToolInput } from "../../src/protocol/payload/field.ts";
export type { ToolInputs } from "../../src/protocol/tools/vocabulary.ts";
export { defineHook, type HookDefinition } from "./library/define-hook.ts";
export type { AnyEventName, EnvelopeOf } from "./library/event-types.ts";
export type { HookAnswer, HookReply, PushDirective } from "./library/hook-reply.ts";
