import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import type { Call, Word } from "../call.ts";
import { hasOption, optionValues, parseOptions } from "../options.ts";
import { GLOBBED, type ShellState } from "../script/shell-state.ts";
import { quoted, runInner, startInner } from "../start.ts";

const XARGS_SPEC = {
  values:
    "-a -d -E -I -L -n -P -s -R -J -S --arg-file --delimiter --max-lines --max-args --max-procs --max-chars --process-slot-var",
  attached: "-i -e -l",
  flags: "--null --replace --eof --no-run-if-empty --verbose --interactive --exit",
  endsAtOperand: true,
};
const MOST_ITEMS = 16;

/** Follows the program of xargs with the words of its input, as far as they are known. */
export function followXargs(call: Call, started: Started): readonly ShellState[] | null {
  const { operands, options } = parseOptions(call.args, XARGS_SPEC);
  if (operands.length === 0) return null;
  const isLined = hasOption({ options }, "-0 -d --null --delimiter -I -i --replace");
  const items = itemsOf(hasOption({ options }, "-a --arg-file") ? null : started.state.stdin.text, isLined);
  const mark = optionValues({ options }, "-I -i --replace -J")[0]?.text || "{}";
  const isReplacing = hasOption({ options }, "-I -i --replace -J");
  const state = { ...started.state, stdin: { input: { kind: "none" }, text: null } as const };
  const inner = { ...started, state };
  if (!isReplacing) return startInner(call, [...operands, ...items.map((text) => itemWord(text, call))], inner);
  return items.flatMap((item) =>
    startInner(
      call,
      operands.map((word) =>
        word.text.includes(mark) ? { ...itemWord(word.text.split(mark).join(item), call), source: word.source } : word,
      ),
      inner,
    ),
  );
}

const itemWord = (item: string, { input }: Call): Word => ({
  text: item.replaceAll(GLOBBED, ""),
  source: item.includes(UNKNOWN) ? "…" : item.replaceAll(GLOBBED, ""),
  isGlob: item.includes(GLOBBED),
  printedBy: input.kind === "pipe" ? input.from : [],
});

/** The words or lines of the input. */
function itemsOf(text: string | null, isLined: boolean): readonly string[] {
  if (text === null) return [UNKNOWN];
  const words = isLined
    ? text.split("\n")
    : (text.match(/(?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s'"\\])+/gs) ?? []).map((word) =>
        word.replace(/'([^']*)'|"([^"]*)"|\\(.)/gs, "$1$2$3"),
      );
  return firstItems(words);
}

function firstItems(words: readonly string[]): readonly string[] {
  const items = words.filter((word) => word !== "");
  return items.length > MOST_ITEMS ? [...items.slice(0, MOST_ITEMS), UNKNOWN] : items;
}

const PARALLEL_VALUES =
  "-a -C -d -E -I -j -L -n -N -P -S -s --arg-file --colsep --delay --delimiter --halt --jobs --joblog --load --max-args --memfree --results --retries --sshlogin --tempdir --tmpdir --timeout --wd --workdir --tagstring --env --nice --block";

/** The shell texts that `parallel` runs: one for each argument behind `:::`, or for each line of its input. */
export function followParallel(call: Call, started: Started): readonly ShellState[] | null {
  const { operands } = parseOptions(call.args, { values: PARALLEL_VALUES, endsAtOperand: true });
  const end = operands.findIndex(({ text }) => /^:::/.test(text));
  const words = end === -1 ? operands : operands.slice(0, end);
  const template = words.map(({ text }) => text).join(" ");
  const lines = end === -1 ? itemsOf(started.state.stdin.text, true) : [];
  // A line is one word of the command, unless it is the command.
  const inputs = template === "" ? lines : lines.map((line) => (line.includes(GLOBBED) ? line : quoted(line)));
  const items = end === -1 ? inputs : argumentsOf(operands.slice(end));
  const texts = items.map((item) => filled(template, item));
  const results = texts.flatMap((text) => runInner(call, text, started));
  return results.length === 0 ? null : results;
}

/** Behind `:::` are arguments, behind `::::` are files with arguments. Several lists are combined. */
function argumentsOf(words: readonly Word[]): readonly string[] {
  const lists: string[][] = [];
  let isFile = false;
  for (const { text } of words)
    if (/^:::/.test(text)) {
      isFile = text.startsWith("::::");
      lists.push([]);
    } else lists.at(-1)?.push(isFile ? UNKNOWN : quoted(text));
  const all = lists.reduce(
    (begun, list) =>
      begun.flatMap((begin) => list.map((item) => (begin === "" ? item : `${begin} ${item}`))).slice(0, 256),
    [""],
  );
  return firstItems(all);
}

/** Without a template the argument is the command. */
function filled(template: string, item: string): string {
  if (template === "") return item.replace(/^'(.*)'$/s, "$1");
  const replaced = template.replace(/\{(?:|\.|\/|\/\/|\/\.|#|%|\d+)\}/g, item);
  return replaced === template ? `${template} ${item}` : replaced;
}
