import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createCheckedContext, createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { objectOr, readJson } from "../../../../src/protocol/json/read.ts";
import { type JsonRecord, type JsonValue, jsonText } from "../../../../src/protocol/json/write.ts";
import type { Problem } from "../../../../src/protocol/problem.ts";
import { attemptSync, fail, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { TOP_LEVEL_KEYS } from "../../../../src/protocol/setting-rows.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { acceptDropped } from "../../install/seal/dropped-guards.ts";
import type { MemberEdit } from "../../install/settings-file/edit-switches.ts";
import { configChangedJson, configChangedText, configJson, configText } from "../../report/config-text.ts";
import { editSettings, writeSettings } from "../guards/switches-file.ts";
import { effectiveRows, type SettingValue } from "./effective-rows.ts";

type Options = OptionsOf<"config">;

/** `hookctl config show|set|unset`: the effective settings with their origin, and changes of single ones. */
export async function config({ args, options }: CommandLine<"config">, host: Host): Promise<CommandResult> {
  const [action = "show", key, ...values] = args;
  const isShort = key !== undefined && values.length === (action === "set" ? 1 : 0);
  if (action === "show" && values.length === 0) return show(key ?? null, options, host);
  if (action === "set" && isShort) return change(key, values[0] ?? "", options, host);
  if (action === "unset" && isShort) return change(key, null, options, host);
  const examples: Readonly<Record<string, string>> = {
    show: `hookctl config show ${key === undefined ? "timeout" : shellQuote(key)}`,
    set: "hookctl config set timeout 10s --here",
    unset: "hookctl config unset timeout --here",
  };
  const detail = "config takes show [KEY], set KEY VALUE, or unset KEY.";
  const near = action === "get" ? "show" : nearest(action, Object.keys(examples));
  throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: examples[near ?? "show"] ?? "" });
}

async function show(key: string | null, options: Options, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createCheckedContext(options, host, false));
  const all = rowsOf(context, options);
  const path = key === null ? "" : pathOf(key).join(".");
  const rows = all.filter((row) => path === "" || row.key === path || row.key.startsWith(`${path}.`));
  if (rows.length === 0) {
    const known = all.map((row) => row.key);
    const near = nearest(path, known);
    const detail = `${key} is not set${near === null ? "" : `; did you mean ${near}?`}`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail: `${detail}.`, tryThis: "hookctl config show" });
  }
  if (options.json) return print(`${configJson(rows)}\n`, host);
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  const text = configText(rows, options.hasOrigin, paths, await stdoutStyle(options, host));
  const hint = options.hasOrigin || key !== null ? "" : "Where each value is from: hookctl config show --origin\n";
  return print(text + hint, host);
}

const rowsOf = (context: RunContext, { timeoutMs, deadlineMs }: Options): readonly SettingValue[] =>
  effectiveRows(context, (key) => (key === "timeout" ? timeoutMs : deadlineMs) !== null);

/** The path of a key: a general setting may be typed without `settings`, and the name of a hook may have points. */
function pathOf(key: string): readonly string[] {
  const [first = "", ...rest] = key.split(".");
  if (rest.length === 0) return TOP_LEVEL_KEYS.some((known) => known === first) ? [first] : ["settings", first];
  const isNamed = (first === "overrides" || first === "mcp_servers") && rest.length > 2;
  return isNamed ? [first, rest.slice(0, -1).join("."), rest.at(-1) ?? ""] : [first, ...rest];
}

/** The values that a typed text can be: the schema decides. */
const valuesOf = (typed: string): readonly JsonValue[] => {
  const json = readJson(typed, 16);
  return [...(json.ok ? [JSON.parse(json.value.raw) as JsonValue] : []), typed, typed.split(",")];
};

/** `settings: { deadline: 50s }` */
function yamlOf(path: readonly string[], typed: string): string {
  const quoted = (text: string): string => (/^[\w-]+$/.test(text) ? text : jsonText(text));
  const value = readJson(typed, 16).ok ? typed : quoted(typed);
  return path.reduceRight((inner, key) => `{ ${quoted(key)}: ${inner} }`, value).slice(2, -2);
}

/** Of the problems of all forms that a text can have, one that is about more than the form. */
function faultOf(problems: readonly Problem[]): Problem {
  const isOfForm = (one: Problem): boolean =>
    one.code === "CONFIG_BAD_VALUE" && /^expected \w+, received/.test(one.detail);
  const [first = { code: "INTERNAL_FAULT", detail: "no value" } satisfies Problem] = problems;
  return problems.find((one) => !isOfForm(one)) ?? first;
}

/** The edits that set a member, or that remove it. */
function memberEdits(root: unknown, path: readonly string[], value: JsonValue | undefined): readonly MemberEdit[] {
  const values = path.map((_, depth) =>
    path.slice(0, depth + 1).reduce<unknown>((found, key) => objectOr(found)[key], root),
  );
  // A member that is not there cannot be removed.
  if (value === undefined) return values.at(-1) === undefined ? [] : [{ path: [...path], value: undefined }];
  // `"git": true` becomes an object.
  const plain = values.findIndex((one, depth) => typeof one === "boolean" && depth < path.length - 1);
  if (plain < 0) return [{ path: [...path], value }];
  const inner = path.slice(plain + 1).reduceRight<JsonValue>((all, key) => ({ [key]: all }), value);
  const enabled = values[plain] === false ? { enabled: false } : {};
  return [{ path: path.slice(0, plain + 1), value: { ...enabled, ...(inner as JsonRecord) } }];
}

async function change(
  key: string,
  typed: string | null,
  { isHere, isProject, json, ...common }: Options,
  host: Host,
): Promise<CommandResult> {
  if (isHere && isProject) {
    const detail = "--here and --project cannot be combined: your settings for this project, or those that it shares.";
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl config set timeout 10s --here" });
  }
  const options = { ...common, json, config: null, only: null, skip: [] };
  const { context } = unwrap(await createRunContext(options, host, false));
  const own = pathOf(key);
  const path = [...(isHere ? ["projects", context.scopes.rootDir] : []), ...own];
  const yaml = typed === null ? `remove from it: ${path.join(".")}` : `add to it: ${yamlOf(path, typed)}`;
  // Any setting can loosen a guard: its timeout, what is recorded, who approves.
  await requirePerson(host);
  const edit = (value: JsonValue | undefined) =>
    attemptSync(() =>
      unwrap(editSettings({ isProject, yaml }, (root) => memberEdits(root, path, value), { context, host })),
    );
  const tried = typed === null ? [edit(undefined)] : valuesOf(typed).map(edit);
  const edited = tried.find(({ ok }) => ok);
  if (edited === undefined || !edited.ok) return fail(faultOf(tried.flatMap((one) => (one.ok ? [] : [one.error]))));
  const { file, isChanged } = edited.value;
  const dropped = !isHere && own[0] === "guards" && own[1] !== undefined ? [{ file, name: own[1] }] : [];
  const problem = isChanged ? ((await writeSettings(edited.value)) ?? acceptDropped(dropped, context)) : null;
  if (problem !== null) return fail(problem);
  // Settings of the project are judged as if they were approved; what they say of hooks is for those of the project.
  const { context: after } = unwrap(await createRunContext({ ...options, trust: isProject }, host, false));
  const { projects, user, projectHooks } = after.settings;
  const ofProject = projects.find(({ folder }) => isProject && folder === after.scopes.projectDir);
  const inForce = { ...after, settings: { ...after.settings, user: ofProject ?? user } };
  const rows = rowsOf(inForce, { ...options, isHere, isProject, hasOrigin: false });
  const [now, fixed] = [own.join("."), fixedGuard(own, context, after)].map((name) =>
    rows.find((row) => row.key === name),
  );
  const wanted = isProject ? "project" : isHere ? "here" : "user";
  const decides = typed === null ? null : (fixed ?? (now !== undefined && now.origin !== wanted ? now : null));
  const waits = isProject && projectHooks === "ask";
  const report = { key: own.join("."), isUnset: typed === null, isChanged, file, now: now ?? null, decides, waits };
  const paths = { cwd: host.cwd, homeDir: context.scopes.homeDir };
  return print(json ? `${configChangedJson(report)}\n` : configChangedText(report, paths), host);
}

/** `guards.git`, if that guard of the machine is as it was although a key of it was set: no one loosens it. */
function fixedGuard([list, name = "", ...keys]: readonly string[], before: RunContext, after: RunContext) {
  const [then, now] = [before, after].map(({ settings }) => settings.guards.find((guard) => guard.name === name));
  const isFixed = list === "guards" && keys.length > 0 && now?.source === "machine";
  return isFixed && JSON.stringify(then) === JSON.stringify(now) ? `guards.${name}` : null;
}
