import { describe, expect, test } from "vitest";
import { SETTING_ROWS } from "../../../../src/protocol/setting-rows.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { PERSON_TABLE } from "../../../../test/support/person-table.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const FILE = "home/.kodelet/hooks.json";

interface Shown {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
  readonly file: string | null;
  readonly others: readonly { readonly origin: string; readonly value: unknown }[];
}

async function shown(place: Workspace, key = ""): Promise<readonly Shown[]> {
  const { stdout, stderr, code } = await runInProcess(place, `config show ${key} --json`);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout).settings;
}

test("without settings every general setting has its default", async () => {
  await using place = await workspace();
  const rows = await shown(place);
  expect(rows.map(({ key }) => key)).toEqual(Object.keys(SETTING_ROWS).map((key) => `settings.${key}`));
  expect(new Set(rows.map(({ origin }) => origin))).toEqual(new Set(["default"]));
});

/** A value of each setting that is not its default. */
const VALUES: Readonly<Record<keyof typeof SETTING_ROWS, readonly [typed: string, written: unknown]>> = {
  enabled: ["false", false],
  timeout: ["10s", "10s"],
  timeouts: ['{"turn_end":"5s"}', { turn_end: "5s" }],
  deadline: ["1m", "1m"],
  post_order: ["reverse", "reverse"],
  max_hook_driven_turns: ["3", 3],
  on_limit: ["abort", "abort"],
  project_hooks: ["allow", "allow"],
  on_untrusted: ["fail", "fail"],
  resident: ["false", false],
  own_commands: ["ask", "ask"],
  person: ["sudo", "sudo"],
  record: ["payloads", "payloads"],
  record_size: ["64MiB", "64MiB"],
  record_days: ["7", 7],
  export: ["http://localhost:4318", "http://localhost:4318"],
  restore: ["at_once", "at_once"],
  env_allow: ["A,B", ["A", "B"]],
  path_allow: ["bin", ["bin"]],
};

describe.each(Object.entries(VALUES))("%s", (key, [typed, written]) => {
  // A call proves who makes it before it has a project.
  const places = key === "person" ? ["user"] : ["user", "here"];

  test.each(places)("set in the settings of the %s, it applies, and unset it does not", async (origin) => {
    await using place = await workspace();
    const option = origin === "here" ? " --here" : "";
    const [before] = await shown(place, key);
    expect(await runInProcess(place, `config set ${key} ${typed}${option}`)).toMatchObject({
      stdout: expect.not.stringContaining("▲"),
      stderr: "",
      code: 0,
    });
    const file = JSON.parse((await place.read(FILE)) ?? "");
    const at = origin === "here" ? file.projects[place.project] : file;
    expect(at).toEqual({ settings: { [key]: written } });
    const [now] = await shown(place, key);
    expect(now).toMatchObject({
      key: `settings.${key}`,
      origin,
      file: `${place.dir}/${FILE}`.replace(place.dir, "DIR"),
    });
    expect(now?.value).not.toEqual(before?.value);
    if (key === "person") return;
    expect(await runInProcess(place, `config unset ${key}${option}`)).toMatchObject({ stderr: "", code: 0 });
    expect(await shown(place, key)).toEqual([before]);
  });
});

test("the person of one project cannot be set", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "config set person sudo --here");
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(CONFIG_UNKNOWN_KEY)"), code: 78 });
});

test("the settings for this project come before those for all, key by key, and in no other project", async () => {
  await using place = await workspace();
  await place.write(
    FILE,
    JSON.stringify({
      settings: { timeout: "20s", record: "payloads" },
      overrides: { lint: { fail_open: false, timeout: "9s" } },
      projects: {
        [place.project]: { settings: { timeout: "10s" }, overrides: { lint: { timeout: "3s" } } },
        "/elsewhere": { settings: { timeout: "1s" } },
      },
    }),
  );
  expect(await shown(place, "timeout")).toMatchObject([
    { value: "10s", origin: "here", others: [{ origin: "user", value: "20s" }] },
  ]);
  expect(await shown(place, "record")).toMatchObject([{ value: "payloads", origin: "user" }]);
  expect(await shown(place, "overrides.lint")).toMatchObject([
    { key: "overrides.lint.timeout", value: "3s", origin: "here" },
    { key: "overrides.lint.fail_open", value: false, origin: "user" },
  ]);
  await place.hook("lint", "exit 3");
  const run = await runInProcess(place, "run before_tool_call", { stdin: '{"tool_name":"bash","tool_input":{}}' });
  // Still fail-closed.
  expect(run.code).toBe(2);
});

test("the machine of a run is named where it decides, an option and a variable too", async () => {
  await using place = await workspace();
  const origins = async (words: string, env = {}) => {
    const { stdout } = await runInProcess(place, `config show timeout --json ${words}`, { env });
    const [row] = JSON.parse(stdout).settings;
    return [row.value, row.origin];
  };
  expect(await origins("--timeout 3s")).toEqual(["3s", "option"]);
  expect(await origins("", { HOOKCTL_TIMEOUT: "4s" })).toEqual(["4s", "environment"]);
});

test("what a project may not decide is said to have no effect", async () => {
  await using place = await workspace();
  await runInProcess(place, "config set timeout 5s");
  const set = await runInProcess(place, "config set timeout 9s --project");
  expect(set).toMatchObject({
    stdout: expect.stringMatching(/, but it has no effect: 5s applies, set by you \(.*\)\n$/),
    code: 0,
  });
});

test.each([
  ["timeout 5s", "settings.timeout: 5s"],
  ["enabled false", "settings.enabled: false"],
  ["max_hook_driven_turns 3", "settings.max_hook_driven_turns: 3"],
  ["guards.git.decision ask", "guards.git.decision: ask"],
])("config set %s --project applies once the project's settings are approved", async (words, set) => {
  await using place = await workspace();
  const { stdout } = await runInProcess(place, `config set ${words} --project`);
  expect(stdout).toBe(
    `• ${set}, set by the project (.kodelet/hooks.json)\nThe change has no effect until you approve it: hookctl trust\n`,
  );
  await runInProcess(place, "config set project_hooks allow");
  const { stdout: json } = await runInProcess(place, `config set ${words} --project --json`);
  expect(JSON.parse(json)).toMatchObject({ has_effect: true });
});

test.each([
  ["timeot 5s", "CONFIG_UNKNOWN_KEY", "timeout"],
  ["settings.timeot 5s", "CONFIG_UNKNOWN_KEY", "timeout"],
  ["timeout 5", "CONFIG_BAD_VALUE", "a duration needs a unit"],
  ["guards.gti true", "CONFIG_UNKNOWN_KEY", "git"],
  ["nope 1", "CONFIG_UNKNOWN_KEY", "All keys: https://github.com/hookctl/hookctl/blob/main/docs/configuration.md"],
  ["record nothing", "CONFIG_BAD_VALUE", "settings.record"],
  ["env_allow X --project", "CONFIG_USER_ONLY", "settings.env_allow"],
])("config set %s is refused with the place", async (words, code, text) => {
  await using place = await workspace();
  await place.write(FILE, '{ "version" : 1 }\n');
  const result = await runInProcess(place, `config set ${words}`);
  expect(result).toMatchObject({ stdout: "", code: 78 });
  expect(result.stderr).toContain(`(${code})`);
  expect(result.stderr).toContain(text);
  expect(await place.read(FILE)).toBe('{ "version" : 1 }\n');
});

test("an agent may see the settings and set none", async () => {
  await using place = await workspace();
  const byAgent = {
    host: { readProcesses: async () => ({ ...PERSON_TABLE, rows: new Map() }) },
    env: { CLAUDECODE: "1" },
  };
  expect(await runInProcess(place, "config show", byAgent)).toMatchObject({ stderr: "", code: 0 });
  for (const call of ["config set timeout 1s", "config unset timeout", "config set guards.git true --here"])
    expect(await runInProcess(place, call, byAgent)).toMatchObject({ stdout: "", code: 77 });
  expect(await place.read(FILE)).toBeNull();
});

test("nothing is changed where a key is not set", async () => {
  await using place = await workspace();
  await place.write(FILE, '{ "guards": { "git": true } }\n');
  for (const key of ["timeout", "guards.git.decision", "overrides.x.timeout"])
    expect(await runInProcess(place, `config unset ${key}`)).toMatchObject({
      ...{ stderr: "", code: 0 },
      stdout: expect.stringContaining(": nothing to change "),
    });
});

test("form and order of the file stay", async () => {
  await using place = await workspace();
  await place.write(FILE, '{\n    "guards" : { "git": true },\n\n    "version": 1\n}\n');
  await runInProcess(place, "config set guards.git.decision block");
  await runInProcess(place, "config set timeout 5s");
  await runInProcess(place, "config unset timeout");
  expect(await place.read(FILE)).toMatch(/^\{\n {4}"guards" : /);
  expect((await shown(place, "guards.git")).map(({ key, value }) => [key, value])).toEqual([
    ["guards.git", true],
    ["guards.git.decision", "block"],
  ]);
});

test("config show --origin names the file of each value", async () => {
  await using place = await workspace();
  await runInProcess(place, "config set timeout 5s");
  const { stdout } = await runInProcess(place, "config show timeout --origin");
  expect(stdout).toBe("settings.timeout  5s  you (~/.kodelet/hooks.json)\n");
});

test("config get and a whole list name the next command", async () => {
  await using place = await workspace();
  expect((await runInProcess(place, "config get timeout")).stderr).toContain("  Try: hookctl config show timeout\n");
  const all = (await runInProcess(place, "config show")).stdout;
  expect(all).toMatch(/\nWhere each value is from: hookctl config show --origin\n$/);
  for (const line of ["config show timeout", "config show --origin", "config show --json"])
    expect((await runInProcess(place, line)).stdout).not.toContain("Where each");
});

test("a timeout of the project applies to its own hooks, which --origin says", async () => {
  await using place = await workspace();
  await runInProcess(place, "config set timeout 25s --project");
  await runInProcess(place, "trust --yes");
  const { stdout } = await runInProcess(place, "config show timeout --origin");
  expect(stdout).toMatch(/^settings\.timeout {2}30s {2}default\n {2}for the project's hooks 25s: the project /);
  const forced = await runInProcess(place, "config show timeout --origin", { env: { HOOKCTL_TIMEOUT: "3s" } });
  expect(forced.stdout).toContain("in place of 25s: the project");
});

test.each(["\t", "    ", " "])("a change keeps the indentation of the file, %j", async (indent) => {
  await using place = await workspace();
  const text = (...lines: readonly string[]) =>
    `{\n${indent}"settings": {\n${lines.map((line) => indent + indent + line).join(",\n")}\n${indent}}\n}\n`;
  await place.write(FILE, text('"timeout": "7s"'));
  await runInProcess(place, "config set deadline 50s");
  expect(await place.read(FILE)).toBe(text('"timeout": "7s"', '"deadline": "50s"'));
});

test.each([
  ["deadline 50s", "settings: { deadline: 50s }"],
  ["deadline 50s --here", 'projects: { "DIR/project": { settings: { deadline: 50s } } }'],
  ["guards.git.observe true", "guards: { git: { observe: true } }"],
])("for YAML, config set %s names what to add as YAML", async (args, yaml) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.yaml", "settings: {}\n");
  const { stderr, code } = await runInProcess(place, `config set ${args}`);
  expect({ stderr, code }).toMatchObject({ stderr: expect.stringContaining(`  Try: add to it: ${yaml}\n`), code: 64 });
  await place.write("home/.kodelet/hooks.yaml", `${yaml.replaceAll("DIR", place.dir)}\n`);
  expect(await runInProcess(place, "config show deadline")).toMatchObject({ code: 0 });
});
