import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const MEMBERS = [
  '"zeta":12345678901234567890',
  '"tool_name":"bash"',
  '"tool_input":{"b" : 1e400, "a":1.10,"B":-0.0,"10":[1E+2,0.1e-7 ],"9":"\\u00e9\\/\\ud83d\\ude00"}',
  '"alpha":[true,null,{"y":1,"x":2}]',
];
const ADDED = [
  ...[
    '"agent":{"name":null,"session":"","subagent":null}',
    '"event":"before_tool_call"',
    '"conv_id":""',
    '"invoked_by":"main"',
    '"tool_user_id":""',
  ],
  ...['"tool_kind":"shell"', '"tool_names":["bash","Bash"]'],
];

test("what hookctl does not change reaches the hook with every value as it came", async () => {
  await using place = await workspace();
  const text = `"text":"${"0123456789abcde\\n".repeat(5 * 65_536)}"`;
  await place.hook("recorder", `cat > ${shellQuote(join(place.dir, "seen"))}`);
  const stdin = `{${[...MEMBERS, text, `"cwd":${JSON.stringify(place.project)}`].join(",")}}`;
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  const seen = (await place.read("seen")) ?? "";
  const begin = `${stdin.slice(0, -1)},`;
  expect(seen.length).toBeGreaterThan(5 * 1024 * 1024);
  expect(seen.startsWith(begin)).toBe(true);
  expect(seen.slice(begin.length)).toBe(`${ADDED.join(",")}}`);
});

const INPUT = '{"n":12345678901234567890,"b":1e400,"a":1.10,"z":"\\u00e9","10":1,"9":2}';

test("a value that a hook hands back comes back as it was written", async () => {
  await using place = await workspace();
  await place.hook("1-change", printResponse(`{"input":${INPUT}}`));
  await place.hook("2-see", `cat > ${shellQuote(join(place.dir, "seen"))}`);
  const stdin = '{"tool_name":"bash","tool_input":{}}';
  const result = await runMain(place, ["run", "before_tool_call", "-q"], { stdin });
  expect(result).toEqual({ stdout: `{"blocked":false,"input":${INPUT}}\n`, stderr: "", code: 0, signal: null });
  expect(await place.read("seen")).toContain(`"tool_input":${INPUT}`);
  const full = await runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin });
  expect(full).toMatchObject({ stdout: expect.stringContaining(`"input":${INPUT}`), stderr: "", code: 0 });
});

test("a large value that a hook hands back comes back whole", async () => {
  await using place = await workspace();
  const body = `printf '{"input":{"text":"'; head -c 900000 /dev/zero | tr '\\0' x; printf '"}}'`;
  await place.hook("large", body);
  const result = await runMain(place, ["run", "before_tool_call", "-q"], {
    stdin: '{"tool_name":"w","tool_input":{}}',
  });
  const stdout = `{"blocked":false,"input":{"text":"${"x".repeat(900_000)}"}}\n`;
  expect(result.stdout === stdout).toBe(true);
  expect(result).toMatchObject({ stderr: "", code: 0, signal: null });
});

test("a hook of another dialect gets the kodelet fields and its dialect's names beside them", async () => {
  await using place = await workspace();
  await place.hook("basecoat", `cat > ${shellQuote(join(place.dir, "basecoat"))}`, { says: "PreToolUse" });
  await place.hook("agenthook", `cat > ${shellQuote(join(place.dir, "agenthook"))}`, { says: "pre_tool_call" });
  const stdin = '{"tool_name":"bash","tool_input":{"n":12345678901234567890},"conv_id":"s1"}';
  const result = await runMain(place, ["run", "PreToolUse", "-q"], { stdin });
  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  const own = '{"tool_name":"bash","tool_input":{"n":12345678901234567890},"conv_id":"s1",';
  const [basecoat, agenthook] = [await place.read("basecoat"), await place.read("agenthook")];
  expect(basecoat).toContain(own);
  expect(JSON.parse(basecoat ?? "")).toMatchObject({ hook: "PreToolUse", sessionId: "s1", tool: { name: "bash" } });
  expect(agenthook).toContain(own);
  expect(agenthook).toContain('"args":{"n":12345678901234567890}');
  expect(JSON.parse(agenthook ?? "")).toMatchObject({ ctx: { session_id: "s1" } });
});
