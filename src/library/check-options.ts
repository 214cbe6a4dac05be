import { nearest } from "../contract/nearest.ts";
import { HookctlError } from "./hookctl-error.ts";
import type { FunctionOptions } from "./registry.ts";

/** What each option holds; the limit is read where durations are. */
const KINDS: Readonly<Record<Exclude<keyof FunctionOptions, "timeout">, string>> = {
  name: "string",
  priority: "number",
  failOpen: "boolean",
  observe: "boolean",
  match: "object",
};

/** A program without types may say `failopen: false`, and its guard would stand open unseen. */
export function checkOptions(options: FunctionOptions): void {
  for (const [key, value] of Object.entries(options)) {
    const kind = Object.entries({ ...KINDS, timeout: null }).find(([name]) => name === key)?.[1];
    if (kind === undefined) throw badOption(key, `is no option${didYouMean(key)}`);
    if (kind !== null && value !== undefined && typeof value !== kind) throw badOption(key, `must be of type ${kind}`);
  }
  const { observe, failOpen, priority, match } = options;
  if (observe === true && failOpen === false) {
    throw badOption("failOpen", "an observer decides nothing, so it cannot be false together with observe: true");
  }
  if (priority !== undefined && !Number.isFinite(priority)) throw badOption("priority", "must be a finite number");
  const patterns = Object.values(match ?? {}).flat();
  if (match === null || patterns.some((pattern) => typeof pattern !== "string")) {
    throw badOption("match", "must hold a text or a list of texts for each field");
  }
}

function didYouMean(key: string): string {
  const near = nearest(key, [...Object.keys(KINDS), "timeout"]);
  return near === null ? "" : `. Did you mean ${near}?`;
}

export const badOption = (option: string, detail: string): HookctlError =>
  new HookctlError({ code: "USAGE_BAD_OPTION", option, detail });
