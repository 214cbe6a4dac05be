import type { GuardName } from "../../src/protocol/guard-settings.ts";
import { type JsonValue, printableJson } from "../../src/protocol/json/write.ts";
import type { Mismatch } from "../../src/protocol/match.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../src/protocol/text/text.ts";
import { mismatchText } from "../../src/report/mismatch-text.ts";
import type { Style } from "../../src/report/text-style.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import type { Call, Word } from "../guards/command/call.ts";
import type { Examined } from "../guards/examine.ts";
import { type GuardVerdict, type Judged, reasonOf } from "../guards/judge.ts";
import { cellWidth, fitCells, padCells } from "../screen/cell-width.ts";

/** A shell command with the verdict of each guard. */
export interface ExplainedCommand {
  readonly text: string;
  readonly examined: Examined;
  readonly guards: readonly (GuardVerdict & ExplainedGuard)[];
  readonly home: string;
}

interface ExplainedGuard {
  readonly name: GuardName;
  /** `observe`: it only records its findings. */
  readonly state: "on" | "observe" | "off";
  /** Why it is paused although the settings turn it on; null if it is not. */
  readonly paused: string | null;
}

/** A hook at `before_tool_call` that is no guard. */
export interface ExplainedHook {
  readonly name: string;
  readonly path: string;
  /** Why it would not run; null if it would. */
  readonly skip: { readonly why: string; readonly mismatch: Mismatch | null } | null;
}

/** The guard that decides: the strictest of the enabled guards. */
function deciderOf({ guards }: ExplainedCommand): ExplainedCommand["guards"][number] | null {
  const strict = guards.filter(({ state, decision }) => state === "on" && decision !== "allow");
  return strict.find(({ decision }) => decision === "block") ?? strict[0] ?? null;
}

export const decisionOf = (explained: ExplainedCommand): "allow" | "ask" | "block" =>
  deciderOf(explained)?.decision ?? "allow";

/** The programs that the command starts as a tree, the findings below the part that they are about, and the decision. */
export function explainText(explained: ExplainedCommand, style: Style): string {
  const lines = parseLines(explained, style);
  return `${lines.join("\n")}${lines.length === 0 ? "" : "\n\n"}${decisionLines(explained, style)}`;
}

/** The parse without the verdicts. */
export function parseLines(explained: ExplainedCommand, style: Style): readonly string[] {
  const { examined, guards } = explained;
  const calls = examined.commands.flatMap((command) => command.calls);
  const found = guards.flatMap(({ judged, ...guard }) => judged.map((finding) => ({ ...finding, ...guard })));
  const linesFor = (call: Call | null): readonly string[] => [
    ...new Set(found.filter(({ about }) => about.call === call).map((finding) => findingLine(finding, style))),
  ];
  const tree = (parent: Call | null, indent: string): readonly string[] =>
    calls
      .filter((call) => (call.parent?.call ?? null) === parent)
      .flatMap((call) => [
        `${indent}${callLine(call, explained, style)}`,
        ...linesFor(call).map((line) => `${indent}  ${line}`),
        ...tree(call, `${indent}  `),
      ]);
  const gaps = examined.commands.flatMap((command) => command.gaps);
  const unread = gaps.map(({ source, why }) => `▲ not followed: ${shown(source)} (${why})`);
  const foreign = isPowerShell(calls) ? [`▲ not understood: ${POWERSHELL}`] : [];
  return [...tree(null, ""), ...unread, ...foreign, ...linesFor(null)];
}

const POWERSHELL = "this looks like PowerShell, which is not a POSIX shell; only known commands in it are judged";

/** True if a command starts programs with names of PowerShell, or assigns `$env:NAME`. */
const isPowerShell = (calls: readonly Call[]): boolean =>
  calls.some(({ program, source }) => CMDLET.test(program) || /^\$env:\w/i.test(source));

const CMDLET = /^(?:[A-Z][a-z]+-[A-Z]\w+|iwr|irm)$/;

/** `rm -rf /home/dev  in ~/project; "$HOME" = /home/dev`: the resolved words, and how they were resolved. */
function callLine(call: Call, { home }: ExplainedCommand, style: Style): string {
  const words = [call.program, ...call.args.map(wordText)];
  const how = call.parent === null ? "" : style.faint(`${HOW[call.parent.relation]} `);
  const place = call.folder === null ? "in an unknown folder" : `in ${shortFolder(call.folder, home)}`;
  const resolved = call.args.filter(({ source, text }) => source !== text && /[$`~{]/.test(source));
  const notes = resolved.map(({ source, text }) => `${shown(source)} = ${shown(text)}`);
  const redirected = call.redirections.map(({ kind, target }) => `${ARROWS[kind]} ${wordText(target)}`);
  const main = [...words, ...redirected].map((word) => shown(word)).join(" ");
  return `${how}${style.strong(main)}  ${style.faint([place, ...notes].join("; "))}`;
}

const HOW: Readonly<Record<NonNullable<Call["parent"]>["relation"], string>> = {
  wrapper: "└ starts",
  "shell text": "└ runs",
  substitution: "└ takes the output of",
  input: "└ reads as commands",
  "inline code": "└ calls",
  remote: "└ elsewhere",
};
const ARROWS = { read: "<", write: ">", append: ">>" } as const;

/** Quotes text that a shell would split or treat as a pattern. */
const wordText = ({ text, isGlob }: Word): string =>
  isGlob || text.includes(UNKNOWN) || text.includes("~") ? text : shellQuote(text);
/** A part that is known only at run time is shown as `…`. */
const shown = (text: string): string => truncateEscaped(text.replaceAll(UNKNOWN, "…"), 200);
const shortFolder = (folder: string, home: string): string =>
  folder === home ? "~" : shown(folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);

function findingLine(
  { finding, decision, allowedBy, isRuleOff, name, state, paused }: Judged & ExplainedGuard,
  style: Style,
): string {
  const what = `${name}/${finding.rule}: ${shown(finding.effect)}`;
  if (state === "off") return style.faint(`○ ${what} (${name} is ${paused ?? "off"}; it would ${decision})`);
  if (allowedBy !== null) return style.good(`✔ ${what}, allowed by your rule \`${shown(allowedBy.text)}\``);
  if (isRuleOff) return style.faint(`○ ${what} (the rule is off)`);
  if (state === "observe") return style.warn(`○ ${what} (${name} only observes; it would ${decision})`);
  if (decision === "block") return style.bad(`✖ ${what}`);
  return decision === "ask" ? style.warn(`? ${what}`) : style.good(`✔ ${what}, allowed by \`unknown: allow\``);
}

function decisionLines(explained: ExplainedCommand, style: Style): string {
  const decider = deciderOf(explained);
  const [first] = decider?.judged ?? [];
  if (decider !== null && first !== undefined) {
    const paint = decider.decision === "block" ? style.bad : style.warn;
    const reason = truncateEscaped(reasonOf(first.finding).replaceAll(UNKNOWN, "…"), 600);
    return `${paint(decider.decision)}  by ${decider.name}: ${reason}\n`;
  }
  const isAnyOn = explained.guards.some(({ state }) => state !== "off");
  const objecting = explained.guards
    .filter(({ state, paused, decision }) => state === "off" && paused === null && decision !== "allow")
    .map(({ name }) => name);
  const hint = objecting.length === 0 ? "" : `  Turn it on: hookctl on ${objecting.join(" ")}\n`;
  const isUnread = hasUnreadPart(explained);
  const words = isUnread ? `no guard matched the parts that it could follow; ${UNREAD}` : "(no guard matched)";
  return `${style.good("allow")}  ${isAnyOn ? words : "no guard is on"}\n${hint}`;
}

const UNREAD = "other parts, marked ▲, were not judged";

const hasUnreadPart = ({ examined: { commands } }: ExplainedCommand): boolean =>
  commands.some(({ gaps, calls }) => gaps.length > 0 || isPowerShell(calls));

/** The hooks at `before_tool_call`, below the guards' decision; empty without hooks. */
export function explainedHooksText(hooks: readonly ExplainedHook[]): string {
  const names = Math.max(0, ...hooks.map(({ name }) => cellWidth(fitCells(name, 40))));
  const lines = hooks.map(({ name, skip }) => `  ${padCells(fitCells(name, 40), names)}  ${skipText(skip)}\n`);
  return lines.length === 0 ? "" : ["\nHooks, as a call of the tool bash:\n", ...lines].join("");
}

function skipText(skip: ExplainedHook["skip"]): string {
  if (skip === null) return "would run";
  return fitCells(skip.mismatch === null ? skip.why : mismatchText(skip.mismatch), 300);
}

/** The same as JSON. A part known only at run time is U+0000 in `text`. */
export function explainJson(
  explained: ExplainedCommand,
  hooks?: readonly ExplainedHook[],
  cage: JsonValue = null,
): string {
  const { text, examined, guards } = explained;
  const decider = deciderOf(explained);
  const calls = examined.commands.flatMap((command) => command.calls);
  const indexOf = (call: Call | null): number | null => (call === null ? null : calls.indexOf(call));
  return printableJson({
    schema: "hookctl.explain/1",
    command: text,
    decision: decider?.decision ?? "allow",
    decided_by: decider?.name ?? null,
    reason: decider?.judged[0] === undefined ? null : reasonOf(decider.judged[0].finding),
    calls: calls.map((call) => callJson(call, indexOf)),
    gaps: examined.commands.flatMap(({ gaps }) => gaps.map(({ source, kind }) => ({ source, kind }))),
    guards: guards.map(({ name, state, paused, decision, judged }) => ({
      guard: name,
      enabled: state !== "off",
      disabled_reason: paused ?? undefined,
      observe: state === "observe",
      decision,
      findings: judged.map((one) => ({
        rule: one.finding.rule,
        decision: one.decision,
        part: one.finding.part,
        effect: one.finding.effect,
        instead: one.finding.instead,
        unknown: one.finding.isUnknown ?? false,
        rule_off: one.isRuleOff ? true : undefined,
        allowed_by: one.allowedBy?.text ?? null,
        call: indexOf(one.about.call),
        file: one.about.file?.path ?? null,
      })),
    })),
    cage: cage ?? undefined,
    hooks: hooks?.map(({ name, path, skip }) => ({
      name,
      path,
      runs: skip === null,
      why: skip?.why,
      mismatch: skip?.mismatch == null ? undefined : { ...skip.mismatch },
    })),
  });
}

const callJson = (call: Call, indexOf: (call: Call | null) => number | null): JsonValue => ({
  program: call.program,
  args: call.args.map(({ text, source, isGlob }) => ({ text, source, glob: isGlob })),
  redirections: call.redirections.map(({ kind, target }) => ({ kind, target: target.text })),
  folder: call.folder,
  remote: call.isRemote,
  source: call.source,
  parent: indexOf(call.parent?.call ?? null),
  relation: call.parent?.relation ?? null,
});
