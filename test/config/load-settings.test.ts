import { mkdir, readdir, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LoadInput, loadConfigFiles, projectFilesIn, userFileIn } from "../../src/config/load-settings.ts";
import { NO_SETTINGS } from "../../src/protocol/settings-file.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

async function load({ dir, home, project }: Workspace, over: Partial<LoadInput> = {}) {
  const plan = await loadConfigFiles({
    ...{ projectDirs: [project], homeDir: home, configHome: join(home, ".config"), explicitFile: null },
    ...{ cacheDir: join(dir, "cache"), nowMs: Date.now(), ...over },
  });
  const problems = plan.files.flatMap(({ problem }) => problem ?? []);
  return { scopes: plan.files, problems, user: userFileIn(plan)?.data, project: projectFilesIn(plan)[0]?.data };
}

const at = (place: string, seconds: number): readonly [string, string] =>
  place.endsWith("package.json")
    ? [place, JSON.stringify({ hookctl: { settings: { timeout: `${seconds}s` } } })]
    : [place, place.endsWith(".json") ? `{"settings":{"timeout":"${seconds}s"}}` : `settings: {timeout: ${seconds}s}`];

describe("each scope has one settings file", () => {
  const scopes = {
    project: ["kodelet/hooks.json", "kodelet/hooks.yaml", "hookctlrc", "hookctlrc.json", "hookctlrc.yaml"]
      .map((name) => `project/.${name}`)
      .concat("project/package.json"),
    user: ["home/.kodelet/hooks.json", "home/.kodelet/hooks.yaml", "home/.config/hookctl/config.json"],
  } as const;
  const places = Object.entries(scopes).flatMap(([scope, names]) => names.map((name) => ({ scope, name })));

  test.each(places)("$name of the $scope is read", async ({ scope, name }) => {
    await using place = await workspace();
    await place.write(...at(name, 7));
    const loaded = await load(place);
    expect(loaded.problems).toEqual([]);
    expect((scope === "user" ? loaded.user : loaded.project)?.settings.timeout).toBe(7000);
  });

  const pairs = Object.values(scopes).flatMap((names) =>
    names.flatMap((first, index) => names.slice(index + 1).map((second) => ({ first, second }))),
  );

  test.each(pairs)("$first beside $second is an error that names both", async ({ first, second }) => {
    await using place = await workspace();
    await place.write(...at(first, 1));
    await place.write(...at(second, 2));
    const { problems, user, project } = await load(place);
    const file = join(place.dir, first);
    expect(problems).toEqual([{ code: "CONFIG_SECOND_FILE", file, second: join(place.dir, second) }]);
    expect([user, project].filter((data) => data !== undefined)).toEqual([NO_SETTINGS]);
  });

  test("--config stands for the user's own places", async () => {
    await using place = await workspace();
    await place.write(...at("home/.kodelet/hooks.json", 1));
    const explicitFile = await place.write(...at("elsewhere.yaml", 2));
    const { user, problems } = await load(place, { explicitFile });
    expect({ timeout: user?.settings.timeout, problems }).toEqual({ timeout: 2000, problems: [] });
  });

  test("a package.json without settings, or that only names a version, is not read", async () => {
    await using place = await workspace();
    await place.write("project/package.json", '{"devDependencies":{"hookctl":"^1"}');
    expect((await load(place)).scopes).toEqual([]);
  });

  test("in HOME itself there are no project settings", async () => {
    await using place = await workspace();
    await place.write("home/.hookctlrc", "nonsense: 1");
    expect((await load(place, { projectDirs: [] })).scopes).toEqual([]);
  });

  test("a HOME that is missing leaves the project's settings", async () => {
    await using place = await workspace();
    await place.write(...at("project/.hookctlrc", 3));
    const { project } = await load(place, { homeDir: null, configHome: null, cacheDir: null });
    expect(project?.settings.timeout).toBe(3000);
  });
});

describe("a file that cannot be used is told with its cause", () => {
  type Make = (place: Workspace, file: string) => Promise<unknown>;
  const text =
    (content: string | Uint8Array): Make =>
    (place, file) =>
      place.write(file, content);
  const faults: readonly (readonly [title: string, file: string, make: Make, code: string, cause: RegExp])[] = [
    ["JSON", "hooks.json", text("{"), "CONFIG_NOT_PARSED", /^line 1: expected a key in double quotes, found the end$/],
    [
      "JSON with a comma too many",
      "hooks.json",
      text('{"settings":{},}'),
      "CONFIG_NOT_PARSED",
      /^line 1: expected a key in double quotes, found "}"$/,
    ],
    [
      "JSON with a key that occurs twice",
      "hooks.json",
      text('{"overrides":{"g":{"fail_open":false}},"overrides":{}}'),
      "CONFIG_NOT_PARSED",
      /^line 1: the key "overrides" occurs twice$/,
    ],
    [
      "YAML",
      "hooks.yaml",
      text("a: b: c"),
      "CONFIG_NOT_PARSED",
      /^Nested mappings are not allowed in compact mappings \(1:4\)$/,
    ],
    [
      "a folder",
      "hooks.json",
      ({ project }, file) => mkdir(join(project, "..", file)),
      "CONFIG_NOT_READABLE",
      /not a regular file/,
    ],
    [
      "a file of more than 1 MiB",
      "hooks.yaml",
      async (place, file) => truncate(await place.write(file, ""), 1024 * 1024 + 1),
      "CONFIG_NOT_READABLE",
      /larger than 1 MiB/,
    ],
  ];
  test.each(faults)("%s", async (_title, name, make, code, cause) => {
    await using place = await workspace();
    await make(place, `project/.kodelet/${name}`);
    const file = join(place.project, ".kodelet", name);
    expect((await load(place)).problems).toEqual([{ code, file, cause: expect.stringMatching(cause) }]);
  });

  test("what a parser quotes of the file, which may be a secret, is not told", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", '{"token": hunter2}');
    expect(JSON.stringify((await load(place)).problems)).not.toContain("hunter2");
  });

  test("a user's file leaves the project usable", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"timeuot":"5s"}}');
    await place.write(...at("project/.hookctlrc", 3));
    const { problems, project } = await load(place);
    expect(problems).toMatchObject([
      { code: "CONFIG_UNKNOWN_KEY", entry: "settings", key: "timeuot", nearest: "timeout" },
    ]);
    expect(project?.settings.timeout).toBe(3000);
  });

  test("an empty file says nothing", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", " \n");
    const { scopes } = await load(place);
    expect(scopes).toMatchObject([{ problem: null, isBlank: true, data: NO_SETTINGS }]);
  });
});

test("a kept plan is used until one of its inputs changes, absent ones included", async () => {
  await using place = await workspace();
  await place.write(...at("home/.kodelet/hooks.yaml", 1));
  const first = await load(place);
  expect(await load(place)).toEqual(first);
  await place.write(...at("home/.kodelet/hooks.yaml", 22));
  expect((await load(place)).user?.settings.timeout).toBe(22_000);
  await place.write(...at("home/.kodelet/hooks.json", 2));
  expect((await load(place)).problems).toMatchObject([{ code: "CONFIG_SECOND_FILE" }]);
});

test("a kept plan that was damaged is made anew", async () => {
  await using place = await workspace();
  await place.write(...at("home/.kodelet/hooks.yaml", 1));
  const later = { nowMs: Date.now() + 10_000 };
  const first = await load(place, later);
  const names = await readdir(join(place.dir, "cache"));
  expect(names).toHaveLength(1);
  for (const name of names) await place.write(`cache/${name}`, "{");
  expect(await load(place, later)).toEqual(first);
});

describe("a file that was changed a moment ago may change again without a trace, so its plan is not kept", () => {
  const mcp = JSON.stringify({ mcpServers: { memory: { command: "memory" } } });
  const asking = JSON.stringify({ hooks: { turn_end: [{ name: "load", tool: "memory.load" }] } });
  const files: { title: string; young: readonly [string, string]; old?: readonly [string, string] }[] = [
    { title: "of the project", young: at("project/.kodelet/hooks.json", 1) },
    { title: "in a package.json", young: at("project/package.json", 1) },
    { title: "of the user", young: at("home/.kodelet/hooks.json", 1) },
    { title: "beside an older one", young: at("home/.kodelet/hooks.json", 1), old: at("project/.hookctlrc", 1) },
    { title: "with a server", young: ["home/.kodelet/mcp.json", mcp], old: ["home/.kodelet/hooks.json", asking] },
  ];

  test.each(files)("$title", async ({ young, old }) => {
    await using place = await workspace();
    const plansAfter = async (ageMs: number) => {
      const file = await place.write(...young);
      await load(place, {
        nowMs: Math.max(...[await stat(file)].flatMap((one) => [one.mtimeMs, one.ctimeMs])) + ageMs,
      });
      return readdir(join(place.dir, "cache")).catch(() => []);
    };
    if (old !== undefined) await place.write(...old);
    expect(await plansAfter(0)).toEqual([]);
    expect(await plansAfter(1_999)).toEqual([]);
    expect(await plansAfter(2_000)).toHaveLength(1);
  });
});
