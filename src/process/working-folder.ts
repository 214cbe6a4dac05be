import { statSync } from "node:fs";

/** Hooks run where the agent works, if that is a folder; relative paths in a hook's text mean files there (SPEC 5). */
export function workingFolder(wanted: string, own: string): string {
  try {
    return statSync(wanted).isDirectory() ? wanted : own;
  } catch {
    // Not there, not allowed, or a text with a NUL in it.
    return own;
  }
}
