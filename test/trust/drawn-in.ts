import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll, outcomeOf, PYTHON_GUARD, runToolCall } from "../support/approvals.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export const CHANGED = "refused HOOK_REFUSED_CHANGED";
export const HOOKS = "project/.kodelet/hooks";
const hasPython = existsSync("/usr/bin/python3");

/** Python that leaves a file: whoever finds it knows that it was drawn in. */
const evil = (place: Workspace): string => `open(${JSON.stringify(join(place.dir, "canary"))}, "w")\n`;

interface Planted {
  readonly title: string;
  readonly plant: (place: Workspace) => Promise<unknown>;
}

export const PLANTED: readonly Planted[] = [
  { title: "json.py", plant: (place) => place.write(`${HOOKS}/json.py`, evil(place)) },
  { title: "an executable json.py", plant: (place) => place.write(`${HOOKS}/json.py`, evil(place), 0o755) },
  {
    title: "an executable json.py that looks like a hook",
    plant: (place) => place.write(`${HOOKS}/json.py`, `#!/usr/bin/python3\n${evil(place)}`, 0o755),
  },
  { title: "a package json/__init__.py", plant: (place) => place.write(`${HOOKS}/json/__init__.py`, evil(place)) },
  {
    title: "a link to a package elsewhere",
    plant: async (place) => {
      await place.write("project/elsewhere/__init__.py", evil(place));
      await symlink("../../elsewhere", join(place.dir, HOOKS, "json"));
    },
  },
  {
    title: "a link to a module elsewhere",
    plant: async (place) => {
      await place.write("project/elsewhere.py", evil(place));
      await symlink("../../elsewhere.py", join(place.dir, HOOKS, "json.py"));
    },
  },
  {
    title: "a folder of links without an end",
    plant: async (place) => {
      await place.write(`${HOOKS}/__init__.py`, evil(place));
      await symlink(".", join(place.dir, HOOKS, "json"));
    },
  },
];

export function testDrawnIn(planted: readonly Planted[]): void {
  describe.skipIf(!hasPython)(
    "what a python hook would draw in is not drawn in unseen (needs /usr/bin/python3)",
    () => {
      test.each(planted)("$title beside an approved hook is never run by it", async ({ plant }) => {
        await using place = await workspace();
        await place.hook("guard", PYTHON_GUARD, { scope: "project" });
        await approveAll(place);
        expect(await outcomeOf(place, "guard")).toBe("continue");
        await plant(place);
        // Since 3.11 Python does not look there, so nothing changes; before that it would, and the hook is changed.
        expect(["continue", CHANGED]).toContain(await outcomeOf(place, "guard"));
        expect(await place.read("canary")).toBeNull();
      });

      test.each(planted)(
        "$title is a change of a hook that imports another module from its folder",
        async ({ plant }) => {
          await using place = await workspace();
          await place.hook("guard", PYTHON_GUARD.replace("import sys", "import sys, rules"), { scope: "project" });
          await place.write(`${HOOKS}/rules.py`, "x = 1\n");
          await approveAll(place);
          expect(await outcomeOf(place, "guard")).toBe("continue");
          await plant(place);
          expect(await runToolCall(place)).toMatchObject({ decision: "block", decided_by: "guard" });
          expect(await outcomeOf(place, "guard")).toBe(CHANGED);
          expect(await place.read("canary")).toBeNull();
        },
      );
    },
  );
}
