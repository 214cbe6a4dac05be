import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approvalStates } from "../support/approvals.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { type InProcessOptions, runInProcess } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { toolCall } from "../support/payloads.ts";
import type { Workspace } from "../support/workspace.ts";
import { at, bridge, call, decisionAt, FILE, MINUTE, NOON, off, REASON, RESET, STATE, says, setUp } from "./off.ts";

test("a person switches hooks and guards off for a while: asked, recorded, and over by itself", async () => {
  await using place = await setUp();
  const shown: string[] = [];
  const openTerminal = async () =>
    fakeTerminal(async (text) => {
      shown.push(text);
      return "y";
    });
  const result = await call(place, "off deny git --for 10m", 0, { host: { openTerminal } });
  expect(shown.join("")).toContain("These would be off for 10 min, until 12:10, in ");
  expect(shown.join("")).toMatch(/ {2}deny +user .*\n {2}git +built-in guard /);
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toMatch(/^deny +off until 12:10 in DIR\/project, by \S+\ngit .*\n.*hookctl on deny git\n$/);
  const file = await stat(join(place.dir, FILE));
  expect(file.mode & 0o777).toBe(0o600);
  const decisions = [];
  for (const minutes of [-1, 0, 9.99, 10, 11, 5]) decisions.push(await decisionAt(place, minutes));
  // The call after the end removed the pauses, so a clock that goes back does not bring them back.
  expect(decisions).toEqual(["block", "continue", "continue", "block", "block", "block"]);
  expect(await place.read(FILE)).toBeNull();
});

describe("while a hook is off", () => {
  const WARNINGS = [`deny is ${REASON}`, `git is ${REASON}`];

  test("a run tells it on stderr, in its record and in the audit log", async () => {
    await using place = await setUp();
    await off(place);
    const result = await call(place, "run before_tool_call --json", 1, { stdin: RESET });
    const told = WARNINGS.map((one) => `▲ ${one}\n`).join("");
    expect(result).toMatchObject({ stderr: expect.stringContaining(told), code: 0 });
    const run = parseRunJson(result);
    expect(run.warnings).toEqual(WARNINGS);
    expect(run.hooks.filter(({ why }) => why === REASON).map(({ name }) => name)).toEqual(["deny", "git"]);
    const plain = await call(place, "run before_tool_call", 1, { stdin: RESET });
    expect(plain.stdout).toBe(`${JSON.stringify({ blocked: false, warnings: WARNINGS })}\n`);
    const log = ((await place.read(`${STATE}/audit.jsonl`)) ?? "")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(log.slice(0, 2)).toMatchObject([
      { kind: "hook_paused", hook: "deny", project: place.project, until: new Date(NOON + 10 * MINUTE).toISOString() },
      { kind: "hook_paused", hook: "git" },
    ]);
    expect(log[2]).toMatchObject({ event: "before_tool_call", guard_warnings: [{ hook: "deny" }, { hook: "git" }] });
    expect((await call(place, "why", 1)).stdout).toContain(REASON);
    expect((await call(place, "log", 1)).stdout).toMatch(/12:00:00 {2}deny off until 12:10:00 in DIR\/project, by /);
  });

  test("every command that shows hooks shows it", async () => {
    await using place = await setUp();
    await place.hook("theirs", "exit 0", { scope: "project" });
    await off(place, "deny git theirs --for 10m");
    const listed = await call(place, "list", 1);
    expect(listed.stdout).toMatch(/off +deny .*off until 12:10 \(hookctl off\)\n/);
    expect(listed.stdout).toContain("3 off");
    const hooks = parseListJson(await call(place, "list --json", 1)).hooks;
    expect(hooks.find(({ name }) => name === "git")).toMatchObject({ enabled: false, disabled_reason: REASON });
    const strict = await call(place, "list --strict --json", 1);
    expect(strict.code).toBe(1);
    const notReady = JSON.parse(strict.stdout).not_ready.filter(({ code }: { code: string }) => code === "HOOK_PAUSED");
    const hint = "To end that now: hookctl on deny";
    expect(notReady).toMatchObject([
      { name: "theirs" },
      { name: "deny", message: `deny is ${REASON}`, hint },
      { name: "git" },
    ]);
    const guards = await call(place, "guards", 1);
    expect(guards.stdout).toMatch(/paused +git +off until 12:10 \(hookctl off\), /);
    const guardsJson = JSON.parse((await call(place, "guards --json", 1)).stdout);
    expect(guardsJson.guards.find(({ name }: { name: string }) => name === "git")).toMatchObject({
      ...{ enabled: false, disabled_reason: REASON },
    });
    expect((await call(place, "doctor", 1)).stdout).toMatch(
      /git is off until 12:10.*\n +To end that now: hookctl on git/,
    );
    expect((await call(place, "trust --show theirs", 1)).stdout).toContain(`  ${REASON}\n`);
    expect((await call(place, "run before_tool_call --dry-run", 1)).stderr).toMatch(/deny .* off until 12:10/);
    const explained = await runInProcess(place, "explain", {
      host: { ...at(1), argv: ["explain", "git reset --hard"] },
    });
    expect(explained).toMatchObject({ stdout: expect.stringContaining(`git is ${REASON}`), code: 0 });
    expect((await call(place, "off", 1)).stdout).toMatch(/^deny +off until 12:10 in DIR\/project, by /);
  });

  test("the person at an agent is told, at the start of a session also of other events", async () => {
    await using place = await setUp();
    await off(place);
    const start = await bridge(place, "SessionStart");
    expect(start.systemMessage).toContain(`hookctl: deny is ${REASON}`);
    expect(start.systemMessage).toContain(`hookctl: git is ${REASON}`);
    expect(await bridge(place, "PreToolUse")).toEqual({});
    const later = await bridge(place, "PreToolUse", {}, { session_id: "later" });
    expect(later.systemMessage).toContain(`hookctl: git is ${REASON}`);
  });

  test("a registration is made as if it were on, and a test tests it", async () => {
    await using place = await setUp();
    await place.hook("late", "exit 0", { says: "agent_stop" });
    await off(place, "late --for 10m");
    const printed = await call(place, "install claude --print", 1);
    expect(printed.stdout).toContain('"Stop"');
    expect(await call(place, "test late", 1)).toMatchObject({ stdout: expect.stringContaining("1 hook"), code: 0 });
  });

  test("`on` ends it, and an agent may do that with a guard", async () => {
    await using place = await setUp();
    await off(place);
    const agent = { env: { CLAUDECODE: "1" } };
    expect(await call(place, "on git", 1, agent)).toEqual({ stdout: "✔ git: on\n", stderr: "", code: 0 });
    const hook = await call(place, "on deny", 1, { ...agent, host: says("no") });
    expect(hook).toMatchObject({ stdout: "", stderr: expect.stringContaining("TRUST_NEEDS_PERSON"), code: 77 });
    expect(await call(place, "on git", 1)).toEqual({ stdout: "git: already on\n", stderr: "", code: 0 });
    expect(await call(place, "on gti", 1)).toMatchObject({ stdout: "", code: 64 });
    expect((await call(place, "off --json", 1)).stdout).toContain('"name":"deny"');
    expect(await decisionAt(place, 1)).toBe("block");
  });

  test("`enable` does not say that it is on", async () => {
    await using place = await setUp();
    await off(place, "git --for 10m");
    expect(await call(place, "enable git", 1)).toEqual({
      code: 1,
      stdout: `✖ git stays off: ${REASON}\nAll guards: hookctl guards\n`,
      stderr: "",
    });
    expect((await call(place, "enable git", 11)).stdout).toMatch(/^git: already on/);
  });

  test("outside of a project it counts everywhere", async () => {
    await using place = await setUp();
    const stdout = await call(place, "off git --for 10m --dry-run", 0, { host: { cwd: place.home } });
    expect(stdout.stdout).toContain("until 12:10, everywhere:");
  });

  test("it counts in its project alone, unless it was meant everywhere", async () => {
    await using place = await setUp();
    await place.write("other/.kodelet/README.md", "");
    await off(place, "git --for 10m");
    const other = { host: { cwd: join(place.dir, "other") } };
    await place.hook("deny", "exit 0");
    expect(await call(place, "off", 1)).toMatchObject({ stdout: expect.stringMatching(/^git +off until 12:10 /) });
    expect(await decisionAt(place, 1, other)).toBe("block");
    await off(place, "git --for 10m --everywhere");
    expect(await decisionAt(place, 1, other)).toBe("continue");
  });
});

const refusals: { title: string; args: string; options?: InProcessOptions; code: number; says: string }[] = [
  { title: "a no", args: "deny --for 10m", options: { host: says("n") }, code: 77, says: "TRUST_NOT_CONFIRMED" },
  {
    title: "no terminal",
    args: "deny --for 10m",
    options: { host: says(null) },
    code: 77,
    says: "TRUST_NOT_CONFIRMED",
  },
  {
    title: "no terminal at all",
    args: "deny --for 10m",
    options: { host: { openTerminal: async () => null } },
    code: 77,
    says: "TRUST_NOT_CONFIRMED",
  },
  {
    title: "an agent above, even with a yes",
    args: "deny --for 10m",
    options: { env: { CLAUDECODE: "1" } },
    code: 77,
    says: "TRUST_NEEDS_PERSON",
  },
  { title: "no duration", args: "deny", code: 64, says: "hookctl off deny --for 10m" },
  { title: "no name", args: "--for 10m", code: 64, says: "missing argument NAME" },
  ...["--for 10m --here --everywhere", "--for good --scope project --here", "--scope project --everywhere"].map(
    (places) => ({ title: places, args: `git ${places}`, code: 64, says: "cannot be combined. (USAGE_WRONG_WORDS)" }),
  ),
  { title: "more than a day", args: "deny --for 25h", code: 64, says: "USAGE_BAD_VALUE" },
  { title: "less than a second", args: "deny --for 10ms", code: 64, says: "USAGE_BAD_VALUE" },
  { title: "an unknown name", args: "dney --for 10m", code: 64, says: "Did you mean deny?" },
  { title: "a guard that is not on", args: "cloud --for 10m", code: 64, says: "cloud is off already" },
];
test.each(refusals)("$title changes nothing", async ({ args, options, code, says: text }) => {
  await using place = await setUp();
  const result = await call(place, `off ${args}`, 0, options);
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(text), code });
  expect(await place.read(FILE)).toBeNull();
  expect(await decisionAt(place, 0)).toBe("block");
});

test("what cannot be recorded does not count", async () => {
  await using place = await setUp();
  await place.write(`${STATE}/audit.jsonl/in-the-way`, "");
  expect(await off(place)).toMatchObject({ stdout: "", stderr: expect.stringContaining("audit.jsonl"), code: 74 });
  expect(await decisionAt(place, 0)).toBe("block");
});

test.skipIf(!hasScript)("on a real terminal", { tags: "slow" }, async () => {
  await using place = await setUp();
  const yes = await runOnTerminal(place, `${hookctl} off deny --for 10m`, ["y\n"]);
  expect(yes).toMatchObject({ code: 0, shown: expect.stringContaining("Switch off?") });
  expect(await place.run(["run", "before_tool_call", "-q"], { stdin: toolCall() })).toMatchObject({ code: 0 });
  expect(await runOnTerminal(place, `${hookctl} on deny`, [])).toMatchObject({ code: 0 });
  expect(await runOnTerminal(place, `${hookctl} off deny --for 10m`, ["n\n"])).toMatchObject({ code: 77 });
  expect(await place.run(["run", "before_tool_call", "-q"], { stdin: toolCall() })).toMatchObject({ code: 2 });
});

describe("HOOKCTL_SKIP", () => {
  const SKIP = { env: { HOOKCTL_SKIP: "de*, git" } };

  test("skips hooks of a person's own call, and that is told", async () => {
    await using place = await setUp();
    const result = await call(place, "run before_tool_call", 0, { ...SKIP, stdin: RESET });
    const told = ["deny is off (HOOKCTL_SKIP)", "git is off (HOOKCTL_SKIP)"];
    expect(result).toMatchObject({
      stderr: expect.stringContaining(told.map((one) => `▲ ${one}\n`).join("")),
      code: 0,
    });
    expect((await call(place, "list", 0, SKIP)).stdout).toMatch(/off +deny .*off \(HOOKCTL_SKIP\)\n/);
    expect((await call(place, "guards", 0, SKIP)).stdout).toContain("off (HOOKCTL_SKIP)");
    expect(await call(place, "test", 0, SKIP)).toMatchObject({
      stderr: expect.stringContaining("NOTHING_TO_TEST"),
      code: 64,
    });
    const strict = await call(place, "list --strict", 0, SKIP);
    expect(strict).toMatchObject({ stderr: expect.stringContaining("Unset HOOKCTL_SKIP."), code: 1 });
  });

  test("a name that no hook has is told where hooks are listed", async () => {
    await using place = await setUp();
    const env = { HOOKCTL_SKIP: "dney" };
    expect((await call(place, "list", 0, { env })).stdout).toContain(
      'HOOKCTL_SKIP dney matches no hook. Did you mean "deny"?',
    );
    expect((await call(place, "run before_tool_call", 0, { env, stdin: RESET })).stderr).not.toContain("HOOKCTL_SKIP");
  });

  test.each(["HOOKCTL_SKIP", "HOOKCTL_NO_HOOKS"])("%s does not count for an agent, and that is told", async (name) => {
    await using place = await setUp();
    const env = { [name]: name === "HOOKCTL_SKIP" ? "*" : "1" };
    const answer = await bridge(place, "PreToolUse", env);
    expect(answer.hookSpecificOutput.permissionDecision).toBe("deny");
    expect(answer.systemMessage).toContain(`${name} is set and has no effect in Claude Code`);
    expect((await bridge(place, "PreToolUse", env)).systemMessage).toBeUndefined();
  });
});

test("a paused hook stays approved or not, as it was", async () => {
  await using place = await setUp();
  await place.hook("theirs", "exit 0", { scope: "project" });
  await off(place, "theirs --for 10m");
  expect(await approvalStates(place)).toEqual({});
});

describe("off without --for", () => {
  /** A person at a terminal who gives these answers, one after another. */
  const answering = (...answers: readonly (string | null)[]): InProcessOptions => {
    const left = [...answers];
    const openTerminal = async () => fakeTerminal(async () => left.shift() ?? null);
    return { host: { isStdinTerminal: () => true, openTerminal } };
  };
  const settings = async (place: Workspace) => JSON.parse((await place.read("home/.kodelet/hooks.json")) ?? "");

  test.each([
    [["", ""], "off until 12:10 in DIR/project"],
    [["2h", "everywhere"], "off until 14:00 everywhere"],
    [["q", "2h", "no", "everywhere"], "off until 14:00 everywhere"],
  ])("asks a person how long and where: %j", async (answers, says) => {
    await using place = await setUp();
    const result = await call(place, "off git", 0, answering(...answers));
    expect(result).toMatchObject({ stdout: expect.stringContaining(says), stderr: "", code: 0 });
  });

  test("says what is wrong with an answer before it asks again", async () => {
    await using place = await setUp();
    const shown: string[] = [];
    const left = ["10", "10m", "there", ""];
    const terminal = fakeTerminal(async (text) => {
      shown.push(text);
      return left.shift() ?? null;
    });
    await call(place, "off git", 0, { host: { isStdinTerminal: () => true, openTerminal: async () => terminal } });
    const [time = "", , where = ""] = shown;
    expect(shown).toEqual([
      time,
      `  10 is not a time, such as 10m\n${time}`,
      where,
      `  there is not a place: here or everywhere\n${where}`,
    ]);
  });

  test("switches off for good if the answer is good, as --for good does", async () => {
    await using place = await setUp();
    expect(await call(place, "off git", 0, answering("good"))).toMatchObject({ stderr: "", code: 0 });
    expect(await settings(place)).toEqual({ guards: { git: false } });
    await call(place, "on git");
    await call(place, "off git --for good");
    expect(await settings(place)).toEqual({ guards: { git: false } });
  });

  test.each([[["soon"]], [["10m", "there"]], [[null]], [["10m", null]]])(
    "changes nothing after the answers %j",
    async (answers) => {
      await using place = await setUp();
      const result = await call(place, "off git", 0, answering(...answers));
      expect(result).toMatchObject({
        stdout: "",
        stderr: expect.stringContaining("hookctl off git --for 10m"),
        code: 64,
      });
      expect(await place.read(FILE)).toBeNull();
    },
  );

  test.each([
    ["without a terminal", "off git deny", {}],
    ["with --yes", "off git deny --yes", answering("10m", "")],
  ])("%s says which lines to type", async (_, line, options) => {
    await using place = await setUp();
    expect(await call(place, line, 0, options)).toMatchObject({
      stderr: expect.stringContaining(
        "Try: hookctl off git deny --for 10m, or for good: hookctl off git deny --for good\n",
      ),
      code: 64,
    });
  });
});

test("--yes takes the place of the prompt, and of no person", async () => {
  await using place = await setUp();
  expect(await call(place, "off git --for 10m --yes", 0, { host: says(null) })).toMatchObject({ stderr: "", code: 0 });
  expect(await call(place, "off", 1)).toMatchObject({ stdout: expect.stringMatching(/^git +off until 12:10 /) });
});

test.each([
  "off git --for 10m",
  "off git --for good",
  "off git --for good --here",
  "off git/discard-changes",
  "on cloud",
])("%s --dry-run writes nothing", async (line) => {
  await using place = await setUp();
  const before = await place.read("home/.kodelet/hooks.json");
  const result = await call(place, `${line} --dry-run`);
  expect(result).toMatchObject({ stdout: expect.stringMatching(/would be o.*\nNothing was written\.\n$/s), code: 0 });
  expect([await place.read("home/.kodelet/hooks.json"), await place.read(FILE)]).toEqual([before, null]);
});
