import { posix } from "node:path";
import { isWithin } from "../../protocol/text/text.ts";
import { UNKNOWN } from "../command/call.ts";
import type { AccessKind, FileAccess } from "../command/files/file-access.ts";
import type { Finding, Guard, GuardContext } from "../guard.ts";
import { literalFolder, mayMatch } from "./globs.ts";

const DOES: Readonly<Partial<Record<AccessKind, string>>> = {
  write: "changes",
  delete: "deletes",
  mode: "changes the permissions of",
};

export const protectedPaths: Guard = {
  name: "protected-paths",
  about: "Keeps files of your choice as they are: globs in its setting `paths`.",
  rules: {
    "change-protected": "a file that a glob of `paths` names is changed, replaced or deleted, by any tool",
    "delete-around": "a folder is deleted or moved that holds protected files",
  },
  programs: ["rm", "mv", "sed", "tee", "dd", "truncate"],
  judgeFile,
  get examples() {
    return {
      blocked: [
        { command: "echo x > infra/main.tf" },
        { command: "sed -i s/a/b/ infra/prod/db.tf" },
        { command: "perl -pi -e s/a/b/ infra/main.tf" },
        { command: "tee -a infra/main.tf < patch.txt" },
        { command: "cp main.tf infra/" },
        { command: "mv infra/main.tf old.tf" },
        { command: "rm -f infra/*.tf" },
        { command: "rm -rf infra" },
        { command: "rm -rf config", why: "It holds `config/prod.yml`." },
        { command: "chmod +w infra/main.tf" },
        { command: "cd infra && truncate -s 0 main.tf" },
        { command: "touch yarn.lock" },
        { command: "echo x >> ~/.bashrc" },
      ],
      asked: [
        { command: 'echo x > "infra/$NAME.tf"' },
        { command: "cp -r /tmp/x/. config", why: "The folder may hold `prod.yml`." },
        { command: "tar -xf x.tar -C config" },
      ],
      allowed: [
        { command: "cat infra/main.tf" },
        { command: "cp infra/main.tf /tmp/copy.tf" },
        { command: "grep -rn bucket infra" },
        { command: "echo x > infrastructure.md" },
        { command: "rm -rf build" },
        { command: "cp -r src/* lib/ && tar -xf x.tar && cp -r x/. ." },
        { command: "git commit -m 'change infra/main.tf'" },
        { command: "terraform -chdir=infra plan" },
        { command: 'rm -rf "$TMP_DIR"' },
      ],
      gaps: [
        {
          command: "terraform fmt infra",
          why: "What a program that is not known does with a folder is not known either.",
        },
        { command: "git checkout main", why: "Changes of the whole working tree are not compared with globs." },
      ],
    };
  },
};

function judgeFile(access: FileAccess, { paths, place }: GuardContext): Finding | null {
  const does = DOES[access.kind];
  if (does === undefined || access.path.startsWith(UNKNOWN)) return null;
  for (const glob of paths) {
    const pattern = absolute(glob, place);
    if (isUnknown(access)) {
      if (!isBelow(access.path, pattern)) continue;
      return { ...found(access, does, glob), decision: "ask", isUnknown: true };
    }
    if (access.tree !== undefined) {
      if (isWithin(place.project, access.path) || !holds(access.path, pattern)) continue;
      return { ...found(access, "may change", glob), decision: "ask", isUnknown: true };
    }
    if (mayMatch(access.path, pattern) || mayMatch(access.path, `${pattern}/**`)) return found(access, does, glob);
    if (access.kind === "delete" && holds(access.path, pattern))
      return { ...found(access, `${does} a folder with`, glob), rule: "delete-around" };
  }
  return null;
}

const isUnknown = ({ path }: FileAccess): boolean => path.includes(UNKNOWN);

/** True if a path with an unknown part is in a folder that the pattern names. */
function isBelow(path: string, pattern: string): boolean {
  const folder = literalFolder(pattern);
  return folder.split("/").length > 2 && literalFolder(path).startsWith(folder);
}

/** True if files that the pattern means are in the folder. */
function holds(folder: string, pattern: string): boolean {
  const literal = literalFolder(pattern).replace(/\/$/, "");
  const parts = folder.split("/").length;
  const above = literal.split("/").slice(0, parts).join("/");
  return literal.split("/").length >= parts && mayMatch(folder, above);
}

function found({ source, call }: FileAccess, does: string, glob: string): Finding {
  return {
    rule: "change-protected",
    decision: "block",
    part: call?.source ?? source,
    effect: `${does} files that \`${glob}\` protects`,
    instead: "Ask the person to change it, or to change the setting `paths`.",
  };
}

function absolute(glob: string, { project, home }: GuardContext["place"]): string {
  if (/^~(?=\/|$)/.test(glob)) return home + glob.slice(1);
  if (glob.startsWith("/")) return posix.normalize(glob);
  // As in .gitignore, a name without a slash matches in every folder.
  const isName = !glob.replace(/\/$/, "").includes("/");
  return posix.normalize(`${project}/${isName ? "**/" : ""}${glob}`).replace(/\/$/, "");
}
