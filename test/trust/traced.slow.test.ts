import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolCall } from "../support/payloads.ts";
import { touch } from "../support/shell.ts";
import { HOOKCTL, HOOKCTL_PROGRAM, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0;
const EVENT = "before_tool_call";

/** A clone that nobody approved: everything in it leaves a file when it is run. */
async function clone(): Promise<Workspace> {
  const place = await workspace();
  const canary = touch(join(place.dir, "canary"));
  await place.hook("guard", canary, { scope: "project" });
  await place.hook("by-plugin", canary, { scope: "project", plugin: "acme@tools" });
  await place.write("project/.kodelet/hooks/lib.sh", `${canary}\n`);
  await place.write("project/.kodelet/hooks/json.py", "open('canary', 'w')\n", 0o755);
  const hooks = [{ shell_exec: canary }, { shell_push: canary }, { template_push: { message: "{{ tool_name }}" } }];
  const entries = hooks.map((entry) => ({ on: EVENT, sandbox: "off", ...entry }));
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: entries }));
  await place.write("project/node_modules/x/index.js", "process.exit(1)\n");
  await place.write("project/package.json", '{"name":"x","scripts":{"prepare":"false"}}');
  await place.write("project/.git/hooks/post-checkout", `#!/bin/sh\n${canary}\n`, 0o755);
  return place;
}

/** What removes the scratch folder of a killed test run: hookctl's own text, of which nothing comes from a project. */
const WATCHDOG =
  /^\d+ +execve\("\/bin\/sh", \["\/bin\/sh", "-c", "\\ntrap [^"]*"\.{3}, "hookctl-watchdog", "[^"]*\/hookctl-scratch-[^"]*"\]/;

/** What was executed, in any process; the watchdog by its own name. */
async function traced({ dir, project, env, read }: Workspace, args: readonly string[]) {
  const log = join(dir, "trace");
  const strace = ["strace", "-f", "-qq", "-s", "100", "-e", "trace=execve,execveat", "-o", log];
  const stdin = args[0] === "run" || args[0] === "bridge" ? toolCall() : "";
  const result = await runProgram([...strace, ...HOOKCTL, ...args], { cwd: project, env, stdin });
  const lines = ((await read(log)) ?? "").split("\n");
  // A call that another thread interrupts is told in two halves; the first has the path.
  const executed = lines.flatMap((line) => {
    const path = /exec(?:ve|veat)\((?:AT_FDCWD, )?"([^"]*)"/.exec(line)?.[1];
    return WATCHDOG.test(line) ? "watchdog" : (path ?? []);
  });
  return { ended: result, executed };
}

const verbs: { title: string; args: readonly string[]; besideNode?: readonly string[] }[] = [
  { title: "list", args: ["list"] },
  { title: "list --all --json", args: ["list", "--all", "--json"] },
  { title: "list --no-cache", args: ["list", "--no-cache"] },
  { title: "list --hooks-dir", args: ["list", "--hooks-dir", ".kodelet/hooks"] },
  { title: "run", args: ["run", EVENT] },
  { title: "run --json", args: ["run", EVENT, "--json"] },
  { title: "run --ask without a terminal", args: ["run", EVENT, "--ask"] },
  { title: "run --dry-run", args: ["run", EVENT, "--dry-run"] },
  { title: "run --dry-run --trust", args: ["run", EVENT, "--dry-run", "--trust"] },
  { title: "trust without a terminal", args: ["trust"] },
  { title: "trust --show", args: ["trust", "--show"] },
  { title: "trust --show NAME", args: ["trust", "--show", "guard"] },
  { title: "trust --list", args: ["trust", "--list"] },
  { title: "trust --digest", args: ["trust", "--digest"] },
  { title: "trust --prune", args: ["trust", "--prune"] },
  { title: "untrust", args: ["untrust"] },
  { title: "untrust --deny", args: ["untrust", "--deny", "guard"] },
  { title: "test", args: ["test"], besideNode: ["watchdog"] },
  { title: "test NAME", args: ["test", "guard"], besideNode: ["watchdog"] },
  { title: "test --mutate", args: ["test", "--mutate"], besideNode: ["watchdog"] },
  { title: "test --coverage", args: ["test", "--coverage"], besideNode: ["watchdog"] },
  { title: "test --update", args: ["test", "--update"], besideNode: ["watchdog"] },
  { title: "try", args: ["try", "guard"] },
  { title: "bridge", args: ["bridge", "claude", "--event", "PreToolUse"] },
  { title: "install", args: ["install", "claude"] },
  { title: "adopt --dry-run", args: ["adopt", "claude", "--dry-run"] },
  { title: "doctor", args: ["doctor"] },
  { title: "payload", args: ["payload", EVENT] },
  { title: "schema", args: ["schema", EVENT] },
  { title: "log", args: ["log"] },
  { title: "why", args: ["why"] },
  { title: "init", args: ["init"] },
  { title: "init --yes", args: ["init", "--yes", "--agents", "claude"] },
  { title: "--help", args: ["--help"] },
  { title: "--version", args: ["--version"] },
];

describe.skipIf(!canTrace)(
  "in a clone that nobody approved nothing is executed (needs a strace that may trace)",
  () => {
    test.each(verbs)("by $title", async ({ args, besideNode = [] }) => {
      await using place = await clone();
      const { ended, executed } = await traced(place, args);
      expect(ended.signal).toBeNull();
      // hookctl alone: what starts no other program lets no interpreter read a script either.
      expect(executed).toEqual([HOOKCTL_PROGRAM, ...besideNode]);
      expect(await place.read("canary")).toBeNull();
    });

    test("and the trace would show it", async () => {
      await using place = await clone();
      const { executed } = await traced(place, ["run", EVENT, "--trust"]);
      expect(executed).toContain(join(place.project, ".kodelet/hooks/guard"));
    });
  },
);
