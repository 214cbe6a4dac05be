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

type GitSource = Extract<PackSource, { readonly kind: "git" }>;

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

interface Repository {
  readonly folder: string;
  readonly url: string;
  readonly context: FetchContext;
  readonly wanted: WantedPack & { readonly source: GitSource };
}

/** Fetches a pack from a git repository at `revision`, or at the locked commit. Throws a `PackProblem`. */
export function fetchGitPack(
  wanted: WantedPack & { readonly source: GitSource },
  lockedCommit: string | null,
  context: FetchContext,
): Promise<Pack> {
  return withScratchFolder(sourceText(wanted.source), async (folder) => {
    const repository = { folder, url: wanted.source.url, context, wanted };
    await git(repository, ["init", "--bare", "--quiet", "."]);
    const hash = lockedCommit ?? (await findRevision(repository));
    return readCommit(repository, await fetchCommit(repository, hash));
  });
}

/** The output of git, whose failure ends the fetch. */
async function git(repository: Repository, args: readonly string[], input?: string): Promise<Buffer> {
  const run = await tryGit(repository, args, input);
  if (run.ok) return run.value;
  const source = sourceText(repository.wanted.source);
  throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause: run.error });
}

const tryGit = (
  { folder, context }: Repository,
  args: readonly string[],
  input?: string,
): Promise<Result<Buffer, string>> =>
  runProgram(
    "git",
    {
      args: [...WITHOUT_HOOKS, ...args],
      cwd: folder,
      variables: VARIABLES,
      stdoutLimitBytes: MOST_BYTES * 4,
      ...(input === undefined ? {} : { input }),
    },
    context,
  );

const unknownRevision = ({ wanted: { source, revision } }: Repository): ProblemError =>
  new ProblemError({ code: "PACK_UNKNOWN_REVISION", source: sourceText(source), revision: revision ?? "HEAD" });

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const BEGIN_OF_COMMIT = /^[0-9a-f]{7,64}$/;

/** The hash of a tag, else of a branch, else the revision itself, if it is a commit or the beginning of one. */
async function findRevision(repository: Repository): Promise<string> {
  const { revision } = repository.wanted;
  const refs = refsIn(await git(repository, ["ls-remote", "--quiet", "--", repository.url]));
  const names = revision === null ? ["HEAD"] : [`refs/tags/${revision}`, `refs/heads/${revision}`];
  const hash = names.map((name) => refs.get(name)).find((found) => found !== undefined);
  if (hash !== undefined) return hash;
  if (revision !== null && BEGIN_OF_COMMIT.test(revision)) return revision;
  throw unknownRevision(repository);
}

/** The tags of a repository. */
export function fetchGitTags(source: GitSource, context: FetchContext): Promise<readonly string[]> {
  return withScratchFolder(sourceText(source), async (folder) => {
    const repository = { folder, url: source.url, context, wanted: { source, revision: null } };
    const refs = refsIn(await git(repository, ["ls-remote", "--quiet", "--tags", "--", source.url]));
    return [...refs.keys()].map((name) => name.replace("refs/tags/", "")).filter((name) => !name.endsWith("^{}"));
  });
}

const refsIn = (output: Buffer): ReadonlyMap<string, string> =>
  new Map(
    output
      .toString("latin1")
      .split("\n")
      .flatMap((line): [string, string][] => {
        const [hash = "", name] = line.split("\t");
        return name !== undefined && COMMIT.test(hash) ? [[name, hash]] : [];
      }),
  );

/** Some servers send only commits that a branch or a tag names, so that all of them are fetched. */
async function fetchCommit(repository: Repository, hash: string): Promise<string> {
  const fetchArgs = (options: readonly string[], refs: readonly string[]): readonly string[] => [
    "fetch",
    "--quiet",
    ...options,
    "--",
    repository.url,
    ...refs,
  ];
  const isFetched = COMMIT.test(hash) && (await tryGit(repository, fetchArgs(["--depth=1"], [hash]))).ok;
  if (!isFetched) await git(repository, fetchArgs([], ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]));
  const parse = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${hash}^{commit}`];
  const found = await tryGit(repository, parse);
  const commit = found.ok ? found.value.toString("latin1").trim() : "";
  if (!COMMIT.test(commit)) throw unknownRevision(repository);
  return commit;
}

interface Blob extends ListedFile {
  readonly hash: string;
}

async function readCommit(repository: Repository, commit: string): Promise<Pack> {
  const { wanted } = repository;
  const source = sourceText(wanted.source);
  const tree = wanted.source.folder === null ? commit : `${commit}:${wanted.source.folder}`;
  const list = ["ls-tree", "-r", "-z", "--long", "--end-of-options", tree, ...SEARCHED_PATHS];
  const listed = await tryGit(repository, list);
  if (!listed.ok) throw new ProblemError({ code: "PACK_WITHOUT_HOOKS", source });
  const selected = unwrap(selectPackFiles(blobsIn(listed.value), source));
  const hashes = selected.map(({ file }) => `${file.hash}\n`).join("");
  const contents = blobContents(await git(repository, ["cat-file", "--batch"], hashes), selected.length);
  if (contents === null)
    throw new ProblemError({ code: "PACK_NOT_FETCHED", source, cause: "git did not print the files" });
  const files = selected.map(({ file: { isExecutable }, path }, index) => {
    return { path, isExecutable, bytes: contents[index] ?? Buffer.alloc(0) };
  });
  const pointer = files.find((file) => isLfsPointer(file.bytes));
  if (pointer === undefined) return { ...wanted, pin: { commit }, files };
  const cause = "its content is in Git LFS, which is not fetched";
  throw new ProblemError({ code: "PACK_UNSAFE", source, path: pointer.path, cause });
}

const KINDS: Readonly<Record<string, ListedFile["kind"]>> = { "120000": "link", "160000": "repository" };

/** Lines `100755 blob HASH SIZE<tab>PATH`, each ended by a NUL. */
export const blobsIn = (listing: Buffer): readonly Blob[] =>
  listing
    .toString("utf8")
    .split("\0")
    .flatMap((line) => {
      const [, mode = "", hash = "", size = "", path = ""] =
        /^(\d{6}) \w+ ([0-9a-f]+) +(\d+|-)\t(.*)$/s.exec(line) ?? [];
      if (path === "") return [];
      return [
        { path, hash, kind: ownValue(KINDS, mode) ?? "file", isExecutable: mode === "100755", size: Number(size) || 0 },
      ];
    });

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
