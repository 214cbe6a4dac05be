import { describe, expect, test } from "vitest";
import { runChain, verdictOf } from "../../src/chain/advance.ts";
import type { HookResult } from "../../src/protocol/hook-response.ts";
import type { HookProblem, ReplyProblem } from "../../src/protocol/problem.ts";
import { fail } from "../../src/protocol/result.ts";
import { aHook, aPayload } from "./builders.ts";

type Failure = HookProblem | ReplyProblem;
type Codes = { readonly [Code in Failure["code"]]: Omit<Extract<Failure, { code: Code }>, "code" | "hook" | "path"> };

/** Every way in which a hook gives no answer. A code that is new does not compile until it stands here. */
const FAILURES: Codes = {
  HOOK_TIMED_OUT: { afterMs: 1, byDeadline: false, ended: 0 },
  HOOK_DEADLINE_PASSED: {},
  HOOK_CALL_NOT_PASSED: { cause: "x" },
  HOOK_INTERRUPTED: { signal: "SIGTERM" },
  HOOK_TOO_MUCH_OUTPUT: { limitBytes: 1 },
  HOOK_EXITED: { exitCode: 1, stderr: "" },
  HOOK_SIGNALLED: { signal: "SIGSEGV" },
  HOOK_THREW: { cause: "x" },
  HOOK_GUARD_THREW: { cause: "x" },
  HOOK_TOOL_FAILED: { cause: "x" },
  HOOK_NO_SUCH_TOOL: { tool: "t", server: "s", nearest: null },
  HOOK_NOT_STARTED: { cause: "ENOENT" },
  HOOK_COMMAND_MISSING: { cause: "there is no x", fix: null, file: "/p/hooks.json", folder: "/p" },
  HOOK_BAD_FORMAT: { cause: "x", fix: "y" },
  HOOK_UNKNOWN_TYPE: { answer: "x", nearest: null },
  HOOK_BAD_ANSWER: { detail: "x" },
  HOOK_MISSING: {},
  HOOK_REFUSED_UNTRUSTED: {},
  HOOK_REFUSED_UNSAFE: { place: "/p", cause: "x" },
  HOOK_REFUSED_UNREADABLE: { place: "/p", cause: "EACCES" },
  HOOK_REFUSED_SANDBOX: { cause: "x", settingsFile: "~/.kodelet/hooks.json" },
  HOOK_REFUSED_SETTINGS: { place: "/p:1", cause: "x" },
  HOOK_REFUSED_MACHINE: { place: "/m", cause: "x" },
  HOOK_REFUSED_LINK: { leadsTo: "/p" },
  HOOK_REFUSED_CHANGED: { changes: [] },
  HOOK_REFUSED_DENIED: {},
  HOOK_REFUSED_STORE: { cause: "x" },
  REPLY_NOT_UTF8: {},
  REPLY_NOT_JSON: { line: 1, detail: "x", text: "x" },
  REPLY_NOT_OBJECT: { found: "array" },
  REPLY_TOO_DEEP: { detail: "x" },
  REPLY_WRONG_TYPE: { key: "k", expected: "a", found: "b" },
  REPLY_MISSPELT_KEY: { key: "k", nearest: "l" },
};

/** These block as well where the hook says that it may fail open: the hook is not at fault, and cannot judge the call. */
const LOST: readonly string[] = ["HOOK_REFUSED_CHANGED", "HOOK_REFUSED_STORE", "HOOK_CALL_NOT_PASSED"];

async function decided(code: string, more: object, over: { failOpen: boolean; observe?: boolean }) {
  const hook = aHook("guard", over);
  const problem = { code, hook: "guard", path: "/hooks/guard", ...more } as Failure;
  const isHindered = code.startsWith("HOOK_REFUSED_") || code === "HOOK_MISSING";
  const asked: HookResult = {
    ...{
      response: fail(problem),
      wasNotInvoked: isHindered,
      exitCode: null,
      signal: null,
      durationMs: 0,
      stderr: "",
      warnings: [],
    },
  };
  return verdictOf(await runChain([hook], aPayload("before_tool_call"), { invoke: async () => asked }));
}

describe.each(Object.entries(FAILURES))("%s", (code, more) => {
  test("of a fail-closed guard blocks", async () => {
    expect(await decided(code, more, { failOpen: false })).toMatchObject({ decision: "block", decidedBy: "guard" });
  });

  test("of a hook that fails open is a warning", async () => {
    const { decision, warnings } = await decided(code, more, { failOpen: true });
    expect(decision).toBe(LOST.includes(code) ? "block" : "continue");
    expect(warnings).toHaveLength(1);
  });

  test("of an observer is a warning", async () => {
    const { decision, warnings } = await decided(code, more, { failOpen: true, observe: true });
    expect({ decision, warnings: warnings.length }).toEqual({ decision: "continue", warnings: 1 });
  });
});
