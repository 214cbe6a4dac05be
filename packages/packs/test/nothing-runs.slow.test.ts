import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { guardText, hasGit, type PackRepository, packRepository } from "../../../test/support/pack-repository.ts";
import { shellQuote } from "../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

/** A way in which a repository, or what lies beside it, could have something run while it is fetched. */
interface Way {
  readonly title: string;
  /** Prepares it; `mark` is a line of sh that leaves a mark. */
  readonly prepare: (place: Workspace, repository: PackRepository, mark: string) => Promise<unknown>;
  readonly env?: (place: Workspace) => Readonly<Record<string, string>>;
  /** It is refused; by default it is added, without its part. */
  readonly refused?: RegExp;
}

const guard = { "hooks/guard": guardText("one") };
const gitConfig = (place: Workspace, text: string) => place.write("home/.gitconfig", text);
const script = (mark: string): string => `#!/bin/sh\n${mark}\ncat\n`;

const HOOKS = [
  "post-checkout",
  "post-merge",
  "reference-transaction",
  "pre-auto-gc",
  "post-index-change",
  "fsmonitor-watchman",
  "sendemail-validate",
];

const WAYS: readonly Way[] = [
  {
    title: "a filter in .gitattributes, which the user has for other repositories",
    prepare: async (place, repository, mark) => {
      const lines = ["smudge", "clean", "process"].map(
        (key) => `${key} = ${JSON.stringify(`sh -c ${shellQuote(`${mark}; cat`)}`)}`,
      );
      await gitConfig(
        place,
        `[filter "any"]\n${lines.join("\n")}\nrequired = true\n[diff "any"]\n${lines[0]?.replace("smudge", "textconv")}\n`,
      );
      await repository.commit({ ...guard, ".gitattributes": "* filter=any diff=any\n" });
    },
  },
  {
    title: "git hooks that the user has for all repositories",
    prepare: async (place, repository, mark) => {
      await repository.commit(guard);
      for (const name of HOOKS) await place.write(`templates/hooks/${name}`, script(mark), 0o755);
      await gitConfig(
        place,
        `[core]\nhooksPath = ${place.dir}/templates/hooks\nfsmonitor = ${place.dir}/templates/hooks/post-merge\n[init]\ntemplateDir = ${place.dir}/templates\n`,
      );
    },
  },
  {
    title: "a submodule with a URL that is a command",
    prepare: async (place, repository, mark) => {
      await gitConfig(
        place,
        '[protocol "ext"]\nallow = always\n[fetch]\nrecurseSubmodules = true\n[submodule]\nrecurse = true\n',
      );
      const commit = await repository.commit(guard);
      const url = `ext::sh -c ${mark.replaceAll(" ", "% ")}`;
      await place.write(
        join(repository.dir, ".gitmodules"),
        `[submodule "vendor"]\npath = vendor\nurl = ${JSON.stringify(url)}\n`,
      );
      await repository.git("update-index", "--add", "--cacheinfo", `160000,${commit},vendor`);
      await repository.git("add", ".gitmodules");
      await repository.git("commit", "--quiet", "--message=x");
    },
  },
  {
    title: "a submodule among the hooks",
    prepare: async (_place, repository) => {
      const commit = await repository.commit(guard);
      await repository.git("update-index", "--add", "--cacheinfo", `160000,${commit},hooks/vendor`);
      await repository.git("commit", "--quiet", "--message=x");
    },
    refused: /hooks\/vendor: it is a repository inside the repository/,
  },
  {
    title: "a link among the hooks",
    prepare: async (_place, repository) => {
      await repository.commit(guard);
      await repository.git(
        "update-index",
        "--add",
        "--cacheinfo",
        `120000,${await blobOf(repository, "/etc/passwd")},hooks/link`,
      );
      await repository.git("commit", "--quiet", "--message=x");
    },
    refused: /hooks\/link: it is a link/,
  },
  {
    title: "a file in Git LFS",
    prepare: (_place, repository) =>
      repository.commit({
        ...guard,
        "hooks/lib/x": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
      }),
    refused: /hooks\/lib\/x: its content is in Git LFS/,
  },
  {
    title: "settings and hooks of the repository itself",
    prepare: async (place, repository, mark) => {
      await repository.commit(guard);
      for (const name of HOOKS) await place.write(join(repository.dir, ".git/hooks", name), script(mark), 0o755);
      const program = await place.write("program", script(mark), 0o755);
      for (const key of [
        "uploadpack.packObjectsHook",
        "core.fsmonitor",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "core.pager",
      ])
        await repository.git("config", key, program);
    },
  },
  {
    title: "a URL that the user's git replaces by a command",
    prepare: async (place, repository, mark) => {
      await repository.commit(guard);
      await gitConfig(
        place,
        `[protocol "ext"]\nallow = always\n[url ${JSON.stringify(`ext::sh -c ${mark.replaceAll(" ", "% ")} %S `)}]\ninsteadOf = ${repository.url}\n`,
      );
    },
    refused: /could not be fetched: transport 'ext' not allowed/,
  },
  {
    title: "variables of git that name programs, other repositories and settings",
    prepare: async (place, repository, mark) => {
      await repository.commit(guard);
      await place.write("program", script(mark), 0o755);
      for (const name of HOOKS) await place.write(`templates/hooks/${name}`, script(mark), 0o755);
    },
    env: ({ dir, project }) => ({
      ...{
        GIT_DIR: `${project}/.git`,
        GIT_WORK_TREE: project,
        GIT_INDEX_FILE: `${dir}/index`,
        GIT_TEMPLATE_DIR: `${dir}/templates`,
      },
      ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.hooksPath", GIT_CONFIG_VALUE_0: `${dir}/templates/hooks` },
      ...{
        GIT_EXTERNAL_DIFF: `${dir}/program`,
        GIT_PAGER: `${dir}/program`,
        GIT_EXEC_PATH: `${dir}/templates/hooks`,
        GIT_TRACE: `${dir}/ran/trace`,
      },
      GIT_CONFIG_PARAMETERS: `'core.hooksPath=${dir}/templates/hooks'`,
    }),
  },
  {
    title: "a program named git in the project, first in PATH",
    prepare: async (place, repository, mark) => {
      await repository.commit(guard);
      await place.write("project/bin/git", script(mark), 0o755);
    },
    env: ({ project, env }) => ({ PATH: `${project}/bin:bin:.:${env.PATH}` }),
  },
  {
    title: "the hooks of the pack",
    prepare: (_place, repository, mark) =>
      repository.commit({ "hooks/guard": script(mark), "hooks/lib/install": script(mark), "tests/x.json": "{" }),
  },
];

async function blobOf(repository: PackRepository, text: string): Promise<string> {
  const path = "blob";
  await repository.commit({ [path]: text });
  return repository.git("rev-parse", `HEAD:${path}`);
}

describe.skipIf(!hasGit)("while a pack of git is added, this does not run:", () => {
  test.each(WAYS)("$title", async ({ prepare, env, refused }) => {
    await using place = await workspace();
    await place.write("ran/.keep", "");
    const repository = await packRepository(place);
    const marker = join(place.dir, "ran", "it");
    await prepare(place, repository, `touch ${marker}`);
    const commit = await repository.git("rev-parse", "HEAD");
    // The beginning of a commit is found only after all branches and tags are fetched, and stored.
    for (const argument of [repository.url, `${repository.url}@${commit.slice(0, 8)} --name second`]) {
      const result = await runInProcess(place, `add ${argument}`, env === undefined ? {} : { env: env(place) });
      if (refused === undefined) expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("✔ Added") });
      else expect(result).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(refused) });
    }
    expect(await readdir(join(place.dir, "ran"))).toEqual([".keep"]);
  });
});
