import { expect, test } from "vitest";
import { expectedOutput, lines, type Row, runRow } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { withoutSandbox } from "../support/without-sandbox.ts";

withoutSandbox();

const settings: readonly Row[] = [
  {
    title: "a project file that cannot be parsed has no effect, and says so",
    hooks: [["guard", printResponse({})]],
    files: { "project/.kodelet/hooks.yaml": "a: b: c" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      `{"blocked":false,"warnings":["the project's settings have no effect: DIR/project/.kodelet/hooks.yaml cannot be parsed: Nested mappings are not allowed in compact mappings (1:4)"]}`,
    ),
    stderr: lines(
      "  guard   BAR   ✔ allow",
      "▲ the project's settings have no effect: DIR/project/.kodelet/hooks.yaml cannot be parsed: Nested mappings are not allowed in compact mappings (1:4)",
      "✔ Allowed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a user-only setting in a project file takes its effect away, and names the user's own file",
    files: { "project/.hookctlrc": "settings:\n  record: off\n", "home/.kodelet/hooks.yaml": "version: 1\n" },
    call: "list",
    stdout: "",
    stderr: lines(
      "✖ DIR/project/.hookctlrc: settings.record is only allowed in your user settings (CONFIG_USER_ONLY)",
      "  Move it to DIR/home/.kodelet/hooks.yaml",
    ),
    code: 78,
  },
  {
    title: "an unknown key of the user's settings names the entry and the nearest key",
    files: { "home/.kodelet/hooks.json": { settings: { timeuot: "5s" } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      '✖ DIR/home/.kodelet/hooks.json: unknown key "timeuot" in settings. Did you mean timeout? (CONFIG_UNKNOWN_KEY)',
      "  Correct or remove it. All keys: https://github.com/hookctl/hookctl/blob/main/docs/configuration.md",
    ),
    code: 78,
  },
  {
    title: "a --config that is not there is an error",
    call: "run before_tool_call --config nowhere.json",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      "✖ DIR/project/nowhere.json cannot be read: it does not exist (CONFIG_NOT_READABLE)",
      "  Check its path and permissions.",
    ),
    code: 78,
  },
  {
    title: "a --config stands for the user's own settings",
    hooks: [["guard", printResponse({ blocked: true })]],
    files: { "project/mine.json": { overrides: { guard: { enabled: false } } }, "home/.kodelet/hooks.json": "{" },
    call: "run before_tool_call --config mine.json",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: "",
    code: 0,
  },
  {
    title: "two settings files of the user are an error",
    files: { "home/.kodelet/hooks.json": {}, "home/.kodelet/hooks.yaml": "version: 1\n" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      "✖ two settings files: DIR/home/.kodelet/hooks.json and DIR/home/.kodelet/hooks.yaml, but only one is allowed (CONFIG_SECOND_FILE)",
      "  Move everything to one of them and delete the other. See both: ls -l DIR/home/.kodelet/hooks.json DIR/home/.kodelet/hooks.yaml",
    ),
    code: 78,
  },
  {
    title: "a required hook that is missing means block",
    files: { "home/.kodelet/hooks.json": { overrides: { guard: { required: true } } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: guard is required by your settings, but does not exist","warnings":["guard is required by your settings, but does not exist"]}',
    ),
    stderr: lines(
      "✖ Blocked: guard could not decide: guard is required by your settings, but does not exist",
      "  This hook is fail-closed. Restore it, or remove `required` from your settings.",
    ),
    code: 2,
  },
  {
    title: "a required hook that fails means block",
    hooks: [["guard", "exit 1"]],
    files: { "home/.kodelet/hooks.json": { overrides: { guard: { required: true } } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: guard failed: exit 1","warnings":["guard failed: exit 1"]}',
    ),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "✖ Blocked: guard could not decide: guard failed: exit 1",
      "  This hook is fail-closed. To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
    ),
    code: 2,
  },
  {
    title: "a hook that needs the sandbox is never run bare",
    hooks: [["guard", printResponse({})]],
    files: { "home/.kodelet/hooks.json": { overrides: { guard: { sandbox: "require" } } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard was not started: it requires a sandbox, but there is none on this machine: bwrap is not installed"]}',
    ),
    stderr: lines(
      '▲ guard was not started: it requires a sandbox, but there is none on this machine: bwrap is not installed. Install bubblewrap, for example: sudo apt-get install bubblewrap. To run it without a sandbox, add to DIR/home/.kodelet/hooks.json: "overrides": {"guard": {"sandbox": "off"}}',
      "▲ Allowed, but 1 hook did not start     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "an observer that would block on failure is a contradiction",
    hooks: [["guard", printResponse({}), { says: '{"event":"before_tool_call","fail_open":false}' }]],
    files: { "home/.kodelet/hooks.json": { overrides: { guard: { observe: true } } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: guard printed an invalid declaration: it would be an observer that blocks on failure, and an observer cannot decide","warnings":["guard printed an invalid declaration: it would be an observer that blocks on failure, and an observer cannot decide"]}',
    ),
    stderr: lines(
      "✖ Blocked: guard could not decide: guard printed an invalid declaration: it would be an observer that blocks on failure, and an observer cannot decide",
      "  This hook is fail-closed. See what it prints: DIR/home/.kodelet/hooks/guard hook",
    ),
    code: 2,
  },
  {
    title: "enabled: false takes a hook out",
    hooks: [["guard", printResponse({ blocked: true })]],
    files: { "home/.kodelet/hooks.json": { overrides: { guard: { enabled: false } } } },
    call: "run before_tool_call --json",
    stdin: toolCall(),
    stdout: lines(
      '{"schema":"hookctl.run/1","run_id":"03QCPC7P00GGGGGGGGGGGGGGGG","event":"before_tool_call","decision":"continue","reason":null,"decided_by":null,"result":{"blocked":false},"hooks":[{"name":"guard","path":"DIR/home/.kodelet/hooks/guard","source":"user","kind":"executable","outcome":"skipped","why":"disabled in the settings","exit_code":null,"signal":null,"duration_ms":0,"stderr":"","sandbox":null,"trust":"trusted","fail_open":true}],"warnings":[],"duration_ms":0}',
    ),
    stderr: "",
    code: 0,
  },
  {
    title: "enabled: false for all takes all hooks of the user out",
    hooks: [["guard", printResponse({ blocked: true })]],
    files: { "home/.kodelet/hooks.json": { settings: { enabled: false } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: "",
    code: 0,
  },
  {
    title: "the limit of the settings holds for a hook that names none",
    hooks: [["guard", "exec sleep 30"]],
    files: { "home/.kodelet/hooks.json": { settings: { timeouts: { before_tool_call: "100ms" } } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard exceeded its 100 ms timeout"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard exceeded its 100 ms timeout",
      "  Allowed: this hook is fail-open. Raise the timeout, or make the hook faster.",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "HOOKCTL_TIMEOUT goes before the settings",
    hooks: [["guard", "exec sleep 30"]],
    files: { "home/.kodelet/hooks.json": { settings: { timeout: "20s" } } },
    env: { HOOKCTL_TIMEOUT: "100ms" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard exceeded its 100 ms timeout"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard exceeded its 100 ms timeout",
      "  Allowed: this hook is fail-open. Raise the timeout, or make the hook faster.",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a duration in the environment that does not parse is wrong usage",
    env: { HOOKCTL_DEADLINE: "5" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: "",
    stderr: lines(
      '✖ Invalid value "5" for HOOKCTL_DEADLINE: a duration needs a unit: 500ms, 5s, 2m, 1h; it is at most 24h (USAGE_BAD_VALUE)',
      "  All options: hookctl run --help",
    ),
    code: 64,
  },
  {
    title: "a HOME that is not absolute gives no user scope, and says so",
    hooks: [["guard", printResponse({ blocked: true })]],
    env: { HOME: "home" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["HOME \\"home\\" is not an existing absolute folder outside the project: user hooks are not loaded"]}',
    ),
    stderr: lines('▲ HOME "home" is not an existing absolute folder outside the project: user hooks are not loaded'),
    code: 0,
  },
  {
    title: "a record that cannot be written is told and changes nothing",
    hooks: [["guard", printResponse({ blocked: true, reason: "no" })]],
    files: { state: "a file" },
    env: { XDG_STATE_HOME: "DIR/state" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"no","warnings":["the audit log DIR/state/hookctl/audit.jsonl was not written: ENOTDIR"]}',
    ),
    stderr: lines(
      "  guard   BAR   ✖ block",
      "▲ the audit log DIR/state/hookctl/audit.jsonl was not written: ENOTDIR",
      "✖ Blocked by guard",
      "  no",
    ),
    code: 2,
  },
  {
    title: "a declared entry of an unknown kind is told, never dropped in silence",
    files: { "home/.kodelet/hooks.json": { hooks: { agent_stop: [{ shell_puhs: "true" }] } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      '✖ DIR/home/.kodelet/hooks.json: unknown key "shell_puhs" in hooks.agent_stop[0]. Did you mean shell_push? (CONFIG_UNKNOWN_KEY)',
      "  Correct or remove it. All keys: https://github.com/hookctl/hookctl/blob/main/docs/configuration.md",
    ),
    code: 78,
  },
];

test.each(settings)("$title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));
