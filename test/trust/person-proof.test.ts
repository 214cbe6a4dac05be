import { join } from "node:path";
import { expect, test } from "vitest";
import type { Terminal } from "../../src/engine/host.ts";
import { approvalStates } from "../support/approvals.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { runInProcess } from "../support/in-process.ts";
import { processTable } from "../support/person-table.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

/** A process of which nobody knows who started it. */
const NOBODY = processTable([{ pid: 1, parent: 0 }]);

async function setUp(person: string): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", "exit 0", { scope: "project" });
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ settings: { person } }));
  return place;
}

/** Programs of the system with these exit codes: of a call that must not ask, and of one that asks. */
async function authorities(place: Workspace, silent: number, asking: number): Promise<string> {
  const sudo = `#!/bin/sh\necho "$@" >>${place.dir}/calls\ncase " $* " in *" -n "*) exit ${silent} ;; esac\nexit ${asking}\n`;
  await place.write("bin/sudo", sudo, 0o755);
  await place.write("bin/pkcheck", `#!/bin/sh\nexit ${silent}\n`, 0o755);
  await place.write("bin/pkexec", `#!/bin/sh\necho "$@" >>${place.dir}/calls\nexit ${asking}\n`, 0o755);
  return join(place.dir, "bin");
}

const terminal = (): Terminal => ({
  ...fakeTerminal(async () => "yes"),
  run: async ({ file, args }) => {
    const { code } = await runProgram([file, ...args], {});
    return { kind: "exited", exitCode: code ?? -1 };
  },
});

const rows: { title: string; person: string; silent: number; asking: number; fault?: string }[] = [
  { title: "sudo accepts the password", person: "sudo", silent: 1, asking: 0 },
  { title: "sudo refuses the password", person: "sudo", silent: 1, asking: 1, fault: "did not accept" },
  { title: "sudo asks for none", person: "sudo", silent: 0, asking: 0, fault: "proves nothing" },
  { title: "polkit accepts", person: "polkit", silent: 2, asking: 0 },
  { title: "polkit refuses", person: "polkit", silent: 2, asking: 127, fault: "did not accept" },
  { title: "polkit allows without asking", person: "polkit", silent: 0, asking: 0, fault: "proves nothing" },
];
test.each(rows)("$title: also on a doubtful terminal", async ({ person, silent, asking, fault }) => {
  await using place = await setUp(person);
  const systemPrograms = await authorities(place, silent, asking);
  const host = { readProcesses: async () => NOBODY, openTerminal: async () => terminal(), systemPrograms };
  const result = await runInProcess(place, "trust --yes", { host });
  if (fault === undefined) expect(result).toMatchObject({ code: 0 });
  else expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining(fault), code: 77 });
  expect(await approvalStates(place)).toEqual(fault === undefined ? { guard: "approved" } : {});
});

test("a password that was typed before does not count", async () => {
  await using place = await setUp("sudo");
  const systemPrograms = await authorities(place, 1, 0);
  await runInProcess(place, "trust --yes", { host: { openTerminal: async () => terminal(), systemPrograms } });
  expect(await place.read("calls")).toBe("-k -n /usr/bin/true\n-k /usr/bin/true\n");
});

test("without the program, or without a terminal, nobody is a person", async () => {
  await using place = await setUp("sudo");
  const hosts = [{ openTerminal: async () => terminal() }, { openTerminal: async () => null }];
  for (const host of hosts) {
    const result = await runInProcess(place, "trust --yes", { host });
    expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_NEEDS_PERSON)"), code: 77 });
  }
});

test("below an agent the person is asked before the password", async () => {
  await using place = await setUp("sudo");
  const systemPrograms = await authorities(place, 1, 1);
  const host = { openTerminal: async () => terminal(), systemPrograms };
  const result = await runInProcess(place, "trust --yes", { host, env: { CLAUDECODE: "1" } });
  expect(result).toMatchObject({ stderr: expect.stringContaining("did not accept"), code: 77 });
});

const variables = { CI: "true", GITHUB_ACTIONS: "true", HOOKCTL_TRUST: "1", HOOKCTL_PERSON: "none" };
test("neither variables nor the user's settings spare the terminal", async () => {
  await using place = await setUp("none");
  const host = { readProcesses: async () => NOBODY };
  const result = await runInProcess(place, "trust --yes", { host, env: variables });
  expect(result).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining("this command has no terminal of its own"),
    code: 77,
  });
  expect(await approvalStates(place)).toEqual({});
});

const weakening = [
  "trust --yes",
  "trust guard",
  "trust --prune",
  "untrust guard",
  "untrust",
  "edit guard",
  "add ./pack --yes",
  "update",
  "remove pack",
  "disable git",
  "enable guard",
  "off git --for 10m",
  "log --purge --all --yes",
  "uninstall claude",
  "adopt claude",
  "adopt claude --undo",
  "install claude --fail-open",
];
test.each(weakening)("hookctl %s needs a person", async (args) => {
  await using place = await setUp("terminal");
  const before = await place.read("home/.kodelet/hooks.json");
  const result = await runInProcess(place, args, { host: { readProcesses: async () => NOBODY } });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("(TRUST_NEEDS_PERSON)"), code: 77 });
  expect(await place.read("home/.kodelet/hooks.json")).toBe(before);
});

test.each([
  "init --yes --guards git",
  "enable git",
  "add",
  "install claude --fail-closed",
  "trust --show",
  "list",
  "doctor --help",
])("hookctl %s needs none", async (args) => {
  await using place = await setUp("terminal");
  const result = await runInProcess(place, args, { host: { readProcesses: async () => NOBODY } });
  expect(result).toMatchObject({ code: 0 });
});
