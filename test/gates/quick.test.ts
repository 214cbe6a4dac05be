import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, test } from "vitest";

const gates = fileURLToPath(new URL("../../gates/gates.mjs", import.meta.url));

/** A small part of each gate that is quick enough for every run of the tests; `npm run gates` holds the whole figures. */
const QUICK: readonly { readonly name: string; readonly scale: string }[] = [
  { name: "replies", scale: "0.02" },
  { name: "config", scale: "0.005" },
  { name: "payloads", scale: "0.03" },
  { name: "orphans", scale: "0.002" },
  { name: "record", scale: "0.005" },
  { name: "faults", scale: "0.002" },
  { name: "secrets", scale: "0.02" },
  { name: "trust", scale: "0.005" },
  { name: "store", scale: "0.01" },
  { name: "sessions", scale: "0.005" },
];

describe.skipIf(process.platform !== "linux")("the reliability gates hold in small", () => {
  test.each(QUICK)("$name, at scale $scale", async ({ name, scale }) => {
    const { stdout, stderr, exitCode } = await execa("node", [gates, "--only", name, "--scale", scale], {
      reject: false,
    });
    expect({ stdout, stderr, exitCode }).toMatchObject({ stdout: expect.stringMatching(/^✔/), exitCode: 0 });
  });
});

const WRONG: readonly { readonly words: readonly string[]; readonly says: string }[] = [
  { words: ["--only", "replay"], says: 'unknown gate "replay"; there are' },
  { words: ["--scale", "0"], says: '--scale wants a number above 0, not "0"' },
  { words: ["--seed", "x"], says: '--seed wants a whole number, not "x"' },
  { words: ["--fast"], says: "--fast" },
];

test.each(WRONG)("a wrong option says what is wrong: $words", async ({ words, says }) => {
  const { stdout, stderr, exitCode } = await execa("node", [gates, ...words], { reject: false });
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: "", stderr: expect.stringContaining(says), exitCode: 64 });
});
