import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCheckout } from "../../src/fs/git.ts";
import { makeFifo } from "../support/fifo.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const remote = (url: string, name = "origin"): string => `[core]\n\tbare = false\n[remote "${name}"]\n\turl = ${url}\n`;

async function checkout(place: Workspace, head: string, config = ""): Promise<string> {
  await place.write("shop/.git/HEAD", head);
  await place.write("shop/.git/config", config);
  return join(place.dir, "shop");
}

describe("the repository is read from the remote, without host and credentials", () => {
  const rows = [
    ["https://git.example/acme/shop.git", "acme/shop"],
    ["https://git.example:8443/acme/shop/", "acme/shop"],
    ["https://git.example/group/sub/shop", "group/sub/shop"],
    ["git@git.example:acme/shop.git", "acme/shop"],
    ["git.example:acme/shop", "acme/shop"],
    ["ssh://git@git.example:22/acme/shop.git", "acme/shop"],
    ["https://me:hunter2@git.example/acme/shop.git", "acme/shop"],
    ["https://hunter2@git.example/acme/shop.git", "acme/shop"],
    ["https://me:hunt/er2@git.example/acme/shop.git", "acme/shop"],
    ["me:hunter2@git.example:acme/shop.git", "acme/shop"],
    ["https://git.example/acme/shop.git?token=hunter2#hunter2", "acme/shop"],
    ["/srv/git/shop.git", "shop"],
    ["file:///srv/git/shop.git", "shop"],
    ["../hunter2/shop", "shop"],
    // Nothing is told of what is no address.
    ["ext::sh -c 'hunter2 %S acme/shop'", "shop"],
    ["https://git.example/a b/\u001b[2J", "shop"],
    [`https://git.example/${"x".repeat(300)}`, "shop"],
  ] as const;
  test.each(rows)("%s", async (url, expected) => {
    await using place = await workspace();
    const found = readCheckout(await checkout(place, "ref: refs/heads/main\n", remote(url)));
    expect(found).toEqual({ repository: expected, branch: "main" });
  });

  test("origin goes before other remotes; without a remote the folder's name counts", async () => {
    await using place = await workspace();
    const two = `${remote("https://git.example/first/one", "upstream")}${remote("https://git.example/acme/shop")}`;
    expect(readCheckout(await checkout(place, "ref: refs/heads/main", two)).repository).toBe("acme/shop");
    const other = remote("https://git.example/first/one", "upstream");
    expect(readCheckout(await checkout(place, "ref: refs/heads/main", other)).repository).toBe("first/one");
    expect(readCheckout(await checkout(place, "ref: refs/heads/main")).repository).toBe("shop");
  });
});

test("an address made to cost time is none", async () => {
  await using place = await workspace();
  for (const url of [
    `${" ".repeat(20_000)}""x`,
    `"${" ".repeat(20_000)}`,
    "/".repeat(20_000),
    `a${"@/".repeat(10_000)}`,
  ]) {
    const folder = await checkout(place, "ref: refs/heads/main\n", remote(url));
    expect(readCheckout(folder)).toEqual({ repository: "shop", branch: "main" });
  }
});

test("an address in quotes is read as git reads it", async () => {
  await using place = await workspace();
  const folder = await checkout(place, "ref: refs/heads/main\n", remote('"https://git.example/acme/shop.git"'));
  expect(readCheckout(folder).repository).toBe("acme/shop");
});

test("a branch with slashes is told whole, a detached HEAD has none", async () => {
  await using place = await workspace();
  const folder = await checkout(place, "ref: refs/heads/feat/145-hooks\n");
  expect(readCheckout(join(folder, "src", "deep")).branch).toBe("feat/145-hooks");
  await checkout(place, `${"a1b2".repeat(10)}\n`);
  expect(readCheckout(folder).branch).toBeNull();
  await checkout(place, "ref: refs/heads/.invalid\n");
  expect(readCheckout(folder).branch).toBeNull();
});

test("a linked worktree has its own branch and its repository's remote; a branch may be in packed refs alone", async () => {
  await using place = await workspace();
  const main = join(place.dir, "main");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b.example", ...args], {
      env: { PATH: "/usr/bin:/bin", HOME: place.home, GIT_CONFIG_NOSYSTEM: "1" },
      stdio: "pipe",
    });
  await place.write("main/a.txt", "a");
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  git("remote", "add", "origin", "https://me:hunter2@git.example/acme/shop.git");
  git("worktree", "add", "-q", "-b", "feat/x", join(place.dir, "tree"));
  git("pack-refs", "--all");
  expect(readCheckout(main)).toEqual({ repository: "acme/shop", branch: "main" });
  expect(readCheckout(join(place.dir, "tree"))).toEqual({ repository: "acme/shop", branch: "feat/x" });
  git("remote", "remove", "origin");
  expect(readCheckout(join(place.dir, "tree"))).toEqual({ repository: "main", branch: "feat/x" });
});

test("a submodule is read where its .git file says", async () => {
  await using place = await workspace();
  await place.write("main/.git/modules/lib/HEAD", "ref: refs/heads/stable\n");
  await place.write("main/.git/modules/lib/config", remote("https://git.example/acme/lib"));
  await place.write("main/lib/.git", "gitdir: ../.git/modules/lib\n");
  expect(readCheckout(join(place.dir, "main", "lib"))).toEqual({ repository: "acme/lib", branch: "stable" });
});

describe("what cannot be read says nothing", () => {
  const nothing = { repository: null, branch: null };

  test("no checkout, a path with a NUL, a .git file without an address", async () => {
    await using place = await workspace();
    expect(readCheckout(join(place.dir, "nowhere"))).toEqual(nothing);
    expect(readCheckout("/a\u0000b")).toEqual(nothing);
    await place.write("odd/.git", "hello");
    expect(readCheckout(join(place.dir, "odd"))).toEqual(nothing);
  });

  test("a FIFO in place of HEAD does not hold us up, and a file of megabytes is not read", async () => {
    await using place = await workspace();
    await place.write("shop/.git/config", remote("https://git.example/acme/shop") + "#".repeat(1024 * 1024));
    makeFifo(join(place.dir, "shop", ".git", "HEAD"));
    expect(readCheckout(join(place.dir, "shop"))).toEqual({ repository: "shop", branch: null });
  });
});
