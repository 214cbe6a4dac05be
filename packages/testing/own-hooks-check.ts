import { mayBlock } from "../../src/engine/hooks/hook-texts.ts";
import type { RunContext } from "../../src/engine/run-context.ts";
import { withScratchRoot } from "../../src/process/scratch.ts";
import type { AgentName } from "../../src/protocol/agent-names.ts";
import { broken, type Checkup, doubtful, fine } from "../../src/protocol/doctor-check.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { quoteHookName } from "../../src/protocol/text/shell-quote.ts";
import { AGENTS } from "../agents/agents.ts";
import { runTests, type TestListener } from "./run-tests.ts";
import { type CheckResult, hasPassed } from "./test-report.ts";

const NAME = "own hooks";
const OPTIONS = {
  jobs: null,
  isBailing: false,
  shard: null,
  only: null,
  isCovered: false,
  isUpdating: false,
  mutate: null,
  isStopOnly: true,
} as const;
const SILENT: TestListener = {
  onSelected: () => undefined,
  onNotices: () => undefined,
  onHook: () => true,
  onMutants: () => undefined,
};

/**
 * Runs each hook that can block tool calls on one of its test cases, as a call of each connected agent. The hooks run in
 * scratch folders, as in `hookctl test`.
 */
export async function ownHooksChecks(
  hooks: readonly Hook[],
  agents: readonly AgentName[],
  context: RunContext,
): Promise<readonly Checkup[]> {
  const guards = hooks.filter(isGuard);
  if (guards.length === 0 || agents.length === 0) return [];
  const caller = { cwd: context.cwd, again: { all: "test", one: "test" }, agents: [], settingsWarnings: [] };
  const ran = await withScratchRoot(context.env, (root) =>
    runTests([], context, { root, caller, options: OPTIONS, listener: SILENT }),
  );
  if (!ran.ok || !ran.value.ok) return [doubtful(NAME, "not checked: they could not be tested", "hookctl test")];
  const { report } = ran.value.value;
  return guards.flatMap((hook) => {
    const tested = report.hooks.find(({ path, name }) => path === hook.path && name === hook.name);
    const [one] = tested?.checks ?? [];
    if (tested !== undefined && !hasPassed(tested)) return failed(hook, one);
    if (one === undefined) return mayBlock(hook) ? unchecked(hook) : [];
    return stopped(hook, one, agents);
  });
}

const isGuard = ({ kind, state, observe, events }: Hook): boolean =>
  kind !== "guard" && state === "ready" && !observe && events.includes("before_tool_call");

const failed = ({ name }: Hook, one: CheckResult | undefined): Checkup =>
  broken(NAME, `${name}: ${one?.message ?? "its test failed"}`, `hookctl test ${quoteHookName(name)}`);

const unchecked = ({ name }: Hook): Checkup =>
  doubtful(NAME, `${name} was not checked: it has no test case that expects a block`, "Write one: docs/testing.md");

function stopped(hook: Hook, { name, replays = [] }: CheckResult, agents: readonly AgentName[]): Checkup {
  const own = replays.filter(({ agent }) => agents.includes(agent));
  const tried = own.filter(({ skipped }) => skipped === null).map(({ agent }) => AGENTS[agent].title);
  if (tried.length > 0) return fine(NAME, `${hook.name} stops “${name}” as a call of ${tried.join(", ")}`);
  return doubtful(NAME, `${hook.name} was not checked: no agent here makes the call of “${name}”`, null);
}
