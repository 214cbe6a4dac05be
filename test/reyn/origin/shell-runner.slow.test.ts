import { describe, expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import { parseRunJson } from "../../support/json-output.ts";
import { workspace } from "../../support/workspace.ts";
import { at, declared, EMPTY, prints, runAt, taken, woken } from "./stage.ts";

const DIRECTIVE = '{"push_when":true,"wake":true,"message":"go"}';

/** One test for each function of test_1800_hook_shell_runner.py that can be seen from outside: 6 of 7. */
describe("a command", () => {
  test("output_ignored_returns_none: what shell_exec prints is no push, whatever it looks like", async () => {
    await using place = await declared({ on: "turn_end", shell_exec: prints('{"message":"ignored","wake":true}') });
    expect(await at(place, "turn_end")).toEqual({ stdout: "{}\n", stderr: "", code: 0 });
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("capture_stdout_returns_decoded_stdout: what shell_push prints is the push", async () => {
    await using place = await declared({ on: "turn_end", shell_push: prints(DIRECTIVE) });
    await at(place, "turn_end");
    expect(await woken(place)).toMatchObject({ messages: [{ content: "[hook:turn_end] go" }], wake: true });
  });

  test("capture_stdout_nonzero_exit_returns_none: with another exit than 0 it is none", async () => {
    await using place = await declared({ on: "turn_end", shell_push: `${prints(DIRECTIVE)}; exit 3` });
    expect(await runAt(place, "turn_end")).toMatchObject({ decision: "continue", hooks: [{ outcome: "failed" }] });
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("json_context_delivered_on_stdin: the event comes as JSON on stdin", async () => {
    await using place = await workspace();
    const shell_exec = `cat > ${place.dir}/event.json`;
    const hooks = [{ on: "skill_end", shell_exec, sandbox: "off" }];
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks }));
    await at(place, "skill_end", { skill: "my-skill" });
    const event = JSON.parse((await place.read("event.json")) ?? "");
    expect(event).toMatchObject({ event: "skill_end", point: "skill_end", skill: "my-skill" });
  });

  test("timeout_returns_none_no_crash: one that takes too long is ended, and the point goes on", async () => {
    await using place = await declared({ on: "session_end", shell_exec: "sleep 60", timeout: "300ms" });
    expect(await runAt(place, "session_end")).toMatchObject({ decision: "continue", hooks: [{ outcome: "failed" }] });
  });

  test("nonapproved_command_nontty_refused: without an approval and without a terminal it does not run", async () => {
    await using place = await workspace();
    const hooks = [{ on: "session_start", shell_exec: `: > ${place.dir}/ran`, sandbox: "off" }];
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks }));
    const output = parseRunJson(
      await runInProcess(place, "run session_start -q --json", { stdin: '{"conv_id":"s1"}' }),
    );
    const refused = { outcome: "refused", failure: { code: "HOOK_REFUSED_UNTRUSTED" } };
    expect(output).toMatchObject({ decision: "continue", hooks: [refused] });
    expect(await place.read("ran")).toBeNull();
  });
});
