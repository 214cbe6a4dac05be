import { ownValue } from "../../src/protocol/own-value.ts";
import { ProblemError, type Result, unwrap } from "../../src/protocol/result.ts";
import { type Pack, type PackSource, sourceText, type WantedPack } from "./pack.ts";
import {
  isLfsPointer,
  type ListedFile,
  MOST_BYTES,
  MOST_FILES,
  SEARCHED_PATHS,
  selectPackFiles,
} from "./pack-files.ts";
import { type FetchContext, runProgram, withScratchFolder } from "./run-program.ts";

type GitPack = WantedPack & { readonly source: Extract<PackSource, { readonly kind: "git" }> };

/**
 * The user's own settings apply, because they configure access to servers, but not the hooks in them. Nothing is
 * checked out: files are read from git's objects, so that no filter and no submodule of the repository applies.
 */
const WITHOUT_HOOKS = ["-c", "core.hooksPath=/dev/null"];

const VARIABLES = {
  // Other protocols start a program that the URL names.
  GIT_ALLOW_PROTOCOL: "https:http:ssh:git:file",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
};

/** Git in a scratch folder, for one pack. */
interface Repository {
  readonly wanted: GitPack;
  /** Runs git. Throws its failure as a problem of the pack. */
  readonly git: (args: readonly string[], input?: string) => Promise<Buffer>;
  readonly tryGit: (args: readonly string[], input?: string) => Promise<Result<Buffer, string>>;
}

function withGit<T>(wanted: GitPack, context: FetchContext, use: (repository: Repository) => Promise<T>): Promise<T> {
  const source = sourceText(wanted.source);
  return withScratchFolder(source, (cwd) => {
    const tryGit: Repository["tryGit"] = (args, input) => {
      const call = { args: [...WITHOUT_HOOKS, ...args], cwd, variables: VARIABLES, stdoutLimitBytes: MOST_BYTES * 4 };
      return runProgram("git", input === undefined ? call : { ...call, input }, context);
    };
    const git: Repository["git"] = async (args, input) => {
      const run = await tryGit(args, input);
      if (run.ok) return run.value;
      throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause: run.error });
    };
    return use({ wanted, git, tryGit });
  });
}

/** Fetches a pack from a git repository at `revision`, or at the locked commit. Throws a `PackProblem`. */
export const fetchGitPack = (wanted: GitPack, lockedCommit: string | null, context: FetchContext): Promise<Pack> =>
  withGit(wanted, context, async (repository) => {
    await repository.git(["init", "--bare", "--quiet", "."]);
    const hash = lockedCommit ?? (await findRevision(repository));
    return readCommit(repository, await fetchCommit(repository, hash));
  });

/** The tags of a repository with their commits. */
export const fetchGitTags = (source: GitPack["source"], context: FetchContext): Promise<ReadonlyMap<string, string>> =>
  withGit({ source, revision: null }, context, async ({ git }) => {
    const refs = refsIn(await git(["ls-remote", "--quiet", "--tags", "--", source.url]));
    // An annotated tag has an object of its own, and its commit in a second line, `NAME^{}`.
    const tags = [...refs].filter(([name]) => !name.endsWith("^{}"));
    return new Map(tags.map(([name, hash]) => [name.replace("refs/tags/", ""), refs.get(`${name}^{}`) ?? hash]));
  });

const unknownRevision = ({ wanted: { source, revision } }: Repository): ProblemError =>
  new ProblemError({ code: "PACK_UNKNOWN_REVISION", source: sourceText(source), revision: revision ?? "HEAD" });

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const BEGIN_OF_COMMIT = /^[0-9a-f]{7,64}$/;

/** The hash of a tag, else of a branch, else the revision itself, if it is a commit or the beginning of one. */
async function findRevision(repository: Repository): Promise<string> {
  const { source, revision } = repository.wanted;
  const refs = refsIn(await repository.git(["ls-remote", "--quiet", "--", source.url]));
  const names = revision === null ? ["HEAD"] : [`refs/tags/${revision}`, `refs/heads/${revision}`];
  const hash = names.map((name) => refs.get(name)).find((found) => found !== undefined);
  if (hash !== undefined) return hash;
  if (revision !== null && BEGIN_OF_COMMIT.test(revision)) return revision;
  throw unknownRevision(repository);
}

/** The hashes of refs by their names, from lines `HASH<tab>NAME`. */
function refsIn(output: Buffer): ReadonlyMap<string, string> {
  const lines = output.toString("latin1").split("\n");
  const pairs = lines.map((line) => line.split("\t"));
  return new Map(pairs.flatMap(([hash = "", name = ""]) => (COMMIT.test(hash) ? [[name, hash] as const] : [])));
}

/** Some servers send only commits that a branch or a tag names, so that all of them are fetched. */
async function fetchCommit(repository: Repository, hash: string): Promise<string> {
  const { wanted, git, tryGit } = repository;
  const { url } = wanted.source;
  const isFetched = COMMIT.test(hash) && (await tryGit(["fetch", "--quiet", "--depth=1", "--", url, hash])).ok;
  const all = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
  if (!isFetched) await git(["fetch", "--quiet", "--", url, ...all]);
  const found = await tryGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${hash}^{commit}`]);
  const commit = found.ok ? found.value.toString("latin1").trim() : "";
  if (!COMMIT.test(commit)) throw unknownRevision(repository);
  return commit;
}

async function readCommit({ wanted, git, tryGit }: Repository, commit: string): Promise<Pack> {
  const source = sourceText(wanted.source);
  const tree = wanted.source.folder === null ? commit : `${commit}:${wanted.source.folder}`;
  const listed = await tryGit(["ls-tree", "-r", "-z", "--long", "--end-of-options", tree, ...SEARCHED_PATHS]);
  if (!listed.ok) throw new ProblemError({ code: "PACK_WITHOUT_HOOKS", source });
  const { selected, leftOut } = unwrap(selectPackFiles(blobsIn(listed.value), source));
  const hashes = selected.map(({ file }) => `${file.hash}\n`).join("");
  const contents = blobContents(await git(["cat-file", "--batch"], hashes), selected.length);
  if (contents === null)
    throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause: "git did not print the files" });
  const files = selected.map(({ file: { isExecutable }, path }, index) => {
    return { path, isExecutable, bytes: contents[index] ?? Buffer.alloc(0) };
  });
  const pointer = files.find((file) => isLfsPointer(file.bytes));
  if (pointer === undefined) return { ...wanted, pin: { commit }, files, leftOut };
  const cause = "its content is in Git LFS, which is not fetched";
  throw new ProblemError({ code: "PACK_UNSAFE", source, path: pointer.path, cause });
}

const KINDS: Readonly<Record<string, ListedFile["kind"]>> = { "120000": "link", "160000": "repository" };

/** Lines `100755 blob HASH SIZE<tab>PATH`, each ended by a NUL. */
export const blobsIn = (listing: Buffer): readonly (ListedFile & { readonly hash: string })[] =>
  [...listing.toString("utf8").matchAll(/(?<=^|\0)(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t([^\0]+)\0/g)].map(
    ([, mode = "", hash = "", size = "", path = ""]) => ({
      path,
      hash,
      kind: ownValue(KINDS, mode) ?? "file",
      isExecutable: mode === "100755",
      size: Number(size) || 0,
    }),
  );

/** The output of `git cat-file --batch`: for each object a line `HASH blob SIZE`, its bytes and a line break. */
export function blobContents(output: Buffer, count: number): readonly Buffer[] | null {
  const contents: Buffer[] = [];
  let at = 0;
  while (contents.length < Math.min(count, MOST_FILES)) {
    const end = output.indexOf("\n", at);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(output.toString("latin1", at, Math.max(at, end)))?.[1];
    if (size === undefined) return null;
    const from = end + 1;
    contents.push(output.subarray(from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return at === output.length ? contents : null;
}
