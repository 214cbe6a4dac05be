import { applyEdits, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import type { GuardName } from "../../protocol/guard-settings.ts";
import { isObject, type UncheckedObject } from "../../protocol/json/read.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { SettingsSyntaxError } from "./edit-json.ts";

/** Switches guards on or off in the text of a settings file; their other settings and everything else stay as they are. */
export function setGuards(
  text: string,
  names: readonly GuardName[],
  isOn: boolean,
): Result<string, SettingsSyntaxError> {
  const before = text.trim() === "" ? "{}\n" : text;
  const faults: ParseError[] = [];
  const root: unknown = parse(before, faults, { disallowComments: true });
  const [fault] = faults;
  if (fault !== undefined) {
    const line = before.slice(0, fault.offset).split("\n").length;
    return fail({ line, detail: printParseErrorCode(fault.error) });
  }
  const guards = isObject(root) && isObject(root.guards) ? root.guards : {};
  return ok(names.reduce((kept, name) => withGuard(kept, name, isOn, guards), before));
}

function withGuard(text: string, name: GuardName, isOn: boolean, guards: UncheckedObject): string {
  const settings = guards[name];
  const hasSettings = isObject(settings);
  if (isOn && (settings === true || (hasSettings && settings.enabled !== false))) return text;
  const path = hasSettings ? ["guards", name, "enabled"] : ["guards", name];
  const value = hasSettings && isOn ? undefined : isOn;
  return applyEdits(text, modify(text, path, value, { formattingOptions: { tabSize: 2, insertSpaces: true } }));
}
