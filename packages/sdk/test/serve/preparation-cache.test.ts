import {
  chmodSync,
  constants,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { EngineOptions } from "../../../../src/engine/run-context.ts";
import { disk } from "../../../../src/fs/disk.ts";
import { spanOfRaw } from "../../../../src/protocol/json/read.ts";
import { attempt } from "../../../../src/protocol/result.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { loadGuards } from "../../../guard-hooks/load-guards.ts";
import { type PreparedRun, prepareRun, runToJsonText } from "../../library/run-and-list.ts";
import { engineMethods, type ServerHost } from "../../serve/methods.ts";
import { createCache } from "../../serve/preparations.ts";
import { RecordedReads } from "../../serve/recorded-reads.ts";

/** Long after any file of a test was written, so that its reads are cached at once. */
const clock = { nowMs: Date.UTC(2100, 0, 1) };
const later = (): number => clock.nowMs;
const MINUTE = 60_000;
const NEVER = { raised: () => null, listen: () => () => undefined };
const OPTIONS: EngineOptions = {
  ...{ directory: null, hooksDirs: [], config: null, only: null, skip: [] },
  ...{ timeoutMs: null, deadlineMs: null, trust: false, useCache: true },
};

const hostOf = (place: Workspace): ServerHost => ({
  ...{ env: place.env, cwd: place.project, userId: process.getuid?.() ?? -1 },
  ...{ nowMs: later, elapsedMs: () => performance.now(), random: Math.random },
  loadGuards,
});

/** Returns when a change on the disk gets a later time than those before. */
function nextTick({ dir }: Workspace): void {
  const probe = join(dir, "probe");
  const timeNow = (): number => {
    writeFileSync(probe, "");
    return statSync(probe).ctimeMs;
  };
  const before = timeNow();
  while (timeNow() === before);
}

const GUARD =
  'payload=$(cat)\n. "$(dirname "$0")/words.sh"\n[ -n "$WORD" ] && echo "{\\"blocked\\":true,\\"reason\\":\\"$WORD\\"}"';
const SETTINGS = [
  '{"guards":{"filesystem":true}}',
  '{"guards":{"filesystem":true,"git":true}}',
  '{"hooks":{"before_tool_call":[{"name":"no","block":"no"}]}}',
  '{"overrides":{"guard":{"enabled":false}}}',
  '{"settings":{"untrusted":"fail"}}',
  '{"broken"',
];
const SETTINGS_FILES = [
  ...["home/.kodelet/hooks.json", "home/.config/hookctl/config.json"],
  ...["project/.kodelet/hooks.json", "project/.hookctlrc", "project/package.json", "project/mcp.json"],
];
const HOOKS = ["home/.kodelet/hooks/own", "project/.kodelet/hooks/guard", "project/.kodelet/plugins/pack/hooks/packed"];
const script = (text: string): string =>
  `#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit; fi\n${text}\n`;

const PAUSES = "home/.local/state/hookctl/pauses.json";

/** Pauses a hook for ten minutes of the test's clock. */
function pause({ write }: Workspace, name: string): Promise<string> {
  const startUptimeMs = Math.floor(uptime() * 1000);
  const time = { startMs: clock.nowMs, endMs: clock.nowMs + 10 * MINUTE, startUptimeMs };
  return write(PAUSES, JSON.stringify({ version: 1, pauses: [{ name, project: null, by: "me", ...time }] }), 0o600);
}

type Change = (place: Workspace) => unknown;
type NamedChange = readonly [title: string, change: Change];

/** Ignored where the scene does not allow it. */
const tried =
  (change: (place: Workspace) => void): Change =>
  (place) => {
    try {
      change(place);
    } catch {}
  };

const changes: fc.Arbitrary<NamedChange> = fc.oneof(
  fc
    .tuple(fc.constantFrom(...SETTINGS_FILES), fc.constantFrom(...SETTINGS))
    .map(([file, text]): NamedChange => [`${file} = ${text}`, ({ write }) => write(file, text)]),
  fc
    .tuple(fc.constantFrom(...HOOKS), fc.constantFrom(GUARD, "cat >/dev/null", `${GUARD} # edited`))
    .map(
      ([file, text]): NamedChange => [`${file} = ${text.slice(-9)}`, ({ write }) => write(file, script(text), 0o755)],
    ),
  fc
    .constantFrom("WORD=no", "WORD=on", "WORD=")
    .map((text): NamedChange => [`helper ${text}`, ({ write }) => write("project/.kodelet/hooks/words.sh", text)]),
  fc
    .constantFrom(...SETTINGS_FILES, ...HOOKS, "home/.local/state/hookctl/trust.json", "project/.kodelet")
    .map((file): NamedChange => [`rm ${file}`, ({ dir }) => rmSync(join(dir, file), { recursive: true, force: true })]),
  fc
    .tuple(
      fc.constantFrom(...HOOKS, "project/.kodelet/hooks", "home/.kodelet"),
      fc.constantFrom(0o755, 0o644, 0o775, 0o777),
    )
    .map(
      ([file, mode]): NamedChange => [
        `chmod ${mode.toString(8)} ${file}`,
        tried(({ dir }) => chmodSync(join(dir, file), mode)),
      ],
    ),
  fc.constantFrom(...HOOKS).map(
    (file): NamedChange => [
      `${file}: same size, time put back`,
      tried(({ dir }) => {
        const path = join(dir, file);
        const { size, atime, mtime } = statSync(path);
        writeFileSync(path, script("exit 3").padEnd(size, "#"));
        utimesSync(path, atime, mtime);
      }),
    ],
  ),
  fc.constantFrom("project/.kodelet", "home/.kodelet", "project/.kodelet/hooks").map(
    (folder): NamedChange => [
      `${folder} becomes a link`,
      tried(({ dir }) => {
        const path = join(dir, folder);
        renameSync(path, `${path}-moved`);
        symlinkSync(`${path}-moved`, path);
      }),
    ],
  ),
  fc
    .constantFrom("trust --yes", "untrust guard", "untrust --deny guard")
    .map((args): NamedChange => [args, (place) => runInProcess(place, args)]),
  fc.constantFrom("own", "guard").map((name): NamedChange => [`pause ${name}`, (place) => pause(place, name)]),
);

/** What differs between two runs of the same call. */
const same = (text: string): string =>
  text.replace(/"run_id":"[^"]*"/g, "").replace(/"(?:duration|start)_ms":[\d.]+/g, "");

test("a server that keeps what it found answers as one that has just started, whatever changed in between", async () => {
  const calls = fc.constantFrom("ls", "rm -rf /", "git push --force");
  const steps = fc.array(fc.tuple(fc.option(changes, { freq: 2 }), calls), { minLength: 4, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(steps, async (story) => {
      await using place = await workspace();
      await place.write("project/.kodelet/hooks/words.sh", "WORD=");
      const host = hostOf(place);
      const methods = engineMethods(host, { mostChains: 4, allowedVariables: [], engine: OPTIONS });
      for (const [change, command] of story) {
        await change?.[1](place);
        clock.nowMs += 4 * MINUTE;
        nextTick(place);
        const payload = JSON.stringify({ tool_name: "bash", tool_input: { command } });
        const params = new Map(
          Object.entries({ event: '"before_tool_call"', payload }).map(([name, raw]) => [name, spanOfRaw(raw)]),
        );
        const beganMs = performance.now();
        const cached = await attempt(() => methods.run({ params, interrupt: NEVER, beganMs }));
        const named = { event: "before_tool_call", dialect: "kodelet" } as const;
        const fresh = await attempt(() =>
          runToJsonText(named, payload, OPTIONS, { ...host, interrupt: NEVER, beganMs }),
        );
        const told = [cached, fresh].map((one) =>
          same(one.ok ? one.value : JSON.stringify(one.error).replaceAll('\\"', '"')),
        );
        expect(told[0]).toEqual(told[1]);
      }
    }),
    propertyRuns(100),
  );
});

test("a folder of PATH that becomes a link into the project is no longer in that of a hook", async () => {
  await using place = await workspace();
  const tools = join(place.dir, "tools");
  mkdirSync(tools);
  await place.hook("own", `cat >/dev/null; printf '{"blocked":true,"reason":"%s"}' "$PATH"`);
  const host = { ...hostOf(place), env: { ...place.env, PATH: `${tools}:${place.env.PATH}` } };
  const methods = engineMethods(host, { mostChains: 4, allowedVariables: [], engine: OPTIONS });
  const hasTools = async (): Promise<boolean> => {
    nextTick(place);
    const params = new Map([
      ["event", spanOfRaw('"before_tool_call"')],
      ["payload", spanOfRaw('{"tool_name":"bash","tool_input":{}}')],
    ]);
    const answered = await methods.run({ params, interrupt: NEVER, beganMs: performance.now() });
    const { reason } = JSON.parse(answered) as { readonly reason?: unknown };
    return String(reason).split(":").includes(tools);
  };
  // The first two ask the hook and write down what it said.
  for (let count = 0; count < 4; count++) expect(await hasTools()).toBe(true);
  rmSync(tools, { recursive: true });
  symlinkSync(place.project, tools);
  expect(await hasTools()).toBe(false);
});

/** Prepares runs in a workspace and tells whether each was kept from before. */
function keeping(place: Workspace, host = hostOf(place)) {
  const cache = createCache<PreparedRun>(host.nowMs);
  const outside = { ...host, interrupt: NEVER, beganMs: 0 };
  return async (): Promise<boolean> => {
    nextTick(place);
    const found = await cache.find("", NEVER, () => prepareRun("before_tool_call", OPTIONS, outside));
    return found.isReused;
  };
}

test.each<NamedChange>([
  ["a new hook", ({ hook }) => hook("other", "")],
  ["an edited hook", ({ hook }) => hook("guard", "exit 1", { scope: "project" })],
  ["a hook that may no longer run", ({ project }) => chmodSync(join(project, ".kodelet/hooks/guard"), 0o644)],
  ["a folder in which others may write", ({ home }) => chmodSync(join(home, ".kodelet"), 0o777)],
  ["new settings", ({ write }) => write("home/.kodelet/hooks.json", '{"guards":{"git":true}}')],
  ["an approval", (place) => runInProcess(place, "trust --yes")],
  ["a pause", (place) => pause(place, "own")],
  ["a repository", ({ write }) => write("project/.git/HEAD", "")],
])("%s counts at the next request", async (_, change) => {
  await using place = await workspace();
  await place.hook("own", "");
  await place.hook("guard", "", { scope: "project" });
  const isReused = keeping(place);
  // The first two ask the hook and write down what it said.
  for (let left = 4; left > 0 && !(await isReused()); left--);
  expect(await isReused()).toBe(true);
  await change(place);
  expect(await isReused()).toBe(false);
});

test("a file that is too young to be told from a changed one is looked at anew", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"guards":{"git":true}}');
  const isReused = keeping(place, { ...hostOf(place), nowMs: Date.now });
  expect([await isReused(), await isReused(), await isReused()]).toEqual([false, false, false]);
});

test("what fails for a while, and what lies in /proc, is not kept", async () => {
  const kept = async (look: () => unknown): Promise<boolean> => {
    const reads = new RecordedReads(later);
    await reads.during(async () => {
      try {
        look();
      } catch {}
    });
    return reads.areUnchanged();
  };
  expect(await kept(() => disk.statSync("/"))).toBe(true);
  expect(await kept(() => disk.statSync("/nowhere", { throwIfNoEntry: false }))).toBe(true);
  expect(await kept(() => disk.openSync("/nowhere", "r"))).toBe(true);
  expect(await kept(() => disk.openSync("/proc/self/status", "r"))).toBe(false);
  expect(await kept(() => disk.readFileSync(1_000_000))).toBe(false);
});

test("a link to a file that is named like an errno is no missing file", async () => {
  await using place = await workspace();
  const link = join(place.dir, "link");
  symlinkSync("ENOENT", link);
  const reads = new RecordedReads(later);
  await reads.during(async () => disk.readlinkSync(link));
  expect(reads.areUnchanged()).toBe(true);
  rmSync(link);
  expect(reads.areUnchanged()).toBe(false);
});

test.each([
  ["existsSync", (path: string) => disk.existsSync(path)],
  ["statSync", (path: string) => disk.statSync(path, { throwIfNoEntry: false })],
  ["lstatSync", (path: string) => disk.lstatSync(path, { throwIfNoEntry: false })],
  ["realpathSync", (path: string) => disk.realpathSync(path)],
  ["readlinkSync", (path: string) => disk.readlinkSync(path)],
  ["accessSync", (path: string) => disk.accessSync(path, constants.X_OK)],
  ["openSync", (path: string) => disk.openSync(path, "r")],
  ["readdirSync", (path: string) => disk.readdirSync(path)],
  ["readFileSync", (path: string) => disk.readFileSync(path)],
])("what was missing for %s and is there counts", async (_, look) => {
  await using place = await workspace();
  const path = join(place.dir, "late");
  const reads = new RecordedReads(later);
  await reads.during(async () => {
    try {
      look(path);
    } catch {}
  });
  expect(reads.areUnchanged()).toBe(true);
  await place.write("late", "");
  expect(reads.areUnchanged()).toBe(false);
});

test.each<[title: string, change: (folder: string) => void, isSame: boolean]>([
  ["another name", (folder) => writeFileSync(join(folder, "other"), ""), true],
  ["a name", (folder) => writeFileSync(join(folder, "one"), ""), false],
  ["a name, and its time put back", (folder) => backInTime(folder, () => mkdirSync(join(folder, "two"))), false],
  ["the folder of a name", (folder) => mkdirSync(join(folder, "deep")), true],
  ["a name in such a folder", (folder) => mkdirSync(join(folder, "deep/three"), { recursive: true }), false],
  ["a link that leads nowhere", (folder) => symlinkSync("nothing", join(folder, "two")), true],
  ["what a broken link leads to", (folder) => writeFileSync(join(folder, "../full/target"), ""), false],
  ["a name that is gone again", (folder) => appearing(join(folder, "one")), true],
  ["other permissions", (folder) => chmodSync(folder, 0o700), true],
  ["a link in its place", (folder) => replacedBy("full", folder), false],
  ["nothing in its place", (folder) => renameSync(folder, `${folder}-old`), true],
])("a folder that lacked names gets %s", async (_, change, isSame) => {
  await using place = await workspace();
  const folder = join(place.dir, "folder");
  mkdirSync(folder);
  await place.write("full/one", "");
  symlinkSync("../full/target", join(folder, "broken"));
  const reads = new RecordedReads(later);
  await reads.during(async () => {
    for (const name of ["one", "broken"]) disk.existsSync(join(folder, name));
    for (const name of ["two", "deep/three"]) disk.statSync(join(folder, name), { throwIfNoEntry: false });
  });
  nextTick(place);
  change(folder);
  expect([reads.areUnchanged(), reads.areUnchanged()]).toEqual([isSame, isSame]);
  if (!isSame) return;
  // The times of the folder as it is now tell of a further name.
  nextTick(place);
  mkdirSync(join(folder, "one/deeper"), { recursive: true });
  expect(reads.areUnchanged()).toBe(false);
});

test.each<[title: string, change: (place: Workspace) => void]>([
  ["it is gone", ({ dir }) => rmSync(join(dir, "a/b/file"))],
  ["it is a link to what it was", ({ dir }) => moved(join(dir, "a/b/file"))],
  ["its folder is", ({ dir }) => moved(join(dir, "a/b"))],
  ["the folder above is", ({ dir }) => moved(join(dir, "a"))],
])("of a path that was looked at in several ways counts that %s", async (_, change) => {
  await using place = await workspace();
  const path = await place.write("a/b/file", "");
  const reads = new RecordedReads(later);
  await reads.during(async () => {
    expect([disk.existsSync(path), disk.realpathSync(path), disk.existsSync(path)]).toEqual([true, path, true]);
  });
  nextTick(place);
  expect(reads.areUnchanged()).toBe(true);
  change(place);
  expect(reads.areUnchanged()).toBe(false);
});

function moved(path: string): void {
  renameSync(path, `${path}-moved`);
  symlinkSync(`${path}-moved`, path);
}

function appearing(folder: string): void {
  mkdirSync(folder);
  rmdirSync(folder);
}

function replacedBy(target: string, folder: string): void {
  renameSync(folder, `${folder}-old`);
  symlinkSync(target, folder);
}

function backInTime(folder: string, change: () => void): void {
  const { atime, mtime } = statSync(folder);
  change();
  utimesSync(folder, atime, mtime);
}

test("a link that led nowhere counts when it leads somewhere, also if it is younger than the look for it", async () => {
  await using place = await workspace();
  const reads = new RecordedReads(later);
  await reads.during(async () => {
    for (const name of ["one", "two"]) disk.existsSync(join(place.dir, name));
  });
  nextTick(place);
  mkdirSync(join(place.dir, "folder"));
  symlinkSync("folder/target", join(place.dir, "one"));
  expect(reads.areUnchanged()).toBe(true);
  nextTick(place);
  await place.write("folder/target", "");
  expect(reads.areUnchanged()).toBe(false);
});

test.each([
  [10, true],
  [1000, false],
])("%d sessions at which later work looks are kept: %s", async (count, isKept) => {
  const reads = new RecordedReads(later);
  await reads.during(async () => disk.existsSync("/"));
  for (let session = 0; session < count; session++)
    await reads.during(async () => disk.existsSync(`/nowhere/${session}`));
  expect(reads.areUnchanged()).toBe(isKept);
});

test("what is found out first in work with a kept value counts as well", async () => {
  await using place = await workspace();
  const file = await place.write("late", "1");
  const cache = createCache<() => string>(later);
  const text: string[] = [];
  const find = () =>
    cache.find("", NEVER, async () => {
      let late: string | null = null;
      return () => {
        late ??= String(disk.readFileSync(file));
        return late;
      };
    });
  for (const now of ["1", "1", "2"]) {
    if (now === "2") await place.write("late", now);
    nextTick(place);
    const found = await find();
    await found.during(async () => text.push(found.value()));
  }
  expect(text).toEqual(["1", "1", "2"]);
});
