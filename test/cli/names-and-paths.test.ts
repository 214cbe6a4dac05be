import { describe, expect, test } from "vitest";
import { isPathArgument } from "../../src/protocol/text/shell-quote.ts";
import { approvalStates } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

test.each([".", "..", "./a", "../a", "/a", "./", "/"])("%s is a path", (word) =>
  expect(isPathArgument(word)).toBe(true),
);
test.each(["a", "a/b", "acme/tools/guard", ".a", "..a/b", "a/../b", "~/a", "", ".../a"])("%j is a name", (word) =>
  expect(isPathArgument(word)).toBe(false),
);

describe("a plugin's hook whose name is also the path of a file of the project", () => {
  const NAME = "acme/tools/guard";
  async function setUp(): Promise<Workspace> {
    const place = await workspace();
    await place.hook("guard", printResponse({}), { scope: "project", plugin: "acme@tools" });
    await place.write(`project/${NAME}`, `#!/bin/sh\n${touch(`${place.dir}/canary`)}\n`, 0o755);
    return place;
  }

  const calls = [
    `test ${NAME}`,
    `try ${NAME}`,
    `trust --show ${NAME}`,
    `trust ${NAME}`,
    `untrust ${NAME}`,
    "test acme",
  ];
  test.each(calls)("is the hook for: %s", async (args) => {
    await using place = await setUp();
    await runInProcess(place, args);
    expect(await place.read("canary")).toBeNull();
  });

  test("is approved by its name, and the file by nothing", async () => {
    await using place = await setUp();
    expect(await runInProcess(place, `test ${NAME}`)).toMatchObject({ code: 77 });
    await runInProcess(place, `trust ${NAME}`);
    expect(await approvalStates(place)).toEqual({ [NAME]: "approved" });
    expect(await runInProcess(place, `test ${NAME}`)).toMatchObject({ code: 0 });
    expect(await place.read("canary")).toBeNull();
    await runInProcess(place, `test ./${NAME}`);
    expect(await place.read("canary")).toBe("");
  });
});

test("a file that is named without ./ is not started, and the path is suggested", async () => {
  await using place = await workspace();
  await place.write("project/tools/guard", `#!/bin/sh\n${touch(`${place.dir}/canary`)}\n`, 0o755);
  const result = await runInProcess(place, "test tools/guard");
  expect(result).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("Did you mean ./tools/guard?"),
    code: 64,
  });
  expect(await place.read("canary")).toBeNull();
});

test.each(["trust", "untrust", "trust --show", "try"])("%s takes the path of a hook too", async (verb) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  if (verb !== "trust") await runInProcess(place, "trust --yes");
  expect(await runInProcess(place, `${verb} ./.kodelet/hooks/guard`)).toMatchObject({ code: 0 });
});
