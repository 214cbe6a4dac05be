import { listNames } from "./text/text.ts";

export const SANDBOX_MODES = ["off", "auto", "require"] as const;
type SandboxMode = (typeof SANDBOX_MODES)[number];

/** Additional permissions of a hook in the sandbox. */
export interface SandboxGrants {
  /** Default false. */
  readonly network?: boolean;
  /** Default true. */
  readonly subprocess?: boolean;
  readonly write_paths?: readonly string[];
}

/** A setting; grants mean `require`. */
export type SandboxSetting = SandboxMode | SandboxGrants;

/** A setting with everything decided. */
export interface SandboxChoice extends Required<SandboxGrants> {
  readonly mode: SandboxMode;
}

const WITHOUT_GRANTS: Required<SandboxGrants> = { network: false, subprocess: true, write_paths: [] };

export const sandboxChoice = (setting: SandboxSetting): SandboxChoice =>
  typeof setting === "string"
    ? { ...WITHOUT_GRANTS, mode: setting }
    : { ...WITHOUT_GRANTS, ...setting, mode: "require" };

/** The intersection of both. A choice without a sandbox allows everything. */
export function stricterChoice(one: SandboxChoice, other: SandboxChoice): SandboxChoice {
  if (one.mode === "off") return other;
  if (other.mode === "off") return one;
  return {
    mode: one.mode === "require" ? one.mode : other.mode,
    network: one.network && other.network,
    subprocess: one.subprocess && other.subprocess,
    write_paths: one.write_paths.filter((path) => other.write_paths.includes(path)),
  };
}

/** The sandbox in which a hook runs. */
export interface HookSandbox {
  /** Null if this machine has no sandbox, so that the hook runs without. */
  readonly backend: "bubblewrap" | "sandbox-exec" | null;
  readonly network: boolean;
  readonly subprocess: boolean;
  /** As named in the settings. */
  readonly writePaths: readonly string[];
  /** The files to which the command of the hook redirects its output, as it names them. */
  readonly redirected: readonly string[];
}

/** The sandbox of a hook in one line: `bubblewrap: no network, writes to sessions.log`. */
export function sandboxText({ backend, network, subprocess, writePaths, redirected }: HookSandbox): string {
  if (backend === null) return "none";
  const writes = [...new Set([...writePaths, ...redirected])];
  const grants = [
    network ? "network" : "no network",
    writes.length === 0 ? "no writes" : `writes to ${listNames(writes)}`,
    ...(subprocess ? [] : ["no processes"]),
  ];
  return `${backend}: ${grants.join(", ")}`;
}
