import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { giveToUser, runAsUser } from "../support/as-user.ts";
import { type CommandResult, HANG_TIMEOUT_MS, type Workspace, workspace } from "../support/workspace.ts";
import { PYTHON } from "./bubblewrap.ts";

/** What a hook tries, and how the host sees whether it got out. */
export interface Probe {
  readonly title: string;
  /** Lines of Python that may use `host`; what they give to `said` is reported. */
  readonly attempt: string;
  /** Makes what the hook shall not reach. */
  readonly arrange: (place: Workspace) => Promise<Scene>;
  /** The sandbox of the hook; default `require`. */
  readonly sandbox?: unknown;
  /** Why the control cannot work on this machine; null: it can. */
  readonly cannot?: string | null;
}

export interface Scene {
  /** What the hook knows of the host. */
  readonly host?: Readonly<Record<string, unknown>>;
  /** Variables of the call. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * True if the hook reached what it tried, seen from outside or, for what it read, from its words. What arrives later
   * than the hook ends is waited for.
   */
  readonly escaped: (said: string, patienceMs: number) => boolean | Promise<boolean>;
  readonly end?: () => void;
}

const prelude = readFileSync(fileURLToPath(new URL("../fixtures/sandbox/probe.py", import.meta.url)), "utf8");

/** A hook that makes the attempt and reports on stderr, whatever becomes of it. */
export const probeHook = (attempt: string, host: Scene["host"] = {}): string => `#!${PYTHON} -I
${prelude}
host = json.loads(${JSON.stringify(JSON.stringify(host))})
said = ""
try:
${attempt.trim().replaceAll(/^/gm, "    ")}
except BaseException as error:
    said = f"{type(error).__name__}: {error}"
print("tried", said, file=sys.stderr)
`;

export const PROBE_FILE = "home/.kodelet/hooks/probe";
export const SETTINGS_FILE = "home/.kodelet/hooks.json";

export const setSandbox = (place: Workspace, sandbox: unknown): Promise<string> =>
  place.write(SETTINGS_FILE, JSON.stringify({ overrides: { probe: { sandbox } } }));

/** How long nothing has to arrive where nothing may: what arrives later is missed, but no machine is too slow for it. */
const QUIET_MS = 300;

export const CALL = ["run", "before_tool_call", "--json", "-q"];

export const callHook = (place: Workspace, env: Scene["env"] = {}): Promise<CommandResult> =>
  place.run(CALL, { stdin: PAYLOAD, env });

export const PAYLOAD = JSON.stringify({ tool_name: "bash", tool_input: { command: "ls" } });

/** Where and as whom a probe runs. */
export interface ProbePlace {
  /** The folder of the workspace; default the system's temporary one. */
  readonly parent?: string;
  /** True: everything belongs to a user whom the modes of files bind, who calls hookctl. */
  readonly isUsers?: boolean;
}

export interface ProbeResult {
  /** What the hook reported; without it the hook did not run. */
  readonly said: string;
  readonly escaped: boolean;
}

/** Runs the probe once as a hook of the user. */
export async function runProbe(
  probe: Probe,
  sandbox: unknown,
  { parent, isUsers = false }: ProbePlace = {},
): Promise<ProbeResult> {
  await using place = await workspace(parent);
  const scene = await probe.arrange(place);
  try {
    await place.write(PROBE_FILE, probeHook(probe.attempt, { dir: place.dir, ...scene.host }), 0o755);
    await setSandbox(place, sandbox);
    if (isUsers) await giveToUser(place);
    const { env = {} } = scene;
    const said = reportOf(await (isUsers ? runAsUser(place, CALL, { stdin: PAYLOAD, env }) : callHook(place, env)));
    return { said, escaped: await scene.escaped(said, sandbox === "off" ? HANG_TIMEOUT_MS : QUIET_MS) };
  } finally {
    scene.end?.();
  }
}

/** What the hook said, or why it said nothing. */
export function reportOf({ stdout, stderr, code }: CommandResult): string {
  try {
    const [hook] = (JSON.parse(stdout) as { hooks: { stderr: string; failure?: object }[] }).hooks;
    return hook?.stderr.startsWith("tried") === true ? hook.stderr : JSON.stringify(hook);
  } catch {
    return `exit ${code}: ${stdout}${stderr}`;
  }
}

/** A file below the workspace that the hook shall not change. */
export const inWorkspace = (place: Workspace, path: string): string => join(place.dir, path);
