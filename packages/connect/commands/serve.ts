import type { Socket } from "node:net";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { compileAsUsual } from "../../../src/process/own-program.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { AGENTS } from "../../agents/agents.ts";
import { serveConnection } from "../../sdk/serve/connection.ts";
import { listenOnPort } from "../../sdk/serve/http.ts";
import { engineMethods } from "../../sdk/serve/methods.ts";
import { preload } from "../../sdk/serve/preload.ts";
import { isServersOwn } from "../../sdk/serve/request-environment.ts";
import { createService, type Service } from "../../sdk/serve/service.ts";
import { listenOnSocket } from "../../sdk/serve/socket.ts";
import { openStdout, written } from "../../sdk/serve/stdout.ts";
import { defaultTokenFile, openToken } from "../../sdk/serve/token.ts";
import { agentOverHttp } from "./serve/agent-over-http.ts";
import { sessionMethods } from "./serve/session-methods.ts";

const DEFAULT_CHAINS = 16;

/** Answers requests of other programs until stdin ends, `shutdown` is requested, or a signal arrives. */
export async function serve(line: CommandLine<"serve">, host: Host): Promise<CommandResult> {
  const { socket, port, variables, mostChains } = line.options;
  const refused = variables.find(isServersOwn);
  if (refused !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--env", value: refused, detail: "no request may set it" });
  }
  if (line.options.trust) {
    const detail = "serve: --trust is for one call, and a server answers many.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust" });
  }
  closeInheritedOnFirstStart();
  compileAsUsual();
  const options = { mostChains: mostChains ?? DEFAULT_CHAINS, allowedVariables: variables, engine: line.options };
  const env = line.options.noHooks ? { ...host.env, HOOKCTL_NO_HOOKS: "1" } : host.env;
  const methods = { ...engineMethods({ ...host, env }, options), ...sessionMethods(host) };
  const service = createService(methods, host.elapsedMs);
  void preload(line.options, { ...host, env, beganMs: host.elapsedMs() }).catch(() => {});
  const stopListening = host.interrupt.listen(service.stop);
  const ended =
    socket === null && port === null ? await serveStdio(service, host) : await serveOthers(line, service, host);
  stopListening();
  const signal = host.interrupt.raised();
  return signal === null ? ended : ok(signalExitCode(signal));
}

async function serveStdio(service: Service, host: Host): Promise<CommandResult> {
  if (host.isStdinTerminal()) host.err("Waiting for requests on stdin. See docs/serve.md; Ctrl-D ends it.\n");
  const output = openStdout();
  let lost: NodeJS.ErrnoException | null = null;
  output.on("error", (error) => {
    lost = error;
  });
  await serveConnection(process.stdin, output, service);
  process.stdin.destroy();
  await written(output);
  const cause = (lost as NodeJS.ErrnoException | null)?.code;
  return cause === undefined ? ok(EXIT.ok) : fail({ code: "OUTPUT_LOST", cause, isDecision: true });
}

/** Stops accepting clients, and settles when the last one has its answer. */
type Close = () => Promise<void>;

/** Listens on the socket, the port or both. */
async function serveOthers({ options }: CommandLine<"serve">, service: Service, host: Host): Promise<CommandResult> {
  const { socket, port } = options;
  const opened: Close[] = [];
  const openings = [
    ...(socket === null ? [] : [() => openSocket(resolve(host.cwd, socket), service, host)]),
    ...(port === null ? [] : [() => openPort({ ...options, port }, service, host)]),
  ];
  for (const open of openings) {
    const one = await open();
    if (!one.ok) {
      service.stop("SIGTERM");
      return closeAll(opened, one);
    }
    opened.push(one.value);
  }
  await service.ended;
  return closeAll(opened, ok(EXIT.ok));
}

async function closeAll(opened: readonly Close[], ended: CommandResult): Promise<CommandResult> {
  await Promise.all(opened.map((close) => close()));
  return ended;
}

/** Claude Code's `http` hooks. */
async function openPort(
  { port, tokenFile, mostChains, ...common }: CommandLine<"serve">["options"] & { readonly port: number },
  service: Service,
  host: Host,
): Promise<Result<Close, Problem>> {
  const place = `http://127.0.0.1:${port}`;
  const file = tokenFile ?? defaultTokenFile(host.env);
  if (file === null) {
    const detail = "serve: name a file for the token, because XDG_RUNTIME_DIR is not set.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl serve --http ${port} --token-file FILE` });
  }
  const path = resolve(host.cwd, file);
  const token = openToken(path);
  if (!token.ok) return fail({ code: "SERVE_NOT_STARTED", place, cause: `${path}: ${token.error}` });
  const answer = agentOverHttp({ ...common, mostChains: mostChains ?? DEFAULT_CHAINS }, host);
  const rules = { port, token: token.value, events: Object.keys(AGENTS.claude.events) };
  const server = await listenOnPort(rules, answer);
  if (!server.ok) return fail({ code: "SERVE_NOT_STARTED", place, cause: server.error });
  service.listen({ onStop: server.value.stop, onEnd: () => {} });
  host.err(`Serving on ${place}; the token is in ${path}\n`);
  return ok(server.value.close);
}

async function openSocket(path: string, service: Service, host: Host): Promise<Result<Close, Problem>> {
  const clients = new Set<Promise<void>>();
  const onClient = (client: Socket): void => {
    const served = serveClient(client, service).finally(() => clients.delete(served));
    clients.add(served);
  };
  const server = await listenOnSocket(path, onClient);
  if (!server.ok) return fail({ code: "SERVE_NOT_STARTED", place: path, cause: server.error });
  host.err(`Serving on ${path}\n`);
  return ok(async () => {
    server.value.close();
    await Promise.all(clients);
  });
}

async function serveClient(client: Socket, service: Service): Promise<void> {
  await serveConnection(client, client, service);
  await flushed(client);
  client.destroy();
}

/** Settles when everything is written, or the reader has closed the stream. */
const flushed = (output: Writable): Promise<void> =>
  new Promise((settle) => {
    if (output.destroyed) return settle();
    output.on("close", settle);
    output.on("error", () => settle());
    output.end(() => settle());
  });
