import { expectTypeOf, test } from "vitest";
import {
  createHooks,
  defineHook,
  type EnvelopeOf,
  type EventOf,
  type HookAnswer,
  type HookDrivenTurns,
  type MethodName,
  type PayloadInput,
  type PayloadOf,
  type RunHook,
  type RunValue,
  type ToolInputs,
} from "../../index.ts";

// Checked by `npm run types`; the runner only sees that the file loads.
test("the name of an event gives its types, in every dialect", () => {
  expectTypeOf<EventOf<"PreToolUse">>().toEqualTypeOf<"before_tool_call">();
  expectTypeOf<EventOf<"pre_tool_call">>().toEqualTypeOf<"before_tool_call">();
  expectTypeOf<MethodName<"before_tool_call">>().toEqualTypeOf<"beforeToolCall">();
  expectTypeOf<PayloadOf<"user_message_send">["message"]>().toEqualTypeOf<string>();
  expectTypeOf<EnvelopeOf<"PreToolUse">["hook"]>().toEqualTypeOf<string>();
  expectTypeOf<EnvelopeOf<"pre_tool_call">["ctx"]["session_id"]>().toEqualTypeOf<string>();
  expectTypeOf<EnvelopeOf<"post_turn">["output"]>().toEqualTypeOf<PayloadOf<"turn_end">["response"]>();
  expectTypeOf<EnvelopeOf<"on_llm_error">["attempt"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<MethodName<"pre_llm_call">>().toEqualTypeOf<"preLlmCall">();
  // @ts-expect-error a tool's result is not there before the call
  expectTypeOf<EnvelopeOf<"pre_tool_call">["result"]>();
  // @ts-expect-error kodelet's own envelope has no Base Coat fields
  expectTypeOf<EnvelopeOf<"before_tool_call">["hook"]>();
});

test("a payload needs the fields of its event and no base fields", () => {
  expectTypeOf<{ tool_name: string; tool_input: object; more: 1 }>().toExtend<PayloadInput<"PreToolUse">>();
  expectTypeOf<{ tool_name: string; args: object; ctx: object }>().toExtend<PayloadInput<"pre_tool_call">>();
  expectTypeOf<{ tool_name: string; args: object }>().toExtend<PayloadInput<"pre_tool_call">>();
  expectTypeOf<{ tool_name: string; args: object; ctx: object }>().not.toExtend<PayloadInput<"before_tool_call">>();
  expectTypeOf<{ tool_name: string }>().not.toExtend<PayloadInput<"PreToolUse">>();
  expectTypeOf<{ tool_name: number; tool_input: object }>().not.toExtend<PayloadInput<"PreToolUse">>();
});

test("functions are typed by the name they register for", async () => {
  await using hooks = createHooks();
  expectTypeOf(hooks.run("agent_stop", { messages: [] }).catch(() => null)).resolves.toEqualTypeOf<RunValue | null>();
  hooks.register("UserPromptSubmit", ({ message, sessionId }) => {
    expectTypeOf(message).toEqualTypeOf<string>();
    expectTypeOf(sessionId).toEqualTypeOf<string>();
  });
  hooks.use({
    name: "typed",
    async budgetExceeded({ budget }, { signal, state }) {
      expectTypeOf(budget).toEqualTypeOf<Readonly<Record<string, unknown>> | undefined>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(state.increment).returns.resolves.toEqualTypeOf<number>();
      return { action: "continue" };
    },
  });
  hooks.use({
    name: "trait",
    postToolCall({ ctx, elapsed_ms }) {
      expectTypeOf(ctx.session_id).toEqualTypeOf<string>();
      expectTypeOf(elapsed_ms).toEqualTypeOf<number | undefined>();
      return { Transform: "shorter" };
    },
  });
  const taken = defineHook({ event: ["turn_end", "turn_error"], run: ({ event }) => ({ reason: event }) });
  expectTypeOf(taken.event).toExtend<"turn_end" | "turn_error" | readonly ("turn_end" | "turn_error")[]>();
  expectTypeOf<{ blocked: "yes" }>().not.toExtend<HookAnswer>();
});

test("the match of a hook gives the arguments of its tool", () => {
  defineHook({
    event: "before_tool_call",
    match: { tool_name: ["Bash", "bash"] },
    run: ({ tool_input }) => expectTypeOf(tool_input.command).toEqualTypeOf<string>() && undefined,
  });
  defineHook({
    event: "PreToolUse",
    match: { tool_name: "Write" },
    run: ({ tool_input }) => expectTypeOf(tool_input.file_path).toEqualTypeOf<string>() && undefined,
  });
  defineHook({
    event: "pre_tool_call",
    match: { tool_name: "Edit" },
    run: ({ args }) => expectTypeOf(args.replace_all).toEqualTypeOf<boolean | undefined>() && undefined,
  });
  defineHook({
    event: "after_tool_call",
    match: { tool_name: "mcp_*" },
    run: ({ tool_input }) => expectTypeOf(tool_input.any).toEqualTypeOf<unknown>() && undefined,
  });
  defineHook({
    event: "before_tool_call",
    run: ({ tool_input }) => expectTypeOf(tool_input.command).toEqualTypeOf<string | undefined>() && undefined,
  });
  expectTypeOf<ToolInputs["Read"]["file_path"]>().toEqualTypeOf<string>();
  expectTypeOf<{ tool_name: string; tool_input: null }>().toExtend<PayloadInput<"before_tool_call">>();
});

test("a function that only looks need not return anything", async () => {
  await using hooks = createHooks();
  const seen: string[] = [];
  hooks.register("before_tool_call", ({ tool_name }) => void seen.push(tool_name), { observe: true });
  hooks.use({
    name: "forgets",
    async sessionEnd(_payload, { state }) {
      await state.delete("tokens");
    },
  });
  defineHook({ event: "after_tool_call", run: async ({ tool_name }) => void seen.push(tool_name) });
});

test("the record's type has what run --json prints, and not what it keeps to itself", () => {
  expectTypeOf<RunValue["hook_driven_turns"]>().toEqualTypeOf<HookDrivenTurns | undefined>();
  expectTypeOf<RunValue["result"]["hook_driven_turns"]>().toEqualTypeOf<HookDrivenTurns | undefined>();
  expectTypeOf<RunHook>().not.toHaveProperty("command");
  expectTypeOf<RunHook>().not.toHaveProperty("hash");
});
