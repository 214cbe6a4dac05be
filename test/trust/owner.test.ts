import { chown } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../src/protocol/approval.ts";
import { compareEvidence } from "../../src/trust/evidence/evidence.ts";
import { canSwitchUser, giveToUser, runAsUser, WHY_SKIPPED } from "../support/as-user.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const APPROVED: Evidence = { realPath: "/p/guard", sha256: "a", mode: 0o755, owner: 1000, helpers: {}, files: {} };

test("the owner is part of an approval", () => {
  expect(compareEvidence(APPROVED, APPROVED)).toEqual([]);
  expect(compareEvidence(APPROVED, { ...APPROVED, owner: 0 })).toEqual([expect.stringContaining("owner")]);
});

test.each([
  { title: "the mode after a checkout with umask 002", before: 0o755, now: 0o775, isChanged: false },
  { title: "the mode after a checkout with umask 077", before: 0o755, now: 0o700, isChanged: false },
  { title: "the lost execute bit", before: 0o755, now: 0o644, isChanged: true },
  { title: "a new execute bit", before: 0o600, now: 0o700, isChanged: true },
  { title: "set-user-ID", before: 0o755, now: 0o4755, isChanged: true },
  { title: "set-group-ID", before: 0o755, now: 0o2755, isChanged: true },
])("$title is a change: $isChanged", ({ before, now, isChanged }) => {
  const changes = compareEvidence({ ...APPROVED, mode: before }, { ...APPROVED, mode: now });
  expect(changes).toEqual(isChanged ? [expect.stringContaining("its mode")] : []);
});

test("content that could be read neither then nor now is no approved content", () => {
  const unread = { ...APPROVED, sha256: null };
  expect(compareEvidence(unread, unread)).toEqual(["its content"]);
});

const canGiveAway = process.getuid?.() === 0 && canSwitchUser;

describe.skipIf(!canGiveAway)(`a file that changes hands (only root can give files away)${WHY_SKIPPED}`, () => {
  // A file of root's is in a safe place for everybody: nothing but the approval tells that it is another file.
  test("an approved guard that belongs to root now is changed, and blocks", async () => {
    await using place = await workspace();
    const guard = await place.hook("guard", printResponse({ blocked: false }), { scope: "project" });
    await giveToUser(place);
    expect(await runAsUser(place, ["trust", "--yes"])).toMatchObject({ code: 0 });
    const run = () => runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() });
    expect(parseRunJson(await run())).toMatchObject({ decision: "continue", hooks: [{ name: "guard" }] });
    await chown(guard, 0, 0);
    const result = await run();
    expect(result.code).toBe(2);
    expect(parseRunJson(result).hooks).toMatchObject([{ failure: { code: "HOOK_REFUSED_CHANGED" } }]);
  });
});
