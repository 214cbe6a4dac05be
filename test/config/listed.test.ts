import { expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const rows: { title: string; override: object; start: RegExp; counted: string }[] = [
  { title: "switched off", override: { enabled: false }, start: /^off {2}guard/m, counted: "1 off" },
  { title: "match", override: { match: { tool_name: "x" } }, start: /^narrowed {2}guard/m, counted: "1 narrowed" },
  {
    title: "observe",
    override: { observe: true, fail_open: true },
    start: /^narrowed {2}guard/m,
    counted: "1 narrowed",
  },
  { title: "fail_open of a guard", override: { fail_open: true }, start: /^narrowed {2}guard/m, counted: "1 narrowed" },
  {
    title: "priority",
    override: { priority: 7 },
    start: /^ {2}1 {2}guard/m,
    counted: "1 hook in 1 event, no problems",
  },
];

test.each(rows)(
  "a row of list begins with what settings do to the hook: $title",
  async ({ override, start, counted }) => {
    for (const scope of ["user", "project"] as const) {
      await using place = await workspace();
      await place.hook("guard", printResponse({}), { scope, says: '{"event":"before_tool_call","fail_open":false}' });
      const file = scope === "user" ? "home/.kodelet/hooks.json" : "project/.kodelet/hooks.json";
      await place.write(file, JSON.stringify({ overrides: { guard: override } }));
      await approveAll(place);
      const { stdout } = await runInProcess(place, "list");
      expect(stdout).toMatch(start);
      expect(stdout).toContain(counted);
      const [hook] = parseListJson(await runInProcess(place, "list --json")).hooks;
      expect(hook).toMatchObject({ enabled: counted !== "1 off", narrowed: counted === "1 narrowed" });
    }
  },
);
