import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const python = ["/usr/bin/python3", "/bin/python3"].find(existsSync) ?? null;
const BLOCK = '{"action":"block","permissionDecision":"deny","reason":"stays","permissionDecisionReason":"stays"}';

/** A guard as one program: it prints its block, or hands it out as an MCP server. */
interface Program {
  readonly hook: string;
  readonly server: string;
}

const py = (load: string, dumps = "json.dumps"): Program => ({
  hook: `${load}\nimport json, sys\nsys.stdin.read()\nprint(${dumps}(json.loads('${BLOCK}')))\n`,
  server: `${load}
import json, sys
for line in sys.stdin:
    call = json.loads(line)
    if "id" not in call:
        continue
    params = call.get("params", {})
    answers = {
        "initialize": {"protocolVersion": params.get("protocolVersion"), "capabilities": {"tools": {}}, "serverInfo": {"name": "g", "version": "1"}},
        "tools/list": {"tools": [{"name": "check", "inputSchema": {"type": "object"}}]},
    }
    result = answers.get(call["method"], {"content": [{"type": "text", "text": ${dumps}({"blocked": True, "reason": "stays"})}]})
    print(json.dumps({"jsonrpc": "2.0", "id": call["id"], "result": result}), flush=True)
`,
});

import { runMain } from "../support/in-process.ts";

/** `block` is an expression for the block that the guard prints. */
const js = (load: string, block = "JSON.stringify"): Program => ({
  hook: `${load}\nconst block = ${block};\nprocess.stdin.resume().on("end", () => console.log(block(${BLOCK})));\n`,
  server: `${load}
const block = ${block};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "g", version: "1" } },
    "tools/list": { tools: [{ name: "check", inputSchema: { type: "object" } }] },
  };
  const result = answers[method] ?? { content: [{ type: "text", text: block({ blocked: true, reason: "stays" }) }] };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`,
});

const QUIET_PY = "import os\nos._exit(0)\n";
const QUIET_JS = "process.exit(0);\n";
const RULES_PY = "import json\ndef dumps(value):\n    return json.dumps(value)\n";
const RULES_JS = "module.exports = (value) => JSON.stringify(value);\n";
const SH = 'exec python3 "$(dirname "$0")/g.py"\n';

interface Plant {
  readonly title: string;
  readonly program: Program;
  /** The guard's file, below the project. */
  readonly file: string;
  /** What starts it, if it is not the file itself: a script beside it. */
  readonly wrapper?: string;
  readonly beside?: Readonly<Record<string, string>>;
  readonly planted: Readonly<Record<string, string>>;
}

const rulesOf = (name: string) => js(`const rules = require("${name}");`, "rules");
const PYTHON: readonly Plant[] = [
  { title: "json.py", program: py(""), file: "guards/g.py", planted: { "guards/json.py": QUIET_PY } },
  { title: "json/__init__.py", program: py(""), file: "guards/g.py", planted: { "guards/json/__init__.py": QUIET_PY } },
  {
    title: "json.py beside a script without an ending",
    program: py(""),
    file: "guards/check",
    planted: { "guards/json.py": QUIET_PY },
  },
  {
    title: "json.py beside a guard that a shell script starts",
    program: py(""),
    file: "guards/g.py",
    wrapper: SH,
    planted: { "guards/json.py": QUIET_PY },
  },
  {
    title: "json.py beside a guard with modules of its own",
    program: py("import rules", "rules.dumps"),
    file: "guards/g.py",
    beside: { "guards/rules.py": RULES_PY },
    planted: { "guards/json.py": QUIET_PY },
  },
  {
    title: "a package in place of a module",
    program: py("import rules", "rules.dumps"),
    file: "guards/g.py",
    beside: { "guards/rules.py": RULES_PY },
    planted: { "guards/rules/__init__.py": QUIET_PY },
  },
];
const JAVASCRIPT: readonly Plant[] = [
  {
    title: "a file without an ending",
    program: rulesOf("./rules"),
    file: "guards/g.cjs",
    beside: { "guards/rules.js": RULES_JS },
    planted: { "guards/rules": QUIET_JS },
  },
  {
    title: "a nearer package",
    program: rulesOf("rules"),
    file: "guards/g.cjs",
    beside: { "node_modules/rules/index.js": RULES_JS },
    planted: { "guards/node_modules/rules/index.js": QUIET_JS },
  },
  {
    title: "another main file of a package",
    program: rulesOf("rules"),
    file: "guards/g.cjs",
    beside: { "node_modules/rules/package.json": '{"main":"lib/main.js"}', "node_modules/rules/lib/main.js": RULES_JS },
    planted: { "node_modules/rules/lib/main.js": QUIET_JS },
  },
  {
    title: "the kind of module, beside the script",
    program: js('require("node:fs");'),
    file: "guards/g.js",
    planted: { "guards/package.json": '{"type":"module"}' },
  },
  {
    title: "the kind of module, for the whole project",
    program: js('require("node:fs");'),
    file: "guards/g.js",
    beside: { "package.json": '{"name":"x"}' },
    planted: { "package.json": '{"name":"x","type":"module"}' },
  },
];

const isPythonFile = ({ file }: Plant): boolean => !/\.c?js$/.test(file);
const wordsOf = (plant: Plant, up = ""): readonly string[] =>
  plant.wrapper !== undefined
    ? ["sh", `${up}guards/g.sh`]
    : [isPythonFile(plant) ? "python3" : process.execPath, `${up}${plant.file}`];

/** The ways in which a project declares what is started. */
const WAYS: Readonly<Record<string, (place: Workspace, plant: Plant) => Promise<void>>> = {
  ".kodelet/hooks.json": async (place, plant) => {
    const guard = { name: "g", command: wordsOf(plant, "../").join(" ") };
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [guard] } }));
  },
  "hooks.json": async (place, plant) => {
    const guard = { command: wordsOf(plant).join(" ") };
    await place.write("project/hooks.json", JSON.stringify({ version: 1, hooks: { PreToolUse: [guard] } }));
  },
  "a server of .mcp.json": async (place, plant) => {
    const [command, ...args] = wordsOf(plant);
    const guard = { name: "g", tool: "guard.check" };
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { before_tool_call: [guard] } }));
    await place.write("project/.mcp.json", JSON.stringify({ mcpServers: { guard: { command, args } } }));
  },
  "adopt copilot": async (place, plant) => {
    const guard = { type: "command", bash: wordsOf(plant).join(" ") };
    await place.write("project/.github/hooks/g.json", JSON.stringify({ version: 1, hooks: { preToolUse: [guard] } }));
    expect(await runMain(place, ["adopt", "copilot"])).toMatchObject({ code: 0 });
  },
};
const isServer = (way: string): boolean => way.includes(".mcp.json");

async function setUp(place: Workspace, plant: Plant, way: string): Promise<void> {
  await place.write(`project/${plant.file}`, isServer(way) ? plant.program.server : plant.program.hook);
  if (plant.wrapper !== undefined) await place.write("project/guards/g.sh", plant.wrapper);
  for (const [path, text] of Object.entries(plant.beside ?? {})) await place.write(`project/${path}`, text);
  await WAYS[way]?.(place, plant);
  await runMain(place, ["trust", "--yes"]);
}

const tool = (place: Workspace) => runMain(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });

/** The same program without hookctl: does it still give its block? */
async function byHand(place: Workspace, plant: Plant, way: string): Promise<boolean> {
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n';
  const [program = "", ...args] = wordsOf(plant);
  const options = { cwd: place.project, env: place.env, extendEnv: false, reject: false } as const;
  const { stdout } = await execa(program, args, { ...options, input: isServer(way) ? call : toolCall() });
  return stdout.includes("stays");
}

const rows = (plants: readonly Plant[]) =>
  plants.flatMap((plant) => Object.keys(WAYS).map((way) => ({ title: plant.title, way, plant })));

async function plantedTurnsNothingOff({ plant, way }: { readonly plant: Plant; readonly way: string }): Promise<void> {
  await using place = await workspace();
  await setUp(place, plant, way);
  expect(await byHand(place, plant, way)).toBe(true);
  const before = await tool(place);
  expect(before).toMatchObject({ code: 2, stdout: expect.stringContaining("stays") });
  for (const [path, text] of Object.entries(plant.planted)) await place.write(`project/${path}`, text);
  // The control: without hookctl the file that was put there switches the guard off.
  expect(await byHand(place, plant, way)).toBe(false);
  const after = await tool(place);
  expect(after.code).toBe(2);
  expect(after.stdout).toMatch(/stays|HOOK_REFUSED_CHANGED/);
}

describe.skipIf(python === null)(
  `what a declared Python guard loads is bound${python ? "" : " (needs python3)"}`,
  () => {
    test.each(rows(PYTHON))("$title, by $way", plantedTurnsNothingOff);
  },
);

describe("what a declared JavaScript guard loads is bound", () => {
  test.each(rows(JAVASCRIPT))("$title, by $way", plantedTurnsNothingOff);
});

describe("a new file that the guard does not load changes nothing", () => {
  const withOwnModules = PYTHON.filter(({ beside }) => beside !== undefined).slice(0, python === null ? 0 : 1);
  const plants = [...withOwnModules, ...JAVASCRIPT.slice(-2)];
  test.each(rows(plants))("beside $title, by $way", async ({ plant, way }) => {
    await using place = await workspace();
    await setUp(place, plant, way);
    const others = ["other.py", "other.js", "notes.txt", "data.json", "tool.sh", "node_modules/other/index.js"];
    for (const name of others) await place.write(`project/guards/${name}`, "import json\n");
    await place.write("project/other.py", "import json\n");
    await place.write("project/package.json", '{"name":"y","version":"2.0.0"}');
    const after = await tool(place);
    expect(after).toMatchObject({ code: 2, stdout: expect.stringContaining("stays") });
    expect(after.stdout).not.toContain("HOOK_REFUSED_CHANGED");
  });
});

describe.skipIf(python === null)(`Python that stands in a command${python ? "" : " (needs python3)"}`, () => {
  const printed = `import json; print(json.dumps(json.loads('"'"'${BLOCK}'"'"')))`;
  test.each([
    ["a module of the project", "python3 -m tools.guard", "json.py"],
    ["its own folder", "python3 -c 'import rules'", "json.py"],
    ["another folder", "cd tools && python3 -c 'import guard'", "tools/json.py"],
    ["no folder", `python3 -c '${printed}'`, "json.py"],
    ["no folder, without the variable", `env -u PYTHONSAFEPATH python3 -c '${printed}'`, "json.py"],
  ])("loads from %s, and %s is no way to switch it off", async (_, command, planted) => {
    await using place = await workspace();
    for (const name of ["rules.py", "tools/guard.py"]) {
      await place.write(`project/${name}`, `import json\nprint(json.dumps(json.loads('${BLOCK}')))\n`);
    }
    await place.write("project/hooks.json", JSON.stringify({ version: 1, hooks: { PreToolUse: [{ command }] } }));
    await runMain(place, ["trust", "--yes"]);
    expect(await tool(place)).toMatchObject({ code: 2, stdout: expect.stringContaining("stays") });
    await place.write(`project/${planted}`, QUIET_PY);
    const options = { cwd: place.project, env: place.env, extendEnv: false, reject: false } as const;
    expect((await execa("sh", ["-c", command], options)).stdout).not.toContain("stays");
    const after = await tool(place);
    expect(after.code).toBe(2);
    expect(after.stdout).toMatch(/stays|HOOK_REFUSED_CHANGED/);
  });
});

test.skipIf(python === null)(`HOOKCTL_TRUST covers what is loaded${python ? "" : " (needs python3)"}`, async () => {
  await using place = await workspace();
  const [plant] = PYTHON;
  if (plant === undefined) return;
  await setUp(place, plant, "hooks.json");
  const digest = async () => (await runMain(place, ["trust", "--digest"])).stdout.trim();
  const before = await digest();
  await place.write(join("project", "guards/other.txt"), "x");
  expect(await digest()).toBe(before);
  await place.write(join("project", "guards/json.py"), QUIET_PY);
  expect(await digest()).not.toBe(before);
});
