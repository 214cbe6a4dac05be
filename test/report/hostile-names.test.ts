import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runChain, verdictOf } from "../../src/chain/advance.ts";
import { makeRunRecord } from "../../src/engine/run/run-record.ts";
import { EMPTY_RESPONSE } from "../../src/protocol/hook-response.ts";
import { listJson } from "../../src/report/list-json.ts";
import { listText } from "../../src/report/list-text.ts";
import { problemText } from "../../src/report/problem-text.ts";
import { planJson, planText } from "../../src/report/run/plan-text.ts";
import { runJson } from "../../src/report/run/run-json.ts";
import { runText, verboseText } from "../../src/report/run/run-text.ts";
import { PLAIN_STYLE } from "../../src/report/text-style.ts";
import { aHook, aPayload, crashed, replied, result } from "../chain/builders.ts";

/** What no report may hold: everything that steers a terminal, but for the line ends that are ours. */
const STEERING = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const BAD = "x\u001b[2J\u202egnp\u0007\r\n\u009b1m\u2066\u0000";

const hostile = fc.string({ unit: "binary", maxLength: 30 }).map((tail) => `${BAD}${tail}`);
const untrusted = { code: "HOOK_REFUSED_UNTRUSTED", hook: BAD, path: BAD } as const;

/** One run of a hook whose every word is hostile, and that ends as `prints` says. */
async function runOf(name: string, prints: string) {
  const hooks = [
    [aHook(name, { path: `/h/${name}` }), prints],
    [aHook(`${name}2`, { failOpen: false }), "not json \u001b[31m"],
  ] as const;
  const { verdict } = await result(aPayload("before_tool_call", { tool_input: { command: BAD } }), hooks);
  return makeRunRecord({ verdict, runId: "R1", durationMs: 5, redact: (text) => text });
}

const words = JSON.stringify(BAD);
const endings: Readonly<Record<string, string>> = {
  silence: "",
  "a block": `{"blocked":true,"reason":${words}}`,
  "a change": `{"Replace":{"command":${words},${words}:1},"metadata":{${words}:${words}}}`,
  "a wish to ask": `{"decision":"ask","reason":${words},"warnings":[${words}],"system_message":${words}}`,
  "an unknown key": `{${words}:true}`,
  "a misspelt key": `{"blockd\\u001b":true}`,
};

describe.each(Object.entries(endings))("a run that ends with %s", (_title, prints) => {
  test("is told without a character that steers a terminal", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (name) => {
        const run = await runOf(name, prints);
        for (const text of [runText(run, PLAIN_STYLE), verboseText(run, 2)]) expect(text).not.toMatch(STEERING);
        const json = runJson(run, { blocked: false, reason: run.verdict.reason });
        expect(json).not.toMatch(STEERING);
        expect(JSON.parse(json)).toMatchObject({ schema: "hookctl.run/1", reason: run.verdict.reason });
      }),
      { numRuns: 30 },
    );
  });

  test("tells the same decision as text and as JSON", async () => {
    const run = await runOf("guard", prints);
    const { decision, hooks } = JSON.parse(runJson(run, {}));
    expect(decision).toBe(run.verdict.decision);
    expect(hooks.map((hook: { outcome: string }) => hook.outcome)).toEqual(run.hooks.map((hook) => hook.outcome));
    const word = { continue: "Allowed", block: "Blocked", halt: "Halted", ask: "Asks" }[run.verdict.decision];
    expect(runText(run, PLAIN_STYLE)).toContain(word);
  });
});

test("what a hook prints on stderr is shown line by line, each safe", async () => {
  const hook = aHook(BAD);
  const state = await runChain([hook], aPayload("agent_stop"), {
    invoke: async () => ({ ...replied(EMPTY_RESPONSE), stderr: `one\n${BAD}\ntwo` }),
  });
  const run = makeRunRecord({ verdict: verdictOf(state), runId: "R1", durationMs: 1, redact: (text) => text });
  expect(verboseText(run, 1)).not.toContain("two");
  expect(verboseText(run, 2)).toContain("| two\n");
  expect(verboseText(run, 2)).not.toMatch(STEERING);
});

test("a failure is told once, with what it means and what to do", async () => {
  const [open, closed] = [aHook("open"), aHook("closed", { failOpen: false })];
  const state = await runChain([open, closed], aPayload("before_tool_call"), { invoke: async (hook) => crashed(hook) });
  const run = makeRunRecord({ verdict: verdictOf(state), runId: "R1", durationMs: 1, redact: (text) => text });
  const text = runText(run, PLAIN_STYLE);
  expect(text.split("open was killed by SIGSEGV").length).toBe(2);
  expect(text).toContain("Blocked");
  expect(text).toContain("This hook is fail-closed.");
});

describe("lists and plans", () => {
  const hooks = [
    aHook(BAD, { path: `/h/${BAD}`, events: ["before_tool_call"], match: { [BAD]: BAD } }),
    aHook(`${BAD}r`, { refusal: untrusted, mentionedEvents: ["agent_stop"], trust: "untrusted", path: "/r" }),
    aHook(`${BAD}s`, { refusal: untrusted, trust: "changed", path: "/s" }),
    aHook(`${BAD}o`, { events: ["agent_stop"], disabledReason: "disabled in the settings" }),
  ];
  const skipped = [{ name: BAD, path: BAD, reason: "sub_folder", detail: BAD }] as const;
  const needExecuteBit = new Set([BAD]);
  const place = { runOrder: () => hooks, cwd: "/", homeDir: null, needExecuteBit };
  const listing = { hooks, skipped, searched: [BAD], warnings: [BAD], ...place };

  test("show hostile names safely", () => {
    const text = listText(
      {
        ...listing,
        isAll: true,
        event: null,
        cwd: "/",
        homeDir: null,
        summaries: new Map([["/r", `sh${BAD}, 3 lines`]]),
      },
      PLAIN_STYLE,
    );
    for (const shown of [
      text,
      listJson(listing),
      planText("agent_stop", hooks, [BAD], PLAIN_STYLE),
      planJson(hooks, null, true),
    ]) {
      expect(shown).not.toMatch(STEERING);
      expect(shown).toContain("\\u001b");
    }
  });

  test("JSON holds the names as they are", () => {
    expect(JSON.parse(listJson(listing)).warnings).toEqual([BAD]);
    expect(JSON.parse(listJson(listing)).hooks.map((hook: { name: string }) => hook.name)).toEqual(
      hooks.map(({ name }) => name),
    );
    expect(JSON.parse(planJson(hooks, null, true)).plan).toMatchObject([
      { would_start: true, identified: true },
      { would_start: false, hindrance: "HOOK_REFUSED_UNTRUSTED" },
      { would_start: false },
      { would_start: false, command: [`/hooks/${BAD}o`, "run"] },
    ]);
  });

  test("what is skipped is shown with --all only", () => {
    const shown = (isAll: boolean): string =>
      listText({ ...listing, isAll, event: null, summaries: new Map() }, PLAIN_STYLE);
    expect(shown(true)).toContain("sub_folder");
    expect(shown(false)).not.toContain("sub_folder");
  });

  test("an event without hooks is left out, and one event alone can be asked for", () => {
    const text = listText({ ...listing, isAll: false, event: "agent_stop", summaries: new Map() }, PLAIN_STYLE);
    expect(text).toContain("agent_stop");
    expect(text).not.toContain("before_tool_call");
    expect(planText("session_end", [], [], PLAIN_STYLE)).toContain("nothing would run");
  });
});

test("a problem is told with its code and its hint", () => {
  const text = problemText({ code: "USAGE_UNKNOWN_VERB", verb: BAD, nearest: "run" }, PLAIN_STYLE);
  expect(text).toContain("USAGE_UNKNOWN_VERB");
  expect(text).toContain("Did you mean run?");
  expect(text).not.toMatch(STEERING);
});
