/** The type of one settings value. The zod schema, the JSON Schema and the docs are built from these rows. */
export type SettingKind =
  | "duration"
  | "size"
  | "text"
  | "flag"
  | "count"
  | "number"
  | "texts"
  | "match"
  | "durations"
  | "variables"
  | "sandbox"
  | readonly string[];

export interface SettingRow {
  readonly kind: SettingKind;
  /** True if a project's settings file may not set it. */
  readonly isUserOnly: boolean;
  readonly about: string;
}
