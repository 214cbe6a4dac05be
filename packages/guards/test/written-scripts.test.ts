import { readdirSync } from "node:fs";
import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { says } from "../../../test/commands/off.ts";
import { runInProcess } from "../../../test/support/in-process.ts";
import type { Workspace } from "../../../test/support/workspace.ts";
import { type Call, call, decisions, guarded, START_MS } from "./tried-calls.ts";

const DELETES_HOME = "#!/bin/sh\nset -e\nrm -rf ~\n";
const DELETES_HOME_PY = 'import os, shutil\nshutil.rmtree(os.path.expanduser("~"))\n';
const DELETES_HOME_JS = 'require("fs").rmSync(require("os").homedir(), { recursive: true, force: true });\n';

/** The agent's tool writes a file: the guards judge the call, and then the file is there. */
async function writes(place: Workspace, name: string, content: string, options: Call = {}): Promise<string> {
  const path = join(place.project, name);
  const tool = { tool_name: "Write", tool_kind: "write", tool_input: { file_path: path, content } };
  const { answer } = await call(place, "", { ...options, tool });
  await place.write(path, content);
  await chmod(path, 0o755);
  return answer.decision ?? (answer.blocked ? "block" : "continue");
}

test.each([
  { name: "x.sh", content: DELETES_HOME, starts: "bash x.sh" },
  { name: "x.sh", content: DELETES_HOME, starts: "./x.sh --now" },
  { name: "x.sh", content: DELETES_HOME, starts: "cd .. && cd - && . ./x.sh" },
  { name: "x.sh", content: DELETES_HOME, starts: "cat x.sh | sh" },
  { name: "x.sh", content: DELETES_HOME, starts: "sudo -n env A=1 timeout 5 sh ./x.sh" },
  { name: "x.sh", content: 'rm -rf "$1"\n', starts: 'bash x.sh "$HOME"' },
  { name: "x.sh", content: DELETES_HOME, starts: "cp x.sh y.sh && bash y.sh" },
  { name: "x.sh", content: DELETES_HOME, starts: "mkdir -p t && mv x.sh t/ && sh t/x.sh" },
  { name: "x.sh", content: "#!/bin/sh\nprune -rf ~\n", starts: "sed -i s/prune/rm/ x.sh && bash x.sh" },
  { name: "x.sh", content: "a/b -rf ~\n", starts: "sed -i -e 's|a\\/b|rm|;s/$/ # &/g' x.sh && ./x.sh" },
  { name: "x.sh", content: "print.rf ~\n", starts: "cat x.sh | sed 's/print./rm -/' | sh" },
  { name: "tools/x.py", content: DELETES_HOME_PY, starts: "python3 tools/x.py" },
  { name: "x.cjs", content: DELETES_HOME_JS, starts: "node x.cjs" },
  { name: "x", content: `#!/usr/bin/env python3\n${DELETES_HOME_PY}`, starts: "./x" },
])("$name that the agent wrote is judged by its text: $starts", async ({ name, content, starts }) => {
  await using place = await guarded({ filesystem: true });
  expect(await writes(place, name, content)).toBe("continue");
  expect(await decisions(place, [[starts]])).toEqual(["block"]);
});

test.each(["sed -i 's/rm -rf/echo/' x.sh && bash x.sh", "sed -i.bak -E 's/rm -rf ~$/ls/I' x.sh; sh x.sh"])(
  "a script that the call itself changes is judged by its new text: %s",
  async (starts) => {
    await using place = await guarded({ filesystem: true });
    await writes(place, "x.sh", DELETES_HOME);
    expect(await decisions(place, [[starts]])).toEqual(["continue"]);
  },
);

test("the reason shows the command in the script, and the script", async () => {
  await using place = await guarded({ filesystem: true });
  await writes(place, "x.sh", DELETES_HOME);
  const { answer, code } = await call(place, "bash x.sh");
  expect({ reason: answer.reason, code }).toEqual({
    reason: expect.stringMatching(/^`rm -rf ~` deletes the home directory \(in \.\/x\.sh\)\. /),
    code: 2,
  });
});

test("`explain` and `allow` judge such a script, too", async () => {
  await using place = await guarded({ filesystem: true });
  await writes(place, "x.sh", DELETES_HOME);
  const host = { nowMs: () => START_MS };
  const explained = await runInProcess(place, "explain bash x.sh", { host });
  expect(explained).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("✖ filesystem/delete-folder: deletes the home"),
  });
  await call(place, "bash x.sh");
  const allowed = await runInProcess(place, "allow last", { host: { ...host, ...says(null) } });
  expect(allowed.stdout).toMatch(/\n✔ allow rm -rf \S+home, for you in this project /);
});

test("scripts that start each other are followed, in another session and after an edit, too", async () => {
  await using place = await guarded({ filesystem: true });
  await writes(place, "a.sh", "sh ./b.sh\n");
  await writes(place, "b.sh", "echo done\n");
  expect(await decisions(place, [["sh a.sh"]])).toEqual(["continue"]);
  await writes(place, "b.sh", "source c.sh\n", { session: "s2" });
  await place.write("project/c.sh", DELETES_HOME);
  expect(await decisions(place, [["sh a.sh"]])).toEqual(["continue"]);
  const tool_input = { file_path: join(place.project, "c.sh"), old_string: "x", new_string: "y" };
  await call(place, "", { tool: { tool_name: "Edit", tool_kind: "edit", tool_input } });
  expect(await decisions(place, [["sh a.sh", { session: "s3" }]])).toEqual(["block"]);
});

test.each(["printf '%s' x > x.sh", "cat gone | tee x.sh", "cp old.sh x.sh", "cat > x.sh <<'E'\nls\nE"])(
  "a file that a command writes counts: %s",
  async (command) => {
    await using place = await guarded({ filesystem: true });
    expect(await decisions(place, [[command]])).toEqual(["continue"]);
    await place.write("project/x.sh", DELETES_HOME);
    expect(await decisions(place, [["sh x.sh"]])).toEqual(["block"]);
  },
);

test("a link to a script that the agent wrote is that script", async () => {
  await using place = await guarded({ filesystem: true });
  await writes(place, "x.sh", DELETES_HOME);
  await symlink("x.sh", join(place.project, "y.sh"));
  expect(await decisions(place, [["sh y.sh"]])).toEqual(["block"]);
});

test.each([
  { title: "a script from before", content: DELETES_HOME, isWritten: false },
  { title: "a harmless script", content: "#!/bin/sh\nset -eu\nnpm test\nrm -rf dist\n" },
  { title: "a text that is too long", content: `${"#\n".repeat(40_000)}${DELETES_HOME}` },
  { title: "a binary file", content: `\0${DELETES_HOME}` },
  { title: "a script that only prints it", content: "echo 'rm -rf ~'\n" },
])("$title is no reason", async ({ content, isWritten = true }) => {
  await using place = await guarded({ filesystem: true });
  if (isWritten) await writes(place, "x.sh", content);
  await writes(place, "other.sh", "ls\n");
  await place.write("project/x.sh", content);
  expect(await decisions(place, [["bash x.sh"], ["./x.sh"], ["bash gone.sh"]])).toEqual(Array(3).fill("continue"));
});

test("a file is the agent's for twelve hours", async () => {
  await using place = await guarded({ filesystem: true });
  await writes(place, "x.sh", DELETES_HOME);
  expect(await decisions(place, [["sh x.sh", { minute: 12 * 60 }]])).toEqual(["continue"]);
  expect(await decisions(place, [["sh x.sh", { minute: 12 * 60 - 1 }]])).toEqual(["block"]);
});

test("the record has the latest 200 paths and no text, for its owner alone; a call that writes nothing makes none", async () => {
  await using place = await guarded({ filesystem: true });
  await decisions(place, [["ls -la 2>/dev/null"], ["bash x.sh"], ["git status > /dev/null"]]);
  expect(recordsOf(place)).toEqual([]);
  const many = Array.from({ length: 210 }, (_, at) => `f${at}`);
  await call(place, `touch ${many.join(" ")}`);
  const [record = ""] = recordsOf(place);
  const { files } = JSON.parse(await readFile(record, "utf8")) as { files: { path: string; atMs: number }[] };
  expect(files.map(({ path }) => path)).toEqual(many.slice(10).map((name) => join(place.project, name)));
  expect(((await stat(record)).mode & 0o777).toString(8)).toBe("600");
  await place.write(record, "broken");
  expect(await decisions(place, [["sh f1"]])).toEqual(["continue"]);
});

const recordsOf = ({ home }: Workspace): readonly string[] =>
  readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("/written"))
    .map((name) => join(home, name));
