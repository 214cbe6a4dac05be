import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shellQuote } from "../../../test/support/shell.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../../../test/support/workspace.ts";
import { samplesOf } from "../../agents/native-samples.ts";

const TRIES = [
  "mv ~ /tmp/a",
  "mv -v $HOME /tmp/b",
  "python3 -c \"import os, shutil; shutil.move(os.path.expanduser('~'), '/tmp/c')\"",
];

/** What the person reads. */
const SAID = /^✖ (Blocked|Confirmation required) by filesystem/m;

async function guarded(): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { filesystem: true, secrets: true } }));
  return place;
}

const shellCall = (command: string, session: string): string =>
  JSON.stringify({ conv_id: session, tool_name: "bash", tool_input: { command } });

test("three tries through run: blocked, blocked, asked about; each in a session of its own", async () => {
  await using place = await guarded();
  const results: object[] = [];
  for (const [at, command] of TRIES.entries()) {
    const { stdout, stderr, code } = await place.run(["run", "before_tool_call"], {
      stdin: shellCall(command, `s${at}`),
    });
    const { decision = "block", reason } = JSON.parse(stdout) as { decision?: string; reason: string };
    const said = SAID.exec(stderr)?.[1];
    results.push({
      decision,
      said,
      code,
      isThird: reason.includes("The same was tried 2 times within 30 minutes, also as `mv ~ /tmp/a`"),
    });
  }
  expect(results).toEqual([
    { decision: "block", said: "Blocked", code: 2, isThird: false },
    { decision: "block", said: "Blocked", code: 2, isThird: false },
    { decision: "ask", said: "Confirmation required", code: 2, isThird: true },
  ]);
});

/** A payload as the agent sent it, with another command. */
async function nativeCall(agent: "claude" | "codex", command: string, cwd: string, id: string): Promise<string> {
  const { captured } = await samplesOf(agent);
  const sent = Object.values(captured.PreToolUse ?? {}).find((payload) =>
    JSON.stringify(payload).includes('"command"'),
  );
  expect(sent).toBeDefined();
  return JSON.stringify({ ...sent, session_id: id, tool_use_id: id, tool_name: "Bash", tool_input: { command }, cwd });
}

test.each([
  { agent: "claude", third: "ask" },
  { agent: "codex", third: "deny" },
] as const)("three tries through the bridge of $agent: denied twice, then $third", async ({ agent, third }) => {
  await using place = await guarded();
  const results: object[] = [];
  for (const [at, command] of TRIES.entries()) {
    const stdin = await nativeCall(agent, command, place.project, `call_${at}`);
    const { stdout, stderr, code } = await place.run(["bridge", agent, "--event", "PreToolUse"], { stdin });
    const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: Readonly<Record<string, string>> };
    const isThird = hookSpecificOutput.permissionDecisionReason?.includes("The same was tried 2 times") === true;
    const said = SAID.exec(stderr)?.[1];
    results.push({ decision: hookSpecificOutput.permissionDecision, said, isThird, code });
  }
  expect(results).toEqual([
    { decision: "deny", said: "Blocked", isThird: false, code: 0 },
    { decision: "deny", said: "Blocked", isThird: false, code: 0 },
    { decision: third, said: third === "ask" ? "Confirmation required" : "Blocked", isThird: true, code: 0 },
  ]);
});

test("calls at the same time are all recorded", async () => {
  await using place = await guarded();
  const gate = join(place.dir, "go");
  // All wait for the start, so that they meet at the lock and not one after the other.
  const script = `while [ ! -e ${shellQuote(gate)} ]; do sleep 0.05; done; exec "$0" "$@"`;
  const words = ["/bin/sh", "-c", script, ...HOOKCTL, "run", "before_tool_call", "-q"];
  const all = Array.from({ length: 12 }, (_, at) =>
    runProgram(words, { cwd: place.project, env: place.env, stdin: shellCall("mv ~ /tmp/a", `s${at}`) }),
  );
  await place.write("go", "");
  const results = await Promise.all(all);
  expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(results.map(() => ({ code: 2, stderr: "" })));
  const decisions = results.map(({ stdout }) => (stdout.includes('"decision":"ask"') ? "ask" : "block"));
  expect(decisions.filter((one) => one === "block")).toHaveLength(2);
  const folder = "home/.local/state/hookctl/intents";
  const [project = ""] = await readdir(join(place.dir, folder));
  const { stopped } = JSON.parse((await place.read(`${folder}/${project}/intents`)) ?? "") as { stopped: unknown[] };
  expect(stopped).toHaveLength(12);
});
