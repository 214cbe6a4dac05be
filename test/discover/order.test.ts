import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { namesOf, outcomes, parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";

const NAMES = ["10", "9", "B", "a", "a-1", "a_1", "b"];

test("hooks of one priority run in byte order of their names", async () => {
  await using place = await workspace();
  for (const name of [...NAMES].reverse()) await place.hook(name, "printf '{}'");
  const listed = await runMain(place, ["list", "--json"]);
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(namesOf(parseListJson(listed))).toEqual(NAMES);
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(outcomes(parseRunJson(result))).toEqual(NAMES.map((name) => [name, "continue"]));
});

test("a lower priority runs first, whatever the name", async () => {
  await using place = await workspace();
  await place.hook("a", "printf '{}'");
  await place.hook("z", "printf '{}'", { says: '{"event":"before_tool_call","priority":-5}' });
  await place.hook("m", "printf '{}'", { says: '{"event":"before_tool_call","priority":99.5}' });
  expect(namesOf(parseListJson(await runMain(place, ["list", "--json"])))).toEqual(["z", "m", "a"]);
});

test("project hooks run before project plugins, then the user's, then the user's plugins", async () => {
  await using place = await workspace();
  await place.hook("c", "printf '{}'", { scope: "user", plugin: "acme@tools" });
  await place.hook("b", "printf '{}'", { scope: "user" });
  await place.hook("z", "printf '{}'", { scope: "project", plugin: "acme@guards" });
  await place.hook("zz", "printf '{}'", { scope: "project" });
  const result = await runMain(place, ["list", "--json", "--trust"]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const { hooks, searched } = parseListJson(result);
  expect(hooks.map(({ name, source }) => [name, source])).toEqual([
    ["zz", "project"],
    ["acme/guards/z", "project-plugin"],
    ["b", "user"],
    ["acme/tools/c", "user-plugin"],
  ]);
  expect(searched).toEqual([
    `${place.project}/.kodelet/hooks`,
    `${place.project}/.kodelet/plugins/acme@guards/hooks`,
    `${place.home}/.kodelet/hooks`,
    `${place.home}/.kodelet/plugins/acme@tools/hooks`,
  ]);
});

test("a plugin's hook carries the prefix of its plugin, so it hides no hook of the same file name", async () => {
  await using place = await workspace();
  await place.hook("guard", "printf '{}'", { plugin: "acme@tools" });
  await place.hook("guard", "printf '{\"blocked\":true}'");
  const result = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, stderr: "" });
  expect(parseRunJson(result)).toMatchObject({ decided_by: "guard" });
});

test("--hook leaves only the hooks whose name fits, --skip takes one out and shows it", async () => {
  await using place = await workspace();
  for (const name of ["audit-log", "audit-mail", "guard"]) await place.hook(name, "printf '{}'");
  const only = await runMain(place, ["run", "before_tool_call", "--json", "--hook", "audit-*"], { stdin: toolCall() });
  expect(outcomes(parseRunJson(only)).map(([name]) => name)).toEqual(["audit-log", "audit-mail"]);
  const without = await runMain(place, ["run", "before_tool_call", "--json", "--skip", "guard"], { stdin: toolCall() });
  expect(parseRunJson(without).hooks.at(-1)).toMatchObject({
    name: "guard",
    outcome: "skipped",
    why: "skipped by --skip",
  });
});
