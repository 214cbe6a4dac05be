import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../../src/engine/hooks/resolve-hooks.ts";
import { withoutPauses } from "../../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { ownValue } from "../../../../src/protocol/own-value.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import type { Switch } from "../../install/settings-file/edit-switches.ts";
import type { Unaffected } from "../../report/guards-text.ts";

interface SwitchChange {
  readonly switches: readonly Switch[];
  readonly isOn: boolean;
  /** The settings were written for the project, and apply as if they were approved. */
  readonly isProject: boolean;
}

/** The guards and hooks that stay as they were, because something else decides: other settings, a pause, a missing approval. */
export async function findUnaffected(
  { switches, isOn, isProject }: SwitchChange,
  options: Parameters<typeof createRunContext>[0],
  host: Host,
): Promise<readonly Unaffected[]> {
  const again = await createRunContext({ ...options, trust: options.trust || isProject }, host, false);
  if (!again.ok) return [];
  // A pause ends by itself, and no settings stay on or off because of it; but what it switches off is not on.
  const lasting = withoutPauses(again.value.context);
  const context = isOn ? { ...lasting, pauses: again.value.context.pauses } : lasting;
  const { hooks } = await resolveHooks(findAllCandidates(context), context, null);
  return switches.flatMap(({ name, key }) => {
    const named = hooks.filter((hook) => hook.name === name && (hook.kind === "guard") === (key === "guards"));
    const on = named.filter(({ disabledReason }) => disabledReason === null);
    const refused = on.map(({ refusal }) => refusal);
    if (isOn ? refused.includes(null) : on.length === 0) return [];
    const [refusal] = refused;
    if (isOn && refusal) return [{ name, reason: `does not run: ${explain(refusal).summary}` }];
    const off = named.find(({ disabledReason }) => disabledReason !== null)?.disabledReason;
    const [guard] = context.settings.guards.filter((one) => one.name === name);
    if (isOn) return [{ name, reason: `stays off: ${off ?? `${deciding(name, context)} turn it off`}` }];
    const file = key === "guards" ? guard?.file : undefined;
    const keeper = file === undefined ? "other settings make it fail-closed or required" : `${file} turns it on`;
    return [{ name, reason: `stays on: ${keeper}` }];
  });
}

/** The settings that turn a guard off. */
function deciding(name: string, { plan }: RunContext): string {
  const file = plan.files.find(({ data }) => ownValue(data.guards, name)?.enabled === false)?.file;
  return file === undefined ? "other settings" : `the settings in ${file}`;
}
