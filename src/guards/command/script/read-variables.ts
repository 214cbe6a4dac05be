import { type Call, UNKNOWN } from "../call.ts";
import { parseOptions } from "../options.ts";
import type { Started } from "./run-command.ts";
import { type ShellState, setVariable } from "./shell-state.ts";

const SPEC = { values: ["-a", "-d", "-i", "-n", "-N", "-p", "-t", "-u", "-C", "-c", "-O", "-s"] };

/** `read a b`, `mapfile list`: variables get what is read, as far as it is known. */
export function readVariables({ program, args }: Call, { state }: Started): readonly ShellState[] {
  const { text } = state.stdin;
  if (program === "getopts") {
    for (const { text: name } of [...args.slice(1, 2), { text: "OPTARG" }]) setVariable(state, name, [UNKNOWN]);
    return [{ ...state, status: "either" }];
  }
  if (program !== "read") return readList(args, state);
  const spec = { values: SPEC.values.filter((name) => name !== "-s") };
  const { operands, options } = parseOptions(args, spec);
  const array = options.find(({ name }) => name === "-a")?.value?.text;
  const names = array === undefined ? operands.map((word) => word.text) : [array];
  const ended = text === null || (text === "" && state.stdin.input.kind !== "none");
  const line = text === null ? UNKNOWN : (text.split("\n", 1)[0] ?? "");
  const ifs = state.variables.get("IFS")?.[0] ?? " \t\n";
  for (const [name, value] of valuesOf(line, names.length === 0 ? ["REPLY"] : names, ifs))
    setVariable(state, name, [value]);
  if (array !== undefined)
    setVariable(state, array, line.includes(UNKNOWN) ? [UNKNOWN] : line.split(/\s+/).filter(Boolean));
  if (text === null) return [{ ...state, status: "either" }];
  const rest = text.includes("\n") ? text.slice(text.indexOf("\n") + 1) : "";
  const isUnknown = line.includes(UNKNOWN);
  return [
    {
      ...state,
      // What is unknown may be many lines.
      stdin: isUnknown ? state.stdin : { ...state.stdin, text: rest },
      status: isUnknown ? "either" : ended ? "failure" : "success",
    },
  ];
}

function readList(args: Call["args"], state: ShellState): readonly ShellState[] {
  const { operands } = parseOptions(args, SPEC);
  const { text } = state.stdin;
  const lines = text === null ? [UNKNOWN] : text.replace(/\n$/, "").split("\n");
  setVariable(state, operands[0]?.text ?? "MAPFILE", lines.slice(0, 1000));
  return [{ ...state, status: "success" }];
}

/** The last name gets the rest of the line. */
function valuesOf(line: string, names: readonly string[], ifs: string): readonly (readonly [string, string])[] {
  const isBlank = ifs === " \t\n";
  let rest = isBlank ? line.trim() : line;
  return names.map((name, at) => {
    if (line === UNKNOWN) return [name, UNKNOWN];
    if (at === names.length - 1) return [name, rest];
    const end = [...rest].findIndex((char) => ifs.includes(char));
    const value = end === -1 ? rest : rest.slice(0, end);
    rest = end === -1 ? "" : rest.slice(end + 1);
    if (isBlank) rest = rest.trimStart();
    return [name, value];
  });
}
