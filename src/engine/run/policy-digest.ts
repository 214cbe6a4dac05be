import { join } from "node:path";
import { checksum } from "../../config/load-settings.ts";
import { sha256Of } from "../../fs/hash.ts";
import { writeCacheFile } from "../../fs/machine-folder.ts";
import { readOwnFile } from "../../fs/permissions.ts";
import type { Hook } from "../../protocol/hook.ts";
import { approvalFor } from "../../trust/decide/approval-key.ts";
import type { RunContext } from "../run-context.ts";

/** For a program that calls the library many times. */
let latest: { readonly text: string; readonly digest: string } | null = null;

/**
 * SHA-256 of what judged a call: the settings in effect and its hooks with their contents. Machines with the same policy have
 * the same digest, wherever their folders are. It is cached, because `node:crypto` takes longer to load than a guard runs.
 */
export function policyDigest(hooks: readonly Hook[], context: RunContext): string {
  const { cacheDir, options, scopes } = context;
  const text = policyText(hooks, context);
  if (latest?.text === text) return latest.digest;
  // One file for the same hooks of a project: another policy for them overwrites it.
  const key = [scopes.projectDir, ...hooks.map(({ path }) => path)].join("\n");
  const file = cacheDir === null || !options.useCache ? null : join(cacheDir, `policy-${checksum(key)}`);
  const digest = cachedDigest(file, text) ?? sha256Of(text);
  latest = { text, digest };
  return digest;
}

function policyText(hooks: readonly Hook[], { settings, scopes, trustStore }: RunContext): string {
  // The limits of one call belong to its caller.
  const inEffect = { ...settings, forcedTimeoutMs: undefined, deadlineMs: undefined };
  const stored = hooks.some(({ projectDir }) => projectDir !== null) ? trustStore.approvals() : null;
  const judging = hooks.map((hook) => {
    const approval = stored?.ok === true ? approvalFor(hook, stored.value) : null;
    const { name, source, kind, hash, trust, state, entry } = hook;
    return [name, source, kind, hash, trust, state, entry, approval?.helpers, approval?.files];
  });
  const folders = [[scopes.projectDir, "$PROJECT"] as const, [scopes.homeDir ?? "", "$HOME"] as const];
  return folders.reduce(
    (text, [folder, name]) => (folder.length > 1 ? text.replaceAll(JSON.stringify(folder).slice(1, -1), name) : text),
    JSON.stringify([inEffect, judging]),
  );
}

const DIGEST_LENGTH = 64;

/** Returns the cached digest of exactly this text, or stores it; without a cache file null. */
function cachedDigest(file: string | null, text: string): string | null {
  if (file === null) return null;
  try {
    const stored = readOwnFile(file);
    if (stored.slice(DIGEST_LENGTH) === text) return stored.slice(0, DIGEST_LENGTH);
  } catch {
    // Missing or not readable: it is written now.
  }
  const digest = sha256Of(text);
  try {
    writeCacheFile(file, digest + text);
  } catch {
    // A read-only or full disk makes calls slower, not wrong.
  }
  return digest;
}
