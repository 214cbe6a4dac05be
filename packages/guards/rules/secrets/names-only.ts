import { namesIn } from "../../../../src/protocol/json/table.ts";
import type { Word } from "../../command/call.ts";
import { hasOption, optionValues, type ParsedOptions, parseOptions } from "../../command/options.ts";

/** True if a program prints only the names of lines `NAME=value`, as `cut -d= -f1` and `awk -F= '{print $1}'` do. */
export function showsNamesOnly(program: string, args: readonly Word[]): boolean {
  if (/^g?cut$/.test(program)) return cutsNames(args);
  if (/^[gmn]?awk$/.test(program)) return printsFirstField(args);
  if (/^g?sed$/.test(program)) return removesValues(args);
  return /^(?:e|g)?grep$/.test(program) && matchesNames(args);
}

const isOnly = (words: readonly Word[], expected: RegExp): boolean =>
  words.length > 0 && words.every(({ text }) => expected.test(text));

function cutsNames(args: readonly Word[]): boolean {
  const parsed = parseOptions(args, {
    values: "-d --delimiter -f --fields -b --bytes -c --characters --output-delimiter",
    flags: "--complement --only-delimited --zero-terminated",
  });
  const isEqualSign = isOnly(optionValues(parsed, "-d --delimiter"), /^=$/);
  const isFirst = isOnly(optionValues(parsed, "-f --fields"), /^1$/);
  return isEqualSign && isFirst && hasNoOther(parsed, "-d --delimiter -f --fields -s --only-delimited");
}

function printsFirstField(args: readonly Word[]): boolean {
  const parsed = parseOptions(args, { values: "-F --field-separator -v -f", endsAtOperand: true });
  const isEqualSign = isOnly(optionValues(parsed, "-F --field-separator"), /^\[?=\]?$/);
  const [program] = parsed.operands;
  const isFirst = /^\s*(?:\/\^?[\w=[\]-]*\/\s*)?\{\s*print\s*\(?\s*\$1\s*\)?\s*;?\s*\}\s*$/.test(program?.text ?? "");
  return isEqualSign && isFirst && hasNoOther(parsed, "-F --field-separator");
}

function removesValues(args: readonly Word[]): boolean {
  const parsed = parseOptions(args, { values: "-e --expression -f --file", attached: "-i" });
  const given = optionValues(parsed, "-e --expression");
  const scripts = given.length > 0 ? given : parsed.operands.slice(0, 1);
  return isOnly(scripts, /^s([/|#,@])=\.\*\$?\1=?\1g?$/) && hasNoOther(parsed, "-e --expression -E -r");
}

function matchesNames(args: readonly Word[]): boolean {
  const parsed = parseOptions(args, { values: "-e --regexp -f -A -B -C -m" });
  const given = optionValues(parsed, "-e --regexp");
  const patterns = given.length > 0 ? given : parsed.operands.slice(0, 1);
  const isName = isOnly(patterns, /^\^(?:\[\^=\]|\[(?!\^)[\w-]+\]|\\w)[*+](?:=|\\?\+)?$/);
  const isPart = hasOption(parsed, "-o --only-matching");
  return isName && isPart && hasNoOther(parsed, "-o --only-matching -E -h -e --regexp --extended-regexp");
}

const hasNoOther = ({ options, hasUnknown }: ParsedOptions, known: string): boolean =>
  !hasUnknown && options.every(({ name }) => namesIn(known).includes(name));
