import { readProgramText } from "./read-or-null.ts";

/** What a runtime takes from a `package.json`. */
interface PackageFields {
  /** Which kind of module its `.js` files are, as it is written; null: it does not say. */
  readonly type: string | null;
  /** The files that its name leads to, as paths from its folder. */
  readonly entries: readonly string[];
}

/** A runtime stops at a `package.json` that it cannot parse. */
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

/** `exports` has its paths below conditions. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
