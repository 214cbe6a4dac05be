import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Word } from "../../command/call.ts";
import { type Grammar, hasForm, isTrialRun, readCommandLine } from "../../rules/command-rules.ts";

const word = (text: string): Word => ({ text, source: text, isGlob: false, printedBy: [] });
const read = (text: string, grammar: Grammar = {}) =>
  readCommandLine({ program: "", args: text.split(" ").map(word) }, grammar);

const FORMS: readonly { line: string; form: string; is: boolean; grammar?: Grammar }[] = [
  { line: "reset --hard HEAD", form: "reset --hard", is: true },
  { line: "reset HEAD --hard", form: "reset --hard|--merge", is: true },
  { line: "reset --hard", form: "reset --hard !-q", is: true },
  { line: "reset -q --hard", form: "reset --hard !-q", is: false },
  { line: "soft reset", form: "reset", is: false },
  { line: "clean -xdf", form: "clean -f", is: true },
  { line: "commit -mnotes", form: "commit -n", is: false, grammar: { commandValues: { commit: "-m" } } },
  { line: "commit -anm x", form: "commit -n", is: true, grammar: { commandValues: { commit: "-m" } } },
  { line: "-n shop delete pod", form: "delete", is: true, grammar: { values: "-n" } },
  { line: "-n delete get pod", form: "delete", is: false, grammar: { values: "-n" } },
  { line: "--unlisted shop delete", form: "delete", is: true },
  { line: "--unlisted delete", form: "delete", is: true },
  { line: "--unlisted=shop get", form: "get", is: true },
  { line: "compute instances delete web", form: "** delete", is: true },
  { line: "ec2 delete-vpc", form: "* delete-*", is: true },
  { line: "ec2 delete-", form: "* delete-*", is: false },
  { line: "gc --prune=now", form: "gc --prune=now|--prune=0*", is: true },
  { line: "gc --prune=2.weeks", form: "gc --prune=now|--prune=0*", is: false },
  { line: "checkout -- file", form: "checkout --", is: true },
  { line: "checkout file --", form: "checkout --", is: false },
  { line: "reset --ha", form: "reset --hard", is: false },
  { line: "reset --ha", form: "reset --hard", is: true, grammar: { abbreviates: true } },
  { line: "apply -auto-approve", form: "apply -auto-approve", is: true, grammar: { hasSingleDash: true } },
];

describe("the form of a command line", () => {
  test.each(FORMS)("$line / $form: $is", ({ line, form, is, grammar }) => {
    expect(hasForm(read(line, grammar), form)).toBe(is);
  });

  const HARMLESS: readonly [string, boolean][] = [
    ["delete x --dry-run", true],
    ["delete x --dry-run=client", true],
    ["delete x --dry-run=none", false],
    ["delete x --dry-run=client --dry-run=none", false],
    ["push --dry-run --no-dry-run", false],
    ["delete --help", true],
    ["delete -- --help", false],
  ];
  test.each(HARMLESS)("only a trial: %s: %s", (line, is) => {
    expect(isTrialRun(read(line))).toBe(is);
  });

  test("options may stand anywhere before `--`", () => {
    const options = fc.constantFrom("-q", "--verbose", "--depth=1");
    fc.assert(
      fc.property(fc.array(options, { maxLength: 4 }), fc.nat(3), (extra, at) => {
        const words = ["push", "origin", "--force", "main"];
        const line = [...words.slice(0, at), ...extra, ...words.slice(at)].join(" ");
        expect(hasForm(read(line), "push --force")).toBe(true);
      }),
    );
  });
});
