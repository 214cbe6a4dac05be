import { describe, expect, test } from "vitest";
import { EXIT, exitCodeOf, signalExitCode } from "../../src/protocol/exit-code.ts";
import type { Problem, ProblemCode } from "../../src/protocol/problem.ts";
import { explain } from "../../src/protocol/problem-messages/explain.ts";
import { NO_USABLE_HOME } from "../../src/protocol/unsafe-path.ts";
import { problemText } from "../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../src/report/text-style.ts";
import { sourceText } from "../support/sources.ts";

/** A name or a text as an attacker would choose it. */
const BAD = "\u001b]0;owned\u0007\u202egnp.exe\u2066\r\n\u009b2J\u2028x";
const at = { hook: BAD, path: `/p/${BAD}` };

/** One of each: a new code does not compile until it stands here. */
const SAMPLES: { readonly [C in ProblemCode]: Extract<Problem, { readonly code: C }> } = {
  USAGE_UNKNOWN_VERB: { code: "USAGE_UNKNOWN_VERB", verb: BAD, nearest: BAD },
  USAGE_UNKNOWN_FLAG: { code: "USAGE_UNKNOWN_FLAG", flag: BAD, nearest: null, verb: null },
  USAGE_UNKNOWN_EVENT: { code: "USAGE_UNKNOWN_EVENT", name: BAD, nearest: "agent_stop" },
  USAGE_MACHINE_HOOK: { code: "USAGE_MACHINE_HOOK", name: BAD, path: BAD },
  USAGE_UNKNOWN_PATH: {
    code: "USAGE_UNKNOWN_PATH",
    event: "agent_stop",
    path: BAD,
    nearest: BAD,
    tool: { name: BAD, takes: [BAD] },
    otherTool: BAD,
  },
  USAGE_UNKNOWN_HOOK: { code: "USAGE_UNKNOWN_HOOK", name: BAD, nearest: BAD },
  USAGE_UNKNOWN_SUBJECT: { code: "USAGE_UNKNOWN_SUBJECT", name: BAD, nearest: "config" },
  USAGE_UNKNOWN_RULE: { code: "USAGE_UNKNOWN_RULE", name: BAD, nearest: BAD, list: "hookctl guards git" },
  USAGE_UNKNOWN_GUARD: { code: "USAGE_UNKNOWN_GUARD", name: BAD, nearest: BAD },
  USAGE_UNKNOWN_RUN: { code: "USAGE_UNKNOWN_RUN", run: BAD, session: BAD },
  USAGE_AMBIGUOUS_RUN: { code: "USAGE_AMBIGUOUS_RUN", run: BAD, count: 2, newest: BAD },
  USAGE_BAD_HOOK_NAME: { code: "USAGE_BAD_HOOK_NAME", name: BAD, detail: "it is empty" },
  USAGE_HOOK_EXISTS: { code: "USAGE_HOOK_EXISTS", path: BAD },
  USAGE_NO_SUCH_PATH: { code: "USAGE_NO_SUCH_PATH", path: BAD },
  USAGE_BAD_VALUE: { code: "USAGE_BAD_VALUE", flag: "--timeout", value: BAD, detail: BAD },
  USAGE_WRONG_WORDS: { code: "USAGE_WRONG_WORDS", detail: BAD, tryThis: BAD },
  USAGE_BAD_OPTION: { code: "USAGE_BAD_OPTION", option: BAD, detail: BAD },
  USAGE_BAD_REQUEST: { code: "USAGE_BAD_REQUEST", detail: BAD },
  USAGE_UNKNOWN_METHOD: { code: "USAGE_UNKNOWN_METHOD", name: BAD, nearest: BAD },
  USAGE_CLOSED: { code: "USAGE_CLOSED" },
  SERVE_NOT_STARTED: { code: "SERVE_NOT_STARTED", place: BAD, cause: BAD },
  SERVE_CANCELLED: { code: "SERVE_CANCELLED" },
  SERVE_STOPPING: { code: "SERVE_STOPPING" },
  SERVE_UNREACHABLE: { code: "SERVE_UNREACHABLE", place: BAD, cause: BAD },
  PAYLOAD_MISSING: { code: "PAYLOAD_MISSING", why: "terminal", event: "agent_stop" },
  PAYLOAD_NOT_READABLE: { code: "PAYLOAD_NOT_READABLE", place: BAD, cause: "ENOENT" },
  PAYLOAD_NOT_ENDED: { code: "PAYLOAD_NOT_ENDED", afterMs: 1500 },
  PAYLOAD_TOO_LARGE: { code: "PAYLOAD_TOO_LARGE", limitBytes: 64 * 1024 * 1024 },
  PAYLOAD_NOT_UTF8: { code: "PAYLOAD_NOT_UTF8" },
  PAYLOAD_NOT_JSON: { code: "PAYLOAD_NOT_JSON", line: 3, detail: BAD },
  PAYLOAD_NOT_OBJECT: { code: "PAYLOAD_NOT_OBJECT", found: "array" },
  PAYLOAD_FIELD_MISSING: { code: "PAYLOAD_FIELD_MISSING", field: "tool_name", event: "before_tool_call" },
  PAYLOAD_FIELD_TYPE: {
    code: "PAYLOAD_FIELD_TYPE",
    field: "tool_name",
    expected: "a string",
    found: "number",
    event: BAD,
  },
  PAYLOAD_FIELD_VALUE: {
    code: "PAYLOAD_FIELD_VALUE",
    field: "invoked_by",
    found: BAD,
    values: ["main", "subagent"],
    event: BAD,
  },
  PAYLOAD_AMBIGUOUS: { code: "PAYLOAD_AMBIGUOUS", event: "before_tool_call", tool: BAD, keys: [BAD, BAD] },
  PAYLOAD_EVENT_DIFFERS: { code: "PAYLOAD_EVENT_DIFFERS", found: BAD, event: "agent_stop" },
  HOOK_TIMED_OUT: { code: "HOOK_TIMED_OUT", ...at, afterMs: 30_000, byDeadline: false, ended: 2 },
  HOOK_DEADLINE_PASSED: { code: "HOOK_DEADLINE_PASSED", ...at },
  HOOK_CALL_NOT_PASSED: { code: "HOOK_CALL_NOT_PASSED", ...at, cause: BAD },
  HOOK_INTERRUPTED: { code: "HOOK_INTERRUPTED", ...at, signal: "SIGINT" },
  HOOK_TOO_MUCH_OUTPUT: { code: "HOOK_TOO_MUCH_OUTPUT", ...at, limitBytes: 1_048_576 },
  HOOK_EXITED: { code: "HOOK_EXITED", ...at, exitCode: 2, stderr: `first\n${BAD}` },
  HOOK_SIGNALLED: { code: "HOOK_SIGNALLED", ...at, signal: "SIGSEGV" },
  HOOK_THREW: { code: "HOOK_THREW", ...at, cause: BAD },
  HOOK_GUARD_THREW: { code: "HOOK_GUARD_THREW", ...at, cause: BAD },
  HOOK_TOOL_FAILED: { code: "HOOK_TOOL_FAILED", ...at, cause: BAD },
  HOOK_NO_SUCH_TOOL: { code: "HOOK_NO_SUCH_TOOL", ...at, tool: BAD, server: BAD, nearest: BAD },
  HOOK_COMMAND_MISSING: { code: "HOOK_COMMAND_MISSING", ...at, cause: BAD, fix: null, file: BAD, folder: BAD },
  HOOK_NOT_STARTED: { code: "HOOK_NOT_STARTED", ...at, cause: BAD },
  HOOK_BAD_FORMAT: { code: "HOOK_BAD_FORMAT", ...at, cause: BAD, fix: BAD },
  HOOK_UNKNOWN_TYPE: { code: "HOOK_UNKNOWN_TYPE", ...at, answer: BAD, nearest: null },
  HOOK_BAD_ANSWER: { code: "HOOK_BAD_ANSWER", ...at, detail: BAD },
  HOOK_MISSING: { code: "HOOK_MISSING", ...at },
  HOOK_REFUSED_UNTRUSTED: { code: "HOOK_REFUSED_UNTRUSTED", ...at },
  HOOK_REFUSED_UNSAFE: { code: "HOOK_REFUSED_UNSAFE", ...at, place: BAD, cause: "is writable by others" },
  HOOK_REFUSED_UNREADABLE: { code: "HOOK_REFUSED_UNREADABLE", ...at, place: BAD, cause: "EACCES" },
  HOOK_REFUSED_SANDBOX: {
    code: "HOOK_REFUSED_SANDBOX",
    ...at,
    cause: "it requires a sandbox",
    settingsFile: "~/.kodelet/hooks.json",
  },
  HOOK_REFUSED_SETTINGS: { code: "HOOK_REFUSED_SETTINGS", ...at, place: BAD, cause: BAD },
  HOOK_REFUSED_MACHINE: { code: "HOOK_REFUSED_MACHINE", ...at, place: BAD, cause: BAD },
  HOOK_REFUSED_LINK: { code: "HOOK_REFUSED_LINK", ...at, leadsTo: BAD },
  HOOK_REFUSED_CHANGED: { code: "HOOK_REFUSED_CHANGED", ...at, changes: [BAD] },
  HOOK_REFUSED_DENIED: { code: "HOOK_REFUSED_DENIED", ...at },
  HOOK_REFUSED_STORE: { code: "HOOK_REFUSED_STORE", ...at, cause: BAD },
  TRUST_STORE_NOT_WRITTEN: { code: "TRUST_STORE_NOT_WRITTEN", path: BAD, cause: BAD },
  TRUST_STORE_NOT_READ: { code: "TRUST_STORE_NOT_READ", path: BAD, cause: BAD },
  TRUST_STORE_MISSING: { code: "TRUST_STORE_MISSING", detail: BAD },
  TRUST_NEEDS_PERSON: { code: "TRUST_NEEDS_PERSON", cause: BAD, isAgent: false },
  CALL_UNANSWERED: { code: "CALL_UNANSWERED" },
  CAGE_UNAVAILABLE: { code: "CAGE_UNAVAILABLE", cause: "bwrap is not installed" },
  CAGE_REFUSED: {
    code: "CAGE_REFUSED",
    use: "write",
    path: "/home/dev/notes.md",
    why: "your files",
    fix: "hookctl cage allow /home/dev/notes.md --here",
  },
  PROTECTION_WEAKENED: { code: "PROTECTION_WEAKENED", changes: [BAD], isRestored: false },
  TRUST_NOT_CONFIRMED: { code: "TRUST_NOT_CONFIRMED", cause: "you did not say yes" },
  TRUST_DIGEST_DIFFERS: { code: "TRUST_DIGEST_DIFFERS" },
  TRUST_UNSAFE_PLACE: { code: "TRUST_UNSAFE_PLACE", place: BAD, cause: BAD, fix: null },
  REPLY_NOT_UTF8: { code: "REPLY_NOT_UTF8", ...at },
  REPLY_NOT_JSON: { code: "REPLY_NOT_JSON", ...at, line: 1, detail: BAD, text: BAD },
  REPLY_NOT_OBJECT: { code: "REPLY_NOT_OBJECT", ...at, found: "string" },
  REPLY_TOO_DEEP: { code: "REPLY_TOO_DEEP", ...at, detail: "nested deeper than 64 levels" },
  REPLY_WRONG_TYPE: { code: "REPLY_WRONG_TYPE", ...at, key: BAD, expected: "a string", found: BAD },
  REPLY_MISSPELT_KEY: { code: "REPLY_MISSPELT_KEY", ...at, key: BAD, nearest: "blocked" },
  CONFIG_NOT_READABLE: { code: "CONFIG_NOT_READABLE", file: BAD, cause: "EACCES" },
  CONFIG_NOT_PARSED: { code: "CONFIG_NOT_PARSED", file: BAD, cause: BAD },
  CONFIG_UNKNOWN_KEY: { code: "CONFIG_UNKNOWN_KEY", file: BAD, entry: BAD, key: BAD, nearest: "timeout" },
  CONFIG_BAD_VALUE: { code: "CONFIG_BAD_VALUE", file: BAD, entry: BAD, detail: BAD },
  CONFIG_TEMPLATE: { code: "CONFIG_TEMPLATE", file: BAD, entry: BAD, cause: BAD },
  CONFIG_USER_ONLY: { code: "CONFIG_USER_ONLY", file: BAD, entry: BAD, userFile: BAD },
  CONFIG_SECOND_FILE: { code: "CONFIG_SECOND_FILE", file: BAD, second: BAD },
  CONFIG_CONTRADICTION: { code: "CONFIG_CONTRADICTION", file: BAD, entry: BAD, detail: BAD },
  INTERRUPTED: { code: "INTERRUPTED", signal: BAD },
  DEADLINE_PASSED: { code: "DEADLINE_PASSED", deadlineMs: 1500 },
  RECURSION: { code: "RECURSION", depth: 3 },
  OUTPUT_LOST: { code: "OUTPUT_LOST", cause: "EPIPE", isDecision: true },
  REPORT_NOT_WRITTEN: { code: "REPORT_NOT_WRITTEN", path: BAD, cause: BAD, isOnStdout: true },
  PLATFORM_UNSUPPORTED: { code: "PLATFORM_UNSUPPORTED", platform: "win32" },
  CASE_NOT_READABLE: { code: "CASE_NOT_READABLE", file: BAD, line: null, cause: "EACCES" },
  CASE_NOT_WRITTEN: { code: "CASE_NOT_WRITTEN", file: BAD, line: null, cause: BAD },
  CASE_NOT_PARSED: { code: "CASE_NOT_PARSED", file: BAD, line: 7, cause: BAD },
  CASE_UNKNOWN_KEY: { code: "CASE_UNKNOWN_KEY", file: BAD, line: 7, place: BAD, key: BAD, nearest: "decision" },
  CASE_BAD_VALUE: { code: "CASE_BAD_VALUE", file: BAD, line: 7, place: BAD, detail: BAD },
  CASE_UNKNOWN_HOOK: { code: "CASE_UNKNOWN_HOOK", file: BAD, line: 7, kind: "hook", hook: BAD, nearest: BAD },
  PACK_BAD_SOURCE: { code: "PACK_BAD_SOURCE", source: BAD, detail: BAD },
  PACK_NOT_FETCHED: { code: "PACK_NOT_FETCHED", source: BAD, cause: BAD },
  PACK_UNKNOWN_REVISION: { code: "PACK_UNKNOWN_REVISION", source: BAD, revision: BAD },
  PACK_WITHOUT_HOOKS: { code: "PACK_WITHOUT_HOOKS", source: BAD },
  PACK_UNSAFE: { code: "PACK_UNSAFE", source: BAD, path: BAD, cause: BAD },
  PACK_BAD_SETTINGS: {
    code: "PACK_BAD_SETTINGS",
    source: BAD,
    problem: { code: "CONFIG_BAD_VALUE", file: BAD, entry: BAD, detail: BAD },
  },
  PACK_PROJECT_ONLY: { code: "PACK_PROJECT_ONLY", source: BAD, path: BAD },
  PACK_DIFFERS: { code: "PACK_DIFFERS", source: BAD, path: BAD },
  PACK_NAME_TAKEN: { code: "PACK_NAME_TAKEN", pack: BAD, by: BAD },
  PACK_BAD_NAME: { code: "PACK_BAD_NAME", pack: BAD },
  PACK_UNKNOWN: { code: "PACK_UNKNOWN", pack: BAD, nearest: BAD },
  PACK_TAG_MOVED: { code: "PACK_TAG_MOVED", pack: BAD, tag: BAD, from: BAD, to: BAD, command: BAD },
  PACK_MODIFIED: { code: "PACK_MODIFIED", pack: BAD, files: [BAD], command: BAD },
  PACK_NOT_APPROVED: { code: "PACK_NOT_APPROVED", pack: BAD, command: BAD },
  PACK_LOCK_INVALID: { code: "PACK_LOCK_INVALID", path: BAD, detail: BAD },
  EXPORT_NOT_CONFIGURED: { code: "EXPORT_NOT_CONFIGURED" },
  EXPORT_BAD_VALUE: { code: "EXPORT_BAD_VALUE", name: BAD, detail: BAD },
  EXPORT_NO_LOG: { code: "EXPORT_NO_LOG" },
  EXPORT_UNREACHABLE: { code: "EXPORT_UNREACHABLE", url: BAD, cause: BAD, waitMs: 1000 },
  EXPORT_REFUSED: { code: "EXPORT_REFUSED", url: BAD, status: 401, message: BAD, signal: "traces" },
  EXPORT_CURSOR_INVALID: { code: "EXPORT_CURSOR_INVALID", path: BAD, cause: BAD },
  EXPORT_CURSOR_NOT_WRITTEN: { code: "EXPORT_CURSOR_NOT_WRITTEN", path: BAD, cause: BAD },
  STATE_NOT_NUMBER: { code: "STATE_NOT_NUMBER", key: BAD },
  SESSION_NOT_USABLE: { code: "SESSION_NOT_USABLE", session: BAD, cause: "EACCES" },
  PROJECT_MISSING: { code: "PROJECT_MISSING", path: BAD, cause: "is no folder" },
  NOTHING_TO_TEST: { code: "NOTHING_TO_TEST", why: "unapproved", hooks: [BAD] },
  BASE_NOT_READ: { code: "BASE_NOT_READ", base: BAD, cause: BAD },
  LOG_NOT_READ: { code: "LOG_NOT_READ", path: BAD, cause: "EACCES" },
  NOTHING_RECORDED: { code: "NOTHING_RECORDED", files: 2, unread: [BAD] },
  SCRATCH_MISSING: { code: "SCRATCH_MISSING", path: BAD, cause: "ENOSPC" },
  PROJECT_IS_HOME: { code: "PROJECT_IS_HOME", path: BAD },
  FILE_NOT_WRITTEN: { code: "FILE_NOT_WRITTEN", path: BAD, cause: BAD },
  AGENT_PROGRAM_UNSAFE: { code: "AGENT_PROGRAM_UNSAFE", path: BAD, cause: BAD, command: BAD },
  AGENT_SETTINGS_NOT_PARSED: { code: "AGENT_SETTINGS_NOT_PARSED", path: BAD, line: 3, detail: BAD },
  INTERNAL_FAULT: { code: "INTERNAL_FAULT", detail: BAD },
};

describe.each(Object.values(SAMPLES))("$code", (problem) => {
  const { summary, hint } = explain(problem);

  test("says what happened and what to type next", () => {
    expect(summary.trim()).not.toBe("");
    expect(hint.trim()).not.toBe("");
    expect(summary + hint).not.toMatch(/undefined|\[object|NaN/);
  });

  test("is told in two lines that cannot steer a terminal, however hostile the names in it", () => {
    const text = problemText(problem, PLAIN_STYLE);
    expect(text.split("\n")).toHaveLength(3);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u);
  });

  test("has words of its own", () => {
    const others = Object.values(SAMPLES).filter((other) => other.code !== problem.code);
    expect(others.map((other) => explain(other).summary)).not.toContain(summary);
  });
});

test("a text of a megabyte makes no summary of a megabyte", () => {
  const { summary } = explain({ ...SAMPLES.HOOK_BAD_ANSWER, detail: "x".repeat(1_000_000) });
  expect(summary.length).toBeLessThan(700);
});

test.each([
  ["USAGE_UNKNOWN_VERB", 64],
  ["PAYLOAD_MISSING", 64],
  ["STATE_NOT_NUMBER", 1],
  ["SESSION_NOT_USABLE", 74],
  ["PROJECT_MISSING", 64],
  ["PAYLOAD_FIELD_TYPE", 65],
  ["PAYLOAD_FIELD_VALUE", 65],
  ["INTERNAL_FAULT", 70],
  ["OUTPUT_LOST", 74],
  ["RECURSION", 75],
  ["USAGE_NO_SUCH_PATH", 64],
  ["NOTHING_TO_TEST", 77],
  ["CONFIG_UNKNOWN_KEY", 78],
  ["CASE_BAD_VALUE", 1],
] as const)("%s ends with exit %i", (code, exitCode) => expect(exitCodeOf(SAMPLES[code])).toBe(exitCode));

test("no problem ends with 0 or 2: 2 is a block and nothing else", () => {
  for (const problem of Object.values(SAMPLES)) expect([EXIT.ok, EXIT.blocked]).not.toContain(exitCodeOf(problem));
});

test("a signal ends with 128 and its number", () => {
  expect(["SIGHUP", "SIGINT", "SIGTERM"].map(signalExitCode)).toEqual([129, 130, 143]);
});

test("a line to type names a place as one word of a shell", () => {
  const hook = { hook: "guard", path: "/home/you/a;id/guard" };
  const unsafe = { code: "HOOK_REFUSED_UNSAFE", ...hook, place: hook.path } as const;
  const hints = [
    explain({ ...unsafe, cause: "is writable by group or others" }).hint,
    explain({ ...unsafe, cause: "belongs to another user (uid 7)" }).hint,
    explain({ code: "HOOK_SIGNALLED", ...hook, signal: "SIGSEGV" }).hint,
  ];
  expect(hints).toEqual([
    "Other users could change it. Fix: chmod go-w '/home/you/a;id/guard'",
    "Other users could change it. Fix: sudo chown \"$USER\" '/home/you/a;id/guard'",
    "Run it by hand: '/home/you/a;id/guard' run",
  ]);
});

test.each([
  [NO_USABLE_HOME, "Set HOME to your home directory."],
  ["/home/me/.local is writable by group or others", /^Fix its permissions/],
  ["it is not JSON", /^Repair the file/],
])("approvals cannot be read, %s: the hint is about that", (cause, hint) => {
  expect(explain({ code: "HOOK_REFUSED_STORE", hook: "guard", path: "/p/guard", cause }).hint).toMatch(hint);
});

test("no message names a page by a path that does not exist where the person stands", () => {
  const [messages, warnings] = ["messages", "warnings"].map((name) =>
    sourceText(`src/protocol/problem-messages/${name}.json`),
  );
  expect(`${messages}${warnings}`).not.toMatch(/(?<!\/blob\/main\/)docs\/[\w-]+\.md/);
});
