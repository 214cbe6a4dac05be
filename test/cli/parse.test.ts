import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hotParse } from "../../src/cli/hot-parse.ts";
import {
  type CommandLine,
  type CommandName,
  OPTION_TABLE,
  type OptionRow,
  optionsOf,
} from "../../src/cli/option-table.ts";
import { usageProblem } from "../../src/cli/usage-problem.ts";
import { parseLine } from "../../src/cli.ts";
import type { Host } from "../../src/host.ts";

const JUNK = [
  ..." - -- --- -x -vq -vv -qv -Cdir -C=dir --nope --json=1 --no-hooks= --hooks --verb -h --help --version".split(" "),
  ..."-V help = --= -1 --no-json --hook= --skip= --no-trust".split(" "),
];
const VALUES = ["a b", ..."before_tool_call run list payload 5s a=b /tmp ä 0 help =x x-y".split(" ")];
const names = OPTION_TABLE.flatMap((row) => (row.short === undefined ? [row.name] : [row.name, row.short]));

/** Pieces of a line: mostly what people write, with everything else mixed in. */
const value = fc.constantFrom(...VALUES);
const flagIn = (rows: readonly OptionRow[]) =>
  fc.constantFrom(...rows).chain((row) => {
    const name = fc.constantFrom(row.name, row.short ?? row.name);
    if (row.placeholder === undefined) return name.map((one) => [one]);
    return fc.oneof(
      fc.tuple(name, value).map(([one, text]) => [one, text]),
      value.map((text) => [`${row.name}=${text}`]),
    );
  });
const junk = fc.oneof(fc.constantFrom(...JUNK), fc.constantFrom(...names), value).map((word) => [word]);
const piecesOf = (rows: readonly OptionRow[], maxLength: number) =>
  fc.array(fc.oneof({ arbitrary: flagIn(rows), weight: 15 }, { arbitrary: junk, weight: 1 }), { maxLength });
const globals = OPTION_TABLE.filter((row) => row.commands === undefined);
const lineOf = (verb: CommandName, words: readonly string[]) =>
  fc
    .tuple(piecesOf(globals, 3), piecesOf(optionsOf(verb), 4))
    .map(([before, after]) => [...before.flat(), ...words, ...after.flat()]);
const line = fc.oneof(
  lineOf("run", ["run", "before_tool_call"]),
  lineOf("list", ["list"]),
  fc.tuple(lineOf("run", ["run"]), value).map(([words, event]) => [...words, event]),
  fc
    .tuple(piecesOf(OPTION_TABLE, 3), fc.constantFrom("run", "list", "payload", "rn"), piecesOf(OPTION_TABLE, 4))
    .map((all) => all.flat(2)),
);

test("10,000 random lines: what the hot parser accepts, commander understands in the same way", () => {
  let accepted = 0;
  fc.assert(
    fc.property(line, (argv) => {
      const hot = hotParse(argv);
      if (hot === null) return;
      accepted++;
      expect(parseLine(worldWith(argv))).toEqual({ ok: true, value: hot });
    }),
    { numRuns: 10_000 },
  );
  expect(accepted).toBeGreaterThan(4_000);
});

describe("lines that agents use are taken on the hot path", () => {
  const rows: readonly (readonly [argv: string, words: readonly string[], flags: CommandLine["options"]])[] = [
    ["run before_tool_call", ["before_tool_call"], {}],
    ["--json run PreToolUse -q", ["PreToolUse"], { "--json": true, "--quiet": true }],
    ["run x --timeout 5s --timeout=6s", ["x"], { "--timeout": "6s" }],
    ["run x --skip a --skip=b", ["x"], { "--skip": ["a", "b"] }],
    ["-v run x -v --verbose", ["x"], { "--verbose": 3 }],
    ["run -C /tmp x --no-hooks --trust", ["x"], { "--directory": "/tmp", "--no-hooks": true, "--trust": true }],
    ["run x --payload run --dry-run", ["x"], { "--payload": "run", "--dry-run": true }],
    ["list --all --event agent_stop", [], { "--all": true, "--event": "agent_stop" }],
  ];
  test.each(rows)("%s", (text, args, options) => {
    const argv = text.split(" ");
    expect(hotParse(argv)).toMatchObject({ args, options });
    expect(parseLine(worldWith(argv))).toEqual({ ok: true, value: hotParse(argv) });
  });
});

describe("anything unusual is left to commander", () => {
  test.each([
    ...[
      "",
      "run",
      "run a b",
      "list x",
      "payload agent_stop",
      "run x --nope",
      "run x --all",
      "list --dry-run",
      "run x --json=1",
    ],
    ...[
      "run x --timeout",
      "run x --timeout -q",
      "run x --timeout=",
      "run x -- y",
      "run x --help",
      "--version",
      "--all list",
    ],
    ...["run x -qv", "run x -C/tmp", "run x -", "help run", "rn x", "run x --hook "],
  ])("%j", (text) => expect(hotParse(text.split(" "))).toBeNull());
});

describe("mistakes are told with the nearest right word", () => {
  test.each([
    ["rnu x", { code: "USAGE_UNKNOWN_VERB", verb: "rnu", nearest: "run" }],
    ["run x --jsno", { code: "USAGE_UNKNOWN_FLAG", flag: "--jsno", nearest: "--json" }],
    ["list --al", { code: "USAGE_UNKNOWN_FLAG", flag: "--al", nearest: "--all" }],
    ["run", { code: "USAGE_WRONG_WORDS", tryThis: "hookctl run --help" }],
    ["run a b", { code: "USAGE_WRONG_WORDS" }],
    ["run x --timeout", { code: "USAGE_WRONG_WORDS" }],
  ])("%s", (text, problem) => {
    expect(parseLine(worldWith(text.split(" ")))).toMatchObject({ ok: false, error: problem });
  });

  test("a line without a verb says so", () => {
    expect(usageProblem({ code: "commander.help", message: "(outputHelp)" }, [])).toMatchObject({
      tryThis: "hookctl --help",
    });
  });

  test("no line makes the parser throw", () => {
    const words = fc.array(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...names, ...JUNK, ...VALUES)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(words, (argv) => {
        hotParse(argv);
        parseLine(worldWith(argv));
      }),
      { numRuns: 1000 },
    );
  });
});

/** As much of a host as a parser sees: the words, and a place for help. */
function worldWith(argv: readonly string[]): Host {
  const [no, nothing] = [() => false, () => undefined];
  const outside = { env: {}, cwd: "/", platform: "linux", userId: 1, processId: 1, random: () => 0 };
  const terminal = { isStdinTerminal: no, isStdoutTerminal: no, isStderrTerminal: no, out: () => null, err: nothing };
  const clock = { nowMs: () => 0, elapsedMs: () => 0, beganMs: 0 };
  const interrupt = { raised: () => null, listen: () => nothing };
  const openTerminal = async () => null;
  return {
    argv,
    ...outside,
    ...terminal,
    ...clock,
    interrupt,
    openTerminal,
    readStdin: async () => ({ kind: "silent" }),
  };
}
