import { describe, expect, test } from "vitest";
import { EXAMPLES } from "../../examples.ts";
import type { Guard } from "../../guard.ts";
import { cloud } from "../../rules/cloud.ts";
import { filesystem } from "../../rules/filesystem.ts";
import { git } from "../../rules/git.ts";
import { judge } from "./judge.ts";

const GUARDS: readonly Guard[] = [filesystem, git, cloud];

describe.each(GUARDS.map((guard) => [guard.name, guard] as const))("the examples of %s", (_, guard) => {
  const { blocked, asked, allowed, gaps } = EXAMPLES[guard.name];

  test.each(blocked)("blocked: $command", (example) => {
    expect(judge(guard, example)?.decision).toBe("block");
  });

  test.each(asked)("asked: $command", (example) => {
    expect(judge(guard, example)?.decision).toBe("ask");
  });

  test.each(allowed)("allowed: $command", (example) => {
    expect(judge(guard, example)).toBeNull();
  });

  test.each(gaps)("not caught: $command", (example) => {
    expect(judge(guard, example)).toBeNull();
  });

  test("enough of each kind, and each finding is of a rule that the guard lists", () => {
    expect(blocked.length + asked.length).toBeGreaterThanOrEqual(8);
    expect(allowed.length).toBeGreaterThanOrEqual(8);
    expect(gaps.length).toBeGreaterThanOrEqual(1);
    const found = [...blocked, ...asked].map((example) => judge(guard, example)?.rule ?? "none");
    expect(found.filter((rule) => guard.rules[rule] === undefined)).toEqual([]);
    expect(new Set(found)).toEqual(new Set(Object.keys(guard.rules)));
  });
});
