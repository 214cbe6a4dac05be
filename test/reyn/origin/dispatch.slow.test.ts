import { describe, expect, test } from "vitest";
import { runInProcess, runMain } from "../../support/in-process.ts";
import { workspace } from "../../support/workspace.ts";
import { at, contents, declared, EMPTY, FILE, loaded, push, runAt, taken, woken } from "./stage.ts";

const POINTS = ["session_start", "turn_start", "turn_end", "session_end"];
const NO_HOOKS = { stderr: "", code: 0 };

/** One test for each function of test_hook_dispatcher_1800_5b.py: 8 of 8. */
describe("a point", () => {
  test("push_wake_true_routes_to_inbox_E: a push that wakes opens a turn, with the name of its point", async () => {
    await using place = await declared(push("continue", { wake: true }));
    await at(place, "turn_end");
    const messages = [{ role: "system", hook: "turn_end", content: "[hook:turn_end] continue" }];
    expect(await woken(place)).toEqual({ messages, wake: true });
  });

  test("push_wake_false_routes_to_staging_C: a passive push opens none and waits for the next turn", async () => {
    await using place = await declared({ on: "turn_start", template_push: { message: "ctx note", wake: false } });
    await at(place, "turn_start");
    expect(await woken(place)).toEqual(EMPTY);
    expect(await taken(place)).toMatchObject({ messages: [{ content: "[hook:turn_start] ctx note" }], wake: false });
  });

  test("shell_routes_to_run_shell_F: a command runs with the event, and pushes nothing", async () => {
    await using place = await workspace();
    const hooks = [{ on: "session_start", shell_exec: `cat > ${place.dir}/event.json`, sandbox: "off" }];
    await place.write(FILE, JSON.stringify({ hooks }));
    await at(place, "session_start");
    expect(JSON.parse((await place.read("event.json")) ?? "")).toMatchObject({ point: "session_start" });
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("push_when_false_skips_the_push: a push that is not wanted is none", async () => {
    await using place = await declared(push("x", { push_when: "false" }));
    await at(place, "turn_end");
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("throwing_hook_isolated_siblings_proceed: a hook that fails stops neither the next one nor the point", async () => {
    const hooks = [
      { on: "turn_end", name: "first", shell_exec: "exit 1" },
      { on: "turn_end", name: "second", shell_exec: ":" },
    ];
    await using place = await declared(...hooks);
    const outcomes = [
      { name: "first", outcome: "failed" },
      { name: "second", outcome: "continue" },
    ];
    expect(await runAt(place, "turn_end")).toMatchObject({ decision: "continue", hooks: outcomes });
  });

  test("empty_registry_dispatch_is_noop: without hooks nothing happens", async () => {
    await using place = await declared();
    for (const point of POINTS) expect(await at(place, point)).toMatchObject(NO_HOOKS);
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("real_session_no_hooks_dispatch_is_noop: without a settings file nothing is written", async () => {
    await using place = await workspace();
    for (const point of POINTS) expect(await at(place, point)).toMatchObject(NO_HOOKS);
    expect(await place.read("home/.local")).toBeNull();
  });

  test("real_session_config_roundtrip_E_reaches_inbox: from the settings file to the inbox of the session", async () => {
    await using place = await declared(push("self-continue", { wake: true }));
    await runMain(place, ["run", "turn_end", "-q"], { stdin: '{"conv_id":"s1","point":"turn_end"}' });
    expect(await woken(place)).toMatchObject({ messages: [{ content: "[hook:turn_end] self-continue" }], wake: true });
  });
});

/** One test for each function of test_hook_attribution_1800_6.py: 6 of 6. */
describe("the name of a message", () => {
  test("loader_captures_name_and_defaults_none: an entry has its name, or that of its point and a number", async () => {
    await using place = await declared({ ...push("x"), name: "my_cont" }, push("y"));
    const { hooks } = await runAt(place, "turn_end");
    expect(hooks.map(({ name }) => name)).toEqual(["my_cont", "turn_end#2"]);
  });

  test("loader_rejects_non_string_name: a number is no name", async () => {
    const says = expect.stringContaining("hooks[0].name");
    expect(await loaded({ ...push("x"), name: 123 })).toMatchObject({ code: 78, stderr: says });
  });

  test("dispatcher_uses_name_when_set: a message carries the name of its hook", async () => {
    await using place = await declared({ ...push("go"), name: "my_cont" });
    await at(place, "turn_end");
    expect(await woken(place)).toMatchObject({ messages: [{ hook: "my_cont" }] });
  });

  test("dispatcher_defaults_to_point_when_unnamed: without one it carries its point", async () => {
    await using place = await declared({ on: "turn_start", template_push: { message: "go", wake: false } });
    await at(place, "turn_start");
    expect(await taken(place)).toMatchObject({ messages: [{ hook: "turn_start" }] });
  });

  test("format_hook_attribution_brackets_the_name: waking and passive messages look the same", async () => {
    await using place = await declared({ ...push("do it"), name: "my_cont" }, push("x", { wake: false }));
    await at(place, "turn_end");
    expect(await contents(place)).toEqual(["[hook:my_cont] do it", "[hook:turn_end] x"]);
  });

  test("E_hook_appends_named_system_message_preserving_history: it is a new message of the system, and the others stay", async () => {
    await using place = await declared({ on: "agent_stop", name: "my_cont", template_push: { message: "continue" } });
    const messages = [{ role: "user", content: "prior message" }];
    const result = await runInProcess(place, "run agent_stop -q", {
      stdin: JSON.stringify({ conv_id: "s1", messages }),
    });
    expect(JSON.parse(result.stdout)).not.toHaveProperty("messages");
    const added = [{ role: "system", hook: "my_cont", content: "[hook:my_cont] continue" }];
    expect(await woken(place)).toEqual({ messages: added, wake: true });
  });
});
