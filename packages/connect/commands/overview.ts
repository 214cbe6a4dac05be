import { type CommandResult, print } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../src/engine/hooks/candidates.ts";
import { withMissingCommands } from "../../../src/engine/hooks/missing-command.ts";
import { resolveHooks } from "../../../src/engine/hooks/resolve-hooks.ts";
import type { Host } from "../../../src/engine/host.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { AGENT_NAMES, INSTALL_SCOPES } from "../../../src/protocol/agent-names.ts";
import { hasUnknownEvents, isRefused } from "../../../src/protocol/hook.ts";
import { canBeApproved } from "../../../src/protocol/problem.ts";
import { unwrap } from "../../../src/protocol/result.ts";
import { namesThatCannotRun } from "../doctor/cannot-run.ts";
import { installTargetIn, isRegistered } from "../install/install-target.ts";
import { type Overview, overviewJson, overviewText } from "../report/overview-text.ts";
import { readLog } from "./status.ts";

/** `hookctl` without a command: the state of this machine and project, and the next steps. Nothing is started. */
export async function overview({ options }: CommandLine<"overview">, host: Host): Promise<CommandResult> {
  const isOff = hooksAreOff(options, host);
  const { context, loaded } = unwrap(await createRunContext({ ...options, isOff }, host, false));
  const { hooks: resolved, skipped, paused } = await resolveHooks(findAllCandidates(context), context, null);
  const hooks = withMissingCommands(resolved, context);
  const namesOf = (found: typeof hooks): readonly string[] => [...new Set(found.map(({ name }) => name))];
  const cannotRun = isOff ? [] : await namesThatCannotRun({ hooks, skipped });
  const active = hooks.filter(
    (hook) => !isRefused(hook) && hook.disabledReason === null && !cannotRun.includes(hook.name),
  );
  const agents = AGENT_NAMES.flatMap((agent) =>
    INSTALL_SCOPES.flatMap((scope) => {
      const target = installTargetIn(context.scopes, { agent, scope, options }, host);
      return target.ok && isRegistered(target.value) ? [{ agent, scope, file: target.value.shown }] : [];
    }),
  );
  const state: Overview = {
    project: context.scopes.projectDir,
    off: isOff,
    settings_problem: loaded.problems[0]?.code ?? null,
    guards: namesOf(active.filter(({ kind }) => kind === "guard")),
    hooks: namesOf(active.filter(({ kind }) => kind !== "guard")),
    not_approved: namesOf(hooks.filter(({ refusal }) => canBeApproved(refusal))),
    cannot_run: cannotRun,
    not_started: namesOf(active.filter(hasUnknownEvents)),
    paused: namesOf(paused.map(({ hook }) => hook)),
    agents,
    last_block: readLog(context, host.nowMs()).lastBlock,
  };
  return print(options.json ? `${overviewJson(state)}\n` : overviewText(state), host);
}
