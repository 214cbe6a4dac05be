import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../hooks-examples/${path}`, import.meta.url)), "utf8");
const SCRIPT = "project/.kodelet/scripts/decide-next.sh";

/** The example as it is installed into a project and approved. */
async function installed(): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/.kodelet/hooks.yaml", read("reyn/hooks.yaml"));
  await place.write(SCRIPT, read("reyn/scripts/decide-next.sh"), 0o755);
  expect(await runMain(place, ["trust", "--yes"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("decide-next.sh"),
  });
  return place;
}

const run = (place: Workspace, event: string) =>
  runMain(place, ["run", event, "-q"], { stdin: read(`reyn/payloads/${event}.json`) });
const drained = async (place: Workspace) =>
  JSON.parse((await runMain(place, ["inbox", "drain", "--session", "sample-session"])).stdout) as {
    messages: { content: string }[];
    wake: boolean;
  };
const GO_ON = "[hook:go-on] The turn of sample-session is over. Look whether something is left to do.";

describe("the example for Reyn", () => {
  test("opens a turn after each turn, five times, and then waits for a person", async () => {
    await using place = await installed();
    for (const _ of [1, 2, 3, 4, 5]) {
      expect(await run(place, "turn_end")).toMatchObject({ stderr: "", code: 0 });
      expect(await drained(place)).toEqual({
        messages: [{ role: "system", hook: "go-on", content: GO_ON }],
        wake: true,
      });
    }
    expect(JSON.parse((await run(place, "turn_end")).stdout)).toMatchObject({ hook_driven_turns: { over: true } });
    expect(await drained(place)).toMatchObject({ wake: false });
  });

  test("writes a line at the start of each session, and no more than that", async () => {
    await using place = await installed();
    for (const _ of ["first", "second"]) {
      expect(await run(place, "session_start")).toEqual({
        stdout: '{"blocked":false}\n',
        stderr: "",
        code: 0,
        signal: null,
      });
    }
    const log = await place.read("project/.kodelet/sessions.log");
    expect(log).toMatch(/^(\d{4}-\d\d-\d\dT\S+Z session started\n){2}$/);
  });

  test("lets its script decide whether there is something to say", async () => {
    await using place = await installed();
    await place.write("project/TODO.md", "- [x] one\n- [ ] two\n- [ ] three\n");
    expect(await run(place, "turn_end")).toMatchObject({ stderr: "", code: 0 });
    const result = [GO_ON, "[hook:decide-next] TODO.md has 2 open points. Do the next one."];
    expect((await drained(place)).messages.map(({ content }) => content)).toEqual(result);
    await place.write("project/TODO.md", "- [x] one\n");
    await run(place, "turn_end");
    expect((await drained(place)).messages.map(({ content }) => content)).toEqual([GO_ON]);
    const log = await runMain(place, ["log"]);
    expect(log).toMatchObject({ code: 0, stderr: "" });
    expect(log.stdout.match(/^ {2}shell_push: scripts\/decide-next\.sh$/gm)).toHaveLength(2);
  });
});
