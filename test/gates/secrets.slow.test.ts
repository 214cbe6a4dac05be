import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/workspace.ts";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));

test("no planted secret shows in a log, a report, an export, a replay or a backtest", async () => {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const args = [gates, "--only", "secrets", "--scale", "0.02"];
  const { stdout, stderr, code } = await runProgram([process.execPath, ...args], { env });
  expect({ stderr, code, stdout }).toEqual({
    stderr: "",
    code: 0,
    stdout: expect.stringMatching(/^✔ secrets {2}200 secrets planted in \d+ places \(8 through the command\): 0 shown/),
  });
});
