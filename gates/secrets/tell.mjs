// One response on its way into the record, stderr and the JSON, without a process: for the many.

/** @import { Hook } from "../../src/protocol/hook.ts" */
/** @import { HookResult } from "../../src/protocol/hook-response.ts" */
/** @import { Payload } from "../../src/protocol/payload/payload.ts" */

/** @type {Hook} */
const HOOK = {
  name: "h",
  path: "/h",
  source: "user",
  kind: "executable",
  projectDir: null,
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
  readsEnv: false,
  disabledReason: null,
  trust: "trusted",
  state: "ready",
  refusal: null,
  entry: null,
  hash: null,
  outputLimit: null,
  isWeakenedBySettings: false,
  shadows: null,
};
const AT = { hook: HOOK.name, path: HOOK.path };

/** @import { GateContext } from "../gate.mjs" */

/** @typedef {(said: import("./places.mjs").Said, env: Readonly<Record<string, string>>) => Promise<Record<string, string>>} Tell */

/** @param {GateContext["built"]} built @returns {Promise<Tell>} */
export async function teller(built) {
  const [{ readResponse }, { runChain, verdictOf }] = await Promise.all([
    built("src/dialects/response/read-response.js"),
    built("src/chain/advance.js"),
  ]);
  const { createRedactor, redactResult } = await built("src/audit/redact.js");
  const { makeRunRecord } = await built("src/engine/run/run-record.js");
  const [{ describeCall, runLine }, { runJson }, { runText, verboseText }] = await Promise.all([
    built("src/audit/log-lines.js"),
    built("src/report/run/run-json.js"),
    built("src/report/run/run-text.js"),
  ]);
  const { PLAIN_STYLE } = await built("src/report/text-style.js");
  const { DIALECTS } = await built("src/dialects/dialects.js");
  const { outcomeProblem } = await built("src/process/outcome-problem.js");
  const { headAndTail } = await built("src/process/bounded-output.js");
  const { readPayload } = await built("src/protocol/payload/payload.js");
  const { payloadLine } = await built("src/audit/payload-log.js");
  return async ({ stdout, stderr, exitCode, session = "", call = {}, project = "/" }, env) => {
    const sent = { tool_name: "bash", tool_input: {}, conv_id: session, cwd: project, ...call };
    const read = readPayload("before_tool_call", JSON.stringify(sent), "/");
    if (!read.ok) throw new Error(JSON.stringify(read.error));
    /** @type {Payload} */
    const payload = read.value;
    const redact = createRedactor(env);
    const kept = headAndTail();
    kept.add(Buffer.from(stderr));
    const outcome = {
      ...{ termination: { kind: /** @type {const} */ ("exited"), exitCode }, stderr: kept.text() },
      ...{ stdout: Buffer.from(stdout), durationMs: 1, killedDescendants: 0 },
    };
    const problem = outcomeProblem(AT, outcome);
    const response =
      problem === null
        ? readResponse(HOOK, payload.event, Buffer.from(stdout))
        : { ok: /** @type {const} */ (false), error: problem };
    /** @type {HookResult} */
    const result = {
      response,
      wasNotInvoked: false,
      exitCode,
      signal: null,
      durationMs: 1,
      stderr: outcome.stderr,
      warnings: [],
    };
    const state = await runChain([HOOK], payload, { invoke: async () => redactResult(result, redact) });
    const run = makeRunRecord({ verdict: verdictOf(state), runId: "r", durationMs: 1, redact });
    const origin = {
      project: redact(project),
      agent: null,
      user: "root",
      call: describeCall(payload.members, redact),
      trace: null,
    };
    const native = { event: "PreToolUse", members: payload.members };
    const answer = DIALECTS.kodelet.formatVerdict(run.verdict);
    return {
      record: runLine({ run, origin, isoTime: "t", interruptedBy: null, hash: () => "hash", policy: "hash" }),
      payloads: payloadLine({ run, origin, isoTime: "t", native, redact }),
      stdout: runJson(run, answer),
      stderr: runText(run, PLAIN_STYLE) + verboseText(run, 2),
    };
  };
}
