import { expect, test } from "vitest";
import type { AgentName } from "../../../src/protocol/agent-names.ts";
import { textSpan } from "../../../src/protocol/json/read.ts";
import { AGENTS } from "../agents.ts";
import { whyUnanswered } from "../unanswered-asks.ts";

interface Case {
  readonly agent: AgentName;
  /** The agent's command line; null: its process was not found. */
  readonly line: string | null;
  readonly terminal?: string;
  readonly mode?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isOwnProtection?: boolean;
  /** A part of the reason; null: a person can answer. */
  readonly why: string | null;
}

const CASES: readonly Case[] = [
  { agent: "claude", line: "claude", why: null },
  { agent: "claude", line: "claude -p hello", why: "-p" },
  { agent: "claude", line: "claude --print hello", why: "--print" },
  { agent: "claude", line: "claude -cp hello", why: "-cp" },
  { agent: "claude", line: "claude -- -p", why: null },
  { agent: "claude", line: "claude --resume", terminal: "", why: "without a terminal" },
  { agent: "claude", line: "claude -p --permission-prompt-tool stdio", terminal: "", why: null },
  { agent: "claude", line: "claude --input-format stream-json", terminal: "", why: null },
  { agent: "claude", line: "claude", mode: "bypassPermissions", why: "bypassPermissions" },
  { agent: "claude", line: "claude --permission-prompt-tool x", mode: "bypassPermissions", why: "bypassPermissions" },
  { agent: "claude", line: "claude", mode: "dontAsk", why: null },
  { agent: "claude", line: "claude", mode: "dontAsk", isOwnProtection: true, why: "dontAsk" },
  { agent: "claude", line: "claude", mode: "acceptEdits", isOwnProtection: true, why: null },
  { agent: "claude", line: "claude --dangerously-skip-permissions", mode: "default", isOwnProtection: true, why: null },
  { agent: "claude", line: null, why: null },
  { agent: "claude", line: null, env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, why: "one prompt" },
  { agent: "claude", line: null, env: { CLAUDE_CODE_ENTRYPOINT: "sdk-ts" }, why: null },
  { agent: "gemini", line: "gemini --prompt-interactive x", why: null },
  { agent: "gemini", line: "gemini --prompt=x", why: "--prompt" },
  { agent: "gemini", line: "gemini --acp", terminal: "", why: null },
  { agent: "gemini", line: "gemini --approval-mode=yolo", why: null },
  { agent: "gemini", line: "gemini --approval-mode yolo", isOwnProtection: true, why: "yolo" },
  { agent: "qwen", line: "qwen -y", isOwnProtection: true, why: "-y" },
  { agent: "copilot", line: "copilot --allow-all-tools", isOwnProtection: true, why: "--allow-all-tools" },
  { agent: "copilot", line: "copilot --headless --stdio", terminal: "", why: null },
  { agent: "cursor", line: "cursor", terminal: "", why: null },
];

test.each(CASES)("$agent: $line $mode $env own: $isOwnProtection -> $why", (one) => {
  const { agent, line, terminal = "34816", mode, env = {}, isOwnProtection = false } = one;
  const why = whyUnanswered({
    agent: AGENTS[agent],
    native: new Map(mode === undefined ? [] : [["permission_mode", textSpan(mode)]]),
    env,
    agentProcess: line === null ? null : { args: line.split(" "), terminal },
    isOwnProtection,
  });
  if (one.why === null) expect(why).toBeNull();
  else expect(why).toContain(one.why);
});
