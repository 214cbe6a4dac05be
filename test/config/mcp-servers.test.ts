import { describe, expect, test } from "vitest";
import { outcomeOf } from "../support/approvals.ts";
import { runInProcess } from "../support/in-process.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { PROJECT_FILE, SERVER, USER_FILE } from "../support/mcp.ts";
import { testOnNode, type Workspace, workspace } from "../support/workspace.ts";

const CALL = { before_tool_call: [{ name: "tool", tool: "fixture.block" }] };
const json = JSON.stringify;
const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ";

/** The server as the review before an approval shows it. */
async function reviewed(place: Workspace): Promise<string> {
  const result = await runInProcess(place, "trust --show");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  return result.stdout;
}

describe("where a server may be declared", () => {
  const places: { title: string; files: Record<string, object>; shows: readonly string[] }[] = [
    {
      title: "the settings file itself",
      files: { [PROJECT_FILE]: { hooks: CALL, mcp_servers: { fixture: { command: "own" } } } },
      shows: ['"mcp_servers":{"fixture":{"command":"own"}}'],
    },
    {
      title: "the mcp.json beside it",
      files: {
        [PROJECT_FILE]: { hooks: CALL },
        "project/.kodelet/mcp.json": { mcpServers: { fixture: { command: "beside" } } },
      },
      shows: ['"command": "beside"', '"cwd": "."'],
    },
    {
      title: "the .mcp.json at the root, as agents write it",
      files: {
        [PROJECT_FILE]: { hooks: CALL },
        "project/.mcp.json": {
          inputs: [],
          mcpServers: {
            fixture: { type: "stdio", command: "root", cwd: "tools" },
            web: { type: "http", url: "https://x.invalid" },
          },
        },
      },
      shows: ['"command": "root"', '"cwd": "../tools"'],
    },
  ];
  test.each(places)("$title", async ({ files, shows }) => {
    await using place = await workspace();
    for (const [path, content] of Object.entries(files)) await place.write(path, json(content));
    const text = await reviewed(place);
    for (const words of shows) expect(text).toContain(words);
  });

  test("the first of a name counts: settings, then .kodelet/mcp.json, then .mcp.json", async () => {
    await using place = await workspace();
    const at = (command: string) => json({ mcpServers: { fixture: { command } } });
    await place.write("project/.mcp.json", at("root"));
    await place.write(PROJECT_FILE, json({ hooks: CALL }));
    expect(await reviewed(place)).toContain('"root"');
    await place.write("project/.kodelet/mcp.json", at("beside"));
    expect(await reviewed(place)).toContain('"beside"');
    await place.write(PROJECT_FILE, json({ hooks: CALL, mcp_servers: { fixture: { command: "own" } } }));
    expect(await reviewed(place)).toContain('"own"');
  });

  test("the user's is ~/.kodelet/mcp.json, and no entry of a project sees a server of it", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/mcp.json", json({ mcpServers: { fixture: SERVER } }));
    await place.write(USER_FILE, json({ hooks: CALL }));
    const result = () =>
      runInProcess(place, "run before_tool_call -q", { stdin: '{"tool_name":"bash","tool_input":{}}' });
    expect(await result()).toMatchObject({ code: 2, stdout: expect.stringContaining("no rm here") });
    await place.write(USER_FILE, "{}");
    await place.write(PROJECT_FILE, json({ hooks: CALL }));
    const stderr = expect.stringContaining('hooks: tool.tool is not valid: there is no MCP server "fixture"');
    expect(await runInProcess(place, "list")).toMatchObject({ code: 78, stderr });
  });

  test("one that others may write is not believed", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/mcp.json", json({ mcpServers: { fixture: SERVER } }), 0o666);
    await place.write(USER_FILE, json({ hooks: CALL }));
    expect(await outcomeOf(place, "tool")).toBe("refused HOOK_REFUSED_UNSAFE");
  });

  test("beside --config no mcp.json is read", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/mcp.json", json({ mcpServers: { fixture: SERVER } }));
    await place.write("mine.json", json({ hooks: CALL }));
    const result = await runInProcess(place, `list --config ${place.dir}/mine.json`);
    expect(result).toMatchObject({ code: 78, stderr: expect.stringContaining("there is no MCP server") });
  });
});

describe("a server that cannot be used is named, and nothing of its environment", () => {
  const faults: { title: string; server: unknown; says: string }[] = [
    {
      title: "one over HTTP",
      server: { type: "http", url: SECRET },
      says: "it has no `command`; only stdio servers are supported",
    },
    { title: "no object", server: "npx", says: "it has no `command`" },
    { title: "a wrong type", server: { command: "x", env: { TOKEN: [SECRET] } }, says: "env.TOKEN: " },
    { title: "a placeholder", server: { command: "x", env: { TOKEN: `\${A}${SECRET}` } }, says: "TOKEN: " },
  ];
  test.each(faults)("$title", async ({ server, says }) => {
    await using place = await workspace();
    await place.write(PROJECT_FILE, json({ hooks: CALL }));
    const file = await place.write("project/.mcp.json", json({ mcpServers: { fixture: server } }));
    const result = await runInProcess(place, "list");
    expect(result).toMatchObject({ stdout: "", code: 78 });
    expect(result.stderr).toContain(`${file.replace(place.dir, "DIR")}: mcpServers.fixture is not valid: ${says}`);
    expect(result.stderr).not.toContain(SECRET);
  });

  test("a broken mcp.json takes the project's part out, for its server may be behind a guard", async () => {
    await using place = await workspace();
    await place.write(PROJECT_FILE, json({ hooks: CALL }));
    await place.write("project/.mcp.json", "{");
    expect(await runInProcess(place, "list")).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(".mcp.json cannot be parsed"),
    });
  });
});

describe("the compiled plan", () => {
  const file = "project/.mcp.json";
  const at = (command: string) => json({ mcpServers: { fixture: { command } } });
  const listed = async (place: Workspace) => (await loadedModules(place, ["list", "--json"])).libraries;

  testOnNode("rests on the mcp.json files, absent ones included", { tags: "slow" }, async () => {
    await using place = await workspace();
    await place.write(PROJECT_FILE, json({ hooks: CALL }));
    await place.write(file, at("one"));
    expect(await listed(place)).toContain("zod");
    expect(await listed(place)).toEqual([]);
    await place.write(file, at("another"));
    expect(await listed(place)).toContain("zod");
    await place.write("project/.kodelet/mcp.json", at("third"));
    expect(await listed(place)).toContain("zod");
    expect(await reviewed(place)).toContain('"third"');
  });

  test("does not, where no entry needs one", { tags: "slow" }, async () => {
    await using place = await workspace();
    const own = { fixture: { command: "own" } };
    for (const settings of [{ hooks: {} }, { hooks: CALL, mcp_servers: own }]) {
      await place.write(PROJECT_FILE, json(settings));
      await listed(place);
      await place.write(file, at(`${Object.keys(settings).length}`));
      expect(await listed(place)).toEqual([]);
    }
  });
});
