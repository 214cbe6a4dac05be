import { type McpServer, SERVER_ROWS } from "../../protocol/entry.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { truncate } from "../../protocol/text/text.ts";
import { serverSchema } from "./config-schema.ts";

/** Checks one server of an agent's `mcp.json`; unknown keys are ignored. The fault never quotes a value. */
export function checkServer(found: unknown): Result<McpServer, string> {
  const all = new Map(Object.entries(Object(found)));
  if (!all.has("command")) return fail("it has no `command`; only servers over stdio can be asked");
  const known = Object.keys(SERVER_ROWS).flatMap((key) => (all.has(key) ? [[key, all.get(key)]] : []));
  const checked = serverSchema().safeParse(Object.fromEntries(known));
  if (checked.success) return ok(checked.data as McpServer);
  const [issue] = checked.error.issues;
  return fail(`${truncate(issue?.path.join(".") ?? "", 80)}: ${issue?.message ?? "not valid"}`);
}
