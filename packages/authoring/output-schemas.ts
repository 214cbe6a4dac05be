import * as z from "zod";

const text = z.string();
const texts = z.array(text);
const flag = z.boolean();
const number = z.number();
const orNull = <T extends z.ZodType>(one: T) => one.nullable();
const list = (shape: z.ZodRawShape) => z.array(z.strictObject(shape));
/** Objects whose further keys depend on the case. */
const some = (shape: z.ZodRawShape) => z.looseObject(shape);

const failure = z.strictObject({ code: text, message: text, hint: text });
const lastBlock = orNull(some({ run_id: text, time: text, decided_by: orNull(text) }));
const trust = z.enum(["trusted", "untrusted", "changed", "denied", "unusable"]).or(text);
const decision = z.enum(["continue", "block", "halt", "ask"]);
const counts = z.record(text, number);

const runHook = some({
  ...{ name: text, path: text, source: text, kind: text, outcome: text, trust, fail_open: flag },
  ...{ exit_code: orNull(number), signal: orNull(text), duration_ms: number, stderr: text, sandbox: orNull(text) },
  ...{ failure: failure.optional(), why: text.optional() },
});

const record = some({
  ...{ schema: z.literal("hookctl.record/1"), time: text, kind: text.optional(), run_id: text.optional() },
  ...{
    event: text.optional(),
    project: text.optional(),
    decision: decision.optional(),
    duration_ms: number.optional(),
  },
  hooks: z.array(some({ name: text, source: text, path: text, outcome: text, duration_ms: number })).optional(),
});

const agentFiles = list({ path: text, changed: flag, before: orNull(text), after: orNull(text) });
const ofAgent = { agent: text, scope: text, dry_run: flag, files: agentFiles };
const said = { value: z.json(), origin: text, file: orNull(text) };

/** The keys of each answer with `--json` beside `schema`, by its name. */
const KEYS: Readonly<Record<string, z.ZodRawShape>> = {
  "hookctl.problem/1": { code: text, message: text, hint: text },
  "hookctl.run/1": {
    ...{ run_id: text, event: text, decision, reason: orNull(text), decided_by: orNull(text), rule: text.optional() },
    ...{ result: z.record(text, z.json()), hooks: z.array(runHook), warnings: texts, duration_ms: number },
    hook_driven_turns: z.strictObject({ count: number, limit: number, over: flag }).optional(),
    guard_warnings: z.array(some({})).optional(),
  },
  "hookctl.list/1": {
    hooks: z.array(
      some({
        ...{ name: text, path: text, source: text, kind: text, events: texts, claims: texts, priority: number },
        ...{ fail_open: flag, observe: flag, timeout_ms: number, dialect: text, match: z.json(), trust, enabled: flag },
      }),
    ),
    skipped: list({ name: text, path: text, reason: text, detail: text }),
    ...{ searched: texts, warnings: texts },
  },
  "hookctl.test/1": {
    hooks: z.array(
      some({
        ...{ name: text, path: text, passed: flag, notes: texts },
        checks: z.array(some({ name: text, passed: flag, message: orNull(text), duration_ms: number })),
      }),
    ),
    ...{ passed: number, failed: number, skipped: number, duration_ms: number, warnings: texts },
    ...{ skipped_hooks: z.array(z.json()), case_faults: z.array(z.json()) },
  },
  "hookctl.why/1": {
    ...{ run: record, shell: z.array(record) },
    hooks: z.array(some({ name: text, now: orNull(text) })),
    explain: z.json().optional(),
  },
  "hookctl.report/1": {
    ...{ version: text, made: text, first: orNull(text), last: orNull(text), runs: number, decisions: counts },
    asked: z.strictObject({ since: orNull(text), until: orNull(text), project: orNull(text), hook: orNull(text) }),
    ...{ failures: number, refusals: number },
    timeline: orNull(z.strictObject({ bucket_minutes: number, buckets: list({ start: text, decisions: counts }) })),
    hooks: z.array(some({ name: text, runs: number, outcomes: counts })),
    tools: z.array(some({})),
    cage: list({ text, runs: number }),
    ...{ slowest: z.array(some({})), stopped: z.array(some({})) },
    omitted: z.strictObject({ hooks: number, tools: number }),
  },
  "hookctl.stats/1": {
    ...{ since: orNull(text), until: orNull(text), runs: number },
    hooks: z.array(some({ name: text, runs: number, blocks: number, asks: number, failures: number, refused: number })),
  },
  "hookctl.doctor/1": {
    checks: list({ name: text, status: z.enum(["ok", "warn", "fail"]), detail: text, hint: orNull(text) }),
  },
  "hookctl.status/1": {
    ...{ project: text, hooks: number, off: flag, not_approved: texts, settings_problem: orNull(z.json()) },
    ...{ paused: z.array(z.json()), blocking: z.array(z.json()), failing: z.array(z.json()) },
    ...{ last_block: lastBlock, seal: z.json(), cage: z.json(), agents: z.array(z.json()) },
  },
  "hookctl.overview/1": {
    ...{
      project: text,
      off: flag,
      settings_problem: orNull(z.json()),
      guards: texts,
      hooks: texts,
      not_approved: texts,
    },
    ...{ paused: z.array(z.json()), agents: z.array(z.json()), last_block: lastBlock },
    next: list({ command: text, about: text }),
  },
  "hookctl.config/1": { settings: list({ key: text, ...said, others: list(said) }) },
  "hookctl.config-changed/1": { key: text, changed: flag, file: text, value: z.json(), has_effect: flag },
  "hookctl.guards/1": {
    guards: z.array(
      some({ name: text, about: text, enabled: flag, rules: z.array(some({ rule: text, about: text })) }),
    ),
  },
  "hookctl.explain/1": {
    ...{ command: text, decision: z.enum(["allow", "ask", "block"]), decided_by: orNull(text), reason: orNull(text) },
    calls: z.array(some({ program: orNull(text), args: z.array(z.json()), source: text })),
    gaps: z.array(z.json()),
    guards: z.array(some({ guard: text, enabled: flag, observe: flag, decision: text, findings: z.array(some({})) })),
    hooks: z.array(some({ name: text, path: text, runs: flag, why: text.optional() })),
    ...{ cage: z.json().optional(), rules: z.json().optional() },
  },
  "hookctl.rules/1": { rules: z.array(some({})) },
  "hookctl.off/1": { pauses: z.array(some({})) },
  "hookctl.install/1": { ...ofAgent, also_registered: list({ scope: text, path: text }) },
  "hookctl.uninstall/1": { ...ofAgent, also_registered: list({ scope: text, path: text }) },
  "hookctl.uninstall-all/1": {
    dry_run: flag,
    steps: list({ action: z.enum(["stop", "restore", "edit", "remove"]), path: text }),
    ...{ kept: texts, left: list({ path: text, why: text, fix: orNull(text) }), program: orNull(text) },
  },
  "hookctl.init/2": {
    dry_run: flag,
    guards: some({}),
    agents: z.array(some({ agent: text })),
    owner: orNull(text).optional(),
  },
  "hookctl.schema/1": { subjects: texts },
};

/** The schema of each answer with `--json`, by the `schema` in it. A line of `log --json` is a `hookctl.record/1`. */
export const OUTPUT_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(
    Object.entries(KEYS).map(([name, shape]) => [name, z.strictObject({ schema: z.literal(name), ...shape })]),
  ),
  "hookctl.record/1": record,
};
