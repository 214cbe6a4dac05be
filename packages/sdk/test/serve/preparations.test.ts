import { expect, test } from "vitest";
import type { Interrupt } from "../../../../src/process/process-request.ts";
import { closeSignal } from "../../library/close-signal.ts";
import { createPreparations } from "../../serve/preparations.ts";
import { createSlots } from "../../serve/slots.ts";

/** Preparations that count how often one was made, and keep what could interrupt them. */
function counted() {
  const made: Interrupt[] = [];
  const { prepare } = createPreparations<number>();
  const ask = (key: string, signal = closeSignal()) =>
    prepare(key, signal.interrupt, async (interrupt) => {
      made.push(interrupt);
      return made.length;
    });
  return { made, ask };
}

test("requests that come together share one preparation; a later one has its own", async () => {
  const { made, ask } = counted();
  expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual([1, 1, 2]);
  expect(await ask("a")).toEqual(3);
  expect(made).toHaveLength(3);
});

test("one that comes while the preparation runs does not see what was found before", async () => {
  const { prepare } = createPreparations<number>();
  let count = 0;
  let release = (): void => {};
  const held = new Promise<void>((settle) => {
    release = settle;
  });
  const first = prepare("a", closeSignal().interrupt, async () => {
    const own = ++count;
    await held;
    return own;
  });
  await new Promise((resume) => setImmediate(resume));
  const second = prepare("a", closeSignal().interrupt, async () => ++count);
  release();
  expect([await first, await second]).toEqual([1, 2]);
});

test("it is interrupted when nobody needs it any more, and nobody joins it then", async () => {
  const { made, ask } = counted();
  const [one, other] = [closeSignal(), closeSignal()];
  const asked = [ask("a", one), ask("a", other)];
  one.close();
  const joined = ask("a");
  other.close();
  await Promise.all([...asked, joined]);
  expect(made.map((interrupt) => interrupt.raised())).toEqual([null]);
  const alone = closeSignal();
  const left = ask("a", alone);
  alone.close();
  await Promise.all([left, ask("a")]);
  expect(made.slice(1).map((interrupt) => interrupt.raised())).toEqual(["SIGTERM", null]);
});

test("a depth's slots go to those who wait, in their order, and not to one that was interrupted", async () => {
  const slots = createSlots(1);
  const never = closeSignal().interrupt;
  const order: string[] = [];
  const free = await slots.take(0, never);
  const cancelled = closeSignal();
  const waiting = [
    slots.take(0, cancelled.interrupt).then((taken) => order.push(`first ${taken === null ? "none" : "one"}`)),
    slots.take(0, never).then((taken) => {
      order.push("second");
      taken?.();
    }),
    slots.take(1, never).then(() => order.push("deeper")),
  ];
  cancelled.close();
  await waiting[2];
  free?.();
  await Promise.all(waiting);
  expect([order.slice(0, 2).sort(), order[2]]).toEqual([["deeper", "first none"], "second"]);
  expect(await slots.take(0, never)).not.toBeNull();
});
