import { expect, test } from "vitest";
import { expectedOutput, lines, type Row, runRow } from "../support/in-process.ts";
import { printResponse } from "../support/shell.ts";

const plans: readonly Row[] = [
  {
    title: "the plan names what would be asked for its event first",
    hooks: [["guard", printResponse({})]],
    call: "run before_tool_call --dry-run",
    stdout: lines(
      '{"plan":[{"name":"guard","path":"DIR/home/.kodelet/hooks/guard","source":"user","kind":"executable","command":["DIR/home/.kodelet/hooks/guard","run"],"priority":100,"timeout_ms":30000,"fail_open":true,"observe":false,"sandbox":null,"trust":"trusted","would_start":true,"identified":false}]}',
    ),
    stderr: lines(
      "before_tool_call",
      "  1  guard            DIR/home/.kodelet/hooks/guard run   timeout 30 s   sandbox off   • would be identified first",
      "Nothing was started.",
    ),
    code: 0,
  },
  {
    title: "a hook that is switched off or may not run is part of the plan",
    hooks: [
      ["1-off", printResponse({})],
      ["2-mine", printResponse({}), { scope: "project" }],
    ],
    call: "run before_tool_call --dry-run --skip 1-off",
    stdout: lines(
      '{"plan":[{"name":"2-mine","path":"DIR/project/.kodelet/hooks/2-mine","source":"project","kind":"executable","command":["DIR/project/.kodelet/hooks/2-mine","run"],"priority":100,"timeout_ms":30000,"fail_open":true,"observe":false,"sandbox":null,"trust":"untrusted","would_start":false,"identified":false,"hindrance":"HOOK_REFUSED_UNTRUSTED"},{"name":"1-off","path":"DIR/home/.kodelet/hooks/1-off","source":"user","kind":"executable","command":["DIR/home/.kodelet/hooks/1-off","run"],"priority":100,"timeout_ms":30000,"fail_open":true,"observe":false,"sandbox":null,"trust":"trusted","would_start":false,"identified":false}]}',
    ),
    stderr: lines(
      "before_tool_call",
      "  1  2-mine           DIR/project/.kodelet/hooks/2-mine run   timeout 30 s   sandbox off   ✖ 2-mine is not approved, so it was not started",
      "  2  1-off            DIR/home/.kodelet/hooks/1-off run   timeout 30 s   sandbox off   skipped by --skip",
      "Nothing was started.",
    ),
    code: 0,
  },
  {
    title: "a declared hook is planned with the program that it would start, and a rule with none",
    files: {
      "home/.kodelet/hooks.json": JSON.stringify({
        hooks: {
          Stop: [
            ...[{ command: "make check" }, { command: ["make", "all"] }, { inject: "go on" }, { tool: "memory.load" }],
            { template_push: { message: "hi" } },
          ],
        },
        mcp_servers: { memory: { command: "memoryd", args: ["-v"] } },
      }),
    },
    call: "run Stop --dry-run",
    stdout: expect.stringMatching(
      /"command":\["\/bin\/sh","-c","make check"\].*"command":\["make","all"\].*"command":\[\].*"command":\["memoryd","-v"\]/,
    ),
    stderr: lines(
      "agent_stop",
      "  1  Stop#1           /bin/sh -c make check   timeout 30 s   sandbox off   ✔ would start",
      "  2  Stop#2           make all   timeout 30 s   sandbox off   ✔ would start",
      "  3  Stop#3           no process   timeout 30 s   sandbox off   ✔ would start",
      "  4  Stop#4           memoryd -v   timeout 30 s   sandbox off   ✔ would start",
      "  5  Stop#5           a template   timeout 30 s   sandbox off   ✔ would start",
      "Nothing was started.",
    ),
    code: 0,
  },
  {
    title: "a long name widens the column for all, as in a list; one that is too long pushes only its own line",
    files: {
      "home/.kodelet/hooks.json": JSON.stringify({
        hooks: { Stop: ["short", "a-name-of-twenty-five-char", "x".repeat(40)].map((name) => ({ name, inject: "a" })) },
      }),
    },
    call: "run Stop --dry-run",
    stdout: expect.stringMatching(/^\{"plan":\[/),
    stderr: lines(
      "agent_stop",
      "  1  short                      no process   timeout 30 s   sandbox off   ✔ would start",
      "  2  a-name-of-twenty-five-char no process   timeout 30 s   sandbox off   ✔ would start",
      `  3  ${"x".repeat(40)} no process   timeout 30 s   sandbox off   ✔ would start`,
      "Nothing was started.",
    ),
    code: 0,
  },
  {
    title: "nothing to start is told in one line",
    call: "run before_tool_call --dry-run",
    stdout: lines('{"plan":[]}'),
    stderr: lines("No hooks for before_tool_call: nothing would run."),
    code: 0,
  },
  {
    title: "--no-hooks leaves nothing to start",
    hooks: [["guard", printResponse({})]],
    call: "run before_tool_call --dry-run --no-hooks",
    stdout: lines('{"plan":[]}'),
    stderr: lines("No hooks for before_tool_call: nothing would run."),
    code: 0,
  },
  {
    title: "-q leaves the plan to stdout",
    call: "run before_tool_call --dry-run -q",
    stdout: lines('{"plan":[]}'),
    stderr: "",
    code: 0,
  },
  {
    title: "settings that cannot be used have no plan",
    files: { "home/.kodelet/hooks.yaml": "a: b: c" },
    call: "run before_tool_call --dry-run",
    stdout: "",
    stderr: lines(
      "✖ DIR/home/.kodelet/hooks.yaml cannot be parsed: Nested mappings are not allowed in compact mappings (1:4) (CONFIG_NOT_PARSED)",
      "  Settings are JSON or YAML.",
    ),
    code: 78,
  },
  {
    title: "a folder that is not there has no plan",
    call: "run before_tool_call --dry-run -C nowhere",
    stdout: "",
    stderr: lines("✖ DIR/project/nowhere: there is no such folder. (PROJECT_MISSING)", "  Name a folder that exists."),
    code: 64,
  },
];

test.each(plans)("$title", async (row) => expect(await runRow(row)).toEqual(expectedOutput(row)));
