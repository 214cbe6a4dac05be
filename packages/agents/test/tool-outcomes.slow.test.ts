import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../test/support/in-process.ts";
import { printResponse } from "../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";
import { type Ability, abilityOf, cannotReceive, type Outcome, titleOf } from "./abilities.ts";
import { inputOf, type NativeSample, portableOf, samplesRaising } from "./native-calls.ts";
import { effectOf } from "./read-answer.ts";

const BEFORE = samplesRaising("before_tool_call");
const AFTER = samplesRaising("after_tool_call");
const toolsOf = (samples: readonly NativeSample[]): readonly string[] => [
  ...new Set(samples.map((sample) => portableOf(sample).tool)),
];

/** Asks the bridge about a payload as the agent does. */
async function bridged(place: Workspace, { agent, event, payload }: NativeSample) {
  const stdin = JSON.stringify({ ...payload, cwd: place.project });
  return await runInProcess(place, `bridge ${agent} --event ${event}`, { stdin });
}

const rules = (event: string, samples: readonly NativeSample[], key: "block" | "ask" | "inject"): string =>
  JSON.stringify({
    hooks: { [event]: toolsOf(samples).map((tool) => ({ match: { tool_name: tool }, [key]: `${key} ${tool}` })) },
  });

async function withRules(event: string, samples: readonly NativeSample[], key: "block" | "ask" | "inject") {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", rules(event, samples, key));
  return place;
}

/** The arguments that a rewrite changes, the first that a call has. */
const MAIN = [
  "command",
  "text",
  "new_text",
  "input",
  "pattern",
  "url",
  "query",
  "question",
  "path",
  "file_path",
  "skill_name",
];
const REWRITTEN = "rewritten by a hook";

type Json = Readonly<Record<string, unknown>>;
/** The arguments with one text changed, and that text. Null: there is no text. */
function rewritten(input: Json): { readonly input: Json; readonly old: unknown } | null {
  const { edits } = input;
  if (Array.isArray(edits)) {
    const [first, ...others] = edits;
    return { input: { ...input, edits: [{ ...first, new_text: REWRITTEN }, ...others] }, old: first.new_text };
  }
  const key = [...MAIN, ...Object.keys(input)].find((one) => typeof input[one] === "string" || isTexts(input[one]));
  if (key === undefined) return null;
  const old = input[key];
  return { input: { ...input, [key]: Array.isArray(old) ? [REWRITTEN, ...old.slice(1)] : REWRITTEN }, old };
}
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");

/** The agent's arguments with each text equal to `old` replaced, one at a time: one of them is the right answer. */
function candidates(value: unknown, old: unknown): readonly unknown[] {
  if (JSON.stringify(value) === JSON.stringify(old))
    return [Array.isArray(old) ? [REWRITTEN, ...old.slice(1)] : REWRITTEN];
  if (Array.isArray(value)) return value.flatMap((one, at) => candidates(one, old).map((now) => value.with(at, now)));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    candidates(inner, old).map((now) => ({ ...value, [key]: now })),
  );
}

type Outcomes = Partial<Record<keyof Ability | "block", Outcome>>;
/** What was seen, by agent, event and portable tool. */
const measured = new Map<string, Outcomes>();
function note(sample: NativeSample, outcomes: Outcomes): void {
  const key = `${sample.agent} | ${sample.event} | ${portableOf(sample).tool}`;
  measured.set(key, { ...measured.get(key), ...outcomes });
}

describe.each(AGENT_NAMES)("%s: before every tool that it was seen to call", (agent) => {
  const samples = BEFORE.filter((sample) => sample.agent === agent);

  test("a rule on its portable name blocks, with the rule's reason", async () => {
    await using place = await withRules("before_tool_call", samples, "block");
    for (const sample of samples) {
      const { stdout } = await bridged(place, sample);
      const reason = expect.stringContaining(`block ${portableOf(sample).tool} (`);
      expect([titleOf(sample), effectOf(agent, "before", stdout)]).toMatchObject([
        titleOf(sample),
        { decision: "stop", reason },
      ]);
      note(sample, { block: "yes" });
    }
  });

  test("a rule asks, or blocks where the agent cannot ask", async () => {
    await using place = await withRules("before_tool_call", samples, "ask");
    for (const sample of samples) {
      const { ask } = abilityOf(sample);
      const { stdout } = await bridged(place, sample);
      const decision = ask === "ask" ? "ask" : "stop";
      const asked = `ask ${portableOf(sample).tool}`;
      const reason = expect.stringContaining(ask === "ask" ? `${asked} (` : `${asked}. A person has to confirm`);
      expect([titleOf(sample), effectOf(agent, "before", stdout)]).toMatchObject([
        titleOf(sample),
        { decision, reason },
      ]);
      note(sample, { ask });
    }
  });

  test("context arrives, or the person is told that it does not", async () => {
    await using place = await withRules("before_tool_call", samples, "inject");
    for (const sample of samples) {
      const { context } = abilityOf(sample);
      const { stdout, stderr } = await bridged(place, sample);
      const added = `inject ${portableOf(sample).tool}`;
      if (context === "yes")
        expect([titleOf(sample), effectOf(agent, "before", stdout).context]).toEqual([titleOf(sample), added]);
      else
        expect([titleOf(sample), stderr]).toEqual([
          titleOf(sample),
          expect.stringContaining(`${cannotReceive(agent)} the added context`),
        ]);
      note(sample, { context });
    }
  });

  test("a rewritten argument reaches it under its own name, and every other one as it was; or the call is blocked", async () => {
    await using place = await workspace();
    for (const sample of samples) {
      const { rewrite } = abilityOf(sample);
      const changed = rewritten(portableOf(sample).input);
      if (changed === null) {
        note(sample, { rewrite: "no argument" });
        continue;
      }
      await place.hook("rewriter", printResponse({ input: changed.input }));
      const { stdout } = await bridged(place, sample);
      const { decision, reason, input } = effectOf(agent, "before", stdout);
      if (rewrite === "blocked") {
        expect([titleOf(sample), decision, reason]).toEqual([
          titleOf(sample),
          "stop",
          expect.stringContaining(REWRITTEN),
        ]);
      } else {
        const wanted = candidates(inputOf(sample.payload), changed.old).map((one) => JSON.stringify(one));
        expect([titleOf(sample), decision, wanted]).toEqual([
          titleOf(sample),
          agent === "codex" ? "allow" : "none",
          expect.arrayContaining([JSON.stringify(input)]),
        ]);
      }
      note(sample, { rewrite });
    }
  });
});

describe.each(AGENT_NAMES)("%s: after every tool that it was seen to call", (agent) => {
  const samples = AFTER.filter((sample) => sample.agent === agent);

  test("a rule on its portable name tells it to stop, or the person is told that it does not", async () => {
    await using place = await withRules("after_tool_call", samples, "block");
    for (const sample of samples) {
      const { halt } = abilityOf(sample);
      const { stdout, stderr } = await bridged(place, sample);
      const reason = expect.stringContaining(`block ${portableOf(sample).tool} (`);
      if (halt === "yes")
        expect([titleOf(sample), effectOf(agent, "after", stdout)]).toMatchObject([
          titleOf(sample),
          { decision: "stop", reason },
        ]);
      else expect([titleOf(sample), stderr]).toEqual([titleOf(sample), expect.stringContaining(cannotReceive(agent))]);
      note(sample, { halt });
    }
  });

  test("context arrives, or the person is told that it does not", async () => {
    await using place = await withRules("after_tool_call", samples, "inject");
    for (const sample of samples) {
      const { contextAfter } = abilityOf(sample);
      const { stdout, stderr } = await bridged(place, sample);
      const added = `inject ${portableOf(sample).tool}`;
      if (contextAfter === "yes")
        expect([titleOf(sample), effectOf(agent, "after", stdout).context]).toEqual([titleOf(sample), added]);
      else
        expect([titleOf(sample), stderr]).toEqual([
          titleOf(sample),
          expect.stringContaining(`${cannotReceive(agent)} the added context`),
        ]);
      note(sample, { contextAfter });
    }
  });

  test("a replaced result is what the model sees, or the person is told that it does not", async () => {
    await using place = await workspace();
    await place.hook("redactor", REDACTOR, { says: "after_tool_call" });
    for (const sample of samples) {
      const { result } = abilityOf(sample);
      const { stdout, stderr } = await bridged(place, withSecret(sample));
      const { output } = effectOf(agent, "after", stdout);
      if (result === "yes") {
        expect([titleOf(sample), JSON.stringify(output)]).toEqual([
          titleOf(sample),
          expect.stringContaining("[redacted]"),
        ]);
        expect(stdout).not.toContain("S3CRET");
      } else
        expect([titleOf(sample), stderr]).toEqual([
          titleOf(sample),
          expect.stringContaining(`${cannotReceive(agent)} the changed value`),
        ]);
      note(sample, { result });
    }
  });
});

/** Prints the whole output with one word replaced, as hooks-examples/secret-redactor does. */
const REDACTOR = `/usr/bin/python3 -c '
import json, sys
before = json.dumps(json.load(sys.stdin)["tool_output"])
print(json.dumps({"output": json.loads(before.replace("S3CRET", "[redacted]"))}))'`;

const OUTPUTS = ["tool_response", "toolResult", "tool_result", "output", "tool_output", "error", "error_message"];
/** The payload with a secret at the end of the first text of its result. */
function withSecret(sample: NativeSample): NativeSample {
  const key = OUTPUTS.find((name) => name in sample.payload) ?? "output";
  return { ...sample, payload: { ...sample.payload, [key]: marked(sample.payload[key] ?? "") } };
}
const CONTENT = ["content", "stdout", "llmContent", "text", "textResultForLlm", "text_result_for_llm", "file"];
function marked(value: unknown): unknown {
  if (typeof value === "string") return `${value} S3CRET`;
  if (typeof value !== "object" || value === null) return "S3CRET";
  if (Array.isArray(value)) return value.length === 0 ? ["S3CRET"] : value.map(marked);
  const key = CONTENT.find((one) => Object.hasOwn(value, one)) ?? "note";
  return { ...value, [key]: marked(Object(value)[key] ?? "") };
}

const file = fileURLToPath(new URL("tool-outcomes.md", import.meta.url));
const COLUMNS = ["block", "ask", "rewrite", "context", "halt", "result", "contextAfter"] as const;
test("the table of outcomes", async () => {
  const grouped = new Map<string, readonly string[]>();
  for (const [key, outcomes] of measured) {
    const [agent, event, tool = ""] = key.split(" | ");
    const row = [agent, event, ...COLUMNS.map((name) => outcomes[name] ?? "")].join(" | ");
    grouped.set(row, [...(grouped.get(row) ?? []), tool]);
  }
  const rows = [...grouped].map(([row, tools]) => `| ${row} | ${tools.join(", ")} |`);
  const head = "| agent | event | block | ask | rewrite | context | block after | result | context after | tools |";
  const text = [head, `|${"---|".repeat(10)}`, ...rows, ""].join("\n");
  await expect(text).toMatchFileSnapshot(file);
});
