import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isFolder, isInside } from "../../../src/fs/paths.ts";
import { removeTree } from "../../../src/fs/remove-tree.ts";
import type { HostProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { SHARED_FILES } from "../../../src/protocol/settings-file.ts";
import { blobContents, blobsIn } from "../../packs/fetch-git.ts";
import { MOST_BYTES, MOST_FILES } from "../../packs/pack-files.ts";
import { type FetchContext, runProgram } from "../../packs/run-program.ts";

/** Two empty folders, removed afterwards: one for a revision, one as HOME. */
export interface RevisionFolders {
  readonly revision: string;
  readonly emptyHome: string;
}

export async function withRevisionFolders<T>(work: (folders: RevisionFolders) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "hookctl-base-"));
  try {
    const folders = { revision: join(root, "revision"), emptyHome: join(root, "home") };
    for (const folder of Object.values(folders)) mkdirSync(folder);
    return await work(folders);
  } finally {
    removeTree(root);
  }
}

/** The repository may be somebody else's: no program of its settings is started, and nothing is fetched. */
const CAREFUL = [
  "--no-replace-objects",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "protocol.allow=never",
];
const VARIABLES = { GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };

/**
 * Writes the hooks and settings of a git revision into an empty folder, from git's objects: no hook, filter or
 * submodule of the repository applies. Returns the folder there that corresponds to the project. `base` may also be a
 * folder.
 */
export async function layOutRevision(
  base: string,
  { revision }: Pick<RevisionFolders, "revision">,
  context: FetchContext,
): Promise<Result<string, HostProblem>> {
  const { projectDir: cwd } = context;
  const named = resolve(cwd, base);
  if (isFolder(named)) return ok(named);
  const failed = (cause: string): Result<never, HostProblem> => fail({ code: "BASE_NOT_READ", base, cause });
  const git = (args: readonly string[], input?: string) =>
    runProgram(
      "git",
      {
        args: [...CAREFUL, ...args],
        cwd,
        variables: VARIABLES,
        stdoutLimitBytes: MOST_BYTES * 16,
        ...(input === undefined ? {} : { input }),
      },
      context,
    );
  const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`]);
  if (!found.ok) return failed("it is neither a revision of this repository nor a folder");
  const prefix = await git(["rev-parse", "--show-prefix"]);
  if (!prefix.ok) return failed(prefix.error);
  const commit = found.value.toString("latin1").trim();
  const listed = await git(["ls-tree", "-r", "-z", "--long", "--full-tree", commit]);
  if (!listed.ok) return failed(listed.error);
  const files = blobsIn(listed.value).filter(({ kind, path }) => kind === "file" && isOfHooks(path));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MOST_FILES || bytes > MOST_BYTES)
    return failed("its hooks have too many files, or too large ones");
  const contents = await git(["cat-file", "--batch"], files.map(({ hash }) => `${hash}\n`).join(""));
  const texts = contents.ok ? blobContents(contents.value, files.length) : null;
  if (texts === null) return failed("git did not print its files");
  // Makes it a repository, so that no folder above it is the project.
  mkdirSync(join(revision, ".git"));
  for (const [at, { path, isExecutable }] of files.entries()) {
    const file = join(revision, path);
    if (!isInside(revision, file)) return failed(`it has a file out of the repository: ${path}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, texts[at] ?? "", { flag: "wx", mode: isExecutable ? 0o755 : 0o644 });
  }
  const project = join(revision, prefix.value.toString("utf8").replace(/\n$/, ""));
  mkdirSync(project, { recursive: true });
  return ok(project);
}

/** Settings files and everything below `.kodelet`, in any folder of the repository. */
const isOfHooks = (path: string): boolean =>
  path.split("/").includes(".kodelet") || SHARED_FILES.some((name) => path === name || path.endsWith(`/${name}`));
