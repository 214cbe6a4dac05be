import type { Checkup } from "../../../src/protocol/doctor-check.ts";

/** What a check found. Without a name it has the name of its check. */
export type Finding = Omit<Checkup, "name"> & { readonly name?: string };

const findingOf =
  (status: Finding["status"]) =>
  (detail: string, hint: string | null = null): Finding => ({ status, detail, hint });

export const fine = findingOf("ok");
export const unchecked = findingOf("unchecked");
export const doubtful = findingOf("warn");
export const broken = findingOf("fail");

/** A row of doctor: its name in the output, and what it finds in the facts. */
export interface Check<Facts> {
  readonly name: string;
  readonly find: (facts: Facts) => Findings | Promise<Findings>;
}
export type Findings = Finding | readonly Finding[];

/** Runs checks one after another. The prefix precedes their names. */
export async function runChecks<F>(checks: readonly Check<F>[], facts: F, prefix = ""): Promise<readonly Checkup[]> {
  const found: Checkup[] = [];
  for (const { name, find } of checks) {
    const findings = [await find(facts)].flat();
    found.push(...findings.map((finding) => ({ ...finding, name: `${prefix}${finding.name ?? name}` })));
  }
  return found;
}
