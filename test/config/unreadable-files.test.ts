import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll } from "../support/approvals.ts";
import { type CommandOutput, runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** Puts a file into the state that a row names. */
type Break = (place: Workspace, path: string, text: string) => Promise<unknown>;
interface Form {
  readonly title: string;
  readonly toBroken: Break;
}

const GUARD = { name: "guard", block: "frozen", fail_open: false };
const JSON_TEXT = `${JSON.stringify({ hooks: { PreToolUse: [GUARD] } }, null, 2)}\n`;
const YAML_TEXT = "hooks:\n  - on: PreToolUse\n    name: guard\n    block: frozen\n    fail_open: false\n";

const written =
  (edit: (text: string) => string | Uint8Array): Break =>
  (place, path, text) =>
    place.write(path, edit(text));
const replaced = (from: string | RegExp, to: string): Break =>
  written((text) => {
    expect(text).toMatch(from);
    return text.replace(from, to);
  });
const inPlace =
  (put: (file: string) => Promise<unknown>): Break =>
  async (place, path) => {
    const file = join(place.dir, path);
    await rm(file);
    await put(file);
  };

const ANY: readonly Form[] = [
  { title: "a conflict marker", toBroken: written((text) => `<<<<<<< HEAD\n${text}`) },
  { title: "UTF-16", toBroken: written((text) => Buffer.from(`\ufeff${text}`, "utf16le")) },
  { title: "more than 1 MiB", toBroken: written((text) => text + " ".repeat(1024 * 1024)) },
  { title: "a folder", toBroken: inPlace((file) => mkdir(file)) },
  { title: "a broken link", toBroken: inPlace((file) => symlink("/nonexistent/hooks", file)) },
  { title: "a link to itself", toBroken: inPlace((file) => symlink(file, file)) },
  { title: "a FIFO", toBroken: inPlace(async (file) => execFileSync("mkfifo", [file])) },
  { title: "the key Hooks", toBroken: replaced("hooks", "Hooks") },
  { title: "the key hook", toBroken: replaced("hooks", "hook") },
  { title: "a misspelt event", toBroken: replaced("PreToolUse", "PreToolUsed") },
  { title: "an event of no program", toBroken: replaced("PreToolUse", "Frobnicate") },
];
const AS_JSON: readonly Form[] = [
  { title: "a missing brace", toBroken: replaced(/\}\s*$/, "") },
  { title: "a missing quote", toBroken: replaced('"hooks"', '"hooks') },
  { title: "a missing colon", toBroken: replaced('"hooks":', '"hooks"') },
  { title: "text after its end", toBroken: written((text) => `${text}}`) },
  { title: "nothing in it", toBroken: written(() => "") },
  { title: "hooks twice", toBroken: replaced('"hooks"', '"hooks": {}, "hooks"') },
  { title: "an event twice", toBroken: replaced('"PreToolUse"', '"PreToolUse": [], "PreToolUse"') },
  { title: "an object in place of a list", toBroken: written(() => '{"hooks":{"PreToolUse":{"block":"a"}}}') },
  { title: "a text in place of a list", toBroken: written(() => '{"hooks":{"PreToolUse":"frozen"}}') },
  { title: "a fault, and no hook", toBroken: written(() => '{"a":1,,}') },
  { title: "texts in place of entries", toBroken: written(() => '{"hooks":{"PreToolUse":["./guard.sh"]}}') },
  { title: "a misspelt action", toBroken: replaced('"block"', '"blok"') },
  { title: "a command at a misspelt event", toBroken: written(() => '{"hooks":{"PreToolUze":[{"command":"a"}]}}') },
  { title: "a list without on", toBroken: written(() => '{"hooks":[{"command":"./guard.sh"}]}') },
  ...[1, 12, 30, 60].map((length) => ({
    title: `cut at ${length}`,
    toBroken: written((text) => text.slice(0, length)),
  })),
];
const AS_HOOKS_JSON: readonly Form[] = [
  { title: "hooks in another key", toBroken: written((text) => `{"hookctl":${text}}`) },
  { title: "events without hooks", toBroken: written(() => '{"PreToolUse":[{"block":"a"}]}') },
];
const COMMENTED: readonly Form[] = [
  { title: "comments", toBroken: written((text) => `// ours\n${text}`) },
  { title: "a trailing comma", toBroken: replaced(/\]/, ",]") },
];
const AS_YAML: readonly Form[] = [
  { title: "a tab", toBroken: replaced("    name", "\tname") },
  { title: "a key twice", toBroken: written((text) => `hooks: []\n${text}`) },
  { title: "an object in place of the list", toBroken: written(() => "hooks:\n  PreToolUse:\n    - block: a\n") },
  { title: "one entry in place of the list", toBroken: written(() => "hooks: { on: turn_end }\n") },
  { title: "a text in place of the list", toBroken: written(() => "hooks: guard\n") },
  { title: "a list without its key", toBroken: replaced(/^hooks:\n/, "") },
  { title: "the key hoks", toBroken: replaced("hooks", "hoks") },
  { title: "an open quote", toBroken: replaced("frozen", '"frozen') },
  { title: "a list without on", toBroken: replaced("on: PreToolUse\n    ", "") },
];

const FILES: Readonly<Record<string, readonly Form[]>> = {
  "hooks.json": [...ANY, ...AS_JSON, ...AS_HOOKS_JSON, ...COMMENTED],
  "mcp.json": [...ANY, ...AS_JSON],
  ".mcp.json": [...ANY, ...AS_JSON],
  ".kodelet/mcp.json": [...ANY, ...AS_JSON],
  "reyn.yaml": [...ANY, ...AS_YAML],
  ".reyn/hooks.yaml": [...ANY, ...AS_YAML],
};
const textOf = (file: string): string => (file.endsWith(".json") ? JSON_TEXT : YAML_TEXT);

interface Way {
  readonly title: string;
  readonly args: string;
  readonly prepare: (place: Workspace) => Promise<Readonly<Record<string, string>>>;
  /** Whether the guard of the last version that was approved still blocks. */
  readonly blocks: boolean;
}
const allow = async (place: Workspace) => {
  await place.write("home/.kodelet/hooks.json", '{"settings":{"project_hooks":"allow"}}');
  return {};
};
const WAYS: readonly Way[] = [
  { title: "allowed", args: "", prepare: allow, blocks: true },
  { title: "--trust", args: "--trust", prepare: async () => ({}), blocks: true },
  {
    title: "HOOKCTL_TRUST",
    args: "",
    prepare: async (place) => ({ HOOKCTL_TRUST: (await runInProcess(place, "trust --digest")).stdout.trim() }),
    blocks: false,
  },
  { title: "approved", args: "", prepare: async (place) => approveAll(place).then(() => ({})), blocks: true },
];

const call = (place: Workspace, args: string, env: Readonly<Record<string, string>>) =>
  runInProcess(place, args, { stdin: toolCall(), env });
const native = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });

/** Each command that finds the file, with its end and whether it names the file. */
async function expectNamed(place: Workspace, file: string, { args, blocks }: Way, env: Record<string, string>) {
  const named = (output: CommandOutput) => (output.stdout + output.stderr).includes(`DIR/project/${file}`);
  const rows: [string, number][] = [
    [`run PreToolUse ${args}`, blocks ? 2 : 0],
    [`list ${args}`, 78],
    [`run PreToolUse --dry-run ${args}`, 78],
    ["trust --show", 78],
    ["trust --yes", 78],
  ];
  for (const [line, code] of rows) {
    const output = await call(place, line, env);
    expect({ line, isNamed: named(output), ...output }).toMatchObject({ code, isNamed: true });
  }
}

const cases = Object.entries(FILES).flatMap(([file, forms]) => forms.map((form) => ({ file, ...form })));
const quick = cases.filter(({ file }) => file === "hooks.json");
const slow = cases.filter(({ file }) => file !== "hooks.json");

async function expectGuarded({ file, toBroken }: { readonly file: string } & Form, way: Way) {
  await using place = await workspace();
  const path = `project/${file}`;
  await place.write(path, textOf(file));
  const env = await way.prepare(place);
  expect(await call(place, `run PreToolUse -q ${way.args}`, env)).toMatchObject({ code: 2 });
  await toBroken(place, path, textOf(file));
  await expectNamed(place, file, way, env);
}

describe.each(WAYS)("a shared file with a guard, $title, that is there and cannot be read", (way) => {
  test.each(quick)("$file: $title is named by each command", (row) => expectGuarded(row, way));
  test.each(slow)("$file: $title is named by each command", { tags: "slow" }, (row) => expectGuarded(row, way));
});

test.each(cases)("$file: $title is named by doctor and in an agent's call", { tags: "slow" }, async (row) => {
  await using place = await workspace();
  const path = `project/${row.file}`;
  await place.write(path, textOf(row.file));
  await allow(place);
  await row.toBroken(place, path, textOf(row.file));
  const doctor = await runInProcess(place, "doctor");
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringMatching(/✖ .*DIR\/project\//) });
  expect(doctor.stdout).not.toContain("settings valid");
  const agent = await runInProcess(place, "bridge claude", { stdin: native });
  expect({ ...agent, stdout: "" }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`DIR/project/${row.file}`),
  });
});

describe("a repair", () => {
  test.each(WAYS.filter(({ blocks }) => blocks))(
    "$title: the guard judges as before, until the file has another",
    async ({ prepare, args }) => {
      await using place = await workspace();
      const guarding = (word: string) =>
        JSON.stringify({ hooks: { PreToolUse: [{ match: { "tool_input.command": `*${word}*` }, block: word }] } });
      const run = async (command: string, env: Readonly<Record<string, string>>) =>
        (await runInProcess(place, `run PreToolUse -q ${args}`, { stdin: toolCall(command), env })).code;
      await place.write("project/hooks.json", guarding("rm"));
      const env = await prepare(place);
      expect([await run("rm x", env), await run("ls", env)]).toEqual([2, 0]);
      await place.write("project/hooks.json", `${guarding("rm")},`);
      expect([await run("rm x", env), await run("vi hooks.json", env)]).toEqual([2, 0]);
      await place.write("project/hooks.json", guarding("rm"));
      expect([await run("rm x", env), await run("ls", env)]).toEqual([2, 0]);
    },
  );

  test.each([
    ["hooks.json", '{"hooks":1}'],
    ["hooks.json", '{"hooks":{"PreToolUse":null}}'],
    ["hooks.json", '["hooks"]'],
    ["hooks.json", "null"],
    ["hooks.json", '{"hooks":{"PreToolUsed":[{"hooks":[{"type":"command","command":"./x"}]}]}}'],
    ["mcp.json", '{"hooks":"./hooks"}'],
    [".kodelet/hooks.json", "\n"],
  ])("%s: a file that held a guard and is %s now is no other program's", async (file, text) => {
    await using place = await workspace();
    await allow(place);
    await place.write(`project/${file}`, JSON_TEXT);
    expect(await call(place, "run PreToolUse -q", {})).toMatchObject({ code: 2 });
    await place.write(`project/${file}`, text);
    await expectNamed(place, file, { title: "", args: "", prepare: allow, blocks: true }, {});
    await place.write(`project/${file}`, '{"hooks":{}}');
    expect(await call(place, "run PreToolUse -q", {})).toMatchObject({ code: 0 });
  });

  test("a version without the guard that was used since is what counts", async () => {
    await using place = await workspace();
    await allow(place);
    for (const text of [JSON_TEXT, '{"hooks":{}}', "{"]) {
      await place.write("project/hooks.json", text);
      await call(place, "run PreToolUse -q", {});
    }
    expect(await call(place, "run PreToolUse -q", {})).toMatchObject({ code: 0 });
  });
});

describe("another program's file is no alarm", () => {
  const servers = '"mcpServers":{"webhooks":{"command":"webhooks"}}';
  const rows: { title: string; file: string; text: string }[] = [
    { title: "comments, trailing commas and the word hook", file: "mcp.json", text: `// x\n{${servers},}` },
    { title: "a server called Stop", file: ".mcp.json", text: '{"mcpServers":{"Stop":{"command":"hook"}}}' },
    { title: "an action's name among servers", file: ".mcp.json", text: '{"mcpServers":{"block":{"command":"hook"}}}' },
    { title: "comments, and no hook", file: ".mcp.json", text: '{"a":1, /* a */}' },
    { title: "Reyn's settings without hooks", file: "reyn.yaml", text: "model: standard\n# hook\nhooks:\n" },
    {
      title: "the form of Cursor",
      file: "hooks.json",
      text: '{"version":1,"hooks":{"beforeShellExecution":[{"command":"./x.sh"}]}}',
    },
  ];
  test.each(rows)("$title", async ({ file, text }) => {
    await using place = await workspace();
    await place.write(`project/${file}`, text);
    const silent = { code: 0, stdout: '{"blocked":false}\n', stderr: "" };
    expect(await call(place, "run PreToolUse", {})).toMatchObject(silent);
    for (const line of ["list", "run PreToolUse --dry-run", "trust --show"])
      expect(await call(place, line, {})).toMatchObject({ code: 0 });
  });

  test.each(["mcp.json", ".mcp.json", ".kodelet/mcp.json"])(
    "%s may have comments, and its hooks count",
    async (file) => {
      await using place = await workspace();
      const text = JSON_TEXT.replace('"hooks"', '/* a "text" // in it */ "hooks"').replace("]", ", // last\n]");
      await place.write(`project/${file}`, text.replace("frozen", "http://a/*b*/,]"));
      await approveAll(place);
      const output = await call(place, "run PreToolUse", {});
      expect(output).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"http://a/*b*/,]"') });
    },
  );
});
