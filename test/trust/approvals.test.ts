import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approvalStates, approveAll, hookInRun, outcomeOf, runToolCall } from "../support/approvals.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { lines, runInProcess, runMain } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const HOOKS = "project/.kodelet/hooks";
const DIR = "/.kodelet/hooks";
const TEXT = "#!/bin/sh\necho before_tool_call\n# ./lib.sh\n";
const SHA = "d9d8cdaa9a4b5c7d";
const SINCE = "2100-01-01T00:00:00.000Z";

const shown = (status: string): string =>
  lines(
    `guard   DIR/project${DIR}/guard   ✖ ${status}`,
    "  sh, 3 lines, 43 bytes; event named in its text: before_tool_call",
    "  │ #!/bin/sh",
    "  │ echo before_tool_call",
    "  │ # ./lib.sh",
    "  file lib.sh:",
    "  │ x",
    "  files: lib.sh (2 bytes)",
  );
const approvedJson = (state: string, sha: string | null): unknown => ({
  schema: "hookctl.trust/1",
  entries: [{ name: "guard", path: `DIR/project${DIR}/guard`, state, since: SINCE, sha256: sha }],
});

const NOTHING_WAITS = "Nothing to approve. List approvals: hookctl trust --list\n";
const denied = lines(
  "✖ guard is denied, so it was not started (HOOK_REFUSED_DENIED)",
  "  Remove the denial: hookctl untrust guard",
);
const missing = "✖ trust needs a terminal to ask you, but there is none. (USAGE_WRONG_WORDS)";
const unknown = (name: string, next: string): string => lines(`✖ Unknown hook "${name}". (USAGE_UNKNOWN_HOOK)`, next);

interface Step {
  readonly call: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
  /** Done to the folder before the call. */
  readonly first?: (place: Workspace) => Promise<unknown>;
}

const stories: { title: string; steps: readonly Step[] }[] = [
  {
    title: "what waits is seen, approved by name, and seen again",
    steps: [
      { call: "trust --list", stdout: "No hooks are approved or denied.\n" },
      {
        call: "trust --show",
        stdout: `${shown("not approved")}\nTo approve what you have read: hookctl trust guard\n`,
      },
      {
        call: "trust",
        stderr: lines(missing, "  Try: hookctl trust --yes, or: hookctl trust NAME"),
        code: 64,
      },
      {
        call: "trust guard",
        stdout: "✔ Approved guard   before_tool_call\n  undo (before you delete the file): hookctl untrust guard\n",
        stderr: shown("not approved"),
      },
      { call: "trust --show", stdout: NOTHING_WAITS },
      { call: "trust --yes", stdout: NOTHING_WAITS },
      {
        call: "untrust",
        stderr: lines(
          "✖ Nothing was removed: without names, untrust asks first, but there is no terminal. (USAGE_WRONG_WORDS)",
          "  Try: hookctl untrust --yes",
        ),
        code: 64,
      },
      { call: "untrust --yes", stdout: "✔ Removed the approval of guard\n" },
      { call: "untrust", stdout: "No hooks of this project are approved.\n" },
    ],
  },
  {
    title: "a denial wins until it is lifted, also when the file is gone",
    steps: [
      { call: "untrust --deny guard", stdout: "✖ Denied guard\n" },
      { call: "trust guard", stdout: "Nothing was approved.\n", stderr: denied, code: 77 },
      { call: "trust --yes", stdout: NOTHING_WAITS },
      {
        call: "untrust guard",
        stdout: "✔ Removed the approval of guard\n",
        first: ({ dir }) => rm(join(dir, HOOKS, "guard")),
      },
    ],
  },
  {
    title: "a hook that was never approved is not said to lose its approval",
    steps: [
      { call: "untrust guard", stdout: "• Was not approved: guard\n" },
      { call: "untrust guard --json", stdout: `${JSON.stringify({ schema: "hookctl.untrust/1", forgotten: [] })}\n` },
    ],
  },
  {
    title: "wrong words say what to type",
    steps: [
      {
        call: "trust --yes --list",
        stderr: lines("✖ --list and --yes cannot be combined. (USAGE_WRONG_WORDS)", "  Try: hookctl trust --help"),
        code: 64,
      },
      {
        call: "untrust --deny",
        stderr: lines("✖ --deny: missing argument NAME. (USAGE_WRONG_WORDS)", "  Try: hookctl untrust --deny NAME"),
        code: 64,
      },
      { call: "trust nobody", stderr: unknown("nobody", "  All hooks: hookctl list"), code: 64 },
      { call: "untrust nobody", stderr: unknown("nobody", "  All hooks: hookctl list"), code: 64 },
    ],
  },
  {
    title: "an approved file that is gone stays known until it is pruned",
    steps: [
      {
        call: "trust --yes",
        stdout: "✔ Approved guard   before_tool_call\n  undo (before you delete the file): hookctl untrust guard\n",
        stderr: shown("not approved"),
      },
      { call: "trust --prune", stdout: "Nothing to remove: every approved file exists.\n" },
      {
        call: "trust --prune",
        stdout: `✔ Removed the approval of guard   DIR/project${DIR}/guard\n`,
        first: ({ dir }) => rm(join(dir, HOOKS, "guard")),
      },
      { call: "trust --list", stdout: "No hooks are approved or denied.\n" },
    ],
  },
];

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.write(`${HOOKS}/guard`, TEXT, 0o755);
  await place.write(`${HOOKS}/lib.sh`, "x\n");
  return place;
}

test.each(stories)("$title", async ({ steps }) => {
  await using place = await setUp();
  for (const { call, first, stdout = "", stderr = "", code = 0 } of steps) {
    await first?.(place);
    expect({ call, ...(await runInProcess(place, call)) }).toEqual({ call, stdout, stderr, code });
  }
});

test.each([
  { answer: "yes", left: {}, code: 0 },
  { answer: "no", left: { guard: "approved", other: "approved" }, code: 77 },
])("untrust without names says how many approvals it removes, and obeys a $answer", async ({ answer, left, code }) => {
  await using place = await setUp();
  await place.hook("other", printResponse({}), { scope: "project" });
  await approveAll(place);
  const shown: string[] = [];
  const terminal = fakeTerminal(async (text) => {
    shown.push(text);
    return answer;
  });
  const host = { isStdinTerminal: () => true, openTerminal: async () => terminal };
  expect(await runInProcess(place, "untrust", { host })).toMatchObject({ code });
  expect(shown.join("")).toMatch(/^2 approvals of this project would be removed; denials stay\.\nRemove them\? /);
  expect(await approvalStates(place)).toEqual(left);
});

test("the verbs say the same from a real process, in a pipe", async () => {
  await using place = await setUp();
  const stderr = shown("not approved").replaceAll("DIR", place.dir);
  const stdout = "✔ Approved guard   before_tool_call\n  undo (before you delete the file): hookctl untrust guard\n";
  expect(await runMain(place, ["trust", "--yes"])).toEqual({ stdout, stderr, code: 0, signal: null });
  const forgot = { stdout: "✔ Removed the approval of guard\n", stderr: "", code: 0, signal: null };
  expect(await runMain(place, ["untrust", "--yes"])).toEqual(forgot);
});

const states: { title: string; state: string; change: (file: string, place: Workspace) => Promise<unknown> }[] = [
  { title: "as it was approved", state: "approved", change: async () => undefined },
  { title: "edited", state: "changed", change: (file, place) => place.write(file, `${TEXT}:\n`, 0o755) },
  { title: "with the mode of another umask", state: "approved", change: (file) => chmod(file, 0o700) },
  { title: "with a set-user-ID bit", state: "changed", change: (file) => chmod(file, 0o4755) },
  { title: "with an edited helper", state: "changed", change: (_file, place) => place.write(`${HOOKS}/lib.sh`, "y\n") },
  { title: "not executable any more", state: "gone", change: (file) => chmod(file, 0o644) },
  { title: "gone", state: "gone", change: (file) => rm(file) },
];

test.each(states)("trust --list --json tells of a hook that is $title", async ({ state, change }) => {
  await using place = await setUp();
  const output = JSON.parse((await runInProcess(place, "trust guard --json")).stdout);
  const { sha256 } = output.approved[0];
  expect(output).toEqual({
    schema: "hookctl.trust/1",
    approved: [
      {
        name: "guard",
        path: `DIR/project${DIR}/guard`,
        sha256,
        events: ["before_tool_call"],
        missing: null,
        never_runs: null,
      },
    ],
    denied: [],
  });
  await change(join(place.dir, HOOKS, "guard"), place);
  const list = await runInProcess(place, "trust --list --json");
  expect({ ...list, stdout: JSON.parse(list.stdout) }).toEqual({
    stdout: approvedJson(state, sha256),
    stderr: "",
    code: 0,
  });
});

test("a changed hook is shown by what differs", async () => {
  await using place = await setUp();
  await approveAll(place);
  await place.write(`${HOOKS}/guard`, TEXT.replace("echo", "exec echo"), 0o755);
  const listed = await runInProcess(place, "list");
  expect(listed.stdout).toContain("  1  guard            project  ✖ changed   prio 100 ");
  expect(listed.stdout).toContain("Review it: hookctl trust guard\n");
  const { stdout } = await runInProcess(place, "trust --show guard");
  expect(stdout).toMatch(/\nTo approve what you have read: hookctl trust guard\n$/);
  expect(stdout).toContain(
    "  changed: its content\n  line 1\n    #!/bin/sh\n  - echo before_tool_call\n  + exec echo before_tool_call\n    # ./lib.sh\n",
  );
});

test("a hook whose file is gone is not listed as changed", async () => {
  await using place = await setUp();
  await approveAll(place);
  await rm(join(place.dir, HOOKS, "guard"));
  const { stdout } = await runInProcess(place, "list");
  expect(stdout).toContain("  guard            project  ✖ it does not exist   prio 100 ");
  expect(stdout).not.toContain("changed");
});

test("nothing is approved where one of them lies unsafe", async () => {
  await using place = await setUp();
  const file = await place.write(`${HOOKS}/open`, TEXT, 0o757);
  const result = await runInProcess(place, "trust --yes");
  const stderr = lines(
    `✖ Nothing was approved: DIR/${HOOKS}/open is writable by group or others. (TRUST_UNSAFE_PLACE)`,
    `  Other users could change what you approve. Fix: chmod go-w DIR/${HOOKS}/open`,
  );
  expect(result).toEqual({ stdout: "", stderr, code: 77 });
  await chmod(file, 0o755);
  expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
});

test.each([
  ["trust --yes", "/.kodelet/hooks/guard cannot be approved: it can load too many files", "/.kodelet/hooks"],
  ["trust --digest", " has no digest: too many files next to its hooks", "/.kodelet"],
])(
  "%s with a named folder without an end says what to take out, and not to change a mode",
  async (call, what, where) => {
    await using place = await setUp();
    await place.write(`${HOOKS}/guard`, `${TEXT}for file in "$here/deep"/*; do . "$file"; done\n`, 0o755);
    await place.write(`${HOOKS}/${"deep/".repeat(19)}x`, "");
    const stderr = lines(
      `✖ Nothing was approved: DIR/project${what}, or some cannot be read. (TRUST_UNSAFE_PLACE)`,
      `  Remove files that no hook needs: ls -laR DIR/project${where}`,
    );
    expect(await runInProcess(place, call)).toEqual({ stdout: "", stderr, code: 77 });
  },
);

describe("a guard does not vanish", () => {
  const ways: { title: string; lose: (place: Workspace, file: string) => Promise<unknown> }[] = [
    { title: "gone", lose: (_place, file) => rm(file) },
    { title: "not executable", lose: (_place, file) => chmod(file, 0o644) },
    { title: "gone with its folder", lose: ({ project }) => rm(join(project, ".kodelet"), { recursive: true }) },
  ];
  const kinds = [
    { says: '{"event":"before_tool_call","fail_open":false}', decision: "block" },
    { says: '{"event":"before_tool_call"}', decision: "continue" },
  ];
  const rows = ways.flatMap((way) => kinds.map((kind) => ({ ...way, ...kind })));
  test.each(rows)("$title: $says → $decision", async ({ says, decision, lose }) => {
    await using place = await workspace();
    const file = await place.hook("guard", printResponse({}), { scope: "project", says });
    await approveAll(place);
    await lose(place, file);
    expect(await runToolCall(place)).toMatchObject({ decision });
    await approveAll(place, "trust --prune");
    expect(await runToolCall(place)).toMatchObject({ decision: "continue", hooks: [] });
  });

  const edits = [
    { says: '{"event":"before_tool_call","observe":true}', decision: "continue" },
    { says: '{"event":"before_tool_call"}', decision: "block" },
  ];
  test.each(edits)("edited: $says → $decision", async ({ says, decision }) => {
    await using place = await workspace();
    const file = await place.hook("guard", printResponse({}), { scope: "project", says });
    await approveAll(place);
    await place.write(file, TEXT, 0o755);
    const run = await runToolCall(place);
    expect(run.decision).toBe(decision);
    expect(hookInRun(run, "guard").failure?.code).toBe("HOOK_REFUSED_CHANGED");
  });
});

test("HOOKCTL_TRUST approves for the call when it is the digest, and warns when it is not", async () => {
  await using place = await setUp();
  const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(hookInRun(await runToolCall(place, "", { HOOKCTL_TRUST: digest }), "guard").exit_code).toBe(0);
  const other = await runToolCall(place, "", { HOOKCTL_TRUST: `sha256:${SHA}` });
  expect(other.warnings.join()).toContain("HOOKCTL_TRUST");
  expect(hookInRun(other, "guard").outcome).toBe("refused");
  expect(await outcomeOf(place, "guard")).toBe("refused HOOK_REFUSED_UNTRUSTED");
  await place.write(`${HOOKS}/lib.sh`, "y\n");
  expect((await runInProcess(place, "trust --digest")).stdout.trim()).not.toBe(digest);
  expect(parseListJson(await runInProcess(place, "list --json")).hooks).toMatchObject([{ trust: "untrusted" }]);
});

describe("trust says why no call runs what it approved", () => {
  const rows = [
    [
      "a misspelt event",
      "echo before_tool_cal",
      /declared the unknown event "before_tool_cal"\. Did you mean before_tool_call\?/,
    ],
    ["no event", "exit 3", /`guard hook` failed: exit 3/],
    [
      "a match of no tool",
      `echo '{"event":"before_tool_call","match":{"tool_name":"bsh"}}'`,
      /never matches a tool of any agent/,
    ],
    [
      "a match of no field",
      `echo '{"event":"before_tool_call","match":{"tol_name":"bash"}}'`,
      /names the field tol_name/,
    ],
  ] as const;
  test.each(rows)("%s", async (_, says, why) => {
    await using place = await workspace();
    await place.write(`project${DIR}/guard`, `#!/bin/sh\n${says}\n`, 0o755);
    const { stdout } = await runMain(place, ["trust", "guard", "--json"]);
    expect(JSON.parse(stdout).approved).toMatchObject([{ name: "guard", never_runs: expect.stringMatching(why) }]);
    await runMain(place, ["untrust", "guard"]);
    const shown = await runMain(place, ["trust", "guard"]);
    expect(shown.stdout).toMatch(/^▲ Approved guard, but (?:it cannot run|no call runs it): /);
    expect(shown.stdout).toMatch(why);
  });
});

test("an event of no known name is told before anything is approved", async () => {
  await using place = await workspace();
  await place.write(`project${DIR}/typo`, `#!/bin/sh\necho '{"event":"before_toolcall"}'\n`, 0o755);
  const why = 'declares the unknown event "before_toolcall" (before_tool_call?)';
  for (const words of [["list"], ["trust", "--show", "typo"], ["doctor"]])
    expect((await runMain(place, words)).stdout).toContain(why);
});

test("trust of a file without its execute bit says so", async () => {
  await using place = await workspace();
  const file = await place.write(`project${DIR}/guard`, "#!/bin/sh\necho before_tool_call\n", 0o644);
  expect(await runMain(place, ["trust", "guard"])).toMatchObject({
    stderr: lines(
      "✖ guard has no execute bit, so it is not a hook yet. (USAGE_WRONG_WORDS)",
      `  Try: chmod +x ${file}`,
    ),
    code: 64,
  });
});
