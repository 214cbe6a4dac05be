import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AGENTS } from "../../../packages/agents/agents.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { type JsonSpan, membersOf, objectOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { restoredInput } from "../../../src/protocol/tools/restore.ts";
import { portableCall } from "../../../src/protocol/tools/translate.ts";
import { runInProcess } from "../../support/in-process.ts";
import { sampledRows } from "../../support/property-runs.ts";
import { printResponse } from "../../support/shell.ts";
import { workspace } from "../../support/workspace.ts";

const TOOLS = AGENT_NAMES.flatMap((agent) => Object.keys(AGENTS[agent].tools.table).map((name) => ({ agent, name })));
const translated = ({ agent, name }: (typeof TOOLS)[number], input: JsonSpan) =>
  portableCall(AGENTS[agent].tools, { name, input, mcp: null });

/** Milliseconds of CPU since now: another load of the machine does not count. */
function cpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

const INHERITED = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "__defineGetter__"];

test("an argument that is called like a member of every object stays as it is, there and back", () => {
  const argument = fc.oneof(fc.constantFrom(...INHERITED), fc.string());
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), fc.uniqueArray(argument, { minLength: 1 }), (tool, keys) => {
      const native = objectOf(keys.map((key, at) => [key, spanOfRaw(String(at))]));
      const { input, row } = translated(tool, native);
      const inherited = keys.filter((key) => INHERITED.includes(key));
      for (const key of inherited) expect(membersOf(input).get(key)?.raw).toBe(String(keys.indexOf(key)));
      const changed = objectOf(
        new Map([...membersOf(input), ...inherited.map((key) => [key, spanOfRaw("true")] as const)]),
      );
      const restored = restoredInput({ row, native, portable: input }, changed);
      for (const key of inherited) expect(membersOf(restored ?? native).get(key)?.raw).toBe("true");
    }),
  );
});

const DEEP = `${"[".repeat(99_990)}${"]".repeat(99_990)}`;
const MANY = Array.from({ length: 100_000 }, (_, at) => `"k${at}":1`).join(",");
const EDITS = Array.from({ length: 30_000 }, () => '{"old_string":"a","new_string":"b"}').join(",");
const HOSTILE: Readonly<Record<string, string>> = {
  "a million characters": `"text":"${"x".repeat(1_000_000)}"`,
  "a hundred thousand arguments": MANY,
  "a hundred thousand levels": `"edits":${DEEP}`,
  "thirty thousand edits": `"edits":[${EDITS}]`,
  "arguments that every object has": INHERITED.map((key) => `"${key}":1`).join(","),
};

/** Rows with renamed arguments, conversions, lists of edits, bare texts, and several rows of one tool. */
const SHAPES = TOOLS.filter(({ agent, name }) =>
  ["claude MultiEdit", "codex shell", "copilot apply_patch", "goose text_editor", "pi edit"].includes(
    `${agent} ${name}`,
  ),
);

/** Agents whose calls take other ways: Claude Code's own tools, arguments as a text, an agent with a module. */
const SENDERS: readonly (readonly [agent: string, event: string, start: string])[] = [
  ["claude", "PreToolUse", '"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":'],
  ["copilot", "preToolUse", '"sessionId":"s1","toolName":"bash","toolArgs":'],
  ["opencode", "tool.execute.before", '"session":"s1","tool":"bash","input":'],
];

/** Each of the others takes a second of CPU or more. */
const QUICK: readonly string[] = ["a hundred thousand levels", "arguments that every object has"];

describe.each(Object.entries(HOSTILE))("%s", (title, more) => {
  const tags = QUICK.includes(title) ? [] : ["slow"];
  test.each(sampledRows(SHAPES))("$agent $name: translated and restored without delay", (tool) => {
    const native = spanOfRaw(`{"command":"ls",${more}}`);
    const spent = cpuTimer();
    const { input, row } = translated(tool, native);
    const changed = objectOf(new Map([...membersOf(input), ["command", spanOfRaw('"pwd"')]]));
    restoredInput({ row, native, portable: input }, changed);
    expect(spent()).toBeLessThan(3000);
  });

  test.each(sampledRows(SENDERS))(
    "%s: hides no command from a guard or from a hook of any dialect",
    { tags },
    async (agent, event, start) => {
      await using place = await workspace();
      await place.write("home/.kodelet/hooks.json", '{"guards":{"filesystem":true}}');
      for (const dialect of ["claude:PreToolUse", "copilot:preToolUse", "before_tool_call"])
        await place.hook(dialect.replace(":", "-"), printResponse({}), { says: dialect });
      const call = (input: string) =>
        runInProcess(place, `bridge ${agent} --event ${event}`, {
          stdin: `{${start}${input},"cwd":${JSON.stringify(place.project)}}`,
        });
      const spent = cpuTimer();
      const harmless = await call(`{"command":"ls",${more}}`);
      // A list that is longer than what guards read is asked about.
      if (title === "thirty thousand edits") expect(harmless.stdout).toContain("was not judged as a whole");
      else expect(harmless).toMatchObject({ stdout: "", code: 0 });
      expect((await call(`{${more},"command":"rm -rf ~"}`)).stdout).toContain("deletes the home directory");
      expect(spent()).toBeLessThan(20_000);
    },
  );
});

test.each(sampledRows(AGENT_NAMES))("%s: the name of a tool is read in linear time", (agent) => {
  const input = spanOfRaw("{}");
  for (const part of ["_", "__", "-", "a_", "mcp__", "a-", "/"]) {
    for (const end of ["", "\n", "\n_", "-"]) {
      const name = `mcp__${part.repeat(200_000)}${end}`;
      const spent = cpuTimer();
      portableCall(AGENTS[agent].tools, { name, input, mcp: null });
      expect(spent()).toBeLessThan(1000);
    }
  }
});
