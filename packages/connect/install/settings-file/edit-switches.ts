import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isObject, objectOr } from "../../../../src/protocol/json/read.ts";
import type { JsonValue } from "../../../../src/protocol/json/write.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";

/** The target of `on` and `off --for good`: a built-in guard, or a hook by its override. */
export interface Switch {
  readonly name: string;
  readonly key: "guards" | "overrides";
  /** True if a hook is disabled now, by any settings. */
  readonly isOff?: boolean;
}

interface SettingsSyntaxError {
  readonly line: number;
  readonly detail: string;
}

/**
 * Switches guards and hooks in the text of a settings file; everything else in it stays unchanged. `here`: off only for this
 * project, and on for it too.
 */
export const setSwitches = (
  text: string,
  switches: readonly Switch[],
  isOn: boolean,
  here: string | null,
): Result<string, SettingsSyntaxError> =>
  editText(text, (root) =>
    switches.flatMap((one) => {
      const settingsIn = (scope: unknown): unknown => objectOr(objectOr(scope)[one.key])[one.name];
      const editOf = one.key === "guards" ? guardEdit : hookEdit;
      const edit = editOf(one, settingsIn(root), isOn);
      const all = edit === null ? [] : [edit];
      if (here === null) return all;
      const own = settingsIn(objectOr(objectOr(root).projects)[here]);
      const path = ["projects", here, one.key, one.name, ...(isObject(own) ? ["enabled"] : [])];
      if (!isOn) return [{ path, value: false }];
      return own === false || objectOr(own).enabled === false ? [...all, { path, value: undefined }] : all;
    }),
  );

/** A change of one member. A value that is undefined removes it; `isAdded`: the value becomes an item at this position. */
export interface MemberEdit {
  readonly path: JSONPath;
  readonly value: JsonValue | undefined;
  readonly isAdded?: true;
}

/**
 * Edits the members of a settings file's text; order and form of everything else stay. `isLenient`: the file may have comments
 * and trailing commas, as those of some agents.
 */
export function editText(
  text: string,
  editsFor: (root: unknown) => readonly MemberEdit[],
  isLenient = false,
): Result<string, SettingsSyntaxError> {
  const before = text.trim() === "" ? "{}\n" : text;
  const faults: ParseError[] = [];
  const root: unknown = parse(before, faults, { disallowComments: !isLenient, allowTrailingComma: isLenient });
  const [fault] = faults;
  if (fault !== undefined) {
    const line = before.slice(0, fault.offset).split("\n").length;
    return fail({ line, detail: words(printParseErrorCode(fault.error)) });
  }
  const [, indent = "  "] = /^([ \t]+)\S/m.exec(before) ?? [];
  const formattingOptions = indent.startsWith("\t")
    ? { insertSpaces: false }
    : { tabSize: indent.length, insertSpaces: true };
  return ok(
    editsFor(root).reduce((all, { path, value, isAdded = false }) => {
      const options = { formattingOptions, isArrayInsertion: isAdded };
      const edited = value === undefined && !isLenient ? emptiedPath(parse(all), path) : [...path];
      return applyEdits(all, modify(all, edited, value, options));
    }, before),
  );
}

/** Without its last member an object would be empty, so it is removed, too; but an empty one still switches a guard or the cage on. */
function emptiedPath(root: unknown, path: JSONPath): JSONPath {
  const values = path.map((_, depth) =>
    path.slice(0, depth + 1).reduce<unknown>((found, key) => objectOr(found)[key], root),
  );
  const isSwitch = (depth: number): boolean => path[depth - 1] === "guards" || path[depth] === "cage";
  let depth = path.length - 1;
  if (values[depth] === undefined) return path;
  while (depth > 0 && !isSwitch(depth - 1) && Object.keys(objectOr(values[depth - 1])).length === 1) depth--;
  return path.slice(0, depth + 1);
}

/** ValueExpected -> value expected */
export const words = (code: string): string => code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** Null if nothing has to be changed. */
type Edit = MemberEdit | null;

function guardEdit({ name }: Switch, settings: unknown, isOn: boolean): Edit {
  const hasSettings = isObject(settings);
  if (isOn && (settings === true || (hasSettings && settings.enabled !== false))) return null;
  const path = hasSettings ? ["guards", name, "enabled"] : ["guards", name];
  return { path, value: hasSettings && isOn ? undefined : isOn };
}

function hookEdit({ name, isOff = false }: Switch, settings: unknown, isOn: boolean): Edit {
  const path = ["overrides", name, "enabled"];
  const isOffHere = objectOr(settings).enabled === false;
  if (!isOn) return isOffHere ? null : { path, value: false };
  if (isOffHere) return { path, value: undefined };
  // Settings of another file disable it; only an explicit value overrides them.
  return isOff ? { path, value: true } : null;
}
