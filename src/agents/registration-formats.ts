import type { JsonRecord } from "../protocol/json/write.ts";
import type { Registration, SettingsFormat } from "./agent-install.ts";

/** The timeout in whole seconds, at least one. */
export const timeoutSeconds = ({ timeoutMs }: Registration): number => Math.max(1, Math.round(timeoutMs / 1000));

/** A group without a matcher, so that it handles every tool: hookctl's hooks filter themselves. */
export const hookGroup = (handler: JsonRecord): JsonRecord => ({ hooks: [handler] });

export const commandGroup = (registration: Registration): JsonRecord =>
  hookGroup({ type: "command", command: registration.command, timeout: timeoutSeconds(registration) });

/** Claude Code's format, which other agents use as well. */
export const commandGroups: SettingsFormat = { kind: "settings", root: {}, entry: commandGroup };

export const isJsonTrue = (value: unknown): boolean => value === true;
export const isJsonFalse = (value: unknown): boolean => value === false;

/** True if the path is the folder or below it. */
export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
