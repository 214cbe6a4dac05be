import { expect, test } from "vitest";
import { approvalStates } from "../support/approvals.ts";
import { hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export async function setUp(): Promise<Workspace> {
  const place = await workspace();
  for (const name of ["a.sh", "b.sh"])
    await place.hook(name, printResponse({ blocked: true, reason: name }), { scope: "project" });
  return place;
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

interface Answer {
  readonly title: string;
  readonly keys: readonly string[];
  readonly code: number;
  readonly approvals: Readonly<Record<string, string>>;
  /** Whose reason the call gets. */
  readonly by?: string;
}

export const REVIEWS: readonly Answer[] = [
  {
    title: "yes to all approves all",
    keys: ["y\n", "y\n"],
    code: 0,
    approvals: { "a.sh": "approved", "b.sh": "approved" },
  },
  { title: "no approves nothing of it", keys: ["y\n", "n\n"], code: 0, approvals: { "a.sh": "approved" } },
  { title: "an empty line asks again", keys: ["\n", "n\n", "yes\n"], code: 0, approvals: { "b.sh": "approved" } },
  { title: "a typing error asks again", keys: ["ye\n", "y\n", "q\n"], code: 0, approvals: { "a.sh": "approved" } },
  { title: "? explains and asks again", keys: ["?\n", "y\n", "q\n"], code: 0, approvals: { "a.sh": "approved" } },
  { title: "deny writes a denial", keys: ["d\n", "y\n"], code: 0, approvals: { "a.sh": "denied", "b.sh": "approved" } },
  { title: "quit keeps what was answered", keys: ["y\n", "q\n"], code: 0, approvals: { "a.sh": "approved" } },
  { title: "an end of input is a quit", keys: ["y\n", CTRL_D], code: 0, approvals: { "a.sh": "approved" } },
  { title: "Ctrl-C approves nothing at all", keys: ["y\n", CTRL_C], code: 130, approvals: {} },
  { title: "Ctrl-C denies nothing either", keys: ["d\n", CTRL_C], code: 130, approvals: {} },
];

export const ASKS: readonly Answer[] = [
  { title: "once is for this call", keys: ["y\n", "n\n"], code: 2, approvals: {}, by: "a.sh" },
  { title: "always is kept", keys: ["n\n", "a\n"], code: 2, approvals: { "b.sh": "approved" }, by: "b.sh" },
  { title: "no leaves it refused", keys: ["n\n", "n\n"], code: 0, approvals: {} },
  { title: "Ctrl-C runs nothing", keys: ["y\n", CTRL_C], code: 130, approvals: {} },
];

export function testTerminal(reviews: readonly Answer[], asks: readonly Answer[]): void {
  test.each(reviews)("trust: $title", async ({ keys, code, approvals }) => {
    await using place = await setUp();
    const typed = await runOnTerminal(place, `${hookctl} trust 2>/dev/null`, keys);
    // Shown on the terminal itself, wherever stderr leads.
    expect(typed).toMatchObject({ code, shown: expect.stringContaining("✖ not approved") });
    expect(await approvalStates(place)).toEqual(approvals);
  });

  test.each(asks)("run --ask: $title", async ({ keys, code, approvals, by }) => {
    await using place = await setUp();
    await place.write("project/payload.json", toolCall());
    const line = `${hookctl} run before_tool_call --ask < payload.json > out.json 2> err.txt`;
    expect(await runOnTerminal(place, line, keys)).toMatchObject({ code });
    const out = (await place.read("project/out.json")) ?? "";
    expect(out === "" ? undefined : JSON.parse(out).reason).toBe(by);
    expect(await approvalStates(place)).toEqual(approvals);
  });

  test("test: asks about a hook that has changed, and tests what was approved", async () => {
    await using place = await setUp();
    const typed = await runOnTerminal(place, `${hookctl} test b.sh`, ["y\n"]);
    expect(typed).toMatchObject({ shown: expect.stringContaining("✔ Approved b.sh") });
    expect(await approvalStates(place)).toEqual({ "b.sh": "approved" });
  });
}
