import { posix } from "node:path";
import type { AllowRule } from "../../src/protocol/guard-settings.ts";
import { globMatches } from "../../src/protocol/match.ts";
import type { ScopedRule } from "../../src/protocol/rule-settings.ts";
import { isWithin } from "../../src/protocol/text/text.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import { analyzeCommand } from "./command/analyze.ts";
import type { Call, CommandPlace, Word } from "./command/call.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import type { Examined } from "./examine.ts";
import type { Finding, Found } from "./guard.ts";
import { redirectionsOf } from "./rules/command-rules.ts";
import { coveredBy, isExactly, readPattern } from "./rules/rules/command-pattern.ts";
import { hostFits } from "./rules/rules/host-pattern.ts";

/**
 * The user's rule that allows the subject of a finding, or null. A rule is a command line, compared word by word after
 * analysis (`*` matches any one word), or a file path.
 */
export function allowedByRule(
  { finding, about: { call, file } }: Found,
  rules: readonly AllowRule[],
  { place, commands }: Examined,
): AllowRule | null {
  for (const rule of rules) {
    if (!mayAllow(rule, finding)) continue;
    if (rule.rule !== undefined && rule.rule.subject !== "commands") {
      if (isFileOrHost(rule, rule.rule, { finding, about: { call, file } }, place)) return rule;
      continue;
    }
    if (rule.rule === undefined && file !== null && fileFits(file, rule, place)) return rule;
    const expected = callsOf(rule, place);
    if (call !== null && expected.length === 1 && expected.every((one) => callFits(call, one, rule, place)))
      return rule;
    const all = commands.flatMap(({ calls }) => calls.filter(({ parent }) => parent === null));
    const isWhole = call === null && file === null && all.length === expected.length;
    if (isWhole && all.every((one, at) => callFits(one, expected[at], rule, place))) return rule;
  }
  return null;
}

/** An `allow` does not override a stronger scope, and one of a project only the rules of the same file. */
function mayAllow({ rule }: AllowRule, { scope }: Finding): boolean {
  if (rule === undefined || scope === undefined) return true;
  return rule.level < PROJECT_LEVEL ? rule.level <= scope.level : rule.file === scope.file;
}

const PROJECT_LEVEL = 3;

const isFileOrHost = (
  rule: AllowRule,
  { subject, match, unless = [] }: ScopedRule,
  { finding: { hosts = [] }, about: { file } }: Found,
  place: CommandPlace,
): boolean => {
  const isChanged = file !== null && file.kind !== "read" && file.kind !== "use";
  const allows = (text: string): boolean =>
    subject === "files"
      ? isChanged && file.tree === undefined && pathFits(file, { ...rule, text }, place)
      : hosts.length > 0 && hosts.every((one) => hostFits(text, one));
  return allows(match) && !unless.some(allows);
};

const callsOf = ({ text, rule }: AllowRule, place: CommandPlace): readonly Call[] => {
  if (rule !== undefined) return [readPattern(text, place)?.call ?? []].flat();
  const { calls, gaps } = analyzeCommand(text, place);
  return gaps.length > 0 ? [] : calls.filter(({ parent }) => parent === null);
};

function callFits(call: Call, expected: Call | undefined, allow: AllowRule, place: CommandPlace): boolean {
  const { folder, rule } = allow;
  if (expected === undefined || call.isRemote || call.program !== expected.program) return false;
  // A rule of a project applies only in this project.
  if (folder !== null && (call.folder === null || !isWithin(call.folder, folder))) return false;
  return (
    sameVariables(call, expected) &&
    (rule === undefined ? hasWords(call, expected) : isPersons(call, rule, place)) &&
    (rule === undefined ? call.redirections : redirectionsOf(call))
      .filter(isFile)
      .every(({ kind, target }) =>
        expected.redirections.some((one) => one.kind === kind && one.target.text === target.text),
      )
  );
}

const hasWords = (call: Call, expected: Call): boolean =>
  call.args.length === expected.args.length && call.args.every((word, at) => wordFits(word, expected.args[at]));

/** True if a person's rule means this call. `sudo x` is not the `x` of a rule, and neither is `./git` a `git`. */
function isPersons(call: Call, { match, unless = [] }: ScopedRule, place: CommandPlace): boolean {
  const [pattern, ...excepted] = [match, ...unless].map((text) => readPattern(text, place));
  if (pattern == null || !isExactly(pattern, call)) return false;
  const { text } = call.name;
  const isInstalled = !text.includes("/") || /^\/(?:usr|bin|sbin|opt)\//.test(text);
  if (!isInstalled && text !== pattern.call.name.text) return false;
  return !isPrivileged(call) && !excepted.some((one) => one !== null && coveredBy(one, call) !== null);
}

const isPrivileged = ({ parent }: Call): boolean =>
  parent !== null && (/^(?:sudo|doas|su|pkexec|run0)$/.test(parent.call.program) || isPrivileged(parent.call));

/** `GIT_DIR=/other git push` is another command than `git push`. */
const sameVariables = ({ variables }: Call, expected: Call): boolean =>
  variables.size === expected.variables.size &&
  [...variables].every(([name, value]) => expected.variables.get(name) === value);

const isFile = ({ kind, target }: Call["redirections"][number]): boolean =>
  kind !== "read" && !target.text.startsWith("/dev/");

function wordFits(word: Word, expected: Word | undefined): boolean {
  if (expected === undefined) return false;
  if (expected.isGlob && expected.text === "*") return !word.text.includes(UNKNOWN);
  // Equal texts with unknown parts may have different values at run time.
  const isKnown = !word.text.includes(UNKNOWN) || word.source === expected.source;
  return isKnown && word.text === expected.text && word.isGlob === expected.isGlob;
}

/** A path without spaces allows the file itself, for every program and tool. */
function fileFits(file: FileAccess, { text, folder }: AllowRule, place: CommandPlace): boolean {
  return !/\s/.test(text) && /[/.~]/.test(text) && pathFits(file, { text, folder }, place);
}

function pathFits(file: FileAccess, { text, folder }: AllowRule, place: CommandPlace): boolean {
  if (file.isGlob || file.path.includes(UNKNOWN)) return false;
  const base = folder ?? place.project;
  const path = /^~\//.test(text) ? place.home + text.slice(1) : posix.resolve(base, text);
  if (folder !== null && !isWithin(path, folder)) return false;
  return globMatches(path, file.path);
}
