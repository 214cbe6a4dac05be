import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { membersOf, spanOfRaw } from "../../../../src/protocol/json/read.ts";
import { runMain } from "../../../../test/support/in-process.ts";
import { sampledRows } from "../../../../test/support/property-runs.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { AGENTS } from "../../../agents/agents.ts";
import { translatedCall } from "../../../agents/native-payload.ts";
import { nativeSamples } from "../../../agents/native-samples.ts";

/** The agents' payloads of a shell call, with another command. */
async function shellCalls(agent: (typeof AGENT_NAMES)[number], folder: string, command: string) {
  const samples = await nativeSamples(agent, folder);
  const raising = Object.entries(AGENTS[agent].events).flatMap(([event, row]) =>
    row.raises.filter((one) => one.event === "before_tool_call").map((raised) => ({ event, raised })),
  );
  return raising.flatMap(({ event, raised }) =>
    samples(event).flatMap(({ payload }) => {
      const raw = payload.raw.replaceAll(
        /("(?:command|cmd)"\s*:\s*)"(?:[^"\\]|\\.)*"/g,
        `$1${JSON.stringify(command)}`,
      );
      const isShell = translatedCall(AGENTS[agent], raised, membersOf(payload))?.portable.tool === "bash";
      return raw === payload.raw || !isShell ? [] : [{ event, stdin: spanOfRaw(raw).raw }];
    }),
  );
}

describe("npm publish asks the person, in every agent, by one command", () => {
  test.each(sampledRows(AGENT_NAMES))("%s", async (agent) => {
    await using place = await workspace();
    const asked = await runMain(place, ["ask", "npm publish *"]);
    expect(asked).toMatchObject({ stderr: "", code: 0 });
    for (const [command, isStopped] of [
      ["cd web && npm publish --tag next", true],
      ["npm test", false],
    ] as const) {
      const sent = await shellCalls(agent, place.project, command);
      expect(sent).not.toEqual([]);
      for (const { event, stdin } of sent) {
        const { stdout, code } = await runMain(place, ["bridge", agent, "--event", event, "-q"], { stdin });
        expect({ event, stdin, code, stdout, isStopped: /npm publish/.test(stdout) }).toMatchObject({
          code: 0,
          isStopped,
        });
        expect(stdout).not.toContain("hookctl allow npm");
      }
    }
  });
});
