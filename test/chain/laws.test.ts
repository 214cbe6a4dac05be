import fc from "fast-check";
import { expect, test } from "vitest";
import { runChain, verdictOf } from "../../src/chain/advance.ts";
import { EVENT_NAMES, EVENT_ROWS, type EventName } from "../../src/protocol/event.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { DECISIONS, type HookResult } from "../../src/protocol/hook-response.ts";
import type { Verdict } from "../../src/protocol/verdict.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { aHook, aPayload, crashed, replied } from "./builders.ts";

/** One hook and what comes of asking it. */
type Link = readonly [Hook, HookResult];

const words = fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 2 });
const reply = fc.record({
  decision: fc.constantFrom(...DECISIONS),
  change: fc.constantFrom(null, null, '"m"', '"n"'),
  context: words,
  followUps: words,
  systemMessage: fc.constantFrom(null, "s"),
});
const standing = fc.record({
  observe: fc.boolean(),
  failOpen: fc.boolean(),
  disabledReason: fc.constantFrom(null, null, null, "disabled in the settings"),
});
const link = fc.record({
  reply,
  standing,
  isReplace: fc.boolean(),
  fate: fc.constantFrom("speaks", "speaks", "speaks", "crashes"),
});
const chains = fc.array(link, { maxLength: 8 }).map((links) =>
  links.map((one, index): Link => {
    // An observer is never closed: that is refused before a chain is built.
    const failOpen = one.standing.failOpen || one.standing.observe;
    const hook = aHook(`h${index}`, { ...one.standing, failOpen });
    const isReplace = one.isReplace && one.reply.change !== null;
    return [hook, one.fate === "crashes" ? crashed(hook) : replied({ ...one.reply, isReplace })];
  }),
);
const events = fc.constantFrom(...EVENT_NAMES.filter((event) => !Array.isArray(EVENT_ROWS[event].target)));

const holds = (law: (verdict: Verdict, chain: readonly Link[], event: EventName) => void | Promise<void>) =>
  fc.assert(
    fc.asyncProperty(chains, events, async (chain, event) => law(await verdictOver(chain, event), chain, event)),
    propertyRuns(500),
  );

test("nothing but observers follows a block or a replacement", () =>
  holds(({ steps, decision }, _chain, event) => {
    const end = steps.findIndex(
      ({ hook, outcome }) =>
        outcome === "block" ||
        outcome === "replace" ||
        (outcome === "failed" && !hook.failOpen && decision !== "continue"),
    );
    if (end < 0 || EVENT_ROWS[event].onBlock === "ignore") return;
    expect(steps.slice(end + 1).filter(({ result, hook }) => result !== null && !hook.observe)).toEqual([]);
  }));

test("every hook has one step, in the order of the chain", () =>
  holds(({ steps }, chain) => {
    expect(steps.map(({ hook }) => hook)).toEqual(chain.map(([hook]) => hook));
  }));

test("a block drops the changes before it and keeps the context up to it", () =>
  holds((verdict, chain) => {
    if (verdict.decision !== "block" && verdict.decision !== "halt") return;
    expect(verdict.change).toBeNull();
    const counted = verdict.steps
      .filter(({ result, hook }) => result !== null && !hook.observe)
      .map(({ hook }) => hook);
    const context = chain.flatMap(([hook, { response: said }]) =>
      counted.includes(hook) && said.ok ? (said.value?.context ?? []) : [],
    );
    expect(verdict.context).toEqual(context);
  }));

test("observers change nothing", () =>
  holds(async (verdict, chain, event) => {
    const without = await verdictOver(
      chain.filter(([hook]) => !hook.observe),
      event,
    );
    expect({ ...verdict, steps: [], warnings: [] }).toEqual({ ...without, steps: [], warnings: [] });
  }));

test("a closed hook that failed where a block counts never lets the caller go on", () =>
  holds(({ steps, decision }, _chain, event) => {
    const hasFailed = steps.some(({ hook, outcome }) => outcome === "failed" && !hook.failOpen);
    if (hasFailed && EVENT_ROWS[event].onBlock !== "ignore") expect(decision).not.toBe("continue");
  }));

test("a block that was said where it counts never lets the caller go on", () =>
  holds(({ steps, decision }, chain, event) => {
    if (EVENT_ROWS[event].onBlock === "ignore") return expectGoingOn(decision);
    const saidBlock = chain.some(
      ([{ observe, name }, { response: said }]) =>
        !observe &&
        said.ok &&
        said.value?.decision === "block" &&
        steps.some(({ hook, result }) => hook.name === name && result),
    );
    if (saidBlock) expect(decision).not.toBe("continue");
  }));

test("every failure is a warning, and a chain of silent hooks has none", () =>
  holds((verdict) => {
    const failures = verdict.steps.filter(({ outcome }) => outcome === "failed");
    for (const { hook } of failures) expect(verdict.warnings.join("\n")).toContain(hook.name);
  }));

function expectGoingOn(decision: string): void {
  expect(decision).toBe("continue");
}

async function verdictOver(chain: readonly Link[], event: EventName): Promise<Verdict> {
  const answers = new Map(chain.map(([hook, asked]) => [hook.name, asked]));
  const hooks = chain.map(([hook]) => hook);
  return verdictOf(
    await runChain(hooks, aPayload(event), { invoke: async (hook) => answers.get(hook.name) ?? crashed(hook) }),
  );
}
