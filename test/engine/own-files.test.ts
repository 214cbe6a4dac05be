import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AGENT_INSTALLS, AGENTS } from "../../packages/agents/agents.ts";
import { AGENT_FILES, HOME_VARIABLES } from "../../packages/guard-hooks/own-files.ts";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

test("whatever hookctl has written below HOME, no agent writes, also where variables move it", async () => {
  for (const moved of [[], ["XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"]]) {
    await using place = await workspace();
    const env = Object.fromEntries(moved.map((name) => [name, `${place.home}/moved-${name}`]));
    const hookctl = (args: string, stdin = "") => runInProcess(place, args, { stdin, env });
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { git: true } }));
    await place.hook("keeper", printResponse({ state: { seen: 1 }, pushes: [{ message: "later" }] }));
    await place.hook("theirs", printResponse({}), { scope: "project" });
    expect(await hookctl("trust --yes")).toMatchObject({ code: 0 });
    await hookctl("install claude --scope user");
    await hookctl("run before_tool_call", toolCall("ls", { conv_id: "s" }));
    const written = (await readdir(place.home, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .concat(join(env.XDG_CONFIG_HOME ?? join(place.home, ".config"), "hookctl/config.json"));
    const kinds = [
      /plan-\w+\.json$/,
      /identities\.json$/,
      /trust\.json$/,
      /audit\.jsonl$/,
      /sessions\/s\//,
      /settings\.json$/,
    ];
    const missing = kinds.filter((kind) => !written.some((path) => kind.test(path)));
    expect({ written, missing }).toEqual({ written, missing: [] });
    for (const path of written) {
      const call = {
        tool_name: "Write",
        tool_input: { file_path: path, content: "{}" },
        hook_event_name: "PreToolUse",
      };
      const { stdout } = await hookctl("bridge claude", JSON.stringify(call));
      expect({ path, stdout }).toEqual({ path, stdout: expect.stringMatching(/"permissionDecision":"(?:deny|ask)"/) });
    }
  }
});

test("the variables that move agents' folders are those of src/agents", () => {
  const moving = Object.values(AGENTS).flatMap(({ settings }) => settings.userFolder ?? []);
  expect(HOME_VARIABLES).toEqual(expect.arrayContaining(moving));
});

test("of a shared file an agent may change other settings, in a project of whatever name", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { git: true } }));
  const file = await place.write("project/hookctl/.claude/settings.json", "{}");
  const decided = async (new_string: string) => {
    const tool_input = { file_path: file, old_string: '"model": "a"', new_string };
    const stdin = JSON.stringify({ tool_name: "Edit", tool_input, hook_event_name: "PreToolUse" });
    return (await runInProcess(place, "bridge claude", { stdin, host: { cwd: join(place.project, "hookctl") } }))
      .stdout;
  };
  await mkdir(join(place.project, "hookctl/.kodelet"));
  await mkdir(join(place.project, "hookctl/.git"));
  expect(await decided('"model": "b"')).toBe("");
  expect(await decided('"disableAllHooks": true')).toContain("deny");
});

test("the files of agents are those of src/agents", () => {
  const found = { project: new Set<string>(), user: new Set<string>(), machine: new Set<string>() };
  for (const { name, settings } of Object.values(AGENTS)) {
    const { project, local, user, machine } = settings.files;
    const { trust, switches = [] } = AGENT_INSTALLS[name];
    for (const path of [project, local]) if (path !== undefined) found.project.add(path);
    if (user !== undefined) found.user.add(user);
    for (const path of [machine, settings.machineFileOnMac]) if (path !== undefined) found.machine.add(path);
    for (const [scope, path] of [
      ["project", project],
      ["user", user],
      ["machine", machine],
    ] as const) {
      const toml = path === undefined ? undefined : settings.tomlFile;
      if (toml !== undefined) found[scope].add(`${path?.replace(/[^/]+$/, toml)}`);
    }
    for (const path of trust?.files ?? []) found.user.add(path);
    for (const [location, path] of switches.flatMap(({ files }) => files)) found[location].add(path);
  }
  const sorted = (paths: Iterable<string>): readonly string[] => [...paths].sort();
  expect({
    project: sorted(found.project),
    user: sorted(found.user),
    machine: sorted(found.machine),
  }).toEqual({
    project: sorted(AGENT_FILES.project),
    user: sorted(AGENT_FILES.user),
    machine: sorted(AGENT_FILES.machine),
  });
});
