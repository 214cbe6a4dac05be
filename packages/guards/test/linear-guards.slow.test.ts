import { test } from "vitest";
import { loadShellParser } from "../../../src/shell/load-parser.ts";
import { cpuMs, expectGrowth } from "../../../test/support/cpu-time.ts";
import { examine } from "../examine.ts";
import { GUARDS } from "../guards.ts";
import { judge, STANDARD_SETTINGS } from "../judge.ts";
import { PLACE } from "./command/compact.ts";

await loadShellParser();

const SMALL = 4_000;
const FACTOR = 8;

const parts = (part: (at: number) => string) => (size: number) =>
  Array.from({ length: Math.floor(size / part(1000).length) }, (_, at) => part(at)).join("");

const within = (before: string, part: (at: number) => string, after: string) => (size: number) =>
  before + parts(part)(size) + after;

/** Commands that are long in the ways for which a rule could take more time than the length: many files, many calls. */
const TEXTS: Readonly<Record<string, (size: number) => string>> = {
  words: within("echo ", () => "ab ", ""),
  "files that are deleted": within("rm ", (at) => `x${at} `, ""),
  "files that are added": within("git add ", (at) => `x${at} `, ""),
  "places of a search": within("find ", (at) => `x${at} `, "-delete"),
  "programs of a search": within("find ", (at) => `x${at} `, "-exec rm {} \\;"),
  pipes: within("cat .env", (at) => `| grep ${at}`, ""),
  lines: parts((at) => `echo ${at}\n`),
  conditions: parts((at) => `if [ -f a${at} ]; then V${at}=a; else V${at}=b; fi\n`),
  loops: parts((at) => `for i in 1 2 3; do echo $i ${at}; done\n`),
  redirections: within("a ", (at) => `> x${at} `, ""),
  substitutions: parts((at) => `echo $(cat f${at})\n`),
  options: within("curl ", (at) => `-d a=${at} `, ""),
  code: within("node - <<'E'\n", () => 'const a = require("fs").readFileSync("x");\n', "E\n"),
  PowerShell: within("pwsh -c '", (at) => `if (a${at}) { & b -r ; gci | ri }\n\n`, "'"),
  cmd: within('cmd /c "', (at) => `if exist a${at} del b & for %i in (`, '"'),
  "groups in a pipe": within("{ ", (at) => `cat f${at}; `, "} | sort"),
};

const cost = (command: string): number =>
  cpuMs(() => {
    const examined = examine({ commands: [command], folder: null, files: [] }, PLACE);
    for (const rules of Object.values(GUARDS)) judge(examined, { rules, settings: STANDARD_SETTINGS });
  });

test.each(Object.keys(TEXTS))("judging takes time that grows with the length: %s", (title) => {
  const textOf = (size: number): string => TEXTS[title]?.(size) ?? "";
  const texts = { small: textOf(SMALL), large: textOf(SMALL * FACTOR) };
  expectGrowth(FACTOR * 4, (size) => cost(texts[size]));
});
