import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "./bubblewrap.ts";
import { type Probe, type ProbePlace, runProbe } from "./probe.ts";

/** Each probe twice: without a sandbox it has to succeed, or the test would show nothing; in the sandbox it may not. */
export function describeProbes(subject: string, probes: readonly Probe[], place: ProbePlace = {}): void {
  describe.skipIf(missingHere !== null)(`${subject}${unlessMissing}`, () => {
    for (const probe of probes) {
      const { cannot = null } = probe;
      test.skipIf(cannot !== null)(`${probe.title}${cannot === null ? "" : ` (skipped: ${cannot})`}`, async () => {
        const control = await runProbe(probe, "off", place);
        expect(control, control.said).toMatchObject({ escaped: true });
        const caged = await runProbe(probe, probe.sandbox ?? "require", place);
        expect(caged.said).toMatch(/^tried/);
        expect(caged, caged.said).toMatchObject({ escaped: false });
      });
    }
  });
}
