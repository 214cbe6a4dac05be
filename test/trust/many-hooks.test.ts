import { expect, test } from "vitest";
import { fileCallsDuring } from "../support/file-calls.ts";
import { runMain } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const KINDS = [
  { title: "shell hooks", text: '#!/bin/sh\n. "$(dirname "$0")/common.sh"\n' },
  { title: "Python hooks", text: "#!/usr/bin/env python3\nimport json\nimport common\n" },
];

const CALLS = [["trust", "--show"], ["trust", "--digest"], ["list"]];

/** How often a folder of so many hooks is listed. */
async function listings(count: number, text: string, words: readonly string[]): Promise<number> {
  await using place = await workspace();
  for (const name of ["common.sh", "common.py"]) await place.write(`project/.kodelet/hooks/${name}`, "\n");
  for (let index = 0; index < count; index++) await place.hook(`h${index}`, text, { scope: "project" });
  const calls = await fileCallsDuring(async () => {
    const { code, stdout } = await runMain(place, words);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/h0|sha256:/) });
  });
  const listed = calls.filter(({ name, path }) => name === "readdirSync" && path.endsWith("/.kodelet/hooks")).length;
  expect(listed).toBeGreaterThan(0);
  return listed;
}

// Each hook's own listing of their folder would be the square of their number.
for (const words of CALLS) {
  test.each(KINDS)(
    `\`${words.join(" ")}\` of many $title lists their folder as often as that of few`,
    async ({ text }) => {
      expect(await listings(24, text, words)).toBe(await listings(3, text, words));
    },
  );
}
