import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll, hookInRun, outcomeOf, runToolCall } from "../support/approvals.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { makeFifo } from "../support/fifo.ts";
import { lines, runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const CHANGED = "refused HOOK_REFUSED_CHANGED";
const UNTRUSTED = "refused HOOK_REFUSED_UNTRUSTED";

/** A hook of the project that names these files, as an executable or as an entry of the settings. */
const kinds: {
  title: string;
  at: string;
  bring: (place: Workspace, files: readonly string[]) => Promise<unknown>;
}[] = [
  {
    title: "an executable",
    at: ".kodelet/hooks/guard",
    bring: (place, files) =>
      place.hook("guard", printResponse({}), {
        scope: "project",
        says: JSON.stringify({ event: "before_tool_call", files }),
      }),
  },
  {
    title: "a declared command",
    at: ".kodelet/hooks.json#guard",
    bring: (place, files) => declare(place, { command: "echo '{}'", files }),
  },
];

const declare = (place: Workspace, entry: object): Promise<string> =>
  place.write(
    "project/.kodelet/hooks.json",
    JSON.stringify({ hooks: [{ on: "before_tool_call", name: "guard", ...entry }] }),
  );

describe.each(kinds)("files that $title names", ({ bring, at }) => {
  const names: { title: string; name: (place: Workspace) => string }[] = [
    { title: "a path from the project's folder", name: () => "lib/policy.json" },
    { title: "the same with dots in it", name: () => "./lib/../lib/policy.json" },
    { title: "a whole path", name: ({ project }) => join(project, "lib/policy.json") },
    { title: "a whole path outside the project", name: ({ dir }) => join(dir, "elsewhere.json") },
  ];
  test.each(names)("$title is covered: the hook runs until that file is edited", async ({ name }) => {
    await using place = await workspace();
    const files = [await place.write("project/lib/policy.json", "1"), await place.write("elsewhere.json", "1")];
    await bring(place, [name(place)]);
    await approveAll(place);
    expect(await outcomeOf(place, "guard")).toBe("continue");
    for (const file of files) await place.write(file, "2");
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  });

  const unreadable: { title: string; put: (path: string) => Promise<unknown> | string }[] = [
    { title: "not there", put: async () => undefined },
    { title: "a folder", put: (path) => mkdir(path) },
    { title: "a pipe", put: makeFifo },
  ];
  test.each(unreadable)("one that is $title is named, and nothing is approved", async ({ put }) => {
    await using place = await workspace();
    const path = join(place.project, "nope.json");
    await put(path);
    await bring(place, ["nope.json"]);
    await place.hook("other", printResponse({}), { scope: "project" });
    const result = await runInProcess(place, "trust --yes");
    expect(result).toMatchObject({ stdout: "", code: 77 });
    expect(result.stderr).toContain(
      lines(
        `✖ Nothing was approved: DIR/project/${at} names nope.json in "files", but that file cannot be read. (TRUST_UNSAFE_PLACE)`,
        '  Create it, or remove it from "files". Expected here: ls -ld DIR/project/nope.json',
      ),
    );
    expect((await runInProcess(place, "trust --list")).stdout).toBe("No hooks are approved or denied.\n");
    expect(await runToolCall(place)).toMatchObject({ decision: "continue" });
    expect(await outcomeOf(place, "guard")).toBe(UNTRUSTED);
  });

  test("one that is put there is covered from then on", async () => {
    await using place = await workspace();
    await bring(place, ["nope.json"]);
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ stdout: "", code: 77 });
    await writeFile(join(place.project, "nope.json"), "1");
    await approveAll(place);
    expect(await outcomeOf(place, "guard")).toBe("continue");
  });

  test("one that is gone after the yes is a change, and a yes to that is none", async () => {
    await using place = await workspace();
    const file = await place.write("project/rules.json", "1");
    await bring(place, ["rules.json"]);
    await approveAll(place);
    await rm(file);
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ stdout: "", code: 77 });
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  });
});

const asked = (place: Workspace, answer: string) =>
  runInProcess(place, "run before_tool_call --ask --json", {
    stdin: toolCall(),
    host: { openTerminal: async () => fakeTerminal(async () => answer) },
  });

test.each(["y", "a"])(
  "a declared command with a script of the project among its words runs after the yes %s",
  async (answer) => {
    await using place = await workspace();
    await place.write("project/tools/g.sh", "echo '{}'");
    await declare(place, { command: ["/bin/sh", "../tools/g.sh"] });
    expect(hookInRun(parseRunJson(await asked(place, answer)), "guard").outcome).toBe("continue");
  },
);

test("run --ask says why an entry cannot be approved in place of asking", async () => {
  await using place = await workspace();
  await declare(place, { command: "echo '{}'", files: ["nope.json"] });
  const result = await asked(place, "a");
  expect(result.stderr).toContain('names nope.json in "files", but that file cannot be read');
  expect(hookInRun(parseRunJson(result), "guard").outcome).toBe("refused");
});

test("a digest covers the files of an entry, and not what an executable would have to be asked for", async () => {
  const [executable, entry] = await Promise.all(
    kinds.map(async ({ bring }) => {
      await using place = await workspace();
      const file = await place.write("project/rules.json", "1");
      await bring(place, ["rules.json"]);
      const { stdout } = await runInProcess(place, "trust --digest");
      await place.write(file, "2");
      return (await runInProcess(place, "trust --digest")).stdout === stdout ? "the same" : "another";
    }),
  );
  expect({ executable, entry }).toEqual({ executable: "the same", entry: "another" });
});
