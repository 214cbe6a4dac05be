import { describe, expect, test } from "vitest";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { env } from "./installed-lines.ts";

const project = (text: string) => `[projects."DIR/project"]\ntrust_level = "${text}"\n`;
const state = (event: string, more = 'trusted_hash = "sha256:1"') =>
  `[hooks.state."DIR/project/.codex/hooks.json:${event}:0:0"]\n${more}\n`;
const codex = ".codex/config.toml";
const gemini = ".gemini/trustedFolders.json";
const copilot = ".copilot/config.json";
const CASES = [
  ["codex", codex, "", "✖ codex trust: the project is not trusted, so its hooks are off"],
  ["codex", codex, project("trusted"), "✖ codex trust: Codex silently skips 2 of 2 registered hooks: not trusted"],
  [
    "codex",
    codex,
    project("trusted") + state("pre_tool_use"),
    "✖ codex trust: Codex silently skips 1 of 2 registered hooks: not trusted",
  ],
  [
    "codex",
    codex,
    project("trusted") + state("pre_tool_use") + state("stop"),
    "▲ codex trust: not checked: Codex could not be asked whether the trusted hooks are unchanged",
  ],
  [
    "codex",
    codex,
    project("trusted") + state("pre_tool_use") + state("stop", "enabled = false"),
    "✖ codex trust: Codex silently skips 1 of",
  ],
  [
    "codex",
    codex,
    "[features]\nhooks = false\n",
    "✖ codex switch: features.hooks in DIR/home/.codex/config.toml stops Codex CLI from running hooks",
  ],
  ["gemini", gemini, "{}", "✖ gemini trust: the folder is not trusted"],
  ["gemini", gemini, '{"DIR":"TRUST_FOLDER"}', "✔ gemini trust: the folder is trusted"],
  ["gemini", gemini, '{"DIR/other":"TRUST_PARENT"}', "✔ gemini trust: the folder is trusted"],
  ["gemini", gemini, '{"DIR/other":"TRUST_FOLDER"}', "✖ gemini trust: the folder is not trusted"],
  ["gemini", gemini, '{"DIR/project":"DO_NOT_TRUST"}', "✖ gemini trust: this folder is not trusted"],
  [
    "gemini",
    ".gemini/settings.json",
    '{"security":{"folderTrust":{"enabled":false}}}',
    "✔ gemini trust: folder trust is off",
  ],
  ["pi", ".pi/agent/trust.json", "{}", "✖ pi trust: the folder is not trusted: pi 0.79 and later"],
  ["pi", ".pi/agent/trust.json", '{"DIR":true}', "✔ pi trust: the folder is trusted"],
  ["pi", ".pi/agent/trust.json", '{"DIR":true,"DIR/project":false}', "✖ pi trust: the folder is not trusted"],
  ["pi", ".pi/agent/settings.json", '{"defaultProjectTrust":"always"}', "✔ pi trust: the folder is trusted"],
  ["copilot", copilot, "", "✖ copilot trust: the folder is not trusted"],
  ["copilot", copilot, '{"trustedFolders":["DIR"]}', "✔ copilot trust: the folder is trusted"],
] as const;

/** What `doctor` says of the trust that these agents keep themselves. */
export function testAgentTrust(agents: readonly AgentName[]): void {
  describe("the trust that an agent still wants", () => {
    const cases = CASES.filter(([agent]) => agents.includes(agent));
    test.each(cases)("%s, %s: %j", async (agent, file, text, words) => {
      await using place = await workspace();
      const events = agent === "codex" ? " --events PreToolUse,Stop" : "";
      await runInProcess(place, `install ${agent}${events}`, { env });
      await place.write(`home/${file}`, text.replaceAll("DIR", place.dir));
      // Nothing of the bridge is asked here: without a PATH, also in a login shell, the registered line ends at once.
      const without = { ...env, PATH: "/nowhere" };
      await place.write("home/.profile", "PATH=/nowhere\n");
      expect((await runInProcess(place, `doctor ${agent}`, { env: without })).stdout).toContain(words);
    });
  });
}
