import { expect, test } from "vitest";
import { DIALECT_NAMES } from "../../src/protocol/event.ts";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

/** Python's `json`, Go and Rust's serde reject the escape, or replace it. */
const HALF_PAIR = /\\ud[89a-f]/i;
const PAYLOAD = toolCall("echo \ud800", { conv_id: "s\udfff", native: "😀" });
const CHANGE =
  '{"input":{"command":"\\ud800","n":1.10},"additional_context":["\\udc00"],"pushes":[{"message":"\\ud83d"}]}';

const CALLS: readonly string[] = [
  ...["", "--json", ...DIALECT_NAMES.map((name) => `--as ${name}`)].map((more) => `run before_tool_call -q ${more}`),
  ...["claude --event PreToolUse", "gemini --event BeforeTool", "copilot --event preToolUse"].map(
    (event) => `bridge ${event}`,
  ),
];

test.each(CALLS)(
  "no answer of %s has half of a surrogate pair, and hooks get the payload as it was sent",
  async (args) => {
    await using place = await workspace();
    const answers: string[] = [];
    for (const response of [{ blocked: true, reason: "no \ud800 😀" }, CHANGE]) {
      const seen = `${place.dir}/seen.json`;
      await place.hook("guard", `cat > ${shellQuote(seen)}; ${printResponse(response)}`);
      answers.push((await runInProcess(place, args, { stdin: PAYLOAD })).stdout);
      expect(JSON.parse((await place.read(seen)) ?? "").tool_input).toEqual({ command: "echo \ud800" });
    }
    const log = await place.read("home/.local/state/hookctl/audit.jsonl");
    for (const text of [...answers, log]) expect(text).not.toMatch(HALF_PAIR);
    expect(answers.join()).toContain("\\ufffd");
  },
);
