import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROJECT } from "../../src/shell/findings.ts";
import { namedFiles } from "../../src/shell/named-files.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { testCost } from "./named-files-cost.ts";

const PLACE = { folder: PROJECT, home: "/home/user" };
const named = (command: string | readonly string[]) => namedFiles(command, PLACE);
/** The files that a command would start or read, from the project's folder. */
const paths = (command: string | readonly string[]): readonly string[] =>
  [...named(command).paths.keys()].map((path) => path.replace(`${PROJECT}/`, ""));
const started = (command: string | readonly string[]): readonly string[] =>
  [...named(command).paths].flatMap(([path, isStarted]) => (isStarted ? [path.replace(`${PROJECT}/`, "")] : []));

describe("the files that a command names", () => {
  test.each([
    ["python3 hooks/pre.py --all", ["hooks/pre.py"]],
    ["sh 'a.sh'; ./b.sh|./c.sh", ["a.sh", "b.sh", "c.sh"]],
    ["cat < in.txt", ["in.txt"]],
    ["sh ~/x.sh $HOME/y.sh", ["/home/user/x.sh", "/home/user/y.sh"]],
    ["cd a && cd b && ./x", ["x", "a/x", "a/b/x", "b/x"]],
    ["sh {a,b}.sh", ["a.sh", "b.sh"]],
    ["env -C lib ./x.sh", ["x.sh", "lib/x.sh"]],
    ["bash --rcfile=lib/rc.sh -c 'sh in.sh'", ["lib/rc.sh", "in.sh"]],
    ["sh <<'END'\ncd lib\n./x.sh\nEND", ["lib/x.sh"]],
    ["sh <<< 'sh y.sh'", ["y.sh"]],
    ["diff <(sh a.sh) <(sh b.sh)", ["a.sh", "b.sh"]],
    ['"$(cd lib && pwd)/x.sh"', ["lib/x.sh"]],
    ["case $1 in a) sh x.sh;; *) sh y.sh;; esac", ["x.sh", "y.sh"]],
    ["/usr/bin/env -i A=b python3 g.py", ["g.py"]],
    ["$'lib/\\x78.sh'", ["lib/x.sh"]],
    ["a=x; b=$a.sh; sh $b", ["x.sh"]],
    ["[[ -r lib/x.sh ]] && source lib/x.sh", ["lib/x.sh"]],
  ])("%j", (command, files) => {
    expect(started(command)).toEqual(expect.arrayContaining(files));
  });

  test("a word of a list is not read as shell text where nothing does so", () => {
    expect(paths(["sh", "a.sh", "> b"])).toContain("> b");
    expect(paths(["sh", "a.sh", "> b"])).not.toContain("b");
  });

  test.each([
    "date >> sessions.log",
    "date >sessions.log 2>>sessions.log",
    "sh a.sh &> sessions.log",
    "sh a.sh >| 'sessions.log'",
    "touch sessions.log",
    "date | tee sessions.log",
  ])("%j: where its output goes is none of them", (command) => {
    expect(paths(command)).not.toContain("sessions.log");
  });

  test.each(["echo '>' a.sh", "echo \\> a.sh", "x=>a.sh sh a.sh", "sh >&2 a.sh", "cat <(sh a.sh)"])(
    "%j: what only looks like output is one",
    (command) => expect(paths(command)).toContain("a.sh"),
  );

  test("patterns are kept where what they mean is started", () => {
    expect([...named("for f in lib/*.sh; do . $f; done").globs]).toEqual([`${PROJECT}/lib/*.sh`]);
    expect([...named("cat lib/*.txt").globs]).toEqual([]);
  });
});

const WORDS = [
  "sh",
  "lib/x.sh",
  "$x",
  "`",
  "$(",
  ")",
  "'",
  '"',
  "<<E",
  "\n",
  "{a,b}",
  "*",
  "eval",
  "env -S",
  "cd",
  ";",
  "for",
  "do",
  "x=",
  "[",
  "\\",
];

test("no text is too odd: it is read, or said not to be", () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: "binary", maxLength: 4 })), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(text, (words) => void named(words.join(" "))),
    propertyRuns(2000),
  );
  fc.assert(
    fc.property(text, (words) => void named(words)),
    propertyRuns(1000),
  );
});

testCost(["{a,b}{c,d}"]);
