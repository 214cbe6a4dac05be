import type { ConfigSettings, Override } from "./config.ts";
import type { TiedEntry } from "./entry.ts";

/** The checked settings of one scope: one project folder, or the user. Durations are milliseconds. */
export interface ScopeSettings {
  readonly settings: ConfigSettings;
  readonly overrides: Readonly<Record<string, Override>>;
  /** The hooks that the file declares, each `tool` with its server. */
  readonly entries: readonly TiedEntry[];
}

export const NO_SETTINGS: ScopeSettings = { settings: {}, overrides: {}, entries: [] };
