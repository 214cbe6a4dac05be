import type { GuardName } from "../../src/protocol/guard-settings.ts";
import { tableOf } from "../../src/protocol/json/table.ts";
import agentConfig from "./rules/agent-config/examples.json" with { type: "json" };
import cloud from "./rules/cloud/examples.json" with { type: "json" };
import egress from "./rules/egress/examples.json" with { type: "json" };
import filesystem from "./rules/filesystem/examples.json" with { type: "json" };
import git from "./rules/git/examples.json" with { type: "json" };
import protectedPaths from "./rules/protected-paths/examples.json" with { type: "json" };
import remoteCode from "./rules/remote-code/examples.json" with { type: "json" };
import rules from "./rules/rules/examples.json" with { type: "json" };
import secrets from "./rules/secrets/examples.json" with { type: "json" };
import selfProtection from "./rules/self-protection/examples.json" with { type: "json" };
import system from "./rules/system/examples.json" with { type: "json" };

/** A command line with the guard's verdict. Examples are both tests and documentation. */
export interface Example {
  readonly command: string;
  /** Relative to the project. Default: the project. */
  readonly folder?: string;
  readonly why?: string;
}

export interface Examples {
  readonly blocked: readonly Example[];
  readonly asked: readonly Example[];
  readonly allowed: readonly Example[];
  /** Commands that the guard does not catch, each with the reason. */
  readonly gaps: readonly (Example & { readonly why: string })[];
}

/** The examples of each guard. They are no part of the guard, so that a call loads none of them. */
export const EXAMPLES: Readonly<Record<GuardName, Examples>> = {
  filesystem: tableOf(filesystem),
  git: tableOf(git),
  "remote-code": tableOf(remoteCode),
  secrets: tableOf(secrets),
  cloud: tableOf(cloud),
  system: tableOf(system),
  egress: tableOf(egress),
  "agent-config": tableOf(agentConfig),
  "protected-paths": tableOf(protectedPaths),
  "self-protection": tableOf(selfProtection),
  rules: tableOf(rules),
};
