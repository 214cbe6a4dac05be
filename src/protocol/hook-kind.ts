export const SOURCES = ["project", "project-plugin", "user", "user-plugin", "config", "explicit", "machine"] as const;
export type Source = (typeof SOURCES)[number];

export const HOOK_KINDS = [
  "executable",
  "command",
  "rule",
  "tool",
  "template_push",
  "shell_exec",
  "shell_push",
  "function",
  "guard",
] as const;
export type HookKind = (typeof HOOK_KINDS)[number];

/** How a hook reads its call. `env`: from variables, too. */
export const READS = ["stdin", "env"] as const;
export type Reads = (typeof READS)[number];

/** Field path -> the values that match: an exact text or glob, or a list of them. */
export type Match = Readonly<Record<string, string | readonly string[]>>;
