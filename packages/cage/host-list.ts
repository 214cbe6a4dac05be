import { BlockList, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { namesIn, tableOf } from "../../src/protocol/json/table.ts";
import { globMatches } from "../../src/protocol/match.ts";
import type { ScopedRule } from "../../src/protocol/rule-settings.ts";
import { hostFits } from "../guards/rules/rules/host-pattern.ts";
import table from "./network.json" with { type: "json" };

export interface NetworkTable {
  /** What a call gets, so that programs use the proxy. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables with options of Java. */
  readonly javaPrograms: string;
  readonly javaOptions: string;
  /** The registry of npm, at which a package can be published: what a call reads of it comes through the proxy. */
  readonly mirror: Readonly<Record<"path" | "registry", string>> & Pick<NetworkTable, "variables">;
  /** Hosts of registries at which nothing can be published. */
  readonly downloads: string;
  /** Addresses that only their own entry in the list opens. */
  readonly closedNetworks: readonly { readonly why: string; readonly networks: string }[];
}

export const NETWORK = tableOf<NetworkTable>(table);
/** The entry of a list that stands for the registries of package managers. */
export const REGISTRIES = "registries";

const downloads = namesIn(NETWORK.downloads);
const mirrored = new URL(NETWORK.mirror.registry).hostname;
const WEB_PORTS = [80, 443];

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** A person's rule about hosts that stops connections. */
export type StoppingRule = Required<Pick<ScopedRule, "match" | "unless" | "file">>;

export interface HostList {
  readonly hosts: readonly string[];
  readonly stopping: readonly StoppingRule[];
}

/** The host of a URL. The parser has one form for each address: `0x7f.1` and `2130706433` are `127.0.0.1`. */
export const targetOf = ({ hostname, port, protocol }: URL): Target => ({
  host: hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""),
  port: Number(port || (protocol === "https:" ? 443 : 80)),
});

/** Reads `example.org:443`; null if it is anything else. */
export function readAuthority(text: string): Target | null {
  const url = `http://${text}`;
  return /^[^\s/\\?#@]+:\d{1,5}$/.test(text) && URL.canParse(url) ? targetOf(new URL(url)) : null;
}

export const targetText = ({ host, port }: Target): string =>
  `${isIPv6(host) ? `[${host}]` : host}${WEB_PORTS.includes(port) ? "" : `:${port}`}`;

function readEntry(entry: string) {
  const [, address, name = "", port] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  return { name: address ?? name, ports: port === undefined ? WEB_PORTS : [Number(port)] };
}

/** Why nothing connects to a host; null if something may. */
export function whyRefused(target: Target, { hosts, stopping }: HostList): string | null {
  const isListed = hosts
    .map(readEntry)
    .some(({ name, ports }) => ports.includes(target.port) && globMatches(name, target.host));
  const isDownload = hosts.includes(REGISTRIES) && target.port === 443 && downloads.includes(target.host);
  if (!isListed && hosts.includes(REGISTRIES) && target.host === mirrored)
    return notListed(
      target.host,
      `${target.host} is read at ${NETWORK.variables.HTTP_PROXY}${NETWORK.mirror.path} alone, and`,
    );
  if (!isListed && !isDownload) return notListed(targetText(target));
  const rule = stopping.find(
    ({ match, unless }) => hostFits(match, target) && !unless.some((text) => hostFits(text, target)),
  );
  return rule === undefined
    ? null
    : `${target.host} is stopped by the rule \`${rule.match}\` of the person (${rule.file})`;
}

/** Why nothing connects to a host that no entry of the list means, or to an address of a host. */
export const notListed = (text: string, about = text): string =>
  `${about} is not in the list of hosts. Only the person can allow it: hookctl cage allow ${text} --here`;

interface Address {
  readonly address: string;
  readonly family: number;
}

const versionOf = (family: number) => (family === 6 ? "ipv6" : "ipv4");

function closedAddresses(): BlockList {
  const closed = new BlockList();
  for (const network of NETWORK.closedNetworks.flatMap(({ networks }) => namesIn(networks))) {
    const [address = "", bits] = network.split("/");
    closed.addSubnet(address, Number(bits), versionOf(isIPv6(address) ? 6 : 4));
  }
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    closed.addAddress(address, versionOf(family === "IPv6" ? 6 : 4));
  return closed;
}

/**
 * The addresses of a host to which the proxy connects. An address of this machine or of a closed network has to be in the list
 * as it is, because anybody can give a name any address.
 */
export function openAddresses<A extends Address>(
  addresses: readonly A[],
  port: number,
  hosts: readonly string[],
): readonly A[] {
  const closed = closedAddresses();
  const named = hosts.map(readEntry);
  return addresses.filter(
    ({ address, family }) =>
      !closed.check(address, versionOf(family)) ||
      named.some(({ name, ports }) => name === address && ports.includes(port)),
  );
}
