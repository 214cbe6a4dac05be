/**
 * Names of OpenTelemetry's semantic conventions 1.41.0, the last release that has those for generative AI; they have since
 * moved to a repository of their own, which keeps these names. What they have no name for is called `hookctl.*`.
 */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

export const ATTRIBUTE = {
  serviceName: "service.name",
  serviceVersion: "service.version",
  serviceInstance: "service.instance.id",
  hostName: "host.name",
  osType: "os.type",
  agent: "gen_ai.agent.name",
  session: "gen_ai.conversation.id",
  tool: "gen_ai.tool.name",
  error: "error.type",
  exitCode: "process.exit.code",
  overflow: "otel.metric.overflow",
  runId: "hookctl.run.id",
  event: "hookctl.event",
  decision: "hookctl.decision",
  decidedBy: "hookctl.decided_by",
  reason: "hookctl.reason",
  call: "hookctl.call",
  project: "hookctl.project",
  changed: "hookctl.changed",
  interrupted: "hookctl.interrupted",
  hook: "hookctl.hook.name",
  source: "hookctl.hook.source",
  outcome: "hookctl.hook.outcome",
  failedHook: "hookctl.hook.failed_hook",
  failedTool: "hookctl.hook.failed_tool",
  signal: "hookctl.hook.signal",
  trust: "hookctl.hook.trust",
  sandbox: "hookctl.hook.sandbox",
} as const;

export type AttributeName = (typeof ATTRIBUTE)[keyof typeof ATTRIBUTE];
