import { posix } from "node:path";
import type { AllowRule } from "../protocol/guard-settings.ts";
import { globMatches } from "../protocol/match.ts";
import { analyzeCommand } from "./command/analyze.ts";
import { type Call, type CommandPlace, UNKNOWN, type Word } from "./command/call.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import { isWithin } from "./command/paths.ts";
import type { Examined } from "./examine.ts";

/**
 * The person's rule that allows what a finding is about; null: none does. A rule is a command line, compared word by
 * word after analysis (`*` is any one word), or the path of a file.
 */
export function isAllowed(
  about: { readonly call: Call | null; readonly file: FileAccess | null },
  rules: readonly AllowRule[],
  { place, commands }: Examined,
): AllowRule | null {
  const { call, file } = about;
  for (const rule of rules) {
    if (file !== null && fileFits(file, rule, place)) return rule;
    const expected = callsOf(rule, place);
    if (call !== null && expected.length === 1 && expected.every((one) => callFits(call, one, rule))) return rule;
    const all = commands.flatMap(({ calls }) => calls.filter(({ parent }) => parent === null));
    const isWhole = call === null && file === null && all.length === expected.length;
    if (isWhole && all.every((one, at) => callFits(one, expected[at], rule))) return rule;
  }
  return null;
}

const callsOf = ({ text }: AllowRule, place: CommandPlace): readonly Call[] => {
  const { calls, gaps } = analyzeCommand(text, place);
  return gaps.length > 0 ? [] : calls.filter(({ parent }) => parent === null);
};

function callFits(call: Call, expected: Call | undefined, { folder }: AllowRule): boolean {
  if (expected === undefined || call.isRemote || call.program !== expected.program) return false;
  // A rule of a project counts in this project only.
  if (folder !== null && (call.folder === null || !isWithin(call.folder, folder))) return false;
  return (
    call.args.length === expected.args.length &&
    sameVariables(call, expected) &&
    call.args.every((word, at) => wordFits(word, expected.args[at])) &&
    call.redirections
      .filter(isFile)
      .every(({ kind, target }) =>
        expected.redirections.some((one) => one.kind === kind && one.target.text === target.text),
      )
  );
}

/** `GIT_DIR=/other git push` is another command than `git push`. */
const sameVariables = ({ variables }: Call, expected: Call): boolean =>
  variables.size === expected.variables.size &&
  [...variables].every(([name, value]) => expected.variables.get(name) === value);

const isFile = ({ kind, target }: Call["redirections"][number]): boolean =>
  kind !== "read" && !target.text.startsWith("/dev/");

function wordFits(word: Word, expected: Word | undefined): boolean {
  if (expected === undefined) return false;
  if (expected.isGlob && expected.text === "*") return !word.text.includes(UNKNOWN);
  // What is known only at run time may differ where the texts are the same.
  const isKnown = !word.text.includes(UNKNOWN) || word.source === expected.source;
  return isKnown && word.text === expected.text && word.isGlob === expected.isGlob;
}

/** A path without spaces; it allows the file itself, by whatever program or tool. */
function fileFits(file: FileAccess, { text, folder }: AllowRule, place: CommandPlace): boolean {
  if (/\s/.test(text) || !/[/.~]/.test(text) || file.isGlob || file.path.includes(UNKNOWN)) return false;
  const base = folder ?? place.project;
  const path = /^~\//.test(text) ? place.home + text.slice(1) : posix.resolve(base, text);
  if (folder !== null && !isWithin(path, folder)) return false;
  return globMatches(path, file.path);
}
