import fc from "fast-check";
import { expect, test } from "vitest";
import { isInEffect, isOver, LONGEST_PAUSE_MS, type Pause } from "../../src/protocol/pause.ts";
import { propertyRuns } from "../support/property-runs.ts";

const START = 1_800_000_000_000;
const pause: Pause = {
  ...{ name: "guard", project: null, by: "me" },
  ...{ startMs: START, endMs: START + 600_000, startUptimeMs: 50_000 },
};

test.each([
  { title: "at its start", clock: [0, 0], inEffect: true, over: false },
  { title: "just before its end", clock: [599_999, 599_999], inEffect: true, over: false },
  { title: "at its end", clock: [600_000, 600_000], inEffect: false, over: true },
  { title: "with a clock that was set before its start", clock: [-1, 10], inEffect: false, over: false },
  { title: "with a clock that is set back again and again", clock: [5, 600_000], inEffect: false, over: true },
  { title: "after a restart of the machine", clock: [5, -1], inEffect: false, over: true },
])("$title", ({ clock: [wall = 0, up = 0], inEffect, over }) => {
  const clock = { nowMs: START + wall, uptimeMs: 50_000 + up };
  expect([isInEffect(pause, clock), isOver(pause, clock)]).toEqual([inEffect, over]);
});

test("however the clock of the day jumps, a pause is in effect no longer than it lasts", () => {
  const jump = fc.record({ wallMs: fc.integer({ min: -3e6, max: 3e6 }), passedMs: fc.nat(3e5) });
  fc.assert(
    fc.property(fc.array(jump), fc.integer({ min: 1, max: 1e6 }), (jumps, lastsMs) => {
      const one = { ...pause, endMs: START + lastsMs };
      let upMs = 0;
      for (const { wallMs, passedMs } of jumps) {
        upMs += passedMs;
        if (isInEffect(one, { nowMs: START + wallMs, uptimeMs: 50_000 + upMs })) expect(upMs).toBeLessThan(lastsMs);
      }
    }),
    propertyRuns(500),
  );
});

test("the longest is a day", () => expect(LONGEST_PAUSE_MS).toBe(86_400_000));
