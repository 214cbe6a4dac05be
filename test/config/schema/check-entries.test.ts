import { describe, expect, test } from "vitest";
import { checkEntries } from "../../../src/config/schema/check-entries.ts";

const FILE = "/p/.kodelet/hooks.json";
const entries = <T>(list: readonly T[]) => ({ entries: list, unsupported: [] });

describe("entries in either form become the same", () => {
  test("a nameless one is called by its event and its place", () => {
    const byEvent = checkEntries({ Stop: [{ block: "a" }, { name: "b", inject: "c", priority: 5 }] }, FILE);
    const asList = checkEntries(
      [
        { on: "Stop", block: "a" },
        { on: "Stop", name: "b", inject: "c", priority: 5 },
      ],
      FILE,
    );
    expect(byEvent).toEqual(asList);
    expect(byEvent).toMatchObject({
      ok: true,
      value: entries([
        { name: "Stop#1", event: "agent_stop", on: "Stop", scheme: "block", value: "a", files: [] },
        { name: "b", event: "agent_stop", scheme: "inject", value: "c", priority: 5 },
      ]),
    });
  });
});

const push = { message: "m" };

describe("Reyn's three schemes", () => {
  test("a wake that is empty is a template that says no", () => {
    const list = [{ on: "turn_end", template_push: { message: "m", wake: "" } }];
    expect(checkEntries(list, FILE)).toMatchObject({ ok: true, value: entries([{ value: { wake: "" } }]) });
  });

  test("are taken from its list, with the defaults left open", () => {
    const list = [
      { on: "turn_end", template_push: { message: "m", wake: "{{ a }}", push_when: false, session: "s" } },
      { on: "session_start", shell_exec: "echo x >> log" },
      { name: "dynamic", on: "turn_end", shell_push: ["next.sh", "--all"], timeout: "60s" },
    ];
    expect(checkEntries(list, FILE)).toMatchObject({
      ok: true,
      value: entries([
        { name: "turn_end#1", event: "turn_end", scheme: "template_push", value: list[0]?.template_push },
        { name: "session_start#1", event: "session_start", scheme: "shell_exec", value: "echo x >> log" },
        { name: "dynamic", event: "turn_end", scheme: "shell_push", value: ["next.sh", "--all"], timeout: 60_000 },
      ]),
    });
  });

  test("what looks like a template is plain text in a command of another kind", () => {
    const list = [{ on: "turn_end", command: "docker ps --format '{{.Names}}'" }];
    expect(checkEntries(list, FILE)).toMatchObject({ ok: true });
  });

  test("a slip in a key of a push is told with the nearest one", () => {
    const found = [{ on: "turn_end", template_push: { ...push, mesage: "x" } }];
    expect(checkEntries(found, FILE)).toMatchObject({ error: [{ key: "mesage", nearest: "message" }] });
  });
});

describe("a list as Reyn reads it", () => {
  const entry = (more: object) => [{ on: "turn_end", template_push: { message: "m" }, ...more }];
  const same: readonly (readonly [title: string, found: unknown])[] = [
    ["a matcher, which Reyn reserves and does not interpret", entry({ matcher: "my-skill" })],
    ["no matcher", entry({ matcher: null })],
    ["no name", entry({ name: null })],
    ["a name of blanks", entry({ name: "  " })],
    ["a point in capitals", entry({ on: " Turn_End " })],
    ["an unquoted `on` after a YAML 1.1 tool", [{ true: "turn_end", template_push: { message: "m" } }]],
  ];
  test.each(same)("%s changes nothing", (_title, found) => {
    expect(checkEntries(found, FILE)).toEqual(checkEntries(entry({}), FILE));
    expect(checkEntries(found, FILE)).toMatchObject({
      ok: true,
      value: entries([{ event: "turn_end", name: "turn_end#1" }]),
    });
  });

  test.each([[null], [[]]])("%j declares no hook", (found) => {
    expect(checkEntries(found, FILE)).toEqual({ ok: true, value: { entries: [], unsupported: [] } });
  });

  test.each([null, "", " "])("the session %j is the current one", (session) => {
    const found = [{ on: "turn_end", template_push: { message: "m", session } }];
    expect(checkEntries(found, FILE)).toMatchObject({ ok: true });
  });
});

test("a file may declare a thousand hooks and no more", { tags: "slow" }, () => {
  const rules = (count: number) => ({ Stop: Array.from({ length: count }, () => ({ inject: "a" })) });
  expect(checkEntries(rules(1_000), FILE)).toMatchObject({ ok: true });
  expect(checkEntries(rules(1_001), FILE)).toMatchObject({
    error: [{ entry: "hooks", detail: "it declares 1,001 hooks; a file may declare 1,000" }],
  });
});

test("what is wrong is said in words of the settings", () => {
  const result = (found: object) => {
    const checked = checkEntries({ Stop: [found] }, FILE);
    return checked.ok ? null : checked.error.map((problem) => Reflect.get(problem, "detail"))[0];
  };
  expect(result({ command: [""] })).toBe("its first element, the program, is empty");
  expect(result({ command: ["a", "b\0"] })).toBe("an argument cannot contain a NUL character");
  expect(result({ command: ["", ""] })).toBe("its first element, the program, is empty");
  expect(result({ block: "" })).toBe("it is empty");
  expect(result({ block: "a", match: { tool_name: 5 } })).toBe("it must be a string or a non-empty list of strings");
  expect(result({ template_push: { message: "a", wake: 3 } })).toBe("it must be true, false or a template");
});

describe("what is wrong is named with its place", () => {
  const rows: readonly (readonly [found: unknown, code: string, entry: string])[] = [
    ["hooks", "CONFIG_BAD_VALUE", "hooks"],
    [7, "CONFIG_BAD_VALUE", "hooks"],
    [{ Stop: {} }, "CONFIG_BAD_VALUE", "hooks.Stop"],
    [[{ block: "a" }], "CONFIG_BAD_VALUE", "hooks[0]"],
    [["block"], "CONFIG_BAD_VALUE", "hooks[0]"],
    [{ Stop: [{}] }, "CONFIG_BAD_VALUE", "hooks.Stop[0]"],
    [{ Stop: [{ block: "a", command: "b" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0]"],
    [{ Stop: [{ block: "" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].block"],
    [{ Stop: [{ command: [] }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].command"],
    [{ Stop: [{ command: [""] }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].command"],
    [{ Stop: [{ command: ["", "a"] }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].command"],
    [{ Stop: [{ command: ["a", "b\0"] }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].command.1"],
    [{ Stop: [{ command: "a\0" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].command"],
    [{ Stop: [{ block: "a", name: "b\0" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].name"],
    [{ Stop: [{ block: "a", timeout: 3 }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].timeout"],
    [{ Stop: [{ blck: "a" }] }, "CONFIG_UNKNOWN_KEY", "hooks.Stop[0]"],
    [{ Stop: [{ tool: "memory" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].tool"],
    [{ Stop: [{ tool: ".load" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].tool"],
    [[{ on: "turn_end", shell_exec: "a", shell_push: "b" }], "CONFIG_BAD_VALUE", "hooks[0]"],
    [[{ on: "turn_end", template_push: push, shell_exec: "b" }], "CONFIG_BAD_VALUE", "hooks[0]"],
    [[{ on: "turn_end", block: "a" }, { on: "turn_end" }], "CONFIG_BAD_VALUE", "hooks[1]"],
    [[{ shell_exec: "a" }], "CONFIG_BAD_VALUE", "hooks[0]"],
    [[{ on: "turn_end", block: "a", matcher: "b" }], "CONFIG_UNKNOWN_KEY", "hooks[0]"],
    [[{ on: "turn_end", shell_exec: "a", matcher: 7 }], "CONFIG_BAD_VALUE", "hooks[0].matcher"],
    [[{ on: "turn_end", shell_exec: "a", name: 7 }], "CONFIG_BAD_VALUE", "hooks[0].name"],
    [[{ on: 7, shell_exec: "a" }], "CONFIG_BAD_VALUE", "hooks[0]"],
    [[{ on: "turn_end", template_push: "m" }], "CONFIG_BAD_VALUE", "hooks[0].template_push"],
    [[{ on: "turn_end", template_push: {} }], "CONFIG_BAD_VALUE", "hooks[0].template_push.message"],
    [[{ on: "turn_end", template_push: { message: "" } }], "CONFIG_BAD_VALUE", "hooks[0].template_push.message"],
    [[{ on: "turn_end", template_push: { message: " \t\n" } }], "CONFIG_BAD_VALUE", "hooks[0].template_push.message"],
    [[{ on: "turn_end", shell_push: "  " }], "CONFIG_BAD_VALUE", "hooks[0].shell_push"],
    [[{ on: "turn_end", template_push: { ...push, wake: 1 } }], "CONFIG_BAD_VALUE", "hooks[0].template_push.wake"],
    [
      [{ on: "turn_end", template_push: { ...push, session: 1 } }],
      "CONFIG_BAD_VALUE",
      "hooks[0].template_push.session",
    ],
    [[{ on: "turn_end", template_push: { ...push, wak: true } }], "CONFIG_UNKNOWN_KEY", "hooks[0].template_push"],
    [[{ on: "turn_end", shell_push: "a", wake: true }], "CONFIG_UNKNOWN_KEY", "hooks[0]"],
    [[{ on: "turn_end", shell_exec: "" }], "CONFIG_BAD_VALUE", "hooks[0].shell_exec"],
    [[{ on: "turn_end", shell_exec: "echo {{ status }}" }], "CONFIG_BAD_VALUE", "hooks[0].shell_exec"],
    [[{ on: "turn_end", shell_push: ["echo", "{{ a }}"] }], "CONFIG_BAD_VALUE", "hooks[0].shell_push"],
    [[{ on: "turn_end", shell_push: "a", fail_open: false }], "CONFIG_CONTRADICTION", "hooks[0]"],
    [[{ on: "turn_end", template_push: push, fail_open: false }], "CONFIG_CONTRADICTION", "hooks[0]"],
    [{ Stop: [{ block: "a", observe: true, fail_open: false }] }, "CONFIG_CONTRADICTION", "hooks.Stop[0]"],
    [{ Stop: [{ block: "a", reads: "env" }] }, "CONFIG_CONTRADICTION", "hooks.Stop[0]"],
    [{ Stop: [{ command: "a", reads: "ENV" }] }, "CONFIG_BAD_VALUE", "hooks.Stop[0].reads"],
  ];
  test.each(rows)("%j is %s", (found, code, entry) => {
    expect(checkEntries(found, FILE)).toMatchObject({ ok: false, error: [{ code, entry, file: FILE }] });
  });
});

describe("an entry that only another program can raise or run has no effect, and the others do", () => {
  const block = { block: "a" };
  const rows: [found: object, entry: string, says: string][] = [
    [{ Stp: [block], Stop: [block] }, "hooks", "Stp"],
    [{ SubagentResume: [{ command: "a", more: 1 }], Stop: [block] }, "hooks", "SubagentResume"],
    ...[
      { on: "Stp", ...block },
      { on: "file_changed", exec: ["a"] },
      { on: "builtin:task:task_settled", exec: ["a"] },
      { on: "composed:deploy", template_push: push },
      { on: "turn_end", pipeline_launch: { name: "p" } },
      { on: "turn_end", exec: "a b" },
      { on: "turn_end", exec: ["a"], exec_capture: ["b"] },
      { on: "turn_end", exec_capture: "a b" },
      { on: "turn_end", exec: ["a"], matcher: { agent_name: "a*" } },
      { on: "turn_end", exec: ["a"], matcher: { "agent.name": "a" } },
      { on: "turn_end", exec: ["a"], matcher: { agent_name: 1 } },
      { on: "turn_end", exec: ["a"], matcher: { agent_name: "a" }, match: { chain_id: "c" } },
      { on: "turn_end", template_push: { ...push, include: ["a"] } },
    ].map((one): [object, string, string] => [[one, { on: "Stop", ...block }], "hooks[0]", ""]),
  ];
  test.each(rows)("%j", (found, entry, key) => {
    const checked = checkEntries(found, FILE);
    expect(checked).toMatchObject({ ok: true, value: { entries: [{ on: "Stop" }], unsupported: [{ file: FILE }] } });
    const [problem] = checked.ok ? checked.value.unsupported : [];
    expect(problem).toMatchObject({ entry: expect.stringContaining(entry), ...(key === "" ? {} : { key }) });
  });

  test("its name is told", () => {
    const found = [{ on: "turn_end", name: "nightly", pipeline_launch: { name: "p" } }];
    expect(checkEntries(found, FILE)).toMatchObject({
      value: { unsupported: [{ entry: "hooks[0]", detail: expect.stringMatching(/^nightly: pipeline_launch/) }] },
    });
  });
});

describe("Reyn's current format", () => {
  const rows: [title: string, entry: object, expected: object][] = [
    ["exec", { exec: ["a", "b"] }, { scheme: "shell_exec", value: ["a", "b"] }],
    ["exec_capture", { exec_capture: ["a"] }, { scheme: "shell_push", value: ["a"] }],
    ["a namespaced point", { on: "builtin:lifecycle:turn_end", exec: ["a"] }, { event: "turn_end" }],
    ["a matcher", { exec: ["a"], matcher: { agent_name: "B" } }, { match: { agent_name: "B" } }],
    ["an empty matcher", { exec: ["a"], matcher: {} }, { scheme: "shell_exec" }],
    [
      "grants",
      { exec: ["a"], subprocess: false, network: true, write_paths: ["out"] },
      { sandbox: { subprocess: false, network: true, write_paths: ["out"] } },
    ],
  ];
  test.each(rows)("%s is read as what hookctl has for it", (_, entry, expected) => {
    const checked = checkEntries([{ on: "turn_end", ...entry }], FILE);
    expect(checked).toMatchObject({ ok: true, value: entries([{ name: "turn_end#1", ...expected }]) });
  });
});
