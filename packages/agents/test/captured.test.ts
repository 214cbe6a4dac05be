import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../../src/audit/redact.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { payloadFromMembers } from "../../../src/protocol/payload/payload.ts";
import { sampledRows } from "../../../test/support/property-runs.ts";
import { AGENTS } from "../agents.ts";
import { canonicalFields } from "../native-payload.ts";
import { samplesOf } from "../native-samples.ts";
import { answered, HONOURED, heard, keysOf, type Said, VERDICTS } from "./verdicts.ts";

/** `captured`: as real agents have sent them; `payloads`: written after their documentation. */
const root = fileURLToPath(new URL("../../../test/fixtures/agents", import.meta.url));

const samples = ["payloads", "captured"].flatMap((kind) =>
  AGENT_NAMES.flatMap((agent) => {
    const folder = join(root, kind, agent);
    return filesIn(folder).map((name) => {
      const sample: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
      const event = basename(name, ".json").replace(/[.-].*$/, "");
      return { title: `${kind}/${agent}/${name}`, agent, event, sample };
    });
  }),
);

const sent = await Promise.all(
  AGENT_NAMES.map(async (agent) =>
    Object.entries((await samplesOf(agent)).captured).flatMap(([event, variants]) =>
      Object.entries(variants).map(([name, sample]) => ({ title: `${agent} ${event} ${name}`, agent, event, sample })),
    ),
  ),
);

function filesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const known = [...samples, ...sent.flat()].filter(({ agent, event }) => AGENTS[agent].events[event] !== undefined);
const unknown = samples.filter((sample) => !known.includes(sample)).map(({ title }) => title);

describe("payloads of real agents", () => {
  test.each(sampledRows(known))("$title becomes valid payloads", ({ agent, event, sample }) => {
    const { row, native, members } = heard(agent, event, sample);
    for (const raised of row.raises.filter(({ when }) => when?.(members) ?? true)) {
      const payload = payloadFromMembers(
        raised.event,
        canonicalFields(AGENTS[agent], event, raised, native).members,
        "/",
      );
      expect(payload).toMatchObject({ ok: true, value: { event: raised.event } });
    }
  });

  test.each(sampledRows(known))(
    "$title keeps its session id in the record, whatever variable of the agent holds it",
    (one) => {
      const { row, native } = heard(one.agent, one.event, one.sample);
      for (const raised of row.raises) {
        const fields = canonicalFields(AGENTS[one.agent], one.event, raised, native).members;
        const { session = "" } = JSON.parse(`{"session":${fields.get("conv_id")?.raw ?? '""'}}`) as {
          session?: string;
        };
        const env = Object.fromEntries(["X_SESSION_ID", "SESSION", "X_SESSION"].map((name) => [name, session]));
        const redact = createRedactor({ ...env, API_TOKEN: "a1b2c3d4e5f6a7b8" }, session);
        expect(redact(`${session} a1b2c3d4e5f6a7b8`)).toBe(`${session} [redacted]`);
      }
    },
  );

  test.each(sampledRows(known))("$title gives hooks the arguments that it has", ({ agent, event, sample }) => {
    const { row, native, members } = heard(agent, event, sample);
    const hasArguments = ["toolArgs", "toolInput", "tool_input", "input"].some(
      (key) => !["{}", '""', undefined].includes(members.get(key)?.raw),
    );
    for (const raised of row.raises.filter(({ fields }) => hasArguments && fields.tool_input !== undefined)) {
      const fields = canonicalFields(AGENTS[agent], event, raised, native);
      expect(fields.members.get("tool_input")?.raw).not.toBe("{}");
    }
  });

  // ConfigChange raises no event of hooks: hookctl itself judges the change.
  test.each(sampledRows(known).filter(({ agent, event }) => (AGENTS[agent].events[event]?.raises.length ?? 0) > 0))(
    "$title is answered with keys that are honoured, whatever the verdict",
    ({ agent, event, sample }) => {
      for (const said of Object.keys(VERDICTS) as Said[]) {
        const { answer } = answered(agent, event, said, sample);
        expect(keysOf(answer).filter((key) => !HONOURED[agent].includes(key))).toEqual([]);
      }
    },
  );

  test("events without a row are those that nothing here stands for", () => {
    expect([...unknown].sort()).toEqual(
      [
        ...["copilot/userPromptTransformed.json", "cursor/afterFileEdit.json", "cursor/afterMCPExecution.json"],
        ...["cursor/afterShellExecution.json", "gemini/BeforeToolSelection.json"],
      ].map((name) => `payloads/${name}`),
    );
  });
});
