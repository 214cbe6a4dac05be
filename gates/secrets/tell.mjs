// One reply the whole way to all that is told about it, without a process: for the many.

const HOOK = {
  name: "h",
  path: "/h",
  source: "user",
  kind: "executable",
  rank: 0,
  events: ["before_tool_call"],
  mentionedEvents: [],
  dialect: "kodelet",
  priority: 100,
  failOpen: true,
  observe: false,
  timeoutMs: 1_000,
  match: null,
  background: false,
  disabledReason: null,
  trust: "trusted",
  state: "ready",
  refusal: null,
  entry: null,
  hash: null,
  shadows: null,
};
const AT = { hook: HOOK.name, path: HOOK.path };

/** @typedef {(said: import("./places.mjs").Said, env: Readonly<Record<string, string>>) => Promise<Record<string, string>>} Tell */

/** @param {(module: string) => Promise<any>} built @returns {Promise<Tell>} */
export async function teller(built) {
  const [{ readResponse }, { runChain }, { verdictOf }] = await Promise.all([
    built("dialects/read-response.js"),
    built("chain/run-chain.js"),
    built("chain/advance.js"),
  ]);
  const { createRedactor } = await built("audit/redact.js");
  const { makeRunRecord, redactResult } = await built("engine/run/run-record.js");
  const [{ runLine }, { runJson }, { runText }, { verboseText }] = await Promise.all([
    built("audit/log-lines.js"),
    built("report/run-json.js"),
    built("report/run-text.js"),
    built("report/verbose-text.js"),
  ]);
  const { PLAIN } = await built("report/style.js");
  const { DIALECTS } = await built("dialects/dialects.js");
  const { outcomeProblem } = await built("process/outcome-problem.js");
  const { headAndTail } = await built("process/output.js");
  return async ({ stdout, stderr, exitCode, session = "" }, env) => {
    const payload = { event: "before_tool_call", session, cwd: "/", members: new Map() };
    const redact = createRedactor(env);
    const kept = headAndTail();
    kept.add(Buffer.from(stderr));
    const outcome = { termination: { kind: "exited", exitCode }, stderr: kept.text(), killedDescendants: 0 };
    const problem = outcomeProblem(AT, outcome);
    const reply =
      problem === null ? readResponse(HOOK, payload.event, Buffer.from(stdout)) : { ok: false, error: problem };
    const asked = {
      response: reply,
      wasNotInvoked: false,
      exitCode,
      signal: null,
      durationMs: 1,
      stderr: outcome.stderr,
      warnings: [],
    };
    const state = await runChain([HOOK], payload, async () => redactResult(asked, redact));
    const run = makeRunRecord({ verdict: verdictOf(state), runId: "r", durationMs: 1, redact });
    const result = DIALECTS.kodelet.formatVerdict(run.verdict);
    return {
      record: runLine({ run, isoTime: "t", interruptedBy: null, hash: (/** @type {string} */ text) => text }),
      stdout: runJson(run, result),
      stderr: runText(run, PLAIN) + verboseText(run, 2),
    };
  };
}
