import { expect, test } from "vitest";
import type { CommandName } from "../../src/cli/command-table.ts";
import { allCommands } from "../../src/command-groups.ts";
import { lines, runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const COMMANDS = await allCommands();

/** Their stdout has a protocol of its own. */
const WITH_PROTOCOL: readonly string[] = ["bridge", "serve"];

/** A call of each command that fails for a reason of its own, with the code of the problem. Null: none fails before it answers. */
const FAILING: Readonly<Record<CommandName, readonly [call: string, code: string, exitCode: number] | null>> = {
  overview: ["overview extra", "USAGE_WRONG_WORDS", 64],
  list: ["list extra", "USAGE_WRONG_WORDS", 64],
  run: ["run before_tool_call", "PAYLOAD_NOT_JSON", 65],
  test: ["test nobody", "USAGE_UNKNOWN_HOOK", 64],
  check: ["check ./nowhere", "PROJECT_MISSING", 64],
  try: ["try nobody", "USAGE_UNKNOWN_HOOK", 64],
  trust: ["trust nobody", "USAGE_UNKNOWN_HOOK", 64],
  untrust: ["untrust nobody", "USAGE_UNKNOWN_HOOK", 64],
  edit: ["edit guard", "USAGE_WRONG_WORDS", 64],
  add: ["add ./nowhere", "PACK_NOT_FETCHED", 1],
  update: ["update nobody", "PACK_UNKNOWN", 64],
  remove: ["remove nobody", "PACK_UNKNOWN", 64],
  guards: ["guards nobody", "USAGE_UNKNOWN_GUARD", 64],
  block: ["block example.org", "USAGE_WRONG_WORDS", 64],
  ask: ["ask pip --once", "USAGE_BAD_VALUE", 64],
  allow: ["allow pip --for 1m --until 2026-01-01", "USAGE_BAD_VALUE", 64],
  rules: ["rules remove nothing", "USAGE_UNKNOWN_RULE", 64],
  enable: ["enable nobody", "USAGE_UNKNOWN_GUARD", 64],
  disable: ["disable nobody", "USAGE_UNKNOWN_GUARD", 64],
  off: ["off nobody --for 5m", "USAGE_UNKNOWN_HOOK", 64],
  on: ["on nobody", "USAGE_UNKNOWN_GUARD", 64],
  cage: ["cage", "USAGE_WRONG_WORDS", 64],
  explain: ["explain", "USAGE_WRONG_WORDS", 64],
  init: ["init --agents nobody", "USAGE_BAD_VALUE", 64],
  new: ["new .guard --event turn_end", "USAGE_BAD_HOOK_NAME", 64],
  payload: ["payload nobody", "USAGE_UNKNOWN_EVENT", 64],
  schema: ["schema nobody", "USAGE_UNKNOWN_SUBJECT", 64],
  state: ["state get", "USAGE_WRONG_WORDS", 64],
  inbox: ["inbox", "USAGE_WRONG_WORDS", 64],
  bridge: null,
  status: ["status extra", "USAGE_WRONG_WORDS", 64],
  serve: null,
  install: ["install cluade", "USAGE_WRONG_WORDS", 64],
  uninstall: ["uninstall claude --scope nowhere", "USAGE_BAD_VALUE", 64],
  adopt: ["adopt gemini", "USAGE_WRONG_WORDS", 64],
  seal: ["seal extra", "USAGE_WRONG_WORDS", 64],
  restore: ["restore extra", "USAGE_WRONG_WORDS", 64],
  doctor: ["doctor nobody", "USAGE_WRONG_WORDS", 64],
  config: ["config show nothing", "USAGE_WRONG_WORDS", 64],
  log: ["log --since never", "USAGE_BAD_VALUE", 64],
  report: ["report --since never", "USAGE_BAD_VALUE", 64],
  why: ["why 01JD3F", "USAGE_UNKNOWN_RUN", 64],
  export: ["export", "EXPORT_NOT_CONFIGURED", 78],
  stats: ["stats extra", "USAGE_WRONG_WORDS", 64],
  completion: ["completion nobody", "USAGE_WRONG_WORDS", 64],
  replay: ["replay nobody", "USAGE_UNKNOWN_RUN", 64],
  backtest: ["backtest --agent claude", "NOTHING_RECORDED", 64],
};

async function failing(call: string) {
  await using place = await workspace();
  await place.hook("guard", "true");
  const plain = await runInProcess(place, call, { stdin: "nonsense" });
  const json = await runInProcess(place, `${call} --json`, { stdin: "nonsense" });
  return { plain, json };
}

const own = Object.entries(FAILING).flatMap(([name, call]) => (call === null ? [] : [[name, ...call] as const]));
const wrong = Object.keys(COMMANDS).map((name) => [name, `${name} --nonsense`, "USAGE_UNKNOWN_FLAG", 64] as const);

test.each([...own, ...wrong.filter(([name]) => !WITH_PROTOCOL.includes(name))])(
  "%s: the problem of “%s --json” is an object on stdout, and the text stays on stderr",
  async (_, call, problem, code) => {
    const { plain, json } = await failing(call);
    expect(json).toMatchObject({ stderr: plain.stderr, code });
    expect(plain).toMatchObject({ stdout: "", code });
    const { message, hint, ...rest } = JSON.parse(json.stdout);
    expect(rest).toEqual({ schema: "hookctl.problem/1", code: problem });
    expect(plain.stderr).toContain(lines(`✖ ${message} (${problem})`, `  ${hint}`));
  },
);

test.each(WITH_PROTOCOL)("stdout of %s belongs to its protocol, also when its command line is wrong", async (name) => {
  const { plain, json } = await failing(`${name} --nonsense`);
  expect(json).toEqual(plain);
  expect(json).toMatchObject({ stdout: "", code: 64 });
});

test("--json after -- is an argument and asks for nothing", async () => {
  await using place = await workspace();
  const result = await runInProcess(place, "try -- --json");
  expect(result).toMatchObject({ stdout: "", code: 64 });
});
