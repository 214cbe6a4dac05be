import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchPath } from "../../src/process/filter-environment.ts";
import { workspace } from "../support/workspace.ts";

/** A repository with a project below it in the workspace's home, and links into it. */
async function setUp() {
  const place = await workspace();
  const at = (path: string): string => join(place.dir, path);
  await place.write("home/work/.git/HEAD", "");
  await place.write("home/work/app/.kodelet/hooks/a", "");
  await place.write("home/.local/bin/tool", "");
  await place.write("home/.git/HEAD", "");
  await symlink(at("home/work"), at("link"));
  return { place, at };
}

const PLACES: { title: string; entry: string; isKept: boolean }[] = [
  { title: "the project's folder", entry: "home/work/app", isKept: false },
  { title: "a folder of it that is not there yet", entry: "home/work/app/later/bin", isKept: false },
  { title: "the repository around it", entry: "home/work/node_modules/.bin", isKept: false },
  { title: "a link to the repository", entry: "link/bin", isKept: false },
  { title: "a way around through another folder", entry: "home/other/../work/bin", isKept: false },
  { title: "the user's own folder, though HOME is a repository", entry: "home/.local/bin", isKept: true },
  { title: "a neighbour with a longer name", entry: "home/workshop/bin", isKept: true },
];

test.each(PLACES)("$title is searched: $isKept", async ({ entry, isKept }) => {
  const { place, at } = await setUp();
  await using _ = place;
  const context = { projectDir: at("home/work/app"), homeDir: at("home"), pathAllow: [] };
  expect(searchPath(`${at(entry)}:/usr/bin`, context)).toBe(isKept ? `${at(entry)}:/usr/bin` : "/usr/bin");
});

const FOLDERS: { title: string; folder: string }[] = [
  { title: "HOME itself", folder: "home" },
  { title: "a folder above HOME", folder: "." },
];

test.each(FOLDERS)("where the call stands in $title, programs in HOME are still the user's", async ({ folder }) => {
  const { place, at } = await setUp();
  await using _ = place;
  const context = { projectDir: at(folder), homeDir: at("home"), pathAllow: [] };
  expect(searchPath(`${at("home/.local/bin")}:bin`, context)).toBe(at("home/.local/bin"));
});

test("the root of the file system is no project: all programs lie below it", () => {
  const context = { projectDir: "/", homeDir: null, pathAllow: [] };
  expect(searchPath("/usr/bin::.:bin:/bin", context)).toBe("/usr/bin:/bin");
});

test("what the user allows is searched by its whole path, in its place among the others", () => {
  const context = { projectDir: "/p", homeDir: null, pathAllow: ["node_modules/.bin", "/p/tools"] };
  const path = "./node_modules/.bin:/usr/bin:/p/tools:node_modules/.bin/../evil:/p/node_modules:";
  expect(searchPath(path, context)).toBe("/p/node_modules/.bin:/usr/bin:/p/tools");
});
