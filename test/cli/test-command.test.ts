import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { lifeline } from "../support/lifeline.ts";
import { printResponse, touch } from "../support/shell.ts";
import { HANG_TIMEOUT_MS, HOOKCTL_PROGRAM, HOOKCTL_WORDS, type Workspace, workspace } from "../support/workspace.ts";

const inProject = { scope: "project" } as const;

/** A project hook that leaves a file however it is started. */
const canary = (place: Workspace, name = "upload-logs") =>
  place.hook(name, `#!/bin/sh\n${touch(join(place.dir, "canary"))}\necho before_tool_call\n`, inProject);

/** Without what differs from call to call: a busy machine takes seconds, or minutes. */
const settled = (text: string): string => text.replaceAll(/ +[\d.]+ (?:ms|s|min)\b(?: {2,})?/g, " TIME");

test("the report is the answer: a line for each hook, what is wrong, what to do, and the sum", async () => {
  await using place = await workspace();
  await place.hook("guard", "cat > /dev/null; echo checking; printf '{}'", inProject);
  await place.hook("other", "cat > /dev/null", inProject);
  const result = await runMain(place, ["test", "./.kodelet/hooks"]);
  expect(result).toMatchObject({ stderr: "", code: 1, signal: null });
  expect(settled(result.stdout).split("\n")).toEqual([
    " ✖ guard                            14 checks, 1 failed TIME",
    "   .kodelet/hooks/guard",
    "   ✖ prints one JSON object or nothing",
    '     guard did not print valid JSON: line 1, expected a value, found "c" ("checking")',
    "       line 1  checking   ← not JSON",
    "       line 2  {}",
    '     Hint: Keep stdout for JSON; log to stderr: echo "…" >&2',
    "     Run again: hookctl test -v ./.kodelet/hooks/guard",
    "   • 2 checks skipped: there is no response to check (-v lists them)",
    " ✔ other                            16 checks TIME",
    "",
    expect.stringMatching(/^✖ 1 failed, 29 passed, 2 skipped, 2 hooks, TIME$/),
    "failed: guard",
    expect.stringMatching(/^slowest: \w+, TIME$/),
    "",
  ]);
});

test("-v names the checks and test cases that were left out, below the reason that they have in common", async () => {
  await using place = await workspace();
  await place.hook("guard", ":", { ...inProject, says: "no event" });
  const one = {
    name: "blocks rm",
    event: "before_tool_call",
    payload: { tool_name: "bash", tool_input: {} },
    expect: { decision: "block" },
  };
  await place.write("project/.kodelet/tests/guard.json", JSON.stringify({ hook: "guard", cases: [one] }));
  const [short, long] = [await runMain(place, ["test", "."]), await runMain(place, ["test", ".", "-v"])];
  const output = parseTestJson(await runMain(place, ["test", ".", "--json"]));
  const names = output.hooks[0]?.left_out.map(({ name }) => name) ?? [];
  expect(names).toContain("blocks rm");
  const why = `   • ${names.length} checks skipped: it did not declare its event`;
  expect(short).toMatchObject({ stderr: "", code: 1, stdout: expect.stringContaining(`${why} (-v lists them)\n\n`) });
  const rows = names.map((name) => `     ${name}\n`).join("");
  expect(long).toMatchObject({ stderr: "", code: 1, stdout: expect.stringContaining(`${why}\n${rows}\n`) });
});

test("a hook that passed is one line, -v names each check, -q says only the sum", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", "cat > /dev/null", inProject);
  const path = "./.kodelet/hooks";
  const [short, long] = [await runMain(place, ["test", path]), await runMain(place, ["test", path, "-v"])];
  expect(short).toMatchObject({ stderr: "", code: 0 });
  expect(long).toMatchObject({ stderr: "", code: 0 });
  const [, count = ""] = /^ ✔ guard +(\d+) checks /.exec(short.stdout) ?? [];
  expect(short.stdout.match(/^ {3}/gm)).toBeNull();
  expect(long.stdout.match(/^ {3}✔ /gm)).toHaveLength(Number(count));
  expect(long.stdout).toContain("   ✔ may be executed\n");
  const quiet = await runMain(place, ["test", path, "-q"]);
  expect(quiet).toMatchObject({ stderr: "", code: 0, stdout: expect.stringMatching(/^✔ 16 passed, 1 hook, .*\n$/) });
});

test("--json is exactly the promised record and more, and its numbers count checks", async () => {
  await using place = await workspace();
  const path = await place.hook("guard", printResponse({ blocked: true }));
  await canary(place);
  const result = await runMain(place, ["test", "--json"]);
  expect(result).toMatchObject({ stderr: "", code: 1, signal: null });
  const output = parseTestJson(result);
  expect(output).toMatchObject({ schema: "hookctl.test/1", hooks: [{ name: "guard", path, passed: false }] });
  const checks = output.hooks.flatMap((hook) => hook.checks);
  const each = { name: expect.any(String), passed: expect.any(Boolean), duration_ms: expect.any(Number) };
  for (const check of checks) expect(check).toMatchObject(each);
  expect(checks.find(({ name }) => name === "declares its event")).toMatchObject({ passed: true, message: null });
  // One hook was looked at, with one fault; the other, which nobody approved, misses all of its checks.
  expect({ ...output, hooks: [] }).toMatchObject({ passed: checks.length - 1, failed: 1, skipped: checks.length });
  expect(output.skipped_hooks).toMatchObject([
    { name: "upload-logs", hint: "Read it, then: hookctl trust upload-logs" },
  ]);
  expect(await place.read("canary")).toBeNull();
});

const refusals: {
  readonly title: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly stderr: string;
  readonly stdout?: string;
  readonly env?: Readonly<Record<string, string>>;
}[] = [
  {
    title: "a name is no approval",
    args: ["test", "upload-logs"],
    code: 77,
    stderr:
      "✖ Nothing to test: 1 hook is not approved (upload-logs). (NOTHING_TO_TEST)\n  Read it, then: hookctl trust upload-logs\n",
    stdout: "Skipped\n • upload-logs: upload-logs is not approved, so it was not started\n",
  },
  {
    title: "no word is no approval",
    args: ["test"],
    code: 77,
    stderr: "(NOTHING_TO_TEST)\n  Read it, then: hookctl trust upload-logs\n",
    stdout: "Skipped\n",
  },
  {
    title: "--hooks-dir is no approval",
    args: ["test", "--hooks-dir", ".kodelet/hooks"],
    code: 77,
    stderr: "(NOTHING_TO_TEST)\n",
    stdout: "Skipped\n",
  },
  {
    title: "an unknown name names the nearest",
    args: ["test", "upload-log"],
    code: 64,
    stderr: '✖ Unknown hook "upload-log". Did you mean upload-logs? (USAGE_UNKNOWN_HOOK)\n  All hooks: hookctl list\n',
  },
  {
    title: "a path where nothing is",
    args: ["test", "./nowhere"],
    code: 64,
    stderr:
      "✖ ./nowhere does not exist. (USAGE_NO_SUCH_PATH)\n  A path starts with ./, ../ or /. All hook names: hookctl list\n",
  },
  {
    title: "--hook that fits nothing",
    args: ["test", "--hook", "upload-lgs"],
    code: 64,
    stderr: '✖ Unknown hook "upload-lgs". Did you mean upload-logs? (USAGE_UNKNOWN_HOOK)\n',
  },
  {
    title: "--skip of everything",
    args: ["test", ".", "--skip", "upload-logs"],
    code: 64,
    stderr: "✖ Nothing to test: everything found is skipped (upload-logs). (NOTHING_TO_TEST)\n",
    stdout: "Skipped\n • upload-logs: skipped by --skip\n",
  },
  {
    title: "a folder without hooks",
    args: ["test", "../empty"],
    code: 64,
    stderr:
      "✖ Nothing to test: no hooks found in ../empty. (NOTHING_TO_TEST)\n  A hook is an executable file directly in this folder; its sub-folders are not searched.\n",
  },
  {
    title: "a file that is no hook",
    args: ["test", "../empty/README.md"],
    code: 64,
    stderr: "✖ Nothing to test: everything found is skipped (README.md). (NOTHING_TO_TEST)\n",
    stdout: "Skipped\n • README.md: no execute bit\n",
  },
  { title: "--no-hooks", args: ["test", ".", "--no-hooks"], code: 64, stderr: "hooks are disabled" },
  {
    title: "too deep a recursion",
    args: ["test", "."],
    env: { HOOKCTL_DEPTH: "3" },
    code: 75,
    stderr: "hookctl was called by its own hooks, 3 levels deep. (RECURSION)\n",
  },
  {
    title: "no place for a scratch folder",
    args: ["test", "."],
    env: { TMPDIR: "/no/such/place" },
    code: 70,
    stderr: "✖ Cannot create a scratch folder in /no/such/place: ENOENT. (SCRATCH_MISSING)\n",
  },
];

test.each(refusals)("nothing is started: $title", async ({ args, code, stderr, stdout = "", env = {} }) => {
  await using place = await workspace();
  await canary(place);
  await place.write("empty/README.md", "words");
  const result = await runMain(place, args, { env: { CI: "true", ...env } });
  expect(result).toMatchObject({ code, signal: null, stderr: expect.stringContaining(stderr) });
  expect(result.stdout.startsWith(stdout)).toBe(true);
  if (stdout === "") expect(result.stdout).toBe("");
  expect(await place.read("canary")).toBeNull();
});

test("only what was named is asked", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 0");
  await place.hook("other", `#!/bin/sh\n${touch(join(place.dir, "canary"))}\necho before_tool_call\n`);
  const calls = [["guard"], ["--hook", "gu*"], ["--skip", "other"], ["../home/.kodelet/hooks/guard"]];
  for (const words of calls) {
    const result = await runMain(place, ["test", "--json", ...words]);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(parseTestJson(result).hooks.map(({ name }) => name)).toEqual(["guard"]);
  }
  expect(await place.read("canary")).toBeNull();
});

test("a hook that the settings require and that is nowhere is a failed check", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"required":true}}}');
  const result = await runMain(place, ["test"]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain("✖ may be executed\n     guard is required by your settings, but does not exist\n");
});

test("a name cannot steer a terminal, and what to type for it is one word of a shell", async () => {
  await using place = await workspace();
  await place.hook("it's \u001b[2J", "exit 0", inProject);
  for (const words of [["."], []]) {
    const result = await runMain(place, ["test", ...words]);
    expect(result).toMatchObject({ code: words.length === 0 ? 77 : 0, signal: null });
    expect(result.stdout + result.stderr).toContain("it's \\u001b[2J");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there is none is the point.
    expect(result.stdout + result.stderr).not.toMatch(/\u001b/);
    if (words.length === 0) expect(result.stdout).toContain("hookctl trust $'it\\'s \\x1b[2J'\n");
  }
});

test("colour changes no column", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 1");
  const [plain, coloured] = [await runMain(place, ["test"]), await runMain(place, ["test", "--color", "always"])];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them.
  const bare = coloured.stdout.replaceAll(/\u001b\[\d+m/g, "");
  expect(coloured).toMatchObject({ code: 1, stderr: "" });
  expect(coloured.stdout).not.toBe(bare);
  expect(settled(bare)).toBe(settled(plain.stdout));
});

test("settings that cannot be used are told before anything is started: 78", async () => {
  await using place = await workspace();
  await canary(place);
  await place.write("project/.kodelet/hooks.json", '{"settings":{"timout":"1s"}}');
  const result = await runMain(place, ["test", "."]);
  expect(result).toMatchObject({ code: 78, stdout: "", stderr: expect.stringContaining("(CONFIG_UNKNOWN_KEY)") });
  expect(await place.read("canary")).toBeNull();
});

test.each([
  { word: "." },
  { word: "./.kodelet" },
  { word: "./.kodelet/hooks/" },
  { word: "./.kodelet/hooks/upload-logs" },
])("the path $word approves what lies there, for this call", async ({ word }) => {
  await using place = await workspace();
  await canary(place);
  const result = await runMain(place, ["test", word, "--json"]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(parseTestJson(result)).toMatchObject({ hooks: [{ name: "upload-logs" }], skipped_hooks: [] });
  expect(await place.read("canary")).toBe("");
  const next = await runMain(place, ["list", "--json"]);
  expect(next.stdout).toContain('"trust":"untrusted"');
});

test("a file in an unsafe place is a failed check by path, too, and is not started", async () => {
  await using place = await workspace();
  const path = await canary(place);
  await place.write(path, (await place.read(path)) ?? "", 0o777);
  const result = await runMain(place, ["test", "./.kodelet/hooks"]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain(`${path} is writable by group or others\n     Hint: Other users could change it.`);
  expect(await place.read("canary")).toBeNull();
});

test("a link that leads out of the project is a failed check, and is not started", async () => {
  await using place = await workspace();
  const outside = await place.write("elsewhere", `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n`, 0o755);
  await execa("ln", ["-s", outside, join(place.project, ".kodelet/hooks/guard")]);
  const result = await runMain(place, ["test", "."]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain("it links to a file outside the project");
  expect(await place.read("canary")).toBeNull();
});

test("what is passed over for a good reason does not fail, and is no hook", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 0", inProject);
  for (const name of [".hidden", "old.disable", "copy~", "kept.bak"]) await place.hook(name, "exit 1", inProject);
  await place.write("project/.kodelet/hooks/README.md", "words");
  await mkdir(join(place.project, ".kodelet/hooks/lib"));
  const result = await runMain(place, ["test", ".", "--json"]);
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(parseTestJson(result)).toMatchObject({ hooks: [{ name: "guard", passed: true }], failed: 0, skipped: 0 });
});

test("a project hook that hides the user's is told, and the hidden one is skipped", async () => {
  await using place = await workspace();
  const hidden = await place.hook("guard", "exit 0");
  await place.hook("guard", "exit 0", inProject);
  const result = await runMain(place, ["test", "--trust"]);
  expect(result).toMatchObject({ stderr: "▲ --trust: 1 project hook approved for this call only\n", code: 0 });
  expect(await runMain(place, ["test", "--trust", "-q"])).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain(`✔ has a unique name\n     ▲ it replaces ${hidden}, which never runs\n`);
  expect(result.stdout).toContain("Skipped\n • guard: replaced by a hook of the same name in an earlier folder\n");
});

test("hooks run in scratch folders with HOOKCTL_DRY_RUN, and nothing of them stays", async () => {
  await using place = await workspace();
  const seen = join(place.dir, "seen");
  const writes = `for d in . "$HOME" "$TMPDIR" "$HOOKCTL_PROJECT_DIR"; do echo x > "$d/left-behind"; done`;
  const tells = `printf '%s\\n' "$HOOKCTL_DRY_RUN" "$HOME" "$TMPDIR" "$HOOKCTL_PROJECT_DIR" "$PWD" "$XDG_STATE_HOME" > ${seen}`;
  await place.hook("guard", `cat > /dev/null; ${writes}; ${tells}`);
  const env = { TMPDIR: join(place.dir, "tmp"), XDG_STATE_HOME: join(place.dir, "state") };
  await mkdir(env.TMPDIR);
  const result = await runMain(place, ["test", "guard"], { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  const [dryRun, ...places] = ((await place.read("seen")) ?? "").trimEnd().split("\n");
  expect(dryRun).toBe("1");
  expect(places).toHaveLength(4);
  for (const scratch of places) expect(scratch.startsWith(`${env.TMPDIR}/hookctl-scratch-`)).toBe(true);
  expect(await readdir(env.TMPDIR)).toEqual([]);
  const left = (await readdir(place.dir, { recursive: true })).filter((path) => path.includes("left-behind"));
  expect(left).toEqual([]);
});

test("-v shows what a hook printed, safe for a terminal and without secrets", async () => {
  await using place = await workspace();
  await place.hook("guard", `cat > /dev/null; printf '\\033[2Jtoken %s\\n' "$MY_TOKEN" >&2; ${printResponse({})}`);
  const env = { MY_TOKEN: "hush-hush-hush" };
  const result = await runMain(place, ["test", "guard", "-v"], { env });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("     stdout | {}\n     stderr | \\u001b[2Jtoken [redacted]\n");
  expect(result.stdout).not.toContain("hush-hush");
  const silent = await runMain(place, ["test", "guard"], { env });
  expect(silent.stdout).not.toContain("stderr |");
});

test("a secret in a fault is taken out before it is told", async () => {
  await using place = await workspace();
  await place.hook("guard", `cat > /dev/null; echo "no $MY_TOKEN"; echo "bad $MY_TOKEN" >&2; exit 1`);
  await place.hook("loud", `cat > /dev/null; echo "no $MY_TOKEN"`);
  for (const flags of [[], ["--json"], ["-v"]]) {
    const result = await runMain(place, ["test", ...flags], { env: { MY_TOKEN: "hush-hush-hush" } });
    expect(result).toMatchObject({ stderr: "", code: 1, stdout: expect.stringContaining("[redacted]") });
    expect(result.stdout).not.toContain("hush-hush");
  }
});

test.each([
  { signal: "SIGINT", code: 130 },
  { signal: "SIGTERM", code: 143 },
  { signal: "SIGHUP", code: 129 },
] as const)(
  "$signal ends the hook with all it started, removes the scratch and exits $code",
  { tags: "slow" },
  async ({ signal, code }) => {
    await using place = await workspace();
    await using life = await lifeline(place.dir);
    await place.hook("slow", `trap '' TERM INT HUP; ${life.hold}; sleep 30 & sleep 30`);
    const tmp = join(place.dir, "tmp");
    await mkdir(tmp);
    const running = execa(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "test", "slow"], {
      cwd: place.project,
      env: { ...place.env, TMPDIR: tmp },
      extendEnv: false,
      reject: false,
      timeout: HANG_TIMEOUT_MS,
      killSignal: "SIGKILL",
    });
    await life.held;
    running.kill(signal);
    const { exitCode, stdout, stderr } = await running;
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: code, stdout: "", stderr: "" });
    expect(await life.released).toBe("held\n");
    expect(await readdir(tmp)).toEqual([]);
  },
);
