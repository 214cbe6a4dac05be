import { test } from "vitest";
import { cpuMs, expectGrowth } from "../../../../test/support/cpu-time.ts";
import { analyzeCommand } from "../../command/analyze.ts";
import { fileAccessesOf } from "../../command/files/file-access.ts";
import { examine } from "../../examine.ts";
import { GUARDS } from "../../guards.ts";
import { judge, STANDARD_SETTINGS } from "../../judge.ts";
import { PLACE } from "./compact.ts";

const FACTOR = 8;
const SMALL = 8_000;

const filled = (before: string, part: string, after: string) => (size: number) =>
  before + part.repeat(Math.floor((size - before.length - after.length) / part.length)) + after;
const numbered = (part: (index: number) => string) => (size: number) =>
  Array.from({ length: Math.floor(size / (part(1000).length + 1)) }, (_, index) => part(index)).join("");
const nested = (open: string, part: string, close: string) => (size: number) => {
  const levels = Math.floor((size - part.length) / (open.length + close.length));
  return open.repeat(levels) + part + close.repeat(levels);
};

const texts: readonly (readonly [string, (size: number) => string])[] = [
  ["semicolons", filled("", "a;", "")],
  ["empty statements", filled("", ";", "")],
  ["calls with a word", numbered((at) => `rm x${at};`)],
  ["assignments", numbered((at) => `a${at}=x;`)],
  ["one variable again and again", filled("", "a=$a.;", "echo $a")],
  ["a value that doubles", filled("a=x;", "a=$a$a;", "echo $a")],
  ["a long value used often", (size) => `a=${"x".repeat(size / 2)};${"rm $a;".repeat(size / 12)}`],
  ["branches with assignments", numbered((at) => `x && a${at}=1;`)],
  ["branches with the same variable", numbered((at) => `x && a=${at};`)],
  ["conditions", filled("", "if a; then b=1; fi;", "")],
  ["folders", filled("", "cd a || b;", "")],
  ["functions that call twice", numbered((at) => `f${at + 1}(){ f${at}; f${at}; };`)],
  ["functions", (size) => `f0(){ rm x; };${numbered((at) => `f${at + 1}(){ f${at}; f${at}; };`)(size)}f20`],
  ["nested substitutions", nested("$(", "a", ")")],
  ["nested shells in substitutions", nested("`echo ", "a", "`")],
  ["nested groups", nested("{ ", "a", ";}")],
  ["nested subshells", nested("(", "a", ")")],
  ["nested conditions", nested("if a; then ", "b", "; fi")],
  ["nested loops", nested("for i in 1 2 3; do ", "rm $i", "; done")],
  ["nested shells", filled("", "bash -c ", "x")],
  ["nested eval", filled("", "eval ", "x")],
  ["wrappers", filled("", "sudo ", "rm x")],
  ["assignments of env", filled("env ", "A=1 ", "rm x")],
  ["unknown programs", filled("", "$x ", "rm")],
  ["unknown words", filled("rm ", "$x", "")],
  ["pipes", filled("a", "|a", "")],
  ["pipes with text", filled("echo x", "|cat", "")],
  ["words", filled("rm ", "x ", "")],
  ["one word", filled("rm ", "x", "")],
  ["words for xargs", filled("echo ", "x ", "| xargs rm")],
  ["words for a loop", filled("for i in ", "x ", "; do rm $i; done")],
  ["lines for a loop", filled("printf '", "x\\n", "' | while read i; do rm $i; done")],
  ["braces", filled("rm ", "{a,b}", "")],
  ["braces with one item", filled("rm ", "{a}", "")],
  ["open braces", filled("rm ", "{", "")],
  ["open braces with commas", filled("rm ", "{,", "")],
  ["nested braces", nested("{a,", "b", "}")],
  ["a list in braces", filled("rm {", "a,", "b}")],
  ["globs", filled("rm ", "*", "")],
  ["brackets", filled("rm ", "[a", "")],
  ["patterns", filled(`x=${"a".repeat(400)}; rm \${x%%`, "*a", "}")],
  ["patterns on a long value", (size) => `x=${"a".repeat(size - 30)}; rm \${x%%*b} \${x//a/b}`],
  ["quotes", filled("rm ", "'a'", "")],
  ["double quotes", filled("rm ", '"$a"', "")],
  ["escapes", filled("rm ", "\\a", "")],
  ["an open quote", filled("rm '", "a ", "")],
  ["a here-document", filled("cat <<E\n", "rm x\n", "E\n")],
  ["a here-document for a shell", filled("bash <<E\n", "rm x\n", "E\n")],
  ["here-documents", filled("", "cat <<E\nx\nE\n", "")],
  ["a here-document without end", filled("cat <<E\n", "x $x\n", "")],
  ["redirections", filled("a ", ">x ", "")],
  ["process substitutions", filled("cat ", "<(a) ", "")],
  ["arithmetic", filled("rm $((1", "+1", "))")],
  ["arithmetic with variables", filled("a=b; b=a; rm $((a", "+a", "))")],
  ["array elements", filled("a=(", "x ", `); rm "\${a[@]}"`)],
  ["appended elements", filled("", "a+=(x);", "")],
  ["case branches", filled("case $x in ", "a) a=1;; ", "esac; rm $a")],
  ["aliases", numbered((at) => `alias a${at}='a${at + 1} x';`)],
  ["an alias of itself", filled("alias a='a a';", "a;", "")],
  ["newlines that are printed", filled("x=$(printf '", "\\n", "x')")],
  ["directives of printf", filled("printf '", "%s", "' a")],
  ["a wide directive of printf", filled("printf '%", "0", "x' 1")],
  ["encoded text", filled("echo ", "QUFB", " | base64 -d | sh")],
  ["field separators", filled("IFS=,; a=", "x,", "; rm $a")],
  ["code with calls", filled("python -c '", 'os.system("rm x");', "'")],
  ["code with names", filled("python -c '", "a.b.", "'")],
  ["code with open quotes", filled("python -c 'os.system(", '"', "'")],
  ["code with open brackets", filled("python -c '", "system(", "'")],
  ["code with triple quotes", filled("python -c 'f(", '"""a', "'")],
  ["code with assignments", filled("python -c '", "a = b + c\n", "'")],
  ["code with qx", filled("perl -e '", "qx{", "'")],
  ["code with backticks", filled("perl -e '", "`a", "'")],
  ["code with spaces", filled("node -e 'print", " ", "'")],
  ["code with Path", filled("python -c '", "Path(", "'")],
  ["code with lists", filled("python -c '", "[", "'")],
  ["code with comprehensions", filled("python -c '", "[x for ", "'")],
  ["code with functions", numbered((at) => `${at === 0 ? "python - <<E\n" : ""}def f${at}(): f${at - 1}()\n`)],
  [
    "code with calls of a function",
    (size) => `node - <<E\nfunction f(x) {${"g(x);".repeat(size / 10)}}\n${"f(1);".repeat(size / 10)}\nE`,
  ],
  ["code with loops", filled("python - <<E\n", "for a in b:\n", "E")],
  ["code with arrows", filled("node -e '", "a => ", "'")],
  ["code with templates", filled("node -e '", `\`\${`, "'")],
  ["code with values in strings", filled("node -e '", `\`\${a}\`+`, "'")],
  ["code with a long string of values", filled("ruby -e '\"", "#{a}", "\"'")],
  ["code with quoting", filled("perl -e '", "s{a}{", "'")],
  ["code with braces", filled("node -e '", "{", "'")],
  ["code with imports", filled("python - <<E\n", "import a.b as c, d\n", "E")],
  ["code with doubled values", filled('python - <<E\na = "x"\n', "a = a + a\n", "E")],
  ["code with the same access", filled("node - <<E\n", 'const a = require("fs").readFileSync("x");\n', "E")],
  ["code with accesses", numbered((at) => `${at === 0 ? "node - <<E\n" : ""}fs.readFileSync("x${at}");\n`)],
  ["options", filled("git ", "-c a=b ", "x")],
  ["letters of an option", filled("rm -", "r", "")],
  ["find with many programs", filled("find . ", "-exec rm {} ; ", "")],
  ["find with many places", filled("find ", "a ", "-exec rm {} \\;")],
  ["parallel", filled("parallel rm ::: ", "a ", "")],
  ["parallel lists", filled("parallel rm ", "::: a ", "")],
  ["paths with dots", filled("rm ", "../", "")],
  ["paths", filled("rm ", "a/", "")],
  ["curl", filled("curl ", "-d @a ", "")],
  ["tar", filled("tar cf x ", "a ", "")],
  ["unset", numbered((at) => `unset a${at};`)],
  ["names to export", (size) => `export ${numbered((at) => `a${at}=x `)(size)}`],
  ["names of a function", (size) => `f(){ local ${numbered((at) => `a${at}=x `)(size)};}; f`],
  ["trap", filled("", "trap 'rm x' EXIT;", "")],
  ["tildes", filled("rm ", "~ ", "")],
];

const cost = (command: string): number =>
  cpuMs(() => {
    for (const call of analyzeCommand(command, PLACE).calls) fileAccessesOf(call);
  });

const inCode: typeof texts = [
  ["the same access", filled("node - <<E\n", 'const a = require("fs").readFileSync("x");\n', "E")],
  ["accesses", numbered((at) => `${at === 0 ? "node - <<E\n" : ""}fs.readFileSync("x${at}");\n`)],
];

test.each(inCode)("the rules of all guards judge code in linear time: %s", (_title, textOf) => {
  const texts = { small: textOf(SMALL), large: textOf(SMALL * FACTOR) };
  const judgeAll = (command: string) => () => {
    const examined = examine({ commands: [command], folder: null, files: [] }, PLACE);
    for (const rules of Object.values(GUARDS)) judge(examined, { rules, settings: STANDARD_SETTINGS });
  };
  expectGrowth(FACTOR * 4, (size) => cpuMs(judgeAll(texts[size])));
});

test.each(texts)("time grows with the length: %s", (_title, textOf) => {
  const texts = { small: textOf(SMALL), large: textOf(SMALL * FACTOR) };
  expectGrowth(FACTOR * 4, (size) => cost(texts[size]));
});
