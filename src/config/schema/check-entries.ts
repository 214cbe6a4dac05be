import { compileTemplate } from "../../../packages/jinja/index.ts";
import {
  type DeclaredEntry,
  type EntryAction,
  entryCommand,
  isTemplate,
  type McpServer,
  PUSH_KEYS,
  type PushTemplates,
  SCHEME_NAMES,
  type SchemeName,
  schemeRow,
} from "../../protocol/entry.ts";
import { findEvent, nearestEvent } from "../../protocol/event.ts";
import type { Reads } from "../../protocol/hook.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { Override } from "../../protocol/setting-rows.ts";
import { ENTRY_ROWS, SERVER_ROWS } from "../../protocol/setting-rows.ts";
import { groupDigits, pluralize } from "../../protocol/text/count.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { isBlank, trimPythonSpace, truncate } from "../../protocol/text/text.ts";
import { entrySchema, issueText, serverSchema, type UncheckedFields, uncheckedFields } from "./config-schema.ts";
import { adaptReynEntry } from "./reyn-entry.ts";

interface Raw {
  readonly on: unknown;
  readonly at: string;
  readonly entry: unknown;
  readonly isListed: boolean;
  /** Why hookctl has nothing like it; null: it may have. */
  readonly unsupported: string | null;
}

/** The valid entries of a settings file, and the problems of those that hookctl cannot raise or run. */
interface CheckedEntries {
  readonly entries: readonly DeclaredEntry[];
  readonly unsupported: readonly ConfigProblem[];
}

/** The same limit as for files of a hooks folder, because each entry is checked in every call. */
const MOST_ENTRIES = 1_000;

/**
 * Checks the `hooks` of a settings file, in either form. Returns the entries or their faults. An event or an action that
 * only another program has is no fault: the file may be right for a newer version of its contract.
 */
export function checkEntries(found: unknown, file: string): Result<CheckedEntries, readonly ConfigProblem[]> {
  const { raw, problems, unsupported } = rawEntries(found, file);
  if (raw.length > MOST_ENTRIES) {
    const detail = `it declares ${pluralize(raw.length, "hook")}; a file may declare ${groupDigits(MOST_ENTRIES)}`;
    return fail([{ code: "CONFIG_BAD_VALUE", file, entry: "hooks", detail }]);
  }
  const entries: DeclaredEntry[] = [];
  const brokenTemplate = templateCheck();
  const counts = new Map<unknown, number>();
  for (const one of raw) {
    const number = (counts.get(one.on) ?? 0) + 1;
    counts.set(one.on, number);
    const reason = unsupportedProblem(one, file);
    if (reason !== null) {
      unsupported.push(reason);
      continue;
    }
    const entry = checkEntry(one, file, number);
    if (!entry.ok) {
      problems.push(...entry.error);
      continue;
    }
    const broken = entry.value.scheme === "template_push" ? brokenTemplate(entry.value.value) : null;
    if (broken !== null) {
      const { key, cause } = broken;
      problems.push({ code: "CONFIG_TEMPLATE", file, entry: `${one.at}.template_push.${key}`, cause });
    }
    entries.push(entry.value);
  }
  return problems.length > 0 ? fail([...problems, ...unsupported]) : ok({ entries, unsupported });
}

interface RawEntries {
  readonly raw: readonly Raw[];
  readonly problems: ConfigProblem[];
  readonly unsupported: ConfigProblem[];
}

function rawEntries(found: unknown, file: string): RawEntries {
  const all = { raw: [] as Raw[], problems: [] as ConfigProblem[], unsupported: [] as ConfigProblem[] };
  const { raw, problems, unsupported } = all;
  // YAML reads a key without a value as null.
  if (found === null) return all;
  if (Array.isArray(found))
    return { ...all, raw: found.map((entry, index) => ({ ...listed(entry), at: `hooks[${index}]`, isListed: true })) };
  if (typeof found !== "object") {
    problems.push({ code: "CONFIG_BAD_VALUE", file, entry: "hooks", detail: "it must be an object or a list" });
    return all;
  }
  for (const [on, list] of Object.entries(found)) {
    const at = `hooks.${on}`;
    // One for the whole list: it has no other fault than its key.
    if (findEvent(on) === null) unsupported.push(unknownEvent(on, "hooks", file));
    else if (!Array.isArray(list))
      problems.push({ code: "CONFIG_BAD_VALUE", file, entry: at, detail: "it must be a list of entries" });
    else
      raw.push(
        ...list.map((entry, index): Raw => ({ on, at: `${at}[${index}]`, entry, isListed: false, unsupported: null })),
      );
  }
  return all;
}

/** Why the entry has no effect; null: it can be checked. */
function unsupportedProblem({ on, at, unsupported }: Raw, file: string): ConfigProblem | null {
  if (unsupported !== null) return { code: "CONFIG_BAD_VALUE", file, entry: at, detail: unsupported };
  return typeof on === "string" && findEvent(on) === null ? unknownEvent(on, `${at}.on`, file) : null;
}

/** The list form is Reyn's, with the same meaning. */
function listed(entry: unknown): Pick<Raw, "on" | "entry" | "unsupported"> {
  if (typeof entry !== "object" || Array.isArray(entry) || entry === null)
    return { on: undefined, entry, unsupported: null };
  // A YAML 1.1 tool turns an unquoted `on` into `true`; Reyn reads both.
  const { true: unquoted, on = unquoted, name, ...others } = uncheckedFields(entry);
  const known = typeof on === "string" ? pointNamed(on) : on;
  const adapted = adaptReynEntry(known, others);
  const isNameless = name === undefined || name === null || (typeof name === "string" && isBlank(name));
  const named = typeof name === "string" ? trimPythonSpace(name) : name;
  const label = isNameless ? "" : `${truncate(String(named), 60)}: `;
  return {
    on: known,
    entry: { ...adapted.keys, ...(on === undefined ? {} : { on }), ...(isNameless ? {} : { name: named }) },
    unsupported: adapted.unsupported === null ? null : `${label}${adapted.unsupported}`,
  };
}

/** Reyn reads a point in any letter case, and `builtin:lifecycle:turn_end` as `turn_end`. */
function pointNamed(on: string): string {
  if (findEvent(on) !== null) return on;
  const point = trimPythonSpace(on)
    .toLowerCase()
    .replace(/^builtin:[a-z]+:/, "");
  return findEvent(point) === null ? on : point;
}

function checkEntry(
  { on, at, entry, isListed }: Raw,
  file: string,
  number: number,
): Result<DeclaredEntry, readonly ConfigProblem[]> {
  const event = typeof on === "string" ? findEvent(on) : null;
  if (typeof on !== "string" || event === null)
    return fail([{ code: "CONFIG_BAD_VALUE", file, entry: at, detail: "`on` must name its event" }]);
  const checked = entrySchema(isListed).safeParse(entry);
  if (!checked.success) return fail(checked.error.issues.flatMap((issue) => problemsOf(issue, at, file)));
  const data = checked.data as Override & {
    readonly name?: string;
    readonly files?: readonly string[];
    readonly reads?: Reads;
  } & UncheckedFields;
  const schemes = SCHEME_NAMES.filter((name) => data[name] !== undefined);
  const [scheme] = schemes;
  if (scheme === undefined || schemes.length > 1) {
    const detail = `it needs exactly one of ${SCHEME_NAMES.join(", ")}`;
    return fail([{ code: "CONFIG_BAD_VALUE", file, entry: at, detail }]);
  }
  if (typeof data.matcher === "string" && !schemeRow(scheme).isReyn) {
    return fail([{ code: "CONFIG_UNKNOWN_KEY", file, entry: at, key: "matcher", nearest: "match" }]);
  }
  const contradiction = contradictionIn(data, scheme);
  if (contradiction !== null) return fail([{ code: "CONFIG_CONTRADICTION", file, entry: at, detail: contradiction }]);
  // The schema has checked the value of the scheme.
  const saying = { scheme, value: data[scheme] } as EntryAction;
  if (schemeRow(scheme).requiresSandbox && [entryCommand(saying) ?? []].flat().some((word) => word.includes("{{"))) {
    const detail = "a command is not a template, so {{ }} would be passed to the program unchanged; use a script";
    return fail([{ code: "CONFIG_BAD_VALUE", file, entry: `${at}.${scheme}`, detail }]);
  }
  const { name = `${on}#${number}`, files = [] } = data;
  return ok({ ...propertiesOf(data, schemes), name, files, event: event.event, on, ...saying });
}

function contradictionIn(data: Override & { readonly reads?: Reads }, scheme: SchemeName): string | null {
  if (data.reads !== undefined && scheme !== "command") return `only a command can have reads, not ${scheme}`;
  if (data.fail_open !== false) return null;
  if (data.observe) return "an observer cannot decide, so it cannot have fail_open: false";
  const isPush = scheme === "template_push" || scheme === "shell_push";
  return isPush ? "a push that fails is skipped and decides nothing, so it cannot have fail_open: false" : null;
}

/** The remaining keys: without the scheme and `on`, which have their own fields, and without keys that have no effect. */
function propertiesOf(data: UncheckedFields, schemes: readonly SchemeName[]): Override {
  const others: readonly string[] = ["on", "matcher", ...schemes];
  const own = Object.entries(data).filter(([key]) => !others.includes(key));
  return Object.fromEntries(own);
}

const unknownEvent = (on: string, entry: string, file: string): ConfigProblem => ({
  code: "CONFIG_UNKNOWN_KEY",
  file,
  entry,
  key: on,
  nearest: nearestEvent(on),
});

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function problemsOf({ keys, path, message }: Issue, at: string, file: string): readonly ConfigProblem[] {
  const entry = [at, ...path].join(".");
  const known = entry === at ? [...Object.keys(ENTRY_ROWS), ...SCHEME_NAMES] : PUSH_KEYS;
  if (keys === undefined) return [{ code: "CONFIG_BAD_VALUE", file, entry, detail: issueText({ message }) }];
  return keys.map((key) => ({ code: "CONFIG_UNKNOWN_KEY", file, entry, key, nearest: nearest(key, known) }));
}

/** Checks one server of an agent's `mcp.json`; unknown keys are ignored. The fault never quotes a value. */
export function checkServer(found: unknown): Result<McpServer, string> {
  const all = new Map(Object.entries(Object(found)));
  if (!all.has("command")) return fail("it has no `command`; only stdio servers are supported");
  const known = Object.keys(SERVER_ROWS).flatMap((key) => (all.has(key) ? [[key, all.get(key)]] : []));
  const checked = serverSchema().safeParse(Object.fromEntries(known));
  if (checked.success) return ok(checked.data as McpServer);
  const [issue] = checked.error.issues;
  return fail(`${truncate(issue?.path.join(".") ?? "", 80)}: ${issueText(issue)}`);
}

/** In characters: templates of files that are not approved yet are compiled in hookctl's own process. */
const LONGEST_TEMPLATE = 65_536;
/** The limit of all templates of one file together. */
const LONGEST_TEMPLATES = 262_144;

interface BrokenTemplate {
  readonly key: string;
  readonly cause: string;
}

/** Creates the check for one file. It returns the first template that is not valid or too long. */
function templateCheck(): (push: PushTemplates) => BrokenTemplate | null {
  let total = 0;
  const causeOf = (template: string): string | null => {
    total += template.length;
    if (template.length > LONGEST_TEMPLATE) return `it is longer than ${LONGEST_TEMPLATE} characters`;
    if (total > LONGEST_TEMPLATES)
      return `the templates of the file are longer than ${LONGEST_TEMPLATES} characters together`;
    const compiled = compileTemplate(template);
    return compiled.ok ? null : compiled.error;
  };
  return (push) => {
    for (const key of PUSH_KEYS) {
      const cause = isTemplate(key, push[key]) ? causeOf(push[key]) : null;
      if (cause !== null) return { key, cause };
    }
    return null;
  };
}
