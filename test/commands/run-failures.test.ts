import { expect, test } from "vitest";
import { expectedOutput, lines, type Row, runRow } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";

const failures: readonly Row[] = [
  {
    title: "a hook that fails is a warning, with what it last said and what to do",
    hooks: [["guard", "echo 'no such key' >&2; exit 7"]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard failed: exit 7, no such key"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard failed: exit 7, no such key",
      "  Allowed: this hook is fail-open. To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a hook in node that throws is told with its error, not with the stack below it",
    programs: {
      "home/.kodelet/hooks/guard": `#!${process.execPath}
if (process.argv[2] === "hook") console.log("before_tool_call");
else throw Object.assign(new Error("no such key"), { code: "ENOKEY" });
`,
    },
    call: "run before_tool_call -q",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard failed: exit 1, Error: no such key at guard:3"]}'),
    stderr: "",
    code: 0,
  },
  {
    title: "a closed hook that fails blocks",
    hooks: [["guard", "exit 7", { says: '{"event":"before_tool_call","fail_open":false}' }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: guard failed: exit 7","warnings":["guard failed: exit 7"]}',
    ),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "✖ Blocked: guard could not decide: guard failed: exit 7",
      "  This hook is fail-closed. To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
    ),
    code: 2,
  },
  {
    title: "a closed hook that fails where nothing can be blocked is a warning",
    hooks: [["guard", "exit 7", { says: '{"event":"session_end","fail_open":false}' }]],
    call: "run session_end",
    stdin: "{}",
    stdout: lines('{"warnings":["guard failed: exit 7","guard blocked, but session_end cannot be blocked"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard failed: exit 7",
      "  Allowed: this event cannot be blocked. To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
      "▲ guard blocked, but session_end cannot be blocked",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a block that can be read counts, whatever the exit code",
    hooks: [["guard", `${printResponse({ blocked: true, reason: "policy" })}; exit 1`]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":true,"reason":"policy"}'),
    stderr: lines("  guard   BAR   ✖ blocked (exit 1)", "✖ Blocked by guard", "  policy"),
    code: 2,
  },
  {
    title: "what may be a block and cannot be read is named",
    hooks: [["guard", `echo "checking {'blocked': True}"; exit 1`]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard may have printed a block, but its output cannot be read","guard failed: exit 1"]}',
    ),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard failed: exit 1",
      "  Allowed: this hook is fail-open. To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
      "▲ guard may have printed a block, but its output cannot be read",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "exit 2 is a failure, and the words say what others mean by it",
    hooks: [["guard", "exit 2"]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard failed: exit 2 (other agents read exit 2 as a block; here it is a failure)"]}',
    ),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard failed: exit 2 (other agents read exit 2 as a block; here it is a failure)",
      "  Allowed: this hook is fail-open. To decide, print JSON on stdout and exit 0; any other exit code is a failure.",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a hook that a signal ends is told with the signal",
    hooks: [["guard", "kill -KILL $$"]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard was killed by SIGKILL"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard was killed by SIGKILL",
      "  Allowed: this hook is fail-open. Run it by hand: DIR/home/.kodelet/hooks/guard run",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "stdout that is not JSON fails the hook",
    hooks: [["guard", "echo checking"]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard did not print valid JSON: line 1, expected a value, found \\"c\\" (\\"checking\\")"]}',
    ),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      '▲ guard did not print valid JSON: line 1, expected a value, found "c" ("checking")',
      '  Allowed: this hook is fail-open. Keep stdout for JSON; log to stderr: echo "…" >&2',
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a misspelt deciding key fails the hook",
    hooks: [["guard", printResponse({ blockd: true })]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard printed the unknown key \\"blockd\\". Did you mean \\"blocked\\"?"]}',
    ),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      '▲ guard printed the unknown key "blockd". Did you mean "blocked"?',
      '  Allowed: this hook is fail-open. Possibly a misspelt "blocked": no other key of the response decides.',
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "an unknown key is a warning",
    hooks: [["guard", printResponse({ colour: "red", Blocked: false })]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard printed the unknown key \\"colour\\"","guard printed \\"Blocked\\"; it was read as \\"blocked\\""]}',
    ),
    stderr: lines(
      "  guard   BAR   ✔ allow",
      '▲ guard printed the unknown key "colour"',
      '▲ guard printed "Blocked"; it was read as "blocked"',
      "✔ Allowed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a hook over its limit is ended",
    hooks: [["guard", "exec sleep 30"]],
    call: "run before_tool_call --timeout 100ms",
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
    title: "a hook cut off by the deadline failed",
    // An executable would have to declare its event before the deadline, too.
    files: {
      "home/.kodelet/hooks.json": { hooks: { before_tool_call: [{ name: "guard", command: "exec sleep 30" }] } },
    },
    call: "run before_tool_call --deadline 100ms",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard was killed after 100 ms: the deadline passed"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard was killed after 100 ms: the deadline passed",
      "  Allowed: this hook is fail-open. Raise --deadline, or make the hook faster.",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a hook that prints too much is ended at once",
    hooks: [["guard", "exec yes"]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard printed more than 4 MiB on stdout"]}'),
    stderr: lines(
      "  guard   BAR   ▲ failed",
      "▲ guard printed more than 4 MiB on stdout",
      "  Allowed: this hook is fail-open. Keep stdout for the response, log to stderr, or raise its output_limit.",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "what a hook leaves behind is ended, with a warning that counts it",
    hooks: [["guard", `sleep 30 >/dev/null 2>&1 & ${printResponse({})}`]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard left 1 process running; killed (background: true allows it)"]}'),
    stderr: lines(
      "  guard   BAR   ✔ allow",
      "▲ guard left 1 process running; killed (background: true allows it)",
      "✔ Allowed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a file that did not say what it is is a warning",
    hooks: [["guard", printResponse({}), { says: "before_tool" }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard declared the unknown event \\"before_tool\\". Did you mean before_tool_call?"]}',
    ),
    stderr: lines(
      '▲ guard declared the unknown event "before_tool". Did you mean before_tool_call?',
      '  Allowed: this hook is fail-open. "DIR/home/.kodelet/hooks/guard hook" must print one event name, such as before_tool_call, or {"event": ["before_tool_call", "agent_stop"]}',
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a file that is no program is not started",
    programs: { "home/.kodelet/hooks/text": "just text" },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["text cannot be executed: it starts with neither #! nor a program\'s magic bytes"]}',
    ),
    stderr: lines(
      "▲ text cannot be executed: it starts with neither #! nor a program's magic bytes",
      "  Allowed: this hook is fail-open. Start a script with a line such as #!/bin/sh",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a file that fails when asked and says that it is closed blocks",
    hooks: [["guard", '#!/bin/sh\n# "fail_open": false\nexit 1\n']],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: `guard hook` failed: exit 1","warnings":["`guard hook` failed: exit 1"]}',
    ),
    stderr: lines(
      "✖ Blocked: guard could not decide: `guard hook` failed: exit 1",
      "  This hook is fail-closed. It must print one event name, such as before_tool_call, and exit 0: DIR/home/.kodelet/hooks/guard hook",
    ),
    code: 2,
  },
  {
    title: "a hook that describes itself wrongly is told why",
    hooks: [["guard", printResponse({}), { says: '{"event":"before_tool_call","prio":1}' }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard printed an invalid declaration: unknown key \\"prio\\". Did you mean \\"priority\\"?"]}',
    ),
    stderr: lines(
      '▲ guard printed an invalid declaration: unknown key "prio". Did you mean "priority"?',
      "  Allowed: this hook is fail-open. See what it prints: DIR/home/.kodelet/hooks/guard hook",
      "▲ Allowed, but 1 hook failed     1 hook, 0 ms",
    ),
    code: 0,
  },
];

test.each(failures)("$title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));
