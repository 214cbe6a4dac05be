import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFifo } from "../support/fifo.ts";
import { runMain } from "../support/in-process.ts";
import { parseListJson } from "../support/json-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const script = "#!/bin/sh\necho before_tool_call\n";
const file =
  (text = script, mode = 0o755) =>
  (place: Workspace, path: string) =>
    place.write(path, text, mode);

const entries: { title: string; name: string; make: (place: Workspace, path: string) => unknown; reason: string }[] = [
  { title: "a sub-folder", name: "lib", make: (_place, path) => mkdir(path), reason: "sub_folder" },
  { title: "a file without an execute bit", name: "notes.md", make: file(script, 0o644), reason: "not_executable" },
  { title: "a file that is switched off", name: "guard.disable", make: file(), reason: "disabled" },
  { title: "an editor's copy", name: "guard~", make: file(), reason: "backup" },
  { title: "a copy", name: "guard.bak", make: file(), reason: "backup" },
  { title: "a sample", name: "guard.sample", make: file(), reason: "backup" },
  { title: "a swap file", name: "guard.swp", make: file(), reason: "backup" },
  { title: "a dotfile", name: ".guard", make: file(), reason: "dotfile" },
  {
    title: "a FIFO",
    name: "pipe",
    make: (_place, path) => makeFifo(path, "755"),
    reason: "not_regular",
  },
  {
    title: "a link to nowhere",
    name: "broken",
    make: (_place, path) => symlink("/no/such/file", path),
    reason: "broken_link",
  },
  { title: "a link to itself", name: "loop", make: (_place, path) => symlink("loop", path), reason: "link_loop" },
  {
    title: "neither a script (#!) nor a program",
    name: "text",
    make: file("echo before_tool_call\n"),
    reason: "unknown_format",
  },
  { title: "an empty file", name: "empty", make: file(""), reason: "unknown_format" },
];

test("each skip has a stable reason that list --all shows", async () => {
  await using place = await workspace();
  const folder = join(place.home, ".kodelet", "hooks");
  await mkdir(folder, { recursive: true });
  for (const { name, make } of entries) await make(place, join(folder, name));
  await place.hook("guard", "");

  const result = await runMain(place, ["list", "--json"]);
  expect(result).toMatchObject({ code: 0, signal: null, stderr: "" });
  const { hooks, skipped } = parseListJson(result);
  expect(hooks).toEqual([]);
  const reasons = Object.fromEntries(skipped.map(({ name, reason }) => [name, reason]));
  expect(reasons).toEqual({
    ...Object.fromEntries(entries.map(({ name, reason }) => [name, reason])),
    guard: "unknown_format",
  });

  const shown = await runMain(place, ["list", "--all"]);
  expect(shown).toMatchObject({ code: 0, signal: null, stderr: "" });
  const lines = shown.stdout.split("\n").map((line) => line.trim().split(/ +/, 2));
  for (const { name, reason } of entries) expect(lines).toContainEqual([name, reason]);
  expect(await runMain(place, ["list"])).toMatchObject({ code: 0, stdout: expect.not.stringContaining("Skipped") });
});

test("a socket is not opened", async () => {
  await using place = await workspace();
  await mkdir(join(place.home, ".kodelet", "hooks"), { recursive: true });
  const server = createServer();
  await new Promise<void>((ready) => server.listen(join(place.home, ".kodelet", "hooks", "door"), ready));
  const result = await runMain(place, ["list", "--json"]);
  await new Promise((closed) => server.close(closed));
  expect(parseListJson(result).skipped).toMatchObject([{ name: "door", reason: "not_regular" }]);
  expect(result).toMatchObject({ code: 0, stderr: "" });
});

test.runIf(process.platform === "linux")("a name that is not UTF-8 is skipped", async () => {
  await using place = await workspace();
  const folder = join(place.home, ".kodelet", "hooks");
  await mkdir(folder, { recursive: true });
  await writeFile(Buffer.from(`${folder}/bad-\xff`, "latin1"), script, { mode: 0o755 });
  const result = await runMain(place, ["list", "--json"]);
  expect(parseListJson(result)).toMatchObject({ hooks: [], skipped: [{ reason: "name_not_utf8" }] });
  expect(result).toMatchObject({ code: 0, stderr: "" });
});

test("a link to a hook is a hook", async () => {
  await using place = await workspace();
  const target = await place.write("home/lib/guard", script, 0o755);
  await mkdir(join(place.home, ".kodelet", "hooks"), { recursive: true });
  await symlink(target, join(place.home, ".kodelet", "hooks", "guard"));
  const result = await runMain(place, ["list", "--json"]);
  expect(parseListJson(result).hooks).toMatchObject([
    { name: "guard", trust: "trusted", events: ["before_tool_call"] },
  ]);
});

test("a missing folder is fine", async () => {
  await using place = await workspace();
  const result = await runMain(place, ["list", "--json"], { cwd: place.home });
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(parseListJson(result)).toMatchObject({ hooks: [], skipped: [], warnings: [] });
});

test("a folder that cannot be read is a warning, and the hooks of the others are asked", async () => {
  await using place = await workspace();
  await place.hook("guard", "printf '{\"blocked\":true}'");
  await place.write("home/.kodelet/plugins/acme@tools/hooks", "a file where a folder should be");
  const warning = `${place.home}/.kodelet/plugins/acme@tools/hooks cannot be read: ENOTDIR`;
  expect(parseListJson(await runMain(place, ["list", "--json"]))).toMatchObject({
    hooks: [{ name: "guard" }],
    warnings: [warning],
  });
  const result = await runMain(place, ["run", "before_tool_call"], { stdin: '{"tool_name":"bash","tool_input":{}}' });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(warning) });
  expect(JSON.parse(result.stdout)).toMatchObject({ blocked: true, warnings: [warning] });
});

test("at most 1,000 executable files of a folder are asked, and other files do not count", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const folder = join(place.project, ".kodelet", "hooks");
  const write = (name: string, mode: number) => writeFile(join(folder, name), script, { mode });
  await Promise.all(
    Array.from({ length: 1_003 }, (_, index) => write(`hook-${String(index).padStart(4, "0")}`, 0o755)),
  );
  await Promise.all(Array.from({ length: 50 }, (_, index) => write(`a-note-${index}`, 0o644)));
  const result = await runMain(place, ["list", "--json"]);
  const { hooks, skipped, warnings } = parseListJson(result);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(hooks).toHaveLength(1_000);
  expect(skipped.filter(({ reason }) => reason === "too_many").map(({ name }) => name)).toEqual([
    "hook-1000",
    "hook-1001",
    "hook-1002",
  ]);
  expect(warnings).toEqual([`${folder} has more than 1000 executable files; the rest are ignored`]);
});
