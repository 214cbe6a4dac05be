import { mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { AS_PERSON, runProgram, type Workspace, workspace } from "../support/workspace.ts";

type Input = Readonly<Record<string, unknown>>;

/** An agent's call before it runs, as Claude Code sends it, and hookctl's answer. */
async function ask(place: Workspace, tool: string, input: Input, agent = "claude"): Promise<string> {
  const call = {
    session_id: "s",
    cwd: place.project,
    hook_event_name: "PreToolUse",
    tool_name: tool,
    tool_use_id: "t",
  };
  const stdin = JSON.stringify({ ...call, tool_input: input });
  const { stdout, code } = await place.run(["bridge", agent, "--event", "PreToolUse"], { stdin });
  expect(code).toBe(0);
  return stdout;
}

async function caged(mode = "fallback"): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { mode } }));
  await place.write("home/.ssh/id", "a key\n");
  await place.write("home/.gitconfig", "");
  await place.write("home/Documents/letter", "a letter\n");
  await place.write("home/.claude/projects/-other/s/tool-results/1.txt", "");
  await place.write("home/.local/state/hookctl/cage/t/claude-0/-other/s/scratchpad/x", "");
  await place.write("project/.git/config", "[core]\n");
  await place.write("project/node_modules/x/index.js", "");
  await mkdir(join(place.project, "[id]"));
  await symlink(place.home, join(place.project, "link"));
  await symlink(join(place.home, "Documents"), join(place.project, "deep"));
  return place;
}

/** Without links the path `~` is the home directory of the workspace. */
const filled = ({ home, project }: Workspace, input: Input): Input =>
  JSON.parse(
    JSON.stringify(input)
      .replaceAll("~", home)
      .replaceAll("{project}", project.replace(/[^A-Za-z0-9]/g, "-")),
  );

const REFUSED: readonly (readonly [tool: string, input: Input, path: string])[] = [
  ["Write", { file_path: "~/.bashrc", content: "x" }, "write ~/.bashrc (your files)"],
  ["Write", { file_path: "/proc/self/root~/.bashrc", content: "x" }, "write ~/.bashrc (your files)"],
  ["Write", { file_path: "link/.bashrc", content: "x" }, "write ~/.bashrc (your files)"],
  ["Edit", { file_path: "deep/../x", old_string: "a", new_string: "b" }, "write ~/x (your files)"],
  ["Write", { file_path: "/etc/profile.d/x.sh", content: "x" }, "write /etc/profile.d/x.sh (the system)"],
  ["Write", { file_path: ".envrc", content: "x" }, "it starts programs later"],
  ["Write", { file_path: ".claude/settings.json", content: "{}" }, "it starts programs later"],
  ["Write", { file_path: ".git/hooks/pre-commit", content: "x" }, "it starts programs later"],
  ["Edit", { file_path: ".git/config", old_string: "a", new_string: "b" }, "it starts programs later"],
  ["NotebookEdit", { notebook_path: "~/x.ipynb", new_source: "x" }, "write ~/x.ipynb"],
  ["mcp__fs__write_file", { path: "~/.profile", content: "x" }, "write ~/.profile"],
  ["mcp__fs__read_text_file", { path: "~/.ssh/id" }, "read ~/.ssh/id (keys and logins)"],
  ["Read", { file_path: "~/.ssh/id" }, "read ~/.ssh/id (keys and logins)"],
  ["Read", { file_path: "~/Documents/letter" }, "read ~/Documents/letter (not of this project)"],
  ["Read", { file_path: "/proc/self/environ" }, "(variables with secrets)"],
  ["Read", { file_path: "~/.claude/projects/-other/s/tool-results/1.txt" }, "sessions of an agent"],
  ["Write", { file_path: "~/.cache/tool/x", content: "x" }, "write ~/.cache/tool/x (a cache of the calls)"],
  ["Grep", { pattern: "BEGIN", path: "~" }, "read ~/"],
  ["Glob", { pattern: "~/.ssh/*" }, "read ~/.ssh (keys and logins)"],
  ["LS", { path: "~/.ssh" }, "read ~/.ssh (keys and logins)"],
];

const ALLOWED: readonly (readonly [tool: string, input: Input])[] = [
  ["Write", { file_path: "src/new/a.ts", content: "x" }],
  ["Write", { file_path: "[id]/page.tsx", content: "x" }],
  ["Edit", { file_path: "README.md", old_string: "a", new_string: "b" }],
  ["Edit", { file_path: ".git/info/exclude", old_string: "a", new_string: "b" }],
  ["Read", { file_path: "/usr/include/stdio.h" }],
  ["Read", { file_path: "~/.gitconfig" }],
  ["Read", { file_path: "node_modules/x/index.js" }],
  ["Read", { file_path: "/proc/cpuinfo" }],
  ["Write", { file_path: "~/.claude/plans/a-plan.md", content: "x" }],
  ["Write", { file_path: "~/.local/state/hookctl/cage/t/claude-0/{project}/s/scratchpad/x", content: "x" }],
  ["Read", { file_path: "~/.local/state/hookctl/cage/t/claude-0/{project}/s/tasks/1.output" }],
  ["Write", { file_path: "~/.claude/projects/{project}/memory/MEMORY.md", content: "x" }],
  ["Read", { file_path: "~/.claude/projects/{project}/s/tool-results/1.txt" }],
  ["Grep", { pattern: "~/.ssh", path: "." }],
  ["Grep", { pattern: "x", path: "/usr/include", glob: "*.h" }],
  ["Glob", { pattern: "**/*.ts" }],
  ["LS", { path: "~" }],
  ["TodoWrite", { todos: [{ content: "read ~/.ssh/id", status: "pending", activeForm: "x" }] }],
  ["WebFetch", { url: "https://example.org/~/.ssh", prompt: "read /etc/shadow" }],
  ["mcp__docs__update_page", { path: "/handbook/start", content: "x" }],
];

describe("a tool that uses files itself", () => {
  test("is blocked where the cage would refuse a program the same", async () => {
    await using place = await caged();
    await place.write("home/.cache/x", "");
    for (const [tool, input, path] of REFUSED) {
      const answer = await ask(place, tool, filled(place, input));
      expect([tool, input, answer]).toEqual([tool, input, expect.stringContaining('"permissionDecision":"deny"')]);
      expect(answer).toContain(path.replaceAll("~", place.home));
      expect(answer).toContain("hookctl cage allow ");
    }
  });

  test("does its work in the project, and reads what programs may read", async () => {
    await using place = await caged();
    await place.write("home/.cache/x", "");
    for (const [tool, input] of ALLOWED)
      expect([tool, input, await ask(place, tool, filled(place, input))]).toEqual([tool, input, ""]);
  });

  test("is judged for each agent, also if no setting chooses its shell", async () => {
    await using place = await caged();
    const tool_call = { toolName: "create", toolArgs: JSON.stringify({ path: join(place.home, "x"), file_text: "x" }) };
    const stdin = JSON.stringify({ sessionId: "s", cwd: place.project, ...tool_call });
    const copilot = await place.run(["bridge", "copilot", "--event", "preToolUse"], { stdin });
    expect(copilot.stdout).toContain("The cage refuses to write");
    const patch = `*** Begin Patch\n*** Add File: ${place.home}/x\n+x\n*** End Patch`;
    const codex = await ask(place, "apply_patch", { command: patch }, "codex");
    expect(codex).toContain("The cage refuses to write");
    expect(await ask(place, "apply_patch", { command: patch.replace(place.home, "src") }, "codex")).toBe("");
  });

  test("may do what a person allows, also with a file that is missing", async () => {
    await using place = await caged();
    const write = { file_path: join(place.home, "notes/new.md"), content: "x" };
    expect(await ask(place, "Write", write)).toContain("The cage refuses");
    const allow = [...AS_PERSON, "cage", "allow", join(place.home, "notes/new.md"), "--here"];
    const allowed = await runProgram(allow, { cwd: place.project, env: place.env });
    expect(allowed).toMatchObject({ stderr: "", code: 0 });
    expect(await ask(place, "Write", write)).toBe("");
    expect(await ask(place, "Write", { ...write, file_path: join(place.home, "notes/other.md") })).toContain("refuses");
  });

  test("hears that shell calls have other temporary files", async () => {
    await using place = await caged();
    const answer = await ask(place, "Write", { file_path: "/tmp/hookctl-of-tools.txt", content: "x" });
    expect(answer).toContain("shell calls have their own /tmp");
    expect(answer).not.toContain("deny");
  });

  test.skipIf(missingHere !== null)(`finds the temporary files of shell calls${unlessMissing}`, async () => {
    await using place = await caged();
    const path = `/tmp/${basename(place.dir)}-of-shell`;
    const ran = await place.run(["cage", "--", "sh", "-c", `echo text > ${path}`]);
    expect(ran).toMatchObject({ stderr: "", code: 0 });
    const answer = await ask(place, "Read", { file_path: path });
    const [, inside = ""] = /of theirs is (\/[^"]+)\."/.exec(answer) ?? [];
    expect(await place.read(inside)).toBe("text\n");
    expect(await ask(place, "Read", { file_path: inside })).toBe("");
    expect(await ask(place, "Write", { file_path: inside, content: "x" })).toContain("deny");
  });

  test("`why` names the refused path", async () => {
    await using place = await caged();
    await ask(place, "Write", { file_path: join(place.home, ".bashrc"), content: "x" });
    const { stdout, stderr, code } = await place.run(["why"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^block .* file_write /);
    expect(stdout).toContain(`CAGE_REFUSED: The cage refuses to write ${place.home}/.bashrc (your files).`);
  });
});

describe("a cage that only observes", () => {
  test("blocks nothing, and notes what it would refuse", async () => {
    await using place = await caged("observe");
    const command = "echo x > ~/.bashrc; cat ~/.ssh/id; echo ok > made; ls ~; cat /dev/null > /dev/null";
    expect(await ask(place, "Bash", { command })).not.toContain("deny");
    const { stdout } = await place.run(["why"]);
    const noted = stdout.match(/the cage would refuse to .*/g);
    expect(noted).toEqual([
      `the cage would refuse to write ${place.home}/.bashrc (your files)`,
      `the cage would refuse to read ${place.home}/.ssh/id (keys and logins)`,
    ]);
    expect(await ask(place, "Write", { file_path: "/etc/x", content: "x" })).not.toContain("deny");
    expect((await place.run(["why"])).stdout).toContain("the cage would refuse to write /etc/x (the system)");
    const report = JSON.parse((await place.run(["report", "--json", "--output", "-"])).stdout);
    expect(report.cage).toContainEqual({ text: "the cage would refuse to write /etc/x (the system)", runs: 1 });
  });
});
