import { expect, test } from "vitest";
import { ownValue } from "../../src/protocol/own-value.ts";
import { approveAll } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { sourceFiles, sourceText } from "../support/sources.ts";
import { workspace } from "../support/workspace.ts";

const sources = sourceFiles().map((path) => ({ path, text: sourceText(path) }));

/** A table with names of any kind, which a text from outside may ask for. */
const TABLE = /^(export )?const (\w+)(?:: | = tableOf<)Readonly<Record<string, /gm;

const exported = sources.flatMap(({ text }) =>
  [...text.matchAll(TABLE)].flatMap(([, isExported, name = ""]) => (isExported ? [name] : [])),
);

/** The lines that ask a table of this file, or one that it imports, as if each of its names were its own. */
function unguarded(text: string): readonly string[] {
  const declared = [...text.matchAll(TABLE)].map(([, , name = ""]) => name);
  const imported = exported.filter((name) => new RegExp(`^import [^;]*\\b${name}\\b`, "m").test(text));
  const asked = [...declared, ...imported].map((name) => new RegExp(`\\b${name}(?:\\?\\.)?\\[(?!["'\`])`));
  return text.split("\n").filter((line) => asked.some((one) => one.test(line)) && !line.includes("hasOwn"));
}

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("no table has %s by itself", (name) => {
  expect(ownValue({ a: 1 }, name)).toBeUndefined();
  expect(ownValue(JSON.parse(`{"${name}":1}`), name)).toBe(1);
});

test("a table with any names is asked for its own ones alone", () => {
  expect(exported).toContain("AGENT_VARIABLES");
  expect(sources.flatMap(({ path, text }) => unguarded(text).map((line) => `${path}: ${line.trim()}`))).toEqual([]);
});

test("a file of a hook may have the name of what every object has", async () => {
  await using place = await workspace();
  const settings = (files: readonly string[]): string =>
    JSON.stringify({ hooks: { before_tool_call: [{ name: "g", command: "cat >/dev/null", files }] } });
  await place.write("project/constructor", "1\n");
  await place.write("project/.kodelet/hooks.json", settings([]));
  await approveAll(place);
  await place.write("project/.kodelet/hooks.json", settings(["constructor"]));
  const shown = await runInProcess(place, "trust --show");
  expect(shown.stderr).toBe("");
  expect(shown.stdout).toContain("constructor");
});
