import { nameSet } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Started } from "../analysis.ts";
import type { Call, Word } from "../call.ts";
import { knownFile, NO_INPUT, type ShellState } from "../script/shell-state.ts";
import { childShell, runInner, runText, withVariables } from "../start.ts";

/** True if the whole text is unknown. */
const isUnknown = (text: string): boolean => text.trim() === UNKNOWN;

export const SHELLS = nameSet("sh bash dash zsh ksh ksh93 mksh ash rbash yash fish");

/** `bash -c text`, `bash file`, and `bash` that reads its input. */
export function followShell(call: Call, started: Started): readonly ShellState[] | null {
  const { isText, isCheck, readsInput, operands } = shellArguments(call.args);
  if (isCheck) return null;
  const [first, second, ...rest] = operands;
  const child = childShell(withVariables(started));
  const ownScript = call.variables.get("BASH_ENV") ?? call.variables.get("ENV");
  const before = ownScript === undefined ? undefined : knownFile(started.state, ownScript);
  if (before !== undefined && !isUnknown(before)) runInner(call, before, started, { state: child });
  if (isText && first !== undefined) {
    const positional = rest.map(({ text }) => text);
    const name = second?.text ?? call.program;
    const texts = first.text === UNKNOWN && second !== undefined ? [first.text, second.text] : [first.text];
    return texts.flatMap((text) => runInner(call, text, started, { state: { ...child, name, positional } }));
  }
  const isInput = first === undefined || readsInput || INPUT_FILES.has(first.text);
  const content = isInput ? started.state.stdin.text : knownFile(started.state, first.text);
  if (content == null || isUnknown(content)) return null;
  const args = (readsInput ? operands : operands.slice(1)).map(({ text }) => text);
  const name = isInput ? call.program : (first?.text ?? "");
  const state = { ...child, name, positional: args, stdin: isInput ? NO_INPUT : child.stdin };
  return runInner(call, content, started, { state, relation: isInput ? "input" : "shell text" });
}

const INPUT_FILES = nameSet("/dev/stdin /dev/fd/0 /proc/self/fd/0");

interface ShellArguments {
  readonly isText: boolean;
  /** True if it checks the syntax and runs nothing: `-n`, unless it is interactive. */
  readonly isCheck: boolean;
  readonly readsInput: boolean;
  readonly operands: readonly Word[];
}

const WITH_VALUE = /^(?:--rcfile|--init-file|--init-command|[-+]O|[-+][a-zA-Z]*o)$/;

/** The first operand is the text after `-c`, else a file. */
function shellArguments(args: readonly Word[]): ShellArguments {
  let at = 0;
  let isText = false;
  let readsInput = false;
  let isCheck = false;
  let isInteractive = false;
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? "";
    if (text === "--" || text === "-") {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (/^-[a-zA-Z]*c/.test(text) || text === "--command") isText = true;
    if (/^-[a-zA-Z]*s/.test(text)) readsInput = true;
    if (/^[-+][a-zA-Z]*n/.test(text)) isCheck = text.startsWith("-");
    if (/^-[a-zA-Z]*i/.test(text)) isInteractive = true;
    if (WITH_VALUE.test(text)) at++;
  }
  return { isText, isCheck: isCheck && !isInteractive, readsInput, operands: args.slice(at) };
}

/** `source file` runs it in this shell. */
export function followSource(call: Call, started: Started): readonly ShellState[] {
  const { state } = started;
  const [file, ...args] = call.args;
  const content =
    file === undefined ? undefined : INPUT_FILES.has(file.text) ? state.stdin.text : knownFile(state, file.text);
  if (content == null || isUnknown(content)) return [{ ...state, status: "either" }];
  const positional = args.length === 0 ? state.positional : args.map(({ text }) => text);
  const frame = { ...started.frame, active: [...started.frame.active, ""] };
  const results = runText(call, content, { state: { ...state, positional }, frame });
  return results.map((one) => ({
    ...one,
    positional: state.positional,
    flow: one.flow === "return" ? "next" : one.flow,
  }));
}
