import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { approveAll, outcomeOf } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { declareTools, PROJECT_FILE, runTools, SERVER, SERVER_LINE, shellServer } from "../support/mcp.ts";
import { toolCall } from "../support/payloads.ts";
import { touch } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ";
const guard = { name: "guard", tool: "fixture.silent" };
const file = PROJECT_FILE;
const run = (place: Workspace) => runInProcess(place, "run before_tool_call -q", { stdin: toolCall() });

test("before it is approved no verb starts the server of a project's tool", async () => {
  await using place = await workspace();
  const canary = join(place.dir, "canary");
  await declareTools(place, [guard], { file, server: shellServer(touch(canary)) });
  const calls = [
    "list",
    "list --json",
    "run before_tool_call --dry-run",
    "trust --show",
    "trust --digest",
    "try guard",
  ];
  for (const call of calls) await runInProcess(place, call);
  expect(await run(place)).toMatchObject({ code: 0, stdout: expect.stringContaining("guard is not approved") });
  await approveAll(place);
  expect(await place.read("canary")).toBeNull();
  await run(place);
  expect(await place.read("canary")).toBe("");
});

test("a tool is listed and planned as what it is", async () => {
  await using place = await workspace();
  await declareTools(place, [guard]);
  const listed = JSON.parse((await runInProcess(place, "list --json")).stdout);
  expect(listed.hooks).toMatchObject([{ name: "guard", kind: "tool", source: "config" }]);
  const planned = JSON.parse((await runInProcess(place, "run before_tool_call --dry-run -q")).stdout);
  expect(planned.plan).toMatchObject([{ name: "guard", kind: "tool" }]);
});

test("with hooks off no server is started; try asks the tool", async () => {
  await using place = await workspace();
  await declareTools(place, [{ ...guard, tool: "fixture.block" }], {
    server: shellServer(`: > started; exec ${SERVER_LINE}`),
  });
  const off = await runInProcess(place, "run before_tool_call --no-hooks", { stdin: toolCall() });
  expect(off).toMatchObject({ code: 0, stdout: '{"blocked":false}\n' });
  expect(await place.read("home/.kodelet/started")).toBeNull();
  expect(await runInProcess(place, "try guard")).toMatchObject({
    code: 2,
    stdout: expect.stringContaining("no rm here"),
  });
  expect(await place.read("home/.kodelet/started")).toBe("");
});

describe("an approval is bound to the server", () => {
  const edits: { title: string; edit: (place: Workspace) => Promise<unknown>; shows: readonly string[] }[] = [
    {
      title: "other arguments",
      edit: (place) => declareTools(place, [guard], { file, server: { ...SERVER, args: ["evil.mjs"] } }),
      shows: ["its content", "- server.args: ", '+ server.args: ["evil.mjs"]'],
    },
    {
      title: "another secret",
      edit: (place) => declareTools(place, [guard], { file, server: { ...serverOf(), env: { TOKEN: `${SECRET}2` } } }),
      shows: ['- server.env: {"TOKEN":"sha256:', '+ server.env: {"TOKEN":"sha256:'],
    },
    {
      title: "another folder",
      edit: (place) => declareTools(place, [guard], { file, server: { ...serverOf(), cwd: ".." } }),
      shows: ['- server.cwd: "."', '+ server.cwd: ".."'],
    },
    {
      title: "an edited file among its words",
      edit: (place) => place.write("project/.kodelet/server.mjs", "// another"),
      shows: ["the file "],
    },
  ];
  const serverOf = () => ({ command: process.execPath, args: ["server.mjs"], env: { TOKEN: SECRET } });

  test.each(edits)("$title: it is refused, and as a guard it blocks", async ({ edit, shows }) => {
    await using place = await workspace();
    const [fixture = ""] = SERVER.args;
    await place.write("project/.kodelet/server.mjs", `await import(${JSON.stringify(fixture)});`);
    await declareTools(place, [guard], { file, server: serverOf() });
    await approveAll(place);
    expect(await run(place)).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0 });
    await edit(place);
    expect(await outcomeOf(place, "guard")).toBe("refused HOOK_REFUSED_CHANGED");
    expect(await run(place)).toMatchObject({ code: 2 });
    const { stdout } = await runInProcess(place, "trust --show guard");
    for (const words of shows) expect(stdout).toContain(words);
    expect(stdout).not.toContain(SECRET);
    await approveAll(place);
    expect(await place.read("home/.local/state/hookctl/trust.json")).not.toContain(SECRET);
  });

  test("the order of its keys and variables is no change", async () => {
    await using place = await workspace();
    const { command, args } = SERVER;
    await declareTools(place, [guard], { file, server: { command, args, env: { A: "1", B: "2" } } });
    await approveAll(place);
    await declareTools(place, [guard], { file, server: { env: { B: "2", A: "1" }, args, command } });
    expect(await outcomeOf(place, "guard")).toBe("continue");
  });
});

describe("what a server finds in its environment", () => {
  const env = { GREETING: "hello", NODE_OPTIONS: "--no-warnings", PATH: "bin:/opt/bin", HOOKCTL_DEPTH: "0" };
  const caller = { API_KEY: "from the caller", BASH_ENV: "evil.sh" };
  async function seen(place: Workspace, where: { readonly file?: string }): Promise<[Record<string, string>, string]> {
    await declareTools(place, ["environment"], { ...where, server: { ...SERVER, env } });
    const args = "run before_tool_call -q --trust";
    const { stdout } = await runInProcess(place, args, { stdin: toolCall(), env: caller });
    const [variables, cwd] = JSON.parse(stdout).additional_context;
    return [JSON.parse(variables), cwd];
  }

  test("the user's gets what the user's hooks get, and all that its entry adds but relative folders of PATH", async () => {
    await using place = await workspace();
    const [variables, cwd] = await seen(place, {});
    expect(variables).toMatchObject({ GREETING: "hello", NODE_OPTIONS: "--no-warnings", PATH: "/opt/bin" });
    expect(variables).toMatchObject({
      HOOKCTL_DEPTH: "1",
      HOOKCTL_EVENT: "before_tool_call",
      HOOKCTL_HOOK: "environment",
    });
    expect(variables).not.toHaveProperty("BASH_ENV");
    expect(cwd).toBe("DIR/home/.kodelet");
  });

  test("a project's gets the allow-list, and of its entry nothing that brings in other code", async () => {
    await using place = await workspace();
    const [variables, cwd] = await seen(place, { file });
    expect(variables).toMatchObject({ GREETING: "hello", PATH: "/opt/bin", HOOKCTL_DEPTH: "1" });
    for (const name of ["API_KEY", "NODE_OPTIONS", "BASH_ENV"]) expect(variables).not.toHaveProperty(name);
    expect(cwd).toBe("DIR/project/.kodelet");
  });

  test("a secret of its entry is taken out of what it says", async () => {
    await using place = await workspace();
    const server = shellServer(`echo "key is $STORE_PASSWORD" >&2; exit 4`);
    await declareTools(place, [guard], { server: { ...server, env: { STORE_PASSWORD: "correct horse" } } });
    const { first } = await runTools(place);
    expect(first).toMatchObject({ stderr: "key is [redacted]\n", failure: { code: "HOOK_EXITED" } });
    expect(JSON.stringify(first)).not.toContain("correct horse");
  });
});
