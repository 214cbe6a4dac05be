import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { missingFront, type Resident, resident, unlessFront } from "./residents.ts";

/** What a person or a program may do between two calls. Each is written as it is: nothing waits until it is old. */
const EDITS: Readonly<Record<string, (place: Resident) => Promise<unknown>>> = {
  "a hook that blocks": (place) => place.hook("guard", `printf '{"decision":"block","reason":"guard"}'`),
  "a hook that allows": (place) => place.hook("guard", "printf '{}'"),
  "no hook": ({ home }) => rm(join(home, ".kodelet", "hooks", "guard"), { force: true }),
  "a hook of the project": (place) =>
    place.hook("own", `printf '{"decision":"block","reason":"own"}'`, { scope: "project" }),
  "another hook of the project": (place) =>
    place.hook("own", `printf '{"decision":"block","reason":"own too"}'`, { scope: "project" }),
  "its approval": (place) => place.run(["trust", "--all", "--yes"]),
  "no approval": (place) => place.run(["untrust", "--all"]),
  "a guard": (place) => settings(place, { guards: { git: {} } }),
  "another guard": (place) => settings(place, { guards: { filesystem: {} } }),
  "no settings": (place) => settings(place, {}),
  "a rule": (place) => settings(place, { guards: { rules: { block: ["git status"] } } }),
  "settings that are not valid": (place) => place.write("home/.kodelet/hooks.json", "{"),
};

const settings = (place: Resident, more: object): Promise<unknown> =>
  place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { resident: true }, ...more }));

/** What hookctl remembers of a call, such as the tries of an agent, must not make the next one another. */
async function fromSameState<T>({ home }: Resident, ...calls: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const [state, copy] = [join(home, ".local/state/hookctl"), join(home, "state")];
  await cp(state, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const results: T[] = [];
  for (const call of calls) {
    await rm(state, { recursive: true });
    await cp(copy, state, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    results.push(await call());
  }
  await rm(copy, { recursive: true });
  return results;
}

const COMMANDS = ["ls", "git status", "git reset --hard", "rm -rf ~"];

/** The answer without what differs from call to call. */
const lasting = ({ stdout, code }: { readonly stdout: string; readonly code: number | null }) => ({
  stdout: stdout.replaceAll(/[0-9A-HJKMNP-TV-Z]{26}/g, "ID"),
  code,
});

describe.skipIf(missingFront !== null)(`the server${unlessFront}`, () => {
  test("answers after any edits as a fresh process does", { tags: ["slow"] }, async () => {
    await using place = await resident();
    await place.server();
    const step = fc.tuple(fc.constantFrom(...Object.keys(EDITS)), fc.constantFrom(...COMMANDS));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        for (const [edit, command] of steps) {
          await EDITS[edit]?.(place);
          const [served, fresh] = await fromSameState(
            place,
            () => place.call(command),
            () => place.call(command, { isFresh: true }),
          );
          expect({ edit, command, answer: served && lasting(served) }).toEqual({
            edit,
            command,
            answer: fresh && lasting(fresh),
          });
        }
      }),
      { numRuns: Number(process.env.HOOKCTL_TEST_PROPERTIES === "full" ? 100 : 25) },
    );
  });
});
