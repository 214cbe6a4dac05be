import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { AS_PERSON, HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const inside = (place: Workspace, script: string, env: Readonly<Record<string, string>> = {}) =>
  place.run(["cage", "--", "sh", "-c", script], { env });

/** What each attempt leaves in the workspace outside the cage, so that the attempt is known to work. */
const ATTEMPTS: readonly { readonly title: string; readonly script: string; readonly effect: string }[] = [
  { title: "a file in the home directory", script: "echo x > ~/.profile", effect: "home/.profile" },
  { title: "a file of another project", script: "echo x > ../other/new", effect: "other/new" },
  {
    title: "the settings of an agent",
    script: "echo '{}' > ~/.claude/settings.json.new",
    effect: "home/.claude/settings.json.new",
  },
  { title: "the hooks of git", script: "echo x > .git/hooks/pre-commit", effect: "project/.git/hooks/pre-commit" },
  { title: "the hooks of hookctl", script: "echo x > .kodelet/hooks/new", effect: "project/.kodelet/hooks/new" },
  {
    title: "another git folder in the place of the hooks",
    script: "mv .git g && mkdir -p .git/hooks && echo x > .git/hooks/post-commit",
    effect: "project/.git/hooks/post-commit",
  },
];

async function project(): Promise<Workspace> {
  const place = await workspace();
  await place.write("other/secret", "of another project\n");
  await place.write("home/.ssh/id", "a key\n");
  await place.write("home/.netrc", "a login\n");
  await place.write("home/Documents/letter", "a letter\n");
  await place.write("home/.claude/settings.json", "{}\n");
  await place.write("project/.git/hooks/sample", "");
  await place.write("project/.git/config", "[core]\n\tbare = false\n");
  return place;
}

describe.skipIf(missingHere !== null)(`a program in the cage${unlessMissing}`, () => {
  test.each(ATTEMPTS)("does not change $title", async ({ script, effect }) => {
    await using caged = await project();
    const refused = await inside(caged, script);
    expect(refused).toMatchObject({ stdout: "" });
    expect(refused.code).not.toBe(0);
    expect(await caged.read(effect)).toBeNull();
    await using free = await project();
    const done = await runProgram(["/bin/sh", "-c", script], { cwd: free.project, env: free.env });
    expect(done).toMatchObject({ stderr: "", code: 0 });
    expect(await free.read(effect)).not.toBeNull();
  });

  test("works in the project, keeps its exit code, and has its own temporary files and processes", async () => {
    await using place = await project();
    const script = `echo new > made; echo t > /tmp/t-$$ && ls /tmp | grep -c '^t-'; ps -e | grep -c -v PID; exit 7`;
    const { stdout, stderr, code } = await inside(place, script);
    expect({ stderr, code }).toEqual({ stderr: "", code: 7 });
    const [files, processes] = stdout.trim().split("\n").map(Number);
    expect(files).toBe(1);
    expect(processes).toBeLessThan(8);
    expect(await place.read("project/made")).toBe("new\n");
  });

  test("writes the temporary folder that an agent gives its model for this project", async () => {
    await using place = await project();
    const shared = join(place.home, ".local/state/hookctl/cage/t/claude-0");
    const own = join(shared, place.project.replace(/[^A-Za-z0-9]/g, "-"), "s");
    await place.write(join(own, "scratchpad/x"), "");
    await place.write(join(own, "tasks/x"), "");
    await place.write(join(shared, "-other/s/scratchpad/x"), "");
    expect(await inside(place, `echo y > ${own}/scratchpad/y`)).toMatchObject({ stderr: "", code: 0 });
    for (const other of [`${own}/tasks/x`, `${shared}/-other/s/scratchpad/x`])
      expect((await inside(place, `echo y > ${other}`)).code).not.toBe(0);
  });

  test("does not see keys, logins, other projects, documents and secret variables", async () => {
    await using place = await project();
    const env = { MY_API_TOKEN: "ghp_16C7e42F292c6912E7710c838347Ae178B4a", SSH_AUTH_SOCK: "/run/x", PLAIN: "kept" };
    const script =
      "ls -A ~/.ssh ~/Documents ../other; cat ~/.netrc; echo $MY_API_TOKEN$SSH_AUTH_SOCK$PLAIN; tr '\\0' '\\n' </proc/1/environ | grep -c TOKEN";
    const { stdout } = await inside(place, script, env);
    for (const secret of ["a key", "a login", "id\n", "letter", "secret\n", "ghp_", "/run/x"])
      expect(stdout).not.toContain(secret);
    expect(stdout).toContain("kept\n0\n");
  });

  test("`cage show` names a place with its reason, `cage allow` changes it, and an agent may not", async () => {
    await using place = await project();
    const show = await place.run(["cage", "show", join(place.home, "Documents")]);
    expect(show).toMatchObject({ stderr: "", code: 0 });
    expect(show.stdout).toContain("/home/Documents: hidden (not of this project");
    const call = ["cage", "allow", join(place.home, "Documents"), "--here", "--read"];
    const byAgent = await runProgram([...HOOKCTL, ...call], {
      cwd: place.project,
      env: { ...place.env, CLAUDECODE: "1" },
    });
    expect(byAgent).toMatchObject({ stdout: "", code: 77 });
    const allowed = await runProgram([...AS_PERSON, ...call], { cwd: place.project, env: place.env });
    expect(allowed).toMatchObject({ stderr: "", code: 0 });
    expect(allowed.stdout).toContain("✔ Calls in the cage may read ~/Documents in this project");
    expect((await inside(place, "cat ~/Documents/letter")).stdout).toBe("a letter\n");
    expect((await inside(place, "echo x > ~/Documents/letter")).code).not.toBe(0);
  });

  test("`cage allow` opens a host where the network has a list, and a file stays a file", async () => {
    await using place = await project();
    await place.write("project/notes.md", "");
    const allow = (...words: readonly string[]) =>
      runProgram([...AS_PERSON, "cage", "allow", ...words], { cwd: place.project, env: place.env });
    const open = await allow("api.example.com", "--here");
    expect(open).toMatchObject({ stdout: "", code: 64 });
    expect(open.stderr).toContain("The network of the cage is open.");
    await place.write("home/.kodelet/hooks.json", '{ "cage": { "network": "off" } }\n');
    const here = await allow("api.example.com", "--here");
    expect(here).toMatchObject({ stderr: "", code: 0 });
    expect(here.stdout).toContain("✔ Calls in the cage may connect to api.example.com in this project");
    expect(await allow("https://10.0.0.1:8443/x")).toMatchObject({ stderr: "", code: 0 });
    expect((await allow("notes.md")).stdout).toContain("may write");
    const { stdout } = await place.run(["cage", "show", "--json"]);
    expect(JSON.parse(stdout).network).toEqual(["api.example.com", "10.0.0.1:8443"]);
    await place.write("home/.kodelet/hooks.json", '{ "cage": { "network": ["https://x"] } }\n');
    const wrong = await place.run(["cage", "show"]);
    expect(wrong).toMatchObject({ stdout: "", code: 78 });
    expect(wrong.stderr).toContain("it is not a host");
  });

  test("a missing folder that is allowed is made for the call, as a worktree beside the project", async () => {
    await using place = await project();
    const allowed = await runProgram([...AS_PERSON, "cage", "allow", "../tree/", "--here"], {
      cwd: place.project,
      env: place.env,
    });
    expect(allowed).toMatchObject({ stderr: "", code: 0 });
    expect(allowed.stdout).not.toContain("does not exist");
    expect(await inside(place, "echo new > ../tree/file")).toMatchObject({ stderr: "", code: 0 });
    expect(await place.read("tree/file")).toBe("new\n");
  });

  test("a server that a call leaves behind holds no stream of its caller", async () => {
    await using place = await project();
    const script = "(until test -e stop; do sleep 0.1; done) >/dev/null 2>&1 & echo left";
    // Its streams are pipes here: this waits until nobody holds them.
    expect(await inside(place, script)).toMatchObject({ stdout: "left\n", stderr: "", code: 0 });
    await place.write("project/stop", "");
  });

  test("the shell of the cage is the cage, also inside another, and without settings it is a shell", async () => {
    await using place = await project();
    const enabled = await place.run(["enable", "cage"]);
    expect(enabled).toMatchObject({ stderr: "", code: 0 });
    expect(enabled.stdout).toContain("✔ Claude Code: shell calls of new sessions");
    const { env } = JSON.parse((await place.read("home/.claude/settings.json")) ?? "{}");
    const shell: string = env.CLAUDE_CODE_SHELL;
    const script = `echo x > ~/.profile; ${shell} -c 'echo nested; echo y > ~/.profile'`;
    const caged = await runProgram(["setsid", shell, "-c", script], { cwd: place.project, env: place.env });
    expect(caged.stdout).toBe("nested\n");
    expect(existsSync(join(place.home, ".profile"))).toBe(false);
    const disabled = await place.run(["disable", "cage"]);
    expect(disabled).toMatchObject({ stderr: "", code: 0 });
    expect(JSON.parse((await place.read("home/.claude/settings.json")) ?? "{}").env).toBeUndefined();
    const free = await runProgram([shell, "-c", "echo x > ~/.profile"], { cwd: place.project, env: place.env });
    expect(free).toMatchObject({ stdout: "", stderr: "", code: 0 });
    expect(readFileSync(join(place.home, ".profile"), "utf8")).toBe("x\n");
  });
});
