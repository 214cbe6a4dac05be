import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call } from "../../command/call.ts";
import { type Connection, connectionOfUrl, connectionsOf } from "../../command/connections.ts";
import type { EarlierSecrets } from "../../effects/earlier-secrets.ts";
import type { Examined } from "../../examine.ts";
import type { Found } from "../../guard.ts";
import { SECRET_RULES } from "./findings.ts";

/** The agent's own machine. */
const LOCAL = /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1?\]?|host\.docker\.internal)$/;

const isOther = ({ host }: Connection): boolean => !LOCAL.test(host);

/** True if a program connects to another machine. */
export const sends = ({ commands }: Examined): boolean =>
  commands.some(({ calls }) => calls.some((call) => otherMachines(call).length > 0));

/** The other machines to which a call connects. */
const otherMachines = (call: Call): readonly Connection[] => (call.isRemote ? [] : connectionsOf(call).filter(isOther));

/** Something that leaves the machine. */
interface Sending extends Pick<Connection, "host" | "isUpload"> {
  /** The part of the call, and its name if the part holds a secret. */
  readonly part: string;
  readonly name: string;
  readonly call: Call | null;
}

/** The first thing that a call sends after a secret was read, or that has the value of a secret. */
export function sentLater({ commands, addresses, earlier }: Examined): readonly Found[] {
  if (earlier === undefined) return [];
  const sendings = [
    ...commands.flatMap(({ calls }) => calls.flatMap(sentByProgram)),
    ...sentByTool(addresses, earlier),
  ];
  const first = sendings.find(({ isUpload }) => earlier.isValueSent || (isUpload && earlier.names.length > 0));
  return first === undefined ? [] : [foundOf(first, earlier)];
}

const sentByProgram = (call: Call): readonly Sending[] =>
  otherMachines(call).map(({ host, isUpload }) => ({ host, isUpload, part: call.source, name: call.program, call }));

function sentByTool(addresses: readonly string[], { tool }: EarlierSecrets): readonly Sending[] {
  if (tool === null) return [];
  const hosts = addresses.flatMap((address) => connectionOfUrl(address) ?? []);
  const named = hosts.filter(isOther).map(({ host }) => ({ host, isUpload: tool.hasBody }));
  // The server of a tool may be anywhere.
  const sent = hosts.length > 0 ? named : [{ host: tool.name, isUpload: false }];
  return sent.map((one) => ({ ...one, part: tool.name, name: tool.name, call: null }));
}

function foundOf({ host, part, name, call }: Sending, { names, isValueSent }: EarlierSecrets): Found {
  const to = host.includes(UNKNOWN) ? "another machine" : host;
  const effect = isValueSent
    ? `sends the value of a secret of this machine to ${to}`
    : `sends data to ${to} after ${names.join(", ")} was read in this session`;
  const details = { effect, targets: [to] };
  // The part with the value would be shown and recorded.
  return {
    finding: SECRET_RULES.find("send-after-read", isValueSent ? name : part, details),
    about: { call, file: null },
  };
}
