import { dirname } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { program } from "../support/program.ts";
import { workspace } from "../support/workspace.ts";
import { AFTER } from "./worked/after.ts";
import { BEFORE } from "./worked/before.ts";

/** The first nine, with their variants: the same rows that the pure chain is tested with. */
test.each([...BEFORE, ...AFTER])("$title", async (row) => {
  await using place = await workspace();
  for (const [name, language, says, lines] of row.hooks) {
    const word = typeof says === "string" ? says : JSON.stringify(says);
    await place.hook(name, program(language, word, lines));
  }
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: row.settings ?? {} }));
  const result = await runMain(place, ["run", row.event], {
    stdin: JSON.stringify(row.payload),
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });
  const stderr = settled(result.stderr);
  expect({ ...result, stderr }).toEqual({
    stdout: `${row.stdout}\n`,
    stderr: row.stderr.map((line) => `${line}\n`).join(""),
    code: row.code,
    signal: null,
  });
  expect((await place.read("project/seen"))?.trim() ?? null).toBe(row.seen ?? null);
});

/** The story without how long it took. */
const settled = (text: string): string => text.replaceAll(/[░█]{20} +\d+ ms/g, "BAR").replaceAll(/, \d+ ms$/gm, "");
