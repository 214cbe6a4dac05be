import { type CommandResult, print, withProblem } from "../../../../src/cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../../../src/cli/command-table.ts";
import { parentAgent, requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import { stdoutStyle } from "../../../../src/cli/stream-style.ts";
import { createRunContext } from "../../../../src/engine/create-run-context.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { SETTLING_MS } from "../../../../src/fs/disk.ts";
import { pathExists } from "../../../../src/fs/paths.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import type { GuardName } from "../../../../src/protocol/guard-settings.ts";
import { attempt, fail, ok, ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import { displayPath } from "../../../../src/report/display-path.ts";
import { problemText } from "../../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../../src/report/text-style.ts";
import { readAgent } from "../../../agents/agent-argument.ts";
import { ensureCompileCache } from "../../install/compile-cache.ts";
import { isReplaced } from "../../install/launcher.ts";
import { sealWritten } from "../../install/seal/write-seal.ts";
import { writeInstall } from "../../install/write-registrations.ts";
import { initJson, initText } from "../../report/init-text.ts";
import { frontProgram } from "../../resident/front-program.ts";
import { staysResident } from "../../resident/stays-resident.ts";
import { editSettings, editSwitches, writeSettings, writeSwitches } from "../guards/switches-file.ts";
import { install } from "../install.ts";
import { wrongWords } from "../wrong-words.ts";
import { type AgentPlan, ownerOfProgram, planSetup, type SetupPlan, type SetupSite } from "./plan-setup.ts";
import { askSetup, DEFAULT_GUARDS, detectAgents, readAgents, readGuards, type SetupChoices } from "./setup-choices.ts";

/**
 * Turns guards on in the user's settings and connects the agents that are in use. Only makes things stricter, so that an
 * agent may call it too.
 */
export async function init(line: CommandLine<"init">, host: Host): Promise<CommandResult> {
  const { args, options } = line;
  if (isRegistration(options)) return register(line, host);
  const guards = options.guards.length === 0 ? null : readGuards(options.guards.join(","));
  const named = args.map((word) => unwrap(readAgent({ command: "init", args: [word] })));
  const listed = options.agents.length === 0 ? [] : readAgents(options.agents.join(","));
  const agents = named.length + options.agents.length === 0 ? null : [...new Set([...named, ...listed])];
  // Without the right to start anything: nothing here may run a hook.
  const { context } = unwrap(await createRunContext({ ...options, config: null }, host, false));
  const site: SetupSite = { context, options, host };
  const found = detectAgents({ scopes: context.scopes, env: host.env, caller: await parentAgent(host) });
  const chosen = { guards: guards ?? DEFAULT_GUARDS, agents: agents ?? found.map(({ name }) => name), hasServer: true };
  const hasQuestion = guards === null || agents === null;
  if (options.dryRun || options.yes || !hasQuestion) return setUp(chosen, options.dryRun, site);

  // Whoever answers, init only makes things stricter.
  const terminal = host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const shown = await setUp(chosen, true, site);
    return shown.ok ? fail(notAnswered("init asks first, but there is no terminal.", host)) : shown;
  }
  const isServerOpen = mayHaveServer(context) && context.settings.isResident === null;
  const asked = await askSetup(terminal, { guards, agents, found, isServerOpen });
  terminal.close();
  return asked === null ? fail(notAnswered("the question was not answered.", host)) : setUp(asked, false, site);
}

type InitOptions = OptionsOf<"init">;

/** These are about the connection of one agent. */
const isRegistration = ({ scope, events, isPrinted, failClosed, failOpen }: InitOptions): boolean =>
  scope !== null || events.length > 0 || isPrinted || failClosed || failOpen;

async function register({ args, options }: CommandLine<"init">, host: Host): Promise<CommandResult> {
  const names = [...args, ...options.agents];
  const isMachine = options.scope === "machine";
  const guards = options.guards.length === 0 ? [] : readGuards(options.guards.join(","));
  if (names.length > 1 && options.isPrinted)
    throw wrongWords("--print shows one agent.", "hookctl init claude --print");
  if (guards.length > 0 && (!isMachine || options.isPrinted))
    throw wrongWords("With these options, init turns guards on only with --scope machine.", `hookctl on ${guards[0]}`);
  const of = { ...options, scope: options.scope ?? "user" };
  const installed = await install({ args: names, options: of }, host);
  if (!installed.ok || !isMachine || options.isPrinted) return installed;
  const text = await turnOnForEveryUser(guards, options, host);
  return options.json ? installed : print(text, host);
}

/** Turns guards on in the machine's settings. Returns what to tell about it. */
async function turnOnForEveryUser(guards: readonly GuardName[], options: InitOptions, host: Host): Promise<string> {
  const { context } = unwrap(await createRunContext({ ...options, config: null }, host, false));
  const switches = guards.map((name) => ({ key: "guards" as const, name }));
  const edit = unwrap(editSwitches({ switches, isOn: true, isProject: false, isMachine: true }, context, host));
  const { file } = edit;
  const problem = options.dryRun ? null : await writeSwitches(edit);
  if (problem !== null) throw new ProblemError(problem);
  if (!options.dryRun) {
    // As root: what is parsed now is not parsed in each call of a user. A younger file is not cached.
    if (edit.changed.length > 0) await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    unwrap(await createRunContext({ ...options, config: null }, host, false));
  }
  const twice = "• Where users have connected their agents, hooks run twice: hookctl uninstall AGENT --scope user\n";
  if (guards.length > 0)
    return `${options.dryRun ? "• Would turn on" : "✔ Guards on"} for every user: ${guards.join(", ")} (${file})\n${twice}`;
  return pathExists(file) ? twice : `• No guard is on for every user yet: add --guards git\n${twice}`;
}

const notAnswered = (cause: string, { argv }: Host) =>
  wrongWords(`Nothing was changed: ${cause}`, ["hookctl", ...argv, "--yes"].map(shellQuote).join(" ")).problem;

async function setUp(choices: SetupChoices, isDry: boolean, site: SetupSite): Promise<CommandResult> {
  const { options, host, context } = site;
  const plan = await planSetup(choices, site);
  const { guards, agents } = isDry ? plan : await write(plan, host);
  if (!isDry && !choices.hasServer) await forbidServer(site);
  const report = {
    isDry,
    owner: ownerOfProgram(),
    guards: {
      file: guards === null ? null : displayPath(guards.file, { cwd: "/", homeDir: context.scopes.homeDir }),
      names: choices.guards,
      changed: guards?.changed ?? [],
      byHand: plan.byHand,
      observed: context.settings.guards.filter(({ observe }) => observe).map(({ name }) => name),
    },
    agents,
    hasServer: choices.hasServer && mayHaveServer(context),
  };
  const text = options.json ? `${initJson(report)}\n` : initText(report, await stdoutStyle(options, host));
  const printed = print(text, host);
  const [first = null, ...others] = agents.flatMap(({ problem }) => problem ?? []);
  for (const problem of others) host.err(problemText(problem, PLAIN_STYLE));
  const isPartial = first === null && plan.byHand !== null && !isDry;
  return isPartial && printed.ok ? ok(EXIT.checkFailed) : withProblem(first, printed);
}

/** True if agents here start the front program, and a server may stay. */
const mayHaveServer = (context: RunContext): boolean => frontProgram() !== null && staysResident(context);

/** Decided by the person, so that no later call starts a server. */
async function forbidServer({ context, host }: SetupSite): Promise<void> {
  const yaml = "add to your settings: settings: { resident: false }";
  const edits = [{ path: ["settings", "resident"], value: false }];
  const problem = await writeSettings(unwrap(editSettings({ isProject: false, yaml }, () => edits, { context, host })));
  if (problem !== null) throw new ProblemError(problem);
}

/** Guards first: an agent that is not connected is no reason to go without them. Returns what became of each agent. */
async function write({ guards, agents }: SetupPlan, host: Host): Promise<Pick<SetupPlan, "guards" | "agents">> {
  // An agent may make things stricter, and not choose the program that agents start.
  if (agents.some(({ change }) => isReplaced(change?.install.launcher ?? null))) await requirePerson(host);
  const problem = guards === null ? null : await writeSwitches(guards);
  if (problem !== null) throw new ProblemError(problem);
  const written: AgentPlan[] = [];
  for (const agent of agents) {
    const { change } = agent;
    const done = change === null ? ok(null) : await attempt(() => writeInstall(change.target, change.install, host));
    written.push(
      done.ok ? agent : { ...agent, state: "failed", isFailClosed: false, change: null, problem: done.error },
    );
  }
  const isPerson = (await parentAgent(host)) === null;
  for (const { change } of written) if (change !== null) await sealWritten(change.target, host, isPerson);
  await ensureCompileCache(host);
  return { guards, agents: written };
}
