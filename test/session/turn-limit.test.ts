import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Inbox, type InboxMessage, inboxJson } from "../../src/session/inbox.ts";
import { deliver, isFromPerson, type TurnCount } from "../../src/session/turn-limit.ts";
import { propertyRuns } from "../support/property-runs.ts";

const valve = (turns: number, issued: readonly string[] = [], wokenAt: readonly string[] = []): TurnCount => ({
  ...{ turns, issued, wokenAt },
});
const message = (text: string, wake: boolean): InboxMessage => ({ hook: "h", text, wake });
const [waking, passive] = [message("w", true), message("p", false)];

interface Case {
  readonly title: string;
  readonly turns?: number;
  readonly inbox?: Inbox;
  readonly followUps?: readonly InboxMessage[];
  readonly pushes?: readonly InboxMessage[];
  readonly limit?: number;
  readonly wokenAt?: readonly string[];
  readonly ended?: string;
  readonly after: Partial<TurnCount> & { readonly inbox: Inbox; readonly isOver?: true };
}

const cases: readonly Case[] = [
  { title: "nothing sent opens no turn", turns: 3, after: { turns: 3, inbox: [] } },
  { title: "a follow-up opens a turn", followUps: [waking], after: { turns: 1, inbox: [], issued: ["w"] } },
  {
    title: "two follow-ups open one turn",
    followUps: [waking, waking],
    after: { turns: 1, inbox: [], issued: ["w", "w"] },
  },
  {
    title: "a push that wakes opens a turn",
    pushes: [waking],
    after: { turns: 1, inbox: [waking], issued: ["[hook:h] w"] },
  },
  { title: "a passive push waits, and opens none", pushes: [passive], after: { turns: 0, inbox: [passive] } },
  {
    title: "what is drained together is one turn: a second waking push opens none",
    ...{ turns: 1, inbox: [waking], pushes: [waking] },
    after: { turns: 1, inbox: [waking, waking], issued: ["[hook:h] w"] },
  },
  {
    title: "where the same end of a turn woke before, nothing was drained in between, and this is another turn",
    ...{ turns: 1, inbox: [waking], wokenAt: ["turn_end", "agent_stop"], pushes: [waking], ended: "turn_end" },
    after: { turns: 2, inbox: [waking, waking], issued: ["[hook:h] w"], wokenAt: ["turn_end"] },
  },
  {
    title: "two events that end one turn open one",
    ...{ turns: 1, inbox: [waking], wokenAt: ["turn_end"], pushes: [waking], ended: "agent_stop" },
    after: { turns: 1, inbox: [waking, waking], issued: ["[hook:h] w"], wokenAt: ["turn_end", "agent_stop"] },
  },
  {
    title: "what woke the inbox before it was drained is over",
    ...{ turns: 1, inbox: [], wokenAt: ["turn_end"], pushes: [waking] },
    after: { turns: 2, inbox: [waking], issued: ["[hook:h] w"] },
  },
  {
    title: "a waking push behind a passive one opens a turn",
    ...{ inbox: [passive], pushes: [waking] },
    after: { turns: 1, inbox: [passive, waking], issued: ["[hook:h] w"] },
  },
  {
    title: "follow-ups and a push that wakes may be two turns",
    ...{ followUps: [waking], pushes: [waking] },
    after: { turns: 2, inbox: [waking], issued: ["w", "[hook:h] w"] },
  },
  {
    title: "the last turn below the limit opens",
    turns: 1,
    limit: 2,
    followUps: [waking],
    after: { turns: 2, inbox: [], issued: ["w"] },
  },
  {
    title: "over the limit follow-ups and pushes wait, and nothing wakes",
    ...{ turns: 2, limit: 2, inbox: [passive], followUps: [waking], pushes: [waking] },
    after: { turns: 2, inbox: [passive, message("w", false), message("w", false)], isOver: true },
  },
  {
    title: "over the limit a passive push goes on as before",
    turns: 2,
    limit: 2,
    pushes: [passive],
    after: { turns: 2, inbox: [passive] },
  },
  {
    title: "0 is no limit",
    turns: 1000,
    limit: 0,
    followUps: [waking],
    after: { turns: 1001, inbox: [], issued: ["w"] },
  },
];

test.each(cases)("$title", ({ turns = 0, inbox = [], followUps = [], pushes = [], limit = 25, after, ...more }) => {
  const { wokenAt = [], ended = null } = more;
  const result = deliver({ count: valve(turns, [], wokenAt), inbox }, { followUps, pushes, ended }, limit);
  expect({ ...result.count, inbox: result.inbox, isOver: result.isOverLimit }).toEqual({
    issued: [],
    wokenAt: [],
    isOver: false,
    ...after,
  });
});

test("however hooks push and follow up, no more turns open in a row than the limit, and no message is lost", () => {
  const result = fc.constantFrom(null, "turn_end", "agent_stop");
  const step = fc.record({
    ended: result,
    followUps: fc.nat(2),
    waking: fc.nat(2),
    passive: fc.nat(2),
    isDrained: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (steps, limit) => {
      let state: { count: TurnCount; inbox: Inbox } = { count: valve(0), inbox: [] };
      let [opened, sent, got] = [0, 0, 0];
      for (const one of steps) {
        const followUps = Array<InboxMessage>(one.followUps).fill(waking);
        const pushes = [
          ...Array<InboxMessage>(one.passive).fill(passive),
          ...Array<InboxMessage>(one.waking).fill(waking),
        ];
        const after = deliver(state, { followUps, pushes, ended: one.ended }, limit);
        sent += followUps.length + pushes.length;
        const isFollowed = followUps.length > 0 && !after.isOverLimit;
        if (isFollowed) got += followUps.length;
        const isWoken = one.isDrained && inboxJson(after.inbox).wake === true;
        if (isFollowed || isWoken) opened++;
        if (one.isDrained) got += after.inbox.length;
        state = { count: after.count, inbox: one.isDrained ? [] : after.inbox };
      }
      expect(opened).toBeLessThanOrEqual(limit);
      expect(got + state.inbox.length).toBe(sent);
    }),
    propertyRuns(2000),
  );
});

describe("a person has spoken", () => {
  const issued = ["Please run the tests.", "[hook:h] go on"];
  test.each([
    ["hello", true],
    ["", false],
    [" \n", false],
    ["Please run the tests.", false],
    ["  Please run the tests.\n", false],
    ["Please run the tests", true],
    ["[hook:h] go on", false],
    ["go on", false],
    ["go on, please", true],
    ["[hook:h] go on\n\nPlease run the tests.", false],
    ["go on Please run the tests.\n[hook:h] go on", false],
    ["[hook:h] go on\nand then stop", true],
    ["go onwards", true],
    ["go on\u200b", false],
    ["\ufeff[hook:h]\u2060 go\u200d on", false],
    ["\u200b", false],
    ["\u0085", false],
    ["go on\u001fgo on", false],
    ["g\u200bo on and stop", true],
  ])("%j: %s", (prompt, spoken) => expect(isFromPerson(valve(3, issued), prompt)).toBe(spoken));
});
