import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const LOADERS = {
  LD_LIBRARY_PATH: "/nowhere",
  DYLD_INSERT_LIBRARIES: "/nowhere",
  NODE_OPTIONS: "--no-deprecation",
  NODE_PATH: "/nowhere",
  BASH_ENV: "/nowhere",
  PYTHONPATH: "/nowhere",
  PYTHONUSERBASE: "/nowhere",
  PYTHON_NEW_IN_3_99: "/nowhere",
  ZDOTDIR: "/nowhere",
  OPENSSL_CONF: "/nowhere",
  GEM_HOME: "/nowhere",
  PERL5OPT: "-w",
  RUBYOPT: "-w",
};
const PLAIN = { EDITOR: "vi", MY_SETTING: "kept", LC_ALL: "C", TZ: "UTC", TERM: "dumb", CI: "1", KODELET_MODE: "x" };

/** The variables that a hook of this scope finds. */
async function variablesSeen(place: Workspace, scope: "project" | "user", env: Record<string, string>, args = ["-q"]) {
  const seen = join(place.dir, `seen-${scope}`);
  await place.hook("looker", `/usr/bin/env > ${shellQuote(seen)}; ${printResponse({})}`, { scope });
  const result = await runMain(place, ["run", "before_tool_call", "--trust", ...args], {
    stdin: toolCall("ls", { conv_id: "session-7" }),
    env,
  });
  expect(result).toMatchObject({ stdout: '{"blocked":false}\n', code: 0, signal: null });
  const lines = (await place.read(seen))?.trim().split("\n") ?? [];
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

test("a user hook inherits the caller's environment without the loader variables", async () => {
  await using place = await workspace();
  const harmless = { PYTHONUNBUFFERED: "1" };
  const seen = await variablesSeen(place, "user", { ...LOADERS, ...PLAIN, ...harmless });
  expect(seen).toMatchObject({ ...PLAIN, ...place.env, ...harmless });
  expect(Object.keys(seen).filter((name) => name in LOADERS)).toEqual([]);
});

test("a project hook gets the allow-list and nothing else", async () => {
  await using place = await workspace();
  const { EDITOR: _editor, MY_SETTING: _setting, ...allowed } = PLAIN;
  const seen = await variablesSeen(place, "project", { ...LOADERS, ...PLAIN, XDG_DATA_HOME: "/data" });
  expect(seen).toMatchObject({ ...allowed, HOME: place.home, XDG_DATA_HOME: "/data" });
  const shell = ["PWD", "OLDPWD", "SHLVL", "_"];
  const others = Object.keys(seen).filter((name) => !name.startsWith("HOOKCTL_") && !shell.includes(name));
  expect(others.sort()).toEqual(
    [
      ...["HOME", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "PYTHONSAFEPATH", "XDG_DATA_HOME"],
      ...Object.keys(allowed),
    ].sort(),
  );
});

test("the user's env_allow lets a project hook see a variable more", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["MY_SETTING"]}}');
  const seen = await variablesSeen(place, "project", PLAIN);
  expect(seen).toMatchObject({ MY_SETTING: "kept" });
  expect(seen).not.toHaveProperty("EDITOR");
});

const pathThrough = (project: string): string =>
  ["node_modules/.bin", project, `${project}/bin`, ".", "", "/usr/bin", "/bin"].join(":");

test.each(["project", "user"] as const)(
  "the PATH of a %s hook has only absolute entries outside the project",
  async (scope) => {
    await using place = await workspace();
    const env = { PATH: pathThrough(place.project) };
    expect(await variablesSeen(place, scope, env)).toMatchObject({ PATH: "/usr/bin:/bin" });
  },
);

test.each(["project", "user"] as const)(
  "the user's path_allow lets a %s hook find programs there, wherever it runs",
  async (scope) => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"path_allow":["node_modules/.bin"]}}');
    const env = { PATH: pathThrough(place.project) };
    expect(await variablesSeen(place, scope, env)).toMatchObject({
      PATH: `${place.project}/node_modules/.bin:/usr/bin:/bin`,
    });
  },
);

test("a project may not allow itself a folder of programs", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", '{"settings":{"path_allow":["bin"]}}');
  await place.hook("guard", printResponse({}));
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result.stdout + result.stderr).toContain("path_allow");
  await place.write("project/.kodelet/hooks.json", "{}");
  const env = { PATH: pathThrough(place.project) };
  expect(await variablesSeen(place, "user", env)).toMatchObject({ PATH: "/usr/bin:/bin" });
});

test("no verb starts what a clone brings as an interpreter of the user's hook, however the PATH leads there", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const canary = shellQuote(join(place.dir, "canary"));
  await place.write("project/bin/planted", `#!/bin/sh\n: > ${canary}\necho before_tool_call\n`, 0o755);
  await place.write("home/.kodelet/hooks/guard", "#!/usr/bin/env planted\n", 0o755);
  const server = { command: "planted", args: [] };
  const tool = { tool: "s.t", name: "asker" };
  const declared = { mcp_servers: { s: server }, hooks: { before_tool_call: [tool, { command: "planted" }] } };
  await place.write("home/.kodelet/hooks.json", JSON.stringify(declared));
  const entries = ["bin", `${place.project}/bin`, "/proc/self/cwd/bin", "//proc/../proc/self/cwd/bin"];
  const env = { PATH: `${entries.join(":")}:/usr/bin:/bin` };
  const verbs = [["list"], ["test", "guard"], ["run", "before_tool_call"], ["doctor"], ["try", "before_tool_call"]];
  for (const verb of verbs) await place.run(verb, { stdin: toolCall(), env });
  expect(await place.read("canary")).toBeNull();
});

test("a hook that exits with 127 is told of the folders that are not searched", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 127");
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("path_allow") });
});

test("a PATH that leads only into the project is no PATH: an empty one would mean the hook's own folder", async () => {
  await using place = await workspace();
  const canary = shellQuote(join(place.dir, "canary"));
  await place.write("project/date", `#!/bin/sh\n: > ${canary}\n`, 0o755);
  await place.hook("dated", "date >/dev/null", { scope: "project" });
  const env = { PATH: `node_modules/.bin:${place.project}/bin` };
  const result = await runMain(place, ["run", "before_tool_call", "--trust", "-q"], { stdin: toolCall(), env });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  expect(await place.read("canary")).toBeNull();
});

test("a hook is told its event, its name, the session, the project and the depth", async () => {
  await using place = await workspace();
  expect(await variablesSeen(place, "project", {})).toMatchObject({
    HOOKCTL_EVENT: "before_tool_call",
    HOOKCTL_HOOK: "looker",
    HOOKCTL_SESSION: "session-7",
    HOOKCTL_PROJECT_DIR: place.project,
    HOOKCTL_DEPTH: "1",
  });
});

test("three calls deep hookctl starts nothing and exits 75", async () => {
  await using place = await workspace();
  await place.hook("canary", `: > ${shellQuote(join(place.dir, "canary"))}`);
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall(), env: { HOOKCTL_DEPTH: "3" } });
  expect(result).toMatchObject({ stdout: "", code: 75, signal: null, stderr: expect.stringContaining("(RECURSION)") });
  expect(await place.read("canary")).toBeNull();
});

test("a hook that calls hookctl again comes to an end", async () => {
  await using place = await workspace();
  const again = [...HOOKCTL, "run", "before_tool_call", "-q"].map(shellQuote).join(" ");
  await place.hook(
    "loop",
    `cat | ${again} >/dev/null 2>&1; echo $? >> ${shellQuote(join(place.dir, "codes"))}; ${printResponse({})}`,
  );
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  expect(await place.read("codes")).toBe("75\n0\n0\n");
});

const deletedFolders = [
  { title: "of a known hook", isKnown: true },
  { title: "of a hook that was never asked what it is", isKnown: false },
];

test.each(deletedFolders)("a guard is asked though our own folder was deleted: $title", async ({ isKnown }) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "still here" }));
  if (isKnown) await runMain(place, ["list"]);
  const run = [...HOOKCTL, "run", "before_tool_call", "-q"].map(shellQuote).join(" ");
  const result = await runProgram(["/bin/sh", "-c", `mkdir gone && cd gone && rmdir ../gone && ${run}`], {
    cwd: place.dir,
    env: place.env,
    stdin: toolCall(),
  });
  expect(result).toMatchObject({ code: 2, stderr: "" });
  expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, reason: "still here" });
});

test("hooks run in the payload's cwd, or in hookctl's own with a warning", async () => {
  await using place = await workspace();
  const seen = join(place.dir, "seen");
  await place.hook("looker", `pwd >> ${shellQuote(seen)}; ${printResponse({})}`);
  const argv = [...HOOKCTL, "run", "before_tool_call"];
  const at = async (cwd: string) =>
    runProgram(argv, { cwd: place.project, env: place.env, stdin: toolCall("ls", { cwd }) });
  expect(await at(place.home)).toMatchObject({ stdout: '{"blocked":false}\n', code: 0 });
  const lost = await at(join(place.dir, "gone"));
  expect(lost).toMatchObject({ code: 0, stderr: expect.stringContaining("is not a folder") });
  expect(JSON.parse(lost.stdout)).toMatchObject({ blocked: false, warnings: [expect.stringContaining("gone")] });
  expect(await place.read("seen")).toBe(`${place.home}\n${place.project}\n`);
});
