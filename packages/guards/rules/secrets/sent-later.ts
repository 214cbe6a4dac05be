import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call } from "../../command/call.ts";
import { type Connection, connectionsOf } from "../../command/connections.ts";
import type { EarlierSecrets, Finding } from "../../guard.ts";
import { SECRET_RULES } from "./findings.ts";

/** The agent's own machine. */
const LOCAL = /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1?\]?|host\.docker\.internal)$/;

/** The other machines to which a call connects. */
export const otherMachines = (call: Call): readonly Connection[] =>
  call.isRemote ? [] : connectionsOf(call).filter(({ host }) => !LOCAL.test(host));

/** A call that sends something after a secret was read, or the value of a secret. */
export function sentLater(calls: readonly Call[], earlier: EarlierSecrets | undefined): Finding | null {
  if (earlier === undefined) return null;
  for (const call of calls)
    for (const { host, isUpload } of otherMachines(call)) {
      const found = sentTo(host, { part: call.source, name: call.program, isUpload }, earlier);
      if (found !== null) return found;
    }
  return null;
}

/** The finding about data that goes to a host; null if it carries no known secret and none was read. */
export function sentTo(
  host: string,
  { part, name, isUpload }: { readonly part: string; readonly name: string; readonly isUpload: boolean },
  { names, isValueSent }: EarlierSecrets,
): Finding | null {
  if (!isValueSent && (names.length === 0 || !isUpload)) return null;
  const to = host.includes(UNKNOWN) ? "another machine" : host;
  const effect = isValueSent
    ? `sends the value of a secret of this machine to ${to}`
    : `sends data to ${to} after ${names.join(", ")} was read in this session`;
  // The part with the value would be shown and recorded.
  return SECRET_RULES.find("send-after-read", isValueSent ? name : part, { effect, targets: [to] });
}
