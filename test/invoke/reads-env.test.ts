import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NATIVE } from "../../packages/agents/test/payloads.ts";
import { runRequest, startServer } from "../../packages/sdk/test/serve/server.ts";
import { runInProcess, runMain } from "../support/in-process.ts";
import { parseRunJson, type RunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const says = (more: object = {}): string => JSON.stringify({ event: "before_tool_call", reads: "env", ...more });
/** Nothing of the payload is read: that it is on stdin may not harm. */
const NO_PUSH = `case \${HOOKCTL_COMMAND-} in *'git push'*) echo '{"blocked":true,"reason":"no push"}' ;; esac`;
const NAMES = ["HOOKCTL_TOOL", "HOOKCTL_COMMAND", "HOOKCTL_FILE", "HOOKCTL_AGENT"];
/** Says the four variables as context, `-` where one is unset. */
const TELL = `printf '{"additional_context":["%s|%s|%s|%s"]}' ${NAMES.map((name) => `"\${${name}--}"`).join(" ")}`;

const asked = async (
  place: Workspace,
  stdin: string,
  event = "before_tool_call",
  env: Readonly<Record<string, string>> = {},
): Promise<RunJson> => parseRunJson(await runMain(place, ["run", event, "--json", "-q", "--trust"], { stdin, env }));

const patchOf = (...files: readonly string[]): string =>
  JSON.stringify({
    tool_name: "apply_patch",
    tool_input: { input: ["*** Begin Patch", ...files.map((file) => `*** Add File: ${file}\n+x`)].join("\n") },
  });

test("a hook that reads the environment decides by it", async () => {
  await using place = await workspace();
  await place.hook("no-push", NO_PUSH, { says: says() });
  expect(await asked(place, toolCall("cd x && git push"))).toMatchObject({ decision: "block", reason: "no push" });
  expect(await asked(place, toolCall("git status", { big: "x".repeat(300_000) }))).toMatchObject({
    decision: "continue",
    warnings: [],
  });
});

test("it still gets the payload on stdin", async () => {
  await using place = await workspace();
  await place.hook("both", `case "$HOOKCTL_TOOL $(cat)" in 'bash {'*'"ls"'*) ${TELL} ;; esac`, { says: says() });
  expect((await asked(place, toolCall())).result.additional_context).toEqual(["bash|ls|-|-"]);
});

const STALE = Object.fromEntries([...NAMES, "HOOKCTL_SESSION", "HOOKCTL_OTHER"].map((name) => [name, "stale"]));

describe("no variable of hookctl is inherited", () => {
  test.each([
    ["user", "env", "bash|ls|-|-|-"],
    ["project", "env", "bash|ls|-|-|-"],
    ["user", "stdin", "-|-|-|-|-"],
    ["project", "stdin", "-|-|-|-|-"],
  ] as const)("by a hook of the %s that reads %s", async (scope, reads, told) => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["HOOKCTL_OTHER"]}}');
    const tell = `${TELL.replace("%s|%s", "%s|%s|%s")} "\${HOOKCTL_OTHER--}"`;
    await place.hook("teller", tell, { scope, says: says({ reads }) });
    const { result } = await asked(place, toolCall(), "before_tool_call", STALE);
    expect(result.additional_context).toEqual([told]);
  });

  test("by a hook that is asked for its event", async () => {
    await using place = await workspace();
    await place.hook(
      "one",
      `#!/bin/sh\nenv | grep ^HOOKCTL_ > ${shellQuote(join(place.dir, "seen"))}\necho before_tool_call`,
    );
    await runMain(place, ["list", "-q"], { env: STALE });
    const names = (await place.read("seen"))?.match(/^HOOKCTL_\w+/gm)?.sort();
    expect(names).toEqual(["HOOKCTL_DEPTH", "HOOKCTL_HOOK", "HOOKCTL_PROJECT_DIR", "HOOKCTL_TOKEN"]);
  });
});

test("a declared command may read the environment, too", async () => {
  await using place = await workspace();
  const entry = { name: "no-push", command: NO_PUSH, reads: "env" };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [entry] } }));
  expect(await asked(place, toolCall("git push"))).toMatchObject({ decision: "block", decided_by: "no-push" });
});

test("in a sandbox the variables are the same, also long ones", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"overrides":{"teller":{"sandbox":"auto"}}}');
  await place.hook("teller", `printf '{"additional_context":["%s"]}' "\${#HOOKCTL_COMMAND}"`, { says: says() });
  const { result } = await asked(place, toolCall("x".repeat(131_055)));
  expect(result.additional_context).toEqual(["131055"]);
});

test("an agent's call says which agent it is", async () => {
  await using place = await workspace();
  await place.hook(
    "teller",
    TELL.replace('{"additional_context":["', '{"blocked":true,"reason":"').replace('"]}', '"}'),
    {
      says: says(),
    },
  );
  const stdin = JSON.stringify({ ...NATIVE.claude.PreToolUse, tool_name: "Bash", tool_input: { command: "ls" } });
  const { stdout } = await runInProcess(place, "bridge claude --event PreToolUse", { stdin });
  expect(stdout).toMatch(/(Bash|bash)\|ls\|-\|claude/);
});

test("serve gives each request its own variables", async () => {
  await using place = await workspace();
  await place.hook("no-push", NO_PUSH, { says: says() });
  await using server = startServer(place);
  const decisions: unknown[] = [];
  for (const [id, command] of ["git push", "ls", "git push"].entries())
    decisions.push((await server.ask(runRequest(id + 1, command))).result);
  expect(decisions).toMatchObject([{ decision: "block" }, { decision: "continue" }, { decision: "block" }]);
});

describe("a call that the environment cannot hold", () => {
  const LONG = toolCall(`git status ${"x".repeat(140_000)}; git push`);
  const CODE = { failure: { code: "HOOK_CALL_NOT_PASSED" } };

  test.each([true, false])("is blocked, and the hook is not started, with fail_open: %s", async (fail_open) => {
    await using place = await workspace();
    await place.hook("no-push", `: > ${shellQuote(join(place.dir, "started"))}`, { says: says({ fail_open }) });
    expect(await asked(place, LONG)).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("no-push was not started: HOOKCTL_COMMAND would have 140,038 bytes"),
      hooks: [{ outcome: "failed", ...CODE }],
    });
    expect(await place.read("started")).toBeNull();
  });

  test("is a warning for an observer, and where nothing can be prevented any more", async () => {
    await using place = await workspace();
    await place.hook("log", ":", { says: says({ observe: true }) });
    await place.hook("late", ":", { says: says({ event: "after_tool_call" }) });
    expect(await asked(place, LONG)).toMatchObject({
      decision: "continue",
      hooks: [CODE],
      warnings: [expect.any(String)],
    });
    const result = JSON.stringify({ ...JSON.parse(LONG), tool_output: { success: true } });
    expect(await asked(place, result, "after_tool_call")).toMatchObject({ decision: "continue", hooks: [CODE] });
  });

  test("does not concern a hook with a match that leaves it out", async () => {
    await using place = await workspace();
    await place.hook("no-push", NO_PUSH, { says: says({ match: { tool_name: "file_*" } }) });
    expect(await asked(place, LONG)).toMatchObject({ decision: "continue", hooks: [{ outcome: "skipped" }] });
  });

  test("because all variables together are too large, is blocked as well", async () => {
    await using place = await workspace();
    await place.hook("no-push", NO_PUSH, { says: says() });
    const filler = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`FILLER_${at}`, "x".repeat(120_000)]));
    // Linux allows a quarter of the stack, so that what is left holds no command of 130,000 bytes.
    const words = [
      "sh",
      "-c",
      'ulimit -Ss 8192; exec "$@"',
      "sh",
      ...HOOKCTL,
      "run",
      "before_tool_call",
      "--json",
      "-q",
    ];
    const env = { ...place.env, ...filler };
    const run = await runProgram(words, { cwd: place.project, env, stdin: toolCall("x".repeat(130_000)) });
    expect(parseRunJson(run)).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("(E2BIG)"),
      hooks: [CODE],
    });
  });
});

describe("of a patch each file is asked about", () => {
  /** Notes each file, then does what `body` says for it. */
  const noting = (place: Workspace, body: string): string =>
    `echo "$HOOKCTL_FILE" >> ${shellQuote(join(place.dir, "asked"))}\ncase $HOOKCTL_FILE in\n${body}\nesac`;
  const rows: readonly {
    readonly title: string;
    readonly body: string;
    readonly more?: object;
    readonly run: object;
    readonly files?: RegExp;
  }[] = [
    { title: "nothing said allows", body: "", run: { decision: "continue", hooks: [{ outcome: "continue" }] } },
    {
      title: "the first block decides",
      body: `b) echo '{"blocked":true,"reason":"not b"}' ;;`,
      run: { decision: "block", reason: "not b", hooks: [{ outcome: "block" }] },
      files: /^a\nb\n$/,
    },
    {
      title: "a block over an earlier ask",
      body: `a) echo '{"decision":"ask","reason":"a?"}' ;; c) echo '{"blocked":true,"reason":"not c"}' ;;`,
      run: { decision: "block", reason: "not c" },
    },
    {
      title: "the first ask gives the reason; context adds up",
      body: `a) echo '{"additional_context":["about a"]}' ;; *) printf '{"decision":"ask","reason":"%s?","additional_context":["about %s"]}' $HOOKCTL_FILE $HOOKCTL_FILE ;;`,
      run: {
        decision: "ask",
        reason: "b?",
        result: { additional_context: ["about a", "about b", "about c"] },
        hooks: [{ outcome: "continue" }],
      },
    },
    {
      title: "a block over an earlier failure",
      body: `a) exit 3 ;; b) echo '{"blocked":true,"reason":"not b"}' ;;`,
      run: { decision: "block", reason: "not b" },
      files: /^a\nb\n$/,
    },
    {
      title: "an ask over a failure of a hook that fails open",
      body: `a) exit 3 ;; b) echo '{"decision":"ask","reason":"b?"}' ;;`,
      run: { decision: "ask", reason: "b?" },
    },
    {
      title: "a failure is one",
      body: "b) exit 3 ;;",
      run: { decision: "continue", hooks: [{ outcome: "failed", exit_code: 3 }] },
    },
    {
      title: "a failure of a fail-closed hook blocks",
      body: "b) exit 3 ;;",
      more: { fail_open: false },
      run: { decision: "block", hooks: [{ outcome: "failed" }] },
    },
    {
      title: "the timeout limits all starts together",
      body: "*) sleep 0.4 ;;",
      more: { timeout: "700ms", fail_open: false },
      run: { decision: "block", hooks: [{ failure: { code: "HOOK_TIMED_OUT" } }] },
      // On a busy machine the first start takes all of it.
      files: /^a\n(?:b\n)?$/,
    },
    {
      title: "a change is what the next start sees",
      body: `a) echo '{"input":{"input":"changed"}}' ;; b) case $(cat) in *changed*) echo '{"additional_context":["seen"]}' ;; esac ;;`,
      run: { decision: "continue", result: { input: { input: "changed" }, additional_context: ["seen"] } },
    },
  ];
  test.each(rows)("$title", async ({ body, more = {}, run, files = /^a\nb\nc\n$/ }) => {
    await using place = await workspace();
    await place.hook("guard", noting(place, body), { says: says(more) });
    const found = await asked(place, patchOf("a", "b", "c"));
    expect(found).toMatchObject(run);
    expect(found.hooks).toHaveLength(1);
    expect(await place.read("asked")).toMatch(files);
  });
});
