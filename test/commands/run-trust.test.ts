import { expect, test } from "vitest";
import { expectedOutput, lines, type Row, runRow } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";

const statuses: readonly Row[] = [
  {
    title: "a project hook is refused before it is approved, loud on stderr",
    hooks: [["guard", printResponse({ blocked: true }), { scope: "project" }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["guard is not approved, so it was not started"]}'),
    stderr: lines(
      "▲ guard is not approved, so it was not started. Read it, then: hookctl trust guard",
      "▲ Allowed, but 1 hook did not start     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a project hook whose text names only other events is no part of the story",
    hooks: [["guard", printResponse({}), { scope: "project", says: "agent_stop" }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: "",
    code: 0,
  },
  {
    title: "--trust approves for one call and says so in one line",
    hooks: [["guard", printResponse({ blocked: true, reason: "no" }), { scope: "project" }]],
    call: "run before_tool_call --trust",
    stdin: toolCall(),
    stdout: lines('{"blocked":true,"reason":"no"}'),
    stderr: lines(
      "▲ --trust: 1 project hook approved for this call only",
      "  guard   BAR   ✖ block",
      "✖ Blocked by guard",
      "  no",
    ),
    code: 2,
  },
  {
    title: "project_hooks: allow of the user approves",
    hooks: [["guard", printResponse({ blocked: true, reason: "no" }), { scope: "project" }]],
    files: { "home/.kodelet/hooks.json": { settings: { project_hooks: "allow" } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":true,"reason":"no"}'),
    stderr: lines("  guard   BAR   ✖ block", "✖ Blocked by guard", "  no"),
    code: 2,
  },
  {
    title: "on_untrusted: fail blocks where a hook was never approved",
    hooks: [["guard", printResponse({}), { scope: "project" }]],
    files: { "home/.kodelet/hooks.json": { settings: { on_untrusted: "fail" } } },
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":true,"reason":"guard could not decide: guard is not approved, so it was not started","warnings":["guard is not approved, so it was not started"]}',
    ),
    stderr: lines(
      "✖ Blocked: guard could not decide: guard is not approved, so it was not started",
      "  This hook is fail-closed. Read it, then: hookctl trust guard",
    ),
    code: 2,
  },
  {
    title: "a hook that others may write is not started",
    hooks: [["guard", printResponse({}), { mode: 0o757 }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines(
      '{"blocked":false,"warnings":["guard was not started: DIR/home/.kodelet/hooks/guard is writable by group or others"]}',
    ),
    stderr: lines(
      "▲ guard was not started: DIR/home/.kodelet/hooks/guard is writable by group or others. Other users could change it. Fix: chmod go-w DIR/home/.kodelet/hooks/guard",
      "▲ Allowed, but 1 hook did not start     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "--hooks-dir replaces the folders and needs approval like a project",
    hooks: [["guard", printResponse({ blocked: true })]],
    programs: { "more/extra": '#!/bin/sh\n[ "$1" = hook ] && echo before_tool_call\n' },
    call: "run before_tool_call --hooks-dir ../more",
    stdin: toolCall(),
    stdout: lines('{"blocked":false,"warnings":["extra is not approved, so it was not started"]}'),
    stderr: lines(
      "▲ extra is not approved, so it was not started. Read it, then: hookctl trust extra",
      "▲ Allowed, but 1 hook did not start     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "an approved project hook hides the user's hook of its name",
    hooks: [
      ["guard", printResponse({ blocked: true, reason: "user" })],
      ["guard", printResponse({}), { scope: "project" }],
    ],
    call: "run before_tool_call --trust",
    stdin: toolCall(),
    stdout: lines('{"blocked":false}'),
    stderr: lines(
      "▲ --trust: 1 project hook approved for this call only",
      "  guard   BAR   ✔ allow",
      "✔ Allowed     1 hook, 0 ms",
    ),
    code: 0,
  },
  {
    title: "a closed user hook is never hidden",
    hooks: [
      [
        "guard",
        printResponse({ blocked: true, reason: "user" }),
        { says: '{"event":"before_tool_call","fail_open":false}' },
      ],
      ["guard", printResponse({}), { scope: "project" }],
    ],
    call: "run before_tool_call --trust",
    stdin: toolCall(),
    stdout: lines('{"blocked":true,"reason":"user"}'),
    stderr: lines(
      "▲ --trust: 1 project hook approved for this call only",
      "  guard   BAR   ✔ allow",
      "  guard   BAR   ✖ block",
      "✖ Blocked by guard",
      "  user",
    ),
    code: 2,
  },
  {
    title: "a plugin's hook carries the plugin's name",
    hooks: [["guard", printResponse({ blocked: true, reason: "no" }), { plugin: "org@repo" }]],
    call: "run before_tool_call",
    stdin: toolCall(),
    stdout: lines('{"blocked":true,"reason":"no"}'),
    stderr: lines("  org/repo/guard   BAR   ✖ block", "✖ Blocked by org/repo/guard", "  no"),
    code: 2,
  },
];

test.each(statuses)("$title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));
