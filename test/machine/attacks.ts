import { stat } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { parseRunJson } from "../support/json-output.ts";
import { type Machine, machine } from "../support/machine.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type CallOptions, type Workspace, workspace } from "../support/workspace.ts";

export const DANGEROUS = toolCall("rm -rf /srv");
export const GUARD = `grep -q 'rm -rf' && ${printResponse({ blocked: true, reason: "not on this machine" })} || printf '{}'`;

export interface Attack {
  readonly title: string;
  readonly args?: readonly string[];
  readonly env?: CallOptions["env"];
  /** What the user writes or runs before. */
  readonly prepare?: (place: Workspace, there: Machine) => Promise<unknown>;
}

export const settings = (value: object) => (place: Workspace) =>
  place.write("home/.kodelet/hooks.json", JSON.stringify(value));
const program = (name: string, body: string) => (place: Workspace) =>
  place.write(`evil/${name}`, `#!/bin/sh\n${body}\n`, 0o755);

/** What anybody tries first. */
export const TYPICAL_ATTACKS: readonly Attack[] = [
  { title: "--no-hooks", args: ["--no-hooks"] },
  { title: "--skip of all", args: ["--skip", "*"] },
  {
    title: "settings that switch everything off",
    prepare: settings({
      settings: { enabled: false, timeout: "1ms", deadline: "1ms", post_order: "reverse" },
      overrides: { guard: { enabled: false, observe: true, timeout: "1ms", match: { tool_name: "no" } } },
    }),
  },
  { title: "another `sh` on PATH", env: { PATH: "EVIL:/usr/bin:/bin" }, prepare: program("sh", "exit 0") },
];

export const OTHER_ATTACKS: readonly Attack[] = [
  { title: "--skip by name", args: ["--skip", "guard"] },
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
  { title: "HOOKCTL_SKIP", env: { HOOKCTL_SKIP: "*" } },
  {
    title: "a pause",
    prepare: (place) => {
      const now = Date.now();
      const time = { startMs: now, endMs: now + 3_600_000, startUptimeMs: Math.floor(uptime() * 1000) };
      const pauses = [{ name: "guard", project: null, by: "me", ...time }];
      return place.write("home/.local/state/hookctl/pauses.json", JSON.stringify({ version: 1, pauses }), 0o600);
    },
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

/** Tries the attack through `run` and through an agent's bridge; a guard of the machine blocks both. */
export async function expectBlocked(attack: Attack): Promise<void> {
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
}
