import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { mayMatch } from "../../../src/shell/globs.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { FileAccess } from "../command/files/file-access.ts";
import { zoneOf } from "../command/paths.ts";
import { applyEdit } from "../file-edit.ts";
import type { Finding, Guard, GuardContext } from "../guard.ts";
import fileTable from "./agent-config/files.json" with { type: "json" };
import table from "./agent-config/rules.json" with { type: "json" };
import { readRules } from "./command-rules.ts";
import { filesystem } from "./filesystem.ts";
import { textsOf, WRITES_TEXT } from "./secrets/written.ts";
import { selfProtection } from "./self-protection.ts";

/** Files with the rule for a change of them. */
interface Row {
  readonly rule: keyof typeof table.rules;
  /** Globs; `~/` is the home. */
  readonly files: readonly string[];
  readonly except?: readonly string[];
  /** A pattern of the settings that matter; absent if every change does. */
  readonly text?: string;
  /** Hosts to which such a setting may point. */
  readonly known?: string;
  /** True if a change whose text is not known is asked about. */
  readonly blind?: true;
  /** True if the loss of the file matters, too: the hooks in it no longer run. */
  readonly deleted?: true;
}

const RULES = readRules(table);
/** Where file systems do not tell letters apart, `.MCP.json` is the same file. */
const inLowerCase = (text: string): string => text.toLowerCase();

const { samples, rows } = tableOf<{ readonly samples: readonly string[]; readonly rows: readonly Row[] }>(fileTable);
const ROWS = rows.map(({ text, known = "", files, except = [], ...row }) => ({
  ...row,
  files: files.map(inLowerCase),
  except: except.map(inLowerCase),
  known: new Set(known === "" ? [] : namesIn(known)),
  pattern: text === undefined ? null : new RegExp(text, "gi"),
}));

const GLOBS = ROWS.flatMap((row) => row.files.map((glob) => ({ row, glob })));

/** The globs by the last of their parts without a wildcard; a command may name thousands of files. */
const BY_PART = new Map<string, (typeof GLOBS)[number][]>();
for (const one of GLOBS) {
  const part = one.glob.split("/").findLast((name) => !/^~?$|[*?{[]/.test(name)) ?? "";
  BY_PART.set(part, [...(BY_PART.get(part) ?? []), one]);
}

type ReadRow = (typeof ROWS)[number];

export const agentConfig: Guard = { ...RULES.guard, judgeCall: RULES.judgeByForm, judgeFile, needsText };

/** True for a file whose text before the call decides what is new in it. */
function needsText(access: FileAccess, place: GuardContext["place"]): boolean {
  return isChange(access) && rowsFor(access, place).some(({ pattern }) => pattern !== null);
}

function judgeFile(access: FileAccess, context: GuardContext): Finding | null {
  const isGone = access.kind === "delete" && access.tree === undefined;
  if (!isChange(access) && !isGone) return null;
  for (const row of rowsFor(access, context.place)) {
    if (isGone && row.deleted !== true) continue;
    const change = row.pattern === null ? "certain" : changeOf(access, row, row.pattern);
    if (change === "none" || isJudged(access, context)) continue;
    const unknown = change === "unknown" ? { isUnknown: true as const } : {};
    return RULES.find(row.rule, access.call?.source ?? access.source, unknown);
  }
  return null;
}

/** A tool that no table knows writes if it has a text for the file. A folder, or a new time, changes no setting. */
const isChange = ({ kind, tree, edit, call }: FileAccess): boolean =>
  tree === undefined &&
  !/^(?:mkdir|touch)$/.test(call?.program ?? "") &&
  (kind === "write" || (kind === "use" && typeof edit?.newText === "string"));

function rowsFor({ path }: FileAccess, place: GuardContext["place"]): readonly ReadRow[] {
  // `sed -i … *.json` names no file of these.
  if (/\/[*?[][^/]*$/.test(path)) return [];
  const name = inLowerCase(path);
  const home = inLowerCase(place.home);
  const fits = (glob: string): boolean => mayMatch(name, glob.startsWith("~/") ? home + glob.slice(1) : glob);
  const named = /[*?[]/.test(name)
    ? GLOBS
    : ["", ...new Set(name.split("/"))].flatMap((part) => BY_PART.get(part) ?? []);
  const fitting = new Set(named.flatMap(({ row, glob }) => (fits(glob) ? [row] : [])));
  const found = ROWS.filter((row) => fitting.has(row) && !row.except.some(fits));
  if (found.length === 0 || samples.some(fits)) return [];
  // A home may be in a temporary folder.
  return zoneOf(path, place) === "temp" && !isWithin(path, place.home) ? [] : found;
}

/** Another guard gives a reason already. */
const isJudged = (access: FileAccess, context: GuardContext): boolean =>
  [selfProtection, filesystem].some(({ judgeFile: other }) => (other?.(access, context) ?? null) !== null);

function changeOf(access: FileAccess, row: ReadRow, pattern: RegExp): "none" | "certain" | "unknown" {
  const { before, after } = textsAround(access);
  if (after === null) return row.blind === true ? "unknown" : "none";
  const old = new Set(settingsIn(before, pattern));
  return settingsIn(after, pattern).some((one) => !old.has(one) && !isKnown(one, row)) ? "certain" : "none";
}

/** The texts of the file before and after the change, as far as the call shows them; null if it does not show the new one. */
function textsAround(access: FileAccess): { readonly before: string; readonly after: string | null } {
  const { edit, call, replaced } = access;
  if (call !== null) {
    const texts = WRITES_TEXT.test(call.program) || call.parent?.relation === "inline code" ? textsOf(call) : [];
    const text = texts.join("\n");
    const isShown = text.replaceAll(UNKNOWN, "").trim() !== "";
    return { before: replaced ?? "", after: isShown ? text.replace(/\\[nrt]/g, "\n") : null };
  }
  const before = replaced ?? edit?.oldText ?? "";
  const after = edit === null || replaced == null ? null : applyEdit(replaced, edit);
  return { before, after: after ?? edit?.newText ?? null };
}

/** The settings of a text that a pattern means, each without the white space in it. */
const settingsIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([setting]) => setting.replace(/\s+/g, ""));

/** True if a setting names known hosts only. */
function isKnown(setting: string, { known }: ReadRow): boolean {
  const hosts = [...setting.matchAll(/\/\/(?:[^/@\s]*@)?([\w.-]+)/g)].map(([, host = ""]) => host.toLowerCase());
  return hosts.length > 0 && hosts.every((host) => known.has(host));
}
