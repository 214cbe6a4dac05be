import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { membersOf, readJson } from "../../../src/protocol/json/read.ts";
import { tableOf } from "../../../src/protocol/json/table.ts";
import { concernsGuards } from "../../../src/protocol/payload/tool-call.ts";
import type { ToolRow } from "../../../src/protocol/tools/tool-table.ts";
import { loadShellParser } from "../../../src/shell/load-parser.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { shellQuote } from "../../../test/support/shell.ts";
import { AGENTS } from "../../agents/agents.ts";
import { analyzeCommand } from "../command/analyze.ts";
import { examine } from "../examine.ts";
import { EXAMPLES, type Example } from "../examples.ts";
import { GUARDS } from "../guards.ts";
import { judge, STANDARD_SETTINGS } from "../judge.ts";
import cloud from "../rules/cloud/rules.json" with { type: "json" };
import egress from "../rules/egress/rules.json" with { type: "json" };
import filesystem from "../rules/filesystem/rules.json" with { type: "json" };
import git from "../rules/git/rules.json" with { type: "json" };
import remoteCode from "../rules/remote-code/rules.json" with { type: "json" };
import secrets from "../rules/secrets/rules.json" with { type: "json" };
import selfProtection from "../rules/self-protection/rules.json" with { type: "json" };
import system from "../rules/system/rules.json" with { type: "json" };
import { readToolCall, type ToolCall } from "../tool-call.ts";
import { PLACE } from "./rules/examples-of.ts";
import { KNOWN } from "./rules/known.ts";

await loadShellParser();

const { paths, rules, ownFiles } = KNOWN;
const SETTINGS = { ...STANDARD_SETTINGS, paths, rules };

/** The strictest decision of all guards. */
function decisionOn(call: ToolCall, folder = "."): string {
  const examined = examine(call, { ...PLACE, folder: posix.join(PLACE.project, folder) });
  const isStopped = Object.values(GUARDS).some(
    (guard) => judge(examined, { rules: guard, settings: SETTINGS }, ownFiles).decision !== "allow",
  );
  return isStopped ? "stopped" : "allow";
}

const decisionOf = (command: string, folder?: string): string =>
  decisionOn({ commands: [command], folder: null, files: [] }, folder);

interface Row {
  readonly examples?: { readonly stopped: readonly string[] };
}

const ROWS = [cloud, egress, filesystem, git, remoteCode, secrets, selfProtection, system]
  .flatMap(({ rules: table }) => Object.values(tableOf<Record<string, Row>>(table)))
  .flatMap(({ examples }) => examples?.stopped ?? []);

/** Every documented command line that a guard stops. */
const DOCUMENTED: readonly Example[] = [
  ...Object.values(EXAMPLES).flatMap(({ blocked, asked }) => [...blocked, ...asked]),
  ...ROWS.map((command) => ({ command })),
];
const STOPPED = DOCUMENTED.filter(({ command, folder }) => decisionOf(command, folder) !== "allow");

const times = (count: number, part: (at: number) => string, between = ""): string =>
  Array.from({ length: count }, (_, at) => part(at)).join(between);

/** What precedes a command, or surrounds it, so that the analysis reaches one of its limits. */
interface Padding {
  readonly around: (command: string) => string;
  /** How often it is tried, beside the others: rarely, if it takes long. */
  readonly share: number;
}

const before = (share: number, text: string): Padding => ({ share, around: (command) => `${text}; ${command}` });
const inShell = (share: number, wrappers: string): Padding => ({
  share,
  around: (command) => `${wrappers} sh -c ${shellQuote(command)}`,
});

const LIMITS: Readonly<Record<string, Padding>> = {
  "30 wrappers": inShell(
    300,
    times(30, () => "env", " "),
  ),
  "40 wrappers of several kinds": inShell(
    200,
    times(10, () => "sudo nice nohup time", " "),
  ),
  "30 times xargs": inShell(
    200,
    times(30, () => "xargs", " "),
  ),
  "nested evaluation": before(300, `${times(20, () => "eval ")}echo`),
  "many variables": before(
    30,
    times(300, (at) => `v${at}=x`, "; "),
  ),
  "many functions": before(
    30,
    times(260, (at) => `f${at}() { :; }`, "; "),
  ),
  "many files": before(
    30,
    times(70, (at) => `echo a > f${at}`, "; "),
  ),
  "many fields": before(20, `x="${times(5200, () => "a ")}"; : $x`),
  "a long value": before(4, `x=${"a".repeat(400_000)}; : $x $x $x $x`),
  "12,000 lines": before(
    0.3,
    times(12_000, () => "echo hi", "\n"),
  ),
  "a here-document of more than 4 MiB": {
    share: 2,
    around: (command) => `cat <<'E' >/dev/null\n${"x".repeat(4_300_000)}\nE\n${command}`,
  },
  "inline code of more than 1 MiB": before(2, `python3 -c 'x = "${"x".repeat(1_100_000)}"'`),
};

const ROUNDS = "for i in {1..64}; do for j in {1..64}; do";

/** What takes long to follow, and is cut without a finding. */
const CUT: Readonly<Record<string, Padding>> = {
  "two loops of 64 rounds": before(1, `${ROUNDS} echo $i; done; done`),
  "three loops of 64 rounds": before(1, `${ROUNDS} for k in {1..64}; do echo $i; done; done; done`),
  "loops without an end": before(30, `${times(6, () => "while read -r x; do ")}:; ${times(6, () => "done", "; ")}`),
  "6,000 different lines": before(
    0.5,
    times(6000, (at) => `echo ${at}`, "\n"),
  ),
  "nested conditions": before(2, `${times(3000, () => "if true; then ")}:; ${times(3000, () => "fi", "; ")}`),
  "nested shells": before(200, `${times(24, () => "( ")}echo a${times(24, () => " )")}`),
  "nested substitutions": before(100, `echo ${times(40, () => "$(echo ")}a${times(40, () => ")")}`),
  "words in braces": before(50, ": {1..60}{1..60}"),
  "no padding": { share: 100, around: (command) => command },
};

const isLimit = ({ kind }: { readonly kind: string }): boolean => kind === "size" || kind === "depth";

test.each(Object.entries(LIMITS))("%s: a limit is reached", (_, { around }) => {
  expect(analyzeCommand(around("echo done"), PLACE).gaps.filter(isLimit)).not.toEqual([]);
});

type Json = Readonly<Record<string, unknown>>;

/** Arguments around the one that matters. */
const PAYLOADS: Readonly<Record<string, (input: Json) => Json>> = {
  plain: (input) => input,
  "2,001 keys": (input) => ({
    ...Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`k${at}`, 1])),
    ...input,
  }),
  "a list of 2,001": (input) => ({ list: [...Array.from({ length: 2001 }, () => 1), input] }),
  "deep nesting": (input) => Array.from({ length: 55 }).reduce((inner: Json) => ({ a: inner }), input),
};

interface Carrier {
  readonly agent: string;
  readonly tool: string;
  readonly kind: string;
  readonly inputOf: (text: string) => Json;
}

/** The tools of every agent with one of these kinds, by the names of their arguments. */
const carriers = (kinds: readonly string[], names: readonly string[]): readonly Carrier[] =>
  AGENT_NAMES.flatMap((agent) => {
    const { borrowed, table } = AGENTS[agent].tools;
    return Object.entries({ ...borrowed?.(), ...table }).flatMap(([tool, rows]) =>
      rows
        .filter(({ kind }) => kinds.includes(kind))
        .flatMap((row) =>
          keysFor(row, names).map((key) => ({
            ...{ agent, tool, kind: row.kind },
            inputOf: (text: string) => ({ ...row.when, [key]: valueFor(row, key, text) }),
          })),
        ),
    );
  });

function keysFor({ tool, names = {} }: ToolRow, portable: readonly string[]): readonly string[] {
  const own = Object.entries(names).flatMap(([key, name]) => (portable.includes(name) ? [key] : []));
  return own.length > 0 ? own : tool === "apply_patch" ? ["input"] : portable.slice(0, 1);
}

function valueFor({ tool, conversions = {} }: ToolRow, key: string, text: string): unknown {
  if (tool === "apply_patch") return `*** Begin Patch\n*** Delete File: ${text}\n*** End Patch`;
  return conversions[key] === "words" ? ["bash", "-lc", text] : text;
}

function decisionOnTool({ tool, kind, inputOf }: Carrier, text: string, payload: string, folder?: string): string {
  const input = PAYLOADS[payload]?.(inputOf(text));
  const read = readJson(JSON.stringify({ tool_name: tool, tool_kind: kind, tool_input: input }), 64);
  if (!read.ok) throw new Error("not JSON");
  const members = membersOf(read.value);
  return concernsGuards("before_tool_call", members) ? decisionOn(readToolCall(members), folder) : "allow";
}

/** Of each list an item for each case, the same in each run, so that all pairs come together. */
const chosen = <T>(items: readonly T[], at: number, step: number): T =>
  items[Math.floor(((at * step) % 1) * items.length)] ?? (items[0] as T);

const PADDINGS = Object.entries({ ...LIMITS, ...CUT }).flatMap(([name, { around, share }]) =>
  Array.from({ length: Math.ceil(share * 10) }, () => ({ name, around })),
);
/** Long payloads take longer. */
const SHAPES = [...Object.keys(PAYLOADS), ...Array.from({ length: 6 }, () => "plain")];
const SHELLS = carriers(["shell"], ["command"]);

test("there are enough documented examples and tools", () => {
  expect(STOPPED.length).toBeGreaterThan(500);
  expect(AGENT_NAMES.filter((name) => !SHELLS.some(({ agent }) => agent === name))).toEqual([]);
});

test("no documented example is allowed behind a limit, in any shell tool of any agent", () => {
  const allowed: string[] = [];
  const { numRuns } = propertyRuns(20_000);
  for (let at = 0; at < numRuns; at++) {
    const { command, folder } = chosen(STOPPED, at, Math.SQRT2);
    const padding = chosen(PADDINGS, at, Math.sqrt(3));
    const carrier = chosen(SHELLS, at, Math.sqrt(5));
    const payload = chosen(SHAPES, at, Math.sqrt(7));
    if (decisionOnTool(carrier, padding.around(command), payload, folder) === "allow")
      allowed.push([carrier.agent, carrier.tool, payload, padding.name, command].join(": "));
  }
  expect(allowed).toEqual([]);
});

/** By what a tool does with a file: the patterns of the settings, secrets, and files of the system and of hookctl. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  read: ["/home/dev/.ssh/id_rsa", "~/.aws/credentials"],
  write: ["infra/main.tf", "/home/dev/.bashrc", "/etc/passwd", "/home/dev/shop/.git/hooks/pre-commit"],
};

describe.each(Object.entries(FILES))("no file that a guard stops is allowed to any tool: %s", (action, files) => {
  const tools = carriers(action === "read" ? ["read"] : ["write", "edit"], ["file_path", "path"]);

  test.each(Object.keys(PAYLOADS))("%s", (payload) => {
    const allowed = tools.flatMap((carrier) =>
      files
        .filter((file) => decisionOnTool(carrier, file, payload) === "allow")
        .map((file) => `${carrier.agent}: ${carrier.tool}: ${file}`),
    );
    expect(allowed).toEqual([]);
  });
});
