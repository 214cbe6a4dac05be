import { describe, expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import { workspace } from "../../support/workspace.ts";
import { at, contents, declared, EMPTY, FILE, loaded, push, runAt, taken, woken } from "./stage.ts";

const POINTS = [
  ...["session_start", "session_end", "turn_start", "turn_end"],
  ...["skill_start", "skill_end", "task_start", "task_end"],
];
const bad = (says: string) => ({ code: 78, stdout: "", stderr: expect.stringContaining(says) });

/** One test for each function of test_1800_hook_config_schema.py that can be seen from outside: 24 of 25 (a frozen dataclass cannot). */
describe("the hooks of a settings file", () => {
  test("hookdef_push_shape: a push has its point, its four fields and a matcher", async () => {
    const fields = { wake: "{{ ready }}", push_when: "{{ wanted }}", session: "far" };
    await using place = await declared({ ...push("{{ event }}", fields), name: "p", matcher: "mine" });
    await at(place, "turn_end", { ready: false, wanted: true });
    expect(await taken(place)).toEqual(EMPTY);
    const far = JSON.parse((await runInProcess(place, "inbox drain --all --session far")).stdout);
    expect(far).toMatchObject({ messages: [{ content: "[hook:p] turn_end" }], wake: false });
  });

  test("hookdef_shell_shape: a command has its point and its words", async () => {
    await using place = await declared({ on: "session_end", name: "c", shell_exec: "scripts/cleanup.sh" });
    const { hooks } = JSON.parse((await runInProcess(place, "list --json")).stdout);
    expect(hooks).toMatchObject([{ name: "c", events: ["session_end"], kind: "shell_exec" }]);
  });

  test("all_allowed_points_accepted: each of the eight points loads and is reached", async () => {
    for (const point of POINTS) {
      await using place = await declared({ on: point, template_push: { message: point } });
      await at(place, point);
      expect(await contents(place)).toEqual([`[hook:${point}] ${point}`]);
    }
  });

  test("push_minimal_valid: a message alone is pushed, wakes, and stays in the session", async () => {
    await using place = await declared(push("hello"));
    await at(place, "turn_end");
    expect(await woken(place)).toMatchObject({ messages: [{ content: "[hook:turn_end] hello" }], wake: true });
  });

  test("push_all_fields_accepted: every field may be a template, and a matcher stands beside them", async () => {
    const fields = { wake: "{{ ctx.wake }}", push_when: "{{ ctx.push }}", session: "{{ ctx.target }}" };
    const entry = {
      on: "skill_end",
      template_push: { message: "{{ skill.name }} finished", ...fields },
      matcher: "mine",
    };
    await using place = await declared(entry);
    await at(place, "skill_end", { ctx: { wake: "yes", push: "1", target: "s1" }, skill: { name: "review" } });
    expect(await woken(place)).toMatchObject({
      messages: [{ content: "[hook:skill_end] review finished" }],
      wake: true,
    });
  });

  test("shell_valid: a command with arguments is taken as it is", async () => {
    await using place = await declared();
    await place.write("home/.kodelet/cleanup.sh", `echo "$1" > ${place.dir}/told`, 0o755);
    await place.write(FILE, '{"hooks":[{"on":"session_end","shell_exec":"sh cleanup.sh --force","sandbox":"off"}]}');
    await at(place, "session_end");
    expect(await place.read("told")).toBe("--force\n");
  });

  test("push_wake_bool_false_accepted: a passive push waits", async () => {
    await using place = await declared({ on: "turn_start", template_push: { message: "note", wake: false } });
    await at(place, "turn_start");
    expect(await woken(place)).toEqual(EMPTY);
    expect(await contents(place)).toEqual(["[hook:turn_start] note"]);
  });

  test("none_returns_empty_registry: a file without hooks, or with nothing behind the key, declares none", async () => {
    for (const text of ["", "hooks:\n", "settings: {}\n"]) {
      await using place = await workspace();
      await place.write(FILE, text);
      expect(await at(place, "turn_end")).toEqual({ stdout: "{}\n", stderr: "", code: 0 });
    }
  });

  test("empty_list_returns_empty_registry: an empty list declares none", async () => {
    await using place = await declared();
    expect(await at(place, "session_start")).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0 });
  });

  test("bad_hook_point_rejected: a point that does not exist is an error", async () => {
    expect(await loaded({ on: "phase_start", shell_exec: "echo hi" })).toMatchObject(bad('unknown key "phase_start"'));
  });

  test("missing_on_field_rejected: an entry without a point is an error", async () => {
    expect(await loaded({ shell_exec: "echo hi" })).toMatchObject(bad("`on` must name its event"));
  });

  test("both_push_and_shell_rejected: two schemes are an error", async () => {
    expect(await loaded({ ...push("hi"), shell_exec: "echo hi" })).toMatchObject(bad("it needs exactly one of"));
  });

  test("neither_push_nor_shell_rejected: no scheme is an error", async () => {
    expect(await loaded({ on: "turn_end" })).toMatchObject(bad("it needs exactly one of"));
  });

  test("push_missing_message_rejected: a push without a message is an error", async () => {
    expect(await loaded({ on: "turn_end", template_push: {} })).toMatchObject(bad("hooks[0].template_push.message"));
  });

  test("push_empty_message_rejected: a message of blanks is an error", async () => {
    expect(await loaded(push("   "))).toMatchObject(bad("hooks[0].template_push.message is not valid: it is blank"));
  });

  test("shell_empty_command_rejected: an empty command is an error", async () => {
    expect(await loaded({ on: "session_end", shell_exec: "" })).toMatchObject(bad("hooks[0].shell_exec"));
  });

  test("push_wake_wrong_type_rejected: a number is no flag", async () => {
    expect(await loaded(push("hi", { wake: 42 }))).toMatchObject(bad("it must be true, false or a template"));
  });

  test("entry_not_a_mapping_rejected: a text is no entry", async () => {
    expect(await loaded("not an entry")).toMatchObject(bad("hooks[0]"));
  });

  test("non_list_hooks_value_silently_empty differs: a mapping in reyn.yaml declares none, and is told; in a settings file it is the other form", async () => {
    await using place = await workspace();
    await place.write("project/reyn.yaml", "hooks: { on: turn_end, template_push: { message: hi } }\n");
    const told = await at(place, "turn_end");
    expect(told).toMatchObject({ stderr: "", code: 0 });
    expect(told.stdout).toContain("hooks is not valid: it must be a list of entries");
    await place.write(FILE, "hooks: { on: turn_end }\n");
    expect(await runInProcess(place, "list")).toMatchObject(bad('unknown key "on" in hooks'));
  });

  test("error_message_includes_entry_index: the second entry is named by its index", async () => {
    expect(await loaded(push("ok"), { on: "bad_point", shell_exec: "echo" })).toMatchObject({
      stdout: expect.stringContaining("hooks[1].on"),
      code: 78,
    });
  });

  test("registry_preserves_registration_order: hooks of a point run in the order of the list", async () => {
    const hooks = [push("first"), { on: "skill_start", shell_exec: ":" }, push("second")];
    await using place = await declared(...hooks, { on: "turn_end", name: "third", shell_exec: ":" });
    const { hooks: run } = await runAt(place, "turn_end");
    expect(run.map(({ name }) => name)).toEqual(["turn_end#1", "turn_end#2", "third"]);
    expect(await contents(place)).toEqual(["[hook:turn_end] first", "[hook:turn_end] second"]);
  });

  test("registry_unknown_point_returns_empty differs: a point that nobody knows is a usage error", async () => {
    await using place = await declared(push("hi"));
    expect(await runInProcess(place, "run agent_start", { stdin: "{}" })).toMatchObject({ code: 64, stdout: "" });
  });

  test("registry_no_match_returns_empty: another point reaches nothing", async () => {
    await using place = await declared(push("hi"));
    expect(await at(place, "skill_start")).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0 });
    expect(await taken(place)).toEqual(EMPTY);
  });

  test("round_trip_from_yaml: a YAML file with every optional field means what stands in it", async () => {
    await using place = await workspace();
    const text = `
hooks:
  - on: skill_end
    template_push:
      message: "skill {{ skill.name }} done"
      wake: false
      push_when: "{{ ctx.notify }}"
      session: "{{ ctx.target }}"
    matcher: skill-done
  - on: session_start
    shell_exec: "scripts/on-session-start.sh"
    sandbox: off
    matcher: session
`;
    await place.write(FILE, text);
    await place.write("home/.kodelet/scripts/on-session-start.sh", `#!/bin/sh\n: > ${place.dir}/started\n`, 0o755);
    for (const notify of [false, true])
      await at(place, "skill_end", { skill: { name: "x" }, ctx: { notify, target: "t" } });
    const far = JSON.parse((await runInProcess(place, "inbox drain --all --session t")).stdout);
    expect(far).toMatchObject({ messages: [{ content: "[hook:skill_end] skill x done" }], wake: false });
    await at(place, "session_start");
    expect(await place.read("started")).toBe("");
    for (const point of ["turn_end", "task_start", "turn_start"]) await at(place, point);
    expect(await taken(place)).toEqual(EMPTY);
  });
});
