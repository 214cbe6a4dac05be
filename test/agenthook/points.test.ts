import { describe, expect, test } from "vitest";
import { EVENTS } from "../../packages/sdk/index.ts";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { DIALECTS } from "../../src/dialects/dialects.ts";
import { runInProcess } from "../support/in-process.ts";
import { sampledRows } from "../support/property-runs.ts";
import { shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { asked, parsed, testActions } from "./actions.ts";
import { CTX, envelopeOf, POINTS, type Point } from "./points.ts";

const named: readonly (readonly [string, Point])[] = POINTS.map((point) => [point.point, point]);

test("the twelve points are all the names that AgentHook has", () => {
  const names = Object.values(EVENTS).flatMap(({ aliases }) => ("agenthook" in aliases ? aliases.agenthook : []));
  expect(names.sort()).toEqual(POINTS.map(({ point }) => point).sort());
  expect(POINTS).toHaveLength(12);
  expect(DIALECTS.agenthook.envelope.mark).toBe("ctx");
});

describe("the arguments of a point", () => {
  test.each(named)("%s: reach an executable from AgentHook's own envelope", async (name, point) => {
    await using place = await workspace();
    await place.hook("sees", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: name });
    const result = await runInProcess(place, `run ${name} -q`, { stdin: envelopeOf(point) });
    expect(result).toEqual({ stdout: point.reject === "block" ? '{"blocked":false}\n' : "{}\n", stderr: "", code: 0 });
    const seen = parsed(await place.read("seen"));
    expect(seen).toMatchObject({ ...point.args, ctx: { ...CTX, state: {} }, event: point.event, conv_id: "s1" });
  });

  test.each(sampledRows(named))("%s: reach an executable from kodelet's payload", async (name, point) => {
    await using place = await workspace();
    await place.hook("sees", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: name });
    const names: Readonly<Record<string, string>> = { args: "tool_input", result: "tool_output" };
    const kodelet = Object.entries(point.args).map(([key, value]) => [names[key] ?? key, value]);
    const { session_id: conv_id, ...where } = CTX;
    const response = "output" in point.args ? { response: point.args.output, output: undefined } : {};
    const stdin = JSON.stringify({ ...Object.fromEntries(kodelet), ...response, conv_id, ...where });
    await runInProcess(place, `run ${point.event} -q`, { stdin });
    expect(parsed(await place.read("seen"))).toMatchObject({ ...point.args, ctx: { ...CTX, state: {} } });
  });

  test.each(sampledRows(named))("%s: reach a method of use", async (name, { method, ...point }) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const seen: unknown[] = [];
    hooks.use({
      name: "trait",
      [method]: (payload: unknown, { event }: { event: string }) => void seen.push(payload, event),
    });
    await hooks.run(point.event, envelopeOf({ method, ...point }));
    expect(seen).toEqual([expect.objectContaining({ ...point.args, ctx: { ...CTX, state: {} } }), point.event]);
    const registered: unknown[] = [];
    hooks.register(name as "pre_turn", (payload) => void registered.push(payload));
    await hooks.run(point.event, envelopeOf({ method, ...point }));
    expect(registered).toEqual(seen.slice(2, 3));
  });
});

// One of each phase and of each end of a refusal; the others are in points.slow.test.ts.
testActions(POINTS.filter(({ point }) => ["pre_turn", "post_tool_call", "on_session_end"].includes(point)));

describe("a value of the wrong kind", () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ["pre_llm_call", { messages: "all" }],
    ["pre_llm_call", ["messages"]],
    ["pre_llm_call", { messages: [], model: "other" }],
  ];
  test.each(wrong)("at %s: %j fails the reply", async (name, value) => {
    const point = POINTS.find((one) => one.point === name);
    if (point === undefined) throw new Error(name);
    const { told, outcomes } = await asked(point, { Transform: value });
    expect(outcomes).toEqual(["failed", "continue"]);
    expect(told.hooks[0].failure.code).toBe("REPLY_WRONG_TYPE");
  });

  const values = [true, 3, "Retry", "Abort", ["a"], { retry: false }, { decision: "fallback", provider: "b" }];
  test.each(values.map((value) => [value]))(
    "a retry decision and a compaction hint may be any JSON: %j",
    async (value) => {
      for (const name of ["on_llm_error", "pre_compaction"]) {
        const point = POINTS.find((one) => one.point === name);
        if (point === undefined) throw new Error(name);
        const { told } = await asked(point, { Transform: value });
        expect(told.hooks[0]).toMatchObject({ outcome: "modify", change: value });
      }
    },
  );
});
