import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { STATES } from "../../gates/truth/states.mjs";
import { AGENT_NAMES } from "../../src/protocol/agent-names.ts";
import { runProgram } from "../support/workspace.ts";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));

test("every state of a machine has a name of its own, and every agent has one", () => {
  expect(new Set(STATES.map(({ name }) => name)).size).toBe(STATES.length);
  expect(new Set(STATES.map(({ agent }) => agent))).toEqual(new Set(AGENT_NAMES));
});

test("what hookctl says of a machine is what a native call does there, and wrong statements are noticed", async () => {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const args = [gates, "--only", "truth", "--scale", "0.05"];
  const { stdout, stderr, code } = await runProgram([process.execPath, ...args], { env });
  expect({ stderr, code, stdout }).toEqual({
    stderr: "",
    code: 0,
    stdout: expect.stringMatching(/^✔ truth {4}\d+ statements about \d+ states .*: 0 disagree; 3 of 3 lies found/),
  });
});
