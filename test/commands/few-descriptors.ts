import { describe, expect, test } from "vitest";
import { NATIVE } from "../../packages/agents/test/payloads.ts";
import { HOOKCTL, runProgram, workspace } from "../support/workspace.ts";

export const CALL = JSON.stringify(NATIVE.claude.PreToolUse);
export const LINE = ["bridge", "claude", "--event", "PreToolUse"];
export const CLOSED = [...LINE, "--fail-closed"];
export const DENY = '"permissionDecision":"deny"';

export function testFewDescriptors(limits: readonly number[]): void {
  describe("too few descriptors", () => {
    test.each(limits)("ulimit -n %d: no stack trace, and no call passes a guard", async (limit) => {
      await using place = await workspace();
      await place.write(
        "home/.kodelet/hooks/guard",
        '#!/bin/sh\n[ "$1" = hook ] && { echo \'{"event":"before_tool_call","fail_open":false}\'; exit; }\necho \'{"blocked":true,"reason":"no"}\'\n',
        0o755,
      );
      for (const words of [["run", "before_tool_call"], CLOSED]) {
        const script = `ulimit -n ${limit}; exec "$0" "$@"`;
        const result = await runProgram(["/bin/sh", "-c", script, ...HOOKCTL, ...words], {
          cwd: place.project,
          env: place.env,
          stdin: CALL,
        });
        // Node 22 and later need more than 21 to read any program, and fail in their own code.
        expect(result.stderr).not.toMatch(/^ {4}at (?!.*\bnode:)/m);
        expect(result.code !== 0 || result.stdout.includes(DENY)).toBe(true);
      }
    });
  });
}
