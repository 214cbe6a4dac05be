import { ownValue } from "../protocol/own-value.ts";
import type { PackProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
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
}

/** Fetches a pack from a git repository at `revision`, or at the locked commit. */
export function fetchGitPack(
  wanted: WantedPack & { readonly source: GitSource },
  lockedCommit: string | null,
  context: FetchContext,
): Promise<Result<Pack, PackProblem>> {
  return withScratchFolder(sourceText(wanted.source), async (folder) => {
    const repository = { folder, url: wanted.source.url, context };
    const created = await git(repository, ["init", "--bare", "--quiet", "."]);
    if (!created.ok) return fail(notFetched(wanted, created.error));
    const commit =
      lockedCommit === null
        ? await fetchRevision(repository, wanted)
        : await fetchCommit(repository, lockedCommit, wanted);
    if (!commit.ok) return commit;
    return readCommit(repository, commit.value, wanted);
  });
}

const git = (
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

const notFetched = ({ source }: WantedPack, cause: string): PackProblem => ({
  code: "PACK_NOT_FETCHED",
  source: sourceText(source),
  cause,
});

const unknownRevision = ({ source, revision }: WantedPack): PackProblem => ({
  code: "PACK_UNKNOWN_REVISION",
  source: sourceText(source),
  revision: revision ?? "HEAD",
});

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const BEGIN_OF_COMMIT = /^[0-9a-f]{7,64}$/;

/** Fetches a tag, else a branch, else a commit by its hash or a prefix of it. */
async function fetchRevision(repository: Repository, wanted: WantedPack): Promise<Result<string, PackProblem>> {
  const listed = await git(repository, ["ls-remote", "--quiet", "--", repository.url]);
  if (!listed.ok) return fail(notFetched(wanted, listed.error));
  const { revision } = wanted;
  const refs = refsIn(listed.value.toString("latin1"));
  const names = revision === null ? ["HEAD"] : [`refs/tags/${revision}`, `refs/heads/${revision}`];
  const hash = names.map((name) => refs.get(name)).find((one) => one !== undefined);
  if (hash !== undefined) return fetchCommit(repository, hash, wanted);
  if (revision === null || !BEGIN_OF_COMMIT.test(revision)) return fail(unknownRevision(wanted));
  return fetchCommit(repository, revision, wanted);
}

/** The tags of a repository. */
export function fetchGitTags(
  source: GitSource,
  context: FetchContext,
): Promise<Result<readonly string[], PackProblem>> {
  return withScratchFolder(sourceText(source), async (folder) => {
    const listed = await git({ folder, url: source.url, context }, [
      "ls-remote",
      "--quiet",
      "--tags",
      "--",
      source.url,
    ]);
    if (!listed.ok) return fail(notFetched({ source, revision: null }, listed.error));
    const names = [...refsIn(listed.value.toString("latin1")).keys()];
    return ok(names.map((name) => name.replace("refs/tags/", "")).filter((name) => !name.endsWith("^{}")));
  });
}

const refsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split("\n").flatMap((line): [string, string][] => {
      const [hash = "", name] = line.split("\t");
      return name !== undefined && COMMIT.test(hash) ? [[name, hash]] : [];
    }),
  );

/** Some servers send only commits that a branch or a tag names, so that all of them are fetched. */
async function fetchCommit(
  repository: Repository,
  hash: string,
  wanted: WantedPack,
): Promise<Result<string, PackProblem>> {
  const fetched = COMMIT.test(hash) ? await fetch(repository, ["--depth=1"], [hash]) : fail("");
  if (!fetched.ok) {
    const all = await fetch(repository, [], ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
    if (!all.ok) return fail(notFetched(wanted, all.error));
  }
  const found = await git(repository, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${hash}^{commit}`]);
  const commit = found.ok ? found.value.toString("latin1").trim() : "";
  return COMMIT.test(commit) ? ok(commit) : fail(unknownRevision(wanted));
}

const fetch = (repository: Repository, options: readonly string[], refs: readonly string[]) =>
  git(repository, [...["fetch", "--quiet", ...options], ...["--", repository.url, ...refs]]);

interface Blob extends ListedFile {
  readonly hash: string;
}

async function readCommit(
  repository: Repository,
  commit: string,
  wanted: WantedPack & { readonly source: GitSource },
): Promise<Result<Pack, PackProblem>> {
  const { source } = wanted;
  const tree = source.folder === null ? commit : `${commit}:${source.folder}`;
  const listed = await git(repository, ["ls-tree", "-r", "-z", "--long", "--end-of-options", tree, ...SEARCHED_PATHS]);
  if (!listed.ok) return fail({ code: "PACK_WITHOUT_HOOKS", source: sourceText(source) });
  const selection = selectPackFiles(blobsIn(listed.value), sourceText(source));
  if (!selection.ok) return selection;
  const files = selection.value;
  const hashes = files.map(({ file }) => `${file.hash}\n`).join("");
  const contents = await git(repository, ["cat-file", "--batch"], hashes);
  if (!contents.ok) return fail(notFetched(wanted, contents.error));
  const bytes = blobContents(contents.value, files.length);
  if (bytes === null) return fail(notFetched(wanted, "git did not print the files"));
  const read = files.map(({ file, path }, index) => ({
    path,
    isExecutable: file.isExecutable,
    bytes: bytes[index] ?? Buffer.alloc(0),
  }));
  const pointer = read.find((file) => isLfsPointer(file.bytes));
  if (pointer !== undefined) {
    return fail({
      code: "PACK_UNSAFE",
      source: sourceText(source),
      path: pointer.path,
      cause: "its content is in Git LFS, which is not fetched",
    });
  }
  return ok({ ...wanted, pin: { commit }, files: read });
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
