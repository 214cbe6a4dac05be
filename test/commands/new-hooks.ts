import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { blockingSample, watchedField } from "../../src/commands/scaffold/hook-template.ts";
import { type EventName, eventRow } from "../../src/protocol/event.ts";
import { runInProcess } from "../support/in-process.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

export const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const canStripTypes = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18);

/** What the sample hook of an event answers to its word, by what a block does there. */
function answerOf(event: EventName): { readonly code: number; readonly result: object } {
  const { onBlock, mayFollowUp } = eventRow(event);
  if (mayFollowUp === true) {
    return { code: 0, result: { follow_up_messages: ["Something is forbidden. Please look again."] } };
  }
  if (onBlock === "ignore") return { code: 0, result: { system_message: "Something is forbidden." } };
  return { code: 2, result: { blocked: true, reason: "Something is forbidden." } };
}

async function runNew(place: Workspace, event: EventName, set: string): Promise<unknown> {
  const sample = await runInProcess(place, `payload ${event} ${set}`);
  const result = await runInProcess(place, `run ${event} -q`, {
    stdin: sample.stdout.replaceAll("DIR", place.dir),
    env,
  });
  return { code: result.code, stderr: result.stderr, result: JSON.parse(result.stdout) };
}

const LANGUAGES = [
  { lang: "bash", canRun: true, ending: "" },
  { lang: "python", canRun: true, ending: "" },
  { lang: "node", canRun: true, ending: "" },
  { lang: "typescript", canRun: canStripTypes, ending: ".mts" },
] as const;
type Language = (typeof LANGUAGES)[number];

/** Each of these events in each of these languages: what `new` writes there answers as it should. */
export function testNewHooks(events: readonly EventName[], languages: readonly Language["lang"][]): void {
  const chosen = LANGUAGES.filter(({ lang }) => languages.includes(lang));
  describe.each(chosen)("$lang", ({ lang, canRun, ending }) => {
    async function writesWithoutGap(place: Workspace, event: EventName): Promise<void> {
      const made = await runInProcess(place, `new guard --event ${event} --lang ${lang}`, { env });
      expect(made).toMatchObject({ stderr: "", code: 0 });
      const text = (await place.read(`project/.kodelet/hooks/guard${ending}`)) ?? "";
      expect(text).toMatch(/^#!\/usr\/bin\/env /);
      expect(text).not.toMatch(/@[A-Z]+@|undefined| \n/);
      for (const field of Object.keys(eventRow(event).fields)) expect(text).toContain(field);
      expect((await stat(join(place.project, `.kodelet/hooks/guard${ending}`))).mode & 0o777).toBe(0o755);
    }

    test.skipIf(canRun).each(events)("writes a file for %s that its owner may run, without a gap", async (event) => {
      await using place = await workspace();
      await writesWithoutGap(place, event);
    });

    const note = canRun ? "" : ` (this node, ${process.versions.node}, cannot leave types out)`;
    test.skipIf(!canRun).each(events)(
      `writes a file for %s without a gap, that answers, and only to its word${note}`,
      async (event) => {
        await using place = await workspace();
        await writesWithoutGap(place, event);
        const row = eventRow(event);
        const { code, result } = answerOf(event);
        const silent = await runNew(place, event, "");
        expect(silent).toMatchObject({ code: 0, stderr: "" });
        expect(silent).not.toMatchObject({ result });
        expect(await runNew(place, event, `--set ${watchedField(row)}=${blockingSample(row)}`)).toMatchObject({
          code,
          result,
        });
      },
    );

    test.skipIf(!canRun)(`says that it does not know another verb${note}`, async () => {
      await using place = await workspace();
      await runInProcess(place, `new guard --event agent_stop --lang ${lang}`, { env });
      expect(await runProgram([join(place.project, `.kodelet/hooks/guard${ending}`), "dance"], { env })).toMatchObject({
        stdout: "",
        stderr: expect.stringContaining("hook|run"),
        code: 64,
      });
    });
  });
}
