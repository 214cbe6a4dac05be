import { describe, expect, test } from "vitest";
import { loadShellParser } from "../../../src/shell/load-parser.ts";
import { sampledRows } from "../../../test/support/property-runs.ts";
import { examine } from "../examine.ts";
import { EXAMPLES } from "../examples.ts";
import type { Guard } from "../guard.ts";
import { GUARDS } from "../guards.ts";
import { judge, STANDARD_SETTINGS } from "../judge.ts";

await loadShellParser();

const PLACE = { folder: "/home/dev/shop", home: "/home/dev", project: "/home/dev/shop", variables: {} };

/** Those of the examples. */
const PATHS = ["infra/**", "*.lock", "~/.bashrc", "config/prod.yml"];

const decisionOf = (rules: Guard, command: string): string =>
  judge(examine({ commands: [command], folder: null, files: [] }, PLACE), {
    rules,
    settings: { ...STANDARD_SETTINGS, paths: PATHS },
  }).decision;

const repeated = (count: number, part: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => part(at)).join("");

/** Each takes the analysis past one of its limits, before or around the command that matters. */
const PADDINGS: Readonly<Record<string, (command: string) => string>> = {
  "two loops of 64 rounds": (command) => `for i in {1..64}; do for j in {1..64}; do echo $i; done; done; ${command}`,
  "three loops of 64 rounds": (command) =>
    `for i in {1..64}; do for j in {1..64}; do for k in {1..64}; do echo $i $j $k; done; done; done; ${command}`,
  "loops without an end": (command) =>
    `${repeated(6, () => "while read -r x; do ")}echo $x; ${repeated(6, () => "done; ")}${command}`,
  "many lines": (command) => `${repeated(12_000, () => "echo hi\n")}${command}`,
  "many different commands": (command) => `${repeated(6000, (at) => `echo ${at}\n`)}${command}`,
  "a long here-document": (command) => `cat <<'E' >/dev/null\n${"x".repeat(1_200_000)}\nE\n${command}`,
  "many variables": (command) => `${repeated(300, (at) => `v${at}=x; `)}${command}`,
  "many files": (command) => `${repeated(70, (at) => `echo a > f${at}; `)}${command}`,
  "many functions": (command) => `${repeated(260, (at) => `f${at}() { :; }; `)}${command}`,
  "nested shells": (command) => `${repeated(24, () => "( ")}echo a${repeated(24, () => " )")}; ${command}`,
  "nested conditions": (command) =>
    `${repeated(3000, () => "if true; then ")}:; ${repeated(3000, () => "fi; ")}${command}`,
  "a long value": (command) => `x=${"a".repeat(400_000)}; : $x $x $x $x; ${command}`,
  "many words in braces": (command) => `: {${repeated(600, (at) => `w${at},`)}z}; ${command}`,
  "long code": (command) => `python3 - <<'E'\n${repeated(3000, (at) => `print("line ${at} of it")\n`)}E\n${command}`,
};

/** Around a simple command only. */
const WRAPPERS: Readonly<Record<string, (command: string) => string>> = {
  "twenty times env": (command) => `${repeated(20, () => "env ")}${command}`,
  "twenty times nice": (command) => `${repeated(20, () => "nice ")}${command}`,
  "thirty times sudo": (command) => `${repeated(30, () => "sudo ")}${command}`,
};

describe.each(Object.values(GUARDS))("$name: what is stopped is not allowed behind a limit", (guard) => {
  const { blocked, asked } = EXAMPLES[guard.name];
  const commands = sampledRows([...blocked, ...asked].map(({ command }) => command));

  test.each(Object.keys(PADDINGS))("%s", (name) => {
    for (const command of commands.slice(0, 4))
      expect([command, decisionOf(guard, PADDINGS[name]?.(command) ?? "")]).not.toContain("allow");
  });

  test.each(Object.keys(WRAPPERS))("%s", (name) => {
    const simple = commands.filter((command) => /^[a-z]+(?: [\w./~-]+)*$/.test(command));
    for (const command of simple.slice(0, 6))
      expect([command, decisionOf(guard, WRAPPERS[name]?.(command) ?? "")]).not.toContain("allow");
  });
});
