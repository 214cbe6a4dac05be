import { expect, test } from "vitest";
import type { Host } from "../../../../src/engine/host.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { sampledRows } from "../../../../test/support/property-runs.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { switchFindings } from "../../doctor/settings-checks.ts";
import type { InstallTarget } from "../../install/install-target.ts";
import { env } from "./installed-lines.ts";

type Files = Readonly<Record<string, string>>;
type State = readonly [
  title: string,
  agent: string,
  scope: string,
  state: { readonly files?: Files; readonly variables?: Files },
  /** The red line; null: none of this kind. */
  red: string | null,
];

const SIMPLE = '{"env":{"CLAUDE_CODE_SIMPLE":"1"}}';
const OFF = '{"disableAllHooks":true}';
const trusted = (path: string, word: string) => ({ "home/.gemini/trustedFolders.json": `{"${path}":"${word}"}` });

const STATES: readonly State[] = [
  ["a variable", "claude", "user", { variables: { CLAUDE_CODE_SIMPLE: "1" } }, "CLAUDE_CODE_SIMPLE is set"],
  ["a variable", "claude", "project", { variables: { CLAUDE_CODE_SAFE_MODE: "true" } }, "CLAUDE_CODE_SAFE_MODE is set"],
  ["a variable that says no", "claude", "user", { variables: { CLAUDE_CODE_SIMPLE: "0" } }, null],
  ["an empty variable", "claude", "user", { variables: { CLAUDE_CODE_SIMPLE: "" } }, null],
  ["another agent's variable", "claude", "user", { variables: { OPENCODE_PURE: "1" } }, null],
  [
    "a variable in the user's settings",
    "claude",
    "project",
    { files: { "home/.claude/settings.json": SIMPLE } },
    "env.CLAUDE_CODE_SIMPLE in DIR/home/.claude/settings.json stops",
  ],
  [
    "a number in the user's settings",
    "claude",
    "project",
    { files: { "home/.claude/settings.json": SIMPLE.replace('"1"', "1") } },
    "env.CLAUDE_CODE_SIMPLE in DIR/home/.claude/settings.json stops",
  ],
  ["the project's settings", "claude", "user", { files: { "project/.claude/settings.local.json": SIMPLE } }, null],
  [
    "settings of the server",
    "claude",
    "user",
    { files: { "home/.claude/remote-settings.json": '{"allowManagedHooksOnly":true}' } },
    "allowManagedHooksOnly in DIR/home/.claude/remote-settings.json stops",
  ],
  [
    "settings of the server",
    "claude",
    "user",
    { files: { "home/.claude/remote-settings.json": OFF } },
    "disableAllHooks in DIR/home/.claude/remote-settings.json stops",
  ],
  [
    "other settings of the server",
    "claude",
    "user",
    { files: { "home/.claude/remote-settings.json": SIMPLE.replace("SIMPLE", "X") } },
    null,
  ],
  ["a variable", "opencode", "user", { variables: { OPENCODE_PURE: "1" } }, "OPENCODE_PURE is set"],
  [
    "a variable",
    "opencode",
    "project",
    { variables: { OPENCODE_DISABLE_PROJECT_CONFIG: "1" } },
    "OPENCODE_DISABLE_PROJECT_CONFIG is set",
  ],
  ["a variable for projects", "opencode", "user", { variables: { OPENCODE_DISABLE_PROJECT_CONFIG: "1" } }, null],
  [
    "a plugin of its name",
    "opencode",
    "user",
    { files: { "project/.opencode/plugin/hookctl.ts": "export {}" } },
    "DIR/project/.opencode/plugin/hookctl.ts has the name of hookctl's plugin",
  ],
  [
    "a plugin of another name",
    "opencode",
    "user",
    { files: { "project/.opencode/plugin/other.ts": "export {}" } },
    null,
  ],
  ["the user's disableAllHooks", "copilot", "user", { files: { "home/.copilot/settings.json": OFF } }, null],
  ["the user's disableAllHooks", "copilot", "user", { files: { "home/.copilot/config.json": OFF } }, null],
  [
    "the project's disableAllHooks",
    "copilot",
    "user",
    { files: { "project/.github/copilot/settings.json": OFF } },
    "disableAllHooks in DIR/project/.github/copilot/settings.json stops",
  ],
  ["no trust", "gemini", "user", {}, "the folder is not trusted"],
  ["trust by a variable", "gemini", "user", { variables: { GEMINI_CLI_TRUST_WORKSPACE: "true" } }, null],
  [
    "a variable that beats the file",
    "gemini",
    "user",
    { files: trusted("DIR/project", "DO_NOT_TRUST"), variables: { GEMINI_CLI_TRUST_WORKSPACE: "true" } },
    null,
  ],
  [
    "a variable of another value",
    "gemini",
    "user",
    { variables: { GEMINI_CLI_TRUST_WORKSPACE: "1" } },
    "the folder is not trusted",
  ],
  [
    "a variable that says no",
    "gemini",
    "user",
    { files: trusted("DIR/project", "TRUST_FOLDER"), variables: { GEMINI_CLI_TRUST_WORKSPACE: "false" } },
    "GEMINI_CLI_TRUST_WORKSPACE makes every folder untrusted",
  ],
  [
    "the restricted mode",
    "gemini",
    "user",
    { variables: { GEMINI_RESTRICTED_MODE: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" } },
    "GEMINI_RESTRICTED_MODE makes every folder untrusted",
  ],
  [
    "a folder above that is not trusted",
    "gemini",
    "user",
    { files: trusted("DIR", "DO_NOT_TRUST") },
    "this folder is not trusted",
  ],
  ["a trusted folder above", "gemini", "user", { files: trusted("DIR", "TRUST_FOLDER") }, null],
  [
    "the longer path decides",
    "gemini",
    "user",
    { files: { "home/.gemini/trustedFolders.json": '{"DIR":"TRUST_FOLDER","DIR/project":"DO_NOT_TRUST"}' } },
    "this folder is not trusted",
  ],
];

const KINDS = "switch|plugin|trust";

test.each(sampledRows(STATES))("%s: %s for %s, %j", async (_, agent, scope, { files = {}, variables = {} }, red) => {
  await using place = await workspace();
  for (const [file, text] of Object.entries(files)) await place.write(file, text.replaceAll("DIR", place.dir));
  // Copilot's and pi's trust is not looked at for the user's own hooks.
  await runInProcess(place, `install ${agent} --scope ${scope}`, { env });
  const result = await runInProcess(place, `doctor ${agent}`, { env: { ...env, PATH: "/nowhere", ...variables } });
  const found = result.stdout.split("\n").filter((line) => new RegExp(`^✖ ${agent} (?:${KINDS}): `).test(line));
  expect(found).toEqual(red === null ? [] : [expect.stringContaining(red)]);
});

test.each([
  ['{"model":"x"}', true],
  ['{"hooks":{"PreToolUse":[{"hooks":[{"command":"hookctl bridge claude --event PreToolUse "}]}]}}', false],
  ["{}", false],
  ["nonsense", false],
])("the machine's file of Claude Code is not read beside settings of its server: %s", async (text, isVoid) => {
  await using place = await workspace();
  await place.write("home/.claude/remote-settings.json", text);
  const target = { agent: AGENTS.claude, scope: "machine", projectDir: place.project, homeDir: `${place.dir}/home` };
  const host = { env: {} } as Host;
  const checks = switchFindings({ target: target as InstallTarget, text: "", lines: [], host });
  expect(checks.map(({ status }) => status)).toEqual(isVoid ? ["fail"] : []);
  if (isVoid) expect(checks[0]?.hint).toContain("hookctl init claude --scope machine --print");
});
