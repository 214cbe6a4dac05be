import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { blockingArgument } from "../../packages/authoring/commands/hook-template.ts";
import { nodeLoaderVariables } from "../../src/discover/node-loader.ts";
import { EVENT_ROWS, type EventName } from "../../src/protocol/event.ts";
import { runInProcess } from "../support/in-process.ts";
import { runProgram, type Workspace, workspace } from "../support/workspace.ts";

export const env = { PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };

/** What the sample hook of an event answers to its word, by what a block does there. */
function answerOf(event: EventName): { readonly code: number; readonly result: object } {
  const { onBlock, mayFollowUp } = EVENT_ROWS[event];
  if (mayFollowUp === true) {
    return { code: 0, result: { follow_up_messages: ["Something is not allowed here. Please look again."] } };
  }
  if (onBlock === "ignore") return { code: 0, result: { system_message: "Something is not allowed here." } };
  return { code: 2, result: { blocked: true, reason: "Not allowed here. Ask a person to do it." } };
}

async function runNew(place: Workspace, event: EventName, set: string): Promise<unknown> {
  const sample = await runInProcess(place, `payload ${event} ${set}`);
  const result = await runInProcess(place, `run ${event} -q`, {
    stdin: sample.stdout.replaceAll("DIR", place.dir),
    env,
  });
  return { code: result.code, stderr: result.stderr, result: JSON.parse(result.stdout) };
}

const ENDINGS = { bash: "", python: "", node: "", typescript: ".mts" } as const;
type Language = keyof typeof ENDINGS;

/** Each of these events in each of these languages: what `new` writes there answers as it should, and its test cases pass. */
export function testNewHooks(events: readonly EventName[], languages: readonly Language[]): void {
  describe.each(languages)("%s", (lang) => {
    const file = `project/.kodelet/hooks/guard${ENDINGS[lang]}`;

    test.each(events)("writes a file for %s without a gap, that answers, and only to its word", async (event) => {
      await using place = await workspace();
      const made = await runInProcess(place, `new guard --event ${event} --lang ${lang}`, { env });
      expect(made).toMatchObject({ stderr: "", code: 0 });
      const text = (await place.read(file)) ?? "";
      expect(text).toMatch(/^#!\/usr\/bin\/env /);
      expect(text).not.toMatch(/@[A-Z]+@|undefined| \n/);
      const row = EVENT_ROWS[event];
      for (const field of Object.keys(row.fields)) expect(text).toContain(field);
      expect((await stat(join(place.dir, file))).mode & 0o777).toBe(0o755);
      const { code, result } = answerOf(event);
      const silent = await runNew(place, event, "");
      expect(silent).toMatchObject({ code: 0, stderr: "" });
      expect(silent).not.toMatchObject({ result });
      expect(await runNew(place, event, blockingArgument(row, "forbidden"))).toMatchObject({ code, result });
    });

    test.each(events)("declares fail-closed if %s can be blocked", async (event) => {
      await using place = await workspace();
      await runInProcess(place, `new guard --event ${event} --lang ${lang}`, { env });
      const listed = await runInProcess(place, "list --json", { env });
      const canBlock = EVENT_ROWS[event].onBlock === "deny";
      expect(JSON.parse(listed.stdout)).toMatchObject({ hooks: [{ fail_open: !canBlock }] });
      expect(/fail_?open/i.test((await place.read(file)) ?? "")).toBe(canBlock);
    });

    test.each(events)("writes test cases for %s that pass, of which one fails without the hook", async (event) => {
      await using place = await workspace();
      await runInProcess(place, `new guard --event ${event} --lang ${lang}`, { env });
      const report = await runInProcess(place, "test guard --json", { env });
      expect(report).toMatchObject({ code: 0 });
      expect(caseResults(report.stdout)).toEqual([true, true]);
      await place.write(file, `#!/bin/sh\n[ "$1" = run ] || echo ${event}\n`, 0o755);
      const without = await runInProcess(place, `test ./${file.slice("project/".length)} --json`, { env });
      const { onBlock, mayFollowUp } = EVENT_ROWS[event];
      expect(caseResults(without.stdout)).toEqual([onBlock === "ignore" && mayFollowUp !== true, true]);
    });

    test("says that it does not know another verb", async () => {
      await using place = await workspace();
      await runInProcess(place, `new guard --event agent_stop --lang ${lang}`, { env });
      const path = join(place.dir, file);
      const started = { env: { ...env, ...nodeLoaderVariables(path, undefined) } };
      expect(await runProgram([path, "dance"], started)).toMatchObject({
        stdout: "",
        stderr: expect.stringContaining("hook|run"),
        code: 64,
      });
    });
  });
}

interface ShownCheck {
  readonly passed: boolean;
  readonly case_file: string | null;
}

/** Which test cases passed. */
function caseResults(json: string): readonly boolean[] {
  const { hooks } = JSON.parse(json) as { readonly hooks: readonly { readonly checks: readonly ShownCheck[] }[] };
  const checks = hooks.flatMap((hook) => hook.checks);
  return checks.filter((check) => (check.case_file ?? null) !== null).map(({ passed }) => passed);
}
