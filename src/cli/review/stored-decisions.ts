import { type CreatedContext, createRunContext } from "../../engine/create-run-context.ts";
import type { Host } from "../../engine/host.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { storeNotReadable } from "../../engine/trust-statuses.ts";
import { isSurelyMissing } from "../../fs/paths.ts";
import type { Approval, Approvals } from "../../protocol/approval.ts";
import { ProblemError, unwrap } from "../../protocol/result.ts";
import { byKey, denialKeys, isAmongHooks, withRealFolder } from "../../trust/decide/approval-key.ts";
import { readKnownHooks } from "../../trust/store/earlier-calls.ts";
import { changeApprovals, whyNotStored } from "../../trust/store/trust-store.ts";
import type { CommonOptions } from "../command-table.ts";

export type HookPaths = Pick<Approval, "name" | "path" | "realPath" | "source">;

/** The context of a command about approvals: `--trust` and HOOKCTL_TRUST must not hide what needs an approval. */
export const contextWithoutTrust = async (options: CommonOptions, host: Host): Promise<CreatedContext> =>
  unwrap(await createRunContext({ ...options, trust: false }, host, false));

/** The approvals and denials in the store. Throws the problem of a store that cannot be read. */
export function storedApprovals(context: RunContext): Approvals {
  const approvals = context.trustStore.approvals();
  if (approvals.ok) return approvals.value;
  throw new ProblemError(storeNotReadable(context, approvals.error));
}

/** The path of the trust store. Throws a problem if there is none. */
export function trustFileOf(context: RunContext): string {
  if (context.trustFile !== null) return context.trustFile;
  throw new ProblemError({ code: "TRUST_STORE_MISSING", detail: whyNotStored(context) });
}

/** The user's hooks that declared their events before and no longer exist. */
export const missingUserHooks = (context: RunContext): readonly HookPaths[] =>
  [...readKnownHooks(context)]
    .filter(([path]) => isSurelyMissing(path))
    .map(([path, { name }]) => ({ name, path, realPath: path, source: "user" }));

/** Stores denials by path, so that any later file at that path is denied too. */
export function denyHooks(hooks: readonly HookPaths[], context: RunContext): Promise<readonly HookPaths[]> {
  const since = new Date(context.nowMs).toISOString();
  const paths = hooks.flatMap(({ path }) => [path, withRealFolder(path)]);
  return replaceDecisions(hooks, context, ({ approved, denied }) => ({
    approved,
    denied: { ...denied, ...Object.fromEntries(paths.map((path) => [path, since])) },
  }));
}

/** Replaces the current approvals of these hooks by earlier ones. */
export const restoreApprovals = (
  hooks: readonly HookPaths[],
  earlier: readonly Approval[],
  context: RunContext,
): Promise<readonly HookPaths[]> =>
  replaceDecisions(hooks, context, ({ approved, denied }) => ({
    approved: byKey([...Object.values(approved), ...earlier]),
    denied,
  }));

export const forgetApprovals = (hooks: readonly HookPaths[], context: RunContext): Promise<readonly HookPaths[]> =>
  replaceDecisions(hooks, context, (others) => others);

/** Forgets approvals and denials, so that the hooks need approval again. */
export function forgetDecisions(hooks: readonly HookPaths[], context: RunContext): Promise<readonly HookPaths[]> {
  const lifted = new Set(hooks.flatMap(denialKeys));
  return replaceDecisions(hooks, context, ({ approved, denied }) => ({
    approved,
    denied: Object.fromEntries(Object.entries(denied).filter(([path]) => !lifted.has(path))),
  }));
}

/** Changes the store, from which the approvals of the hooks were removed. Returns the hooks, each once. */
async function replaceDecisions(
  hooks: readonly HookPaths[],
  context: RunContext,
  edit: (others: Approvals) => Approvals,
): Promise<readonly HookPaths[]> {
  if (hooks.length === 0) return [];
  const trustFile = trustFileOf(context);
  const isReplaced = isAmongHooks(hooks);
  const change = ({ approved, denied }: Approvals): Approvals =>
    edit({ approved: byKey(Object.values(approved).filter((approval) => !isReplaced(approval))), denied });
  const changed = await changeApprovals(trustFile, change, { userId: context.userId, nowMs: () => context.nowMs });
  if (!changed.ok) throw new ProblemError({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: changed.error });
  return [...new Map(hooks.map((hook) => [hook.path, hook])).values()];
}
