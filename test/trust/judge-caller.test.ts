import { describe, expect, test } from "vitest";
import * as agents from "../../packages/agents/agent-processes.ts";
import { judgeCaller } from "../../src/cli/prompt/judge-caller.ts";
import { type ProcessTable, tableOfPs } from "../../src/process/process-table.ts";
import { PERSON_TABLE, processTable } from "../support/person-table.ts";

const ME = 1000;
const PTS = "34816";
const OTHER_PTS = "34817";

const judge = (table: ProcessTable, processId = 9, userId = ME, env = {}) =>
  judgeCaller({ agents, table, processId, userId, env });

/** The command, in the foreground of the terminal of process 8. */
const command = { pid: 9, parent: 8, session: 8, terminal: PTS, foreground: 9, started: 900 };
const shell = { pid: 8, terminal: PTS, started: 800, args: ["bash"] };
const init = { pid: 1, parent: 0, userId: 0, started: 1, args: ["/sbin/init"] };
const manager = { pid: 2, parent: 1, started: 10, args: ["/usr/lib/systemd/systemd", "--user"] };
const agent = { pid: 5, parent: 4, started: 500, args: ["claude"] };
const sshd = { pid: 3, parent: 1, userId: 0, started: 20, args: ["sshd: me [priv]"] };
const server = { pid: 7, parent: 2, started: 700, args: ["/usr/libexec/gnome-terminal-server"] };
const tmux = { pid: 7, parent: 1, started: 400, args: ["tmux"] };
const client = { pid: 6, parent: 3, terminal: OTHER_PTS, started: 300, args: ["bash"] };

const persons: { title: string; table: ProcessTable; userId?: number }[] = [
  { title: "the shell of a container", table: PERSON_TABLE },
  { title: "docker exec beside an agent", table: processTable([init, agent, { ...shell, parent: 0 }, command]) },
  {
    title: "a shell of the first process of a container",
    table: processTable([
      { ...init, session: 1, userId: ME, terminal: PTS },
      { ...shell, parent: 1, session: 1 },
      { ...command, session: 1 },
    ]),
  },
  { title: "a login over SSH", table: processTable([init, sshd, { ...shell, parent: 3 }, command]) },
  {
    title: "a login over SSH beside an agent",
    table: processTable([init, agent, sshd, { ...shell, parent: 3 }, command]),
  },
  {
    title: "root over SSH in a container",
    userId: 0,
    table: processTable([init, sshd, { ...shell, parent: 3, userId: 0 }, { ...command, userId: 0 }]),
  },
  {
    title: "a login where other users' processes are hidden",
    table: processTable([{ ...shell, parent: 3 }, command]),
  },
  {
    title: "a virtual console",
    table: processTable([init, { ...shell, terminal: "1025" }, { ...command, terminal: "1025" }]),
  },
  {
    title: "a desktop's terminal beside an agent",
    table: processTable([init, manager, agent, server, { ...shell, parent: 7 }, command], [7]),
  },
  {
    title: "a pane of tmux that a person has attached",
    table: processTable([init, sshd, client, tmux, { ...shell, parent: 7 }, command], [], { 7: [OTHER_PTS] }),
  },
  {
    title: "a pane of tmux that is older than the agent in another pane",
    table: processTable(
      [init, sshd, client, tmux, { ...shell, parent: 7, started: 450 }, { ...agent, parent: 7 }, command],
      [],
      { 7: [OTHER_PTS] },
    ),
  },
  {
    title: "script below a login shell, where no agent runs",
    table: processTable([
      init,
      sshd,
      client,
      { pid: 7, parent: 6, session: 6, args: ["script"] },
      { ...shell, parent: 7, args: ["sh", "-c", "x"] },
      command,
    ]),
  },
];
test.each(persons)("$title is a person's", ({ table, userId }) => {
  const processId = table.rows.has(9) ? 9 : 1;
  expect(judge(table, processId, userId)).toEqual({ agent: null, terminalFault: null });
});

const doubts: { title: string; table: ProcessTable; fault: RegExp }[] = [
  { title: "no processes", table: processTable([]), fault: /cannot be read/ },
  { title: "no terminal", table: processTable([init, { pid: 9 }]), fault: /^this command has no terminal of its own$/ },
  {
    title: "a job in the background",
    table: processTable([init, sshd, { ...shell, parent: 3 }, { ...command, foreground: 8 }]),
    fault: /background/,
  },
  {
    title: "an orphan on the terminal of a person",
    table: processTable([init, sshd, { ...shell, parent: 3 }, { ...command, parent: 1 }]),
    fault: /not started from the shell/,
  },
  {
    title: "a session that another container leads",
    table: processTable([init, { ...shell, session: 0 }, { ...command, session: 0 }]),
    fault: /not started from the shell/,
  },
  {
    title: "a terminal below an agent",
    table: processTable([init, sshd, { ...agent, parent: 3 }, { ...shell, parent: 5 }, command]),
    fault: /Claude Code opened/,
  },
  {
    title: "a terminal of a detached process",
    table: processTable([init, { pid: 7, args: ["script"] }, { ...shell, parent: 7 }, command]),
    fault: /detached/,
  },
  {
    title: "a terminal of an orphan of a user's service manager",
    table: processTable([init, manager, { pid: 7, parent: 2, args: ["script"] }, { ...shell, parent: 7 }, command]),
    fault: /detached/,
  },
  {
    title: "an orphan that leads the session of a terminal",
    table: processTable([init, shell, command]),
    fault: /detached/,
  },
  {
    title: "an orphan in the session of a container's first process",
    table: processTable([
      { ...init, session: 1 },
      { pid: 7, session: 1, group: 6, args: ["script"] },
      { ...shell, parent: 7 },
      command,
    ]),
    fault: /detached/,
  },
  {
    title: "a job of cron",
    table: processTable([init, { ...sshd, args: ["/usr/sbin/CRON", "-f"] }, { ...shell, parent: 3 }, command]),
    fault: /scheduler/,
  },
  {
    title: "a tmux that nobody has attached",
    table: processTable([init, tmux, { ...shell, parent: 7 }, command]),
    fault: /detached/,
  },
  {
    title: "a tmux that shows itself to itself",
    table: processTable([init, tmux, { ...shell, parent: 7 }, command], [], { 7: [PTS] }),
    fault: /detached/,
  },
  {
    title: "a window of tmux that is younger than an agent",
    table: processTable([init, sshd, client, tmux, agent, { ...shell, parent: 7 }, command], [], { 7: [OTHER_PTS] }),
    fault: /after Claude Code had started/,
  },
  {
    title: "a desktop's terminal that was given a command, beside an agent",
    table: processTable([init, manager, agent, server, { ...shell, parent: 7, args: ["sh", "-c", "x"] }, command], [7]),
    fault: /after Claude Code had started/,
  },
  {
    title: "script in a container in which an older agent runs",
    table: processTable([
      { ...PERSON_TABLE.rows.get(1), pid: 1 },
      agent,
      { pid: 7, parent: 1, session: 1, args: ["script"] },
      { ...shell, parent: 7 },
      command,
    ]),
    fault: /after Claude Code had started/,
  },
  {
    title: "script in a container whose first process has no terminal",
    table: processTable([
      { ...init, userId: ME, session: 1, args: ["sh"] },
      { pid: 7, parent: 1, group: 1, session: 1, args: ["script"] },
      { ...shell, parent: 7 },
      command,
    ]),
    fault: /detached/,
  },
];
test.each(doubts)("$title is nobody's", ({ table, fault }) => {
  expect(judge(table).terminalFault).toMatch(fault);
});

test("an agent between the command and its terminal is named, and the terminal stays the person's", () => {
  const table = processTable([init, sshd, { ...shell, parent: 3 }, { ...agent, parent: 8 }, { ...command, parent: 5 }]);
  expect(judge(table)).toEqual({ agent: "Claude Code", terminalFault: null });
});

test("a variable names the agent where no process does", () => {
  expect(judge(PERSON_TABLE, 1, ME, { CLAUDECODE: "1" })).toEqual({ agent: "Claude Code", terminalFault: null });
});

describe("macOS, by ps", () => {
  const at = (clock: string): string => `Mon Nov 24 ${clock} 2025`;
  const rows = (...lines: string[]): ProcessTable => tableOfPs(lines.map((line) => `  ${line}\n`).join(""));
  const launchd = `1 0 1 0 0 ?? ${at("08:00:00")} /sbin/launchd`;
  const app = `70 1 70 0 501 ?? ${at("08:01:00")} /System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal`;
  const login = `80 70 80 90 0 ttys000 ${at("09:00:00")} login -pf me`;
  const zsh = `81 80 81 90 501 ttys000 ${at("09:00:01")} -zsh`;
  const call = `90 81 90 90 501 ttys000 ${at("09:30:00")} node hookctl off git --for good`;
  const claude = `60 1 60 0 501 ttys009 ${at("08:30:00")} claude`;

  test("the Terminal is a person's, also beside an agent", () => {
    expect(judge(rows(launchd, app, login, zsh, call, claude), 90, 501).terminalFault).toBeNull();
  });

  test("script of a detached process is nobody's", () => {
    const script = `80 1 80 0 501 ?? ${at("09:00:00")} script -q /dev/null sh`;
    expect(judge(rows(launchd, script, zsh, call), 90, 501).terminalFault).toMatch(/detached/);
  });
});
