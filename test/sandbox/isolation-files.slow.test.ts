import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "../support/workspace.ts";
import { describeProbes } from "./describe-probes.ts";
import { inWorkspace, type Probe, type Scene } from "./probe.ts";

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

/** A file that the hook may not change; escaped: the hook's text is in it, or it is gone. */
async function guardedFile(place: Workspace, path: string): Promise<Scene> {
  const file = await place.write(path, path.endsWith(".json") ? "{}\n" : "before\n");
  return { host: { file }, escaped: () => textOf(file)?.includes("from the hook") ?? true };
}

/** Files that decide what runs on the host, or what hookctl believes. The control may break them: its call is over. */
const DECIDING_FILES: readonly (readonly [title: string, path: string])[] = [
  ["a file of the project", "project/src/main.py"],
  [".git/config, which names programs that git starts", "project/.git/config"],
  ["a hook of git", "project/.git/hooks/pre-commit"],
  ["another hook", "project/.kodelet/hooks/other"],
  ["the project's hook settings", "project/.kodelet/hooks.json"],
  ["the project's settings of Claude Code", "project/.claude/settings.json"],
  ["the user's settings of Claude Code", "home/.claude/settings.json"],
  ["the user's settings of Codex", "home/.codex/config.toml"],
  ["the user's hook settings, where it could turn its own sandbox off", "home/.kodelet/hooks.json"],
  ["the start-up file of the user's shell", "home/.bashrc"],
  ["the user's SSH keys", "home/.ssh/authorized_keys"],
  ["the trust store", "home/.local/state/hookctl/trust.json"],
  ["a file in hookctl's cache", "home/.cache/hookctl/identities/x.json"],
  ["a file outside the project and the home", "elsewhere/notes.txt"],
];

const rewrites: readonly Probe[] = DECIDING_FILES.map(([title, path]) => ({
  title: `writes ${title}`,
  attempt: `write(host["file"], "from the hook\\n")`,
  arrange: (place) => guardedFile(place, path),
}));

const appendsTo = (attempt: string): Pick<Probe, "attempt" | "arrange"> => ({
  attempt,
  arrange: async (place) => {
    const folder = inWorkspace(place, "project");
    return { host: { folder }, escaped: () => readdirSync(folder).includes("new") };
  },
});

const others: readonly Probe[] = [
  {
    title: "rewrites its own file, so that something else runs next time",
    attempt: `open(host["file"], "a").write("# changed\\n")`,
    arrange: async (place) => {
      const file = inWorkspace(place, "home/.kodelet/hooks/probe");
      return { host: { file }, escaped: () => textOf(file)?.includes("# changed\n") === true };
    },
  },
  {
    title: "forges a line of the audit log",
    attempt: `open(host["file"], "a").write("{}\\n")`,
    arrange: async (place) => {
      const file = await place.write("home/.local/state/hookctl/audit.jsonl", "", 0o600);
      return { host: { file }, escaped: () => textOf(file)?.startsWith("{}\n") === true };
    },
  },
  { title: "makes a new file in the project", ...appendsTo(`write(host["folder"] + "/new", "x")`) },
  { title: "makes a folder in the project", ...appendsTo(`os.mkdir(host["folder"] + "/new")`) },
  { title: "makes a FIFO in the project", ...appendsTo(`os.mkfifo(host["folder"] + "/new")`) },
  { title: "makes a symlink in the project", ...appendsTo(`os.symlink("/etc", host["folder"] + "/new")`) },
  {
    title: "reaches the project through /proc/self/root and its working directory",
    ...appendsTo(`
os.chdir("/proc/self/cwd")
write("/proc/self/root" + host["folder"] + "/new", "x")
`),
  },
  {
    title: "deletes a file",
    attempt: `os.unlink(host["file"])`,
    arrange: (place) => guardedFile(place, "project/precious"),
  },
  {
    title: "moves .git away, to put another in its place",
    attempt: `os.rename(host["git"], host["git"] + "-old")`,
    arrange: async (place) => {
      await place.write("project/.git/config", "");
      const git = inWorkspace(place, "project/.git");
      return { host: { git }, escaped: () => !existsSync(git) };
    },
  },
  {
    title: "makes a file executable for everyone",
    attempt: `os.chmod(host["file"], 0o6777)`,
    arrange: async (place) => {
      const file = await place.write("project/tool", "#!/bin/sh\n");
      return { host: { file }, escaped: async () => ((await stat(file)).mode & 0o7777) === 0o6777 };
    },
  },
  {
    title: "changes the time of a file",
    attempt: `os.utime(host["file"], (1, 1))`,
    arrange: async (place) => {
      const file = await place.write("project/tool", "");
      return { host: { file }, escaped: async () => (await stat(file)).mtimeMs === 1000 };
    },
  },
  {
    title: "follows a symlink of the project to the outside",
    attempt: `write(host["link"], "from the hook\\n")`,
    arrange: async (place) => {
      const scene = await guardedFile(place, "elsewhere/target");
      const link = inWorkspace(place, "project/link");
      await symlink(inWorkspace(place, "elsewhere/target"), link);
      return { ...scene, host: { link } };
    },
  },
];

describeProbes("files below /tmp", [...rewrites, ...others]);
describeProbes("files elsewhere", [...rewrites, ...others], { parent: "/var/tmp" });

/** A folder that is not the test's own workspace, so that no policy names it. */
async function strangersFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, "hookctl-stranger-"));
  await chmod(folder, 0o755);
  return folder;
}

const temporary = (parent: string): readonly Probe[] => [
  {
    title: `reads what another program keeps in ${parent}`,
    attempt: `said = read(host["file"])`,
    arrange: async () => {
      const folder = await strangersFolder(parent);
      const file = join(folder, "notes");
      await writeFile(file, "canary of another program");
      return {
        host: { file },
        escaped: (said) => said.includes("canary"),
        end: () => void rm(folder, { recursive: true }),
      };
    },
  },
  {
    title: `leaves a file in ${parent} for another program`,
    attempt: `write(host["file"], "x")`,
    arrange: async () => {
      const folder = await strangersFolder(parent);
      const file = join(folder, "left");
      return { host: { file }, escaped: () => existsSync(file), end: () => void rm(folder, { recursive: true }) };
    },
  },
];

describeProbes("the folders of temporary files", [...temporary("/tmp"), ...temporary("/dev/shm")]);
