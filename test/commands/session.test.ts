import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

describe("values of a session on the command line", () => {
  const rows: readonly (readonly [words: string, stdout: string, code: number])[] = [
    ["state set colour blue", "", 0],
    ["state get colour", "blue\n", 0],
    ["state set list [1,2]", "", 0],
    ["state get list", "[1,2]\n", 0],
    ["state incr count", "1\n", 0],
    ["state incr count 4", "5\n", 0],
    ["state unset colour", "", 0],
    ["state get colour", "", 1],
    ["state get", '{"list":[1,2],"count":5}\n', 0],
    ["inbox", expect.stringContaining('"messages":[]') as unknown as string, 0],
    ["inbox drain", expect.stringContaining('"wake":false') as unknown as string, 0],
  ];
  test("each finds what the one before has left", async () => {
    await using place = await workspace();
    for (const [words, stdout, code] of rows) {
      expect(await runInProcess(place, `${words} --session s-1`), words).toMatchObject({ stdout, code });
    }
    expect(await runInProcess(place, "state get", { env: { HOOKCTL_SESSION: "s-1" } })).toMatchObject({ code: 0 });
  });

  const mistakes: readonly (readonly [words: string, code: number, says: string])[] = [
    ["state get x", 64, "session"],
    ["inbox drain", 64, "session"],
    ["state gett x --session s", 64, "gett"],
    ["state set x --session s", 64, "set"],
    ["state --session s", 64, "state"],
    ["inbox dran --session s", 64, "hookctl inbox drain"],
  ];
  test.each(mistakes)("%s ends with %i", async (words, code, says) => {
    await using place = await workspace();
    expect(await runInProcess(place, words)).toMatchObject({ stdout: "", code, stderr: expect.stringContaining(says) });
  });

  test("what is no number is not counted up", async () => {
    await using place = await workspace();
    await runInProcess(place, "state set x blue --session s");
    expect(await runInProcess(place, "state incr x --session s")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("x"),
    });
  });
});
