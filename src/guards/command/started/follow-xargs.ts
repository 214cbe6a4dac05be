import { type Call, UNKNOWN, type Word } from "../call.ts";
import { optionValues, parseOptions } from "../options.ts";
import type { Started } from "../script/run-command.ts";
import { GLOBBED, type ShellState } from "../script/shell-state.ts";
import { startInner } from "./follow-wrapper.ts";

const SPEC = {
  values: [
    ...["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "-R", "-J", "-S", "--arg-file", "--delimiter", "--max-lines"],
    ...["--max-args", "--max-procs", "--max-chars", "--process-slot-var"],
  ],
  attached: ["-i", "-e", "-l"],
  flags: ["--null", "--replace", "--eof", "--no-run-if-empty", "--verbose", "--interactive", "--exit"],
  endsAtOperand: true,
};
const MOST_ITEMS = 16;

/** The program of xargs gets the words of its input, as far as they are known. */
export function followXargs(call: Call, started: Started): readonly ShellState[] | null {
  const { operands, options } = parseOptions(call.args, SPEC);
  if (operands.length === 0) return null;
  const isLined = options.some(({ name }) =>
    ["-0", "-d", "--null", "--delimiter", "-I", "-i", "--replace"].includes(name),
  );
  const isOfFile = options.some(({ name }) => name === "-a" || name === "--arg-file");
  const items = isOfFile ? [UNKNOWN] : itemsOf(started.state.stdin.text, isLined);
  const mark = optionValues({ options, operands, hasUnknown: false }, "-I", "-i", "--replace", "-J")[0]?.text || "{}";
  const isReplacing = options.some(({ name }) => ["-I", "-i", "--replace", "-J"].includes(name));
  const state = { ...started.state, stdin: { input: { kind: "none" }, text: null } as const };
  const inner: Started = { ...started, state, level: "program" };
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
  const items = words.filter((word) => word !== "");
  return items.length > MOST_ITEMS ? [...items.slice(0, MOST_ITEMS), UNKNOWN] : items;
}
