import { describe, expect, test } from "vitest";
import { hooksIn } from "../../packages/sdk/test/library/place.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";
import { envelopeOf, type Point } from "./points.ts";

export const parsed = (text: string | null): unknown => JSON.parse(text ?? "null");

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

export async function asked({ point, ...rest }: Point, said: unknown) {
  await using place = await workspace();
  await place.hook("1-first", printResponse(json(said)), { says: point });
  await place.hook("2-next", `cat > ${shellQuote(`${place.dir}/seen`)}`, { says: rest.event });
  const { stdout, code } = await runInProcess(place, `run ${point} --json`, { stdin: envelopeOf({ point, ...rest }) });
  return { told: JSON.parse(stdout), outcomes: outcomesOf(stdout), code, seen: parsed(await place.read("seen")) };
}

export function testActions(points: readonly Point[]): void {
  const named = points.map((point) => [point.point, point] as const);
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
}
