import { itemsOf, type JsonObject, type JsonSpan, membersOf, stringOf } from "../json/read.ts";
import { fail, ok, type Result } from "../result.ts";
import { groupDigits, pluralize } from "../text/count.ts";
import { type Payload, patchedFiles } from "./payload.ts";
import { argumentsOf, COMMAND_KEYS, OWN_FILE_KEYS } from "./tool-call.ts";

/** The variables of a hook that declares `reads: env`, by their names. */
export type CallVariables = Readonly<Record<string, string>>;

/** The hook is started once for each file. */
export const MOST_FILES = 100;
/** The longest `NAME=value` with its final NUL: MAX_ARG_STRLEN of Linux. */
const LONGEST_BYTES = 131_072;

/**
 * The variables of a call: one set, or one for each file of a patch. A value that a variable cannot hold is
 * a failure: without it the hook would allow a call that it has not seen.
 */
export function callVariables({ members }: Pick<Payload, "members">): Result<readonly CallVariables[], string> {
  const command = commandIn(members);
  if (!command.ok) return command;
  const files = filesIn(members);
  if (!files.ok) return files;
  const known = { HOOKCTL_TOOL: textIn(members, "tool_name"), HOOKCTL_AGENT: agentIn(members), ...command.value };
  const sets = files.value.map((file) => definedIn({ ...known, HOOKCTL_FILE: file }));
  const [fault] = sets.flatMap((set) => Object.entries(set)).flatMap(([name, value]) => faultOf(name, value) ?? []);
  return fault === undefined ? ok(sets) : fail(fault);
}

function faultOf(name: string, value: string): string | null {
  if (value.includes("\0")) return `${name} cannot hold its value, which contains a NUL character`;
  if (LONE_SURROGATE.test(value)) return `${name} cannot hold its value, which is not valid Unicode`;
  const bytes = name.length + 1 + Buffer.byteLength(value) + 1;
  const most = groupDigits(LONGEST_BYTES);
  return bytes > LONGEST_BYTES ? `${name} would have ${groupDigits(bytes)} bytes; the limit is ${most}` : null;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** The command of a shell call, if it has one. */
function commandIn(members: JsonObject): Result<{ readonly HOOKCTL_COMMAND?: string }, string> {
  const input = members.get("tool_input");
  const isShell = textIn(members, "tool_kind") === "shell" || textIn(members, "tool_name") === "bash";
  if (!isShell || input === undefined || input.kind === "null") return ok({});
  const command = input.kind === "object" ? membersOf(input).get("command") : undefined;
  const parts = argumentsOf(input).filter(([key]) => COMMAND_KEYS.has(key));
  if (command?.kind === "string" && parts.length === 1) return ok({ HOOKCTL_COMMAND: stringOf(command) });
  if (input.kind === "object" && parts.length === 0) return ok({});
  return fail("HOOKCTL_COMMAND cannot hold a command that is not one text in tool_input.command");
}

/** The files of a call; a single undefined if it names none, so that the hook is started once. */
function filesIn(members: JsonObject): Result<readonly (string | undefined)[], string> {
  const input = members.get("tool_input");
  const patched = input?.kind === "object" ? patchedFiles(membersOf(input)) : [];
  const named = input === undefined ? [] : argumentsOf(input).flatMap(([key, span]) => pathsIn(key, span));
  const files = [...new Set([...named, ...patched])].filter((path) => path !== "");
  if (files.length > 1 && patched.length === 0) {
    return fail(`HOOKCTL_FILE has one file, but the call has ${files.length}`);
  }
  if (files.length > MOST_FILES) {
    return fail(
      `it is started once for each file of a patch, at most ${MOST_FILES} times, and this patch has ${pluralize(files.length, "file")}`,
    );
  }
  if (files.length === 0 && textIn(members, "tool_name") === "apply_patch") {
    return fail("HOOKCTL_FILE cannot hold the files of a patch in this format");
  }
  return ok(files.length === 0 ? [undefined] : files);
}

function pathsIn(key: string, span: JsonSpan): readonly string[] {
  if (!OWN_FILE_KEYS.has(key)) return [];
  const texts = span.kind === "array" ? itemsOf(span) : [span];
  return texts.filter(({ kind }) => kind === "string").map(stringOf);
}

/** The name of the calling agent. */
function agentIn(members: JsonObject): string | undefined {
  const agent = members.get("agent");
  return agent?.kind === "object" ? textIn(membersOf(agent), "name") : undefined;
}

function textIn(members: JsonObject, key: string): string | undefined {
  const span = members.get(key);
  return span?.kind === "string" ? stringOf(span) : undefined;
}

const definedIn = (variables: Readonly<Record<string, string | undefined>>): CallVariables =>
  Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined));
