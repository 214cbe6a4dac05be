import { expect, test } from "vitest";
import type { FileAccess } from "../../command/files/file-access.ts";
import { filesystem } from "../../rules/filesystem.ts";
import { decisionOf, PLACE } from "./examples-of.ts";

const KEPT = "/home/dev/shop/.env";

const tool: FileAccess = { kind: "write", path: KEPT, isGlob: false, source: ".env", call: null, edit: null };
const whole = { oldText: null, newText: "PORT=1\n" };

const decided = (access: FileAccess, missing?: ReadonlySet<string>): string =>
  filesystem.judgeFile?.(access, {
    place: PLACE,
    commands: [],
    paths: [],
    ownFiles: [],
    ...(missing === undefined ? {} : { missing }),
  })?.decision ?? "allow";

test.each([
  ["written as a whole", { ...tool, edit: whole }, "ask"],
  ["deleted", { ...tool, kind: "delete" }, "ask"],
  ["edited in a part", { ...tool, edit: { oldText: "A", newText: "B" } }, "allow"],
  ["appended to", { ...tool, edit: { ...whole, afterLine: 9 } }, "allow"],
  ["renamed", { ...tool, edit: { oldText: null, newText: null } }, "allow"],
  ["only read", { ...tool, kind: "read" }, "allow"],
] as const)("a file tool: .env is %s", (_, access, expected) => expect(decided(access)).toBe(expected));

test("a file that did not exist loses nothing", () => {
  expect(decided({ ...tool, edit: whole }, new Set([KEPT]))).toBe("allow");
  expect(decided({ ...tool, edit: whole }, new Set(["/home/dev/shop/other"]))).toBe("ask");
});

const NAMES = [".env", ".env.production", "db/production.sqlite3", "prisma/dev.db", "dump.rdb", "uploads/a.png"];

test.each(NAMES)("%s is lost with each way to delete it, and outside the project too", (name) => {
  const ways = [`rm ${name}`, `unlink ./${name}`, `cd /home/dev/shop && rm -rf "${name}"`, `truncate -s 0 ${name}`];
  const inCode = `python3 -c "import os; os.remove('${name}')"`;
  const all = [...ways, inCode, `> ${name}`, `: > ${name}`, `rm ~/other/${name}`];
  expect(all.filter((command) => decisionOf(filesystem, command) !== "ask")).toEqual([]);
});

test.each(NAMES)("%s below a folder for tests, builds or temporary files is made again", (name) => {
  const folders = ["test", "tmp", "node_modules/a", "dist", ".cache", "fixtures"];
  expect(folders.filter((folder) => decisionOf(filesystem, `rm -f ${folder}/${name}`) !== "allow")).toEqual([]);
});
