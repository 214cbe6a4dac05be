import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildNotifier, cCompiler, SYSTEM_PATH } from "../support/compilers.ts";
import { toolCall, toolResult } from "../support/payloads.ts";
import { shellQuote } from "../support/shell.ts";
import { webhookServer } from "../support/webhook-server.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";
import { listed } from "./ported.ts";

/** The four examples of ADR 021 as they behave, in a text of our own. */
const AUDIT_LOGGER = `#!/bin/bash
case "$1" in
  hook) echo after_tool_call ;;
  run) printf '%s | %s\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(cat)" >> ~/.kodelet/audit.log; exit 0 ;;
  *) exit 1 ;;
esac
`;
const SECURITY_GUARDRAIL = `#!/usr/bin/env python3
import json, sys

UNWANTED = ("rm -rf", "sudo", "curl | bash", "wget | sh")
verb = sys.argv[1] if len(sys.argv) > 1 else ""
if verb == "hook":
    print("before_tool_call")
elif verb == "run":
    payload = json.load(sys.stdin)
    command = payload.get("tool_input", {}).get("command", "") if payload.get("tool_name") == "bash" else ""
    found = next((words for words in UNWANTED if words in command), None)
    if found is None:
        print(json.dumps({"blocked": False}))
    else:
        print(json.dumps({"blocked": True, "reason": f"Security policy: '{found}' is not allowed"}))
else:
    sys.exit(1)
`;

import { runMain } from "../support/in-process.ts";

const FOO_TXT_REMOVER = `#!/bin/bash
case "$1" in
  hook) echo agent_stop ;;
  run) if [ -f ./foo.txt ]; then echo '{"follow_up_messages":["foo.txt is there. Please remove it."]}'; fi ;;
  *) exit 1 ;;
esac
`;
const BLOCK = { blocked: true, reason: "Security policy: 'rm -rf' is not allowed" };
const STOP = JSON.stringify({
  conv_id: "c-7",
  messages: [
    { role: "user", content: 'a "]" and a {' },
    { role: "assistant", content: "done" },
  ],
});

type Scope = "user" | "project";
const SCOPES: readonly Scope[] = ["user", "project"];
const folderOf = (place: Workspace, scope: Scope): string =>
  join(place[scope === "user" ? "home" : "project"], ".kodelet");

/** What a user does to bring a hook over: the file, and for a project the approval. */
async function bring(place: Workspace, scope: Scope, event: string): Promise<void> {
  if (scope === "project") {
    expect((await runMain(place, ["run", event], { stdin: "{}" })).stdout).not.toContain('"blocked":true');
    expect(await runMain(place, ["trust", "--yes"])).toMatchObject({ code: 0 });
  }
  expect((await listed(place)).hooks).toMatchObject([{ events: [event], trust: "trusted" }]);
}

const run = (place: Workspace, event: string, stdin: string) =>
  runMain(place, ["run", event, "-q"], { stdin, env: { PATH: SYSTEM_PATH } });
const says = (result: object): object => ({ stdout: `${JSON.stringify(result)}\n`, stderr: "" });

/** The checks of `hookctl test` know nothing of these files, and none of them fails. */
const examined = async (place: Workspace): Promise<void> =>
  expect(await runMain(place, ["test"], { env: { PATH: SYSTEM_PATH } })).toMatchObject({ code: 0 });

describe.each(SCOPES)("an example of ADR 021 as a hook of the %s", (scope) => {
  test("audit_logger, in bash: one line a call with the time and the payload, and no answer", async () => {
    await using place = await workspace();
    await place.write(join(place.home, ".kodelet", ".keep"), "");
    await place.hook("audit_logger", AUDIT_LOGGER, { scope });
    await bring(place, scope, "after_tool_call");
    for (const result of ["one", "two"]) {
      expect(await run(place, "after_tool_call", toolResult(result))).toMatchObject({ ...says({}), code: 0 });
    }
    const log = ((await place.read("home/.kodelet/audit.log")) ?? "").trimEnd().split("\n");
    expect(log.map((line) => line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \| /, ""))).toHaveLength(2);
    const [first, second] = log.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
    expect([first, second]).toMatchObject([{ tool_output: { result: "one" } }, { tool_output: { result: "two" } }]);
    await examined(place);
  });

  test("security_guardrail, in python (needs python3): blocks what its list names, and allows the rest", async (context) => {
    if ((await runProgram(["/usr/bin/env", "python3", "-V"], { env: { PATH: SYSTEM_PATH } })).code !== 0)
      context.skip();
    await using place = await workspace();
    await place.hook("security_guardrail", SECURITY_GUARDRAIL, { scope });
    await bring(place, scope, "before_tool_call");
    expect(await run(place, "before_tool_call", toolCall("rm -rf /"))).toMatchObject({ ...says(BLOCK), code: 2 });
    for (const stdin of [toolCall("ls -la"), toolCall("rm -rf /", { tool_name: "file_read" })]) {
      expect(await run(place, "before_tool_call", stdin)).toMatchObject({ ...says({ blocked: false }), code: 0 });
    }
    await examined(place);
  });

  test("foo-txt-remover, in bash: asks for more work as long as the file is there", async () => {
    await using place = await workspace();
    await place.hook("foo-txt-remover", FOO_TXT_REMOVER, { scope });
    await bring(place, scope, "agent_stop");
    expect(await run(place, "agent_stop", STOP)).toMatchObject({ ...says({}), code: 0 });
    await place.write("project/foo.txt", "");
    const follow_up_messages = ["foo.txt is there. Please remove it."];
    expect(await run(place, "agent_stop", STOP)).toMatchObject({ ...says({ follow_up_messages }), code: 0 });
    await examined(place);
  });

  test.skipIf(cCompiler === null)(
    "slack_notify, a compiled program (needs a C compiler): posts one message when it knows where to",
    async () => {
      await using place = await workspace();
      await using chat = await webhookServer(200);
      await place.write(join(folderOf(place, scope), "hooks", ".keep"), "");
      const file = join(folderOf(place, scope), "hooks", "slack_notify");
      await buildNotifier(file, ['WEBHOOK="SLACK_WEBHOOK_URL"', 'EVENT="agent_stop"', "ADR"]);
      await bring(place, scope, "agent_stop");
      const notify = (SLACK_WEBHOOK_URL: string) =>
        runMain(place, ["run", "agent_stop", "-q"], { stdin: STOP, env: { PATH: SYSTEM_PATH, SLACK_WEBHOOK_URL } });
      expect(await run(place, "agent_stop", STOP)).toMatchObject({ ...says({}), code: 0 });
      expect(chat.posted).toEqual([]);
      // A project's hook gets a short list of variables; the user's settings name what else it may see.
      if (scope === "project") {
        expect(await notify(`${chat.url}/hook`)).toMatchObject({ ...says({}), code: 0 });
        expect(chat.posted).toEqual([]);
        await place.write("home/.kodelet/hooks.json", '{"settings":{"env_allow":["SLACK_WEBHOOK_URL"]}}');
      }
      expect(await notify(`${chat.url}/hook`)).toMatchObject({ ...says({}), code: 0 });
      expect(chat.posted).toEqual(['{"text":"Agent completed conversation c-7 (2 messages)"}']);
      expect(await notify("http://127.0.0.1:1/nobody")).toMatchObject({ ...says({}), code: 0 });
      await examined(place);
    },
  );
});

test("an example that is called without a word exits with 1, as kodelet's do", async () => {
  await using place = await workspace();
  for (const text of [AUDIT_LOGGER, FOO_TXT_REMOVER]) {
    const file = await place.hook("example", text);
    expect(await runProgram([file], { env: { PATH: SYSTEM_PATH, HOME: shellQuote(place.home) } })).toMatchObject({
      code: 1,
      stdout: "",
    });
  }
});
