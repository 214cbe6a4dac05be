import type { ConfigProblem } from "../protocol/problem.ts";
import type { ScopeSettings } from "../protocol/settings-file.ts";
import type { ConfigScope, FileState } from "./config-files.ts";

/** One settings file after parsing and checking: its data, or its problem. */
export interface CompiledFile {
  readonly scope: ConfigScope;
  /** The project's folder; empty for the user. */
  readonly folder: string;
  /** Null if the scope has no settings file. */
  readonly file: string | null;
  /** The file is empty, as a full disk may leave it. */
  readonly isBlank: boolean;
  readonly data: ScopeSettings;
  readonly problem: ConfigProblem | null;
  /** Further problems of the file. */
  readonly moreProblems?: readonly ConfigProblem[];
  /** The problems of single entries, which alone have no effect. */
  readonly entryProblems?: readonly ConfigProblem[];
}

/** The settings files of one call: those of each project folder, outermost first, then the user's. */
export interface CompiledSettings {
  readonly files: readonly CompiledFile[];
  /** Shared files with hooks in another program's form. They have no effect; each has a problem. */
  readonly ignoredFiles: readonly CompiledFile[];
  /** Further files that were read, such as an mcp.json with a server that an entry names. */
  readonly alsoRead: readonly FileState[];
}
