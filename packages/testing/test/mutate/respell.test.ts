import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { parseCommand } from "../../mutate/parse-command.ts";
import { RESPELLING_KINDS, respell } from "../../mutate/respell.ts";

const ALL = { most: 200, isHarmless: false };
const HARMLESS = { most: 200, isHarmless: true };

const texts = (command: string, options = ALL): readonly string[] =>
  respell(command, options).map(({ command: text }) => text);

test("a command has up to 200 respellings, all different from it and from each other", () => {
  const found = texts("rm -rf build");
  expect(found).toHaveLength(200);
  expect(new Set([...found, "rm -rf build"]).size).toBe(201);
});

test("the same command has the same respellings, in the same order", () => {
  expect(respell("git push --force", ALL)).toEqual(respell("git push --force", ALL));
  expect(texts("git push --force")).not.toEqual(texts("git push -f"));
});

test("each kind has a name of its own and applies to some command", () => {
  const commands = ["rm -rf ~/a ./b/build", "git push -f origin main", "cat notes.txt"];
  const found = new Set(
    commands.flatMap((command) => respell(command, { ...ALL, most: 1_000 })).flatMap(({ kinds }) => kinds),
  );
  const names = RESPELLING_KINDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !found.has(name))).toEqual([]);
});

test("a harmless command gets only respellings in which it stays harmless", () => {
  const names = new Set(RESPELLING_KINDS.filter(({ isHarmless }) => isHarmless).map(({ name }) => name));
  const found = respell("ls -la", HARMLESS);
  expect(found.length).toBeGreaterThan(150);
  expect(found.flatMap(({ kinds }) => kinds).filter((kind) => !names.has(kind))).toEqual([]);
  for (const { command } of found) expect(command).not.toMatch(/eval|base64|\bsudo\b|\benv\b|\$\(|\bsh\b/);
});

describe("only the structure of a command is edited", () => {
  test.each([
    ["a quoted text that looks like a command stays as it is", "echo 'rm -rf x; ls' && git status", "'rm -rf x; ls'"],
    ["the body of a here-document stays as it is", "cat <<'E'\nrm -rf x\nE\nls", "\nrm -rf x\nE\n"],
  ])("%s", (_, command, part) => {
    for (const { command: text, kinds } of respell(command, HARMLESS))
      if (kinds.every((kind) => !kind.includes("quotes"))) expect(text).toContain(part);
  });

  test.each([
    ["nothing", ""],
    ["white space", "  \n"],
    ["a comment", "# rm -rf x"],
    ["an assignment alone", "X=1"],
    ["a syntax error", "if rm -rf x; then"],
    ["an open quote", "rm -rf 'x"],
    ["a backslash at the end", "rm -rf x\\"],
  ])("%s has no respellings", (_, command) => expect(texts(command)).toEqual([]));

  test("builtins, functions and aliases are not started as programs", () => {
    const commands = ["cd build", "ls() { rm x; }; ls", "alias ls='rm x'; ls"];
    const wrapped = commands
      .flatMap((command) => respell(command, ALL))
      .filter(({ kinds }) => kinds.join() === "nohup");
    expect(wrapped.map(({ command }) => command)).toEqual(["ls() { nohup rm x; }; ls"]);
  });
});

const WORDS = [
  "rm",
  "-rf",
  "a b",
  "$X",
  "~/x",
  "*.txt",
  "'q'",
  '"w"',
  "|",
  "&&",
  ";",
  ">",
  "out",
  "\n",
  "(",
  ")",
  "{",
  "}",
  "<<E",
  "E",
  "&",
  "!",
  "#",
  "\\",
  "`",
  "if",
  "then",
  "fi",
  "é",
  "for",
  "=",
  "X=1",
  "[[",
  "]]",
  "$((1))",
  "<(",
  "2>&1",
];

test("no text makes it throw, and every result has a valid syntax", { tags: "slow" }, () => {
  const command = fc.oneof(
    fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(" ")),
    fc.string({ maxLength: 30, unit: "binary" }),
  );
  fc.assert(
    fc.property(command, fc.boolean(), (text, isHarmless) => {
      for (const { command: other, kinds } of respell(text, { most: 30, isHarmless })) {
        expect(parseCommand(other)).not.toBeNull();
        expect(kinds.length).toBeGreaterThan(0);
      }
    }),
    propertyRuns(500),
  );
});
