import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { readOptions } from "../../gates/options.mjs";
import { runProgram } from "../support/workspace.ts";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));
const NAMES = ["replies", "trust"];

describe("the options of the gates", () => {
  test("without any, every gate runs whole", () => {
    expect(readOptions([], NAMES)).toEqual({ only: NAMES, scale: 1, seed: 1, isSmall: false, isHelp: false });
  });

  test("name the gates, their share, their seed and the small run", () => {
    const options = readOptions(["--only", "trust", "--scale", "0.5", "--seed", "7", "--small"], NAMES);
    expect(options).toEqual({ only: ["trust"], scale: 0.5, seed: 7, isSmall: true, isHelp: false });
  });

  test.each([
    { args: ["--only", "replay"], message: 'unknown gate "replay"; there are replies, trust' },
    { args: ["--scale", "0"], message: '--scale wants a number above 0, not "0"' },
    { args: ["--seed", "x"], message: '--seed wants a whole number, not "x"' },
    { args: ["--fast"], message: "--fast" },
  ])("a wrong option is explained: $args", ({ args, message }) => {
    expect(readOptions(args, NAMES)).toContain(message);
  });

  test("a wrong option is a usage error of the command", async () => {
    const result = await runProgram([process.execPath, gates, "--only", "replay"], {});
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("unknown gate"), code: 64 });
  });
});
