import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import {
  HOOKCTL,
  mainScript,
  programFor,
  runProgram,
  type Workspace,
  workspace,
} from "../../../../test/support/workspace.ts";
import { frontProgram } from "../../resident/front-program.ts";

const FRONT = join(mainScript, "..", "..", "dist", "front", `${process.platform}-${process.arch}`);

/** Why no test of the front program can run here; null if they can. */
export const missingFront = ((): string | null => {
  if (!existsSync(FRONT)) return "no C compiler built the front program";
  if (frontProgram() === null) return "the first line of a script cannot name a path as that of this checkout";
  const status = existsSync("/proc/self/status") ? readFileSync("/proc/self/status", "utf8") : "";
  return /^NoNewPrivs:\s+1$/m.test(status) ? "programs here may gain no privileges" : null;
})();
export const unlessFront = missingFront === null ? "" : ` (skipped: ${missingFront})`;

/** A workspace whose agents start the front program, and may have a server. */
export interface Resident extends Workspace {
  readonly launcher: string;
  /** Calls as an agent does. The default is a shell call of Claude Code. */
  readonly call: (command: string, options?: CallOptions) => ReturnType<typeof runProgram>;
  /** Calls until there is a server; returns its process. One call of 256 starts none. */
  readonly server: () => Promise<number>;
}

interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly isOpen?: boolean;
  /** The words before the launcher: another program that starts it. */
  readonly starter?: readonly string[];
  /** True to start the full program in the place of the launcher. */
  readonly isFresh?: boolean;
}

interface ResidentOptions {
  /** The words before each call from a folder, if it names no others. */
  readonly starter?: (cwd: string) => readonly string[];
  /** Answers calls in the place of the full program, and those that are no calls of an agent. */
  readonly program?: typeof runProgram | undefined;
}

export async function resident({
  starter: before = () => [],
  program = runProgram,
}: ResidentOptions = {}): Promise<Resident> {
  const place = await workspace();
  await place.write("home/.claude/settings.json", "{}\n");
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { resident: true } }));
  await place.run(["install", "claude", "--scope", "user"]);
  const launcher = join(place.home, ".kodelet", "hookctl");
  const folder = join(place.home, ".kodelet", "resident");
  const servers = async (): Promise<readonly number[]> => {
    const names = existsSync(folder) ? (await readdir(folder)).filter((name) => name.endsWith(".pid")) : [];
    const notes = await Promise.all(names.map((name) => place.read(join(folder, name))));
    return notes.flatMap((note) => Number(note?.split(" ")[0]) || []);
  };
  const call: Resident["call"] = (
    command,
    { env = {}, cwd = place.project, isOpen = false, starter = before(cwd), isFresh = false } = {},
  ) =>
    (isFresh ? program : runProgram)(
      [
        ...starter,
        ...(isFresh ? HOOKCTL : [launcher]),
        ...["bridge", "claude", "--event", "PreToolUse", ...(isOpen ? [] : ["--fail-closed", "--proof"])],
      ],
      { env: { ...place.env, ...env }, cwd, stdin: payload(command, cwd) },
    );
  return {
    ...place,
    launcher,
    run: (args, options = {}) =>
      program([...programFor(args), ...args], {
        cwd: place.project,
        ...options,
        env: { ...place.env, ...options.env },
      }),
    call,
    server: async () => {
      for (let waited = 0; ; waited++) {
        if (waited % 100 === 0) await call("ls");
        const [pid] = await servers();
        if (pid !== undefined) return pid;
        await new Promise((resume) => setTimeout(resume, 20));
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const pid of await servers()) await execa("kill", ["-9", String(pid)], { reject: false });
      await place[Symbol.asyncDispose]();
    },
  };
}

let sessions = 0;
const payload = (command: string, cwd: string): string =>
  JSON.stringify({
    // What is told once in a session is told each time.
    session_id: `s${sessions++}`,
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t",
  });
