import type { Override } from "../contract/config.ts";
import { type DeclaredEntry, ENTRY_ROWS, SCHEME_NAMES, SCHEMES_NOT_YET, type SchemeName } from "../contract/entry.ts";
import { allNames, findEvent } from "../contract/event.ts";
import { nearest } from "../contract/nearest.ts";
import type { ConfigProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { entrySchema } from "./config-schema.ts";
import { hasUnkeptName, UNKEPT_NAME } from "./unkept-name.ts";

type Found = Readonly<Record<string, unknown>>;
type Raw = { readonly on: unknown; readonly at: string; readonly entry: unknown; readonly isListed: boolean };

/** The `hooks` of a settings file, in either form, as checked entries; or the first thing wrong with them (SPEC 9). */
export function checkEntries(found: unknown, file: string): Result<readonly DeclaredEntry[], ConfigProblem> {
  const raw = rawEntries(found, file);
  if (!raw.ok) return raw;
  const entries: DeclaredEntry[] = [];
  const counts = new Map<unknown, number>();
  for (const one of raw.value) {
    const number = (counts.get(one.on) ?? 0) + 1;
    counts.set(one.on, number);
    const entry = checkEntry(one, file, number);
    if (!entry.ok) return entry;
    entries.push(entry.value);
  }
  return ok(entries);
}

function rawEntries(found: unknown, file: string): Result<readonly Raw[], ConfigProblem> {
  if (Array.isArray(found)) {
    return ok(found.map((entry, index) => ({ on: objectOf(entry).on, at: `hooks[${index}]`, entry, isListed: true })));
  }
  if (typeof found !== "object" || found === null) {
    return fail({ code: "CONFIG_BAD_VALUE", file, entry: "hooks", detail: "it is neither an object nor a list" });
  }
  const all: Raw[] = [];
  for (const [on, list] of Object.entries(found)) {
    if (findEvent(on) === null) return fail(unknownEvent(on, "hooks", file, false));
    if (!Array.isArray(list)) {
      return fail({ code: "CONFIG_BAD_VALUE", file, entry: `hooks.${on}`, detail: "it must be a list of entries" });
    }
    all.push(...list.map((entry, index): Raw => ({ on, at: `hooks.${on}[${index}]`, entry, isListed: false })));
  }
  return ok(all);
}

function checkEntry(
  { on, at, entry, isListed }: Raw,
  file: string,
  number: number,
): Result<DeclaredEntry, ConfigProblem> {
  const event = typeof on === "string" ? findEvent(on) : null;
  if (typeof on !== "string" || event === null) return fail(unknownEvent(on, at, file, isListed));
  const notYet = SCHEMES_NOT_YET.find((scheme) => Object.hasOwn(objectOf(entry), scheme));
  if (notYet !== undefined) return fail({ code: "CONFIG_NOT_SUPPORTED", file, entry: `${at}.${notYet}` });
  const checked = entrySchema(isListed).safeParse(entry);
  if (!checked.success) return fail(problemOf(checked.error.issues[0], at, file));
  if (hasUnkeptName(objectOf(entry).match))
    return fail({ code: "CONFIG_BAD_VALUE", file, entry: `${at}.match`, detail: UNKEPT_NAME });
  const data = checked.data as Override & { readonly name?: string; readonly files?: readonly string[] } & Found;
  const schemes = SCHEME_NAMES.filter((name) => data[name] !== undefined);
  const [scheme] = schemes;
  if (scheme === undefined || schemes.length > 1) {
    const detail = `it needs exactly one of ${[...SCHEME_NAMES, ...SCHEMES_NOT_YET].join(", ")}`;
    return fail({ code: "CONFIG_BAD_VALUE", file, entry: at, detail });
  }
  if (data.observe && data.fail_open === false) {
    const detail = "an observer decides nothing, so it cannot have fail_open: false";
    return fail({ code: "CONFIG_CONTRADICTION", file, entry: at, detail });
  }
  const { name = `${on}#${number}`, files = [] } = data;
  const value = data[scheme] as DeclaredEntry["value"];
  return ok({ ...propertiesOf(data, schemes), name, files, event: event.event, on, scheme, value });
}

/** Without the scheme's own key and the list form's `on`, which have fields of their own. */
function propertiesOf(data: Found, schemes: readonly SchemeName[]): Override {
  const own = Object.entries(data).filter(([key]) => key !== "on" && !schemes.some((scheme) => scheme === key));
  return Object.fromEntries(own);
}

function unknownEvent(on: unknown, at: string, file: string, isListed: boolean): ConfigProblem {
  const names = [...allNames()].map(([name]) => name);
  if (typeof on !== "string") return { code: "CONFIG_BAD_VALUE", file, entry: at, detail: "`on` must name its event" };
  const entry = isListed ? `${at}.on` : "hooks";
  return { code: "CONFIG_UNKNOWN_KEY", file, entry, key: on, nearest: nearest(on, names) };
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function problemOf(issue: Issue | undefined, at: string, file: string): ConfigProblem {
  const [key] = issue?.keys ?? [];
  if (key !== undefined) {
    const known = [...Object.keys(ENTRY_ROWS), ...SCHEME_NAMES, ...SCHEMES_NOT_YET];
    return { code: "CONFIG_UNKNOWN_KEY", file, entry: at, key, nearest: nearest(key, known) };
  }
  const entry = [at, ...(issue?.path ?? [])].join(".");
  return { code: "CONFIG_BAD_VALUE", file, entry, detail: issue?.message ?? "not valid" };
}

const objectOf = (value: unknown): Found => (typeof value === "object" && value !== null ? { ...value } : {});
