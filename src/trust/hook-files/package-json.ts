import { readProgramText } from "./read-program-text.ts";

/** The fields of a `package.json` that a runtime uses. */
interface PackageFields {
  /** The module format of its `.js` files; null if it is not set. */
  readonly type: string | null;
  /** The entry points, relative to its folder. */
  readonly entries: readonly string[];
}

/** An invalid `package.json` stops a runtime. */
const BROKEN: PackageFields = { type: "cannot be parsed", entries: [] };

export function packageFields(path: string): PackageFields {
  try {
    const fields: unknown = JSON.parse(readProgramText(path) ?? "");
    if (typeof fields !== "object" || fields === null) return BROKEN;
    const field = (name: string): unknown => Object.entries(fields).find(([key]) => key === name)?.[1];
    const type = field("type");
    const entries = ["main", "module", "exports"].flatMap((name) => textsIn(field(name)));
    return { type: typeof type === "string" ? type : null, entries };
  } catch {
    return BROKEN;
  }
}

/** In `exports` the paths are nested in conditions. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
