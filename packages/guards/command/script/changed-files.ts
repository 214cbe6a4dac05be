import { posix } from "node:path";
import type { Call, Word } from "../call.ts";
import { rowFinder } from "../named-rows.ts";
import { optionValues, parseOptions } from "../options.ts";
import { quoted } from "../start.ts";
import { keepFile, knownFile, type ShellState } from "./shell-state.ts";

type Change = (call: Call, state: ShellState) => void;

const changeNamed = rowFinder<Change>({
  "sed gsed": editedInPlace,
  "cp mv install ln": copied,
});

/** Remembers the new texts of files that a program changes, as far as they follow from its arguments. */
export const keepChanges = (call: Call, state: ShellState): void => changeNamed(call.program)?.(call, state);

/** `cp a b`: a folder gets the files under their names. */
function copied({ args }: Call, state: ShellState): void {
  const { operands, options } = parseOptions(args, {
    values: "-t --target-directory -m --mode -o -g --owner --group -S --suffix",
  });
  const [into] = optionValues({ options }, "-t --target-directory");
  const [last] = into === undefined ? operands.slice(-1) : [into];
  const sources = into === undefined ? operands.slice(0, -1) : operands;
  if (last === undefined) return;
  const isFolder = sources.length > 1 || into !== undefined || /(?:^|\/)\.{0,2}\/?$/.test(last.text);
  for (const source of sources) {
    const { text } = source;
    const target = isFolder ? posix.join(last.text, posix.basename(text)) : last.text;
    const content = knownFile(state, text) ?? programText(source, target);
    if (content !== undefined) keepFile(state, target, content);
  }
}

/** A program under another name does what a script does that starts it. */
const programText = ({ text, printedBy }: Word, target: string): string | undefined =>
  (PROGRAM.test(text) || printedBy.some(({ program }) => FINDS_PROGRAM.test(program))) &&
  posix.basename(text) !== posix.basename(target)
    ? `#!/bin/sh\nexec ${quoted(text)} "$@"\n`
    : undefined;

const FINDS_PROGRAM = /^(?:which|command|type)$/;
const PROGRAM = /^(?:\S*\/)?s?bin\/[\w.+-]+$/;

const SED = { values: "-e --expression -f --file", attached: "-i", flags: "--in-place --regexp-extended" };

/** `sed -i s/x/y/ a.sh`. */
function editedInPlace({ args }: Call, state: ShellState): void {
  const { scripts, files, options } = sedArguments(args);
  const edit = options.some((name) => name === "-i" || name === "--in-place") ? sedEdit(scripts, options) : null;
  if (edit === null) return;
  for (const { text } of files) {
    const content = knownFile(state, text);
    if (content !== undefined) keepFile(state, text, edit(content));
  }
}

/** What `sed` prints of a text; null if that does not follow from its arguments. */
export function sedOutput({ args }: Call, text: string): string | null {
  const { scripts, files, options } = sedArguments(args);
  return files.length > 0 ? null : (sedEdit(scripts, options)?.(text) ?? null);
}

function sedArguments(args: readonly Word[]) {
  const { operands, options } = parseOptions(args, SED);
  const given = optionValues({ options }, "-e --expression");
  const names = options.map(({ name }) => name);
  const [first, ...rest] = operands;
  const isGiven = given.length > 0 || first === undefined;
  const scripts = isGiven ? given : [first];
  return { scripts: scripts.map(({ text }) => text), files: isGiven ? operands : rest, options: names };
}

type Edit = (text: string) => string;

/** An edit by substitutions of plain text. Patterns with repetitions are not followed: their cost has no bound. */
function sedEdit(scripts: readonly string[], options: readonly string[]): Edit | null {
  if (options.some((name) => !/^(?:-[eEir]|--expression|--in-place|--regexp-extended)$/.test(name))) return null;
  const isExtended = options.some((name) => /^-[Er]$|^--regexp/.test(name));
  const edits = scripts
    .flatMap((script) => script.split(/[;\n]\s*(?=s\W|$)/))
    .map((one) => substitution(one, isExtended));
  return edits.every((edit) => edit !== null) ? (text) => edits.reduce((now, edit) => edit(now), text) : null;
}

function substitution(script: string, isExtended: boolean): Edit | null {
  const [, mark = "", rest = ""] = /^\s*s([^\w\s\\])(.*)$/s.exec(script) ?? [];
  if (mark === "") return null;
  const [pattern = "", text, flags, ...more] = rest.split(new RegExp(`(?<!\\\\)\\${mark}`));
  if (text === undefined || flags === undefined || more.length > 0 || !/^[gI]*\s*$/.test(flags)) return null;
  const repeats = isExtended ? /(?<!\\)[*+?(){}|[\]]/ : /(?<!\\)[*[\]]|\\[+?(){}|]/;
  if (pattern === "" || repeats.test(pattern) || /\\[\dwWsSbB<>]/.test(pattern) || /\\\d/.test(text)) return null;
  const source = pattern
    .replaceAll(`\\${mark}`, mark)
    .replace(/\\([nrt])|\\(.)|([.^$])|([^\\])/gs, (_, control, quoted, special, plain) => {
      if (control !== undefined) return `\\${control}`;
      return special ?? (quoted ?? plain).replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
    });
  const written = text.replaceAll(`\\${mark}`, mark);
  const found = new RegExp(source, `m${flags.includes("I") ? "i" : ""}${flags.includes("g") ? "g" : ""}`);
  const replace = (line: string): string =>
    line.replace(found, (whole) =>
      written.replace(/\\(.)|&/gs, (all, char) => (all === "&" ? whole : char === "n" ? "\n" : char)),
    );
  return (content) => content.split("\n").map(replace).join("\n");
}
