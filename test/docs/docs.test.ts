import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allOptions } from "../../src/cli/command-table.ts";
import { allCommands } from "../../src/command-groups.ts";

import { RESPONSE_KEYS } from "../../src/dialects/dialects.ts";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { SKIP_REASONS } from "../../src/protocol/hook.ts";
import messages from "../../src/protocol/problem-messages/messages.json" with { type: "json" };
import { sourceFiles, sourceText } from "../support/sources.ts";
import { runProgram } from "../support/workspace.ts";

const COMMANDS = await allCommands();

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "hooks-examples/README.md"],
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Their console blocks are run by tests; a block elsewhere is marked: ```console shown. */
const PAGES_RUN_BY_TESTS = ["README.md", "docs/contract-agenthook.md"];

/** Of Node, which the architecture page compares with. */
const FOREIGN_NAMES = ["parseArgs"];

const problemCodes = Object.keys(messages);

/** The first cell of each table row of a page, and what each item of a list begins with. */
const rowsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^(?:\| (.+?) \||- (`[^`]+`))/gm)].map(([, cell, item]) => cell ?? item ?? "");

const namesIn = (page: string): readonly string[] =>
  rowsOf(page).flatMap((cell) => [...cell.matchAll(/`"?([^`"]+)"?`/g)].map(([, name = ""]) => name));

test("the generated parts are what npm run docs writes", async () => {
  const result = await runProgram([process.execPath, join(root, "tools", "docs.mjs"), "--check"], { cwd: root });
  expect(result).toMatchObject({ stdout: "", stderr: "", code: 0 });
});

test("every problem code and every skip reason has a row", () => {
  expect(problemCodes.length).toBeGreaterThan(40);
  expect(namesIn("docs/exit-codes.md")).toEqual(
    expect.arrayContaining([...problemCodes, ...Object.keys(SKIP_REASONS)]),
  );
});

test("every event has a heading", () => {
  const headings = [...read("docs/events.md").matchAll(/^### (\w+)$/gm)].map(([, name = ""]) => name);
  expect(headings).toEqual(EVENT_NAMES);
});

test("every key of a response is explained", () => {
  const page = read("docs/protocol.md");
  const responses = page.slice(page.indexOf("\n## Responses\n"), page.indexOf("\n### Responses that cannot"));
  const named = [...responses.matchAll(/`"?(\w+)[^`]*`/g)].map(([, key]) => key);
  expect(named).toEqual(expect.arrayContaining(RESPONSE_KEYS.map(({ key }) => key)));
});

test("the architecture page names functions, types and files that exist", () => {
  const names = [...read("docs/architecture.md").matchAll(/`([a-z]+[A-Z]\w+|[A-Z]\w+|[\w-]+\.cjs)`/g)].map(
    ([, name = ""]) => name,
  );
  const sources = sourceFiles().map(sourceText).join("\n");
  const parts = read("tools/parts.mjs");
  const isThere = (name: string): boolean =>
    name.endsWith(".cjs")
      ? new RegExp(`^ +"?${name.slice(0, -4)}"?: \\[`, "m").test(parts)
      : new RegExp(`^export (?:async )?(?:function|const|type|interface) ${name}\\b`, "m").test(sources);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !isThere(name) && !FOREIGN_NAMES.includes(name))).toEqual([]);
});

test("every page and heading that a source or an example names is there", () => {
  const files = ["src", "packages", "hooks-examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      // Payloads that agents have sent name files of other projects.
      .filter((entry) => entry.isFile() && entry.name !== "samples.json" && !/\/test(?:\/|$)/.test(entry.parentPath))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/\b(docs\/[\w-]+\.md)(?:#([\w-]+))?/g)].map(([, page, heading]) => [file, page, heading]),
  );
  expect(named.length).toBeGreaterThan(10);
  const isThere = ([, page = "", heading]: readonly (string | undefined)[]): boolean =>
    existsSync(join(root, page)) && (heading === undefined || headingsOf(page).includes(heading));
  expect(named.filter((one) => !isThere(one))).toEqual([]);
});

describe.each(pages)("%s", (page) => {
  test("ends its tables with an empty line, or what follows becomes a row", () => {
    expect([...read(page).matchAll(/^\|.*\|\n(?!\||\n|$).*/gm)].map(([lines]) => lines)).toEqual([]);
  });

  test("links to files and headings that are there", () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path = "", heading]) => {
      const target = path === "" ? page : relative(root, join(root, dirname(page), path));
      return !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test("shows only commands and options that exist", () => {
    expect(commandsIn(read(page)).flatMap(faultsOf)).toEqual([]);
  });

  test("has no console block that is neither run by a test nor marked as shown", () => {
    const unmarked = [...read(page).matchAll(/^```console\n/gm)];
    expect(unmarked.length === 0 || PAGES_RUN_BY_TESTS.includes(page)).toBe(true);
  });
});

test("a command or an option that does not exist is found", () => {
  const shown =
    "```sh\nhookctl lsit --json   # all\n```\nand `hookctl list --undo`, `hookctl run X --as basecoat | hookctl why`";
  expect(commandsIn(shown).flatMap(faultsOf)).toEqual(["hookctl lsit", "hookctl list --undo"]);
});

/** Tables made from the code are looked up, not read. */
const written = (page: string): string =>
  read(page).replaceAll(/<!-- generated: ([\w-]+) -->[\s\S]*?<!-- \/generated: \1 -->/g, "");

test("a reader needs to read no more than this", () => {
  const words = ["README.md", ...pages.filter((page) => page.startsWith("docs/"))].map(
    (page) => written(page).split(/\s+/).filter(Boolean).length,
  );
  expect(words.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(27_610);
});

/** Each call of hookctl in code, in a block or in a line. */
function commandsIn(text: string): readonly string[] {
  const code = [...text.matchAll(/^```(?:sh|console)[^\n]*\n([\s\S]*?)^```$|(?<!`)`([^`\n]+)`/gm)];
  return code
    .flatMap(([, block, span]) => [
      ...(block?.replaceAll(/#.*$/gm, "") ?? span ?? "").matchAll(/(?<![\w./-])hookctl ([a-z-][^|#\n>]*)/g),
    ])
    .map(([, call]) => call ?? "");
}

function faultsOf(call: string): readonly string[] {
  const [command = "", ...rest] = call.split(/\s+/).filter((word) => word !== "");
  if (command.startsWith("-")) return [];
  const name = Object.keys(COMMANDS).find((known) => known === command);
  if (name === undefined) return [`hookctl ${command}`];
  const options = rest.filter((word) => /^--[a-z]/.test(word)).map((word) => word.replace(/[=|,.].*/, ""));
  const known = allOptions(COMMANDS).filter(({ commands }) => commands === null || commands.includes(name));
  return options
    .filter((option) => option !== "--help" && known.every(({ row }) => row.name !== option))
    .map((option) => `hookctl ${command} ${option}`);
}

const headingsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
