import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { envelopeOf, POINTS, type Point } from "./points.ts";

/** The points whose value may be any JSON. */
const rows: readonly (readonly [string, Point])[] = POINTS.flatMap((point) =>
  point.target === null || point.target === "messages" ? [] : [[point.point, point]],
);
const FORMS: readonly (readonly [object, "modify" | "replace"])[] = [
  [{ Transform: null }, "modify"],
  [{ Replace: null }, "replace"],
  [{ action: "transform", value: null }, "modify"],
  [{ action: "replace", value: null }, "replace"],
];
const keyOf = ({ phase }: Point): string => (phase === "pre" ? "input" : "output");

describe("null is a value that replaces, in AgentHook's dialect", () => {
  test.each(rows)("%s: from an executable", async (name, point) => {
    await using place = await workspace();
    await place.hook("2-sees", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: point.event });
    for (const [said, outcome] of FORMS) {
      await place.hook("1-null", printResponse(said), { says: name });
      const { stdout } = await runInProcess(place, `run ${name} --json`, { stdin: envelopeOf(point) });
      const output = JSON.parse(stdout);
      expect({ said, first: output.hooks[0], result: output.result }).toMatchObject({
        ...{ said, first: { outcome, change: null }, result: { [keyOf(point)]: null } },
      });
      if (outcome === "modify") {
        expect(JSON.parse((await place.read("seen")) ?? "")).toMatchObject({ [point.target ?? ""]: null });
      }
      const action = await runInProcess(place, `run ${name} --as agenthook -q`, { stdin: envelopeOf(point) });
      expect(action).toMatchObject({ stdout: `{"${outcome === "modify" ? "Transform" : "Replace"}":null}\n`, code: 0 });
    }
  });

  test.each(rows)("%s: from a method of use, where undefined and Continue change nothing", async (name, point) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    let said: unknown;
    hooks.use({ name: "trait", [point.method]: () => said });
    for (const [form, outcome] of FORMS) {
      said = form;
      const run = await hooks.run(name as "pre_turn", envelopeOf(point));
      expect(run).toMatchObject({ hooks: [{ outcome, change: null }], result: { [keyOf(point)]: null } });
    }
    for (const form of [undefined, null, "Continue", {}, { action: "continue", value: null }]) {
      said = form;
      const run = await hooks.run(name as "pre_turn", envelopeOf(point));
      expect(run.hooks).toMatchObject([{ outcome: "continue" }]);
      expect([run.hooks[0], run.result].flatMap((one) => Object.keys(one ?? {}))).not.toContain("change");
      expect(run.result).not.toHaveProperty(keyOf(point));
    }
  });

  test("in the other dialects it says nothing, also in AgentHook's words", async () => {
    await using place = await workspace();
    const stdin = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });
    for (const says of ["before_tool_call", "PreToolUse"]) {
      for (const said of [...FORMS.map(([form]) => form), { blocked: false, input: null }, { modifiedInput: null }]) {
        await place.hook("one", printResponse(said), { says });
        const { stdout } = await runInProcess(place, "run before_tool_call --json", { stdin });
        const output = JSON.parse(stdout);
        expect({ said, outcome: output.hooks[0].outcome, result: output.result }).toEqual({
          ...{ said, outcome: "continue", result: { blocked: false } },
        });
      }
    }
  });

  test("where the value has a shape, null does not fit it", async () => {
    await using place = await workspace();
    await place.hook("one", printResponse({ Transform: null }), { says: '{"event":"pre_llm_call","fail_open":false}' });
    const { stdout, code } = await runInProcess(place, "run pre_llm_call --json", {
      stdin: '{"messages":[],"tools":[]}',
    });
    expect(JSON.parse(stdout)).toMatchObject({ decision: "block", hooks: [{ failure: { code: "REPLY_WRONG_TYPE" } }] });
    expect(code).toBe(2);
  });
});
