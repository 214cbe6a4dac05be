import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AS_LIMITED_USER, canSwitchUser, giveToUser, LIMITED_USER_ID } from "../../../test/support/as-user.ts";
import { canMount, full, readOnly } from "./machine.ts";
import { ALL, ALLOWING, FILES, OF_PROJECT, OF_USER, type Way } from "./way.ts";

/** The guard itself goes wrong: what it does depends on a variable that hooks may see. */
const mode = (title: string, KODELET_MODE: string): Way => ({
  title,
  on: FILES,
  calling: () => ({ env: { KODELET_MODE } }),
});
const variable = (name: string, value: string | undefined, more: Partial<Way> = {}): Way => ({
  title: value === undefined ? `${name} is not set` : `${name}=${value}`,
  on: ALL,
  calling: ({ dir }) => ({ env: { [name]: value?.replace("DIR", dir) } }),
  ...more,
});

/** Too few for hookctl. With still fewer Node itself, from version 22, ends by a signal before it reads any program. */
const FEW_DESCRIPTORS = Number.parseInt(process.versions.node, 10) < 22 ? 18 : 21;

/** Approvals in another place are approvals that this caller does not have: the hook is told as not approved. */
const OTHER_PLACE = {
  why: "the caller chose another place for approvals, where the guard has none: it is told as not approved",
  at: ["run", "open", "closed"],
  effect: "said",
} as const;

export const GUARD_WAYS: readonly Way[] = [
  mode("it floods stdout", "flood"),
  mode("it floods stderr", "flood-stderr"),
  mode("it hangs", "hang"),
  mode("it prints the block and exits with 1", "exit-1"),
  mode("it prints the block and dies of a signal", "signal"),
  mode("it prints a block in the words of Claude Code", "claude"),
  mode("it prints a block in the words of Gemini CLI", "gemini"),
  mode("it prints a block in the words of Copilot", "copilot"),
  mode("it prints a block beside a key of another dialect", "neighbour"),
  mode("it prints a block beside a key of the wrong type", "wrong-type"),
  mode("it prints a block with bytes that are not UTF-8", "bytes"),
  mode("it prints a line before the block", "line-before"),
  mode("it prints a block twice", "twice"),
  mode("it prints blocked and not blocked", "both"),
  {
    title: "it starts more processes than its user may have",
    on: ["user"],
    only: ["run", "closed"],
    isAlone: true,
    act: (place) => giveToUser(place, LIMITED_USER_ID),
    calling: () => ({ env: { KODELET_MODE: "processes" }, before: [...AS_LIMITED_USER, "prlimit", "--nproc=60"] }),
    skip:
      canSwitchUser && AS_LIMITED_USER.length > 0
        ? null
        : "needs root and setpriv: a limit of processes binds no other user",
  },
];

export const CALL_WAYS: readonly Way[] = [
  { title: "a deadline that is over at once", on: ALL, calling: () => ({ options: ["--deadline", "1ms"] }) },
  {
    title: "arguments nested 600 deep",
    on: ALL,
    calling: () => ({ toolInput: `{"command":"rm -rf /","deep":${"[".repeat(600)}${"]".repeat(600)}}` }),
  },
  {
    title: "arguments that say one key twice",
    on: ALL,
    calling: () => ({ toolInput: '{"command":"rm -rf /","command":"rm -rf /"}' }),
  },
  {
    title: "a payload that is cut short",
    on: ALL,
    calling: () => ({ stdin: '{"tool_name":"Bash","tool_input":{' }),
  },
  {
    title: "an agent that started in a sub-folder with a .kodelet of its own",
    on: ALL,
    act: (place) => mkdir(join(place.project, "sub/.kodelet"), { recursive: true }),
    calling: ({ project }) => ({ cwd: join(project, "sub") }),
  },
  {
    title: "an agent that started in a sub-folder with hooks of its own",
    on: ALL,
    act: (place) => place.write("project/sub/.kodelet/hooks/guard", ALLOWING, 0o755),
    calling: ({ project }) => ({ cwd: join(project, "sub") }),
  },
  {
    title: "an agent that started in a plain sub-folder",
    on: ALL,
    act: (place) => mkdir(join(place.project, "sub")),
    calling: ({ project }) => ({ cwd: join(project, "sub") }),
  },
  {
    title: "an agent that started in a repository inside the repository",
    on: OF_USER,
    act: (place) => place.write("project/sub/.git/HEAD", "ref: refs/heads/main\n"),
    calling: ({ project }) => ({ cwd: join(project, "sub") }),
  },
  {
    title: `${FEW_DESCRIPTORS} file descriptors`,
    on: ALL,
    enough: { why: "hookctl does not start, and this line leaves that to the agent", at: ["open"], effect: "said" },
    calling: () => ({ before: ["prlimit", `--nofile=${FEW_DESCRIPTORS}`] }),
  },
  {
    title: "TERM while it decides",
    on: FILES,
    only: ["run", "closed"],
    calling: () => ({
      env: { KODELET_MODE: "hang" },
      before: ["timeout", "--preserve-status", "-s", "TERM", "-k", "60", "1.5"],
    }),
  },
];

export const ENVIRONMENT_WAYS: readonly Way[] = [
  variable("HOOKCTL_NO_HOOKS", "1", {
    enough: { why: "the documented switch of a person who calls `run`", at: ["run"], effect: "said" },
  }),
  variable("HOOKCTL_TRUST", "1"),
  variable("HOOKCTL_TRUST", "sha256:0000"),
  variable("HOOKCTL_TIMEOUT", "1ms"),
  variable("HOOKCTL_TIMEOUT", "soon"),
  variable("HOOKCTL_DEADLINE", "1ms"),
  variable("HOOKCTL_DEADLINE", "soon"),
  variable("HOOKCTL_DEPTH", "99"),
  variable("HOOKCTL_SESSION", "../../x"),
  variable("HOOKCTL_PROJECT_DIR", "/"),
  variable("HOOKCTL_TRUST_STORE", "/nonexistent/trust.json", { on: OF_PROJECT, enough: OTHER_PLACE }),
  variable("HOOKCTL_TRUST_STORE", "/dev/null", { on: OF_PROJECT, enough: OTHER_PLACE }),
  variable("XDG_STATE_HOME", "DIR/elsewhere", { on: OF_PROJECT, enough: OTHER_PLACE }),
  variable("XDG_STATE_HOME", "DIR/project/.state", { on: OF_PROJECT, enough: OTHER_PLACE }),
  variable("XDG_STATE_HOME", "/proc/self/cwd/.state", { on: OF_PROJECT, enough: OTHER_PLACE }),
  variable("XDG_CONFIG_HOME", "DIR/project/.config"),
  variable("XDG_CACHE_HOME", "DIR/project/.cache"),
  ...[undefined, "", "DIR/nowhere", "relative", "/proc/self/cwd", "/dev/null"].map((home) =>
    variable("HOME", home, {
      enough: { why: "nobody can know whose hooks are meant, which is told", at: ["run", "open"], effect: "said" },
    }),
  ),
  {
    title: "PATH begins with a folder of the project that holds another sh",
    on: ALL,
    act: (place) => place.write("project/bin/sh", "#!/bin/sh\necho '{\"blocked\":false}'\n", 0o755),
    calling: ({ project }) => ({ env: { PATH: `${project}/bin:./bin:/usr/bin:/bin` } }),
  },
  { title: "PATH is empty", on: ALL, calling: () => ({ env: { PATH: "" } }) },
];

export const MACHINE_WAYS: readonly Way[] = [
  ...[".local", ".cache", ".kodelet"].map(
    (name): Way => ({
      title: `the disk of ~/${name} is full`,
      on: ALL,
      calling: ({ home }) => ({ before: full(join(home, name)) }),
      skip: canMount ? null : "mounting is not allowed here",
    }),
  ),
  {
    title: "HOME is read-only",
    on: ALL,
    calling: ({ home }) => ({ before: readOnly(home) }),
    skip: canMount ? null : "mounting is not allowed here",
  },
];
