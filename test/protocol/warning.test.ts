import { describe, expect, test } from "vitest";
import { type Warning, warningText } from "../../src/protocol/warning.ts";
import { warningLine } from "../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../src/report/text-style.ts";

const BAD = "\u001b[2J\u202egnp\u0007\r\n\u009b\u2028";

/** One of each: a new code does not compile until it stands here. */
const SAMPLES: { readonly [C in Warning["code"]]: Extract<Warning, { readonly code: C }> } = {
  GUARD_OBSERVED: { code: "GUARD_OBSERVED", hook: BAD, decision: "block", reason: BAD },
  PROBLEM: { code: "PROBLEM", problem: { code: "HOOK_MISSING", hook: BAD, path: BAD } },
  FROM_HOOK: { code: "FROM_HOOK", hook: BAD, text: BAD },
  BLOCK_DOUBTFUL: {
    code: "BLOCK_DOUBTFUL",
    hook: "guard",
    problem: { code: "HOOK_MISSING", hook: "guard", path: "/h/guard" },
  },
  KEY_IGNORED: { code: "KEY_IGNORED", hook: "guard", key: "action", expected: "one of block", found: '"deny"' },
  KEY_TWICE: { code: "KEY_TWICE", hook: "guard", key: "blocked" },
  NOT_UTF8: { code: "NOT_UTF8", hook: "guard" },
  RESPONSE_BROKEN: { code: "RESPONSE_BROKEN", hook: "guard", detail: "text after the JSON value" },
  EVENT_NOT_REGISTERED: {
    code: "EVENT_NOT_REGISTERED",
    agent: "Claude Code",
    events: ["Stop"],
    install: "hookctl init claude --scope project",
  },
  BLOCK_LOST: { code: "BLOCK_LOST", hook: "guard" },
  BLOCK_IGNORED: { code: "BLOCK_IGNORED", hook: BAD, event: "session_end" },
  CHANGE_IGNORED: { code: "CHANGE_IGNORED", hook: BAD, key: "input", event: "agent_stop" },
  CONTEXT_CUT: { code: "CONTEXT_CUT", hook: BAD, limitBytes: 8192 },
  EMPTY_FOLLOW_UP: { code: "EMPTY_FOLLOW_UP", hook: BAD },
  UNKNOWN_KEY: { code: "UNKNOWN_KEY", hook: BAD, key: BAD, nearest: "reason" },
  ODD_CASE: { code: "ODD_CASE", hook: BAD, key: BAD, known: "blocked" },
  CHANGE_MISSING: { code: "CHANGE_MISSING", hook: BAD },
  PRIORITY_TOO_LATE: { code: "PRIORITY_TOO_LATE", hook: BAD, returned: "50", declared: 100 },
  STATE_NOT_KEPT: { code: "STATE_NOT_KEPT", hook: BAD, cause: BAD },
  REQUESTED_INPUT_NOT_KEPT: { code: "REQUESTED_INPUT_NOT_KEPT", cause: BAD },
  STATE_NOT_COUNTED: { code: "STATE_NOT_COUNTED", hook: BAD, key: BAD },
  STATE_NOT_READ: { code: "STATE_NOT_READ", path: BAD, cause: BAD },
  TRY_NOT_KEPT: { code: "TRY_NOT_KEPT", hook: BAD, cause: BAD },
  SESSION_FILE_SET_ASIDE: { code: "SESSION_FILE_SET_ASIDE", path: BAD, aside: BAD },
  PUSH_NOT_KEPT: { code: "PUSH_NOT_KEPT", hook: BAD, cause: BAD },
  PUSH_SKIPPED: { code: "PUSH_SKIPPED", hook: BAD, detail: BAD },
  TURNS_NOT_COUNTED: { code: "TURNS_NOT_COUNTED", cause: BAD },
  TURNS_OVER_LIMIT: { code: "TURNS_OVER_LIMIT", session: BAD, turns: 25, limit: 25 },
  SLOW: { code: "SLOW", hook: BAD, durationMs: 4000 },
  SERVER_NOISE: { code: "SERVER_NOISE", hook: BAD, line: BAD },
  LEFTOVERS_ENDED: { code: "LEFTOVERS_ENDED", hook: BAD, count: 2 },
  PLACE_REFUSED: { code: "PLACE_REFUSED", variable: "HOME", path: BAD, cause: BAD, used: BAD },
  CWD_MISSING: { code: "CWD_MISSING", cwd: BAD, used: BAD },
  FOLDER_UNREADABLE: { code: "FOLDER_UNREADABLE", path: BAD, cause: "EACCES" },
  SCRATCH_COPY_PARTIAL: { code: "SCRATCH_COPY_PARTIAL", path: BAD },
  SUB_FOLDERS_NOT_SEARCHED: { code: "SUB_FOLDERS_NOT_SEARCHED", path: BAD, folders: [BAD] },
  TOO_MANY_FILES: { code: "TOO_MANY_FILES", path: BAD, limit: 1000 },
  SETTINGS_NOT_APPROVED: { code: "SETTINGS_NOT_APPROVED", path: BAD },
  SETTINGS_NOT_READ: {
    code: "SETTINGS_NOT_READ",
    scope: "project",
    problem: { code: "CONFIG_NOT_PARSED", file: BAD, cause: BAD },
  },
  ENTRY_NOT_USED: {
    code: "ENTRY_NOT_USED",
    problem: { code: "CONFIG_UNKNOWN_KEY", file: BAD, entry: "hooks", key: BAD, nearest: null },
  },
  SETTINGS_CHANGED: { code: "SETTINGS_CHANGED", path: BAD, how: "deleted", problem: null },
  USER_SETTINGS_LOST: { code: "USER_SETTINGS_LOST", path: BAD, cause: BAD, guards: [BAD], isDeleted: true },
  MACHINE_KEPT: { code: "MACHINE_KEPT" },
  MACHINE_REFUSED: { code: "MACHINE_REFUSED", path: BAD, cause: BAD },
  RECORD_NOT_WRITTEN: { code: "RECORD_NOT_WRITTEN", path: BAD, cause: "ENOSPC" },
  TRUSTED_FOR_ONE_CALL: { code: "TRUSTED_FOR_ONE_CALL", count: 1 },
  TRUST_DIGEST_DIFFERS: { code: "TRUST_DIGEST_DIFFERS" },
  TRUST_STORE_UNUSABLE: { code: "TRUST_STORE_UNUSABLE", path: BAD, cause: BAD },
  NO_TERMINAL: { code: "NO_TERMINAL" },
  CALL_UNANSWERED: { code: "CALL_UNANSWERED" },
  CAGE_ABSENT: { code: "CAGE_ABSENT", cause: "bwrap is not installed" },
  CAGE_REFUSED: { code: "CAGE_REFUSED", what: "refused to write /home/dev/x" },
  CAGE_PREDICTED: { code: "CAGE_PREDICTED", use: "write", path: "/home/dev/x", why: "your files" },
  PROTECTION_WEAKENED: { code: "PROTECTION_WEAKENED", changes: [BAD] },
  NOT_SAID: { code: "NOT_SAID", agent: BAD, what: BAD },
  NOT_ASKED: {
    code: "NOT_ASKED",
    event: "turn_end",
    problem: { code: "PAYLOAD_FIELD_MISSING", field: "response", event: "turn_end" },
  },
  ALLOWED_BY_USER: { code: "ALLOWED_BY_USER", hook: BAD },
  NO_SUCH_SKIP: { code: "NO_SUCH_SKIP", by: "--skip", name: BAD, nearest: BAD },
  NO_SUCH_OVERRIDE: { code: "NO_SUCH_OVERRIDE", name: "gaurd", nearest: "guard" },
  NO_SUCH_RULE: { code: "NO_SUCH_RULE", name: "git/discard-chages", nearest: "git/discard-changes" },
  OVERRIDES_NOT_COMPARED: { code: "OVERRIDES_NOT_COMPARED", count: 3 },
  HOOK_PAUSED: {
    code: "HOOK_PAUSED",
    hook: BAD,
    path: BAD,
    by: "hookctl off",
    reason: "off until 14:32 (hookctl off)",
  },
  PAUSES_REFUSED: { code: "PAUSES_REFUSED", path: BAD, cause: BAD },
  VARIABLE_IGNORED: { code: "VARIABLE_IGNORED", variable: "HOOKCTL_SKIP", agent: BAD },
  HOOKS_OFF: { code: "HOOKS_OFF" },
  HOOK_LOST: { code: "HOOK_LOST", hook: BAD, path: BAD, cause: BAD, fix: BAD },
  NO_HOME: { code: "NO_HOME", home: BAD },
};

describe.each(Object.values(SAMPLES))("$code", (warning) => {
  test("is one line that cannot steer a terminal, however hostile the names in it", () => {
    const text = warningLine(warningText(warning), PLAIN_STYLE).trimEnd();
    expect(text.trim()).not.toBe("");
    expect(text).not.toMatch(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|undefined|\[object/u);
  });
});

test("the nearest word is named where there is one", () => {
  expect(warningText({ code: "UNKNOWN_KEY", hook: "h", key: "resaon", nearest: "reason" })).toContain('"reason"');
  expect(warningText({ code: "UNKNOWN_KEY", hook: "h", key: "x", nearest: null })).not.toContain("Did you mean");
});

test.each(["audit", "payload"])("a lost line is of the %s log", (log) => {
  const path = `/s/${log === "audit" ? "audit" : "payloads"}.jsonl`;
  const text = warningText({ code: "RECORD_NOT_WRITTEN", path, cause: "ENOSPC" });
  expect(text).toBe(`the ${log} log ${path} was not written: ENOSPC`);
});
