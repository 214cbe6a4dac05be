import type { RunRecord } from "../../protocol/run-record.ts";
import { escapeControls, truncateEscaped } from "../../protocol/text/text.ts";

/** `-v`: the run's id, by which the record is searched, and the metadata hooks sent; `-vv`: also what they printed on stderr. */
export function verboseText(run: RunRecord, verbosity: number): string {
  if (verbosity === 0) return "";
  const metadata = Object.entries(run.verdict.metadata).map(
    ([hook, raw]) => `  ${truncateEscaped(hook, 80)} metadata ${truncateEscaped(raw, 400)}\n`,
  );
  return `  run ${run.run_id}\n${metadata.join("")}${verbosity > 1 ? run.hooks.map(stderrLines).join("") : ""}`;
}

function stderrLines({ name, stderr }: { readonly name: string; readonly stderr: string }): string {
  if (stderr === "") return "";
  const lines = stderr.trimEnd().split("\n");
  return lines.map((line) => `  ${truncateEscaped(name, 80)} | ${escapeControls(line)}\n`).join("");
}
