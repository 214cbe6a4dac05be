import { type Call, UNKNOWN, type Word } from "../call.ts";
import { parseOptions } from "../options.ts";
import type { Started } from "../script/run-command.ts";
import type { ShellState } from "../script/shell-state.ts";
import { quoted } from "./follow-git.ts";
import { childShell, runInner } from "./follow-shell.ts";

const VALUES =
  "-a -C -d -E -I -j -L -n -N -P -S -s --arg-file --colsep --delay --delimiter --halt --jobs --joblog --load --max-args --memfree --results --retries --sshlogin --tempdir --tmpdir --timeout --wd --workdir --tagstring --env --nice --block".split(
    " ",
  );
const MOST_ITEMS = 16;
/** The shell texts that `parallel` runs: one for each argument behind `:::`, or for each line of its input. */
export function followParallel(call: Call, started: Started): readonly ShellState[] | null {
  const { operands } = parseOptions(call.args, {
    values: VALUES,
    endsAtOperand: true,
  });
  const end = operands.findIndex(({ text }) => /^:::/.test(text));
  const template = textOf(end === -1 ? operands : operands.slice(0, end));
  const texts = (end === -1 ? linesOf(started.state.stdin.text) : argumentsOf(operands.slice(end))).map((item) =>
    filled(template, item),
  );
  const child = childShell(started.state);
  const results = texts.flatMap((text) =>
    runInner(text, child, {
      call,
      started,
      relation: "shell text",
    }),
  );
  return results.length === 0 ? null : results;
}

const textOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(" ");
function linesOf(text: string | null): readonly string[] {
  const lines = (text ?? UNKNOWN).split("\n").filter((line) => line !== "");
  return lines.length > MOST_ITEMS ? [...lines.slice(0, MOST_ITEMS), UNKNOWN] : lines;
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
  return all.length > MOST_ITEMS ? [...all.slice(0, MOST_ITEMS), UNKNOWN] : all;
}

/** Without a template the argument is the command. */
function filled(template: string, item: string): string {
  if (template === "") return item.replace(/^'(.*)'$/s, "$1");
  const replaced = template.replace(/\{(?:|\.|\/|\/\/|\/\.|#|%|\d+)\}/g, item);
  return replaced === template ? `${template} ${item}` : replaced;
}
