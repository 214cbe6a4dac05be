import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allOptions } from "../../src/cli/command-table.ts";
import { RESPONSE_KEYS } from "../../src/dialects/dialects.ts";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { SKIP_REASONS } from "../../src/protocol/hook.ts";
import { runProgram } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "hooks-examples/README.md"],
  ...readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** Codes stand in types only, which are gone at run time. */
const problemCodes = [...read("src/protocol/problem.ts").matchAll(/readonly code: "(\w+)"/g)].map(
  ([, code = ""]) => code,
);

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

test("every room has a row", () => {
  const rooms = readdirSync(join(root, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(namesIn("docs/architecture.md")).toEqual(expect.arrayContaining(rooms.map(({ name }) => name)));
});

test("every page that a source or an example names is there", () => {
  const files = ["src", "hooks-examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/[\w-]+\.md\b/g)].map(([page]) => [file, page]),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, page = ""]) => !existsSync(join(root, page)))).toEqual([]);
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

  test("names only flags that there are", () => {
    const known: readonly string[] = ["--help", ...allOptions().map(({ row }) => row.name)];
    const commands = [...read(page).matchAll(/hookctl (?:run|list|payload)\b([^`\n|]*)/g)];
    const flags = commands.flatMap(([, rest = ""]) =>
      [...rest.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([flag]) => flag),
    );
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  });
});

const headingsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
