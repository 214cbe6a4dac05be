import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allOptions } from "../../src/cli/command-table.ts";
import { allCommands } from "../../src/command-groups.ts";
import { nearestEvent } from "../../src/protocol/event.ts";
import { editDistance, nearest } from "../../src/protocol/text/nearest.ts";

const COMMANDS = await allCommands();

const FLAGS = allOptions(COMMANDS).flatMap(({ row }) => [row.name, row.short ?? []].flat());

describe("the nearest word is named", () => {
  test.each([
    ["lst", ["list", "run", "payload"], "list"],
    ["RUN", ["list", "run", "payload"], "run"],
    ["timout", ["timeout", "timeouts", "deadline"], "timeout"],
    ["fail-open", ["observe", "fail_open"], "fail_open"],
    ["prio", ["enabled", "priority"], "priority"],
    ["guard.sh", ["audit", "guard"], "guard"],
    ["xyzzy", ["list", "run", "payload"], null],
    ["anything", [], null],
    ["-x", ["-q", "-v"], null],
    ["rnu", ["list", "on", "run"], "run"],
    ["foo", ["on", "off", "--hook"], null],
    ["--all", ["--as"], null],
  ])("%s among %j is %s", (word, known, expected) => expect(nearest(word, known)).toBe(expected));

  test.each([
    ["--colour", "--color"],
    ["--quite", "--quiet"],
    ["--config-file", "--config"],
    ["--vebrose", "--verbose"],
    ["--dryrun", "--dry-run"],
    ["--hookdir", "--hooks-dir"],
    ["--jsno", "--json"],
    ["-Q", "-q"],
  ])("the flag %s is taken for %s", (word, expected) => expect(nearest(word, FLAGS)).toBe(expected));

  test.each([
    ["before_tool_cal", "before_tool_call"],
    ["beforeToolCall", "before_tool_call"],
    ["PreToolUsed", "PreToolUse"],
    ["pretooluse", "PreToolUse"],
    ["banana", null],
  ])("the event %s is taken for %s", (word, expected) => expect(nearestEvent(word)).toBe(expected));

  test("a name without a Latin letter is not near to everything", () => {
    expect(nearest("guardian", ["日本", "___"])).toBeNull();
  });

  test("a known word is nearest to itself, whatever stands beside it", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1 }), fc.nat(), (known, pick) => {
        const one = known[pick % known.length] ?? "";
        expect(nearest(one, known)).toBe(one);
      }),
    );
  });
});

test("the distance of two words is a metric", () => {
  const word = fc.stringMatching(/^[abc]{0,6}$/);
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
  );
});
