import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { type Machine, machine, WHY_NO_MACHINE } from "../support/machine.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type CallOptions, type Workspace, workspace } from "../support/workspace.ts";

const DANGEROUS = toolCall("rm -rf /srv");
const GUARD = `grep -q 'rm -rf' && ${printResponse({ blocked: true, reason: "not on this machine" })} || printf '{}'`;

interface Attack {
  readonly title: string;
  readonly args?: readonly string[];
  readonly env?: CallOptions["env"];
  /** What the user writes or runs before. */
  readonly prepare?: (place: Workspace, there: Machine) => Promise<unknown>;
}

const settings = (value: object) => (place: Workspace) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify(value));
const program = (name: string, body: string) => (place: Workspace) =>
  place.write(`evil/${name}`, `#!/bin/sh\n${body}\n`, 0o755);

const ATTACKS: readonly Attack[] = [
  { title: "--no-hooks", args: ["--no-hooks"] },
  { title: "--skip by name", args: ["--skip", "guard"] },
  { title: "--skip of all", args: ["--skip", "*"] },
  {
    title: "--hook for another one",
    args: ["--hook", "other"],
    prepare: (place) => place.hook("other", "printf '{}'"),
  },
  { title: "--hooks-dir", args: ["--hooks-dir", "."] },
  { title: "--hooks-dir with the machine's own", args: ["--hooks-dir", "/etc/hookctl/hooks", "--trust"] },
  { title: "--config", args: ["--config", "empty.json"], prepare: (place) => place.write("project/empty.json", "{}") },
  { title: "--trust", args: ["--trust"] },
  { title: "--no-cache", args: ["--no-cache"] },
  { title: "--timeout", args: ["--timeout", "1ms"] },
  {
    title: "a deadline that another hook uses up",
    args: ["--deadline", "1s"],
    prepare: (place) => place.hook("slow", "sleep 2; printf '{}'"),
  },
  { title: "-C", args: ["-C", "/"] },
  { title: "HOOKCTL_NO_HOOKS", env: { HOOKCTL_NO_HOOKS: "1" } },
  { title: "HOOKCTL_TIMEOUT and HOOKCTL_DEADLINE", env: { HOOKCTL_TIMEOUT: "1ms", HOOKCTL_DEADLINE: "1ms" } },
  { title: "HOOKCTL_TRUST", env: { HOOKCTL_TRUST: "0".repeat(64) } },
  { title: "a HOME that does not exist", env: { HOME: "/nonexistent" } },
  { title: "no HOME", env: { HOME: undefined } },
  { title: "the machine's folder as HOME", env: { HOME: "/etc/hookctl" } },
  { title: "relative XDG folders", env: { XDG_CONFIG_HOME: ".", XDG_CACHE_HOME: ".", XDG_STATE_HOME: "." } },
  {
    title: "settings that switch everything off",
    prepare: settings({
      settings: { enabled: false, timeout: "1ms", deadline: "1ms", post_order: "reverse" },
      overrides: { guard: { enabled: false, observe: true, timeout: "1ms", match: { tool_name: "no" } } },
    }),
  },
  {
    title: "an override that opens it",
    prepare: settings({ overrides: { guard: { fail_open: true, priority: -9999, output_limit: "1" } } }),
  },
  { title: "a hook of the same name", prepare: (place) => place.hook("guard", "printf '{}'") },
  {
    title: "a hook that replaces the call",
    prepare: (place) => place.hook("first", printResponse({ replace: true, input: { command: "rm -rf /home" } })),
  },
  {
    title: "a hook that changes a harmless call into a dangerous one",
    prepare: (place) => place.hook("last", printResponse({ input: { command: "rm -rf /home" } })),
  },
  {
    title: "a stored denial",
    prepare: (place) => {
      const denied = { "/etc/hookctl/hooks/guard": "2026-01-01T00:00:00.000Z" };
      return place.write(
        "home/.local/state/hookctl/trust.json",
        JSON.stringify({ version: 1, approved: {}, denied }),
        0o600,
      );
    },
  },
  { title: "another `grep` on PATH", env: { PATH: "EVIL:/usr/bin:/bin" }, prepare: program("grep", "exit 1") },
  { title: "another `sh` on PATH", env: { PATH: "EVIL:/usr/bin:/bin" }, prepare: program("sh", "exit 0") },
  {
    title: "a file that the shell reads first",
    env: { ENV: "EVIL/sh", BASH_ENV: "EVIL/sh" },
    prepare: program("sh", "exit 0"),
  },
  { title: "a language with other letters", env: { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", LOCPATH: "EVIL" } },
  { title: "options of grep", env: { GREP_OPTIONS: "-v", POSIXLY_CORRECT: "1", TMPDIR: "/nonexistent" } },
  { title: "a forged answer in the user's cache", prepare: forgeIdentity },
  { title: "a forged record of what it declared", prepare: forgeKnownHooks },
];

/** The identity of the machine's hook, as the user would like it, with the right key of its file. */
async function forgeIdentity(place: Workspace, there: Machine): Promise<void> {
  const { dev, ino, size, mtimeMs, ctimeMs, mode } = await stat(join(there.etc, "hookctl/hooks/guard"));
  const key = [dev, ino, size, mtimeMs, ctimeMs, mode].join(":");
  const hooks = { "/etc/hookctl/hooks/guard": [key, "agent_stop", ""] };
  await place.write("home/.cache/hookctl/identities.json", JSON.stringify({ version: 1, hooks }), 0o600);
}

function forgeKnownHooks(place: Workspace): Promise<string> {
  const hooks = { "/etc/hookctl/hooks/guard": { name: "guard", said: "agent_stop" } };
  return place.write("home/.local/state/hookctl/user-hooks.json", JSON.stringify({ version: 1, hooks }), 0o600);
}

function envOf({ env = {} }: Attack, { dir }: Workspace): NonNullable<CallOptions["env"]> {
  const evil = join(dir, "evil");
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value?.replaceAll("EVIL", evil)]));
}

describe.skipIf(WHY_NO_MACHINE !== "")(`a user cannot take a hook of the machine away${WHY_NO_MACHINE}`, () => {
  test.each(ATTACKS)("with $title", async (attack) => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await attack.prepare?.(place, there);
    await giveToUser(place);
    const env = envOf(attack, place);
    // A change or a replacement makes any call dangerous.
    const stdin = attack.title.startsWith("a hook that") ? toolCall("ls") : DANGEROUS;
    const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json", ...(attack.args ?? [])], {
      stdin,
      env,
    });
    expect(ran.code).toBe(2);
    expect(parseRunJson(ran)).toMatchObject({ decision: "block", decided_by: "guard" });

    const payload = {
      session_id: "s",
      cwd: place.project,
      hook_event_name: "PreToolUse",
      tool_use_id: "t",
      ...JSON.parse(stdin),
    };
    const asked = await there.runAsUser(place, ["bridge", "claude", "--event", "PreToolUse"], {
      stdin: JSON.stringify({ ...payload, tool_name: "Bash" }),
      env,
    });
    expect(JSON.parse(asked.stdout).hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  });

  test("the guard of these tests lets other calls pass", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(parseRunJson(ran)).toMatchObject({ decision: "continue", hooks: [{ name: "guard", outcome: "continue" }] });
    expect(ran.code).toBe(0);
  });

  test("with a depth of its own: the call is blocked, whoever asks", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    const call = { stdin, env: { HOOKCTL_DEPTH: "3" } };
    const asked = await there.runAsUser(place, ["bridge", "claude", "--event", "PreToolUse"], call);
    expect(asked.stdout).toContain('"permissionDecision":"deny"');
    expect((await there.runAsUser(place, ["run", "before_tool_call"], { ...call, stdin: DANGEROUS })).code).toBe(75);
  });

  test("by a working directory that is gone, without a HOME", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    const gone = join(place.dir, "gone");
    await mkdir(gone);
    const words = `rmdir '${gone}'; exec "$@"`;
    const hookctl = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", process.execPath];
    const asked = await there.start(["/bin/sh", "-c", words, "sh", ...hookctl, ...BRIDGE], {
      cwd: gone,
      stdin: JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf x" } }),
    });
    expect(asked.stdout).toContain('"permissionDecision":"deny"');
  });

  test("its hooks see the machine's environment, and of the user's only what the machine allows", async () => {
    await using place = await workspace();
    await using there = await machine();
    const seen = join(place.dir, "seen");
    await there.hook("guard", `env > ${seen}; printf '{}'`);
    await there.write("hookctl/hooks.json", JSON.stringify({ settings: { env_allow: ["TEAM"] } }));
    await giveToUser(place);
    const env = { TEAM: "a", OTHER: "b", PATH: `${place.dir}:/usr/bin:/bin`, PYTHONPATH: place.dir };
    await there.runAsUser(place, ["run", "before_tool_call"], { stdin: toolCall(), env });
    const lines = (await readFile(seen, "utf8")).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["TEAM=a", "HOME=/etc/hookctl", "PYTHONNOUSERSITE=1"]));
    expect(lines.filter((line) => /^(OTHER|PYTHONPATH)=|hookctl-test/.test(line))).toEqual([
      `HOOKCTL_PROJECT_DIR=${place.project}`,
      `PWD=${place.project}`,
    ]);
  });
});

const BRIDGE = [join(import.meta.dirname, "../../bin/hookctl.js"), "bridge", "claude", "--event", "PreToolUse"];

describe.skipIf(WHY_NO_MACHINE !== "")(`what the machine's settings declare${WHY_NO_MACHINE}`, () => {
  test("counts beside the hooks folder, and a missing required hook blocks", async () => {
    await using place = await workspace();
    await using there = await machine();
    const rule = { name: "no-curl", match: { "tool_input.command": "*curl*" }, block: "no downloads" };
    const overrides = { audit: { required: true } };
    await there.write("hookctl/hooks.json", JSON.stringify({ hooks: { before_tool_call: [rule] }, overrides }));
    // A hook of the user does not stand for the one that the machine requires.
    await place.hook("audit", "printf '{}'");
    await giveToUser(place);
    const run = () => there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(parseRunJson(await run())).toMatchObject({ decision: "block", decided_by: "audit" });
    await there.hook("audit", "printf '{}'");
    expect(parseRunJson(await run())).toMatchObject({ decision: "continue" });
    const listed = parseListJson(await there.runAsUser(place, ["list", "--json", "--source", "machine"]));
    expect(listed.hooks.map(({ name, source }) => [name, source])).toEqual([
      ["audit", "machine"],
      ["no-curl", "machine"],
    ]);
  });

  test("is a bound for the user's settings: a project hook is not approved by `project_hooks: allow`", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write(
      "hookctl/hooks.json",
      JSON.stringify({ settings: { project_hooks: "ask", on_untrusted: "fail" } }),
    );
    await settings({ settings: { project_hooks: "allow", on_untrusted: "warn" } })(place);
    await place.hook("theirs", "printf '{}'", { scope: "project" });
    await giveToUser(place);
    const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(parseRunJson(ran)).toMatchObject({
      decision: "block",
      hooks: [{ name: "theirs", failure: { code: "HOOK_REFUSED_UNTRUSTED" } }],
    });
  });

  test("is a guard that no settings of the user loosen", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write("hookctl/hooks.json", JSON.stringify({ guards: { git: true } }));
    const own = { enabled: false, allow: ["git reset --hard"], observe: true, unknown: "allow" };
    await settings({ guards: { git: own, "self-protection": false }, overrides: { git: { enabled: false } } })(place);
    await giveToUser(place);
    const stdin = toolCall("git reset --hard");
    for (const args of [[], ["--no-hooks"], ["--skip", "git"]]) {
      const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json", ...args], { stdin });
      expect(parseRunJson(ran)).toMatchObject({ decision: "block", decided_by: "git" });
      const isTold = parseRunJson(ran).warnings.some((text) => text.includes("hooks of this machine run all the same"));
      expect(isTold).toBe(args.length > 0);
    }
    const listed = parseListJson(await there.runAsUser(place, ["list", "--json"]));
    expect(listed.hooks.map(({ name, source }) => [name, source])).toEqual([
      ["git", "machine"],
      ["self-protection", "machine"],
    ]);
    const disabled = await there.runAsUser(place, ["disable", "git"]);
    expect(disabled).toMatchObject({ code: 64, stdout: "" });
    expect(disabled.stderr).toContain("git belongs to this machine");
  });

  test("is not for the user to approve, deny or edit", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    for (const words of [
      ["trust", "guard", "--yes"],
      ["untrust", "guard"],
      ["untrust", "--deny", "guard"],
    ]) {
      const { code, stdout, stderr } = await there.runAsUser(place, words);
      expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
      expect(stderr).toContain("guard belongs to this machine");
      expect(stderr).toContain("/etc/hookctl/hooks/guard");
    }
  });

  test("what root has parsed serves everybody, and nobody else writes it", async () => {
    await using place = await workspace();
    await using there = await machine();
    const asked = join(place.dir, "asked");
    await there.write(
      "hookctl/hooks/guard",
      `#!/bin/sh\n[ "$1" = hook ] && { echo x >> ${asked}; echo before_tool_call; }\n`,
      0o755,
    );
    await there.write("hookctl/hooks.json", "{}");
    await writeFile(asked, "", { mode: 0o666 });
    await giveToUser(place);
    const count = async () => (await readFile(asked, "utf8")).length / 2;
    const run = () => there.runAsUser(place, ["run", "before_tool_call"], { stdin: toolCall() });
    await run();
    await run();
    // The user's own cache is not asked, so each call starts the hook.
    expect(await count()).toBe(2);
    const speed = async () => (await there.runAsUser(place, ["doctor"])).stdout.includes("machine speed");
    expect(await speed()).toBe(true);
    const before = await count();
    // A file that was just written is not cached.
    await new Promise((done) => setTimeout(done, 2100));
    await there.runAsRoot(place, ["list"], { env: { HOME: "/root" } });
    expect(await count()).toBe(before + 1);
    await run();
    expect(await count()).toBe(before + 1);
    expect(await speed()).toBe(false);
    const { uid, mode } = await stat(join(there.cache, "hookctl/identities.json"));
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o644 });
  });
});
