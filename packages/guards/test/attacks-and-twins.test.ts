import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadShellParser } from "../../../src/shell/load-parser.ts";
import { examine } from "../examine.ts";
import { GUARDS } from "../guards.ts";
import { judge, STANDARD_SETTINGS } from "../judge.ts";
import { PLACE } from "./command/compact.ts";

await loadShellParser();

/** The commands of a file, one on each line after its family. */
const commandsOf = (file: string): readonly string[] =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.slice(line.indexOf("\t") + 1).replaceAll("⏎", "\n"));

function isStopped(command: string): boolean {
  const examined = examine({ commands: [command], folder: null, files: [] }, PLACE);
  return Object.values(GUARDS).some(
    (rules) => judge(examined, { rules, settings: STANDARD_SETTINGS }).decision !== "allow",
  );
}

test("attacks in many programs, languages and spellings are stopped", () => {
  const attacks = commandsOf("attacks.txt");
  expect(attacks.length).toBeGreaterThanOrEqual(300);
  expect(attacks.filter((command) => !isStopped(command))).toEqual([]);
});

test("their harmless twins are allowed", () => {
  const twins = commandsOf("twins.txt");
  expect(twins.length).toBeGreaterThanOrEqual(500);
  expect(twins.filter(isStopped)).toEqual([]);
});
