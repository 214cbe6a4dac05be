import { expect, test } from "vitest";
import type { HookAnswer, HookContext, Hooks } from "../../packages/sdk/index.ts";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

// The four examples of the contract, each as a class with the methods of its trait.

class AuditLog {
  readonly name = "audit-log";
  readonly priority = 50;
  readonly lines: string[] = [];
  preTurn(_turn: object, ctx: HookContext): HookAnswer {
    this.lines.push(`turn_start session=${ctx.session_id} turn=${ctx.turn_number}`);
    return "Continue";
  }
}

class InputGuardrail {
  readonly name = "input-guardrail";
  readonly priority = 10;
  readonly #forbidden = [/password/i, /\bdrop table\b/i];
  preTurn({ input }: { readonly input?: unknown }): HookAnswer {
    const { message } = input as { message: string };
    const isForbidden = this.#forbidden.some((pattern) => pattern.test(message));
    return isForbidden ? { Reject: "the message is against the content policy" } : "Continue";
  }
}

class CostTracker {
  readonly name = "cost-tracker";
  readonly #price = { input: 0.5, output: 2 };
  async postLlmCall({ response }: { readonly response?: unknown }, { state }: HookContext): Promise<HookAnswer> {
    const { usage } = response as { usage: { input_tokens: number; output_tokens: number } };
    const cost = usage.input_tokens * this.#price.input + usage.output_tokens * this.#price.output;
    const before = await state.get("total_cost");
    await state.set("total_cost", (typeof before === "number" ? before : 0) + cost);
    return "Continue";
  }
}

type Approval = "approved" | { readonly denied: string } | { readonly modified: object };

class HumanApproval {
  readonly name = "human-approval";
  readonly priority = 5;
  readonly failOpen = false;
  readonly asked: unknown[] = [];
  readonly #person: () => Promise<Approval>;
  constructor(person: () => Promise<Approval>) {
    this.#person = person;
  }
  async preToolCall({ tool_name, args }: { readonly tool_name: string; readonly args: unknown }): Promise<HookAnswer> {
    if (tool_name !== "bash") return "Continue";
    this.asked.push([tool_name, args]);
    const said = await this.#person();
    if (said === "approved") return "Continue";
    return "denied" in said ? { Reject: said.denied } : { Transform: said.modified };
  }
}

const CTX = { session_id: "s1", turn_number: 7, step_number: 1, core_type: "react" };
const turn = (hooks: Hooks, message: string) => hooks.run("pre_turn", { input: { message }, ctx: CTX });

test("the audit log notes session and turn of each turn that gets as far as it, and lets it go on", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  const audit = new AuditLog();
  hooks.use(audit);
  expect(await turn(hooks, "hello")).toMatchObject({ decision: "continue", hooks: [{ outcome: "continue" }] });
  expect(audit.lines).toEqual(["turn_start session=s1 turn=7"]);
  hooks.use(new InputGuardrail());
  await turn(hooks, "drop table users");
  expect(audit.lines).toHaveLength(1);
});

test("the guardrail runs before the log, whatever was registered first, and its rejection ends the turn", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  hooks.use(new AuditLog());
  hooks.use(new InputGuardrail());
  const run = await turn(hooks, "my Password is 1234");
  expect(run).toMatchObject({
    ...{ decision: "block", reason: "the message is against the content policy", decided_by: "input-guardrail" },
    hooks: [
      { name: "input-guardrail", outcome: "block" },
      { name: "audit-log", outcome: "skipped" },
    ],
  });
  expect(await turn(hooks, "please run the tests")).toMatchObject({ decision: "continue", result: { blocked: false } });
});

test("the cost tracker adds up over the calls of a session, for every other hook to read", async () => {
  await using place = await workspace();
  await using hooks = hooksIn(place);
  hooks.use(new CostTracker());
  const called = (session_id: string, input_tokens: number, output_tokens: number) =>
    hooks.run("post_llm_call", { response: { usage: { input_tokens, output_tokens } }, ctx: { session_id } });
  for (const tokens of [100, 20]) await called("s1", tokens, 1);
  await called("s2", 2, 0);
  const totals: unknown[] = [];
  hooks.use({ name: "reads", postTurn: async (_turn, { state }) => void totals.push(await state.get("total_cost")) });
  for (const session_id of ["s1", "s2", "s3"]) await hooks.run("post_turn", { output: "done", ctx: { session_id } });
  expect(totals).toEqual([64, 1, undefined]);
});

const PEOPLE: readonly (readonly [string, () => Promise<Approval>, object])[] = [
  ["approves", async () => "approved", { decision: "continue", result: { blocked: false } }],
  ["denies", async () => ({ denied: "not on a Friday" }), { decision: "block", reason: "not on a Friday" }],
  [
    ...(["changes the arguments", async () => ({ modified: { command: "ls" } })] as const),
    { decision: "continue", result: { blocked: false, input: { command: "ls" } } },
  ],
  [
    ...(["cannot be reached", () => Promise.reject(new Error("no answer"))] as const),
    { decision: "block", decided_by: "human-approval", reason: expect.stringContaining("no answer") },
  ],
];
test.each(PEOPLE)("the approval, where the person %s", async (_title, person, expected) => {
  await using place: Workspace = await workspace();
  await using hooks = hooksIn(place);
  const approval = new HumanApproval(person);
  hooks.use({ name: "other", priority: 6, preToolCall: () => "Continue" });
  hooks.use(approval);
  const call = (tool_name: string) => hooks.run("pre_tool_call", { tool_name, args: { command: "rm" }, ctx: CTX });
  const run = await call("bash");
  expect(run).toMatchObject(expected);
  expect(run.hooks[0]?.name).toBe("human-approval");
  expect(await call("read")).toMatchObject({ decision: "continue" });
  expect(approval.asked).toEqual([["bash", { command: "rm" }]]);
});
