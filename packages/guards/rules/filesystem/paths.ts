import { posix } from "node:path";
import { tableOf } from "../../../../src/protocol/json/table.ts";
import type { Call } from "../../command/call.ts";
import { optionValues, parseOptions } from "../../command/options.ts";
import { resolvePath } from "../../command/paths.ts";
import { wrapperOf } from "../../command/started/wrappers.ts";
import table from "./verdicts.json" with { type: "json" };

/** A kind of path in `verdicts.json`. */
export type PathKind = keyof typeof table.paths;

const { paths } = tableOf<{ readonly paths: Readonly<Record<PathKind, { readonly path: string }>> }>(table);
const compiled = new Map<PathKind, RegExp>();

/** True for a path of this kind. The patterns write the home as `~`. */
export function isPathOf(kind: PathKind, path: string, home: string): boolean {
  const pattern = compiled.get(kind) ?? new RegExp(paths[kind].path);
  compiled.set(kind, pattern);
  return pattern.test(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}

/** The call that starts a call on another machine or in a container; null for a local call. */
function boundaryOf({ parent }: Call): Call | null {
  if (parent === null) return null;
  return parent.call.isRemote ? boundaryOf(parent.call) : parent.call;
}

export const isOverSsh = (call: Call): boolean => call.isRemote && boundaryOf(call)?.program === "ssh";

/** The local path of a path in a container that mounts a folder of this machine; null if it is the container's. */
export function mountedPath(path: string, call: Call): string | null {
  const container = call.isRemote ? boundaryOf(call) : null;
  const mount = (container === null ? [] : mountsOf(container)).find(
    ({ target }) => path === target || path.startsWith(`${target.replace(/\/$/, "")}/`),
  );
  return mount === undefined ? null : posix.join(mount.source, path.slice(mount.target.length));
}

function mountsOf(container: Call): readonly { readonly source: string; readonly target: string }[] {
  const run = wrapperOf(container);
  if (run === null) return [];
  const parsed = parseOptions(run.args, run.wrapper);
  const volumes = optionValues(parsed, "-v --volume").map((word) => {
    const [source = "", target = "", mode = ""] = word.text.split(":");
    return { word, source, target, isReadOnly: /\bro\b/.test(mode) };
  });
  const mounts = optionValues(parsed, "--mount").map((word) => {
    const value = (names: string): string => new RegExp(`(?:^|,)(?:${names})=([^,]*)`).exec(word.text)?.[1] ?? "";
    const isReadOnly = /(?:^|,)(?:ro|readonly)(?:,|$|=(?:true|1))/.test(word.text);
    return { word, source: value("source|src"), target: value("target|dst|destination"), isReadOnly };
  });
  // A name without a slash is a named volume.
  return [...volumes, ...mounts]
    .filter(({ source, target, isReadOnly }) => /^[/.~]/.test(source) && target !== "" && !isReadOnly)
    .map(({ word, source, target }) => ({ source: resolvePath({ ...word, text: source }, container), target }));
}
