import { describe, expect, test } from "vitest";
import { checkEntries } from "../../src/schema/check-entries.ts";

const FILE = "/p/.kodelet/hooks.json";

describe("entries in either form become the same", () => {
  test("a nameless one is called by its event and its place", () => {
    const byEvent = checkEntries({ Stop: [{ block: "a" }, { name: "b", inject: "c", priority: 5 }] }, FILE);
    const asList = checkEntries(
      [
        { on: "Stop", block: "a" },
        { on: "Stop", name: "b", inject: "c", priority: 5 },
      ],
      FILE,
    );
    expect(byEvent).toEqual(asList);
    expect(byEvent).toMatchObject({
      ok: true,
      value: [
        { name: "Stop#1", event: "agent_stop", on: "Stop", scheme: "block", value: "a", files: [] },
        { name: "b", event: "agent_stop", scheme: "inject", value: "c", priority: 5 },
      ],
    });
  });
});

describe("what is wrong is named with its place", () => {
  const rows: readonly (readonly [found: unknown, code: string, entry: string])[] = [
    ["hooks", "CONFIG_BAD_VALUE", "hooks"],
    [null, "CONFIG_BAD_VALUE", "hooks"],
    [{ Stop: {} }, "CONFIG_BAD_VALUE", "hooks.Stop"],
    [{ Stp: [] }, "CONFIG_UNKNOWN_KEY", "hooks"],
    [[{ on: "Stp", block: "a" }], "CONFIG_UNKNOWN_KEY", "hooks[0].on"],
    [[{ block: "a" }], "CONFIG_BAD_VALUE", "hooks[0]"],
    [["block"], "CONFIG_BAD_VALUE", "hooks[0]"],
    [{ Stop: [{}] }, "CONFIG_BAD_VALUE", "hooks.Stop[0]"],
    [{ Stop: [{ block: "a", command: "b" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0]"],
    [{ Stop: [{ block: "" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].block"],
    [{ Stop: [{ command: [] }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].command"],
    [{ Stop: [{ block: "a", timeout: 3 }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].timeout"],
    [JSON.parse('{"Stop":[{"block":"a","match":{"__proto__":"x"}}]}'), "CONFIG_BAD_VALUE", "hooks.Stop[0].match"],
    [{ Stop: [{ blck: "a" }] }, "CONFIG_UNKNOWN_KEY", "hooks.Stop[0]"],
    [{ Stop: [{ tool: "a.b" }] }, "CONFIG_NOT_SUPPORTED", "hooks.Stop[0].tool"],
    [{ Stop: [{ block: "a", observe: true, fail_open: false }] }, "CONFIG_CONTRADICTION", "hooks.Stop[0]"],
  ];
  test.each(rows)("%j is %s", (found, code, entry) => {
    expect(checkEntries(found, FILE)).toMatchObject({ ok: false, error: { code, entry, file: FILE } });
  });
});
