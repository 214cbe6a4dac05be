import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allOptions } from "../../src/cli/command-table.ts";
import { COMMON_OPTIONS } from "../../src/cli/common-options.ts";
import type { OptionRow } from "../../src/cli/options.ts";
import { parseCommandLine } from "../../src/cli/parse.ts";
import { allCommands } from "../../src/command-groups.ts";
import { propertyRuns } from "../support/property-runs.ts";

const COMMANDS = await allCommands();

const words = (text: string): readonly string[] => (text === "" ? [] : text.split(" "));

describe("what a line means", () => {
  const rows: readonly (readonly [line: string, command: string, args: readonly string[], options: object])[] = [
    [
      "run before_tool_call",
      "run",
      ["before_tool_call"],
      { json: false, useCache: true, verbosity: 0, timeoutMs: null },
    ],
    ["--json run PreToolUse -q", "run", ["PreToolUse"], { json: true, quiet: true }],
    ["run x --timeout 5s --timeout=6s", "run", ["x"], { timeoutMs: 6000 }],
    ["run x --skip a --skip=b", "run", ["x"], { skip: ["a", "b"] }],
    ["-v run x -v --verbose", "run", ["x"], { verbosity: 3 }],
    ["run x -qvv", "run", ["x"], { quiet: true, verbosity: 2 }],
    ["run -C /tmp x --no-hooks --trust", "run", ["x"], { directory: "/tmp", noHooks: true, trust: true }],
    ["run x -C/tmp --no-cache", "run", ["x"], { directory: "/tmp", useCache: false }],
    ["run x -qC/tmp", "run", ["x"], { quiet: true, directory: "/tmp" }],
    ["run x -qC /tmp", "run", ["x"], { quiet: true, directory: "/tmp" }],
    ["run x -C=/tmp", "run", ["x"], { directory: "=/tmp" }],
    ["run x --payload run --dry-run", "run", ["x"], { payloadFile: "run", dryRun: true }],
    ["run x --hook=a=b", "run", ["x"], { only: "a=b" }],
    ["run x --hook=", "run", ["x"], { only: "" }],
    ["run x --hook --json", "run", ["x"], { only: "--json", json: false }],
    ["list --all --event Stop", "list", [], { isAll: true, event: "agent_stop", source: null }],
    ["list --source user --color never", "list", [], { source: "user", color: "never" }],
    ["try -- -x --json", "try", ["-x", "--json"], { json: false }],
    ["-- list", "list", [], {}],
    ["", "overview", [], { json: false }],
    ["--json -C /tmp", "overview", [], { json: true, directory: "/tmp" }],
    ["try guard - a=1", "try", ["guard", "-", "a=1"], {}],
    ["state incr n -5 --session s", "state", ["incr", "n", "-5"], { session: "s" }],
    ["state incr n -.5e+3", "state", ["incr", "n", "-.5e+3"], {}],
    ["new guard --event turn_end --lang node", "new", ["guard"], { event: "turn_end", language: "node" }],
    ["log --blocked --today", "log", [], { decision: "block" }],
    ["log --denied", "log", [], { decision: "block" }],
    ["ls", "list", [], {}],
    ["outdated", "update", [], { dryRun: true }],
    ["upgrade pack@v2 --dry-run", "update", ["pack@v2"], { dryRun: true }],
  ];
  test.each(rows)("%s", (line, command, args, options) => {
    expect(parseCommandLine(words(line), COMMANDS)).toMatchObject({
      ok: true,
      value: { line: { command, args, options } },
    });
  });
});

describe("help and version go before everything else", () => {
  test.each([
    ["--help", { kind: "help", topic: null }],
    ["-h", { kind: "help", topic: null }],
    ["help", { kind: "help", topic: null }],
    ["help run", { kind: "help", topic: "run" }],
    ["run --help", { kind: "help", topic: "run" }],
    ["run -qh", { kind: "help", topic: "run" }],
    ["--help list x y", { kind: "help", topic: "list" }],
    ["run --nope --help", { kind: "help", topic: "run" }],
    ["help all", { kind: "help", topic: "all" }],
    ["--help all", { kind: "help", topic: "all" }],
    ["help --help", { kind: "help", topic: null }],
    ["--nope x --help", { kind: "help", topic: null }],
    ["ls --help", { kind: "help", topic: "list" }],
    ["--version", { kind: "version" }],
    ["-V", { kind: "version" }],
    ["version", { kind: "version" }],
    ["run --help --version", { kind: "version" }],
  ])("%s", (line, value) => expect(parseCommandLine(words(line), COMMANDS)).toEqual({ ok: true, value }));
});

describe("a mistake is named, with the nearest right word", () => {
  const wrong = (detail: string, tryThis: string) => ({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  const unknown = (flag: string, near: string | null, command: string | null) => ({
    code: "USAGE_UNKNOWN_FLAG",
    flag,
    nearest: near,
    verb: command,
  });
  test.each([
    ["rnu x", { code: "USAGE_UNKNOWN_VERB", verb: "rnu", nearest: "run" }],
    ["create", { code: "USAGE_UNKNOWN_VERB", verb: "create", nearest: "new" }],
    ["constructor", { code: "USAGE_UNKNOWN_VERB", verb: "constructor", nearest: null }],
    ["rnu --help", { code: "USAGE_UNKNOWN_VERB", verb: "rnu", nearest: "run" }],
    ["--help rnu", { code: "USAGE_UNKNOWN_VERB", verb: "rnu", nearest: "run" }],
    ["rnu -C / x -h", { code: "USAGE_UNKNOWN_VERB", verb: "rnu", nearest: "run" }],
    ["help rnu", { code: "USAGE_UNKNOWN_VERB", verb: "rnu", nearest: "run" }],
    ["run x --jsno", unknown("--jsno", "--json", "run")],
    ["run x --json=1", unknown("--json=1", "--json", "run")],
    ["run x --all", unknown("--all", null, "run")],
    ["list --al", unknown("--al", "--all", "list")],
    ["list -qx", unknown("-x", null, "list")],
    ["log --blokc", unknown("--blokc", "--decision block", "log")],
    ["init --user", unknown("--user", "--scope user", "init")],
    ["trust --approve", unknown("--approve", null, "trust")],
    ["--all list", wrong("--all must come after its command.", "hookctl list --all")],
    ["--all --nope list", wrong("--all must come after its command.", "hookctl list --all")],
    ["--scope user list", wrong("--scope must come after its command.", "hookctl list --help")],
    ["--scope", wrong("--scope must come after its command.", "hookctl COMMAND --help")],
    ["-5 list", unknown("-5", null, null)],
    ["run", wrong("run: missing argument EVENT.", "hookctl run --help")],
    ["try", wrong("try: missing argument NAME.", "hookctl try --help")],
    ["explain", wrong("explain: missing argument COMMAND.", "hookctl explain --help")],
    ["run a b", wrong("run takes at most 1 argument: EVENT.", "hookctl run --help")],
    ["list x", wrong("list takes no arguments.", "hookctl list --help")],
    ["run x --timeout", wrong("--timeout <DURATION>: missing value.", "hookctl run --help")],
    ["run x -C", wrong("-C, --directory <DIR>: missing value.", "hookctl run --help")],
    ["log --event nope", { code: "USAGE_UNKNOWN_EVENT", name: "nope", nearest: null }],
    ["payload x --timeout 5", { code: "USAGE_BAD_VALUE", flag: "--timeout", value: "5" }],
    ["install claude --scope usr", { code: "USAGE_BAD_VALUE", flag: "--scope", value: "usr" }],
  ])("%s", (line, error) => expect(parseCommandLine(words(line), COMMANDS)).toMatchObject({ ok: false, error }));
});

const SAMPLES: Readonly<Record<OptionRow["kind"], readonly string[]>> = {
  switch: [""],
  negation: [""],
  count: [""],
  text: ["a", "-x", "a=b", ""],
  list: ["a", "--json"],
  duration: ["5s", "2m"],
  time: ["30m", "2026-11-20"],
  number: ["1", "20"],
  event: ["turn_end", "Stop"],
  choice: [],
};
const given = (row: OptionRow): fc.Arbitrary<readonly string[]> =>
  fc
    .constantFrom(...(row.kind === "choice" ? row.choices : SAMPLES[row.kind]))
    .chain((value) =>
      "placeholder" in row
        ? fc.constantFrom<readonly string[]>([`${row.name}=${value}`], [row.name, value])
        : fc.constantFrom<readonly string[]>([row.name], [row.short ?? row.name]),
    );
const givenOf = (rows: readonly OptionRow[]) =>
  rows.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...rows).chain(given), { maxLength: 5 });
const leastArgs = (command: string): readonly string[] =>
  words(COMMANDS[command]?.arguments ?? "").flatMap((name) => (name.startsWith("<") ? ["word"] : []));

/** A time depends on the present, so its value is a function. */
const withoutFunctions = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "function" ? one(Date.UTC(2026, 0, 1)) : one)));

test("every command takes its options in any order, before and behind its arguments", () => {
  const line = fc.constantFrom(...Object.keys(COMMANDS)).chain((command) => {
    const options = givenOf(Object.values<OptionRow>({ ...COMMON_OPTIONS, ...COMMANDS[command]?.options }));
    return fc.record({ command: fc.constant(command), before: options, after: options });
  });
  fc.assert(
    fc.property(line, ({ command, before, after }) => {
      const args = leastArgs(command);
      const together = parseCommandLine([command, ...args, ...before.flat(), ...after.flat()], COMMANDS);
      expect(together).toMatchObject({ ok: true, value: { line: { command, args } } });
      const apart = parseCommandLine([command, ...before.flat(), ...args, ...after.flat()], COMMANDS);
      expect(withoutFunctions(apart)).toEqual(withoutFunctions(together));
    }),
    propertyRuns(5_000),
  );
});

test("no line makes the parser throw", () => {
  const names = allOptions(COMMANDS).flatMap(({ row }) => [row.name, row.short ?? row.name]);
  const junk = "- -- --- -x -vq -Cdir -C=dir --nope --json=1 --no-hooks= -h help = --= -1 run list a=b".split(" ");
  const any = fc.array(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...names, ...junk)), { maxLength: 6 });
  fc.assert(
    fc.property(any, (argv) => void parseCommandLine(argv, COMMANDS)),
    propertyRuns(3_000),
  );
});
