import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/workspace.ts";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));

test.each([
  { args: ["--only", "replay"], message: 'unknown gate "replay"; there are config, payloads' },
  { args: ["--scale", "0"], message: '--scale wants a number above 0, not "0"' },
  { args: ["--seed", "x"], message: '--seed wants a whole number, not "x"' },
  { args: ["--fast"], message: "--fast" },
])("a wrong option of the gates is a usage error: $args", async ({ args, message }) => {
  const result = await runProgram([process.execPath, gates, ...args], {});
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(message), code: 64 });
});

test("without a wrong option, the named gate draws by its seed and its share", async () => {
  const args = ["--only", "payloads", "--scale", "0.5", "--small", "--seed", "7"];
  const { stdout, code } = await runProgram([process.execPath, gates, ...args], {});
  expect({ stdout, code }).toEqual({ stdout: expect.stringMatching(/^✔ payloads 1,500 payloads [^\n]+\n$/), code: 0 });
});
