import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";

/** The registered line starts Node by its name. */
export const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, SHELL: "/bin/sh" };

/** What a person does in the agent itself, so that it runs the hooks of the project. */
const TRUSTED: Partial<Record<AgentName, readonly [file: string, text: string]>> = {
  codex: [
    ".codex/config.toml",
    `[projects."DIR/project"]\ntrust_level = "trusted"\n${[
      "pre_tool_use",
      "permission_request",
      "post_tool_use",
      "user_prompt_submit",
      "session_start",
      "pre_compact",
    ]
      .map((event) => `[hooks.state."DIR/project/.codex/hooks.json:${event}:0:0"]\ntrusted_hash = "sha256:1"\n`)
      .join("")}`,
  ],
  gemini: [".gemini/trustedFolders.json", '{"DIR":"TRUST_FOLDER"}'],
  copilot: [".copilot/config.json", '{"trustedFolders":["DIR"]}'],
  pi: [".pi/agent/trust.json", '{"DIR":true}'],
};

async function trustedBy(agent: AgentName, place: Workspace): Promise<void> {
  const [file, text] = TRUSTED[agent] ?? [];
  if (file !== undefined) await place.write(`home/${file}`, (text ?? "").replaceAll("DIR", place.dir));
}

/** What `doctor` finds out about the line that `install` wrote for each of these agents. */
export function testInstalledLines(agents: readonly AgentName[]): void {
  describe.each(agents)("%s", (agent) => {
    const { sampleShellCall } = AGENTS[agent];
    const shown = AGENTS[agent].settings.files.project;

    test("the line that install wrote blocks and allows, and nobody's hooks or record take part", async () => {
      await using place = await workspace();
      await place.hook("mine", `touch ${place.dir}/ran`);
      await trustedBy(agent, place);
      await runInProcess(place, `install ${agent}`, { env });
      const result = await runInProcess(place, `doctor ${agent}`, { env });
      expect(result).toMatchObject({ stderr: "", code: 0 });
      expect(result.stdout).toContain(`✔ ${agent} entry: ${shown} registers `);
      expect(result.stdout).toMatch(new RegExp(`✔ ${agent} program: /bin/sh -l?c finds `));
      expect(result.stdout).toContain(
        `✔ ${agent} bridge: a test ${sampleShellCall.event} was blocked and allowed as expected\n`,
      );
      expect(result.stdout).toContain(`✔ ${agent} events: the events of your hooks are registered\n`);
      expect(await place.read("ran")).toBeNull();
      expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toBeNull();
    });

    test("a line that also fails closed works as well", async () => {
      await using place = await workspace();
      await runInProcess(place, `install ${agent} --fail-closed`, { env });
      const result = await runInProcess(place, `doctor ${agent}`, { env });
      expect(result.stdout).toContain(`✔ ${agent} bridge: `);
    });
  });
}
