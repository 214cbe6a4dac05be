import type { InstallScope } from "../../src/protocol/agent-names.ts";
import type { Checkup } from "../../src/protocol/doctor-check.ts";
import { arrayOr, objectOr, type UncheckedObject } from "../../src/protocol/json/read.ts";
import { tableOf } from "../../src/protocol/json/table.ts";
import type { JsonRecord } from "../../src/protocol/json/write.ts";
import { filled, type Template } from "./template.ts";

/** What to register for one event of an agent: a `hookctl bridge` command. */
export interface Registration {
  /** The agent's own name of the event. */
  readonly event: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly failClosed: boolean;
}

/** A registration of hookctl that was found in an agent's settings. */
export interface FoundRegistration {
  readonly event: string;
  readonly command: string;
  /** Its position among the groups of its event, and in its group: Codex identifies trusted hooks by them. */
  readonly group: number;
  readonly handler: number;
  /** The matcher of its group; empty if none. */
  readonly matcher: string;
}

/** Facts about an agent for `install`, `adopt` and `doctor`. They are apart from its protocol, so that the bundle of `bridge` excludes them. */
export interface AgentInstall {
  readonly format: SettingsFormat | ModuleFormat;
  /** Other files that the registration needs, by their path relative to the settings file, each with its content. */
  readonly companionFiles?: Readonly<Record<string, JsonRecord>>;
  /** The agent runs hooks in the user's login shell; without it, in `sh -c`. */
  readonly usesLoginShell?: true;
  /** Steps that the user must take before the agent runs the registered hooks. */
  readonly stillToDo: string;
  /** A note on the machine's file for administrators. */
  readonly machineNote?: string;
  /** Settings that make the agent run no hooks. */
  readonly switches: readonly HooksSwitch[];
  /** Environment variables that make the agent run no hooks if their value means yes, each with the scope of the affected registrations. */
  readonly disablingVariables?: Readonly<Record<string, InstallScope | "all">>;
  /** Environment variables with a program that the agent runs in the place of each command, also of a hook's. */
  readonly prefixVariables?: readonly string[];
  /** Files of a project that the agent may load in the place of the user's plugin, because they have its name. */
  readonly namesakes?: readonly string[];
  /** How the agent records that the user trusts hooks; absent: it needs no trust. */
  readonly trust?: AgentTrust;
  /** The person trusts each entry by itself; until then the agent skips it. */
  readonly trustsEachEntry?: true;
  /** The format of its existing hooks; absent: `adopt` does not support them. */
  readonly adoptableHooks?: AdoptableHooks;
}

/** Entries in a settings file that others edit as well. */
export interface SettingsFormat {
  readonly kind: "settings";
  /** Keys that the file needs in addition to `hooks`. */
  readonly root: JsonRecord;
  /** Keys of the machine's file that prevent users from disabling all hooks. */
  readonly machineRoot?: JsonRecord;
  readonly entry: (registration: Registration) => JsonRecord;
}

/** A JavaScript module that hookctl generates. */
interface ModuleFormat {
  readonly kind: "module";
}

export interface HooksSwitch {
  /** The path of the setting in its file. */
  readonly key: readonly string[];
  /** What the setting does, if it does not stop all hooks. */
  readonly effect?: string;
  readonly disablesHooks: (value: unknown, registrations: readonly FoundRegistration[]) => boolean;
  /** The files that can hold the setting. Except for a list or an object, the first file that has it decides. */
  readonly files: readonly SwitchFile[];
  /** Files that apply to hooks in the machine's file. Default: all. */
  readonly machineFiles?: readonly SwitchFile[];
}

/** Relative to the project, relative to the home directory (an agent's variable may move it), or an absolute path. */
export type SwitchFile = readonly [location: "project" | "user" | "machine", path: string];

export interface AgentTrust {
  /** Files that record trust, relative to the home directory. */
  readonly files: readonly string[];
  readonly check: (input: AgentTrustInput) => Checkup;
  /** How the agent itself says which entries it trusts, if the files cannot tell. */
  readonly query?: TrustQuery;
}

/** A conversation in lines of JSON with a program of the agent. */
export interface TrustQuery {
  readonly program: string;
  readonly args: readonly string[];
  readonly requests: (projectDir: string) => readonly JsonRecord[];
  /** The entries in a message; null if it is not the answer. */
  readonly read: (message: UncheckedObject) => readonly TrustedEntry[] | null;
}

/** An entry as the agent sees it. */
export interface TrustedEntry {
  readonly command: string;
  /** The settings file that holds it. */
  readonly file: string;
  /** The agent's own word, such as `modified`. */
  readonly status: string;
  readonly isTrusted: boolean;
}

export interface AgentTrustInput {
  readonly scope: InstallScope;
  readonly projectDir: string;
  /** The settings file that holds the registrations. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registrations: readonly FoundRegistration[];
  /** The contents of the trust files, in their order. */
  readonly contents: readonly UncheckedObject[];
}

/** `grouped`: handlers in groups with a matcher, as Claude Code has them. `flat`: a list of handlers, as Copilot has. */
export type AdoptableHooks = "grouped" | "flat";

/** The timeout in whole seconds, at least one. */
export const timeoutSeconds = ({ timeoutMs }: Registration): number => Math.max(1, Math.round(timeoutMs / 1000));

/** True for a variable's value that means yes: agents accept several. */
export const isYes = (value: unknown): boolean => /^(?:1|true|yes|on)$/i.test(String(value).trim());

/** The values of a setting that disable hooks, by their names in `install.json`. */
const DISABLES = {
  true: (value) => value === true,
  false: (value) => value === false,
  yes: isYes,
  set: (value) => typeof value === "string" && value !== "",
  /** A list of hooks by name or command. */
  "names ours": (value, registrations) =>
    registrations.some(({ event, command }) =>
      arrayOr(value).some((one) => one === `hookctl-${event}` || one === command),
    ),
  /** A list in which `-path` and `!glob` exclude extensions that pi has found. */
  "excludes ours": (value) =>
    arrayOr(value).some((one) => /^[-!].*hookctl|^!(?:.*\/)?\*+(?:\.\w+)?$/.test(String(one))),
  /** Settings that replace the file with hookctl's entries. */
  "without ours": (settings) =>
    Object.keys(objectOr(settings)).length > 0 && !JSON.stringify(settings).includes("bridge claude --event "),
} satisfies Readonly<Record<string, HooksSwitch["disablesHooks"]>>;

/** The settings that disable hooks, in `install.json`. Of several keys each one does. */
interface SwitchJson extends Omit<HooksSwitch, "key" | "disablesHooks"> {
  readonly keys: readonly HooksSwitch["key"][];
  readonly disables: keyof typeof DISABLES;
}

interface InstallJson extends Omit<AgentInstall, "format" | "switches" | "trust"> {
  /** An entry is a template with values of the registration. */
  readonly format: ModuleFormat | (Omit<SettingsFormat, "entry"> & { readonly entry: Template });
  readonly switches: readonly SwitchJson[];
  readonly trustFiles?: readonly string[];
}

/** The facts in an agent's `install.json`. */
export function installOf(json: unknown, trust: Omit<AgentTrust, "files"> | null = null): AgentInstall {
  const { format, switches, trustFiles, ...facts } = tableOf<InstallJson>(json);
  const entryOf = (template: Template) => (registration: Registration) =>
    filled(template, {
      event: registration.event,
      command: registration.command,
      seconds: timeoutSeconds(registration),
      milliseconds: registration.timeoutMs,
      failClosed: registration.failClosed ? true : undefined,
      blockIfClosed: registration.failClosed ? "block" : undefined,
    });
  return {
    ...facts,
    format: format.kind === "module" ? format : { ...format, entry: entryOf(format.entry) },
    switches: switches.flatMap(({ keys, disables, ...files }) =>
      keys.map((key) => ({ key, ...files, disablesHooks: DISABLES[disables] })),
    ),
    ...(trust === null || trustFiles === undefined ? {} : { trust: { ...trust, files: trustFiles } }),
  };
}
