import { approveAll, runToolCall } from "../support/approvals.ts";
import { hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

export const GUARD = (reason: string): string =>
  `#!/bin/sh\nif [ "$1" = hook ]; then echo before_tool_call; exit 0; fi\n${printResponse({ blocked: true, reason })}\n`;

interface Edited {
  readonly shown: string;
  readonly code: number;
}

/** Edits `guard`: each call of the editor runs some lines and puts the next text in its place. */
export async function edited(
  place: Workspace,
  texts: readonly string[],
  keys: readonly string[],
  more = "",
  before = "",
): Promise<Edited> {
  for (const [index, text] of texts.entries()) await place.write(`text.${index + 1}`, text);
  const dir = shellQuote(place.dir);
  const script = `#!/bin/sh\n${before}n=$(( $(cat ${dir}/n 2>/dev/null || echo 0) + 1 )); echo $n > ${dir}/n; cat ${dir}/text.$n > "$1"\n`;
  const editor = await place.write("editor", script, 0o755);
  return runOnTerminal(place, `EDITOR=${shellQuote(editor)} ${hookctl} edit guard ${more}`, keys);
}

export async function setUp(scope: "project" | "user" = "project"): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", GUARD("old"), { scope });
  if (scope === "project") await approveAll(place);
  return place;
}

export const reasonOf = async (place: Workspace): Promise<string | null> => (await runToolCall(place)).reason;
