import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { CTX, POINTS, type Point } from "./points.ts";

const named: readonly (readonly [string, Point])[] = POINTS.map((point) => [point.point, point]);
const NOTHING = { session_id: "", turn_number: 0, step_number: 0, core_type: "", state: {} };
const SAYS = JSON.stringify({ event: POINTS.map(({ point }) => point) });
/** Reads every field of the trait's context as the type that the trait gives it, and fails without one. */
const NEEDS_CTX = `#!${process.execPath}
if (process.argv[2] === "hook") {
  console.log(${JSON.stringify(SAYS)});
  process.exit();
}
const { ctx } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const kinds = { session_id: "string", turn_number: "number", step_number: "number", core_type: "string", state: "object" };
for (const [key, kind] of Object.entries(kinds)) if (typeof ctx[key] !== kind) throw new TypeError("no " + key);`;

/** What a caller may say of the context, and what a hook gets. */
const SENDERS: readonly { title: string; sent: object; got: object }[] = [
  { title: "no ctx", sent: {}, got: NOTHING },
  { title: "an empty ctx", sent: { ctx: {} }, got: NOTHING },
  { title: "a ctx of null", sent: { ctx: null }, got: NOTHING },
  { title: "a ctx with nulls", sent: { ctx: { session_id: null, turn_number: null, state: null } }, got: NOTHING },
  { title: "the whole ctx", sent: { ctx: CTX }, got: { ...CTX, state: {} } },
  {
    title: "a part of it",
    sent: { ctx: { session_id: "s1", step_number: 2 } },
    got: { ...NOTHING, session_id: "s1", step_number: 2 },
  },
  {
    title: "kodelet's fields",
    sent: { conv_id: "s1", turn_number: 4 },
    got: { ...NOTHING, session_id: "s1", turn_number: 4 },
  },
];

describe("ctx is whole at every point, whoever calls", () => {
  test.each(named)("%s: for an executable", { tags: "slow" }, async (point, { args }) => {
    await using place = await workspace();
    await place.hook("sees", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: point });
    for (const { title, sent, got } of SENDERS) {
      const result = await runInProcess(place, `run ${point} -q`, { stdin: JSON.stringify({ ...args, ...sent }) });
      const { ctx } = JSON.parse((await place.read("seen")) ?? "{}");
      expect({ title, ctx, code: result.code }).toEqual({ title, ctx: got, code: 0 });
    }
  });

  test.each(named)("%s: for a method of use, in its payload and in its second argument", async (point, row) => {
    await using place = await workspace();
    await using hooks = hooksIn(place);
    const seen: object[] = [];
    hooks.use({
      name: "trait",
      [row.method]: (payload: { ctx: object }, { state, signal, hook, event, ...ctx }: Record<string, unknown>) =>
        void seen.push({ ctx: payload.ctx, second: ctx, hasState: typeof (state as { get: unknown }).get }),
    });
    for (const { sent, got } of SENDERS) {
      await hooks.run(point as "pre_turn", JSON.stringify({ ...row.args, ...sent }));
      const { state, ...place } = { state: {}, ...got } as { state: object; session_id: string };
      expect(seen.pop()).toEqual({ ctx: got, second: { ...place, session: place.session_id }, hasState: "function" });
    }
  });
});

describe("a hook that keeps to the trait passes", () => {
  test("hookctl test, with a sample of each of the twelve points", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("audit", NEEDS_CTX);
    const output = parseTestJson(await runInProcess(place, "test --json"));
    expect(output.hooks[0]?.checks.filter(({ passed }) => !passed)).toEqual([]);
    expect(output).toMatchObject({ failed: 0, hooks: [{ passed: true, left_out: [] }] });
  });

  test.each(named)("hookctl payload %s", async (point) => {
    await using place = await workspace();
    const { ctx } = JSON.parse((await runInProcess(place, `payload ${point}`)).stdout);
    const whole = { session_id: "sample-session", turn_number: 3, step_number: 1, core_type: "react", state: {} };
    expect(ctx).toEqual(whole);
  });
});
