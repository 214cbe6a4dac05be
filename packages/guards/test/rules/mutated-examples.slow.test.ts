import { describe, expect, test } from "vitest";
import { respell } from "../../../testing/mutate/respell.ts";
import { EXAMPLES, type Example } from "../../examples.ts";
import type { Guard } from "../../guard.ts";
import { cloud } from "../../rules/cloud.ts";
import { filesystem } from "../../rules/filesystem.ts";
import { git } from "../../rules/git.ts";
import { remoteCode } from "../../rules/remote-code.ts";
import { secrets } from "../../rules/secrets.ts";
import { findingOf } from "./examples-of.ts";

/** The respellings of an example after which the guard allows what it stopped, or stops what it allowed. */
function survivorsOf(guard: Guard, examples: readonly Example[], isHarmless: boolean): readonly string[] {
  // The quotes and variables of a shell are no spelling of a command of PowerShell.
  return examples
    .filter(({ command }) => !/^[A-Z][a-z]+-[A-Z]/.test(command))
    .flatMap((example) =>
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
