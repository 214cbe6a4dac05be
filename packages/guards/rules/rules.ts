import { globMatches } from "../../../src/protocol/match.ts";
import {
  RULE_SUBJECTS,
  type RuleList,
  type RuleSubject,
  type ScopedRule,
} from "../../../src/protocol/rule-settings.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call } from "../command/call.ts";
import { type Connection, connectionOfUrl, connectionsOf } from "../command/connections.ts";
import type { FileAccess } from "../command/files/file-access.ts";
import type { Examined } from "../examine.ts";
import type { Finding, Found, Guard, GuardContext } from "../guard.ts";
import { protectedPaths } from "./protected-paths.ts";
import { coveredBy, type Fit, isExcepted, readPattern } from "./rules/command-pattern.ts";
import { hostFits } from "./rules/host-pattern.ts";

type Stopping = Exclude<RuleList, "allow">;

const ABOUT: Readonly<Record<RuleSubject, string>> = {
  commands: "a program that a rule % is started: `npm publish *`",
  files: "a file that a rule % is changed or deleted: `infra/**`",
  hosts: "a host that a rule % is connected to: `*.example.org`",
};

const DOES: Readonly<Record<Stopping, string>> = { block: "blocks", ask: "asks about" };
const STOPPING: readonly Stopping[] = ["block", "ask"];
const ALL = RULE_SUBJECTS.flatMap((subject) => STOPPING.map((list) => ({ subject, list, name: `${subject}.${list}` })));

/** What a person blocks and asks about, in the lists `commands`, `files` and `hosts` of the settings. */
export const rules: Guard = {
  name: "rules",
  about: "Enforces your own rules: commands, files and hosts that you block or want to be asked about.",
  rules: Object.fromEntries(ALL.map(({ subject, list, name }) => [name, ABOUT[subject].replace("%", DOES[list])])),
  decisions: Object.fromEntries(ALL.map(({ list, name }) => [name, list])),
  programs: [],
  programsOf: ({ rules: own = [], place }) =>
    own.flatMap(({ subject, match }) => {
      const pattern = subject === "commands" ? readPattern(match, place) : null;
      return pattern === null || pattern.call.name.isGlob ? [] : [pattern.call.program];
    }),
  judgeAll: (examined, context) =>
    (context.rules ?? []).flatMap((rule) => JUDGES[rule.subject](rule, examined, context)),
};

type JudgeRule = (rule: ScopedRule, examined: Examined, context: GuardContext) => readonly Found[];

const JUDGES: Readonly<Record<RuleSubject, JudgeRule>> = {
  commands: (rule, { commands }, { place }) => {
    const pattern = readPattern(rule.match, place);
    if (pattern === null) return [];
    const excepted = (rule.unless ?? []).flatMap((text) => readPattern(text, place) ?? []);
    return callsIn(commands).flatMap((call) => {
      const fit = coveredBy(pattern, call);
      if (fit === null || excepted.some((one) => isExcepted(one, call))) return [];
      return [foundBy(rule, fit, { part: call.source, call })];
    });
  },
  files: (rule, { files }, context) =>
    files.flatMap((file) => {
      const fit = fileFit(file, [rule.match], context);
      if (fit === null || fileFit(file, rule.unless ?? [], context) === "surely") return [];
      return [foundBy(rule, fit, { part: file.call?.source ?? file.source, call: file.call, file })];
    }),
  hosts: (rule, { commands, addresses }) => [
    ...callsIn(commands).flatMap((call) => hostFound(rule, connectionsOf(call), { part: call.source, call })),
    ...addresses.flatMap((part) => {
      const connection = connectionOfUrl(part);
      return connection === null ? [] : hostFound(rule, [connection], { part, call: null });
    }),
  ],
};

const callsIn = (commands: Examined["commands"]): readonly Call[] => commands.flatMap(({ calls }) => calls);

/** The guard `protected-paths` knows what a glob of a path means. */
function fileFit(file: FileAccess, paths: readonly string[], context: GuardContext): Fit {
  const found = paths.length === 0 ? null : (protectedPaths.judgeFile?.(file, { ...context, paths }) ?? null);
  if (found === null) return null;
  return found.isUnknown === true ? "perhaps" : "surely";
}

function hostFound(
  rule: ScopedRule,
  connections: readonly Connection[],
  about: Pick<Subject, "part" | "call">,
): readonly Found[] {
  const stopped = connections.filter(
    (one) => hostFit(rule.match, one) !== null && !(rule.unless ?? []).some((text) => hostFits(text, one)),
  );
  if (stopped.length === 0) return [];
  const fit = stopped.some((one) => hostFit(rule.match, one) === "surely") ? "surely" : "perhaps";
  return [foundBy(rule, fit, about, stopped)];
}

function hostFit(pattern: string, { host, port }: Connection): Fit {
  if (hostFits(pattern, { host, port })) return "surely";
  const [name = "", wanted] = pattern.split(/:(?=\d+$)/);
  const isOpen = host.includes(UNKNOWN) && globMatches(host.replaceAll(UNKNOWN, "*"), name.replaceAll("*", "x"));
  const mayBePort = wanted === undefined || port === null || String(port) === wanted;
  if (isOpen && mayBePort) return "perhaps";
  return wanted !== undefined && port === null && hostFits(name, { host, port }) ? "perhaps" : null;
}

interface Subject {
  readonly part: string;
  readonly call: Call | null;
  readonly file?: FileAccess | null;
}

const EFFECTS = {
  block: { surely: "is blocked", perhaps: "may be a call that is blocked" },
  ask: { surely: "needs confirmation", perhaps: "may be a call that needs confirmation" },
} as const;

function foundBy(
  { subject, list, match, reason, file: settings, level }: ScopedRule,
  fit: Exclude<Fit, null>,
  { part, call, file = null }: Subject,
  hosts?: readonly Connection[],
): Found {
  const decision = list === "block" && fit === "surely" ? "block" : "ask";
  const does = EFFECTS[list === "block" ? "block" : "ask"][fit];
  const why = reason === undefined ? "" : `: ${reason.replace(/[.\s]+$/, "")}`;
  const finding: Finding = {
    rule: `${subject}.${list}`,
    decision,
    part,
    effect: `${does} by the rule \`${match}\` in ${settings}${why}`,
    instead: "Do not look for another way: ask the person.",
    scope: { level, file: settings },
    ...(fit === "perhaps" ? { isUnknown: true } : {}),
    ...(hosts === undefined ? {} : { hosts }),
  };
  return { finding, about: { call, file } };
}
