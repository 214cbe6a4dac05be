import { expect, test } from "vitest";
import { COMMANDS } from "../../../../gates/disarm/ordinary.mjs";
import { respell } from "../../../testing/mutate/respell.ts";
import { EXAMPLES } from "../../examples.ts";
import { intentsIn, overlap } from "./intents.ts";

const STOPPED = Object.values(EXAMPLES).flatMap(({ blocked, asked }) =>
  [...blocked, ...asked].filter(({ folder }) => folder === undefined).map(({ command }) => command),
);

test("at least 95 of 100 respellings of the stopped examples are recognized", async () => {
  const missed: string[] = [];
  let tried = 0;
  for (const command of STOPPED) {
    const intents = await intentsIn(command);
    if (intents.length === 0) continue;
    for (const other of respell(command, { most: 8, isHarmless: false })) {
      tried++;
      if (!overlap(await intentsIn(other.command), intents)) missed.push(other.command);
    }
  }
  expect(tried).toBeGreaterThanOrEqual(1_000);
  expect({ missed, isFew: missed.length <= tried * 0.05 }).toEqual({ missed, isFew: true });
});

test("none of 1,400 harmless statements has the intent of a stopped example", async () => {
  const stopped = new Set((await Promise.all(STOPPED.map(intentsIn))).flat());
  const allowed = Object.values(EXAMPLES).flatMap((examples) => examples.allowed.map(({ command }) => command));
  const harmless = [...COMMANDS, ...allowed].flatMap((command) => [
    command,
    ...respell(command, { most: 2, isHarmless: true }).map((one) => one.command),
  ]);
  expect(harmless.length).toBeGreaterThanOrEqual(1_400);
  const colliding: string[] = [];
  for (const command of harmless)
    if ((await intentsIn(command)).some((intent) => stopped.has(intent))) colliding.push(command);
  expect(colliding).toEqual([]);
});
