import { mkdir, readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LoadedSettings, loadSettings, type SettingsInput } from "../../src/settings/load-settings.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const load = ({ dir, home, project }: Workspace, over: Partial<SettingsInput> = {}): Promise<LoadedSettings> =>
  loadSettings({
    ...{ projectDir: project, homeDir: home, configHome: join(home, ".config"), explicitFile: null, hasProject: true },
    ...{ cacheDir: join(dir, "cache"), timeoutMs: null, deadlineMs: null, ...over },
  });

const at = (place: string, seconds: number): readonly [string, string] =>
  place.endsWith("package.json")
    ? [place, JSON.stringify({ hookctl: { settings: { timeout: `${seconds}s` } } })]
    : [place, place.endsWith(".json") ? `{"settings":{"timeout":"${seconds}s"}}` : `settings: {timeout: ${seconds}s}`];

describe("within a scope the first place counts, and the others are told as not read", () => {
  const scopes = {
    project: ["kodelet/hooks.json", "kodelet/hooks.yaml", "hookctlrc", "hookctlrc.json", "hookctlrc.yaml"]
      .map((name) => `project/.${name}`)
      .concat("project/package.json"),
    user: ["home/.kodelet/hooks.json", "home/.kodelet/hooks.yaml", "home/.config/hookctl/config.json"],
  } as const;

  test.each(Object.entries(scopes))("%s", async (scope, names) => {
    await using place = await workspace();
    for (const [index, name] of [...names.entries()].reverse()) {
      await place.write(...at(name, index + 1));
      const { settings, warnings, problems } = await load(place);
      expect(settings[scope === "user" ? "user" : "project"].timeoutMs).toBe((index + 1) * 1000);
      expect(problems).toEqual([]);
      const ignored = names.slice(index + 1).map((other) => join(place.dir, other));
      expect(warnings).toEqual(
        ignored.map((path) => ({ code: "SECOND_CONFIG", used: join(place.dir, name), ignored: path })),
      );
    }
  });

  test("--config stands for the user's own places", async () => {
    await using place = await workspace();
    await place.write(...at("home/.kodelet/hooks.json", 1));
    const explicitFile = await place.write(...at("elsewhere.yaml", 2));
    const { settings, warnings } = await load(place, { explicitFile });
    expect({ timeoutMs: settings.user.timeoutMs, warnings }).toEqual({ timeoutMs: 2000, warnings: [] });
  });

  test("a package.json without settings, or that only names a version, is not read", async () => {
    await using place = await workspace();
    await place.write("project/package.json", '{"devDependencies":{"hookctl":"^1"}');
    expect(await load(place)).toMatchObject({ problems: [], isProjectUnusable: false });
  });

  test("in HOME itself there are no project settings", async () => {
    await using place = await workspace();
    await place.write("home/.hookctlrc", "nonsense: 1");
    expect(await load(place, { projectDir: place.home, hasProject: false })).toMatchObject({
      problems: [],
      warnings: [],
    });
  });

  test("a HOME that is missing leaves the project's settings", async () => {
    await using place = await workspace();
    await place.write(...at("project/.hookctlrc", 3));
    const { settings } = await load(place, { homeDir: null, configHome: null, cacheDir: null });
    expect(settings.project.timeoutMs).toBe(3000);
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
      "JSON with a key that stands twice",
      "hooks.json",
      text('{"overrides":{"g":{"fail_open":false}},"overrides":{}}'),
      "CONFIG_NOT_PARSED",
      /^line 1: the key "overrides" stands twice$/,
    ],
    ["YAML", "hooks.yaml", text("a: b: c"), "CONFIG_NOT_PARSED", /^bad indentation of a mapping entry \(1:5\)$/],
    [
      "a folder",
      "hooks.json",
      ({ project }, file) => mkdir(join(project, "..", file)),
      "CONFIG_NOT_READABLE",
      /no regular/,
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
    const { problems, isProjectUnusable } = await load(place);
    const file = join(place.project, ".kodelet", name);
    expect({ problems, isProjectUnusable }).toEqual({
      problems: [{ code, file, cause: expect.stringMatching(cause) }],
      isProjectUnusable: true,
    });
  });

  test("what a parser quotes of the file, which may be a secret, is not told", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", '{"token": hunter2}');
    expect(JSON.stringify((await load(place)).problems)).not.toContain("hunter2");
  });

  test("a user's file leaves the project usable", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"timeuot":"5s"}}');
    expect(await load(place)).toMatchObject({
      problems: [{ code: "CONFIG_UNKNOWN_KEY", entry: "settings", key: "timeuot", nearest: "timeout" }],
      isProjectUnusable: false,
    });
  });

  test("an empty file says nothing", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", " \n");
    expect(await load(place)).toMatchObject({ problems: [], warnings: [] });
  });
});

test("a kept plan is used until one of its inputs changes, absent ones included", async () => {
  await using place = await workspace();
  await place.write(...at("home/.kodelet/hooks.yaml", 1));
  const first = await load(place);
  expect(await load(place)).toEqual(first);
  await place.write(...at("home/.kodelet/hooks.json", 2));
  expect((await load(place)).settings.user.timeoutMs).toBe(2000);
});

test("a kept plan that was damaged is made anew", async () => {
  await using place = await workspace();
  await place.write(...at("home/.kodelet/hooks.yaml", 1));
  const first = await load(place);
  for (const name of await readdir(join(place.dir, "cache"))) await place.write(`cache/${name}`, "{");
  expect(await load(place)).toEqual(first);
});
