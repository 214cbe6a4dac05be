import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import {
  HANG_TIMEOUT_MS,
  HOOKCTL,
  HOOKCTL_PROGRAM,
  HOOKCTL_WORDS,
  runProgram,
  type Workspace,
  workspace,
} from "../support/workspace.ts";

const USER = "home/.kodelet/hooks.json";
const PROJECT = "project/.kodelet/hooks.json";

/** A hook whose reason says what it could write. */
const PROBE = (paths: readonly string[]) =>
  `[ "$1" = hook ] && { touch "$HOME/identified" 2>/dev/null; echo before_tool_call; exit; }
cat >/dev/null; wrote=
for path in ${paths.join(" ")}; do touch "$path" 2>/dev/null && wrote="$wrote $path"; done
printf '{"blocked":true,"reason":"wrote:%s"}' "$wrote"`;

const PATHS = ["new", "src/new", "src/old", ".git/config", ".claude/settings.json", "$HOME/x", "/tmp/x", "$TMPDIR/x"];

async function probing(overrides: object, place: Workspace, paths = PATHS) {
  for (const file of ["src/old", ".git/config"]) await place.write(`project/${file}`, "");
  await place.write("home/.kodelet/hooks/probe", `#!/bin/sh\n${PROBE(paths)}`, 0o755);
  await place.write(USER, JSON.stringify({ overrides }));
}
const run = async (place: Workspace, flags = "") =>
  parseRunJson(await runInProcess(place, `run before_tool_call --json -q ${flags}`, { stdin: toolCall() }));

describe("a hook of the user", () => {
  test("without a setting runs as always", async () => {
    await using place = await workspace();
    await probing({}, place, ["new", ".git/config"]);
    expect(await run(place)).toMatchObject({ reason: "wrote: new .git/config", hooks: [{ sandbox: null }] });
    expect(await place.read("home/identified")).toBe("");
  });

  const rows: { title: string; sandbox: unknown; wrote: string; shown: string }[] = [
    { title: "require", sandbox: "require", wrote: " /tmp/.hookctl/x", shown: "bubblewrap: no network, no writes" },
    { title: "auto", sandbox: "auto", wrote: " /tmp/.hookctl/x", shown: "bubblewrap: no network, no writes" },
    {
      title: "a folder",
      sandbox: { write_paths: ["src/"], network: true },
      wrote: " src/new src/old /tmp/.hookctl/x",
      shown: "bubblewrap: network, writes to src/",
    },
    {
      title: "the whole project, whose settings are missing and could be created",
      sandbox: { write_paths: ["."], subprocess: true },
      wrote: " src/new src/old /tmp/.hookctl/x",
      shown: "bubblewrap: no network, writes to .",
    },
  ];
  test.each(rows)(
    "with $title writes what was granted, and nothing else",
    { tags: "slow" },
    async ({ sandbox, wrote, shown }) => {
      await using place = await workspace();
      await probing({ probe: { sandbox } }, place);
      expect(await run(place)).toMatchObject({
        reason: `wrote:${wrote}`,
        hooks: [{ outcome: "block", sandbox: shown }],
      });
      // It was asked for its event in the sandbox, too.
      expect(await place.read("home/identified")).toBeNull();
      expect(parseListJson(await runInProcess(place, "list --json"))).toMatchObject({ hooks: [{ sandbox: shown }] });
      const plan = await runInProcess(place, "run before_tool_call --dry-run", { stdin: toolCall() });
      expect(plan).toMatchObject({ stdout: expect.stringContaining(`"sandbox":"${shown}"`), code: 0 });
      expect(plan.stderr).toContain(`sandbox ${shown}`);
      expect(await runInProcess(place, "doctor")).toMatchObject({
        stdout: expect.stringContaining("✔ bubblewrap works, for probe"),
      });
    },
  );

  test("without processes cannot start one, and says what it was granted when it fails", async () => {
    await using place = await workspace();
    await place.write(
      USER,
      '{"hooks":{"before_tool_call":[{"name":"one","command":"/bin/true; exit 3","sandbox":{"subprocess":false}}]}}',
    );
    const { hooks } = await run(place);
    expect(hooks).toMatchObject([{ outcome: "failed", sandbox: "bubblewrap: no network, no writes, no processes" }]);
    expect(hooks[0]?.failure?.message).toContain("(bubblewrap: no network, no writes, no processes)");
    expect(hooks[0]?.stderr).toMatch(/fork/i);
  });

  test("is refused if a granted path leads out of the project by a link", async () => {
    await using place = await workspace();
    mkdirSync(join(place.dir, "secret"));
    symlinkSync("../secret", join(place.project, "out"));
    await probing({ probe: { sandbox: { write_paths: ["out"] } } }, place);
    const { hooks } = await run(place);
    expect(hooks).toMatchObject([{ outcome: "refused", failure: { code: "HOOK_REFUSED_SANDBOX" } }]);
    expect(hooks[0]?.failure).toMatchObject({
      message: expect.stringContaining("write_paths: out leads out of the project, to DIR/secret"),
      hint: "Correct `write_paths` in its settings.",
    });
  });

  test("that lies below /tmp with its project and HOME finds them, its interpreter and its neighbours", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks/lib.sh", "reason=found");
    await place.write("bin/own-shell", '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
    await place.write(
      "home/.kodelet/hooks/guard",
      `#!/usr/bin/env own-shell\n[ "$1" = hook ] && { echo before_tool_call; exit; }\n. "$(dirname "$0")/lib.sh"\necho "{\\"blocked\\":true,\\"reason\\":\\"$reason $(pwd)\\"}"`,
      0o755,
    );
    await place.write(USER, '{"overrides":{"guard":{"sandbox":"require"}}}');
    const env = { PATH: `${place.dir}/bin:/usr/bin:/bin` };
    const result = await runInProcess(place, "run before_tool_call --json -q", { stdin: toolCall(), env });
    expect(parseRunJson(result)).toMatchObject({ reason: "found DIR/project" });
  });
});

describe("a project", () => {
  const entry = (sandbox: unknown) => ({
    name: "log",
    on: "before_tool_call",
    command: "touch src/a $HOME/a; exit 7",
    sandbox,
  });
  const declare = async (place: Workspace, sandbox: unknown, more: object = {}) => {
    await place.write("project/src/old", "");
    await place.write("project/reyn.yaml", "");
    await place.write(PROJECT, JSON.stringify({ hooks: [entry(sandbox)], ...more }));
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
  };
  const shown = async (place: Workspace) => (await run(place)).hooks[0]?.sandbox;

  const overrides: { title: string; own: unknown; over: unknown; expected: string | null }[] = [
    { title: "makes it stricter", own: "off", over: "require", expected: "bubblewrap: no network, no writes" },
    { title: "never off", own: "require", over: "off", expected: "bubblewrap: no network, no writes" },
    { title: "adds no grants", own: "require", over: { network: true }, expected: "bubblewrap: no network, no writes" },
    {
      title: "takes grants away",
      own: { network: true, write_paths: ["../src", "b/"] },
      over: { network: true, write_paths: ["../src"], subprocess: false },
      expected: "bubblewrap: network, writes to ../src, no processes",
    },
  ];
  test.each(overrides)("whose override changes its entry: $title", async ({ own, over, expected }) => {
    await using place = await workspace();
    await declare(place, own, { overrides: { log: { sandbox: over } } });
    const found = parseListJson(await runInProcess(place, "list --json")).hooks;
    expect(found).toMatchObject([{ sandbox: expected }]);
  });

  test("grants nothing outside itself, also in an approved entry", async () => {
    await using place = await workspace();
    await declare(place, { write_paths: ["~/"] });
    expect((await run(place)).hooks).toMatchObject([{ failure: { code: "HOOK_REFUSED_SANDBOX" } }]);
    expect(await place.read("home/a")).toBeNull();
  });

  test("has no word where the user has one", async () => {
    await using place = await workspace();
    await declare(place, { network: true }, { overrides: { log: { sandbox: "off" } } });
    await place.write(USER, '{"overrides":{"log":{"sandbox":"require"}}}');
    expect(await shown(place)).toBe("bubblewrap: no network, no writes");
  });

  test("asks again when its grants change", async () => {
    await using place = await workspace();
    await declare(place, "require");
    await place.write(PROJECT, JSON.stringify({ hooks: [entry({ network: true })] }));
    expect(await shown(place)).toBe("bubblewrap: no network, no writes");
    expect((await runInProcess(place, "trust --show")).stdout).toMatch(/\+ .*"sandbox":\{"network":true/);
  });
});

test("MCP servers with other grants are not shared", async () => {
  await using place = await workspace();
  const server = `
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
let text = "writes";
try { require("node:fs").writeFileSync("made", ""); } catch (error) { text = error.code; }
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  else if (method === "tools/list") send(id, { tools: [{ name: "t", inputSchema: { type: "object" } }] });
  else if (method === "tools/call") send(id, { content: [{ type: "text", text: JSON.stringify({ additionalContext: text }) }] });
});`;
  await place.write("home/.kodelet/server.cjs", server);
  const hooks = [
    { tool: "s.t", name: "free" },
    { tool: "s.t", name: "boxed", sandbox: "require" },
  ];
  const mcp_servers = { s: { command: process.execPath, args: ["server.cjs"] } };
  await place.write(USER, JSON.stringify({ hooks: { SessionStart: hooks }, mcp_servers }));
  const result = parseRunJson(await runInProcess(place, "run SessionStart --json -q", { stdin: "{}" }));
  expect(result.hooks).toMatchObject([
    { sandbox: null, outcome: "continue" },
    { sandbox: "bubblewrap: no network, no writes" },
  ]);
  expect(JSON.stringify(result)).toMatch(/writes.*EROFS/s);
});

test("a test case runs in the sandbox, and what it may write of its project lies in the scratch folder", async () => {
  await using place = await workspace();
  await probing({ probe: { sandbox: { write_paths: ["src/"] } } }, place, ["src/new", "$HOME/x"]);
  await place.write(
    "home/.kodelet/tests/probe.json",
    JSON.stringify({
      hook: "probe",
      event: "before_tool_call",
      cases: [
        {
          name: "writes",
          payload: { tool_input: { command: "ls" } },
          expect: { decision: "block", reason: "wrote: src/new" },
        },
      ],
    }),
  );
  const result = await runInProcess(place, "test probe");
  expect({ code: result.code, text: result.stdout + result.stderr }).toEqual({ code: 0, text: expect.any(String) });
  expect(await place.read("project/src/new")).toBeNull();
});

test("a call without a hook that wants a sandbox loads nothing of it", () => {
  const dist = new URL("../../dist/", import.meta.url);
  const hot = ["hot.cjs", "hot-roster.cjs", "hot-hooks.cjs"].map((name) => readFileSync(new URL(name, dist), "utf8"));
  for (const text of hot) expect(text).not.toContain("--unshare-pid");
  expect(readFileSync(new URL("hot-rare.cjs", dist), "utf8")).toContain("--unshare-pid");
});

describe("where the sandbox cannot start", () => {
  /** The command line inside another bubblewrap, as in a container. */
  const inside = (place: Workspace, options: readonly string[], args: readonly string[]) =>
    runProgram(["/usr/bin/bwrap", "--dev-bind", "/", "/", ...options, "--", ...HOOKCTL, ...args], {
      cwd: place.project,
      env: place.env,
      stdin: toolCall(),
    });
  const cannot: { title: string; options: readonly string[]; cause: RegExp }[] = [
    {
      title: "because namespaces are forbidden",
      options: ["--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns", "--cap-drop", "ALL"],
      cause: /\/usr\/bin\/bwrap does not work here: bwrap: /,
    },
    {
      title: "because its program is no program",
      options: ["--ro-bind", "/etc/passwd", "/usr/bin/bwrap"],
      cause: /\/usr\/bin\/bwrap does not work here: its sandbox did not start \(EACCES\)/,
    },
  ];

  test.each(cannot)("$title, a required one refuses, and auto says that there is none", async ({ options, cause }) => {
    await using place = await workspace();
    await probing({ probe: { sandbox: "require" } }, place, ["src/new"]);
    const refused = parseRunJson(await inside(place, options, ["run", "before_tool_call", "--json", "-q"]));
    expect(refused).toMatchObject({ decision: "continue", hooks: [{ failure: { code: "HOOK_REFUSED_SANDBOX" } }] });
    expect(refused.hooks[0]?.failure?.message).toMatch(cause);
    expect(await place.read("project/src/new")).toBeNull();
    await place.write(USER, '{"overrides":{"probe":{"sandbox":"auto"}}}');
    const bare = parseRunJson(await inside(place, options, ["run", "before_tool_call", "--json", "-q"]));
    expect(bare).toMatchObject({ reason: "wrote: src/new", hooks: [{ sandbox: "none" }] });
    const doctor = await inside(place, options, ["doctor"]);
    expect(doctor.stdout).toContain("▲ sandbox: there is none for probe");
  });

  test("at one start, a hook does not run bare, also with auto", async () => {
    await using place = await workspace();
    await probing({ probe: { sandbox: "auto" } }, place, ["src/new"]);
    expect(await run(place)).toMatchObject({ reason: "wrote:" });
    // More options than bubblewrap takes, so that it fails although it worked before.
    const env = Object.fromEntries(Array.from({ length: 3100 }, (_, index) => [`VARIABLE_${index}`, ""]));
    const failed = parseRunJson(
      await runInProcess(place, "run before_tool_call --json -q", { stdin: toolCall(), env }),
    );
    expect(failed).toMatchObject({ decision: "continue", hooks: [{ failure: { code: "HOOK_NOT_STARTED" } }] });
    expect(failed.hooks[0]?.failure?.message).toMatch(/its sandbox did not start: bwrap: /);
    expect(await place.read("project/src/new")).toBeNull();
  });
});

test("a hookctl that is killed takes its sandboxes with it", async () => {
  await using place = await workspace();
  await place.write("project/src/beat", "");
  const command = "i=0; while [ $i -lt 6000 ]; do date +%N > src/beat; sleep 0.05; i=$((i + 1)); done";
  const entry = { name: "beat", command: `cd ..; ${command}`, sandbox: { write_paths: ["src/"] } };
  await place.write(PROJECT, JSON.stringify({ hooks: { before_tool_call: [entry] } }));
  expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
  const { cwd, env } = { cwd: place.project, env: place.env };
  const hookctl = spawn(HOOKCTL_PROGRAM, [...HOOKCTL_WORDS, "run", "before_tool_call"], { cwd, env, stdio: "pipe" });
  hookctl.stdin.end(toolCall());
  await vi.waitUntil(async () => (await place.read("project/src/beat")) !== "", { timeout: HANG_TIMEOUT_MS });
  hookctl.kill("SIGKILL");
  await once(hookctl, "exit");
  // A moment for the system to kill what is inside.
  await vi.waitUntil(
    async () => {
      const before = await place.read("project/src/beat");
      await new Promise((resume) => setTimeout(resume, 300));
      return (await place.read("project/src/beat")) === before;
    },
    { timeout: HANG_TIMEOUT_MS },
  );
});
