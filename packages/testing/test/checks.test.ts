import { expect, test } from "vitest";
import { runMain } from "../../../test/support/in-process.ts";
import { parseTestJson, type TestJson } from "../../../test/support/json-test-output.ts";
import { printResponse } from "../../../test/support/shell.ts";
import { workspace } from "../../../test/support/workspace.ts";

interface Case {
  readonly title: string;
  readonly body: string;
  readonly says?: string;
  readonly mode?: number;
  readonly flags?: readonly string[];
  /** Check -> words of its message. */
  readonly failed: Readonly<Record<string, string | RegExp>>;
  /** Passed checks that have something to tell. */
  readonly told?: Readonly<Record<string, string>>;
  readonly leftOut?: readonly string[];
}

const sh = (line: string): string => `cat > /dev/null; ${line}`;
const STARTS = [
  ...["declares its event", "handles a sample payload", "survives an empty payload", "survives unknown fields"],
  ...["survives a large payload", "prints one JSON object or nothing", "gives a reason when it blocks"],
  ...[
    "blocks with exit 0",
    "decides the same with unknown fields",
    "finishes within its timeout",
    "leaves no process behind",
  ],
];

const cases: readonly Case[] = [
  { title: "a hook that says nothing", body: sh("exit 0"), failed: {} },
  { title: "a hook that blocks with a reason", body: sh(printResponse({ blocked: true, reason: "no" })), failed: {} },
  { title: "a hook that does not read its stdin", body: printResponse({}), failed: {} },
  {
    title: "a debug line before the JSON",
    body: sh("echo checking; echo '{}'"),
    failed: { "prints one JSON object or nothing": "guard did not print valid JSON: line 1" },
    leftOut: ["gives a reason when it blocks", "decides the same with unknown fields"],
  },
  {
    title: "half a JSON object",
    body: sh(`printf '{"blocked":true,"rea'`),
    failed: {
      "prints one JSON object or nothing": "guard did not print one JSON object",
      "gives a reason when it blocks": "it blocked without a reason",
    },
  },
  {
    title: "a key close to a deciding one",
    body: sh(printResponse({ blokced: true })),
    failed: { "prints one JSON object or nothing": 'Did you mean "blocked"?' },
    leftOut: ["gives a reason when it blocks", "decides the same with unknown fields"],
  },
  {
    title: "a key that nobody knows is told",
    body: sh(printResponse({ colour: "red" })),
    failed: {},
    told: { "prints one JSON object or nothing": 'guard printed the unknown key "colour"' },
  },
  {
    title: "a block without a reason",
    body: sh(printResponse({ blocked: true })),
    failed: { "gives a reason when it blocks": "it blocked without a reason" },
  },
  {
    title: "a block of another dialect without a reason",
    body: sh(printResponse({ action: "block", reason: " " })),
    says: "PreToolUse",
    failed: { "gives a reason when it blocks": "it blocked without a reason" },
  },
  {
    title: "a block beside a failure",
    body: sh(`${printResponse({ blocked: true, reason: "no" })}; exit 2`),
    failed: {},
    told: { "blocks with exit 0": "its block applies, but it ended with exit 2" },
  },
  {
    title: "a crash on an empty payload alone",
    body: `seen=$(cat); case $seen in *'"tool_input":{}'*) echo "KeyError: 'command'" >&2; exit 1;; esac`,
    failed: { "survives an empty payload": "guard failed: exit 1, KeyError: 'command'" },
  },
  {
    title: "a crash on unknown fields alone",
    body: "seen=$(cat); case $seen in *x_unknown*) exit 3;; esac",
    failed: { "survives unknown fields": "guard failed: exit 3" },
    leftOut: ["decides the same with unknown fields"],
  },
  {
    title: "another decision with unknown fields",
    body: `seen=$(cat); case $seen in *x_unknown*) ${printResponse({ blocked: true, reason: "odd" })};; esac`,
    failed: {
      "decides the same with unknown fields": "it decided allow for the sample, but block with unknown fields",
    },
  },
  {
    title: "a large payload as an argument",
    body: '/bin/true "$(cat)" || exit 1',
    failed: { "survives a large payload": "guard failed: exit 1" },
  },
  {
    title: "an answer that does not come",
    body: "sleep 30",
    flags: ["--timeout", "200ms"],
    failed: {
      "handles a sample payload": "guard exceeded its 200 ms timeout",
      "finishes within its timeout": "it exceeded its timeout",
    },
    leftOut: STARTS.filter((name) => !/declares|sample payload|time/.test(name)),
  },
  {
    title: "a process left behind",
    body: sh("sleep 30 > /dev/null 2>&1 &"),
    failed: { "leaves no process behind": "guard left 1 process running" },
  },
  {
    title: "a background process that the hook announces",
    body: sh("sleep 0.3 > /dev/null 2>&1 &"),
    says: '{"event":"agent_stop","background":true}',
    failed: {},
  },
  {
    title: "an event that nobody knows",
    body: "exit 0",
    says: "before_tool",
    failed: {
      "declares its event": 'guard declared the unknown event "before_tool". Did you mean before_tool_call?',
    },
    leftOut: STARTS.slice(1),
  },
  {
    title: "no first line with an interpreter",
    body: "",
    failed: { "its interpreter exists": "it cannot be executed" },
    leftOut: STARTS,
  },
  {
    title: "an interpreter that is not there",
    body: "#!/no/such/interpreter\n",
    failed: { "its interpreter exists": "its interpreter /no/such/interpreter does not exist" },
    leftOut: STARTS,
  },
  {
    title: "an interpreter that env cannot find",
    body: "#!/usr/bin/env -S A=1 no-such-interpreter --flag\n",
    failed: { "its interpreter exists": "its interpreter no-such-interpreter is not in PATH" },
    leftOut: STARTS,
  },
  {
    title: "a first line with CRLF",
    body: "#!/bin/sh\r\necho before_tool_call\r\n",
    failed: { "has no CRLF and no byte order mark": "its first line ends with CRLF" },
    leftOut: STARTS,
  },
  {
    title: "a script without its execute bit",
    body: "exit 0",
    mode: 0o644,
    failed: { "may be executed": "it looks like a script or a program, but has no execute bit" },
    leftOut: [
      ...["only its owner can change it", "has no CRLF and no byte order mark", "its interpreter exists"],
      ...["has a unique name", ...STARTS],
    ],
  },
  {
    title: "a file that others can change",
    body: "exit 0",
    mode: 0o777,
    failed: { "only its owner can change it": /was not started: .*guard is writable by group or others/ },
    leftOut: STARTS,
  },
];

test.each(cases)("$title", async ({ body, says, mode, flags = [], failed, told = {}, leftOut = [] }) => {
  await using place = await workspace();
  const path = await place.hook("guard", body, { ...(says && { says }), ...(mode && { mode }), scope: "project" });
  const result = await runMain(place, ["test", "./.kodelet/hooks", "--json", ...flags]);
  const isGood = Object.keys(failed).length === 0;
  expect(result).toMatchObject({ stderr: "", code: isGood ? 0 : 1, signal: null });
  const [hook, ...others] = parseTestJson(result).hooks;
  expect(others).toEqual([]);
  expect(hook).toMatchObject({ name: "guard", path, passed: isGood });
  expect(messages(hook, false)).toEqual(
    Object.fromEntries(Object.entries(failed).map(([name, words]) => [name, expect.stringMatching(wordsOf(words))])),
  );
  expect(messages(hook, true)).toEqual(
    Object.fromEntries(Object.entries(told).map(([name, words]) => [name, expect.stringContaining(words)])),
  );
  expect(hook?.left_out.map(({ name }) => name)).toEqual(leftOut);
});

/** The check -> message of all that passed or failed, where there is one. */
function messages(
  hook: TestJson["hooks"][number] | undefined,
  passed: boolean,
): Readonly<Record<string, string | null>> {
  const result = (hook?.checks ?? []).filter((check) => check.passed === passed && (!passed || check.message !== null));
  return Object.fromEntries(result.map(({ name, message }) => [name, message]));
}

const wordsOf = (words: string | RegExp): RegExp =>
  typeof words === "string" ? new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : words;

test("a hook that answers several events gets the sample of each", async () => {
  await using place = await workspace();
  const body = `seen=$(cat); case $seen in *'"event":"agent_stop"'*) exit 4;; esac`;
  await place.hook("guard", body, { says: '{"event":["before_tool_call","agent_stop"]}' });
  const result = await runMain(place, ["test", "guard", "--json"]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  const failed = parseTestJson(result).hooks[0]?.checks.filter(({ passed }) => !passed);
  expect(failed).toMatchObject([{ name: "handles a sample payload", message: "guard failed: exit 4" }]);
});

test("a hook that says another event each time is told", async () => {
  await using place = await workspace();
  const once = `${place.dir}/once`;
  const says = `[ -e ${once} ] && exec echo agent_stop; : > ${once}; exec echo before_tool_call`;
  await place.hook("guard", `#!/bin/sh\nif [ "$1" = hook ]; then ${says}; fi\n`);
  const result = await runMain(place, ["test", "guard"]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout).toContain("it declared before_tool_call, and then agent_stop\n");
});
