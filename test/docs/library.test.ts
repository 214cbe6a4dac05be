import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { printResponse } from "../support/shell.ts";
import { runProgram, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs", "library.md"), "utf8");

/** Each block of code with the heading above it and the output that the page says it has. */
const snippets = page.split(/^## /m).flatMap((section) => {
  const title = section.split("\n")[0] ?? "";
  const [, kind, code] = /^```js( \w+)?\n([\s\S]*?)^```$/m.exec(section) ?? [];
  const output = /^```text\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? "";
  return code === undefined ? [] : [{ title, kind: kind?.trim() ?? "program", code, output }];
});
const hookFile = snippets.find(({ kind }) => kind === "hook")?.code ?? "";

test("every task has its block", () => {
  expect(snippets.map(({ kind }) => kind)).toEqual(["program", "program", "program", "program", "hook", "test"]);
});

describe.each(snippets.filter(({ kind }) => kind !== "hook"))("$title", ({ code, output }) => {
  test("prints what the page says", async () => {
    await using place = await workspace();
    await place.hook("guard", `grep -q 'rm -rf' && ${printResponse({ blocked: true, reason: "no rm" })}; :`);
    await place.write("project/node_modules/.keep", "");
    await symlink(root, join(place.project, "node_modules", "hookctl"));
    await place.write("project/guard.mjs", hookFile, 0o755);
    const file = await place.write("project/program.mjs", code);
    const env = { ...place.env, PATH: `${join(process.execPath, "..")}:${place.env.PATH}` };
    const result = await runProgram([process.execPath, file], { cwd: place.project, env });
    expect(result).toEqual({ stdout: output, stderr: "", code: 0, signal: null });
  });
});
