import { expect, test } from "vitest";
import { type OffContext, offReason } from "../../src/engine/hooks/select-hooks.ts";
import type { Override } from "../../src/protocol/setting-rows.ts";

const context = (skipByVariable: readonly string[], override: Override = {}): OffContext => ({
  options: { skip: [], skipByVariable, isOff: false },
  pauses: new Map([["guard", "off until 14:32 (hookctl off)"]]),
  settings: { machine: { overrides: { guard: override } } },
});

const hook = { name: "guard", source: "user" } as const;
const PAUSED = { by: "hookctl off", reason: "off until 14:32 (hookctl off)" };
const SKIPPED = { by: "HOOKCTL_SKIP", reason: "off (HOOKCTL_SKIP)" };

test.each([
  { title: "a pause", found: offReason(hook, context([])), expected: PAUSED },
  { title: "the variable, by a glob", found: offReason(hook, context(["gua*"])), expected: SKIPPED },
  { title: "another hook is on", found: offReason({ ...hook, name: "other" }, context([])), expected: null },
  {
    title: "the machine's hook stays on",
    found: offReason({ ...hook, source: "machine" }, context(["*"])),
    expected: null,
  },
  {
    title: "a hook that the machine made fail-closed stays on",
    found: offReason(hook, context(["*"], { fail_open: false })),
    expected: null,
  },
  {
    title: "a hook that the machine requires stays on",
    found: offReason(hook, context(["*"], { required: true })),
    expected: null,
  },
  {
    title: "a hook whose timeout the machine set may be off",
    found: offReason(hook, context([], { timeout: 1000 })),
    expected: PAUSED,
  },
])("$title", ({ found, expected }) => expect(found).toEqual(expected));
