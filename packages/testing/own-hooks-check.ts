import type { RunContext } from "../../src/engine/run-context.ts";
import { withScratchRoot } from "../../src/process/scratch.ts";
import type { AgentName } from "../../src/protocol/agent-names.ts";
import { broken, type Checkup, doubtful, fine } from "../../src/protocol/doctor-check.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { attempt } from "../../src/protocol/result.ts";
import { quoteHookName } from "../../src/protocol/text/shell-quote.ts";
import { AGENTS } from "../agents/agents.ts";
import { mayBlock } from "./checks/hook-texts.ts";
import { runTests } from "./run-tests.ts";
import { type CheckedHook, hasPassed } from "./test-report.ts";

const NAME = "hook";

/**
 * Runs each hook that can block tool calls on one of its test cases, as a call of each connected agent. The hooks run in
 * scratch folders, as in `hookctl test`.
 */
export async function ownHooksChecks(
  hooks: readonly Hook[],
  agents: readonly AgentName[],
  context: RunContext,
): Promise<readonly Checkup[]> {
  const guards = hooks.filter(
    ({ kind, state, observe, events }) =>
      kind !== "guard" && state === "ready" && !observe && events.includes("before_tool_call"),
  );
  if (guards.length === 0 || agents.length === 0) return [];
  const caller = { cwd: context.cwd, again: { all: "test", one: "test" }, agents: [], settingsWarnings: [] };
  const ran = await withScratchRoot(context.env, (root) =>
    attempt(() => runTests([], context, { root, caller, options: { isStopOnly: true } })),
  );
  if (!ran.ok || !ran.value.ok) return [doubtful(NAME, "not checked: they could not be tested", "hookctl test")];
  const { report } = ran.value.value;
  return guards.flatMap((hook) => {
    const tested = report.hooks.find(({ path, name }) => path === hook.path && name === hook.name);
    return checkupOf(hook, tested, agents) ?? [];
  });
}

function checkupOf(hook: Hook, tested: CheckedHook | undefined, agents: readonly AgentName[]): Checkup | null {
  const { name } = hook;
  const [one] = tested?.checks ?? [];
  if (tested !== undefined && !hasPassed(tested))
    return broken(NAME, `${name}: ${one?.message ?? "its test failed"}`, `hookctl test ${quoteHookName(name)}`);
  if (one === undefined && !mayBlock(hook)) return null;
  if (one === undefined)
    return doubtful(
      NAME,
      `${name} was not checked: it has no test case that expects a block`,
      // A pack is pinned, so an edit would break it.
      hook.source.endsWith("-plugin")
        ? `Its pack brings none. Try it on a call: hookctl try ${quoteHookName(name)}`
        : `Write one, unless it only adds context: hookctl edit ${quoteHookName(name)}`,
    );
  const tried = (one.replays ?? []).filter(({ agent, skipped }) => agents.includes(agent) && skipped === undefined);
  const titles = tried.map(({ agent }) => AGENTS[agent].title);
  if (titles.length > 0) return fine(NAME, `${name} stops “${one.name}” as a call of ${titles.join(", ")}`);
  return doubtful(NAME, `${name} was not checked: no agent here makes the call of “${one.name}”`, null);
}
