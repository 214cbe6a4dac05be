import type { Scopes } from "../discover/scopes.ts";
import { readLockFile } from "../packs/lock-file.ts";
import { type PackState, packStateIn } from "../packs/placed-pack.ts";
import { broken, type Checkup, fine } from "../protocol/doctor-check.ts";
import { explain } from "../protocol/problem-message.ts";
import { quoteHookName } from "../protocol/text/shell-quote.ts";
import { listNames } from "../protocol/text/text.ts";

type PackScopes = Pick<Scopes, "projectDirs" | "homeDir">;

/** Compares each pack with its lock file; nothing where no packs were added. */
export function packChecks({ projectDirs, homeDir }: PackScopes): readonly Checkup[] {
  const own = homeDir === null ? [] : checksIn(homeDir, " --scope user");
  return [...projectDirs.flatMap((folder) => checksIn(folder, "")), ...own];
}

function checksIn(root: string, scope: string): readonly Checkup[] {
  const lock = readLockFile(root);
  if (!lock.ok) {
    const { summary, hint } = explain(lock.error);
    return [broken("packs", summary, hint)];
  }
  return [...lock.value].map(([name, locked]) => {
    const state = packStateIn(root, name, locked);
    return state.kind === "as-locked" ? fine("packs", `${name} is as it was added`) : changedCheck(name, state, scope);
  });
}

function changedCheck(name: string, state: Exclude<PackState, { readonly kind: "as-locked" }>, scope: string): Checkup {
  const files = listNames(state.files);
  return state.kind === "missing"
    ? broken("packs", `files of ${name} are missing: ${files}`, `Restore them: hookctl add${scope}`)
    : broken(
        "packs",
        `${name} was changed since it was added: ${files}`,
        `To discard the changes: hookctl update ${quoteHookName(name)} --force${scope}`,
      );
}
