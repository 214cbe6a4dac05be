import { expect, test } from "vitest";
import { listedOptions } from "../../packages/scripting/help/command-help.ts";
import { GLOBAL_OPTIONS } from "../../src/cli/common-options.ts";
import type { OptionRow } from "../../src/cli/options.ts";
import { allCommands } from "../../src/command-groups.ts";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const COMMANDS = await allCommands();

const mistakes: { title: string; args: readonly string[]; says: string }[] = [
  { title: "a mistyped command", args: ["lst"], says: 'Unknown command "lst". Did you mean list?' },
  {
    title: "another mistyped command",
    args: ["rnu", "before_tool_call"],
    says: 'Unknown command "rnu". Did you mean run?',
  },
  {
    title: "a word behind help that is no command",
    args: ["help", "lst"],
    says: 'Unknown command "lst". Did you mean list?',
  },
  { title: "a mistyped --help", args: ["list", "--hlp"], says: "Did you mean --help?" },
  { title: "a mistyped --version", args: ["--versoin"], says: "Did you mean --version?" },
  { title: "a mistyped option", args: ["list", "--jsno"], says: 'Unknown option "--jsno". Did you mean --json?' },
  {
    title: "an option of another command",
    args: ["list", "--dry-run"],
    says: 'Unknown option "--dry-run". Did you mean --dry-run?',
  },
  {
    title: "a mistyped event",
    args: ["run", "before_tool"],
    says: 'Unknown event "before_tool". Did you mean before_tool_call?',
  },
  { title: "an event in the wrong case", args: ["run", "pretooluse"], says: "Did you mean PreToolUse?" },
  { title: "a mistyped event of list", args: ["list", "--event", "agent_stp"], says: "Did you mean agent_stop?" },
  { title: "a mistyped event of payload", args: ["payload", "turn_ends"], says: "Did you mean turn_end?" },
  { title: "a mistyped source", args: ["list", "--source", "usr"], says: "did you mean user?" },
  { title: "a mistyped dialect", args: ["run", "turn_end", "--as", "basecoet"], says: "did you mean basecoat?" },
  { title: "a mistyped colour", args: ["list", "--color", "allways"], says: "did you mean always?" },
  { title: "a duration without a unit", args: ["list", "--timeout", "5"], says: 'Invalid value "5" for --timeout' },
  { title: "an option without its value", args: ["list", "--timeout"], says: "(USAGE_WRONG_WORDS)" },
  { title: "run without an event", args: ["run"], says: "(USAGE_WRONG_WORDS)" },
  { title: "run with two events", args: ["run", "turn_end", "turn_end"], says: "(USAGE_WRONG_WORDS)" },
  { title: "list with a word", args: ["list", "guard"], says: "(USAGE_WRONG_WORDS)" },
  { title: "a --set without a value", args: ["payload", "turn_end", "--set", "x"], says: '"x" is not PATH=VALUE' },
];

test.each(mistakes.filter(({ title }) => title !== "an option of another command"))(
  "$title is wrong usage: 64, with what to type next",
  async ({ args, says }) => {
    await using place = await workspace();
    const result = await runMain(place, args, { stdin: toolCall() });
    expect(result).toMatchObject({
      stdout: "",
      code: 64,
      signal: null,
      stderr: expect.stringMatching(/^✖ .*\n {2}.+\n$/),
    });
    expect(result.stderr).toContain(says);
  },
);

test("an option of another command is wrong usage", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["list", "--dry-run"]);
  expect(result).toMatchObject({ stdout: "", code: 64, stderr: expect.stringContaining('Unknown option "--dry-run"') });
});

const choosing = [["run", "before_tool_call"], ["run", "before_tool_call", "--dry-run"], ["list"]];

test.each(choosing)("a mistyped --hook of %s %s names the nearest hook, and runs nothing", async (...words) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  const result = await runMain(place, [...words.flat(), "--hook", "gaurd"], { stdin: toolCall() });
  const stderr = '✖ Unknown hook "gaurd". Did you mean guard? (USAGE_UNKNOWN_HOOK)\n  All hooks: hookctl list\n';
  expect(result).toEqual({ stdout: "", stderr, code: 64, signal: null });
});

test("a mistyped --skip does not go by in silence", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  const result = await runMain(place, ["run", "before_tool_call", "--skip", "gaurd"], { stdin: toolCall() });
  const warning = '--skip gaurd matches no hook. Did you mean "guard"?';
  expect(result).toMatchObject({ code: 0, signal: null, stderr: expect.stringContaining(warning) });
  expect(JSON.parse(result.stdout)).toEqual({ blocked: false, warnings: [warning] });
});

test("--help and --version answer on stdout with exit 0", async () => {
  await using place = await workspace();
  const ok = { stderr: "", code: 0, signal: null };
  expect(await runMain(place, ["--version"])).toEqual({ ...ok, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  for (const args of [["--help"], ["run", "--help"], ["list", "-h"], ["payload", "--help"]]) {
    expect(await runMain(place, args)).toEqual({ ...ok, stdout: expect.stringMatching(/^Usage: hookctl .*Example/s) });
  }
});

test("where a mistake sends for all options, they are: those that act on the command, and the global ones", async () => {
  await using place = await workspace();
  const { stderr } = await runMain(place, ["list", "--al"]);
  const words = /All options: hookctl (.*)\n/.exec(stderr)?.[1]?.split(" ") ?? [];
  const { stdout } = await runMain(place, words);
  for (const { name } of listedOptions("list", COMMANDS)) expect(stdout).toContain(name);
  for (const { name, short = name } of Object.values<OptionRow>(GLOBAL_OPTIONS)) expect(stdout).toContain(short);
});

test.each(["bridge", "install", "uninstall", "doctor"])("%s --help names the agents", async (verb) => {
  await using place = await workspace();
  const { stdout } = await runMain(place, [verb, "--help"]);
  for (const name of AGENT_NAMES) expect(stdout).toContain(name);
});
