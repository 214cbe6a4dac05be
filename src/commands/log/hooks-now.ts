import { isAbsolute } from "node:path";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { isSurelyMissing } from "../../fs/paths.ts";
import type { Hook } from "../../protocol/hook.ts";
import { hasRun, type LoggedHook, type LoggedRun } from "../../protocol/logged-run.ts";
import { sandboxText } from "../../protocol/sandbox.ts";
import type { HookNow } from "../../report/why-text.ts";

/** What has become of the hooks of a run since then. Nothing is started. Without a file of its own a hook is left out. */
export async function hooksNow(run: LoggedRun, context: RunContext): Promise<ReadonlyMap<LoggedHook, HookNow>> {
  const { hooks } = await resolveHooks(findAllCandidates(context), context, null);
  const examined = run.hooks.filter((hook) => isAbsolute(hook.path) && (hasRun(hook) || hook.outcome === "refused"));
  return new Map(examined.map((hook) => [hook, hookNow(hook, hooks, context)]));
}

function hookNow(then: LoggedHook, hooks: readonly Hook[], context: RunContext): HookNow {
  const now = hooks.find(({ name, path }) => name === then.name && path === then.path);
  const approvedMs = approvalTime(then, context);
  // An entry of a settings file has the path of that file: `hooks.json#hooks[0]`.
  const isGone = isSurelyMissing(then.path.replace(/#[^/]*$/, ""));
  if (isGone || now === undefined) return { state: isGone ? "gone" : "absent", hash: null, approvedMs, sandbox: null };
  const { trust, hash, disabledReason } = now;
  const sandbox = now.sandbox === undefined ? null : sandboxText(now.sandbox);
  const known = { hash, approvedMs, sandbox };
  if (trust !== "trusted") return { ...known, state: trust };
  if (disabledReason !== null) return { ...known, state: "off", reason: disabledReason };
  const isSame = then.hash === null || hash === null || then.hash === hash;
  return { ...known, state: isSame ? "trusted" : "replaced" };
}

function approvalTime({ path, name }: LoggedHook, { trustStore }: RunContext): number | null {
  const stored = trustStore.approvals();
  const approvals = stored.ok ? Object.values(stored.value.approved).filter((one) => one.path === path) : [];
  const approval = approvals.find((one) => one.name === name) ?? approvals[0];
  const ms = Date.parse(approval?.approvedAt ?? "");
  return Number.isNaN(ms) ? null : ms;
}
