import { execFileSync } from "node:child_process";
import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type CommandResult, type Workspace, workspace } from "../support/workspace.ts";

interface NotReady {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const project = { scope: "project" } as const;
const trusted = (place: Workspace): Promise<CommandResult> => runMain(place, ["trust", "--yes"]);
const declare = (place: Workspace, command: unknown): Promise<string> =>
  place.write(
    "project/.kodelet/hooks.json",
    JSON.stringify({ hooks: { before_tool_call: [{ name: "one", command }] } }),
  );

const LINES = { list: ["list"], "run --dry-run": ["run", "before_tool_call", "--dry-run"] } as const;

/** The same call as text, as JSON and without `--strict`; all three must agree on what would not start. */
async function strictly(place: Workspace, line: readonly string[]): Promise<readonly NotReady[]> {
  const text = await runMain(place, [...line, "--strict"]);
  const result = await runMain(place, [...line, "--strict", "--json"]);
  const notReady: readonly NotReady[] = JSON.parse(result.stdout).not_ready;
  const code = notReady.length === 0 ? 0 : 1;
  expect([text.code, result.code, (await runMain(place, line)).code]).toEqual([code, code, 0]);
  for (const one of notReady) {
    expect(text.stderr).toContain(`✖ ${one.message} (${one.code})\n  ${one.hint}\n`);
  }
  return notReady;
}

interface Row {
  readonly title: string;
  readonly make: (place: Workspace) => Promise<unknown>;
  /** Name and code of each that would not start. */
  readonly expected: readonly (readonly [name: string, code: string])[];
}

const rows: readonly Row[] = [
  { title: "no hooks at all", make: async () => {}, expected: [] },
  { title: "hooks of the user", make: (place) => place.hook("one", ":"), expected: [] },
  {
    title: "an approved hook",
    make: async (place) => [await place.hook("one", ":", project), await trusted(place)],
    expected: [],
  },
  {
    title: "a hook that nobody approved",
    make: (place) => place.hook("one", ":", project),
    expected: [["one", "HOOK_REFUSED_UNTRUSTED"]],
  },
  {
    title: "a hook that changed",
    make: async (place) => {
      await place.hook("one", ":", project);
      await trusted(place);
      await place.hook("one", "exit 0", project);
    },
    expected: [["one", "HOOK_REFUSED_CHANGED"]],
  },
  {
    title: "a hook that is denied",
    make: async (place) => [await place.hook("one", ":", project), await runMain(place, ["untrust", "one", "--deny"])],
    expected: [["one", "HOOK_REFUSED_DENIED"]],
  },
  {
    title: "a file that others may change",
    make: async (place) => chmod(await place.hook("one", ":"), 0o777),
    expected: [["one", "HOOK_REFUSED_UNSAFE"]],
  },
  {
    title: "a script that is no hook",
    make: (place) => place.write("home/.kodelet/hooks/one", "#!/bin/sh\necho hello\n", 0o755),
    expected: [["one", "HOOK_UNKNOWN_TYPE"]],
  },
  {
    title: "a script that fails when it is asked",
    make: (place) => place.write("home/.kodelet/hooks/one", "#!/bin/sh\nexit 3\n", 0o755),
    expected: [["one", "HOOK_EXITED"]],
  },
  {
    title: "a file that is no program",
    make: (place) => place.write("home/.kodelet/hooks/one", "some text\n", 0o755),
    expected: [["one", "HOOK_BAD_FORMAT"]],
  },
  {
    title: "a script without its interpreter",
    make: (place) => place.write("home/.kodelet/hooks/one", "#!/no/such/program\n", 0o755),
    expected: [["one", "HOOK_NOT_STARTED"]],
  },
  {
    title: "a script without its execute bit",
    make: (place) => place.hook("one", ":", { mode: 0o644 }),
    expected: [["one", "not_executable"]],
  },
  {
    title: "a broken link",
    make: async (place) => {
      await place.hook("two", ":");
      await symlink("nowhere", `${place.home}/.kodelet/hooks/one`);
    },
    expected: [["one", "broken_link"]],
  },
  {
    title: "a command whose script is not there",
    make: async (place) => [await declare(place, "sh hooks/one.sh"), await trusted(place)],
    expected: [["one", "HOOK_COMMAND_MISSING"]],
  },
  {
    title: "a list of words whose program is not there",
    make: async (place) => [await declare(place, ["no-such-program", "x"]), await trusted(place)],
    expected: [["one", "HOOK_COMMAND_MISSING"]],
  },
  {
    title: "a command whose script has no execute bit",
    make: async (place) => {
      await place.write("project/.kodelet/one.sh", "#!/bin/sh\n");
      await declare(place, "./one.sh");
      await trusted(place);
    },
    expected: [["one", "HOOK_COMMAND_MISSING"]],
  },
  {
    title: "a command that is a folder",
    make: async (place) => {
      await mkdir(`${place.project}/.kodelet/one`, { recursive: true });
      await declare(place, "./one");
      await trusted(place);
    },
    expected: [["one", "HOOK_COMMAND_MISSING"]],
  },
  {
    title: "a FIFO among the hooks",
    make: async (place) => {
      await place.hook("two", ":");
      execFileSync("mkfifo", [`${place.home}/.kodelet/hooks/one`]);
    },
    expected: [["one", "not_regular"]],
  },
  {
    title: "a command whose script is gone since it was approved",
    make: async (place) => {
      const script = await place.write("project/.kodelet/one.sh", "#!/bin/sh\n", 0o755);
      await declare(place, "./one.sh");
      await trusted(place);
      await rm(script);
    },
    expected: [["one", "HOOK_REFUSED_CHANGED"]],
  },
  {
    title: "a command that handles its own failure",
    make: async (place) => [await declare(place, "./optional.sh || true"), await trusted(place)],
    expected: [],
  },
  {
    title: "a required hook that is nowhere",
    make: (place) => place.write("home/.kodelet/hooks.json", '{"overrides":{"one":{"required":true}}}'),
    expected: [["one", "HOOK_MISSING"]],
  },
  {
    title: "settings of the project that nobody approved",
    make: (place) => place.write("project/.kodelet/hooks.json", '{"settings":{"timeout":"5s"}}'),
    expected: [["", "SETTINGS_NOT_APPROVED"]],
  },
  {
    title: "a hook that the settings switch off",
    make: async (place) => {
      await place.write("home/.kodelet/hooks/one", "#!/bin/sh\necho hello\n", 0o755);
      await place.write("home/.kodelet/hooks.json", '{"overrides":{"one":{"enabled":false}}}');
    },
    expected: [],
  },
];

describe.each(Object.entries(LINES))("%s --strict", (_name, line) => {
  test.each(rows)("$title", async ({ make, expected }) => {
    await using place = await workspace();
    await make(place);
    expect((await strictly(place, line)).map(({ name, code }) => [name, code])).toEqual(expected);
  });

  test("counts what the caller takes out for nothing, and hooks that are switched off for all", async () => {
    await using place = await workspace();
    await place.hook("one", ":");
    await place.write("home/.kodelet/hooks/two", "#!/bin/sh\necho hello\n", 0o755);
    await place.hook("three", ":", { mode: 0o644 });
    const skip = ["--skip", "two", "--skip", "three"];
    expect(await runMain(place, [...line, "--strict", ...skip])).toMatchObject({ code: 0 });
    const off = await runMain(place, [...line, "--strict", ...skip, "--no-hooks"]);
    expect(off).toMatchObject({ code: 1, stderr: expect.stringContaining("(HOOKS_OFF)\n") });
  });

  test("ends with 78 when the settings are not valid", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"timout":"5s"}}');
    const result = await runMain(place, [...line, "--strict"]);
    expect(result).toMatchObject({ code: 78, stderr: expect.stringContaining("(CONFIG_UNKNOWN_KEY)") });
  });
});

test.each([
  ["./one.sh", "To fix it: chmod +x ONE"],
  ["no-such-program x", "Install no-such-program, or add its folder to PATH"],
  ["./two.sh", "Create the missing file there"],
])("what cannot start is told with its own remedy: %s", async (command, remedy) => {
  await using place = await workspace();
  const file = await place.write("project/.kodelet/one.sh", "#!/bin/sh\n");
  await declare(place, command);
  await trusted(place);
  const [problem] = await strictly(place, ["list"]);
  expect(problem?.hint).toContain(remedy.replace("ONE", file));
});

const SCOPES = ["user", "project"] as const;
const WAYS: readonly (readonly [way: string, lose: (path: string) => Promise<unknown>])[] = [
  ["is gone", (path) => rm(path)],
  ["was renamed to .bak", (path) => rename(path, `${path}.bak`)],
  ["was renamed to a dotfile", (path) => rename(path, path.replace(/[^/]+$/, ".$&"))],
  [
    "lies in a folder below",
    async (path) => [await mkdir(`${dirname(path)}/lib`), await rename(path, `${dirname(path)}/lib/one`)],
  ],
  ["is gone with its whole folder", (path) => rename(dirname(dirname(path)), `${dirname(dirname(path))}-away`)],
  ["misses its interpreter", (path) => writeFile(path, "#!/no/such/program\n")],
  ["fails when it is asked", (path) => writeFile(path, "#!/bin/sh\nexit 3\n")],
];
/** An approved file that has other bytes now says that before anything else. */
const isEdit = (scope: string, way: string): boolean => scope === "project" && way.includes("asked");

describe.each(Object.entries(LINES))(
  "%s --strict sees that a hook which answered before",
  { tags: "slow" },
  (_name, line) => {
    describe.each(SCOPES)("of the %s", (scope) => {
      test.each(WAYS)("%s", async (way, lose) => {
        for (const says of ["before_tool_call", '{"event":"before_tool_call","fail_open":false}']) {
          await using place = await workspace();
          const path = await place.hook("one", "cat >/dev/null", { scope, says });
          if (scope === "project") await trusted(place);
          await runMain(place, ["run", "before_tool_call", "-q"], { stdin: '{"tool_name":"x","tool_input":{}}' });
          await lose(path);
          const code = isEdit(scope, way) ? "HOOK_REFUSED_CHANGED" : "HOOK_LOST";
          expect((await strictly(place, line)).map((row) => [row.name, row.code])).toEqual([["one", code]]);
          expect(await runMain(place, [...line, "--strict", "--skip", "one"])).toMatchObject({ code: 0 });
        }
      });
    });
  },
);

test("a plan for one event leaves hooks of other events out, and runs no hook", async () => {
  await using place = await workspace();
  await place.hook("later", `touch ${place.dir}/ran`, { says: "agent_stop" });
  await place.write("project/.kodelet/hooks.json", '{"hooks":{"agent_stop":[{"name":"gone","command":"./gone.sh"}]}}');
  await trusted(place);
  const plan = (event: string) => runMain(place, ["run", event, "--dry-run", "--strict"]);
  expect(await plan("before_tool_call")).toMatchObject({ code: 0, stdout: '{"plan":[],"not_ready":[]}\n' });
  expect(await plan("agent_stop")).toMatchObject({ code: 1 });
  expect(await place.read("ran")).toBeNull();
});

describe("run --strict runs the hooks", () => {
  const strict = (place: Workspace, ...more: string[]) =>
    runMain(place, ["run", "before_tool_call", "--strict", "-q", ...more], { stdin: toolCall() });

  test("and exits with 1 if one of them could not be started", async () => {
    await using place = await workspace();
    expect(await strict(place)).toMatchObject({ code: 0, stdout: '{"blocked":false}\n', stderr: "" });
    await place.hook("one", printResponse({}), { scope: "project" });
    const result = await strict(place);
    expect(result).toMatchObject({ code: 1, stdout: expect.stringContaining('"blocked":false') });
    expect(result.stderr).toContain("(HOOK_REFUSED_UNTRUSTED)");
    expect(await strict(place, "--trust")).toMatchObject({ code: 0 });
    expect(await strict(place, "--trust", "--no-hooks")).toMatchObject({ code: 1 });
  });

  test("and with 2 if one of them blocks", async () => {
    await using place = await workspace();
    await place.hook("one", printResponse({}), { scope: "project" });
    await place.hook("two", printResponse({ blocked: true, reason: "no" }));
    expect(await strict(place)).toMatchObject({ code: 2 });
  });
});

describe("a declared command whose script is not there", () => {
  test("is told where it is approved, listed and tested", async () => {
    await using place = await workspace();
    await declare(place, "python3 hooks/one.py");
    const missing = `there is no hooks/one.py (${place.project}/.kodelet/hooks/one.py)`;
    const review = await runMain(place, ["trust", "--show"]);
    expect(review.stdout).toContain(`  missing: one: ${missing}\n`);
    const approved = await runMain(place, ["trust", "--yes"]);
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining(`  missing: one: ${missing}\n`) });
    expect(approved.stdout).toContain(`▲ Approved one, but it cannot start: ${missing}: hookctl test one\n`);
    expect((await runMain(place, ["list"])).stdout).toContain(`✖ one cannot start: ${missing}`);
    const tested = await runMain(place, ["test"]);
    expect(tested).toMatchObject({ code: 1, stdout: expect.stringContaining(`one cannot start: ${missing}\n`) });
  });

  test("is not told of one that is there", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks/one.sh", ":\n");
    await declare(place, "sh hooks/one.sh");
    const approved = await runMain(place, ["trust", "--yes"]);
    expect(approved.stdout + approved.stderr).not.toContain("cannot start");
    expect((await runMain(place, ["list"])).stdout).toContain("1 hook in 1 event, no problems.");
  });
});
