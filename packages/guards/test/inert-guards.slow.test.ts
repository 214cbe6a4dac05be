import { describe, expect, test } from "vitest";
import { CALL_WAYS, ENVIRONMENT_WAYS, GUARD_WAYS, MACHINE_WAYS } from "./call-ways.ts";
import { ALL_CALLS, type Call, type Effect, effectOf, FEW_CALLS } from "./calls.ts";
import { FILE_WAYS, SETTINGS_WAYS, STORE_WAYS } from "./disk-ways.ts";
import { guarded } from "./guard.ts";
import type { GuardKind, Way } from "./way.ts";

const WAYS: readonly (readonly [group: string, ways: readonly Way[]])[] = [
  ["files", FILE_WAYS],
  ["settings", SETTINGS_WAYS],
  ["approvals", STORE_WAYS],
  ["the guard's own behaviour", GUARD_WAYS],
  ["calls", CALL_WAYS],
  ["environment", ENVIRONMENT_WAYS],
  ["machine", MACHINE_WAYS],
];

interface Case {
  readonly title: string;
  readonly kind: GuardKind;
  readonly way: Way;
  readonly calls: readonly Call[];
  /** Why it is not tried; null: it is. */
  readonly skip: string | null;
}

/** The first kind of guard that a way names goes through every call, the others through a few. */
const casesOf = (ways: readonly Way[]): readonly Case[] =>
  ways.flatMap((way) =>
    way.on.map((kind, index): Case => {
      const calls = (index === 0 ? ALL_CALLS : FEW_CALLS).filter((call) => way.only?.includes(call.kind) ?? true);
      const title = `${kind} guard, ${way.title}`;
      const skip = way.skip ?? null;
      return { title: skip === null ? title : `${title}: skipped, ${skip}`, kind, way, calls, skip };
    }),
  );

/** Which effects are too little: a fail-closed guard blocks, unless the way says that a word is enough here. */
const tooLittle = ({ enough }: Way, { kind }: Call): readonly Effect[] =>
  enough?.at.includes(kind) ? ["silent"] : ["silent", "said"];

/** The calls that go further than they may, each with its effect. */
async function inertAt({ kind, way, calls }: Case): Promise<readonly string[]> {
  await using place = await guarded(kind);
  for (const call of calls.slice(0, 1)) expect(await effectOf(call, place), "before").toBe("block");
  await way.act?.(place, kind);
  const calling = way.calling?.(place) ?? {};
  const tried = async (call: Call) => ({ call, effect: await effectOf(call, place, calling) });
  const together = way.isAlone ? calls.map((call) => [call]) : [calls];
  const effects: Awaited<ReturnType<typeof tried>>[] = [];
  for (const some of together) effects.push(...(await Promise.all(some.map(tried))));
  return effects
    .filter(({ call, effect }) => tooLittle(way, call).includes(effect))
    .map(({ call, effect }) => `${call.title}: ${effect}`);
}

describe.skipIf(process.platform !== "linux")("no way makes a fail-closed guard inert", () => {
  describe.each(WAYS)("%s", (_group, ways) => {
    const cases = casesOf(ways);
    test.concurrent.each(cases.filter(({ skip }) => skip === null))("$title", async (one) => {
      expect(await inertAt(one)).toEqual([]);
    });
    for (const { title } of cases.filter(({ skip }) => skip !== null)) test.skip(title, () => undefined);
  });
});
