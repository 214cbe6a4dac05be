import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type Language, program } from "../support/program.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** One hook of each dialect, in four languages: three files, and a command that the settings declare. */
const FILES: readonly (readonly [name: string, language: Language, says: string, lines: string])[] = [
  [
    "10-rewrite",
    "python",
    "before_tool_call",
    'print(json.dumps({"input": {"command": payload["tool_input"]["command"] + " --color=never"}}))',
  ],
  [
    "20-inject",
    "bash",
    "PreToolUse",
    `[[ $payload == *'"hook":"PreToolUse"'* && $payload == *--color=never* ]] || exit 1
printf '{"action":"injectContext","additionalContext":["colours are off here"]}'`,
  ],
  [
    "30-push",
    "node",
    '{"event":"before_tool_call","dialect":"reyn"}',
    `const message = "ran " + payload.tool_input.command;
console.log(JSON.stringify({ push_when: true, wake: false, message, session: "audit" }));`,
  ],
];
const DECLARED = `cat > seen.json; printf '{"Reject":"no listing today"}'`;

async function fourHooks(place: Workspace, command: string): Promise<void> {
  for (const [name, language, says, lines] of FILES) await place.hook(name, program(language, says, lines));
  const entry = { name: "40-decide", command, priority: 200 };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { pre_tool_call: [entry] } }));
}

const run = (place: Workspace, ...flags: readonly string[]) =>
  runMain(place, ["run", "before_tool_call", ...flags], {
    stdin: JSON.stringify({ conv_id: "s", tool_name: "bash", tool_input: { command: "ls" } }),
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
  });

const PUSH = { message: "ran ls --color=never", session: "audit" };
/** The directive as the hook wrote it. */
const OWN_PUSH = { push_when: true, wake: false, ...PUSH };
const CONTEXT = "colours are off here";
const CHANGED = { command: "ls --color=never" };
const passive = (message: string) => ({ push_when: true, wake: false, message });

describe("a chain of four hooks, one of each dialect and in four languages, rewrites, injects, pushes and blocks in one run", () => {
  const blocked: readonly { as: string; answer: unknown }[] = [
    {
      as: "kodelet",
      answer: { blocked: true, reason: "no listing today", additional_context: [CONTEXT], pushes: [OWN_PUSH] },
    },
    { as: "basecoat", answer: { action: "block", reason: "no listing today", additionalContext: [CONTEXT] } },
    { as: "reyn", answer: [passive(CONTEXT), passive("blocked by hook: no listing today"), OWN_PUSH] },
    { as: "agenthook", answer: { Reject: "no listing today" } },
  ];
  test.each(blocked)("the block, printed --as $as", async ({ as, answer }) => {
    await using place = await workspace();
    await fourHooks(place, DECLARED);
    const result = await run(place, "-q", "--as", as);
    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      stdout: answer,
      stderr: "",
      code: 2,
      signal: null,
    });
  });

  const allowed: readonly { as: string; answer: unknown }[] = [
    {
      as: "kodelet",
      answer: { blocked: false, input: CHANGED, additional_context: [CONTEXT], pushes: [OWN_PUSH] },
    },
    { as: "basecoat", answer: { action: "modify", modifiedInput: CHANGED, additionalContext: [CONTEXT] } },
    { as: "reyn", answer: [passive(CONTEXT), OWN_PUSH] },
    { as: "agenthook", answer: { Transform: CHANGED } },
  ];
  test.each(allowed)(
    "without the block the rewrite stands, printed --as $as",
    { tags: "slow" },
    async ({ as, answer }) => {
      await using place = await workspace();
      await fourHooks(place, "cat >/dev/null; echo '\"Continue\"'");
      const result = await run(place, "-q", "--as", as);
      expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
        stdout: answer,
        stderr: "",
        code: 0,
        signal: null,
      });
    },
  );

  test("each sees what the hook before it left, in its own words, and the push waits in its session", async () => {
    await using place = await workspace();
    await fourHooks(place, DECLARED);
    const result = await run(place);
    const stderr = result.stderr.replaceAll(/[░█]{20} +\d+ ms/g, "BAR");
    expect({ ...result, stdout: "", stderr }).toEqual({
      stdout: "",
      stderr: `  10-rewrite   BAR   ✎ changed input
  20-inject    BAR   ✚ added context
  30-push      BAR   ✚ added pushes
  40-decide    BAR   ✖ block
✖ Blocked by 40-decide
  no listing today
`,
      code: 2,
      signal: null,
    });
    const seen = JSON.parse((await place.read("home/.kodelet/seen.json")) ?? "") as object;
    expect(seen).toMatchObject({ tool_input: CHANGED, args: CHANGED, ctx: { session_id: "s" } });
    const drained = await runMain(place, ["inbox", "drain", "--all", "--session", "audit"]);
    expect(drained).toMatchObject({ stderr: "", code: 0, signal: null });
    expect(JSON.parse(drained.stdout)).toEqual({
      messages: [{ role: "system", hook: "30-push", content: `[hook:30-push] ${PUSH.message}` }],
      wake: false,
    });
  });

  test("a turn that Reyn's caller is to open wakes: a follow-up is a push with wake", async () => {
    await using place = await workspace();
    await place.hook("go-on", program("bash", "agent_stop", `printf '{"follow_up_messages":["run the tests"]}'`));
    const result = await runMain(place, ["run", "agent_stop", "-q", "--as", "reyn"], { stdin: '{"messages":[]}' });
    const stdout = '[{"push_when":true,"wake":true,"message":"run the tests"}]\n';
    expect(result).toEqual({ stdout, stderr: "", code: 0, signal: null });
  });

  test("without hooks --as reyn goes on with an empty list", async () => {
    await using place = await workspace();
    expect(await run(place, "--as", "reyn")).toEqual({ stdout: "[]\n", stderr: "", code: 0, signal: null });
  });
});
