import { readdirSync, readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { printResponse } from "../support/shell.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs", "library.md"), "utf8");

/** Each block of code with the heading above it and the output that the page says it has. */
const snippets = page.split(/^## /m).flatMap((section) => {
  const title = section.split("\n")[0] ?? "";
  const [, kind, code] = /^```ts( \w+)?\n([\s\S]*?)^```$/m.exec(section) ?? [];
  const output = /^```text\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? "";
  return code === undefined ? [] : [{ title, kind: kind?.trim() ?? "program", code, output }];
});
const hookFile = snippets.find(({ kind }) => kind === "hook")?.code ?? "";

const markdownFiles = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));

async function folderIn(place: Workspace, name: string): Promise<string> {
  await place.write(`project/${name}/.keep`, "");
  return join(place.project, name);
}

test("every task has its block", () => {
  expect(snippets.map(({ kind }) => kind)).toEqual(["program", "program", "program", "program", "hook", "test"]);
});

test("every example of the docs compiles under strict", { tags: "slow" }, async () => {
  await using place = await workspace();
  await symlink(root, join(await folderIn(place, "node_modules"), "hookctl"));
  await symlink(join(root, "node_modules", "@types"), join(place.project, "node_modules", "@types"));
  const examples = markdownFiles.flatMap((name) => {
    const text = readFileSync(join(root, "docs", name), "utf8");
    return [...text.matchAll(/^```(?:js|ts)(?: \w+)?\n([\s\S]*?)^```$/gm)].map(([, code = ""], index) => ({
      name,
      index,
      code,
    }));
  });
  expect(examples.length).toBeGreaterThan(7);
  for (const { name, index, code } of examples) await place.write(`project/${name}-${index}.mts`, code);
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", target: "es2023", types: ["node"] };
  await place.write("project/tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = await runProgram([process.execPath, tsc, "-p", "."], { cwd: place.project, env: place.env });
  expect(result).toEqual({ stdout: "", stderr: "", code: 0, signal: null });
});

describe.each(snippets.filter(({ kind }) => kind !== "hook"))("$title", ({ code, output }) => {
  test("prints what the page says", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.hook("guard", `grep -q 'rm -rf' && ${printResponse({ blocked: true, reason: "no rm" })}; :`);
    await symlink(root, join(await folderIn(place, "node_modules"), "hookctl"));
    await place.write("project/guard.mjs", hookFile, 0o755);
    const file = await place.write("project/program.mjs", code);
    const env = { ...place.env, PATH: `${join(process.execPath, "..")}:${place.env.PATH}` };
    const result = await runProgram([process.execPath, file], { cwd: place.project, env });
    expect(result).toEqual({ stdout: output, stderr: "", code: 0, signal: null });
  });
});
