import { spawn } from "node:child_process";
import { type LookupAddress, lookup } from "node:dns";
import { appendFileSync, openSync } from "node:fs";
import {
  createServer,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestByTls } from "node:https";
import { connect, type LookupFunction, type Server } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { outputValues } from "../../src/engine/run/known-values.ts";
import { pathExists, statOrNull } from "../../src/fs/paths.ts";
import { readIfPresent, readTextFile } from "../../src/fs/read-file.ts";
import { namesIn } from "../../src/protocol/json/table.ts";
import { escapeControls } from "../../src/protocol/text/text.ts";
import { redactSecrets } from "../../src/redact/redact-secrets.ts";
import { isRunning, processKey } from "./cage-shell.ts";
import {
  NETWORK,
  notListed,
  openAddresses,
  REGISTRIES,
  readAuthority,
  type Target,
  targetOf,
  targetText,
  whyRefused,
} from "./host-list.ts";
import { POLICY_FILE, type ProxyPolicy, REFUSED_FILE } from "./session-network.ts";

/*
 * The proxy of one agent's session. It listens on the loopback of the session's network namespace, which has nothing else, and
 * connects from outside. Nothing controls it: it reads the list of hosts again when the file of the list has changed.
 */

const [, , folder = "", bwrap = ""] = process.argv;
const policyFile = join(folder, POLICY_FILE);

/** What the proxy knows since the last call. */
interface Session extends ProxyPolicy {
  readonly state: number;
  readonly replaceValues: ReturnType<typeof outputValues>;
  /** The refusals that were written down, each once. */
  readonly refused: Set<string>;
}

let known: Session | null = null;

/** The policy of the present call. Without one the session has ended. */
function session(): Session {
  const state = statOrNull(policyFile)?.mtimeMs;
  if (state === undefined) process.exit();
  if (known?.state === state) return known;
  const policy: ProxyPolicy = JSON.parse(readTextFile(policyFile));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !policy.keptVariables.includes(name)));
  known = { ...policy, state, replaceValues: outputValues({ scopes: policy.scopes, env }, ""), refused: new Set() };
  return known;
}

const MOST_REFUSALS = 50;

/** Writes down what the agent and the person are to read. */
function noteRefusal(host: string, why: string): void {
  const { refused } = session();
  if (refused.has(why) || refused.size >= MOST_REFUSALS) return;
  refused.add(why);
  appendFileSync(
    join(folder, REFUSED_FILE),
    `${JSON.stringify({ at: new Date().toISOString(), kind: "connect", host, why })}\n`,
  );
}

/** A way to a host, or why there is none. */
type Way = { readonly lookup: LookupFunction } | { readonly status: number; readonly why: string };

/** Finds the addresses of a host. The connection goes to them, so that no second answer of the DNS counts. */
async function wayTo(target: Target): Promise<Way> {
  const policy = session();
  const why = whyRefused(target, policy);
  if (why !== null) return refusal(target, why);
  const found = await addressesOf(target.host);
  if (found.length === 0) return { status: 502, why: `${target.host} has no address` };
  const open = openAddresses(found, target.port, policy.hosts);
  if (open.length > 0) return { lookup: fixedLookup(open) };
  const address = targetText({ host: found[0]?.address ?? "", port: target.port });
  return refusal(target, notListed(address, `${address}, the address of ${target.host},`));
}

function refusal(target: Target, why: string): Way {
  noteRefusal(targetText(target), why);
  return { status: 403, why };
}

const addressesOf = (host: string): Promise<readonly LookupAddress[]> =>
  new Promise((resolve) => lookup(host, { all: true }, (error, found) => resolve(error === null ? found : [])));

const fixedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_, { all }, done) =>
    all === true ? done(null, [...addresses]) : done(null, addresses[0]?.address ?? "", addresses[0]?.family);

const SAYS = "hookctl's cage: ";

/** In JSON, of which npm prints the error. */
function refuse(response: ServerResponse, status: number, why: string): void {
  const headers = { "content-type": "application/json", connection: "close" };
  response.writeHead(status, headers).end(`${JSON.stringify({ error: `${SAYS}${why}` })}\n`);
}

/** Refuses a request to a host that the list has. */
function forbid(response: ServerResponse, host: string, why: string): void {
  noteRefusal(host, why);
  refuse(response, 403, why);
}

/** Headers for one connection only, and those that the proxy writes itself. */
const OF_CONNECTION = namesIn(
  "connection keep-alive proxy-connection proxy-authorization te trailer transfer-encoding upgrade host expect",
);

const withoutConnection = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));

/** Tunnels to port 80 carry HTTP, which is looked at; by their sockets. */
const plainTunnels = new WeakMap<Duplex, string>();

/** The address of a request to another host; null if it is for the mirror. */
function addressOf({ url = "", socket }: IncomingMessage): string | null {
  const tunnel = plainTunnels.get(socket);
  if (!url.startsWith("/")) return url;
  return tunnel === undefined ? null : `http://${tunnel}${url}`;
}

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = addressOf(incoming);
  if (address === null) return answerFromMirror(incoming, response);
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address))
    return refuse(response, 400, "this is a proxy for HTTP");
  const url = new URL(address);
  const way = await wayTo(targetOf(url));
  if ("why" in way) return refuse(response, way.status, way.why);
  return forward(url, incoming, response, { lookup: way.lookup });
}

const { mirror, variables } = NETWORK;

/** Reads from the registry of the person's npm. Nothing is published: that would be a way out for everything. */
async function answerFromMirror(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = "", method = "" } = incoming;
  const { hosts, scopes } = session();
  if (!hosts.includes(REGISTRIES) || !url.startsWith(mirror.path)) return refuse(response, 404, "this is a proxy");
  if (method !== "GET" && method !== "HEAD")
    return forbid(response, "the registry of npm", `${method} ${NO_PUBLISHING}`);
  const settings = readIfPresent(join(scopes.homeDir ?? "/nonexistent", ".npmrc"));
  const npmrc = settings.ok ? (settings.value?.toString("utf8") ?? "") : "";
  const registry = /^\s*registry\s*=\s*"?(https?:\/\/[^\s"]+)/m.exec(npmrc)?.[1] ?? mirror.registry;
  const base = `${registry.replace(/\/$/, "")}/`;
  const address = new URL(`${base}${url.slice(mirror.path.length)}`);
  if (!address.href.startsWith(base)) return refuse(response, 400, "this is not an address of the registry");
  // pnpm downloads from the addresses that the registry names; npm and yarn would write others into their lock files.
  const isPnpm = incoming.headers["user-agent"]?.startsWith("pnpm/") === true;
  const mapped =
    isPnpm && !url.endsWith(".tgz") ? { from: `"${base}`, to: `"${variables.HTTP_PROXY}${mirror.path}` } : null;
  return forward(address, incoming, response, { mapped });
}

const NO_PUBLISHING =
  "is refused: the registry is read-only, and nothing is published from the cage. Ask the person to do it.";

const [plainAgent, tlsAgent] = [new HttpAgent({ keepAlive: true }), new HttpsAgent({ keepAlive: true })];
const EXAMINED_BYTES = 1024 * 1024;

interface ForwardOptions {
  readonly lookup?: LookupFunction;
  /** A text that the answer has in the place of another. */
  readonly mapped?: { readonly from: string; readonly to: string } | null;
}

async function forward(
  url: URL,
  incoming: IncomingMessage,
  response: ServerResponse,
  { lookup: ownLookup, mapped = null }: ForwardOptions,
): Promise<void> {
  const start = await startOf(incoming);
  const { rawHeaders, method, headers } = incoming;
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const { kinds } = redactSecrets([url.href, ...lines, start.toString("utf8")].join("\n"), session().replaceValues);
  if (kinds.length > 0)
    return forbid(
      response,
      url.host,
      `a request to ${url.host} has a secret in it (${kinds.join(", ")}), and was not sent. ${SECRETS_ALLOWED}`,
    );
  const encoding = mapped === null ? {} : { "accept-encoding": "identity" };
  const options = {
    method,
    headers: { ...withoutConnection(headers), host: url.host, ...encoding },
    lookup: ownLookup,
  };
  const isTls = url.protocol === "https:";
  const sent = isTls
    ? requestByTls(url, { ...options, agent: tlsAgent })
    : request(url, { ...options, agent: plainAgent });
  sent.on("response", (received) => {
    received.on("error", () => response.destroy());
    const { "content-length": length, ...others } = withoutConnection(received.headers);
    response.writeHead(
      received.statusCode ?? 502,
      mapped === null && length !== undefined ? { ...others, "content-length": length } : others,
    );
    if (mapped === null) received.pipe(response);
    else
      text(received).then(
        (all) => response.end(all.replaceAll(mapped.from, mapped.to)),
        () => response.destroy(),
      );
  });
  sent.on("error", ({ message }) => (response.headersSent ? response.destroy() : refuse(response, 502, message)));
  response.on("close", () => sent.destroy());
  if (start.length > 0) sent.write(start);
  if (incoming.readableEnded) sent.end();
  else incoming.pipe(sent);
}

const SECRETS_ALLOWED = "What the setting `cage.env` names may be sent; other secrets need a tunnel (HTTPS).";

/** The first part of a body, in which secrets are searched. */
async function startOf(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming.iterator({ destroyOnReturn: false })) {
    parts.push(part);
    size += part.length;
    if (size >= EXAMINED_BYTES) break;
  }
  return Buffer.concat(parts);
}

const CONNECTED = "HTTP/1.1 200 Connection established\r\n\r\n";

async function openTunnel({ url = "" }: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  socket.on("error", () => socket.destroy());
  const target = readAuthority(url);
  const way = target === null ? { status: 400, why: "CONNECT needs HOST:PORT" } : await wayTo(target);
  if ("why" in way || target === null) {
    const { status, why } = "why" in way ? way : { status: 400, why: "" };
    socket.end(`HTTP/1.1 ${status} ${SAYS}${escapeControls(why)}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    return;
  }
  if (target.port === 80) {
    plainTunnels.set(socket, url);
    socket.write(CONNECTED);
    socket.unshift(head);
    proxy.emit("connection", socket);
    return;
  }
  let isOpen = false;
  const other = connect({ ...target, lookup: way.lookup });
  other.on("connect", () => {
    isOpen = true;
    socket.write(CONNECTED);
    other.write(head);
    socket.pipe(other).pipe(socket);
  });
  other.on("error", ({ message }) => socket.end(isOpen ? "" : `HTTP/1.1 502 ${SAYS}${message}\r\n\r\n`));
  other.on("close", () => socket.end());
  socket.on("close", () => other.destroy());
}

const MOST_CONNECTIONS = 256;
const proxy = createServer((incoming, response) => {
  incoming.on("error", () => response.destroy());
  answer(incoming, response).catch(() => response.destroy());
});
proxy.maxConnections = MOST_CONNECTIONS;
proxy.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
  openTunnel(incoming, socket, head).catch(() => socket.destroy());
});

const { port: PORT } = targetOf(new URL(NETWORK.variables.HTTP_PROXY ?? ""));
const SEEN_MS = 5_000;
/** A socket belongs to the namespace in which it was made, so it is made inside and then handed out. */
const LISTEN = `const server = require("node:net").createServer().listen(${PORT}, "127.0.0.1", () => process.send(process.pid, server))`;

// A /dev of its own would put the program into a second user namespace, which only root could join.
const OWN_NETWORK = namesIn(
  "--unshare-user --unshare-net --die-with-parent --ro-bind / / --dev-bind /dev /dev --proc /proc --",
);

const inside = spawn(bwrap, [...OWN_NETWORK, process.execPath, "-e", LISTEN], {
  env: {},
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});
// The starter no longer reads what a proxy says that has started.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
inside.on("exit", () => proxy.listening || process.exit(1));
inside.on("message", (pid: number, server: Server) => {
  // The descriptors keep the namespaces; the calls of the session join them.
  const [user, net] = [openSync(`/proc/${pid}/ns/user`, "r"), openSync(`/proc/${pid}/ns/net`, "r")];
  proxy.listen(server, () => {
    // It would accept connections, too.
    process.kill(pid, "SIGKILL");
    process.stdout.write(JSON.stringify({ process: processKey(process.pid), user, net }));
  });
});
const { agent } = session();
setInterval(() => {
  if (!pathExists(policyFile) || !isRunning(agent)) process.exit();
}, SEEN_MS);
