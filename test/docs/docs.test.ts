import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../../src/cli/parse.ts";
import { allCommands } from "../../src/command-groups.ts";
import { RESPONSE_KEYS } from "../../src/dialects/dialects.ts";
import { EVENT_NAMES, findEvent } from "../../src/protocol/event.ts";
import { SKIP_REASONS } from "../../src/protocol/hook.ts";
import { explain } from "../../src/protocol/problem-messages/explain.ts";
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

  test("shows only commands, options and events that exist", () => {
    expect(callsIn(read(page)).flatMap(faultsOf)).toEqual([]);
  });

  test("has no console block that is neither run by a test nor marked as shown", () => {
    const unmarked = [...read(page).matchAll(/^```console\n/gm)];
    expect(unmarked.length === 0 || PAGES_RUN_BY_TESTS.includes(page)).toBe(true);
  });
});

test("a command, an option, a value or an event that does not exist is found", () => {
  const shown = [
    "```sh\nhookctl lsit --json   # all\necho '|' | hookctl list --event tool_call && hookctl log -n ten\n```",
    "`hookctl list --undo`, `hookctl run X --as basecoat | hookctl run before_tool_call`, `hookctl payload EVENT`",
  ];
  expect(callsIn(shown.join("\n")).flatMap(faultsOf)).toEqual([
    expect.stringContaining('Unknown command "lsit"'),
    expect.stringContaining('Unknown event "tool_call"'),
    expect.stringContaining("hookctl log -n ten"),
    expect.stringContaining('Unknown option "--undo"'),
    "hookctl run: X is no event",
  ]);
});

/** Phrases that a reader stumbles over, and the plain ones. */
const PLAIN_WORDS: readonly (readonly [phrase: RegExp, plain: string])[] = [
  [/\bbelow an agent\b/i, "run by an agent"],
  [/\b(?:hooks|rules|packs) of others\b/i, "third-party"],
  [/\b(?:takes?|taken|taking) away\b/i, "remove"],
  [/\bwait(?:s|ing)? for (?:your |an? )?approval\b/i, "needs approval"],
  [/\b(?:do|does) not count\b|\bcounts? only\b/i, "applies"],
  [/\boff for a while\b/i, "paused"],
  [/\bnothing real\b/i, "without side effects"],
  [/\bbeside\b/i, "next to, in addition to"],
  [/\banew\b|\bby then\b|\bnone of it\b/i, "again, current, no"],
];

const plainWordFaults = (text: string): readonly string[] =>
  PLAIN_WORDS.flatMap(([phrase, plain]) => {
    const found = phrase.exec(text)?.[0];
    return found === undefined ? [] : [`"${found}": write ${plain}`];
  });

const WORDED = [
  ...pages.filter((page) => page !== "CHANGELOG.md"),
  ...["SECURITY.md", "src/protocol/problem-messages/messages.json", "src/protocol/problem-messages/warnings.json"],
  ...readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((path) => existsSync(join(root, path))),
];

test.each(WORDED)("%s has plain words", (page) => expect(plainWordFaults(written(page))).toEqual([]));

test("a phrase that is not plain is found", () => {
  expect(plainWordFaults("Hooks of others do not count. Countdowns and takeaways do.")).toEqual([
    '"Hooks of others": write third-party',
    '"do not count": write applies',
  ]);
});

/** Tables made from the code are looked up, not read. */
const written = (page: string): string =>
  read(page).replaceAll(/<!-- generated: ([\w-]+) -->[\s\S]*?<!-- \/generated: \1 -->/g, "");

test("a reader needs to read no more than this", () => {
  const words = ["README.md", ...pages.filter((page) => page.startsWith("docs/"))].map(
    (page) => written(page).split(/\s+/).filter(Boolean).length,
  );
  expect(words.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(25_000);
});

/** A call of hookctl in code. One within a sentence may be a name only, so it may lack its arguments. */
interface ShownCall {
  readonly words: readonly string[];
  readonly isInBlock: boolean;
}

/** A word of a shell with its quotes, or an operator. */
const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"|;&<>])+|[|;&<>]/g;
/** What ends a call: an operator, or what a synopsis may repeat or leave out. */
const END = /^(?:[|;&<>]|…|\[.*)$/;

/** What a page writes for any event. */
const ANY_EVENT: Readonly<Record<string, string>> = {
  EVENT: "turn_end",
  POINT: "turn_end",
  "AGENT:EVENT": "claude:Stop",
};

function callsIn(text: string): readonly ShownCall[] {
  const code = [...text.matchAll(/^```(?:sh|console)[^\n]*\n([\s\S]*?)^```$|(?<!`)`([^`\n]+)`/gm)];
  return code.flatMap(([, block, span]) =>
    [...(block?.replaceAll(/(?<!\S)#.*$/gm, "") ?? span ?? "").matchAll(/(?<![\w./-])hookctl (?=([a-z-].*))/g)].map(
      ([, rest = ""]) => {
        const words = rest.match(WORD) ?? [];
        const end = words.findIndex((word) => END.test(word));
        const called = words.slice(0, end < 0 ? words.length : end).map((word) => ANY_EVENT[word] ?? word);
        return { words: called.map((word) => word.replaceAll(/['"]/g, "")), isInBlock: block !== undefined };
      },
    ),
  );
}

/** Commands whose first argument is an event. */
const TAKES_EVENT = ["run", "payload"];

/** Why the program rejects a call. */
function faultsOf({ words, isInBlock }: ShownCall): readonly string[] {
  const parsed = parseCommandLine(words, COMMANDS);
  if (!parsed.ok) {
    const { summary } = explain(parsed.error);
    return !isInBlock && summary.includes("missing argument") ? [] : [`hookctl ${words.join(" ")}: ${summary}`];
  }
  if (parsed.value.kind !== "call") return [];
  const { command, args } = parsed.value.line;
  const [event] = TAKES_EVENT.includes(command) ? args : [];
  return event === undefined || findEvent(event) !== null ? [] : [`hookctl ${command}: ${event} is no event`];
}

const headingsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
