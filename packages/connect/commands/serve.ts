import type { Socket } from "node:net";
import { resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { attempt, fail, ok, ProblemError } from "../../../src/protocol/result.ts";
import { AGENTS } from "../../agents/agents.ts";
import { serveConnection } from "../../sdk/serve/connection.ts";
import { listenOnPort } from "../../sdk/serve/http.ts";
import { engineMethods, preload } from "../../sdk/serve/methods.ts";
import { isServersOwn } from "../../sdk/serve/request-environment.ts";
import { createService, type Service } from "../../sdk/serve/service.ts";
import { listenOnSocket } from "../../sdk/serve/socket.ts";
import { openStdout, written } from "../../sdk/serve/stdout.ts";
import { defaultTokenFile, openToken } from "../../sdk/serve/token.ts";
import { type AgentOptions, agentOverHttp } from "./serve/agent-over-http.ts";
import { sessionMethods } from "./serve/session-methods.ts";

const DEFAULT_CHAINS = 16;

/** Answers requests of other programs until stdin ends, `shutdown` is requested, or a signal arrives. */
export async function serve({ options }: CommandLine<"serve">, host: Host): Promise<CommandResult> {
  const { socket, port, variables, mostChains, tokenFile, ...common } = options;
  const refused = variables.find(isServersOwn);
  if (refused !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--env", value: refused, detail: "no request may set it" });
  }
  if (options.trust) {
    const detail = "serve: --trust is for one call, and a server answers many.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust" });
  }
  closeInheritedOnFirstStart();
  const limits = { mostChains: mostChains ?? DEFAULT_CHAINS };
  const env = options.noHooks ? { ...host.env, HOOKCTL_NO_HOOKS: "1" } : host.env;
  const engine = engineMethods({ ...host, env }, { ...limits, allowedVariables: variables, engine: options });
  const service = createService({ ...engine, ...sessionMethods(host) }, host.elapsedMs);
  void preload(options, { ...host, env, beganMs: host.elapsedMs() }).catch(() => {});
  const openings = [
    ...(socket === null ? [] : [() => openSocket(resolve(host.cwd, socket), service, host)]),
    ...(port === null ? [] : [() => openPort(port, tokenFile, { ...common, ...limits }, service, host)]),
  ];
  const stopListening = host.interrupt.listen(service.stop);
  const ended = await attempt(() => (openings.length === 0 ? serveStdio(service, host) : serveAll(openings, service)));
  stopListening();
  const signal = host.interrupt.raised();
  return signal === null ? ended : ok(signalExitCode(signal));
}

async function serveStdio(service: Service, host: Host): Promise<number> {
  if (host.isStdinTerminal()) host.err("Waiting for requests on stdin. See docs/serve.md; Ctrl-D ends it.\n");
  const output = openStdout();
  const lost: NodeJS.ErrnoException[] = [];
  output.on("error", (error) => lost.push(error));
  await serveConnection(process.stdin, output, service);
  process.stdin.destroy();
  await written(output);
  const cause = lost.at(-1)?.code;
  if (cause !== undefined) throw new ProblemError({ code: "OUTPUT_LOST", cause, isDecision: true });
  return EXIT.ok;
}

/** Stops accepting clients, and settles when the last client has its answer. */
type Close = () => Promise<void>;

/** Listens on the socket, the port or both. */
async function serveAll(openings: readonly (() => Promise<Close>)[], service: Service): Promise<number> {
  const opened: Close[] = [];
  try {
    for (const open of openings) opened.push(await open());
    await service.ended;
    return EXIT.ok;
  } catch (error) {
    service.stop("SIGTERM");
    throw error;
  } finally {
    await Promise.all(opened.map((close) => close()));
  }
}

/** Claude Code's `http` hooks. */
async function openPort(
  port: number,
  tokenFile: string | null,
  options: AgentOptions,
  service: Service,
  host: Host,
): Promise<Close> {
  const place = `http://127.0.0.1:${port}`;
  const file = tokenFile ?? defaultTokenFile(host.env);
  if (file === null) {
    const detail = "serve: name a file for the token, because XDG_RUNTIME_DIR is not set.";
    const tryThis = `hookctl serve --http ${port} --token-file FILE`;
    throw new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });
  }
  const path = resolve(host.cwd, file);
  const token = openToken(path);
  if (!token.ok) throw notStarted(place, `${path}: ${token.error}`);
  const rules = { port, token: token.value, events: Object.keys(AGENTS.claude.events) };
  const server = await listenOnPort(rules, agentOverHttp(options, host));
  if (!server.ok) throw notStarted(place, server.error);
  service.listen({ onStop: server.value.stop, onEnd: () => {} });
  host.err(`Serving on ${place}; the token is in ${path}\n`);
  return server.value.close;
}

const notStarted = (place: string, cause: string): ProblemError =>
  new ProblemError({ code: "SERVE_NOT_STARTED", place, cause });

async function openSocket(path: string, service: Service, host: Host): Promise<Close> {
  const clients = new Set<Promise<void>>();
  const server = await listenOnSocket(path, (client) => {
    const served = serveClient(client, service).finally(() => clients.delete(served));
    clients.add(served);
  });
  if (!server.ok) throw notStarted(path, server.error);
  host.err(`Serving on ${path}\n`);
  return async () => {
    server.value.close();
    await Promise.all(clients);
  };
}

async function serveClient(client: Socket, service: Service): Promise<void> {
  await serveConnection(client, client, service);
  // Until everything is written, or the reader has closed the stream.
  await new Promise<void>((settle) => {
    if (client.destroyed) return settle();
    client.on("close", settle);
    client.on("error", () => settle());
    client.end(() => settle());
  });
  client.destroy();
}
