import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../src/dialects/dialects.ts";
import { EVENTS } from "../../src/index.ts";
import { hooksIn } from "../library/place.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { CTX, envelopeOf, POINTS, type Point } from "./points.ts";

const named: readonly (readonly [string, Point])[] = POINTS.map((point) => [point.point, point]);
const parsed = (text: string | null): unknown => JSON.parse(text ?? "null");

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

  test.each(named)("%s: reach an executable from kodelet's payload", async (name, point) => {
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

  test.each(named)("%s: reach a method of use", async (name, { method, ...point }) => {
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

/** Each action as Rust writes an enum, and flat. */
const FORMS = {
  Continue: ["Continue", { action: "continue" }],
  Transform: (value: unknown) => [{ Transform: value }, { action: "transform", value }],
  Replace: (value: unknown) => [{ Replace: value }, { action: "replace", value }],
  Reject: [{ Reject: "not now" }, { action: "reject", reason: "not now" }, { action: "reject", value: "not now" }],
} as const;

const json = (value: unknown): string => JSON.stringify(value);
const outcomesOf = (stdout: string): unknown =>
  (JSON.parse(stdout) as { hooks: { outcome: string }[] }).hooks.map(({ outcome }) => outcome);

async function asked({ point, ...rest }: Point, said: unknown) {
  await using place = await workspace();
  await place.hook("1-first", printResponse(json(said)), { says: point });
  await place.hook("2-next", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: rest.event });
  const { stdout, code } = await runInProcess(place, `run ${point} --json`, { stdin: envelopeOf({ point, ...rest }) });
  return { told: JSON.parse(stdout), outcomes: outcomesOf(stdout), code, seen: parsed(await place.read("seen")) };
}

describe("an action in both JSON forms", () => {
  test.each(named)("%s: Continue hands on to the next hook", async (_name, point) => {
    for (const said of FORMS.Continue) {
      const { outcomes, code, told } = await asked(point, said);
      expect({ outcomes, code, warnings: told.warnings }).toEqual({
        ...{ outcomes: ["continue", "continue"], code: 0, warnings: [] },
      });
    }
  });

  test.each(named)("%s: Transform is what the next hook and the agent get", async (_name, point) => {
    for (const said of FORMS.Transform(point.value)) {
      const { outcomes, told, seen, code } = await asked(point, said);
      if (point.target === null) {
        expect({ outcomes, code }).toEqual({ outcomes: ["continue", "continue"], code: 0 });
        expect(told.warnings).toEqual([expect.stringContaining(`has no effect at ${point.event}`)]);
        continue;
      }
      const key = point.phase === "pre" ? "input" : "output";
      expect({ outcomes, code, result: told.result[key] }).toEqual({
        ...{ outcomes: ["modify", "continue"], code: 0, result: point.value },
      });
      expect(seen).toMatchObject(point.target === "messages" ? Object(point.value) : { [point.target]: point.value });
    }
  });

  test.each(named)("%s: Replace is the last word", async (_name, point) => {
    for (const said of FORMS.Replace(point.value)) {
      const { outcomes, told, seen, code } = await asked(point, said);
      if (point.target === null) {
        expect({ outcomes, code }).toEqual({ outcomes: ["continue", "continue"], code: 0 });
        continue;
      }
      const key = point.phase === "pre" ? "input" : "output";
      expect({ outcomes, seen, code, result: told.result[key] }).toEqual({
        ...{ outcomes: ["replace", "skipped"], seen: null, code: 0, result: point.value },
      });
      expect(told).toMatchObject({ decision: "continue", decided_by: "1-first" });
    }
  });

  test.each(named)("%s: Reject denies before, halts after, and is a warning at an end", async (_name, point) => {
    for (const said of FORMS.Reject) {
      const { outcomes, told, code, seen } = await asked(point, said);
      expect(told.decision).toBe(point.reject);
      if (point.reject === "continue") {
        expect({ outcomes, code }).toEqual({ outcomes: ["continue", "continue"], code: 0 });
        expect(told.warnings).toEqual([expect.stringContaining(`${point.event} cannot be blocked`)]);
        continue;
      }
      expect({ outcomes, code, seen }).toEqual({ outcomes: ["block", "skipped"], code: 2, seen: null });
      expect(told).toMatchObject({ reason: "not now", decided_by: "1-first", result: { blocked: true } });
    }
  });

  test.each(named)("%s: a method of use answers in them too", async (_name, point) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const ask = async (said: unknown) => {
      const remove = hooks.use({ name: "trait", [point.method]: () => said });
      const { decision, hooks: told } = await hooks.run(point.event, envelopeOf(point));
      remove();
      return [decision, told[0]?.outcome];
    };
    const changed = point.target !== null;
    for (const said of FORMS.Continue) expect(await ask(said)).toEqual(["continue", "continue"]);
    for (const said of FORMS.Transform(point.value)) {
      expect(await ask(said)).toEqual(["continue", changed ? "modify" : "continue"]);
    }
    for (const said of FORMS.Replace(point.value)) {
      expect(await ask(said)).toEqual(["continue", changed ? "replace" : "continue"]);
    }
    const outcome = point.reject === "continue" ? "continue" : "block";
    for (const said of FORMS.Reject) expect(await ask(said)).toEqual([point.reject, outcome]);
  });
});

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
