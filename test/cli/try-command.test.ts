import { join } from "node:path";
import { expect, test } from "vitest";
import { expectedOutput, lines, type Row, runMain, runRow } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { printResponse, touch } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const sample = (command: string): string =>
  `{"event":"before_tool_call","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","tool_name":"bash","tool_input":{"command":"${command}"},"tool_user_id":"call_1","tool_kind":"shell","tool_names":["bash","Bash"],"grant":{"mode":"ask"},"agent":{"name":null,"session":"sample-session","subagent":null}}`;
const head = "guard   DIR/home/.kodelet/hooks/guard";

const rows: readonly Row[] = [
  {
    title: "a hook that has allow",
    hooks: [["guard", "cat > /dev/null"]],
    call: "try guard tool_input.command=ls",
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      head,
      `  input   before_tool_call  ${sample("ls")}`,
      "  output  allow   TIME, exit 0",
      "  result  ✔ Allowed",
    ),
    code: 0,
  },
  {
    title: "a block: 2, and what it means",
    hooks: [["guard", printResponse({ blocked: true, reason: "no rm" })]],
    call: 'try guard tool_input={"command":"rm"}',
    stdout: lines('{"blocked":true,"reason":"no rm"}'),
    stderr: lines(
      head,
      `  input   before_tool_call  ${sample("rm")}`,
      "  output  block: no rm   TIME, exit 0",
      "  result  ✖ Blocked",
    ),
    code: 2,
  },
  {
    title: "a new value",
    hooks: [["guard", printResponse({ input: { command: "ls" } })]],
    call: "try guard tool_input.command=rm",
    stdout: lines('{"blocked":false,"input":{"command":"ls"}}'),
    stderr: lines(
      head,
      `  input   before_tool_call  ${sample("rm")}`,
      '  output  a new tool_input: tool_input.command "rm" → "ls"   TIME, exit 0',
      "  result  ✔ Allowed, with the new value",
    ),
    code: 0,
  },
  {
    title: "a question for the user: 2",
    hooks: [["guard", printResponse({ decision: "ask", reason: "sure?" })]],
    call: "try guard tool_input.command=rm",
    stdout: lines('{"blocked":true,"reason":"sure?","decision":"ask"}'),
    stderr: lines(
      head,
      `  input   before_tool_call  ${sample("rm")}`,
      "  output  ask the user: sure?   TIME, exit 0",
      "  result  ✖ Confirmation required: it runs only if the user agrees",
    ),
    code: 2,
  },
  {
    title: "a failure of a hook that may fail",
    hooks: [["guard", "echo lost >&2; exit 3"]],
    call: "try guard tool_input.command=rm",
    stdout: lines('{"blocked":false,"warnings":["guard failed: exit 3, lost"]}'),
    stderr: lines(
      head,
      `  input   before_tool_call  ${sample("rm")}`,
      "  output  no valid response: guard failed: exit 3, lost   TIME, exit 3",
      "  result  ▲ Allowed: this hook is fail-open",
      "          To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
    ),
    code: 0,
  },
  {
    title: "a failure of a closed hook blocks: 2",
    hooks: [["guard", "exit 3", { says: '{"event":"before_tool_call","fail_open":false}' }]],
    call: "try guard tool_input.command=rm -q",
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: guard failed: exit 3","warnings":["guard failed: exit 3"]}',
    ),
    stderr: "",
    code: 2,
  },
  {
    title: "a match that does not fit has no turn",
    hooks: [["guard", "exit 3", { says: '{"event":"before_tool_call","match":{"tool_name":"edit"}}' }]],
    call: "try guard tool_input.command=rm",
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      head,
      `  input   before_tool_call  ${sample("rm")}`,
      "  output  none: the hook was not run",
      '  result  ▲ Skipped: it did not match: tool_name is "bash" or "Bash", the match requires "edit"',
    ),
    code: 0,
  },
  {
    title: "follow-up messages at the event that asks for them",
    hooks: [["guard", printResponse({ follow_up_messages: ["go on"] }), { says: "agent_stop" }]],
    call: "try guard messages=[]",
    stdout: lines('{"follow_up_messages":["go on"]}'),
    stderr: lines(
      head,
      '  input   agent_stop  {"event":"agent_stop","conv_id":"sample-session","cwd":"DIR/project","invoked_by":"main","messages":[],"agent":{"name":null,"session":"sample-session","subagent":null}}',
      "  output  allow, and follow-ups   TIME, exit 0",
      "  result  ✔ Allowed, and the agent gets a follow-up message",
    ),
    code: 0,
  },
  {
    title: "a value of the wrong type makes no payload: 65",
    hooks: [["guard", "exit 0"]],
    call: "try guard tool_name=1",
    stdout: "",
    stderr: lines(
      '✖ "tool_name" in the payload is a JSON number; it must be a string. (PAYLOAD_FIELD_TYPE)',
      "  A valid payload: hookctl payload before_tool_call",
    ),
    code: 65,
  },
  {
    title: "a value without its path: 64",
    hooks: [["guard", "exit 0"]],
    call: "try guard ls",
    stdout: "",
    stderr: lines(
      '✖ "ls" is not PATH=VALUE. (USAGE_WRONG_WORDS)',
      '  Try: hookctl try NAME tool_input.command="ls -la"',
    ),
    code: 64,
  },
  {
    title: "an unknown name names the nearest: 64",
    hooks: [["guard", "exit 0"]],
    call: "try gaurd",
    stdout: "",
    stderr: lines('✖ Unknown hook "gaurd". Did you mean guard? (USAGE_UNKNOWN_HOOK)', "  All hooks: hookctl list"),
    code: 64,
  },
  {
    title: "a file that is passed over: 1",
    hooks: [["guard", "exit 0", { mode: 0o644 }]],
    call: "try guard",
    stdout: "",
    stderr: lines(
      "✖ guard could not be started: no execute bit (HOOK_NOT_STARTED)",
      "  To enable it: chmod +x DIR/home/.kodelet/hooks/guard",
    ),
    code: 1,
  },
  {
    title: "a hook that does not say its event: 1",
    hooks: [["guard", "exit 0", { says: "before_tool" }]],
    call: "try guard",
    stdout: "",
    stderr: lines(
      '✖ guard declared the unknown event "before_tool". Did you mean before_tool_call? (HOOK_UNKNOWN_TYPE)',
      '  "DIR/home/.kodelet/hooks/guard hook" must print one event name, such as before_tool_call, or {"event": ["before_tool_call", "agent_stop"]}',
    ),
    code: 1,
  },
  {
    title: "--no-hooks starts nothing",
    hooks: [["guard", printResponse({ blocked: true })]],
    call: "try guard --no-hooks",
    stdout: lines("{}"),
    stderr: "",
    code: 0,
  },
];

test.each(rows)("$title", async (row) => {
  const result = await runRow(row);
  expect({ ...result, stderr: result.stderr.replaceAll(/\d+ ms/g, "TIME") }).toEqual(expectedOutput(row));
});

test("a name approves nothing: a project hook is refused with what to type, and not started", async () => {
  await using place = await workspace();
  const body = `#!/bin/sh\n${touch(join(place.dir, "canary"))}\necho before_tool_call\n`;
  await place.hook("upload-logs", body, { scope: "project" });
  const result = await runMain(place, ["try", "upload-logs"]);
  expect(result).toMatchObject({ code: 77, stdout: "", signal: null });
  expect(result.stderr).toMatch(
    /^✖ upload-logs is not approved, so it was not started \(HOOK_REFUSED_UNTRUSTED\)\n {2}Read it/,
  );
  expect(await place.read("canary")).toBeNull();
});

test("one hook alone is asked, also for its event, and no line of it is recorded", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  await place.hook("other", `#!/bin/sh\n${touch(join(place.dir, "canary"))}\necho before_tool_call\n`);
  const result = await runMain(place, ["try", "guard", "tool_input.command=rm -rf build", "--json", "-q"]);
  expect(result).toMatchObject({ code: 2, stderr: "", signal: null });
  expect(parseRunJson(result)).toMatchObject({
    schema: "hookctl.run/1",
    decision: "block",
    hooks: [{ name: "guard", outcome: "block" }],
  });
  expect(await place.read("canary")).toBeNull();
  expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
});

test("a limit that the settings give its event counts", async () => {
  await using place = await workspace();
  await place.hook("guard", "sleep 30");
  await place.write("home/.kodelet/hooks.json", '{"settings":{"timeouts":{"before_tool_call":"200ms"}}}');
  const result = await runMain(place, ["try", "guard"]);
  expect(result).toMatchObject({ code: 0, signal: null });
  expect(result.stderr).toContain("output  no valid response: guard exceeded its 200 ms timeout");
});

test("what a hook says is safe for a terminal and without secrets", async () => {
  await using place = await workspace();
  await place.hook("guard", `printf '{"blocked":true,"reason":"\\\\u001b[2J %s"}' "$MY_TOKEN"`);
  const result = await runMain(place, ["try", "guard"], { env: { MY_TOKEN: "hush-hush-hush" } });
  expect(result).toMatchObject({ code: 2, signal: null });
  expect(result.stderr).toContain("output  block: \\u001b[2J [redacted]");
  expect(result.stdout + result.stderr).not.toContain("hush-hush");
});
