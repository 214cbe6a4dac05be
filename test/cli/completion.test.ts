import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FILE_SCHEMAS } from "../../packages/authoring/commands/schema.ts";
import { bashReply, readBashLine } from "../../packages/scripting/bash-line.ts";
import { allCommands } from "../../src/command-groups.ts";
import { GUARD_NAMES } from "../../src/protocol/guard-settings.ts";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { printResponse, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const COMMANDS = await allCommands();

/** What zsh is offered at the end of a line: how, and the values without their descriptions. */
async function offered(place: Workspace, line: string) {
  const ended = await runMain(place, ["completion", "zsh", "--", ...line.split(" ")]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const [how = "", ...lines] = ended.stdout.trimEnd().split("\n");
  return { how, values: lines.map((one) => one.split("\t")[0] ?? "") };
}

const noPath = "space none 0";
const rows: readonly (readonly [line: string, how: string, some: readonly string[], not: readonly string[]])[] = [
  ["hookctl ", noPath, ["run", "completion", "help"], ["--json", "guard"]],
  ["hookctl -", noPath, ["--version", "--directory"], ["run", "--payload"]],
  ["hookctl run ", noPath, ["before_tool_call", "turn_end"], ["PreToolUse", "--as"]],
  ["hookctl run Pre", noPath, ["PreToolUse"], []],
  ["hookctl run --as ", noPath, ["kodelet", "claude"], ["before_tool_call"]],
  ["hookctl run --as=", noPath, ["--as=kodelet"], ["kodelet"]],
  ["hookctl run --", noPath, ["--as", "--json"], ["--version", "--for"]],
  ["hookctl run --json --", noPath, ["--quiet"], ["--json"]],
  ["hookctl run --skip a --", noPath, ["--skip"], []],
  ["hookctl run --payload ", "space files 0", [], ["before_tool_call"]],
  ["hookctl run --payload=x", "space files 10", [], ["--payload=x"]],
  ["hookctl --config ", "space files 0", [], []],
  ["hookctl -C ", "space folders 0", [], []],
  ["hookctl check ", "space folders 0", [], []],
  ["hookctl list ", noPath, ["--all"], ["guard"]],
  ["hookctl list --event ", noPath, ["agent_stop"], []],
  ["hookctl list --source ", noPath, ["project"], []],
  ["hookctl trust ", noPath, ["guard", "gu ard", "declared"], ["-rf", "--yes"]],
  ["hookctl trust guard ", noPath, ["gu ard"], ["guard"]],
  ["hookctl trust -- ", noPath, ["guard", "-rf"], ["--yes"]],
  ["hookctl trust ./x", "space files 0", [], []],
  ["hookctl list --hook ", noPath, ["guard", "-rf"], []],
  ["hookctl off ", noPath, ["guard", ...GUARD_NAMES], []],
  ["hookctl on git ", noPath, ["secrets"], ["git"]],
  ["hookctl init --guards=git,", noPath, ["--guards=git,secrets", "--guards=git,none"], ["--guards=git,git"]],
  ["hookctl init --agents ", noPath, ["claude", "none"], []],
  ["hookctl init ", noPath, ["claude", "pi"], []],
  ["hookctl init claude --scope project --events Stop,", noPath, ["Stop,PreToolUse", "Stop,all"], ["Stop,Stop"]],
  ["hookctl bridge codex --event ", noPath, ["PreToolUse"], []],
  ["hookctl bridge --event ", noPath, [], ["PreToolUse"]],
  ["hookctl doctor claude ", noPath, ["codex", "gemini"], []],
  ["hookctl payload before_tool_call ", "nospace none 0", ["tool_name=", "cwd="], []],
  ["hookctl test --reporter ", noPath, ["junit"], []],
  ["hookctl test --output ", "nospace none 0", ["junit="], []],
  ["hookctl test --output junit=", "space files 6", [], []],
  ["hookctl test --output=junit=x", "space files 15", [], []],
  ["hookctl log --since ", noPath, ["today", "30m"], []],
  ["hookctl log --last ", noPath, [], ["today"]],
  ["hookctl state ", noPath, ["incr"], []],
  ["hookctl schema ", noPath, ["lock", "turn_end"], []],
  ["hookctl update ", noPath, ["org@repo"], []],
  ["hookctl help ", noPath, ["run"], ["help"]],
  ["hookctl completion ", noPath, ["fish"], []],
  ["hookctl explain ", noPath, [], ["guard"]],
  ["hookctl nonsense ", noPath, [], ["guard"]],
  ["hookctl trust --nonsense ", noPath, ["guard"], []],
];

test.each(rows)("%s", async (line, how, some, not) => {
  await using place = await workspace();
  for (const name of ["guard", "gu ard", "-rf", "line\nbreak", "esc\u001b[31m"])
    await place.hook(name, touch(`${place.dir}/ran`), { scope: "project" });
  const hooks = [{ on: "turn_end", name: "declared", command: "exit 1" }];
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks }));
  await place.write("project/.kodelet/hooks.lock", JSON.stringify({ version: 1, packs: { "org@repo": {} } }));
  const { values, how: said } = await offered(place, line);
  expect(said).toBe(how);
  expect(values).toEqual(expect.arrayContaining([...some]));
  expect(values.filter((value) => not.includes(value))).toEqual([]);
  expect(values.join("\n")).not.toMatch(/break|esc/);
  expect(await place.read("ran")).toBeNull();
});

test("runs by their ids with what they were, and their sessions", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  await runMain(place, ["run", "before_tool_call", "-q"], {
    stdin: JSON.stringify({ ...JSON.parse(toolCall()), conv_id: "s-1" }),
  });
  const { stdout } = await runMain(place, ["completion", "fish", "--", "hookctl", "why", ""]);
  expect(stdout).toMatch(/^space none 0\n[0-9A-Z]{26}\t.*before_tool_call bash block\n$/);
  expect((await offered(place, "hookctl log --session ")).values).toEqual(["s-1"]);
});

test("hooks of another folder, and none of a folder that does not exist", async () => {
  await using place = await workspace();
  await place.hook("guard", "exit 0", { scope: "project" });
  const elsewhere = { cwd: place.home };
  const there = await runMain(
    place,
    ["completion", "fish", "--", "hookctl", "-C", place.project, "edit", ""],
    elsewhere,
  );
  expect(there).toEqual({ stdout: "space none 0\nguard\n", stderr: "", code: 0, signal: null });
  const nowhere = await runMain(
    place,
    ["completion", "fish", "--", "hookctl", "-C", "/no/such", "edit", ""],
    elsewhere,
  );
  expect(nowhere).toEqual({ stdout: "space none 0\n", stderr: "", code: 0, signal: null });
});

test("an unknown shell is wrong usage", async () => {
  await using place = await workspace();
  const stderr =
    '✖ completion: unknown shell "zhs": bash, zsh, fish. (USAGE_WRONG_WORDS)\n  Try: hookctl completion zsh\n';
  expect(await runMain(place, ["completion", "zhs"])).toEqual({ stdout: "", stderr, code: 64, signal: null });
});

describe("the table", () => {
  /** Arguments that no list can name. */
  const free: readonly string[] = ["explain", "new", "block", "ask", "rules"];

  test.each(Object.entries(COMMANDS))(
    "%s says what its arguments may be",
    (name, { arguments: words, values = [] }) => {
      const count = words.split(" ").filter((word) => word !== "").length;
      if (values.length === 0) expect(count === 0 || free.includes(name)).toBe(true);
      expect(values.length).toBeLessThanOrEqual(count);
    },
  );

  test("names what the commands take", () => {
    expect(COMMANDS.adopt?.values?.[0]).toEqual(["adoptable agent"]);
    expect(COMMANDS.schema?.values?.[0]?.[0]).toEqual(Object.keys(FILE_SCHEMAS));
  });
});

describe("a line of bash", () => {
  const lines: readonly (readonly [line: string, words: readonly string[], current: string])[] = [
    ["hookctl run ", ["hookctl", "run"], ""],
    ["hookctl  run\tbe", ["hookctl", "run"], "be"],
    ['hookctl "a b', ["hookctl"], "a b"],
    ["hookctl 'a b' c", ["hookctl", "a b"], "c"],
    ["hookctl a\\ b x\"y\"'z'", ["hookctl", "a b"], "xyz"],
    ["hookctl 'a\\' b", ["hookctl", "a\\"], "b"],
    ['hookctl "a\\"b\\c" d', ["hookctl", 'a"b\\c'], "d"],
    ["hookctl run x < file ", ["hookctl", "run", "x"], ""],
    ["hookctl run x 2>err -", ["hookctl", "run", "x"], "-"],
    ["hookctl $(x) `y`", ["hookctl", "$(x)"], "`y`"],
  ];
  test.each(lines)("%s", (line, words, text) => {
    expect(readBashLine(line)).toMatchObject({ words, current: { text }, isRedirected: false });
  });

  test.each(["hookctl run x <", "hookctl run x < fi", "hookctl run x 2>er"])("%s is followed by a file", (line) => {
    expect(readBashLine(line).isRedirected).toBe(true);
  });

  /** Text that a name can be: without control characters, with all that a shell reads. */
  const name = fc
    .string({
      unit: fc.oneof(fc.constantFrom(..."abc $`'\"\\!#~*?[]{}()<>|&;=:@%^-"), fc.constantFrom("é", "日")),
      minLength: 1,
    })
    .filter((text) => !text.includes("!!"));
  const quote = fc.constantFrom("", "'", '"');

  test("means what was offered, whatever the name, the quote and how much is typed", () => {
    const cases = fc.array(fc.tuple(name, quote, fc.nat()), { minLength: 50, maxLength: 50 });
    fc.assert(
      fc.property(cases, (drawn) => {
        const written = drawn.flatMap(([value, open, at]) => {
          const head = typedIn(value.slice(0, at % (value.length + 1)), open);
          const { current } = readBashLine(`hookctl ${head}`);
          const replaced = head.slice(open.length);
          const reply = bashReply({ value, about: "" }, current, replaced);
          return reply === null
            ? []
            : [{ value, line: `${head.slice(0, head.length - replaced.length)}${reply}${open}` }];
        });
        const script = written.map(({ line }) => `printf '%s\\0' ${line}`).join("\n");
        const said = execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
        expect(said).toEqual(written.map(({ value }) => value));
      }),
      propertyRuns(20),
    );
  });
});

/** A beginning as a person may type it. */
function typedIn(text: string, open: string): string {
  if (open === "'") return `'${text.replaceAll("'", "'\\''")}`;
  if (open === '"') return `"${text.replace(/["$`\\]/g, "\\$&")}`;
  return text.replace(/[\x20-\x7e]/g, "\\$&");
}
