import { createRedactor, redactJson } from "../../audit/redact.ts";
import { sha256Of } from "../../fs/hash.ts";
import { canonicalEntryText, type ResolvedEntry } from "../../protocol/entry.ts";
import { jsonText } from "../../protocol/json/write.ts";

/** The canonical text of an entry, for approvals and reviews. Secrets of its MCP server are replaced by hashes. */
export function canonicalEntry(entry: ResolvedEntry): string {
  if (entry.scheme !== "tool") return canonicalEntryText(entry);
  const { server } = entry;
  const env = Object.entries(server.env).map(([name, value]): [string, string] => {
    return [name, isSecret(name, value) ? `sha256:${sha256Of(value)}` : value];
  });
  return canonicalEntryText({ ...entry, server: { ...server, env: Object.fromEntries(env) } });
}

function isSecret(name: string, value: string): boolean {
  const written = jsonText({ [name]: value });
  return redactJson(written, createRedactor({})) !== written;
}
