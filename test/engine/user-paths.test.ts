import { chmod, lchown, mkdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callerOf, findCallerScopes, findUserPaths } from "../../src/engine/user-paths.ts";
import { isPrivateGroup, systemAccounts } from "../../src/fs/permissions.ts";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const userId = process.getuid?.() ?? -1;
const isRoot = userId === 0;
const STRANGER = 54_321;

type Env = Readonly<Record<string, string | undefined>>;

/** Where a call from `cwd` finds its user's things; `DIR` stands for the workspace. */
function placesOf(place: Workspace, env: Env, cwd = place.project, directory: string | null = null) {
  const placed = Object.fromEntries(
    Object.entries({ HOME: place.home, ...env }).map(([name, value]) => [name, value?.replace("DIR", place.dir)]),
  );
  const caller = callerOf({ cwd, userId, env: placed }, directory);
  const scopes = findCallerScopes(caller);
  if (!scopes.ok) throw new Error("no such folder");
  const places = findUserPaths(scopes.value, caller);
  const named = (path: string | null): string | null => path?.replace(place.dir, "DIR") ?? null;
  return {
    home: named(scopes.value.homeDir),
    config: named(places.configHome),
    cache: named(places.cacheDir),
    store: named(places.trustFile),
    sessions: named(places.sessionsDir),
    record: named(places.auditFile),
    refused: places.warnings.map((warning) => ("variable" in warning ? warning.variable : warning.code)),
  };
}

const USUAL = {
  home: "DIR/home",
  config: "DIR/home/.config",
  cache: "DIR/home/.cache/hookctl",
  store: "DIR/home/.local/state/hookctl/trust.json",
  sessions: "DIR/home/.local/state/hookctl/sessions",
  record: "DIR/home/.local/state/hookctl/audit.jsonl",
  refused: [],
};

/** All that a variable can choose. */
const CHOICES = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] as const;
/** Without a cache nothing is lost. */
const TOLD: readonly string[] = ["XDG_CONFIG_HOME", "XDG_STATE_HOME"];

test("without a variable everything lies below HOME", async () => {
  await using place = await workspace();
  expect(placesOf(place, {})).toEqual(USUAL);
});

test.each([
  ["as it is", "DIR/mine"],
  ["with the way back in it", "DIR/x/../mine"],
])("a folder of the user's own counts, %s", async (_, folder) => {
  await using place = await workspace();
  await mkdir(join(place.dir, "x"));
  for (const variable of CHOICES) {
    const places = placesOf(place, { [variable]: folder });
    expect(places.refused).toEqual([]);
    expect(JSON.stringify(places)).toContain("mine");
  }
});

/** Folders that are not the user's alone: what makes each, and what the variable says. */
const foreign: {
  readonly title: string;
  readonly make?: (place: Workspace) => Promise<unknown>;
  readonly folder: string;
  readonly needsRoot?: true;
}[] = [
  { title: "in the project", folder: "DIR/project/s" },
  { title: "the project itself", folder: "DIR/project" },
  { title: "in the project, by the way back", folder: "DIR/home/../project/s" },
  {
    title: "in the project, through a link",
    folder: "DIR/link/s",
    make: ({ dir, project }) => symlink(project, join(dir, "link")),
  },
  {
    title: "outside, with a link in it that leads into the project",
    folder: "DIR/mine",
    make: async ({ dir, project }) => {
      await mkdir(join(dir, "mine"));
      await symlink(project, join(dir, "mine/hookctl"));
    },
  },
  { title: "through /proc", folder: "/proc/self/cwd/s" },
  { title: "through /proc, by the way back", folder: "/usr/../proc/self/cwd/s" },
  {
    title: "through a link to /proc",
    folder: "DIR/link/s",
    make: ({ dir }) => symlink("/proc/self/cwd", join(dir, "link")),
  },
  { title: "through /dev", folder: "/dev/fd/0" },
  { title: "writable by everybody", folder: "DIR/open", make: ({ dir }) => open(join(dir, "open"), 0o777) },
  {
    title: "below a folder writable by everybody",
    folder: "DIR/open/mine",
    make: ({ dir }) => open(join(dir, "open"), 0o777),
  },
  {
    title: "still missing in a sticky folder",
    folder: "DIR/open/mine",
    make: ({ dir }) => open(join(dir, "open"), 0o1777),
  },
  { title: "a ring of links", folder: "DIR/ring", make: ({ dir }) => symlink("ring", join(dir, "ring")) },
  {
    title: "another user's",
    folder: "DIR/theirs",
    needsRoot: true,
    make: async ({ dir }) => {
      await mkdir(join(dir, "theirs"));
      await lchown(join(dir, "theirs"), STRANGER, STRANGER);
    },
  },
  {
    title: "behind another user's link",
    folder: "DIR/theirs",
    needsRoot: true,
    make: async ({ dir }) => {
      await mkdir(join(dir, "mine"));
      await symlink("mine", join(dir, "theirs"));
      await lchown(join(dir, "theirs"), STRANGER, STRANGER);
    },
  },
];

async function open(folder: string, mode: number): Promise<void> {
  await mkdir(folder);
  await chmod(folder, mode);
}

describe.each(CHOICES)("%s that is not the user's alone gives way to the usual place, and says so:", (variable) => {
  test.each(foreign.filter(({ needsRoot }) => isRoot || !needsRoot))("$title", async ({ folder, make }) => {
    await using place = await workspace();
    await make?.(place);
    const store = variable === "XDG_STATE_HOME" ? null : USUAL.store;
    const refused = TOLD.includes(variable) ? [variable] : [];
    expect(placesOf(place, { [variable]: folder })).toEqual({ ...USUAL, store, refused });
    // Approvals may lie where the variable leads, and only those of the usual store are known not to be lost.
    await place.write("home/.local/state/hookctl/trust.json", "{}");
    expect(placesOf(place, { [variable]: folder })).toEqual({ ...USUAL, refused });
  });
});

test("what lies in a sticky folder and is the user's counts", async () => {
  await using place = await workspace();
  await open(join(place.dir, "open"), 0o1777);
  await mkdir(join(place.dir, "open/mine/hookctl"), { recursive: true });
  expect(placesOf(place, { XDG_STATE_HOME: "DIR/open/mine" })).toMatchObject({
    store: "DIR/open/mine/hookctl/trust.json",
    refused: [],
  });
});

describe("the repository around a project is no place either", () => {
  test.each([null, "DIR/repo/sub"])("-C %s", async (directory) => {
    await using place = await workspace();
    await mkdir(join(place.dir, "repo/.git"), { recursive: true });
    await mkdir(join(place.dir, "repo/sub/.kodelet"), { recursive: true });
    const cwd = directory === null ? join(place.dir, "repo/sub") : place.project;
    const places = placesOf(place, { XDG_STATE_HOME: "DIR/repo/s" }, cwd, directory?.replace("DIR", place.dir) ?? null);
    expect(places).toEqual({ ...USUAL, store: null, refused: ["XDG_STATE_HOME"] });
  });

  test("nor is that of the working directory, beside a project that is named", async () => {
    await using place = await workspace();
    await mkdir(join(place.dir, "repo/.git"), { recursive: true });
    const places = placesOf(place, { XDG_STATE_HOME: "DIR/repo/s" }, join(place.dir, "repo"), place.project);
    expect(places).toEqual({ ...USUAL, store: null, refused: ["XDG_STATE_HOME"] });
  });
});

test("a group that is the user's alone may write, any other not", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "mine");
  await mkdir(folder);
  await chmod(folder, 0o775);
  const { gid } = await stat(folder);
  const isPrivate = isPrivateGroup(gid, userId, systemAccounts());
  expect(placesOf(place, { XDG_CONFIG_HOME: "DIR/mine" }).refused).toEqual(isPrivate ? [] : ["XDG_CONFIG_HOME"]);
  if (!isRoot) return;
  // Group 0 is never private.
  expect(isPrivate).toBe(false);
  await lchown(folder, userId, STRANGER);
  expect(placesOf(place, { XDG_CONFIG_HOME: "DIR/mine" }).refused).toEqual(["XDG_CONFIG_HOME"]);
});

test("each place that must change on the way is named, with the one command", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "open/state");
  await mkdir(folder, { recursive: true });
  for (const open of [join(place.dir, "open"), folder]) await chmod(open, 0o777);
  const { stdout } = await runInProcess(place, "list", { env: { XDG_STATE_HOME: "DIR/open/state" } });
  expect(stdout).toContain(
    "DIR/open, DIR/open/state: each is writable by group or others (fix: chmod go-w DIR/open DIR/open/state)",
  );
});

describe("HOME", () => {
  test.each([
    ["relative", "home"],
    ["missing", undefined],
    ["in the project", "DIR/project/h"],
    ["through /proc", "/proc/self/cwd"],
    ["a link into the project", "DIR/link"],
  ])("that is %s is none", async (_, HOME) => {
    await using place = await workspace();
    await mkdir(join(place.project, "h"));
    await symlink(join(place.project, "h"), join(place.dir, "link"));
    expect(placesOf(place, { HOME })).toMatchObject({ home: null, store: null, sessions: null, record: null });
  });

  test("in a repository that we are in is none", async () => {
    await using place = await workspace();
    await mkdir(join(place.dir, "repo/.git"), { recursive: true });
    await mkdir(join(place.dir, "repo/h"));
    expect(placesOf(place, { HOME: "DIR/repo/h" }, join(place.dir, "repo")).home).toBeNull();
    expect(placesOf(place, { HOME: "DIR/repo/h" }).home).toBe("DIR/repo/h");
  });

  test("may be a repository itself, and a folder of it the working directory", async () => {
    await using place = await workspace();
    await mkdir(join(place.home, ".git"));
    await mkdir(join(place.home, "work"));
    await mkdir(join(place.home, ".config/.git"), { recursive: true });
    for (const cwd of [place.home, join(place.home, "work"), join(place.home, ".config"), place.dir]) {
      expect(placesOf(place, {}, cwd)).toEqual(USUAL);
      expect(placesOf(place, { XDG_STATE_HOME: "DIR/home/.state" }, cwd)).toMatchObject({
        store: "DIR/home/.state/hookctl/trust.json",
        refused: [],
      });
    }
  });

  test("a link below it into the project is not followed", async () => {
    await using place = await workspace();
    await symlink(place.project, join(place.home, ".local"));
    expect(placesOf(place, {})).toMatchObject({ home: "DIR/home", store: null, sessions: null, record: null });
  });

  test("that others may write to keeps its hooks in the chain, and nothing of ours", async () => {
    await using place = await workspace();
    await chmod(place.home, 0o777);
    expect(placesOf(place, {})).toMatchObject({
      home: "DIR/home",
      config: "DIR/home/.config",
      store: null,
      record: null,
      cache: null,
    });
  });
});

describe("an approved guard that is closed is not lost by a variable", () => {
  const CLOSED =
    '#!/bin/sh\n[ "$1" = hook ] && { echo \'{"event":"before_tool_call","fail_open":false}\'; exit; }\necho \'{"blocked":true,"reason":"no"}\'\n';
  test.each([
    ["HOOKCTL_TRUST_STORE", "/nonexistent/x"],
    ["HOOKCTL_TRUST_STORE", "DIR/other/trust.json"],
    ["HOOKCTL_TRUST_STORE", "DIR/project/trust.json"],
    ["XDG_STATE_HOME", "DIR/open"],
    ["XDG_STATE_HOME", "DIR/other"],
    ["XDG_STATE_HOME", "/proc/self/cwd/s"],
    ["HOME", "DIR/project/h"],
    ["HOME", "/nowhere/at/all"],
    ["HOME", "home"],
    ["HOME", undefined],
  ])("%s=%s", async (variable, value) => {
    await using place = await workspace();
    await open(join(place.dir, "open"), 0o1777);
    await mkdir(join(place.dir, "other"));
    await mkdir(join(place.project, "h"));
    await place.write("project/.kodelet/hooks/guard", CLOSED, 0o755);
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
    const result = await runInProcess(place, "run before_tool_call --json", {
      stdin: toolCall(),
      env: { [variable]: value },
    });
    expect(result.code).toBe(2);
    expect(parseRunJson(result).decision).toBe("block");
    expect(result.stderr).not.toBe("");
  });
});
