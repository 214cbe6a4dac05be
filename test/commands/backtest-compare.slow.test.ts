import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RULE = { block: "No deploys", name: "deploys", match: { "tool_input.command": "deploy*" } };
const settings = (rules: readonly object[], guards: object = {}) =>
  JSON.stringify({ guards, hooks: { before_tool_call: rules } });

const git = (place: Workspace, ...args: readonly string[]) =>
  execa("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: place.project, env: place.env });

const session = (cwd: string, ...commands: readonly string[]): string =>
  commands
    .map((command, at) => {
      const content = [{ type: "tool_use", id: `t${at}`, name: "Bash", input: { command } }];
      return `${JSON.stringify({ type: "assistant", sessionId: "s1", cwd, timestamp: "2026-11-20T10:00:00Z", message: { role: "assistant", content } })}\n`;
    })
    .join("");

/** A repository whose first commit has a rule against deploys, and a session in it. */
async function repository(): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/.kodelet/hooks.json", settings([RULE]));
  await git(place, "init", "-q", "-b", "main");
  await git(place, "add", "-A");
  await git(place, "commit", "-qm", "rule");
  await place.write(
    "home/.claude/projects/-p/s.jsonl",
    session(place.project, "deploy now", "git push --force origin main", "ls"),
  );
  return place;
}

const compare = (place: Workspace, ...args: readonly string[]) =>
  runMain(place, ["backtest", "--fail-on-change", ...args]);

test("the same hooks decide the same", async () => {
  await using place = await repository();
  expect(await compare(place, "main")).toMatchObject({
    stdout: "3 calls judged by the hooks of main and by today's: no decision differs\n",
    ...{ stderr: "", code: 0 },
  });
});

test("a rule that is gone and a guard that is new are found, approved or not, and the exit code is 1", async () => {
  await using place = await repository();
  await place.write("project/.kodelet/hooks.json", settings([], { git: true }));
  const { stdout, stderr, code } = await compare(place, "HEAD");
  expect({ stdout, stderr, code }).toEqual({
    stdout: [
      "3 calls judged by the hooks of HEAD and by today's: 2 decided differently",
      "",
      "      1 × block → allow deploy now deploys",
      "          deploy now  claude 2026-11-20 s1",
      "      1 × allow → block git push --force … git",
      "          git push --force origin main  claude 2026-11-20 s1",
      "",
    ].join("\n"),
    ...{ stderr: "", code: 1 },
  });
  const json: unknown = JSON.parse((await compare(place, "HEAD", "--json")).stdout);
  expect(json).toMatchObject({
    base: "HEAD",
    judged: 3,
    differing: 2,
    changes: [{ before: "block", after: "allow" }, {}],
  });
});

test("a folder can be the base, and calls of a named file count wherever they were made", async () => {
  await using place = await repository();
  await mkdir(join(place.dir, "other"));
  const file = await place.write("calls.jsonl", session("/Users/ann/app", "deploy all"));
  expect(await compare(place, "../other", file)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("1 × allow → block deploy all"),
  });
});

test("nothing of the user's settings counts, and no program of either revision is started", async () => {
  await using place = await repository();
  const mark = join(place.dir, "was-started");
  await place.write("home/.config/hookctl/config.json", JSON.stringify({ guards: { git: true } }));
  await place.hook("starter", `: > ${mark}`, { scope: "project" });
  await git(place, "add", "-A");
  await git(place, "commit", "-qm", "hook");
  await place.hook("starter", `: >> ${mark}`, { scope: "project" });
  const { stdout, code } = await compare(place, "HEAD");
  expect(code).toBe(0);
  expect(stdout).toContain("starter did not judge");
  expect(await place.read("was-started")).toBeNull();
});

test("git runs nothing that the repository names while it is read", async () => {
  await using place = await repository();
  const mark = join(place.dir, "was-started");
  const program = await place.write("program", `#!/bin/sh\n: > ${mark}\ncat\n`, 0o755);
  await place.write("project/.gitattributes", "* filter=evil\n");
  await git(place, "add", "-A");
  await git(place, "commit", "-qm", "attributes");
  for (const [key, value] of [
    ...[
      ["core.fsmonitor", program],
      ["filter.evil.smudge", program],
      ["core.hooksPath", place.dir],
    ],
    ...[
      ["core.pager", program],
      ["alias.ls-tree", `!${program}`],
    ],
  ])
    await git(place, "config", key ?? "", value ?? "");
  expect((await compare(place, "HEAD")).code).toBe(0);
  expect(await place.read("was-started")).toBeNull();
});

test.each(["nowhere", "--output=x", "HEAD:.kodelet"])("%s is no base", async (base) => {
  await using place = await repository();
  const result = await runMain(place, ["backtest", `--fail-on-change=${base}`]);
  expect(result).toMatchObject({ stdout: "", code: 64, stderr: expect.stringContaining("(BASE_NOT_READ)") });
});

test("without a call the check fails", async () => {
  await using place = await repository();
  expect(await compare(place, "main", "--agent", "codex")).toMatchObject({ stdout: "", code: 64 });
});
