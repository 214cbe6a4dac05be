import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isFolder, isInside } from "../../../src/fs/paths.ts";
import { removeTree } from "../../../src/fs/remove-tree.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
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
): Promise<string> {
  const { projectDir: cwd } = context;
  const named = resolve(cwd, base);
  if (isFolder(named)) return named;
  const failed = (cause: string): ProblemError => new ProblemError({ code: "BASE_NOT_READ", base, cause });
  const git = async (args: readonly string[], { input = "", failure = "" } = {}): Promise<Buffer> => {
    const call = { args: [...CAREFUL, ...args], cwd, input, variables: VARIABLES, stdoutLimitBytes: MOST_BYTES * 16 };
    const output = await runProgram("git", call, context);
    if (!output.ok) throw failed(failure || output.error);
    return output.value;
  };
  const failure = "it is neither a revision of this repository nor a folder";
  const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`], { failure });
  const prefix = await git(["rev-parse", "--show-prefix"]);
  const listed = await git(["ls-tree", "-r", "-z", "--long", "--full-tree", found.toString("latin1").trim()]);
  const files = blobsIn(listed).filter(({ kind, path }) => kind === "file" && isOfHooks(path));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MOST_FILES || bytes > MOST_BYTES) throw failed("its hooks have too many files, or too large ones");
  const input = files.map(({ hash }) => `${hash}\n`).join("");
  const texts = blobContents(await git(["cat-file", "--batch"], { input }), files.length);
  if (texts === null) throw failed("git did not print its files");
  // Makes it a repository, so that no folder above it is the project.
  mkdirSync(join(revision, ".git"));
  for (const [at, { path, isExecutable }] of files.entries()) {
    const file = join(revision, path);
    if (!isInside(revision, file)) throw failed(`it has a file outside the repository: ${path}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, texts[at] ?? "", { flag: "wx", mode: isExecutable ? 0o755 : 0o644 });
  }
  const project = join(revision, prefix.toString("utf8").replace(/\n$/, ""));
  mkdirSync(project, { recursive: true });
  return project;
}

/** Settings files and everything below `.kodelet`, in any folder of the repository. */
const isOfHooks = (path: string): boolean =>
  path.split("/").includes(".kodelet") || SHARED_FILES.some((name) => path === name || path.endsWith(`/${name}`));
