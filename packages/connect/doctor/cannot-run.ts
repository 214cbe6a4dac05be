import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import type { Hook, SkippedFile, SkipReason } from "../../../src/protocol/hook.ts";
import { canBeApproved } from "../../../src/protocol/problem.ts";
import { knownTools } from "../../agents/match-coverage.ts";
import { inertMatch } from "./project-faults.ts";

const MISTAKEN: readonly SkipReason[] = [
  "not_executable",
  "not_regular",
  "broken_link",
  "link_loop",
  "unknown_format",
  "unreadable",
  "too_many",
  "shadowed",
  "not_identified",
];

/** Skipped files that look like hooks, without those that are hooks of this call all the same. */
export function mistakenFiles({ hooks, skipped }: Pick<HookSet, "hooks" | "skipped">): readonly SkippedFile[] {
  const reported = new Set(hooks.map(({ path }) => path));
  return skipped.filter(({ path, reason }) => MISTAKEN.includes(reason) && !reported.has(path));
}

/** The names of what cannot run although nobody decided so: no call would start it. Nothing is started to find out. */
export async function namesThatCannotRun(found: Pick<HookSet, "hooks" | "skipped">): Promise<readonly string[]> {
  const enabled = found.hooks.filter(({ kind, state }) => kind !== "guard" && state !== "disabled");
  const matching = enabled.filter(({ match, refusal }) => match !== null && refusal === null);
  const tools = matching.length === 0 ? [] : await knownTools(AGENT_NAMES);
  const faulty = [
    ...enabled.filter(isBroken),
    ...matching.filter((hook) => inertMatch(hook, tools).length > 0),
    ...mistakenFiles(found),
  ];
  return [...new Set(faulty.map(({ name }) => name))];
}

/** Somebody can approve an unapproved hook, and denied one. */
const isBroken = ({ refusal, trust }: Hook): boolean =>
  refusal !== null && trust !== "denied" && !canBeApproved(refusal);
