import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { outputSchemas } from "../../packages/authoring/commands/schema.ts";
import { allCommands } from "../../src/command-groups.ts";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";
import { isObject } from "../../src/protocol/json/read.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasGit } from "../support/pack-repository.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { sourceFiles, sourceText } from "../support/sources.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

const SCHEMAS = outputSchemas();
const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, ajv.compile(schema)]));

/** Calls that answer with each form, in different states. One behind `$ `, or of git, only makes the state. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  "hookctl.problem/1": ["list extra", "why nothing", "config show nothing", "--nonsense", "run nothing"],
  "hookctl.run/1": [
    ...["run before_tool_call", "run before_tool_call --strict --hook guard", "run before_tool_call --no-hooks"],
    ...["try guard", "$ off git/discard-changes --for 5m --yes", "run before_tool_call --trust"],
  ],
  "hookctl.plan/1": [
    "run before_tool_call --dry-run",
    "run before_tool_call --dry-run --strict",
    "run turn_start --dry-run",
  ],
  "hookctl.list/1": ["list", "list --no-hooks", "list --strict", "list --trust", "list --all"],
  "hookctl.test/1": [
    "test guard",
    "test theirs --trust",
    "check .",
    ...["test guard --mutate --coverage", "test guard --bail", "test guard --strict", "test guard --update"],
    ...["check . --mutate --coverage", "check . --bail", "check . --update"],
  ],
  "hookctl.record/1": [
    "$ off git --for 5m --yes",
    "$ on git",
    "log",
    "log --last 1",
    "$ log --purge --all --yes",
    "log",
  ],
  "hookctl.why/1": ["why", "$ run before_tool_call", "why"],
  "hookctl.report/1": ["report", "report --since 1d"],
  "hookctl.stats/1": ["stats"],
  "hookctl.doctor/1": ["doctor", "doctor claude"],
  "hookctl.status/1": ["status", "$ install claude", "$ seal", "$ off git --for 5m --yes", "status"],
  "hookctl.overview/1": ["", "$ install claude", "overview"],
  "hookctl.config/1": ["config", "config show --origin timeout"],
  "hookctl.config-changed/1": ["config set timeout 5s", "config unset timeout"],
  "hookctl.guards/1": ["guards", "guards git secrets", "$ off git --for 5m --yes", "guards git"],
  "hookctl.guards-changed/1": ["on secrets", "off secrets --for good", "on cloud --dry-run", "disable guard"],
  "hookctl.guard-rules/1": ["off git/discard-changes", "off git/force-push --dry-run"],
  "hookctl.explain/1": ["explain ls", "explain git\treset\t--hard", "explain $X", "explain curl\tx|sh"],
  "hookctl.rule/1": [
    "block npm\tpublish",
    "ask ./infra --here",
    "allow pip --for 1h",

    "allow z --once",
    "block x\t* --unless x\ty",
  ],
  "hookctl.rules/1": ["rules", "$ allow pip --once", "rules"],
  "hookctl.rules-removed/1": ["$ block make", "rules remove make"],
  "hookctl.allow/1": ["allow RUN", "allow RUN"],
  "hookctl.off/1": ["off", "off git --for 5m --yes", "off"],
  "hookctl.on/1": ["on guard", "$ off git --for 5m --yes", "on git --dry-run", "on git"],
  "hookctl.cage/1": ["cage show", "cage show ."],
  "hookctl.cage-switched/1": ["enable cage", "disable cage"],
  "hookctl.cage-allowed/1": ["cage allow ~/.cache/foo", "cage allow ~/.cache/foo --read"],
  "hookctl.cage-removed/1": ["$ cage allow ~/.cache/foo", "cage remove ~/.cache/foo"],
  "hookctl.trust/1": [
    ...["trust --show", "trust --digest", "trust theirs", "trust --show theirs", "trust --yes", "trust --list"],
    ...["trust --prune", "trust --dry-run", "trust --yes --dry-run theirs"],
  ],
  "hookctl.untrust/1": ["untrust --yes", "$ trust --yes", "untrust theirs", "untrust --deny theirs"],
  "hookctl.packs/1": ["update", "add ../pack --yes", "update --dry-run", "update --yes", "remove pack"],
  "hookctl.install/2": ["install gemini --scope user --dry-run", "init claude codex --scope project"],
  "hookctl.uninstall/1": ["uninstall claude --dry-run"],
  "hookctl.uninstall-all/1": ["uninstall --all --dry-run", "uninstall --all --yes"],
  "hookctl.adopt/1": ["adopt claude --dry-run", "adopt claude --yes", "adopt claude --undo"],
  "hookctl.init/2": ["init --yes --agents claude --guards git", "init --dry-run --agents codex"],
  "hookctl.seal/1": ["seal", "$ install claude", "seal"],
  "hookctl.restore/1": ["restore", "$ install claude", "$ seal", "$ uninstall claude", "restore"],
  "hookctl.servers/1": ["serve --status", "serve --stop"],
  "hookctl.new/1": ["new mine --event agent_stop", "new mine --event agent_stop --yes"],
  "hookctl.try/1": ["try guard --no-hooks"],
  "hookctl.inbox/1": [
    "inbox show --session s",
    "$ run turn_start",
    "inbox --session s",
    "inbox drain --all --session s",
  ],
  "hookctl.state/1": [
    "$ state set k v --session s",
    "$ state unset k --session s",
    "state incr calls --session s",
    "state get --session s",
    "state get calls --session s",
  ],
  "hookctl.purge/1": ["log --purge --before 1d --yes", "log --purge --all --payloads --yes"],
  "hookctl.export-result/1": ["export --output ."],
  "hookctl.replay/1": ["replay", "$ disable guard", "replay"],
  "hookctl.backtest/1": [
    ...["backtest", "backtest --agent claude", "replay --agents", "git init -q", "git add -A", "git commit -qm x"],
    ...["$ block git --project", "backtest --fail-on-change HEAD"],
  ],
  "hookctl.schema/1": ["schema"],
};

/** Names that are in files, not in what a command prints. */
const IN_FILES: Readonly<Record<string, string>> = {
  "hookctl.payload/1": "a line of payloads.jsonl, which replay and why read",
  "hookctl.call/1": "a line of a corpus, which replay writes and reads",
  "hookctl.export/1": "how far export has sent the audit log",
};

/** Commands whose stdout is the same with `--json`. */
const SAME_WITHOUT: Readonly<Record<string, string>> = {
  bridge: "the protocol of an agent",
  completion: "a script",
  edit: "it needs a terminal; its answer is the one of `test`",
  payload: "a payload",
};

const CLAUDE_HOOKS = { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "guard", timeout: 5 }] }] };
const SETTINGS = {
  settings: { record: "payloads" },
  ...{ guards: { git: true }, commands: { block: ["pip *"] }, overrides: { guard: { timeout: "9s" } } },
};
const CASES = {
  cases: [
    {
      name: "no",
      event: "before_tool_call",
      payload: { tool_input: { command: "forbidden x" } },
      expect: { decision: "block" },
    },
    {
      name: "bad",
      event: "before_tool_call",
      payload: { tool_input: { command: "ls" } },
      expect: { decision: "block" },
    },
  ],
};

/** The line of a session of Claude Code in which it calls Bash. */
const claudeLine = (cwd: string): string => {
  const content = [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "git reset --hard" } }];
  const message = { role: "assistant", content };
  return JSON.stringify({ type: "assistant", sessionId: "s1", cwd, timestamp: "2026-11-20T10:00:00Z", message });
};

/** Guards, hooks that nobody approved, runs that were allowed, blocked and failed, and what else the calls need. */
async function scene(): Promise<Workspace> {
  const place = await workspace();
  await place.hook(
    "guard",
    `case $(cat) in *forbidden*) echo '{"blocked":true,"reason":"no"}' ;; *bad*) exit 3 ;; esac`,
  );
  await place.hook("theirs", `[ "$tool_name" != "run_shell" ] && cat >/dev/null # ./lib.sh`, { scope: "project" });
  await place.hook("tip", printResponse({ pushes: [{ message: "a tip", session: "s" }] }), { says: "turn_start" });
  const files = {
    "home/.kodelet/hooks.json": SETTINGS,
    "home/.kodelet/hooks/guard.json": CASES,
    "project/.kodelet/hooks/lib.sh": "x",
    "project/.claude/settings.json": { hooks: CLAUDE_HOOKS },
    "home/.claude/projects/-p/s.jsonl": claudeLine(place.project),
  };
  for (const [path, content] of Object.entries(files))
    await place.write(path, typeof content === "string" ? content : JSON.stringify(content));
  await place.write("pack/hooks/lint", "#!/bin/sh\necho agent_stop\n", 0o755);
  await place.write("pack/tests/run.sh", "#!/bin/sh\n");
  for (const call of ["ls", "forbidden", "bad", "pip install x", "git reset --hard"])
    await runInProcess(place, "run before_tool_call", { stdin: toolCall(call) });
  return place;
}

/** What a call prints, line by line. A tab stands for a space inside an argument, `RUN` for the last run that was stopped. */
async function answers(place: Workspace, call: string): Promise<readonly unknown[]> {
  const stopped = async () => JSON.parse((await runInProcess(place, "why --json")).stdout).run.run_id;
  const argv = call.includes("RUN") ? call.replace("RUN", await stopped()) : call;
  const { stdout } = await runInProcess(place, `${argv} --json`, { stdin: toolCall("forbidden") });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("each schema names its draft and title, and has calls", () => {
  expect(Object.keys(CALLS).sort()).toEqual(Object.keys(SCHEMAS).sort());
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    expect(schema.title).toBe(name);
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  }
});

/** Makes a state for the calls that follow. */
async function prepare(place: Workspace, call: string): Promise<void> {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"];
  const { stderr, code } = call.startsWith("git ")
    ? await runProgram(["git", ...identity, ...call.split(" ").slice(1)], { cwd: place.project, env: place.env })
    : await runInProcess(place, call, { stdin: toolCall("forbidden") });
  expect({ call, stderr, code }).toEqual({ call, stderr, code: call.startsWith("run before") ? 2 : 0 });
}

const PREPARES = /^(?:\$ |(?=git ))/;

describe.each(Object.entries(CALLS))("%s", (name, calls) => {
  const needsGit = calls.some((call) => call.startsWith("git "));
  test.skipIf(needsGit && !hasGit)(`is what its calls answer with${needsGit ? " (needs git)" : ""}`, async () => {
    await using place = await scene();
    for (const call of calls) {
      if (PREPARES.test(call)) await prepare(place, call.replace(PREPARES, ""));
      else await expectAnswers(place, call, name);
    }
  });
});

async function expectAnswers(place: Workspace, call: string, name: string): Promise<void> {
  const validate = validators[name];
  for (const answer of await answers(place, call)) {
    expect({ call, schema: Object(answer).schema }).toEqual({ call, schema: name });
    const isValid = validate?.(answer) ?? false;
    expect(isValid, `${call}: ${ajv.errorsText(validate?.errors)}`).toBe(true);
    expect(validate?.({ ...Object(answer), schema: "hookctl.other/1" })).toBe(false);
  }
}

/** The places in a schema of objects that may have keys which it does not name. */
function openObjects(node: unknown, at: string): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => openObjects(item, `${at}/${index}`));
  if (!isObject(node)) return [];
  const isOpen = isObject(node.properties) && node.additionalProperties !== false;
  return [
    ...(isOpen ? [at] : []),
    ...Object.entries(node).flatMap(([key, value]) => openObjects(value, `${at}/${key}`)),
  ];
}

test("no object with named keys may have others", () => {
  expect(openObjects(SCHEMAS, "")).toEqual([]);
});

test("each name in the sources has a schema, and each schema is in the sources", () => {
  const table = "packages/authoring/output-schemas.ts";
  const source = sourceFiles()
    .filter((path) => path !== table)
    .map(sourceText)
    .join("\n");
  const found = [...source.matchAll(/"(hookctl\.[a-z-]+\/\d+)"/g)].map(([, name]) => name);
  expect([...new Set(found)].sort()).toEqual([...Object.keys(SCHEMAS), ...Object.keys(IN_FILES)].sort());
});

test("the answers of each command are tested, or there is a reason why not", async () => {
  const checked = Object.values(CALLS).flatMap((calls) => calls.filter((call) => !PREPARES.test(call)));
  const tested = new Set(checked.map((call) => call.split(" ")[0] || "overview"));
  const commands = Object.keys(await allCommands());
  expect(commands.filter((name) => !tested.has(name)).sort()).toEqual(Object.keys(SAME_WITHOUT).sort());
});

/** Switches and actions with which the answer has the form that it has without them, or is none. */
const SAME_FORM: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["--global", "--here", "--project", "--everywhere"].map((name) => [name, "it selects the place"]),
  ),
  ...Object.fromEntries(["--command", "--file", "--host"].map((name) => [name, "it says what a rule is about"])),
  "--ask": "it needs a terminal",
  "--fail-closed": "it is written into the registration",
  "--fail-open": "it is written into the registration",
  "--follow": "it never ends",
  "--force": "it only discards changes",
  "--print": "stdout is the text of a file",
  "--watch": "it never ends",
  "ask --once": "only allow takes it",
  "block --once": "only allow takes it",
  "schema config": "stdout is the schema",
  "schema case": "stdout is the schema",
  "schema lock": "stdout is the schema",
};

test("each switch and each action of a command is in a call, or has a reason why not", async () => {
  const words = Object.values(CALLS).flatMap((calls) => calls.map((call) => call.replace(PREPARES, "").split(" ")));
  const modes = Object.entries(await allCommands()).flatMap(([name, { options, values = [] }]) => {
    const own = words.filter(([command]) => command === name).flat();
    const switches = Object.values(options).flatMap((row) => (row.kind === "switch" ? row.name : []));
    const actions = (values[0] ?? []).flatMap((value) => (typeof value === "string" ? [] : value));
    const isAgent = (word: string): boolean => AGENT_NAMES.some((agent) => agent === word);
    const missing = [...switches, ...actions].filter((word) => !own.includes(word) && !isAgent(word));
    return SAME_WITHOUT[name] !== undefined ? [] : missing.map((word) => `${name} ${word}`);
  });
  const hasReason = (mode: string) => [mode, mode.split(" ")[1] ?? ""].some((key) => SAME_FORM[key] !== undefined);
  expect(modes.filter((mode) => !hasReason(mode))).toEqual([]);
});

test("hookctl schema prints each, and lists them", async () => {
  await using place = await workspace();
  const { stdout } = await runInProcess(place, "schema");
  expect(stdout.split("\n")).toEqual(expect.arrayContaining(Object.keys(SCHEMAS)));
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const printed = await runInProcess(place, `schema ${name}`);
    expect(JSON.parse(printed.stdout)).toEqual(schema);
  }
});
