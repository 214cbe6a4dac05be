import { globMatches } from "../../../../src/protocol/match.ts";
import type { Connection } from "../../command/connections.ts";

/** True if a host is one that the pattern means: `example.org`, `*.example.org`, `example.org:8080`. */
export function hostFits(pattern: string, { host, port }: Pick<Connection, "host" | "port">): boolean {
  const [name = "", wanted] = pattern.toLowerCase().split(/:(?=\d+$)/);
  return globMatches(name, host) && (wanted === undefined || String(port) === wanted);
}
