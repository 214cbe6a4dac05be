import { describe, expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import { at, declared, push } from "./stage.ts";

interface Pushed {
  readonly pushes?: readonly { readonly wake: boolean; readonly message: string; readonly session: string | null }[];
  readonly warnings?: readonly string[];
}

/** What the end of a turn pushes by these templates. */
async function rendered(
  templates: { message?: string } & Record<string, unknown>,
  fields: object = {},
): Promise<Pushed> {
  const { message = "m", ...more } = templates;
  await using place = await declared(push(message, { wake: false, push_when: "true", ...more }));
  const result = await at(place, "turn_end", fields);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  return JSON.parse(result.stdout);
}
const pushed = (more: object) => ({ pushes: [more] });
const NOTHING = {};
const skipped = (why: string) => ({ warnings: [expect.stringContaining(`was skipped: ${why}`)] });
const IF = "{% if count > 0 %}true{% else %}false{% endif %}";

/** One test for each function of test_1800_hook_render.py: 22 of 22. */
describe("a template", () => {
  test("render_push_full_non_default_context: all four fields count", async () => {
    const templates = {
      message: "event={{ evt.name }} skill={{ skill }}",
      push_when: "{{ ctx.go }}",
      session: "ses-abc",
    };
    const found = await rendered(templates, { evt: { name: "skill_end" }, skill: "mine", ctx: { go: "yes" } });
    expect(found).toMatchObject(pushed({ message: "event=skill_end skill=mine", wake: false, session: "ses-abc" }));
  });

  test("render_push_wake_true_non_default: wake may be true", async () => {
    expect(await rendered({ wake: true })).toMatchObject(pushed({ wake: true }));
  });

  test("truthy_strings_resolve_to_true: true, 1, yes and on, in any case", async () => {
    for (const wake of ["true", "True", "TRUE", "1", "yes", "YES", "on", "ON"]) {
      expect(await rendered({ wake })).toMatchObject(pushed({ wake: true }));
    }
  });

  test("falsy_strings_resolve_to_false: false, 0, no, off and nothing, in any case", async () => {
    for (const wake of ["false", "False", "FALSE", "0", "no", "NO", "off", "OFF", ""]) {
      expect(await rendered({ wake })).toMatchObject(pushed({ wake: false }));
    }
  });

  test("bool_true_passthrough: a flag of the settings is no template", async () => {
    expect(await rendered({ wake: true, push_when: true })).toMatchObject(pushed({ wake: true }));
  });

  test("bool_false_passthrough: and neither is false", async () => {
    expect(await rendered({ wake: false })).toMatchObject(pushed({ wake: false }));
  });

  test("push_when_false_template: a template that says false skips the push", async () => {
    expect(await rendered({ push_when: "{{ skip }}" }, { skip: "false" })).toEqual(NOTHING);
  });

  test("push_when_static_false: and so does the word", async () => {
    expect(await rendered({ push_when: "false" })).toEqual(NOTHING);
  });

  test("push_when_conditional_evaluates_to_true: a condition that holds pushes", async () => {
    expect(await rendered({ push_when: IF }, { count: 3 })).toMatchObject(pushed({ message: "m" }));
  });

  test("push_when_conditional_evaluates_to_false: one that does not hold skips", async () => {
    expect(await rendered({ push_when: IF }, { count: 0 })).toEqual(NOTHING);
  });

  test("sandbox_blocks_class_escape: no way leads to the classes behind a value", async () => {
    const found = await rendered({ message: "{{ ().__class__.__bases__ }}" });
    expect(found).toEqual(skipped("its message"));
  });

  test("sandbox_blocks_globals_escape: and none to the globals behind a function", async () => {
    expect(await rendered({ message: "{{ cycler.__init__.__globals__ }}" })).toEqual(skipped("its message"));
  });

  test("sandbox_allows_normal_attribute_access: members of the payload are read", async () => {
    expect(await rendered({ message: "{{ evt.name }}" }, { evt: { name: "x" } })).toMatchObject(
      pushed({ message: "x" }),
    );
  });

  test("message_undefined_var_triggers_safety_net: a name that is not there skips the push", async () => {
    expect(await rendered({ message: "{{ no_such_var }}" })).toEqual(skipped("its message"));
  });

  test("wake_undefined_var_resolves_to_false: in wake it is false", async () => {
    expect(await rendered({ wake: "{{ no_such_wake }}" })).toMatchObject(pushed({ wake: false }));
  });

  test("push_when_undefined_var_resolves_to_false: and in push_when", async () => {
    expect(await rendered({ push_when: "{{ no_such_condition }}" })).toEqual(NOTHING);
  });

  test("session_static_passthrough: a session is taken as it is", async () => {
    expect(await rendered({ session: "static-ses-007" })).toMatchObject(pushed({ session: "static-ses-007" }));
    for (const session of ["{% if 1 %}x{% endif %}", "{% if", "{# a #}b"]) {
      expect(await rendered({ session })).toMatchObject(pushed({ session }));
    }
  });

  test("session_template_rendered: or made by a template", async () => {
    expect(await rendered({ session: "ses-{{ sid }}" }, { sid: "xyz" })).toMatchObject(pushed({ session: "ses-xyz" }));
  });

  test("session_none_resolves_to_none: none is the current one", async () => {
    expect(await rendered({ session: null })).toMatchObject(pushed({ session: null }));
  });

  test("session_template_undefined_var_resolves_to_none: and so is a name that is not there", async () => {
    expect(await rendered({ session: "{{ no_such_sid }}" })).toMatchObject(pushed({ session: null }));
    await using place = await declared(push("m", { wake: false, session: "{{ no_such_sid }}" }));
    await at(place, "turn_end");
    const inbox = JSON.parse((await runInProcess(place, "inbox --session s1")).stdout);
    expect(inbox).toMatchObject({ messages: [{ content: "[hook:turn_end] m" }] });
  });

  test("render_error_never_raises: a flag that is none skips the push, and the point goes on", async () => {
    expect(await rendered({ wake: "not-a-bool-value" })).toEqual(skipped("its wake is neither true nor false"));
  });

  test("render_error_returns_safe_defaults: nothing of a push that failed is left", async () => {
    expect(await rendered({ message: "{{ undefined_strict }}" })).not.toHaveProperty("pushes");
  });
});
