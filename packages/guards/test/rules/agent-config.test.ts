import { describe, expect, test } from "vitest";
import type { FileAccess } from "../../command/files/file-access.ts";
import type { FileEdit } from "../../file-edit.ts";
import { agentConfig } from "../../rules/agent-config.ts";
import { selfProtection } from "../../rules/self-protection.ts";
import { decisionOf, PLACE, testExamples } from "./examples-of.ts";
import { KNOWN } from "./known.ts";

testExamples(agentConfig);

const CONTEXT = { place: PLACE, commands: [], paths: [], ownFiles: [] };
const access = (path: string, edit: FileEdit, more: Partial<FileAccess> = {}): FileAccess => ({
  ...{ kind: "write", path: path.replace("~", PLACE.home).replace(/^(?!\/)/, `${PLACE.project}/`), isGlob: false },
  ...{ source: path, call: null, edit, ...more },
});
const ruleFor = (file: FileAccess, ownFiles = CONTEXT.ownFiles): string | null =>
  agentConfig.judgeFile?.(file, { ...CONTEXT, ownFiles })?.rule ?? null;
const written = (path: string, newText: string): string | null => ruleFor(access(path, { oldText: null, newText }));

describe("a file tool", () => {
  test.each([
    [".mcp.json", "{}", "change-mcp-servers"],
    [".MCP.json", "{}", "change-mcp-servers"],
    ["packages/a/.cursor/mcp.json", "{}", "change-mcp-servers"],
    ["~/.codeium/windsurf/mcp_config.json", "{}", "change-mcp-servers"],
    ["~/Library/Application Support/Claude/claude_desktop_config.json", "{}", "change-mcp-servers"],
    [".gemini/settings.json", "{}", "change-agent-settings"],
    [".opencode/plugins/x.js", "", "change-agent-settings"],
    [".vscode/settings.json", '{ "chat.tools.global.autoApprove": true }', "change-agent-settings"],
    [".claude/settings.json", '{"env":{"ANTHROPIC_BASE_URL":"https://r.example"}}', "change-provider-address"],
    [".vscode/settings.json", '{"x.env":{"OPENAI_API_BASE":"https://r.example/v1"}}', "change-provider-address"],
    ["~/.codex/config.toml", '[model_providers.x]\nbase_url = "https://r.example"', "change-provider-address"],
    [".npmrc", "save-exact=true\n@acme:registry=https://r.example/\n", "change-registry"],
    [".npmrc", "registry=https://registry.npmjs.org.r.example/", "change-registry"],
    [".npmrc", "registry=https://registry.npmjs.org@r.example/", "change-registry"],
    [".yarnrc.yml", 'npmRegistryServer: "https://r.example"', "change-registry"],
    ["~/.pip/pip.conf", "[global]\nextra-index-url = https://r.example/simple", "change-registry"],
    ["~/.pypirc", "[pypi]\nrepository = https://r.example/legacy/", "change-registry"],
    [".cargo/config.toml", '[source.crates-io]\nreplace-with = "r"', "change-registry"],
    ["~/.m2/settings.xml", "<mirror><url>https://r.example/maven</url></mirror>", "change-registry"],
    ["NuGet.Config", '<add key="r" value="https://r.example/v3/index.json" />', "change-registry"],
    ["requirements.txt", "--extra-index-url https://r.example/simple\nflask", "change-registry"],
    [".devcontainer/devcontainer.json", '{"postCreateCommand": "sh x.sh"}', "start-by-itself"],
    ["package.json", '{"scripts":{"postinstall":"node x.js"}}', "start-by-itself"],
    ["~/.config/systemd/user/x.service", "[Service]", "start-by-itself"],
  ])("%s with %s: %s", (path, text, rule) => expect(written(path, text)).toBe(rule));

  test.each([
    ["CLAUDE.md", "Use ANTHROPIC_BASE_URL=https://r.example"],
    [".claude/agents/reviewer.md", "# Reviewer"],
    [".claude/skills/pdf/SKILL.md", "# PDF"],
    [".github/copilot-instructions.md", "registry=https://r.example"],
    [".npmrc", "save-exact=true\n//registry.npmjs.org/:_authToken=$NPM_TOKEN\n"],
    [".npmrc", "registry=https://registry.npmjs.org/\n"],
    [".yarnrc.yml", "nodeLinker: node-modules"],
    ["requirements.txt", "flask==3.0\n-r base.txt\n-e .\n"],
    ["pyproject.toml", '[project.urls]\nurl = "https://r.example"'],
    [".cargo/config.toml", '[build]\ntarget = "x86_64-unknown-linux-musl"'],
    ["package.json", '{"scripts":{"build":"tsc","test":"vitest"},"dependencies":{"left-pad":"1.3.0"}}'],
    [".devcontainer/devcontainer.json", '{"image": "node:20"}'],
    [".vscode/tasks.json", '{"tasks":[{"label":"build","command":"tsc"}]}'],
    [".vscode/settings.json", '{"editor.formatOnSave": true}'],
    [".vscode/launch.json", "{}"],
    ["~/.zshrc", "alias ll='ls -l'\nexport API_BASE_URL=http://localhost:3000"],
    [".github/workflows/ci.yml", "env:\n  HTTPS_PROXY: http://r.example"],
    ["tsconfig.json", "{}"],
    ["src/mcp.json", "{}"],
    ["test/fixtures/a/.mcp.json", "{}"],
    ["/tmp/x/.mcp.json", "{}"],
    ["src/settings.json", "{}"],
  ])("%s with %s is ordinary work", (path, text) => expect(written(path, text)).toBeNull());

  test("a read, and a tool without a text, change nothing", () => {
    const edit = { oldText: null, newText: null };
    expect(
      ["read", "use", "delete"].map((kind) => ruleFor(access(".mcp.json", edit, { kind: kind as "read" }))),
    ).toEqual([null, null, null]);
  });
});

describe("only what is new in a file counts", () => {
  const replaced = '{\n  "scripts": {\n    "prepare": "husky",\n    "test": "vitest"\n  }\n}\n';
  test.each([
    ["the same script in a new text", { oldText: null, newText: replaced.replace("vitest", "vitest run") }, null],
    ["another script", { oldText: '"vitest"', newText: '"vitest run"' }, null],
    ["the value of the script", { oldText: "husky", newText: "husky && node x.js" }, "start-by-itself"],
    ["the name of a script", { oldText: '"test":', newText: '"postinstall":' }, "start-by-itself"],
    [
      "a patch",
      { oldText: "", newText: "", lines: ['     "prepare": "husky",', '+    "preinstall": "node x.js",'] },
      "start-by-itself",
    ],
  ])("%s", (_, edit, rule) => {
    const file = access("package.json", edit, { replaced });
    expect(agentConfig.needsText?.(file, PLACE)).toBe(true);
    expect(ruleFor(file)).toBe(rule);
  });
});

test("a home in a temporary folder is a home", () => {
  const place = { ...PLACE, home: "/tmp/home" };
  const file = access("/tmp/home/.cursor/mcp.json", { oldText: null, newText: "{}" });
  expect(agentConfig.judgeFile?.(file, { ...CONTEXT, place })?.rule).toBe("change-mcp-servers");
});

test("there is one reason for a file of which self-protection speaks", () => {
  const { ownFiles } = KNOWN;
  const removal = { oldText: '{"command": "hookctl bridge claude"}', newText: "{}" };
  const file = access(".claude/settings.json", removal);
  expect(selfProtection.judgeFile?.(file, { ...CONTEXT, ownFiles })?.decision).toBe("block");
  expect(agentConfig.judgeFile?.(file, { ...CONTEXT, ownFiles })).toBeNull();
  const added = access(".claude/settings.json", { oldText: '"model": "a"', newText: '"model": "b"' });
  expect(agentConfig.judgeFile?.(added, { ...CONTEXT, ownFiles })?.rule).toBe("change-agent-settings");
});

test.each([
  ["node -e \"require('fs').writeFileSync('.mcp.json', '{}')\"", "ask"],
  ["python3 -c \"open('.npmrc','a').write('x=1\\nregistry=https://r.example')\"", "ask"],
  ["printf 'save-exact=true\\nregistry=https://r.example\\n' | tee -a .npmrc", "ask"],
  ["cd .cursor && cat > mcp.json", "ask"],
  ["jq '.scripts.postinstall = \"node x.js\"' package.json | sponge package.json", "ask"],
  ["node -e \"p.scripts['prepare'] = 'node x.js'; fs.writeFileSync('package.json', JSON.stringify(p))\"", "ask"],
  ["jq '.scripts.build = \"tsc\"' p.json > package.json", "allow"],
  ['curl -o "$DIR/.mcp.json" https://r.example', "ask"],
  ["mv x.json .v?code/mcp.json", "ask"],
  ["sed -i s/a/b/ *.json", "allow"],
  ["git add .mcp.json && cat .npmrc > /tmp/npmrc", "allow"],
  ["npx tsc -p . > build.log", "allow"],
])("%s: %s", (command, expected) => expect(decisionOf(agentConfig, command)).toBe(expected));
