import { expect, test } from "vitest";
import type { AgentName } from "../../../../src/protocol/agent-names.ts";
import { type CommandResult, runProgram } from "../../../../test/support/workspace.ts";
import type { Registration } from "../../../agents/agent-install.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { createRegistrations } from "../../install/create-registrations.ts";

const MISSING = ["hookctl", '"/nowhere/hookctl.js"', '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/hookctl'];

/** Starts a registered line where there is no hookctl. */
export const runWithout = (command: string): Promise<CommandResult> =>
  runProgram(["/bin/sh", "-c", command], { env: { PATH: "/usr/bin:/bin" }, stdin: "{}" });

/** Each line of each agent is started. */
export function testAllowing(agents: readonly AgentName[]): void {
  test.each(agents)(
    "%s: a committed line without hookctl allows, and tells once in a session what to do",
    async (name) => {
      for (const { finished } of await openLines(name, "project")) expect(finished.code).toBe(0);
      for (const program of MISSING) {
        const told = (await openLines(name, "project", program)).filter(({ finished }) => said(finished) !== "");
        expect(told).toHaveLength(1);
      }
    },
  );

  test.each(agents)(
    "%s: each open line of the user and the machine allows without hookctl, and names the file to edit",
    async (name) => {
      const { events, withoutProgram } = AGENTS[name];
      for (const scope of ["user", "machine"] as const) {
        for (const { event, finished } of await openLines(name, scope)) {
          expect(said(finished)).toContain("remove the entries of hookctl from settings.json");
          const isTold = events[event]?.answers.notify !== undefined;
          // Only an agent that goes on may get another exit code, with which it shows the message.
          expect(finished.code).toBe(isTold || withoutProgram !== "allows" ? 0 : 127);
        }
      }
    },
  );
}

async function openLines(name: AgentName, scope: "project" | "user" | "machine", program = MISSING[0] ?? "") {
  const agent = AGENTS[name];
  const at = { agent, scope, shown: "settings.json" } as const;
  const lines = createRegistrations(at, program, { events: Object.keys(agent.events), failClosed: false });
  const run = async ({ event, command }: Registration) => ({ event, finished: await runWithout(command) });
  return Promise.all(lines.map(run));
}

/** What hookctl's line says, in a message for the person or on stderr, beside the shell's own words. */
function said({ stdout, stderr }: CommandResult): string {
  if (stdout !== "") expect(JSON.parse(stdout)).toBeTypeOf("object");
  return [stdout, ...stderr.split("\n")].filter((text) => text.includes("hookctl is not installed")).join("\n");
}
