import type { EventName } from "./event.ts";
import type { Source } from "./hook-kind.ts";
import type { ScopedRule } from "./rule-settings.ts";
import type { GuardSettings, RuleChoice } from "./setting-rows.ts";

export type { GuardSettings };

/** The built-in guards and the events that each handles. Their rules are in `guards/rules`. */
export const GUARD_EVENTS = {
  filesystem: ["before_tool_call"],
  git: ["before_tool_call"],
  "remote-code": ["before_tool_call"],
  secrets: ["before_tool_call", "after_tool_call"],
  cloud: ["before_tool_call"],
  system: ["before_tool_call"],
  egress: ["before_tool_call"],
  "agent-config": ["before_tool_call"],
  "protected-paths": ["before_tool_call"],
  "self-protection": ["before_tool_call"],
  rules: ["before_tool_call"],
} as const satisfies Readonly<Record<string, readonly EventName[]>>;
export type GuardName = keyof typeof GUARD_EVENTS;
export const GUARD_NAMES = Object.keys(GUARD_EVENTS) as readonly GuardName[];

/** From the least to the most restrictive. */
export const UNKNOWN_CHOICES = ["allow", "ask", "block"] as const;

export type GuardsSettings = Readonly<Partial<Record<GuardName, GuardSettings>>>;

/** A command line or path that a person allows; `folder`: only inside this project. */
export interface AllowRule {
  readonly text: string;
  readonly folder: string | null;
  /** The person's rule that it is, if it is none of a guard's own list. */
  readonly rule?: ScopedRule;
}

/** Rules that settings add to a guard, in the format of its own. They add findings, and take none away. */
export interface AddedRules {
  readonly name: GuardName;
  readonly rules: Readonly<Record<string, unknown>>;
  /** The file in which they are, if it is no settings file. */
  readonly file?: string;
}

/** The settings of one rule of a guard. */
export interface RuleSetting {
  /** The choice of the strongest scope that names the guard; null: the rule decides as it says. */
  readonly own: RuleChoice | null;
  /** The strictest choice of the scopes below: they only tighten. */
  readonly atLeast: RuleChoice;
  /** Why it is paused although the settings turn it on. */
  readonly paused?: string;
}

/** A guard that is on in this call, with the settings of all scopes merged. */
export interface EffectiveGuard {
  readonly name: GuardName;
  /** The settings file that turns it on. */
  readonly file: string;
  readonly source: Source;
  /** Null if the rule of each finding decides. */
  readonly decision: "ask" | "block" | null;
  readonly unknown: (typeof UNKNOWN_CHOICES)[number];
  readonly observe: boolean;
  readonly allow: readonly AllowRule[];
  readonly paths: readonly string[];
  /** Settings of single rules by name. */
  readonly ruleSettings: Readonly<Record<string, RuleSetting>>;
  /** Rules in addition to its own, with the settings that have them. */
  readonly added?: readonly Required<AddedRules>[];
  /** Of the guard `rules`: what the person blocks and asks about. */
  readonly rules?: readonly ScopedRule[];
}
