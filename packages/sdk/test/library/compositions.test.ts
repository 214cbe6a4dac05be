import { describe, expect, test } from "vitest";
import { addToCommand, printResponse } from "../../../../test/support/shell.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import type { FunctionOptions, HookAnswer, HookFunction, PayloadOf } from "../../index.ts";
import { hooksIn, outcomes, TOOL } from "./place.ts";

describe("worked compositions of files and functions in one chain", () => {
  const put = (command: string) => (): HookAnswer => ({ input: { command } });
  const block = (): HookAnswer => ({ blocked: true, reason: "no" });
  const more: HookFunction<{ readonly tool_input: unknown }> = ({ tool_input }) => ({
    input: { command: `${(tool_input as { command: string }).command} -f` },
  });
  const pass = (): HookAnswer => undefined;
  interface Composition {
    readonly title: string;
    readonly files: readonly (readonly [name: string, priority: number, body: string])[];
    readonly functions: readonly (readonly [
      name: string,
      FunctionOptions,
      HookFunction<PayloadOf<"before_tool_call">>,
    ])[];
    readonly outcomes: readonly string[];
    readonly told: object;
  }
  const rows: readonly Composition[] = [
    {
      title: "a file's change is what a function sees, and a function's what a file sees",
      files: [
        ["a", 10, addToCommand("-a")],
        ["c", 30, addToCommand("-c")],
      ],
      functions: [["b", { priority: 20 }, more]],
      outcomes: ["a modify", "b modify", "c modify"],
      told: { decision: "continue", result: { input: { command: "ls -a -f -c" } } },
    },
    {
      title: "a function's block drops the change of a file, and an observing function still runs",
      files: [
        ["a", 10, addToCommand("-a")],
        ["z", 90, printResponse({})],
      ],
      functions: [
        ["o", { priority: 95, observe: true }, pass],
        ["b", { priority: 20 }, block],
      ],
      outcomes: ["a modify", "b block", "z skipped", "o observed"],
      told: { decision: "block", reason: "no", result: { blocked: true } },
    },
    {
      title: "a file's block skips a function",
      files: [["a", 10, printResponse({ blocked: true })]],
      functions: [["b", {}, put("x")]],
      outcomes: ["a block", "b skipped"],
      told: { decision: "block", decided_by: "a" },
    },
    {
      title: "where priorities tie, functions come after files, in the order of registration",
      files: [["z", 100, printResponse({})]],
      functions: [
        ["b", {}, pass],
        ["a", {}, pass],
      ],
      outcomes: ["z continue", "b continue", "a continue"],
      told: { decision: "continue" },
    },
    {
      title: "a function's replacement ends the chain",
      files: [["z", 100, printResponse({ blocked: true })]],
      functions: [["a", { priority: 1 }, () => ({ Replace: { command: "safe" } })]],
      outcomes: ["a replace", "z skipped"],
      told: { decision: "continue", decided_by: "a", result: { input: { command: "safe" } } },
    },
    {
      title: "a function whose match does not fit has no turn",
      files: [],
      functions: [["a", { match: { tool_name: "web*" } }, block]],
      outcomes: ["a skipped"],
      told: { decision: "continue" },
    },
    {
      title: "a file of the same name does not hide a function",
      files: [["same", 100, printResponse({})]],
      functions: [["same", {}, block]],
      outcomes: ["same continue", "same block"],
      told: { decision: "block" },
    },
  ];
  test.each(rows)("$title", async ({ files, functions, outcomes: wanted, told }) => {
    await using place = await workspace();
    for (const [name, priority, body] of files) {
      await place.hook(name, body, { says: JSON.stringify({ event: "before_tool_call", priority }), scope: "project" });
    }
    await using hooks = hooksIn(place, { trust: true });
    for (const [name, options, call] of functions) hooks.register("before_tool_call", call, { ...options, name });
    const run = await hooks.run("before_tool_call", TOOL);
    expect(outcomes(run)).toEqual(wanted);
    expect(run).toMatchObject(told);
  });
});
