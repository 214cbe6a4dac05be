import { basename } from "node:path";
import { type CommandResult, print } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import { requirePerson } from "../cli/prompt/require-person.ts";
import { notYourHook } from "../cli/review/not-your-hook.ts";
import { fullHookName, matchesHookArgument } from "../discover/candidate-names.ts";
import { createRunContext } from "../engine/create-run-context.ts";
import { findAllCandidates } from "../engine/hooks/candidates.ts";
import type { RunContext } from "../engine/run-context.ts";
import { settingsItems } from "../engine/settings/project-settings.ts";
import { storeNotReadable } from "../engine/trust-statuses.ts";
import { isInside, isSurelyMissing } from "../fs/paths.ts";
import type { Host } from "../host.ts";
import type { Approval, Approvals } from "../protocol/approval.ts";
import { isMachine } from "../protocol/hook.ts";
import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { warningLine } from "../report/problem-text.ts";
import { PLAIN_STYLE } from "../report/text-style.ts";
import { deniedText, forgottenText, untrustJson } from "../report/trust/approvals-text.ts";
import { byKey, denialKeys, isAmongHooks, withRealFolder } from "../trust/decide/approval-key.ts";
import { changeApprovals } from "../trust/store/change-approvals.ts";
import { forgetKnownHooks, readKnownHooks } from "../trust/store/known-hooks.ts";
import { whyNotStored } from "../trust/store/trust-store.ts";

type HookPaths = Pick<Approval, "name" | "path" | "realPath" | "source">;

/** Forgets approvals; with `--deny` stores denials, which win over any approval. */
export async function untrust(line: CommandLine<"untrust">, host: Host): Promise<CommandResult> {
  const { options } = line;
  const isDenial = line.options.deny;
  if (isDenial && line.args.length === 0) {
    const tryThis = "hookctl untrust --deny NAME";
    return fail({ code: "USAGE_WRONG_WORDS", detail: "--deny: missing argument NAME.", tryThis });
  }
  const refusal = await requirePerson(host);
  if (refusal !== null) return fail(refusal);
  const started = await createRunContext(options, host, false);
  if (!started.ok) return started;
  const { context } = started.value;
  const approvals = context.trustStore.approvals();
  if (!approvals.ok) return fail(storeNotReadable(context, approvals.error));
  const { folders, rootDir } = context.scopes;
  const own = Object.values(approvals.value.approved).filter(({ project }) => folders.includes(project));
  const choosable = findAllCandidates(context).candidates.filter((one) => !isMachine(one));
  const candidates = [...settingsItems(context, approvals.value), ...choosable];
  // An existing hook is listed with its current name.
  const present = new Set(candidates.map(({ path }) => path));
  const missing = own.filter(({ path }) => !present.has(path));
  const missingOwn = missingUserHooks(context);
  const places = [...candidates, ...missing, ...deniedIn(rootDir, approvals.value), ...missingOwn];
  const names = places.map(({ name }) => name);
  const words = line.args.map((word) => fullHookName(word, names));
  const unknown = words.find((word) => !places.some((place) => matchesHookArgument(word, place, context.cwd)));
  if (unknown !== undefined) return fail(notYourHook(unknown, names, context));
  const named =
    line.args.length === 0
      ? own
      : places.filter((place) => words.some((word) => matchesHookArgument(word, place, context.cwd)));
  const edit = isDenial ? denyHooks : line.args.length === 0 ? forget : lift;
  const changed = await edit(named, context, host);
  if (!changed.ok) return changed;
  const chosen = new Set(named.map(({ path }) => path));
  const gone = missingOwn.filter(({ path }) => chosen.has(path));
  forgetKnownHooks(
    gone.map(({ path }) => path),
    context,
  );
  if (!isDenial && context.settings.projectHooks === "allow" && changed.value.some(({ source }) => source !== "user")) {
    const text =
      "your settings allow every hook of a project (project_hooks), so it still runs: hookctl untrust --deny NAME";
    host.err(warningLine(text, PLAIN_STYLE));
  }
  const { json: isJson } = options;
  if (isJson) return print(`${untrustJson(isDenial ? "denied" : "forgotten", changed.value)}\n`, host);
  return print((isDenial ? deniedText : forgottenText)(changed.value), host);
}

/** A denial stays when its file is deleted, and can still be lifted. */
const deniedIn = (rootDir: string, { denied }: Approvals): readonly HookPaths[] =>
  Object.keys(denied)
    .filter((path) => isInside(rootDir, path))
    .map((path) => ({ name: basename(path), path, realPath: path, source: "project" }));

/** The user's own hooks that declared their events before and no longer exist. */
export const missingUserHooks = (context: RunContext): readonly HookPaths[] =>
  [...readKnownHooks(context)]
    .filter(([path]) => isSurelyMissing(path))
    .map(([path, { name }]) => ({ name, path, realPath: path, source: "user" }));

/** Stores denials by path, so that any later file at that path is denied too. Returns the hooks, each once. */
export function denyHooks(places: readonly HookPaths[], context: RunContext, host: Host): Promise<ChangedHooks> {
  const since = new Date(context.nowMs).toISOString();
  const paths = places.flatMap(({ path }) => [path, withRealFolder(path)]);
  return changeStore(places, context, host, (approvals) => ({
    approved: without(approvals.approved, places),
    denied: { ...approvals.denied, ...Object.fromEntries(paths.map((path) => [path, since])) },
  }));
}

/** Replaces the current approvals of these hooks by earlier ones. */
export const restoreApprovals = (
  places: readonly HookPaths[],
  before: readonly Approval[],
  context: RunContext,
  host: Host,
): Promise<ChangedHooks> =>
  changeStore(places, context, host, ({ approved, denied }) => ({
    approved: byKey([...Object.values(without(approved, places)), ...before]),
    denied,
  }));

export const forget = (places: readonly HookPaths[], context: RunContext, host: Host): Promise<ChangedHooks> =>
  changeStore(places, context, host, ({ approved, denied }) => ({
    approved: without(approved, places),
    denied,
  }));

/** A named hook is pending again, so its denials are forgotten as well. */
function lift(places: readonly HookPaths[], context: RunContext, host: Host): Promise<ChangedHooks> {
  const lifted = new Set(places.flatMap(denialKeys));
  return changeStore(places, context, host, ({ approved, denied }) => ({
    approved: without(approved, places),
    denied: Object.fromEntries(Object.entries(denied).filter(([path]) => !lifted.has(path))),
  }));
}

type ChangedHooks = Result<readonly HookPaths[], Problem>;

async function changeStore(
  places: readonly HookPaths[],
  context: RunContext,
  host: Host,
  edit: (approvals: Approvals) => Approvals,
): Promise<ChangedHooks> {
  const { trustFile, userId } = context;
  if (places.length === 0) return ok([]);
  if (trustFile === null) return fail({ code: "TRUST_STORE_MISSING", detail: whyNotStored(context) });
  const changed = await changeApprovals(trustFile, edit, { userId, nowMs: host.nowMs });
  if (!changed.ok) return fail({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: changed.error });
  return ok([...new Map(places.map((place) => [place.path, place])).values()]);
}

function without(approvals: Approvals["approved"], places: readonly HookPaths[]): Approvals["approved"] {
  const isForgotten = isAmongHooks(places);
  return byKey(Object.values(approvals).filter((one) => !isForgotten(one)));
}
