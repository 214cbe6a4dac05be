import fc from "fast-check";
import { parse } from "unbash";
import { expect, test } from "vitest";
import { isPlainCommand, plainScript } from "../../src/shell/plain-command.ts";
import { propertyRuns } from "../support/property-runs.ts";

const SHELL_WORDS = fc.constantFrom(
  ..."if then else elif fi do done for while until in case esac function select coproc time ! { } [[ ]] ( ) ; & | < >".split(
    " ",
  ),
  ...[
    "ls",
    "git",
    "export",
    "declare",
    "a=b",
    "-a=b",
    "--x=~/y",
    "~",
    "*",
    "a{b,c}",
    "$x",
    "`x`",
    "'a b'",
    "#x",
    "2>",
    "&&",
  ],
  ...[
    "\\",
    "a\\b",
    '"',
    "'",
    "é",
    "a:~",
    "x[1]=2",
    "+=",
    "a+=b",
    "%1",
    "-",
    "--",
    ".",
    "..",
    ":",
    "@",
    "=",
    "1",
    "2",
    "\u0000",
  ],
);
const LETTERS = fc.string({
  unit: fc.constantFrom(..."abz019AZ._-/:,@%+=~$*?#!^&|;<>(){}[]'\"`\\ \t\n\r\u0000é"),
  maxLength: 8,
});
const PLAIN = fc.string({ unit: fc.constantFrom(..."abtimefor09._-/:,@%+="), minLength: 1, maxLength: 6 });
const GAPS = fc.constantFrom(" ", " ", "  ", "\t", "\n", "");

const texts = fc
  .array(fc.tuple(fc.oneof(SHELL_WORDS, LETTERS, PLAIN, PLAIN), GAPS), { maxLength: 5 })
  .map((words) => words.flat().join("").replace(/ $/, ""));

/** All that a reader of the tree can see, also what the parser works out when it is asked. */
function seen(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(seen);
  if (typeof node !== "object" || node === null) return node;
  const names = ["type", "pos", "end", "text", "value", "parts", "name", "prefix", "suffix", "args", "redirects"];
  const all = [...names, "commands", "command", "background", "shebang", "errors", "source"];
  return Object.fromEntries(all.map((name) => [name, seen((node as Record<string, unknown>)[name])]));
}

test("a plain command is what the parser makes of it", () => {
  let plain = 0;
  fc.assert(
    fc.property(texts, (text) => {
      if (!isPlainCommand(text)) return;
      plain++;
      expect(seen(plainScript(text))).toEqual(seen(parse(text)));
    }),
    propertyRuns(5_000),
  );
  expect(plain).toBeGreaterThan(100);
});

test.each(["ls -la src", "git status", "npm test", "a  b", "./x --depth=2 -", "echo if then", "dd -x=y a:b,c@d%e+f"])(
  "%s is plain",
  (text) => {
    expect(isPlainCommand(text)).toBe(true);
    expect(seen(plainScript(text))).toEqual(seen(parse(text)));
  },
);

test.each([
  ...["", " ls", "ls ", "ls\n", "a;b", "a=b c", "ls a=b", "ls ~", "ls *", "time ls", "coproc ls", "if", "! ls", "é"],
  ...["ls {a,b}", "ls $x", "ls 'x'", "ls #x", "ls >x", "ls\tx", "ls \\x", "[ a", "x \u0000", "a\u00a0b"],
])("%j is the parser's", (text) => {
  expect(isPlainCommand(text)).toBe(false);
});

test("a long text that is not plain is soon refused", () => {
  const text = `${"word-of-some-length ".repeat(10_000)};`;
  const before = process.cpuUsage();
  expect(isPlainCommand(text)).toBe(false);
  const { user } = process.cpuUsage(before);
  // A pattern that tries each word in several ways would take longer than the world exists.
  expect(user / 1000).toBeLessThan(2_000);
});
