import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { needsNodeLoader, nodeLoaderVariables } from "../../../../src/discover/node-loader.ts";
import { runInProcess, runMain } from "../../../../test/support/in-process.ts";
import { touch } from "../../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { removeTypes } from "../../library/remove-types.ts";

const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };
const PAYLOAD = { stdin: '{"tool_name":"bash","tool_input":{"command":"rm"}}', env };

const typed = (reason: string, imports = ""): string => `#!/usr/bin/env node
import { defineHook, type ToolInput } from "hookctl/hook";
${imports}
interface Reply {
  readonly blocked: boolean;
  readonly reason: string;
}

export default defineHook({
  event: "before_tool_call",
  match: { tool_name: "bash" },
  run({ tool_input }): Reply | undefined {
    const input: ToolInput = tool_input;
    if (input.command === ("rm" satisfies string)) return { blocked: true, reason: ${reason} };
    return undefined;
  },
});
`;

const run = (place: Workspace) => runInProcess(place, "run before_tool_call -q", PAYLOAD);
const blocked = (reason: string) => ({ stdout: `{"blocked":true,"reason":"${reason}"}\n`, stderr: "", code: 2 });

test("a TypeScript hook runs on this Node, with no hookctl installed above it", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks/guard.mts", typed('"no rm"'), 0o755);
  expect(await run(place)).toEqual(blocked("no rm"));
});

test("each run is of the file as it is now", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks/guard.mts", typed('"one"'), 0o755);
  expect(await run(place)).toEqual(blocked("one"));
  await place.write("home/.kodelet/hooks/guard.mts", typed('"two"'), 0o755);
  expect(await run(place)).toEqual(blocked("two"));
});

test("a helper in TypeScript is loaded, and a change of it needs a new approval", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks/lib/why.mts", "export const why: string = 'helped';\n");
  await place.write("project/.kodelet/hooks/guard.mts", typed("why", 'import { why } from "./lib/why.mts";'), 0o755);
  expect(await runInProcess(place, "trust --yes", { env })).toMatchObject({ code: 0 });
  expect(await run(place)).toEqual(blocked("helped"));
  await place.write("project/.kodelet/hooks/lib/why.mts", "export const why: string = 'changed';\n");
  expect((await run(place)).stdout).not.toContain('"changed"');
});

test("a hook in JavaScript gets hookctl/hook too, and starts others without the loader", { tags: "slow" }, async () => {
  await using place = await workspace();
  const text = `#!/usr/bin/env node
import { defineHook } from "hookctl/hook";
export default defineHook({
  event: "before_tool_call",
  run: () => ({ blocked: true, reason: process.env.NODE_OPTIONS ?? "none" }),
});
`;
  await place.write("home/.kodelet/hooks/guard.mjs", text, 0o755);
  expect(await run(place)).toEqual(blocked("none"));
});

test("a project's own copy of hookctl is not what its hook loads", async () => {
  await using place = await workspace();
  const canary = join(place.dir, "canary");
  const copy = `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(canary)}, "");`;
  await place.write("project/node_modules/hookctl/hook.js", `${copy} export const defineHook = () => {};`);
  await place.write("project/node_modules/hookctl/package.json", '{"type":"module","exports":{"./hook":"./hook.js"}}');
  const made = await runMain(place, ["new", "guard", "--event", "before_tool_call", "--lang", "typescript"]);
  expect(made.stdout).toContain("Approved 1 hook");
  const tried = await runInProcess(place, "try guard tool_input.command=forbidden -q", { env });
  expect(tried).toEqual(blocked("Not allowed here. Ask a person to do it."));
  expect(await place.read("canary")).toBeNull();
});

const COPY = "project/node_modules/hookctl";
const REQUIRES = 'import { createRequire } from "node:module"; createRequire(import.meta.url)("hookctl/hook");';

test.each([
  ["is not covered where only an import names it", "", ["Approved"]],
  ["is covered where a require could load it", REQUIRES, ["Approved", "changed"]],
])("a project's own copy of hookctl %s", { tags: "slow" }, async (_title, imports, said) => {
  await using place = await workspace();
  await place.write(`${COPY}/package.json`, '{"type":"module","main":"hook.js","exports":{"./hook":"./hook.js"}}');
  await place.write(`${COPY}/hook.js`, "export const defineHook = () => {};");
  await place.write("project/.kodelet/hooks/guard.mts", typed('"no rm"', imports), 0o755);
  const approved = await runInProcess(place, "trust --yes", { env });
  await place.write(`${COPY}/hook.js`, "export const defineHook = () => 1;");
  const listed = await runInProcess(place, "list", { env });
  const told = `${approved.stdout}${approved.stderr}${listed.stdout}`;
  expect(["Approved", "changed"].filter((word) => told.includes(word))).toEqual(said);
});

test("a fault of the syntax is told with its line", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.write(
    "home/.kodelet/hooks/guard.mts",
    '#!/usr/bin/env node\nimport "hookctl/hook";\nlet x: = 1;\n',
    0o755,
  );
  const result = await runInProcess(place, "try guard", { env });
  expect(result).toMatchObject({ stdout: "", code: 1 });
  expect(result.stderr).toContain("guard.mts:3");
});

test("types are removed line by line", () => {
  const source = "interface A {\n  readonly b: string;\n}\nexport const a = (c: A): string => c.b as string;\n";
  const lines = removeTypes(source, "a.mts").split("\n");
  expect(lines[3]).toMatch(/^export const a = \(c\)\s*=> c\.b\s*;$/);
  expect(() => removeTypes("\nlet x: = 1;", "/a/b.mts")).toThrow("/a/b.mts:2:");
});

describe("which files need the loader", () => {
  const files: readonly [title: string, name: string, text: string, needs: boolean][] = [
    ["TypeScript", "a.mts", "#!/usr/bin/env node\n", true],
    ["TypeScript with options of env", "a.ts", "#!/usr/bin/env -S node --no-warnings\n", true],
    ["an import of hookctl", "a", '#!/usr/bin/env node\nimport { defineHook } from "hookctl/hook";\n', true],
    ["an import of hookctl when it is needed", "a", "#!/usr/bin/node\nawait import('hookctl');\n", true],
    [
      "a require, which the loader does not see",
      "a.cjs",
      "#!/usr/bin/env node\nconst h = require('hookctl');\n",
      false,
    ],
    [
      "a start that takes the loader away",
      "a.mts",
      '#!/usr/bin/env -S -u NODE_OPTIONS node\nimport "hookctl";\n',
      false,
    ],
    ["other JavaScript", "a.mjs", '#!/usr/bin/env node\nimport "node:fs"; // hookctl/hook\n', false],
    ["TypeScript of another runtime", "a.ts", "#!/usr/bin/env bun\n", false],
    ["a shell script", "a", `#!/bin/sh\n${touch("/x")}`, false],
    ["a program", "a", "\x7fELF", false],
  ];
  test.each(files)("%s", async (_title, name, text, needs) => {
    await using place = await workspace();
    const path = await place.write(`home/${name}`, text, 0o755);
    expect(needsNodeLoader(path)).toBe(needs);
    const { NODE_OPTIONS } = nodeLoaderVariables(path, "--no-warnings");
    if (needs) expect(NODE_OPTIONS).toMatch(/^--import=file:\/\/\S+\/dist\/programs\/node-loader\.js --no-warnings$/);
    else expect(NODE_OPTIONS).toBeUndefined();
  });
});
