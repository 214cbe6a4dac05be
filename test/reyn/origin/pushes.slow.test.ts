import { describe, expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import type { Workspace } from "../../support/workspace.ts";
import { at, contents, declare, declared, EMPTY, prints, push, runAt, taken, woken } from "./stage.ts";

const directive = (more: object = {}): string =>
  prints(JSON.stringify({ push_when: true, wake: true, message: "go", ...more }));
const shell = (shell_push: string, more: object = {}) => ({ on: "turn_end", shell_push, ...more });

/** One test for each function of test_hook_shell_push_2069.py: 10 of 10. */
describe("what a shell_push prints", () => {
  test("parse_valid_directive_yields_resolvedpush: all four fields count", async () => {
    await using place = await declared(shell(directive({ wake: false, message: "hi", session: "s2" })));
    await at(place, "turn_end");
    expect(await taken(place)).toEqual(EMPTY);
    const there = JSON.parse((await runInProcess(place, "inbox drain --all --session s2")).stdout);
    expect(there).toMatchObject({ messages: [{ content: "[hook:turn_end] hi" }], wake: false });
  });

  test("parse_session_optional_defaults_none: without a session it is the current one", async () => {
    await using place = await declared(shell(directive()));
    await at(place, "turn_end");
    expect(await contents(place)).toEqual(["[hook:turn_end] go"]);
  });

  const faults: readonly (readonly [title: string, command: string])[] = [
    ["a run that fails", "exit 1"],
    ["nothing", ":"],
    ["blanks", prints("   ")],
    ["no JSON", prints("not json")],
    ["a list", prints("[1, 2, 3]")],
    ["no message", prints('{"wake":true,"push_when":true}')],
    ["no wake", prints('{"message":"x","push_when":true}')],
    ["no push_when", prints('{"message":"x","wake":true}')],
    ["an empty message", directive({ message: "" })],
    ["a message of blanks", directive({ message: "  " })],
    ["a number for wake", directive({ wake: 1 })],
    ["a text for push_when", directive({ push_when: "yes" })],
    ["a number for the session", directive({ session: 9 })],
  ];
  test("parse_failsafe_returns_none: any fault skips the push, and the point goes on", async () => {
    for (const [title, command] of faults) {
      await using place = await declared(shell(command));
      const result = await runAt(place, "turn_end");
      expect({ title, decision: result.decision, hooks: result.hooks.map(({ outcome }) => outcome) }).toEqual({
        ...{ title, decision: "continue", hooks: ["failed"] },
      });
      expect({ title, left: await taken(place) }).toEqual({ title, left: EMPTY });
    }
  });

  test("shell_push_wake_true_routes_to_inbox_E: wake opens a turn, with the name of the hook", async () => {
    await using place = await declared(shell(directive(), { name: "cont" }));
    await at(place, "turn_end");
    const messages = [{ role: "system", hook: "cont", content: "[hook:cont] go" }];
    expect(await woken(place)).toEqual({ messages, wake: true });
  });

  test("shell_push_wake_false_routes_to_staging_C: without wake it waits, with the name of the point", async () => {
    await using place = await declared({ on: "turn_start", shell_push: directive({ wake: false, message: "note" }) });
    await at(place, "turn_start");
    expect(await woken(place)).toEqual(EMPTY);
    expect(await contents(place)).toEqual(["[hook:turn_start] note"]);
  });

  test("shell_push_captures_stdout: it is read, where that of a shell_exec is not", async () => {
    await using place = await declared(shell(directive()), {
      on: "turn_end",
      shell_exec: directive({ message: "no" }),
    });
    await at(place, "turn_end");
    expect(await contents(place)).toEqual(["[hook:turn_end] go"]);
  });

  test("shell_push_run_failure_skips_push: not when the command fails", async () => {
    await using place = await declared(shell(`${directive()}; exit 2`));
    await at(place, "turn_end");
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("shell_push_parse_failure_skips_push: not when it is no directive", async () => {
    await using place = await declared(shell(prints("garbage not json")));
    await at(place, "turn_end");
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("shell_push_push_when_false_skips_push: not when it says so", async () => {
    await using place = await declared(shell(directive({ push_when: false })));
    expect(await runAt(place, "turn_end")).toMatchObject({ hooks: [{ outcome: "continue" }], warnings: [] });
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("template_push_and_shell_push_share_identical_push_path: both leave the very same message", async () => {
    const left = async (entry: object) => {
      await using place = await declared({ ...entry, name: "u" });
      const { stdout } = await at(place, "turn_end");
      return { stdout, drained: await woken(place) };
    };
    const [template, computed] = [await left(push("unify")), await left(shell(directive({ message: "unify" })))];
    expect(computed.drained).toEqual(template.drained);
    const pushes = [{ push_when: true, wake: true, message: "unify" }];
    for (const { stdout } of [template, computed]) expect(JSON.parse(stdout)).toMatchObject({ pushes });
  });
});

/** A hook's push, and what opens a turn then: nothing where the limit is reached. */
async function hookTurn(place: Workspace, message: string, wake = true): Promise<readonly string[]> {
  await declareWithLimit(place, message, wake);
  await at(place, "turn_end");
  return (await woken(place)).messages.map(({ content }) => content.replace("[hook:turn_end] ", ""));
}
async function declareWithLimit(place: Workspace, message: string, wake: boolean): Promise<void> {
  await declare(place, push(message, { wake }));
}
const limited = (turns: number, place: Workspace) =>
  place.write("project/.kodelet/hooks.json", JSON.stringify({ settings: { max_hook_driven_turns: turns } }));
const personTurn = (place: Workspace) => at(place, "turn_start", { agent_name: "A", kind: "user", chain_id: "c" });

/** One test for each function of test_hook_loop_valve_1800_7.py: 4 of 4. */
describe("the turn limit", () => {
  async function setUp(turns: number): Promise<Workspace> {
    const place = await declared();
    await limited(turns, place);
    await runInProcess(place, "trust --yes");
    return place;
  }

  test("no_hooks_valve_never_engages: turns of a person alone reach no limit", async () => {
    await using place = await setUp(2);
    for (const _ of [1, 2, 3]) expect(await personTurn(place)).toMatchObject({ code: 0, stderr: "" });
    expect(await place.read("home/.local/state/hookctl/sessions")).toBeNull();
  });

  test("hook_loop_exceeding_cap_is_suppressed: of three turns in a row the third does not open", async () => {
    await using place = await setUp(2);
    expect([await hookTurn(place, "h1"), await hookTurn(place, "h2")]).toEqual([["h1"], ["h2"]]);
    expect(await hookTurn(place, "h3")).toEqual([]);
    expect(await contents(place)).toEqual(["[hook:turn_end] h3"]);
  });

  test("counter_resets_on_user_turn: a turn of a person starts the count again", async () => {
    await using place = await setUp(1);
    expect(await hookTurn(place, "h1")).toEqual(["h1"]);
    await personTurn(place);
    expect(await hookTurn(place, "h2")).toEqual(["h2"]);
    expect(await hookTurn(place, "h3")).toEqual([]);
  });

  test("c_ride_alongs_do_not_increment: a passive message is no turn", async () => {
    await using place = await setUp(1);
    expect(await hookTurn(place, "c0", false)).toEqual([]);
    expect(await hookTurn(place, "h1")).toEqual(["c0", "h1"]);
    expect(await hookTurn(place, "h2")).toEqual([]);
  });
});

/** One test for each function of test_hook_skill_task_points_1800_5c.py that can be seen from outside: 5 of 8. */
describe("the points of skills and tasks", () => {
  const result = async (point: string, message: string, fields: object) => {
    await using place = await declared({ on: point, template_push: { message } });
    await at(place, point, fields);
    return await contents(place);
  };

  test("skill_registry_start_and_complete_fire_points: a skill has a start with its names and an end with its status", async () => {
    const start = await result("skill_start", "{{ run_id }} {{ skill_name }}", {
      run_id: "r1",
      skill_name: "my_skill",
    });
    expect(start).toEqual(["[hook:skill_start] r1 my_skill"]);
    const end = await result("skill_end", "{{ run_id }} {{ status }}", { run_id: "r1", status: "completed" });
    expect(end).toEqual(["[hook:skill_end] r1 completed"]);
  });

  test("task_create_fires_task_start: a task has a start", async () => {
    const fields = { task_id: "t1", name: "t", assignee: "sess" };
    expect(await result("task_start", "{{ task_id }} {{ name }} {{ assignee }}", fields)).toEqual([
      "[hook:task_start] t1 t sess",
    ]);
  });

  test("task_update_status_completed_fires_task_end: an end when it is completed", async () => {
    expect(await result("task_end", "{{ status }}", { task_id: "t1", status: "completed" })).toEqual([
      "[hook:task_end] completed",
    ]);
  });

  test("task_abort_fires_task_end_aborted: and one when it is aborted", async () => {
    const fields = { task_id: "t1", status: "aborted" };
    expect(await result("task_end", "{{ task_id }} {{ status }}", fields)).toEqual(["[hook:task_end] t1 aborted"]);
  });

  test("no_dispatcher_is_noop: with hooks switched off the point goes on", async () => {
    await using place = await declared({ on: "task_start", template_push: { message: "m" } });
    expect(await at(place, "task_start", { task_id: "t1" }, "--no-hooks")).toMatchObject({ code: 0, stderr: "" });
    expect(await taken(place)).toEqual(EMPTY);
  });
});
