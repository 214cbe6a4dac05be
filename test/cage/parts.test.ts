import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { missingHere, PYTHON, unlessMissing } from "../sandbox/bubblewrap.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** What the cage of a workspace consists of. */
interface Parts {
  readonly options: readonly string[];
  readonly isFiltered: boolean;
  readonly isUnset: boolean;
}

/** A part of the cage, and what a program can do once it is taken away. */
interface Part {
  readonly title: string;
  readonly without: (parts: Parts, place: Workspace) => Parts;
  /** Exits with 0 if it reaches what the part keeps from it. */
  readonly probe: (place: Workspace) => string;
}

/** Takes away one option with its values. */
const withoutOption =
  (...words: readonly string[]) =>
  (parts: Parts): Parts => {
    const at = parts.options.findIndex((_, index) =>
      words.every((word, offset) => parts.options[index + offset] === word),
    );
    return { ...parts, options: parts.options.toSpliced(at, at < 0 ? 0 : words.length) };
  };

/** Takes away the mount at a path. */
function withoutMount(path: string, { options, ...parts }: Parts): Parts {
  const at = options.findIndex((word, index) => word === path && /^--(?:ro-)?bind$/.test(options[index - 2] ?? ""));
  const tmpfs = options.findIndex((word, index) => word === path && options[index - 1] === "--tmpfs");
  const [from, count] = at < 0 ? [tmpfs - 1, tmpfs < 0 ? 0 : 2] : [at - 2, 3];
  return { ...parts, options: options.toSpliced(from, count) };
}

const SHARED_TEMP = mkdtempSync("/tmp/hookctl-parts-");
const hasNamespaceOfHost = (kind: string) =>
  `[ "$(readlink /proc/self/ns/${kind})" = "${readlinkSync(`/proc/self/ns/${kind}`)}" ]`;
const python = (line: string) => `${PYTHON} -I -c 'import ctypes; exit(${line} < 0)'`;

/** Reads the keys of the user. */
const KEYCTL = process.arch === "arm64" ? 219 : 250;

const PARTS: readonly Part[] = [
  {
    title: "a hidden folder",
    without: (parts, { home }) => withoutMount(`${home}/.ssh`, withoutOption("--remount-ro", `${home}/.ssh`)(parts)),
    probe: () => "cat ~/.ssh/id",
  },
  {
    title: "the lock of a hidden folder",
    without: (parts, { home }) => withoutOption("--remount-ro", `${home}/.ssh`)(parts),
    probe: () => "echo x > ~/.ssh/new",
  },
  {
    title: "a hidden file",
    without: (parts, { home }) => withoutMount(`${home}/.netrc`, parts),
    probe: () => "grep login ~/.netrc",
  },
  {
    title: "the read-only home directory",
    without: (parts, { home }) => {
      const rest = withoutMount(home, parts);
      return { ...rest, options: rest.options.with(rest.options.indexOf("--ro-bind"), "--bind") };
    },
    probe: () => "echo x > ~/.profile",
  },
  {
    title: "a closed folder of the project",
    without: (parts, { project }) => withoutMount(`${project}/.git/hooks`, parts),
    probe: () => "echo x > .git/hooks/new",
  },
  {
    title: "the place of the repository",
    without: (parts, { project }) => withoutMount(`${project}/.git`, withoutMount(`${project}/.git/hooks`, parts)),
    probe: () => "mv .git g && mv g .git",
  },
  {
    title: "its own ~/.cache",
    without: (parts, { home }) => withoutMount(`${home}/.cache`, parts),
    probe: () => "cat ~/.cache/theirs",
  },
  {
    title: "its own /tmp",
    without: (parts) => withoutMount("/tmp", parts),
    probe: () => `test -d ${SHARED_TEMP}`,
  },
  { title: "its own processes", without: withoutOption("--unshare-pid"), probe: () => `kill -0 ${process.pid}` },
  { title: "its own shared memory", without: withoutOption("--unshare-ipc"), probe: () => hasNamespaceOfHost("ipc") },
  {
    title: "its own name of the machine",
    without: withoutOption("--unshare-uts"),
    probe: () => hasNamespaceOfHost("uts"),
  },
  { title: "no network", without: withoutOption("--unshare-net"), probe: () => hasNamespaceOfHost("net") },
  {
    title: "the filter of system calls",
    without: (parts) => ({ ...parts, isFiltered: false }),
    probe: () => python(`ctypes.CDLL(None).syscall(${KEYCTL}, 0, -4, 0)`),
  },
  {
    title: "removed variables",
    without: (parts) => ({ ...parts, isUnset: false }),
    probe: () => 'test -n "$SSH_AUTH_SOCK"',
  },
];

/** Prepares the cage of a workspace; it starts bubblewrap as the cage does, with the parts that are left. */
async function prepared() {
  const place = await workspace();
  await place.write("home/.ssh/id", "a key\n");
  await place.write("home/.netrc", "a login\n");
  await place.write("home/.cache/theirs", "");
  await place.write("project/.git/hooks/sample", "");
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { mode: "require", network: "off" } }));
  expect(await place.run(["cage", "--", "true"])).toMatchObject({ stdout: "", stderr: "", code: 0 });
  const records = join(place.home, ".local/state/hookctl/cage/records");
  const record = readdirSync(records)
    .map((name) => join(records, name))
    .find((folder) => readdirSync(folder).includes("start"));
  const fileOf = (name: string): string => join(record ?? "", name);
  const whole: Parts = {
    options: readFileSync(fileOf("start.options"), "utf8").split("\0").slice(0, -1),
    isFiltered: true,
    isUnset: true,
  };
  const unset = readFileSync(fileOf("start"), "utf8").split("\n")[0] ?? "";
  const code = async ({ options, isFiltered, isUnset }: Parts, probe: string): Promise<number | null> => {
    const written = await place.write("options", options.map((one) => `${one}\0`).join(""));
    const words = [
      "--args",
      "3",
      ...(isFiltered ? ["--seccomp", "4"] : []),
      "--",
      "/bin/sh",
      "-c",
      `${isUnset ? `${unset}\n` : ""}${probe}`,
    ];
    const { status } = spawnSync("bwrap", words, {
      cwd: place.project,
      env: { ...place.env, SSH_AUTH_SOCK: "/x" },
      stdio: ["ignore", "ignore", "ignore", openSync(written, "r"), openSync(fileOf("seccomp"), "r")],
    });
    return status;
  };
  return { place, whole, code };
}

afterAll(() => rmSync(SHARED_TEMP, { recursive: true }));

describe.skipIf(missingHere !== null)(`each part of the cage keeps something${unlessMissing}`, () => {
  test("what is refused by the whole is possible without the part", async () => {
    const { place, whole, code } = await prepared();
    await using _ = place;
    for (const { title, without, probe } of PARTS) {
      const rest = without(whole, place);
      expect([title, rest]).not.toEqual([title, whole]);
      expect([title, await code(whole, probe(place))]).not.toEqual([title, 0]);
      expect([title, await code(rest, probe(place))]).toEqual([title, 0]);
    }
  });

  test("no program inside gets new privileges", async () => {
    const { place, whole, code } = await prepared();
    await using _ = place;
    expect(
      await code(
        whole,
        "grep -q 'NoNewPrivs:.1' /proc/self/status && grep -q 'CapEff:.0000000000000000' /proc/self/status",
      ),
    ).toBe(0);
  });
});
