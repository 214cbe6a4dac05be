import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const push = (message: string, more: object = {}) => ({
  on: "turn_end",
  name: "t",
  template_push: { message, ...more },
});
const GUARD = { on: "before_tool_call", name: "g", block: "not here" };
const TURN = JSON.stringify({ conv_id: "s", response: "done" });

async function declare(place: Workspace, scope: "home" | "project", hooks: readonly object[]): Promise<void> {
  await place.write(`${scope}/.kodelet/hooks.json`, JSON.stringify({ hooks }));
}

const broken: { title: string; entry: object; place: string; cause: string }[] = [
  {
    title: "a filter that does not exist",
    entry: push("a\n{{ response|shout }}"),
    place: "message",
    cause: 'line 2: there is no filter "shout"',
  },
  {
    title: "a test that does not exist",
    entry: push("{{ 1 is big }}"),
    place: "message",
    cause: 'line 1: there is no test "big"',
  },
  {
    title: "a tag that does not exist",
    entry: push("m", { wake: "{% foo %}" }),
    place: "wake",
    cause: 'line 1: there is no tag "foo"',
  },
  {
    title: "a tag without an end",
    entry: push("m", { push_when: "{% if x %}" }),
    place: "push_when",
    cause: "line 1: unexpected end of template",
  },
  {
    title: "a broken expression",
    entry: push("m", { session: "{{ a b }}" }),
    place: "session",
    cause: "line 1: expected '}}', got 'b'",
  },
  {
    title: "a template that is too long",
    entry: push("a".repeat(65_537)),
    place: "message",
    cause: "it is longer than 65536 characters",
  },
];

test("the templates of one file are bounded together, each at its greatest length is fine", async () => {
  await using place = await workspace();
  const full = push("a".repeat(65_536));
  const entries = (count: number) => Array.from({ length: count }, (_, at) => ({ ...full, name: `t${at}` }));
  await declare(place, "home", entries(4));
  expect(await runMain(place, ["list"])).toMatchObject({ code: 0 });
  await declare(place, "home", [...entries(4), push("{{ response }}")]);
  const result = await runMain(place, ["list"]);
  expect(result).toMatchObject({ code: 78 });
  expect(result.stdout + result.stderr).toContain(
    "hooks[4].template_push.message cannot be compiled: the templates of the file are longer than 262144 characters together",
  );
});

test("a project's template that is too long takes no guard of the user away", async () => {
  await using place = await workspace();
  await declare(place, "home", [GUARD]);
  const spaces = `${" ".repeat(900_000)}a{%- if 1 %}x{% endif %}`;
  await place.write("project/reyn.yaml", JSON.stringify({ hooks: [push(spaces)] }));
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining("not here") });
  expect(result.stderr).toContain("reyn.yaml: the template in hooks[0].template_push.message cannot be compiled");
});

test.each(broken)("list, run and doctor refuse $title in the user's settings", async ({ entry, place: key, cause }) => {
  await using place = await workspace();
  await declare(place, "home", [entry]);
  for (const args of [["list"], ["run", "turn_end"], ["doctor"], ["test"]]) {
    const result = await runMain(place, args, { stdin: TURN });
    const text = result.stdout + result.stderr;
    expect(text).toContain(`the template in hooks[0].template_push.${key} cannot be compiled: ${cause}`);
    expect(text).toContain("Templates are Jinja2: https://github.com/hookctl/hookctl/blob/main/docs/templates.md");
    expect(result.code).toBe(args[0] === "doctor" ? 1 : 78);
  }
});

test("trust refuses a project's template, and what was approved stays in force", async () => {
  await using place = await workspace();
  await declare(place, "project", [GUARD]);
  expect(await runMain(place, ["trust", "--yes"])).toMatchObject({ code: 0 });
  await declare(place, "project", [push("{{ response|shout }}")]);
  const trusted = await runMain(place, ["trust", "--yes"]);
  expect(trusted.stderr).toContain('cannot be compiled: line 1: there is no filter "shout"');
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining("not here") });
  expect(result.stderr).toContain("there is no filter");
});

test("a broken template of a project takes no guard of the user away", async () => {
  await using place = await workspace();
  await declare(place, "home", [GUARD]);
  await declare(place, "project", [push("{% if %}")]);
  expect(await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() })).toMatchObject({ code: 2 });
});

test("a guard of the user's settings blocks while a template beside it is broken", async () => {
  await using place = await workspace();
  await declare(place, "home", [GUARD]);
  await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  await declare(place, "home", [GUARD, push("{% if %}")]);
  expect(await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() })).toMatchObject({ code: 2 });
});

test("an unknown filter in a branch is an error only where that branch is rendered", async () => {
  await using place = await workspace();
  await declare(place, "home", [push("{% if response == 'x' %}{{ response|shout }}{% endif %}fine", { wake: false })]);
  const calm = await runMain(place, ["run", "turn_end", "-q"], { stdin: TURN });
  expect(calm).toMatchObject({ code: 0, stderr: "" });
  const result = await runMain(place, ["run", "turn_end", "-q"], {
    stdin: JSON.stringify({ conv_id: "s", response: "x" }),
  });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(result.stdout).toContain('the push of t was skipped: its message: there is no filter \\"shout\\"');
});

describe("a broken template in a file of the project that declares hooks beside a guard", () => {
  const broken = 'cannot be compiled: line 1: there is no filter "shout"';
  const files: { file: string; text: (hooks: readonly object[]) => string }[] = [
    { file: "reyn.yaml", text: (hooks) => JSON.stringify({ hooks }) },
    { file: ".reyn/hooks.yaml", text: (hooks) => JSON.stringify({ hooks }) },
    { file: "hooks.json", text: (hooks) => JSON.stringify({ hooks }) },
    { file: ".mcp.json", text: (hooks) => JSON.stringify({ mcpServers: {}, hooks }) },
  ];
  const commands: { args: readonly string[] }[] = [
    { args: ["list"] },
    { args: ["list", "--json"] },
    { args: ["run", "before_tool_call", "--dry-run"] },
    { args: ["test"] },
    { args: ["trust", "--yes"] },
    { args: ["trust"] },
  ];

  test.each(files)("$file, never approved: list, test, trust and a dry run end with 78", async ({ file, text }) => {
    await using place = await workspace();
    await place.write(`project/${file}`, text([GUARD, push("{{ response|shout }}")]));
    for (const { args } of commands) {
      const result = await runMain(place, [...args]);
      expect({ args, code: result.code }).toEqual({ args, code: 78 });
      expect(result.stderr).toContain(broken);
      expect(result.stdout + result.stderr).not.toContain("Nothing to approve");
    }
  });

  test.each(files)("$file, approved before: the approved guard blocks, and trust says so", async ({ file, text }) => {
    await using place = await workspace();
    await place.write(`project/${file}`, text([GUARD]));
    expect(await runMain(place, ["trust", "--yes"])).toMatchObject({ code: 0 });
    await place.write(`project/${file}`, text([GUARD, push("{{ response|shout }}")]));
    for (const { args } of commands) {
      const result = await runMain(place, [...args]);
      const said = result.stdout + result.stderr;
      expect({ args, code: result.code }).toEqual({ args, code: 78 });
      expect(said).toContain(broken);
      expect(said).toContain("The approved version still applies");
      expect(said).not.toContain("Nothing to approve");
      expect(said).not.toContain("settings have no effect");
    }
    const result = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    expect(result).toMatchObject({ code: 2, stdout: expect.stringContaining("not here") });
    expect(result.stderr).toContain("The approved version still applies. Repair the file");
  });

  test("what waits beside it is approved, and the call ends with 78 all the same", async () => {
    await using place = await workspace();
    await place.write("project/reyn.yaml", JSON.stringify({ hooks: [push("{{ response|shout }}")] }));
    await declare(place, "project", [GUARD]);
    const trusted = await runMain(place, ["trust", "--yes"]);
    expect(trusted).toMatchObject({ code: 78, stderr: expect.stringContaining(broken) });
    expect(await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall() })).toMatchObject({ code: 2 });
    expect(await runMain(place, ["trust", "--yes", ".kodelet/hooks.json"])).toMatchObject({ code: 0 });
  });
});
