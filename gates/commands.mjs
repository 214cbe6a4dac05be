// Mutated shell commands: the analysis of a command never throws, ends soon, and says what it did not follow.
import { drawCommand, mutated } from "./commands/mutate.mjs";
import { casesAt, judgeAll, number } from "./gate.mjs";
import { randomFrom } from "./random.mjs";

/** @import { GateContext, Outcome } from "./gate.mjs" */

const COMMANDS = 100_000;
/** Processor time of one command that nobody waits for: a thousand times what a usual one takes. */
const MOST_CPU_MS = 2_000;
const PLACE = { folder: "/home/dev/project", home: "/home/dev", project: "/home/dev/project", variables: {} };

/** @param {GateContext} context @returns {Promise<Outcome>} */
export async function commands({ built, scale, seed }) {
  const { analyzeCommand } = await built("packages/guards/command/analyze.js");
  const { fileAccessesOf } = await built("packages/guards/command/files/file-access.js");
  const { shellParser } = await built("src/shell/load-parser.js");
  const random = randomFrom(seed, "commands");
  const total = casesAt(COMMANDS, scale);
  const count = { calls: 0, gaps: 0, broken: 0, silent: 0, slow: 0, thrown: 0 };
  /** @param {string} text @returns {"silent" | "slow" | "thrown" | null} */
  const faultOf = (text) => {
    const before = process.cpuUsage();
    try {
      const { calls, gaps } = analyzeCommand(text, PLACE);
      for (const call of calls) fileAccessesOf(call);
      count.calls += calls.length;
      if (gaps.length > 0) count.gaps++;
      const isBroken = (shellParser().parse(text).errors?.length ?? 0) > 0;
      if (isBroken) count.broken++;
      if (isBroken && gaps.length === 0) return "silent";
    } catch {
      return "thrown";
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 > MOST_CPU_MS ? "slow" : null;
  };
  const { faults, samples } = await judgeAll(total, () => {
    const text = mutated(random, drawCommand(random));
    const fault = faultOf(text);
    if (fault === null) return null;
    count[fault]++;
    return `${fault}: ${JSON.stringify(text.slice(0, 300))}`;
  });
  return {
    isMet: faults === 0 && count.calls > total / 2 && count.broken > 0,
    figures: `${number(total)} mutated commands (${number(count.calls)} calls, ${number(count.gaps)} with a gap, ${number(count.broken)} not valid): ${count.thrown} thrown, ${count.slow} slow, ${count.silent} not valid without a gap`,
    notes: samples,
  };
}
