import { ancestorsOf, type ProcessRow, type ProcessTable } from "../../process/process-table.ts";
import { programName } from "../../protocol/text/text.ts";

/** Who called a command. */
export interface CommandCaller {
  /** The agent that started the command, if one was found. */
  readonly agent: string | null;
  /** Why its terminal may not be a person's; null if it is. */
  readonly terminalFault: string | null;
}

/** Recognizes coding agents. It is passed in, because the core knows no agent. */
export interface AgentRecognizer {
  readonly agentOfCommandLine: (args: readonly string[]) => string | null;
  readonly agentInEnvironment: (env: Readonly<Record<string, string | undefined>>) => string | null;
}

interface CallInput {
  readonly agents: AgentRecognizer;
  readonly table: ProcessTable;
  readonly processId: number;
  readonly userId: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Judges by the processes of this machine whether a person called. That no agent is above the call proves nothing: an
 * agent can detach a process and open a terminal for it. So the terminal must come from a login, and not from an agent.
 */
export function judgeCaller({ agents, table, processId, userId, env }: CallInput): CommandCaller {
  const above = ancestorsOf(processId, table).flatMap(({ args }) => agents.agentOfCommandLine(args) ?? []);
  return {
    agent: above[0] ?? agents.agentInEnvironment(env),
    terminalFault: faultOfTerminal(table.rows.get(processId), { agents, table, userId, judged: new Set() }),
  };
}

interface JudgeContext {
  readonly agents: AgentRecognizer;
  readonly table: ProcessTable;
  readonly userId: number;
  /** Leaders of sessions that were judged: two multiplexers can show each other. */
  readonly judged: Set<number>;
}

const NO_LEADER = "this command was not started from the shell of its terminal";

function faultOfTerminal(own: ProcessRow | undefined, context: JudgeContext): string | null {
  if (own === undefined) return "the processes of this machine cannot be read";
  if (own.terminal === "") return "this command has no terminal of its own";
  if (own.group !== own.foreground) return "this command runs in the background of its terminal";
  // The leader is this process or above it, unless a process between them ended: an orphan stays on its terminal, and can
  // bring itself to the foreground.
  const leader = [own, ...ancestorsOf(own.pid, context.table)].find(({ pid }) => pid === own.session);
  return leader?.terminal === own.terminal ? faultOfOrigin(leader, context) : NO_LEADER;
}

/** Why the terminal of this session leader may not be a person's; null if it is. */
function faultOfOrigin(leader: ProcessRow, context: JudgeContext): string | null {
  const { agents, table, judged } = context;
  judged.add(leader.pid);
  const above = ancestorsOf(leader.pid, table);
  const opener = above.flatMap(({ args }) => agents.agentOfCommandLine(args) ?? [])[0];
  if (opener !== undefined) return `${opener} opened this terminal`;
  const chain = [leader, ...above];
  if (chain.some((row) => SCHEDULERS.has(programOf(row)))) return "a scheduler started this command";
  if (isDetached(chain, context))
    return "its terminal was opened by a detached process, such as tmux without an attached terminal";
  const older = agentsOf(context).find(({ started }) => started < leader.started);
  if (older === undefined || isLoginSession(chain, context)) return null;
  return `its terminal was opened after ${older.title} had started, which could have opened it`;
}

/** Not the login of anybody, although another user's process starts what it runs. */
const SCHEDULERS: ReadonlySet<string> = new Set(["cron", "crond", "fcron", "anacron", "atd"]);
const LOGINS: ReadonlySet<string> = new Set(["sshd", "sshd-session", "login", "dropbear"]);
const MULTIPLEXERS: ReadonlySet<string> = new Set(["tmux", "screen"]);
const SHELLS = /^(?:ba|z|fi|da|k|mk|tc|c|a)?sh$|^(?:nu|pwsh|xonsh|elvish)$/;

/** The program of a process; sshd and cron write a title of their own into the command line. */
const programOf = ({ args: [program = ""] }: ProcessRow): string =>
  programName(program).replace(/:$/, "").toLowerCase();

/** True if one of the processes was started by the system for a person who logged in. */
function haveLogin(starters: readonly ProcessRow[], { table, userId }: JudgeContext): boolean {
  const parent = starters.at(-1)?.parent ?? 0;
  // Where the processes of other users are hidden, the parent belongs to one of them.
  if (parent > 1 && !table.rows.has(parent)) return true;
  return starters.some((row) => row.userId !== userId || (userId === 0 && LOGINS.has(programOf(row))));
}

/** The first process, or a user's service manager: a process whose parent ended becomes their child. */
const isReaper = (row: ProcessRow): boolean => row.pid === 1 || (row.parent === 1 && programOf(row) === "systemd");

/** The processes from the session leader upwards, without those that adopt orphans. */
const startersIn = (chain: readonly ProcessRow[]): readonly ProcessRow[] => {
  const end = chain.findIndex((row, index) => index > 0 && isReaper(row));
  return end === -1 ? chain : chain.slice(0, end);
};

/** True if the process that everything here comes from lost its parent, which nobody can judge any more. */
function isDetached(chain: readonly ProcessRow[], context: JudgeContext): boolean {
  const { table } = context;
  const starters = startersIn(chain);
  const top = starters.at(-1);
  if (top === undefined || top.pid === 1 || top.parent === 0) return false;
  if (haveLogin(starters, context) || isConsole(top.terminal)) return false;
  return !isChildOfFirst(top, table) && !table.isService(top.pid) && !isShownToPerson(top, context);
}

/**
 * True if the first process of a container, which has a terminal, started it in its own session. An orphan that hides leads
 * a session, and one that does not has the process group of a parent that ended.
 */
function isChildOfFirst({ pid, parent, session, group, started }: ProcessRow, { rows }: ProcessTable): boolean {
  const first = rows.get(1);
  if (parent !== 1 || first === undefined || first.terminal === "" || session !== first.session) return false;
  const isOldest = ![...rows.values()].some((row) => row.parent === 1 && row.started < started);
  return group === pid || (group === first.group && isOldest);
}

const CONSOLE_MAJOR = 4;
/** A virtual console of Linux, on which nobody types without a keyboard of this machine. */
const isConsole = (terminal: string): boolean => ((Number(terminal) >> 8) & 0xfff) === CONSOLE_MAJOR;

/** True if a terminal multiplexer shows its terminals to a person, on a terminal that is theirs. */
function isShownToPerson(server: ProcessRow, context: JudgeContext): boolean {
  const { table, judged } = context;
  if (!MULTIPLEXERS.has(programOf(server))) return false;
  const shown = new Set(table.openTerminals(server.pid));
  const leaders = [...table.rows.values()].filter(
    ({ pid, session, terminal }) => pid === session && shown.has(terminal) && !judged.has(pid),
  );
  return leaders.some((leader) => faultOfOrigin(leader, context) === null);
}

/** True if only a login can have opened the terminal, however many agents were running. */
function isLoginSession(chain: readonly ProcessRow[], context: JudgeContext): boolean {
  const starters = startersIn(chain);
  const [leader] = starters;
  const top = starters.at(-1);
  if (leader === undefined || top === undefined) return false;
  // The parent is outside this container, which an agent in it cannot reach.
  if (leader.parent === 0 && leader.pid !== 1) return true;
  if (haveLogin(starters, context)) return true;
  // A desktop's terminal with a shell that waits for keys: a command given to it needs none.
  return context.table.isService(top.pid) && isInteractiveShell(leader.args);
}

const isInteractiveShell = ([program = "", ...args]: readonly string[]): boolean =>
  SHELLS.test(programName(program)) &&
  args.every((arg, index) => {
    const isRcFile = args[index - 1] === "--init-file" || args[index - 1] === "--rcfile";
    return arg === "" || isRcFile || (arg.startsWith("-") && !/^-[a-z]*c/i.test(arg));
  });

function agentsOf({ agents, userId, table }: JudgeContext) {
  return [...table.rows.values()].flatMap(({ userId: owner, started, args }) => {
    const title = owner === userId ? agents.agentOfCommandLine(args) : null;
    return title === null ? [] : [{ title, started }];
  });
}
