import type { GuardName } from "../../src/protocol/guard-settings.ts";
import type { ScopedRule } from "../../src/protocol/rule-settings.ts";
import type { Call, CommandAnalysis, CommandPlace } from "./command/call.ts";
import type { Connection } from "./command/connections.ts";
import type { FileAccess } from "./command/files/file-access.ts";
import type { Examined } from "./examine.ts";
import type { ToolTexts } from "./tool-texts.ts";

export type { GuardName };

/** A problem that a rule of a guard found in a tool call. */
export interface Finding {
  readonly rule: string;
  readonly decision: "block" | "ask";
  /** The part of the call that it is about, as it was written. */
  readonly part: string;
  /** What the call would do: `deletes the home directory`. */
  readonly effect: string;
  /** A safe alternative, as an instruction to the agent. */
  readonly instead: string;
  /** True if a part that is known only at run time decides; then the setting `unknown` applies. */
  readonly isUnknown?: true;
  /** What it is about, in a form that does not depend on the spelling: absolute paths, branches, addresses. */
  readonly targets?: readonly string[];
  /** The scope of the person's rule that made it. A rule of a weaker scope does not allow it. */
  readonly scope?: Pick<ScopedRule, "level" | "file">;
  /** The hosts that it is about, with their ports. */
  readonly hosts?: readonly Pick<Connection, "host" | "port">[];
}

/** A finding with its subject: a program, a file, or the whole command. */
export interface Found {
  readonly finding: Finding;
  readonly about: { readonly call: Call | null; readonly file: FileAccess | null };
}

/** A finding that blocks, or else the first; null if there is none. */
export const strictest = (findings: readonly (Finding | null)[]): Finding | null =>
  findings.find((found) => found?.decision === "block") ?? findings.find((found) => found !== null) ?? null;

/** What the rules of a guard know in addition to the call. */
export interface GuardContext {
  readonly place: CommandPlace;
  /** The commands of the call, as texts. */
  readonly commands: readonly string[];
  /** Globs of the setting `paths`. */
  readonly paths: readonly string[];
  /** Folders and files of hookctl and of its registrations that an agent may not change. */
  readonly ownFiles: readonly OwnFile[];
  /** What the person blocks and asks about; only for the guard `rules`. */
  readonly rules?: readonly ScopedRule[];
  /** Files that the call would write and that do not exist; absent if nobody looked. */
  readonly missing?: ReadonlySet<string>;
}

/** A path on which the caller depends; `isFolder`: with everything in it. */
export interface OwnFile {
  readonly path: string;
  readonly isFolder: boolean;
  readonly what: string;
  /** True for a file of an agent with a registration of the caller. */
  readonly isRegistration?: true;
  /** True for a file with other settings of an agent beside hookctl's registration: these may change. */
  readonly isShared?: true;
  /** The name of the agent whose settings these are. */
  readonly agent?: string;
  /** True if nothing is lost with it; but who writes in it decides what hookctl believes. */
  readonly mayBeDeleted?: true;
}

export interface Guard {
  readonly name: GuardName;
  /** One line for `hookctl guards`. */
  readonly about: string;
  /** Each rule with a description. */
  readonly rules: Readonly<Record<string, string>>;
  /** The decision of each rule; null if it depends on the call. */
  readonly decisions: Readonly<Record<string, Finding["decision"] | null>>;
  /** Rules whose block no repetition makes a question: what they stop destroys at once, and beyond repair. */
  readonly staysBlocked?: readonly string[];
  /** Programs that make a command suspicious if it cannot be parsed. */
  readonly programs: readonly string[];
  /** Judges each program that a command starts, with all calls of the command if these are known. */
  readonly judgeCall?: (call: Call, context: GuardContext, calls?: readonly Call[]) => Finding | null;
  /** Judges the command as a whole, where the order of its calls matters. */
  readonly judgeCommand?: (analysis: CommandAnalysis, context: GuardContext) => Finding | null;
  /** Judges all texts of a tool call. */
  readonly judgeTool?: (tool: ToolTexts, context: GuardContext) => Finding | null;
  /** Judges a file that a tool, a program or a redirection reads, changes or deletes. */
  readonly judgeFile?: (access: FileAccess, context: GuardContext) => Finding | null;
  /** True for a file whose text before the call `judgeFile` compares: `replaced`. */
  readonly needsText?: (access: FileAccess, place: CommandPlace) => boolean;
  /** Judges everything in a call, with several findings about one part. */
  readonly judgeAll?: (examined: Examined, context: GuardContext) => readonly Found[];
  /** True if a program of the call sends something, so that it matters which secrets were read before. */
  readonly sends?: (examined: Examined) => boolean;
  /** The same as `programs`, where the settings decide. */
  readonly programsOf?: (context: GuardContext) => readonly string[];
}
