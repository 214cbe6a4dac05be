import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { analyzeCommand } from "../../command/analyze.ts";
import { compact } from "./compact.ts";
import { command } from "./random/commands.ts";
import { explains } from "./random/explains.ts";
import { BASH, type RealCall, runInShell, stubFolder } from "./random/real-shell.ts";

const COMMANDS = 150;

describe.skipIf(BASH === null)("each program that a real bash starts is found (skipped without bash)", () => {
  const stubs = stubFolder();
  afterAll(stubs.remove);

  test("for random commands, whose programs record how they were started", { tags: "slow" }, () => {
    // The same commands in each run, as for all properties: see test/setup/properties.ts.
    const seed = Number(process.env.HOOKCTL_TEST_SEED ?? 1);
    const texts = fc.sample(command, { numRuns: COMMANDS, seed }).map((text, at) => prepared(text, at, stubs.stubs));
    const real = runInShell(texts, stubs);
    const missed = texts.flatMap((text, at) => missedIn(text, real[at] ?? [], stubs));
    expect(missed, `seed ${seed}`).toEqual([]);
    expect(real.flatMap((calls) => calls ?? []).length).toBeGreaterThan(COMMANDS / 2);
  });
});

/** In every other command the variables are known to be unset. */
const prepared = (text: string, at: number, stubs: string): string =>
  (at % 2 === 0 ? "" : "unset x y Z; set --\n") + text.replaceAll("/STUBS", stubs);

function missedIn(text: string, real: readonly RealCall[], { folder, home }: { folder: string; home: string }) {
  const { calls, gaps } = analyzeCommand(text, { folder, home, project: folder, variables: {} });
  if (gaps.length > 0) return [];
  const missed = real.filter((one) => !calls.some((call) => explains(call, one)));
  return missed.map((one) => ({ text, real: one, found: calls.map(compact) }));
}
