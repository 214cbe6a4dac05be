import { describe, expect, test } from "vitest";
import { EXAMPLES, type Example } from "../../../src/guards/examples.ts";
import type { Guard } from "../../../src/guards/guard.ts";
import { cloud } from "../../../src/guards/rules/cloud.ts";
import { filesystem } from "../../../src/guards/rules/filesystem.ts";
import { git } from "../../../src/guards/rules/git.ts";
import { remoteCode } from "../../../src/guards/rules/remote-code.ts";
import { secrets } from "../../../src/guards/rules/secrets.ts";
import { respell } from "../../../src/test-runner/mutate/respell.ts";
import { findingOf } from "./examples-of.ts";

/** The respellings of an example after which the guard allows what it stopped, or stops what it allowed. */
function survivorsOf(guard: Guard, examples: readonly Example[], isHarmless: boolean): readonly string[] {
  return examples.flatMap((example) =>
    respell(example.command, { most: 120, isHarmless })
      .filter(({ command }) => (findingOf(guard, { ...example, command }) === null) !== isHarmless)
      .map(({ kinds, command }) => `${kinds.join(" + ")}: ${command}`),
  );
}

describe.each([filesystem, git, remoteCode, secrets, cloud])("the guard $name", (guard) => {
  const { blocked, asked, allowed } = EXAMPLES[guard.name];

  test("stops what it stops in any spelling", () => {
    expect(survivorsOf(guard, [...blocked, ...asked], false)).toEqual([]);
  });

  test("allows what it allows in any spelling", () => {
    expect(survivorsOf(guard, allowed, true)).toEqual([]);
  });
});
