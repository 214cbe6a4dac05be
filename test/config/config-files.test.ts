import { join } from "node:path";
import { expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { makeFifo } from "../support/fifo.ts";
import { runMain } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** The timeout of the only hook, which tells whose settings count. A project's count once they are approved. */
async function limitMs(place: Workspace, args: readonly string[] = [], env: Record<string, string> = {}) {
  await approveAll(place);
  const result = await runMain(place, ["list", "--json", ...args], { env });
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  const { hooks, warnings } = parseListJson(result);
  return { limit: hooks[0]?.timeout_ms, warnings };
}

const json = (timeout: string): string => JSON.stringify({ version: 1, settings: { timeout } });
const yaml = (timeout: string): string => `# how long\nversion: 1\nsettings:\n  timeout: ${timeout}\n`;

const projectFiles: { path: string; text: string }[] = [
  { path: ".kodelet/hooks.json", text: json("7s") },
  { path: ".kodelet/hooks.yaml", text: yaml("7s") },
  { path: ".hookctlrc", text: yaml("7s") },
  { path: ".hookctlrc", text: json("7s") },
  { path: ".hookctlrc.json", text: json("7s") },
  { path: ".hookctlrc.yaml", text: yaml("7s") },
  { path: "package.json", text: JSON.stringify({ name: "shop", hookctl: { settings: { timeout: "7s" } } }) },
  { path: "package.json", text: '{"name":"a shop","\\u0068ookctl":{"settings":{"timeout":"7s"}}}' },
];

test.each(projectFiles)("project settings may stand in $path", async ({ path, text }) => {
  await using place = await workspace();
  await place.hook("guard", ":", { scope: "project" });
  await place.write(join("project", path), text);
  expect(await limitMs(place)).toEqual({ limit: 7_000, warnings: [] });
});

const userFiles: { path: string; text: string; env?: boolean }[] = [
  { path: "home/.kodelet/hooks.json", text: json("9s") },
  { path: "home/.kodelet/hooks.yaml", text: yaml("9s") },
  { path: "home/.config/hookctl/config.json", text: json("9s") },
  { path: "xdg/hookctl/config.json", text: json("9s"), env: true },
];

test.each(userFiles)("user settings may stand in $path", async ({ path, text, env }) => {
  await using place = await workspace();
  await place.hook("guard", ":");
  await place.write(path, text);
  const variables: Record<string, string> = env ? { XDG_CONFIG_HOME: join(place.dir, "xdg") } : {};
  expect(await limitMs(place, [], variables)).toEqual({ limit: 9_000, warnings: [] });
});

test("flags go before the environment, and a project only shortens the timeout that the user set", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", { scope: "project" });
  expect(await limitMs(place)).toMatchObject({ limit: 30_000 });
  await place.write("home/.kodelet/hooks.json", json("9s"));
  expect(await limitMs(place)).toMatchObject({ limit: 9_000 });
  await place.write("project/.kodelet/hooks.json", json("7s"));
  expect(await limitMs(place)).toMatchObject({ limit: 7_000 });
  await place.write("home/.kodelet/hooks.json", json("6s"));
  expect(await limitMs(place)).toMatchObject({ limit: 6_000 });
  expect(await limitMs(place, [], { HOOKCTL_TIMEOUT: "5s" })).toMatchObject({ limit: 5_000 });
  expect(await limitMs(place, ["--timeout", "3s"], { HOOKCTL_TIMEOUT: "5s" })).toMatchObject({ limit: 3_000 });
});

test("two files of a scope are an error that names both", async () => {
  await using place = await workspace();
  const first = await place.write("project/.kodelet/hooks.yaml", yaml("7s"));
  const second = await place.write("project/.hookctlrc", yaml("8s"));
  const result = await runMain(place, ["list"]);
  expect(result).toMatchObject({ stdout: "", code: 78, signal: null });
  expect(result.stderr).toContain(`two settings files: ${first} and ${second}`);
});

test("--config stands for the user's own settings", async () => {
  await using place = await workspace();
  await place.hook("guard", ":");
  await place.write("home/.kodelet/hooks.json", json("9s"));
  await place.write("project/mine.json", json("4s"));
  expect(await limitMs(place, ["--config", "mine.json"])).toMatchObject({ limit: 4_000 });
  const gone = await runMain(place, ["list", "--config", "gone.json"]);
  const stderr = expect.stringContaining(`${place.project}/gone.json cannot be read: it does not exist`);
  expect(gone).toEqual({ stdout: "", stderr, code: 78, signal: null });
});

test("a package.json that only has hookctl installed is no settings file", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", { scope: "project" });
  await place.write("project/package.json", '{"devDependencies":{"hookctl":"^0.1.0"}}');
  await place.write("project/.kodelet/hooks.json", json("7s"));
  expect(await limitMs(place)).toEqual({ limit: 7_000, warnings: [] });
});

test("what a package.json holds as hookctl and is no object is an error, not nothing", async () => {
  await using place = await workspace();
  const file = await place.write("project/package.json", '{"hookctl":[{"on":"Stop","block":"no"}]}');
  const result = await runMain(place, ["list"]);
  expect(result).toMatchObject({ stdout: "", code: 78, signal: null, stderr: expect.stringContaining(file) });
});

const broken: { title: string; text: string; isSettings: boolean }[] = [
  { title: "within its settings", text: '{"hookctl":{"settings":{"timeout":"7s"', isSettings: true },
  { title: "where its settings begin", text: '{"name":"shop","hookctl" {"settings":{}}}', isSettings: true },
  { title: "within the word", text: '{"name":"shop","hookctl#:{"settings"', isSettings: true },
  { title: "and has hookctl installed", text: '{"devDependencies":{"hookctl":"^1.0.0"', isSettings: false },
  { title: "and holds other things", text: '{"name":"shop","dependencies":{', isSettings: false },
];

test.each(broken)("a package.json that is broken $title", async ({ text, isSettings }) => {
  await using place = await workspace();
  const file = await place.write("project/package.json", text);
  const result = await runMain(place, ["list"]);
  const output = expect.stringContaining(`${file} cannot be parsed: line 1`);
  expect(result).toMatchObject(isSettings ? { code: 78, stderr: output } : { code: 0, stderr: "" });
});

test("a valid package.json that only names hookctl is no settings file", async () => {
  await using place = await workspace();
  await place.write("project/package.json", '{"keywords":["hookctl"]}');
  await place.write("project/.kodelet/hooks.json", "{}");
  expect(await runMain(place, ["list"])).toMatchObject({ code: 0, stderr: "" });
});

test("a package.json that is broken elsewhere does not concern the settings", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", { scope: "project" });
  await place.write("project/package.json", '{"devDependencies":{"hookctl":"^0.1.0"}, broken');
  await place.write("project/.hookctlrc", yaml("7s"));
  expect(await limitMs(place)).toEqual({ limit: 7_000, warnings: [] });
});

test("a settings file that is a FIFO is not opened", async () => {
  await using place = await workspace();
  for (const path of [".kodelet/hooks.json", "package.json"]) makeFifo(join(place.project, path));
  const result = await runMain(place, ["list"]);
  expect(result).toMatchObject({ stdout: "", code: 78, stderr: expect.stringContaining("it is not a regular file") });
});

const SCRIPTS = [
  ".hookctlrc.js",
  ".hookctlrc.cjs",
  ".hookctlrc.mjs",
  ".hookctlrc.ts",
  "hookctl.config.js",
  "hookctl.config.mjs",
  ".config/hookctlrc.js",
  ".kodelet/hooks.js",
  ".kodelet/hooks.mjs",
];

test("a settings file in JavaScript is never executed", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", { scope: "project" });
  const canary = join(place.dir, "canary");
  for (const path of SCRIPTS) {
    const write = `require("node:fs").writeFileSync(${JSON.stringify(canary)}, "")`;
    await place.write(join("project", path), path.endsWith("mjs") ? `import "data:text/javascript,${write}"` : write);
  }
  await place.write("project/package.json", '{"type":"commonjs","hookctl":{"settings":{"timeout":"7s"}}}');
  expect(await limitMs(place)).toEqual({ limit: 7_000, warnings: [] });
  expect(await place.read("canary")).toBeNull();
});

const tagged = [
  { title: "a JavaScript function", text: (canary: string) => `settings: !!js/function 'function(){${canary}}'\n` },
  { title: "a Python object", text: (canary: string) => `settings: !!python/object/apply:os.system ["${canary}"]\n` },
  { title: "JavaScript in a JSON file", text: (canary: string) => `module.exports = (() => { ${canary} })()` },
];

const imports = [
  { title: "$import in a JSON file", path: ".kodelet/hooks.json", text: '{"$import":"./evil.js"}' },
  { title: "$import in a YAML file", path: ".kodelet/hooks.yaml", text: "$import: [./evil.js]\n" },
  {
    title: "$import in a package.json",
    path: "package.json",
    text: '{"$import":"./.kodelet/evil.js","hookctl":{"settings":{"timeout":"7s"}}}',
  },
  {
    title: "the settings of a library",
    path: "package.json",
    text: '{"cosmiconfig":{"searchPlaces":[".kodelet/evil.js"]},"hookctl":{"$import":"./.kodelet/evil.js"}}',
  },
];

test.each(imports)("$title does not lead to a JavaScript file", async ({ path, text }) => {
  await using place = await workspace();
  const canary = JSON.stringify(join(place.dir, "canary"));
  for (const file of [".kodelet/evil.js", ".config/config.js", ".config/config.cjs"]) {
    await place.write(
      join("project", file),
      `require("node:fs").writeFileSync(${canary}, "");\nmodule.exports = {};\n`,
    );
  }
  await place.write(join("project", path), text);
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ signal: null, code: 0, stdout: expect.stringMatching(/^\{"blocked":false/) });
  expect(await place.read("canary")).toBeNull();
});

test.each(tagged)("$title in a data file is a fault, not a program", async ({ text }) => {
  await using place = await workspace();
  await place.write("project/.hookctlrc", text(touch(join(place.dir, "canary"))));
  const result = await runMain(place, ["list"]);
  expect(result).toMatchObject({ stdout: "", code: 78, signal: null, stderr: expect.stringMatching(/CONFIG_/) });
  expect(await place.read("canary")).toBeNull();
});
