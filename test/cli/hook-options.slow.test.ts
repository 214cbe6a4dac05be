import { expect, test } from "vitest";
import { commandGroups, helpOf } from "../../packages/scripting/help/command-help.ts";
import { allCommands } from "../../src/command-groups.ts";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { sourceFiles, sourceText } from "../support/sources.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const CLAUDE = JSON.stringify({
  ...{ hook_event_name: "PreToolUse", session_id: "s1" },
  ...{ tool_name: "Bash", tool_input: { command: "forbidden" } },
});
const RECORDED = toolCall("forbidden", { tool_output: { success: true, result: "" } });
const RUN = "run before_tool_call";
const STOP = "run after_tool_call";
interface Call {
  readonly args: string | readonly string[];
  readonly stdin?: string;
  /** Calls that come before it. */
  readonly after?: readonly string[];
}

/** A call of each command in which each option that acts on it changes what it prints or starts. */
const CALLS: Readonly<Record<string, Call>> = {
  config: { args: "config show --json" },
  overview: { args: "" },
  list: { args: "list" },
  run: { args: RUN, stdin: toolCall("forbidden") },
  test: { args: "test" },
  check: { args: "check ." },
  try: { args: ["try guard tool_input.command=forbidden", "try theirs tool_input.command=forbidden"] },
  trust: { args: "trust --yes" },
  add: { args: "add ./pack --yes" },
  guards: { args: "guards" },
  off: { args: "off guard --for 5m --dry-run" },
  on: { args: "on guard git" },
  rules: { args: "rules", after: ["block pip"] },
  cage: { args: "cage show" },
  explain: { args: "explain forbidden" },
  init: { args: "init claude --scope project" },
  new: { args: "new mine --yes" },
  bridge: { args: "bridge claude", stdin: CLAUDE },
  adopt: { args: "adopt claude --dry-run" },
  doctor: { args: "doctor" },
  log: { args: "log", after: [RUN, STOP] },
  report: { args: "report", after: [RUN, STOP] },
  status: { args: "status" },
  replay: { args: "replay", after: [RUN, STOP] },
};

const VALUES: Readonly<Record<string, string>> = {
  "--hooks-dir": "other",
  "--config": "other.json",
  "--hook": "gu*",
  "--skip": "guard --skip stop",
  "--timeout": "100ms",
  "--deadline": "100ms",
};

/** It notes each start, and takes a while to block. */
const hookText = (event = "before_tool_call"): string => `#!/bin/sh
echo "$0 $1" >> "$HOME/started"
case $1 in
  hook) echo '{"event":"${event}"}' ;;
  run) case $(cat) in *forbidden*) sleep 0.4; echo '{"blocked":true,"reason":"no"}' ;; esac ;;
esac
`;

/** A hook of the user, one of the project that nobody approved, further settings, a folder of hooks and a pack. */
async function scene(): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"settings":{"record":"payloads"}}');
  await place.write(
    "project/other.json",
    '{"guards":{"git":true},"settings":{"timeout":"150ms"},"cage":{"mode":"observe"}}',
  );
  for (const file of [
    "home/.kodelet/hooks/guard",
    "project/.kodelet/hooks/theirs",
    "project/other/more",
    "project/pack/.kodelet/hooks/packed",
  ])
    await place.write(file, hookText(), 0o755);
  const forbidden = { tool_name: "bash", tool_input: { command: "forbidden" } };
  const blocks = {
    hook: "guard",
    name: "blocks",
    event: "before_tool_call",
    payload: forbidden,
    expect: { decision: "block" },
  };
  await place.write("home/.kodelet/tests/guard.json", JSON.stringify({ cases: [blocks] }));
  await place.write("home/.kodelet/hooks/stop", hookText("after_tool_call"), 0o755);
  return place;
}

/** What a call prints, returns and starts, with an option or without. */
async function outcome(name: string, option = ""): Promise<object> {
  const { args, stdin = toolCall("ls"), after = [] } = CALLS[name] ?? { args: name };
  await using place = await scene();
  for (const before of ["list", ...after]) await runInProcess(place, before, { stdin: RECORDED });
  const value = VALUES[option] ?? "";
  const words = value === "" ? option : `${option} ${value}`;
  const results = [];
  for (const call of [args].flat()) {
    const line = call.includes(" -- ") ? call.replace(" -- ", ` ${words} -- `) : `${call} ${words}`;
    results.push(await runInProcess(place, line, { stdin }));
  }
  const plain = (text: string) =>
    text
      .replaceAll(place.dir, "DIR")
      .replaceAll(words === "" ? "\u0000" : ` ${words}`, "")
      .replaceAll(/\b[0-9A-Z]{26}\b/g, "ID")
      .replaceAll(/\d\d:\d\d:\d\d[.\dZ]*/g, "TIME")
      .replaceAll(/[\d.]+ ?(?:ms|s)\b/g, "N")
      .replaceAll(/"duration_ms":[\d.]+/g, "")
      .replaceAll(/[█░▏▎▍▌▋▊▉ ]+/g, " ");
  const read = async (path: string) => plain((await place.read(path)) ?? "");
  // Hooks are asked for their events side by side.
  const started = (await read("home/started")).split("\n").sort();
  const files = { started, settings: await read("home/.kodelet/hooks.json") };
  return { results: results.map((one) => plain(JSON.stringify(one))), ...files };
}

const COMMANDS = await allCommands();
const listed = commandGroups(COMMANDS, true).flatMap(([, names]) =>
  names.flatMap((name) => (helpOf(name)?.hooks ?? []).map((option) => [name, option] as const)),
);
const withoutOption = new Map<string, Promise<object>>();

test.each(listed)("%s lists %s, which changes what it prints, returns or starts", async (name, option) => {
  const plain = withoutOption.get(name) ?? outcome(name);
  withoutOption.set(name, plain);
  expect(await outcome(name, option)).not.toEqual(await plain);
});

test.each(["list", "status", "guards", "report"])(
  "%s ends twice in the same way: no difference is chance",
  async (name) => {
    expect(await outcome(name)).toEqual(await outcome(name));
  },
);

test("the code reads each option of a command", () => {
  const code = sourceFiles().filter((path) => !path.endsWith("-commands.ts"));
  const words = new Set(code.flatMap((path) => sourceText(path).match(/\w+/g) ?? []));
  const unread = Object.entries(COMMANDS).flatMap(([name, { options }]) =>
    Object.keys(options).flatMap((key) => (words.has(key) ? [] : [`${name} ${key}`])),
  );
  expect(unread).toEqual([]);
});
