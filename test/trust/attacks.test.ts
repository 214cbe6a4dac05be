import { link, rename, rm, symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { approvalStates, approveAll, hookInRun, outcomeOf, runToolCall } from "../support/approvals.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { makeFifo } from "../support/fifo.ts";
import { runInProcess, runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote, touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";
import { CHANGED, HOOKS, PLANTED, testDrawnIn } from "./drawn-in.ts";

testDrawnIn(PLANTED.slice(0, 1));

const named: { title: string; guard: string; file: string; mode?: number; helper?: string }[] = [
  { title: "a program in a sub-folder", guard: '"$here/node_modules/chalk"', file: "node_modules/chalk", mode: 0o755 },
  { title: "a saved file that the hook names", guard: '. "$here/guard.d/rules.bak"', file: "guard.d/rules.bak" },
  { title: "a program that the hook names", guard: '"$(dirname "$0")/scan"', file: "scan", mode: 0o755 },
  {
    title: "a program that a helper names",
    guard: '. "$here/lib.sh"',
    file: "scan",
    mode: 0o755,
    helper: '"$here/scan"',
  },
];

test.each(named)("$title counts as a helper", async ({ guard, file, mode = 0o644, helper }) => {
  await using place = await workspace();
  await place.hook("guard", `${printResponse({})} # ${guard}`, { scope: "project" });
  if (helper !== undefined) await place.write(`${HOOKS}/lib.sh`, helper);
  await place.write(`${HOOKS}/${file}`, "#!/bin/sh\n:\n", mode);
  await approveAll(place, "trust guard");
  expect(await outcomeOf(place, "guard")).toBe("continue");
  await place.write(`${HOOKS}/${file}`, `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n`, mode);
  expect(await outcomeOf(place, "guard")).toBe(CHANGED);
});

test("approving hooks one by one, by name, leaves all of them approved", async () => {
  await using place = await workspace();
  for (const name of ["a.sh", "b.sh"]) await place.hook(name, printResponse({}), { scope: "project" });
  await approveAll(place, "trust a.sh");
  await approveAll(place, "trust b.sh");
  expect((await runToolCall(place)).hooks).toMatchObject([{ outcome: "continue" }, { outcome: "continue" }]);
});

const harmless: { title: string; files: Readonly<Record<string, string>> }[] = [
  {
    title: "package.json#hookctl",
    files: { "package.json": '{"hookctl":{"settings":{"project_hooks":"allow"},"hooks":{"x":"exit 1"}}}' },
  },
  { title: ".env", files: { ".env": "HOOKCTL_NO_HOOKS=1\nNODE_OPTIONS=--require=./evil.js\nHOOKCTL_TRUST=allow\n" } },
  ...[
    ".hookctlrc.js",
    ".hookctlrc.cjs",
    ".hookctlrc.mjs",
    "hookctl.config.js",
    "hooks.config.js",
    ".kodelet/hooks.js",
  ].map((name) => ({ title: name, files: { [name]: "require('node:fs').writeFileSync('CANARY', '')" } })),
  { title: ".kodelet/hooks.config.ts", files: { ".kodelet/hooks.config.ts": "throw new Error()" } },
];

test.each(harmless)("$title of a project approves nothing, and nothing in it runs", async ({ files }) => {
  await using place = await workspace();
  await place.hook("guard", touch(join(place.dir, "canary")), { scope: "project" });
  for (const [name, text] of Object.entries(files)) {
    await place.write(`project/${name}`, text.replace("CANARY", join(place.dir, "canary")));
  }
  for (const args of [["list"], ["run", "before_tool_call"]]) {
    const result = await runMain(place, args, { stdin: "{}\n" });
    expect(`${result.stdout}${result.stderr}`).not.toContain("Error:");
  }
  expect(await outcomeOf(place, "guard")).toMatch(/^(refused|skipped) HOOK_REFUSED_UNTRUSTED$/);
  expect(await place.read("canary")).toBeNull();
});

test("a PATH that leads into the project, also by a link, does not choose the interpreter", async () => {
  await using place = await workspace();
  await place.write("project/bin/sh", `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n`, 0o755);
  await symlink(join(place.project, "bin"), join(place.dir, "by-link"));
  await place.hook("guard", `#!/usr/bin/env sh\n[ "$1" = hook ] && exec echo before_tool_call\n:`, {
    scope: "project",
  });
  const PATH = ["bin", "", "/proc/self/cwd/bin", join(place.dir, "by-link"), join(place.project, "bin")].join(":");
  const env = { PATH: `${PATH}:/usr/bin:/bin` };
  expect(await runInProcess(place, "trust --yes", { env })).toMatchObject({ code: 0 });
  expect(hookInRun(await runToolCall(place, "", env), "guard").outcome).toBe("continue");
  expect(await place.read("canary")).toBeNull();
});

const homes: { title: string; HOME: string | undefined }[] = [
  { title: "empty", HOME: "" },
  { title: "relative", HOME: ".kodelet/home" },
  { title: "not there", HOME: "/nowhere/at/all" },
  { title: "missing", HOME: undefined },
];

test.each(homes)("with a HOME that is $title nothing is approved and nothing is a user's", async ({ HOME }) => {
  await using place = await workspace();
  await place.hook("guard", touch(join(place.dir, "canary")), { scope: "project" });
  await place.write(
    "project/.kodelet/home/.kodelet/hooks/own",
    `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n`,
    0o755,
  );
  expect(await runInProcess(place, "trust --yes", { env: { HOME } })).toMatchObject({ code: 77, stdout: "" });
  expect((await runToolCall(place, "", { HOME })).hooks).toMatchObject([{ name: "guard", outcome: "refused" }]);
  expect(await place.read("canary")).toBeNull();
});

interface Brought {
  readonly title: string;
  readonly env: (place: Workspace) => Readonly<Record<string, string>>;
}

const brought: Brought[] = [
  { title: "XDG_STATE_HOME inside", env: ({ project }) => ({ XDG_STATE_HOME: project }) },
  { title: "XDG_STATE_HOME through a link", env: ({ dir }) => ({ XDG_STATE_HOME: join(dir, "by-link") }) },
];

const namedStores: Brought[] = [
  { title: "inside", env: ({ project }) => ({ HOOKCTL_TRUST_STORE: join(project, "hookctl/trust.json") }) },
  {
    title: "through a link",
    env: ({ dir }) => ({ HOOKCTL_TRUST_STORE: join(dir, "by-link/hookctl/trust.json") }),
  },
];

test.each(brought)("a store that the project brings along does not count: $title", async ({ env }) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  await approveAll(place);
  const store = join(place.home, ".local/state/hookctl/trust.json");
  await place.write("project/hookctl/trust.json", (await place.read(store)) ?? "", 0o600);
  await approveAll(place, "untrust --yes");
  await symlink(place.project, join(place.dir, "by-link"));
  const run = await runToolCall(place, "", env(place));
  expect(hookInRun(run, "guard").failure?.code).toBe("HOOK_REFUSED_UNTRUSTED");
  expect(run.warnings).toContainEqual(
    expect.stringMatching(/is not used: .*; .*\/home\/\.local\/state is used instead/),
  );
});

test.each(namedStores)(
  "a store that is named in the project is none, and every hook that may be approved blocks: $title",
  async ({ env }) => {
    await using place = await workspace();
    await place.hook("guard", printResponse({}), { scope: "project" });
    await symlink(place.project, join(place.dir, "by-link"));
    const run = await runToolCall(place, "", env(place));
    expect(hookInRun(run, "guard").failure?.code).toBe("HOOK_REFUSED_STORE");
    expect(run.decision).toBe("block");
    expect(await runInProcess(place, "trust --yes", { env: env(place) })).toMatchObject({ code: 77 });
  },
);

test("a store behind /proc/self/cwd is the project's own", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({}), { scope: "project" });
  const result = await runMain(place, ["trust", "--yes"], { env: { XDG_STATE_HOME: "/proc/self/cwd" } });
  expect(result).toMatchObject({ code: 77, stdout: "", stderr: expect.stringContaining("it leads through /proc") });
  expect(await place.read("project/hookctl/trust.json")).toBeNull();
});

test("a link that was approved and now leads out of the project, or elsewhere in it, is not followed", async () => {
  await using place = await workspace();
  const text = `#!/bin/sh\n[ "$1" = hook ] && exec echo before_tool_call\n:\n`;
  await place.write("project/tools/guard", text, 0o755);
  const other = `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n`;
  const way = join(place.dir, HOOKS, "guard");
  await symlink("../../tools/guard", way);
  await approveAll(place);
  expect(await outcomeOf(place, "guard")).toBe("continue");
  for (const target of ["elsewhere/guard", "project/tools/other"]) {
    await place.write(target, other, 0o755);
    await unlink(way);
    await symlink(join(place.dir, target), way);
    expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  }
  await place.write("elsewhere/guard", text, 0o755);
  expect(await outcomeOf(place, "guard")).toBe(CHANGED);
  expect(await place.read("canary")).toBeNull();
});

test("a hook that is edited by the hook before it is not started", async () => {
  await using place = await workspace();
  const late = join(place.dir, HOOKS, "b-late");
  const edit = `printf '#!/bin/sh\\n: > %s\\n' ${shellQuote(join(place.dir, "canary"))} > ${shellQuote(late)}`;
  await place.hook("a-early", edit, { scope: "project" });
  await place.hook("b-late", printResponse({}), { scope: "project" });
  await approveAll(place);
  const run = await runToolCall(place);
  expect(run).toMatchObject({ decision: "block", decided_by: "b-late" });
  expect(hookInRun(run, "b-late").failure?.code).toBe("HOOK_REFUSED_CHANGED");
  expect(await place.read("canary")).toBeNull();
});

test("a digest covers what is there when a hook is started, not only when the call began", async () => {
  await using place = await workspace();
  const late = join(place.dir, HOOKS, "b-late");
  await place.hook(
    "a-early",
    `[ "$1" = run ] && echo ${shellQuote(touch(join(place.dir, "canary")))} >> ${shellQuote(late)}; :`,
    { scope: "project" },
  );
  await place.hook("b-late", printResponse({}), { scope: "project" });
  const HOOKCTL_TRUST = (await runInProcess(place, "trust --digest")).stdout.trim();
  const run = await runToolCall(place, "", { HOOKCTL_TRUST });
  expect(hookInRun(run, "a-early").outcome).toBe("continue");
  expect(hookInRun(run, "b-late").failure?.code).toBe("HOOK_REFUSED_CHANGED");
  expect(await place.read("canary")).toBeNull();
});

const reviews: { title: string; args: string; answer: string; isStdinTerminal: boolean }[] = [
  { title: "trust", args: "trust", answer: "y", isStdinTerminal: true },
  { title: "run --ask, always", args: "run before_tool_call --ask --json", answer: "a", isStdinTerminal: false },
  { title: "run --ask, once", args: "run before_tool_call --ask --json", answer: "y", isStdinTerminal: false },
];

test.each(reviews)("a hook that is edited between review and yes is not approved: $title", async (row) => {
  await using place = await workspace();
  const file = await place.hook("guard", printResponse({}), { scope: "project" });
  const ask = async (): Promise<string> => {
    await place.write(file, `#!/bin/sh\n${touch(join(place.dir, "canary"))}\n`, 0o755);
    return row.answer;
  };
  const result = await runInProcess(place, row.args, {
    stdin: '{"tool_name":"bash","tool_input":{}}',
    host: { isStdinTerminal: () => row.isStdinTerminal, openTerminal: async () => fakeTerminal(ask) },
  });
  expect(result.stderr).toContain("changed while it was being read");
  expect(await place.read("canary")).toBeNull();
  expect(await outcomeOf(place, "guard")).toMatch(/^refused/);
});

/** A hook that adds a line to a file when it is asked for its events. */
const appendsTo = (file: string): string =>
  `#!/bin/sh\n[ "$1" = hook ] || exit 0\necho before_tool_call\necho '# more' >> ${file}\n`;

test("a hook that changes itself when it is asked for its events is not approved", async () => {
  await using place = await workspace();
  const hook = appendsTo('"$0"');
  await place.write(`${HOOKS}/guard`, hook, 0o755);
  const result = await runInProcess(place, "trust --yes");
  expect(result.stderr).toContain("changed while it was being read");
  expect(await place.read(`${HOOKS}/guard`)).toBe(`${hook}# more\n`);
  expect(await approvalStates(place)).toEqual({});
});

test("nothing is approved if one of several hooks changes before the approvals are written", async () => {
  await using place = await workspace();
  const started = shellQuote(join(place.dir, "started"));
  await place.write(`${HOOKS}/b-other`, `#!/bin/sh\n: > ${started}\necho before_tool_call\n`, 0o755);
  // A file that is open for writing cannot be started, so it changes when its own start is over.
  const waits = `i=0; until [ -e ${started} ] || [ $((i += 1)) -gt 500 ]; do sleep 0.01; done\n`;
  const appends = appendsTo(shellQuote(join(place.dir, HOOKS, "b-other")));
  await place.write(`${HOOKS}/a-first`, appends.replace("echo '#", `${waits}echo '#`), 0o755);
  const result = await runInProcess(place, "trust --yes");
  expect(result.stderr).toContain("changed while it was being read");
  expect(await approvalStates(place)).toEqual({});
});

const slips = [
  { args: "trust", answer: "yikes", isStdinTerminal: true },
  { args: "trust", answer: "yes, but later", isStdinTerminal: true },
  { args: "run before_tool_call --ask --json", answer: "abort", isStdinTerminal: false },
  { args: "run before_tool_call --ask --json", answer: "yess", isStdinTerminal: false },
];

test.each(slips)("a word that only begins like a yes starts and approves nothing: $answer at $args", async (row) => {
  await using place = await workspace();
  await place.hook("guard", touch(join(place.dir, "canary")), { scope: "project" });
  const ask = async (): Promise<string> => row.answer;
  await runInProcess(place, row.args, {
    stdin: '{"tool_name":"bash","tool_input":{}}',
    host: { isStdinTerminal: () => row.isStdinTerminal, openTerminal: async () => fakeTerminal(ask) },
  });
  expect(await place.read("canary")).toBeNull();
  expect(await outcomeOf(place, "guard")).toBe("refused HOOK_REFUSED_UNTRUSTED");
});

test.each(["y", "YES", " Always "])("a yes counts however it is written: %j", async (answer) => {
  await using place = await workspace();
  await place.hook("guard", touch(join(place.dir, "canary")), { scope: "project" });
  const ask = async (): Promise<string> => answer;
  await runInProcess(place, "run before_tool_call --ask --json", {
    stdin: '{"tool_name":"bash","tool_input":{}}',
    host: { openTerminal: async () => fakeTerminal(ask) },
  });
  expect(await place.read("canary")).toBe("");
});

test("another name for an approved file is another hook, and a denied one stays denied under links", async () => {
  await using place = await workspace();
  const file = await place.hook("guard", printResponse({}), { scope: "project" });
  await approveAll(place);
  await link(file, join(place.dir, HOOKS, "twin"));
  expect(await outcomeOf(place, "twin")).toBe("refused HOOK_REFUSED_UNTRUSTED");
  expect(await outcomeOf(place, "guard")).toBe("continue");
  await approveAll(place, "untrust --deny guard");
  await symlink("guard", join(place.dir, HOOKS, "by-link"));
  expect(await outcomeOf(place, "guard", "--trust")).toBe("refused HOOK_REFUSED_DENIED");
  expect(await outcomeOf(place, "by-link", "--trust")).toBe("refused HOOK_REFUSED_DENIED");
});

test("a file that a hook names and that turns into a pipe is a change, not a wait", async () => {
  await using place = await workspace();
  await place.write("project/rules.txt", "no rm\n");
  const says = '{"event":"before_tool_call","files":["rules.txt"]}';
  await place.hook("guard", printResponse({}), { scope: "project", says });
  await approveAll(place);
  expect(await outcomeOf(place, "guard")).toBe("continue");
  await rm(join(place.project, "rules.txt"));
  makeFifo(join(place.project, "rules.txt"));
  expect(await outcomeOf(place, "guard")).toBe(CHANGED);
});

test("names with control characters are shown escaped by every verb of trust", async () => {
  await using place = await workspace();
  const name = "a\u001b[2Jb\u202ec\nd";
  const file = await place.hook(name, `# \u001b]0;title\u0007\n${printResponse({})}`, { scope: "project" });
  await place.write(`${HOOKS}/lib\u001b[1m.sh`, "");
  const store = async (): Promise<void> => rename(`${file}.x`, file);
  const seen: string[] = [];
  const see = async (argv: readonly string[]): Promise<void> => {
    const { stdout, stderr } = await runInProcess(place, "", { host: { argv }, stdin: toolCall() });
    seen.push(stdout, stderr);
  };
  await see(["trust", "--show"]);
  await see(["trust", "--yes"]);
  await see(["trust", "--list"]);
  await see(["trust", "--list", "--json"]);
  await place.write(`${HOOKS}/lib\u001b[1m.sh`, "changed");
  await see(["run", "before_tool_call"]);
  await see(["run", "before_tool_call", "--json", "-vv"]);
  await see(["list", "--all"]);
  await place.write(file, "#!/bin/sh\n\u001b[31m\n", 0o755);
  await see(["trust", "--show", name]);
  await rename(file, `${file}.x`);
  await see(["trust", "--prune"]);
  await store();
  await see(["trust", `${name}x`]);
  await see(["trust", name, "--json"]);
  await see(["untrust", name]);
  await see(["untrust", "--deny", name]);
  await see(["trust", name]);
  await see(["run", "before_tool_call", "--dry-run"]);
  expect(seen.join("")).toContain("\\u001b");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there.
  expect(seen.join("")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
