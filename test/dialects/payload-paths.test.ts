import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialectFields } from "../../src/dialects/dialects.ts";
import {
  dialectSample,
  findUnknownField,
  findUnknownPath,
  sampleWithValues,
} from "../../src/dialects/payload-paths.ts";
import { allEventNames, EVENT_NAMES, fieldsOf, findEvent, type NamedEvent } from "../../src/protocol/event.ts";
import type { Match } from "../../src/protocol/hook.ts";
import { membersOf, spanOfRaw } from "../../src/protocol/json/read.ts";
import { jsonText } from "../../src/protocol/json/write.ts";
import { payloadText, readPayload } from "../../src/protocol/payload/payload.ts";
import { parsePathValues } from "../../src/protocol/payload/sample.ts";
import { PORTABLE_TOOLS, portableArguments, sampleInputOf } from "../../src/protocol/tools/vocabulary.ts";

const named = (name: string): NamedEvent => {
  const found = findEvent(name);
  if (found === null) throw new Error(name);
  return found;
};

function sampled(event: string, texts: readonly string[], match: Match | null = null) {
  const set = parsePathValues(texts);
  if (!set.ok) throw new Error(set.error);
  return sampleWithValues(named(event), set.value, { cwd: "/here", match });
}

/** Event, arguments, the refused path, and the suggestion. */
const refused: readonly [event: string, texts: string, path: string, nearest: string | null][] = [
  ["before_tool_call", "command=ls", "command", "tool_input.command"],
  ["before_tool_call", "comand=ls", "comand", "tool_input.command"],
  ["before_tool_call", "tool_input.comand=ls", "tool_input.comand", "tool_input.command"],
  ["before_tool_call", "tool_inptu.command=ls", "tool_inptu.command", "tool_input.command"],
  ["before_tool_call", "input.command=ls", "input.command", "tool_input.command"],
  ["before_tool_call", "args.command=ls", "args.command", "tool_input.command"],
  ["before_tool_call", "toolname=Bash", "toolname", "tool_name"],
  ["before_tool_call", "tool_name.x=1", "tool_name.x", "tool_name"],
  ["before_tool_call", "tool_input.command.x=1", "tool_input.command.x", "tool_input.command"],
  ["before_tool_call", "file_path=a.ts", "file_path", "tool_input.file_path"],
  ["before_tool_call", "tool_input.file_path=a.ts", "tool_input.file_path", null],
  ["before_tool_call", "tool_name=Write tool_input.file_pth=a", "tool_input.file_pth", "tool_input.file_path"],
  ["before_tool_call", "tool_input.command=ls tool_name=Read", "tool_input.command", null],
  ["before_tool_call", "prompt=hi", "prompt", "tool_input.prompt"],
  ["PreToolUse", "tool.input.comand=ls", "tool.input.comand", "tool_input.command"],
  ["pre_tool_call", "args.comand=ls", "args.comand", "tool_input.command"],
  ["copilot:preToolUse", "toolArgs.comand=ls", "toolArgs.comand", "tool_input.command"],
  ["user_message_send", "prompt=hi", "prompt", "message"],
  ["agent_stop", "mesages.0=hi", "mesages.0", "messages"],
  ["after_tool_call", "tool_output.sucess=false", "tool_output.sucess", "tool_output.success"],
  ["after_llm_call", "usage.output_token=3", "usage.output_token", "usage.output_tokens"],
  ["session_start", "command=ls", "command", null],
];

test.each(refused)("%s %s is refused", (event, texts, path, nearest) => {
  expect(sampled(event, texts.split(" "))).toEqual({
    ok: false,
    error: expect.objectContaining({ code: "USAGE_UNKNOWN_PATH", path, nearest }),
  });
});

const taken: readonly [event: string, texts: string, expected: object][] = [
  ["before_tool_call", "tool_input.command=ls", { tool_name: "bash", tool_input: { command: "ls" } }],
  ["before_tool_call", "tool_name=mcp__a__b tool_input.any.thing=1", { tool_input: { any: { thing: 1 } } }],
  ["before_tool_call", 'tool_input={"any":1}', { tool_input: { any: 1 } }],
  [
    "before_tool_call",
    "tool_input.file_path=a tool_name=Write",
    { tool_input: { file_path: "a", text: "export {};\n" } },
  ],
  ["PreToolUse", "tool.name=web tool.input.url=x", { tool_name: "web", tool_input: { url: "x" } }],
  ["pre_tool_call", "args.command=x ctx.session_id=s", { tool_input: { command: "x" }, conv_id: "s" }],
  ["claude:UserPromptSubmit", "prompt=hi", { message: "hi" }],
  ["after_tool_call", "tool_output.stdout=x", { tool_output: { success: true, stdout: "x" } }],
  ["before_tool_call", "native.agent=claude tool_kind=shell", { native: { agent: "claude" }, tool_kind: "shell" }],
];

test.each(taken)("%s %s is taken", (event, texts, expected) => {
  expect(sampled(event, texts.split(" "))).toMatchObject({ ok: true, value: expected });
});

const matched: readonly [match: Match, texts: string, expected: object][] = [
  [{ tool_name: "Bash" }, "tool_input.command=ls", { tool_name: "bash", tool_input: { command: "ls" } }],
  [
    { tool_name: ["mcp_*", "Write"] },
    "tool_input.file_path=a",
    { tool_name: "file_write", tool_input: { file_path: "a" } },
  ],
  [{ tool_name: "own" }, "tool_input.x=1", { tool_name: "own", tool_input: { x: 1 } }],
  [{ tool_name: "mcp_*" }, "tool_input.command=ls", { tool_name: "bash" }],
  [
    { tool_name: "Write" },
    "tool_name=Bash tool_input.command=ls",
    { tool_name: "Bash", tool_input: { command: "ls" } },
  ],
];

test.each(matched)("the match %j with %s", (match, texts, expected) => {
  expect(sampled("before_tool_call", texts.split(" "), match)).toMatchObject({ ok: true, value: expected });
});

describe("laws", () => {
  test("every path of every sample is known, in every dialect", () => {
    for (const one of allEventNames().values()) {
      const payload = readPayload(one.event, jsonText(dialectSample(one, "/here")), "/here");
      if (!payload.ok) throw new Error(payload.error.code);
      const moment = { isoTime: "2026-01-02T03:04:05.000Z", checkout: () => ({ repository: null, branch: null }) };
      const printed = payloadText(payload.value, dialectFields(one.dialect, payload.value, moment));
      expect(findUnknownField(one, membersOf(spanOfRaw(printed)), "bash")).toBeNull();
    }
  });

  test("every argument of every known tool is known, and so is its sample", () => {
    for (const tool of Object.keys(PORTABLE_TOOLS)) {
      for (const name of [...(portableArguments(tool)?.keys() ?? []), ...Object.keys(sampleInputOf(tool) ?? {})])
        expect(findUnknownPath(named("before_tool_call"), ["tool_input", name], tool)).toBeNull();
    }
  });

  test("a field of an event without one of its letters is refused, with a path that is taken", () => {
    const fields = EVENT_NAMES.flatMap((event) => Object.keys(fieldsOf(event)).map((name) => [event, name] as const));
    fc.assert(
      fc.property(fc.constantFrom(...fields), fc.nat(), ([event, name], at) => {
        const index = at % name.length;
        const typo = name.slice(0, index) + name.slice(index + 1);
        fc.pre(name.length > 4 && !Object.hasOwn(fieldsOf(event), typo));
        const found = findUnknownPath(named(event), [typo], "bash");
        expect(found?.nearest).not.toBeNull();
        expect(findUnknownPath(named(event), found?.nearest?.split(".") ?? [], "bash")).toBeNull();
      }),
    );
  });
});
