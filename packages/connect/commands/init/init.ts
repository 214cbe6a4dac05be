import { type CommandResult, print, withProblem } from "../../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../../src/cli/command-table.ts";
import { parentAgent, requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { signalExitCode } from "../../../../src/protocol/exit-code.ts";
import type { Problem, UsageProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import { displayPath } from "../../../../src/report/display-path.ts";
import { problemText } from "../../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../../src/report/text-style.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { ensureCompileCache } from "../../install/compile-cache.ts";
import { type DetectedAgent, detectAgents } from "../../install/detect-agents.ts";
import { isReplaced } from "../../install/launcher.ts";
import { sealWritten } from "../../install/seal/write-seal.ts";
import { writeInstall } from "../../install/write-registrations.ts";
import { initJson, initText, type SetupReport } from "../../report/init-text.ts";
import { writeSwitches } from "../guards/switches-file.ts";
import { askSetup, DEFAULT_GUARDS, readAgents, readGuards, type SetupChoices } from "./ask-setup.ts";
import { ownerOfProgram, planSetup, type SetupPlan, type SetupSite } from "./plan-setup.ts";

/**
 * Turns guards on in the user's settings and connects the agents that are in use. Only makes things stricter, so that an
 * agent may call it too.
 */
export async function init({ options }: CommandLine<"init">, host: Host): Promise<CommandResult> {
  const given = readGiven(options);
  if (!given.ok) return given;
  // Without the right to start anything: nothing here may run a hook.
  const started = await createRunContext({ ...options, config: null }, host, false);
  if (!started.ok) return started;
  const { context } = started.value;
  const site: SetupSite = { context, options, host };
  const caller = await parentAgent(host);
  const found = detectAgents({ scopes: context.scopes, env: host.env, caller });
  const usual = { guards: DEFAULT_GUARDS, agents: found.map(({ name }) => name) };
  const chosen = { guards: given.value.guards ?? usual.guards, agents: given.value.agents ?? usual.agents };
  const isAnswered = options.yes || given.value.guards !== null || given.value.agents !== null;
  if (options.dryRun || isAnswered) return setUp(chosen, options.dryRun, site);

  const asked = await ask(found, host);
  if (asked.kind === "answered") return setUp(asked.choices, false, site);
  if (asked.kind === "signal") return ok(signalExitCode(asked.signal));
  const shown = asked.kind === "no-terminal" ? await setUp(usual, true, site) : ok(0);
  return shown.ok ? fail(notAnswered(asked.kind)) : shown;
}

type Given = { readonly [Key in keyof SetupChoices]: SetupChoices[Key] | null };

/** The choices made by options; null if not given. */
function readGiven({ guards, agents }: CommandLine<"init">["options"]): Result<Given, UsageProblem> {
  const readGuardNames = guards.length === 0 ? ok(null) : readGuards(guards.join(","));
  if (!readGuardNames.ok) return readGuardNames;
  const readAgentNames = agents.length === 0 ? ok(null) : readAgents(agents.join(","));
  return readAgentNames.ok ? ok({ guards: readGuardNames.value, agents: readAgentNames.value }) : readAgentNames;
}

type Asked =
  | { readonly kind: "answered"; readonly choices: SetupChoices }
  | { readonly kind: "signal"; readonly signal: string }
  | { readonly kind: "no-terminal" | "no-answer" };

async function ask(found: readonly DetectedAgent[], host: Host): Promise<Asked> {
  // Whoever answers, init only makes things stricter.
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) return { kind: "no-terminal" };
  const choices = await askSetup(terminal, found);
  terminal.close();
  const signal = host.interrupt.raised();
  if (signal !== null) return { kind: "signal", signal };
  return choices === null ? { kind: "no-answer" } : { kind: "answered", choices };
}

const notAnswered = (kind: "no-terminal" | "no-answer"): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail:
    kind === "no-terminal"
      ? "Nothing was changed: init asks first, and there is no terminal."
      : "Nothing was changed: the question was not answered.",
  tryThis: "hookctl init --yes",
});

async function setUp(choices: SetupChoices, isDry: boolean, site: SetupSite): Promise<CommandResult> {
  const { options, host, context } = site;
  const plan = await planSetup(choices, site);
  if (!plan.ok) return plan;
  // An agent may make things stricter, and not choose the program that agents start.
  if (!isDry && replacesLauncher(plan.value)) await requirePerson(host);
  const done = isDry ? plan : write(plan.value, host);
  if (!done.ok) return done;
  if (!isDry) await sealAgents(done.value, host);
  if (!isDry) await ensureCompileCache(host);
  const report = reportOf(done.value, { choices, isDry, context });
  const printed = options.json
    ? print(`${initJson(report)}\n`, host)
    : print(initText(report, await stdoutStyle(options, host)), host);
  const [first = null, ...others] = problemsIn(done.value);
  for (const problem of others) host.err(problemText(problem, PLAIN_STYLE));
  return withProblem(first, printed);
}

async function sealAgents({ agents }: SetupPlan, host: Host): Promise<void> {
  for (const plan of agents)
    if (plan.kind === "changes") await sealWritten(plan.target, host, (await parentAgent(host)) === null);
}

const replacesLauncher = ({ agents }: SetupPlan): boolean =>
  agents.some((plan) => plan.kind === "changes" && isReplaced(plan.install.launcher));

/** Guards first: an agent that is not connected is no reason to go without them. */
function write({ guards, agents }: SetupPlan, host: Host): Result<SetupPlan, Problem> {
  const problem = guards === null ? null : writeSwitches(guards);
  if (problem !== null) return fail(problem);
  const written = agents.map((plan) => {
    if (plan.kind !== "changes") return plan;
    const { agent, shown, notes, target, install } = plan;
    const ended = writeInstall(target, install, host);
    return ended.ok ? plan : { kind: "problem" as const, agent, shown, notes, problem: ended.error };
  });
  return ok({ guards, agents: written });
}

interface Outcome {
  readonly choices: SetupChoices;
  readonly isDry: boolean;
  readonly context: RunContext;
}

function reportOf({ guards, agents }: SetupPlan, { choices, isDry, context }: Outcome): SetupReport {
  const { homeDir } = context.scopes;
  const observed = context.settings.guards.filter(({ observe }) => observe).map(({ name }) => name);
  const file = guards === null ? null : displayPath(guards.file, { cwd: "/", homeDir });
  return {
    isDry,
    owner: ownerOfProgram(),
    guards: { file, names: choices.guards, changed: guards?.changed ?? [], observed },
    agents: agents.map((plan) => {
      const { agent, shown, notes, kind } = plan;
      const isFailClosed = kind === "changes" && plan.isFailClosed;
      const problem = kind === "problem" ? plan.problem : null;
      return {
        name: agent,
        title: AGENTS[agent].title,
        file: shown,
        state: STATES[kind],
        notes,
        isFailClosed,
        problem,
      };
    }),
  };
}

const STATES = { changes: "connected", connected: "unchanged", problem: "failed" } as const;

const problemsIn = ({ agents }: SetupPlan): readonly Problem[] =>
  agents.flatMap((plan) => (plan.kind === "problem" ? [plan.problem] : []));
