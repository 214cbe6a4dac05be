import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { resolveWriteGrants, type WriteGrants } from "../../packages/sandbox/write-grants.ts";
import { workspace } from "../support/workspace.ts";

/** A project with these files, and what is writable of it. Paths in the result are relative to the project. */
async function granted(files: readonly string[], over: (project: string, home: string) => Partial<WriteGrants>) {
  await using place = await workspace();
  const project = join(realpathSync(place.dir), "repository");
  mkdirSync(project);
  for (const file of files) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    if (!file.endsWith("/")) writeFileSync(join(project, file), "");
    else mkdirSync(join(project, file), { recursive: true });
  }
  const found = resolveWriteGrants({
    ...{
      paths: [],
      redirected: [],
      folder: project,
      project,
      home: place.home,
      protectedPaths: [],
      protectedNames: [],
    },
    isOfProject: { paths: false, command: false },
    ...over(project, place.home),
  });
  const kindOf = (path: string) => (statSync(path).isDirectory() ? "/" : "");
  const shown = (path: string) =>
    path.replace(project, "PROJECT").replace(realpathSync(place.dir), "DIR") + kindOf(path);
  if (!found.ok) return found.error.replaceAll(realpathSync(place.dir), "DIR");
  return { writable: found.value.writable.map(shown).sort(), readOnly: found.value.readOnly.map(shown).sort() };
}
const writable = (...paths: string[]) => ({ writable: paths, readOnly: [] });

describe("a path is granted", () => {
  const rows: { title: string; files?: string[]; path: string; expected: object | string }[] = [
    { title: "relative to the project", files: ["out/x"], path: "out", expected: writable("PROJECT/out/") },
    { title: "a file alone", files: ["out/x", "out/y"], path: "./out/x", expected: writable("PROJECT/out/x") },
    { title: "a missing one as a file", path: "new/log.txt", expected: writable("PROJECT/new/log.txt") },
    { title: "a missing one with a slash as a folder", path: "new/out/", expected: writable("PROJECT/new/out/") },
    { title: "below HOME", path: "~/cache/", expected: writable("DIR/home/cache/") },
    {
      title: "never the way out of the project",
      path: "../home/x",
      expected: "write_paths: ../home/x leads out of the project, to DIR/home/x",
    },
    { title: "never one that holds HOME", path: "~/..", expected: "write_paths: ~/.. contains your home directory" },
    { title: "never the root", path: "/", expected: "write_paths: / contains your home directory" },
    {
      title: "never a folder of the system",
      path: "/proc/self",
      expected: "write_paths: /proc/self belongs to the system",
    },
  ];
  test.each(rows)("$title: $path", async ({ files = [], path, expected }) => {
    expect(await granted(files, () => ({ paths: [path] }))).toEqual(expected);
  });

  test("of a project only inside it, also if it is absolute or below HOME", async () => {
    for (const path of ["/usr/share/x", "~/x", "../x"])
      expect(await granted([], () => ({ paths: [path], isOfProject: { paths: true, command: true } }))).toMatch(
        /leads out of the project/,
      );
  });

  test("not through a link out of the project, which a clone can hold", async () => {
    for (const target of ["../home", "../home/missing"]) {
      const linked = granted([], (project) => {
        symlinkSync(target, join(project, "out"));
        return { paths: ["out"] };
      });
      expect(await linked).toMatch(/^write_paths: out leads out of the project, to DIR\/home/);
    }
  });

  test("through a link inside the project, at its target", async () => {
    const linked = granted(["real/x"], (project) => {
      symlinkSync("real", join(project, "out"));
      return { paths: ["out"] };
    });
    expect(await linked).toEqual(writable("PROJECT/real/"));
  });
});

describe("protected paths", () => {
  const inProject =
    (...names: string[]) =>
    (project: string) => ({
      paths: ["."],
      protectedPaths: names.map((name) => join(project, name)),
    });

  test("that exist directly in a writable folder are covered", async () => {
    expect(await granted([".git/config", "src/a"], inProject(".git"))).toEqual({
      writable: ["PROJECT/"],
      readOnly: ["PROJECT/.git/"],
    });
  });

  test("that are missing keep their folder from getting new names; what exists in it stays writable", async () => {
    expect(await granted([".git/config", "src/a", "b"], inProject(".git", ".claude/settings.json"))).toEqual(
      writable("PROJECT/b", "PROJECT/src/"),
    );
  });

  test("that lie deeper keep the folders above them in place", async () => {
    expect(await granted(["a/b/hook", "a/b/data", "a/c", "d"], inProject("a/b/hook"))).toEqual({
      writable: ["PROJECT/a/b/", "PROJECT/a/c", "PROJECT/d"],
      readOnly: ["PROJECT/a/b/hook"],
    });
  });

  test("that are links cannot be replaced, and their targets not be written", async () => {
    const linked = granted(["real/settings.json", "x"], (project) => {
      symlinkSync("real", join(project, ".claude"));
      return inProject(".claude")(project);
    });
    expect(await linked).toEqual(writable("PROJECT/x"));
  });

  test.each([".git", ".git/config", ".git/hooks/pre-commit"])("%s is refused by its own name", async (path) => {
    const grant = granted([".git/config"], (project) => ({ ...inProject(".git")(project), paths: [path] }));
    expect(await grant).toBe(`write_paths: ${path} is read-only for every hook`);
  });
});

test("settings in any folder of a grant are protected, and the folders above them stay in place", async () => {
  const files = ["src/a/.claude/settings.json", "src/a/lib/x", "src/b/.github/workflows/ci.yml", "src/b/y", "src/c/z"];
  const protectedNames = [".claude", ".github/hooks"];
  expect(await granted(files, () => ({ paths: ["src/"], protectedNames }))).toEqual({
    writable: ["PROJECT/src/a/", "PROJECT/src/b/.github/workflows/", "PROJECT/src/b/y", "PROJECT/src/c/"],
    readOnly: ["PROJECT/src/a/.claude/"],
  });
  expect(await granted(["src/.claude/x", "src/y"], () => ({ paths: ["src/"], protectedNames }))).toEqual({
    ...{ writable: ["PROJECT/src/"], readOnly: ["PROJECT/src/.claude/"] },
  });
});

describe("files to which a command redirects its output", () => {
  const redirected =
    (...names: string[]) =>
    () => ({ redirected: names, isOfProject: { paths: true, command: true } });
  test("are created and granted as files", async () => {
    expect(await granted([], redirected("sessions.log"))).toEqual(writable("PROJECT/sessions.log"));
  });

  test("also outside the project, because the approval shows them", async () => {
    expect(await granted([], redirected("../sessions.log"))).toEqual(writable("DIR/sessions.log"));
  });

  test("but no folders, no devices, and nothing to which a link leads out of what was shown", async () => {
    const linked = (project: string) => {
      symlinkSync("../victim", join(project, "inside"));
      symlinkSync("victim", join(project, "../outside"));
      symlinkSync("home", join(project, "../folder"));
      return redirected("out", "/dev/null", "inside", "../outside", "../folder/victim")();
    };
    expect(await granted(["out/x"], linked)).toEqual(writable());
  });
});
