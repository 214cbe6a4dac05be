import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";

const FILE = "home/.kodelet/hooks.json";
const rows: { title: string; entry: object; code: number; result: object }[] = [
  { title: "a rule that blocks", entry: { block: "no" }, code: 2, result: { blocked: true, reason: "no" } },
  { title: "a rule that asks", entry: { ask: "ok?" }, code: 2, result: { decision: "ask" } },
  { title: "a rule that injects", entry: { inject: "x" }, code: 0, result: { additional_context: ["x"] } },
  { title: "a text for sh", entry: { command: "echo '{\"blocked\":true}'" }, code: 2, result: { blocked: true } },
  { title: "a list of words", entry: { command: ["echo", '{"blocked":true}'] }, code: 2, result: { blocked: true } },
  { title: "an effect", entry: { shell_exec: "echo no JSON", sandbox: "off" }, code: 0, result: { blocked: false } },
  { title: "an effect without a box", entry: { shell_exec: "exit 9" }, code: 0, result: { blocked: false } },
];

test.each(rows)("$title", async ({ entry, code, result }) => {
  await using place = await workspace();
  await place.write(FILE, JSON.stringify({ hooks: { before_tool_call: [entry] } }));
  const output = await runInProcess(place, "run before_tool_call -q", { stdin: toolCall() });
  expect(output).toMatchObject({ stderr: "", code });
  expect(JSON.parse(output.stdout)).toMatchObject(result);
});

test("an entry of the project is refused, approved, shown, missed and forgotten by its name", async () => {
  await using place = await workspace();
  const file = "project/.kodelet/hooks.json";
  const guard = { name: "guard", command: "sh guard.sh", fail_open: false, files: ["rules.txt"] };
  await place.write(file, JSON.stringify({ hooks: [{ on: "before_tool_call", ...guard }] }));
  await place.write("project/.kodelet/guard.sh", "exit 0");
  await place.write("project/rules.txt", "1");
  const run = () => runInProcess(place, "run before_tool_call -q", { stdin: toolCall() });
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining("not approved") });
  const shown = await runInProcess(place, "trust --show guard");
  for (const words of ["guard.sh", "rules.txt", '"command"']) expect(shown.stdout).toContain(words.replaceAll('"', ""));
  const digest = (await runInProcess(place, "trust --digest")).stdout;
  expect(await runInProcess(place, "trust guard")).toMatchObject({
    code: 0,
    stdout: "✔ Approved guard   before_tool_call\n  undo (before you delete the file): hookctl untrust guard\n",
  });
  expect(await runInProcess(place, "trust --list")).toMatchObject({
    stdout: expect.stringContaining("approved guard"),
  });
  expect(await run()).toMatchObject({ code: 0, stdout: '{"blocked":false}\n' });
  await place.write("project/rules.txt", "2");
  expect((await runInProcess(place, "trust --digest")).stdout).not.toBe(digest);
  expect(await run()).toMatchObject({ code: 2 });
  expect(await runInProcess(place, "untrust guard")).toMatchObject({
    code: 0,
    stdout: "✔ Removed the approval of guard\n",
  });
  expect(await run()).toMatchObject({ code: 0 });
});

test("entries that share a name are approved each by itself, at one event or at several", async () => {
  await using place = await workspace();
  const entries = {
    before_tool_call: [
      { name: "say", inject: "1" },
      { name: "say", inject: "2" },
    ],
  };
  const declare = (hooks: object) => place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks }));
  const run = () => runInProcess(place, "run before_tool_call -q", { stdin: toolCall() });
  await declare({ ...entries, after_tool_call: [{ name: "say", inject: "3" }] });
  const approved = await runInProcess(place, "trust --yes");
  expect(approved.stdout).toBe(
    "✔ Approved .kodelet/hooks.json\n✔ Approved say   before_tool_call\n✔ Approved say   before_tool_call\n✔ Approved say   after_tool_call\n",
  );
  expect(await run()).toMatchObject({ code: 0, stdout: '{"blocked":false,"additional_context":["1","2"]}\n' });
  await declare({ before_tool_call: [...entries.before_tool_call.slice(0, 1), { name: "say", inject: "other" }] });
  // Until the change is approved the settings count as they were approved.
  expect(await run()).toMatchObject({ code: 0, stdout: expect.stringContaining('"additional_context":["1","2"]') });
});

test.each(["../../guard", "org/repo/guard", "100%", "a%2Fb"])("a name is no path: %s", async (name) => {
  await using place = await workspace();
  await place.write(FILE, JSON.stringify({ hooks: { before_tool_call: [{ name, block: "no" }] } }));
  const result = await runInProcess(place, "run before_tool_call -q", { stdin: toolCall() });
  expect(result).toMatchObject({ stderr: "", code: 2, stdout: '{"blocked":true,"reason":"no"}\n' });
  expect(await runInProcess(place, `test ${name} --json`)).toMatchObject({ code: 0 });
});

test("a list, a plan and a run have one order of files and entries, off and unfit ones included", async () => {
  await using place = await workspace();
  await place.hook("z-user", ":", { says: '{"event":"before_tool_call","priority":50}' });
  await place.hook("b-user", ":");
  await place.hook("c-project", ":", { scope: "project" });
  await place.hook("same", ":", { scope: "project" });
  const entries = (...all: readonly object[]): string => JSON.stringify({ hooks: { PreToolUse: all } });
  const project = [
    { name: "p", inject: "1" },
    { name: "same", inject: "2" },
    { name: "early", ask: "3", priority: 10 },
  ];
  await place.write("project/.kodelet/hooks.json", entries(...project));
  const user = [
    { name: "u", command: "true", observe: true },
    { name: "off", block: "4", enabled: false },
  ];
  await place.write(FILE, entries(...user, { name: "unfit", block: "5", match: { "tool_input.command.x": "*" } }));
  const names = async (words: string): Promise<readonly string[]> => {
    const { stdout } = await runInProcess(place, words, { stdin: toolCall() });
    const { hooks, plan } = JSON.parse(stdout);
    return (hooks ?? plan).map(({ name }: { name: string }) => name);
  };
  const order = ["early", "z-user", "c-project", "same", "b-user", "p", "same", "u", "off", "unfit"];
  for (const trust of ["", "--trust"]) {
    expect(await names(`list --event before_tool_call --json ${trust}`)).toEqual(order);
    expect(await names(`run before_tool_call --dry-run -q ${trust}`)).toEqual(order);
    expect(await names(`run before_tool_call --json -q ${trust}`)).toEqual(order);
  }
});
