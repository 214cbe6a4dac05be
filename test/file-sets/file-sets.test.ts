import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveClone, cloneFileSet, expectReady, hasPrograms, prints } from "../support/clone.ts";

describe.skipIf(!hasPrograms)(
  "a set of files works in a fresh clone after nothing but trust (needs git and python3)",
  () => {
    test("kodelet: three of the four examples of ADR 021", async () => {
      await using clone = await cloneFileSet("kodelet");
      await clone.place.write("home/.kodelet/.keep", "");
      await approveClone(clone);
      await expectReady(clone);

      const bash = (command: string) => ({ tool_name: "bash", tool_input: { command } });
      const reason = "Security policy: 'rm -rf' is not allowed";
      expect(await clone.raise("before_tool_call", bash("rm -rf /"))).toEqual(prints({ blocked: true, reason }, 2));
      expect(await clone.raise("before_tool_call", bash("ls"))).toEqual(prints({ blocked: false }));

      const outcome = { ...bash("ls"), tool_output: { success: true, result: "a" } };
      expect(await clone.raise("after_tool_call", outcome)).toEqual(prints({}));
      const log = await clone.place.read("home/.kodelet/audit.log");
      expect(log).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \| \{.*"event":"after_tool_call".*\}\n$/);

      expect(await clone.raise("agent_stop", { messages: null })).toEqual(prints({}));
      await writeFile(join(clone.dir, "foo.txt"), "");
      const follow_up_messages = ["foo.txt is there. Please remove it."];
      expect(await clone.raise("agent_stop", { messages: [] })).toEqual(prints({ follow_up_messages }));
    });
  },
);
