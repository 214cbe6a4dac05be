import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { type CommandOutput, lines, runInProcess } from "../support/in-process.ts";
import { touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const HOOKS = "project/.kodelet/hooks";
const PATH = `DIR/${HOOKS}/guard`;
const TEXT = "#!/bin/sh\necho before_tool_call\n# ./lib.sh\n";
const GUARD = { name: "guard", path: PATH };
const UNKNOWN = lines('✖ Unknown hook "gaurd". Did you mean guard? (USAGE_UNKNOWN_HOOK)', "  All hooks: hookctl list");

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.write(`${HOOKS}/guard`, TEXT, 0o755);
  await place.write(`${HOOKS}/lib.sh`, "x\n");
  return place;
}

/** One call that answers with one line of JSON, and what stands in it. */
async function answered(place: Workspace, call: string): Promise<unknown> {
  const { stdout, stderr, code } = await runInProcess(place, call);
  expect({ call, stderr, code }).toEqual({ call, stderr: "", code: 0 });
  expect(stdout).toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout);
}

const lib = (state: "new" | "same") => ({
  name: "lib.sh",
  path: `DIR/${HOOKS}/lib.sh`,
  state,
  bytes: 2,
  text: "x\n",
  approved_text: null,
});

const shown = (more: object): object => ({
  schema: "hookctl.trust/1",
  hooks: [
    {
      ...GUARD,
      trust: "untrusted",
      waits: true,
      look: "sh, 3 lines, 43 bytes",
      claims: ["before_tool_call"],
      text: TEXT,
      is_settings: false,
      missing: [],
      not_covered: [],
      writes_outside: [],
      helpers: [{ name: "lib.sh", bytes: 2 }],
      changes: [],
      approved_text: null,
      files: [lib("new")],
      ...more,
    },
  ],
});

test("trust --show --json tells what would be approved, whole, and what has changed since", async () => {
  await using place = await setUp();
  expect(await answered(place, "trust --show --json")).toEqual(shown({}));
  await runInProcess(place, "trust --yes");
  expect(await answered(place, "trust --show --json")).toEqual({ schema: "hookctl.trust/1", hooks: [] });
  expect(await answered(place, "trust --show guard --json")).toEqual(
    shown({ trust: "trusted", waits: false, files: [lib("same")] }),
  );
  const text = TEXT.replace("echo", "exec echo");
  await place.write(`${HOOKS}/guard`, text, 0o755);
  const changed = {
    trust: "changed",
    text,
    look: "sh, 3 lines, 48 bytes",
    changes: ["its content"],
    files: [lib("same")],
  };
  expect(await answered(place, "trust --show --json")).toEqual(shown({ ...changed, approved_text: TEXT }));
});

test("trust --digest --json holds the digest that is printed without it", async () => {
  await using place = await setUp();
  const { stdout } = await runInProcess(place, "trust --digest");
  expect(stdout).toMatch(/^sha256:[0-9a-f]{64}\n$/);
  const digest = stdout.trim();
  expect(await answered(place, "trust --digest --json")).toEqual({ schema: "hookctl.trust/1", digest });
});

test("untrust --json tells what was forgotten or denied, each place once", async () => {
  await using place = await setUp();
  const schema = "hookctl.untrust/1";
  expect(await answered(place, "untrust --json")).toEqual({ schema, forgotten: [] });
  await runInProcess(place, "trust --yes");
  expect(await answered(place, "untrust guard --json")).toEqual({ schema, forgotten: [GUARD] });
  expect(await answered(place, "untrust --deny guard --json")).toEqual({ schema, denied: [GUARD] });
});

test("a review on a terminal ends in one JSON object, denials included", async () => {
  await using place = await setUp();
  const host = {
    isStdinTerminal: () => true,
    openTerminal: async () => fakeTerminal(async () => "deny"),
  };
  const stdout = lines(JSON.stringify({ schema: "hookctl.trust/1", approved: [], denied: [GUARD] }));
  expect(await runInProcess(place, "trust --json", { host })).toEqual({ stdout, stderr: "", code: 0 });
});

test("state --json tells a value with its key, every digit as it was typed", async () => {
  await using place = await workspace();
  const schema = "hookctl.state/1";
  const steps: { call: string; stdout: string }[] = [
    { call: "set cost 12345678901234567890", stdout: "" },
    { call: "get cost", stdout: `{"schema":"${schema}","key":"cost","value":12345678901234567890}\n` },
    { call: "set who blue", stdout: "" },
    { call: "get who", stdout: `{"schema":"${schema}","key":"who","value":"blue"}\n` },
    { call: "incr count 4", stdout: `{"schema":"${schema}","key":"count","value":4}\n` },
    { call: "unset cost", stdout: "" },
    { call: "get", stdout: `{"schema":"${schema}","values":{"who":"blue","count":4}}\n` },
  ];
  for (const { call, stdout } of steps) {
    const result = await runInProcess(place, `state ${call} --session s --json`);
    expect({ call, ...result }).toEqual({ call, stdout, stderr: "", code: 0 });
  }
  expect(await runInProcess(place, "state get cost --session s --json")).toEqual({ stdout: "", stderr: "", code: 1 });
});

const PROBLEM = `{"schema":"hookctl.problem/1","code":"USAGE_UNKNOWN_HOOK","message":"Unknown hook \\"gaurd\\". Did you mean guard?","hint":"All hooks: hookctl list"}\n`;
const unasked = `{"schema":"hookctl.try/1","name":"guard","asked":false,"decision":"continue","result":{}}\n`;
const offs: (CommandOutput & { title: string; call: string })[] = [
  { title: "is the plain result of a run", call: "try guard --no-hooks", stdout: "{}\n", stderr: "", code: 0 },
  { title: "is a record with --json", call: "try guard --no-hooks --json", stdout: unasked, stderr: "", code: 0 },
  { title: "names an unknown hook first", call: "try gaurd --no-hooks", stdout: "", stderr: UNKNOWN, code: 64 },
  {
    title: "is an object with --json",
    call: "try gaurd --no-hooks --json",
    stdout: PROBLEM,
    stderr: UNKNOWN,
    code: 64,
  },
];

test.each(offs)(
  "the answer of try while hooks are switched off $title: $call",
  async ({ call, stdout, stderr, code }) => {
    await using place = await workspace();
    await place.hook("guard", `#!/bin/sh\n${touch(join(place.dir, "canary"))}\necho before_tool_call\n`);
    expect(await runInProcess(place, call)).toEqual({ stdout, stderr, code });
    expect(await place.read("canary")).toBeNull();
  },
);

test("try says what keeps a file from being a hook, also while hooks are switched off", async () => {
  await using place = await workspace();
  const file = await place.hook("guard", "exit 0", { mode: 0o644 });
  const stderr = lines(
    "✖ guard could not be started: no execute bit (HOOK_NOT_STARTED)",
    `  To enable it: chmod +x ${file}`,
  );
  const result = await runInProcess(place, "try guard --no-hooks");
  expect(result).toEqual({ stdout: "", stderr: stderr.replaceAll(place.dir, "DIR"), code: 1 });
});
