import { spawnSync } from "node:child_process";
import { cp, rename, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import packageJson from "../../../../package.json" with { type: "json" };
import { isProgram } from "../../../../src/fs/paths.ts";
import { AGENT_NAMES, type AgentName } from "../../../../src/protocol/agent-names.ts";
import { PROOF } from "../../../../src/protocol/exit-code.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import {
  type CommandResult,
  personScript,
  runProgram,
  type Workspace,
  workspace,
} from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { findRegistrations, parseSettingsText } from "../../install/find-registrations.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const GUARD = 'case "$(cat)" in *forbidden*) echo \'{"blocked":true,"reason":"not this"}\' ;; esac';
/** A hook of the project that would have changed the registered text: it is fail-closed, slow, and of another event too. */
const LINT = { says: '{"event":"before_tool_call","timeout":"2m","fail_open":false}', scope: "project" } as const;

/** Another copy of hookctl, as an upgrade, a package manager or a person would place it. */
async function copyOfHookctl(folder: string, version: string) {
  for (const part of ["bin", "dist", "assets"]) await cp(join(root, part), join(folder, part), { recursive: true });
  await writeVersion(folder, version);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
}

const writeVersion = (folder: string, version: string) =>
  writeFile(join(folder, "package.json"), JSON.stringify({ ...packageJson, version }));

const envOf = (place: Workspace, path = "/usr/bin:/bin") => ({ HOME: place.home, PATH: path, SHELL: "/bin/sh" });

/** A person calls this copy of hookctl. */
const startOf = (folder: string, line: string): readonly string[] => [
  ...[process.execPath, personScript, join(folder, "bin/hookctl.js")],
  ...line.split(" "),
];

const hookctlIn = (folder: string, place: Workspace) => (line: string) =>
  runProgram(startOf(folder, line), { env: envOf(place), cwd: place.project });

async function registered(name: AgentName, place: Workspace) {
  const path = `home/${AGENTS[name].settings.files.user}`;
  const text = (await place.read(path)) ?? "";
  const format = /\.[jt]s$/.test(path) ? "module" : "json";
  const lines = findRegistrations(parseSettingsText(text, format), name);
  return { text, format, commands: new Map(lines.map(({ event, command }) => [event, command])) };
}

/** Does what the agent does for a call of this command. */
async function called(name: AgentName, place: Workspace, command: string): Promise<CommandResult> {
  const { event, payload } = AGENTS[name].sampleShellCall;
  const { format, commands } = await registered(name, place);
  const line = commands.get(event) ?? "false";
  const stdin = printableJson(payload(command));
  const result = await runProgram(["/bin/sh", "-c", line], { env: envOf(place), cwd: place.project, stdin });
  // A module takes the proof off itself.
  return format === "module" ? { ...result, stdout: result.stdout.replace(PROOF, "") } : result;
}

describe.each(AGENT_NAMES)("%s", (name) => {
  test("registered again, upgraded and moved: the entries stay the same, and block", async () => {
    await using place = await workspace();
    await place.hook("guard", GUARD);
    const [first, second] = [join(place.dir, "first place"), join(place.dir, "it's another")];
    await copyOfHookctl(first, "0.1.0");
    expect(await hookctlIn(first, place)(`install ${name} --scope user`)).toMatchObject({ code: 0 });
    const { text, commands } = await registered(name, place);

    await place.hook("lint", "true", LINT);
    expect(await hookctlIn(first, place)("trust --yes")).toMatchObject({ code: 0 });
    expect(await hookctlIn(first, place)(`install ${name} --scope user`)).toMatchObject({ code: 0 });
    expect((await registered(name, place)).text).toBe(text);

    // A further event adds its entries and changes no other.
    await place.hook("end", "true", { says: "after_tool_call", scope: "project" });
    expect(await hookctlIn(first, place)("trust --yes")).toMatchObject({ code: 0 });
    for (const [event, command] of commands) {
      expect((await registered(name, place)).commands.get(event)).toBe(command);
    }
    expect((await called(name, place, "forbidden")).stdout).toContain("not this");
    expect((await called(name, place, "ls")).stdout).toBe("");

    // HOME is spelled in another way.
    const same = (await registered(name, place)).text;
    const link = join(place.dir, "link");
    await symlink(place.home, link);
    for (const home of [`${place.home}/`, link]) {
      const again = [process.execPath, join(first, "bin/hookctl.js"), "install", name, "--scope", "user"];
      const env = { ...envOf(place), HOME: home };
      expect(await runProgram(again, { env, cwd: place.project })).toMatchObject({ code: 0 });
      expect((await registered(name, place)).text).toBe(same);
    }

    // Moved away, nothing can be asked: the call is blocked, with the file to edit and the command that repairs it.
    await rename(first, second);
    const lost = await called(name, place, "ls");
    expect(lost).toMatchObject({ code: 0 });
    expect(lost.stdout).toContain(`install hookctl and run hookctl init ${name} --scope user`);
    expect(lost.stdout).toContain(`~/${AGENTS[name].settings.files.user}`);
    await writeVersion(second, "9.9.9");
    const before = (await registered(name, place)).text;
    expect(await hookctlIn(second, place)(`install ${name} --scope user`)).toMatchObject({ code: 0 });
    expect((await registered(name, place)).text).toBe(before);
    expect((await called(name, place, "forbidden")).stdout).toContain("not this");
    expect((await called(name, place, "ls")).stdout).toBe("");
  });
});

/** A real Codex, in a namespace without a network. */
const codexFolder = (process.env.PATH ?? "").split(delimiter).find((folder) => isProgram(join(folder, "codex")));
const hasNamespaces = spawnSync("unshare", ["--net", "true"]).status === 0;
const why = codexFolder === undefined ? "no codex on the PATH" : hasNamespaces ? null : "unshare --net is not possible";

/** What Codex's `/hooks` does: it stores the hash of each entry. */
const TRUST = `
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
const server = spawn("codex", ["app-server"], { stdio: ["pipe", "pipe", "ignore"] });
const send = (message) => server.stdin.write(JSON.stringify(message) + "\\n");
createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, result } = JSON.parse(line);
  if (id === 1) {
    send({ method: "initialized" });
    send({ id: 2, method: "hooks/list", params: { cwds: [process.cwd()] } });
  }
  if (id === 2) {
    const states = result.data.flatMap(({ hooks }) => hooks.map((one) => [one.key, { trusted_hash: one.currentHash }]));
    const value = Object.fromEntries(states);
    send({ id: 3, method: "config/batchWrite", params: { edits: [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }] } });
  }
  if (id === 3) server.kill();
});
send({ id: 1, method: "initialize", params: { clientInfo: { name: "test", title: "test", version: "0" } } });
`;

describe.skipIf(why !== null)(`a real Codex${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test("keeps its trust through trust, edit, adopt, an upgrade and a move, and an edited entry is told", async () => {
    await using place = await workspace();
    const path = `${codexFolder}:/usr/bin:/bin`;
    const inNamespace = (argv: readonly string[], env: Record<string, string> = {}) =>
      runProgram(["unshare", "--net", "--", ...argv], { env: { ...envOf(place, path), ...env }, cwd: place.project });
    const hookctl = (folder: string, line: string, env: Record<string, string> = {}) =>
      inNamespace(startOf(folder, line), env);
    await place.write("home/.codex/.keep", "");
    await place.write("project/.git/HEAD", "ref: refs/heads/main\n");
    const [first, second] = [join(place.dir, "first"), join(place.dir, "second")];
    await copyOfHookctl(first, "0.1.0");
    await hookctl(first, "init --yes --agents codex");
    expect((await hookctl(first, "doctor codex")).stdout).toContain("✖ codex trust: Codex CLI skips PreToolUse");
    await place.write("trust.mjs", TRUST);
    await inNamespace([process.execPath, join(place.dir, "trust.mjs")]);
    const trusted = "✔ codex trust: Codex CLI reports that it trusts all registered hooks";
    expect((await hookctl(first, "doctor codex")).stdout).toContain(trusted);

    await place.hook("lint", "true", LINT);
    expect(await hookctl(first, "trust lint")).toMatchObject({ code: 0 });
    // `edit` needs a terminal; an editor that changes nothing asks nothing.
    const edit = ["script", "-qec", startOf(first, "edit lint").map(shellQuote).join(" "), "/dev/null"];
    expect(await inNamespace(edit, { EDITOR: "true" })).toMatchObject({ code: 0 });
    const adoptable = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"true","timeout":600}]}]}}';
    await place.write("project/.claude/settings.json", adoptable);
    expect(await hookctl(first, "adopt claude")).toMatchObject({ code: 0 });
    expect((await hookctl(first, "doctor codex")).stdout).toContain(trusted);
    await rename(first, second);
    expect(await hookctl(second, "init --yes --agents codex")).toMatchObject({ code: 0 });
    expect((await hookctl(second, "doctor codex")).stdout).toContain(trusted);
    expect((await hookctl(second, "status")).stdout).toContain("Codex CLI trusts all entries (asked just now)");

    const file = "home/.codex/hooks.json";
    await place.write(file, ((await place.read(file)) ?? "").replace('"timeout": 3600', '"timeout": 60'));
    const edited = await hookctl(second, "doctor codex");
    expect(edited).toMatchObject({ code: 1 });
    expect(edited.stdout).toContain("✖ codex trust: Codex CLI skips PreToolUse (modified)");
    expect((await hookctl(second, "status")).stdout).toContain(
      "Codex CLI skips 1 entry (asked just now): hookctl doctor",
    );
  });
});
