import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { layOut } from "../../packages/screen/index.ts";
import { commandGroups, helpOf, listedOptions } from "../../packages/scripting/help/command-help.ts";
import { helpText } from "../../packages/scripting/help/help-text.ts";
import { HOOK_OPTIONS } from "../../src/cli/common-options.ts";
import type { OptionRow } from "../../src/cli/options.ts";
import { parseCommandLine } from "../../src/cli/parse.ts";
import { allCommands } from "../../src/command-groups.ts";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const COMMANDS = await allCommands();
const NAMES = Object.keys(COMMANDS);
/** All but former names, which work and are not shown. */
const SHOWN = NAMES.filter((name) => COMMANDS[name]?.newForm === undefined);
const TOPICS = [null, "all", ...NAMES];
const textFor = async (topic: string | null, columns: number) =>
  layOut(await helpText(topic, COMMANDS), { columns, isAscii: false });

describe.each([40, 80, 120])("in a terminal of %i columns", (width) => {
  test.each(TOPICS)("no line of the help of %s is longer, but for one word", async (topic) => {
    const long = (await textFor(topic, width)).split("\n").filter((line) => line.length > width);
    expect(long.filter((line) => line.trim().includes(" "))).toEqual([]);
  });

  test.each(TOPICS)("no word of the help of %s is lost or cut", async (topic) => {
    // A command that is too long is broken with a backslash, so that a shell joins it again.
    const words = async (columns: number) =>
      (await textFor(topic, columns)).split(/\s+/).filter((word) => word !== "\\");
    expect(await words(width)).toEqual(await words(10_000));
  });
});

test("the help takes its width from the terminal, or from COLUMNS", async () => {
  await using place = await workspace();
  const widest = (text: string) =>
    Math.max(...text.split("\n").map((line) => (line.includes("https://") ? 0 : line.length)));
  const narrow = await runInProcess(place, "help all", { env: { COLUMNS: "65" } });
  const wide = await runInProcess(place, "help all", { host: { stdoutColumns: () => 120 } });
  expect(widest(narrow.stdout)).toBeLessThanOrEqual(65);
  expect(widest(wide.stdout)).toBeGreaterThan(80);
});

describe("the start of the help", () => {
  test("has at most thirty commands in five groups, and six options", async () => {
    const groups = commandGroups(COMMANDS, false);
    expect(groups.map(([heading]) => heading)).toEqual(["Start", "Guard", "Hooks", "Look back", "Packs"]);
    expect(groups.flatMap(([, names]) => names).length).toBeLessThanOrEqual(30);
    const text = await textFor(null, 80);
    const [, options = ""] = /\nOptions:\n([\s\S]*?)\n\n/.exec(text) ?? [];
    expect(options.match(/^ {2}-/gm)).toHaveLength(6);
    expect(text).toMatch(/\nGuard:\n {2}explain .*\n/);
    expect(text).toContain("https://github.com/hookctl/hookctl/blob/main/docs/README.md\n");
  });

  test("leads to all commands, in which each stands once, and to all options", async () => {
    const all = commandGroups(COMMANDS, true).flatMap(([, names]) => names);
    expect(all.toSorted()).toEqual(SHOWN.toSorted());
    const text = await textFor("all", 80);
    for (const name of SHOWN) expect(text).toMatch(new RegExp(`^ {2}${name} `, "m"));
    for (const { name } of Object.values(HOOK_OPTIONS)) expect(text).toContain(` ${name}`);
  });
});

describe.each(SHOWN)("the help of %s", (name) => {
  const help = helpOf(name);

  test("has from two to four examples that are parsed as calls of it, and fit 80 columns", () => {
    const examples = help?.examples ?? [];
    expect(examples.length).toBeGreaterThanOrEqual(2);
    expect(examples.length).toBeLessThanOrEqual(4);
    expect(examples.filter((example) => example.length > 78)).toEqual([]);
    for (const example of examples) {
      const [, call = ""] = /(?:^|[ (])hookctl ?([^<>)]*)/.exec(example) ?? [];
      const words = [...call.matchAll(/(?:'[^']*'|"(?:\\.|[^"])*"|[^\s'"])+/g)].map(([word]) => word);
      const parsed = parseCommandLine(words, COMMANDS);
      const called = parsed.ok && parsed.value.kind === "call" ? parsed.value.line.command : parsed;
      expect({ example, called: name === "cage" && called === "on" ? "cage" : called }).toEqual({
        example,
        called: name,
      });
    }
  });

  test("links a page that exists", () => {
    expect(existsSync(fileURLToPath(new URL(`../../docs/${help?.docs}`, import.meta.url)))).toBe(true);
  });

  test("names no option that it refuses", async () => {
    const own = Object.values<OptionRow>(COMMANDS[name]?.options ?? {}).map((row) => row.name);
    for (const refused of help?.refuses ?? []) {
      expect(own).toContain(refused);
      expect(await textFor(name, 80)).not.toContain(refused);
    }
    expect(help?.refuses?.includes("--once") ?? false).toBe(["ask", "block"].includes(name));
  });

  test("names its options", async () => {
    const text = await textFor(name, 80);
    for (const row of listedOptions(name, COMMANDS)) expect(text).toContain(row.name);
    for (const row of Object.values(HOOK_OPTIONS))
      expect(text.includes(` ${row.name} `)).toBe(listedOptions(name, COMMANDS).some((one) => one.name === row.name));
  });
});
