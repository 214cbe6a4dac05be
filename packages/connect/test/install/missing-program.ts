import { expect, test } from "vitest";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { type CommandResult, runProgram } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { createRegistrations } from "../../install/create-registrations.ts";

const MISSING = ["hookctl", '"/nowhere/hookctl.js"', '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookctl'];

/** Starts a registered line where there is no hookctl. */
export const runWithout = (command: string): Promise<CommandResult> =>
  runProgram(["/bin/sh", "-c", command], { env: { PATH: "/usr/bin:/bin" }, stdin: "{}" });

/** Each line of each agent is started. */
export function testAllowing(agents: readonly AgentName[]): void {
  test.each(agents)(
    "%s: a committed line without hookctl allows, and tells once in a session what to install",
    async (name) => {
      for (const program of MISSING) {
        const agent = AGENTS[name];
        const place = { agent, scope: "project", shown: "settings.json" } as const;
        const lines = createRegistrations(place, program, { events: Object.keys(agent.events), failClosed: false });
        const result = [];
        for (const { command } of lines) {
          const finished = await runWithout(command);
          expect(finished.code).toBe(0);
          if (finished.stdout !== "") expect(JSON.parse(finished.stdout)).toBeTypeOf("object");
          result.push(finished.stdout + finished.stderr);
        }
        expect(result.filter((text) => text.includes("To repair it: "))).toHaveLength(1);
        expect(result.filter((text) => text !== "")).toHaveLength(1);
      }
    },
  );
}
