import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/workspace.ts";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));

test("killed at random moments by every signal, the test runner leaves no process and no folder", async () => {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const { stdout, stderr, code } = await runProgram([process.execPath, gates, "--only", "kills", "--small"], { env });
  expect({ stderr, code, stdout }).toEqual({
    stderr: "",
    code: 0,
    stdout: expect.stringContaining("0 left something"),
  });
});
