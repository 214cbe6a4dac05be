import * as z from "zod";

const text = z.string();
const texts = z.array(text);
const flag = z.boolean();
const number = z.number();
const orNull = <T extends z.ZodType>(one: T) => one.nullable();
/** No object may have further keys, so a new key is seen. */
const one = (...shapes: readonly z.ZodRawShape[]) => z.strictObject(Object.assign({}, ...shapes));
const list = (...shapes: readonly z.ZodRawShape[]) => z.array(one(...shapes));
/** Keys of one type, separated by spaces. */
const all = (type: z.ZodType, keys: string): z.ZodRawShape =>
  Object.fromEntries(keys.split(" ").map((key) => [key, type]));
/** The same for keys that may be absent. */
const may = (type: z.ZodType, keys: string) => all(type.optional(), keys);

const json = z.json();
const members = z.record(text, json);
const counts = z.record(text, number);
const trust = z.enum(["trusted", "untrusted", "changed", "denied", "unsafe"]);
const decision = z.enum(["continue", "block", "halt", "ask"]);
const problem = all(text, "code message hint");
const named = all(text, "name path");
const dryRun = may(flag, "dry_run");
const mismatch = one({ field: text }, all(texts, "wanted found"));
const lastBlock = orNull(
  one(all(text, "run_id time"), { ago_ms: number }, all(orNull(text), "decided_by tool call reason")),
);
const portability = {
  ...may(texts, "unmatched_agents"),
  ...may(list(all(text, "name use"), { agents: texts }), "foreign_names"),
};

/** A hook in a run, in the answer of the run and in its record. */
const ranHook = {
  ...all(text, "name path source outcome"),
  ...may(text, "event failed_hook failed_tool why"),
  ...may(mismatch, "mismatch"),
  ...may(z.record(text, one(all(number, "count bytes"), { hash: text })), "added"),
  duration_ms: number,
};

const recordHead = { schema: z.literal("hookctl.record/1"), time: text };
const calledFrom = { ...recordHead, ...all(text, "run_id event"), ...may(text, "session") };
const loggedHook = { ...may(text, "hash failure signal trust sandbox value_hash"), ...may(number, "start_ms exit") };
/** An earlier version did not record the user. */
const recordedRun = one(calledFrom, {
  ...{ decision, duration_ms: number, ...may(texts, "changed warnings") },
  ...may(text, "user project agent tool call interrupted decided_by rule reason value_hash policy"),
  ...may(list({ code: text }, may(text, "hook")), "guard_warnings"),
  ...may(one(all(text, "trace_id span_id")), "trace"),
  hooks: list(ranHook, loggedHook, may(members, "metadata")),
});
const shellKind = { kind: z.literal("hook_shell_executed"), rc: number };
const shellRecord = one(calledFrom, shellKind, all(text, "hook scheme command"));
const purged = { before: orNull(text), logs: texts, ...all(number, "files lines") };
/** A line of the audit log. */
const record = z.union([
  recordedRun,
  shellRecord,
  one(recordHead, { kind: z.enum(["hook_paused", "hook_resumed"]) }, all(text, "hook until by"), may(text, "project")),
  one(recordHead, { kind: z.literal("log_purged"), by: text }, purged),
]);

const files = list({ path: text, changed: flag }, all(orNull(text), "before after"));
const ofAgent = { ...all(text, "agent scope"), dry_run: flag };
const installed = { ...all(text, "agent scope"), files, also_registered: list(all(text, "scope path")) };
const reviewed = all(orNull(text), "text approved_text");
const said = { value: json, origin: text, file: orNull(text) };
const respelled = { ...all(number, "respellings survived"), score: orNull(number) };
const unaffected = may(list(all(text, "name reason")), "unaffected");
const ruleHead = { ...all(text, "decision match scope"), ...may(text, "subject guard") };
const ruleState = { file: text, effective: flag };
const rule = { ...ruleHead, ...may(text, "reason until once why"), ...may(texts, "unless"), ...ruleState };
const reportedRun = list(
  all(text, "run_id event decision"),
  all(orNull(text), "time tool call agent project decided_by reason"),
  all(number, "duration_ms skipped_hooks hidden_hooks"),
  { hooks: list(all(text, "name outcome"), { failure: orNull(text), start_ms: orNull(number), duration_ms: number }) },
);
const replayed = one({ decision: text }, all(orNull(text), "decided_by reason"), { change: json });
const alarms = all(number, "blocked asked changed");
const callForm = { ...all(text, "habit example session"), count: number, ...all(orNull(text), "agent time") };
const unjudged = {
  left_out: list(all(text, "name path why")),
  not_judged: list(all(text, "what detail"), { count: number }),
};
const explained = {
  ...{ command: text, decision: z.enum(["allow", "ask", "block"]), ...all(orNull(text), "decided_by reason") },
  calls: list(
    { ...all(text, "program source"), remote: flag, parent: orNull(number), ...all(orNull(text), "folder relation") },
    { args: list(all(text, "text source"), { glob: flag }), redirections: list(all(text, "kind target")) },
  ),
  gaps: list(all(text, "source kind")),
  guards: list(all(text, "guard decision"), all(flag, "enabled observe"), may(text, "disabled_reason"), {
    findings: list(
      { ...all(text, "rule decision part effect instead"), unknown: flag, ...may(flag, "rule_off") },
      { ...all(orNull(text), "allowed_by file"), call: orNull(number) },
    ),
  }),
  ...may(list(named, { runs: flag }, may(text, "why"), may(mismatch, "mismatch")), "hooks"),
  ...may(
    one({
      mode: text,
      agents: list({ agent: text, caged: flag }),
      files: list(all(text, "path use access why"), { refused: flag }),
    }),
    "cage",
  ),
};

const evidence = one(
  may(text, "payload response expected found"),
  may(one(all(text, "file message"), { line: number }), "crash"),
);
const check = {
  ...{ name: text, passed: flag, message: orNull(text), duration_ms: number, ...may(evidence, "evidence") },
  ...{ ...may(text, "case_file hint same_as"), ...may(number, "case_line") },
  ...may(list({ agent: text, tool: orNull(text), passed: flag }, may(text, "skipped message")), "as"),
};
const coverage = one({ unit: text, missing: texts }, all(number, "reached total"), may(text, "unknown_because"));
const mutatedCase = {
  ...all(text, "name case_file expects"),
  ...all(number, "case_line respellings untried survived"),
};
const mutation = one(respelled, {
  cases: list(mutatedCase, may(text, "stopped")),
  survivors: list(all(text, "expects kind"), { count: number, examples: list(all(text, "case command")) }),
});

/** The keys of each answer with `--json` beside `schema`, by its name; a list has the forms of an answer. */
const KEYS: Readonly<Record<string, z.ZodRawShape | readonly z.ZodRawShape[]>> = {
  "hookctl.problem/1": problem,
  "hookctl.run/1": {
    ...{ ...all(text, "run_id event"), decision, ...all(orNull(text), "reason decided_by"), ...may(text, "rule") },
    hooks: list(ranHook, may(one(problem), "failure"), may(json, "change"), {
      ...{ ...all(text, "kind stderr"), ...all(orNull(text), "signal sandbox"), trust, fail_open: flag },
      exit_code: orNull(number),
    }),
    ...{ result: members, warnings: texts, duration_ms: number },
    ...may(one(all(number, "count limit"), { over: flag }), "hook_driven_turns"),
    ...may(list(all(text, "code message"), { hook: orNull(text) }), "guard_warnings"),
  },
  "hookctl.plan/1": {
    plan: list(named, all(text, "source kind"), all(number, "priority timeout_ms"), may(text, "hindrance"), {
      ...{ command: texts, sandbox: orNull(text), trust, ...all(flag, "fail_open observe would_start identified") },
    }),
    ...may(list(named, problem), "not_ready"),
  },
  "hookctl.list/1": {
    hooks: list(named, all(text, "source kind dialect"), all(flag, "fail_open observe enabled narrowed"), {
      ...{ ...all(texts, "events claims"), ...all(number, "priority timeout_ms"), match: orNull(members), trust },
      ...{ ...all(orNull(text), "sandbox shadows"), ...may(text, "disabled_reason"), ...may(members, "dialects") },
      ...portability,
    }),
    skipped: list(named, all(text, "reason detail")),
    ...{ ...all(texts, "searched warnings"), ...may(list(named, problem), "not_ready") },
  },
  "hookctl.test/1": {
    hooks: list(named, portability, {
      ...{ passed: flag, notes: texts, checks: list(check), left_out: list(all(text, "name reason")) },
      ...{ ...may(coverage, "coverage"), ...may(mutation, "mutation") },
    }),
    ...{ ...all(number, "passed failed skipped duration_ms"), warnings: texts },
    skipped_hooks: list(named, all(text, "reason hint")),
    case_faults: list({ file: text, ...problem }, may(number, "line")),
    ...may(one({ why: text }, all(number, "hooks checks")), "not_run"),
    ...may(one(respelled, may(number, "fail_under")), "mutation"),
  },
  "hookctl.why/1": {
    ...{ run: recordedRun, shell: z.array(shellRecord) },
    hooks: list({ name: text, now: orNull(text) }, may(orNull(text), "hash approved_at sandbox")),
    ...may(one({ schema: z.literal("hookctl.explain/1") }, explained), "explain"),
  },
  "hookctl.report/1": {
    ...{ ...all(text, "version made"), ...all(orNull(text), "first last"), decisions: counts },
    ...{ asked: one(all(orNull(text), "since until project hook")), ...all(number, "runs failures refusals") },
    timeline: orNull(one({ bucket_minutes: number, buckets: list({ start: text, decisions: counts }) })),
    hooks: list({
      ...{ name: text, runs: number, outcomes: counts },
      latency: orNull(one(all(number, "p50_ms p95_ms p99_ms max_ms"), { distribution: z.array(number) })),
      last_failure: orNull(one(all(text, "code run_id"), { time: orNull(text) })),
    }),
    tools: list({ name: orNull(text), decisions: counts }),
    ...{ cage: list({ text, runs: number }), slowest: reportedRun, stopped: reportedRun },
    omitted: one(all(number, "hooks tools")),
  },
  "hookctl.stats/1": {
    ...{ since: text, until: text, runs: number },
    hooks: list(all(number, "runs blocks asks failures refused"), all(orNull(number), "p50_ms p95_ms p99_ms max_ms"), {
      ...{ name: text, runs_over_time: z.array(number) },
    }),
  },
  "hookctl.doctor/1": {
    checks: list(all(text, "name detail"), { status: z.enum(["ok", "unchecked", "warn", "fail"]), hint: orNull(text) }),
  },
  "hookctl.status/1": {
    ...{ project: text, hooks: number, off: flag, settings_problem: orNull(text), last_block: lastBlock },
    ...{ ...all(texts, "not_approved cannot_run paused blocking"), failing: list(all(text, "name failure")) },
    seal: orNull(one({ sealed_ago_ms: number, weakened: texts })),
    cage: orNull(one({ mode: text, ...all(texts, "agents without"), outside: number })),
    agents: list({ name: text, asked_ago_ms: number, skipped: list(all(text, "event status")) }),
  },
  "hookctl.overview/1": {
    ...{ project: text, off: flag, settings_problem: orNull(text), last_block: lastBlock },
    ...{
      ...all(texts, "guards hooks not_approved cannot_run not_started paused"),
      agents: list(all(text, "agent scope file")),
    },
    next: list(all(text, "command about")),
  },
  "hookctl.config/1": { settings: list({ key: text, ...said, others: list(said) }) },
  "hookctl.config-changed/1": { ...all(text, "key file"), ...all(flag, "changed has_effect"), value: json },
  "hookctl.guards/1": {
    guards: list(all(text, "name about"), { enabled: flag }, may(text, "disabled_reason"), {
      rules: list(all(text, "rule about"), all(orNull(text), "default decision"), may(text, "disabled_reason file")),
      ...may(one(all(list({ command: text }, may(text, "why")), "blocked asked allowed gaps")), "examples"),
      settings: orNull(
        one(all(text, "file unknown"), {
          ...{ decision: orNull(text), observe: flag, paths: texts, allow: list({ text, folder: orNull(text) }) },
        }),
      ),
    }),
  },
  "hookctl.guards-changed/1": {
    ...{ file: text, guards: texts, ...may(texts, "hooks"), ...all(flag, "enabled changed") },
    ...{ ...dryRun, ...unaffected },
  },
  "hookctl.guard-rules/1": {
    ...{ ...all(text, "file choice"), rules: texts, project: orNull(text), changed: flag, ...dryRun },
  },
  "hookctl.explain/1": explained,
  "hookctl.rule/1": { ...rule, project: orNull(text), examples: texts, ...all(flag, "changed connected") },
  "hookctl.rules/1": { rules: list(rule) },
  "hookctl.rules-removed/1": { file: text, removed: list(ruleHead) },
  "hookctl.allow/1": {
    ...{ ...all(text, "run call"), rules: list({ match: text }, may(text, "subject guard")) },
    ...{ ...may(texts, "stopped_by other_calls"), ...may(text, "scope file"), ...may(members, "case") },
    ...{ ...may(one(all(number, "tried allowed")), "respellings"), ...may(orNull(text), "case_file") },
  },
  "hookctl.off/1": {
    pauses: list(all(text, "name from until by"), { project: orNull(text) }),
    for_good: list(all(text, "name file"), { here: flag }),
  },
  "hookctl.on/1": { hooks: texts, ...dryRun, ...unaffected },
  "hookctl.cage/1": { mode: text, network: text.or(texts), places: list(all(text, "path access why")), removed: texts },
  "hookctl.cage-switched/1": {
    ...{ ...all(flag, "on is_changed"), file: text },
    agents: list({ agent: text, caged: flag }, all(orNull(text), "file why")),
  },
  "hookctl.cage-allowed/1": { ...all(text, "path access file"), is_changed: flag },
  "hookctl.cage-removed/1": all(text, "removed file"),
  "hookctl.trust/1": [
    {
      approved: list(named, all(orNull(text), "sha256 missing never_runs"), { events: orNull(texts) }),
      ...{ denied: list(named), ...may(list(problem), "problems") },
    },
    {
      hooks: list(named, reviewed, all(texts, "claims changes not_covered missing writes_outside"), {
        ...{ trust, look: text, ...may(text, "disabled_reason"), ...all(flag, "waits is_settings") },
        helpers: list({ name: text, bytes: number }),
        files: list(named, reviewed, { state: text, bytes: number }),
      }),
    },
    { digest: text },
    { entries: list(named, all(text, "state since"), { sha256: orNull(text) }) },
    { pruned: texts },
  ],
  "hookctl.untrust/1": [{ denied: list(named) }, { forgotten: list(named) }],
  "hookctl.packs/1": {
    ...may(list(problem), "problems"),
    packs: list(all(text, "name action source"), all(orNull(text), "revision pinned"), may(text, "previous newer"), {
      ...{ files: list(all(text, "path state")), ...may(texts, "left_out") },
      ...{ approved: list(named, { events: orNull(texts) }), not_approved: texts },
    }),
  },
  "hookctl.install/2": { dry_run: flag, agents: list(installed) },
  "hookctl.uninstall/1": { ...installed, dry_run: flag },
  "hookctl.uninstall-all/1": {
    ...{ dry_run: flag, steps: list({ action: z.enum(["stop", "restore", "edit", "remove"]), path: text }) },
    ...{ kept: texts, left: list(all(text, "path why"), { fix: orNull(text) }), program: orNull(text) },
  },
  "hookctl.adopt/1": [
    {
      ...{ ...ofAgent, files, adopted: list(all(text, "on name command")), kept: texts },
      missing_variables: z.record(text, texts),
    },
    { ...ofAgent, files, stays: texts },
  ],
  "hookctl.init/2": {
    dry_run: flag,
    guards: one({ file: orNull(text) }, all(texts, "names turned_on"), may(one(problem), "problem")),
    agents: list(all(text, "agent file state"), { notes: texts }, may(one(problem), "problem")),
  },
  "hookctl.seal/1": all(texts, "sealed accepted"),
  "hookctl.restore/1": { files: list({ path: text, lost: texts, cause: orNull(text) }) },
  "hookctl.servers/1": { stopped: flag, processes: z.array(number) },
  "hookctl.new/1": {
    ...{ project: text, files: list({ path: text, created: flag }), approved: texts, ...may(text, "not_approved") },
  },
  "hookctl.try/1": { name: text, asked: z.literal(false), decision: z.literal("continue"), result: one() },
  "hookctl.inbox/1": { messages: list(all(text, "hook content"), { role: z.literal("system") }), wake: flag },
  "hookctl.state/1": [{ key: text, value: json }, { values: members }],
  "hookctl.purge/1": purged,
  "hookctl.export-result/1": {
    ...{ to: text, ...all(number, "runs spans log_records rejected unreadable lost_lines gaps"), messages: texts },
    problem: orNull(one(all(text, "code summary hint"))),
  },
  "hookctl.replay/1": {
    ...all(number, "same differing"),
    runs: list(all(text, "run_id time event"), all(replayed, "before after"), {
      ...{ call: orNull(text), differs: texts, redacted: flag },
    }),
    unjudged: list({ why: text, count: number, run_ids: texts }),
    left_out: list(all(text, "name path why")),
  },
  "hookctl.backtest/1": [
    {
      ...{ ...all(number, "calls judged sessions judged_by_defaults"), ...alarms, ...unjudged },
      ...{ agents: counts, ...all(orNull(text), "first last") },
      hooks: list({ name: text, observe: flag }, alarms, all(number, "per_thousand other_calls"), {
        habits: list(callForm, { decision: text }, all(orNull(text), "rule reason")),
      }),
    },
    {
      ...{ base: text, ...all(number, "calls judged differing"), ...unjudged },
      changes: list(callForm, all(text, "before after"), { hook: orNull(text) }),
    },
  ],
  "hookctl.schema/1": { subjects: texts },
};

function schemaOf(name: string, forms: readonly z.ZodRawShape[]): z.ZodType {
  const [first = one(), ...more] = forms.map((shape) => one({ schema: z.literal(name) }, shape));
  return more.length === 0 ? first : z.union([first, ...more]);
}

/** The schema of each answer with `--json`, by the `schema` in it. A line of `log --json` is a `hookctl.record/1`. */
export const OUTPUT_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  ...Object.fromEntries(Object.entries(KEYS).map(([name, keys]) => [name, schemaOf(name, [keys].flat())])),
  "hookctl.record/1": record,
};
