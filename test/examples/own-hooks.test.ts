import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type CommandResult, type Workspace, workspace } from "../support/workspace.ts";

const folder = new URL("../../.kodelet/hooks/", import.meta.url);

const shell = (command: string): string => JSON.stringify({ tool_name: "bash", tool_input: { command } });
const write = (file_path: string, content = ""): string =>
  JSON.stringify({ tool_name: "Write", tool_input: { file_path, content } });

/** In a project of their own: a checkout may be writable by the group, and then they are refused. */
async function run(place: Workspace, stdin: string, flags: readonly string[] = ["--trust"]): Promise<CommandResult> {
  for (const name of readdirSync(folder)) {
    await place.hook(name, readFileSync(new URL(name, folder), "utf8"), { scope: "project" });
  }
  return runMain(place, ["run", "before_tool_call", ...flags], { stdin });
}

describe("the hooks of this project", () => {
  const cases = [
    { payload: shell("git push --force"), by: "no-force-push" },
    { payload: shell("git push --force origin main"), by: "no-force-push" },
    { payload: shell("git push -f origin main"), by: "no-force-push" },
    { payload: shell("git push origin +main"), by: "no-force-push" },
    { payload: shell("git push --force-with-lease origin topic"), by: null },
    { payload: shell("git push origin main"), by: null },
    { payload: write("dist/hot.cjs"), by: "no-dist-edits" },
    { payload: write("/somewhere/dist/cli.js"), by: "no-dist-edits" },
    { payload: write("src/dist.ts"), by: null },
    { payload: write("notes.md", '{"path": "dist/x"}'), by: null },
  ];

  test.each(cases)("$payload: $by", async ({ payload, by }) => {
    await using place = await workspace();
    const result = await run(place, payload);
    expect(result.code).toBe(by === null ? 0 : 2);
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: by !== null });
    if (by !== null) expect(result.stderr).toContain(`Blocked by ${by}`);
  });

  test("are approved by nobody", async () => {
    await using place = await workspace();
    const result = await run(place, shell("git push --force"), []);
    expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("no-force-push is not approved") });
    expect(JSON.parse(result.stdout)).toMatchObject({ blocked: false });
  });
});
