import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall, toolResult } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RECORD = "home/.local/state/hookctl/audit.jsonl";
const SECRET = "hunter2-hunter2";
const env = { SHOP_API_TOKEN: SECRET };

const leaks: { title: string; body: string }[] = [
  { title: "the reason of a block", body: printResponse({ blocked: true, reason: `no ${SECRET} here` }) },
  { title: "stderr", body: `echo "using $SHOP_API_TOKEN" >&2; ${printResponse({ blocked: true, reason: "no" })}` },
  { title: "stderr of a hook that failed", body: 'echo "using $SHOP_API_TOKEN" >&2; exit 1' },
  { title: "a warning", body: printResponse({ warnings: [`using ${SECRET}`] }) },
  { title: "context", body: printResponse({ additional_context: [`using ${SECRET}`] }) },
  { title: "a system message", body: printResponse({ system_message: `using ${SECRET}` }) },
  { title: "metadata", body: printResponse({ metadata: { used: SECRET } }) },
  { title: "a reply that is no JSON", body: `printf '%s' "${SECRET}"` },
  { title: "an unknown key", body: printResponse({ [SECRET]: 1 }) },
];

/** Everything that a run tells: stdout both ways, stderr with the output of hooks, and the record. */
async function result(place: Workspace): Promise<string> {
  const flags = [["-vv"], ["--json", "-vv"]];
  const texts = [];
  for (const more of flags) {
    const finished = await runMain(place, ["run", "before_tool_call", ...more], { stdin: toolCall(), env });
    expect([0, 2]).toContain(finished.code);
    texts.push(finished.stdout, finished.stderr);
  }
  return [...texts, await place.read(RECORD)].join("\n");
}

test.each(leaks)("the value of a secret-named variable is taken out of $title", async ({ body }) => {
  await using place = await workspace();
  await place.hook("leaky", body);
  const all = await result(place);
  expect(all).not.toContain(SECRET);
  expect(all).toContain("[redacted]");
});

test("the known shape of a token is taken out, whatever the environment holds", async () => {
  await using place = await workspace();
  const token = `ghp_${"a1B2".repeat(9)}`;
  await place.hook("leaky", printResponse({ blocked: true, reason: `pushing with ${token}` }));
  const finished = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  const stdout = '{"blocked":true,"reason":"pushing with [redacted]"}\n';
  expect(finished).toMatchObject({ stdout, code: 2, signal: null, stderr: expect.not.stringContaining(token) });
  expect(await place.read(RECORD)).not.toContain(token);
});

const kept = [
  { event: "before_tool_call", key: "input", stdin: toolCall() },
  { event: "after_tool_call", key: "output", stdin: toolResult() },
  { event: "user_message_send", key: "message", stdin: '{"message":"hello"}' },
];

test.each(kept)("nothing is taken out of $key, and the record does not hold it", async ({ event, key, stdin }) => {
  await using place = await workspace();
  const value = key === "message" ? `log in with ${SECRET}` : { command: `login ${SECRET}` };
  await place.hook("change", printResponse({ [key]: value }), { says: event });
  const finished = await runMain(place, ["run", event, "--json", "-q"], { stdin, env });
  expect(finished).toMatchObject({ code: 0, signal: null, stderr: "" });
  expect(parseRunJson(finished).result).toMatchObject({ [key]: value });
  expect(await place.read(RECORD)).not.toContain(SECRET);
});

test("a session that is named like a secret does not stand in the audit log", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}));
  const secret = `ghp_${"aB3".repeat(12)}`;
  await runMain(place, ["run", "before_tool_call"], { stdin: toolCall("ls", { conv_id: secret }) });
  const log = (await place.read("home/.local/state/hookctl/audit.jsonl")) ?? "";
  expect(log).toContain('"session":"[redacted]"');
  expect(log).not.toContain(secret);
});
