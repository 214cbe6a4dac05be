import {
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  objectOf,
  spanOfRaw,
  stringOf,
} from "../../protocol/json/read.ts";
import { jsonText } from "../../protocol/json/write.ts";
import { COMMAND_KEYS, FILE_KEYS, plainKey, TOOL_INPUT_DEPTH } from "../../protocol/payload/tool-call.ts";
import type { TestCase } from "../cases/test-case.ts";

/** The shell command that the payload of a case sets; null if it sets none, or several. */
export function caseCommand({ payload }: TestCase): string | null {
  const found: string[] = [];
  mapCommands(objectOf(payload), (command) => {
    found.push(command);
    return command;
  });
  const [only, ...others] = new Set(found);
  return only === undefined || others.length > 0 ? null : only;
}

/** The case with another command in the place of its own. */
export const withCommand = (one: TestCase, command: string): TestCase => ({
  ...one,
  payload: membersOf(mapCommands(objectOf(one.payload), () => command)),
});

type MapCommand = (command: string) => string;

/** Replaces each shell command in a payload, whatever the agent calls the tool and its arguments. */
function mapCommands(span: JsonSpan, map: MapCommand, depth = 0): JsonSpan {
  if (depth > TOOL_INPUT_DEPTH || span.kind !== "object") return span;
  const members = membersOf(span);
  const isShell = !hasFile(members);
  return objectOf(
    [...members].map(([key, value]) => [
      key,
      isShell && SHELL_KEYS.has(plainKey(key)) ? mapped(value, map) : mapCommands(value, map, depth + 1),
    ]),
  );
}

/** Beside arguments or a file, `command` names a program or an action of a tool. */
const hasFile = (members: JsonObject): boolean =>
  [...members.keys()].map(plainKey).some((key) => FILE_KEYS.has(key) || WITH_ARGUMENTS.has(key));

const WITH_ARGUMENTS = new Set(["args", "argv", "arguments", "program", "executable"]);
const SHELL_KEYS: ReadonlySet<string> = new Set([...COMMAND_KEYS].filter((key) => !WITH_ARGUMENTS.has(key)));

/** A command, or the last of `["bash", "-lc", "…"]`. */
function mapped(value: JsonSpan, map: MapCommand): JsonSpan {
  if (value.kind === "string") return textSpan(map(stringOf(value)));
  if (value.kind !== "array") return value;
  const items = itemsOf(value);
  const [shell, option, script, ...more] = items.map((item) => (item.kind === "string" ? stringOf(item) : ""));
  const isScript =
    /(?:^|\/)(?:ba|da|z|k)?sh$/.test(shell ?? "") && /^-[a-z]*c$/.test(option ?? "") && more.length === 0;
  if (!isScript || script === undefined) return value;
  return spanOfRaw(`[${[...items.slice(0, 2).map(({ raw }) => raw), textSpan(map(script)).raw].join(",")}]`);
}

const textSpan = (text: string): JsonSpan => spanOfRaw(jsonText(text));
