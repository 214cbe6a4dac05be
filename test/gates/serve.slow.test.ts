import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/workspace.ts";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));

test("a server under mixed traffic, killed, and sent what is no request", async () => {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const { stdout, stderr, code } = await runProgram([process.execPath, gates, "--only", "serve", "--small"], { env });
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(stdout).toMatch(
    /: 0 wrong, server alive; \d+ kills: 0 calls passed a fail-closed guard .*, 0 locks left; .* 0 orphans, 0 wrong answers/,
  );
});
