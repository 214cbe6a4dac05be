import { describe, expect, test } from "vitest";
import { approvalStates } from "../support/approvals.ts";
import { runMain } from "../support/in-process.ts";
import { hasScript } from "../support/on-terminal.ts";
import { ASKS, REVIEWS, setUp, testTerminal } from "./terminal.ts";

describe.skipIf(!hasScript)("on a terminal (needs script of util-linux)", () =>
  testTerminal(REVIEWS.slice(0, 2), ASKS.slice(0, 1)),
);

test("without a terminal trust says how to go on, and run --ask goes on without", async () => {
  await using place = await setUp();
  const bare = await runMain(place, ["trust"]);
  expect(bare).toMatchObject({ stdout: "", stderr: expect.stringContaining("hookctl trust --yes"), code: 64 });
  expect(await approvalStates(place)).toEqual({});
});
