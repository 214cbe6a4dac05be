import { describe, expect, test } from "vitest";
import { dialectFields, envelopeReader } from "../../../src/dialects/dialects.ts";
import { applyChange, payloadText, readPayload } from "../../../src/protocol/payload/payload.ts";
import { runInProcess } from "../../../test/support/in-process.ts";
import { workspace } from "../../../test/support/workspace.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields, raisedPayload } from "../native-payload.ts";
import { NATIVE } from "./payloads.ts";
import { heard } from "./verdicts.ts";

const MOMENT = { isoTime: "2026-01-02T03:04:05.000Z", checkout: () => ({ repository: null, branch: null }) };

/** What a hook of Copilot gets for each event that one of Copilot's payloads raises, after a change where there is one. */
function handedOn(event: string, sample: object, change: string | null = null): readonly Record<string, unknown>[] {
  const { row, native } = heard("copilot", event, sample);
  return row.raises.flatMap((one) => {
    const { payload } = raisedPayload(one.event, canonicalFields(AGENTS.copilot, event, one, native), "/own");
    if (payload === null) return [];
    const now = change === null ? payload : applyChange(payload, change);
    return [JSON.parse(payloadText(now, dialectFields("copilot", now, MOMENT)))];
  });
}

const TEXTS = [
  '{"command":"rm -rf /"}',
  ' { "command" : "rm -rf /" }\n',
  '\ufeff{"command":"ls"}',
  "[]",
  "null",
  "*** Begin Patch",
  "5",
  "",
];
const VALUES: readonly unknown[] = [...TEXTS, { command: "ls" }, {}, [], null, 5];
const CAMEL = Object.entries(NATIVE.copilot).filter(([event]) => /^[a-z]/.test(event));

describe("a hook of Copilot gets each member as it came", () => {
  test.each(CAMEL)("%s", (event, sample) => {
    const full = {
      initialPrompt: "Add a field",
      timestamp: 1795169472345,
      transcriptPath: "/t",
      anything: [1],
      ...sample,
    };
    const result = handedOn(event, full);
    expect(result.length).toBeGreaterThan(0);
    for (const one of result) expect(one).toMatchObject(full);
  });

  test.each(CAMEL.filter(([, sample]) => "toolArgs" in sample))(
    "the arguments of %s in every form",
    (event, sample) => {
      for (const toolArgs of VALUES) {
        for (const one of handedOn(event, { ...sample, toolArgs })) expect(one).toMatchObject({ toolArgs });
      }
    },
  );

  test.each(["a", ' {"a":1} ', '"quoted"', "", '{"a":1,"a":2}'])("the result %j", (textResultForLlm) => {
    for (const resultType of ["success", "failure", "timeout"]) {
      const toolResult = { resultType, textResultForLlm, sessionLog: "log" };
      const [told] = handedOn("postToolUse", { ...NATIVE.copilot.postToolUse, toolResult });
      expect(told).toMatchObject({ toolResult });
    }
  });
});

describe("after a change the form stays", () => {
  const CHANGES = [{ command: "NEW" }, ["NEW"], "NEW"];
  test.each(TEXTS)("%j is a text", (toolArgs) => {
    for (const change of CHANGES) {
      const [told] = handedOn("preToolUse", { ...NATIVE.copilot.preToolUse, toolArgs }, JSON.stringify(change));
      const text = typeof change === "string" ? change : JSON.stringify(change);
      expect(told).toMatchObject({ toolArgs: text, tool_input: change });
    }
  });

  test("and what came as an object is one", () => {
    const [told] = handedOn("preToolUse", { ...NATIVE.copilot.preToolUse, toolArgs: { a: 1 } }, '{"command":"NEW"}');
    expect(told).toMatchObject({ toolArgs: { command: "NEW" } });
  });

  test("nothing of the old value stays beside it", () => {
    const secret = { ...NATIVE.copilot.postToolUse, toolResult: { resultType: "success", textResultForLlm: "SECRET" } };
    const failed = { ...NATIVE.copilot.postToolUseFailure, error: "SECRET" };
    for (const [event, sample, change] of [
      ["postToolUse", secret, '{"success":true,"result":"***"}'],
      ["postToolUseFailure", failed, '{"success":false,"error":"***"}'],
      ["userPromptSubmitted", { ...NATIVE.copilot.userPromptSubmitted, prompt: "SECRET" }, '"***"'],
    ] as const) {
      const [{ native: _native, ...told } = {}] = handedOn(event, sample, change);
      expect(JSON.stringify(told)).not.toContain("SECRET");
      expect(JSON.stringify(told)).toContain("***");
    }
  });
});

test.each(TEXTS)("a caller of Copilot's events who sends %j as text is read as the agent reads it", (toolArgs) => {
  const sent = JSON.stringify({ sessionId: "s", toolName: "bash", toolArgs });
  const payload = readPayload("before_tool_call", sent, "/own", envelopeReader("copilot"));
  if (!payload.ok) throw new Error(JSON.stringify(payload.error));
  const result = (now: typeof payload.value) => JSON.parse(payloadText(now, dialectFields("copilot", now, MOMENT)));
  expect(result(payload.value)).toMatchObject({ toolArgs });
  const [bridged] = handedOn("preToolUse", { ...NATIVE.copilot.preToolUse, toolArgs });
  expect(result(payload.value).tool_input).toEqual(bridged?.tool_input);
  if (!toolArgs.includes("command")) return;
  expect(result(applyChange(payload.value, '{"command":"NEW"}'))).toMatchObject({ toolArgs: '{"command":"NEW"}' });
});

test.each(["toolArgs", "toolInput"])("a caller of Copilot's permission requests sends the arguments as %s", (key) => {
  const sent = JSON.stringify({ sessionId: "s", toolName: "view", [key]: { path: "a" } });
  const payload = readPayload("permission_request", sent, "/own", envelopeReader("copilot"));
  if (!payload.ok) throw new Error(JSON.stringify(payload.error));
  expect(payload.value.members.get("tool_input")?.raw).toBe('{"file_path":"a"}');
});

test("an adopted guard that parses the text blocks", async () => {
  await using place = await workspace();
  const parse = 'json.loads(json.load(sys.stdin)["toolArgs"])["command"]';
  const deny = '{"permissionDecision": "deny", "permissionDecisionReason": "no rm"}';
  await place.write(
    "project/scripts/g.py",
    `import json, sys\ntry:\n    if "rm -rf" in ${parse}: print(json.dumps(${deny}))\nexcept Exception: pass\n`,
  );
  const hooks = { preToolUse: [{ type: "command", bash: "python3 scripts/g.py" }] };
  await place.write("project/.github/hooks/g.json", JSON.stringify({ version: 1, hooks }));
  expect(await runInProcess(place, "adopt copilot")).toMatchObject({ code: 0 });
  const sent = { sessionId: "s", timestamp: 1, toolName: "bash", toolArgs: '{"command":"rm -rf /"}' };
  const result = await runInProcess(place, "bridge copilot --event preToolUse", { stdin: JSON.stringify(sent) });
  expect(JSON.parse(result.stdout)).toMatchObject({ permissionDecision: "deny" });
});
