import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const allow = "printf '{}'";
const block = `printf '{"blocked":true,"reason":"the user says no"}'`;
const closed = '{"event":"before_tool_call","fail_open":false}';

/** The sources of the hooks named `guard` that are left, in run order. */
async function guards(place: Workspace, args: readonly string[] = ["--trust"]) {
  const result = await runMain(place, ["list", "--json", ...args]);
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  return parseListJson(result);
}

const sourcesOf = ({ hooks }: Awaited<ReturnType<typeof guards>>) => hooks.map(({ source }) => source);

test("an approved and valid project hook hides the user hook of its name", async () => {
  await using place = await workspace();
  const hidden = await place.hook("guard", block);
  await place.hook("guard", allow, { scope: "project" });
  const listed = await guards(place);
  expect(listed.hooks).toMatchObject([{ name: "guard", source: "project", shadows: hidden }]);
  expect(listed.skipped).toMatchObject([{ name: "guard", path: hidden, reason: "shadowed" }]);
  const result = await runMain(place, ["run", "before_tool_call", "--trust"], { stdin: toolCall() });
  expect(result).toMatchObject({ stdout: '{"blocked":false}\n', code: 0, signal: null });
});

test("a project hook that is not approved hides nothing", async () => {
  await using place = await workspace();
  await place.hook("guard", block);
  await place.hook("guard", allow, { scope: "project" });
  expect(sourcesOf(await guards(place, []))).toEqual(["project", "user"]);
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, stderr: "" });
  expect(parseRunJson(result)).toMatchObject({ decision: "block", decided_by: "guard", reason: "the user says no" });
});

test("a project hook that does not say what it is hides nothing", async () => {
  await using place = await workspace();
  await place.hook("guard", block);
  await place.hook("guard", allow, { scope: "project", says: "no such event" });
  const listed = await guards(place);
  expect(sourcesOf(listed)).toEqual(["user"]);
  expect(listed.skipped).toMatchObject([{ name: "guard", reason: "not_identified" }]);
});

test("a closed user hook cannot be hidden", async () => {
  await using place = await workspace();
  await place.hook("guard", block, { says: closed });
  await place.hook("guard", allow, { scope: "project" });
  expect(sourcesOf(await guards(place))).toEqual(["project", "user"]);
});

test("a required hook cannot be hidden", async () => {
  await using place = await workspace();
  await place.hook("guard", block);
  await place.hook("guard", allow, { scope: "project" });
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"required":true}}}');
  const listed = await guards(place);
  expect(sourcesOf(listed)).toEqual(["project", "user"]);
  const result = await runMain(place, ["run", "before_tool_call", "--trust", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ stdout: expect.stringContaining("the user says no"), stderr: "", code: 2 });
});

test("a project hook that is disabled by its name hides nothing", async () => {
  await using place = await workspace();
  await place.hook("guard", block);
  await place.hook("guard.disable", allow, { scope: "project" });
  const listed = await guards(place);
  expect(sourcesOf(listed)).toEqual(["user"]);
  expect(listed.skipped).toMatchObject([{ name: "guard.disable", reason: "disabled" }]);
});

const folders = ["--hooks-dir", "one", "--hooks-dir", "two", "--hooks-dir", "three"];
const script = (says: string): string => `#!/bin/sh\n[ "$1" = hook ] && echo '${says}'\n`;

test("of one name in several --hooks-dir the first counts, the others are shown as hidden", async () => {
  await using place = await workspace();
  const paths = [];
  for (const folder of ["one", "two", "three"]) {
    paths.push(await place.write(`project/${folder}/guard`, script("before_tool_call"), 0o755));
  }
  const listed = await guards(place, ["--trust", ...folders]);
  expect(listed.hooks).toMatchObject([{ name: "guard", path: paths[0], shadows: paths[1] }]);
  expect(listed.skipped).toMatchObject(paths.slice(1).map((path) => ({ name: "guard", path, reason: "shadowed" })));
});

test("in a later --hooks-dir a closed hook is not hidden, and a file that says nothing hides none", async () => {
  await using place = await workspace();
  await place.write("project/one/guard", script("before_tool_call"), 0o755);
  await place.write("project/two/guard", script(closed), 0o755);
  await place.write("project/one/mute", "#!/bin/sh\n", 0o755);
  const heard = await place.write("project/two/mute", script("before_tool_call"), 0o755);
  const { hooks } = await guards(place, ["--trust", ...folders.slice(0, 4)]);
  expect(hooks.map(({ name }) => name)).toEqual(["guard", "mute", "guard"].sort());
  expect(hooks.find(({ name }) => name === "mute")).toMatchObject({ path: heard });
});
