import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { approveAll } from "../../../test/support/approvals.ts";
import { shellQuote } from "../../../test/support/shell.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";
import type { GuardKind } from "./way.ts";

const SAYS = '{"event":"before_tool_call","fail_open":false,"timeout":"5s"}';
const BLOCK = '{"blocked":true,"reason":"policy"}';

/** What the guard prints and does, by the variable KODELET_MODE. */
const MODES: Readonly<Record<string, string>> = {
  block: `printf %s ${shellQuote(BLOCK)}`,
  flood: "exec yes",
  "flood-stderr": "yes >&2",
  hang: "sleep 3000",
  "exit-1": `printf %s ${shellQuote(BLOCK)}; exit 1`,
  signal: `printf %s ${shellQuote(BLOCK)}; kill -SEGV $$`,
  claude: `printf %s ${shellQuote('{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"policy"}}')}`,
  gemini: `printf %s ${shellQuote('{"decision":"deny","reason":"policy"}')}`,
  copilot: `printf %s ${shellQuote('{"permissionDecision":"deny","permissionDecisionReason":"policy"}')}`,
  neighbour: `printf %s ${shellQuote('{"blocked":true,"reason":"policy","action":"deny","metadata":5,"state":[1]}')}`,
  "wrong-type": `printf %s ${shellQuote('{"blocked":true,"reason":5,"input":7}')}`,
  bytes: `printf '{"blocked":true,"reason":"\\377\\376"}'`,
  "line-before": `echo checking; printf %s ${shellQuote(BLOCK)}`,
  twice: `printf %s ${shellQuote(BLOCK + BLOCK)}`,
  both: `printf %s '{"blocked":true,"blocked":false}'`,
  processes: "while :; do sleep 3000 & done",
};

const script = (interpreter: string): string => `#!${interpreter}
if [ "$1" = hook ]; then echo ${shellQuote(SAYS)}; exit 0; fi
cat >/dev/null
case \${KODELET_MODE:-block} in
${Object.entries(MODES)
  .map(([name, line]) => `${name}) ${line} ;;`)
  .join("\n")}
esac
`;

/** A repository with one guard, approved where it needs that, in a home that hookctl has been used in. */
export async function guarded(kind: GuardKind): Promise<Workspace> {
  const place = await workspace();
  await mkdir(join(place.project, ".git"));
  const entry = { name: "guard", command: `printf %s ${shellQuote(BLOCK)}`, fail_open: false };
  if (kind === "project" || kind === "user") {
    const sh = await place.write("bin/interpreter", '#!/bin/sh\nexec /bin/sh "$@"\n', 0o755);
    await place.hook("guard", script(sh), { scope: kind });
  }
  if (kind === "declared") await declare(place, "project", entry);
  if (kind === "rule") await declare(place, "home", { name: "guard", block: "policy" });
  if (kind === "project" || kind === "declared") await approveAll(place);
  return place;
}

const declare = (place: Workspace, scope: "project" | "home", entry: object): Promise<string> =>
  place.write(`${scope}/.kodelet/hooks.json`, JSON.stringify({ hooks: { before_tool_call: [entry] } }));
