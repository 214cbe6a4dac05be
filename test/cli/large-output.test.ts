import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { expectRedacted } from "./redacted-output.ts";

const MIB = 1024 * 1024;

test("the redactor gives back a tool output of 5 MiB", { tags: "slow" }, () => expectRedacted(5 * MIB));

describe("how much a hook may print", () => {
  /** Prints so many bytes in front of a block. */
  const prints = (bytes: number): string =>
    `head -c ${bytes} /dev/zero | tr '\\0' ' '; ${printResponse({ blocked: true })}`;
  const codeFor = async (place: Workspace, bytes: number, says = "before_tool_call", stdin = toolCall()) => {
    await place.hook("guard", prints(bytes), { says });
    const result = await place.run(["run", "before_tool_call", "--json", "-q"], { stdin });
    return parseRunJson(result).hooks[0]?.failure?.code ?? parseRunJson(result).decision;
  };
  const declaring = (output_limit: unknown): string => JSON.stringify({ event: "before_tool_call", output_limit });

  test("4 MiB, or four times what it gets", async () => {
    await using place = await workspace();
    expect(await codeFor(place, 3.9 * MIB)).toBe("block");
    expect(await codeFor(place, 4 * MIB)).toBe("HOOK_TOO_MUCH_OUTPUT");
    const large = toolCall("x".repeat(2 * MIB));
    expect(await codeFor(place, 7 * MIB, "before_tool_call", large)).toBe("block");
  });

  test("what it declares, in bytes or in words", { tags: "slow" }, async () => {
    await using place = await workspace();
    expect(await codeFor(place, 5 * MIB, declaring("6MiB"))).toBe("block");
    expect(await codeFor(place, 5 * MIB, declaring(6 * MIB))).toBe("block");
    expect(await codeFor(place, 5000, declaring("2KiB"))).toBe("HOOK_TOO_MUCH_OUTPUT");
  });

  test.each(["6 pounds", "1B", "4GiB", -1, true])("a declared limit of %j is none", { tags: "slow" }, async (limit) => {
    await using place = await workspace();
    expect(await codeFor(place, 10, declaring(limit))).toBe("HOOK_BAD_ANSWER");
  });

  test("what the user's settings say of it", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"output_limit":"6MiB"}}}');
    expect(await codeFor(place, 5 * MIB, declaring("2KiB"))).toBe("block");
    await place.write("home/.kodelet/hooks.json", '{"overrides":{"guard":{"output_limit":2048}}}');
    expect(await codeFor(place, 5000)).toBe("HOOK_TOO_MUCH_OUTPUT");
  });

  test("and what an entry says of itself", { tags: "slow" }, async () => {
    await using place = await workspace();
    const entry = { name: "guard", command: `sh -c ${JSON.stringify(prints(5000))}`, output_limit: "2KiB" };
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [entry] } }));
    const result = await runInProcess(place, "run before_tool_call --json -q", { stdin: toolCall() });
    expect(JSON.parse(result.stdout).hooks[0].failure.code).toBe("HOOK_TOO_MUCH_OUTPUT");
  });
});
