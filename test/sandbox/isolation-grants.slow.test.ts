import { existsSync, readFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { type Workspace, workspace } from "../support/workspace.ts";
import { missingHere, unlessMissing } from "./bubblewrap.ts";
import { describeProbes } from "./describe-probes.ts";
import { callHook, inWorkspace, PROBE_FILE, type Probe, probeHook, reportOf, runProbe, setSandbox } from "./probe.ts";
import { CONNECT_TCP, tcp } from "./servers.ts";

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);
const GRANTED = "project/out";
const TEXT = "from the hook\n";

const allowed: readonly Probe[] = [
  {
    title: "writes in a granted folder",
    attempt: `write(host["dir"] + "/${GRANTED}/new", "from the hook\\n")`,
    arrange: async (place) => {
      await place.write(`${GRANTED}/old`, "");
      return { escaped: () => textOf(inWorkspace(place, `${GRANTED}/new`)) === TEXT };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "writes a new file beside folders with settings below a granted folder",
    attempt: `write(host["dir"] + "/${GRANTED}/b/new", "from the hook\\n")`,
    arrange: async (place) => {
      await place.write(`${GRANTED}/a/.claude/settings.json`, "{}\n");
      await place.write(`${GRANTED}/b/old`, "");
      return { escaped: () => textOf(inWorkspace(place, `${GRANTED}/b/new`)) === TEXT };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "writes a granted file",
    attempt: `write(host["dir"] + "/project/cache.txt", "from the hook\\n")`,
    arrange: async (place) => {
      await place.write("project/cache.txt", "");
      return { escaped: () => textOf(inWorkspace(place, "project/cache.txt")) === TEXT };
    },
    sandbox: { write_paths: ["cache.txt"] },
  },
  {
    title: "reaches a server with the network",
    attempt: CONNECT_TCP,
    arrange: () => tcp("127.0.0.1"),
    sandbox: { network: true },
  },
  {
    title: "starts another program",
    attempt: `said = subprocess.run(["/bin/echo", "hello"], capture_output=True).stdout.decode()`,
    arrange: async () => ({ escaped: (said) => said.includes("hello") }),
  },
  {
    title: "reads a file of the project and of the home",
    attempt: `said = read(host["dir"] + "/project/a") + read(host["dir"] + "/home/b")`,
    arrange: async (place) => {
      await place.write("project/a", "hel");
      await place.write("home/b", "lo");
      return { escaped: (said) => said.includes("hello") };
    },
  },
  {
    title: "writes temporary files",
    attempt: `
import tempfile
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("hello")
    file.seek(0)
    said = file.read()
`,
    arrange: async () => ({ escaped: (said) => said.includes("hello") }),
  },
  {
    title: "uses threads, pipes and pairs of sockets without subprocesses",
    attempt: `
import threading
left, right = socket.socketpair()
thread = threading.Thread(target=lambda: left.send(b"hello"))
thread.start()
thread.join()
said = right.recv(5).decode()
`,
    arrange: async () => ({ escaped: (said) => said.includes("hello") }),
    sandbox: { subprocess: false },
  },
];

describe.skipIf(missingHere !== null)(`what is granted works: the hook${unlessMissing}`, () => {
  test.each(allowed)("$title", async (probe) => {
    const result = await runProbe(probe, probe.sandbox ?? "require");
    expect(result, result.said).toMatchObject({ escaped: true });
  });
});

/** A file that stays as it is although the project around it was granted. */
const inGrantedProject = (
  title: string,
  path: string,
  attempt: string,
  before: string | null,
  granted = "./",
): Probe => ({
  title,
  attempt,
  arrange: async (place) => {
    await place.write("project/src/main.py", "");
    if (before !== null) await place.write(`project/${path}`, before);
    const file = inWorkspace(place, `project/${path}`);
    return { host: { file }, escaped: () => textOf(file) !== before };
  },
  sandbox: { write_paths: [granted] },
});

const REWRITE = `write(host["file"], "from the hook\\n")`;
const CREATE = `
os.makedirs(os.path.dirname(host["file"]), exist_ok=True)
write(host["file"], "from the hook\\n")
`;
const REPLACE_FOLDER = `
folder = os.path.dirname(host["file"])
os.rename(folder, folder + "-old")
os.makedirs(folder)
write(host["file"], "from the hook\\n")
`;

const DECIDING: readonly (readonly [title: string, path: string])[] = [
  [".git/config", ".git/config"],
  ["a hook of git", ".git/hooks/pre-commit"],
  ["a hook of hookctl", ".kodelet/hooks/other"],
  ["hook settings", ".kodelet/hooks.json"],
  ["settings of Claude Code", ".claude/settings.json"],
  ["settings of Claude Code for this machine", ".claude/settings.local.json"],
  ["settings of Codex", ".codex/config.toml"],
  ["settings of Gemini CLI", ".gemini/settings.json"],
  ["settings of Cursor", ".cursor/hooks.json"],
];

describeProbes("in a project that was granted as a whole", [
  ...DECIDING.flatMap(([title, path]) => [
    inGrantedProject(`rewrites ${title}`, path, REWRITE, "{}\n"),
    inGrantedProject(`creates ${title}`, path, CREATE, null),
    inGrantedProject(`puts another folder in the place of that of ${title}`, path, REPLACE_FOLDER, "{}\n"),
  ]),
  {
    title: "rewrites its own file, which lies in the granted folder",
    attempt: `open(sys.argv[0], "a").write("# changed\\n")`,
    arrange: async (place) => ({
      escaped: () => textOf(inWorkspace(place, PROBE_FILE))?.includes("# changed\n") === true,
    }),
    sandbox: { write_paths: ["~/.kodelet/"] },
  },
]);

/** An agent that is started below a granted folder reads the settings in that folder. */
describeProbes(
  "in a granted folder that holds settings",
  [
    ".claude/settings.json",
    ".codex/hooks.json",
    ".kodelet/hooks/guard",
    ".git/hooks/pre-commit",
    ".github/hooks/x.json",
  ]
    .flatMap((path) => [`src/${path}`, `src/lib/deep/${path}`])
    .flatMap((path) => [
      inGrantedProject(`rewrites ${path}`, path, REWRITE, "{}\n", "src/"),
      inGrantedProject(`replaces the folder of ${path}`, path, REPLACE_FOLDER, "{}\n", "src/"),
    ]),
);

const elsewhere = async (place: Workspace): Promise<string> => {
  await mkdir(inWorkspace(place, GRANTED), { recursive: true });
  return place.write("elsewhere/target", "before\n");
};

describeProbes("out of a granted folder", [
  {
    title: "writes through a symlink in it",
    attempt: `write(host["dir"] + "/${GRANTED}/link", "from the hook\\n")`,
    arrange: async (place) => {
      const target = await elsewhere(place);
      await symlink(target, inWorkspace(place, `${GRANTED}/link`));
      return { escaped: () => textOf(target) === TEXT };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "writes through a symlink that it makes itself",
    attempt: `
os.symlink(host["dir"] + "/elsewhere/target", host["dir"] + "/${GRANTED}/link")
write(host["dir"] + "/${GRANTED}/link", "from the hook\\n")
`,
    arrange: async (place) => {
      const target = await elsewhere(place);
      return { escaped: () => textOf(target) === TEXT };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "writes through a hard link that it makes in it",
    attempt: `
os.link(host["dir"] + "/elsewhere/target", host["dir"] + "/${GRANTED}/link")
write(host["dir"] + "/${GRANTED}/link", "from the hook\\n")
`,
    arrange: async (place) => {
      const target = await elsewhere(place);
      return { escaped: () => textOf(target) === TEXT };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "moves a file from outside into it",
    attempt: `os.rename(host["dir"] + "/elsewhere/target", host["dir"] + "/${GRANTED}/target")`,
    arrange: async (place) => {
      const target = await elsewhere(place);
      return { escaped: () => !existsSync(target) };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "leaves it by ..",
    attempt: `write(host["dir"] + "/${GRANTED}/../new", "from the hook\\n")`,
    arrange: async (place) => {
      await elsewhere(place);
      return { escaped: () => textOf(inWorkspace(place, "project/new")) === TEXT };
    },
    sandbox: { write_paths: ["out/"] },
  },
  {
    title: "moves the granted folder itself away",
    attempt: `os.rename(host["dir"] + "/${GRANTED}", host["dir"] + "/project/gone")`,
    arrange: async (place) => {
      await elsewhere(place);
      return { escaped: () => existsSync(inWorkspace(place, "project/gone")) };
    },
    sandbox: { write_paths: ["out/"] },
  },
]);

describeProbes("without subprocesses", [
  {
    title: "forks",
    attempt: `
if os.fork() == 0:
    os._exit(0)
said = "forked"
`,
    arrange: async () => ({ escaped: (said) => said.includes("forked") }),
    sandbox: { subprocess: false },
  },
  {
    title: "starts a program",
    attempt: `said = subprocess.run(["/bin/echo", "hello"], capture_output=True).stdout.decode()`,
    arrange: async () => ({ escaped: (said) => said.includes("hello") }),
    sandbox: { subprocess: false },
  },
  {
    title: "starts one with posix_spawn",
    attempt: `said = str(os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1]) + " was its status"`,
    arrange: async () => ({ escaped: (said) => said.includes("0 was its status") }),
    sandbox: { subprocess: false },
  },
  {
    title: "starts one with a shell",
    attempt: `said = str(os.system("exit 7"))`,
    arrange: async () => ({ escaped: (said) => said.includes(String(7 << 8)) }),
    sandbox: { subprocess: false },
  },
]);

describe.skipIf(missingHere !== null)(`a granted path that is a symlink out of the project${unlessMissing}`, () => {
  test("is no grant: the hook does not start, and says so", async () => {
    await using place = await workspace();
    const target = await place.write("elsewhere/target", "before\n");
    await symlink(inWorkspace(place, "elsewhere"), inWorkspace(place, "project/out"));
    await place.write(
      PROBE_FILE,
      probeHook(`write(host["dir"] + "/project/out/target", "x")`, { dir: place.dir }),
      0o755,
    );
    await setSandbox(place, { write_paths: ["out/"] });
    expect(reportOf(await callHook(place))).toContain("leads out of the project");
    expect(textOf(target)).toBe("before\n");
    await setSandbox(place, "off");
    await callHook(place);
    expect(textOf(target)).toBe("x");
  });
});
