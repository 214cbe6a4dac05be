import { findSkip, skipFor } from "../../../../src/chain/order.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { membersInDialect } from "../../../../src/dialects/dialects.ts";
import { createCheckedContext } from "../../../../src/engine/create-run-context.ts";
import { findAllCandidates } from "../../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../../src/engine/hooks/resolve-hooks.ts";
import { offReason } from "../../../../src/engine/hooks/select-hooks.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { orderedHooks } from "../../../../src/engine/run/run-event.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { envelopeExtras } from "../../../../src/invoke/invoke-executable.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { type EffectiveGuard, GUARD_NAMES, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import { readPayload } from "../../../../src/protocol/payload/payload.ts";
import { explain } from "../../../../src/protocol/problem-messages/explain.ts";
import { unwrap } from "../../../../src/protocol/result.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { allowLine, mayBeAllowed } from "../../../../src/report/run/allow-line.ts";
import { withCurrentRules } from "../../../guard-hooks/current-rules.ts";
import { examineCall } from "../../../guard-hooks/examine-call.ts";
import {
  type ExplainedCommand,
  type ExplainedHook,
  explainedHooksText,
  explainJson,
  explainText,
} from "../../../guard-hooks/explain-text.ts";
import { guardPlace } from "../../../guard-hooks/guard-place.ts";
import { loadRules } from "../../../guard-hooks/load-rules.ts";
import type { Examined } from "../../../guards/examine.ts";
import { withParser } from "../../../guards/examine.ts";
import { judge } from "../../../guards/judge.ts";
import type { ToolCall } from "../../../guards/tool-call.ts";
import { hasCage } from "../../bridge/caged-call.ts";
import { type CagedCommand, cagedCommandJson, cagedCommandText } from "../../report/cage-text.ts";

/** `hookctl explain COMMAND`: shows what it starts, the verdict of each guard, and which hooks it matches. Nothing is run. */
export async function explainCommand({ args, options }: CommandLine<"explain">, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createCheckedContext(options, host, false));
  const [only = ""] = args;
  const text = args.length === 1 ? only : args.map(shellQuote).join(" ");
  const call: ToolCall = { commands: [text], folder: null, files: [] };
  const explained: ExplainedCommand = { text, ...(await explainedCall(call, context, context.cwd)) };
  const hooks = await explainedHooks(text, context);
  const caged = hasCage(context) ? await cagedCommand(explained.examined, context, host) : null;
  const paths = { cwd: context.cwd, homeDir: context.scopes.homeDir };
  const cageText = caged === null ? "" : cagedCommandText(caged, paths);
  const allowed = host.isStdoutTerminal() && !options.json ? await allowLines(call, context) : "";
  const shown = options.json
    ? `${explainJson(explained, hooks, caged && cagedCommandJson(caged))}\n`
    : `${explainText(explained, await stdoutStyle(options, host))}${explainedHooksText(hooks)}${cageText}${allowed}`;
  const isStopped = explained.guards.some(({ state, decision }) => state === "on" && decision !== "allow");
  return print(shown, host, false, isStopped ? EXIT.blocked : EXIT.ok);
}

/** The files that a command names, as the cage would treat them; null if the settings have no cage. */
async function cagedCommand(examined: Examined, context: RunContext, host: Host): Promise<CagedCommand | null> {
  const [{ agentAbove, cageOf, filesOfPrograms, processKey }, { cageState }] = await Promise.all([
    import("../../../cage/index.ts"),
    import("../../doctor/cage-state.ts"),
  ]);
  const cage = await cageOf(processKey(agentAbove(host.processId)), context);
  if (cage === null) return null;
  const { agents = [] } = cageState(context, host) ?? {};
  return { mode: cage.settings.mode, files: filesOfPrograms(examined, cage), agents };
}

/** The commands that allow what the guards stop, for a person; empty if nothing is stopped, or no rule can allow it. */
async function allowLines(call: ToolCall, context: RunContext): Promise<string> {
  const { narrowestRules, stopsOf } = await import("../rules/narrowest-rule.ts");
  const place = { context, folder: context.cwd, isHere: true };
  const examined = await examineCall(call, context, context.cwd);
  const stops = await stopsOf(examined, [], place);
  if (!stops.every(({ guard }) => mayBeAllowed(guard.name, [guard]))) return "";
  const rules = (await narrowestRules(examined, place)) ?? [];
  return rules.every((rule) => "subject" in rule) ? rules.map(({ match }) => `${allowLine(match)}\n`).join("") : "";
}

const EVENT = "before_tool_call";

/** The other hooks of a call with this command, in run order, and whether each would run. */
async function explainedHooks(command: string, context: RunContext): Promise<readonly ExplainedHook[]> {
  const call = { tool_name: "bash", tool_input: { command } };
  const payload = readPayload(EVENT, JSON.stringify(call), context.cwd);
  if (!payload.ok) return [];
  const hookSet = await resolveHooks(findAllCandidates(context), context, EVENT);
  const membersFor = membersInDialect((sent) => envelopeExtras(sent, new Date(context.nowMs).toISOString()));
  return orderedHooks(EVENT, hookSet, context)
    .filter(({ kind }) => kind !== "guard")
    .map((hook) => {
      const { name, path, refusal } = hook;
      const refused = refusal === null ? null : explain(refusal).summary;
      const skip = findSkip(hook, payload.value, membersFor) ?? (refused === null ? null : skipFor(refused));
      return { name, path, skip };
    });
}

/** The programs that the commands of a call start, and the verdict of each guard. */
export async function explainedCall(
  call: ToolCall,
  context: RunContext,
  folder: string,
): Promise<Omit<ExplainedCommand, "text">> {
  const place = guardPlace(context);
  const examined = await examineCall(call, context, folder);
  const use = { folder: place.usedRules, claimed: new Set<string>() };
  const explained = GUARD_NAMES.map(async (name): Promise<ExplainedCommand["guards"][number]> => {
    const on = place.guards.find((guard) => guard.name === name) ?? null;
    const settings = on === null ? withoutSettings(name) : withCurrentRules(on, use);
    const paused = on === null ? null : (offReason(on, context)?.reason ?? null);
    const state = on === null || paused !== null ? "off" : on.observe ? "observe" : "on";
    const rules = await loadRules(name, place);
    return { name, state, paused, ...(await withParser(() => judge(examined, { rules, settings }, place.ownFiles))) };
  });
  return { examined, guards: await Promise.all(explained), home: place.home };
}

/** A disabled guard judges, too, to show its verdict. */
const withoutSettings = (name: GuardName): EffectiveGuard => {
  const choices = { decision: null, unknown: "ask", observe: false, allow: [], paths: [], ruleSettings: {} } as const;
  return { name, file: "", source: "config", ...choices };
};
